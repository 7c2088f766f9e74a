// A run in our hands: a motor is driven by an input, stepped, changed on the way, saved, and continued in two ways.
#include <cstdio>

#include "pawl/pawl.hpp"

int main() {
  using namespace pawl;
  System motor("motor");
  const auto current = motor.state("current", 0), speed = motor.state("speed", 0);
  const auto load = motor.parameter("load", 0.2);
  const auto voltage = motor.input("voltage", Signal::polyline({{0, 0}, {0.5, 12}}));  // a ramp, then 12 V
  motor.rates([=](const auto& at, auto& d) {
    d[current] = (at[voltage] - 2 * at[current] - 0.5 * at[speed]) / 0.01;  // L i' = u - R i - k w
    d[speed] = (0.5 * at[current] - at[load]) / 0.05;                       // J w' = k i - load
  });

  Simulation run(motor, {.end = 4, .tolerance = 1e-9});
  for (const double t : {0.25, 0.5, 2.0}) {
    run.advance_to(t);
    std::printf("t = %.2f: %5.2f V, speed %.4f\n", run.t(), double(run[voltage]), double(run[speed]));
  }
  const Snapshot here = run.snapshot();
  run[load] = 1.0;  // an event at this instant
  std::printf("with a load: speed %.4f\n", run.finish().final()[speed]);
  run.restore(here);  // as if nothing had happened
  run[voltage] = 6;
  std::printf("with 6 V:    speed %.4f\n", run.finish().final()[speed]);
}
