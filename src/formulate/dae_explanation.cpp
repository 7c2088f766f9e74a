#include "formulate/dae_explanation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace pawl::formulate {

namespace {

std::string joined(const std::vector<std::string>& names, std::size_t most = 6) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::vector<std::string> row_names(const DaeEquations& equations) {
  std::vector<std::string> names;
  for (int i = 0; i < equations.size(); ++i) names.push_back(equations.row_name(i));
  return names;
}

std::string quoted(const std::string& name) {
  return fmt::format("'{}'", name);
}

/// Sets of equations with too few unknowns.
void tell_too_many(const DaeEquations& model, const Signature& sigma, const Assignment& assignment,
                   std::vector<std::string>& parts) {
  const int n = sigma.size();
  std::vector<bool> row_is_told(at(n), false);
  for (int i = 0; i < n; ++i) {
    if (assignment.of_row[at(i)] >= 0 || row_is_told[at(i)]) continue;
    std::vector<int> rows{i}, columns;
    std::vector<bool> seen(at(n), false);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (const auto& [j, order] : sigma.row(rows[k])) {
        if (seen[at(j)]) continue;
        seen[at(j)] = true;
        columns.push_back(j);
        rows.push_back(assignment.of_column[at(j)]);
      }
    }
    std::vector<std::string> equations, unknowns;
    for (const int row : rows) {
      equations.push_back(model.row_name(row));
      row_is_told[at(row)] = true;
    }
    std::sort(columns.begin(), columns.end());
    for (const int j : columns) unknowns.push_back(quoted(model.state_name(j)));
    if (unknowns.empty())
      parts.push_back(fmt::format("equation {} contains no unknown", equations.front()));
    else
      parts.push_back(fmt::format("equations {} determine only {}: one too many", joined(equations), joined(unknowns)));
  }
}

/// Sets of unknowns with too few equations.
void tell_too_few(const DaeEquations& model, const Signature& sigma, const Assignment& assignment,
                  std::vector<std::string>& parts) {
  const int n = sigma.size();
  std::vector<std::vector<int>> rows_of(at(n));
  for (int i = 0; i < n; ++i)
    for (const auto& entry : sigma.row(i)) rows_of[at(entry.column)].push_back(i);
  std::vector<bool> column_is_told(at(n), false);
  for (int j = 0; j < n; ++j) {
    if (assignment.of_column[at(j)] >= 0 || column_is_told[at(j)]) continue;
    std::vector<int> columns{j}, rows;
    std::vector<bool> seen(at(n), false);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (const int i : rows_of[at(columns[k])]) {
        if (seen[at(i)]) continue;
        seen[at(i)] = true;
        rows.push_back(i);
        if (assignment.of_row[at(i)] >= 0) columns.push_back(assignment.of_row[at(i)]);
      }
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<std::string> equations, unknowns;
    for (const int column : columns) {
      unknowns.push_back(quoted(model.state_name(column)));
      column_is_told[at(column)] = true;
    }
    for (const int row : rows) equations.push_back(model.row_name(row));
    if (equations.empty())
      parts.push_back(fmt::format("nothing determines {}", joined(unknowns)));
    else
      parts.push_back(fmt::format("{} are determined by {} alone: one too few", joined(unknowns), joined(equations)));
  }
}

}  // namespace

std::string explain_singular(const DaeEquations& equations, const Signature& sigma, const Assignment& assignment) {
  std::vector<std::string> parts;
  tell_too_many(equations, sigma, assignment, parts);
  tell_too_few(equations, sigma, assignment, parts);
  return fmt::format(
      "the equations of system '{}' cannot be solved for its unknowns, whatever the numbers: {}.\n"
      "  try:    an equation for what is not determined, in the place of one that says the same as others",
      equations.model().name, fmt::join(parts, "; "));
}

std::string explain_opaque(const DaeEquations& equations, const DaeStructure& structure, int row,
                           int differentiations) {
  return fmt::format(
      "system '{}' has index {}: {} would have to be differentiated {} times, and it is not a generic function.\n"
      "  try:    that equation as a function of const auto& at, or its derivatives in its place",
      equations.model().name, structure.index, equations.row_name(row), differentiations);
}

std::string explain_too_high(const DaeEquations& equations, const DaeStructure& structure, int differentiations) {
  std::vector<std::string> worst;
  for (int i = 0; i < equations.size(); ++i)
    if (structure.differentiations(i) == differentiations) worst.push_back(equations.row_name(i));
  return fmt::format(
      "system '{}' has index {}: {} would have to be differentiated {} times, and derivatives go up to {}.\n"
      "  try:    the derivatives of these equations in their place, written by hand",
      equations.model().name, structure.index, joined(worst), differentiations, equations.most_derivatives());
}

std::string explain_dependent(const DaeEquations& equations, const DaeStructure& structure,
                              const Eigen::MatrixXd& left_null) {
  const int n = equations.size();
  std::vector<double> shares(at(n), 0.0);
  for (Eigen::Index k = 0; k < left_null.cols(); ++k)
    for (int i = 0; i < n; ++i) shares[at(i)] = std::max(shares[at(i)], std::abs(left_null(i, k)));
  const std::string who = left_null.size() == 0 ? "some equations" : largest_shares(shares, row_names(equations), 3);
  return fmt::format(
      "the equations of system '{}' depend on each other: {} have leading terms that cancel (rank {} of {}), and no "
      "fixed combination of them gives an equation without; they say the same.\n"
      "  try:    without what is said twice, or a combination of these equations in the place of one of them",
      equations.model().name, who, structure.rank, n);
}

std::string DaeStructure::describe() const {
  if (!failure.empty()) return failure;
  std::vector<std::string> differential, algebraic;
  for (std::size_t j = 0; j < roles.size(); ++j) {
    std::string text = quoted(model->state_names[j]);
    if (roles[j].index > 1) text += fmt::format(" (index {})", roles[j].index);
    (roles[j].is_differential ? differential : algebraic).push_back(text);
  }
  std::string text = fmt::format("index {}, {} degrees of freedom; differential: {}", index, degrees_of_freedom,
                                 differential.empty() ? "none" : joined(differential, 12));
  if (differential_combinations < static_cast<int>(differential.size()))
    text += fmt::format(" (in {} combinations)", differential_combinations);
  if (!algebraic.empty()) text += "; algebraic: " + joined(algebraic, 12);
  return text;
}

std::string largest_shares(const std::vector<double>& shares, const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(shares[a]) > std::abs(shares[b]); });
  std::vector<std::string> parts;
  for (const std::size_t i : order) {
    if (std::abs(shares[i]) > 1e-3 * std::abs(shares[order.front()])) parts.push_back(names[i]);
  }
  return joined(parts, most);
}

}  // namespace pawl::formulate
