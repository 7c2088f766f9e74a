// Models of several kinds in one system: every method, against closed forms or a model written by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pawl/mechanics.hpp"
#include "pawl/pawl.hpp"
#include "pawl/port_hamiltonian.hpp"

namespace pawl {
namespace {

struct Case {
  const char* method;
  double accuracy;  // of the result at the tolerance of the test, 1e-9
};

/// Implicit and explicit ones: the same equations, solved as they stand or for their rates.
const Case cases[] = {{"auto", 1e-8},     {"radau", 1e-8},       {"radau-5", 1e-7}, {"bdf", 1e-6},
                      {"esdirk-5", 1e-7}, {"tsitouras-5", 1e-7}, {"dop853", 1e-7}};

class Mixture : public testing::TestWithParam<Case> {
 protected:
  Result run(const System& system, double end) const {
    return simulate(system, {.end = end, .tolerance = 1e-9, .method = GetParam().method});
  }
  double accuracy() const { return GetParam().accuracy; }
};

INSTANTIATE_TEST_SUITE_P(Methods, Mixture, testing::ValuesIn(cases), [](const auto& one) {
  std::string name = one.param.method;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

// A rotor with w' = 2 i, i = 10 sin 20 t - 2 w: w' + 4 w = 20 sin 20 t.
TEST_P(Mixture, TakesTheTorqueOfAMechanismFromAnAlgebraicUnknown) {
  Mechanics motor("motor");
  const auto angle = motor.coordinate("angle", 0);
  motor.mass(angle, 1.0);
  const auto i = motor.state("i", 0);
  motor.force([=](const auto& at, auto& f) { f[angle] += 2 * at[i]; });
  motor.equation("loop", [=](const auto& at) { return at[i] + 2 * at[dot(angle)] - 10 * sin(20 * at.t); });
  const Result result = run(motor, 1);
  ASSERT_TRUE(result.finished()) << result.reason;
  const double a = 80.0 / 416, b = -400.0 / 416, w = a * std::sin(20.0) + b * std::cos(20.0) - b * std::exp(-4.0);
  EXPECT_NEAR(result.final()[dot(angle)], w, accuracy());
  EXPECT_NEAR(result.final()[i], 10 * std::sin(20.0) - 2 * w, 10 * accuracy());
}

TEST_P(Mixture, KeepsAConservedQuantityOfASystemWithEquations) {
  System oscillator("oscillator");
  const auto x = oscillator.state("x", 1), y = oscillator.state("y", 0), z = oscillator.state("z", 0);
  oscillator.rates([=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -at[z];
  });
  oscillator.equation("spring", [=](const auto& at) { return at[z] - at[x]; });
  oscillator.conserved("energy", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]); });
  const auto energy = oscillator.observable("E", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]); });
  const Result result = run(oscillator, 10);
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_NEAR(result.final()[x], std::cos(10.0), accuracy());
  EXPECT_LE(result.range(energy).variation(), 1e-13);
}

// x' = u + (t - 1)/2 with u = -sign(x): meets x = 0 at 3 - sqrt(5), slides with u = -(t - 1)/2 and leaves where that is
// -1, at t = 3; then x = (t - 3)²/4.
TEST_P(Mixture, SlidesOnTheSurfaceOfARelayAndLeavesIt) {
  System relay("relay");
  const auto x = relay.state("x", 1), z = relay.state("z", 0);
  const auto u = relay.relay("u", {.below = 1, .above = -1}, [=](const auto& at) { return at[x]; });
  relay.rates([=](const auto& at, auto& d) { d[x] = at[z]; });
  relay.equation("sum", [=](const auto& at) { return at[z] - at[u] - (at.t - 1) / 2; });
  const Result result = run(relay, 4);
  ASSERT_TRUE(result.finished()) << result.reason;
  std::vector<double> slides, leaves;
  for (const Event& event : result.events) {
    if (event.kind == EventKind::slide) slides.push_back(event.t);
    if (event.kind == EventKind::leave) leaves.push_back(event.t);
  }
  ASSERT_EQ(slides.size(), 1u);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_NEAR(slides.front(), 3 - std::sqrt(5.0), accuracy());
  EXPECT_NEAR(leaves.front(), 3, accuracy());
  EXPECT_NEAR(result.at(2.0)[x], 0, 1e-14);
  EXPECT_NEAR(result.at(2.0)[u], -0.5, accuracy());
  EXPECT_NEAR(result.final()[x], 0.25, accuracy());
}

TEST_P(Mixture, JoinsAPortHamiltonianPartToAnEquation) {
  PortHamiltonian system("oscillator");
  const auto p = system.state("p", 1), q = system.state("q", 0), z = system.state("z", 0);
  system.hamiltonian([=](const auto& at) { return sqr(at[p]) / 2 + sqr(at[q]) / 2; });
  system.structure([=](const auto&, auto& J) {
    J(p, q) = -1;
    J(q, p) = 1;
  });
  system.equation("copy", [=](const auto& at) { return at[z] - at[p] * at[q]; });
  const Result result = run(system, 2);
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_NEAR(result.final()[p], std::cos(2.0), accuracy());
  EXPECT_NEAR(result.final()[z], std::cos(2.0) * std::sin(2.0), accuracy());
}

TEST_P(Mixture, HasMassRowsBesideAMechanism) {
  Mechanics system("pair");
  const auto x = system.coordinate("x", 1);
  system.mass(x, 2.0);
  const auto i = system.state("i", 1);
  system.force([=](const auto& at, auto& f) { f[x] -= 2 * at[x]; });
  system.rates([=](const auto& at, auto& d) { d[i] = -at[i]; });
  system.System::mass([=](const auto&, auto& M) { M(i, i) = 2; });
  const Result result = run(system, 3);
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_NEAR(result.final()[x], std::cos(3.0), accuracy());
  EXPECT_NEAR(result.final()[i], std::exp(-1.5), accuracy());
}

