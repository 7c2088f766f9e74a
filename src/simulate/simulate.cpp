#include "pawl/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "event/layer.hpp"
#include "integrate/methods.hpp"
#include "pawl/run.hpp"
#include "simulate/advice.hpp"
#include "simulate/choice.hpp"
#include "simulate/implicit_run.hpp"
#include "simulate/on_manifold.hpp"
#include "simulate/recorder.hpp"
#include "simulate/whole_model.hpp"
#include "system/foreign_handle.hpp"

namespace pawl {

namespace {

event::LayerOptions layer_options(const Options& options) {
  return {.finder = options.events,
          .location = {.location_tolerance = options.event_tolerance,
                       .window = options.concurrency_window,
                       .amplitude = options.concurrency_amplitude,
                       .run_length = std::abs(options.end - options.start),
                       .first_step = options.first_step.value_or(0)},
          .most_events = options.max_events,
          .fails_at_accumulation = options.at_accumulation == AtAccumulation::fail};
}

}  // namespace

Result simulate(const System& system, const Options& options) {
  return simulate(system, Values(system), options);
}

Result simulate(const System& system, const Values& values, const Options& options) {
  const detail::WholeModel whole = detail::whole_model(system, values, options);
  const System::Declarations& model = *whole.model;
  Facts facts = detail::facts_of(model);
  Recommendation choice = detail::recommend(facts, options);
  const Method* method = &find_method(choice.method.value);
  detail::check_choice(*method, options);
  detail::Setup setup = detail::check(whole.model, whole.held, whole.start, whole.options);
  detail::check_method(setup, method->name, method->is_adaptive);
  const auto manifold = detail::OnManifold::make(setup, method->is_implicit() ? choice.formulation.value : "");
  detail::ImplicitRun implicit(setup, manifold.get());
  if (model.is_implicit()) {
    implicit.derive(*method);
    facts.allows_rosenbrock = implicit.allows_rosenbrock();
    choice = detail::recommend(facts, options);
    method = &find_method(choice.method.value);
  }
  const Method* const stiff = choice.when_stiff.value.empty() ? nullptr : &find_method(choice.when_stiff.value);
  setup.method = method->name;
  if (!choice.method.why.empty()) {
    setup.messages.push_back(
        {Message::Level::note, options.start,
         fmt::format("method auto: {} ({}), because: {}", method->name, method->title, choice.method.why)});
  }
  const Function& rates = setup.declarations->rates;
  const detail::Surroundings<double> around{setup.held.get()};
  ActiveField field{rates.entry<double>(), rates.functor(), setup.held->parameters.data(), &around};
  const StepControl control = detail::step_control(setup);
  const event::StepperMaker plain = stiff != nullptr        ? implicit.switching(*method, *stiff)
                                    : method->is_implicit() ? implicit.steppers(*method)
                                                            : method->make;
  const event::StepperMaker make = manifold ? manifold->steppers(plain, control) : plain;
  implicit.follow(field);
  const auto stepper = make(VectorField{&field}, setup.size(), control);
  const Stepper* used = stepper.get();
  const auto finish = [&](Result result) {
    implicit.report(*used, result.statistics);
    if (stiff != nullptr && result.statistics.implicit && !result.statistics.implicit->steps.empty() &&
        result.statistics.implicit->steps.front().method != method->name)
      result.method = stiff->name;  // from the first step on
    for (std::string& note : implicit.take_notes())
      result.messages.push_back({Message::Level::warning, options.start, std::move(note)});
    if (!manifold) return result;
    for (Message& message : manifold->notes(options, result)) result.messages.push_back(std::move(message));
    manifold->report(result, result.statistics);
    return result;
  };
  if (!setup.declarations->has_events()) return finish(detail::run(setup, *stepper));
  event::Layer events(*setup.declarations, *setup.held, field, control, layer_options(options), setup.size());
  const auto with_guards = events.append_guards(make);
  if (with_guards) used = with_guards.get();
  return finish(detail::run(setup, with_guards ? *with_guards : *stepper, &events));
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
  void report(std::vector<StepperNote> notes) {
    for (StepperNote& note : notes) {
      const bool is_change = note.text.starts_with("method auto");  // each of these is news
      if (!is_change && !said_.insert(note.text).second) continue;
      recorder_.add({note.is_warning ? Message::Level::warning : Message::Level::note, note.t, std::move(note.text)});
    }
  }
  int evaluations() const { return evaluations_; }

 private:
  const Setup& setup_;
  Recorder& recorder_;
  bool is_stiff_ = false, has_lower_polynomial_ = false;
  std::unordered_set<std::string> said_;
  int evaluations_ = 0;
};

struct Ending {
  Outcome outcome = Outcome::finished;
  std::string reason;
};

/// An exception of a callback of the user, told apart from those of the model.
struct CallbackFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether the user wants to go on.
template <class Callback>
bool goes_on(std::string_view name, const Callback& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw CallbackFailure(fmt::format("{} threw: {}", name, error.what()));
  }
}
bool makes_progress(const Options& options, double t, long long steps) {
  if (!options.progress) return true;
  return goes_on("the progress callback", [&] { return options.progress({t, options.start, options.end, steps}); });
}
bool is_observed(const Setup& setup, double t, const double* x, const Recorder& recorder) {
  if (!setup.options.observer) return true;
  const Instant now{t, {x, x + setup.size()}, recorder.held(), setup.declarations};
  return goes_on("the observer", [&] { return setup.options.observer(now); });
}
Ending stopped(double t) {
  return {Outcome::stopped, fmt::format("stopped by the user at t = {:.10g}", t)};
}

