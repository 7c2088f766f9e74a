#include "pawl/entries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pawl/system.hpp"

namespace pawl::detail {

void note_entry(std::vector<std::pair<int, int>>& seen, int i, int j) {
  seen.emplace_back(i, j);
}

void note_assigned(std::vector<std::pair<int, int>>& assigned, int i, int j, double& value) {
  if (std::isnan(value)) return;
  assigned.emplace_back(i, j);
  value = std::numeric_limits<double>::quiet_NaN();
}

int EntryMap::checked_row_of(State x) const {
  if (model != 0) own_index(x, number.size(), "state", model);
  const auto i = static_cast<std::size_t>(x.index);
  if (i >= number.size() || number[i] < 0) {
    throw Misuse(
        "a matrix or force is written at a state that has no row in it: use coordinates of this mechanism (or "
        "the speeds of its attitudes), or states of this system");
  }
  return number[i];
}

int EntryMap::slot(int i, int j) const {
  const auto begin = column.begin() + first[static_cast<std::size_t>(i)],
             end = column.begin() + first[static_cast<std::size_t>(i) + 1];
  const auto found = std::lower_bound(begin, end, j);
  if (found == end || *found != j) {
    throw Misuse(
        "a matrix is written at an entry that it did not have when the run began, or the mode last changed: "
        "write every entry in every call, as zero where it vanishes");
  }
  return static_cast<int>(found - column.begin());
}

}  // namespace pawl::detail
