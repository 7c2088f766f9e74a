#include "pawl/picture.hpp"
#include "problems/smooth.hpp"

namespace pawl::problems {

Problem lorenz() {
  System flow("lorenz");
  const auto x = flow.state("x", 1), y = flow.state("y", 1), z = flow.state("z", 1);
  const auto sigma = flow.parameter("sigma", 10), rho = flow.parameter("rho", 28),
             beta = flow.parameter("beta", 8.0 / 3);
  flow.rates([=](const auto& at, auto& d) {
    d[x] = at[sigma] * (at[y] - at[x]);
    d[y] = at[x] * (at[rho] - at[z]) - at[y];
    d[z] = at[x] * at[y] - at[beta] * at[z];
  });
  flow.picture({shapes::Sphere{{x, y, z}, 0.6}, shapes::Trace{{x, y, z}, 20}});
  const auto reference =
      known_at(flow, 10, {-4.902687541134645731904, -3.743872921802919616315, 24.69085810279055545322});
  return {.summary = "Lorenz's convection rolls; nearby solutions part like exp(0.9 t)",
          .kind = "smooth ODE, chaotic",
          .source = "Lorenz, J. Atmos. Sci. 20 (1963) 130",
          .system = flow,
          .end = 10,
          .plot = "x,z",
          .known_by = "scripts/reference_solutions.cpp (113-bit extrapolation)",
          .reference = reference};
}

}  // namespace pawl::problems
