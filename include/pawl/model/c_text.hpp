// C text: the outputs of a graph as a C function, for programs that do not have pawl.
//
//   std::ofstream("tank.c") << c_text(graph, outputs, "tank");
//
//   struct pawl_point { double time; const double *state, *rate, *parameter, *number, *mode, *truth, *relay, *input; };
//   void tank(const struct pawl_point *at, double *out);
//
// C99, and C++ takes it too. Literals are hexadecimal and operations are in the order of the interpreter, so that the
// results have its bits where the compiler neither contracts nor replaces calls of the library:
// -ffp-contract=off -fno-builtin. What only one side of a choice needs is computed there alone. The text is as long as
// the model: repeated rows are not rolled.
#pragma once

#include <string>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

/// Throws Misuse where `name` is no name of C, or an output reads a rate of second order.
std::string c_text(const Graph& graph, const std::vector<int>& outputs, const std::string& name);

}  // namespace pawl::model
