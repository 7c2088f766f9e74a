#include "simulate/check_declarations.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "numerics/index.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "simulate/contradictions.hpp"
#include "simulate/look.hpp"

namespace pawl::detail {

namespace {

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
    const Writing writing = look.writing_of(functions[k], map, owner);
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
    const Writing writing = look.writing_of(info.masses[k], map, numbered("mass", k, info.masses.size()));
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

}  // namespace

void check_values(const Values& values, const System& system) {
  if (!values.belong_to(system))
    throw Misuse(fmt::format("the values are not of system '{}' as it is now: make them after its last declaration",
                             system.name()));
}

void check_contradictions(const System::Declarations& model, const Held& held, const std::vector<double>& start,
                          double t) {
  if (!model.mechanics && !model.port_hamiltonian) return;
  visit_modes(model, held, [&](const Held& mode) {
    const Look there(model, mode, start, t);
    for (const std::string& fault : {structure_fault(there), slip_fault(there)})
      if (!fault.empty()) throw Misuse(fmt::format("system '{}': {}", model.name, fault));
  });
  const Look look(model, held, start, t);
  if (model.mechanics) {
    check_masses(look);
    refuse_overwriting(look, model.mechanics->forces, mechanics_map(model, false), "force",
                       [&](int i, int) { return fmt::format("f[{}]", row_name(model, i)); });
  }
  if (model.port_hamiltonian) {
    const PortHamiltonianInfo& info = *model.port_hamiltonian;
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
