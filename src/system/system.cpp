#include "pawl/system.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"
#include "pawl/picture.hpp"
#include "system/foreign_handle.hpp"

namespace pawl {

namespace detail {

bool NameSet::insert(const std::string& name) {
  if (2 * (count_ + 1) > table_.size()) {
    std::vector<std::string> old(std::max<std::size_t>(16, 2 * table_.size()));
    old.swap(table_);
    count_ = 0;
    for (const std::string& one : old) {
      if (!one.empty()) insert(one);
    }
  }
  std::size_t place = std::hash<std::string>()(name) % table_.size();
  while (!table_[place].empty()) {
    if (table_[place] == name) return false;
    place = (place + 1) % table_.size();
  }
  table_[place] = name;
  ++count_;
  return true;
}

}  // namespace detail

System::System(std::string name) : declarations_(std::make_shared<Declarations>()) {
  auto tag = std::make_shared<const detail::ModelTag>(name);
  declarations_->model = tag->number;
  declarations_->registered = std::move(tag);
  declarations_->name = std::move(name);
}

int System::Declarations::add_own_mode(std::string own, bool is_bool) {
  const int number = static_cast<int>(modes.size());
  if (first_own_mode < 0) first_own_mode = number;
  mode_names.push_back(std::move(own));
  mode_is_bool.push_back(is_bool);
  modes.push_back(0);
  return number;
}

System::Declarations& System::edit() {
  if (declarations_.use_count() > 1) declarations_ = std::make_shared<Declarations>(*declarations_);
  return *declarations_;
}

void System::picture(Picture shapes) {
  edit().picture = std::make_shared<const Picture>(std::move(shapes));
}

void System::take_name(const std::string& name) {
  const Declarations& have = *declarations_;
  if (name.empty()) throw Misuse(fmt::format("system '{}': a name must not be empty", have.name));
  if (name == "t") throw Misuse(fmt::format("system '{}': the name 't' is taken by the time", have.name));
  if (!edit().taken_names.insert(name))
    throw Misuse(fmt::format("system '{}': the name '{}' is declared twice", have.name, name));
}

State System::state(std::string name, double start) {
  take_name(name);
  Declarations& all = edit();
  all.state_names.push_back(std::move(name));
  all.starts.push_back(start);
  if (!all.nominals.empty()) all.nominals.push_back(0);
  return State{size() - 1, all.model};
}

Block<State> System::states(std::string_view name, const std::vector<double>& starts) {
  const Block<State> block{size(), static_cast<int>(starts.size()), declarations_->model};
  for (std::size_t i = 0; i < starts.size(); ++i) state(fmt::format("{}{}", name, i + 1), starts[i]);
  return block;
}

Parameter System::parameter(std::string name, double value) {
  take_name(name);
  Declarations& all = edit();
  all.parameter_names.push_back(std::move(name));
  all.parameters.push_back(value);
  return Parameter{static_cast<int>(all.parameters.size()) - 1, all.model};
}

Input System::input(std::string name, Signal signal) {
  take_name(name);
  Declarations& all = edit();
  all.input_names.push_back(std::move(name));
  all.inputs.push_back(std::make_shared<const Signal>(std::move(signal)));
  return Input{static_cast<int>(all.inputs.size()) - 1, all.model};
}

void System::declare_rates(Function f) {
  Declarations& all = edit();
  if (all.rates)
    throw Misuse(fmt::format("system '{}': rates are declared twice; one function assigns them all", all.name));
  all.rates = std::move(f);
}

void System::declare_mass(detail::MatrixFunction m) {
  Declarations& all = edit();
  if (all.mass) throw Misuse(fmt::format("system '{}': its mass matrix is declared twice", all.name));
  all.mass = std::move(m);
}

Discrete<bool> System::add_switch(SwitchInfo info) {
  if (info.kind != SwitchInfo::Kind::given) info.mode = discrete(info.name + " conducts", false).index;
  const Discrete<bool> on{info.mode, declarations_->model};
  check_logic(info.gate, declarations(), fmt::format("thyristor '{}'", info.name));
  edit().switches.push_back(std::move(info));
  return on;
}

void System::declare_equation(EquationInfo info) {
  if (info.rows < 1)
    throw Misuse(
        fmt::format("system '{}', equations '{}': {} of them; at least one is needed", name(), info.name, info.rows));
  take_name(info.name);
  edit().equations.push_back(std::move(info));
}

void System::declare_jacobian(detail::MatrixFunction j) {
  Declarations& all = edit();
  if (all.jacobian) throw Misuse(fmt::format("system '{}': the Jacobian is declared twice", all.name));
  all.jacobian = std::move(j);
}

void System::declare_start(Callback<void(Start&)> f) {
  Declarations& all = edit();
  if (all.start)
    throw Misuse(fmt::format("system '{}': start values are declared twice; one function sets all of them", all.name));
  all.start = std::move(f);
}

void System::declare_initial(EquationInfo info) {
  if (info.rows < 1)
    throw Misuse(fmt::format("system '{}', initial equations '{}': {} of them; at least one is needed", name(),
                             info.name, info.rows));
  take_name(info.name);
  edit().initial.push_back(std::move(info));
}

void System::nominal(State x, double size) {
  Declarations& all = edit();
  const std::size_t i = checked(x, all.state_names.size(), "state", all);
  if (!(size > 0) || !std::isfinite(size))
    throw Misuse(fmt::format("system '{}': the nominal size {:g} of '{}' must be above zero", all.name, size,
                             all.state_names[i]));
  all.nominals.resize(all.state_names.size(), 0.0);
  all.nominals[i] = size;
}

Observable System::declare_observable(std::string name, Function f) {
  take_name(name);
  Declarations& all = edit();
  all.observable_names.push_back(std::move(name));
  all.observables.push_back(std::move(f));
  return Observable{static_cast<int>(all.observables.size()) - 1, all.model};
}

void System::declare_invariant(InvariantInfo info) {
  if (info.name.empty()) throw Misuse(fmt::format("system '{}': a name must not be empty", name()));
  edit().invariants.push_back(std::move(info));
}

int System::declare_mode(std::string name, int start, bool is_bool) {
  take_name(name);
  Declarations& all = edit();
  all.mode_names.push_back(std::move(name));
  all.mode_is_bool.push_back(is_bool);
  all.modes.push_back(start);
  return static_cast<int>(all.modes.size()) - 1;
}

int System::declare_number(std::string name, double start) {
  take_name(name);
  Declarations& all = edit();
  all.number_names.push_back(std::move(name));
  all.numbers.push_back(start);
  return static_cast<int>(all.numbers.size()) - 1;
}

int System::declare_object(std::string name, HeldObject start) {
  take_name(name);
  Declarations& all = edit();
  all.object_names.push_back(std::move(name));
  all.objects.push_back(std::move(start));
  return static_cast<int>(all.objects.size()) - 1;
}

int System::declare_guard(GuardInfo info) {
  Declarations& all = edit();
  if (info.name.empty()) throw Misuse(fmt::format("system '{}': a guard needs a name", all.name));
  const bool is_second_of_relay = info.role == GuardRole::relay_down;
  if (!all.guard_names.insert(info.name) && !is_second_of_relay)
    throw Misuse(fmt::format("system '{}': the guard '{}' is declared twice", all.name, info.name));
  all.guards.push_back(std::move(info));
  return static_cast<int>(all.guards.size()) - 1;
}

std::vector<std::string> System::numbered(std::string_view name, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", name, i));
  return names;
}

int System::declare_guard_block(const std::vector<std::string>& names, const Function& g, GuardRole role) {
  if (names.empty())
    throw Misuse(fmt::format("system '{}': a block of guards is empty; at least one is needed", name()));
  const int block = edit().guard_blocks++, first = static_cast<int>(declarations_->guards.size());
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    const bool is_plain = role == GuardRole::guard;
    declare_guard({.name = name,
                   .g = g,
                   .members = {Pair{i, 0}},
                   .role = role,
                   .role_index = is_plain ? 0 : static_cast<int>(declarations_->condition_names.size()),
                   .block = block,
                   .row = i,
                   .rows = static_cast<int>(names.size())});
    if (!is_plain) declare_truth(name, role == GuardRole::relation);
  }
  return first;
}

