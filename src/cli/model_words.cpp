#include "cli/model_words.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
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

const Problem& problem_of(const ModelWords& words) {
  const std::string& name = words.model;
  const bool is_path = name.find('/') != std::string::npos || std::filesystem::path(name).has_extension();
  if (is_path)
    throw Misuse(
        fmt::format("'{}' looks like a file, and models cannot yet be read from files: give a name of the catalogue "
                    "(`pawl list`), or call the library from a program",
                    name));
  return find_problem(name);
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
