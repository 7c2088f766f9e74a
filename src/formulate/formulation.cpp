#include "formulate/formulation.hpp"

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

}  // namespace

const std::vector<FormulationInfo>& formulations() {
  static const std::vector<FormulationInfo> list{
      {"acceleration", "solve M a + G^T λ = f, G a = -γ afresh at every stage (the default)", ascher},
      {"baumgarte(a1,a0)", "G a = -γ - a1 g' - a0 g; baumgarte(1/h) takes a1 = 2/h, a0 = 1/h², with a fixed step",
       ascher},
      {"penalty(k,c)", "springs and dampers instead of constraints, λ = k g + c g'", "Koenders 2002, 2.5.2"},
      {"sliding(s)", "surfaces g' + s g as in sliding-mode control; with start reach(...) from any start", compere},
      {"held-multipliers(s)", "as sliding, but λ held over each step: the counter-example of Fig. 3.8", compere},
      {"state-space", "coordinate partitioning: dependent coordinates solved for at every stage", ascher},
      {"index-2", "g' = 0 with λ among the unknowns (the default of implicit methods)", gear},
      {"stabilized-index-2", "g' = 0 and g = 0, with λ and further multipliers among the unknowns", gear},
      {"index-3", "g = 0 as it stands, with λ among the unknowns", "Hairer, Wanner, Solving ODE II (1996), VII"},
      {"index-1", "g'' = 0 with λ among the unknowns", "Hairer, Wanner, Solving ODE II (1996), VII"},
      {"overdetermined", "g'' = 0 for the motion, and all three levels at the end of every step",
       "Fuehrer, Leimkuhler, Numer. Math. 59 (1991) 55"},
  };
  return list;
}

Formulation parse_formulation(std::string_view words) {
  CallWords call;
  std::vector<std::string> names;
  for (const FormulationInfo& one : formulations()) names.push_back(one.name.substr(0, one.name.find('(')));
  if (!read_call(words, call)) throw Misuse(fmt::format("formulation '{}': the parentheses do not match", words));
  Formulation result;
  result.name = std::string(words);
  std::vector<double> numbers;
  const bool follows_step = call.name == "baumgarte" && call.arguments == std::vector<std::string>{"1/h"};
  if (!follows_step) {
    for (const std::string& word : call.arguments) {
      double number = 0;
      if (!read_number(word, number) || !std::isfinite(number))
        throw Misuse(fmt::format("formulation '{}': '{}' is not a number", words, word));
      numbers.push_back(number);
    }
  }
  const auto need = [&](std::size_t count, const char* what) {
    if (numbers.size() != count) throw Misuse(fmt::format("formulation '{}': expected {}", words, what));
  };
  if (call.name == "auto" || call.name == "acceleration") {
    need(0, "no arguments");
    result.name = "acceleration";
  } else if (call.name == "baumgarte") {
    result.scheme = Scheme::baumgarte;
    result.follows_step = follows_step;
    if (!follows_step) need(2, "baumgarte(a1,a0), as in baumgarte(12,70), or baumgarte(1/h)");
  } else if (call.name == "penalty") {
    result.scheme = Scheme::penalty;
    need(2, "penalty(k,c): a stiffness and a damping");
  } else if (call.name == "sliding" || call.name == "held-multipliers") {
    result.scheme = call.name == "sliding" ? Scheme::sliding : Scheme::held_multipliers;
    need(1, "one number, the rate s of the surfaces g' + s g");
  } else if (call.name == "state-space") {
    result.scheme = Scheme::state_space;
    need(0, "no arguments");
  } else if (call.name == "index-3" || call.name == "index-2" || call.name == "index-1" ||
             call.name == "stabilized-index-2" || call.name == "overdetermined") {
    result.scheme = call.name == "index-3"              ? Scheme::index_3
                    : call.name == "index-2"            ? Scheme::index_2
                    : call.name == "stabilized-index-2" ? Scheme::stabilized_index_2
                                                        : Scheme::index_1;
    need(0, "no arguments");
  } else {
    throw Misuse(
        fmt::format("unknown formulation '{}'{} (`pawl methods` lists them)", words, did_you_mean(call.name, names)));
  }
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
