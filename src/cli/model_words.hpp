// What `run` and `advise` have in common: the words that name a model, its values, inputs and tolerances.
#pragma once

#include <string>
#include <vector>

#include "pawl/options.hpp"
#include "problems/catalogue.hpp"

namespace pawl::cli {

struct ModelWords {
  std::string model;
  double rtol = 1e-6;
  std::vector<std::string> atol, set, input;
};

/// The problem of that name, or the model of a .graph file; throws Misuse where there is none.
const Problem& problem_of(const ModelWords& words);

/// "sigma=10", ... of --set.
Assignments assignments_of(const ModelWords& words);

/// With the assignments made and the courses of inputs read: "u=force.csv", "u=steps:gear.csv", "u=spline:road.csv".
Values values_of(const ModelWords& words, const System& system, const Assignments& assignments);

/// "1e-9", "x=1e-12", ... of --atol.
Tolerance tolerance_of(const ModelWords& words, const System& system);

}  // namespace pawl::cli
