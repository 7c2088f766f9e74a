// Stiff systems through simulate(): what `auto` chooses and says, linear solvers and Jacobians that agree, events, and
// constraints under implicit methods.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using testing::says;

double error_of(const Problem& problem, const Result& run) {
  return error_against_reference(problem, Values(problem.system), run.t_end, run.final().states()).value_or(1e300);
}

double distance(const Result& a, const Result& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.final_state.size(); ++i)
    largest = std::max(largest, std::abs(a.final_state[i] - b.final_state[i]));
  return largest;
}

std::vector<std::string> changes(const Result& run) {
  std::vector<std::string> texts;
  for (const Message& message : run.messages)
    if (message.text.find("from here on") != std::string::npos) texts.push_back(message.text);
  return texts;
}

// ---- auto ----

TEST(Auto, TurnsImplicitWhereStabilityLimitsTheStep) {
  for (const auto& [name, allowed] : {std::pair{"vdpol", 1e-4}, {"robertson", 1e-8}, {"hires", 1e-6}}) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    for (const double tolerance : {1e-3, 1e-6}) {
      const Result run = simulate(problem.system, {.end = problem.end, .tolerance = tolerance, .keep = Keep::end});
      ASSERT_TRUE(run.finished()) << run.reason;
      const std::vector<std::string> texts = changes(run);
      ASSERT_FALSE(texts.empty());
      EXPECT_TRUE(says(texts[0], {tolerance == 1e-3 ? "method auto: rodas5p from here on" : "radau from here on",
                                  "stability, not accuracy, limits explicit steps"}));
      const auto& shares = run.statistics.implicit->steps;
      ASSERT_GE(shares.size(), 2u);
      EXPECT_EQ(shares[0].method, tolerance == 1e-3 ? "tsitouras-5" : "dop853");
      EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0LL,
                                [](long long sum, const ImplicitStatistics::Share& one) { return sum + one.steps; }),
                run.statistics.steps_accepted);
      EXPECT_LT(run.statistics.rhs, 60'000);  // explicit methods need millions
      EXPECT_LT(error_of(problem, run), tolerance == 1e-3 ? 100 * std::sqrt(allowed) : allowed);
    }
  }
}

TEST(Auto, StaysExplicitWhereNothingIsStiff) {
  for (const std::string name : {"lorenz", "kepler", "pleiades", "arenstorf", "brusselator"}) {
    const Problem& problem = find_problem(name);
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      const Result run = simulate(problem.system, {.end = problem.end, .tolerance = tolerance, .keep = Keep::end});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_TRUE(changes(run).empty()) << name << ' ' << tolerance << changes(run).front();
      EXPECT_FALSE(run.statistics.implicit.has_value());
    }
  }
}

TEST(Auto, ComesBackWhenTheStiffnessIsGone) {
  // Stiff until an event at t = 5 switches the fast decay off.
  System system("relaxation");
  const auto y = system.state("y", 1), w = system.state("w", 0);
  const auto k = system.discrete("k", 1e4);
  system.rates([=](const auto& at, auto& d) {
    d[y] = -at[k] * (at[y] - cos(at.t)) - sin(at.t);
    d[w] = cos(5 * at.t) * at[y];
  });
  system.at(5.0, [=](Jump& jump) { jump[k] = 1.0; });
  const Result run = simulate(system, {.end = 60, .tolerance = 1e-7, .max_step = 0.2});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<std::string> texts = changes(run);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(says(texts[0], {"radau from here on"}));
  EXPECT_TRUE(says(texts[1], {"dop853 from here on", "stable for explicit methods too"}));
  const auto& shares = run.statistics.implicit->steps;
  ASSERT_GE(shares.size(), 2u);
  EXPECT_EQ(shares[0].method, "dop853");
  EXPECT_NEAR(run.final()[y], std::cos(60), 1e-5);
  EXPECT_NEAR(run.final()[w], std::sin(6 * 60) / 12 + std::sin(4 * 60) / 8, 1e-5);
}

