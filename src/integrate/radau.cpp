// One step with s stages solves, for Z_i = Y_i - y0 with increments dZ = T dW,
//
//   0 = r(t0 + c_i h, y0 + Z_i, (A^-1 Z)_i / h),
//   (γ/h M - J) dW_0 = (T^-1 r)_0,   ((α - i β)/h M - J)(dW_a + i dW_b) = (T^-1 r)_a + i (T^-1 r)_b,
//
// by a simplified Newton iteration: one real and (s - 1)/2 complex matrices, kept while they serve. The error is the
// filtered defect of the collocation polynomial at the start, e = (γ/h M - J)^-1 r(t0, y0, P'(0)), of order s.
//
// Iteration, starting values and step-size rules follow RADAU5 (Hairer and Wanner, Solving ODE II, IV.8), with the
// predictive controller of Gustafsson (ACM TOMS 20 (1994) 496). The choice of the order is our own: orders 9 and 13 are
// limited by Newton's radius of convergence at loose tolerances, so a running share of failed trial steps decides.
#include "integrate/radau.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "integrate/implicit_stepper.hpp"
#include "integrate/radau_table.hpp"

namespace pawl {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_stages = 7, most_iterations_at_fixed_step = 50;
// Unknowns, for the error of those of higher index: in large systems what Newton's method leaves of multipliers that
// are zero would decide.
constexpr int largest_derived = 100;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Two unknowns at once: products with the tables are the same for all, and most of what an iteration of a small system
/// does.
using Pair [[gnu::vector_size(16)]] = double;
template <class Numbers>
Numbers read(const double* from) {
  Numbers numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  return numbers;
}
template <class Numbers>
void write(const Numbers& numbers, double* to) {
  std::memcpy(to, &numbers, sizeof numbers);
}

/// What every iteration multiplies by, each number twice, beside itself: as two unknowns at once want it.
template <int s>
struct Doubled {
  using Matrix = std::array<std::array<Pair, s>, s>;
  Matrix A, T, inverse_T;
};
template <int s>
const Doubled<s>& doubled() {
  static const Doubled<s> all = [] {
    const RadauTable<s>& table = radau_table<s>();
    Doubled<s> twice;
    for (std::size_t i = 0; i < s; ++i) {
      for (std::size_t k = 0; k < s; ++k) {
        twice.A[i][k] = Pair{table.A[i][k], table.A[i][k]};
        twice.T[i][k] = Pair{table.T[i][k], table.T[i][k]};
        twice.inverse_T[i][k] = Pair{table.inverse_T[i][k], table.inverse_T[i][k]};
      }
    }
    return twice;
  }();
  return all;
}
/// The matrix of a table for so many unknowns.
template <class Numbers, class Single, class Twice>
const auto& for_numbers(const Single& single, const Twice& twice) {
  if constexpr (std::is_same_v<Numbers, Pair>)
    return twice;
  else
    return single;
}

/// What is left after an iteration, as part of its increment, where that was known a step ago.
double slower(double eta) {
  return std::pow(std::max(eta, eps), 0.8);
}

/// x to a power of 0 or more.
double whole_power(double x, int power) {
  double y = 1;
  for (; power > 0; power /= 2, x *= x)
    if (power % 2 == 1) y *= x;
  return y;
}

/// The same of unknowns of higher index. Their first increment is mostly what the continued polynomial has missed, of
/// which one iteration leaves next to nothing; what increments after it are multiplied by is another number.
struct DerivedEta {
  double first = 1, later = 1;
};

class Radau final : public ImplicitStepper {
 public:
  Radau(int stages, formulate::ImplicitForm& form, const StepControl& control)
      : ImplicitStepper(form, control), chooses_(stages == 0), stages_(stages) {
    if (chooses_) stages_ = usual_stages();
  }

  int order() const override { return 2 * stages_ - 1; }
  bool corrects_ends() const override { return true; }  // superconvergent there: an event is better at an end
  int dense_order() const override { return last_stages_ == 0 ? stages_ : last_stages_; }
  std::vector<std::pair<std::string, long long>> steps_by_method() const override {
    std::vector<std::pair<std::string, long long>> shares;
    for (const int s : {3, 5, 7})
      if (taken_[at(s)] > 0) shares.emplace_back(fmt::format("radau order {}", 2 * s - 1), taken_[at(s)]);
    return shares;
  }

