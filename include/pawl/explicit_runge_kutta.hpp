// The one algorithm behind every explicit Runge-Kutta table.
//
// The table is a template argument, so zero coefficients cost nothing and the loops over stages are unrolled; the
// right- hand side is one too, so a C++ user's function is inlined. The library instantiates it once more for erased
// systems.
//
//   for each stage:  k_i = f(t0 + c_i h, x0 + h Σ a_ij k_j)
//   x1 = x0 + h Σ b_i k_i;  err = h Σ e_i k_i;  accept if |err| <= 1 in the weighted norm, else a smaller step
#pragma once

#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/fixed_grid.hpp"
#include "pawl/number.hpp"
#include "pawl/step_size.hpp"
#include "pawl/stepper.hpp"
#include "pawl/tableau.hpp"
#include "pawl/tableau_rows.hpp"

namespace pawl {

inline constexpr int dynamic_size = -1;

/// Field: void operator()(double t, const double* x, double* rates). Size: number of states, where known to the
/// compiler.
template <const auto& table, class Field, int fixed_size = dynamic_size>
class ExplicitRungeKutta final : public Stepper {
  using Table = std::remove_cvref_t<decltype(table)>;
  static constexpr int stages = Table::stages, total = Table::total, degree = Table::degree;
  static constexpr bool is_small = fixed_size > 0 && fixed_size <= 8;
  static constexpr bool is_inlined = is_small && requires { requires Field::is_inlined; };
  static constexpr int end_row = end_rate_row(table);
  static constexpr bool is_fsal = is_first_same_as_last(table), has_estimate = table.embedded_order > 0;
  static_assert(is_consistent(table), "pawl: the coefficients of this Runge-Kutta table contradict each other");
  static_assert(end_row >= 0, "pawl: the table needs a row equal to b with c = 1, the rate at the end of the step");
  static_assert(degree >= 3, "pawl: dense output must be able to match value and slope at the end: degree 3 or more");

 public:
  ExplicitRungeKutta(Field field, int size, StepControl control)
      : field_(std::move(field)),
        control_(std::move(control)),
        controller_(table.embedded_order + 1, size <= 8 && table.embedded_order <= 4) {
    if constexpr (fixed_size == dynamic_size) {
      size_ = size;
      const auto n = static_cast<std::size_t>(size);
      k_.resize(n * static_cast<std::size_t>(total));
      for (auto* vector : {&x_, &x1_, &argument_}) vector->resize(n);
    }
    for (double& rate : k_) rate = std::numeric_limits<double>::quiet_NaN();  // a rate nobody assigns is then noticed
  }

  void restart(double t, const double* x, double direction, double first_step, const double* rate = nullptr) override {
    t_ = t;
    for (int i = 0; i < n(); ++i) x_[at(i)] = x[i];
    time_rest_ = 0;
    direction_ = direction;
    start_rate_row_ = -1;
    next_step_ = first_step;
    is_fresh_ = last_trial_was_finite_ = true;
    steps_to_look_ = 50;
    suspicion_ = misses_ = 0;
    stiffness_.reset();
    controller_.restart();
    grid_.restart(t, direction * control_.fixed_step);
    if (rate == nullptr) return;
    for (int i = 0; i < n(); ++i) k(0)[i] = rate[i];
    start_rate_row_ = 0;
  }

  Attempt step(double limit, Correction* correction, Step& out) override {
    get_start_rate();
    return control_.fixed_step > 0 ? fixed_step(limit, correction, out) : adaptive_step(limit, correction, out);
  }

