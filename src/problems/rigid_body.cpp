#include "problems/smooth.hpp"

namespace pawl::problems {

// Euler's equations of a free rigid body: I1 w1' = (I2 - I3) w2 w3 and cyclic. Energy and angular momentum are
// constant.
Problem rigid_body() {
  System body("rigid-body");
  const auto w1 = body.state("w1", 1), w2 = body.state("w2", 0), w3 = body.state("w3", 0.9);
  const auto I1 = body.parameter("I1", 0.5), I2 = body.parameter("I2", 2), I3 = body.parameter("I3", 3);
  body.rates([=](const auto& at, auto& d) {
    d[w1] = (at[I2] - at[I3]) / at[I1] * at[w2] * at[w3];
    d[w2] = (at[I3] - at[I1]) / at[I2] * at[w3] * at[w1];
    d[w3] = (at[I1] - at[I2]) / at[I3] * at[w1] * at[w2];
  });
  body.observable("energy", [=](const auto& at) {
    return (at[I1] * sqr(at[w1]) + at[I2] * sqr(at[w2]) + at[I3] * sqr(at[w3])) / 2;
  });
  body.observable("momentum", [=](const auto& at) {
    return sqrt(sqr(at[I1] * at[w1]) + sqr(at[I2] * at[w2]) + sqr(at[I3] * at[w3]));
  });
  const auto reference =
      known_at(body, 20, {0.6062038539648122217885, 0.628747210450177970375, 0.8073851485756025755419});
  return {.summary = "Euler's free rigid body; energy and angular momentum are constant",
          .kind = "smooth ODE, conservative",
          .source = "Hairer, Norsett, Wanner, Solving ODE I, 2nd ed. (1993), II.10",
          .system = body,
          .end = 20,
          .plot = "w1,w2",
          .known_by = "scripts/reference_solutions.cpp (113-bit extrapolation)",
          .reference = reference};
}

}  // namespace pawl::problems
