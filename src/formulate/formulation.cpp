#include "formulate/formulation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/system.hpp"

namespace pawl::formulate {

namespace {

const char* const ascher = "Ascher, Chin, Petzold, Reich 1995";
const char* const compere = "Compere 2001";
const char* const gear = "Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12 (1985) 77";

/// One formulation: what is said of it, and how its words are read.
struct Row {
  FormulationInfo info;
  Scheme scheme;
  std::size_t numbers = 0;
  const char* expected = "no arguments";
  bool may_follow_step = false;  // (1/h) instead of numbers

  std::string_view word() const { return std::string_view(info.name).substr(0, info.name.find('(')); }
};

const std::vector<Row>& rows() {
  static const char* const hairer = "Hairer, Wanner, Solving ODE II (1996), VII";
  static const char* const rate = "one number, the rate s of the surfaces g' + s g";
  static const std::vector<Row> list{
      {{"acceleration", "solve M a + G^T λ = f, G a = -γ afresh at every stage (the default)", ascher},
       Scheme::acceleration},
      {{"baumgarte(a1,a0)", "G a = -γ - a1 g' - a0 g; baumgarte(1/h) takes a1 = 2/h, a0 = 1/h², with a fixed step",
        ascher},
       Scheme::baumgarte,
       2,
       "baumgarte(a1,a0), as in baumgarte(12,70), or baumgarte(1/h)",
       true},
      {{"penalty(k,c)", "springs and dampers instead of constraints, λ = k g + c g'", "Koenders 2002, 2.5.2"},
       Scheme::penalty,
       2,
       "penalty(k,c): a stiffness and a damping"},
      {{"sliding(s)", "surfaces g' + s g as in sliding-mode control; with start reach(...) from any start", compere},
       Scheme::sliding,
       1,
       rate},
      {{"held-multipliers(s)", "as sliding, but λ held over each step: the counter-example of Fig. 3.8", compere},
       Scheme::held_multipliers,
       1,
       rate},
      {{"state-space", "coordinate partitioning: dependent coordinates solved for at every stage", ascher},
       Scheme::state_space},
      {{"index-2", "g' = 0 with λ among the unknowns (the default of implicit methods)", gear}, Scheme::index_2},
      {{"stabilized-index-2", "g' = 0 and g = 0, with λ and further multipliers among the unknowns", gear},
       Scheme::stabilized_index_2},
      {{"index-3", "g = 0 as it stands, with λ among the unknowns", hairer}, Scheme::index_3},
      {{"index-1", "g'' = 0 with λ among the unknowns", hairer}, Scheme::index_1},
      {{"overdetermined", "g'' = 0 for the motion, and all three levels at the end of every step",
        "Fuehrer, Leimkuhler, Numer. Math. 59 (1991) 55"},
       Scheme::index_1},
  };
  return list;
}

std::vector<double> numbers_of(const CallWords& call, std::string_view words) {
  std::vector<double> numbers;
  for (const std::string& word : call.arguments) {
    double number = 0;
    if (!read_number(word, number) || !std::isfinite(number))
      throw Misuse(fmt::format("formulation '{}': '{}' is not a number", words, word));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

const std::vector<FormulationInfo>& formulations() {
  static const std::vector<FormulationInfo> list = [] {
    std::vector<FormulationInfo> infos;
    for (const Row& row : rows()) infos.push_back(row.info);
    return infos;
  }();
  return list;
}

Formulation parse_formulation(std::string_view words) {
  if (is_auto(words)) return {};
  CallWords call;
  if (!read_call(words, call)) throw Misuse(fmt::format("formulation '{}': the parentheses do not match", words));
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& one) { return one.word() == call.name; });
  if (row == rows().end()) {
    std::vector<std::string> names;
    for (const Row& one : rows()) names.emplace_back(one.word());
    throw Misuse(
        fmt::format("unknown formulation '{}'{} (`pawl methods` lists them)", words, did_you_mean(call.name, names)));
  }
  Formulation result{.scheme = row->scheme, .name = std::string(words)};
  result.follows_step = row->may_follow_step && call.arguments == std::vector<std::string>{"1/h"};
  if (result.follows_step) return result;
  const std::vector<double> numbers = numbers_of(call, words);
  if (numbers.size() != row->numbers) throw Misuse(fmt::format("formulation '{}': expected {}", words, row->expected));
  for (const double number : numbers) {
    if (number < 0)
      throw Misuse(fmt::format("formulation '{}': {:g} would drive the motion away; give zero or more", words, number));
  }
  if (result.scheme == Scheme::penalty && numbers[0] == 0)
    throw Misuse(fmt::format("formulation '{}': springs of no stiffness hold nothing", words));
  if (!numbers.empty()) result.first = numbers[0];
  if (numbers.size() > 1) result.second = numbers[1];
  return result;
}

}  // namespace pawl::formulate
