#include "formulate/coloring.hpp"

#include <algorithm>
#include <numeric>

namespace pawl::formulate {

namespace {
std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
}  // namespace

TransposedPattern transpose(int rows, const std::vector<int>& first, const std::vector<int>& row) {
  TransposedPattern result{std::vector<int>(at(rows) + 1, 0), std::vector<int>(row.size())};
  for (const int i : row) ++result.first[at(i) + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  std::vector<int> next(result.first.begin(), result.first.end() - 1);
  for (std::size_t j = 0; j + 1 < first.size(); ++j)
    for (int e = first[j]; e < first[j + 1]; ++e) result.column[at(next[at(row[at(e)])]++)] = static_cast<int>(j);
  return result;
}

std::vector<int> color_columns(int rows, const std::vector<int>& first, const std::vector<int>& row) {
  const int columns = static_cast<int>(first.size()) - 1;
  const TransposedPattern by_row = transpose(rows, first, row);
  std::vector<int> order(at(columns));
  std::iota(order.begin(), order.end(), 0);
  const auto height = [&](int j) { return first[at(j) + 1] - first[at(j)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return height(a) > height(b); });
  std::vector<int> color(at(columns), -1), taken_by;  // taken_by: the last column that found this colour at a neighbour
  for (const int j : order) {
    for (int e = first[at(j)]; e < first[at(j) + 1]; ++e) {
      const int i = row[at(e)];
      for (int k = by_row.first[at(i)]; k < by_row.first[at(i) + 1]; ++k) {
        const int other = color[at(by_row.column[at(k)])];
        if (other >= 0) taken_by[at(other)] = j;
      }
    }
    std::size_t free = 0;
    while (free < taken_by.size() && taken_by[free] == j) ++free;
    if (free == taken_by.size()) taken_by.push_back(-1);
    color[at(j)] = static_cast<int>(free);
  }
  return color;
}

}  // namespace pawl::formulate