int System::declare_truth(const std::string& name, bool is_relation) {
  Declarations& all = edit();
  all.condition_names.push_back(name);
  all.condition_is_relation.push_back(is_relation);
  return static_cast<int>(all.condition_names.size()) - 1;
}

Condition System::declare_condition(std::string name, Function g) {
  const int index = static_cast<int>(declarations_->condition_names.size());
  declare_guard({.name = name, .g = std::move(g), .role = GuardRole::condition, .role_index = index});
  return {declare_truth(name, false), declarations_->model};
}

Relation System::declare_relation(std::string name, Function g) {
  const int index = static_cast<int>(declarations_->condition_names.size());
  declare_guard({.name = name, .g = std::move(g), .role = GuardRole::relation, .role_index = index});
  return {declare_truth(name, true), declarations_->model};
}

void System::declare_transition(Callback<void(Jump&)> f) {
  Declarations& all = edit();
  if (all.transition)
    throw Misuse(
        fmt::format("system '{}': the transition function is declared twice; one function sees every event", all.name));
  all.transition = std::move(f);
}

ConditionFamily System::declare_condition_family(std::string name, std::vector<Pair> members, Function g) {
  const int index = static_cast<int>(declarations_->condition_family_names.size());
  declare_guard({.name = name,
                 .g = std::move(g),
                 .is_family = true,
                 .members = std::move(members),
                 .role = GuardInfo::Role::condition_family,
                 .role_index = index});
  edit().condition_family_names.push_back(std::move(name));
  return {index, declarations_->model};
}

