#include "problems/smooth.hpp"

namespace pawl::problems {

Problem brusselator() {
  System reactor("brusselator");
  const auto u = reactor.state("u", 1.5), v = reactor.state("v", 3);
  const auto A = reactor.parameter("A", 1), B = reactor.parameter("B", 3);
  reactor.rates([=](const auto& at, auto& d) {
    const auto reaction = sqr(at[u]) * at[v];
    d[u] = at[A] + reaction - (at[B] + 1) * at[u];
    d[v] = at[B] * at[u] - reaction;
  });
  const auto reference = known_at(reactor, 20, {0.4986370712683478486499, 4.596780349452011183202});
  return {.summary = "chemical oscillator that settles on a limit cycle",
          .kind = "smooth ODE",
          .source = "Hairer, Norsett, Wanner, Solving ODE I, 2nd ed. (1993), I.16 and II.4",
          .system = reactor,
          .end = 20,
          .plot = "u,v",
          .known_by = "scripts/reference_solutions.cpp (113-bit extrapolation)",
          .reference = reference};
}

}  // namespace pawl::problems