  void carry(Memory& memory) override {
    ImplicitStepper::carry(memory);
    memory(stages_, last_stages_, tried_stages_, wanted_stages_, Z_, R_, K_, q_, Y_, e_, slope_, is_identity_,
           is_retaken_, has_jacobian_, jacobian_is_fresh_, has_factors_, diverged_, is_dear_, factored_h_,
           factored_stages_, eta_, derived_eta_.first, derived_eta_.later, theta_, iterations_, noisy_failures_,
           error_accepted_, size_accepted_, derived_refused_, derived_size_, failing_, dwell_, since_change_, smooth_,
           taken_);
  }

 private:
  void make_solver() override { solver_ = form_.make_solver(1, (most_stages - 1) / 2); }
  double shift() const override {
    return (tried_stages_ == 3   ? table<3>().gamma
            : tried_stages_ == 5 ? table<5>().gamma
                                 : table<7>().gamma) /
           factored_h_;
  }
  void take_matrices() override {
    has_jacobian_ = true;
    has_factors_ = false;
  }
  void distrust() override {
    has_jacobian_ = has_factors_ = false;
    ++diverged_;
    eta_ = 1;
    derived_eta_ = {};
  }
  void resize() override {
    const std::size_t size = at(n_ * most_stages);
    for (auto* vector : {&Z_, &R_, &K_, &q_}) vector->assign(size, 0.0);
    Y_.assign(at(n_), 0.0);
    e_.assign(at(n_), 0.0);
    slope_.assign(at(n_), 0.0);
    make_solver();
    last_stages_ = 0;
    is_dear_ = n_ > 20 || form_.matrices().is_sparse;
    is_identity_ = form_.mass_kind() == formulate::MassKind::identity;
  }

  void forget() override {
    has_jacobian_ = has_factors_ = false;
    diverged_ = 0;
    jacobian_is_fresh_ = false;
    last_stages_ = 0;
    eta_ = 1;
    derived_eta_ = {};
    error_accepted_ = 1e-2;
    size_accepted_ = 0;
    noisy_failures_ = 0;
    derived_refused_ = 0;
    has_start_residual_ = is_identity_;
    if (has_start_residual_) start_residual_ = dy_;
  }

  Trial attempt(double h) override { return dispatch(h, false); }
  Trial retake(double h) override { return dispatch(h, true); }

  Trial dispatch(double h, bool retakes) {
    is_retaken_ = retakes;
    Trial trial = stages_ == 3 ? solve<3>(h, retakes) : stages_ == 5 ? solve<5>(h, retakes) : solve<7>(h, retakes);
    if (!retakes && chooses_) weigh(trial.outcome != Trial::Outcome::solved || trial.error > 1);
    return trial;
  }

  template <int s>
  Trial solve(double h, bool retakes) {
    Trial trial = solve_stages<s>(h, retakes);
    // An old Jacobian may be to blame. A fixed step has no other way out; others get shorter as well.
    if (trial.outcome != Trial::Outcome::solved && !jacobian_is_fresh_) {
      has_jacobian_ = false;
      if (control_.fixed_step > 0 || retakes) trial = solve_stages<s>(h, retakes);
    }
    if (trial.outcome != Trial::Outcome::solved) return trial;
    for (int i = 0; i < n_; ++i) end_[at(i)] = y_[at(i)] + z(s - 1)[i];
    trial.error = estimate<s>(table<s>(), h);
    tried_stages_ = s;
    return trial;
  }

  template <int s>
  Trial solve_stages(double h, bool retakes) {
    if (!has_jacobian_) take_jacobian();
    if (!has_factors_ || h != factored_h_ || factored_stages_ != s) {
      if (!factor<s>(h)) {
        has_factors_ = false;
        return {Trial::Outcome::singular, 0, 0.5};
      }
    }
    predict<s>(h, retakes);
    const Trial newton = iterate<s>(h);
    if (newton.outcome != Trial::Outcome::solved) {
      has_factors_ = false;
      ++diverged_;
      eta_ = 1;
      derived_eta_ = {};
    }
    return newton;
  }

  void take_jacobian() {
    linearize(t_, y_.data(), dy_.data());
    has_jacobian_ = jacobian_is_fresh_ = true;
    has_factors_ = false;
  }