Relay System::declare_relay(std::string name, Levels levels, Function g) {
  if (!(levels.hysteresis >= 0))
    throw Misuse(fmt::format("system '{}', relay '{}': the hysteresis {} must not be negative", declarations_->name,
                             name, levels.hysteresis));
  const int index = static_cast<int>(declarations_->relays.size());
  declare_guard({.name = name, .g = g, .role = GuardInfo::Role::relay_up, .role_index = index});
  if (levels.hysteresis > 0)
    declare_guard({.name = name, .g = g, .role = GuardInfo::Role::relay_down, .role_index = index});
  edit().relays.push_back({std::move(name), levels.below, levels.above, levels.hysteresis, std::move(g)});
  return {index, declarations_->model};
}

void System::check_own(Discrete<bool> variable) const {
  checked(variable, declarations_->modes.size(), "discrete variable", *declarations_);
}

void System::decide(Discrete<bool> variable, Logic logic) {
  check_own(variable);
  check_logic(logic, *declarations_,
              fmt::format("decision of '{}'", declarations_->mode_names[static_cast<std::size_t>(variable.index)]));
  for (const DecisionInfo& other : declarations_->decisions) {
    if (other.discrete == variable.index)
      throw Misuse(fmt::format("system '{}': '{}' is decided twice", declarations_->name,
                               declarations_->mode_names[static_cast<std::size_t>(variable.index)]));
  }
  edit().decisions.push_back({variable.index, std::move(logic)});
}

std::string System::describe(const TimeValue& time) const {
  const Declarations& all = *declarations_;
  if (const auto* p = std::get_if<Parameter>(&time))
    return all.parameter_names[checked(*p, all.parameter_names.size(), "parameter", all)];
  if (const auto* d = std::get_if<Discrete<double>>(&time))
    return all.number_names[checked(*d, all.number_names.size(), "discrete number", all)];
  return fmt::format("{:g}", std::get<double>(time));
}

TimeEventDeclaration System::declare_time_event(TimeEventInfo info) {
  const std::string time = describe(info.time);
  Declarations& all = edit();
  if (info.name.empty()) info.name = fmt::format("{} {}", info.is_periodic ? "every" : "at", time);
  all.time_events.push_back(std::move(info));
  return {*this, static_cast<int>(all.time_events.size()) - 1};
}

TimeEventDeclaration System::time_event(std::string name, TimeValue time) {
  if (name.empty()) throw Misuse(fmt::format("system '{}': a time event needs a name", declarations_->name));
  return declare_time_event({std::move(name), time});
}