  bool interpolate(Step& step) override {
    evaluate_extra_stages(step, std::make_integer_sequence<int, Table::extra>());
    double* c = step.make_polynomial(degree);
    for (int i = 0; i < n(); ++i) {
      c[i * (degree + 1)] = step.start()[i];
      std::array<double, static_cast<std::size_t>(total)> change;
      for (int j = 0; j < total; ++j) change[at(j)] = step.h * (k(j)[i] - k(0)[i]);
      write_powers(step.h * k(0)[i], change, c + i * (degree + 1), std::make_integer_sequence<int, degree>());
    }
    meet_the_end(step, c);
    if (all_finite(step.coefficients(), n() * (degree + 1))) return true;
    write_hermite(step, k(0), all_finite(k(end_row), n()) ? k(end_row) : nullptr);
    return false;
  }

  [[gnu::noinline]] bool redo(double end, Correction* correction, Step& step) override {
    for (int i = 0; i < n(); ++i) x_[at(i)] = step.start()[i];
    t_ = step.t0;
    const double h = end - step.t0;
    const double error_squared = try_step(end, h, correction);  // the rate at the start is still in row 0
    if (!(error_squared < std::numeric_limits<double>::infinity()) || !all_finite(x1_.data(), n())) {
      for (int i = 0; i < n(); ++i) x_[at(i)] = step.end()[i];
      t_ = step.t1;
      start_rate_row_ = -1;
      return false;
    }
    time_rest_ = 0;
    --work_.accepted;  // the same step, taken again
    accept(end, h, std::sqrt(error_squared), step);
    return true;
  }

  double next_step_size() const override { return control_.fixed_step > 0 ? control_.fixed_step : next_step_; }
  int order() const override { return table.order; }
  int dense_order() const override { return table.dense_order; }
  double dense_weight() const override {
    static constexpr double weight = largest_dense_weight(table);
    return weight;
  }

  const double* start_rate() const override { return k(0); }
  const double* end_rate() override {
    if (start_rate_row_ <= 0) {
      evaluate(t_, x_.data(), k(end_row));
      start_rate_row_ = end_row;
    }
    return k(start_rate_row_);
  }

  void carry(Memory& memory) override {
    carry_common(memory);
    memory(controller_, grid_, t_, direction_, time_rest_, next_step_, last_trial_was_finite_, is_fresh_,
           start_rate_row_, steps_to_look_, suspicion_, misses_, k_, x_, x1_, argument_);
  }

 private:
  // Applies f to every component. Few components are written out one by one: a loop that the compiler unrolls only late
  // leaves scalar stores to be read back as vectors, which stalls the processor (measured: 1.5 times slower at n = 3).
  template <class F>
  void each(const F& f) const {
    if constexpr (is_small) {
      each_of(f, std::make_integer_sequence<int, fixed_size>());
    } else {
      for (int i = 0; i < n(); ++i) f(i);
    }
  }
  template <class F, int... i>
  static void each_of(const F& f, std::integer_sequence<int, i...>) {
    (f(i), ...);
  }

  // ---- linear combinations of stages; a Row says which coefficients, and its zeros vanish at compile time ----
  template <int row>
  using StageRow = detail::StageRow<table, row>;
  using StepRow = detail::StepRow<table>;
  using ErrorRow = detail::ErrorRow<table>;
  using ThirdOrderErrorRow = detail::ThirdOrderErrorRow<table>;
  using QuadratureErrorRow = detail::QuadratureErrorRow<table>;
  using SameTimeRow = detail::SameTimeRow<table>;
  template <int power>
  using DenseRow = detail::DenseRow<table, power>;
  template <class Row>
  using Terms = std::make_index_sequence<static_cast<std::size_t>(detail::count_nonzero<Row>())>;
  static constexpr bool has_third_order_estimate = detail::count_nonzero<ThirdOrderErrorRow>() > 0;
  static constexpr bool has_quadrature_estimate = detail::count_nonzero<QuadratureErrorRow>() > 0;