  template <int s>
  bool factor(double h) {
    const RadauTable<s>& table = this->table<s>();
    ++work_.factorizations;
    if (!solver_->factor(0, table.gamma / h)) return false;
    for (int p = 0; p < table.pairs; ++p) {
      ++work_.factorizations;
      if (!solver_->factor(p, std::complex<double>(table.alpha[at(p)], -table.beta[at(p)]) / h)) return false;
    }
    has_factors_ = true;
    factored_h_ = h;
    factored_stages_ = s;
    return true;
  }

  template <int s>
  const RadauTable<s>& table() const {
    auto& known = std::get<const RadauTable<s>*>(tables_);
    if (known == nullptr) known = &radau_table<s>();
    return *known;
  }
  /// f<Pair>(j) for two unknowns from j on, f<double>(j) for a last one.
  template <class F>
  void each_unknown(const F& f) const {
    int j = 0;
    for (; j + 1 < n_; j += 2) f.template operator()<Pair>(j);
    if (j < n_) f.template operator()<double>(j);
  }

  double* z(int stage) { return Z_.data() + stage * n_; }
  double* q(int power) { return q_.data() + (power - 1) * n_; }  // of the last accepted step, power 1 ... last_stages_

  /// Z from the polynomial of the last step, continued; or, for a step that is taken again, read where it was.
  template <int s>
  void predict(double h, bool retakes) {
    const RadauTable<s>& table = this->table<s>();
    if (last_stages_ == 0) {
      std::fill_n(Z_.begin(), s * n_, 0.0);
      return;
    }
    const double ratio = h / last_h_, origin = retakes ? 0 : 1;
    double weight[s][most_stages];
    for (int i = 0; i < s; ++i) {
      const double x = origin + table.c[at(i)] * ratio;
      double power = 1;
      for (int k = 0; k < last_stages_; ++k) {
        power *= x;
        weight[i][k] = power - origin;
      }
    }
    each_unknown([&]<class Numbers>(int j) {
      for (int i = 0; i < s; ++i) {
        Numbers sum{};
        for (int k = 0; k < last_stages_; ++k) sum += weight[i][k] * read<Numbers>(&q_[at(k * n_ + j)]);
        write(sum, &Z_[at(i * n_ + j)]);
      }
    });
    if (diverged_ < 2 || !has_algebraic_states_) return;
    // Continued, what Newton's method has left of algebraic unknowns may lead out of its reach, however short the step.
    for (int j = 0; j < n_; ++j)
      if (!form_.roles()[at(j)].is_differential)
        for (int i = 0; i < s; ++i) Z_[at(i * n_ + j)] = 0;
  }

  /// R = T^-1 r at the present Z. False: not finite.
  template <int s>
  bool evaluate(double h) {
    const RadauTable<s>& table = this->table<s>();
    for (int i = 0; i < s; ++i) {
      const double* zi = z(i);
      for (int j = 0; j < n_; ++j) Y_[at(j)] = y_[at(j)] + zi[j];
      if (!is_identity_) {
        double* ki = K_.data() + i * n_;
        for (int j = 0; j < n_; ++j) {
          double sum = 0;
          for (int k = 0; k < s; ++k) sum += table.inverse_A[at(i)][at(k)] * Z_[at(k * n_ + j)];
          ki[j] = sum / h;
        }
        residual(t_ + table.c[at(i)] * h, Y_.data(), ki, R_.data() + i * n_);
      } else {
        residual(t_ + table.c[at(i)] * h, Y_.data(), nullptr, R_.data() + i * n_);
      }
    }
    const double by_h = 1 / h;
    const Doubled<s>& twice = doubled<s>();
    each_unknown([&]<class Numbers>(int j) {
      const auto& A = for_numbers<Numbers>(table.A, twice.A);
      const auto& inverse_T = for_numbers<Numbers>(table.inverse_T, twice.inverse_T);
      Numbers rj[s], wj[s];
      for (int i = 0; i < s; ++i) rj[i] = read<Numbers>(&R_[at(i * n_ + j)]);
      if (is_identity_) {  // r = A^-1 (A f - Z / h): the difference is taken where nothing has been multiplied yet
        for (int i = 0; i < s; ++i) {
          Numbers sum = -by_h * read<Numbers>(&Z_[at(i * n_ + j)]);
          for (int k = 0; k < s; ++k) sum += A[at(i)][at(k)] * rj[k];
          wj[i] = sum;
        }
        std::copy(wj, wj + s, rj);
      }
      for (int i = 0; i < s; ++i) {
        Numbers sum{};
        for (int k = 0; k < s; ++k) sum += inverse_T[at(i)][at(k)] * rj[k];
        wj[i] = sum;
      }
      if (is_identity_) {  // T^-1 A^-1 = Λ T^-1
        wj[0] *= table.gamma;
        for (int p = 0; p < table.pairs; ++p) {
          const Numbers a = wj[1 + 2 * p], b = wj[2 + 2 * p];
          wj[1 + 2 * p] = table.alpha[at(p)] * a + table.beta[at(p)] * b;
          wj[2 + 2 * p] = table.alpha[at(p)] * b - table.beta[at(p)] * a;
        }
      }
      for (int i = 0; i < s; ++i) write(wj[i], &R_[at(i * n_ + j)]);
    });
    double check = 0;
    for (int k = 0; k < s * n_; ++k) check += R_[at(k)];
    return std::isfinite(check);
  }

