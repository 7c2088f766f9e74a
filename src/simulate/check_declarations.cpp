#include "simulate/check_declarations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "numerics/index.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "system/foreign_handle.hpp"

namespace pawl::detail {

namespace {

/// Rates that nobody needs to know.
class AnyRate final : public RateSource<Pattern> {
 public:
  Pattern rate(const Point<Pattern>&, int) const override { return {}; }
};

/// Multipliers that nobody needs to know, but whether they were asked for.
class AnyMultiplier final : public MultiplierSource {
 public:
  double multiplier(const Point<double>&, int) const override {
    is_asked = true;
    return 0;
  }
  mutable bool is_asked = false;
};

/// Evaluates functions of a model for the sake of what they touch.
class Look {
 public:
  Look(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t)
      : model_(model), held_(held), start_(start), t_(t), patterns_(start.size()), numbers_{&held} {
    numbers_.multipliers = &multipliers_;
  }
  Look(const Look&) = delete;

  const System::Declarations& model() const { return model_; }
  Point<double> point() const { return {t_, start_.data(), held_.parameters.data(), &numbers_}; }

  /// What the function itself throws is met again by the run, and becomes an outcome there.
  template <class Call>
  void safely(const std::string& owner, const Call& call) const {
    try {
      call();
    } catch (const ForeignHandle& error) {
      throw error.used_by(owner);
    } catch (const NoRow& error) {
      throw Misuse(fmt::format("system '{}', {}: {}, which are numbered from 0", model_.name, owner, error.what()));
    } catch (const NoRate& error) {
      refuse_sliced_coordinate(error.state, owner);
    } catch (...) {
      return;
    }
  }

  /// assigns_all: every result has to be assigned, in this mode, too.
  void look(const Function& f, int results, const std::string& owner, bool assigns_all, bool may_read_rates = false,
            Pair member = {}) const {
    if (!f || !f.supports<Pattern>() || f.rows() > results) return;  // too many rows are refused by their number
    const AnyRate rates;
    const Surroundings<Pattern> around{.held = &held_, .member = member, .rates = may_read_rates ? &rates : nullptr};
    std::vector<Pattern> out(at(results), Pattern::unassigned());
    bool is_done = false;
    safely(owner, [&] {
      f(Point<Pattern>(Pattern(), patterns_.data(), held_.parameters.data(), &around), out.data());
      is_done = true;
    });
    multipliers_.is_asked = multipliers_.is_asked || around.reads_multipliers;
    if (!is_done || !assigns_all) return;
    for (std::size_t row = 0; row < out.size(); ++row) {
      if (!out[row].is_assigned())
        throw Misuse(fmt::format("system '{}', {}: out[{}] is not assigned", model_.name, owner, row));
    }
  }

  /// Multipliers follow from constraints, masses and energies, which are evaluated where there are none.
  template <class LookAt>
  void before_multipliers(const std::string& owner, const LookAt& look_at) const {
    multipliers_.is_asked = false;
    look_at(owner);
    if (!multipliers_.is_asked) return;
    throw Misuse(
        fmt::format("system '{}', {}: at[constraint] reads a multiplier. Those follow from constraints, masses and "
                    "energies, which cannot depend on them: forces, rates, equations, guards and observables may",
                    model_.name, owner));
  }

 private:
  void refuse_sliced_coordinate(int state, const std::string& owner) const {
    if (!model_.mechanics) return;
    const std::vector<int>& positions = model_.mechanics->positions;
    if (std::find(positions.begin(), positions.end(), state) == positions.end()) return;
    const std::string& name = model_.state_names[at(state)];
    throw Misuse(fmt::format(
        "system '{}', {}: at[dot({})] asks for a rate that is not known there. The coordinate '{}' was stored "
        "as a State, which forgets its speed: keep it as a Coordinate, whose dot is the speed itself",
        model_.name, owner, name, name));
  }

  const System::Declarations& model_;
  const Held& held_;
  const std::vector<double>& start_;
  double t_;
  std::vector<Pattern> patterns_;
  AnyMultiplier multipliers_;
  Surroundings<double> numbers_;
};

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

/// What one function writes into a matrix or a vector: which entries it touches, which of them it assigns instead of
/// adding to them, and which more than once.
using Seen = std::vector<std::pair<int, int>>;
struct Writing {
  Seen touched;
  std::set<std::pair<int, int>> assigned, assigned_again;