Ending ending_of(const event::Verdict& verdict) {
  return {verdict.ending == event::Ending::terminated ? Outcome::terminated : Outcome::failed, verdict.reason};
}

/// The piece of trajectory over which infinitely many events are passed: a straight line to where they accumulate.
void write_line(double t1, const std::vector<double>& x0, const std::vector<double>& x1, Step& step) {
  step.t0 = step.t1;
  step.t1 = t1;
  step.h = step.span = step.t1 - step.t0;
  step.error = 0;
  double* c = step.make_polynomial(1);
  for (std::size_t i = 0; i < x0.size(); ++i) {
    step.start()[i] = c[2 * i] = x0[i];
    step.end()[i] = x1[i];
    c[2 * i + 1] = x1[i] - x0[i];
  }
}

/// Whether the run will come to its end in a lifetime.
class Pace {
 public:
  explicit Pace(double t) : mark_(t) {}

  bool is_hopeless(double t, double end) {
    if (++steps_ < window) return false;
    steps_ = 0;
    advance_ = std::abs(t - mark_);
    mark_ = t;
    return std::abs(end - t) > 1e6 * advance_;  // ten thousand million steps
  }
  std::string describe(const Setup& setup, const StepControl& control, const Step& step, bool is_stiff) const {
    std::size_t fastest = 0;
    double largest = -1;
    for (std::size_t i = 0; i < control.absolute.size(); ++i) {
      const double scale = control.absolute[i] + control.relative * std::abs(step.end()[i]);
      const double change = std::abs(step.end()[i] - step.start()[i]) / scale;
      if (change > largest) largest = change, fastest = i;
    }
    return fmt::format(
        "t = {:.10g}: the last {} steps have come only {:.2g} further, and at this pace the run would never end; '{}' "
        "changes fastest.\n"
        "  likely: {}\n"
        "  try:    {}",
        step.t1, window, advance_, setup.declarations->state_names[fastest],
        is_stiff ? "the problem is stiff"
                 : "the solution grows without bound, or the model jumps here and no guard, condition or relay says so",
        is_stiff ? "the method auto or radau"
                 : "declare the switch, so that it is found and passed; if both sides push onto it, as a relay");
  }

 private:
  static constexpr int window = 10000;
  double mark_, advance_ = 0;
  int steps_ = 0;
};

/// Where a run stands.
struct Stand {
  double t;
  std::vector<double> x;
  bool needs_restart = false;
  const double* rate = nullptr;  // at x, where it is known
};

/// What happens at the end of a step with an event, and at accumulation points that follow from it.
std::optional<Ending> transition(const std::optional<event::Found>& found, event::Layer& events, Recorder& recorder,
                                 const Setup& setup, Step& step, Stand& stand) {
  event::Verdict verdict = events.happen(step, found, stand.x, recorder.events());
  recorder.jump(stand.t, stand.x, events.snapshot());
  if (verdict.goes_on()) {
    const auto limit = events.take_accumulation();
    const double direction = setup.options.end < setup.options.start ? -1 : 1;
    const double next = events.limit(setup.options.end);
    if (limit && direction * (next - limit->time) > 0 && direction * (limit->time - stand.t) >= 0) {
      if (limit->time != stand.t) {
        write_line(limit->time, stand.x, limit->state, step);
        recorder.record(step);
      }
      stand.t = limit->time;
      stand.x = limit->state;
      verdict = events.accumulate(*limit, stand.x, recorder.events());
      recorder.jump(stand.t, stand.x, events.snapshot());
    }
  }
  if (!verdict.goes_on()) return ending_of(verdict);
  stand.needs_restart = true;
  stand.rate = events.rate().data();
  return std::nullopt;
}