  // h coefficient k. Of the two orders of multiplication, many components want the product of the scalars once per row;
  // few want h k once per stage, which the compiler then keeps, and bare constants.
  template <class Row>
  static double term_of(double h, int column, double k) {
    if constexpr (is_inlined)
      return Row::at(column) * (h * k);
    else
      return (h * Row::at(column)) * k;
  }
  // h Σ coefficient_j k_j[i]
  template <class Row, std::size_t... term>
  double combine(double h, int i, std::index_sequence<term...>) const {
    static constexpr auto columns = detail::nonzero_columns<Row>();
    if constexpr (sizeof...(term) == 0)
      return 0;
    else
      return (... + term_of<Row>(h, columns[term], k(columns[term])[i]));
  }
  // out = base + h Σ coefficient_j k_j for all components. The newest stage is added last, so the processor can prepare
  // the rest of the sum while that stage is still being evaluated.
  template <class Row, std::size_t... term>
  void advance(double h, const double* __restrict base, double* __restrict out, std::index_sequence<term...>) const {
    static constexpr auto columns = detail::nonzero_columns<Row>();
    const double* const stage[] = {k(columns[term])...};
    each([&](int i) { out[i] = (base[i] + ... + term_of<Row>(h, columns[term], stage[term][i])); });
  }
  // The same with the increment summed first: one rounding at the size of x, for the value that is carried on.
  template <class Row, std::size_t... term>
  void advance_exactly(double h, const double* __restrict base, double* __restrict out,
                       std::index_sequence<term...>) const {
    static constexpr auto columns = detail::nonzero_columns<Row>();
    const double* const stage[] = {k(columns[term])...};
    each([&](int i) { out[i] = base[i] + (... + term_of<Row>(h, columns[term], stage[term][i])); });
  }

  // ---- one step ----
  void evaluate(double t, const double* x, double* rates) {
    ++work_.rhs;
    field_(t, x, rates);
  }

  void get_start_rate() {
    if (start_rate_row_ > 0) {
      each([&](int i) { k(0)[i] = k(start_rate_row_)[i]; });
    } else if (start_rate_row_ < 0) {
      evaluate(t_, x_.data(), k(0));
    }
    start_rate_row_ = 0;
  }

  template <int row>
  void evaluate_stage(double t0, double h, const double* x0) {
    advance<StageRow<row>>(h, x0, argument_.data(), Terms<StageRow<row>>());
    evaluate(t0 + table.c[row] * h, argument_.data(), k(row));
  }
  template <int... offset>
  void evaluate_stages([[maybe_unused]] double h, std::integer_sequence<int, offset...>) {
    (evaluate_stage<offset + 1>(t_, h, x_.data()), ...);
  }

  // From x_ to x1_; returns the square of the error norm, infinite where anything is not finite.
  double try_step(double t1, double h, Correction* correction) {
    if constexpr (is_small)
      return try_step_inlined(t1, h, correction);
    else
      return try_step_once(t1, h, correction);
  }
  // Few states: all of it in one function (an erased right-hand side stays a call). gcc's late vectorizer would then
  // pack neighbours in and out of vectors at every stage, at a loss.
  [[gnu::flatten]]
#ifndef __clang__
  [[gnu::optimize("no-tree-slp-vectorize")]]
#endif
  double
  try_step_inlined(double t1, double h, Correction* correction) {
    return try_step_once(t1, h, correction);
  }
  double try_step_once(double t1, double h, Correction* correction) {
    if (correction && correction->begin(t_, x_.data(), h)) evaluate(t_, x_.data(), k(0));
    evaluate_stages(h, std::make_integer_sequence<int, (is_fsal ? stages - 2 : stages - 1)>());
    advance_exactly<StepRow>(h, x_.data(), x1_.data(), Terms<StepRow>());
    double move = 0;
    if (is_fsal) {
      if (correction) move = correction->apply(t1, x1_.data());
      evaluate(t1, x1_.data(), k(stages - 1));
    }
    double error_squared = has_estimate ? square_of_error_norm(h) : 0;
    if (!is_fsal && correction && (error_squared <= 1 || control_.fixed_step > 0))
      move = correction->apply(t1, x1_.data());
    if (correction && !(move * move <= error_squared)) error_squared = move * move;  // a NaN move counts too
    return error_squared < std::numeric_limits<double>::infinity() ? error_squared
                                                                   : std::numeric_limits<double>::infinity();
  }

