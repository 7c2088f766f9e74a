// The keeper of steps of differential-algebraic systems, outside a run.
#include "stabilize/equation_keeper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "formulate/dae_models.hpp"

namespace pawl {
namespace {

/// Draws straight lines between the ends of its steps.
struct Lines final : Stepper {
  void restart(double, const double*, double, double, const double*) override {}
  Attempt step(double, Correction*, Step&) override { return Attempt::step_too_small; }
  bool interpolate(Step& step) override {
    double* c = step.make_polynomial(1);
    for (int i = 0; i < step.size(); ++i) {
      c[2 * i] = step.start()[i];
      c[2 * i + 1] = step.end()[i] - step.start()[i];
    }
    return true;
  }
  bool redo(double, Correction*, Step&) override { return false; }
  double next_step_size() const override { return 1; }
  int order() const override { return 1; }
  int dense_order() const override { return 1; }
};

/// A pendulum at the angle a, with this speed, and its force.
std::vector<double> swinging(double a, double speed) {
  return {std::sin(a), -std::cos(a), speed * std::cos(a), speed * std::sin(a), speed * speed + 9.81 * std::cos(a)};
}

struct Kept {
  explicit Kept(double relative) {
    control.relative = relative;
    control.absolute.assign(5, relative);
    step.t1 = step.h = step.span = 0.1;
    const std::vector<double> from = swinging(0.2, 3), to = swinging(0.5, 3);
    std::copy(from.begin(), from.end(), step.start());
    std::copy(to.begin(), to.end(), step.end());
  }
  const System system = testing::circle_pendulum(3);
  testing::Formed formed{system};
  StepControl control = {.absolute = std::vector<double>(5)};
  stabilize::EquationPull pull{system.declarations(),
                               [this](double, const double*) -> formulate::DaeForm& { return formed.form; }, control};
  stabilize::EquationKeeper keeper{pull, control};
  Lines lines;
  Step step{5};
};

double off_circle(const double* x) {
  return std::abs(x[0] * x[0] + x[1] * x[1] - 1);
}
double off_tangent(const double* x) {
  return std::abs(x[0] * x[2] + x[1] * x[3]);
}

TEST(EquationKeeper, MovesAPolynomialOntoHiddenConstraints) {
  Kept kept(1e-6);
  ASSERT_TRUE(kept.keeper.draw(kept.step, kept.lines));
  EXPECT_EQ(kept.keeper.raised_polynomials(), 1);
  std::vector<double> x(5);
  for (const double s : {0.25, 0.5, 0.75}) {
    kept.step.at(0.1 * s, x.data());
    EXPECT_LE(off_circle(x.data()), 1e-14);
    EXPECT_LE(off_tangent(x.data()), 1e-13);
  }
  double worst = 0;
  for (int k = 1; k < 100; ++k) {
    kept.step.at(1e-3 * k, x.data());
    worst = std::max(worst, off_circle(x.data()));
  }
  EXPECT_LE(worst, 0.022 / 5);  // that of the line, whose slopes it keeps
  // Ends and slopes there are those of the method.
  for (int i = 0; i < 5; ++i) {
    const double* c = kept.step.coefficients() + static_cast<std::ptrdiff_t>(i) * (kept.step.degree() + 1);
    double value = 0, slope = 0;
    for (int k = 0; k <= kept.step.degree(); ++k) value += c[k], slope += k * c[k];
    EXPECT_EQ(c[0], kept.step.start()[i]);
    EXPECT_NEAR(value, kept.step.end()[i], 1e-13);
    EXPECT_NEAR(c[1], kept.step.end()[i] - kept.step.start()[i], 1e-13);
    EXPECT_NEAR(slope, kept.step.end()[i] - kept.step.start()[i], 1e-12);
  }
}

TEST(EquationKeeper, LeavesAPolynomialThatIsNearEnough) {
  Kept kept(0.9);
  ASSERT_TRUE(kept.keeper.draw(kept.step, kept.lines));
  EXPECT_EQ(kept.keeper.raised_polynomials(), 0);
  EXPECT_EQ(kept.step.degree(), 1);
}

TEST(EquationKeeper, TurningFarIsNoSingularPosition) {
  Kept kept(1e-6);
  const std::vector<double> from = swinging(0, 3), to = swinging(2.5, 3);  // the direction of the rod turns over
  std::copy(from.begin(), from.end(), kept.step.start());
  std::copy(to.begin(), to.end(), kept.step.end());
  kept.keeper.restart(0, kept.step.start());
  std::vector<double> end = to;
  kept.pull.begin(0, from.data(), 0.1);
  kept.pull.apply(0.1, end.data());
  EXPECT_FALSE(kept.keeper.branching_in(kept.step, kept.lines));
  EXPECT_FALSE(kept.keeper.has_ended());
}

}  // namespace
}  // namespace pawl
