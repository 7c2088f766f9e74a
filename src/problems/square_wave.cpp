#include <cmath>
#include <numbers>

#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

// How long sin(2 π f t) has been positive since 0.
double time_on(double f, double t) {
  const double periods = f * t, whole = std::floor(periods);
  return (whole / 2 + std::min(periods - whole, 0.5)) / f;
}

// y' = y while sin(2 π f t) > 0, else 0: who looks at the ends of steps only misses pairs of events.
Problem growing_by_the_clock(const std::string& name, double frequency, double end, const std::string& summary,
                             const std::string& source) {
  System growth(name);
  const auto y = growth.state("y", 0.1);
  const auto f = growth.parameter("f", frequency);
  const auto is_on =
      growth.condition("sin(2 pi f t) > 0", [=](const auto& at) { return sin(2 * std::numbers::pi * at[f] * at.t); });
  growth.rates([=](const auto& at, auto& d) {
    if (at[is_on])
      d[y] = at[y];
    else
      d[y] = 0;
  });
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!(values[f] > 0) || t < 0) return std::nullopt;
    return std::vector{values[y] * std::exp(time_on(values[f], t))};
  };
  const auto event_times = [=](const Values& values, double end_time) -> std::optional<std::vector<double>> {
    if (!(values[f] > 0)) return std::nullopt;
    std::vector<double> times;
    for (int k = 1; k / (2 * values[f]) <= end_time; ++k) times.push_back(k / (2 * values[f]));
    return times;
  };
  return {.summary = summary,
          .kind = "hybrid ODE, bilateral",
          .source = source,
          .system = growth,
          .end = end,
          .plot = "t,y",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace

Problem square_wave() {
  return growing_by_the_clock(
      "square-wave", 10, 3.5, "y grows while sin(2 pi f t) > 0: 69 events, and one at the end",
      "Mao, Petzold, Comput. Math. Appl. 43 (2002) 65, example 1; f = 10 as in the text, 5 as in its Table 1");
}

Problem carver_1() {
  return growing_by_the_clock(
      "carver-1", 2, 0.9, "the square wave with f = 2: 3 events (its right-hand side is a conjecture)",
      "Carver, Math. Comput. Simulation 20 (1978) 190; Compere, dissertation, UT Austin (2001), "
      "Table 5.4");
}

}  // namespace pawl::problems
