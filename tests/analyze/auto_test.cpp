// What advise() says and what a run with everything left to `auto` does, over the whole catalogue.
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "pawl/advise.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl::analyze {
namespace {

bool is_used(const Result& run, const std::string& method) {
  return (", " + run.method + ",").find(", " + method + ",") != std::string::npos;
}

// A run knows no rates before it starts. Where advice has measured that a motion is stiff it names the implicit method,
// to which the run changes; where it is not, the explicit one, which the run uses. Everything else is the same plan.
TEST(Auto, DoesWhatIsAdvised) {
  for (const Problem& problem : catalogue()) {
    SCOPED_TRACE(problem.name());
    Options options{.start = problem.start, .end = problem.end, .tolerance = {1e-5}, .keep = Keep::end};
    options.max_events = 2000;
    if (problem.name() == "sphere-box" || problem.name() == "marble-jar" || problem.name() == "rigid-marble-jar")
      options.end = problem.start + 0.02 * (problem.end - problem.start);  // seconds of computing
    const Values values(problem.system);
    const Recommendation advised = advise(problem.system, values, options).recommendation;
    const Result run = simulate(problem.system, values, options);
    const Recommendation& planned = run.plan;
    if (advised.is_stiff && planned.method.value != advised.method.value) {
      EXPECT_EQ(advised.method.value, planned.when_stiff.value);
      EXPECT_TRUE(is_used(run, planned.when_stiff.value)) << run.method;
    } else {
      EXPECT_EQ(advised.method.value, planned.method.value);
      EXPECT_TRUE(is_used(run, planned.method.value)) << run.method;
    }
    EXPECT_EQ(advised.events.value, planned.events.value);
    EXPECT_EQ(advised.tolerance.value, planned.tolerance.value);
    if (advised.method.value != planned.method.value) continue;  // formulations belong to methods
    EXPECT_EQ(advised.formulation.value, planned.formulation.value);
    EXPECT_EQ(advised.stabilization.value, planned.stabilization.value);
  }
}

// Tighter is never worse, above rounding: no other method takes over that means less by its tolerance. Chaotic motions
// and such with references of few digits are told by what is left of the error.
TEST(Auto, ATighterToleranceIsNeverWorseOnMechanisms) {
  int compared = 0;
  for (const Problem& problem : catalogue()) {
    if (!problem.is_constrained() || problem.has_events() || problem.is_implicit()) continue;
    double last = std::numeric_limits<double>::infinity();
    for (const double tolerance : {1e-7, 1e-8, 1e-9, 1e-10}) {
      const Result run = simulate(
          problem.system, {.start = problem.start, .end = problem.end, .tolerance = tolerance, .keep = Keep::end});
      const auto error = error_against_reference(problem, Values(problem.system), problem.end, run.final().states());
      if (!error) break;
      EXPECT_LE(*error, std::max(last, 1e-12)) << problem.name() << " at " << tolerance;
      last = *error;
      ++compared;
    }
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace pawl::analyze
