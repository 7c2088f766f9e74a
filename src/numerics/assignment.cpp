#include "numerics/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace pawl {

namespace {

constexpr int far = std::numeric_limits<int>::max();

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The rows in an order that hangs on what they contain, not on where they stand.
std::vector<int> sorted_by_entries(const Signature& sigma) {
  std::vector<int> order(at(sigma.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto one = sigma.row(a), other = sigma.row(b);
    return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
  });
  return order;
}

}  // namespace

Assignment::Assignment(const Signature& sigma, int columns) : sigma_(sigma), n_(sigma.size()) {
  of_row.assign(at(n_), -1);
  of_column.assign(at(columns), -1);
  row_potential_.assign(at(n_), 0);
  column_potential_.assign(at(columns), 0);
  distance_.assign(at(columns), far);
  from_.assign(at(columns), -1);
  is_settled_.assign(at(columns), 0);
  for (const auto& entry : sigma.entries) highest_ = std::max(highest_, entry.order);
  const std::vector<int> order = sorted_by_entries(sigma);
  for (const int i : order) start(i);
  for (const int i : order) {
    if (of_row[at(i)] < 0) augment(i);
  }
}

void Assignment::start(int i) {
  int least = highest_;
  for (const auto& [j, order] : sigma_.row(i)) least = std::min(least, highest_ - order);
  row_potential_[at(i)] = least;
  for (const auto& [j, order] : sigma_.row(i)) {
    if (highest_ - order != least || of_column[at(j)] >= 0) continue;
    of_row[at(i)] = j;
    of_column[at(j)] = i;
    return;
  }
}

void Assignment::augment(int source) {
  using Reached = std::pair<int, int>;  // distance, column
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  const auto scan = [&](int i, int base) {
    for (const auto& [j, order] : sigma_.row(i)) {
      const int d = base + highest_ - order - row_potential_[at(i)] - column_potential_[at(j)];
      if (is_settled_[at(j)] != 0 || d >= distance_[at(j)]) continue;
      if (distance_[at(j)] == far) touched_.push_back(j);
      distance_[at(j)] = d;
      from_[at(j)] = i;
      queue.emplace(d, j);
    }
  };
  scan(source, 0);
  int end = -1;
  while (!queue.empty()) {
    const auto [d, j] = queue.top();
    queue.pop();
    if (is_settled_[at(j)] != 0) continue;
    if (of_column[at(j)] < 0) {
      end = j;
      break;
    }
    is_settled_[at(j)] = 1;
    settled_.push_back(j);
    scan(of_column[at(j)], d);
  }
  if (end >= 0) {
    const int length = distance_[at(end)];
    row_potential_[at(source)] += length;
    for (const int j : settled_) {
      column_potential_[at(j)] -= length - distance_[at(j)];
      row_potential_[at(of_column[at(j)])] += length - distance_[at(j)];
    }
    for (int j = end; j >= 0;) {
      const int i = from_[at(j)];
      of_column[at(j)] = i;
      std::swap(of_row[at(i)], j);
    }
  }
  for (const int j : touched_) {  // what the next search needs clean
    distance_[at(j)] = far;
    is_settled_[at(j)] = 0;
  }
  touched_.clear();
  settled_.clear();
}

// Rows whose c has grown wait until what they contain has been looked at again; columns say who is first, so that the
// order of rows does not matter.
void find_offsets(const Signature& sigma, const Assignment& assignment, std::vector<int>& c, std::vector<int>& d) {
  const int n = sigma.size();
  c.assign(at(n), 0);
  d.assign(at(n), 0);
  std::vector<int> own(at(n), 0);  // order of the unknown a row is assigned to
  for (int i = 0; i < n; ++i)
    for (const auto& [j, order] : sigma.row(i))
      if (assignment.of_row[at(i)] == j) own[at(i)] = order;
  std::vector<char> waits(at(n), 1);
  std::queue<int> waiting;
  for (const int i : assignment.of_column) waiting.push(i);
  while (!waiting.empty()) {
    const int i = waiting.front();
    waiting.pop();
    waits[at(i)] = 0;
    for (const auto& [j, order] : sigma.row(i)) {
      if (order + c[at(i)] <= d[at(j)]) continue;
      d[at(j)] = order + c[at(i)];
      const int owner = assignment.of_column[at(j)];
      c[at(owner)] = d[at(j)] - own[at(owner)];
      if (owner == i || std::exchange(waits[at(owner)], 1) != 0) continue;
      waiting.push(owner);
    }
  }
}

}  // namespace pawl
