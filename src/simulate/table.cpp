// Result::table: many quantities at many instants, each function of the model called once per instant.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"
#include "simulate/quantity.hpp"

namespace pawl {

namespace detail {

Quantity find_quantity(const System::Declarations& model, std::string_view name) {
  using Kind = Quantity::Kind;
  if (name == "t") return {Kind::time};
  const std::pair<Kind, const std::vector<std::string>*> all[] = {
      {Kind::state, &model.state_names},           {Kind::observable, &model.observable_names},
      {Kind::multiplier, &model.constraint_names}, {Kind::parameter, &model.parameter_names},
      {Kind::input, &model.input_names},           {Kind::mode, &model.mode_names},
      {Kind::number, &model.number_names}};
  std::vector<std::string> known{"t"};
  for (const auto& [kind, names] : all) {
    const auto it = std::find(names->begin(), names->end(), name);
    if (it != names->end()) return {kind, static_cast<int>(it - names->begin())};
    known.insert(known.end(), names->begin(), names->end());
  }
  throw Misuse(fmt::format("system '{}' has no quantity '{}'{}", model.name, name, did_you_mean(name, known)));
}

double value_of(const Quantity& quantity, const Instant& at, const event::Scene* scene) {
  const auto i = static_cast<std::size_t>(quantity.index);
  switch (quantity.kind) {
    case Quantity::Kind::time:
      return at.t;
    case Quantity::Kind::state:
      return at.states()[i];
    case Quantity::Kind::observable:
      return scene->observable(quantity.index);  // NOLINT(clang-analyzer-core.CallAndMessage): these have one
    case Quantity::Kind::multiplier:
      return scene->multiplier(quantity.index);  // NOLINT(clang-analyzer-core.CallAndMessage)
    case Quantity::Kind::parameter:
      return at.held().parameters[i];
    case Quantity::Kind::input:
      return at[Input{quantity.index}];
    case Quantity::Kind::mode:
      return at.held().modes[i];
    case Quantity::Kind::number:
      return at.held().numbers[i];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

namespace {

/// A table that is filled row by row.
class Filling {
 public:
  Filling(std::shared_ptr<Dynamics> dynamics, const std::vector<std::string>& names, std::size_t rows)
      : dynamics_(std::move(dynamics)), table_{names, {}} {
    for (const std::string& name : names) columns_.push_back(find_quantity(dynamics_->model(), name));
    needs_scene_ = std::any_of(columns_.begin(), columns_.end(), [](const Quantity& one) { return one.needs_scene(); });
    table_.values.reserve(rows * names.size());
  }
  void add(const Instant& at) {
    std::optional<event::Scene> scene;
    if (needs_scene_) scene.emplace(*dynamics_, at.held(), at.t, at.states().data());
    for (const Quantity& one : columns_) table_.values.push_back(value_of(one, at, scene ? &*scene : nullptr));
  }
  Table take() { return std::move(table_); }

 private:
  std::shared_ptr<Dynamics> dynamics_;
  std::vector<Quantity> columns_;
  bool needs_scene_ = false;
  Table table_;
};

}  // namespace

}  // namespace detail

Table Result::table(const std::vector<double>& times, const std::vector<std::string>& names) const {
  detail::Filling filling(detail::reader(dynamics), names, times.size());
  for (const double t : times) filling.add(at(t));
  return filling.take();
}

Table Result::table_of_samples(const std::vector<std::string>& names) const {
  const std::vector<char>& asked = trajectory.sample_was_requested;
  const bool is_asked_for = std::find(asked.begin(), asked.end(), 1) != asked.end();
  detail::Filling filling(detail::reader(dynamics), names, asked.size());
  for (int i = 0; i < sample_count(); ++i) {
    if (!is_asked_for || was_requested(i)) filling.add(sample(i));
  }
  return filling.take();
}

std::vector<std::string> Result::quantity_names() const {
  std::vector<std::string> names{"t"};
  const bool are_states = declarations->first_multiplier >= 0;  // multipliers, that is
  for (const auto* some : {&state_names(), &observable_names(), &constraint_names()})
    if (some != &constraint_names() || !are_states) names.insert(names.end(), some->begin(), some->end());
  return names;
}

}  // namespace pawl
