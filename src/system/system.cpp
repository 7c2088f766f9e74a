#include "pawl/system.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"

namespace pawl {

System::System(std::string name) : declarations_(std::make_shared<Declarations>()) {
  declarations_->name = std::move(name);
}

System::Declarations& System::edit() {
  if (declarations_.use_count() > 1) declarations_ = std::make_shared<Declarations>(*declarations_);
  return *declarations_;
}

void System::check_new_name(const std::string& name) const {
  const Declarations& have = *declarations_;
  if (name.empty()) throw Misuse(fmt::format("system '{}': a name must not be empty", have.name));
  if (name == "t") throw Misuse(fmt::format("system '{}': the name 't' is taken by the time", have.name));
  for (const auto* names : {&have.state_names, &have.parameter_names, &have.observable_names}) {
    if (std::find(names->begin(), names->end(), name) != names->end())
      throw Misuse(fmt::format("system '{}': the name '{}' is declared twice", have.name, name));
  }
}

State System::state(std::string name, double start) {
  check_new_name(name);
  Declarations& all = edit();
  all.state_names.push_back(std::move(name));
  all.starts.push_back(start);
  return State{size() - 1};
}

Block<State> System::states(std::string_view name, const std::vector<double>& starts) {
  const Block<State> block{size(), static_cast<int>(starts.size())};
  for (std::size_t i = 0; i < starts.size(); ++i) state(fmt::format("{}{}", name, i + 1), starts[i]);
  return block;
}

Parameter System::parameter(std::string name, double value) {
  check_new_name(name);
  Declarations& all = edit();
  all.parameter_names.push_back(std::move(name));
  all.parameters.push_back(value);
  return Parameter{static_cast<int>(all.parameters.size()) - 1};
}

void System::declare_rates(Function f) {
  Declarations& all = edit();
  if (all.rates)
    throw Misuse(fmt::format("system '{}': rates are declared twice; one function assigns them all", all.name));
  all.rates = std::move(f);
}

Observable System::declare_observable(std::string name, Function f) {
  check_new_name(name);
  Declarations& all = edit();
  all.observable_names.push_back(std::move(name));
  all.observables.push_back(std::move(f));
  return Observable{static_cast<int>(all.observables.size()) - 1};
}

std::size_t checked(int index, std::size_t count, std::string_view kind, const System::Declarations& model) {
  if (index >= 0 && static_cast<std::size_t>(index) < count) return static_cast<std::size_t>(index);
  throw Misuse(fmt::format("system '{}' has {} {}{}, no number {}: the handle belongs to another system", model.name,
                           count, kind, count == 1 ? "" : "s", index));
}

Values::Values(const System& system)
    : declarations_(system.share()),
      parameters_(declarations_->parameters),
      starts_(declarations_->starts),
      is_set_(starts_.size()) {}

Values::StartValue& Values::StartValue::operator=(double value) {
  const std::size_t i = checked(x_.index, values_.starts_.size(), "state", *values_.declarations_);
  values_.starts_[i] = value;
  values_.is_set_[i] = true;
  return *this;
}

double Values::operator[](State x) const {
  return start()[checked(x.index, starts_.size(), "state", *declarations_)];
}

double& Values::operator[](Parameter p) {
  return parameters_[checked(p.index, parameters_.size(), "parameter", *declarations_)];
}

double Values::operator[](Parameter p) const {
  return parameters_[checked(p.index, parameters_.size(), "parameter", *declarations_)];
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
  } else {
    std::vector<std::string> known = parameters;
    known.insert(known.end(), states.begin(), states.end());
    throw Misuse(fmt::format("system '{}' has no parameter or state '{}'{}", declarations_->name, name,
                             did_you_mean(name, known)));
  }
}

std::vector<double> Values::start() const {
  std::vector<double> x = declarations_->starts;
  if (declarations_->start) {
    Start at(x.data(), parameters_.data());
    declarations_->start(at);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_set_[i]) x[i] = starts_[i];
  }
  return x;
}

}  // namespace pawl
