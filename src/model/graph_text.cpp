// Nodes as text, for messages.
#include <array>

#include <fmt/format.h>

#include "pawl/model/graph.hpp"

namespace pawl::model {

std::string_view word_of(Op op) {
  static constexpr std::array<std::string_view, op_count> words{
      "constant", "time", "state", "rate", "parameter", "number", "mode", "truth", "relay",  "input", "-",
      "sqr",      "sqrt", "cbrt",  "exp",  "log",       "sin",    "cos",  "tan",   "asin",   "acos",  "atan",
      "sinh",     "cosh", "tanh",  "abs",  "not",       "+",      "-",    "*",     "/",      "atan2", "hypot",
      "pow",      "min",  "max",   "<",    "<=",        "==",     "and",  "or",    "select", "choose"};
  return words[static_cast<std::size_t>(op)];
}

namespace {

// How tightly an operator binds; a function call more than any.
int strength(Op op) {
  switch (op) {
    case Op::either:
      return 1;
    case Op::both:
      return 2;
    case Op::less:
    case Op::less_equal:
    case Op::equal:
      return 3;
    case Op::add:
    case Op::sub:
      return 4;
    case Op::mul:
    case Op::div:
      return 5;
    case Op::neg:
    case Op::negation:
      return 6;
    default:
      return 7;
  }
}

std::string inside(const Graph& graph, int node, int least, int depth) {
  const std::string text = graph.text(node, depth);
  const bool is_cut = text == "...";
  return !is_cut && strength(graph[node].op) < least ? fmt::format("({})", text) : text;
}

}  // namespace

std::string Graph::text(int node, int depth) const {
  const Node& n = (*this)[node];
  if (n.op == Op::constant) return fmt::format("{}", value_of(node));
  if (is_leaf(n.op)) return name_of(n);
  if (depth <= 0) return "...";
  const int own = strength(n.op), below = depth - 1;
  if (n.op == Op::neg) return fmt::format("-{}", inside(*this, n.a, own, below));
  if (n.op == Op::negation) return fmt::format("not {}", inside(*this, n.a, own, below));
  if (is_unary(n.op)) return fmt::format("{}({})", word_of(n.op), text(n.a, below));
  if (is_ternary(n.op))
    return fmt::format("{}({}, {}, {})", word_of(n.op), text(n.a, below), text(n.b, below), text(n.c, below));
  if (own == 7) return fmt::format("{}({}, {})", word_of(n.op), text(n.a, below), text(n.b, below));
  const bool groups_left = n.op == Op::sub || n.op == Op::div;
  return fmt::format("{} {} {}", inside(*this, n.a, own, below), word_of(n.op),
                     inside(*this, n.b, own + (groups_left ? 1 : 0), below));
}

}  // namespace pawl::model
