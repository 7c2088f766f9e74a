#include "integrate/rosenbrock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "integrate/gustafsson.hpp"
#include "integrate/implicit_stepper.hpp"

namespace pawl {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class Rosenbrock final : public ImplicitStepper {
 public:
  Rosenbrock(const RosenbrockTable& table, formulate::ImplicitForm& form, const StepControl& control)
      : ImplicitStepper(form, control), table_(table), controller_(table.embedded_order) {
    if (form.mass_kind() == formulate::MassKind::varying) {
      throw Misuse(
          fmt::format("method '{}' needs M y' = f(t, y) with a constant mass matrix M; this system has a mass "
                      "matrix that varies, or is given as F(t, y, y') = 0.\n  try: method 'radau'",
                      table.name));
    }
  }

  int order() const override { return table_.order; }
  int dense_order() const override { return table_.dense_order; }
  double dense_weight() const override {
    double largest = 0;
    for (int power = 1; power <= table_.dense_rows + 1; ++power) {
      double sum = 0;
      for (int j = 0; j < table_.stages; ++j)
        sum += std::abs(table_.dense_weight(power, j) - table_.dense_weight(power - 1, j));
      largest = std::max(largest, sum);
    }
    return largest;
  }

  void carry(Memory& memory) override {
    ImplicitStepper::carry(memory);
    memory(controller_, u_, Y_, sum_, product_, rate_, slope_, rise_, is_identity_, is_linearized_, has_rate_,
           has_warned_, tried_h_, factored_h_);
  }

 private:
  double shift() const override { return 1 / (tried_h_ * table_.gamma); }
  void take_matrices() override {
    is_linearized_ = false;
    factored_h_ = 0;
  }
  void distrust() override {}
  void make_solver() override { solver_ = form_.make_solver(1, 0); }
  void resize() override {
    u_.assign(at(n_ * table_.stages), 0.0);
    for (auto* vector : {&Y_, &sum_, &product_, &rate_, &slope_, &rise_}) vector->assign(at(n_), 0.0);
    make_solver();
  }

  void forget() override {
    is_linearized_ = has_rate_ = false;
    factored_h_ = 0;
    controller_.restart();
    check_mass();
    is_identity_ = form_.mass_kind() == formulate::MassKind::identity;
    if (is_identity_) {
      rate_ = dy_;
      has_rate_ = true;
    }
    const bool can_begin = std::all_of(dy_.begin(), dy_.end(), [](double rate) { return std::isfinite(rate); });
    if (!has_warned_ && can_begin && !form_.has_exact_jacobian()) {
      has_warned_ = true;
      notes_.push_back(make_message(MessageCode::inexact_jacobian, t_,
                                    {{"method", std::string(table_.name)}, {"kind", form_.jacobian_kind()}}));
    }
  }

  /// Another mode, or another place, may show what the first did not.
  void check_mass() const {
    if (form_.mass_kind() != formulate::MassKind::varying) return;
    throw Misuse(fmt::format("method '{}' needs a constant mass matrix, and it varies here: use 'radau'", table_.name));
  }

  // J and f_t belong to the start of the step: a rejected or retaken step has them already.
  Trial attempt(double h) override {
    if (!is_linearized_) linearize_here();
    return solve(h);
  }
  Trial retake(double h) override {
    if (is_linearized_) {  // at the end of that step, where something was tried since
      has_rate_ = false;
      linearize_here();
    }
    const Trial trial = solve(h);
    is_linearized_ = has_rate_ = false;
    return trial;
  }

  void linearize_here() {
    if (!has_rate_ && has_start_residual_)
      rate_ = start_residual_;
    else if (!has_rate_)
      residual(t_, y_.data(), nullptr, rate_.data());
    linearize(t_, y_.data(), nullptr);
    check_mass();
    const long long duals = form_.dual_evaluations, differences = form_.difference_evaluations;
    form_.time_slope(t_, y_.data(), nullptr, slope_.data());
    work_.dual_rhs += form_.dual_evaluations - duals;
    work_.rhs += form_.difference_evaluations - differences;
    is_linearized_ = has_rate_ = true;
    factored_h_ = 0;
  }

