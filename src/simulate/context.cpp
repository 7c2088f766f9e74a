#include "simulate/context.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "pawl/contact_family.hpp"
#include "simulate/check_declarations.hpp"
#include "simulate/initial_equations.hpp"

namespace pawl::detail {

namespace {

event::LayerOptions layer_options(const Options& options, const event::FinderInfo& finder) {
  return {.finder = &finder,
          .location = {.location_tolerance = options.event_tolerance,
                       .window = options.concurrency_window,
                       .amplitude = options.concurrency_amplitude,
                       .run_length = std::abs(options.end - options.start),
                       .first_step = options.first_step.value_or(0)},
          .most_events = options.max_events,
          .fails_at_accumulation = options.at_accumulation == AtAccumulation::fail};
}

/// What is integrated: the equations of the model, with its guards among them if the finder asks for that.
std::shared_ptr<const System::Declarations> equations_of(const CompiledModel& model, const Options& options) {
  const auto& rows = event::find_finder(options.events).rows;
  if (!rows || !model.equations()->is_implicit() || model.equations()->guards.empty() || options.step)
    return model.equations();
  return formulate::append_guard_rows(model.equations(), *rows);
}

/// Where a run begins: values of the system as it was declared, and those of what its equations have beside them.
Setup checked_start(const CompiledModel& model, const Values& values, Options options) {
  check_values(values, model.system());
  const System::Declarations& declared = model.system().declarations();
  if (family_of(declared) >= 0) {
    throw Misuse(
        fmt::format("system '{}' has a family of contacts, whose spheres have no common steps: simulate() runs "
                    "it from start to end, a Simulation cannot",
                    declared.name));
  }
  const auto shared = equations_of(model, options);
  const System::Declarations& equations = *shared;
  Held held = values.held();
  held.modes.insert(held.modes.end(), equations.modes.begin() + static_cast<std::ptrdiff_t>(declared.modes.size()),
                    equations.modes.end());
  std::vector<double> start = values.start();
  if (equations.state_names.size() > declared.state_names.size()) {
    held.first_multiplier = equations.first_multiplier;
    held.first_relay = equations.first_relay;
    start.resize(equations.state_names.size(), 0.0);
    held.states = start.size();
    if (shared != model.equations()) formulate::start_guards(equations, held, options.start, start);
    std::vector<double>& absolute = options.tolerance.absolute_each;
    if (absolute.size() == declared.state_names.size()) {
      // Multipliers and guards have units of their own, which nobody has said: as if no absolute tolerances were given.
      const double least = 1e-3 * options.tolerance.relative;
      absolute.resize(start.size(), least > 0 ? least : *std::max_element(absolute.begin(), absolute.end()));
    }
  }
  Setup setup = check(shared, std::move(held), std::move(start), options);
  if (!equations.initial.empty())
    setup.start_failure = meet_initial_equations(shared, *setup.held, options.start, setup.start_state);
  return setup;
}

}  // namespace

Context::Context(const CompiledModel& model, const Values& values, const Options& options)
    : setup(checked_start(model, values, options)) {
  Facts facts = facts_of(*setup.declarations);
  if (setup.declarations->is_implicit()) {
    implicit.emplace(setup, nullptr);
    implicit->analyze(read_solver(options.implicit), field);
    facts.allows_rosenbrock = implicit->allows_rosenbrock();
    facts.equations = implicit->facts();
  }
  plan = make_plan(facts, options);
  const Method& method = *plan.method.value;
  check_method(setup, method.name, method.is_adaptive);
  setup.method = method.name;
  if (plan.has_manifold) manifold = OnManifold::make(setup, plan);
  if (!implicit) implicit.emplace(setup, manifold.get());
  implicit->begin(plan);
  if (!plan.method.why.empty()) {
    setup.messages.push_back(
        make_message(MessageCode::method_chosen, options.start,
                     {{"method", method.name}, {"title", method.title}, {"why", plan.method.why}}));
  }
  if (model.is_mixture()) say_who_solves();
  const Function& rates = setup.dynamics->rates();
  around.held = setup.held.get();
  field = {rates.entry<double>(), rates.functor(), setup.held->parameters.data(), &around};
  control = step_control(setup);
  events.emplace(*setup.dynamics, setup.held, field, control, layer_options(options, *plan.finder), setup.size());
  companions = events->append_guards();
  driver.emplace(make_parts());
  loop.emplace(setup, *driver, *events, control);
  loop->say(std::move(setup.messages));
  loop->begin();
}

/// Of a mixture: what its plan has beyond the method.
void Context::say_who_solves() {
  const Recommendation words = in_words(plan, setup.options);
  const double t = setup.options.start;
  if (!words.field.why.empty())
    setup.messages.push_back(
        make_message(MessageCode::field_chosen, t, {{"field", words.field.value}, {"why", words.field.why}}));
  if (!words.solver.why.empty())
    setup.messages.push_back(
        make_message(MessageCode::solver_chosen, t, {{"solver", words.solver.value}, {"why", words.solver.why}}));
}

DriverParts Context::make_parts() {
  const VectorField all{companions ? &companions->field : &field};
  const int size = companions ? companions->whole.size() : setup.size();
  DriverParts parts = implicit->make_methods(all, size, companions ? companions->control : control);
  if (manifold) parts.keeper = &manifold->make_keeper({all, control, size});
  parts.companions = companions.get();
  return parts;
}

void Context::change(double t, event::Change jump) {
  changes.push_back({loop->passes(), loop->is_held_back(), t, jump});
  loop->change(t, jump);
}

void Context::carry(Memory& memory) {
  if (manifold) manifold->carry(memory);
  loop->carry(memory);
  implicit->carry(memory, events->held());
  memory(changes, wall_seconds);
}

void Context::retrace(const std::vector<OutsideChange>& way, long long passes, bool is_held_back) {
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

Result Context::finish() {
  Result result = loop->finish(wall_seconds);
  implicit->report(*driver, result.statistics);
  result.plan = in_words(plan, setup.options);
  if (auto used = driver->methods_used(); used.size() == 1)
    result.method = std::move(used.front());
  else if (!used.empty())
    result.method = fmt::format("{}", fmt::join(used, ", "));
  for (Message& note : implicit->take_notes()) result.messages.push_back(std::move(note));
  if (!manifold) return result;
  for (Message& message : manifold->notes(setup.options, result)) result.messages.push_back(std::move(message));
  manifold->report(result, result.statistics);
  return result;
}

Result run(const Setup& setup, Stepper& stepper) {
  const Function& rates = setup.dynamics->rates();
  ActiveField field{rates.entry<double>(), rates.functor(), setup.held->parameters.data()};
  const StepControl control = step_control(setup);
  event::Layer events(*setup.dynamics, setup.held, field, control,
                      layer_options(setup.options, event::find_finder(setup.options.events)), setup.size());
  Driver driver(stepper);
  Loop loop(setup, driver, events, control);
  loop.say(setup.messages);
  const Stopwatch watch;
  loop.begin();
  loop.run();
  return loop.finish(watch.seconds());
}

}  // namespace pawl::detail
