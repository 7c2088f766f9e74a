#include "pawl/mechanics.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "system/edit_mechanics.hpp"
#include "system/foreign_handle.hpp"

namespace pawl {

const MechanicsInfo::ConstraintInfo& MechanicsInfo::constraint_of(int row) const {
  return *std::find_if(constraints.begin(), constraints.end(), [row](const auto& one) { return one.has_row(row); });
}

detail::EntryMap MechanicsInfo::speed_map(int states) const {
  detail::EntryMap map;
  map.number.assign(static_cast<std::size_t>(states), -1);
  map.width = static_cast<int>(speeds.size());
  for (std::size_t i = 0; i < speeds.size(); ++i) map.number[static_cast<std::size_t>(speeds[i])] = static_cast<int>(i);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (speed_of[i] >= 0) map.number[static_cast<std::size_t>(positions[i])] = speed_of[i];
  }
  return map;
}

Coordinate Mechanics::coordinate(std::string name, double position, double speed) {
  const State q = state(name, position), v = state(name + "'", speed);
  MechanicsInfo& info = edit_mechanics(edit());
  info.positions.push_back(q.index);
  info.speed_of.push_back(static_cast<int>(info.speeds.size()));
  info.speeds.push_back(v.index);
  return {q, v.index};
}

Attitude Mechanics::attitude(const std::string& name, std::array<double, 4> orientation,
                             std::array<double, 3> angular_velocity) {
  Attitude handle{size(), size() + 4, declarations().model};
  const std::array<const char*, 7> suffix{"_w", "_x", "_y", "_z", "_p", "_q", "_r"};
  for (std::size_t i = 0; i < 4; ++i) state(name + suffix[i], orientation[i]);
  for (std::size_t i = 0; i < 3; ++i) state(name + suffix[4 + i], angular_velocity[i]);
  MechanicsInfo& info = edit_mechanics(edit());
  info.attitudes.push_back({static_cast<int>(info.positions.size()), static_cast<int>(info.speeds.size())});
  for (int i = 0; i < 4; ++i) info.positions.push_back(handle[i].index);
  for (int i = 0; i < 4; ++i) info.speed_of.push_back(-1);
  for (int i = 0; i < 3; ++i) info.speeds.push_back(handle.speed(i).index);
  return handle;
}

void Mechanics::mass(State x, std::variant<double, Parameter> m) {
  checked(x, declarations().state_names.size(), "state", declarations());
  check_parameter(m, declarations(),
                  fmt::format("mass of '{}'", declarations().state_names[static_cast<std::size_t>(x.index)]));
  MechanicsInfo& info = edit_mechanics(edit());
  info.constant_masses.push_back({info.speed_map(size()).row_of(x), m});
}

void Mechanics::declare_mass(detail::MassFunction f) {
  edit_mechanics(edit()).masses.push_back(std::move(f));
}

void Mechanics::declare_kinetic_energy(Function T) {
  edit_mechanics(edit()).kinetic_energies.push_back(std::move(T));
}

void Mechanics::declare_force(detail::VectorFunction f) {
  edit_mechanics(edit()).forces.push_back(std::move(f));
}

void Mechanics::declare_potential(Function v) {
  edit_mechanics(edit()).potentials.push_back(std::move(v));
}

ConstraintDeclaration Mechanics::declare_constraint(std::string name, Function rows, int count, bool is_on_speeds) {
  take_name(name);
  Declarations& all = edit();
  MechanicsInfo& info = edit_mechanics(all);
  const int first = static_cast<int>(all.constraint_names.size()), number = static_cast<int>(info.constraints.size());
  for (int row = 0; row < count; ++row)
    all.constraint_names.push_back(count == 1 ? name : fmt::format("{}[{}]", name, row));
  info.constraints.push_back({std::move(name), std::move(rows), first, count, is_on_speeds});
  info.rows = first + count;
  return {*this, Constraint{first, all.model}, number};
}

ConstraintDeclaration& ConstraintDeclaration::only_when(Logic logic) {
  auto& constraint = edit_mechanics(system_.edit()).constraints[static_cast<std::size_t>(number_)];
  check_logic(logic, system_.declarations(), fmt::format("constraint '{}'", constraint.name));
  constraint.only_when = std::move(logic);
  return *this;
}

namespace {

/// Kinetic and potential energy.
struct MechanicalEnergy {
  std::shared_ptr<const MechanicsInfo> mechanics;
  detail::EntryMap map;

  template <class T>
  requires std::is_same_v<T, double> || std::is_same_v<T, Gradient> T operator()(const Point<T>& at) const {
    T sum(0.0), part(0.0);
    if (!mechanics->masses.empty()) {
      const auto n = mechanics->speeds.size();
      std::array<T, 256> few;  // so that watching a small mechanism allocates nothing
      std::vector<T> many(n * n > few.size() ? n * n : 0);
      T* m = many.empty() ? few.data() : many.data();
      std::fill(m, m + n * n, T(0.0));
      Entries<T> entries(map, m);
      for (const auto& mass : mechanics->masses) mass(at, entries);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
          sum +=
              (i == j ? 0.5 : 1.0) * m[i * n + j] * at[State{mechanics->speeds[i]}] * at[State{mechanics->speeds[j]}];
      }
    }
    for (const auto& [speed, value] : mechanics->constant_masses) {
      const T v = at[State{mechanics->speeds[static_cast<std::size_t>(speed)]}];
      sum += 0.5 * (value.index() == 0 ? std::get<double>(value) : at[std::get<Parameter>(value)]) * v * v;
    }
    for (const auto* energies : {&mechanics->kinetic_energies, &mechanics->potentials}) {
      for (const Function& energy : *energies) {
        energy(at, &part);
        sum += part;
      }
    }
    for (const ContactInfo& contact : mechanics->contacts) {
      if (!contact.compliance) continue;
      mechanics->constraints[static_cast<std::size_t>(contact.normal)].g(at, &part);  // the penetration
      const auto& [stiffness, exponent, damping, dissipation] = *contact.compliance;
      if (part > 0.0) sum += stiffness / (exponent + 1) * pow(part, exponent + 1);
    }
    return sum;
  }
};

}  // namespace

Observable Mechanics::energy(std::string name, bool kept) {
  if (!declarations().mechanics)
    throw Misuse(
        fmt::format("system '{}': energy() watches what has been declared before it, and nothing has", this->name()));
  MechanicalEnergy energy{declarations().mechanics, declarations().mechanics->speed_map(size())};
  energy.map.is_symmetric = true;
  if (kept) declare_invariant({name, Function::rows<1>(energy), 1, true});
  const Observable handle = declare_observable(std::move(name), Function::observable(energy));
  edit().energies.push_back(handle.index);
  return handle;
}

}  // namespace pawl
