// Runs of mechanisms whose masses depend on the motion: nobody writes centrifugal terms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

enum class Way { mass, kinetic_energy, black_box };

struct DoublePendulum {
  Mechanics system{"double pendulum"};
  Coordinate a = system.coordinate("a", 1.0), b = system.coordinate("b", 0.5);
  Observable energy{};

  explicit DoublePendulum(Way way = Way::mass) {
    const auto masses = [a = a, b = b](const auto& at, auto& M) {
      M(a, a) = 2, M(a, b) = cos(at[a] - at[b]), M(b, b) = 1;
    };
    if (way == Way::mass)
      system.mass(masses);
    else if (way == Way::black_box)
      system.mass(black_box(masses));
    else {
      system.kinetic_energy([a = a, b = b](const auto& at) {
        return sqr(at[dot(a)]) + at[dot(a)] * at[dot(b)] * cos(at[a] - at[b]) + sqr(at[dot(b)]) / 2;
      });
    }
    system.potential([a = a, b = b](const auto& at) { return -9.81 * (2 * cos(at[a]) + cos(at[b])); });
    energy = system.energy();
  }
};

/// The same by hand.
System derived_by_hand() {
  System p("by hand");
  const auto a = p.state("a", 1.0), u = p.state("u", 0.0), b = p.state("b", 0.5), v = p.state("v", 0.0);
  p.rates([=](const auto& at, auto& d) {
    const auto c = cos(at[a] - at[b]), s = sin(at[a] - at[b]);
    const auto f = -s * sqr(at[v]) - 2 * 9.81 * sin(at[a]), g = s * sqr(at[u]) - 9.81 * sin(at[b]);
    d[a] = at[u], d[b] = at[v];
    d[u] = (f - c * g) / (2 - c * c);
    d[v] = (2 * g - c * f) / (2 - c * c);
  });
  return p;
}