// A sensor that nothing reads: what is declared stays, whatever the inertia reads, and the motion is that of the
// mechanism alone.
TEST_P(Mixture, KeepsCoordinatesAtTheStartWhereAnAlgebraicUnknownFollows) {
  enum class Inertia { matrix, energy, of_a_state };
  for (const Inertia inertia : {Inertia::matrix, Inertia::energy, Inertia::of_a_state}) {
    const auto motion = [&](bool has_sensor) {
      Mechanics arm("arm");
      const auto a = arm.coordinate("a", 1), b = arm.coordinate("b", 0.5, 0.3);
      const auto load = arm.state("load", 1), s = arm.state("s", 0);
      arm.rates([=](const auto& at, auto& d) {
        d[load] = 0.1 * at[load];
        if (!has_sensor) d[s] = 0 * at[s];
      });
      const double share = inertia == Inertia::of_a_state ? 1 : 0;
      if (inertia == Inertia::energy) {
        arm.kinetic_energy([=](const auto& at) {
          return sqr(at[dot(a)]) + sqr(at[dot(b)]) / 2 + at[dot(a)] * at[dot(b)] * cos(at[a] - at[b]);
        });
      } else {
        arm.mass([=](const auto& at, auto& M) {
          M(a, a) = 2 + share * at[load];
          M(a, b) = cos(at[a] - at[b]);
          M(b, b) = 1;
        });
      }
      arm.potential([=](const auto& at) { return -9.81 * (2 * cos(at[a]) + cos(at[b])); });
      if (has_sensor) arm.equation("sensor", [=](const auto& at) { return at[s] - at[dot(a)] - at[a]; });
      const Result result = run(arm, 1);
      EXPECT_TRUE(result.finished()) << result.reason;
      const Instant start = result.start(), end = result.final();
      EXPECT_EQ(start[a], 1);
      EXPECT_EQ(start[dot(a)], 0);
      EXPECT_EQ(start[dot(b)], 0.3);
      EXPECT_NEAR(start[s], has_sensor ? 1 : 0, 1e-15);
      return std::vector<double>{end[a], end[b], end[dot(a)], end[dot(b)]};
    };
    const std::vector<double> beside = motion(true), alone = motion(false);
    for (std::size_t i = 0; i < alone.size(); ++i)
      EXPECT_NEAR(beside[i], alone[i], 20 * accuracy()) << static_cast<int>(inertia) << ", " << i;
  }
}

// A bead on a rod whose friction grows with the force in the rod, λ: both follow from one linear system,
//   λ (x² + y² + 0.1 (x, y).tanh(v)) = v² - 9.81 y.
TEST_P(Mixture, LetsForcesDependOnMultipliers) {
  Mechanics bead("bead");
  const auto x = bead.coordinate("x", 1), y = bead.coordinate("y", 0);
  for (const auto one : {x, y}) bead.mass(one, 1.0);
  const auto rod = bead.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  bead.force([=](const auto& at, auto& f) {
    f[x] -= 0.1 * at[rod] * tanh(at[dot(x)]);
    f[y] -= 9.81 + 0.1 * at[rod] * tanh(at[dot(y)]);
  });
  const auto length = bead.observable("length", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const auto across = bead.observable("along", [=](const auto& at) { return at[x] * at[dot(x)] + at[y] * at[dot(y)]; });
  System by_hand("by hand");
  const auto X = by_hand.state("x", 1), Y = by_hand.state("y", 0), U = by_hand.state("u", 0), V = by_hand.state("v", 0);
  const auto force = [=](const auto& at) {
    return (sqr(at[U]) + sqr(at[V]) - 9.81 * at[Y]) /
           (sqr(at[X]) + sqr(at[Y]) + 0.1 * (at[X] * tanh(at[U]) + at[Y] * tanh(at[V])));
  };
  by_hand.rates([=](const auto& at, auto& d) {
    const auto lambda = force(at);
    d[X] = at[U];
    d[Y] = at[V];
    d[U] = -lambda * (at[X] + 0.1 * tanh(at[U]));
    d[V] = -9.81 - lambda * (at[Y] + 0.1 * tanh(at[V]));
  });
  const auto lambda = by_hand.observable("force", force);
  const Result result = run(bead, 1), exact = simulate(by_hand, {.end = 1, .tolerance = 1e-13, .method = "dop853"});
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_NEAR(result.final()[x], exact.final()[X], accuracy());
  EXPECT_NEAR(result.final()[y], exact.final()[Y], accuracy());
  EXPECT_NEAR(result.final()[rod], exact.final()[lambda], 100 * accuracy());
  EXPECT_LE(result.range(length).variation(), 1e-13);
  EXPECT_LE(result.range(across).variation(), 1e-13);
}

// Released where the rod is level, its force is -3 g y: a guard on it, written like any other, fires at a known height
// and is proved.
TEST_P(Mixture, ProvesGuardsOnMultipliers) {
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto one : {x, y}) pendulum.mass(one, 1.0);
  pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
  const auto rod = pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const Guard tears = pendulum.guard("rod tears", [=](const auto& at) { return at[rod] - 15; }).rising();
  const Result result = run(pendulum, 0.7);
  ASSERT_TRUE(result.finished()) << result.reason;
  const std::vector<double> times = result.times_of(tears);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(result.at(times.front())[y], -15 / (3 * 9.81), accuracy());
  EXPECT_EQ(result.statistics.events.guarantees.front().level, Assurance::proved);
}

