#include <cmath>

#include "problems/hybrid.hpp"

namespace pawl::problems {

// y = exp(-t² + 5 t - 4): ln y rises 9e-4 above its guard's level between t = 2.47 and 2.53, and y' vanishes between.
Problem log_roots() {
  System growth("log-roots");
  const auto y = growth.state("y", 1);
  growth.rates([=](const auto& at, auto& d) { d[y] = ((2 * log(at[y]) + 8) / at.t - 5) * at[y]; });
  growth.guard("y' = 0", [=](const auto& at) { return at[dot(y)]; });
  growth.guard("ln y = 2.2491", [=](const auto& at) { return log(at[y]) - 2.2491; });
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, growth)) return std::nullopt;
    return std::vector{std::exp(-t * t + 5 * t - 4)};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, growth)) return std::nullopt;
    std::vector<double> times;
    for (const double time : {2.47, 2.5, 2.53}) {
      if (time <= end) times.push_back(time);
    }
    return times;
  };
  return {.summary = "three roots within 0.06, one of them of y'; from t = 1",
          .kind = "hybrid ODE, bilateral",
          .source = "DASKR demonstration dkrdem.f, LSODAR demonstration problem 1",
          .system = growth,
          .end = 6,
          .plot = "t,y",
          .known_by = "closed form",
          .reference = reference,
          .start = 1,
          .event_times = event_times};
}

}  // namespace pawl::problems
