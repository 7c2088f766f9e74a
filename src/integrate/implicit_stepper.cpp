#include "integrate/implicit_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "integrate/line.hpp"
#include "integrate/singular_start.hpp"
#include "pawl/step_size.hpp"

namespace pawl {

namespace {

constexpr double enough = 1e-2;  // of the tolerance, for algebraic unknowns at the ends of steps

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Whether the equations say more of an unknown than the error of its rate does: inside a step, where dense output may
/// be of a lower order, it need not be what they say.
bool is_checked_inside(const formulate::Role& role) {
  return role.index <= 1 && (role.is_bound || !role.is_differential);
}

bool all_finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

ImplicitStepper::ImplicitStepper(formulate::ImplicitForm& form, const StepControl& control)
    : form_(form), control_(control) {
  if (control.relative == 0 && !control.absolute.empty())
    multiplier_unit_ = *std::max_element(control.absolute.begin(), control.absolute.end());
}

void ImplicitStepper::carry(Memory& memory) {
  form_.carry(memory);
  carry_common(memory);
  memory(n_, states_, highest_index_, t_, direction_, next_, y_, end_, dy_, weight_, newton_weight_, error_weight_,
         is_first_, was_rejected_, has_algebraic_states_, checks_inside_, start_residual_, has_start_residual_,
         end_residual_, has_end_residual_, start_, start_dy_, end_shift_, last_h_);
  memory(grid_, version_, raised_, has_said_raised_, counting_, multiplier_unit_, time_rest_, last_t_, last_time_rest_,
         has_past_, is_line_, why_, left_);
  algebraic_.carry(memory);
  bool has_solver = solver_ != nullptr;
  memory(has_solver);
  if (!has_solver) {
    solver_.reset();
    return;
  }
  if (!memory.is_saving()) make_solver();  // for the pattern the form has now
  solver_->carry(memory);
}

void ImplicitStepper::restart(double t, const double* x, double direction, double first_step, const double* rate) {
  form_.restart(t, x);
  const bool has_changed = form_.version() != version_ || form_.size() != n_;
  n_ = form_.size();
  states_ = form_.states();
  if (has_changed) {
    version_ = form_.version();
    for (auto* vector : {&y_, &end_, &dy_, &weight_, &newton_weight_, &error_weight_, &start_, &start_dy_, &end_shift_,
                         &start_residual_, &end_residual_, &left_, &added_, &kept_})
      vector->assign(at(n_), 0.0);
  }
  highest_index_ = 0;
  counting_ = 0;
  for (const formulate::Role& role : form_.roles()) {
    highest_index_ = std::max(highest_index_, role.index);
    counting_ += role.is_differential ? 1 : 0;
  }
  counting_ = std::max(counting_, 1.0);
  has_algebraic_states_ = std::any_of(form_.roles().begin(), form_.roles().begin() + states_,
                                      [](const auto& role) { return !role.is_differential && role.index <= 1; });
  checks_inside_ = std::any_of(form_.roles().begin(), form_.roles().begin() + states_, is_checked_inside);
  has_start_residual_ = false;
  algebraic_.restart();
  raised_ = 1;
  t_ = t;
  time_rest_ = 0;
  direction_ = direction;
  next_ = first_step;
  is_first_ = true;
  was_rejected_ = has_past_ = is_line_ = false;
  std::copy(x, x + states_, y_.begin());
  grid_.restart(t, direction * control_.fixed_step);
  why_.clear();
  if (rate != nullptr && form_.size() == form_.states()) {
    std::copy(rate, rate + n_, dy_.begin());
  } else {
    why_ = form_.complete(t, y_.data(), dy_.data());
    ++work_.rhs;
  }
  if (has_changed) resize();
  forget();
}

void ImplicitStepper::linearize(double t, const double* y, const double* dy) {
  const long long duals = form_.dual_evaluations, differences = form_.difference_evaluations;
  form_.linearize(t, y, dy);
  ++work_.jacobians;
  work_.dual_rhs += form_.dual_evaluations - duals;
  work_.rhs += form_.difference_evaluations - differences;
}

void ImplicitStepper::set_weights() {
  for (int i = 0; i < n_; ++i) {
    const double size = std::abs(y_[at(i)]);
    // What a formulation adds (multipliers) has no tolerance of its own.
    const double absolute = i < states_ ? control_.absolute[at(i)]
                                        : std::max(1e-3 * control_.relative * std::max(size, 1.0), multiplier_unit_);
    weight_[at(i)] = 1 / (raised_ * (absolute + control_.relative * size));
  }
}

void ImplicitStepper::set_step_weights(double h) {
  const auto& roles = form_.roles();
  const double size = std::abs(h);
  for (int i = 0; i < n_; ++i) {
    const int index = roles[at(i)].index;
    const double factor = index <= 1 ? 1 : index == 2 ? size : std::pow(size, index - 1);
    newton_weight_[at(i)] = weight_[at(i)] * std::min(factor, 1.0);
    // Algebraic unknowns of higher index have estimates of a lower order, and multipliers no tolerance of their own.
    const bool counts = roles[at(i)].is_differential || (i < states_ && index <= 1);
    error_weight_[at(i)] = counts ? newton_weight_[at(i)] : 0;
  }
}

double ImplicitStepper::newton_norm(const double* d) const {
  double sum = 0;
  for (int i = 0; i < n_; ++i) sum += d[i] * newton_weight_[at(i)] * (d[i] * newton_weight_[at(i)]);
  return std::sqrt(sum / n_);
}

double ImplicitStepper::error_norm(const double* e) const {
  double sum = 0;
  for (int i = 0; i < n_; ++i) sum += e[i] * error_weight_[at(i)] * (e[i] * error_weight_[at(i)]);
  return std::sqrt(sum / counting_);
}

double ImplicitStepper::algebraic_norm(const double* e) const {
  double sum = 0;
  const auto& roles = form_.roles();
  for (int i = 0; i < states_; ++i) {
    if (!is_checked_inside(roles[at(i)])) continue;
    const double part = e[i] * weight_[at(i)];
    sum += part * part;
  }
  return std::isfinite(sum) ? std::sqrt(sum / n_) : std::numeric_limits<double>::infinity();
}

void ImplicitStepper::raise_tolerance(double factor) {
  // More than a million roundings are no noise of the model, but an iteration that fails.
  const double relative = control_.relative > 0 ? control_.relative : control_.absolute[0];
  if (!(factor > raised_) || factor * relative > 2e7 * std::numeric_limits<double>::epsilon()) return;
  if (!std::exchange(has_said_raised_, true)) {
    notes_.push_back(make_message(MessageCode::tolerance_below_rounding, t_,
                                  {{"tolerance", control_.relative}, {"factor", factor}}));
  }
  raised_ = factor;
  set_weights();
}

Attempt ImplicitStepper::step(double limit, Correction* correction, Step& out) {
  if (is_first_ && !why_.empty()) {
    notes_.push_back(make_message(MessageCode::cannot_begin, t_, {{"why", why_}}));
    failure_ = {t_, 0, 0, -1};
    return Attempt::no_convergence;
  }
  if (is_first_ && !all_finite(dy_)) {
    const auto bad = std::find_if(dy_.begin(), dy_.end(), [](double value) { return !std::isfinite(value); });
    failure_ = {t_, 0, 0, std::min(static_cast<int>(bad - dy_.begin()), states_ - 1)};
    return Attempt::not_finite;
  }
  set_weights();
  if (control_.fixed_step > 0) return fixed_step(limit, correction, out);
  const bool is_first = is_first_;
  const Attempt attempt = adaptive_step(limit, correction, out);
  return attempt == Attempt::singular && is_first && leave_singular_point(limit, out) ? Attempt::accepted : attempt;
}

// The method begins at the end of that step.
bool ImplicitStepper::leave_singular_point(double limit, Step& out) {
  if (highest_index_ > 1) return false;  // values would have to be on hidden constraints
  const double first = direction_ * std::min(1e-3 * std::abs(limit - t_), control_.max_step);
  set_step_weights(first);
  std::vector<double> end;
  const double h = SingularStart(form_, work_)
                       .leave(
                           t_, y_, first,
                           [this, &out](const std::vector<double>& error, const std::vector<double>& to) {
                             for (std::size_t i = 0; i < to.size(); ++i) {
                               const double absolute = i < at(states_) ? control_.absolute[i] : multiplier_unit_;
                               error_weight_[i] =
                                   error_weight_[i] > 0 ? 1 / (absolute + control_.relative * std::abs(to[i])) : 0;
                             }
                             return out.error = error_norm(error.data());
                           },
                           end);
  if (h == 0) return false;
  const double t1 = t_ + h;
  out.t0 = t_;
  out.t1 = t1;
  out.h = out.span = h;
  std::copy(y_.begin(), y_.begin() + states_, out.start());
  std::copy(end.begin(), end.begin() + states_, out.end());
  out.forget_polynomial();
  ++work_.accepted;
  restart(t1, end.data(), direction_, 0, nullptr);
  is_line_ = true;
  return true;
}

// A hundredth of the time in which the solution changes by its own size, or by its tolerance where it is below that, as
// explicit methods begin; what comes after the first rejection is decided by the error. In a time in which something
// changes by a tolerance equations of index 2 are mostly rounding: their unit is absolute / relative.
double ImplicitStepper::choose_first_step(double limit) const {
  double size = 0, speed = 0;
  const auto& roles = form_.roles();
  for (int i = 0; i < states_; ++i) {
    if (!roles[at(i)].is_differential) continue;
    size = std::max(size, std::abs(y_[at(i)] * weight_[at(i)]));
    speed = std::max(speed, std::abs(dy_[at(i)] * weight_[at(i)]));
  }
  const double span = std::abs(limit - t_);
  if (size < 1) size = highest_index_ >= 2 && control_.relative > 0 ? 1 / control_.relative : 1;
  const double h = speed > 0 ? 0.01 * size / speed : 1e-3 * span;
  return std::min(h, span);
}

Attempt ImplicitStepper::adaptive_step(double limit, Correction* correction, Step& out) {
  if (next_ == 0) next_ = choose_first_step(limit);
  double size = std::min(next_, control_.max_step);
  for (int attempts = 1;; ++attempts) {
    double h = direction_ * size, t1 = t_ + (h + time_rest_), rest = (h + time_rest_) - (t1 - t_);
    bool ends_at_limit = false, is_cut = false;  // a step cut short by the limit says nothing about the next
    const double remaining = std::abs(limit - t_ - time_rest_);
    if (remaining <= 1.01 * size) {
      ends_at_limit = remaining <= size || remaining <= control_.max_step;
      is_cut = remaining < size;
      if (ends_at_limit) {
        size = remaining;
        h = direction_ * size;
        t1 = limit;
        rest = 0;
      }
    }
    if (!ends_at_limit && size < smallest_step(t_, limit)) {
      size = smallest_step(t_, limit);  // never give up without a try
      h = direction_ * size;
      t1 = t_ + (h + time_rest_);
      rest = (h + time_rest_) - (t1 - t_);
    }
    Trial trial = try_step(t1, h, false, correction);
    if (trial.outcome == Trial::Outcome::solved && trial.error <= 1) {
      if (!is_cut) next_ = size * grow(trial.error, true);
      take(t1, h, rest, trial.error, out);
      return Attempt::accepted;
    }
    if (size <= smallest_step(t_, limit)) return fail(trial, size, attempts);
    if (trial.outcome == Trial::Outcome::solved) {
      ++work_.rejected;
      was_rejected_ = true;
      size *= std::isfinite(trial.error) ? grow(trial.error, false) : 0.1;
    } else {
      ++work_.divergences;
      size *= trial.shrink;
    }
    next_ = size;
  }
}

Attempt ImplicitStepper::fixed_step(double limit, Correction* correction, Step& out) {
  const FixedGrid::Next next = grid_.next(t_, limit);
  Trial trial = try_step(next.t1, next.h, false, correction);
  if (trial.outcome == Trial::Outcome::diverged) {  // with a Jacobian of its own start
    ++work_.divergences;
    trial = try_step(next.t1, next.h, false, correction);
  }
  if (trial.outcome != Trial::Outcome::solved || !std::isfinite(trial.error)) {
    if (trial.outcome != Trial::Outcome::solved) ++work_.divergences;
    return fail(trial, std::abs(next.h), 1);
  }
  take(next.t1, next.h, 0, trial.error, out);
  return Attempt::accepted;
}

ImplicitStepper::Trial ImplicitStepper::try_step(double t1, double h, bool retakes, Correction* correction) {
  if (correction != nullptr) correction->begin(t_, y_.data(), h);
  set_step_weights(h);
  Trial trial = retakes ? retake(h) : attempt(h);
  std::fill(end_shift_.begin(), end_shift_.end(), 0.0);
  if (trial.outcome != Trial::Outcome::solved) return trial;
  if (!all_finite(end_)) return {Trial::Outcome::not_finite, 0, 0.25};
  has_end_residual_ = false;
  if (checks_inside_ && highest_index_ <= 1 && (trial.error <= 1 || control_.fixed_step > 0 || retakes) &&
      !solve_algebraic(t1) && control_.fixed_step == 0 && !retakes) {
    distrust();
    return {Trial::Outcome::diverged, 0, 0.5};
  }
  if (correction == nullptr || !(trial.error <= 1 || control_.fixed_step > 0 || retakes)) return trial;
  std::copy(end_.begin(), end_.begin() + states_, end_shift_.begin());
  const double move = correction->apply(t1, end_.data()) / raised_;
  for (int i = 0; i < states_; ++i) {
    end_shift_[at(i)] = end_[at(i)] - end_shift_[at(i)];
    has_end_residual_ = has_end_residual_ && end_shift_[at(i)] == 0;
  }
  if (!(move <= trial.error)) trial.error = std::isnan(move) ? std::numeric_limits<double>::infinity() : move;
  return trial;
}

void ImplicitStepper::take(double t1, double h, double rest, double error, Step& out) {
  std::swap(start_, y_);
  start_dy_ = dy_;
  last_t_ = t_;
  last_time_rest_ = std::exchange(time_rest_, rest);
  last_h_ = h;
  accept(h);
  std::swap(start_residual_, end_residual_);
  has_start_residual_ = std::exchange(has_end_residual_, false);
  y_ = end_;
  out.t0 = t_;
  out.t1 = t_ = t1;
  out.h = h;
  out.span = t1 - out.t0;
  out.error = error;
  std::copy(start_.begin(), start_.begin() + states_, out.start());
  std::copy(y_.begin(), y_.begin() + states_, out.end());
  out.forget_polynomial();
  is_first_ = was_rejected_ = is_line_ = false;
  has_past_ = true;
  ++work_.accepted;
}

// Algebraic unknowns at the end are as good as Newton's method was asked to make them, in the scales of the start. The
// next step begins there, and what is missing no shorter step makes up for: so it is found and added. The residual
// serves the next step. False: so much is missing that they were not solved at all.
bool ImplicitStepper::solve_algebraic(double t1) {
  constexpr int most_rounds = 8;
  const bool is_constant = form_.mass_kind() != formulate::MassKind::varying;
  if (!algebraic_.find(form_.matrices(), form_.roles(), is_constant)) return true;
  double size = find_left(t1);
  const bool was_solved = size <= 1;
  for (int round = 0; round < most_rounds && size > enough; ++round) {
    const double next = add_left(1, t1);
    if (next < 0.5 * size) {
      size = next;
      continue;
    }
    take_back();  // the derivatives of the start do not serve any more
    for (; round < most_rounds && size > enough; ++round) size = improve_left(t1);
  }
  return was_solved;
}

/// One step with the derivatives of this place, shortened until it helps. Returns what is left then.
double ImplicitStepper::improve_left(double t1) {
  constexpr int most_halvings = 6;
  linearize(t1, end_.data(), form_.mass_kind() == formulate::MassKind::varying ? dy_.data() : nullptr);
  ++work_.factorizations;
  const bool is_regular = solver_->factor(0, shift());
  take_matrices();
  if (!is_regular) return 0;
  const double size = find_left(t1);
  if (!(size > enough)) return size;
  for (int halvings = 0; halvings <= most_halvings; ++halvings) {
    if (const double next = add_left(std::ldexp(1.0, -halvings), t1); next < size) return next;
    take_back();
  }
  return 0;
}

/// Into left_: the step of Newton's method for the algebraic unknowns at the end. Returns the largest, in units of the
/// tolerance.
double ImplicitStepper::find_left(double t1) {
  residual(t1, end_.data(), nullptr, end_residual_.data());
  has_end_residual_ = true;
  algebraic_.take_equations(end_residual_.data(), left_.data());
  solver_->solve(0, left_.data());
  algebraic_.keep_unknowns(left_.data());
  ++work_.solves;
  double size = 0;
  for (int i = 0; i < states_; ++i) {
    const double scale = raised_ * (control_.absolute[at(i)] + control_.relative * std::abs(end_[at(i)]));
    size = std::max(size, std::abs(left_[at(i)]) / scale);
  }
  return size;
}

double ImplicitStepper::add_left(double factor, double t1) {
  added_ = left_;
  kept_ = end_;
  for (int i = 0; i < n_; ++i) end_[at(i)] += factor * added_[at(i)];
  return find_left(t1);
}

void ImplicitStepper::take_back() {
  end_ = kept_;
  left_ = added_;
  has_end_residual_ = false;
}

bool ImplicitStepper::redo(double end, Correction* correction, Step& step) {
  if (!has_past_) return false;
  const std::vector<double> y = y_, dy = dy_, shift = end_shift_;  // once per event
  const double t = t_, rest = time_rest_;
  y_ = start_;
  dy_ = start_dy_;
  has_start_residual_ = false;
  t_ = last_t_;
  time_rest_ = last_time_rest_;
  set_weights();
  const double h = end - t_ - time_rest_;
  const Trial trial = try_step(end, h, true, correction);
  if (trial.outcome != Trial::Outcome::solved || !std::isfinite(trial.error)) {
    y_ = y;
    dy_ = dy;
    end_shift_ = shift;
    t_ = t;
    time_rest_ = rest;
    return false;
  }
  --work_.accepted;  // the same step, taken again
  take(end, h, 0, trial.error, step);
  grid_.restart(end, direction_ * control_.fixed_step);
  return true;
}

bool ImplicitStepper::interpolate(Step& step) {
  if (is_line_)
    write_line(step);
  else
    write_polynomial(step);
  return true;
}

int ImplicitStepper::not_finite_rate(double h) {
  if (form_.mass_kind() != formulate::MassKind::identity) return -1;  // rows do not belong to unknowns
  std::vector<double> rates(y_.size());
  for (const double reach : {0.0, 1.0}) {
    for (int i = 0; i < n_; ++i) end_[at(i)] = y_[at(i)] + reach * h * dy_[at(i)];
    residual(t_ + reach * h, end_.data(), nullptr, rates.data());
    const auto bad = std::find_if(rates.begin(), rates.end(), [](double rate) { return !std::isfinite(rate); });
    if (bad != rates.end()) return std::min(static_cast<int>(bad - rates.begin()), states_ - 1);
  }
  return -1;
}

Attempt ImplicitStepper::fail(const Trial& last, double size, int attempts) {
  failure_ = {t_, size, attempts, -1};
  double worst = -1;
  for (int i = 0; i < states_; ++i) {
    const double change = std::abs((end_[at(i)] - y_[at(i)]) * weight_[at(i)]);
    if (!(change <= worst)) {
      worst = std::isnan(change) ? std::numeric_limits<double>::infinity() : change;
      failure_.component = i;
    }
  }
  switch (last.outcome) {
    case Trial::Outcome::diverged:
      return Attempt::no_convergence;
    case Trial::Outcome::singular:
      failure_.component = solver_ ? solver_->culprit() : -1;
      return Attempt::singular;
    case Trial::Outcome::not_finite:
      if (const int culprit = not_finite_rate(direction_ * size); culprit >= 0) failure_.component = culprit;
      return Attempt::not_finite;
    case Trial::Outcome::solved:
      break;
  }
  return Attempt::step_too_small;
}

}  // namespace pawl