TEST(Auto, FollowsADecliningRateToo) {
  System system("declining");
  const auto y = system.state("y", 1);
  system.rates([=](const auto& at, auto& d) { d[y] = -(1 + 1e4 * exp(-at.t)) * (at[y] - cos(at.t)) - sin(at.t); });
  const Result run = simulate(system, {.end = 60, .tolerance = 1e-6, .max_step = 0.25});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_GE(changes(run).size(), 2u);
  EXPECT_LE(changes(run).size(), 4u);
  EXPECT_TRUE(says(changes(run).back(), {"dop853 from here on"}));
  EXPECT_NEAR(run.final()[y], std::cos(60), 1e-5);
}

TEST(Auto, AnExplicitMethodByNameOnlyWarns) {
  const Problem& problem = find_problem("vdpol");
  const Result run = simulate(problem.system, {.end = 5, .method = "tsitouras-5"});
  ASSERT_TRUE(run.finished());
  EXPECT_FALSE(run.statistics.implicit.has_value());
  ASSERT_FALSE(run.messages.empty());
  EXPECT_TRUE(says(run.messages.back().text, {"the problem looks stiff", "Try the method auto"}));
}

// ---- linear algebra ----

TEST(Stiff, LinearSolversAgreeOnTheDiscretizedBrusselator) {
  const Problem& problem = find_problem("brusselator-1d");
  const System reactor = system_of(problem, {{"n", 100}});
  Values values(reactor);
  values.set("n", 100);
  const auto run_with = [&](const std::string& method, double tolerance, ImplicitOptions implicit) {
    Result run =
        simulate(reactor, values,
                 {.end = 10, .tolerance = tolerance, .method = method, .keep = Keep::end, .implicit = implicit});
    EXPECT_TRUE(run.finished()) << run.reason;
    return run;
  };
  const Result exact = run_with("radau-9", 1e-10, {});
  for (const std::string method : {"radau-5", "rodas5p", "esdirk-4", "bdf"}) {
    for (const std::string solver : {"auto", "dense", "band", "sparse"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, solver));
      const Result run = run_with(method, 1e-6, {.linear_solver = solver});
      EXPECT_LT(distance(run, exact), method == "bdf" ? 1e-4 : 3e-5);
      const std::string& used = run.statistics.implicit->linear_solver;
      EXPECT_NE(used.find(solver == "auto" ? "band" : solver), std::string::npos) << used;
    }
    if (method != "rodas5p") {
      const Result run = run_with(method, 1e-6, {.jacobian = "differences"});
      EXPECT_LT(distance(run, exact), method == "bdf" ? 1e-4 : 3e-5) << method;
      EXPECT_TRUE(says(run.statistics.implicit->jacobian, {"differences"}));
    }
  }
  const Result krylov = run_with("bdf", 1e-6, {.linear_solver = "krylov"});
  EXPECT_LT(distance(krylov, exact), 1e-4);
  EXPECT_TRUE(says(krylov.statistics.implicit->linear_solver, {"GMRES"}));
}

struct BlackBox {
  System system{"black box"};
  State y = system.state("y", 2), v = system.state("v", 0);
  explicit BlackBox(bool has_jacobian) {
    const State y_ = y, v_ = v;
    system.rates([=](const Point<double>& at, Rates<double>& d) {
      d[y_] = at[v_];
      d[v_] = 1000 * (1 - sqr(at[y_])) * at[v_] - at[y_];
    });
    if (!has_jacobian) return;
    system.jacobian([=](const Point<double>& at, Entries<double>& J) {
      J(y_, v_) = 1.0;
      J(v_, y_) = -2000 * at[y_] * at[v_] - 1;
      J(v_, v_) = 1000 * (1 - sqr(at[y_]));
    });
  }
};

TEST(Stiff, BlackBoxesUseAGivenJacobianOrDifferences) {
  const Problem& problem = find_problem("vdpol");
  for (const bool has_jacobian : {false, true}) {
    const BlackBox box(has_jacobian);
    const Result run = simulate(box.system, {.end = 2000, .tolerance = 1e-7, .method = "radau", .keep = Keep::end});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(error_of(problem, run), 1e-4);
    EXPECT_TRUE(says(run.statistics.implicit->jacobian, {has_jacobian ? "given" : "differences"}));
    EXPECT_EQ(run.statistics.implicit->dual_rhs, 0);
  }
}

