// Stage i solves for z_i = Y_i - y0, with K_i = (z_i - h Σ_{j<i} a_ij K_j) / (h γ),
//
//   0 = r(t0 + c_i h, y0 + z_i, K_i),   (M / (h γ) - J) dz = r,
//
// by a simplified Newton iteration. Rates come from z_i by this equation, never from f(Y_i), which would multiply what
// is left of Newton's error by the stiffness. Where M is constant only M K_i is needed, and it is what is carried
// along: it exists where M is singular and K_1 is not known. The error is (M / (h γ) - J)^-1 (M/γ) Σ e_i K_i.
//
// With L-stability K_s does not depend on K_1, R(∞) = -e_sᵀ Â^-1 a_1 = 0 (Â: the implicit stages): the rates of
// algebraic unknowns at the ends of steps follow from the stages of that step alone.
//
// Where M varies, r may be nonlinear in y', and a short step does not help: an error of z is one of K times 1/(h γ). A
// stage counts as solved once K stands still as well, and the first guess after a restart goes along K_1.
#include "integrate/esdirk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "integrate/gustafsson.hpp"
#include "integrate/implicit_stepper.hpp"

namespace pawl {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_iterations = 8, most_at_fixed_step = 50;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The value at x of the polynomial through values at the nodes is Σ weight_j value_j.
template <std::size_t count>
std::array<double, count> lagrange_weights(const std::array<double, count>& node, double x) {
  std::array<double, count> weight;
  for (std::size_t j = 0; j < count; ++j) {
    weight[j] = 1;
    for (std::size_t m = 0; m < count; ++m)
      if (m != j) weight[j] *= (x - node[m]) / (node[j] - node[m]);
  }
  return weight;
}

class Esdirk final : public ImplicitStepper {
 public:
  Esdirk(const EsdirkTable& table, formulate::ImplicitForm& form, const StepControl& control)
      : ImplicitStepper(form, control),
        table_(table),
        first_(table.has_explicit_start() ? 1 : 0),
        controller_(table.embedded_order) {
    choose_predictors();
    find_end_weights();
    find_worst_inside();
  }

  int order() const override { return table_.order; }
  int dense_order() const override { return table_.dense_order; }
  double dense_weight() const override {
    double largest = 0;
    for (const auto& row : table_.dense) {
      double sum = 0;
      for (const double weight : row) sum += std::abs(weight);
      largest = std::max(largest, sum);
    }
    return largest;
  }

  void carry(Memory& memory) override {
    ImplicitStepper::carry(memory);
    memory(controller_, kind_, z_, rate_, Y_, d_, known_, product_, start_rate_, end_rate_, past_rise_, past_slope_,
           has_end_rate_, has_past_step_, has_jacobian_, jacobian_is_fresh_, diverged_, tried_h_, factored_h_, eta_,
           theta_, iterations_, noisy_failures_);
  }

 private:
  // ---- what follows from the table ----

  // A stage is predicted by the parabola through the start and two, or three, earlier stages: those with the smallest
  // weights, because nodes may lie close together. The first two implicit stages look back into the last step instead.
  void choose_predictors() {
    for (int i = first_ + 2; i < table_.stages; ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (int a = first_ - 1; a < i; ++a) {  // first_ - 1: the start itself, z = 0
        for (int b = std::max(a + 1, first_); b < i; ++b) {
          for (int d = b + 1; d < i; ++d) {
            const double start = a < first_ ? 0 : table_.c[at(a)];
            const auto weight = lagrange_weights<3>({start, table_.c[at(b)], table_.c[at(d)]}, table_.c[at(i)]);
            const double size = std::abs(weight[0]) + std::abs(weight[1]) + std::abs(weight[2]);
            if (size >= least) continue;
            least = size;
            EsdirkTable::Row& row = predictor_[at(i)] = {};
            if (a >= first_) row[at(a)] = weight[0];
            row[at(b)] = weight[1];
            row[at(d)] = weight[2];
          }
        }
      }
    }
  }