  double weight(int i) const {
    return control_.absolute[at(i)] + control_.relative * pawl::max(std::abs(x_[at(i)]), std::abs(x1_[at(i)]));
  }
  // The second opinion of a pair that is blind to rates of time alone. Where states matter, their stages are too coarse
  // for its rule; the estimate and the difference of two stages at one time, times factors that are well above what is
  // seen, tell by how much. What is left is the error of an integral over time.
  double quadrature_error(double h, int i, double error) const {
    const double rule = std::abs(combine<QuadratureErrorRow>(h, i, Terms<QuadratureErrorRow>()));
    const double states = std::abs(combine<SameTimeRow>(h, i, Terms<SameTimeRow>()));
    return rule - 1e3 * std::abs(error) - 1e2 * states;
  }
  double square_of_error_norm(double h) const {
    double sum = 0, tempering = 0;
    each([&](int i) {
      const double scale = 1 / weight(i);
      double error = combine<ErrorRow>(h, i, Terms<ErrorRow>());
      if constexpr (has_quadrature_estimate) error = pawl::max(std::abs(error), quadrature_error(h, i, error));
      const double part = error * scale;
      sum += part * part;
      if constexpr (has_third_order_estimate) {
        const double third = combine<ThirdOrderErrorRow>(h, i, Terms<ThirdOrderErrorRow>()) * scale;
        tempering += third * third;
      }
    });
    // DOP853: the fifth-order estimate times its ratio to the third-order one behaves like h^8.
    if constexpr (has_third_order_estimate) return sum == 0 ? 0 : sum * sum / ((sum + 0.01 * tempering) * n());
    return sum * (1.0 / n());
  }

  Attempt adaptive_step(double limit, Correction* correction, Step& out) {
    if (is_fresh_) {
      is_fresh_ = false;
      if (!all_finite(k(0), n())) return fail(next_step_, 0);
      if (next_step_ == 0) next_step_ = choose_first_step(limit);
      if (control_.law == StepLaw::compere) return compere_step(limit, correction, out);
    }
    double size = pawl::min(next_step_, control_.max_step);
    for (int attempts = 1;; ++attempts) {
      double h = direction_ * size, t1 = t_ + (h + time_rest_), time_rest = (h + time_rest_) - (t1 - t_);
      bool ends_at_limit = false, is_cut = false;  // a step cut short by the limit says nothing about the next
      const double remaining = std::abs(limit - t_ - time_rest_);
      if (remaining <= 1.01 * size) [[unlikely]] {  // branches, not selections: h must not wait for them
        ends_at_limit = remaining <= size || remaining <= control_.max_step;
        is_cut = remaining < size;
        if (ends_at_limit) {
          size = remaining;
          h = direction_ * size;
          t1 = limit;
          time_rest = 0;
        }
      }
      if (!ends_at_limit && size < smallest_step(t_, limit)) [[unlikely]] {
        if (attempts > 1) return fail(size, attempts - 1);
        size = smallest_step(t_, limit);  // never give up without a try
        h = direction_ * size;
        t1 = t_ + h;
        time_rest = 0;
      }
      double error_squared = try_step(t1, h, correction);
      if (!all_finite(x1_.data(), n())) [[unlikely]]
        error_squared = std::numeric_limits<double>::infinity();
      if (error_squared <= 1) {
        if (!is_cut) next_step_ = size * controller_.after_accept(error_squared);
        time_rest_ = time_rest;
        accept(t1, h, std::sqrt(error_squared), out);
        if (has_estimate) watch_for_stiffness(h);
        return Attempt::accepted;
      }
      ++work_.rejected;
      last_trial_was_finite_ = std::isfinite(error_squared);
      if (ends_at_limit && size < smallest_step(t_, limit)) return fail(size, attempts);
      size *= controller_.after_reject(error_squared);
      next_step_ = size;
    }
  }