TEST(Stiff, RosenbrockMethodsWarnWithoutAnExactJacobian) {
  const auto warning = [](const System& system, const ImplicitOptions& implicit) {
    const Result run =
        simulate(system, {.end = 1, .tolerance = 1e-4, .method = "rodas5p", .keep = Keep::end, .implicit = implicit});
    EXPECT_TRUE(run.finished()) << run.reason;
    for (const Message& message : run.messages)
      if (message.level == Message::Level::warning) return message.text;
    return std::string();
  };
  EXPECT_TRUE(says(warning(BlackBox(false).system, {}), {"differences", "order"}));
  EXPECT_EQ(warning(BlackBox(true).system, {}), "");
  EXPECT_TRUE(says(warning(find_problem("vdpol").system, {.jacobian = "differences"}), {"differences"}));
  EXPECT_EQ(warning(find_problem("vdpol").system, {}), "");
}

// ---- events and results ----

TEST(Stiff, RobertsonsThresholdsAreMetToTenDigits) {
  const Problem& problem = find_problem("robertson");
  const auto times = problem.event_times(Values(problem.system), problem.end);
  for (const auto& [method, tolerance] : {std::pair{"radau", 1e-10}, {"radau", 1e-11}, {"bdf", 1e-12}}) {
    SCOPED_TRACE(method);
    const Result run =
        simulate(problem.system, {.end = problem.end, .tolerance = tolerance, .method = method, .keep = Keep::end});
    ASSERT_TRUE(run.finished()) << run.reason;
    ASSERT_EQ(run.events.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(run.events[i].t, (*times)[i], 1e-10 * (*times)[i]);
  }
}

TEST(Stiff, TheEndAloneCanBeKept) {
  const Problem& problem = find_problem("hires");
  for (const std::string method : {"radau", "rodas5p", "esdirk-5", "bdf", "auto"}) {
    const Result all = simulate(problem.system, {.end = problem.end, .method = method}),
                 end = simulate(problem.system, {.end = problem.end, .method = method, .keep = Keep::end});
    EXPECT_EQ(all.final().states(), end.final().states()) << method;
    EXPECT_EQ(all.statistics.steps_accepted, end.statistics.steps_accepted);
    EXPECT_THROW(static_cast<void>(end.at(1)), Misuse);
  }
}

TEST(Stiff, TheUserCanStopARunAndKeepsWhatThereIs) {
  const Problem& problem = find_problem("hires");
  for (const std::string method : {"radau", "rodas5p", "esdirk-5", "bdf", "auto"}) {
    const Result run = simulate(
        problem.system,
        {.end = problem.end, .method = method, .progress = [](const Progress& progress) { return progress.t < 100; }});
    EXPECT_EQ(run.outcome, Outcome::stopped) << method;
    EXPECT_GE(run.t_end, 100);
    EXPECT_LT(run.t_end, problem.end);
    EXPECT_NEAR(run.at(run.t_end)["y1"], run.final()["y1"], 1e-12);
    EXPECT_TRUE(std::isfinite(run.at(50)["y8"]));
  }
}

// ---- constraints ----

TEST(StiffConstraints, ImplicitMethodsKeepConstraintsToRoundingAndAgreeWithExplicitOnes) {
  for (const auto& [name, end] :
       {std::pair{"cartesian-pendulum", 5.0}, {"rolling-disk", 2.0}, {"quaternion-top", 1.0}, {"caraxis", 0.5}}) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    const Result exact = simulate(problem.system, {.end = end, .tolerance = 1e-10, .keep = Keep::end});
    ASSERT_TRUE(exact.finished()) << exact.reason;
    for (const std::string method : {"radau", "radau-5", "bdf"}) {
      SCOPED_TRACE(method);
      const Result run = simulate(problem.system, {.end = end, .tolerance = 1e-7, .method = method, .keep = Keep::end});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(run.statistics.constraints->formulation, method == "bdf" ? "acceleration" : "index-2");
      EXPECT_LT(run.statistics.constraints->position_drift, 1e-12);
      EXPECT_LT(run.statistics.constraints->velocity_drift, 1e-11);
      double size = 1;
      for (const double state : exact.final_state) size = std::max(size, std::abs(state));
      EXPECT_LT(distance(run, exact), (method == "bdf" ? 1e-3 : 1e-4) * size);
    }
  }
}

