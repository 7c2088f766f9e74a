// What a System may know about itself beside its rates: invariants, the parts of a mechanism, the parts of a
// port-Hamiltonian system. Declared through System, Mechanics and PortHamiltonian; read by the room `formulate`.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "pawl/contact.hpp"
#include "pawl/entries.hpp"
#include "pawl/logic.hpp"

namespace pawl {

struct PortHamiltonianInfo;

struct InvariantInfo {
  std::string name;
  Function h;
  int rows = 1;
  bool is_relative = false;  ///< kept at its value at the start, not at zero
};

/// 0 = F(t, x, x').
struct EquationInfo {
  std::string name;
  Function f;
  int rows = 1;
  std::vector<std::string> row_names = {};  ///< where rows have names of their own
};

/// Positions and speeds are numbered in the order of declaration; "state" is the index in the System.
struct MechanicsInfo {
  struct ConstantMass {
    int speed;
    std::variant<double, Parameter> value;
  };
  struct AttitudeInfo {
    int first_position, first_speed;
  };
  struct ConstraintInfo {
    std::string name;
    Function g;
    int first_row, rows;
    bool is_on_speeds;  ///< h(t, q, v) = 0 instead of g(t, q) = 0
    Logic only_when = {};

    /// Whether this row, among those of all constraints, is one of its own.
    bool has_row(int row) const { return row >= first_row && row < first_row + rows; }
  };

  std::vector<int> positions, speeds;  ///< states
  std::vector<int> speed_of;           ///< per position: the speed that is its rate, -1 within an attitude
  std::vector<AttitudeInfo> attitudes;
  std::vector<ConstantMass> constant_masses;
  std::vector<detail::MassFunction> masses;
  std::vector<detail::VectorFunction> forces;
  std::vector<Function> potentials;
  std::vector<ConstraintInfo> constraints;
  std::vector<ContactInfo> contacts;
  int rows = 0;            ///< of all constraints
  int friction_work = -1;  ///< state: what friction has taken
  int impact_loss = -1;    ///< held number: what impacts have taken
  std::vector<Function> kinetic_energies;

  /// State to number of its speed, or of the speed that belongs to the position.
  detail::EntryMap speed_map(int states) const;
  /// The constraint this row, among those of all constraints, belongs to.
  const ConstraintInfo& constraint_of(int row) const;
};

namespace detail {

template <class R>
struct RowsOf : std::integral_constant<int, 1> {};
template <class T, std::size_t n>
struct RowsOf<std::array<T, n>> : std::integral_constant<int, static_cast<int>(n)> {};
template <class R>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;
template <class F>
inline constexpr int row_count = RowsOf<std::invoke_result_t<const F&, const Point<double>&>>::value;

}  // namespace detail
}  // namespace pawl