  template <int s>
  void solve_for_increment() {
    solver_->solve(0, R_.data());
    for (int p = 0; p < RadauTable<s>::pairs; ++p)
      solver_->solve(p, R_.data() + (1 + 2 * p) * n_, R_.data() + (2 + 2 * p) * n_);
    work_.solves += 1 + RadauTable<s>::pairs;
  }

  template <int s>
  double increment_norm() const {
    double sum = 0;
    for (int i = 0; i < s; ++i) {
      const double* d = R_.data() + i * n_;
      for (int j = 0; j < n_; ++j) {
        const double part = d[j] * newton_weight_[at(j)];
        sum += part * part;
      }
    }
    return std::sqrt(sum / (s * n_));
  }

  /// Whether the error of unknowns of higher index decides about steps.
  bool controls_derived() const { return highest_index_ >= 2 && n_ <= largest_derived && control_.fixed_step == 0; }
  /// What Newton's method may leave of such unknowns, in units of their tolerance. An end that misses a
  /// constraint by ε moves them by p'(x) ε / h in the next step, where p is the polynomial that is 0 at the start and 1
  /// at all nodes: s at its end and s^2 = Σ 1 / c_i as its error is estimated, and the shorter that step, the more. In
  /// Newton's norm, where they count h^(index - 1) times, this is not seen.
  template <int s>
  static constexpr double derived_tolerance() {
    return 0.1 / (s * s);
  }
  template <int s>
  double derived_increment_norm() const {
    double sum = 0;
    int count = 0;
    for (int j = 0; j < states_; ++j) {
      if (!is_derived(j)) continue;
      ++count;
      for (int i = 0; i < s; ++i) {
        const double part = R_[at(i * n_ + j)] * weight_[at(j)];
        sum += part * part;
      }
    }
    return count > 0 ? std::sqrt(sum / (s * count)) : 0;
  }

  template <int s>
  void update() {
    const RadauTable<s>& table = this->table<s>();
    const Doubled<s>& twice = doubled<s>();
    each_unknown([&]<class Numbers>(int j) {
      const auto& T = for_numbers<Numbers>(table.T, twice.T);
      Numbers wj[s];
      for (int i = 0; i < s; ++i) wj[i] = read<Numbers>(&R_[at(i * n_ + j)]);
      for (int i = 0; i < s; ++i) {
        Numbers sum{};
        for (int k = 0; k < s; ++k) sum += T[at(i)][at(k)] * wj[k];
        write(read<Numbers>(&Z_[at(i * n_ + j)]) + sum, &Z_[at(i * n_ + j)]);
      }
    });
  }

  /// Whether the increments are at the rounding of what they are added to; with index 2 and 3 tiny steps never get
  /// below.
  template <int s>
  bool is_at_rounding() const {
    for (int j = 0; j < n_; ++j) {
      const double factor = newton_weight_[at(j)] / weight_[at(j)],
                   allowed = 1000 * eps * std::max(unit(j), factor * std::abs(y_[at(j)]));
      for (int i = 0; i < s; ++i)
        if (factor * std::abs(R_[at(i * n_ + j)]) > allowed) return false;
    }
    return true;
  }

  /// The size below which a state is small: one, unless its tolerances say that it is much less.
  double unit(int j) const {
    if (j >= states_ || control_.relative == 0) return 1;
    return std::min(1.0, 1e3 * control_.absolute[at(j)] / control_.relative);
  }

  double relative_tolerance() const { return control_.relative > 0 ? control_.relative : control_.absolute[0]; }

