#include <cmath>

#include <fmt/format.h>

#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

// eps xf' = cos xs - xf, xs' = -xs + xf. As eps goes to 0 the first line becomes an equation, and xf, which starts at
// 0, jumps onto cos xs at once.
System pair_with(double ratio) {
  System pair("fast-slow");
  const auto xf = pair.state("xf", 0), xs = pair.state("xs", 0);
  const auto eps = pair.parameter("eps", ratio);
  const bool is_full = ratio > 0;
  pair.start([=](Start& at) {
    if ((at[eps] > 0) != is_full) {
      throw Misuse(fmt::format(
          "this fast-slow is {}, not one with eps = {:g}: build it with system_of(problem, {{\"eps\", ...}})",
          is_full ? "an ODE" : "reduced to an equation", at[eps]));
    }
    if (!is_full) at[xf] = std::cos(at[xs]);
  });
  pair.rates([=](const auto& at, auto& d) {
    if (is_full) d[xf] = (cos(at[xs]) - at[xf]) / at[eps];
    d[xs] = -at[xs] + at[xf];
  });
  if (!is_full) pair.equation("equilibrium", [=](const auto& at) { return cos(at[xs]) - at[xf]; });
  return pair;
}

struct Known {
  double eps, t, xf, xs;
};
constexpr Known known[] = {
    {1e-2, 0.1, 0.9969687924826948, 0.08594117497264485}, {1e-2, 1, 0.8409150342516558, 0.574524360177345},
    {1e-2, 2, 0.7602851436781012, 0.7075801381403344},    {1e-2, 5, 0.7392237097436372, 0.7388828553699024},
    {1e-3, 0.1, 0.9956584720112397, 0.0941148258334917},  {1e-3, 1, 0.8387266008675519, 0.5761187250000496},
    {1e-3, 2, 0.759956869451484, 0.7076020115747156},     {1e-3, 5, 0.7392258047941347, 0.7388766272963857},
    {0, 0.1, 0.995489748868223, 0.09501205828368625},     {0, 1, 0.8384887180557484, 0.5762924580392282},
    {0, 2, 0.7599211081948712, 0.7076045895397317},       {0, 5, 0.7392260311356676, 0.7388759414444457},
};

}  // namespace

Problem fast_slow() {
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("eps");
    const double eps = found == assignments.end() ? 1e-2 : found->second;
    if (!(eps >= 0) || !std::isfinite(eps))
      throw Misuse(fmt::format("fast-slow: eps = {:g} must be above 0, or 0 for the reduced system", eps));
    return pair_with(eps);
  };
  const auto reference = [](const Values& values, double t) -> std::optional<std::vector<double>> {
    const double eps = values.parameters()[0];
    const std::vector<double> start = values.start();
    if (start[1] != 0 || (eps > 0 && start[0] != 0)) return std::nullopt;
    for (const Known& one : known) {
      if (one.eps == eps && one.t == t) return std::vector{one.xf, one.xs};
    }
    return std::nullopt;
  };
  return {.summary = "reconstruction: a fast variable follows a slow one; eps = 0 is the reduced DAE",
          .kind = "stiff ODE; DAE, index 1, with eps = 0",
          .source = "Taylor, lecture notes on hybrid simulation (2002); equations are ours",
          .system = pair_with(1e-2),
          .end = 5,
          .plot = "t,xf",
          .known_by = "80-bit Fehlberg 8 at t = 0.1, 1, 2 and 5, for eps = 0.01, 0.001 and 0",
          .reference = reference,
          .build = build,
          .shaped_by = "eps"};
}

}  // namespace pawl::problems
