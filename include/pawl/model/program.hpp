// Program: outputs of a graph as a flat list of instructions, for every scalar.
//
//   const Program program(graph, outputs);
//   std::vector<double> h = program.held();                     // literals are there; the rest is loaded by whoever
//   knows for (const Load& load : program.held_loads()) h[load.slot] = ...; program.run_held(h.data()); // once per
//   event program.run(m.data(), h.data(), x, out);                    // at every evaluation; m: moving_loads() filled
//   in
//
// Values are in three files: m, temporaries of the scalar T, reused after their last use; h, numbers held between
// events; x, the states, read where they are. A choice by a held truth jumps over the side that is not taken. Results
// are those of the same operations written in C++, to the last bit.
#pragma once

#include <cstdint>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

/// An input and the place in its file where it is expected.
struct Load {
  Op kind = Op::time;
  int index = 0, slot = 0;
};

class Program {
 public:
  Program() = default;
  /// Throws Misuse where an output reads a derivative of second or higher order: no function is given those.
  Program(const Graph& graph, const std::vector<int>& outputs) : Program(graph, outputs, outputs) {}
  /// The same with all its files, but writes only the rows that are not -1 in `wanted`.
  Program(const Graph& graph, const std::vector<int>& outputs, const std::vector<int>& wanted);

  int rows() const { return rows_; }
  /// Temporaries, the inputs at their beginning included.
  int moving_size() const { return moving_size_; }
  /// Numbers that are held, with the literals among them; the others are loaded or computed.
  const std::vector<double>& held() const { return held_; }
  const std::vector<Load>& held_loads() const { return held_loads_; }
  const std::vector<Load>& moving_loads() const { return moving_loads_; }
  /// The states it reads, ascending.
  const std::vector<int>& states() const { return states_; }
  /// Words of code, and instructions dispatched where no choice jumps.
  std::size_t code_size() const { return code_.size(); }
  int instructions() const { return instructions_; }

  void run_held(double* h) const;
  /// For the scalars of function.hpp. x and out must not overlap.
  template <class T>
  void run(T* m, const double* h, const T* x, T* out) const;

  const std::vector<std::uint32_t>& code() const { return code_; }

 private:
  friend class Lowering;

  std::vector<std::uint32_t> held_code_, code_;
  std::vector<double> held_;
  std::vector<Load> held_loads_, moving_loads_;
  std::vector<int> states_;
  int rows_ = 0, moving_size_ = 0, instructions_ = 0;
};

}  // namespace pawl::model