  // The published loop and nothing else: no controller with a memory, no watch for stiffness.
  [[gnu::noinline]] Attempt compere_step(double limit, Correction* correction, Step& out) {
    is_fresh_ = true;  // so that every step comes here, and the other law need not ask
    double largest = 1;
    for (int i = 0; i < n(); ++i) largest = pawl::max(largest, std::abs(x_[at(i)]));
    const double tolerance = control_.relative > 0 ? control_.relative : control_.absolute[0];
    const double tau = tolerance * largest, remaining = std::abs(limit - t_);
    for (int attempts = 1;; ++attempts) {
      double size = pawl::min(next_step_, control_.max_step);
      const bool ends_at_limit = remaining <= size;
      size = ends_at_limit ? remaining : pawl::max(size, attempts == 1 ? smallest_step(t_, limit) : 0);
      if (attempts > 1 && size < smallest_step(t_, limit)) return fail(size, attempts - 1);
      const double h = direction_ * size, t1 = ends_at_limit ? limit : t_ + h;
      double error = std::sqrt(try_step(t1, h, correction)), delta = 0;  // the former, so that a correction is judged
      for (int i = 0; i < n(); ++i) {                                    // rounded as the two solutions are
        const double lower = x1_[at(i)] - combine<ErrorRow>(h, i, Terms<ErrorRow>());
        delta = pawl::max(delta, std::abs(x1_[at(i)] - lower));
      }
      last_trial_was_finite_ = std::isfinite(error) && all_finite(x1_.data(), n());
      if (!last_trial_was_finite_) delta = std::numeric_limits<double>::infinity();
      if (correction == nullptr) error = delta / tau;
      next_step_ = last_trial_was_finite_ ? compere_step_size(size, delta, tau) : 0.1 * size;
      if (last_trial_was_finite_ && delta <= tau && (correction == nullptr || error <= 1)) {
        next_step_ = pawl::min(next_step_, control_.max_step);
        time_rest_ = 0;
        accept(t1, h, error, out);
        return Attempt::accepted;
      }
      if (next_step_ > 0.9 * size) next_step_ = 0.5 * size;  // it was the correction that was too large
      ++work_.rejected;
    }
  }

  Attempt fixed_step(double limit, Correction* correction, Step& out) {
    const auto [t1, h] = grid_.next(t_, limit);
    const double error_squared = try_step(t1, h, correction);
    if (!all_finite(x1_.data(), n())) {
      failure_ = {t_, h, 1, -1};
      for (int i = n() - 1; i >= 0; --i) {
        if (!std::isfinite(x1_[at(i)])) failure_.component = i;
      }
      return Attempt::not_finite;
    }
    if (correction != nullptr && !(error_squared < std::numeric_limits<double>::infinity())) {
      failure_ = {t_, h, 1, -1};  // the correction did not succeed
      return Attempt::step_too_small;
    }
    accept(t1, h, std::sqrt(error_squared), out);
    return Attempt::accepted;
  }

  void accept(double t1, double h, double error, Step& out) {
    ++work_.accepted;
    out.t0 = t_;
    out.t1 = t1;
    out.h = h;
    out.span = t1 - t_;
    out.error = error;
    out.forget_polynomial();
    each([&](int i) {
      out.start()[i] = x_[at(i)];
      out.end()[i] = x_[at(i)] = x1_[at(i)];
    });
    t_ = t1;
    start_rate_row_ = is_fsal ? stages - 1 : -1;
  }

