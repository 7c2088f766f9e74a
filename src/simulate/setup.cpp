// What can be run and what cannot: every number and name is checked here, once, before the loop starts.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "event/finder.hpp"
#include "event/unlocked.hpp"
#include "numerics/call_words.hpp"
#include "pawl/integrate.hpp"
#include "pawl/run.hpp"
#include "system/dynamics.hpp"

namespace pawl::detail {

namespace {

void check_model(const System::Declarations& model, const Held& held) {
  const auto n = model.state_names.size();
  if (n == 0) throw Misuse(fmt::format("system '{}' has no states: declare them with state(name, start)", model.name));
  if (static_cast<std::size_t>(model.rates.rows()) > n)
    throw Misuse(fmt::format("system '{}': the rates have {} rows, and there {} {} state{}", model.name,
                             model.rates.rows(), n == 1 ? "is" : "are", n, n == 1 ? "" : "s"));
  if (model.is_implicit()) return;        // rates and equations are counted together, where they are put together
  std::vector<bool> needs_rate(n, true);  // what a mechanism moves needs none
  if (model.port_hamiltonian) needs_rate.assign(n, false);
  if (model.mechanics) {
    for (const auto* states : {&model.mechanics->positions, &model.mechanics->speeds})
      for (const int state : *states) needs_rate[static_cast<std::size_t>(state)] = false;
    if (model.mechanics->friction_work >= 0)
      needs_rate[static_cast<std::size_t>(model.mechanics->friction_work)] = false;
  }
  const auto needy = std::find(needs_rate.begin(), needs_rate.end(), true);
  if (needy == needs_rate.end() && !model.rates) return;
  if (!model.rates) {
    throw Misuse(fmt::format(
        "system '{}' has no rates{}: declare them with rates(f)", model.name,
        model.mechanics
            ? fmt::format(" for '{}'", model.state_names[static_cast<std::size_t>(needy - needs_rate.begin())])
            : ""));
  }
  if (!model.rates.supports<Pattern>()) return;
  const std::vector<Pattern> x(n);
  std::vector<Pattern> rates(n, Pattern::unassigned());
  try {
    const detail::Surroundings<Pattern> around{&held};
    model.rates(Point<Pattern>(Pattern(), x.data(), held.parameters.data(), &around), rates.data());
  } catch (...) {
    return;  // it will throw again when the run evaluates it, and be an outcome
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!needs_rate[i] && rates[i].is_assigned())
      throw Misuse(fmt::format("system '{}': the rates assign d[{}], which the mechanism moves", model.name,
                               model.state_names[i]));
    if (needs_rate[i] && !rates[i].is_assigned())
      throw Misuse(fmt::format("system '{}': the rates never assign d[{}]", model.name, model.state_names[i]));
  }
}

void check_start(const System::Declarations& model, const std::vector<double>& parameters,
                 const std::vector<double>& start) {
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!std::isfinite(start[i]))
      throw Misuse(fmt::format("system '{}': the start value of '{}' is {}, it must be finite", model.name,
                               model.state_names[i], start[i]));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (std::isnan(parameters[i]))
      throw Misuse(fmt::format("system '{}': the parameter '{}' is nan", model.name, model.parameter_names[i]));
  }
}

void check_numbers(const System::Declarations& model, const Held& held) {
  for (std::size_t i = 0; i < held.numbers.size(); ++i) {
    if (std::isnan(held.numbers[i]))
      throw Misuse(fmt::format("system '{}': the discrete '{}' is nan", model.name, model.number_names[i]));
  }
}

void check_tolerance(const Tolerance& tolerance, const std::vector<std::string>& states) {
  const double relative = tolerance.relative;
  if (!(relative == 0 || (relative >= 1e-15 && relative < 1)))
    throw Misuse(
        fmt::format("relative tolerance {:g}: it must be 0, or at least 1e-15 (rounding) and below 1", relative));
  if (!tolerance.absolute_each.empty() && tolerance.absolute_each.size() != states.size())
    throw Misuse(fmt::format("{} absolute tolerances for {} states", tolerance.absolute_each.size(), states.size()));
  const auto check_absolute = [](double absolute, const std::string& what) {
    if (!(absolute > 0 && std::isfinite(absolute)))
      throw Misuse(fmt::format("absolute tolerance {:g}{}: it must be above 0, so that a state at zero has a scale",
                               absolute, what));
  };
  for (std::size_t i = 0; i < tolerance.absolute_each.size(); ++i)
    check_absolute(tolerance.absolute_each[i], fmt::format(" for '{}'", states[i]));
  if (tolerance.absolute_each.empty()) check_absolute(tolerance.absolute.value_or(relative * 1e-3), "");
}