  /// What entries hold at the end, those that had a value before among them.
  template <class Value>
  void end(const Seen& had, bool is_symmetric, const Value& value) {
    assigned.insert(had.begin(), had.end());
    assigned_again = assigned;
    std::erase_if(assigned_again, [&](const auto& entry) { return std::isnan(value(entry.first, entry.second)); });
    for (auto [i, j] : touched) {
      if (is_symmetric && i < j) std::swap(i, j);
      if (!std::isnan(value(i, j))) assigned.emplace(i, j);
    }
  }
};

constexpr int largest_full = 1000;  // states; beyond nobody writes entries by hand

/// Entries start as NaN, which adding to them does not change.
template <class... Scalar>
Writing writing_of(const Look& look, const OutputFunction<Entries, Scalar...>& f, const EntryMap& map,
                   const std::string& owner) {
  const int n = map.width;
  std::vector<double> values;
  if (n <= largest_full) values.assign(at(n) * at(n), std::numeric_limits<double>::quiet_NaN());
  Writing writing;
  Seen had;
  look.safely(owner, [&] {
    Entries<double> entries(map, writing.touched, values.empty() ? nullptr : values.data(), &had);
    f.check(look.point(), entries);
  });
  if (!values.empty()) writing.end(had, map.is_symmetric, [&](int i, int j) { return values[at(i * n + j)]; });
  return writing;
}
Writing writing_of(const Look& look, const VectorFunction& f, const EntryMap& map, const std::string& owner) {
  std::vector<double> values(at(map.width), std::numeric_limits<double>::quiet_NaN());
  Writing writing;
  Seen had;
  look.safely(owner, [&] {
    Terms<double> terms(map, values.data(), &writing.touched, &had);
    f.check(look.point(), terms);
  });
  writing.end(had, false, [&](int i, int) { return values[at(i)]; });
  return writing;
}

EntryMap mechanics_map(const System::Declarations& model, bool is_symmetric) {
  EntryMap map = model.mechanics->speed_map(static_cast<int>(model.state_names.size()));
  map.is_symmetric = is_symmetric;
  map.model = model.model;
  return map;
}
EntryMap state_map(const System::Declarations& model) {
  EntryMap map = PortHamiltonianInfo::map(static_cast<int>(model.state_names.size()));
  map.model = model.model;
  return map;
}

/// What several functions add up to in these entries; nothing where one of them throws or they are many.
std::map<std::pair<int, int>, double> sums_of(const Look& look, const std::vector<MatrixFunction>& functions,
                                              const EntryMap& map, const std::set<std::pair<int, int>>& entries) {
  std::vector<double> sums(map.width <= largest_full ? at(map.width) * at(map.width) : 0, 0.0);
  std::map<std::pair<int, int>, double> values;
  if (sums.empty()) return values;
  bool is_whole = true;
  for (const MatrixFunction& f : functions) {
    bool is_done = false;
    look.safely({}, [&] {
      Entries<double> out(map, sums.data());
      f.check(look.point(), out);
      is_done = true;
    });
    is_whole = is_whole && is_done;
  }
  if (!is_whole) return values;
  for (const auto& [i, j] : entries) values[{i, j}] = sums[at(i * map.width + j)];
  return values;
}

std::string numbered(std::string_view what, std::size_t i, std::size_t count) {
  return count == 1 ? fmt::format("the {} function", what) : fmt::format("{} function number {}", what, i + 1);
}

/// The name behind a row of a mechanism: the coordinate's, or that of a speed of an attitude.
std::string row_name(const System::Declarations& model, int row) {
  const MechanicsInfo& info = *model.mechanics;
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] == row) return model.state_names[at(info.positions[i])];
  }
  return model.state_names[at(info.speeds[at(row)])];
}

template <class F, class Name>
void refuse_overwriting(const Look& look, const std::vector<F>& functions, const EntryMap& map, std::string_view what,
                        const Name& entry_name) {
  std::set<std::pair<int, int>> written;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const std::string owner = numbered(what, k, functions.size());
    const Writing writing = writing_of(look, functions[k], map, owner);
    if (!writing.assigned_again.empty()) {
      const auto& [i, j] = *writing.assigned_again.begin();
      throw Misuse(fmt::format("system '{}': {} assigns {} twice: the first value is lost", look.model().name, owner,
                               entry_name(i, j)));
    }
    for (const auto& [i, j] : writing.assigned) {
      if (written.contains({i, j})) {
        throw Misuse(
            fmt::format("system '{}': {} function number {} assigns {}, which another one has written before: "
                        "several add up by +=",
                        look.model().name, what, k + 1, entry_name(i, j)));
      }
    }
    for (auto [i, j] : writing.touched) {
      if (map.is_symmetric && i < j) std::swap(i, j);
      written.emplace(i, j);
    }
  }
}