// Length, speed along the rod and force of a pendulum written as five equations of index 3.
TEST_P(Mixture, HoldsHiddenConstraintsOfEquations) {
  System pendulum("pendulum");
  const auto x = pendulum.state("x", 1), y = pendulum.state("y", 0), u = pendulum.state("u", 0),
             v = pendulum.state("v", 0), F = pendulum.state("F", 0);
  pendulum.rates([=](const auto& at, auto& d) {
    d[x] = at[u];
    d[y] = at[v];
    d[u] = -at[x] * at[F];
    d[v] = -at[y] * at[F] - 9.81;
  });
  pendulum.equation("rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const auto length = pendulum.observable("length", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const auto along = pendulum.observable("along", [=](const auto& at) { return at[x] * at[u] + at[y] * at[v]; });
  const auto missing =
      pendulum.observable("missing", [=](const auto& at) { return at[F] - (sqr(at[u]) + sqr(at[v]) - 9.81 * at[y]); });
  const Result result = run(pendulum, 3);
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_LE(result.range(length).variation(), 1e-13);
  EXPECT_LE(result.range(along).variation(), 1e-13);
  EXPECT_LE(result.range(missing).variation(), 1e-10);
  double drawn_length = 0, drawn_along = 0;
  for (int k = 1; k < 4000; ++k) {  // the recorded polynomials are there to a part of the tolerance
    const Instant drawn = result.at(3.0 * k / 4000);
    drawn_length = std::max(drawn_length, std::abs(drawn[length]));
    drawn_along = std::max(drawn_along, std::abs(drawn[along]));
  }
  EXPECT_LE(drawn_length, 1e-9);
  EXPECT_LE(drawn_along, 5e-9);
  for (int k = 1; k < 40; ++k) {  // and exactly, where that is asked for
    const Instant drawn = result.on_manifold(3.0 * k / 40);
    EXPECT_LE(std::abs(drawn[length]), 1e-13);
    EXPECT_LE(std::abs(drawn[along]), 1e-13);
    EXPECT_LE(std::abs(drawn[missing]), 1e-11);
  }
}

// A bob driven by a circuit falls onto a floor: flight times are those of free fall, impacts halve the speed.
TEST_P(Mixture, HasImpactsBesideEquations) {
  Mechanics ball("ball");
  const auto y = ball.coordinate("y", 1);
  ball.mass(y, 1.0);
  ball.potential([=](const auto& at) { return 9.81 * at[y]; });
  const auto z = ball.state("z", 0);
  ball.equation("height again", [=](const auto& at) { return at[z] + cos(at[z]) - at[y]; });
  const auto floor = ball.contact("floor", [=](const auto& at) { return at[y]; }, {.restitution = 0.5});
  const Result result = run(ball, 1.0);
  ASSERT_TRUE(result.finished()) << result.reason;
  const double fall = std::sqrt(2 / 9.81);
  std::vector<double> impacts;
  for (const Event& event : result.events)
    if (event.kind == EventKind::crossing) impacts.push_back(event.t);
  ASSERT_GE(impacts.size(), 2u);
  EXPECT_NEAR(impacts[0], fall, accuracy());
  EXPECT_NEAR(impacts[1], 2 * fall, accuracy());
  EXPECT_NEAR(result.final()[floor.normal], 0, 1e-12);
}

/// A weight on a shaft whose EMF 3 v stands across a capacitor of 0.5: the capacitor is an inertia of 4.5 beside the
/// weight's own 1. Or that inertia as a force that follows from the acceleration, or as a wheel on a gear.
enum class Coupling { capacitor, added_mass, wheel };

void couple(Mechanics& system, Coordinate x, double start, double speed, Coupling coupling) {
  if (coupling == Coupling::capacitor) {
    const auto u = system.state("u", 3 * speed), i = system.state("i", 0);
    system.equation("EMF", [=](const auto& at) { return at[u] - 3 * at[dot(x)]; });
    system.equation("capacitor", [=](const auto& at) { return 0.5 * at[dot(u)] - at[i]; });
    system.force([=](const auto& at, auto& f) { f[x] -= 3 * at[i]; });
  } else if (coupling == Coupling::added_mass) {
    const auto z = system.state("z", 0);
    system.equation("water", [=](const auto& at) { return at[z] + 4.5 * at[dot(dot(x))]; });
    system.force([=](const auto& at, auto& f) { f[x] += at[z]; });
  } else {
    const auto turn = system.coordinate("wheel", 3 * start, 3 * speed);
    system.mass(turn, 0.5);
    system.constraint("gear", [=](const auto& at) { return at[turn] - 3 * at[x]; });
  }
}

TEST_P(Mixture, TurnsBackFromAWallWithAllThatIsBoundToItsSpeed) {
  for (const Coupling coupling : {Coupling::capacitor, Coupling::added_mass}) {
    Mechanics shaft("shaft");
    const auto x = shaft.coordinate("x", 1, -1);
    shaft.mass(x, 1.0);
    couple(shaft, x, 1, -1, coupling);
    shaft.contact("wall", [=](const auto& at) { return at[x]; }, {.restitution = 0.5});
    const auto loss = shaft.impact_loss();
    const Result result = run(shaft, 2);
    ASSERT_TRUE(result.finished()) << result.reason;
    ASSERT_EQ(result.events.size(), 1u);
    EXPECT_NEAR(result.events.front().t, 1, accuracy());
    EXPECT_NEAR(result.final()[x], 0.5, accuracy());
    EXPECT_NEAR(result.final()[dot(x)], 0.5, accuracy());
    const double lost = result.events.front().held_after->numbers[static_cast<std::size_t>(loss.index)];
    EXPECT_NEAR(lost, 5.5 / 2 * (1 - 0.25), accuracy());
  }
}

/// A magnet of mass 1 is pushed towards a stop; its EMF 3 v charges a capacitor of 0.5 through a diode.
struct Magnet {
  Mechanics system{"magnet"};
  Coordinate x;
  State u, i;
  Discrete<bool> conducts;
  Discrete<double> lost;

  Magnet(double place, double speed, double voltage, double push) : x(system.coordinate("x", place, speed)) {
    system.mass(x, 1.0);
    u = system.state("u", voltage);
    i = system.state("i", 0);
    const auto uD = system.state("uD", 0);
    system.force([=, x = x, i = i](const auto& at, auto& f) { f[x] += push - 3 * at[i]; });
    system.equation("loop", [=, x = x, u = u](const auto& at) { return 3 * at[dot(x)] - at[uD] - at[u]; });
    system.equation("capacitor", [=, u = u, i = i](const auto& at) { return 0.5 * at[dot(u)] - at[i]; });
    conducts = system.diode(
        "D", [=](const auto& at) { return at[uD]; }, [=, i = i](const auto& at) { return at[i]; });
    system.contact("stop", [=, x = x](const auto& at) { return 0.5 - at[x]; }, {.restitution = 0.5});
    lost = system.impact_loss();
  }
};

// Until it hits, the capacitor is an inertia of 4.5 beside its own: x = t^2 / 2. Turning back would discharge the
// capacitor through the diode, which blocks in the impact: the magnet bounces alone, and the capacitor keeps 3 V.
TEST_P(Mixture, ADiodeBlocksInTheImpactThatWouldReverseIt) {
  const Magnet magnet(0, 0, 0, 5.5);
  const Result result = run(magnet.system, 1.15);
  ASSERT_TRUE(result.finished()) << result.reason;
  ASSERT_EQ(result.events.size(), 1u);
  const Event& impact = result.events.front();
  EXPECT_NEAR(impact.t, 1, accuracy());
  EXPECT_NEAR(impact.held_after->numbers[static_cast<std::size_t>(magnet.lost.index)], 0.5 * (1 - 0.25), accuracy());
  EXPECT_EQ(impact.held_before->modes[static_cast<std::size_t>(magnet.conducts.index)], 1);
  EXPECT_EQ(impact.held_after->modes[static_cast<std::size_t>(magnet.conducts.index)], 0);
  const Instant before = result.at(0.9), end = result.final();
  EXPECT_NEAR(before[magnet.i], 1.5, 10 * accuracy());
  EXPECT_NEAR(end[dot(magnet.x)], -0.5 + 5.5 * 0.15, 10 * accuracy());
  EXPECT_NEAR(end[magnet.x], 0.5 - 0.5 * 0.15 + 5.5 / 2 * 0.15 * 0.15, 10 * accuracy());
  EXPECT_NEAR(end[magnet.u], 3, 10 * accuracy());
  EXPECT_NEAR(end[magnet.i], 0, 1e-9);
}

// The other way: driven back by the stop, the magnet has an EMF above the voltage of the capacitor. With the diode
// turned round, it conducts after the impact; then both share what is left of the momentum: m v + C k u = const.
TEST_P(Mixture, ADiodeConductsAfterAnImpactThatTurnsItForward) {
  Mechanics system("magnet");
  const auto x = system.coordinate("x", 0, 1);
  system.mass(x, 1.0);
  const auto u = system.state("u", 0), i = system.state("i", 0), uD = system.state("uD", 0);
  system.force([=](const auto& at, auto& f) { f[x] += 3 * at[i]; });
  system.equation("loop", [=](const auto& at) { return -3 * at[dot(x)] - at[uD] - at[u]; });
  system.equation("capacitor", [=](const auto& at) { return 0.5 * at[dot(u)] - at[i]; });
  system.diode(
      "D", [=](const auto& at) { return at[uD]; }, [=](const auto& at) { return at[i]; });
  system.contact("stop", [=](const auto& at) { return 0.5 - at[x]; }, {.restitution = 0.5});
  const Result result = run(system, 1);
  ASSERT_TRUE(result.finished()) << result.reason;
  const double v = -0.5 / 5.5;  // of the bounce, with the capacitor as an inertia of 4.5 taken along
  EXPECT_NEAR(result.final()[dot(x)], v, accuracy());
  EXPECT_NEAR(result.final()[x], 0.5 + 0.5 * v, accuracy());
  EXPECT_NEAR(result.final()[u], -3 * v, 10 * accuracy());
}

/// A rod of length 2 slides with its lower end over a rough floor and leans on it; the EMF of its turning stands across
/// a capacitor, which is an inertia of 0.2² beside its own 1/3. Or it has all of that itself.
Result lean(double friction, bool is_own, const std::function<Result(const System&, double)>& run) {
  const double k = 0.2, tilt = 0.7, spin = 2;
  Mechanics rod("rod");
  const auto a = rod.coordinate("angle", tilt, spin), y = rod.coordinate("y", std::sin(tilt), std::cos(tilt) * spin),
             x = rod.coordinate("x", 0, -5 - std::sin(tilt) * spin);
  for (const auto q : {x, y}) rod.mass(q, 1.0);
  rod.mass(a, 1. / 3 + (is_own ? k * k : 0));
  rod.potential([=](const auto& at) { return 9.81 * at[y]; });
  if (!is_own) {
    const auto u = rod.state("u", k * spin), i = rod.state("i", 0);
    rod.equation("EMF", [=](const auto& at) { return at[u] - k * at[dot(a)]; });
    rod.equation("capacitor", [=](const auto& at) { return at[dot(u)] - at[i]; });
    rod.force([=](const auto& at, auto& f) { f[a] -= k * at[i]; });
  }
  rod.contact(
      "floor", [=](const auto& at) { return at[y] - sin(at[a]); },
      [=](const auto& at) { return at[dot(x)] + sin(at[a]) * at[dot(a)]; }, {.friction = friction});
  return run(rod, 0.2);
}

// Sliding locks where the pivot p of friction has fallen to a thousandth of what it is without, by Painlevé:
//   p = 1 + cos θ (cos θ - μ sin θ) / I = 1e-3 (1 + cos² θ / I), with the inertia I of all that turns.
// With the rod's own inertia that would be at θ = 0.88 for a friction of 1.5, where the rod slides on, near enough to a
// lock for bdf to lose its way among the forces.
TEST_P(Mixture, LocksWhereAllThatIsBoundToItWould) {
  const auto by_this = [&](const System& system, double end) { return run(system, end); };
  const double I = 1. / 3 + 0.04;
  for (const bool is_own : {false, true}) {
    if (GetParam().method != std::string("bdf")) {
      const Result slides = lean(1.5, is_own, by_this);
      EXPECT_TRUE(slides.finished()) << slides.reason;
    }
    const Result locks = lean(1.8, is_own, by_this);
    EXPECT_FALSE(locks.finished());
    EXPECT_NE(locks.reason.find("sliding friction at 'floor' is about to lock"), std::string::npos) << locks.reason;
    const double c = std::cos(locks.final()["angle"]), s = std::sin(locks.final()["angle"]);
    EXPECT_NEAR(1 + c * (c - 1.8 * s) / I, 1e-3 * (1 + c * c / I), 1e-6);
  }
}

// A brake of 0.8 holds a mass of 1.36 m along a guide against a force sin(w t) that is an unknown of equations. It
// breaks away at T with sin(w T) = 0.8, though there consistent forces are still below the limit by the error of steps.
TEST(MixtureFriction, BreaksAwayWhereItsGuardHasFoundTheLimit) {
  for (const bool has_energy : {false, true}) {
    for (const auto& [w, m] : {std::pair{3.0, 1.0}, std::pair{1.7, 0.37}}) {
      Mechanics slider("slider");
      const auto x = slider.coordinate("x", 0), y = slider.coordinate("y", 0);
      if (has_energy) {
        slider.kinetic_energy([=, m = m](const auto& at) { return m * (sqr(at[dot(x)]) + sqr(at[dot(y)])) / 2; });
      } else {
        slider.mass(x, m);
        slider.mass(y, m);
      }
      slider.constraint("guide", [=](const auto& at) { return at[y] - 0.6 * at[x]; });
      const auto i = slider.state("i", 0);
      slider.equation("source", [=, w = w](const auto& at) { return at[i] - sin(w * at.t); });
      slider.force([=](const auto& at, auto& f) { f[x] += at[i]; });
      const auto brake = slider.dry_friction(
          "brake", [=](const auto& at) { return at[dot(x)]; }, [](const auto&) { return 0.8; }, {.friction = 1.0});
      const double T = std::asin(0.8) / w, end = 1.2 / w, t = end - T;
      const double moved =
          (std::cos(w * T) / w * t - (std::sin(w * end) - std::sin(w * T)) / (w * w) - 0.4 * t * t) / (1.36 * m);
      for (const char* method : {"auto", "radau", "esdirk-5", "dop853", "bdf"}) {
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
          SCOPED_TRACE(fmt::format("{}, {:g}, w = {}, m = {}, {}", method, tolerance, w, m, has_energy));
          const Result result = simulate(slider, {.end = end, .tolerance = tolerance, .method = method});
          ASSERT_TRUE(result.finished()) << result.reason;
          EXPECT_NEAR(result.final()[x], moved, 1e-3 * moved + 10 * tolerance);
          EXPECT_NEAR(result.final()[brake.slip], -0.8, 1e-12);
        }
      }
    }
  }
}