void check_positive(double value, std::string_view what) {
  if (!(value > 0)) throw Misuse(fmt::format("{} {:g}: it must be above 0", what, value));
}

void check_finite(double value, std::string_view what) {
  if (std::isinf(value)) throw Misuse(fmt::format("{} {:g}: it must be finite", what, value));
}

/// Above zero, and long enough to move the time at all, wherever in the run.
void check_step(double value, std::string_view what, const Options& options) {
  check_positive(value, what);
  const double largest_time = std::max(std::abs(options.start), std::abs(options.end));
  const double least = 16 * std::numeric_limits<double>::epsilon() * largest_time;
  if (value < least) {
    throw Misuse(
        fmt::format("{} {:g}: it is below the rounding of the time, which reaches {:g}; at least {:.1e} is needed",
                    what, value, largest_time, least));
  }
}

void check_steps(const Options& options) {
  if (options.step) {
    check_step(*options.step, "step size", options);
    check_finite(*options.step, "step size");
  }
  if (options.first_step) {
    check_positive(*options.first_step, "first step");  // lengthened if it cannot move the time
    check_finite(*options.first_step, "first step");
  }
  check_step(options.max_step, "maximum step", options);
  if (options.step && options.first_step)
    throw Misuse("a fixed step size leaves no first step to choose: give one of them");
  if (options.step && *options.step > options.max_step)
    throw Misuse(
        fmt::format("the fixed step size {:g} is above the maximum step {:g}", *options.step, options.max_step));
}

/// Methods, guards and polynomials compute with squares of steps and with their reciprocals: both must be numbers.
void check_length(const Options& options) {
  constexpr double shortest = 1e-150, longest = 1e150;
  const double length = std::abs(options.end - options.start);
  if (length == 0 || (length >= shortest && length <= longest)) return;
  throw Misuse(fmt::format("the run from t = {:g} to t = {:g} {}: its length must be between {:g} and {:g}",
                           options.start, options.end, length < shortest ? "is too short" : "is too long", shortest,
                           longest));
}

void check_interval(const Options& options) {
  if (std::isnan(options.end)) throw Misuse("the end time is not given: set Options::end, or --stop");
  if (!std::isfinite(options.start) || !std::isfinite(options.end))
    throw Misuse(fmt::format("the run from t = {:g} to t = {:g} must be finite", options.start, options.end));
  check_length(options);
  if (options.samples < 0 || options.samples > 100'000'000)
    throw Misuse(fmt::format("{} samples: the number must be between 0 and 100 million", options.samples));
  const auto [low, high] = std::minmax(options.start, options.end);
  for (const double t : options.times) {
    if (!(t >= low && t <= high))
      throw Misuse(
          fmt::format("the requested time {:g} is outside the run from {:g} to {:g}", t, options.start, options.end));
  }
}

void check_events(const System::Declarations& model, const Held& held, const Options& options) {
  const event::FinderInfo& finder = event::find_finder(options.events);
  const auto check_size = [](double value, std::string_view what) {
    if (!(value >= 0)) throw Misuse(fmt::format("{} {:g}: it must not be negative", what, value));
  };
  check_size(options.event_tolerance, "event tolerance");
  check_size(options.concurrency_window, "concurrency window");
  check_size(options.concurrency_amplitude, "concurrency amplitude");
  if (options.max_events < 1) throw Misuse(fmt::format("max_events {}: at least one is needed", options.max_events));
  for (const TimeEventInfo& info : model.time_events) {
    const double value = value_of(info.time, held);
    if (std::isnan(value) || (info.is_periodic && !(value > 0 && std::isfinite(value))))
      throw Misuse(fmt::format("system '{}', time event '{}': {:g} {}", model.name, info.name, value,
                               info.is_periodic ? "is no period: it must be above 0" : "is no time"));
    if (const double phase = value_of(info.phase, held); !(phase >= 0 && std::isfinite(phase)))
      throw Misuse(fmt::format("system '{}', time event '{}': the phase {:g} must not be negative", model.name,
                               info.name, phase));
  }
  if (finder.kind != event::FinderInfo::Kind::certified) {
    const System::Declarations& parts = model.parts ? *model.parts : model;
    if (parts.mechanics && !parts.mechanics->contacts.empty()) {
      throw Misuse(fmt::format(
          "system '{}' has contacts or dry friction, whose modes only the finder 'certified' decides, not '{}'",
          model.name, options.events));
    }
    for (const GuardInfo& guard : model.guards) {
      if (guard.role == GuardRole::relation) {
        throw Misuse(fmt::format(
            "system '{}', relation '{}': only the finder 'certified' knows when a difference rests at zero, not '{}'",
            model.name, guard.name, options.events));
      }
    }
  }
  for (const RelayInfo& relay : model.relays) {
    const bool can_slide = relay.g.supports<Jet<double>>() && relay.g.supports<Gradient>();
    if (relay.hysteresis == 0 && !can_slide) {
      throw Misuse(
          fmt::format("system '{}', relay '{}': its surface must be a generic function (const auto& at), so that "
                      "sliding can be decided; or give it hysteresis",
                      model.name, relay.name));
    }
  }
}

}  // namespace

