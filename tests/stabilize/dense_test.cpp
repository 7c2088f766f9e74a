// Between the ends of steps: the dense output of a mechanism, its order, its residuals, and what it says of speeds.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include "numerics/elimination.hpp"

#include "formulate/mechanics_form.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

struct Residuals {
  double position = 0, velocity = 0;
};

/// Largest |g| and |G v + g_t| of states.
class Gauge {
 public:
  explicit Gauge(const System& system) : held_(Values(system).held()), form_(system.share(), {}) { form_.lock(held_); }

  /// Largest Σ_j |G_ij|: what an error of one in every speed makes of G v.
  double size_of_G(const Instant& now) {
    return form_.dense_jacobian(now.t, now.states().data()).cwiseAbs().rowwise().sum().maxCoeff();
  }
  Residuals at(const Instant& now) {
    Residuals all;
    const double* x = now.states().data();
    static_cast<void>(form_.dense_jacobian(now.t, x));
    std::vector<double> r(static_cast<std::size_t>(form_.rows(0)));
    form_.residual(0, now.t, x, r.data());
    for (const double one : r) all.position = std::max(all.position, std::abs(one));
    r.resize(static_cast<std::size_t>(form_.rows(1)));
    form_.residual(1, now.t, x, r.data());
    for (const double one : r) all.velocity = std::max(all.velocity, std::abs(one));
    return all;
  }

 private:
  Held held_;
  formulate::MechanicsForm form_;
};

/// Largest residuals at 20 points inside every step.
Residuals inside(const System& system, const Result& run) {
  Gauge gauge(system);
  Residuals all;
  const auto& drawn = run.trajectory;
  for (std::size_t i = 0; i < drawn.t0.size(); ++i) {
    for (int k = 1; k <= 20; ++k) {
      const Residuals here = gauge.at(run.at(drawn.t0[i] + (drawn.t1[i] - drawn.t0[i]) * k / 21));
      all.position = std::max(all.position, here.position);
      all.velocity = std::max(all.velocity, here.velocity);
    }
  }
  return all;
}

struct Case {
  const char* problem;
  double end;
  int steps;
};

TEST(Dense, ResidualsFallWithTheSixthPowerOfTheStep) {
  // All three levels hold at both ends, so that g of the quintic has the shape s³ (1 - s)³ h⁶, its rate h⁵.
  for (const auto& [name, end, steps] :
       {Case{"cartesian-pendulum", 1, 16}, Case{"arm-parabola", 0.5, 16}, Case{"arm-sine", 0.5, 16},
        Case{"squeezer", 0.015, 64}, Case{"slider-crank", 1, 64}}) {
    SCOPED_TRACE(name);
    const System& system = find_problem(name).system;
    const auto residuals_with = [&, end = end](int count) {
      const Result run =
          simulate(system, {.end = end, .tolerance = {0.9, 1e6}, .method = "dormand-prince-5", .step = end / count});
      EXPECT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(run.statistics.constraints->raised_polynomials, 0);
      return inside(system, run);
    };
    const Residuals coarse = residuals_with(steps), fine = residuals_with(4 * steps);
    EXPECT_GE(std::log2(coarse.position / fine.position) / 2, 5.5);
    EXPECT_GE(std::log2(coarse.velocity / fine.velocity) / 2, 4.5);
  }
}

TEST(Dense, ResidualsAreThoseOfErrorsWithinAFewTolerances) {
  for (const char* name : {"cartesian-pendulum", "arm-parabola", "arm-sine", "squeezer", "four-bar", "slider-crank"}) {
    const System& system = find_problem(name).system;
    const double end = std::min(2.0, find_problem(name).end);
    for (const char* method : {"auto", "dormand-prince-5", "verner-9"}) {
      for (const double tolerance : {1e-5, 1e-8}) {
        SCOPED_TRACE(std::string(name) + " " + method);
        const Result run = simulate(system, {.end = end, .tolerance = tolerance, .method = method});
        double q = 1, v = 1, G = 0;  // the squeezer turns at 1000 rad/s
        Gauge gauge(system);
        for (int i = 0; i < run.sample_count(); ++i) G = std::max(G, gauge.size_of_G(run.sample(i)));
        for (std::size_t i = 0; i < run.trajectory.sample_states.size(); i += 2) {
          q = std::max(q, std::abs(run.trajectory.sample_states[i]));
          v = std::max(v, std::abs(run.trajectory.sample_states[i + 1]));
        }
        const Residuals found = inside(system, run);
        EXPECT_LE(found.position, tolerance * G * q);
        EXPECT_LE(found.velocity, 5 * tolerance * G * v);
      }
    }
  }
}