// A bead at rest on a guide whose slope has a tangent of 0.546, with a capacitor as an inertia of 4.5 along x alone. At
// rest the guide presses with m g cos: friction of 0.6 holds it. With 0.5 it slips, and the guide presses with more.
TEST_P(Mixture, WeighsJointFrictionWithAllThatIsBoundToTheSpeeds) {
  const double g = 9.81, c = std::cos(0.5), s = std::sin(0.5);
  for (const double friction : {0.6, 0.5}) {
    Mechanics bead("bead");
    const auto x = bead.coordinate("x", 0), y = bead.coordinate("y", 0);
    for (const auto q : {x, y}) bead.mass(q, 1.0);
    bead.potential([=](const auto& at) { return g * at[y]; });
    couple(bead, x, 0, 0, Coupling::capacitor);
    const Constraint guide = bead.constraint("guide", [=](const auto& at) { return c * at[y] - s * at[x]; });
    bead.joint_friction("rubbing", guide, [=](const auto& at) { return c * at[dot(x)] + s * at[dot(y)]; },
                        {.friction = friction});
    const Result result = run(bead, 1);
    ASSERT_TRUE(result.finished()) << result.reason;
    // 5.5 x'' = N (-s + μ c), y'' = -g + N (c + μ s), y'' = x'' s / c
    const double along = friction * c - s, up = c + friction * s, pressing = g / (up - along * s / c / 5.5);
    const double a = friction > s / c ? 0 : pressing * along / 5.5;
    EXPECT_NEAR(result.final()[dot(x)], a, accuracy());
    EXPECT_NEAR(result.final()[x], a / 2, accuracy());
    EXPECT_NEAR(std::abs(result.final()[guide]), friction > s / c ? g * c : pressing, 1e-8);
  }
}

