// Numbers as papers print them and as tables show them; medians, slopes and times.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/result.hpp"

namespace pawl::bench {

/// A number as the papers print it, ".33e-2", "42e-3": its value, and the weight of its last digit. "*" is not a
/// number: a blow-up.
struct Printed {
  double value = std::numeric_limits<double>::quiet_NaN(), unit = 0;
};
Printed read_printed(std::string_view text);

/// Two words of one row: one if they agree.
std::string both(const std::string& first, const std::string& second);

/// 1.23e-05, and * for what is not finite.
std::string number(double value, int digits = 2);

/// Milliseconds of seconds: 0.012, 1.23, 12.3, 123.
std::string milliseconds(double seconds);

/// The first line of a text, without what would break a table.
std::string first_line(const std::string& text);

/// Steps, rejected ones included.
long long trial_steps(const Result& run);

/// Half of the sorted values lie below it.
double median(std::vector<double> values);

/// Slope of log y over log x by least squares; NaN with fewer than two pairs of finite, positive numbers.
double log_slope(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace pawl::bench