TEST(Dense, OnTheManifoldToRoundingWhereAsked) {
  for (const char* name :
       {"cartesian-pendulum", "arm-sine", "squeezer", "four-bar", "rolling-spheres", "quaternion-top"}) {
    SCOPED_TRACE(name);
    const System& system = find_problem(name).system;
    const double end = std::min(1.0, find_problem(name).end);
    const Result run = simulate(system, {.end = end, .tolerance = 1e-4, .method = "verner-9"});
    ASSERT_TRUE(run.finished()) << run.reason;
    Gauge gauge(system);
    double v = 1;
    for (const double x : run.trajectory.sample_states) v = std::max(v, std::abs(x));
    double farthest = 0;
    for (int i = 0; i <= 100; ++i) {
      const double t = end * i / 100;
      const Instant pulled = run.on_manifold(t);
      const Residuals left = gauge.at(pulled);
      EXPECT_LE(left.position, 1e-14);
      EXPECT_LE(left.velocity, 1e-14 * v);
      farthest = std::max(farthest, gauge.at(run.at(t)).velocity);
    }
    EXPECT_GT(farthest, 1e-12);  // there was something to pull
  }
}

TEST(Dense, SamplesArePulledWhereAsked) {
  const System& system = find_problem("squeezer").system;
  Options options{.end = 0.03, .tolerance = 1e-4, .samples = 50};
  options.constraints.pulls_samples = true;
  const Result run = simulate(system, options);
  Gauge gauge(system);
  for (int i = 0; i < run.sample_count(); ++i) {
    EXPECT_LE(gauge.at(run.sample(i)).position, 1e-14);
    EXPECT_LE(gauge.at(run.sample(i)).velocity, 1e-11);
  }
}

// ---- accuracy ----

double largest_dense_error(const Problem& problem, const Result& run, int points) {
  const Values values(problem.system);
  double largest = 0;
  for (int i = 0; i <= points; ++i) {
    const double t = run.t_end * i / points;
    const auto exact = *problem.reference(values, t);
    const Instant now = run.at(t);
    double size = 1;
    for (const double x : exact) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < exact.size(); ++k)
      largest = std::max(largest, std::abs(now.states()[k] - exact[k]) / size);
  }
  return largest;
}

TEST(Dense, IsAsAccurateAsTheStepsOfHighOrderMethods) {
  const Problem& problem = find_problem("cartesian-pendulum");
  for (const char* method : {"dormand-prince-5", "tsitouras-papakostas-8", "verner-9"}) {
    SCOPED_TRACE(method);
    const double tolerance = 1e-8;
    const Result run = simulate(problem.system, {.end = 2, .tolerance = tolerance, .method = method});
    double ends = 0;
    for (int i = 0; i < run.sample_count(); ++i) {
      const auto exact = *problem.reference(Values(problem.system), run.sample(i).t);
      for (std::size_t k = 0; k < exact.size(); ++k)
        ends = std::max(ends, std::abs(run.sample(i).states()[k] - exact[k]));
    }
    EXPECT_LE(largest_dense_error(problem, run, 400), ends + 5 * tolerance);
    if (method != std::string("dormand-prince-5")) {
      EXPECT_GT(run.statistics.constraints->raised_polynomials, 0);
    }
  }
}

TEST(Dense, IsAsAccurateWhereTheConstraintsDoNotSeeTheError) {
  // A constraint that is linear in q holds for every polynomial through consistent ends, however poor; without any, the
  // same. Here x'' = -4 x: x = cos 2t.
  const auto oscillator = [](bool is_constrained) {
    Mechanics model("oscillator");
    const auto x = model.coordinate("x", 1), y = model.coordinate("y", 2);
    for (const auto q : {x, y}) model.mass(q, 1.0);
    model.potential([=](const auto& at) { return 2 * (sqr(at[x]) + sqr(at[y])); });
    if (is_constrained) model.constraint("line", [=](const auto& at) { return at[y] - 2 * at[x]; });
    return model;
  };
  for (const bool is_constrained : {false, true}) {
    for (const char* method : {"dormand-prince-5", "tsitouras-papakostas-8", "verner-9"}) {
      SCOPED_TRACE(std::string(method) + (is_constrained ? " on a line" : " free"));
      const double tolerance = 1e-8;
      const Result run = simulate(oscillator(is_constrained), {.end = 5, .tolerance = tolerance, .method = method});
      double error = 0;
      for (int i = 0; i <= 500; ++i) {
        const double t = run.t_end * i / 500;
        error = std::max(
            {error, std::abs(run.at(t)["x"] - std::cos(2 * t)), std::abs(run.at(t)["x'"] + 2 * std::sin(2 * t)) / 2});
      }
      double ends = 0;
      for (int i = 0; i < run.sample_count(); ++i)
        ends = std::max(ends, std::abs(run.sample(i)["x"] - std::cos(2 * run.sample(i).t)));
      EXPECT_LE(error, ends + 10 * tolerance);
    }
  }
}