  // h K_s = Σ end_weight_i z_i: the last row of Â^-1.
  void find_end_weights() {
    const int last = table_.stages - 1;
    for (int j = last; j >= first_; --j) {
      double sum = j == last ? 1 : 0;
      for (int i = j + 1; i <= last; ++i) sum -= end_weight_[at(i)] * table_.a[at(i)][at(j)];
      end_weight_[at(j)] = sum / table_.gamma;
    }
  }

  // Algebraic unknowns that follow t^k have stages c_i^k: the first k that the dense output misses, where, and by which
  // weights the stages make up value and slope there.
  void find_worst_inside() {
    constexpr int parts = 64;
    double worst = 0;
    for (int k = 1; worst < 1e-6; ++k) {
      inside_order_ = k;
      for (int part = 1; part < parts; ++part) {
        const double theta = static_cast<double>(part) / parts;
        double value = 0;
        for (int i = first_; i < table_.stages; ++i) value += dense(theta, i) * std::pow(table_.c[at(i)], k);
        const double gap = std::abs(value - std::pow(theta, k));
        if (gap <= worst) continue;
        worst = gap;
        inside_ = theta;
      }
    }
    for (int i = first_; i < table_.stages; ++i) {
      inside_value_[at(i)] = dense(inside_, i);
      for (int power = table_.degree; power >= 1; --power)
        inside_slope_[at(i)] = inside_slope_[at(i)] * inside_ + power * table_.dense[at(power - 1)][at(i)];
    }
  }

  /// Weight of z_i in the dense output.
  double dense(double theta, int i) const {
    double sum = 0;
    for (int power = table_.degree; power >= 1; --power) sum = (sum + table_.dense[at(power - 1)][at(i)]) * theta;
    return sum;
  }

  // ---- memory ----

  double shift() const override { return 1 / (tried_h_ * table_.gamma); }
  void take_matrices() override {
    has_jacobian_ = true;
    factored_h_ = 0;
  }
  void distrust() override {
    has_jacobian_ = false;
    ++diverged_;
    eta_ = 1;
  }
  void make_solver() override { solver_ = form_.make_solver(1, 0); }
  void resize() override {
    const std::size_t size = at(n_ * table_.stages);
    z_.assign(size, 0.0);
    rate_.assign(size, 0.0);
    for (auto* vector : {&Y_, &d_, &known_, &product_, &start_rate_, &end_rate_, &past_rise_, &past_slope_})
      vector->assign(at(n_), 0.0);
    make_solver();
  }

  void forget() override {
    has_jacobian_ = jacobian_is_fresh_ = has_past_step_ = false;
    diverged_ = 0;
    factored_h_ = 0;
    eta_ = 1;
    noisy_failures_ = 0;
    controller_.restart();
    kind_ = form_.mass_kind();
    if (is_varying() && !is_consistent()) form_.complete(t_, y_.data(), dy_.data());
    has_end_rate_ = first_ == 0 || kind_ != formulate::MassKind::constant;
    if (has_end_rate_) end_rate_ = dy_;
  }

  bool is_varying() const { return kind_ == formulate::MassKind::varying; }

  /// Whether the rates at hand, which somebody else may have found, solve the equations.
  bool is_consistent() {
    residual(t_, y_.data(), nullptr, known_.data());
    residual(t_, y_.data(), dy_.data(), d_.data());
    double left = 0, size = 0;
    for (int k = 0; k < n_; ++k) {
      left = std::max(left, std::abs(d_[at(k)]));
      size = std::max(size, std::abs(known_[at(k)]));
    }
    return left <= 1e-10 * size;
  }

  double* z(int stage) { return z_.data() + stage * n_; }
  double* rate(int stage) { return rate_.data() + stage * n_; }

  // ---- a step ----