Setup check(std::shared_ptr<const System::Declarations> declarations, Held held, std::vector<double> start_state,
            const Options& options) {
  for (HeldInput& input : held.inputs)
    input.piece = input.signal->piece_at(options.start, options.end < options.start ? -1 : 1);
  check_model(*declarations, held);
  check_start(*declarations, held.parameters, start_state);
  check_numbers(*declarations, held);
  check_events(*declarations, held, options);
  check_tolerance(options.tolerance, declarations->state_names);
  check_interval(options);
  check_steps(options);
  const bool has_events = event::find_finder(options.events).kind != event::FinderInfo::Kind::none;
  auto plain = has_events ? std::make_shared<Dynamics>(declarations) : event::make_unlocked(declarations);
  Setup setup{.declarations = std::move(declarations),
              .dynamics = std::move(plain),
              .held = std::make_shared<const Held>(std::move(held)),
              .start_state = std::move(start_state),
              .options = options,
              .method = {},
              .messages = {}};
  const double span = std::abs(options.end - options.start);
  if (span == 0) {
    setup.messages.push_back(make_message(MessageCode::empty_run, options.start));
  } else if (options.step && *options.step > span) {
    setup.messages.push_back(
        make_message(MessageCode::step_beyond_run, options.start, {{"step", *options.step}, {"span", span}}));
  }
  return setup;
}

void check_method(const Setup& setup, std::string_view method, bool is_adaptive) {
  if (!is_adaptive && !setup.options.step) {
    throw Misuse(fmt::format(
        "method '{}' has no error estimate: give a fixed step size, or choose an adaptive method such as tsitouras-5",
        method));
  }
}

StepControl step_control(const Setup& setup) {
  const Tolerance& tolerance = setup.options.tolerance;
  StepControl control;
  control.relative = tolerance.relative;
  control.absolute = tolerance.absolute_each;
  if (control.absolute.empty()) {
    control.absolute.assign(setup.start_state.size(), tolerance.absolute.value_or(tolerance.relative * 1e-3));
    const std::vector<double>& nominals = setup.declarations->nominals;
    for (std::size_t i = 0; i < nominals.size() && !tolerance.absolute && tolerance.relative > 0; ++i)
      if (nominals[i] > 0) control.absolute[i] = tolerance.relative * nominals[i];
  }
  control.fixed_step = setup.options.step.value_or(0);
  control.max_step = setup.options.max_step;
  if (event::find_finder(setup.options.events).kind == event::FinderInfo::Kind::compere) control.law = StepLaw::compere;
  return control;
}

Setup check_inlined(int size, const double* start, Options options, std::string_view method, bool is_adaptive,
                    Function rates) {
  if (!is_auto(options.method) && options.method != method) {
    throw Misuse(fmt::format(
        "integrate() has '{}' compiled in and cannot switch to '{}': write integrate<table>(...), or use simulate()",
        method, options.method));
  }
  auto declarations = std::make_shared<System::Declarations>();
  declarations->name = "integrate";
  for (int i = 1; i <= size; ++i) declarations->state_names.push_back(fmt::format("x{}", i));
  declarations->starts.assign(start, start + size);
  declarations->rates = std::move(rates);
  Setup setup = check(declarations, Held{}, declarations->starts, options);
  check_method(setup, method, is_adaptive);
  setup.method = method;
  return setup;
}

}  // namespace pawl::detail
