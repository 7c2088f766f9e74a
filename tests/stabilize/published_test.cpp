// Published tables, with the digits that an independent program has reproduced from the printed data.
// [C] Compere 2001, [A] Ascher, Chin, Petzold, Reich 1995, [K] Koenders 2002; readings as in docs/papers.md.
#include <gtest/gtest.h>

#include <cmath>

#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

/// Within this share of the reproduced figure: its printed digits are two or three.
void expect_near_relative(double ours, double published, double share) {
  EXPECT_NEAR(ours, published, share * published);
}

double variation_of_energy(const Result& run) {
  EXPECT_TRUE(run.finished()) << run.reason;
  const auto& names = run.observable_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "energy") return run.range(Observable{static_cast<int>(i)}).variation();
  }
  return -1;
}

Options compere_options(const char* method, double h, double end) {
  return {.end = end, .method = method, .step = h, .keep = Keep::end, .constraints = {.formulation = "sliding(10)"}};
}

TEST(Published, Table32RodPendulumEnergy) {
  const Problem& rod = find_problem("rod-pendulum");
  struct Row {
    const char* method;
    double h, variation;
  };
  for (const auto& [method, h, variation] :
       {Row{"kutta-3", 0.05, 2.00e-1}, Row{"fehlberg-45", 0.05, 2.82e-4}, Row{"fehlberg-78", 0.05, 4.34e-8},
        Row{"kutta-3", 0.01, 1.79e-3}, Row{"fehlberg-45", 0.01, 8.90e-8}}) {
    SCOPED_TRACE(std::string(method) + " h " + std::to_string(h));
    const Result run = simulate(rod.system, compere_options(method, h, 5));
    expect_near_relative(variation_of_energy(run), variation, 0.005);
    EXPECT_LE(run.statistics.constraints->position_drift, 4.5e-16);
    EXPECT_LE(run.statistics.constraints->surface, 9e-15);
  }
  EXPECT_LE(variation_of_energy(simulate(rod.system, compere_options("fehlberg-78", 0.01, 5))), 1e-12);  // rounding
}

TEST(Published, Figure38HeldMultipliersLoseEnergyOnTheManifold) {
  const Problem& rod = find_problem("rod-pendulum");
  struct Row {
    double h, end, variation;
  };
  for (const auto& [h, end, variation] : {Row{0.01, 10, 13.6}, Row{0.02, 5, 13.6}, Row{0.01, 5, 9.64}}) {
    SCOPED_TRACE(h);
    Options options = compere_options("fehlberg-78", h, end);
    options.constraints.formulation = "held-multipliers(10)";
    const Result run = simulate(rod.system, options);
    expect_near_relative(variation_of_energy(run), variation, 0.005);
    EXPECT_LE(run.statistics.constraints->position_drift, 4.5e-16);  // the constraints do not show it
    EXPECT_LE(run.statistics.constraints->velocity_drift, 9e-15);
  }
}

TEST(Published, Table33RollingSpheresEnergy) {
  const Problem& spheres = find_problem("rolling-spheres");
  struct Row {
    const char* method;
    double h, as_printed, holonomic;
  };
  for (const auto& [method, h, as_printed, holonomic] :
       {Row{"kutta-3", 0.05, 5.98e-7, 6.38e-7}, Row{"fehlberg-45", 0.05, 3.34e-10, 3.47e-10},
        Row{"kutta-3", 0.01, 4.56e-9, 4.88e-9}, Row{"fehlberg-45", 0.01, 9.17e-14, 9.59e-14}}) {
    SCOPED_TRACE(std::string(method) + " h " + std::to_string(h));
    Options options = compere_options(method, h, 8);
    expect_near_relative(variation_of_energy(simulate(spheres.system, options)), as_printed, 0.005);
    options.constraints.stabilization = "sweeps(holonomic)";
    expect_near_relative(variation_of_energy(simulate(spheres.system, options)), holonomic, 0.005);
  }
}

// ---- [A] Tables 6.1 and 6.2, Heun's method: largest |G v + g_t| and |g| at the ends of steps ----

struct Drifts {
  const char *formulation, *stabilization;
  double h, velocity, position;
};

void expect_drifts(const char* problem, double end, const std::vector<Drifts>& rows) {
  for (const auto& [formulation, stabilization, h, velocity, position] : rows) {
    SCOPED_TRACE(std::string(formulation) + " " + stabilization + " h " + std::to_string(h));
    const Result run = simulate(find_problem(problem).system,
                                {.end = end,
                                 .method = "heun-2",
                                 .step = h,
                                 .keep = Keep::end,
                                 .constraints = {.formulation = formulation, .stabilization = stabilization}});
    ASSERT_TRUE(run.finished()) << run.reason;
    const ConstraintStatistics& found = *run.statistics.constraints;
    const auto expect = [](double ours, double published) {
      if (published < 1e-12)
        EXPECT_LE(ours, 3 * published);  // rounding: its size, not its digits
      else
        EXPECT_NEAR(ours, published, 0.01 * published);
    };
    expect(found.velocity_drift, velocity);
    expect(found.position_drift, position);
  }
}

