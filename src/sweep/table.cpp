#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"
#include "pawl/sweep.hpp"

namespace pawl {

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::missing:
      return "missing";
    case RunState::finished:
      return "finished";
    case RunState::terminated:
      return "terminated";
    case RunState::failed:
      return "failed";
    case RunState::threw:
      return "threw";
    case RunState::gave_up:
      return "gave up";
  }
  return {};
}

Sweep::Sweep(std::string model, Design design, std::vector<std::string> columns, std::string command)
    : model_(std::move(model)),
      command_(std::move(command)),
      design_(std::move(design)),
      parameters_(design_.names()),
      columns_(std::move(columns)),
      states_(index(design_.size()), RunState::missing),
      values_(states_.size() * columns_.size(), std::nan("")) {}

std::string Sweep::reason(long long run) const {
  const auto found = reasons_.find(run);
  return found == reasons_.end() ? std::string() : found->second;
}

std::size_t Sweep::find(std::string_view name) const {
  std::vector<std::string> names = parameters_;
  names.insert(names.end(), columns_.begin(), columns_.end());
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Misuse(fmt::format("the sweep of '{}' has no column '{}'{}", model_, name, did_you_mean(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

double Sweep::value(long long run, std::string_view column) const {
  const std::size_t i = find(column);
  return i < parameters_.size() ? parameters(run)[i] : values(run)[i - parameters_.size()];
}

std::vector<double> Sweep::parameters(long long run) const {
  std::vector<double> values(parameters_.size());
  design_.values(run, values.data());
  return values;
}

std::vector<double> Sweep::all(std::string_view name) const {
  const std::size_t column = find(name);
  std::vector<double> values(states_.size()), row(parameters_.size());
  for (std::size_t run = 0; run < values.size(); ++run) {
    if (column >= parameters_.size()) {
      values[run] = values_[run * columns_.size() + column - parameters_.size()];
      continue;
    }
    design_.values(static_cast<long long>(run), row.data());
    values[run] = row[column];
  }
  return values;
}

std::string Sweep::command(long long run) const {
  const std::vector<double> values = parameters(run);
  std::string text = command_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string assignment = fmt::format("{}={}", parameters_[i], values[i]);
    const bool is_plain = assignment.find_first_of(" '\"$`\\&|;<>()*?[]#~!{}") == std::string::npos;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", command_.empty() ? "" : "--set ",
                        is_plain ? assignment : fmt::format("\"{}\"", assignment));
  }
  return text;
}

long long Sweep::count(RunState state) const {
  return std::count(states_.begin(), states_.end(), state);
}

void Sweep::set(long long run, RunState state, const double* values, std::string_view reason) {
  states_[index(run)] = state;
  double* row = values_.data() + index(run) * columns_.size();
  if (has_values(state))
    std::copy(values, values + columns_.size(), row);
  else
    std::fill(row, row + columns_.size(), std::nan(""));
  if (!reason.empty()) reasons_[run] = reason;
}

}  // namespace pawl