  Trial attempt(double h) override {
    if (!has_end_rate_) {
      find_rate(end_rate_);
      has_end_rate_ = true;
    }
    return solve(h, end_rate_, false);
  }
  Trial retake(double h) override {
    const Trial trial = solve(h, start_rate_, true);
    if (trial.outcome != Trial::Outcome::solved) has_jacobian_ = false;  // it may be that of the start of this step
    return trial;
  }

  /// K_1, or M K_1, at the start of the step.
  void find_rate(std::vector<double>& out) {
    if (is_varying()) {
      form_.complete(t_, y_.data(), dy_.data());  // where it fails those of the last step stay
      out = dy_;
    } else {
      residual(t_, y_.data(), nullptr, out.data());
    }
  }

  Trial solve(double h, std::vector<double>& first_rate, bool retakes) {
    Trial trial = solve_stages(h, first_rate, retakes);
    // An old Jacobian may be to blame. A fixed step has no other way out; others get shorter as well.
    if (trial.outcome != Trial::Outcome::solved && !jacobian_is_fresh_) {
      has_jacobian_ = false;
      if (control_.fixed_step > 0 || retakes) trial = solve_stages(h, first_rate, retakes);
    }
    if (trial.outcome != Trial::Outcome::solved) {
      eta_ = 1;
      ++diverged_;
      return trial;
    }
    const double* last = z(table_.stages - 1);
    for (int k = 0; k < n_; ++k) end_[at(k)] = y_[at(k)] + last[k];
    trial.error = estimate();
    if (trial.error <= 1 && checks_inside_ && control_.fixed_step == 0)
      trial.error = std::max(trial.error, estimate_inside(h));
    return trial;
  }

  Trial solve_stages(double h, std::vector<double>& first_rate, bool retakes) {
    tried_h_ = h;
    if (!has_jacobian_) {
      linearize(t_, y_.data(), is_varying() ? dy_.data() : nullptr);
      if (form_.mass_kind() != kind_) {  // found out on the way
        kind_ = form_.mass_kind();
        make_solver();
        has_end_rate_ = false;
        find_rate(first_rate);
        linearize(t_, y_.data(), is_varying() ? dy_.data() : nullptr);
        if (!retakes) has_end_rate_ = true;
      }
      has_jacobian_ = jacobian_is_fresh_ = true;
      factored_h_ = 0;
    }
    if (h != factored_h_) {
      ++work_.factorizations;
      factored_h_ = 0;
      if (!solver_->factor(0, 1 / (h * table_.gamma))) return {Trial::Outcome::singular, 0, 0.5};
      factored_h_ = h;
    }
    if (first_ == 1) {
      std::fill(z(0), z(1), 0.0);
      std::copy(first_rate.begin(), first_rate.end(), rate(0));
    }
    theta_ = 0;
    iterations_ = 1;
    for (int i = first_; i < table_.stages; ++i) {
      predict(i, h, first_rate.data(), retakes);
      const Trial trial = solve_stage(i, h);
      if (trial.outcome != Trial::Outcome::solved) return trial;
    }
    return {};
  }

