#include "pawl/logic.hpp"

#include <fmt/format.h>

namespace pawl {

Logic::Logic(Kind kind, int index, int value, int model)
    : node_(std::make_shared<const Node>(Node{kind, index, value, model, {}, {}})) {}

void Logic::check(const Held& held) const {
  if (node_) check(*node_, held);
}

void Logic::check(const Node& node, const Held& held) {
  if (node.kind == Kind::condition)
    detail::own_index(Condition{node.index, node.model}, held.truths.size(), "condition", held.model);
  if (node.kind == Kind::relation)
    detail::own_index(Relation{node.index, node.model}, held.truths.size(), "relation", held.model);
  if (node.kind == Kind::discrete)
    detail::own_index(Discrete<int>{node.index, node.model}, held.modes.size(), "discrete variable", held.model);
  for (const auto* part : {&node.left, &node.right}) {
    if (*part) check(**part, held);
  }
}

bool Logic::holds(const Held& held) const {
  return !node_ || holds(*node_, held);
}

bool Logic::holds(const Node& node, const Held& held) {
  const auto i = static_cast<std::size_t>(node.index);
  switch (node.kind) {
    case Kind::never:
      return false;
    case Kind::condition:
    case Kind::relation:
      return held.truths[i] == node.value;
    case Kind::discrete:
      return held.modes[i] == node.value;
    case Kind::negation:
      return !holds(*node.left, held);
    case Kind::both:
      return holds(*node.left, held) && holds(*node.right, held);
    case Kind::either:
      return holds(*node.left, held) || holds(*node.right, held);
  }
  return true;
}

Logic Logic::negation(const Logic& x) {
  if (!x.node_) return {Kind::never, 0, 0, 0};
  Logic result;
  result.node_ = std::make_shared<const Node>(Node{Kind::negation, 0, 0, 0, x.node_, {}});
  return result;
}

Logic Logic::both(const Logic& x, const Logic& y) {
  if (!x.node_) return y;
  if (!y.node_) return x;
  Logic result;
  result.node_ = std::make_shared<const Node>(Node{Kind::both, 0, 0, 0, x.node_, y.node_});
  return result;
}

Logic Logic::either(const Logic& x, const Logic& y) {
  if (!x.node_ || !y.node_) return {};
  Logic result;
  result.node_ = std::make_shared<const Node>(Node{Kind::either, 0, 0, 0, x.node_, y.node_});
  return result;
}

std::string Logic::describe(const std::vector<std::string>& condition_names,
                            const std::vector<std::string>& discrete_names) const {
  const auto words = [&](const auto& self, const Node& node) -> std::string {
    const auto i = static_cast<std::size_t>(node.index);
    switch (node.kind) {
      case Kind::never:
        return "never";
      case Kind::condition:
        return condition_names[i];
      case Kind::relation:
        return fmt::format("{} {} 0", condition_names[i], node.value > 0 ? ">" : node.value < 0 ? "<" : "==");
      case Kind::discrete:
        return node.value == 1 ? discrete_names[i] : fmt::format("{} == {}", discrete_names[i], node.value);
      case Kind::negation:
        return fmt::format("!{}", self(self, *node.left));
      case Kind::both:
        return fmt::format("({} && {})", self(self, *node.left), self(self, *node.right));
      case Kind::either:
        return fmt::format("({} || {})", self(self, *node.left), self(self, *node.right));
    }
    return {};
  };
  return node_ ? words(words, *node_) : "true";
}

}  // namespace pawl