/// The loop: one accepted step after the other, cut by the first event in it, recorded, until the end or whatever comes
/// before it.
Ending advance(const Setup& setup, Stepper& stepper, event::Layer* events, Recorder& recorder, Watch& watch,
               Step& step) {
  const Options& options = setup.options;
  const double direction = options.end < options.start ? -1 : 1;
  const StepControl control = step_control(setup);
  Stand now{options.start, setup.start_state};
  event::Verdict verdict;
  if (!setup.start_failure.empty()) {
    recorder.begin(now.t, now.x, setup.held);
    return {Outcome::failed, setup.start_failure};
  }
  if (events != nullptr) {
    verdict = events->begin(now.t, options.end, now.x);
    events->report(recorder.events());
  }
  recorder.begin(now.t, now.x, events != nullptr ? events->snapshot() : setup.held);
  if (!verdict.goes_on()) return ending_of(verdict);
  stepper.restart(now.t, now.x.data(), direction,
                  events != nullptr ? events->start_step() : options.first_step.value_or(0),
                  events != nullptr          ? events->rate().data()
                  : setup.start_rate.empty() ? nullptr
                                             : setup.start_rate.data());
  const auto correction = [&] {
    return setup.pull ? setup.pull.get() : events != nullptr ? events->correction() : nullptr;
  };
  Attempt attempt = Attempt::accepted;
  Pace pace(now.t);
  while (now.t != options.end) {
    const double limit = events != nullptr ? events->limit(options.end) : options.end;
    const bool is_micro = events != nullptr && events->micro_step(now.t, now.x, limit, step);
    if (!is_micro) {
      if (now.needs_restart)
        stepper.restart(now.t, now.x.data(), direction, events->first_step(stepper.next_step_size()), now.rate);
      if ((attempt = stepper.step(limit, correction(), step)) != Attempt::accepted) break;
    }
    now.needs_restart = is_micro;
    now.rate = nullptr;
    std::optional<event::Found> found;
    if (events != nullptr) {
      if (!is_micro) events->remember_step(stepper.next_step_size());
      event::Trial trial(step, is_micro ? nullptr : &stepper, correction(), control, options.end, limit);
      found = events->first(trial);
      now.needs_restart |= trial.was_cut;
      if (trial.is_lower) watch.report_lower_polynomial(step);
    }
    if (step.degree() == 0 && recorder.needs_polynomial(step) && !stepper.interpolate(step))
      watch.report_lower_polynomial(step);
    if (step.t1 != step.t0) recorder.record(step);
    now.t = step.t1;
    if (step.t1 != step.t0 && !is_observed(setup, now.t, step.end(), recorder) && now.t != options.end)
      return stopped(now.t);
    if (events != nullptr) {
      events->report(recorder.events());
      now.x.assign(step.end(), step.end() + step.size());
      if (found || events->is_due(step, found)) {
        if (const auto ending = transition(found, *events, recorder, setup, step, now)) return *ending;
        if (!is_observed(setup, now.t, now.x.data(), recorder) && now.t != options.end) return stopped(now.t);
      }
    }
    if (stepper.stiffness()) watch.report_stiffness(*stepper.stiffness(), step);
    watch.report(stepper.take_notes());
    if (!options.step && pace.is_hopeless(now.t, options.end))
      return {Outcome::failed, pace.describe(setup, control, step, stepper.stiffness().has_value())};
    if (!makes_progress(options, now.t, stepper.work().accepted) && now.t != options.end) return stopped(now.t);
  }
  const std::vector<StepperNote> last_words = stepper.take_notes();
  if (attempt == Attempt::accepted) {
    watch.report(last_words);
    return {};
  }
  if (stepper.failure().attempts == 0 && !last_words.empty())  // the piece cannot even begin, and the stepper says why
    return {Outcome::failed, fmt::format("t = {:.10g}: {}", stepper.failure().t, last_words.back().text)};
  watch.report(last_words);
  const std::string why = setup.explain ? setup.explain() : std::string();
  return {Outcome::failed,
          why.empty() ? describe(attempt, stepper.failure(), setup) + (setup.hint ? setup.hint() : std::string())
                      : fmt::format("t = {:.10g}: {}", stepper.failure().t, why)};
}

/// Whatever was thrown on the way, in words. Called while an exception is being handled.
std::string describe_exception(double t, const event::Layer* events) {
  try {
    throw;
  } catch (const event::GuardNotANumber& failure) {
    return events->describe(failure);
  } catch (const std::bad_alloc&) {
    return fmt::format(
        "t = {:.10g}: out of memory.\n"
        "  try:    keep less (Keep::samples or Keep::end), a longer step, or fewer samples",
        t);
  } catch (const Misuse& error) {
    return fmt::format("t = {:.10g}: {}", t, error.what());
  } catch (const CallbackFailure& error) {
    return fmt::format("t = {:.10g}: {}", t, error.what());
  } catch (const std::exception& error) {
    return fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  } catch (...) {
    return fmt::format("t = {:.10g}: a function of the model threw something that is no std::exception", t);
  }
}

}  // namespace

Result run(const Setup& setup, Stepper& stepper, event::Layer* events) {
  const auto began = std::chrono::steady_clock::now();
  Recorder recorder(setup);
  Watch watch(setup, recorder);
  Step step(setup.size());
  Ending ending;
  try {
    ending = advance(setup, stepper, events, recorder, watch, step);
  } catch (const ForeignHandle&) {
    throw;  // a model that cannot be meant, not trouble met on the way
  } catch (...) {
    ending = {Outcome::failed, describe_exception(recorder.time(), events)};
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  Work work = stepper.work();
  work.rhs += watch.evaluations();
  if (events != nullptr) {
    work.rhs += events->evaluations();
    recorder.take(events->statistics());
  }
  return recorder.finish(ending.outcome, std::move(ending.reason), step, work, elapsed.count());
}

}  // namespace detail
}  // namespace pawl