// It falls with g / 5.5 and bounces to rest after 3 times the first fall; then the floor carries its weight alone.
TEST_P(Mixture, BouncesToRestWithAllThatIsBoundToItsSpeed) {
  for (const Coupling coupling : {Coupling::capacitor, Coupling::added_mass}) {
    Mechanics shaft("shaft");
    const auto x = shaft.coordinate("x", 1);
    shaft.mass(x, 1.0);
    shaft.potential([=](const auto& at) { return 9.81 * at[x]; });
    couple(shaft, x, 1, 0, coupling);
    const auto floor = shaft.contact("floor", [=](const auto& at) { return at[x]; }, {.restitution = 0.5});
    const Result result = run(shaft, 4);
    ASSERT_TRUE(result.finished()) << result.reason;
    const double g = 9.81 / 5.5, fall = std::sqrt(2 / g), up = 0.5 * g * fall, later = 0.3;
    EXPECT_NEAR(result.at(fall + later)[x], up * later - g / 2 * later * later, accuracy());
    ASSERT_FALSE(result.events.empty());
    EXPECT_NEAR(result.events.back().t, 3 * fall, 1e-4);
    EXPECT_NEAR(result.final()[x], 0, 1e-12);
    EXPECT_NEAR(result.final()[dot(x)], 0, 1e-14);
    EXPECT_NEAR(result.final()[floor.normal], 9.81, 1e-10);
  }
}

// Three carts in a row, two of which touch, and a wall; a throw onto a rough floor.
TEST_P(Mixture, PassesImpactsAndFrictionOnAsAWheelWould) {
  const auto carts = [&](Coupling coupling) {
    Mechanics row("carts");
    const auto a = row.coordinate("a", 0, 1), b = row.coordinate("b", 1), c = row.coordinate("c", 1);
    for (const auto cart : {a, b, c}) row.mass(cart, 1.0);
    couple(row, b, 1, 0, coupling);
    row.contact("a and b", [=](const auto& at) { return at[b] - at[a]; }, {.restitution = 0.8});
    row.contact("b and c", [=](const auto& at) { return at[c] - at[b]; }, {.restitution = 0.6});
    row.contact("wall", [=](const auto& at) { return 1.3 - at[c]; }, {.restitution = 0.9});
    const Result result = run(row, 3);
    EXPECT_TRUE(result.finished()) << result.reason;
    EXPECT_EQ(result.events.size(), 3u);
    const Instant end = result.final();
    return std::vector<double>{end[a], end[b], end[c], end[dot(a)], end[dot(b)], end[dot(c)]};
  };
  const auto thrown = [&](Coupling coupling) {
    Mechanics block("block");
    const auto x = block.coordinate("x", 0, 3), y = block.coordinate("y", 0.5);
    for (const auto one : {x, y}) block.mass(one, 1.0);
    block.potential([=](const auto& at) { return 9.81 * at[y]; });
    couple(block, x, 0, 3, coupling);
    block.contact(
        "floor", [=](const auto& at) { return at[y]; }, [=](const auto& at) { return at[dot(x)]; },
        {.restitution = 0.3, .friction = 0.9});
    const Result result = run(block, 4);
    EXPECT_TRUE(result.finished()) << result.reason;
    const Instant then = result.at(1.0), end = result.final();
    EXPECT_NEAR(end[dot(x)], 0, 1e-13);
    return std::vector<double>{then[x], then[dot(x)], end[x]};
  };
  const std::vector<double> rolling = carts(Coupling::wheel), sliding = thrown(Coupling::wheel);
  for (const Coupling coupling : {Coupling::capacitor, Coupling::added_mass}) {
    const std::vector<double> end = carts(coupling), block = thrown(coupling);
    for (std::size_t i = 0; i < end.size(); ++i) EXPECT_NEAR(end[i], rolling[i], 10 * accuracy()) << i;
    for (std::size_t i = 0; i < block.size(); ++i) EXPECT_NEAR(block[i], sliding[i], 100 * accuracy()) << i;
  }
}

// The rate of an acceleration is an unknown: the balance of forces is differentiated, and impulses are no longer those
// of its rows. Where they stay in the mechanism that does not matter.
TEST_P(Mixture, SaysWhereItCannotKnowWhatImpulsesDo) {
  for (const bool is_bound : {false, true}) {
    Mechanics shaft("shaft");
    const auto x = shaft.coordinate("x", 1, -1);
    shaft.mass(x, 1.0);
    if (is_bound) couple(shaft, x, 1, -1, Coupling::capacitor);
    const auto a = shaft.state("acceleration", 0), jerk = shaft.state("jerk", 0);
    shaft.equation("sensor", [=](const auto& at) { return at[a] - at[dot(dot(x))]; });
    shaft.equation("its rate", [=](const auto& at) { return at[jerk] - at[dot(a)]; });
    shaft.contact("wall", [=](const auto& at) { return at[x]; }, {.restitution = 0.5});
    const Result result = run(shaft, 2);
    EXPECT_EQ(result.finished(), !is_bound);
    if (is_bound) {
      EXPECT_EQ(result.reason.substr(result.reason.find(": ")),
                ": the impact of 'wall' has no outcome: impulses go on through equations that bind the speeds of the "
                "mechanism, and what they do there is not known: the balance of forces is differentiated itself.\n"
                "  try:    a compliant contact (.compliance), which has no impulses");
    } else {
      EXPECT_NEAR(result.final()[x], 0.5, accuracy());
    }
  }
}

