#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "misuse_of.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/simulate.hpp"
#include "pawl/simulation.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

/// x' = u: the integral of the input.
struct Integrator {
  System system{"integrator"};
  State x = system.state("x", 0);
  Input u;
  explicit Integrator(Signal signal) : u(system.input("u", std::move(signal))) {
    system.rates([x = x, u = u](const auto& at, auto& d) { d[x] = at[u]; });
  }
};

TEST(Input, IsIntegratedExactlyPieceByPiece) {
  const std::vector<Signal::Point> points{{0, 1}, {1, 3}, {2, -1}};
  struct Row {
    Signal signal;
    double integral;  // from 0 to 3
    int corners;
  };
  const std::vector<Row> rows{{2.0, 6, 0},
                              {Signal::steps(points), 1 + 3 - 1, 2},
                              {Signal::polyline(points), 2 + 1 - 1, 2},
                              // natural: m1 = 6 (-4 - 2) / 4 = -9 in the middle; ∫ = mean h - m1 h³/24 on both sides
                              {Signal::spline(points), 2 + 1 + 2 * 9. / 24 - 1, 2}};
  for (const Row& row : rows) {
    for (const char* method : {"tsitouras-5", "dop853", "radau", "rodas4", "esdirk-4", "bdf"}) {
      const Integrator model(row.signal);
      const Result run = simulate(model.system, {.end = 3, .tolerance = 1e-10, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_NEAR(run.final()[model.x], row.integral, 1e-8) << method;
      EXPECT_EQ(static_cast<int>(run.events.size()), row.corners) << method;
      for (const Event& event : run.events) {
        EXPECT_EQ(event.kind, EventKind::time);
        EXPECT_EQ(run.names(event), std::vector<std::string>{"u"});
        EXPECT_EQ(event.t, std::round(event.t));
      }
    }
  }
}

TEST(Input, RunsBackwardThroughItsCorners) {
  const Integrator model(Signal::polyline({{0, 0}, {1, 2}, {2, 0}}));
  const Result run = simulate(model.system, {.start = 3, .end = -1, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished());
  EXPECT_NEAR(run.final()[model.x], -2, 1e-9);
  ASSERT_EQ(run.events.size(), 3u);
  EXPECT_EQ(run.events[0].t, 2);
  EXPECT_EQ(run.events[2].t, 0);
  EXPECT_DOUBLE_EQ(run.at(0.5)[model.u], 1);
}

TEST(Input, AFunctionOfTimeIsAsExactAsTheMethod) {
  const Integrator model(Signal::function([](const auto& t) {
    using std::cos;
    return cos(3 * t);
  }));
  for (const char* method : {"verner-9", "radau", "rodas5p"}) {
    const Result run = simulate(model.system, {.end = 2, .tolerance = 1e-11, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[model.x], std::sin(6.0) / 3, 1e-9) << method;
    EXPECT_DOUBLE_EQ(run.final()[model.u], std::cos(6.0));
    EXPECT_TRUE(run.events.empty());
  }
}

// x = u, y = x': differentiated once, so y is the slope of the input, which has to be exact.
TEST(Input, ItsDerivativeIsExactInADifferentialAlgebraicSystem) {
  System system("differentiator");
  const auto x = system.state("x", 0), y = system.state("y", 0);
  const auto u = system.input("u", Signal::spline({{0, 0}, {1, 1}, {2, 0}}));
  system.equation("x follows u", [=](const auto& at) { return at[x] - at[u]; });
  system.equation("y is its rate", [=](const auto& at) { return at[y] - at[dot(x)]; });
  const Result run = simulate(system, {.end = 1.9, .tolerance = 1e-8, .method = "radau"});
  ASSERT_TRUE(run.finished()) << run.reason;
  const auto slope = [](double t) {  // natural: second derivative -3 in the middle
    const double s = t < 1 ? t : 2 - t, value = 1.5 - 1.5 * s * s;
    return t < 1 ? value : -value;
  };
  EXPECT_NEAR(run.start()[y], slope(0), 1e-10);
  EXPECT_NEAR(run.final()[y], slope(1.9), 1e-6);
}

TEST(Input, AGuardThatReadsItIsProvedAndFiresAtTheExactTime) {
  System system("watch");
  const auto x = system.state("x", 0);
  const auto u = system.input("u", Signal::spline({{0, 0}, {1, 1}, {2, 0}}));
  system.rates([=](const auto&, auto& d) { d[x] = 1; });
  const Guard level = system.guard("level", [=](const auto& at) { return at[u] - 0.5; });
  const Result run = simulate(system, {.end = 2});
  const std::vector<double> times = run.times_of(level);
  ASSERT_EQ(times.size(), 2u);
  const auto spline = [](double s) { return 1.5 * s - 0.5 * s * s * s; };  // of the left half
  EXPECT_NEAR(spline(times[0]), 0.5, 1e-14);
  EXPECT_NEAR(spline(2 - times[1]), 0.5, 1e-14);
  EXPECT_EQ(run.statistics.events.guarantees.front().level, Assurance::proved);
}

TEST(Input, DrivesAConstraint) {
  Mechanics slider("slider");
  const auto q = slider.coordinate("q", 0, 1);
  slider.mass(q, 2.0);
  const auto u = slider.input("u", Signal::function([](const auto& t) {
                                using std::sin;
                                return sin(t);
                              }));
  const Constraint drive = slider.constraint("drive", [=](const auto& at) { return at[q] - at[u]; });
  for (const char* method : {"dop853", "radau"}) {
    const Result run = simulate(slider, {.end = 2, .tolerance = 1e-8, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[q], std::sin(2.0), 1e-12) << method;
    EXPECT_NEAR(run.final()[dot(q)], std::cos(2.0), 1e-8) << method;
    EXPECT_NEAR(std::abs(run.final()[drive]), 2 * std::sin(2.0), 1e-6) << method;  // the force: m q''
  }
}

TEST(Input, IsGivenAnotherCourseByValuesByJumpsAndOnTheWay) {
  Integrator model(1.0);
  Values values(model.system);
  values[model.u] = Signal::steps({{0, 2}, {1, 0}});
  EXPECT_NEAR(simulate(model.system, values, {.end = 2}).final()[model.x], 2, 1e-9);
  values.set("u", 4);
  EXPECT_NEAR(simulate(model.system, values, {.end = 2}).final()[model.x], 8, 1e-9);

  Integrator jumps(1.0);
  jumps.system.at(1.0, [u = jumps.u](Jump& jump) { jump[u] = 10 * jump[u]; });
  EXPECT_NEAR(simulate(jumps.system, {.end = 2}).final()[jumps.x], 11, 1e-9);

  Simulation run(model.system, {.end = 4});
  ASSERT_TRUE(run.advance_to(1));
  run[model.u] = 3;
  EXPECT_EQ(run[model.u], 3);
  ASSERT_TRUE(run.advance_to(2));
  run[model.u] = Signal::polyline({{2, 0}, {4, 2}});
  const Result result = run.finish();
  EXPECT_NEAR(result.final()[model.x], 1 + 3 + 2, 1e-8);
  EXPECT_EQ(result.final()["u"], 2);
}

TEST(Input, SaysWhatIsWrongWithACourse) {
  EXPECT_EQ(misuse_of([] { Signal::polyline({}); }), "an input needs at least one point: the polyline is empty");
  EXPECT_EQ(misuse_of([] {
              Signal::steps({{0, 1}, {0, 2}});
            }),
            "point 2 of the steps is at t = 0, not after the one before, at 0");
  EXPECT_EQ(misuse_of([] {
              Signal::spline({{0, 1}, {1, NAN}});
            }),
            "point 2 of the spline is (1, nan): both must be finite");
  EXPECT_EQ(misuse_of([] { (void)Signal{INFINITY}; }), "an input is inf: it must be finite");
  EXPECT_EQ(misuse_of([] {
              Signal::function([](const auto& t) { return t; }, {2, 1});
            }),
            "the corners of an input must be finite and ascending: 1 is not");
  const Integrator model(1.0);
  EXPECT_EQ(misuse_of([&] { Values(model.system).set("v", Signal(1)); }),
            "system 'integrator' has no input 'v'; did you mean 'u'?");
}

}  // namespace
}  // namespace pawl
