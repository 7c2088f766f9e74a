#include "pawl/picture.hpp"
#include "problems/smooth.hpp"

namespace pawl::problems {

// Seven stars in a plane, star i of mass i: x_i'' = Σ_j j (x_j - x_i) / r_ij³. Quasi-collisions make the step size
// vary.
Problem pleiades() {
  System stars("pleiades");
  const auto x = stars.states("x", {3, 3, -1, -3, 2, -2, 2}), y = stars.states("y", {3, -3, 2, 0, 0, -4, 4});
  const auto vx = stars.states("vx", {0, 0, 0, 0, 0, 1.75, -1.5}), vy = stars.states("vy", {0, 0, 0, -1.25, 1, 0, 0});
  stars.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < 7; ++i) {
      d[x[i]] = at[vx[i]];
      d[y[i]] = at[vy[i]];
      d[vx[i]] = d[vy[i]] = 0.0;
    }
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < i; ++j) {
        const auto dx = at[x[j]] - at[x[i]], dy = at[y[j]] - at[y[i]], r2 = sqr(dx) + sqr(dy),
                   pull = 1 / (r2 * sqrt(r2));
        d[vx[i]] += (j + 1) * pull * dx;
        d[vy[i]] += (j + 1) * pull * dy;
        d[vx[j]] -= (i + 1) * pull * dx;
        d[vy[j]] -= (i + 1) * pull * dy;
      }
    }
  });
  Picture picture;
  for (int i = 0; i < 7; ++i) {
    picture.add(shapes::Disk{{x[i], y[i]}, 0.05 + 0.015 * i});
    picture.add(shapes::Trace{{x[i], y[i]}, 0.8});
  }
  stars.picture(picture);
  stars.observable("energy", [=](const auto& at) {
    auto sum = 0 * at[x[0]];
    for (int i = 0; i < 7; ++i) {
      sum += 0.5 * (i + 1) * (sqr(at[vx[i]]) + sqr(at[vy[i]]));
      for (int j = 0; j < i; ++j) sum -= (i + 1) * (j + 1) / sqrt(sqr(at[x[i]] - at[x[j]]) + sqr(at[y[i]] - at[y[j]]));
    }
    return sum;
  });
  const auto reference = known_at(
      stars, 3,
      {0.370613914397051290094,   3.237284092057233092803,   -3.2225590324183233471,    0.659709145577530835935,
       0.3425581707156579790377,  1.562172101400631016046,   -0.7003092922212495385147, -3.943437585517392055278,
       -3.271380973972549928021,  5.225081843456544192439,   -2.590612434977469510811,  1.198213693392274637514,
       -0.2429682344935823409161, 1.091449240428979747882,   3.417003806314314752292,   1.354584501625501221477,
       -2.590065597810775419619,  2.025053734714241106485,   -1.155815100160449092712,  -0.807298817022302172566,
       0.5952396354208718766608,  -3.741244961234008471205,  0.3773459685750629036558,  0.9386858869551078886947,
       0.3667922227200569866696,  -0.3474046353808494366007, 2.344915448180936923142,   -1.947020434263291900674});
  return {.summary = "seven stars attract each other in a plane, with close encounters",
          .kind = "smooth ODE, conservative",
          .source = "Hairer, Norsett, Wanner, Solving ODE I, 2nd ed. (1993), II.10",
          .system = stars,
          .end = 3,
          .plot = "x1,y1",
          .known_by = "scripts/reference_solutions.cpp (113-bit extrapolation)",
          .reference = reference};
}

}  // namespace pawl::problems
