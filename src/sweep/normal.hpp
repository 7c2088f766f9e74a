// The standard normal distribution.
#pragma once

namespace pawl::sweeping {

/// The probability of less than x.
double normal_probability(double x);

/// Where the probability of less is p, 0 < p < 1, to 16 digits.
///   Wichura, Algorithm AS 241, Applied Statistics 37 (1988) 477
double normal_quantile(double p);

}  // namespace pawl::sweeping
