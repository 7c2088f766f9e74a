#include "pawl/model/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "pawl/system.hpp"

namespace pawl::model {

namespace {

std::size_t hash_of(const Node& node) {
  std::uint64_t h = static_cast<std::uint64_t>(node.op) * 0x9e3779b97f4a7c15u;
  for (const int part : {node.a, node.b, node.c}) {
    h = (h ^ static_cast<std::uint32_t>(part)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return static_cast<std::size_t>(h);
}

}  // namespace

int Graph::intern(const Node& node) {
  if (2 * (nodes_.size() + 1) > table_.size()) grow_table();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash_of(node) & mask;
  for (; table_[slot] >= 0; slot = (slot + 1) & mask) {
    if ((*this)[table_[slot]] == node) return table_[slot];
  }
  if (nodes_.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Misuse("a graph has 2147483647 nodes at most");
  const int number = size();
  table_[slot] = number;
  bool moves = is_moving_input(node.op);
  const int operands[] = {node.a, node.b, node.c};
  for (int i = 0; i < operand_count(node.op); ++i) moves = moves || is_moving(operands[i]);
  nodes_.push_back(node);
  moves_.push_back(moves ? 1 : 0);
  if (!places_.empty()) place_.push_back(here_);
  return number;
}

void Graph::grow_table() {
  table_.assign(std::max<std::size_t>(64, 2 * table_.size()), -1);
  const std::size_t mask = table_.size() - 1;
  for (int number = 0; number < size(); ++number) {
    std::size_t slot = hash_of((*this)[number]) & mask;
    while (table_[slot] >= 0) slot = (slot + 1) & mask;
    table_[slot] = number;
  }
}

void Graph::check(int node) const {
  if (node < 0 || node >= size())
    throw Misuse(fmt::format("node {} is not of this graph, which has {} nodes", node, size()));
}

int Graph::append(const Node& node) {
  return intern(node);
}

int Graph::constant(double value) {
  if (value == 0) value = 0;  // one zero
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return intern({Op::constant, static_cast<int>(static_cast<std::uint32_t>(bits)),
                 static_cast<int>(static_cast<std::uint32_t>(bits >> 32))});
}

double Graph::value_of(int node) const {
  const Node& n = (*this)[node];
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.a)) |
                               static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.b)) << 32);
}

bool Graph::is_value(int node, double value) const {
  return is_constant(node) && value_of(node) == value;
}

int Graph::input(Op kind, int index, int order) {
  if (!is_input(kind)) throw Misuse(fmt::format("'{}' is no input", word_of(kind)));
  if (index < 0) throw Misuse(fmt::format("{} {}: an index is 0 or more", word_of(kind), index));
  if (kind == Op::time) index = 0;
  return intern({kind, index, kind == Op::rate ? order : -1});
}

void Graph::name(Op kind, int index, std::string name) {
  if (!name.empty()) names_[{kind, index}] = std::move(name);
}

std::string Graph::name_of(const Node& input) const {
  if (input.op == Op::time) return "time";
  const bool is_rate = input.op == Op::rate;
  const auto found = names_.find({is_rate ? Op::state : input.op, input.a});
  std::string name =
      found != names_.end() ? found->second : fmt::format("{} {}", word_of(is_rate ? Op::state : input.op), input.a);
  if (!is_rate) return name;
  return input.b == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, input.b);
}

void Graph::from(const Place& place) {
  if (places_.empty()) place_.assign(nodes_.size(), -1);
  if (!places_.empty() && places_.back() == place) {
    here_ = static_cast<int>(places_.size()) - 1;
    return;
  }
  places_.push_back(place);
  here_ = place.line == 0 ? -1 : static_cast<int>(places_.size()) - 1;
}

void Graph::set_place(int node, const Place& place) {
  const int here = here_;
  from(place);
  place_[static_cast<std::size_t>(node)] = here_;
  here_ = here;
}

void Graph::take_places(const Graph& other, int node, int first) {
  if (other.place_.empty()) return;
  const int there = other.place_[static_cast<std::size_t>(node)];
  if (there < 0) return;
  const int here = here_;
  if (&other == this)
    here_ = there;
  else
    from(other.places_[static_cast<std::size_t>(there)]);
  for (int made = first; made < size(); ++made) place_[static_cast<std::size_t>(made)] = here_;
  here_ = here;
}

Place Graph::place_of(int node) const {
  if (place_.empty()) return {};
  const int place = place_[static_cast<std::size_t>(node)];
  return place < 0 ? Place() : places_[static_cast<std::size_t>(place)];
}

std::vector<int> Graph::order(const std::vector<int>& outputs) const {
  std::vector<int> found;
  if (outputs.empty()) return found;
  for (const int output : outputs) check(output);
  const int last = *std::max_element(outputs.begin(), outputs.end());
  std::vector<char> is_used(static_cast<std::size_t>(last) + 1, 0);
  for (const int output : outputs) is_used[static_cast<std::size_t>(output)] = 1;
  for (int node = last; node >= 0; --node) {  // operands are older
    if (is_used[static_cast<std::size_t>(node)] == 0) continue;
    found.push_back(node);
    const Node& n = (*this)[node];
    const int operands[] = {n.a, n.b, n.c};
    for (int i = 0; i < operand_count(n.op); ++i) is_used[static_cast<std::size_t>(operands[i])] = 1;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace pawl::model