void check_masses(const Look& look) {
  const System::Declarations& model = look.model();
  const MechanicsInfo& info = *model.mechanics;
  const EntryMap map = mechanics_map(model, true);
  for (std::size_t k = 0; k < info.masses.size(); ++k) {
    const Writing writing = writing_of(look, info.masses[k], map, numbered("mass", k, info.masses.size()));
    const std::set<std::pair<int, int>> all(writing.touched.begin(), writing.touched.end());
    for (const auto& [i, j] : all) {
      if (i > j && all.contains({j, i})) {
        throw Misuse(
            fmt::format("system '{}': the mass matrix is written at ({}, {}) and at ({}, {}), which are one "
                        "entry: write it once, the symmetric partner follows",
                        model.name, row_name(model, j), row_name(model, i), row_name(model, i), row_name(model, j)));
      }
    }
  }
  refuse_overwriting(look, info.masses, map, "mass",
                     [&](int i, int j) { return fmt::format("M({}, {})", row_name(model, j), row_name(model, i)); });
}

/// Entries of J come in pairs, x and -x; those of R in pairs of the same number: here they are sign times each other.
void check_partners(const Look& look, const std::vector<MatrixFunction>& functions, std::string_view letter,
                    std::string_view what, double sign) {
  const System::Declarations& model = look.model();
  const EntryMap map = state_map(model);
  std::set<std::pair<int, int>> all;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const Writing writing = writing_of(look, functions[k], map, numbered(what, k, functions.size()));
    all.insert(writing.touched.begin(), writing.touched.end());
  }
  const auto entry = [&](int i, int j) {
    return fmt::format("{}({}, {})", letter, model.state_names[at(i)], model.state_names[at(j)]);
  };
  const std::string_view partner = sign < 0 ? "minus the first" : "the same number";
  for (const auto& [i, j] : all) {
    if (i != j && !all.contains({j, i}))
      throw Misuse(fmt::format("system '{}': {} is written and its partner {} is not: write both, the second is {}",
                               model.name, entry(i, j), entry(j, i), partner));
  }
  const std::map<std::pair<int, int>, double> values = sums_of(look, functions, map, all);
  for (const auto& [place, first] : values) {
    const auto [i, j] = place;
    const double second = values.at({j, i});
    if (i > j || std::abs(second - sign * first) <= 1e-12 * std::abs(first)) continue;
    throw Misuse(i == j ? fmt::format("system '{}': {} = {:g}, where a structure has zeros: what loses or gains energy "
                                      "is dissipation or an input",
                                      model.name, entry(i, j), first)
                        : fmt::format("system '{}': {} = {:g} and {} = {:g}: the second has to be {}", model.name,
                                      entry(i, j), first, entry(j, i), second, partner));
  }
}