  double newton_tolerance() const {
    const double relative = relative_tolerance();
    const double root = std::sqrt(relative) * (highest_index_ >= 3 ? 0.1 : 1);
    return std::max(10 * eps / relative, std::min(0.03, root));
  }

  template <int s>
  Trial iterate(double h) {
    const bool is_fixed = control_.fixed_step > 0;  // then patience is all there is
    const int most = is_fixed ? most_iterations_at_fixed_step : 7 + (s - 3);
    const double wanted = newton_tolerance();
    // One iteration may do if others converged fast; but the last step may have been a linear problem by chance.
    double eta = slower(eta_), norm = 0, norm_before = 0, ratio_before = 0;
    double first = 0, least = std::numeric_limits<double>::infinity();  // increments of this step
    double derived_eta = slower(derived_eta_.first);
    double derived = 0;          // increment of unknowns of higher index
    bool has_converged = false;  // but for them
    theta_ = 0;
    for (int m = 1; m <= most; ++m) {
      if (!evaluate<s>(h)) return {Trial::Outcome::not_finite, 0, 0.25};
      solve_for_increment<s>();
      ++work_.iterations;
      norm = increment_norm<s>();
      if (!std::isfinite(norm)) return {Trial::Outcome::not_finite, 0, 0.25};
      iterations_ = m;
      if (m == 1) {
        first = norm;
        if (norm > 1e3) eta = std::max(eta, 1e-3);
      }
      least = std::min(least, norm);
      bool gives_up = false;
      double shrink = 0.5;
      if (m > 1) {
        const double ratio = norm / norm_before;
        theta_ = m == 2 ? ratio : std::sqrt(ratio * ratio_before);
        ratio_before = ratio;
        if (theta_ < 0.99) {
          eta = theta_ / (1 - theta_);
          const double expected = eta * norm * whole_power(theta_, most - 1 - m) / wanted;
          if (m < most && expected >= 1 && !is_fixed) {
            gives_up = true;
            shrink = 0.8 * std::pow(std::clamp(expected, 1e-4, 20.0), -1.0 / (4 + most - 1 - m));
          }
        } else {
          gives_up = true;
        }
      }
      // Rounding in the model may stop the iteration short of its goal, but well below the error allowed.
      const bool is_good_enough = (highest_index_ < 3 || is_fixed) && (gives_up || m == most) && m > 1 &&
                                  norm <= (is_fixed ? 1 : 0.05);  // of index 3 it may also be slow convergence
      const bool is_rounding = highest_index_ >= 2 && is_at_rounding<s>();
      if (gives_up && !is_good_enough && !is_rounding && !has_converged) {
        // Increments that fell fast and then stay where they are: that is rounding, and shorter steps do not help. A
        // shorter one may begin there. The noise of a model is at most a million roundings.
        const double of_state = least * tolerance_in_use() * relative_tolerance();
        const bool is_noisy = (least <= 0.1 * first || noisy_failures_ > 0) && of_state <= 1e6 * eps;
        noisy_failures_ = is_noisy ? noisy_failures_ + 1 : 0;
        if (noisy_failures_ > 2) {
          raise_tolerance(20 * least * tolerance_in_use());
          noisy_failures_ = 0;
        }
        return {Trial::Outcome::diverged, 0, shrink};
      }
      norm_before = std::max(norm, eps);
      if (!gives_up) update<s>();
      const bool had_converged = std::exchange(has_converged, has_converged || eta * norm <= wanted);
      const double derived_before = std::exchange(derived, controls_derived() ? derived_increment_norm<s>() : 0);
      if (m > 1) {
        const double measured = derived < 0.5 * derived_before ? derived / (derived_before - derived) : 1;
        double& kept = m == 2 ? derived_eta_.first : derived_eta_.later;
        derived_eta = m == 2 ? std::max(measured, slower(derived_eta_.later)) : measured;
        kept = measured;
      }
      const bool stagnates = had_converged && derived > 0.5 * derived_before;
      const bool is_settled = derived_eta * derived <= derived_tolerance<s>() || stagnates || gives_up || m == most;
      if (is_good_enough || is_rounding || (has_converged && is_settled)) {
        eta_ = is_good_enough ? 1 : eta;
        if (m == 1) derived_eta_.first = derived_eta;
        if (m == 2) derived_eta_.later = slower(derived_eta_.later);
        noisy_failures_ = 0;
        return {};
      }
    }
    return {Trial::Outcome::diverged, 0, 0.5};
  }