TEST(StiffConstraints, EveryFormulationConverges) {
  const Problem& problem = find_problem("cartesian-pendulum");
  for (const std::string formulation : {"index-3", "index-2", "stabilized-index-2", "index-1", "overdetermined"}) {
    SCOPED_TRACE(formulation);
    double errors[2] = {};
    for (const int k : {0, 1}) {
      const double tolerance = k == 0 ? 1e-5 : 1e-8;
      const Result run = simulate(problem.system, {.end = 5,
                                                   .tolerance = tolerance,
                                                   .method = "radau-5",
                                                   .keep = Keep::end,
                                                   .constraints = {.formulation = formulation}});
      ASSERT_TRUE(run.finished()) << run.reason;
      errors[k] = error_of(problem, run);
      EXPECT_LT(errors[k], (formulation == "index-3" ? 3e4 : 1e3) * tolerance);
    }
    EXPECT_LT(errors[1], 0.03 * errors[0]);
    EXPECT_EQ(misuse_of([&] {
                simulate(problem.system, {.end = 1, .method = "dop853", .constraints = {.formulation = formulation}});
              }),
              "formulation '" + formulation +
                  "' has its multipliers among the unknowns: it needs an implicit method, radau or bdf for instance");
    const Result chosen = simulate(problem.system, {.end = 0.1, .constraints = {.formulation = formulation}});
    EXPECT_EQ(chosen.method, "radau");
  }
}

TEST(StiffConstraints, PenaltiesAreStiffAndRadauTakesThem) {
  const Problem& problem = find_problem("cartesian-pendulum");
  const auto error_with = [&](const std::string& penalty) {
    const Result run = simulate(
        problem.system,
        {.end = 2, .tolerance = 1e-7, .method = "radau", .keep = Keep::end, .constraints = {.formulation = penalty}});
    EXPECT_TRUE(run.finished()) << run.reason;
    EXPECT_LT(run.statistics.steps_accepted, 3000);
    return error_of(problem, run);
  };
  EXPECT_LT(error_with("penalty(1e5,1e3)"), 5e-2);
  EXPECT_LT(error_with("penalty(1e8,1e5)"), 1e-3);
}

TEST(StiffConstraints, EventsOnAMechanismAreFoundWithRadau) {
  Mechanics pendulum("pendulum");
  const auto x = pendulum.coordinate("x", 1), y = pendulum.coordinate("y", 0);
  for (const auto q : {x, y}) pendulum.mass(q, 1.0);
  pendulum.potential([=](const auto& at) { return 9.81 * at[y]; });
  const auto rod = pendulum.constraint("rod", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  const Guard bottom = pendulum.guard("bottom", [=](const auto& at) { return at[x]; });
  const Guard turning = pendulum.guard("turning", [=](const auto& at) { return at[dot(x)]; });
  // Quarter of the period: K(1/2) sqrt(l / g).
  const double quarter = 1.8540746773013719184 / std::sqrt(9.81);
  const Result run = simulate(pendulum, {.end = 8.5 * quarter, .tolerance = 1e-9, .method = "radau"});
  ASSERT_TRUE(run.finished()) << run.reason;
  const std::vector<double> times = run.times_of(bottom);
  ASSERT_EQ(times.size(), 4u);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(times[k], (2 * static_cast<double>(k) + 1) * quarter, 1e-7);
  EXPECT_NEAR(run.at(times[0])[rod], 3 * 9.81, 1e-5);  // three times its weight
  EXPECT_GE(run.times_of(turning).size(), 4u);
}

}  // namespace
}  // namespace pawl