  void predict(int stage, double h, const double* first_rate, bool retakes) {
    double* out = z(stage);
    std::fill(out, out + n_, 0.0);
    const double c = table_.c[at(stage)];
    if (has_past_step_ && (retakes || stage == first_)) {
      // Continued from the end; or, for a step that is taken again, read where it was.
      const double x = c * h / last_h_ - (retakes ? 1 : 0);
      const double of_slope = x * (1 + x), of_rise = (retakes ? 1 : 0) - x * x;
      for (int k = 0; k < n_; ++k) out[k] = of_slope * past_slope_[at(k)] + of_rise * past_rise_[at(k)];
      if (diverged_ < 2 || !has_algebraic_states_) return;
      // Continued, what Newton's method has left of algebraic unknowns may lead out of its reach, however short the
      // step.
      for (int k = 0; k < n_; ++k)
        if (!form_.roles()[at(k)].is_differential) out[k] = 0;
    } else if (is_varying() && !has_past_step_ && stage <= first_ + 1) {
      // Along the tangent, and then the parabola with that tangent: z = 0 would mean a rate far from K_1.
      for (int k = 0; k < n_; ++k) out[k] = c * h * first_rate[k];
      if (stage == first_) return;
      const double before = table_.c[at(first_)], square = c / before * (c / before);
      for (int k = 0; k < n_; ++k) out[k] += square * (z(first_)[k] - before * h * first_rate[k]);
    } else if (stage == first_ + 1) {
      const double before = table_.c[at(first_)];
      double own = c / before, of_past = 0;
      if (has_past_step_) {
        const auto weight = lagrange_weights<3>({-last_h_ / h, 0, before}, c);
        of_past = -weight[0];  // z at the start of the last step is minus its rise
        own = weight[2];
      }
      for (int k = 0; k < n_; ++k) out[k] = own * z(first_)[k] + of_past * past_rise_[at(k)];
    } else if (stage > first_ + 1) {
      add(predictor_[at(stage)], 1, stage, z_, out);
    }
  }

  /// out += factor Σ_{j < count} row_j vector_j.
  void add(const EsdirkTable::Row& row, double factor, int count, const std::vector<double>& vectors,
           double* out) const {
    for (int j = 0; j < count; ++j) {
      const double weight = factor * row[at(j)];
      if (weight == 0) continue;
      const double* vector = vectors.data() + j * n_;
      for (int k = 0; k < n_; ++k) out[k] += weight * vector[k];
    }
  }

  /// d = r at the present z of this stage; what follows from its earlier stages is in known_.
  void evaluate(int stage, double h) {
    const double t = t_ + table_.c[at(stage)] * h, by_h = 1 / (h * table_.gamma);
    const double* zi = z(stage);
    for (int k = 0; k < n_; ++k) Y_[at(k)] = y_[at(k)] + zi[k];
    if (is_varying()) {
      set_rate(stage, zi, by_h);
      residual(t, Y_.data(), rate(stage), d_.data());
      return;
    }
    residual(t, Y_.data(), nullptr, d_.data());
    set_rate(stage, times_mass(zi), by_h);
    const double* K = rate(stage);
    for (int k = 0; k < n_; ++k) d_[at(k)] -= K[k];
  }

  const double* times_mass(const double* x) {
    if (kind_ == formulate::MassKind::identity) return x;
    form_.times_mass(x, product_.data());
    return product_.data();
  }

  void set_rate(int stage, const double* z_or_Mz, double by_h) {
    double* K = rate(stage);
    for (int k = 0; k < n_; ++k) K[k] = by_h * z_or_Mz[k] - known_[at(k)];
  }

  double newton_tolerance() const {
    const double relative = control_.relative > 0 ? control_.relative : control_.absolute[0];
    return std::max(10 * eps / relative, std::min(0.03, std::sqrt(relative)));
  }

  /// Of the increment of K, as a share of K; where z is at the rounding of y, small.
  double change_of_rate(int stage, double h) {
    const double to_z = h * table_.gamma;
    const double* K = rate(stage);
    double change = 0, size = 0, rounding = 0;
    const auto& roles = form_.roles();
    for (int k = 0; k < n_; ++k) {
      if (!roles[at(k)].is_differential) continue;
      const auto square = [w = newton_weight_[at(k)]](double x) { return w * x * (w * x); };
      change += square(d_[at(k)]);
      size += square(to_z * std::max(std::abs(K[k]), std::abs(known_[at(k)])));
      rounding += square(1e3 * eps * y_[at(k)]);
    }
    return change == 0 ? 0 : std::sqrt(change / std::max(size, rounding));
  }