/// Every function of the model, once, in one mode.
void look_everywhere(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t) {
  Look look(model, held, start, t);
  const int n = static_cast<int>(model.state_names.size());
  look.look(model.rates, n, "the rates", false);
  for (const EquationInfo& one : model.equations)
    look.look(one.f, one.rows, fmt::format("equation '{}'", one.name), true, true);
  for (const EquationInfo& one : model.initial)
    look.look(one.f, one.rows, fmt::format("initial equation '{}'", one.name), true, true);
  for (const GuardInfo& guard : model.guards) {
    if (guard.row > 0) continue;  // of a block that was looked at
    for (const Pair member : guard.members) look.look(guard.g, guard.rows, owner_of(guard), true, true, member);
  }
  for (const InvariantInfo& one : model.invariants)
    look.look(one.h, one.rows, fmt::format("invariant '{}'", one.name), true);
  if (model.mass) writing_of(look, model.mass, state_map(model), "the mass matrix");
  if (model.jacobian) writing_of(look, model.jacobian, state_map(model), "the Jacobian");
  if (model.mechanics) {
    const MechanicsInfo& info = *model.mechanics;
    const auto look_before_multipliers = [&](const Function& f, int rows, const std::string& name) {
      look.before_multipliers(name, [&](const std::string& owner) { look.look(f, rows, owner, true); });
    };
    for (const Function& potential : info.potentials) look_before_multipliers(potential, 1, "a potential");
    for (const Function& energy : info.kinetic_energies) look_before_multipliers(energy, 1, "a kinetic energy");
    for (const auto& one : info.constraints)
      look_before_multipliers(one.g, one.rows, fmt::format("constraint '{}'", one.name));
    const EntryMap mass_map = mechanics_map(model, true), force_map = mechanics_map(model, false);
    for (std::size_t k = 0; k < info.masses.size(); ++k) {
      look.before_multipliers(numbered("mass", k, info.masses.size()),
                              [&](const std::string& owner) { writing_of(look, info.masses[k], mass_map, owner); });
    }
    for (std::size_t k = 0; k < info.forces.size(); ++k)
      writing_of(look, info.forces[k], force_map, numbered("force", k, info.forces.size()));
  }
  if (model.port_hamiltonian) {
    const PortHamiltonianInfo& info = *model.port_hamiltonian;
    const EntryMap map = state_map(model);
    for (const Function& one : info.hamiltonians) look.look(one, 1, "a Hamiltonian", true);
    for (std::size_t k = 0; k < info.structures.size(); ++k)
      writing_of(look, info.structures[k], map, numbered("structure", k, info.structures.size()));
    for (std::size_t k = 0; k < info.dissipations.size(); ++k)
      writing_of(look, info.dissipations[k], map, numbered("dissipation", k, info.dissipations.size()));
    for (std::size_t k = 0; k < info.inputs.size(); ++k)
      writing_of(look, info.inputs[k], map, numbered("input", k, info.inputs.size()));
    for (const auto& one : info.constraints)
      writing_of(look, one.column, map, fmt::format("constraint '{}'", one.name));
    std::vector<double> efforts(start.size()), flows(start.size());
    for (const ResistiveRelation& one : info.resistances) {
      look.safely("a resistance", [&] {
        Terms<double> d(map, flows.data());
        one(look.point(), Efforts(efforts.data(), &held), d);
      });
    }
  }
}

}  // namespace

void check_values(const Values& values, const System& system) {
  if (!values.belong_to(system))
    throw Misuse(fmt::format("the values are not of system '{}' as it is now: make them after its last declaration",
                             system.name()));
}

void check_handles(const System::Declarations& model, const Held& held, const std::vector<double>& start, double t) {
  look_everywhere(model, held, start, t);
  // What another mode would read: flags and conditions both ways, one after the other.
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
    look_everywhere(model, other, start, t);
    other.modes[i] = held.modes[i];
  }
  for (std::size_t i = 0; i < held.truths.size(); ++i) {
    other.truths[i] = held.truths[i] == 0;
    look_everywhere(model, other, start, t);
    other.truths[i] = held.truths[i];
  }
}

void check_contradictions(const System::Declarations& model, const Held& held, const std::vector<double>& start,
                          double t) {
  if (!model.mechanics && !model.port_hamiltonian) return;
  const Look look(model, held, start, t);
  if (model.mechanics) {
    check_masses(look);
    refuse_overwriting(look, model.mechanics->forces, mechanics_map(model, false), "force",
                       [&](int i, int) { return fmt::format("f[{}]", row_name(model, i)); });
  }
  if (model.port_hamiltonian) {
    const PortHamiltonianInfo& info = *model.port_hamiltonian;
    check_partners(look, info.structures, "J", "structure", -1);
    check_partners(look, info.dissipations, "R", "dissipation", 1);
    const auto entry = [&](std::string_view letter) {
      return [&model, letter](int i, int j) {
        return fmt::format("{}({}, {})", letter, model.state_names[at(i)], model.state_names[at(j)]);
      };
    };
    refuse_overwriting(look, info.structures, state_map(model), "structure", entry("J"));
    refuse_overwriting(look, info.dissipations, state_map(model), "dissipation", entry("R"));
    refuse_overwriting(look, info.inputs, state_map(model), "input",
                       [&](int i, int) { return fmt::format("d[{}]", model.state_names[at(i)]); });
  }
}

}  // namespace pawl::detail