  double tolerance_in_use() const {
    return 1 / (weight_[0] * (control_.absolute[0] + control_.relative * std::abs(y_[0])));
  }

  /// P'(0) h = q_1 of the trial.
  template <int s>
  double estimate(const RadauTable<s>& table, double h) {
    for (int j = 0; j < n_; ++j) {
      double sum = 0;
      for (int k = 0; k < s; ++k) sum += table.inverse_U[0][at(k)] * Z_[at(k * n_ + j)];
      slope_[at(j)] = sum / h;
    }
    if (is_identity_) {
      if (!has_start_residual_) {
        residual(t_, y_.data(), nullptr, start_residual_.data());
        has_start_residual_ = true;
      }
      for (int j = 0; j < n_; ++j) e_[at(j)] = start_residual_[at(j)] - slope_[at(j)];
    } else if (has_start_residual_ && form_.mass_kind() == formulate::MassKind::constant) {
      form_.times_mass(slope_.data(), e_.data());
      for (int j = 0; j < n_; ++j) e_[at(j)] = start_residual_[at(j)] - e_[at(j)];
    } else {
      residual(t_, y_.data(), slope_.data(), e_.data());
    }
    solver_->solve(0, e_.data());
    ++work_.solves;
    double error = error_norm(e_.data());
    if (error >= 1 && (is_first_ || was_rejected_)) {  // filtered once more, for stiff components off their slow course
      for (int j = 0; j < n_; ++j) Y_[at(j)] = y_[at(j)] + e_[at(j)];
      residual(t_, Y_.data(), is_identity_ ? nullptr : slope_.data(), e_.data());
      if (is_identity_)
        for (int j = 0; j < n_; ++j) e_[at(j)] -= slope_[at(j)];
      solver_->solve(0, e_.data());
      ++work_.solves;
      const double again = error_norm(e_.data());
      if (std::isfinite(again)) error = again;
    }
    if (error <= 1 && checks_inside_ && control_.fixed_step == 0) error = std::max(error, estimate_inside<s>(h));
    if (error <= 1 && controls_derived()) error = std::max(error, estimate_derived<s>(h));
    return std::max(error, 1e-10);
  }

  /// Unknowns of index 2 and 3 are derivatives of others, known to order s or less, whatever the defect says. How far
  /// the polynomial of their stages alone, of degree s - 1, misses the start has that order: |q_s| Π c_i. For x = f(t),
  /// y = x', with K = h^s f^(s+1) / (s+1)!, the end is off by -s Π c_i K, and q_s = K (1 + s ρ^s) where the step
  /// before, whose end was off likewise, was ρ times as long. What Newton's method, in whose norm they count less, has
  /// left of them is removed first. What rounding explains does not count, nor what a shorter step does not lower:
  /// there is a jump.
  template <int s>
  double estimate_derived(double h) {
    double error = derived_norm<s>(h, false);
    if (error > 1) {
      if (!evaluate<s>(h)) return std::numeric_limits<double>::infinity();
      solve_for_increment<s>();
      ++work_.iterations;
      update<s>();
      for (int i = 0; i < n_; ++i) end_[at(i)] = y_[at(i)] + z(s - 1)[i];
      find_rounding();
      error = derived_norm<s>(h, true);
    }
    const bool helps = !was_rejected_ || !(derived_refused_ > 1) ||
                       error <= derived_refused_ * std::pow(std::abs(h / derived_size_), s / 4.0);
    derived_refused_ = error;
    derived_size_ = h;
    return helps ? error : 0;
  }
  template <int s>
  double derived_norm(double h, bool knows_rounding) const {
    const RadauTable<s>& table = this->table<s>();
    const double before = last_stages_ == 0 ? 0 : std::min(std::abs(last_h_ / h), 1.0);
    double product = (s + 1) / (1 + s * std::pow(before, s)), gain = 0, sum = 0;
    for (const double c : table.c) product *= c;
    for (const double one : table.inverse_U[at(s - 1)]) gain += std::abs(one);
    int count = 0;
    for (int j = 0; j < states_; ++j) {
      if (!is_derived(j)) continue;
      ++count;
      double highest = 0;
      for (int i = 0; i < s; ++i) highest += table.inverse_U[at(s - 1)][at(i)] * Z_[at(i * n_ + j)];
      // What follows from the time by a derivative has its rounding over the step, too.
      const double of_time = eps * std::abs(t_ / h) * std::max(std::abs(y_[at(j)]), unit(j));
      if (knows_rounding && std::abs(highest) <= 4 * gain * (std::abs(e_[at(j)]) + of_time)) continue;
      const double part = product * highest * weight_[at(j)];
      sum += part * part;
    }
    return count > 0 ? std::sqrt(sum / count) : 0;
  }
  /// Into e_: what the rounding of the terms of all rows does to the unknowns.
  void find_rounding() {
    const MatrixPair& matrices = form_.matrices();
    std::fill(e_.begin(), e_.end(), 0.0);
    for (int j = 0; j < n_; ++j) {
      const auto add = [&](std::size_t place, int i) {
        const double rate = matrices.M.empty() ? 0 : matrices.M[place] * slope_[at(j)];
        e_[at(i)] += eps * (std::abs(matrices.J[place]) * std::max(std::abs(y_[at(j)]), unit(j)) + std::abs(rate));
      };
      if (matrices.is_sparse)
        for (int k = matrices.first[at(j)]; k < matrices.first[at(j) + 1]; ++k) add(at(k), matrices.row[at(k)]);
      else
        for (int i = 0; i < n_; ++i) add(at(j * n_ + i), i);
    }
    solver_->solve(0, e_.data());
    ++work_.solves;
  }
  bool is_derived(int j) const {
    const formulate::Role& role = form_.roles()[at(j)];
    return role.index >= 2 && (!role.is_differential || n_ == states_);
  }