TEST(Dense, SpeedsAreTheRatesOfPositionsAndContinuous) {
  for (const char* name : {"cartesian-pendulum", "four-bar", "arm-sine"}) {
    for (const char* method : {"dormand-prince-5", "tsitouras-papakostas-8"}) {
      SCOPED_TRACE(std::string(name) + " " + method);
      const Problem& problem = find_problem(name);
      const Result run = simulate(problem.system, {.end = 1, .tolerance = 1e-8, .method = method});
      const Trajectory& drawn = run.trajectory;
      const auto n = static_cast<std::size_t>(drawn.size);
      for (std::size_t i = 0; i < drawn.t0.size(); ++i) {
        const auto terms = static_cast<std::size_t>(drawn.degree[i] + 1);
        for (std::size_t q = 0; q < n; q += 2) {
          const double* c = drawn.coefficients.data() + drawn.first[i] + q * terms;
          const double* d = c + terms;
          double position = 0, speed = 0;
          for (std::size_t k = 0; k < terms; ++k) {
            position += c[k];
            speed += d[k];
            if (k > 0) {
              EXPECT_NEAR(static_cast<double>(k) * c[k], drawn.span[i] * d[k - 1], 1e-13);
            }
          }
          EXPECT_NEAR(position, drawn.ends[i * n + q], 1e-13);
          EXPECT_NEAR(speed, drawn.ends[i * n + q + 1], 1e-11);
        }
      }
    }
  }
}

// ---- multipliers ----

TEST(Dense, MultipliersAreThoseOfAFreshSolve) {
  for (const char* name : {"squeezer", "four-bar", "slider-crank", "arm-sine", "rolling-spheres"}) {
    SCOPED_TRACE(name);
    const System& system = find_problem(name).system;
    const Result run = simulate(
        system, {.end = std::min(1.0, find_problem(name).end), .tolerance = 1e-7, .method = "dormand-prince-5"});
    const Held held = Values(system).held();
    formulate::MechanicsTerms terms(system.declarations());
    terms.lock(held);
    for (int i = 0; i < run.sample_count(); i += std::max(1, run.sample_count() / 7)) {
      const Instant now = run.sample(i);
      const double* x = now.states().data();
      terms.arrange(now.t, x, terms.rows_in_force());
      terms.rate_of_positions(x);
      terms.evaluate_inertia(now.t, x, nullptr);  // no mass here reads a further state
      terms.evaluate_force(now.t, x);
      terms.add_inertial();
      terms.evaluate_jacobian(now.t, x);
      terms.evaluate_motion(now.t, x);
      const Eigen::Index n = terms.size(), m = terms.rows();
      Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + m, n + m);
      Eigen::VectorXd rhs(n + m);
      for (Eigen::Index r = 0; r < n; ++r) {
        for (Eigen::Index c = 0; c <= r; ++c) kkt(r, c) = kkt(c, r) = terms.mass[static_cast<std::size_t>(r * n + c)];
        rhs(r) = terms.force[static_cast<std::size_t>(r)];
      }
      for (Eigen::Index r = 0; r < m; ++r) {
        const auto row = static_cast<std::size_t>(r);
        for (int k = terms.pattern().first[row]; k < terms.pattern().first[row + 1]; ++k) {
          const Eigen::Index c = terms.pattern().column[static_cast<std::size_t>(k)];
          kkt(n + r, c) = kkt(c, n + r) = terms.jacobian[static_cast<std::size_t>(k)];
        }
        rhs(n + r) = -terms.gamma[row];
      }
      const Eigen::VectorXd solution = linear::solve_with_full_pivoting(kkt, rhs);
      const double size = std::max(1.0, solution.tail(m).cwiseAbs().maxCoeff());
      for (Eigen::Index r = 0; r < m; ++r) {
        const Constraint row{terms.declared_row(static_cast<int>(r))};
        EXPECT_NEAR(now[row], solution(n + r), 1e-11 * size)
            << run.declarations->constraint_names[static_cast<std::size_t>(row.index)];
      }
    }
  }
}

}  // namespace
}  // namespace pawl