  [[gnu::noinline]] Attempt fail(double size, int attempts) {
    failure_ = {t_, size, attempts, -1};
    for (int row = 0; row < stages; ++row) {
      if (last_trial_was_finite_ && row > 0) break;  // later rows are only in doubt when the last trial was not finite
      for (int i = 0; i < n(); ++i) {
        if (std::isfinite(k(row)[i])) continue;
        failure_.component = i;
        return Attempt::not_finite;
      }
    }
    double worst = -1;
    for (int i = 0; i < n(); ++i) {
      const double part = std::abs(combine<ErrorRow>(size, i, Terms<ErrorRow>())) / weight(i);
      if (part > worst) {
        worst = part;
        failure_.component = i;
      }
    }
    return Attempt::step_too_small;
  }
  static bool all_finite(const double* v, int count) {
    for (int i = 0; i < count; ++i) {
      if (!std::isfinite(v[i])) return false;
    }
    return true;
  }

  // Hairer, Norsett, Wanner, Solving ODE I, II.4: from the sizes of x, x' and, by one Euler step, x''.
  [[gnu::noinline]] double choose_first_step(double limit) {
    const auto norm = [this](const double* v, const double* minus) {
      double sum = 0;
      for (int i = 0; i < n(); ++i) {
        const double part =
            (v[i] - (minus ? minus[i] : 0)) / (control_.absolute[at(i)] + control_.relative * std::abs(x_[at(i)]));
        sum += part * part;
      }
      return std::sqrt(sum / n());
    };
    const double span = std::abs(limit - t_), longest = pawl::min(span, control_.max_step);
    const double d0 = norm(x_.data(), nullptr), d1 = norm(k(0), nullptr);
    const double h0 = pawl::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, longest);
    if (!std::isfinite(h0) || h0 == 0) return pawl::max(1e-6 * longest, smallest_step(t_, limit));
    for (int i = 0; i < n(); ++i) argument_[at(i)] = x_[at(i)] + direction_ * h0 * k(0)[i];
    evaluate(t_ + direction_ * h0, argument_.data(), k(1));
    const double d2 = norm(k(1), k(0)) / h0, fastest = pawl::max(d1, d2);
    const double h1 = fastest <= 1e-15 ? pawl::max(1e-6, h0 * 1e-3) : std::pow(0.01 / fastest, 1.0 / (table.order + 1));
    const double chosen = std::isfinite(h1) ? pawl::min(pawl::min(100 * h0, h1), longest) : h0;
    return pawl::max(chosen, pawl::min(smallest_step(t_, limit), longest));
  }

  // ---- dense output ----
  template <int row>
  void evaluate_extra_stage(const Step& step) {
    if constexpr (row == end_row) {
      if (start_rate_row_ < 0) evaluate(step.t1, step.end(), k(row));  // else the stiffness watch has it already
    } else {
      evaluate_stage<row>(step.t0, step.h, step.start());
    }
  }
  template <int... offset>
  void evaluate_extra_stages(const Step& step, std::integer_sequence<int, offset...>) {
    (evaluate_extra_stage<stages + offset>(step), ...);
    start_rate_row_ = end_row;
  }
  // The weights of every power of θ but the first sum to zero, so they may be applied to the changes of the rates: what
  // cancels between large weights is then rounding of the changes, not of the rates.
  template <class Changes, int... power>
  static void write_powers(double start, const Changes& change, double* c, std::integer_sequence<int, power...>) {
    ((c[power + 1] = (power == 0 ? start : 0) + combine_changes<DenseRow<power>>(change, Terms<DenseRow<power>>())),
     ...);
  }
  template <class Row, class Changes, std::size_t... term>
  static double combine_changes(const Changes& change, std::index_sequence<term...>) {
    static constexpr auto columns = detail::nonzero_columns<Row>();
    if constexpr (sizeof...(term) == 0)
      return 0;
    else
      return (... + (Row::at(columns[term]) * change[at(columns[term])]));
  }
  // Rounding in the weights, or a correction, leaves a gap between the polynomial and the end of the step; θ²(3 - 2θ)
  // closes it without touching value or slope at the start, nor the slope at the end.
  void meet_the_end(const Step& step, double* c) const {
    for (int i = 0; i < n(); ++i, c += degree + 1) {
      double reached = c[degree];
      for (int power = degree - 1; power >= 0; --power) reached += c[power];
      const double gap = step.end()[i] - reached;
      c[2] += 3 * gap;
      c[3] -= 2 * gap;
    }
  }

