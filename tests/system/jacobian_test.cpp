#include "pawl/jacobian.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "problems/catalogue.hpp"

namespace pawl {
namespace {

TEST(Jacobian, OfTheRigidBodyIsExact) {
  const System& body = find_problem("rigid-body").system;
  const std::vector<double> w{0.3, -0.7, 1.1};
  const Jacobian J = jacobian(body, Values(body), 0, w);
  const double a = (2 - 3) / 0.5, b = (3 - 0.5) / 2, c = (0.5 - 2) / 3;  // I = 1/2, 2, 3
  const double exact[3][3] = {{0, a * w[2], a * w[1]}, {b * w[2], 0, b * w[0]}, {c * w[1], c * w[0], 0}};
  EXPECT_TRUE(J.is_exact);
  EXPECT_EQ(J.evaluations, 1);
  ASSERT_EQ(J.size, 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(J(i, j), exact[i][j], 1e-15) << i << ", " << j;
  }
}

TEST(Jacobian, OfEveryCatalogueProblemAgreesWithDifferences) {
  for (const Problem& problem : catalogue()) {
    if (!problem.is_smooth()) continue;  // the copy below has no modes
    SCOPED_TRACE(problem.name());
    const auto& declared = problem.system.declarations();
    const Values values(problem.system);
    std::vector<double> x = values.start();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * static_cast<double>(i + 1);
    const Jacobian exact = jacobian(problem.system, values, 0.4, x);
    System numbers_only("numbers only");
    for (const std::string& name : declared.state_names) numbers_only.state(name, 0);
    for (std::size_t i = 0; i < declared.parameters.size(); ++i)
      numbers_only.parameter(declared.parameter_names[i], declared.parameters[i]);
    const Function rates = declared.rates;
    numbers_only.rates([rates](const Point<double>& at, Rates<double>& d) { rates(at, &d[State{0}]); });
    const Jacobian differences = jacobian(numbers_only, Values(numbers_only), 0.4, x);
    EXPECT_TRUE(exact.is_exact);
    EXPECT_FALSE(differences.is_exact);
    EXPECT_EQ(exact.evaluations, (problem.system.size() + 7) / 8);
    EXPECT_EQ(differences.evaluations, problem.system.size() + 1);
    ASSERT_EQ(exact.values.size(), differences.values.size());
    double scale = 0, apart = 0;
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      scale = std::max(scale, std::abs(exact.values[i]));
      apart = std::max(apart, std::abs(exact.values[i] - differences.values[i]));
    }
    EXPECT_LT(apart, 1e-5 * (1 + scale));  // half the digits of a double, and f''
  }
}

TEST(Jacobian, NeedsAPointOfTheRightSize) {
  const System& body = find_problem("rigid-body").system;
  EXPECT_THROW(jacobian(body, Values(body), 0, {1, 2}), Misuse);
}

}  // namespace
}  // namespace pawl
