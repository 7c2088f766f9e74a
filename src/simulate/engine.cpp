#include "simulate/engine.hpp"

#include <cmath>

#include <fmt/format.h>

#include "simulate/choice.hpp"
#include "simulate/whole_model.hpp"

namespace pawl::detail {

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

Engine::Engine(const System& system, const Values& values, const Options& options) {
  const WholeModel whole = whole_model(system, values, options);
  Facts facts = facts_of(*whole.model);
  Recommendation choice = recommend(facts, options);
  method = &find_method(choice.method.value);
  check_choice(*method, options);
  setup = check(whole.model, whole.held, whole.start, whole.options);
  check_method(setup, method->name, method->is_adaptive);
  manifold = OnManifold::make(setup, method->is_implicit() ? choice.formulation.value : "");
  implicit.emplace(setup, manifold.get());
  if (whole.model->is_implicit()) {
    implicit->derive(*method);
    facts.allows_rosenbrock = implicit->allows_rosenbrock();
    choice = recommend(facts, options);
    method = &find_method(choice.method.value);
  }
  stiff = choice.when_stiff.value.empty() ? nullptr : &find_method(choice.when_stiff.value);
  setup.method = method->name;
  if (!choice.method.why.empty()) {
    setup.messages.push_back(
        {Message::Level::note, options.start,
         fmt::format("method auto: {} ({}), because: {}", method->name, method->title, choice.method.why)});
  }
  const Function& rates = setup.declarations->rates;
  around.held = setup.held.get();
  field = {rates.entry<double>(), rates.functor(), setup.held->parameters.data(), &around};
  control = step_control(setup);
  implicit->follow(field);
  const event::StepperMaker plain = stiff != nullptr        ? implicit->switching(*method, *stiff)
                                    : method->is_implicit() ? implicit->steppers(*method)
                                                            : method->make;
  const event::StepperMaker make = manifold ? manifold->steppers(plain, control) : plain;
  stepper = make(VectorField{&field}, setup.size(), control);
  events.emplace(*setup.declarations, *setup.held, field, control, layer_options(options), setup.size());
  with_guards = events->append_guards(make);
  loop.emplace(setup, with_guards ? *with_guards : *stepper, *events);
  loop->begin();
}

void Engine::change(double t, event::Change jump) {
  changes.push_back({loop->passes(), loop->is_held_back(), t, jump});
  loop->change(t, jump);
}

void Engine::carry(Memory& memory) {
  if (manifold) manifold->carry(memory);
  loop->carry(memory);
  implicit->carry(memory, events->held());
  memory(changes, wall_seconds);
}

void Engine::retrace(const std::vector<OutsideChange>& way, long long passes, bool is_held_back) {
  const auto go_to = [this](long long target, bool holds_back) {
    while (loop->passes() < target) loop->advance();
    if (holds_back && !loop->is_held_back()) loop->hold_back();
  };
  for (const OutsideChange& one : way) {
    go_to(one.passes, one.is_held_back);
    change(one.t, one.jump);
  }
  go_to(passes, is_held_back);
}

Result Engine::finish() {
  Result result = loop->finish(wall_seconds);
  implicit->report(with_guards ? *with_guards : *stepper, result.statistics);
  if (stiff != nullptr && result.statistics.implicit && !result.statistics.implicit->steps.empty() &&
      result.statistics.implicit->steps.front().method != method->name)
    result.method = stiff->name;  // from the first step on
  for (std::string& note : implicit->take_notes())
    result.messages.push_back({Message::Level::warning, setup.options.start, std::move(note)});
  if (!manifold) return result;
  for (Message& message : manifold->notes(setup.options, result)) result.messages.push_back(std::move(message));
  manifold->report(result, result.statistics);
  return result;
}

Result run(const Setup& setup, Stepper& stepper) {
  const Function& rates = setup.declarations->rates;
  ActiveField field{rates.entry<double>(), rates.functor(), setup.held->parameters.data()};
  const StepControl control = step_control(setup);
  event::Layer events(*setup.declarations, *setup.held, field, control, layer_options(setup.options), setup.size());
  Loop loop(setup, stepper, events);
  const Stopwatch watch;
  loop.begin();
  loop.run();
  return loop.finish(watch.seconds());
}

}  // namespace pawl::detail
