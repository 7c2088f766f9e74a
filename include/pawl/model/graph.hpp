// Graph: a model as data. Every node is one operation on nodes made before it, so that a pass over a model is one loop;
// equal nodes are made once (hash consing), so that what is written twice is computed once.
//
//   Graph graph;
//   const int x = graph.input(Op::state, 0), p = graph.input(Op::parameter, 0);
//   const int f = graph.binary(Op::mul, p, graph.unary(Op::sin, x));        // p sin x; expr.hpp writes it so
//   graph.jacobian({f}, Op::state);                                         // (row 0, column 0, the node p cos x)
//
// A node is held or moving, found when it is made: what reads no time, state, rate, relay or input is held between
// events and computed with numbers, once per event, whatever the scalar.
//
// Nodes are simplified when they are made. What keeps every bit, but for the sign of a zero: x + 0, x - 0, x 1, x / 1,
// --x, a + -b, (-a) b, x x as a square, x^0, x^1, x^2, operations on literals; operands that commute are put in one
// order, held first, then by age. What does not: 0 x and x - x are 0, although x may become infinite or NaN. x / c
// stays a division.
//
// A graph grows while a model is written, by one thread; a finished one is read by any number of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pawl/model/op.hpp"

namespace pawl::model {

/// Operands are numbers of nodes, smaller than the node's own; an input has its index in `a`, a rate its order in `b`.
struct Node {
  Op op = Op::constant;
  int a = -1, b = -1, c = -1;

  bool operator==(const Node&) const = default;
};

/// Where something stands in a source text. Line 0: there is none.
struct Place {
  std::string file;
  int line = 0;

  /// As a default argument: where the function is called. (Clang has no std::source_location before version 16.)
  static Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
  bool operator==(const Place&) const = default;
};

/// One entry of a sparse Jacobian: the derivative of output `row` by the input of that index.
struct Entry {
  int row = 0, column = 0, node = 0;
};

class Graph {
 public:
  int constant(double value);
  /// Requires is_input(kind) and index >= 0; `order` is for rates of rates: 1 is x', 2 is x''.
  int input(Op kind, int index = 0, int order = 1);
  int unary(Op op, int a);
  int binary(Op op, int a, int b);
  int select(int g, int where_positive, int otherwise);
  /// Throws Misuse where the truth moves: that is for select, or for a declared condition.
  int choose(int truth, int then, int otherwise);

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  bool is_moving(int node) const { return moves_[static_cast<std::size_t>(node)] != 0; }
  bool is_constant(int node) const { return (*this)[node].op == Op::constant; }
  /// Of a constant.
  double value_of(int node) const;

  /// What an input is called in messages; without it, "state 3".
  void name(Op kind, int index, std::string name);
  std::string name_of(const Node& input) const;
  const std::map<std::pair<Op, int>, std::string>& names() const { return names_; }
  /// Nodes made from here on come from there, until another place is given; a node keeps the first.
  void from(const Place& place);
  Place place_of(int node) const;
  void set_place(int node, const Place& place);
  /// The nodes from `first` on come from where a node of another graph, or of this one, does.
  void take_places(const Graph& other, int node, int first);
  /// A node as text, as far as `depth` operations deep: "sqrt(level - 0.2)".
  std::string text(int node, int depth = 6) const;

  /// What outputs are made of, themselves included, operands first.
  std::vector<int> order(const std::vector<int>& outputs) const;
  /// Per output the indices of the inputs of that kind it reads, ascending.
  std::vector<std::vector<int>> reads(const std::vector<int>& outputs, Op kind) const;
  /// The derivatives by the inputs of that kind that are not zero, by rows, then by columns. For Op::time there is one
  /// column; rates are those of first order.
  std::vector<Entry> jacobian(const std::vector<int>& outputs, Op kind);
  /// Their derivatives by time along the motion. The rate of state i is rates[i]; where there is none, it is the input.
  /// Throws Misuse where an output reads a relay or an input, whose rates are not known.
  std::vector<int> differentiated(const std::vector<int>& outputs, const std::vector<int>& rates = {});

  /// Adds a node as it stands, without simplifying, or finds it: for whoever has checked it.
  int append(const Node& node);

 private:
  int intern(const Node& node);
  int make_sum(int a, int b);
  int make_difference(int a, int b);
  int make_product(int a, int b);
  int make_quotient(int a, int b);
  int make_power(int a, int b);
  int make_logic(Op op, int a, int b);
  bool is_value(int node, double value) const;
  bool is_negated(int node) const { return (*this)[node].op == Op::neg; }
  void grow_table();
  void check(int node) const;

  std::vector<Node> nodes_;
  std::vector<char> moves_;
  std::vector<int> table_;  // open addressing by the hash of a node; -1: free
  std::map<std::pair<Op, int>, std::string> names_;
  std::vector<Place> places_;
  std::vector<int> place_;  // per node, index into places_; empty until a place is given; -1: none
  int here_ = -1;
};

/// Makes an operation of held operands with numbers, as folding of literals and checked runs do.
double apply(Op op, double a, double b = 0, double c = 0);

}  // namespace pawl::model
