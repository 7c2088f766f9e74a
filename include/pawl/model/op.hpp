// Op: what a node of an expression graph does. Inputs come first, then functions of one, two and three operands; the
// order is part of the file format (file.hpp), so new operations are added at the end of their group together with a
// new version of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pawl::model {

enum class Op : std::uint8_t {
  constant,
  // Inputs, by index. Held between events: parameter, number, mode, truth. Moving: the others.
  time,
  state,
  rate,  ///< of a state, as at[dot(x)] reads it; its second operand is the order of the derivative
  parameter,
  number,  ///< a discrete double
  mode,    ///< a discrete bool, int or enum
  truth,   ///< a condition, 0 or 1, or a relation, -1, 0 or 1
  relay,   ///< moves while it slides
  input,   ///< a quantity given from outside, which moves with time
  // Functions of one operand.
  neg,
  sqr,
  sqrt,
  cbrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  negation,  ///< of a held truth
  // Functions of two operands.
  add,
  sub,
  mul,
  div,
  atan2,
  hypot,
  pow,
  min,
  max,
  less,  ///< comparisons and logic, of held values alone: 1 or 0
  less_equal,
  equal,
  both,
  either,
  // Functions of three operands.
  select,  ///< by the sign of a moving value: both sides are evaluated
  choose,  ///< by a held truth: only the side taken is evaluated
};

inline constexpr int op_count = static_cast<int>(Op::choose) + 1;

constexpr bool is_input(Op op) {
  return op >= Op::time && op <= Op::input;
}
constexpr bool is_leaf(Op op) {
  return op <= Op::input;
}
constexpr bool is_unary(Op op) {
  return op >= Op::neg && op <= Op::negation;
}
constexpr bool is_binary(Op op) {
  return op >= Op::add && op <= Op::either;
}
constexpr bool is_ternary(Op op) {
  return op >= Op::select;
}
/// Operands that are nodes.
constexpr int operand_count(Op op) {
  if (is_leaf(op)) return 0;
  if (is_unary(op)) return 1;
  return is_binary(op) ? 2 : 3;
}
/// Comparisons and logic take and give held values.
constexpr bool is_logic(Op op) {
  return op == Op::negation || (op >= Op::less && op <= Op::either);
}
constexpr bool is_moving_input(Op op) {
  return op == Op::time || op == Op::state || op == Op::rate || op == Op::relay || op == Op::input;
}
/// Held, and another one after an event.
constexpr bool is_discrete(Op op) {
  return op == Op::number || op == Op::mode || op == Op::truth;
}
/// Whose operands may be exchanged without changing a bit of any number or dual.
constexpr bool commutes(Op op) {
  return op == Op::add || op == Op::mul || op == Op::equal || op == Op::both || op == Op::either;
}

/// As messages and files write it: "sqrt", "+", "state".
std::string_view word_of(Op op);

}  // namespace pawl::model
