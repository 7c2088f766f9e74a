// Which second runs are worth making: for each its options, and why these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pawl/verify.hpp"

namespace pawl::verification {

struct Plan {
  std::string what, how, why;
  Options options;
  double least_tolerance = 0;  ///< below it the method only fights rounding
  std::string obstacle = {};   ///< not empty: it cannot be made, for this reason
};

std::vector<Plan> make_plans(const System& system, const Options& options, const Result& first,
                             const VerifyOptions& how);

/// The same run, with tolerances divided by the factor once more; nothing where that is not possible.
std::optional<Plan> tightened_again(const Plan& plan, double factor);

/// Digits that count as agreement where the user does not say.
double default_digits(const Options& options);

/// The absolute tolerance of each state.
std::vector<double> absolute_tolerances(const System::Declarations& model, const Tolerance& tolerance,
                                        std::size_t count);

}  // namespace pawl::verification