  Trial solve_stage(int stage, double h) {
    std::fill(known_.begin(), known_.end(), 0.0);
    add(table_.a[at(stage)], 1 / table_.gamma, stage, rate_, known_.data());
    const double wanted = newton_tolerance();
    const bool is_fixed = control_.fixed_step > 0;  // then patience is all there is
    const int most = is_fixed ? most_at_fixed_step : most_iterations;
    // One iteration may do if others converged fast; but another stage may have been a linear problem by chance.
    double eta = std::max(std::pow(eta_, 0.8), 1e-3), norm_before = 0, ratio_before = 0, theta = 0;
    double* zi = z(stage);
    for (int m = 1; m <= most; ++m) {
      evaluate(stage, h);
      solver_->solve(0, d_.data());
      ++work_.solves;
      ++work_.iterations;
      iterations_ = std::max(iterations_, m);
      const double norm = newton_norm(d_.data());
      if (!std::isfinite(norm)) return {Trial::Outcome::not_finite, 0, 0.25};
      const double rate_change = is_varying() ? change_of_rate(stage, h) : 0;
      bool gives_up = false;
      double shrink = 0.5;
      if (m > 1) {
        const double ratio = norm / norm_before;
        theta = m == 2 ? ratio : std::sqrt(ratio * ratio_before);
        ratio_before = ratio;
        theta_ = std::max(theta_, theta);
        if (theta < 0.99) {
          eta = theta / (1 - theta);
          const int left = most - 1 - m;
          const double expected = eta * norm * std::pow(theta, left) / wanted;
          if (m < most && expected >= 1 && !is_fixed) {
            gives_up = true;
            shrink = 0.8 * std::pow(std::min(expected, 20.0), -1.0 / (4 + left));
          }
        } else {
          gives_up = true;
        }
      }
      // Rounding in the model may stop the iteration short of its goal, but well below the error allowed.
      const bool is_good_enough = (gives_up || m == most) && norm <= 0.05 && rate_change <= 1e-3;
      if (gives_up && !is_good_enough) {
        note_failure(rate_change <= 1e-3 ? theta : 0, norm);
        return {Trial::Outcome::diverged, 0, shrink};
      }
      norm_before = std::max(norm, eps);
      if (!gives_up)
        for (int k = 0; k < n_; ++k) zi[k] += d_[at(k)];
      if (is_good_enough || (eta * norm <= wanted && eta * rate_change <= 1e-2 && (m > 1 || eta_ < 1))) {
        eta_ = is_good_enough ? 1 : eta;
        noisy_failures_ = 0;
        set_rate(stage, is_varying() ? zi : times_mass(zi), 1 / (h * table_.gamma));
        return {};
      }
    }
    return {Trial::Outcome::diverged, 0, 0.5};
  }

  /// Iterations that stall below the tolerance, however short the step: rounding in the model is in the way.
  void note_failure(double theta, double norm) {
    if (!(theta >= 0.9 && norm < 1)) {
      noisy_failures_ = 0;
    } else if (++noisy_failures_ > 2) {
      const double in_use = 1 / (weight_[0] * (control_.absolute[0] + control_.relative * std::abs(y_[0])));
      raise_tolerance(20 * norm * in_use);
      noisy_failures_ = 0;
    }
  }

  double estimate() {
    std::fill(d_.begin(), d_.end(), 0.0);
    add(table_.e, 1 / table_.gamma, table_.stages, rate_, d_.data());
    if (is_varying()) {
      times_mass(d_.data());
      std::copy(product_.begin(), product_.end(), d_.begin());
    }
    solver_->solve(0, d_.data());
    ++work_.solves;
    return error_norm(d_.data());
  }

  /// Algebraic states have no error of their own in the estimate, whatever they do inside the step, where events are
  /// looked for: there the equations are asked where the dense output is worst. Not finite: infinity.
  double estimate_inside(double h) {
    std::copy(y_.begin(), y_.end(), Y_.begin());
    add(inside_value_, 1, table_.stages, z_, Y_.data());
    std::fill(known_.begin(), known_.end(), 0.0);
    add(inside_slope_, 1 / h, table_.stages, z_, known_.data());
    residual(t_ + inside_ * h, Y_.data(), known_.data(), d_.data());
    solver_->solve(0, d_.data());
    ++work_.solves;
    // It is of another order; in this way the controller finds the right size.
    return std::pow(algebraic_norm(d_.data()), (table_.embedded_order + 1.0) / inside_order_);
  }

