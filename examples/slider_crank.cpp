// A slider-crank mechanism: masses, a torque, one loop. The start below is rough; it is made consistent, and the
// message says how.
#include <array>
#include <cstdio>

#include "pawl/pawl.hpp"

int main() {
  using namespace pawl;
  Mechanics engine("slider-crank");
  const auto crank = engine.coordinate("crank", 0.5, 2.0), rod = engine.coordinate("rod", -0.2),
             slider = engine.coordinate("slider", 3.3);
  const double a = 1, b = 2.5;  // lengths of uniform rods of unit mass per length
  engine.mass(slider, 1.0);
  engine.mass([=](const auto& at, auto& M) {
    M(crank, crank) = a * a * a / 3 + b * a * a;
    M(crank, rod) = a * b * b / 2 * cos(at[crank] - at[rod]);
    M(rod, rod) = b * b * b / 3;
  });
  engine.force([=](const auto& at, auto& f) { f[crank] += 1.5 - 0.1 * at[dot(crank)]; });
  const auto pin = engine.constraint("pin", [=](const auto& at) {
    return std::array{a * cos(at[crank]) + b * cos(at[rod]) - at[slider], a * sin(at[crank]) + b * sin(at[rod])};
  });
  const Guard dead_centre = engine.guard("inner dead centre", [=](const auto& at) { return at[dot(slider)]; }).rising();

  const Result run = simulate(engine, {.end = 10});
  std::printf("%s\n", run.messages.back().text.c_str());
  std::printf("inner dead centres: %zu, the first at t = %.9f\n", run.times_of(dead_centre).size(),
              run.times_of(dead_centre)[0]);
  std::printf("force on the slider at t = 5: %.6f\n", run.at(5)[pin[0]]);
  std::printf("the pin was never off by more than %.0e\n", run.statistics.constraints->position_drift);
}
