#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/design.hpp"
#include "pawl/system.hpp"
#include "sweep/normal.hpp"

namespace pawl {

namespace {

using Kind = Distribution::Kind;

struct Form {
  Kind kind;
  std::string_view name, arguments;
  std::size_t least, most;
};
constexpr std::array<Form, 6> forms{{{Kind::uniform, "uniform", "low,high", 2, 2},
                                     {Kind::loguniform, "loguniform", "low,high", 2, 2},
                                     {Kind::normal, "normal", "mean,deviation", 2, 4},
                                     {Kind::lognormal, "lognormal", "mean of log,deviation of log", 2, 2},
                                     {Kind::triangular, "triangular", "low,mode,high", 3, 3},
                                     {Kind::exponential, "exponential", "mean", 1, 1}}};

const Form& form_of(Kind kind) {
  for (const Form& form : forms)
    if (form.kind == kind) return form;
  return forms.front();  // every kind is in the list
}

std::string expected(const Form& form) {
  return form.kind == Kind::normal ? "normal(mean,deviation) or normal(mean,deviation,low,high)"
                                   : fmt::format("{}({})", form.name, form.arguments);
}

/// Why these numbers make no distribution; empty: they do.
std::string fault(Kind kind, const std::vector<double>& n) {
  for (const double number : n)
    if (!std::isfinite(number)) return fmt::format("{} is not a finite number", number);
  const auto must_exceed = [](std::string_view what, double value, double least) {
    return value > least ? std::string() : fmt::format("{} {} must be greater than {}", what, value, least);
  };
  switch (kind) {
    case Kind::uniform:
      return must_exceed("high", n[1], n[0]);
    case Kind::loguniform:
      return n[0] > 0 ? must_exceed("high", n[1], n[0]) : must_exceed("low", n[0], 0);
    case Kind::normal:
      if (!(n[1] > 0)) return must_exceed("deviation", n[1], 0);
      return n.size() == 4 ? must_exceed("high", n[3], n[2]) : std::string();
    case Kind::lognormal:
      return must_exceed("deviation of log", n[1], 0);
    case Kind::triangular:
      if (n[0] <= n[1] && n[1] <= n[2]) return must_exceed("high", n[2], n[0]);
      return fmt::format("mode {} must lie between low {} and high {}", n[1], n[0], n[2]);
    case Kind::exponential:
      return must_exceed("mean", n[0], 0);
  }
  return {};
}

}  // namespace

Distribution::Distribution(Kind kind, std::vector<double> numbers) : kind_(kind), numbers_(std::move(numbers)) {
  if (const std::string why = fault(kind_, numbers_); !why.empty()) throw Misuse(fmt::format("{}: {}", text(), why));
  if (numbers_.size() != 4) return;
  // Both from the side on which they are small, so that a far tail keeps its digits.
  const double low = (numbers_[2] - numbers_[0]) / numbers_[1], high = (numbers_[3] - numbers_[0]) / numbers_[1];
  const double sign = low > 0 ? -1 : 1;
  first_ = sweeping::normal_probability(sign * low);
  last_ = sweeping::normal_probability(sign * high);
  if (first_ == last_)
    throw Misuse(fmt::format("{}: nothing of it lies between {} and {}", text(), numbers_[2], numbers_[3]));
}

Distribution Distribution::uniform(double low, double high) {
  return {Kind::uniform, {low, high}};
}
Distribution Distribution::loguniform(double low, double high) {
  return {Kind::loguniform, {low, high}};
}
Distribution Distribution::normal(double mean, double deviation) {
  return {Kind::normal, {mean, deviation}};
}
Distribution Distribution::normal(double mean, double deviation, double low, double high) {
  return {Kind::normal, {mean, deviation, low, high}};
}
Distribution Distribution::lognormal(double mean_of_log, double deviation_of_log) {
  return {Kind::lognormal, {mean_of_log, deviation_of_log}};
}
Distribution Distribution::triangular(double low, double mode, double high) {
  return {Kind::triangular, {low, mode, high}};
}
Distribution Distribution::exponential(double mean) {
  return {Kind::exponential, {mean}};
}

Distribution Distribution::read(std::string_view words) {
  CallWords call;
  if (!read_call(words, call)) throw Misuse(fmt::format("{}: the parentheses do not match", words));
  std::vector<std::string> names;
  for (const Form& form : forms) {
    names.emplace_back(form.name);
    if (form.name != call.name) continue;
    const std::size_t count = call.arguments.size();
    if (count < form.least || count > form.most || (form.kind == Kind::normal && count == 3))
      throw Misuse(fmt::format("{}: expected {}", words, expected(form)));
    std::vector<double> numbers;
    for (const std::string& word : call.arguments) {
      double number = 0;
      if (!read_number(word, number)) throw Misuse(fmt::format("{}: '{}' is not a number", words, word));
      numbers.push_back(number);
    }
    return {form.kind, std::move(numbers)};
  }
  throw Misuse(fmt::format("{}: unknown distribution '{}'{} (there are {})", words, call.name,
                           did_you_mean(call.name, names), fmt::join(names, ", ")));
}

std::string Distribution::text() const {
  return fmt::format("{}({})", form_of(kind_).name, fmt::join(numbers_, ","));
}

double Distribution::quantile(double u) const {
  const std::vector<double>& n = numbers_;
  switch (kind_) {
    case Kind::uniform:
      return n[0] + u * (n[1] - n[0]);
    case Kind::loguniform:
      return std::exp(std::log(n[0]) + u * (std::log(n[1]) - std::log(n[0])));
    case Kind::normal: {
      if (n.size() == 2) return n[0] + n[1] * sweeping::normal_quantile(u);
      const double sign = first_ > last_ ? -1 : 1;
      const double value = n[0] + sign * n[1] * sweeping::normal_quantile(first_ + u * (last_ - first_));
      return std::min(std::max(value, n[2]), n[3]);  // rounding may be outside
    }
    case Kind::lognormal:
      return std::exp(n[0] + n[1] * sweeping::normal_quantile(u));
    case Kind::triangular: {
      const double width = n[2] - n[0], rise = n[1] - n[0], fall = n[2] - n[1];
      return u * width < rise ? n[0] + std::sqrt(u * width * rise) : n[2] - std::sqrt((1 - u) * width * fall);
    }
    case Kind::exponential:
      return -n[0] * std::log1p(-u);
  }
  return std::nan("");
}

}  // namespace pawl
