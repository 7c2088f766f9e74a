#include "numbers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pawl::bench {

Printed read_printed(std::string_view text) {
  if (text == "*") return {};
  const std::size_t e = text.find('e');
  const std::string mantissa(text.substr(0, e));
  const std::size_t point = mantissa.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<double>(mantissa.size() - point - 1);
  const double exponent = e == std::string_view::npos ? 0 : std::stod(std::string(text.substr(e + 1)));
  return {std::stod(mantissa) * std::pow(10, exponent), std::pow(10, exponent - decimals)};
}

std::string both(const std::string& first, const std::string& second) {
  return first == second ? first : first + ", " + second;
}

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}e}", value, digits) : "*";
}

std::string milliseconds(double seconds) {
  const double ms = 1e3 * seconds;
  return fmt::format("{:.{}f}", ms, ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0);
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  for (char& c : line) {
    if (c == '|') c = '/';
  }
  return line;
}

long long trial_steps(const Result& run) {
  return run.statistics.steps_accepted + run.statistics.steps_rejected;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0 && y[i] > 0 && std::isfinite(x[i]) && std::isfinite(y[i]))) continue;
    const double u = std::log(x[i]), v = std::log(y[i]);
    n += 1, sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return n < 2 ? std::numeric_limits<double>::quiet_NaN() : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace pawl::bench
