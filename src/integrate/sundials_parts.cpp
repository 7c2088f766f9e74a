#include "integrate/sundials_parts.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "integrate/line.hpp"
#include "integrate/singular_start.hpp"

namespace pawl::sundials {

namespace {

constexpr double most_in_middle = 4;  // tolerances, of a first step whose own test has passed

struct Content {
  sunindextype size;
  std::unique_ptr<double[]> values;
};

Content& content(N_Vector v) {
  return *static_cast<Content*>(v->content);
}
auto array(N_Vector v) {
  return Eigen::Map<Eigen::ArrayXd>(content(v).values.get(), content(v).size);
}

// Zero times a value is zero, unless the value is infinite or not a number.
bool is_finite(const Eigen::Map<Eigen::ArrayXd>& x) {
  return (0 * x).sum() == 0;
}

N_Vector clone(N_Vector v);
void destroy(N_Vector v) {
  delete static_cast<Content*>(v->content);
  v->content = nullptr;
  N_VFreeEmpty(v);
}

// Linear combinations go through a block that stays in the first cache: every vector is read once, the result written
// once, and it may be any of the vectors.
constexpr Eigen::Index block = 256;

int combine(int count, realtype* c, N_Vector* x, N_Vector z) {
  double sum[block];
  const Eigen::Index n = content(z).size;
  for (Eigen::Index from = 0; from < n; from += block) {
    const Eigen::Index length = std::min(block, n - from);
    Eigen::Map<Eigen::ArrayXd> part(sum, length);
    part = c[0] * array(x[0]).segment(from, length);
    for (int j = 1; j < count; ++j) {
      if (c[j] != 0) part += c[j] * array(x[j]).segment(from, length);
    }
    array(z).segment(from, length) = part;
  }
  return 0;
}

int scale_and_add(int count, realtype* a, N_Vector x, N_Vector* y, N_Vector* z) {
  for (int j = 0; j < count; ++j) array(z[j]) = a[j] * array(x) + array(y[j]);
  return 0;
}

int dot_products(int count, N_Vector x, N_Vector* y, realtype* out) {
  for (int j = 0; j < count; ++j) out[j] = (array(x) * array(y[j])).sum();
  return 0;
}

booleantype invert_where_possible(N_Vector x, N_Vector z) {
  booleantype is_possible = SUNTRUE;
  for (sunindextype i = 0; i < content(x).size; ++i) {
    if (array(x)[i] == 0) {
      is_possible = SUNFALSE;
    } else {
      array(z)[i] = 1 / array(x)[i];
    }
  }
  return is_possible;
}

// SUNDIALS's code for the sign of a component: +-2 strict, +-1 with zero, 0 none. m marks where it is violated.
booleantype constraint_mask(N_Vector c, N_Vector x, N_Vector m) {
  bool is_kept = true;
  for (sunindextype i = 0; i < content(x).size; ++i) {
    const double kind = array(c)[i], signed_value = kind * array(x)[i];
    const bool is_violated = (std::abs(kind) > 1.5 && signed_value <= 0) || (std::abs(kind) > 0.5 && signed_value < 0);
    array(m)[i] = is_violated ? 1 : 0;
    is_kept = is_kept && !is_violated;
  }
  return is_kept ? SUNTRUE : SUNFALSE;
}

realtype least_quotient(N_Vector x, N_Vector y) {
  double least = BIG_REAL;
  for (sunindextype i = 0; i < content(x).size; ++i) {
    if (array(y)[i] != 0) least = std::min(least, array(x)[i] / array(y)[i]);
  }
  return least;
}

void set_operations(N_Vector_Ops ops) {
  ops->nvgetvectorid = [](N_Vector) { return SUNDIALS_NVEC_CUSTOM; };
  ops->nvclone = clone;
  ops->nvdestroy = destroy;
  ops->nvspace = [](N_Vector v, sunindextype* reals, sunindextype* integers) {
    *reals = content(v).size;
    *integers = 1;
  };
  ops->nvgetarraypointer = [](N_Vector v) { return content(v).values.get(); };
  ops->nvgetlength = [](N_Vector v) { return content(v).size; };

  ops->nvlinearsum = [](realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
    array(z) = a * array(x) + b * array(y);
  };
  ops->nvconst = [](realtype c, N_Vector z) { array(z) = c; };
  ops->nvprod = [](N_Vector x, N_Vector y, N_Vector z) { array(z) = array(x) * array(y); };
  ops->nvdiv = [](N_Vector x, N_Vector y, N_Vector z) { array(z) = array(x) / array(y); };
  ops->nvscale = [](realtype c, N_Vector x, N_Vector z) { array(z) = c * array(x); };
  ops->nvabs = [](N_Vector x, N_Vector z) { array(z) = array(x).abs(); };
  ops->nvinv = [](N_Vector x, N_Vector z) { array(z) = array(x).inverse(); };
  ops->nvaddconst = [](N_Vector x, realtype b, N_Vector z) { array(z) = array(x) + b; };
  ops->nvdotprod = [](N_Vector x, N_Vector y) -> realtype { return (array(x) * array(y)).sum(); };
  ops->nvmaxnorm = [](N_Vector x) -> realtype { return array(x).abs().maxCoeff(); };
  ops->nvwrmsnorm = [](N_Vector x, N_Vector w) -> realtype {
    return std::sqrt((array(x) * array(w)).square().sum() / static_cast<double>(content(x).size));
  };
  ops->nvwrmsnormmask = [](N_Vector x, N_Vector w, N_Vector id) -> realtype {
    const double sum = (array(id) > 0).select((array(x) * array(w)).square(), 0.).sum();
    return std::sqrt(sum / static_cast<double>(content(x).size));
  };
  ops->nvmin = [](N_Vector x) -> realtype { return array(x).minCoeff(); };
  ops->nvwl2norm = [](N_Vector x, N_Vector w) -> realtype { return std::sqrt((array(x) * array(w)).square().sum()); };
  ops->nvl1norm = [](N_Vector x) -> realtype { return array(x).abs().sum(); };
  ops->nvcompare = [](realtype c, N_Vector x, N_Vector z) { array(z) = (array(x).abs() >= c).cast<double>(); };
  ops->nvinvtest = invert_where_possible;
  ops->nvconstrmask = constraint_mask;
  ops->nvminquotient = least_quotient;

  ops->nvlinearcombination = combine;
  ops->nvscaleaddmulti = scale_and_add;
  ops->nvdotprodmulti = dot_products;
}

N_Vector make_handle(SUNContext context, sunindextype size) {
  N_Vector v = made(N_VNewEmpty(context));
  set_operations(v->ops);
  v->content = new Content{size, std::make_unique<double[]>(static_cast<std::size_t>(size))};
  return v;
}

// Called from C, which knows no exceptions: null is its word for no memory.
N_Vector clone(N_Vector v) {
  try {
    return make_handle(v->sunctx, content(v).size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

SUNMatrix make_matrix(SUNContext context) {
  SUNMatrix matrix = made(SUNMatNewEmpty(context));
  matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix->ops->clone = [](SUNMatrix a) { return make_matrix(a->sunctx); };
  matrix->ops->destroy = [](SUNMatrix a) { SUNMatFreeEmpty(a); };
  matrix->ops->zero = [](SUNMatrix) { return 0; };
  matrix->ops->copy = [](SUNMatrix, SUNMatrix) { return 0; };
  return matrix;
}

}  // namespace

void check(int flag, const char* call) {
  if (flag < 0) throw std::runtime_error(fmt::format("SUNDIALS: {} failed with code {}", call, flag));
}

Owned<SUNContext> make_context() {
  SUNContext context = nullptr;
  check(-std::abs(SUNContext_Create(nullptr, &context)), "SUNContext_Create");
  return Owned<SUNContext>(context);
}

Owned<N_Vector> make_vector(SUNContext context, int size) {
  return Owned<N_Vector>(make_handle(context, size));
}

double* values(N_Vector vector) {
  return content(vector).values.get();
}

DirectSolver::DirectSolver(SUNContext context, formulate::ImplicitForm& form)
    : form_(form), matrix_(make_matrix(context)), handle_(made(SUNLinSolNewEmpty(context))) {
  handle_->content = this;
  handle_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  handle_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  handle_->ops->setup = setup;
  handle_->ops->solve = solve;
  handle_->ops->free = [](SUNLinearSolver handle) {
    handle->content = nullptr;
    SUNLinSolFreeEmpty(handle);
    return 0;
  };
}

void DirectSolver::linearize(double t, const double* y, const double* dy) {
  form_.linearize(t, y, dy);
  ++linearizations;
  if (is_pattern_sure_) return;
  if (!system_ || version_ != form_.version()) {
    version_ = form_.version();
    system_ = form_.make_solver(1, 0);
  }
  is_pattern_sure_ = true;
}

int DirectSolver::setup(SUNLinearSolver handle, SUNMatrix) {
  auto& self = *static_cast<DirectSolver*>(handle->content);
  ++self.factorizations;
  self.is_singular_ = !self.system_->factor(0, self.c_);
  return self.is_singular_ ? 1 : 0;  // above zero: a shorter step may help
}

void DirectSolver::answer(double* r) {
  ++solves;
  system_->solve(0, r);
}

int DirectSolver::solve(SUNLinearSolver handle, SUNMatrix, N_Vector x, N_Vector b, realtype) {
  auto& self = *static_cast<DirectSolver*>(handle->content);
  ++self.solves;
  array(x) = self.scale_ * array(b);
  self.system_->solve(0, values(x));
  return 0;
}

MultistepStepper::MultistepStepper(formulate::ImplicitForm& form, const StepControl& control, std::string library,
                                   bool is_bdf, bool is_krylov)
    : form_(form),
      control_(control),
      n_(form.size()),
      states_(form.states()),
      library_(std::move(library)),
      method_(is_bdf ? "bdf" : "adams"),
      is_krylov_(is_krylov),
      is_bdf_(is_bdf),
      state_(static_cast<std::size_t>(states_)),
      absolute_(static_cast<std::size_t>(n_)),
      dual_before_(form.dual_evaluations),
      difference_before_(form.difference_evaluations) {
  if (control.fixed_step > 0) {
    throw Misuse(fmt::format("{} ({}) chooses its own steps; a fixed step of {} needs a one-step method", method_,
                             library_, control.fixed_step));
  }
  context_ = make_context();
  y_ = make_vector(context_.get(), n_);
  start_ = make_vector(context_.get(), n_);
  columns_.push_back(make_vector(context_.get(), n_));
  std::copy(control_.absolute.begin(), control_.absolute.begin() + states_, absolute_.begin());
}

void MultistepStepper::restart(double t, const double* x, double direction, double first_step, const double* rate) {
  const double pace = is_fresh_ ? std::numeric_limits<double>::infinity() : next_step_size();
  is_fresh_ = false;
  before_start_ = work_;
  t_ = last_t_ = origin_ = t;
  elapsed_ = 0;
  direction_ = direction;
  first_step_ = first_step;
  has_stepped_ = false;
  std::copy(x, x + states_, state_.begin());
  std::copy(x, x + states_, values(y_.get()));
  if (direct_) direct_->restart();
  form_.restart(t, x);
  // The size that a high order had reached is no advice for a start with order 1: it would be rejected again and again.
  start_trouble_ = start(first_step < 0.5 * pace ? direction * first_step : 0, rate);
  counts_ = {};
  array(start_.get()) = array(y_.get());
  remembered_ = 0;
  remember_end();
  // What a formulation adds (multipliers) has no tolerance of its own.
  for (int i = states_; i < n_; ++i) {
    absolute_[static_cast<std::size_t>(i)] = 1e-3 * control_.relative * std::max(1., std::abs(values(y_.get())[i]));
  }
}

Attempt MultistepStepper::step(double limit, Correction* correction, Step& out) {
  if (!start_trouble_.empty()) {
    fail(Attempt::no_convergence, t_, 0, counts_, -1, {});
    failure_.attempts = 0;  // none was made
    notes_.push_back(make_message(MessageCode::cannot_begin, t_, {{"why", start_trouble_}}));
    return Attempt::no_convergence;
  }
  if (std::exchange(must_restart_, false)) restart(t_, std::vector<double>(state_).data(), direction_, 0, nullptr);
  const bool is_inside = takes_correction_inside(correction);
  if (correction) {
    const double coming = next_step_size(), left = std::abs(limit - t_);
    correction->begin(t_, state_.data(), direction_ * (coming > 0 ? std::min(coming, left) : left));
  }
  const Counts before = counts_;
  not_finite_ = -1;
  heard_.clear();
  const Advance advanced = advance_visibly(limit);
  gather_work();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (advanced.flag < 0) {
    const Attempt attempt =
        direct_ && direct_->is_singular() && not_finite_ < 0 ? Attempt::singular : meaning(advanced.flag);
    const int component = attempt == Attempt::not_finite ? not_finite_
                          : attempt == Attempt::singular ? direct_->culprit()
                                                         : worst_component();
    const bool may_be_left = attempt == Attempt::no_convergence || attempt == Attempt::singular;
    if (may_be_left && leave_point(limit, out)) return Attempt::accepted;
    return fail(attempt, t_, last_t_ - t_, before, component, fmt::format("{}: {}", library_, heard_));
  }
  const double t1 = advanced.is_at_limit ? limit : time(advanced.elapsed);
  if (t1 == t_) {
    const Attempt attempt = not_finite_ < 0 ? Attempt::step_too_small : Attempt::not_finite;
    return fail(attempt, t_, used_step(), before, not_finite_ < 0 ? worst_component() : not_finite_,
                fmt::format("{}: at t = {:.17g} a step of {:.3g} no longer changes t", library_, t_, used_step()));
  }

  // The library asks whether rates are finite, not whether the state is.
  if (const auto end = array(y_.get()); !is_finite(end)) {
    if (may_begin_again()) return begin_again(0.1 * std::abs(t1 - t_), limit, correction, out);
    const auto bad = std::find_if(end.begin(), end.end(), [](double value) { return !std::isfinite(value); });
    return fail(Attempt::not_finite, t_, t1 - t_, before, static_cast<int>(bad - end.begin()), {});
  }
  const long taken = counts_.steps - before.steps;
  if (!has_stepped_ && taken == 1 && may_begin_again()) {
    const double error = error_in_middle(advanced.elapsed);
    gather_work();
    if (!(error <= most_in_middle))
      return begin_again(std::clamp(0.5 / std::sqrt(error), 0.01, 0.25) * advanced.elapsed * direction_, limit,
                         correction, out);
  }
  attempts_ = 0;
  has_stepped_ = true;
  is_single_ = taken <= 1;
  last_order_ = used_order();
  length_ = advanced.elapsed - std::exchange(elapsed_, advanced.elapsed);
  if (!is_single_) remembered_ = 0;
  remember_end();
  out.t0 = t_;
  out.t1 = t1;
  out.span = t1 - t_;
  out.h = taken > 0 ? used_step() : out.span;
  out.error = error_norm();
  out.forget_polynomial();
  std::copy(state_.begin(), state_.end(), out.start());
  std::copy(values(y_.get()), values(y_.get()) + states_, out.end());
  if (correction && !is_inside) {
    const double move = correction->apply(t1, out.end());
    if (!std::isfinite(move)) return fail(Attempt::step_too_small, t_, out.h, before, -1, "the correction failed");
    out.error = std::max(out.error, move);
    must_restart_ =
        move > 1;  // the library still has the old end: where that matters, it starts again from the new one
    if (move > 0 && !std::exchange(has_said_corrections_, true)) {
      notes_.push_back(make_message(MessageCode::corrected_between_steps, t1, {{"library", library_}}));
    }
  }
  std::copy(out.end(), out.end() + states_, state_.begin());
  work_.accepted += std::max(1L, taken);
  steps_of_order_[static_cast<std::size_t>(std::clamp(last_order_, 0, max_order))] += std::max(1L, taken);
  t_ = t1;
  return Attempt::accepted;
}

Attempt MultistepStepper::begin_again(double step_size, double limit, Correction* correction, Step& out) {
  ++attempts_;
  restart(t_, std::vector<double>(state_).data(), direction_, step_size, nullptr);
  ++before_start_.rejected;
  return step(limit, correction, out);
}

// Newton's method of the library is not damped and linearizes rarely: one step of a method that does both, and the
// library begins at its end. For equations of index 1 alone.
bool MultistepStepper::leave_point(double limit, Step& out) {
  const auto& roles = form_.roles();
  const bool is_high = std::any_of(roles.begin(), roles.end(), [](const auto& role) { return role.index > 1; });
  if (!direct_ || form_.mass_kind() == formulate::MassKind::identity || is_high || n_ != states_) return false;
  const std::vector<double> from = state_;
  std::vector<double> end;
  Work spent;
  const long long differences = form_.difference_evaluations;
  const double h = SingularStart(form_, spent)
                       .leave(
                           t_, from, direction_ * std::min(1e-3 * std::abs(limit - t_), control_.max_step),
                           [&](const std::vector<double>& error, const std::vector<double>& to) {
                             double sum = 0;
                             for (std::size_t i = 0; i < to.size(); ++i) {
                               const double part = error[i] / (absolute_[i] + control_.relative * std::abs(to[i]));
                               sum += part * part;
                             }
                             return out.error = std::sqrt(sum / static_cast<double>(to.size()));
                           },
                           end);
  residuals_ += spent.rhs - (form_.difference_evaluations - differences);
  direct_->linearizations += spent.jacobians;
  direct_->factorizations += spent.factorizations;
  direct_->solves += spent.solves;
  if (h == 0) return false;
  out.t0 = t_;
  out.t1 = t_ + h;
  out.h = out.span = h;
  std::copy(from.begin(), from.end(), out.start());
  std::copy(end.begin(), end.end(), out.end());
  out.forget_polynomial();
  gather_work();
  ++work_.accepted;
  ++steps_of_order_[1];
  attempts_ = 0;
  restart(out.t1, end.data(), direction_, 0, nullptr);
  is_single_ = false;  // its polynomial is a line
  return true;
}

// The test of a first step compares the rates at its two ends, and is blind to what they do between. So the equations
// are asked in the middle of the line: what the matrix of the step makes of their residual there is about the error of
// the step, if that is what it seems to be. In units of the tolerance.
double MultistepStepper::error_in_middle(double elapsed) {
  const Eigen::ArrayXd start = array(start_.get()), end = array(y_.get());
  const Eigen::ArrayXd middle = 0.5 * (start + end), rate = (end - start) / elapsed;
  N_Vector left = columns_[0].get();
  if (evaluate(0.5 * elapsed, middle.data(), rate.data(), values(left)) != 0) {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return std::numeric_limits<double>::infinity();
  }
  if (direct_)
    direct_->answer(values(left));
  else if (form_.mass_kind() == formulate::MassKind::identity)
    array(left) *= elapsed;
  else
    return 0;  // without a matrix nobody knows what a residual means
  const double error = mask_ ? N_VWrmsNormMask(left, weights_, mask_) : N_VWrmsNorm(left, weights_);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

// Steps of the library until t has moved, and not by rounding to the limit: far from zero, where t is coarse, the first
// ones of a start may be shorter than its rounding.
MultistepStepper::Advance MultistepStepper::advance_visibly(double limit) {
  constexpr int most = 1000;
  Advance advanced;
  double elapsed = elapsed_;
  long steps = counts_.steps;
  for (int i = 0; i < most; ++i) {
    advanced = advance(limit - origin_);
    // A return without a step, to repeat what was handed out already, is no step of ours.
    if (advanced.flag >= 0 && !advanced.is_at_limit && this->steps() == steps) advanced = advance(limit - origin_);
    steps = this->steps();
    const bool has_moved = std::exchange(elapsed, advanced.elapsed) != advanced.elapsed;
    const double t = time(elapsed);
    if (advanced.flag < 0 || advanced.is_at_limit || !has_moved || (t != t_ && t != limit)) break;
  }
  return advanced;
}

Attempt MultistepStepper::fail(Attempt attempt, double t, double step_size, const Counts& before, int component,
                               std::string text) {
  const long failed = counts_.rejected - before.rejected + counts_.failed_solves - before.failed_solves;
  failure_ = {t, step_size, static_cast<int>(std::max(1L, failed)), component};
  if (!text.empty()) notes_.push_back(make_message(MessageCode::library_warning, t, {{"text", std::move(text)}}));
  return attempt;
}

void MultistepStepper::remember_end() {
  if (++newest_ == past_.size()) newest_ = 0;
  Point& end = past_[newest_];
  end.elapsed = elapsed_;
  end.states.assign(values(y_.get()), values(y_.get()) + states_);
  remembered_ = std::min(remembered_ + 1, static_cast<int>(past_.size()));
}

// Moved by a line, so that it meets both ends as they were handed out.
bool MultistepStepper::interpolate(Step& step) {
  if (!is_single_) {  // t cannot tell more of it
    write_line(step);
    return true;
  }
  const int degree = std::max(1, last_order_);
  if (!is_bdf_ || remembered_ <= degree) return draw_by_derivatives(step, degree);
  draw_through_past(step, degree);
  return true;
}

namespace {

// Components side by side, so that what is done to all coefficients of one runs along registers.
constexpr int width = 4;
using Components = Eigen::Array<double, width, 1>;

}  // namespace

// A formula of backward differences is the derivative of the polynomial through the last points. By Newton's divided
// differences over powers of θ; the first two points are the ends of the step.
void MultistepStepper::draw_through_past(Step& step, int degree) const {
  const auto d = static_cast<std::size_t>(degree);
  std::array<const double*, max_bdf_order + 1> points;
  std::array<double, max_bdf_order + 1> at;
  const auto back = [&](std::size_t steps) -> const Point& {
    return past_[(newest_ + past_.size() - steps) % past_.size()];
  };
  const double begin = back(1).elapsed, length = back(0).elapsed - begin;
  for (std::size_t j = 0; j <= d; ++j) {
    const Point& point = back(j == 0 ? 1 : j == 1 ? 0 : j);
    points[j] = point.states.data();
    at[j] = (point.elapsed - begin) / length;
  }
  std::array<std::array<double, max_bdf_order + 1>, max_bdf_order + 1> over;  // 1 / (at[j] - at[j - level])
  for (std::size_t level = 1; level <= d; ++level) {
    for (std::size_t j = level; j <= d; ++j) over[level][j] = 1 / (at[j] - at[j - level]);
  }
  std::array<Components, max_bdf_order + 1> a;
  for (std::size_t k = 0; k <= d; ++k) a[k].setZero();
  double* c = step.make_polynomial(degree);
  for (int from = 0; from < states_; from += width) {
    const int count = std::min(width, states_ - from);
    for (std::size_t j = 0; j <= d; ++j) std::copy(points[j] + from, points[j] + from + count, a[j].data());
    for (std::size_t level = 1; level <= d; ++level) {
      for (std::size_t j = d; j >= level; --j) a[j] = (a[j] - a[j - 1]) * over[level][j];
    }
    for (std::size_t j = d; j-- > 1;) {  // the first factor is θ itself
      for (std::size_t k = j; k < d; ++k) a[k] -= at[j] * a[k + 1];
    }
    const double *x0 = step.start() + from, *x1 = step.end() + from;
    for (int i = 0; i < count; ++i) {
      *c++ = x0[i];
      *c++ = a[1][i] + ((x1[i] - points[1][from + i]) - (x0[i] - points[0][from + i]));
      for (std::size_t k = 2; k <= d; ++k) *c++ = a[k][i];
    }
  }
}

// By the derivatives of the library's polynomial at the end, shifted to the start of the step.
bool MultistepStepper::draw_by_derivatives(Step& step, int order) {
  const auto degree = static_cast<std::size_t>(order);
  while (columns_.size() <= degree) columns_.push_back(make_vector(context_.get(), n_));
  for (std::size_t k = 0; k <= degree; ++k) {
    if (derivative(static_cast<int>(k), columns_[k].get()) < 0) {
      write_line(step);
      return false;
    }
  }
  std::array<Components, max_order + 1> a;
  for (std::size_t k = 0; k <= degree; ++k) a[k].setZero();
  double* c = step.make_polynomial(order);
  for (int from = 0; from < states_; from += width) {
    const int count = std::min(width, states_ - from);
    double scale = 1;
    for (std::size_t k = 0; k <= degree; scale *= length_ / static_cast<double>(++k)) {
      a[k].head(count) = scale * array(columns_[k].get()).segment(from, count);
    }
    for (std::size_t j = 0; j < degree; ++j) {
      for (std::size_t k = degree; k > j; --k) a[k - 1] -= a[k];
    }
    const double *x0 = step.start() + from, *x1 = step.end() + from, *end = values(columns_[0].get()) + from;
    for (int i = 0; i < count; ++i) {
      a[1][i] += (x1[i] - end[i]) - (x0[i] - a[0][i]);
      a[0][i] = x0[i];
    }
    for (int i = 0; i < count; ++i) {
      for (std::size_t k = 0; k <= degree; ++k) *c++ = a[k][i];
    }
  }
  return true;
}

double MultistepStepper::next_step_size() const {
  return std::abs(has_stepped_ ? coming_step() : first_step_);
}

std::string MultistepStepper::jacobian_kind() const {
  if (is_krylov_) return "matrix-free (differences along Krylov vectors)";
  return direct_ ? form_.jacobian_kind() : "none";
}

std::vector<std::pair<std::string, long long>> MultistepStepper::steps_by_method() const {
  std::vector<std::pair<std::string, long long>> steps;
  for (std::size_t order = 0; order < steps_of_order_.size(); ++order) {
    if (steps_of_order_[order] > 0)
      steps.emplace_back(fmt::format("{} order {}", method_, order), steps_of_order_[order]);
  }
  return steps;
}

int MultistepStepper::evaluate(double elapsed, const double* y, const double* dy, double* out) {
  return guarded([&] {
    ++residuals_;
    last_t_ = time(elapsed);
    form_.residual(last_t_, y, dy, out);
    if (is_finite(Eigen::Map<Eigen::ArrayXd>(out, n_))) return 0;
    not_finite_ = static_cast<int>(std::find_if(out, out + n_, [](double r) { return !std::isfinite(r); }) - out);
    return 1;
  });
}

int MultistepStepper::set_weights(const double* y, N_Vector weights) {
  weights_ = weights;
  const Eigen::Map<const Eigen::ArrayXd> at(y, n_), absolute(absolute_.data(), n_);
  array(weights) = (absolute + control_.relative * at.abs()).inverse();
  return is_finite(array(weights)) ? 0 : -1;
}

void MultistepStepper::hear(int, const char*, const char*, char* message, void* self) {
  static_cast<MultistepStepper*>(self)->heard_ = message;
}

void MultistepStepper::gather_work() {
  counts_ = counts();
  work_.rejected = before_start_.rejected + counts_.rejected;
  work_.iterations = before_start_.iterations + counts_.iterations;
  work_.divergences = before_start_.divergences + counts_.failed_solves;
  work_.rhs = residuals_ + form_.difference_evaluations - difference_before_;
  work_.dual_rhs = form_.dual_evaluations - dual_before_;
  if (!direct_) return;
  work_.jacobians = direct_->linearizations;
  work_.factorizations = direct_->factorizations;
  work_.solves = direct_->solves;
}

int MultistepStepper::worst_component() {
  if (!weights_ || !local_errors(columns_[0].get())) return -1;
  Eigen::Index worst = -1;
  (array(columns_[0].get()) * array(weights_)).abs().maxCoeff(&worst);
  return static_cast<int>(worst);
}

double MultistepStepper::error_norm() {
  if (!local_errors(columns_[0].get())) return 0;
  return mask_ ? N_VWrmsNormMask(columns_[0].get(), weights_, mask_) : N_VWrmsNorm(columns_[0].get(), weights_);
}

}  // namespace pawl::sundials
