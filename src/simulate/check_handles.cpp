#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "numerics/index.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "simulate/check_declarations.hpp"
#include "simulate/look.hpp"

namespace pawl::detail {

namespace {

std::string owner_of(const GuardInfo& guard) {
  switch (guard.role) {
    case GuardInfo::Role::condition:
    case GuardInfo::Role::condition_family:
      return fmt::format("condition '{}'", guard.name);
    case GuardInfo::Role::relation:
      return fmt::format("relation '{}'", guard.name);
    case GuardInfo::Role::relay_up:
    case GuardInfo::Role::relay_down:
      return fmt::format("relay '{}'", guard.name);
    case GuardInfo::Role::guard:
      break;
  }
  return fmt::format("guard '{}'", guard.name);
}

/// What a function may read beside states, parameters and what is held.
enum class MayRead { nothing, multipliers, rates };

/// Every function with rows of its own, but the rates: see(f, rows, owner, what it may read, member).
template <class See>
void visit_functions(const System::Declarations& model, const See& see) {
  for (const EquationInfo& one : model.equations)
    see(one.f, one.rows, fmt::format("equation '{}'", one.name), MayRead::rates, Pair{});
  for (const EquationInfo& one : model.initial)
    see(one.f, one.rows, fmt::format("initial equation '{}'", one.name), MayRead::rates, Pair{});
  for (const GuardInfo& guard : model.guards) {
    if (guard.row > 0) continue;  // of a block that was looked at
    for (const Pair member : guard.members) see(guard.g, guard.rows, owner_of(guard), MayRead::rates, member);
  }
  for (const SwitchInfo& one : model.switches)
    for (const Function* f : {&one.voltage, &one.current})
      see(*f, 1, fmt::format("ideal switch '{}'", one.name), MayRead::rates, Pair{});
  for (const InvariantInfo& one : model.invariants)
    see(one.h, one.rows, fmt::format("invariant '{}'", one.name), MayRead::multipliers, Pair{});
  if (model.mechanics) {
    const MechanicsInfo& info = *model.mechanics;
    for (const Function& potential : info.potentials) see(potential, 1, "a potential", MayRead::nothing, Pair{});
    for (const Function& energy : info.kinetic_energies) see(energy, 1, "a kinetic energy", MayRead::nothing, Pair{});
    for (const auto& one : info.constraints)
      see(one.g, one.rows, fmt::format("constraint '{}'", one.name), MayRead::nothing, Pair{});
    for (const ContactInfo& one : info.contacts)
      see(one.normal_force, 1, fmt::format("the normal force of '{}'", one.name), MayRead::multipliers, Pair{});
  }
  if (model.port_hamiltonian)
    for (const Function& one : model.port_hamiltonian->hamiltonians)
      see(one, 1, "a Hamiltonian", MayRead::multipliers, Pair{});
}

/// Every function of the model that takes patterns, or writes matrices or forces, once, in one mode.
void look_everywhere(const Look& look, const std::vector<double>& start, const Held& held) {
  const System::Declarations& model = look.model();
  look.look(model.rates, static_cast<int>(model.state_names.size()), "the rates", false);
  visit_functions(model, [&](const Function& f, int rows, const std::string& owner, MayRead may_read, Pair member) {
    look.look(f, rows, owner, true, may_read == MayRead::rates, member);
    if (may_read == MayRead::nothing) look.refuse_multipliers(owner);
  });
  if (model.mass) look.writing_of(model.mass, state_map(model), "the mass matrix");
  if (model.jacobian) look.writing_of(model.jacobian, state_map(model), "the Jacobian");
  if (model.mechanics) {
    const MechanicsInfo& info = *model.mechanics;
    const EntryMap mass_map = mechanics_map(model, true), force_map = mechanics_map(model, false);
    for (std::size_t k = 0; k < info.masses.size(); ++k) {
      const std::string owner = numbered("mass", k, info.masses.size());
      look.writing_of(info.masses[k], mass_map, owner);
      look.refuse_multipliers(owner);
    }
    for (std::size_t k = 0; k < info.forces.size(); ++k)
      look.writing_of(info.forces[k], force_map, numbered("force", k, info.forces.size()));
  }
  if (model.port_hamiltonian) {
    const PortHamiltonianInfo& info = *model.port_hamiltonian;
    const EntryMap map = state_map(model);
    for (std::size_t k = 0; k < info.structures.size(); ++k)
      look.writing_of(info.structures[k], map, numbered("structure", k, info.structures.size()));
    for (std::size_t k = 0; k < info.dissipations.size(); ++k)
      look.writing_of(info.dissipations[k], map, numbered("dissipation", k, info.dissipations.size()));
    for (std::size_t k = 0; k < info.inputs.size(); ++k)
      look.writing_of(info.inputs[k], map, numbered("input", k, info.inputs.size()));
    for (const auto& one : info.constraints) look.writing_of(one.column, map, fmt::format("constraint '{}'", one.name));
    std::vector<double> efforts(start.size()), flows(start.size());
    for (const ResistiveRelation& one : info.resistances) {
      look.safely("a resistance", [&] {
        Terms<double> d(map, flows.data());
        one(look.point(), Efforts(efforts.data(), &held), d);
      });
    }
  }
}

/// What is asked with numbers alone, once: black boxes, and what results and reports read.
void look_with_numbers(const Look& look) {
  const System::Declarations& model = look.model();
  look.look_with_numbers(model.rates, static_cast<int>(model.state_names.size()), "the rates");
  visit_functions(model, [&](const Function& f, int rows, const std::string& owner, MayRead may_read, Pair member) {
    look.look_with_numbers(f, rows, owner, member);
    if (may_read == MayRead::nothing) look.refuse_multipliers(owner);
  });
  for (std::size_t i = 0; i < model.observables.size(); ++i)
    look.look_with_numbers(model.observables[i], 1, fmt::format("observable '{}'", model.observable_names[i]));
}

/// The numbers of a picture, shape by shape.
class PictureLook {
 public:
  explicit PictureLook(const Look& look) : look_(look), model_(look.model()) {}

