// model.graph: a graph and its outputs as text, so that a model travels to other processes and machines.
//
//   pawl graph 1                    version
//   nodes 4
//   state 0                         an operation and its operands: numbers of nodes, an index, or a number
//   constant 0x1.8p+1
//   * 1 0
//   ...
//   outputs 1
//   2
//   names 1
//   state 0 level                   the rest of the line
//   places 1
//   2 14 tank.mo                    node, line, file
//   end
//
// Numbers are written in hexadecimal, so that every bit arrives. A file is checked when it is read: what does not mean
// a graph is refused with the line and the reason, and nothing is allocated that the text does not account for.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "pawl/model/graph.hpp"

namespace pawl::model {

struct GraphFile {
  Graph graph;
  std::vector<int> outputs;
};

inline constexpr int file_version = 1;

/// Writes what the outputs need; nodes are numbered anew, in their order.
void write(std::ostream& out, const Graph& graph, const std::vector<int>& outputs);
/// Throws Misuse with the number of the line and what is wrong there.
GraphFile read(std::istream& in);

/// The same with a file; throws Misuse where it cannot be written or read, with its name.
void write_file(const std::string& name, const Graph& graph, const std::vector<int>& outputs);
GraphFile read_file(const std::string& name);

}  // namespace pawl::model
