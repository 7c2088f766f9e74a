// What went wrong, where, and what to try, in words.
#pragma once

#include <string>

#include "pawl/run.hpp"
#include "pawl/stepper.hpp"

namespace pawl::detail {

/// operation: which one is the first that is not finite, where that is known.
Message describe(Attempt attempt, const StepFailure& failure, const Setup& setup, const std::string& operation = {});

struct StiffnessReport {
  std::string fastest;
  int evaluations;  ///< of the rates, spent on finding the fastest direction
};
StiffnessReport describe(const Stiffness& stiffness, const Setup& setup, const double* x);

}  // namespace pawl::detail
