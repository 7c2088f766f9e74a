#include "pawl/simulate.hpp"

#include <chrono>
#include <cmath>
#include <exception>

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

/// `auto`: the higher the wanted accuracy, the higher the order that pays (docs/benchmarks.md, work against precision).
Choice choose_method(const Options& options) {
  if (options.method != "auto") return {&find_method(options.method), {}};
  if (options.step) return {&find_method("rk4"), "a fixed step is given"};
  const double relative = options.tolerance.relative;
  const std::string_view name = relative > 1e-5 ? "tsitouras-5" : relative > 1e-8 ? "dop853" : "verner-9";
  return {&find_method(name), fmt::format("relative tolerance {:g}", relative)};
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

Result run(const Setup& setup, Stepper& stepper) {
  const auto began = std::chrono::steady_clock::now();
  const Options& options = setup.options;
  Recorder recorder(setup);
  Step step(setup.size());
  double t = options.start;
  bool is_stiff = false;
  int extra_evaluations = 0;
  Outcome outcome = Outcome::finished;
  std::string reason;
  try {
    Attempt attempt = Attempt::accepted;
    stepper.restart(t, setup.start_state.data(), options.end < t ? -1 : 1, options.first_step.value_or(0));
    while (t != options.end && (attempt = stepper.step(options.end, nullptr, step)) == Attempt::accepted) {
      if (recorder.needs_polynomial(step)) stepper.interpolate(step);
      recorder.record(step);
      t = step.t1;
      if (!is_stiff && stepper.stiffness()) {
        is_stiff = true;
        const StiffnessReport report = describe(*stepper.stiffness(), setup, step.end());
        recorder.add({Message::Level::warning, t, report.text});
        extra_evaluations = report.evaluations;
      }
      if (options.progress && !options.progress({t, options.start, options.end, stepper.work().accepted})) {
        outcome = Outcome::stopped;
        reason = fmt::format("stopped by the user at t = {:.10g}", t);
        break;
      }
    }
    if (attempt != Attempt::accepted) {
      outcome = Outcome::failed;
      reason = describe(attempt, stepper.failure(), setup);
    }
  } catch (const std::exception& error) {
    outcome = Outcome::failed;
    reason = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  } catch (...) {
    outcome = Outcome::failed;
    reason = fmt::format("t = {:.10g}: a function of the model threw something that is no std::exception", t);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  Work work = stepper.work();
  work.rhs += extra_evaluations;
  return recorder.finish(outcome, std::move(reason), step, work, elapsed.count());
}

}  // namespace detail
}  // namespace pawl