  double grow(double error, bool accepted) override {
    const double safety = 0.9 * (1 + 2 * most_iterations) / (iterations_ + 2 * most_iterations);
    if (!accepted) return controller_.after_rejected(error, is_first_, safety);
    // What Newton's method refused a moment ago is not tried again at once.
    const bool stays = was_rejected_ || diverged_ > 0;
    const double factor = controller_.after_accepted(error, std::abs(tried_h_), stays, safety);
    return keeps_jacobian() && factor >= 1 && factor <= 1.2 ? 1 : factor;
  }

  bool keeps_jacobian() const { return theta_ <= (n_ > 20 || form_.matrices().is_sparse ? 1e-2 : 1e-3); }

  void accept(double h) override {
    const int last = table_.stages - 1;
    std::copy(rate(0), rate(0) + n_, start_rate_.begin());
    std::copy(rate(last), rate(last) + n_, end_rate_.begin());
    has_end_rate_ = true;
    for (int k = 0; k < n_; ++k) {
      double slope = 0;
      for (int i = first_; i <= last; ++i) slope += end_weight_[at(i)] * z(i)[k];
      past_rise_[at(k)] = z(last)[k];
      past_slope_[at(k)] = slope;
      dy_[at(k)] = slope / h;
    }
    has_past_step_ = true;
    jacobian_is_fresh_ = false;
    diverged_ = 0;
    if (!keeps_jacobian()) has_jacobian_ = false;
  }

  void write_polynomial(Step& step) override {
    const int degree = table_.degree;
    double* c = step.make_polynomial(degree);
    for (int k = 0; k < states_; ++k, c += degree + 1) {
      c[0] = start_[at(k)];
      double rise = 0;
      for (int power = degree; power >= 1; --power) {
        double sum = 0;
        for (int i = first_; i < table_.stages; ++i) sum += table_.dense[at(power - 1)][at(i)] * z(i)[k];
        c[power] = sum;
        rise += sum;
      }
      // Rounding of z goes where it does not disturb the start.
      c[degree] += (y_[at(k)] - end_shift_[at(k)] - start_[at(k)]) - rise;
      c[1] += end_shift_[at(k)];
    }
  }

  const EsdirkTable& table_;
  const int first_;  // the first implicit stage
  GustafssonController controller_;
  std::array<EsdirkTable::Row, EsdirkTable::most_stages> predictor_{};
  EsdirkTable::Row end_weight_{};
  double inside_ = 0;  // where algebraic states are checked; an error of size h^inside_order_
  int inside_order_ = 1;
  EsdirkTable::Row inside_value_{}, inside_slope_{};

  formulate::MassKind kind_ = formulate::MassKind::identity;
  std::vector<double> z_, rate_;  // of the stages; rates are M K where M is constant, else K
  std::vector<double> Y_, d_, known_, product_;
  std::vector<double> start_rate_, end_rate_;   // of the last accepted step
  std::vector<double> past_rise_, past_slope_;  // of the last step, at its end: a parabola in θ - 1
  bool has_end_rate_ = false, has_past_step_ = false;
  bool has_jacobian_ = false, jacobian_is_fresh_ = false;
  int diverged_ = 0;  // trials of this step
  double tried_h_ = 0, factored_h_ = 0;
  double eta_ = 1, theta_ = 0;  // of Newton's method
  int iterations_ = 1, noisy_failures_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_esdirk(const EsdirkTable& table, formulate::ImplicitForm& form,
                                     const StepControl& control) {
  return std::make_unique<Esdirk>(table, form, control);
}

}  // namespace pawl