const char* const plain = "acceleration";

TEST(Published, Table61ArmOnAParabola) {
  expect_drifts("arm-parabola", 40,
                {{plain, "none", 0.01, 3.28e-3, 1.71e-3},
                 {"baumgarte(12,70)", "none", 0.01, 7.20e-3, 1.45e-3},
                 {plain, "s-full", 0.01, 1.23e-8, 6.11e-10},
                 {plain, "s-both", 0.01, 1.61e-4, 3.90e-10},
                 {plain, "s-both2", 0.01, 6.66e-9, 1.44e-14},
                 {plain, "s-both2(kept)", 0.01, 4.0e-9, 8.3e-15},
                 {plain, "s-vel", 0.01, 3.6e-15, 8.45e-4},
                 {plain, "none", 0.001, 3.20e-5, 1.68e-5},
                 {"baumgarte(12,70)", "none", 0.001, 7.05e-5, 1.41e-5},
                 {plain, "s-full", 0.001, 1.8e-14, 4.0e-15},
                 {plain, "s-both", 0.001, 1.57e-7, 3.8e-15},
                 {plain, "s-both2", 0.001, 2.1e-14, 3.1e-15},
                 {plain, "s-vel", 0.001, 3.6e-15, 8.09e-6},
                 {plain, "s-pos", 0.001, 4.77e-3, 7.55e-12}});
}

TEST(Published, Table61PositionsAloneBlowUpAtTheLongerStep) {
  const Result run = simulate(
      find_problem("arm-parabola").system,
      {.end = 40, .method = "heun-2", .step = 0.01, .keep = Keep::end, .constraints = {.stabilization = "s-pos"}});
  EXPECT_TRUE(!run.finished() || run.statistics.constraints->velocity_drift > 1);
}

TEST(Published, Table62ArmLedUpAndDown) {
  expect_drifts("arm-sine", 10,
                {{"baumgarte(12,70)", "none", 0.01, 0.512, 2.46e-2},
                 {plain, "s-full", 0.01, 7.21e-6, 6.29e-7},
                 {plain, "s-both", 0.01, 3.06e-2, 6.78e-6},
                 {plain, "s-both2", 0.01, 2.04e-4, 6.75e-7},
                 {plain, "s-both2(kept)", 0.01, 3.9e-4, 4.0e-7},
                 {plain, "s-vel", 0.01, 5.4e-15, 7.81e-3},
                 {plain, "s-pos", 0.01, 0.729, 2.78e-3},
                 {plain, "none", 0.001, 6.57e-5, 5.57e-5},
                 {"baumgarte(12,70)", "none", 0.001, 6.02e-4, 3.83e-5},
                 {plain, "s-full", 0.001, 3.89e-11, 5.27e-12},
                 {plain, "s-both", 0.001, 4.07e-5, 4.65e-12},
                 {plain, "s-both2", 0.001, 2.05e-10, 7.8e-16},
                 {plain, "s-both2(kept)", 0.001, 1.23e-10, 7.8e-16},
                 {plain, "s-vel", 0.001, 3.8e-15, 5.80e-5},
                 {plain, "s-pos", 0.001, 4.43e-3, 8.78e-11}});
}

// ---- [K] Table 5: flyball governor, RK4, nothing stabilized ----

TEST(Published, Table5FlyballDrift) {
  const Problem& flyball = find_problem("flyball");
  struct Row {
    double h, position, velocity;
    long long steps;
  };
  for (const auto& [h, position, velocity, steps] :
       {Row{0.065, 5.84e-4, 9.7e-5, 462}, Row{0.041, 1.17e-4, 2.1e-5, 732}, Row{0.027, 2.41e-5, 4.4e-6, 1112}}) {
    SCOPED_TRACE(h);
    const Result run =
        simulate(flyball.system,
                 {.end = 30, .method = "rk4", .step = h, .keep = Keep::end, .constraints = {.stabilization = "none"}});
    ASSERT_TRUE(run.finished()) << run.reason;
    expect_near_relative(std::abs(run.final()["rod"]), position, 0.005);
    EXPECT_EQ(run.statistics.steps_accepted, steps);
    // The printed velocity is the first constraint at the end of the run.
    const Instant end = run.final();
    const double s = end["qs"], q = end["qx1"], r = 1 / (0.2 * std::sin(q)) - 1 / (std::tan(q) * (0.4 - s));
    const double m = 4. / 3 * M_PI * std::pow(0.025, 3) * 7600, Mx = 0.4 * m * sqr(0.025) + 0.16 * m;
    expect_near_relative(std::abs(r * end["ps"] - end["px1"] / Mx), velocity, 0.02);
  }
}

}  // namespace
}  // namespace pawl
