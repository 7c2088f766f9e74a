#include "pawl/model/expr.hpp"

#include <fmt/format.h>

#include "pawl/system.hpp"

namespace pawl::model {

namespace {

// The graph that expressions belong to; null where all are literals.
Graph* common(Graph* a, Graph* b) {
  if (a != nullptr && b != nullptr && a != b)
    throw Misuse("an operation joins expressions of two graphs: both have to be made in one");
  return a != nullptr ? a : b;
}

Expr named(Graph& graph, Op kind, int index, std::string name) {
  const int node = graph.input(kind, index);
  graph.name(kind, index, std::move(name));
  return {graph, node};
}

}  // namespace

int Expr::node_in(Graph& graph) const {
  if (graph_ == nullptr) return graph.constant(literal_);
  common(graph_, &graph);
  return node_;
}

Expr Expr::made(Op op, const Expr& x) {
  if (x.graph_ == nullptr) return apply(op, x.literal_);
  return {*x.graph_, x.graph_->unary(op, x.node_)};
}

Expr Expr::made(Op op, const Expr& x, const Expr& y) {
  Graph* graph = common(x.graph_, y.graph_);
  if (graph == nullptr) return apply(op, x.literal_, y.literal_);
  const int a = x.node_in(*graph), b = y.node_in(*graph);
  return {*graph, graph->binary(op, a, b)};
}

Expr Expr::made(Op op, const Expr& x, const Expr& y, const Expr& z) {
  Graph* graph = common(common(x.graph_, y.graph_), z.graph_);
  if (graph == nullptr) return apply(op, x.literal_, y.literal_, z.literal_);
  const int a = x.node_in(*graph), b = y.node_in(*graph), c = z.node_in(*graph);
  return {*graph, op == Op::choose ? graph->choose(a, b, c) : graph->select(a, b, c)};
}

Expr time(Graph& graph) {
  return {graph, graph.input(Op::time)};
}
Expr rate(Graph& graph, int index) {
  return {graph, graph.input(Op::rate, index)};
}
Expr state(Graph& graph, int index, std::string name) {
  return named(graph, Op::state, index, std::move(name));
}
Expr parameter(Graph& graph, int index, std::string name) {
  return named(graph, Op::parameter, index, std::move(name));
}
Expr number(Graph& graph, int index, std::string name) {
  return named(graph, Op::number, index, std::move(name));
}
Expr mode(Graph& graph, int index, std::string name) {
  return named(graph, Op::mode, index, std::move(name));
}
Expr truth(Graph& graph, int index, std::string name) {
  return named(graph, Op::truth, index, std::move(name));
}
Expr relay(Graph& graph, int index, std::string name) {
  return named(graph, Op::relay, index, std::move(name));
}
Expr input(Graph& graph, int index, std::string name) {
  return named(graph, Op::input, index, std::move(name));
}

}  // namespace pawl::model