  void look() {
    for (const Shape& shape : model_.picture->shapes) std::visit([this](const auto& one) { see(one); }, shape);
  }

 private:
  using Number = shapes::Number;
  using Place = shapes::Place;

  void see(const Number& number) const {
    look_.safely(owner, [&] {
      if (const auto* state = std::get_if<State>(&number.value()))
        own_index(*state, model_.state_names.size(), "state", model_.model);
      if (const auto* observable = std::get_if<Observable>(&number.value()))
        own_index(*observable, model_.observables.size(), "observable", model_.model);
    });
    if (const auto* read = std::get_if<Number::Read>(&number.value())) look_.ask(*read, owner);
  }
  void see(const Place& place) const {
    for (const Number* number : {&place.x, &place.y, &place.z}) see(*number);
  }
  void see(const shapes::Turn& turn) const {
    for (const Number& number : turn.values) see(number);
  }
  void see(const shapes::Rod& one) const { see(one.from), see(one.to); }
  void see(const shapes::Spring& one) const { see(one.from), see(one.to); }
  void see(const shapes::Wall& one) const { see(one.from), see(one.to); }
  void see(const shapes::Disk& one) const { see(one.center), see(one.radius), see(one.turn); }
  void see(const shapes::Sphere& one) const { see(one.center), see(one.radius), see(one.turn); }
  void see(const shapes::Ring& one) const { see(one.center), see(one.radius), see(one.turn); }
  void see(const shapes::Box& one) const { see(one.center), see(one.turn); }
  void see(const shapes::Floor& one) const { see(one.center), see(one.turn); }
  void see(const shapes::Trace& one) const { see(one.of); }
  void see(const shapes::Arrow& one) const { see(one.at), see(one.force); }
  void see(const shapes::Touch& one) const {
    look_.safely(owner, [&] {
      if (const auto* contact = std::get_if<Contact>(&one.what))
        own_index(contact->mode, model_.modes.size(), "contact", model_.model);
      else
        own_index(std::get<Guard>(one.what), model_.guards.size(), "guard", model_.model);
    });
    see(one.at);
    if (one.direction) see(*one.direction);
  }

  static constexpr const char* owner = "the picture";
  const Look& look_;
  const System::Declarations& model_;
};

}  // namespace

void visit_modes(const System::Declarations& model, const Held& held, const std::function<void(const Held&)>& visit) {
  visit(held);
  // Flags and conditions both ways, one after the other.
  constexpr std::size_t most_flags = 64;
  std::vector<std::size_t> flags;
  for (std::size_t i = 0; i < model.mode_is_bool.size(); ++i) {
    if (model.mode_is_bool[i] && i < held.modes.size()) flags.push_back(i);
  }
  const std::size_t count = flags.size() + held.truths.size();
  if (count == 0 || count > most_flags) return;
  Held other = held;
  for (const std::size_t i : flags) {
    other.modes[i] = held.modes[i] == 0;
    visit(other);
    other.modes[i] = held.modes[i];
  }
  for (std::size_t i = 0; i < held.truths.size(); ++i) {
    other.truths[i] = held.truths[i] == 0;
    visit(other);
    other.truths[i] = held.truths[i];
  }
}

void check_handles(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t) {
  visit_modes(model, held, [&](const Held& mode) { look_everywhere(Look(model, mode, start, t), start, mode); });
  const Look look(model, held, start, t);
  look_with_numbers(look);
  if (model.picture) PictureLook(look).look();
}

}  // namespace pawl::detail