// A load cell below a compliant floor reads a force that ends as the ball leaves, with the gap or, where a damper would
// draw, before it: between rigid motions the ball is a damped oscillator.
//   y'' + 2 d y' + w² y = -g,   y = -g/w² + e^(-d t) (g/w² cos v t + (d g/w² - s)/v sin v t),   v² = w² - d²
TEST_P(Mixture, ReadsTheForceOfACompliantContactUntilItEnds) {
  const double g = 9.81, stiffness = 1e4, fall = std::sqrt(2 * 0.5 / g), s = g * fall, w = std::sqrt(stiffness);
  for (const double damping : {0.0, 20.0, 150.0}) {
    const double d = damping / 2, v = std::sqrt(w * w - d * d), rest = g / (w * w);
    const auto height = [&](double t) {
      return -rest + std::exp(-d * t) * (rest * std::cos(v * t) + (d * rest - s) / v * std::sin(v * t));
    };
    const auto speed = [&](double t) {
      const double a = rest, b = (d * rest - s) / v;
      return std::exp(-d * t) * ((b * v - d * a) * std::cos(v * t) - (a * v + d * b) * std::sin(v * t));
    };
    double before = 1e-6, after = M_PI / v;  // the force is zero between them
    while (stiffness * -height(after) - damping * speed(after) > 0) after *= 1.001;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = (before + after) / 2;
      (stiffness * -height(middle) - damping * speed(middle) > 0 ? before : after) = middle;
    }
    for (const double tolerance : {1e-6, 1e-9, 1e-10}) {
      Mechanics ball("ball");
      const auto y = ball.coordinate("y", 0.5);
      ball.mass(y, 1.0);
      ball.potential([=](const auto& at) { return 9.81 * at[y]; });
      const auto floor = ball.contact("floor", [=](const auto& at) { return at[y]; },
                                      {.compliance = Compliance::spring_damper(stiffness, damping)});
      const auto cell = ball.state("cell", 0);
      ball.equation("load cell", [=](const auto& at) { return at[cell] - 0.5 * at[floor.normal]; });
      const double later = 0.05, end = fall + before + later;
      const Result result = simulate(ball, {.end = end, .tolerance = tolerance, .method = GetParam().method});
      ASSERT_TRUE(result.finished()) << damping << ", " << tolerance << ": " << result.reason;
      const double loose = std::max(tolerance / 1e-9, 1.0) * 10 * accuracy();
      const Instant deep = result.at(fall + before / 2);
      EXPECT_NEAR(deep[y], height(before / 2), loose);
      EXPECT_NEAR(2 * deep[cell], -stiffness * height(before / 2) - damping * speed(before / 2), 1e4 * loose);
      EXPECT_NEAR(result.final()[y], height(before) + speed(before) * later - g / 2 * later * later, loose);
      EXPECT_NEAR(result.final()[cell], 0, 1e-12);
      EXPECT_EQ(std::count_if(result.events.begin(), result.events.end(),
                              [](const Event& event) { return !event.contacts.empty(); }),
                2);
      EXPECT_EQ(result.events.size(), damping > 0 ? 3u : 2u);
      double least = 0;  // it never draws
      for (int k = 0; k <= 200; ++k) least = std::min(least, result.at(k * end / 200)[floor.normal]);
      EXPECT_GE(least, -1e-8);
    }
  }
}

// A platform on three bars of equal length, one more than it needs, turns none and swings like a pendulum. What it
// drives makes it a mixture.
// A motor drives an arm with a mass at its end against a stop, where consistent values move the gap at every impact.
TEST(MixtureOfKinds, PutsWhatMeetsOntoItsStopBesideJointsAndEquations) {
  constexpr double length = 0.2, start = 0.1, farthest = 5, restitution = 0.6;
  Mechanics motor("motor");
  const auto a = motor.coordinate("a", start), x = motor.coordinate("x", length * std::cos(start)),
             y = motor.coordinate("y", length * std::sin(start));
  motor.mass(a, 0.02);
  for (const auto q : {x, y}) motor.mass(q, 0.3);
  motor.potential([=](const auto& at) { return 0.3 * 9.81 * at[y]; });
  motor.constraint("pin", [=](const auto& at) {
    return std::array{at[x] - length * cos(at[a]), at[y] - length * sin(at[a])};
  });
  const auto i = motor.state("i", 0);
  motor.force([=](const auto& at, auto& f) { f[a] += 0.2 * at[i]; });
  motor.equation("armature", [=](const auto& at) { return 0.01 * at[dot(i)] - (24 - at[i] - 0.2 * at[dot(a)]); });
  motor.contact("stop", [=](const auto& at) { return farthest - at[a]; }, {.restitution = restitution});
  const auto speed = motor.observable("speed", [=](const auto& at) { return at[dot(a)]; });
  for (const char* method : {"bdf", "adams", "radau", "dop853"}) {
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9}) {
      SCOPED_TRACE(testing::Message() << method << " at " << tolerance);
      const Result run = simulate(motor, {.end = 1.2, .tolerance = tolerance, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      int impacts = 0;
      for (const Event& event : run.events) {
        const double before = run.before(event.t)[speed], after = run.at(event.t)[speed];
        EXPECT_LE(run.at(event.t)[a], farthest * (1 + 4 * std::numeric_limits<double>::epsilon()));
        EXPECT_NEAR(run.at(event.t)[a], farthest, tolerance);  // what the joint was off
        if (before < 0.1) continue;                            // then bounces accumulate
        ++impacts;
        EXPECT_NEAR(after, -restitution * before, 100 * tolerance * before);
      }
      EXPECT_GE(impacts, 5);
    }
  }
}

