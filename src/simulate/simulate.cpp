#include "pawl/simulate.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "pawl/run.hpp"
#include "simulate/advice.hpp"
#include "simulate/recorder.hpp"

namespace pawl {

namespace {

struct Choice {
  const Method* method;
  std::string why;  // empty: the user chose
};

/// `auto`: the higher the wanted accuracy, the higher the order that pays (docs/benchmarks.md). Between, dop853: its
/// dense output is cheaper than that of verner-7, and results keep their polynomials unless told otherwise.
Choice choose_method(const Options& options) {
  if (options.method != "auto") return {&find_method(options.method), {}};
  if (options.step) return {&find_method("rk4"), "a fixed step is given"};
  const Tolerance& tolerance = options.tolerance;
  const double relative = tolerance.relative > 0 ? tolerance.relative : tolerance.absolute.value_or(1e-6);
  const std::string_view name = relative > 1e-5 ? "tsitouras-5" : relative > 1e-8 ? "dop853" : "verner-9";
  return {&find_method(name), fmt::format("tolerance {:g}", relative)};
}

}  // namespace

Result simulate(const System& system, const Options& options) {
  return simulate(system, Values(system), options);
}

Result simulate(const System& system, const Values& values, const Options& options) {
  if (!values.belong_to(system))
    throw Misuse(fmt::format("the values are not of system '{}' as it is now: make them after its last declaration",
                             system.name()));
  const Choice choice = choose_method(options);
  detail::Setup setup = detail::check(system.share(), values.parameters(), values.start(), options);
  detail::check_method(setup, choice.method->name, choice.method->is_adaptive);
  setup.method = choice.method->name;
  if (!choice.why.empty()) {
    setup.messages.push_back(
        {Message::Level::note, options.start,
         fmt::format("method auto: {} ({}), because: {}", choice.method->name, choice.method->title, choice.why)});
  }
  const Function& rates = setup.declarations->rates;
  const VectorField field{rates.entry<double>(), rates.functor(), setup.parameters->data()};
  const auto stepper = choice.method->make(field, setup.size(), detail::step_control(setup));
  return detail::run(setup, *stepper);
}

namespace detail {

namespace {

/// Says, once each, what a user should know about a run that goes on all the same.
class Watch {
 public:
  Watch(const Setup& setup, Recorder& recorder) : setup_(setup), recorder_(recorder) {}

  void report_stiffness(const Stiffness& stiffness, const Step& step) {
    if (std::exchange(is_stiff_, true)) return;
    const StiffnessReport report = describe(stiffness, setup_, step.end());
    recorder_.add({Message::Level::warning, step.t1, report.text});
    evaluations_ += report.evaluations;
  }
  void report_lower_polynomial(const Step& step) {
    if (std::exchange(has_lower_polynomial_, true)) return;
    recorder_.add(
        {Message::Level::warning, step.t0,
         fmt::format("between t = {:.10g} and {:.10g} a rate is not finite: the trajectory inside this step is drawn "
                     "through its ends alone, with lower accuracy",
                     step.t0, step.t1)});
  }
  int evaluations() const { return evaluations_; }

 private:
  const Setup& setup_;
  Recorder& recorder_;
  bool is_stiff_ = false, has_lower_polynomial_ = false;
  int evaluations_ = 0;
};

struct Ending {
  Outcome outcome = Outcome::finished;
  std::string reason;
};

/// An exception of the progress callback, told apart from those of the model.
struct ProgressFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool goes_on(const Options& options, double t, long long steps) {
  if (!options.progress) return true;
  try {
    return options.progress({t, options.start, options.end, steps});
  } catch (const std::exception& error) {
    throw ProgressFailure(error.what());
  }
}

/// The loop: one accepted step after the other, each recorded, until the end or whatever comes before it.
Ending advance(const Setup& setup, Stepper& stepper, Recorder& recorder, Watch& watch, Step& step) {
  const Options& options = setup.options;
  double t = options.start;
  Attempt attempt = Attempt::accepted;
  recorder.begin(setup);
  stepper.restart(t, setup.start_state.data(), options.end < t ? -1 : 1, options.first_step.value_or(0));
  while (t != options.end && (attempt = stepper.step(options.end, nullptr, step)) == Attempt::accepted) {
    if (recorder.needs_polynomial(step) && !stepper.interpolate(step)) watch.report_lower_polynomial(step);
    recorder.record(step);
    t = step.t1;
    if (stepper.stiffness()) watch.report_stiffness(*stepper.stiffness(), step);
    if (!goes_on(options, t, stepper.work().accepted) && t != options.end)
      return {Outcome::stopped, fmt::format("stopped by the user at t = {:.10g}", t)};
  }
  if (attempt == Attempt::accepted) return {};
  return {Outcome::failed, describe(attempt, stepper.failure(), setup)};
}

/// Whatever was thrown on the way, in words. Called while an exception is being handled.
std::string describe_exception(double t) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fmt::format(
        "t = {:.10g}: out of memory.\n"
        "  try:    keep less (Keep::samples or Keep::end), a longer step, or fewer samples",
        t);
  } catch (const ProgressFailure& error) {
    return fmt::format("t = {:.10g}: the progress callback threw: {}", t, error.what());
  } catch (const std::exception& error) {
    return fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  } catch (...) {
    return fmt::format("t = {:.10g}: a function of the model threw something that is no std::exception", t);
  }
}

}  // namespace

Result run(const Setup& setup, Stepper& stepper) {
  const auto began = std::chrono::steady_clock::now();
  Recorder recorder(setup);
  Watch watch(setup, recorder);
  Step step(setup.size());
  Ending ending;
  try {
    ending = advance(setup, stepper, recorder, watch, step);
  } catch (...) {
    ending = {Outcome::failed, describe_exception(recorder.time())};
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  Work work = stepper.work();
  work.rhs += watch.evaluations();
  return recorder.finish(ending.outcome, std::move(ending.reason), step, work, elapsed.count());
}

}  // namespace detail
}  // namespace pawl
