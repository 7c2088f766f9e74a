#include "model/aliases.hpp"

#include <algorithm>
#include <numeric>

#include "numerics/index.hpp"

namespace pawl::model {

namespace {

constexpr std::size_t most_terms = 16;

}  // namespace

Aliases::Aliases(Graph& graph, const std::vector<int>& rows, const std::vector<int>& rank, std::vector<char> has_rate)
    : graph_(graph),
      rank_(rank),
      walk_(graph),
      parent_(rank.size()),
      sign_(rank.size(), 1),
      held_(rank.size(), -1),
      has_rate_(std::move(has_rate)),
      rows_of_(rank.size()),
      sums_(rows.size()),
      is_used_(rows.size(), 0),
      is_waiting_(rows.size(), 0) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Sum& sum = sums_[i];
    if (!collect(rows[i], sum) || sum.terms.empty()) {
      sum.terms.clear();
      continue;
    }
    for (const Term& term : sum.terms) rows_of_[at(term.unknown)].push_back(static_cast<int>(i));
    waiting_.push_back(static_cast<int>(i));
    is_waiting_[i] = 1;
  }
  // First in, first out, so that of rows that say the same the first is used.
  for (std::size_t next = 0; next < waiting_.size(); ++next) {  // NOLINT(modernize-loop-convert): it grows
    const int row = waiting_[next];
    is_waiting_[at(row)] = 0;
    if (is_used_[at(row)] == 0) look(row);
  }
}

bool Aliases::collect(int row, Sum& sum) {
  open_.assign(1, {row, 1});
  while (!open_.empty()) {
    const auto [node, sign] = open_.back();
    open_.pop_back();
    const Node n = graph_[node];
    if (!graph_.is_moving(node)) {
      const int part = sign > 0 ? node : graph_.unary(Op::neg, node);
      sum.rest = sum.rest < 0 ? part : graph_.binary(Op::add, sum.rest, part);
    } else if (n.op == Op::state) {
      sum.terms.push_back({n.a, sign});
      if (sum.terms.size() > most_terms) return false;
    } else if (n.op == Op::neg) {
      open_.emplace_back(n.a, -sign);
    } else if (n.op == Op::add || n.op == Op::sub) {
      open_.emplace_back(n.b, n.op == Op::add ? sign : -sign);
      open_.emplace_back(n.a, sign);
      if (open_.size() > most_terms) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::pair<int, int> Aliases::find(int unknown) {
  int root = unknown, sign = 1;
  while (parent_[at(root)] != root) {
    sign *= sign_[at(root)];
    root = parent_[at(root)];
  }
  for (int next = unknown, to_root = sign; next != root;) {  // shorten the way
    const int above = parent_[at(next)], own = sign_[at(next)];
    parent_[at(next)] = root;
    sign_[at(next)] = to_root;
    to_root *= own;
    next = above;
  }
  return {root, sign};
}

Aliases::Standing Aliases::of(int unknown) {
  const auto [root, sign] = find(unknown);
  if (held_[at(root)] < 0) return {root, sign, -1};
  return {root, sign, sign > 0 ? held_[at(root)] : graph_.unary(Op::neg, held_[at(root)])};
}

void Aliases::wake(int root) {
  for (const int row : rows_of_[at(root)]) {
    if (is_used_[at(row)] != 0 || is_waiting_[at(row)] != 0) continue;
    is_waiting_[at(row)] = 1;
    waiting_.push_back(row);
  }
}

void Aliases::join(int a, int b, int sign) {
  const bool takes_a = rank_[at(a)] != rank_[at(b)] ? rank_[at(a)] > rank_[at(b)] : a < b;
  const int root = takes_a ? a : b, other = takes_a ? b : a;
  parent_[at(other)] = root;
  sign_[at(other)] = sign;
  has_rate_[at(root)] = has_rate_[at(root)] | has_rate_[at(other)];
  wake(root);
  wake(other);
  std::vector<int>&into = rows_of_[at(root)], &from = rows_of_[at(other)];
  if (into.size() < from.size()) std::swap(into, from);
  into.insert(into.end(), from.begin(), from.end());
  from = {};
  ++count_;
}

bool Aliases::is_discrete_value(int held) {
  bool found = false;
  walk_.over(held, [&](int node) { found = found || is_discrete(graph_[node].op); });
  return found;
}

void Aliases::look(int row) {
  struct Left {
    int root, factor;
  };
  std::vector<Left> left;
  const Sum& sum = sums_[at(row)];
  int rest = sum.rest;
  for (const Term& term : sum.terms) {
    const auto [root, sign] = find(term.unknown);
    if (held_[at(root)] >= 0) {
      const int value = held_[at(root)];
      const int part = term.sign * sign > 0 ? value : graph_.unary(Op::neg, value);
      rest = rest < 0 ? part : graph_.binary(Op::add, rest, part);
      continue;
    }
    const auto found =
        std::find_if(left.begin(), left.end(), [root = root](const Left& one) { return one.root == root; });
    if (found != left.end())
      found->factor += term.sign * sign;
    else
      left.push_back({root, term.sign * sign});
  }
  std::erase_if(left, [](const Left& one) { return one.factor == 0; });
  if (std::any_of(left.begin(), left.end(), [](const Left& one) { return one.factor != 1 && one.factor != -1; }))
    return;
  const bool has_rest = rest >= 0 && !(graph_.is_constant(rest) && graph_.value_of(rest) == 0);
  if (left.size() == 2 && !has_rest) {
    is_used_[at(row)] = 1;
    join(left[0].root, left[1].root, -left[0].factor * left[1].factor);
  } else if (left.size() == 1) {
    const int value = rest < 0 ? graph_.constant(0) : rest;
    if (has_rate_[at(left[0].root)] != 0 && is_discrete_value(value)) return;
    is_used_[at(row)] = 1;
    held_[at(left[0].root)] = left[0].factor > 0 ? graph_.unary(Op::neg, value) : value;
    wake(left[0].root);
    ++count_;
  }
}

}  // namespace pawl::model