TimeEventDeclaration::operator TimeEvent() const {
  return {index_, system_.declarations().model};
}
TimeEventInfo& TimeEventDeclaration::info() {
  return system_.edit().time_events[static_cast<std::size_t>(index_)];
}
TimeEventDeclaration& TimeEventDeclaration::phase(TimeValue phase) {
  if (!info().is_periodic) {
    throw Misuse(
        fmt::format("system '{}', time event '{}': it happens once; a phase is for what happens every so often",
                    system_.name(), info().name));
  }
  system_.describe(phase);  // refuses the handle of another system
  info().phase = phase;
  return *this;
}
TimeEventDeclaration& TimeEventDeclaration::including_start() {
  info().includes_start = true;
  return *this;
}

GuardInfo& GuardDeclaration::info(int i) {
  return system_.edit().guards[static_cast<std::size_t>(index_ + i)];
}
GuardDeclaration& GuardDeclaration::rising() {
  for (int i = 0; i < count_; ++i) info(i).direction = Direction::rising;
  return *this;
}
GuardDeclaration& GuardDeclaration::falling() {
  for (int i = 0; i < count_; ++i) info(i).direction = Direction::falling;
  return *this;
}
GuardDeclaration& GuardDeclaration::bilateral() {
  for (int i = 0; i < count_; ++i) info(i).side = Side::bilateral;
  return *this;
}
GuardDeclaration& GuardDeclaration::unilateral() {
  for (int i = 0; i < count_; ++i) info(i).side = Side::unilateral;
  return *this;
}
GuardDeclaration& GuardDeclaration::touching() {
  for (int i = 0; i < count_; ++i) info(i).fires_on_touch = true;
  return *this;
}
GuardDeclaration& GuardDeclaration::reporting_departure() {
  for (int i = 0; i < count_; ++i) info(i).reports_departure = true;
  return *this;
}
GuardDeclaration::operator Guard() const {
  return {index_, system_.declarations().model};
}
GuardDeclaration::operator Block<Guard>() const {
  return {index_, count_, system_.declarations().model};
}
GuardDeclaration& GuardDeclaration::only_when(Logic logic) {
  check_logic(logic, system_.declarations(), fmt::format("guard '{}'", info(0).name));
  for (int i = 0; i < count_; ++i) info(i).only_when = logic;
  return *this;
}
GuardDeclaration& GuardDeclaration::min_width(double width) {
  if (!(width > 0)) throw Misuse(fmt::format("guard '{}': the smallest width {} must be above 0", info().name, width));
  for (int i = 0; i < count_; ++i) info(i).min_width = width;
  return *this;
}
GuardDeclaration& GuardDeclaration::rate_bound(double bound) {
  if (!(bound > 0)) throw Misuse(fmt::format("guard '{}': the rate bound {} must be above 0", info().name, bound));
  for (int i = 0; i < count_; ++i) info(i).rate_bound = bound;
  return *this;
}

std::size_t checked(int index, std::size_t count, std::string_view kind, const System::Declarations& model) {
  if (index >= 0 && static_cast<std::size_t>(index) < count) return static_cast<std::size_t>(index);
  if (index < 0 && kind == "constraint") {
    throw Misuse(
        fmt::format("system '{}': there is no such {}: a contact has a slip only if a slip speed was declared, and dry "
                    "friction under a given force has no normal constraint",
                    model.name, kind));
  }
  throw Misuse(fmt::format("system '{}' has {} {}{}, no number {}: the handle belongs to another system", model.name,
                           count, kind, count == 1 ? "" : "s", index));
}

Values::Values(const System& system)
    : declarations_(system.share()),
      parameters_(declarations_->parameters),
      starts_(declarations_->starts),
      discrete_{declarations_->modes, declarations_->numbers, declarations_->objects},
      inputs_(declarations_->inputs),
      is_set_(starts_.size()) {}

Values::StartValue& Values::StartValue::operator=(double value) {
  const std::size_t i = checked(x_, values_.starts_.size(), "state", *values_.declarations_);
  values_.starts_[i] = value;
  values_.is_set_[i] = true;
  return *this;
}

double Values::operator[](State x) const& {
  return start()[checked(x, starts_.size(), "state", *declarations_)];
}