  // ---- stiffness: does the step size hang at the edge of the stability region? ----
  // The embedded solution differs from x1 by err, mostly along the fastest direction when the problem is stiff, so
  // |f(x1) - f(x1 - err)| / |err| estimates the fastest rate. One evaluation every 50 steps, until something is
  // suspected; 15 hits before 6 misses in a row is the verdict of DOPRI5.
  void watch_for_stiffness(double h) {
    if (--steps_to_look_ <= 0 && !stiffness_) look_for_stiffness(h);
  }
  [[gnu::noinline]] void look_for_stiffness(double h) {
    steps_to_look_ = suspicion_ > 0 ? 1 : 50;
    const auto scale = [this](int i) {
      return 1 / (control_.absolute[at(i)] + control_.relative * std::abs(x_[at(i)]));
    };
    double distance = 0, rounding = 0, change = 0;
    for (int i = 0; i < n(); ++i) {
      const double err = combine<ErrorRow>(h, i, Terms<ErrorRow>());
      argument_[at(i)] = x_[at(i)] - err;
      distance += sqr(err * scale(i));
      rounding += sqr(std::numeric_limits<double>::epsilon() * x_[at(i)] * scale(i));
    }
    if (distance <= 1e8 * rounding) return;
    if (start_rate_row_ < 0) {
      evaluate(t_, x_.data(), k(end_row));
      start_rate_row_ = end_row;
    }
    evaluate(t_, argument_.data(), x1_.data());
    for (int i = 0; i < n(); ++i) change += sqr((k(end_row)[i] - x1_[at(i)]) * scale(i));
    static constexpr double stability_limit = real_stability_limit(table);
    const double rate = std::sqrt(change / distance);
    if (std::abs(h) * rate > 0.8 * stability_limit) {
      misses_ = 0;
      steps_to_look_ = 1;
      if (++suspicion_ >= 15) stiffness_ = Stiffness{t_, rate};
    } else if (suspicion_ > 0 && ++misses_ >= 6) {
      suspicion_ = misses_ = 0;
    }
  }

  // ---- memory, sized once ----
  int n() const {
    if constexpr (fixed_size == dynamic_size) return size_;
    return fixed_size;
  }
  static std::size_t at(int i) {
    return static_cast<std::size_t>(i);
  }
  double* k(int row) {
    return k_.data() + static_cast<std::ptrdiff_t>(row) * n();
  }
  const double* k(int row) const {
    return k_.data() + static_cast<std::ptrdiff_t>(row) * n();
  }

  template <int count>
  using Numbers = std::conditional_t<fixed_size == dynamic_size, std::vector<double>,
                                     std::array<double, static_cast<std::size_t>(count* std::max(fixed_size, 1))>>;

  Field field_;
  StepControl control_;
  PiController controller_;
  FixedGrid grid_;
  int size_ = 0;
  double t_ = 0, direction_ = 1;
  double next_step_ = 0;               // size without sign; 0: not chosen yet
  bool last_trial_was_finite_ = true;  // of the trials that were rejected
  bool is_fresh_ = true;               // no step since restart
  int start_rate_row_ = -1;            // the row of k that holds the rate at x_; -1: not evaluated yet
  int steps_to_look_ = 50, suspicion_ = 0, misses_ = 0;
  Numbers<total> k_{};
  Numbers<1> x_{}, x1_{}, argument_{};
};

}  // namespace pawl
