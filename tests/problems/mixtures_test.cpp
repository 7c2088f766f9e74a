// Circuits, mechanisms, contacts and controllers in one model, against references that close the loops by hand.
#include <gtest/gtest.h>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

struct Expected {
  std::string problem;
  int events;       // transitions, as the reference counts them
  double accuracy;  // at a tolerance of 1e-9
};
const Expected expected[] = {{"servo", 104, 5e-8}, {"backlash-drive", 201, 5e-8}, {"coil-pendulum", 31, 1e-8}};

int fired(const Result& run) {
  int count = 0;
  for (const Event& event : run.events) count += fires(event.kind) ? 1 : 0;
  return count;
}

double error_of(const Problem& problem, const Result& run) {
  return error_against_reference(problem, Values(problem.system), run.t_end, run.final().states()).value_or(1e300);
}

TEST(Mixtures, ReachTheirReferencesWithEveryEventOnce) {
  for (const auto& [name, events, accuracy] : expected) {
    const Problem& problem = find_problem(name);
    for (const char* method : {"auto", "dop853"}) {
      if (name == "coil-pendulum" && std::string(method) == "dop853") continue;  // stiff: two million evaluations
      SCOPED_TRACE(name + " by " + method);
      const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-9, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_LT(error_of(problem, run), accuracy);
      EXPECT_EQ(fired(run), events);
    }
  }
}

TEST(Mixtures, OtherMethodsAgree) {
  for (const auto& [name, events, accuracy] : expected) {
    const Problem& problem = find_problem(name);
    for (const char* method : {"esdirk-5", "bdf"}) {
      SCOPED_TRACE(name + " by " + method);
      const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-7, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_LT(error_of(problem, run), 1e-3);
    }
  }
}

// drawn = stored + heat + friction work + impact loss, as far as a problem has them.
TEST(Mixtures, BalanceTheirEnergyWithItsLosses) {
  for (const auto& [name, events, accuracy] : expected) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    ASSERT_EQ(problem.system.declarations().observable_names.at(0), "unaccounted energy");
    EXPECT_LT(run.range(Observable{0}).variation(), 1e-9);
    EXPECT_GT(run.final()["heat"], 0.1);  // there was something to account for
  }
}

// Teeth that meet without bounce lose what their reduced mass has of their difference in speed.
TEST(Mixtures, TheBacklashLosesEnergyWhereTeethMeet) {
  const Problem& problem = find_problem("backlash-drive");
  const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  double lost = 0;
  for (const Event& event : run.events) lost = std::max(lost, event.held_after->numbers.at(0));
  EXPECT_NEAR(lost, 4.083978297571706302e-4, 1e-11);  // scripts/mixture_references.cpp
}

TEST(Mixtures, TheServoKeepsItsLoop) {
  const Problem& problem = find_problem("servo");
  const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  double across = 0, along = 0, turning = 0;
  for (int i = 0; i < run.sample_count(); ++i) {
    const Instant at = run.sample(i);
    const double a = 0.03, l = 0.1;
    across = std::max(across, std::abs(a * std::sin(at["crank"]) - l * std::sin(at["rod"])));
    along = std::max(along, std::abs(a * std::cos(at["crank"]) + l * std::cos(at["rod"]) - at["slider"]));
    turning =
        std::max(turning, std::abs(a * std::cos(at["crank"]) * at["crank'"] - l * std::cos(at["rod"]) * at["rod'"]));
  }
  EXPECT_LT(across, 1e-15);
  EXPECT_LT(along, 1e-15);
  EXPECT_LT(turning, 1e-14);
}

}  // namespace
}  // namespace pawl