double& Values::operator[](Parameter p) & {
  return parameters_[checked(p, parameters_.size(), "parameter", *declarations_)];
}

double Values::operator[](Parameter p) const& {
  return parameters_[checked(p, parameters_.size(), "parameter", *declarations_)];
}

Values::Course Values::operator[](Input u) & {
  return Course(inputs_[checked(u, inputs_.size(), "input", *declarations_)]);
}

void Values::set(std::string_view input, Signal signal) {
  const std::vector<std::string>& names = declarations_->input_names;
  const auto found = std::find(names.begin(), names.end(), input);
  if (found == names.end())
    throw Misuse(
        fmt::format("system '{}' has no input '{}'{}", declarations_->name, input, did_you_mean(input, names)));
  (*this)[Input{static_cast<int>(found - names.begin())}] = std::move(signal);
}

void Values::set(std::string_view name, double value) {
  const auto index_in = [name](const std::vector<std::string>& names) {
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const auto& parameters = declarations_->parameter_names;
  const auto& states = declarations_->state_names;
  if (const int i = index_in(parameters); i < static_cast<int>(parameters.size())) {
    (*this)[Parameter{i}] = value;
  } else if (const int j = index_in(states); j < static_cast<int>(states.size())) {
    (*this)[State{j}] = value;
  } else if (const int k = index_in(declarations_->mode_names); k < static_cast<int>(discrete_.modes.size())) {
    const bool is_bool = declarations_->mode_is_bool[static_cast<std::size_t>(k)];
    if (value != std::round(value) || std::abs(value) > 1e9 || (is_bool && value != 0 && value != 1))
      throw Misuse(fmt::format("'{}' takes {}, not {:g}", name, is_bool ? "0 or 1" : "whole numbers", value));
    discrete_.modes[static_cast<std::size_t>(k)] = static_cast<int>(value);
  } else if (const int l = index_in(declarations_->number_names); l < static_cast<int>(discrete_.numbers.size())) {
    discrete_.numbers[static_cast<std::size_t>(l)] = value;
  } else if (const auto& objects = declarations_->object_names; index_in(objects) < static_cast<int>(objects.size())) {
    throw Misuse(
        fmt::format("'{}' of system '{}' does not hold a number: set it by its handle", name, declarations_->name));
  } else if (const int m = index_in(declarations_->input_names); m < static_cast<int>(inputs_.size())) {
    (*this)[Input{m}] = value;
  } else {
    std::vector<std::string> known = parameters;
    for (const auto* names :
         {&states, &declarations_->mode_names, &declarations_->number_names, &declarations_->input_names})
      known.insert(known.end(), names->begin(), names->end());
    throw Misuse(fmt::format("system '{}' has no parameter or state '{}'{}", declarations_->name, name,
                             did_you_mean(name, known)));
  }
}

void Values::take(const Held& held) {
  const auto take = [](auto& own, const auto& other) {
    std::copy_n(other.begin(), std::min(own.size(), other.size()), own.begin());
  };
  take(parameters_, held.parameters);
  take(discrete_.modes, held.modes);
  take(discrete_.numbers, held.numbers);
  take(discrete_.objects, held.objects);
}

Held Values::held() const {
  const System::Declarations& all = *declarations_;
  Held held{.parameters = parameters_,
            .modes = discrete_.modes,
            .numbers = discrete_.numbers,
            .objects = discrete_.objects,
            .truths = {},
            .members = {},
            .levels = {},
            .sides = {},
            .inputs = {},
            .margins = {},
            .model = all.model,
            .states = all.state_names.size()};
  for (const auto& signal : inputs_) held.inputs.push_back({signal});
  held.truths.assign(all.condition_names.size(), 0);
  held.members.resize(all.condition_family_names.size());
  for (const RelayInfo& relay : all.relays) {
    held.levels.push_back(relay.below);
    held.sides.push_back(RelaySide::below);
  }
  return held;
}

std::vector<double> Values::start() const {
  std::vector<double> x = declarations_->starts;
  if (declarations_->start) {
    Start at(x, parameters_, declarations_->model);
    declarations_->start(at);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_set_[i]) x[i] = starts_[i];
  }
  return x;
}

}  // namespace pawl
