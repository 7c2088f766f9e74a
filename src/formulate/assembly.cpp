#include "formulate/assembly.hpp"

#include <algorithm>

#include "formulate/mechanics_rows.hpp"
#include "formulate/port_hamiltonian_rows.hpp"

namespace pawl::formulate {

namespace {

/// Notes that somebody asks for a multiplier.
class Asked final : public detail::MultiplierSource {
 public:
  double multiplier(const Point<double>&, int) const override {
    is_asked = true;
    return 0;
  }
  mutable bool is_asked = false;
};

/// Guards read the polynomials of multipliers; the surface of a relay is differentiated along the field, and what rests
/// at zero is measured by its rates.
bool needs_unknowns(GuardRole role) {
  return role == GuardRole::relay_up || role == GuardRole::relay_down || role == GuardRole::relation;
}

/// Whether a function that moves the model, or a guard that needs them as unknowns, reads a multiplier.
class Readers {
 public:
  Readers(const System::Declarations& model, const Held& held, const std::vector<double>& start)
      : model_(model), held_(held), start_(start), out_(start.size() + 16) {}

  bool any() {
    if (model_.rates) call([&](const Point<double>& at) { model_.rates(at, out_.data()); });
    if (model_.mechanics) {
      const MechanicsInfo& info = *model_.mechanics;
      const detail::EntryMap rows = info.speed_map(static_cast<int>(start_.size()));
      Terms<double> terms(rows, out_.data());
      for (const auto& f : info.forces) call([&](const Point<double>& at) { f(at, terms); });
    }
    for (const GuardInfo& guard : model_.guards) {
      if (guard.is_generic() && needs_unknowns(guard.role)) call_pattern(guard);
    }
    return asked_.is_asked;
  }

 private:
  template <class Call>
  void call(const Call& function) {
    detail::Surroundings<double> around{&held_};
    around.multipliers = &asked_;
    try {
      function(Point<double>(0, start_.data(), held_.parameters.data(), &around));
    } catch (const std::exception&) {
      // It will throw again where that is an outcome.
    }
  }
  void call_pattern(const GuardInfo& guard) {
    if (!guard.g.supports<Pattern>() || guard.members.empty() || guard.row > 0) return;
    const std::vector<Pattern> states(start_.size());
    const std::vector<Pattern> relays(model_.relays.size());
    struct Still final : detail::RateSource<Pattern> {
      Pattern rate(const Point<Pattern>&, int) const override { return {}; }
    } rates;
    detail::Surroundings<Pattern> around{&held_, guard.members.front()};
    around.relays = relays.data();
    around.rates = &rates;
    std::vector<Pattern> values(static_cast<std::size_t>(guard.rows));
    try {
      guard.g(Point<Pattern>(Pattern(), states.data(), held_.parameters.data(), &around), values.data());
    } catch (const std::exception&) {
    }
    asked_.is_asked = asked_.is_asked || around.reads_multipliers;
  }

  const System::Declarations& model_;
  const Held& held_;
  const std::vector<double>& start_;
  std::vector<double> out_;
  Asked asked_;
};

bool may_slide(const System::Declarations& model) {
  return std::any_of(model.relays.begin(), model.relays.end(),
                     [](const RelayInfo& relay) { return relay.hysteresis == 0; });
}

/// The value of a relay: its level, or whatever keeps the motion on its surface.
struct RelayValue {
  Function g;
  int relay, state;

  template <class T>
  void operator()(const Point<T>& at, T* out) const {
    const Held& held = *at.around()->held;
    const auto r = static_cast<std::size_t>(relay);
    if (held.sides[r] == RelaySide::sliding)
      g(at, out);
    else
      *out = at[State{state}] - held.levels[r];
  }
};

/// The energy of port-Hamiltonian parts may depend on where the mechanism is: what pulls it is its gradient.
std::shared_ptr<const System::Declarations> with_energies_as_potentials(
    std::shared_ptr<const System::Declarations> declared) {
  if (!declared->mechanics || !declared->port_hamiltonian) return declared;
  auto info = std::make_shared<MechanicsInfo>(*declared->mechanics);
  for (const Function& H : declared->port_hamiltonian->hamiltonians) info->potentials.push_back(H);
  auto all = std::make_shared<System::Declarations>(*declared);
  all->mechanics = std::move(info);
  return all;
}

/// The force of a damped contact may end before its gap opens: what it then is, is a mode.
std::shared_ptr<const System::Declarations> with_idle_contacts(std::shared_ptr<const System::Declarations> declared) {
  const auto may_let_go = [](const ContactInfo& one) { return one.compliance && one.compliance->may_let_go(); };
  if (!declared->mechanics) return declared;
  const std::vector<ContactInfo>& contacts = declared->mechanics->contacts;
  if (std::none_of(contacts.begin(), contacts.end(), may_let_go)) return declared;
  auto info = std::make_shared<MechanicsInfo>(*declared->mechanics);
  auto all = std::make_shared<System::Declarations>(*declared);
  for (ContactInfo& one : info->contacts)
    if (may_let_go(one)) one.idles = all->add_own_mode(one.name + " idles", true);
  all->mechanics = std::move(info);
  return all;
}

}  // namespace

bool needs_assembly(const System::Declarations& model, const Held& held, const std::vector<double>& start) {
  const int structured = (model.mechanics ? 1 : 0) + (model.port_hamiltonian ? 1 : 0);
  if (model.is_implicit()) return structured > 0 || may_slide(model);
  if (structured > 1 || (model.port_hamiltonian && model.rates)) return true;
  return !model.constraint_names.empty() && Readers(model, held, start).any();
}

std::shared_ptr<const System::Declarations> assemble(const std::shared_ptr<const System::Declarations>& model) {
  const auto declared = with_idle_contacts(with_energies_as_potentials(model));
  auto all = std::make_shared<System::Declarations>(*declared);
  all->parts = declared;
  all->mechanics = nullptr;
  all->port_hamiltonian = nullptr;
  const auto add = [&](const std::string& name) {
    all->state_names.push_back(name);
    all->starts.push_back(0);
    return static_cast<int>(all->state_names.size()) - 1;
  };
  if (!all->constraint_names.empty()) {
    all->first_multiplier = static_cast<int>(all->state_names.size());
    for (const std::string& name : declared->constraint_names) add(name);
  }
  const int first_multiplier = static_cast<int>(declared->state_names.size());
  if (declared->mechanics) append_mechanics_rows(declared, first_multiplier, all->equations);
  if (declared->port_hamiltonian) append_port_hamiltonian_rows(declared, first_multiplier, all->equations);
  if (may_slide(*declared)) {
    all->first_relay = static_cast<int>(all->state_names.size());
    for (std::size_t r = 0; r < declared->relays.size(); ++r) {
      const RelayInfo& relay = declared->relays[r];
      EquationInfo row{relay.name, Function::written(RelayValue{relay.g, static_cast<int>(r), add(relay.name)})};
      row.f.limit_to(relay.g);
      all->equations.push_back(std::move(row));
    }
  }
  if (!all->nominals.empty()) all->nominals.resize(all->state_names.size(), 0.0);
  return all;
}

}  // namespace pawl::formulate