  Trial solve(double h) {
    tried_h_ = h;
    if (h != factored_h_) {
      ++work_.factorizations;
      factored_h_ = h;
      if (!solver_->factor(0, 1 / (h * table_.gamma))) {
        factored_h_ = 0;
        return {Trial::Outcome::singular, 0, 0.5};
      }
    }
    const int stages = table_.stages;
    for (int i = 0; i < stages; ++i) {
      double* u = u_.data() + i * n_;
      if (i == 0) {
        std::copy(rate_.begin(), rate_.end(), u);
      } else {
        Y_ = y_;
        add(table_.a[at(i)], i, Y_);
        residual(t_ + table_.c[at(i)] * h, Y_.data(), nullptr, u);
        std::fill(sum_.begin(), sum_.end(), 0.0);
        add(table_.C[at(i)], i, sum_);
        const double* product = sum_.data();
        if (!is_identity_) {
          form_.times_mass(sum_.data(), product_.data());
          product = product_.data();
        }
        for (int k = 0; k < n_; ++k) u[k] += product[k] / h;
      }
      if (table_.d[at(i)] != 0) {
        const double weight = h * table_.d[at(i)];
        for (int k = 0; k < n_; ++k) u[k] += weight * slope_[at(k)];
      }
      solver_->solve(0, u);
      ++work_.solves;
    }
    const double* last = u_.data() + (stages - 1) * n_;
    for (int k = 0; k < n_; ++k) end_[at(k)] = Y_[at(k)] + last[k];
    Trial trial;
    trial.error = error_norm(last);
    if (trial.error <= 1 && checks_inside_ && control_.fixed_step == 0)
      trial.error = std::max(trial.error, estimate_inside(h));
    return trial;
  }

  /// Algebraic states have no error of their own in the estimate, whatever they do inside the step, where events are
  /// looked for: there the equations are asked where the dense output is worst. Not finite: infinity.
  double estimate_inside(double h) {
    for (int k = 0; k < n_; ++k) {
      const double rise = end_[at(k)] - y_[at(k)];
      Y_[at(k)] = y_[at(k)] + table_.inside.theta * rise;
      sum_[at(k)] = rise;
    }
    add(table_.inside.value, table_.stages, Y_);
    add(table_.inside.slope, table_.stages, sum_);
    for (double& slope : sum_) slope /= h;
    residual(t_ + table_.inside.theta * h, Y_.data(), sum_.data(), product_.data());
    solver_->solve(0, product_.data());
    ++work_.solves;
    // It is of another order; in this way the controller finds the right size.
    return std::pow(algebraic_norm(product_.data()), (table_.embedded_order + 1.0) / table_.inside.order);
  }

  /// sum += Σ_j row_j u_j over the first `count` stages.
  void add(const RosenbrockTable::Row& row, int count, std::vector<double>& sum) const {
    for (int j = 0; j < count; ++j) {
      const double weight = row[at(j)];
      if (weight == 0) continue;
      const double* u = u_.data() + j * n_;
      for (int k = 0; k < n_; ++k) sum[at(k)] += weight * u[k];
    }
  }

  double grow(double error, bool accepted) override {
    return accepted ? controller_.after_accepted(error, std::abs(tried_h_), was_rejected_)
                    : controller_.after_rejected(error, is_first_);
  }

  void accept(double /*h*/) override {
    for (int k = 0; k < n_; ++k) rise_[at(k)] = end_[at(k)] - start_[at(k)];
    is_linearized_ = has_rate_ = false;
  }

  void write_polynomial(Step& step) override {
    const int degree = table_.dense_rows + 1;
    double* c = step.make_polynomial(degree);
    for (int k = 0; k < states_; ++k, c += degree + 1) {
      c[0] = start_[at(k)];
      double before = -rise_[at(k)];
      for (int power = 1; power <= degree; ++power) {  // θ rise + Σ p_m (θ^m - θ^(m+1))
        double p = 0;
        for (int j = 0; j < table_.stages; ++j) p += table_.dense_weight(power, j) * u_[at(j * n_ + k)];
        c[power] = p - before;
        before = p;
      }
      if (is_identity_) take_start_rate(k, degree, c);
    }
  }

  // The formulas do not take the rate at the start. Where they miss it by less than the tolerance, θ (1 - θ)^(degree -
  // 1) makes up for it: a guard that departs from zero without a slope must not seem to turn back.
  void take_start_rate(int k, int degree, double* c) const {
    const double excess = c[1] - last_h_ * rate_[at(k)];
    if (!(std::abs(excess) * weight_[at(k)] <= 1)) return;  // stiff, and off its slow course
    double term = -excess;
    for (int power = 1; power <= degree; ++power) {
      c[power] += term;
      term *= -static_cast<double>(degree - power) / power;
    }
  }

  const RosenbrockTable& table_;
  GustafssonController controller_;
  std::vector<double> u_, Y_, sum_, product_, rate_, slope_;
  std::vector<double> rise_;  // from the start of the last accepted step to its corrected end
  bool is_identity_ = true, is_linearized_ = false, has_rate_ = false, has_warned_ = false;
  double tried_h_ = 0, factored_h_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_rosenbrock(const RosenbrockTable& table, formulate::ImplicitForm& form,
                                         const StepControl& control) {
  return std::make_unique<Rosenbrock>(table, form, control);
}

}  // namespace pawl
