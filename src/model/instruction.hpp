// Instructions as nodes, before they have slots: what fusion and lowering work on.
#pragma once

#include <array>
#include <vector>

#include "model/layout.hpp"
#include "model/opcodes.hpp"
#include "model/schedule.hpp"

namespace pawl::model {

/// What an instruction does beyond one operation of the graph.
enum class Shape : std::uint8_t {
  plain,    ///< the operation of its node
  mul_add,  ///< a b + c
  mul_sub,  ///< a b - c
  sub_mul,  ///< c - a b
  two_add,  ///< a b + c d with a and c held
  two_sub,
  add_add,  ///< (a + b) + c
  add_sub,
  sub_add,
  sub_sub,
  from_add,  ///< c - (a + b)
  from_sub,
  take,
  store,  ///< a into the output `node`
  branch,
  otherwise,
  join,
  gone,  ///< part of a later one
};

struct Instruction {
  Shape shape = Shape::plain;
  int node = -1;  ///< whose value it computes; for a branch, the truth
  int count = 0;
  std::array<int, 4> operand{};
};

/// What moves, with outputs stored as soon as they are known; an output of -1 is not wanted. Where `fuses`, pairs of
/// operations that have an instruction of their own are put together.
std::vector<Instruction> moving_instructions(const Graph& graph, const std::vector<int>& outputs, bool fuses);
std::vector<Instruction> held_instructions(const Graph& graph, const std::vector<int>& outputs);

/// Per node the last instruction that reads it, -1 where none does.
std::vector<int> last_uses(const std::vector<Instruction>& instructions, std::size_t nodes);

}  // namespace pawl::model