  /// Algebraic states have no defect at the start, whatever they do inside the step, where events are looked for: there
  /// the equations are asked between two nodes. Not finite: infinity.
  template <int s>
  double estimate_inside(double h) {
    const RadauTable<s>& table = this->table<s>();
    const double theta = (table.c[at(s / 2 - 1)] + table.c[at(s / 2)]) / 2;
    double value[s] = {}, rate[s] = {};  // weights of the stages in P and P' h there
    double power = 1;
    for (int k = 0; k < s; ++k) {
      for (int i = 0; i < s; ++i) {
        rate[i] += (k + 1) * power * table.inverse_U[at(k)][at(i)];
        value[i] += theta * power * table.inverse_U[at(k)][at(i)];
      }
      power *= theta;
    }
    for (int j = 0; j < n_; ++j) {
      double moved = 0, slope = 0;
      for (int i = 0; i < s; ++i) {
        moved += value[i] * Z_[at(i * n_ + j)];
        slope += rate[i] * Z_[at(i * n_ + j)];
      }
      Y_[at(j)] = y_[at(j)] + moved;
      slope_[at(j)] = slope / h;
    }
    residual(t_ + theta * h, Y_.data(), slope_.data(), e_.data());
    solver_->solve(0, e_.data());
    ++work_.solves;
    return algebraic_norm(e_.data());
  }

  double grow(double error, bool accepted) override {
    const int s = stages_, most = 7 + (s - 3);
    const double power = 1.0 / (s + 1);
    const double safety = std::min(0.9, 0.9 * (1 + 2 * most) / (iterations_ + 2 * most));
    double quotient = std::clamp(std::pow(error, power) / safety, 1.0 / 8, 5.0);
    if (!accepted) {
      if (is_first_) return std::max(0.1, 1 / quotient);
      return 1 / std::max(quotient, 1 / 0.9);
    }
    const double h = std::abs(factored_h_);
    if (size_accepted_ > 0) {
      const double trend = size_accepted_ / h * std::pow(error * error / error_accepted_, power) / 0.9;
      quotient = std::max(quotient, std::clamp(trend, 1.0 / 8, 5.0));
    }
    size_accepted_ = h;
    error_accepted_ = std::max(error, 1e-2);
    if (was_rejected_) quotient = std::max(quotient, 1.0);
    const double factor = 1 / quotient;
    return keeps_jacobian() && factor >= 1 && factor <= (is_dear_ ? 2.0 : 1.2) ? 1 : factor;
  }

  bool keeps_jacobian() const { return iterations_ == 1 || theta_ <= (is_dear_ ? 1e-2 : 1e-3); }

