#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// Gravity such that a pendulum of length 1, released horizontally, has the period 2: √g = 2 K(1/√2). At even times it
// is back at its start, exactly; at odd times at (-1, 0).
Problem pendulum_period2() {
  static constexpr Real g = 13.750371636040745654980191559621114395801712L;
  Mechanics pendulum("pendulum-period2");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return static_cast<double>(g) * at[y]; });
  pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  pendulum.energy();
  using namespace shapes;
  pendulum.picture({Rod{{0, 0}, {x, y}}, Disk{{x, y}, 0.08}, Disk{{0, 0}, 0.03}, Trace{{x, y}, 1}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, pendulum)) return std::nullopt;
    const double turns = std::remainder(t, 2);
    if (turns == 0) return std::vector<double>{1, 0, 0, 0};
    if (std::abs(turns) == 1) return std::vector<double>{-1, 0, 0, 0};
    const Swing now = released_horizontally(std::sqrt(g), turns);
    std::vector<double> state;
    for (const Real part : {now.sine, now.cosine * now.rate, -now.cosine, now.sine * now.rate})
      state.push_back(static_cast<double>(part));
    return state;
  };
  return {.summary = "Cartesian pendulum whose period is 2: back at its start after every one (try --stop 30)",
          .kind = "constrained mechanics, index 3",
          .source = "SUNDIALS, examples/cvode/serial/cvPendulum_dns.c",
          .system = pendulum,
          .end = 2,
          .plot = "x,y",
          .known_by = "closed form: elliptic functions",
          .reference = reference};
}

}  // namespace pawl::problems
