#include "report/model_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "numerics/index.hpp"
#include "pawl/contact_family.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "report/fact_table.hpp"
#include "report/reads.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// Words with commas between them; those that are empty are left out.
class Words {
 public:
  template <class... Arguments>
  Words& add(fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    return put(fmt::format(words, std::forward<Arguments>(arguments)...));
  }
  Words& put(const std::string& words) {
    if (!words.empty()) text_ += (text_.empty() ? "" : "; ") + words;
    return *this;
  }
  /// "from x, t", where it is known what something is computed from.
  Words& from(const std::string& reads, std::string_view what = "from") {
    if (!reads.empty()) add("{} {}", what, reads);
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// The declarations of a model as sentences.
class Telling {
 public:
  explicit Telling(const Result& run)
      : model_(run.declarations->parts ? *run.declarations->parts : *run.declarations),
        reads_(*run.declarations, *run.eras.front().held) {}

  Json tables() {
    states(), parameters(), inputs(), held(), equations(), mechanism(), energies_and_ports(), constraints(), contacts();
    spheres(), events(), time_events(), truths(), relays(), switches(), watched(), picture();
    return std::move(tables_);
  }

 private:
  void states() {
    FactTable facts("Model: states");
    const std::vector<std::string> roles = roles_of_states();
    const std::vector<std::string> rates =
        model_.rates ? reads_.of_each(model_.rates, static_cast<int>(model_.state_names.size()))
                     : std::vector<std::string>(model_.state_names.size());
    for (std::size_t i = 0; i < model_.state_names.size(); ++i) {
      Words words;
      words.add("starts at {:.17g}", model_.starts[i]).put(roles[i]);
      if (i < model_.nominals.size() && model_.nominals[i] > 0) words.add("of size {:g}", model_.nominals[i]);
      if (roles[i].empty() && !model_.port_hamiltonian) words.from(rates[i], "rate from");
      facts.put(model_.state_names[i], words.take());
    }
    if (model_.start) facts.put("start values", "some follow from parameters");
    facts.into(tables_);
  }
  std::vector<std::string> roles_of_states() const {
    std::vector<std::string> roles(model_.state_names.size());
    if (!model_.mechanics) return roles;
    const MechanicsInfo& info = *model_.mechanics;
    for (std::size_t i = 0; i < info.positions.size(); ++i) {
      const int speed = info.speed_of[i];
      if (speed < 0) {
        roles[at(info.positions[i])] = "of an attitude, a unit quaternion";
        continue;
      }
      roles[at(info.positions[i])] = "a coordinate";
      roles[at(info.speeds[at(speed)])] = "its speed";
    }
    for (const MechanicsInfo::AttitudeInfo& one : info.attitudes)
      for (int k = 0; k < 3; ++k)
        roles[at(info.speeds[at(one.first_speed + k)])] = "angular velocity, in the axes of the body";
    if (info.friction_work >= 0) roles[at(info.friction_work)] = "what friction has taken";
    return roles;
  }

  void parameters() {
    FactTable facts("Model: parameters");
    for (std::size_t i = 0; i < model_.parameter_names.size(); ++i)
      facts.add(model_.parameter_names[i], "{:.17g}", model_.parameters[i]);
    facts.into(tables_);
  }
  void inputs() {
    FactTable facts("Model: inputs");
    for (std::size_t i = 0; i < model_.input_names.size(); ++i) {
      const std::vector<Signal::Piece>& pieces = model_.inputs[i]->pieces();
      const Signal::Piece& first = pieces.front();
      const bool is_constant = pieces.size() == 1 && !first.function && first.c[1] == 0 && first.c[2] == 0;
      Words words;
      if (is_constant)
        words.add("{:g}", first.c[0]);
      else
        words.put(first.function ? "a function of time" : "given by points")
            .put(counted(pieces.size(), "smooth piece", "smooth pieces"));
      facts.put(model_.input_names[i], words.take());
    }
    facts.into(tables_);
  }
  void held() {
    FactTable facts("Model: discrete variables");
    std::map<int, std::string> decided;
    for (const DecisionInfo& one : model_.decisions) decided[one.discrete] = said(one.logic);
    const auto [of_parts, numbers_of_parts] = held_for_parts();
    for (std::size_t i = 0; i < model_.mode_names.size(); ++i) {
      if (model_.first_own_mode >= 0 && static_cast<int>(i) >= model_.first_own_mode) continue;
      if (of_parts.contains(static_cast<int>(i))) continue;
      Words words;
      if (model_.mode_is_bool[i])
        words.add("starts as {}", model_.modes[i] != 0);
      else
        words.add("starts at {}", model_.modes[i]);
      if (const auto found = decided.find(static_cast<int>(i)); found != decided.end())
        words.add("decided: {}", found->second);
      facts.put(model_.mode_names[i], words.take());
    }
    for (std::size_t i = 0; i < model_.number_names.size(); ++i)
      if (!numbers_of_parts.contains(static_cast<int>(i)))
        facts.add(model_.number_names[i], "starts at {:.17g}", model_.numbers[i]);
    const int family = family_of(model_);
    for (std::size_t i = 0; i < model_.object_names.size(); ++i)
      if (static_cast<int>(i) != family)
        facts.put(model_.object_names[i], Words().put("an object").put(model_.objects[i].text()).take());
    facts.into(tables_);
  }

  /// Discrete variables that contacts and ideal switches have for themselves: modes, and numbers.
  std::pair<std::set<int>, std::set<int>> held_for_parts() const {
    std::set<int> modes, numbers;
    for (const SwitchInfo& one : model_.switches)
      if (one.kind != SwitchInfo::Kind::given) modes.insert(one.mode);
    if (model_.mechanics) {
      numbers.insert(model_.mechanics->impact_loss);
      for (const ContactInfo& one : model_.mechanics->contacts) {
        modes.insert({one.mode, one.side});
        for (int k = 0; one.direction >= 0 && k < 3; ++k) numbers.insert(one.direction + k);
      }
    }
    return {modes, numbers};
  }

  void equations() {
    FactTable facts("Model: equations");
    if (model_.mass) facts.put("mass matrix", "M x' = f; its entries are a function of the state");
    for (const EquationInfo& one : model_.equations) rows_of(facts, one, "");
    for (const EquationInfo& one : model_.initial) rows_of(facts, one, "at the start alone");
    if (model_.jacobian) facts.put("Jacobian", "given");
    facts.into(tables_);
  }
  void rows_of(FactTable& facts, const EquationInfo& one, const std::string& when) {
    const std::vector<std::string> reads = reads_.of_each(one.f, one.rows);
    for (int row = 0; row < one.rows; ++row) {
      const std::string name = !one.row_names.empty() ? one.row_names[at(row)]
                               : one.rows == 1        ? one.name
                                                      : fmt::format("{}[{}]", one.name, row);
      const std::string words = Words().put(when).from(reads[at(row)], "0 = f of").take();
      facts.put(name, words.empty() ? "0 = f, a function of numbers alone" : words);
    }
  }

  void mechanism() {
    if (!model_.mechanics) return;
    const MechanicsInfo& info = *model_.mechanics;
    FactTable facts("Model: mechanism");
    for (const MechanicsInfo::ConstantMass& one : info.constant_masses)
      facts.put("mass with " + model_.state_names[at(info.speeds[at(one.speed)])], coefficient(one.value));
    if (!info.masses.empty())
      facts.put("mass matrix", counted(info.masses.size(), "function of the position", "functions of the position"));
    for (const Function& one : info.kinetic_energies)
      facts.put("kinetic energy", Words().from(reads_.of(one, 1)).take());
    for (const Function& one : info.potentials) facts.put("potential", Words().from(reads_.of(one, 1)).take());
    if (!info.forces.empty()) facts.put("forces", counted(info.forces.size(), "function", "functions"));
    facts.into(tables_);
  }
  void energies_and_ports() {
    if (!model_.port_hamiltonian) return;
    const PortHamiltonianInfo& info = *model_.port_hamiltonian;
    FactTable facts("Model: energies and ports");
    for (const Function& one : info.hamiltonians) facts.put("Hamiltonian", Words().from(reads_.of(one, 1)).take());
    const auto functions = [&facts](const char* label, std::size_t count) {
      if (count > 0) facts.put(label, counted(count, "function", "functions"));
    };
    functions("structure", info.structures.size());
    functions("dissipation", info.dissipations.size());
    functions("resistances", info.resistances.size());
    functions("drives", info.inputs.size());
    facts.into(tables_);
  }

  void constraints() {
    FactTable facts("Model: constraints and invariants");
    if (model_.mechanics) {
      std::vector<char> is_of_contact(model_.mechanics->constraints.size());
      for (const ContactInfo& one : model_.mechanics->contacts) {
        if (one.kind == ContactInfo::Kind::contact) is_of_contact[at(one.normal)] = 1;
        if (one.slip >= 0) is_of_contact[at(one.slip)] = 1;
      }
      for (std::size_t i = 0; i < model_.mechanics->constraints.size(); ++i) {
        const MechanicsInfo::ConstraintInfo& one = model_.mechanics->constraints[i];
        if (is_of_contact[i]) continue;
        Words words;
        words.put(one.is_on_speeds ? "on speeds" : "on positions").put(counted(at(one.rows), "row", "rows"));
        words.from(reads_.of(one.g, one.rows)).put(while_(one.only_when));
        facts.put(one.name, words.take());
      }
    }
    if (model_.port_hamiltonian)
      for (const PortHamiltonianInfo::ConstraintInfo& one : model_.port_hamiltonian->constraints)
        facts.put(one.name, "a column of the structure, with a multiplier");
    for (const InvariantInfo& one : model_.invariants) {
      facts.put(one.name, Words()
                              .put(one.is_relative ? "kept at its value at the start" : "kept at zero")
                              .put(counted(at(one.rows), "row", "rows"))
                              .from(reads_.of(one.h, one.rows))
                              .take());
    }
    facts.into(tables_);
  }

  void contacts() {
    if (!model_.mechanics) return;
    FactTable facts("Model: contacts and friction");
    for (const ContactInfo& one : model_.mechanics->contacts) facts.put(one.name, said(one));
    facts.into(tables_);
  }
  std::string said(const ContactInfo& one) const {
    Words words;
    if (one.kind == ContactInfo::Kind::joint)
      words.add("friction in the joint '{}'", model_.mechanics->constraints[at(one.normal)].name);
    else if (one.kind == ContactInfo::Kind::driven)
      words.put("dry friction under a given force").from(reads_.of(one.normal_force, 1), "pressed by");
    else if (one.compliance)
      words.put(said(*one.compliance));
    else
      words.add("rigid; restitution {} ({}{})", coefficient(one.restitution),
                one.impact == ImpactLaw::poisson ? "Poisson" : "Newton", one.is_sequential ? ", one by one" : "");
    if (one.slip >= 0) {
      words.add("friction {}", coefficient(one.friction));
      if (coefficient(one.static_friction) != coefficient(one.friction))
        words.add("{} while it sticks", coefficient(one.static_friction));
      words.put(one.tangents == 2 ? "in two directions" : "");
      if (one.smoothing > 0) words.add("smoothed below a slip of {:g}", one.smoothing);
    } else if (one.kind == ContactInfo::Kind::contact) {
      words.put("without friction");
    }
    words.from(reads_.of(one.gap, 1), "gap from").from(reads_.of(one.slip_speed, 1), "slip from");
    return words.take();
  }
  static std::string said(const Compliance& one) {
    Words words;
    words.add("gives way: stiffness {:g}, exponent {:g}", one.stiffness, one.exponent);
    if (one.damping != 0) words.add("damping {:g}", one.damping);
    if (one.dissipation != 0) words.add("dissipation {:g}", one.dissipation);
    return words.take();
  }

  void spheres() {
    const int object = family_of(model_);
    if (object < 0) return;
    const ContactFamilyInfo& info = *model_.objects[at(object)].as<FamilyState>().family;
    FactTable facts("Model: spheres that meet");
    const auto [smallest, largest] = std::minmax_element(info.spheres.radii.begin(), info.spheres.radii.end());
    facts.add(info.name, "{} spheres, radius {:g}{}", info.spheres.size(), *smallest,
              *largest > *smallest ? fmt::format(" to {:g}", *largest) : "");
    facts.put("restitution", coefficient(info.restitution));
    facts.put("friction", coefficient(info.friction));
    facts.put("rolling friction", coefficient(info.rolling_friction));
    facts.add("gravity", "{:g}, {:g}, {:g}", info.spheres.gravity[0], info.spheres.gravity[1], info.spheres.gravity[2]);
    for (const ContactFamilyInfo::Wall& one : info.walls)
      facts.add("wall " + one.name, "inside where ({:g}, {:g}, {:g}) x >= {:g}", one.inward[0], one.inward[1],
                one.inward[2], one.offset);
    facts.into(tables_);
  }

  void events() {
    FactTable facts("Model: guards");
    for (const GuardInfo& one : model_.guards) {
      if (one.role != GuardInfo::Role::guard || one.contact_end || one.contact >= 0 || one.ideal_switch >= 0) continue;
      Words words;
      if (one.is_family) words.put(counted(one.members.size(), "member", "members"));
      words.put(one.direction == Direction::falling  ? "falling"
                : one.direction == Direction::rising ? "rising"
                                                     : "either way");
      words.put(one.side == Side::unilateral ? "never seen beyond zero" : "");
      words.put(one.fires_on_touch ? "touching fires" : "").put(one.reports_departure ? "departures are told" : "");
      if (one.block < 0 && !one.members.empty()) words.from(reads_.of(one.g, 1, one.members.front()));
      words.put(one.is_generic() ? "" : "a black box");
      if (one.min_width > 0) words.add("no excursion shorter than {:g}", one.min_width);
      if (one.rate_bound > 0) words.add("no faster than {:g}", one.rate_bound);
      words.put(while_(one.only_when)).put(one.then ? "then a jump" : "watched");
      words.put(one.at_accumulation ? "a state of rest where events accumulate" : "");
      facts.put(one.name, words.take());
    }
    if (model_.transition) facts.put("transition function", "sees every round of every event");
    facts.into(tables_);
  }
  void time_events() {
    FactTable facts("Model: time events");
    for (const TimeEventInfo& one : model_.time_events) {
      Words words;
      const std::string time = said(one.time), phase = said(one.phase);
      if (one.is_periodic)
        words.add("every {}", time).put(phase == "0" ? "" : "the first after " + phase);
      else
        words.put(time == "inf" ? "when it is scheduled" : "at t = " + time);
      words.put(one.includes_start ? "at the start too" : "").put(one.then ? "then a jump" : "");
      facts.put(one.name, words.take());
    }
    facts.into(tables_);
  }
  void truths() {
    FactTable facts("Model: conditions and relations");
    for (const GuardInfo& one : model_.guards) {
      const bool is_condition = one.role == GuardInfo::Role::condition || one.role == GuardInfo::Role::condition_family;
      if (!is_condition && one.role != GuardInfo::Role::relation) continue;
      Words words;
      words.put(is_condition ? "the truth of g > 0" : "the sign of g");
      if (one.is_family) words.put(counted(one.members.size(), "member", "members"));
      if (one.block < 0 && !one.members.empty()) words.from(reads_.of(one.g, 1, one.members.front()), "g from");
      facts.put(one.name, words.put(one.is_generic() ? "" : "a black box").take());
    }
    facts.into(tables_);
  }
  void relays() {
    FactTable facts("Model: relays");
    for (const RelayInfo& one : model_.relays) {
      Words words;
      words.add("{:g} where g < 0, {:g} where g > 0", one.below, one.above);
      words.put(one.hysteresis > 0 ? fmt::format("hysteresis {:g}", one.hysteresis) : "may slide on g = 0");
      facts.put(one.name, words.from(reads_.of(one.g, 1), "g from").take());
    }
    facts.into(tables_);
  }
  void switches() {
    FactTable facts("Model: ideal switches");
    for (const SwitchInfo& one : model_.switches) {
      Words words;
      words.put(one.kind == SwitchInfo::Kind::diode ? "a diode"
                : one.kind == SwitchInfo::Kind::thyristor
                    ? "a thyristor"
                    : fmt::format("closed while {}", model_.mode_names[at(one.mode)]));
      words.from(reads_.of(one.voltage, 1), "voltage from").from(reads_.of(one.current, 1), "current from");
      if (!one.gate.is_always_true()) words.add("gate: {}", said(one.gate));
      facts.put(one.name, words.take());
    }
    facts.into(tables_);
  }

  void watched() {
    FactTable facts("Model: observables");
    for (std::size_t i = 0; i < model_.observable_names.size(); ++i) {
      const bool is_energy =
          std::find(model_.energies.begin(), model_.energies.end(), static_cast<int>(i)) != model_.energies.end();
      facts.put(model_.observable_names[i], is_energy ? "the energy of the whole model" : "computed when it is read");
    }
    facts.into(tables_);
  }
  void picture() {
    if (!model_.picture) return;
    constexpr std::array<std::array<std::string_view, 2>, std::variant_size_v<Shape>> names{{{"rod", "rods"},
                                                                                             {"disk", "disks"},
                                                                                             {"sphere", "spheres"},
                                                                                             {"box", "boxes"},
                                                                                             {"spring", "springs"},
                                                                                             {"wall", "walls"},
                                                                                             {"ring", "rings"},
                                                                                             {"floor", "floors"},
                                                                                             {"trace", "traces"},
                                                                                             {"touch", "touches"},
                                                                                             {"arrow", "arrows"}}};
    std::array<std::size_t, names.size()> counts{};
    for (const Shape& one : model_.picture->shapes) ++counts[one.index()];
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (counts[k] > 0)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", counted(counts[k], names[k][0], names[k][1]));
    FactTable facts("Model: picture");
    facts.put("parts", text);
    facts.into(tables_);
  }

  std::string said(const Logic& logic) const { return logic.describe(model_.condition_names, model_.mode_names); }
  std::string while_(const Logic& logic) const {
    return logic.is_always_true() ? std::string() : fmt::format("only when {}", said(logic));
  }
  /// "0.4", or the name of the parameter that holds it.
  template <class... T>
  std::string coefficient(const std::variant<double, Parameter, T...>& value) const {
    if (const auto* held = std::get_if<Parameter>(&value)) return model_.parameter_names[at(held->index)];
    return fmt::format("{:g}", std::get<double>(value));
  }
  std::string said(const TimeValue& value) const {
    if (const auto* held = std::get_if<Discrete<double>>(&value)) return model_.number_names[at(held->index)];
    return coefficient(value);
  }

  const System::Declarations& model_;  // as it was declared
  Reads reads_;
  Json tables_ = Json::array();
};

}  // namespace

Json model_facts(const Result& run) {
  if (run.eras.empty()) return Json::array();
  return Telling(run).tables();
}

}  // namespace pawl