TEST(Inertia, ADoublePendulumByItsMassesAloneKeepsItsEnergy) {
  for (const Way way : {Way::mass, Way::kinetic_energy, Way::black_box}) {
    const DoublePendulum pendulum(way);
    const Result run = simulate(pendulum.system, {.end = 10, .tolerance = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(run.range(pendulum.energy).variation(), 2e-6) << static_cast<int>(way);
  }
}

TEST(Inertia, ItMovesAsTheModelDerivedByHand) {
  const Result exact = simulate(derived_by_hand(), {.end = 3, .tolerance = 1e-12, .method = "verner-9"});
  for (const Way way : {Way::mass, Way::kinetic_energy, Way::black_box}) {
    const Result run = simulate(DoublePendulum(way).system, {.end = 3, .tolerance = 1e-12, .method = "verner-9"});
    ASSERT_TRUE(run.finished()) << run.reason;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(run.final().states()[i], exact.final().states()[i], way == Way::black_box ? 1e-7 : 1e-9) << i;
  }
}

TEST(Inertia, ImplicitMethodsSeeTheSameTermsAtEveryIndex) {
  const auto arm = [](Way way) {  // two links whose tip slides along a line
    DoublePendulum pendulum(way);
    pendulum.system.constraint("line", [a = pendulum.a, b = pendulum.b](const auto& at) {
      return sin(at[a]) + sin(at[b]) - std::sin(1.0) - std::sin(0.5) + 0.1 * (cos(at[a]) - std::cos(1.0));
    });
    return pendulum;
  };
  const Result exact = simulate(arm(Way::mass).system, {.end = 2, .tolerance = 1e-12, .method = "verner-9"});
  ASSERT_TRUE(exact.finished()) << exact.reason;
  for (const Way way : {Way::mass, Way::kinetic_energy, Way::black_box}) {
    for (const char* formulation : {"index-1", "index-2", "stabilized-index-2", "index-3", "overdetermined"}) {
      Options options{.end = 2, .tolerance = 1e-8, .method = "radau"};
      options.constraints.formulation = formulation;
      const DoublePendulum pendulum = arm(way);
      const Result run = simulate(pendulum.system, options);
      ASSERT_TRUE(run.finished()) << formulation << ": " << run.reason;
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(run.final().states()[i], exact.final().states()[i], 2e-5) << formulation << i;
      EXPECT_LT(run.range(pendulum.energy).variation(), 1e-4) << formulation;
    }
  }
}

// l = 1, from the horizontal with a push: energy and the momentum about the vertical stay.
TEST(Inertia, ASphericalPendulumKeepsEnergyAndMomentum) {
  Mechanics pendulum("spherical pendulum");
  const auto th = pendulum.coordinate("theta", 1.4, 0.3), ph = pendulum.coordinate("phi", 0, 1.9);
  pendulum.mass(th, 1.0);
  pendulum.mass([=](const auto& at, auto& M) { M(ph, ph) = sqr(sin(at[th])); });
  pendulum.potential([=](const auto& at) { return -9.81 * cos(at[th]); });
  const auto energy = pendulum.energy();
  const auto momentum =
      pendulum.observable("momentum", [=](const auto& at) { return sqr(std::sin(at[th])) * at[dot(ph)]; });
  const Result run = simulate(pendulum, {.end = 20, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LT(run.range(energy).variation(), 1e-7);
  EXPECT_LT(run.range(momentum).variation(), 1e-7);
}

// A skater on ice pulls the arms in, I(t): the angular momentum stays, so the angle is its integral.
TEST(Inertia, AMassThatDependsOnTimeKeepsItsMomentum) {
  Mechanics skater("skater");
  const auto turn = skater.coordinate("turn", 0, 2);
  skater.mass([=](const auto& at, auto& M) { M(turn, turn) = 1 / (1 + at.t); });
  for (const char* method : {"auto", "radau"}) {
    const Result run = simulate(skater, {.end = 3, .tolerance = 1e-10, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[dot(turn)], 2 * (1 + 3.0), 1e-7) << method;
    EXPECT_NEAR(run.final()[turn], 2 * (3 + 4.5), 1e-7) << method;
  }
}

TEST(Inertia, AFreeBodyTumblesWithoutAWord) {  // Euler's equations: energy and |I w| stay
  Mechanics box("box");
  const auto a = box.attitude("a", {1, 0, 0, 0}, {0.1, 3, -0.2});
  const std::array I{0.5, 0.8, 1.1};
  for (int k = 0; k < 3; ++k) box.mass(a.speed(k), I[static_cast<std::size_t>(k)]);
  const auto energy = box.energy();
  const auto momentum = box.observable("momentum", [=](const auto& at) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += sqr(I[static_cast<std::size_t>(k)] * at[a.speed(k)]);
    return std::sqrt(sum);
  });
  for (const char* method : {"auto", "radau"}) {
    const Result run = simulate(box, {.end = 20, .tolerance = 1e-10, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(run.range(energy).variation(), 1e-6) << method;
    EXPECT_LT(run.range(momentum).variation(), 1e-6) << method;
  }
}

TEST(Inertia, AnImpactInAnglesTakesWhatRestitutionSays) {
  DoublePendulum pendulum;  // the elbow has a stop: b - a >= -0.6
  pendulum.system.contact("elbow", [a = pendulum.a, b = pendulum.b](const auto& at) { return at[b] - at[a] + 0.6; },
                          {.restitution = 0.7});
  const auto loss = pendulum.system.impact_loss();
  const Result run = simulate(pendulum.system, {.end = 3, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_FALSE(run.events.empty());
  const double lost = run.events.back().held_after->numbers[static_cast<std::size_t>(loss.index)];
  EXPECT_GT(lost, 0.01);
  EXPECT_NEAR(run.final()[pendulum.energy] + lost, run.start()[pendulum.energy], 1e-6);
}

// ---- programs of before

constexpr const char* counted_twice =
    "the force on 'a' and 'b' of 'double pendulum' contains the inertial terms that follow from the masses, so that "
    "they would count twice: what it has of the speeds equals what is derived.\n"
    "  likely: the model was written for a version before 0.6, which left these terms to the user\n"
    "  try:    remove centrifugal, Coriolis and gyroscopic terms from force(...), which is for what is applied";

TEST(Inertia, TermsWrittenAsForcesAreRefusedByName) {
  for (const Way way : {Way::mass, Way::kinetic_energy, Way::black_box}) {
    DoublePendulum pendulum(way);
    pendulum.system.force([a = pendulum.a, b = pendulum.b](const auto& at, auto& f) {
      f[a] -= sin(at[a] - at[b]) * sqr(at[dot(b)]);
      f[b] += sin(at[a] - at[b]) * sqr(at[dot(a)]) - 0.1 * at[dot(b)];
    });
    EXPECT_EQ(misuse_of([&] { simulate(pendulum.system, {.end = 1}); }), counted_twice) << static_cast<int>(way);
  }
}

TEST(Inertia, TermsWrittenAsForcesAreRefusedBesideEquationsToo) {
  for (const bool reads_it : {false, true}) {
    DoublePendulum pendulum;
    const auto z = pendulum.system.state("z", 0);
    pendulum.system.equation("sensor", [=, a = pendulum.a](const auto& at) { return at[z] - at[dot(a)]; });
    pendulum.system.force([=, a = pendulum.a, b = pendulum.b](const auto& at, auto& f) {
      f[a] -= sin(at[a] - at[b]) * sqr(at[dot(b)]) + (reads_it ? 0.1 : 0.0) * at[z];
      f[b] += sin(at[a] - at[b]) * sqr(at[dot(a)]);
    });
    EXPECT_EQ(misuse_of([&] { simulate(pendulum.system, {.end = 1}); }), counted_twice) << reads_it;
  }
}

TEST(Inertia, TermsThatVanishAtTheStartAreSeenBesideIt) {
  Mechanics pendulum("straight");
  const auto a = pendulum.coordinate("a", 0), b = pendulum.coordinate("b", 0);
  pendulum.mass([=](const auto& at, auto& M) { M(a, a) = 2, M(a, b) = cos(at[a] - at[b]), M(b, b) = 1; });
  pendulum.force([=](const auto& at, auto& f) { f[b] += sin(at[a] - at[b]) * sqr(at[dot(a)]); });
  EXPECT_EQ(misuse_of([&] { simulate(pendulum, {.end = 1}); }).substr(0, 38), "the force on 'b' of 'straight' contain");
}

TEST(Inertia, EulersEquationsWrittenAsTorquesAreRefused) {
  Mechanics top("top");
  const auto a = top.attitude("a", {1, 0, 0, 0}, {0, 0, 50});
  top.mass(a.speed(0), 1.0), top.mass(a.speed(1), 1.0), top.mass(a.speed(2), 2.0);
  top.force([=](const auto& at, auto& f) {
    f[a.speed(0)] -= at[a.speed(1)] * at[a.speed(2)];
    f[a.speed(1)] += at[a.speed(0)] * at[a.speed(2)];
  });
  EXPECT_EQ(misuse_of([&] { simulate(top, {.end = 1}); }).substr(0, 39), "the force on 'a_p' and 'a_q' of 'top' c");
}

TEST(Inertia, ForcesOfOtherKindsPass) {
  DoublePendulum pendulum;  // drag with the square of a speed, a controller that makes up for the coupling
  pendulum.system.force([a = pendulum.a, b = pendulum.b](const auto& at, auto& f) {
    f[a] += sin(at[a] - at[b]) * sqr(at[dot(b)]) - 0.1 * at[dot(a)] * abs(at[dot(a)]);
    f[b] -= 0.3 * sqr(at[dot(a)]);
  });
  const Result run = simulate(pendulum.system, {.end = 1});
  EXPECT_TRUE(run.finished()) << run.reason;
}

TEST(Inertia, DifferencesAreSaid) {
  const std::string note =
      "the inertial terms of masses that take numbers only are central differences: 7 evaluations of these masses for "
      "every one of the right-hand side.\n"
      "  try:    masses that take const auto& at";
  const auto says_it = [&](Way way) {
    const Result run = simulate(DoublePendulum(way).system, {.end = 1});
    EXPECT_EQ(run.statistics.constraints->inertia,
              way == Way::black_box ? "differences, 7 evaluations of the masses each" : "exact (dual numbers)");
    return std::any_of(run.messages.begin(), run.messages.end(),
                       [&](const Message& message) { return message.text == note; });
  };
  EXPECT_TRUE(says_it(Way::black_box));
  EXPECT_FALSE(says_it(Way::mass));
  EXPECT_FALSE(says_it(Way::kinetic_energy));
}

}  // namespace
}  // namespace pawl