TEST_P(Mixture, KeepsRedundantJoints) {
  const auto swing = [&](int bars, Result* result, std::vector<double>* forces) {
    Mechanics platform("platform");
    const auto x = platform.coordinate("x", std::sin(0.5)), y = platform.coordinate("y", -std::cos(0.5)),
               turn = platform.coordinate("turn", 0);
    for (const auto one : {x, y}) platform.mass(one, 2.0);
    platform.mass(turn, 1.0);
    platform.potential([=](const auto& at) { return 2 * 9.81 * at[y]; });
    std::vector<Constraint> joints;
    for (int k = 0; k < bars; ++k) {
      const double s = k - 1;
      joints.push_back(platform.constraint("bar" + std::to_string(k + 1), [=](const auto& at) {
        return (sqr(at[x] + s * cos(at[turn]) - s) + sqr(at[y] + s * sin(at[turn])) - 1) / 2;
      }));
    }
    const auto i = platform.state("i", 0);
    platform.force([=](const auto& at, auto& f) { f[x] -= 0.2 * at[i]; });
    platform.equation("generator", [=](const auto& at) { return at[i] + 0.1 * at[i] * at[i] * at[i] - at[dot(x)]; });
    *result = run(platform, 0.5);
    ASSERT_TRUE(result->finished()) << result->reason;
    EXPECT_NEAR(result->final()[turn], 0, 1e-13);
    for (const Constraint one : joints) forces->push_back(result->final()[one]);
  };
  Result three, two;
  std::vector<double> of_three, of_two;
  ASSERT_NO_FATAL_FAILURE(swing(3, &three, &of_three));
  ASSERT_NO_FATAL_FAILURE(swing(2, &two, &of_two));
  for (const char* name : {"x", "y", "x'", "i"})
    EXPECT_NEAR(three.final()[name], two.final()[name], accuracy()) << name;
  EXPECT_NEAR(of_three[0] + of_three[1] + of_three[2], of_two[0] + of_two[1], 100 * accuracy());
  EXPECT_NEAR(of_three[0] - 2 * of_three[1] + of_three[2], 0, 1e-12);  // the forces that move nothing are not there
  ASSERT_EQ(std::count_if(three.messages.begin(), three.messages.end(),
                          [](const Message& one) { return one.code == MessageCode::redundant_joint_shares; }),
            1);
  for (const Message& one : three.messages) {
    if (one.code != MessageCode::redundant_joint_shares) continue;
    EXPECT_EQ(one.text,
              "constraint 'bar3' is redundant (a combination of 'bar2', 'bar1'): it is left out, and all of them share "
              "the load by least norm");
  }
}

// A table on more feet than it needs falls flat onto the floor, slides and stops: each foot carries its share. What its
// speed is copied to makes it a mixture.
TEST_P(Mixture, StandsOnMoreFeetThanItNeeds) {
  for (const int feet : {3, 4}) {
    Mechanics table("table");
    const auto x = table.coordinate("x", 0, 1), y = table.coordinate("y", 0.5), turn = table.coordinate("turn", 0);
    for (const auto one : {x, y, turn}) table.mass(one, 1.0);
    table.potential([=](const auto& at) { return 10 * at[y]; });
    std::vector<Contact> floor;
    for (int k = 0; k < feet; ++k) {
      const double s = -1 + 2.0 * k / (feet - 1);
      floor.push_back(table.contact(
          "foot" + std::to_string(k + 1), [=](const auto& at) { return at[y] + s * sin(at[turn]); },
          [=](const auto& at) { return at[dot(x)] - s * sin(at[turn]) * at[dot(turn)]; }, {.friction = 0.05}));
    }
    const auto i = table.state("i", 0);
    table.equation("copy", [=](const auto& at) { return at[i] - at[dot(x)]; });
    const Result result = run(table, 2);
    ASSERT_TRUE(result.finished()) << result.reason;
    const double fall = std::sqrt(0.1), after = 1 - 0.05 * std::sqrt(10.0);  // speed, when the impact has rubbed too
    for (const Contact& foot : floor) {
      ASSERT_GE(result.times_of(foot).size(), 1u);
      EXPECT_NEAR(result.times_of(foot)[0], fall, 1e-9);
      EXPECT_NEAR(result.at(1.0)[foot.normal], 10.0 / feet, 1e-9);
      EXPECT_NEAR(result.at(1.0)[foot.slip], -0.5 / feet, 1e-9);
    }
    EXPECT_NEAR(result.at(1.0)[i], after - 0.5 * (1 - fall), accuracy());
    EXPECT_NEAR(result.final()[i], after - 0.5 * (2 - fall) > 0 ? after - 0.5 * (2 - fall) : 0, accuracy());
    EXPECT_NEAR(result.final()[turn], 0, 1e-12);
    EXPECT_NEAR(result.final()[y], 0, 1e-12);
  }
}

// The load of a plank on three trestles moves outward: the nearest two carry it, and no trestle pulls.
TEST_P(Mixture, LeavesAFootUnloadedThatWouldHaveToPull) {
  Mechanics plank("plank");
  const auto y = plank.coordinate("y", 0), turn = plank.coordinate("turn", 0);
  for (const auto one : {y, turn}) plank.mass(one, 1.0);
  const auto load = plank.state("load", 0);
  plank.equation("walk", [=](const auto& at) { return at[load] - 0.9 * at.t; });
  plank.force([=](const auto& at, auto& f) {
    f[y] -= 12.0;
    f[turn] -= 12.0 * at[load];
  });
  std::vector<Contact> trestles;
  for (const double s : {-1.0, 0.0, 1.0})
    trestles.push_back(plank.contact("trestle" + std::to_string(trestles.size() + 1),
                                     [=](const auto& at) { return at[y] + s * sin(at[turn]); }));
  const Result result = run(plank, 1);
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_LE(result.events.size(), 2u);
  EXPECT_NEAR(result.at(0.5)[trestles[0].normal], 4 - 6 * 0.45, 1e-9);  // least norm: 4 + 6 s load
  EXPECT_NEAR(result.final()[trestles[0].normal], 0, 1e-12);
  EXPECT_NEAR(result.final()[trestles[1].normal], 1.2, 1e-9);
  EXPECT_NEAR(result.final()[trestles[2].normal], 10.8, 1e-9);
  EXPECT_NEAR(result.final()[y], 0, 1e-12);
}

// Two rails that agree but for a fourth power: the second one follows from the first where the bead starts, and is left
// out. That it does not hold any more as the bead goes on is seen.
TEST_P(Mixture, SeesThatWhatWasLeftOutHoldsNoLonger) {
  Mechanics bead("bead");
  const auto x = bead.coordinate("x", 0, 1), y = bead.coordinate("y", 0);
  for (const auto one : {x, y}) bead.mass(one, 1.0);
  bead.constraint("rail", [=](const auto& at) { return at[y]; });
  bead.constraint("bent rail", [=](const auto& at) { return at[y] - sqr(sqr(at[x])); });
  const auto i = bead.state("i", 0);
  bead.equation("copy", [=](const auto& at) { return at[i] - at[dot(x)]; });
  const Result result = run(bead, 1);
  EXPECT_FALSE(result.finished());
  EXPECT_NE(result.reason.find("constraint 'bent rail' depended on the others at first and was dropped, but no longer "
                               "holds with them"),
            std::string::npos)
      << result.reason;
  EXPECT_LT(result.final()[x], 0.1);
}

// The same with two bars, stretched along the line of its pins: from there it may swing or turn.
TEST(MixtureOfKinds, RefusesToBeginWhereAPositionIsSingular) {
  Mechanics platform("platform");
  const auto x = platform.coordinate("x", 1), y = platform.coordinate("y", 0), turn = platform.coordinate("turn", 0);
  for (const auto one : {x, y, turn}) platform.mass(one, 1.0);
  for (const double s : {-1.0, 1.0}) {
    platform.constraint(s < 0 ? "left" : "right", [=](const auto& at) {
      return (sqr(at[x] + s * cos(at[turn]) - s) + sqr(at[y] + s * sin(at[turn])) - 1) / 2;
    });
  }
  const auto i = platform.state("i", 0);
  platform.equation("copy", [=](const auto& at) { return at[i] - at[dot(x)]; });
  const Result result = simulate(platform, {.end = 1});
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.reason,
            "t = 0: constraint 'right' depends on others in this position and not beside it: the position is singular, "
            "and the motion may go on in more than one way.\n"
            "  try:    a start beside it");
}

