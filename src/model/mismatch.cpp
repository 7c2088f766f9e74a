#include "model/mismatch.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numerics/index.hpp"

namespace pawl::model {

namespace {

constexpr std::size_t most_named = 6;

template <class Name>
std::string listed(const std::vector<int>& numbers, const Name& name) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(numbers.size(), most_named); ++k) names.push_back(name(numbers[k]));
  if (numbers.size() <= most_named) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names, ", "), numbers.size() - most_named);
}

const char* plural(int count) {
  return count == 1 ? "" : "s";
}

}  // namespace

void find_mismatches(const Signature& sigma, const Assignment& assignment, std::vector<Mismatch>& too_many,
                     std::vector<Mismatch>& too_few) {
  const int rows = sigma.size(), columns = static_cast<int>(assignment.of_column.size());
  std::vector<char> row_is_told(at(rows), 0), column_is_told(at(columns), 0), seen(at(columns), 0);
  for (int i = 0; i < rows; ++i) {  // what rows without an unknown compete for
    if (assignment.of_row[at(i)] >= 0 || row_is_told[at(i)] != 0) continue;
    Mismatch part{{i}, {}};
    for (std::size_t k = 0; k < part.rows.size(); ++k) {
      for (const auto& [j, order] : sigma.row(part.rows[k])) {
        if (seen[at(j)] != 0) continue;
        seen[at(j)] = 1;
        part.unknowns.push_back(j);
        part.rows.push_back(assignment.of_column[at(j)]);
      }
    }
    for (const int row : part.rows) row_is_told[at(row)] = 1;
    too_many.push_back(std::move(part));
  }
  std::vector<std::vector<int>> rows_of(at(columns));
  for (int i = 0; i < rows; ++i)
    for (const auto& entry : sigma.row(i)) rows_of[at(entry.column)].push_back(i);
  std::vector<char> row_is_seen(at(rows), 0);
  for (int j = 0; j < columns; ++j) {  // what has to share its rows with unknowns without one
    if (assignment.of_column[at(j)] >= 0 || column_is_told[at(j)] != 0) continue;
    Mismatch part{{}, {j}};
    column_is_told[at(j)] = 1;
    for (std::size_t k = 0; k < part.unknowns.size(); ++k) {
      for (const int i : rows_of[at(part.unknowns[k])]) {
        if (row_is_seen[at(i)] != 0) continue;
        row_is_seen[at(i)] = 1;
        part.rows.push_back(i);
        const int other = assignment.of_row[at(i)];
        if (other < 0 || column_is_told[at(other)] != 0) continue;
        column_is_told[at(other)] = 1;
        part.unknowns.push_back(other);
      }
    }
    too_few.push_back(std::move(part));
  }
  for (std::vector<Mismatch>* parts : {&too_many, &too_few}) {
    for (Mismatch& part : *parts) {
      std::sort(part.rows.begin(), part.rows.end());
      std::sort(part.unknowns.begin(), part.unknowns.end());
    }
  }
}

std::string explain_mismatch(const MismatchNames& names, const std::vector<Mismatch>& too_many,
                             const std::vector<Mismatch>& too_few) {
  const auto rows = [&](const Mismatch& part) { return listed(part.rows, names.row); };
  const auto unknowns = [&](const Mismatch& part) {
    return listed(part.unknowns, [&](int unknown) { return fmt::format("'{}'", names.unknown(unknown)); });
  };
  std::string text = fmt::format("model '{}' has {} equation{} for {} unknown{}", names.model, names.equations,
                                 plural(names.equations), names.unknowns, plural(names.unknowns));
  text += names.equations == names.unknowns ? ", but they cannot be solved for them, whatever the numbers." : ".";
  for (const Mismatch& part : too_many) {
    text += part.unknowns.empty() ? fmt::format("\n  too many: {} says nothing that the others do not", rows(part))
                                  : fmt::format("\n  too many: {} determine {} alone", rows(part), unknowns(part));
  }
  for (const Mismatch& part : too_few) {
    text += part.rows.empty() ? fmt::format("\n  too few: nothing determines {}", unknowns(part))
                              : fmt::format("\n  too few: {} must determine {}", rows(part), unknowns(part));
  }
  return text + "\n  try:    an equation for what is not determined, in the place of one that says the same as others";
}

}  // namespace pawl::model
