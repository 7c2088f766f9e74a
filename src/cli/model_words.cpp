#include "cli/model_words.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/model/model_file.hpp"
#include "report/signal_csv.hpp"

namespace pawl::cli {

namespace {

double number(const std::string& text, const std::string& where) {
  double value = 0;
  if (!read_number(text, value)) throw Misuse(fmt::format("{}: '{}' is not a number", where, text));
  return value;
}

struct Assignment {
  std::string name;
  double value;
};

Assignment assignment(const std::string& word, const std::string& option) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) throw Misuse(fmt::format("{} {}: expected name=value", option, word));
  return {word.substr(0, equals), number(word.substr(equals + 1), fmt::format("{} {}", option, word))};
}

void set_input(Values& values, const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Misuse(fmt::format("--input {}: expected name=file.csv, name=steps:file.csv or name=spline:file.csv", word));
  const std::map<std::string, Course> kinds{
      {"polyline", Course::polyline}, {"steps", Course::steps}, {"spline", Course::spline}};
  std::string path = word.substr(equals + 1);
  Course course = Course::polyline;
  const auto colon = path.find(':');
  if (const auto kind = kinds.find(path.substr(0, colon)); colon != std::string::npos && kind != kinds.end()) {
    course = kind->second;
    path = path.substr(colon + 1);
  }
  values.set(word.substr(0, equals), read_signal(path, course));
}

}  // namespace

namespace {

/// A saved model as a problem: it does not say where a run ends, nor what is known about it.
Problem read_problem(const std::string& path) {
  const System system = model::read_model_file(path).build();
  const auto& states = system.declarations().state_names;
  return {.summary = fmt::format("read from {}", path),
          .kind = "model file",
          .source = path,
          .system = system,
          .end = std::numeric_limits<double>::quiet_NaN(),
          .plot = states.empty() ? "t" : "t," + states.front(),
          .known_by = "",
          .reference = [](const Values&, double) -> std::optional<std::vector<double>> { return std::nullopt; }};
}

}  // namespace

const Problem& problem_of(const ModelWords& words) {
  const std::string& name = words.model;
  const bool is_path = name.find('/') != std::string::npos || std::filesystem::path(name).has_extension();
  if (!is_path) return find_problem(name);
  if (std::filesystem::path(name).extension() != ".graph") {
    throw Misuse(fmt::format(
        "'{}' looks like a file, and models are read from .graph files alone (docs/models-as-data.md): give "
        "one, a name of the catalogue (`pawl list`), or call the library from a program",
        name));
  }
  static std::map<std::string, Problem> read;
  const auto found = read.find(name);
  return found != read.end() ? found->second : read.emplace(name, read_problem(name)).first->second;
}

Assignments assignments_of(const ModelWords& words) {
  Assignments all;
  for (const std::string& word : words.set) {
    const auto [name, value] = assignment(word, "--set");
    all[name] = value;
  }
  return all;
}

Values values_of(const ModelWords& words, const System& system, const Assignments& assignments) {
  Values values(system);
  for (const auto& [name, value] : assignments) values.set(name, value);
  for (const std::string& word : words.input) set_input(values, word);
  return values;
}

Tolerance tolerance_of(const ModelWords& words, const System& system) {
  const std::vector<std::string>& states = system.declarations().state_names;
  Tolerance tolerance(words.rtol);
  for (const std::string& word : words.atol) {
    if (word.find('=') == std::string::npos) tolerance.absolute = number(word, "--atol");
  }
  for (const std::string& word : words.atol) {
    if (word.find('=') == std::string::npos) continue;
    const auto [name, value] = assignment(word, "--atol");
    const auto it = std::find(states.begin(), states.end(), name);
    if (it == states.end())
      throw Misuse(fmt::format("--atol {}: no state '{}'{}", word, name, did_you_mean(name, states)));
    if (tolerance.absolute_each.empty())
      tolerance.absolute_each.assign(states.size(), tolerance.absolute.value_or(words.rtol * 1e-3));
    tolerance.absolute_each[static_cast<std::size_t>(it - states.begin())] = value;
  }
  return tolerance;
}

}  // namespace pawl::cli