// It comes to that position from an angle of 1/2, turning at 4 rad/s, and must not be carried through it in silence.
TEST_P(Mixture, EndsWhereThePositionBecomesSingular) {
  Mechanics platform("platform");
  const auto x = platform.coordinate("x", std::sin(0.5), 4 * std::cos(0.5)),
             y = platform.coordinate("y", -std::cos(0.5), 4 * std::sin(0.5)), turn = platform.coordinate("turn", 0);
  for (const auto one : {x, y, turn}) platform.mass(one, 1.0);
  for (const double s : {-1.0, 1.0}) {
    platform.constraint(s < 0 ? "left" : "right", [=](const auto& at) {
      return (sqr(at[x] + s * cos(at[turn]) - s) + sqr(at[y] + s * sin(at[turn])) - 1) / 2;
    });
  }
  const auto i = platform.state("i", 0);
  platform.equation("copy", [=](const auto& at) { return at[i] - at[dot(x)]; });
  const Result result = simulate(platform, {.end = 1, .tolerance = 1e-7, .method = GetParam().method});
  EXPECT_EQ(result.outcome, Outcome::failed);
  const double singular = (std::acos(-1.0) / 2 - 0.5) / 4;
  EXPECT_LE(result.t_end, singular + 5e-5);
  const std::string seen = "at t = ";
  const std::size_t where = result.reason.find(seen);
  ASSERT_NE(where, std::string::npos) << result.reason;
  EXPECT_NEAR(std::stod(result.reason.substr(where + seen.size())), singular,
              5e-5);  // rounding decides how near a reaction force can be found
  const std::string name = result.reason.find("'left'") == std::string::npos ? "right" : "left";
  EXPECT_EQ(result.reason.substr(result.reason.find(" the motion")),
            " the motion passes a position in which '" + name +
                "' depends on other equations: it may branch there, and no method can say which way.\n"
                "  try:    another start, one constraint less, or an event that ends the run before it");
}

// An energy p² (1 + 2 q) / 2 with p = 2 pulls a plunger onto its stop with a force of 4: it falls q = 1/2 - 2 t² and
// stays.
TEST(MixtureOfKinds, DecidesContactsByThePullOfPortHamiltonianEnergies) {
  Mechanics plunger("plunger");
  const auto q = plunger.coordinate("q", 0.5);
  plunger.mass(q, 1.0);
  const auto stop = plunger.contact("stop", [=](const auto& at) { return at[q]; });
  PortHamiltonian whole(plunger);
  const auto p = whole.state("p", 2);
  whole.hamiltonian([=](const auto& at) { return sqr(at[p]) * (1 + 2 * at[q]) / 2; });
  const Result result = simulate(whole, {.end = 1});
  ASSERT_TRUE(result.finished()) << result.reason;
  const auto times = result.times_of(stop);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], 0.5, 1e-9);
  EXPECT_NEAR(result.final()[q], 0, 1e-14);
  EXPECT_NEAR(result.final()[dot(q)], 0, 1e-14);
  EXPECT_NEAR(result.final()[stop.normal], 4, 1e-12);
}

TEST(MixtureOfKinds, PutsDrawnStatesOntoInvariantsBesideEquations) {
  System oscillator("oscillator");
  const auto x = oscillator.state("x", 1), y = oscillator.state("y", 0), z = oscillator.state("z", 0);
  oscillator.rates([=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -at[z];
  });
  oscillator.equation("spring", [=](const auto& at) { return at[z] - at[x]; });
  oscillator.invariant("circle", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  const auto off = [=](const Instant& at) { return std::abs(at[x] * at[x] + at[y] * at[y] - 1); };
  const Result result = simulate(oscillator, {.end = 5, .tolerance = 1e-4});
  ASSERT_TRUE(result.finished()) << result.reason;
  double drawn = 0, pulled = 0;
  for (int k = 1; k < 50; ++k) {
    drawn = std::max(drawn, off(result.at(0.1 * k)));
    pulled = std::max(pulled, off(result.on_manifold(0.1 * k)));
  }
  EXPECT_GT(drawn, 1e-10);  // there is something to pull
  EXPECT_LE(pulled, 1e-14);
}

// A plunger whose position changes the inductance of a coil, H = p² (1 + q²) / 2 + c² / 2: the energy pulls on it.
TEST_P(Mixture, JoinsAMechanismToAPortHamiltonianPart) {
  Mechanics plunger("plunger");
  const auto q = plunger.coordinate("q", 0.5);
  plunger.mass(q, 1.0);
  plunger.potential([=](const auto& at) { return 2 * sqr(at[q]); });
  PortHamiltonian whole(plunger);
  const auto p = whole.state("p", 1), c = whole.state("c", 0);
  whole.hamiltonian([=](const auto& at) { return sqr(at[p]) * (1 + sqr(at[q])) / 2 + sqr(at[c]) / 2; });
  whole.structure([=](const auto&, auto& J) {
    J(p, c) = -1;
    J(c, p) = 1;
  });
  const auto energy = whole.observable("all", [=](const auto& at) {
    return sqr(at[dot(q)]) / 2 + 2 * sqr(at[q]) + sqr(at[p]) * (1 + sqr(at[q])) / 2 + sqr(at[c]) / 2;
  });
  System by_hand("by hand");
  const auto Q = by_hand.state("q", 0.5), V = by_hand.state("v", 0), P = by_hand.state("p", 1),
             C = by_hand.state("c", 0);
  by_hand.rates([=](const auto& at, auto& d) {
    d[Q] = at[V];
    d[V] = -4 * at[Q] - sqr(at[P]) * at[Q];
    d[P] = -at[C];
    d[C] = at[P] * (1 + sqr(at[Q]));
  });
  const Result result = run(whole, 5), expected = simulate(by_hand, {.end = 5, .tolerance = 1e-12});
  ASSERT_TRUE(result.finished()) << result.reason;
  EXPECT_NEAR(result.final()[q], expected.final()[Q], accuracy());
  EXPECT_NEAR(result.final()[p], expected.final()[P], accuracy());
  EXPECT_NEAR(result.final()[c], expected.final()[C], accuracy());
  EXPECT_LE(result.range(energy).variation(), 10 * accuracy());
}

}  // namespace
}  // namespace pawl
