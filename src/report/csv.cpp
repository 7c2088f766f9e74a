#include "report/csv.hpp"

#include <iterator>

#include <fmt/format.h>

namespace pawl {

std::vector<int> samples_to_write(const Result& run) {
  std::vector<int> requested, all;
  for (int i = 0; i < run.sample_count(); ++i) {
    all.push_back(i);
    if (run.was_requested(i)) requested.push_back(i);
  }
  return requested.empty() ? all : requested;
}

std::string to_csv(const Result& run) {
  std::string text = "t";
  for (const auto* names : {&run.state_names(), &run.observable_names(), &run.constraint_names()}) {
    for (const std::string& name : *names) text += "," + name;
  }
  text += "\n";
  const int observables = static_cast<int>(run.observable_names().size()),
            constraints = static_cast<int>(run.constraint_names().size());
  for (const int i : samples_to_write(run)) {
    const Instant at = run.sample(i);
    fmt::format_to(std::back_inserter(text), "{:.17g}", at.t);
    for (const double x : at.states()) fmt::format_to(std::back_inserter(text), ",{:.17g}", x);
    for (int o = 0; o < observables; ++o) fmt::format_to(std::back_inserter(text), ",{:.17g}", at[Observable{o}]);
    for (int c = 0; c < constraints; ++c) fmt::format_to(std::back_inserter(text), ",{:.17g}", at[Constraint{c}]);
    text += "\n";
  }
  return text;
}

}  // namespace pawl