  void accept(double h) override {
    const int s = tried_stages_;
    const auto keep = [&]<int count>(const RadauTable<count>& table) {
      each_unknown([&]<class Numbers>(int j) {
        Numbers zj[count];
        for (int i = 0; i < count; ++i) zj[i] = read<Numbers>(&Z_[at(i * n_ + j)]);
        for (int k = 0; k < count; ++k) {
          Numbers sum{};
          for (int i = 0; i < count; ++i) sum += table.inverse_U[at(k)][at(i)] * zj[i];
          write(sum, &q_[at(k * n_ + j)]);
        }
        Numbers sum{};
        for (int i = 0; i < count; ++i) sum += table.inverse_A[at(count - 1)][at(i)] * zj[i];
        write(sum / h, &dy_[at(j)]);
      });
    };
    if (s == 3)
      keep(table<3>());
    else if (s == 5)
      keep(table<5>());
    else
      keep(table<7>());
    if (is_retaken_) --taken_[at(last_stages_)];  // the same step
    last_stages_ = s;
    ++taken_[at(s)];
    jacobian_is_fresh_ = false;
    diverged_ = 0;
    if (!keeps_jacobian()) has_jacobian_ = has_factors_ = false;
    if (wanted_stages_ != 0) {
      stages_ = wanted_stages_;
      wanted_stages_ = 0;
      size_accepted_ = 0;
    }
  }

  void write_polynomial(Step& step) override {
    const int degree = last_stages_;
    double* c = step.make_polynomial(degree);
    for (int j = 0; j < states_; ++j) {
      double* cj = c + j * (degree + 1);
      cj[0] = start_[at(j)];
      double rise = 0;
      for (int k = degree; k >= 1; --k) rise += cj[k] = q_[at((k - 1) * n_ + j)];
      // Rounding of q goes where it does not disturb the start.
      cj[degree] += (y_[at(j)] - end_shift_[at(j)] - start_[at(j)]) - rise;
      cj[1] += end_shift_[at(j)];
    }
  }

  // ---- the order ----
  int usual_stages() const { return relative_tolerance() > 1e-4 ? 3 : relative_tolerance() > 1e-9 ? 5 : 7; }

  void weigh(bool failed) {
    failing_ = 0.95 * failing_ + (failed ? 0.05 : 0.0);
    if (failed) {
      smooth_ = 0;
      if (failing_ > 0.45 && stages_ > 3) {
        change_to(stages_ - 2);
        wanted_stages_ = 0;
        dwell_ = std::min(2 * dwell_, 3200);
        size_accepted_ = 0;
      }
      return;
    }
    ++since_change_;
    const double relative = relative_tolerance();
    const int usual = usual_stages();
    smooth_ = failing_ < 0.02 && theta_ <= 0.002 ? smooth_ + 1 : 0;
    if (stages_ < usual && since_change_ > dwell_) {
      wanted_stages_ = stages_ + 2;
    } else if (stages_ == 5 && usual == 5 && relative <= 1e-6 && smooth_ > 50) {
      wanted_stages_ = 7;
    }
    if (wanted_stages_ != 0) {
      failing_ = 0;
      since_change_ = smooth_ = 0;
    }
  }
  void change_to(int stages) {
    stages_ = stages;
    failing_ = 0;
    since_change_ = smooth_ = 0;
    has_factors_ = false;
  }

  bool chooses_;
  mutable std::tuple<const RadauTable<3>*, const RadauTable<5>*, const RadauTable<7>*> tables_{};  // those in use
  int stages_, last_stages_ = 0, tried_stages_ = 0, wanted_stages_ = 0;
  std::vector<double> Z_, R_, K_, q_, Y_, e_, slope_;
  bool is_identity_ = true, is_retaken_ = false;
  bool has_jacobian_ = false, jacobian_is_fresh_ = false, has_factors_ = false;
  int diverged_ = 0;      // trials of this step
  bool is_dear_ = false;  // a Jacobian with its factors, against a few more iterations
  double factored_h_ = 0;
  int factored_stages_ = 0;
  double eta_ = 1, theta_ = 0;
  DerivedEta derived_eta_;
  int iterations_ = 0, noisy_failures_ = 0;
  double error_accepted_ = 1e-2, size_accepted_ = 0;
  double derived_refused_ = 0, derived_size_ = 0;  // the last error of unknowns of higher index, and its step
  double failing_ = 0;                             // running share of failed trial steps
  int dwell_ = 50, since_change_ = 0, smooth_ = 0;
  std::array<long long, most_stages + 1> taken_{};
};

}  // namespace

std::unique_ptr<Stepper> make_radau(int stages, formulate::ImplicitForm& form, const StepControl& control) {
  return std::make_unique<Radau>(stages, form, control);
}

}  // namespace pawl
