// Differential-algebraic systems of any index, however their equations are written, through simulate(): against closed
// forms, at the ends of steps and inside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <Eigen/LU>

#include "pawl/pawl.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::says;

/// The largest of error(t) over the run, between steps.
template <class Error>
double worst(const Result& run, const Error& error) {
  double largest = 0;
  for (int k = 0; k <= 500; ++k) largest = std::max(largest, error(run.t_end * k / 500));
  return largest;
}

/// x0 = sin 2t, x1 = x0', x2 = x1', ...
struct Chain {
  System system{"chain"};
  std::vector<State> x;

  explicit Chain(int index) {
    for (int i = 0; i < index; ++i) x.push_back(system.state("x" + std::to_string(i), 0.0));
    for (int i = 0; i + 1 < index; ++i) {
      const State one = x[static_cast<std::size_t>(i)], next = x[static_cast<std::size_t>(i) + 1];
      system.equation("link " + std::to_string(i), [=](const auto& at) { return at[dot(one)] - at[next]; });
    }
    const State first = x.front();
    system.equation("path", [=](const auto& at) { return at[first] - sin(2 * at.t); });
  }
  /// Relative to the amplitude of each.
  double error(const Instant& now, double t) const {
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::sin(2 * t + static_cast<double>(i) * std::numbers::pi / 2);
      largest = std::max(largest, std::abs(now[x[i]] / std::exp2(i) - exact));
    }
    return largest;
  }
};

TEST(HighIndex, ChainsOfDifferentiatorsAreSolvedAtAnyIndex) {
  for (const int index : {4, 5, 6, 9}) {
    const Chain chain(index);
    for (const char* method : {"auto", "dop853"}) {
      for (const double tolerance : {1e-5, 1e-9}) {
        SCOPED_TRACE(::testing::Message() << index << ", " << method << ", " << tolerance);
        const Result run = simulate(chain.system, {.end = 5, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        EXPECT_LE(chain.error(run.final(), 5), 1e-9);  // on the manifold, whatever the tolerance
        EXPECT_LE(worst(run, [&](double t) { return chain.error(run.at(t), t); }), 100 * tolerance);
      }
    }
    const Result run = simulate(chain.system, {.end = 1, .method = "radau"});
    EXPECT_TRUE(says(run.statistics.implicit->structure, {"index " + std::to_string(index), "0 degrees of freedom"}));
  }
}

// A motor moves a load through a spring that hardens, and the load is to follow a path: the force is found by inverting
// the model. m2 q2'' = s(d), d = q1 - q2, m1 q1'' = u - s(d).
struct FlexibleJoint {
  static constexpr double m1 = 1, m2 = 0.5, k1 = 20, k3 = 15, a = 0.3, w = 1.5;
  System system{"flexible joint"};
  State q1 = system.state("q1", 0), q2 = system.state("q2", 0), v1 = system.state("v1", 0), v2 = system.state("v2", 0),
        u = system.state("u", 0);

  FlexibleJoint() {
    const State q1_ = q1, q2_ = q2, v1_ = v1, v2_ = v2, u_ = u;
    system.rates([=](const auto& at, auto& d) {
      const auto bend = at[q1_] - at[q2_];
      const auto force = k1 * bend + k3 * bend * bend * bend;
      d[q1_] = at[v1_];
      d[q2_] = at[v2_];
      d[v1_] = (at[u_] - force) / m1;
      d[v2_] = force / m2;
    });
    system.equation("path", [=](const auto& at) { return at[q2_] - a * sin(w * at.t); });
  }
  double error(const Instant& now, double t) const {
    const double sine = a * std::sin(w * t), cosine = a * std::cos(w * t);
    const double f = -m2 * w * w * sine, f1 = -m2 * w * w * w * cosine, f2 = m2 * w * w * w * w * sine;
    double d = f / k1;
    for (int i = 0; i < 50; ++i) d -= (k1 * d + k3 * d * d * d - f) / (k1 + 3 * k3 * d * d);
    const double slope = k1 + 3 * k3 * d * d, d1 = f1 / slope, d2 = (f2 - 6 * k3 * d * d1 * d1) / slope;
    return std::max({std::abs(now[q1] - sine - d), std::abs(now[v1] - w * cosine - d1),
                     std::abs(now[u] - m1 * (d2 - w * w * sine) - f)});
  }
};

TEST(HighIndex, AModelOfIndexFiveIsInverted) {
  const FlexibleJoint joint;
  for (const char* method : {"auto", "dop853", "bdf"}) {
    for (const double tolerance : {1e-5, 1e-8}) {
      SCOPED_TRACE(::testing::Message() << method << ", " << tolerance);
      const Result run = simulate(joint.system, {.end = 6, .tolerance = tolerance, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_LE(joint.error(run.start(), 0), 1e-12);
      EXPECT_LE(joint.error(run.final(), 6), 1e-10);
      EXPECT_LE(worst(run, [&](double t) { return joint.error(run.at(t), t); }), 100 * tolerance);
    }
  }
}

TEST(HighIndex, AnEquationThatCannotBeDifferentiatedSoOftenIsNamed) {
  System system("chain");
  const auto x1 = system.state("x1", 0), x2 = system.state("x2", 1), x3 = system.state("x3", 0),
             x4 = system.state("x4", 0);
  system.equation("a", [=](const auto& at) { return at[dot(x1)] - at[x2]; });
  system.equation("b", [=](const auto& at) { return at[dot(x2)] - at[x3]; });
  system.equation("c", [=](const auto& at) { return at[dot(x3)] - at[x4]; });
  system.equation("given", black_box([=](const auto& at) { return at[x1] - std::sin(at.t); }));
  const Result run = simulate(system, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "system 'chain' has index 4: 'given' would have to be differentiated 3 times, and it is not a generic "
            "function.\n"
            "  try:    that equation as a function of const auto& at, or its derivatives in its place");
}

// ---- however written ----

// x = sin t, y = x' as the sum and the difference of both: neither row alone shows the index.
TEST(HiddenIndex, SumsOfEquationsAreTakenApart) {
  System system("hidden");
  const auto x = system.state("x", 0), y = system.state("y", 1);
  system.equation("sum", [=](const auto& at) { return (at[x] - sin(at.t)) + (at[y] - at[dot(x)]); });
  system.equation("difference", [=](const auto& at) { return (at[x] - sin(at.t)) - (at[y] - at[dot(x)]); });
  const Result run = simulate(system, {.end = 3, .tolerance = 1e-8});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_TRUE(says(run.statistics.implicit->structure, {"index 2", "0 degrees of freedom"}));
  EXPECT_LE(worst(run, [&](double t) { return std::abs(run.at(t)[y] - std::cos(t)); }), 1e-6);
}

// P (I, N) Q y' = P (J, 1) Q y + P f(t) with N nilpotent: the form of Weierstrass, rows and unknowns mixed by full
// matrices P and Q, has the solution z1 = exp(J t) z1(0), z2 = -Σ N^k f^(k) of z = Q y.
struct Mixed {
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  int index, n1, n2, n;
  Matrix N, J, P, Q;
  Vector amplitude, frequency, z0;
  System system{"mixed"};
  std::vector<State> y;

  explicit Mixed(unsigned seed) {
    std::mt19937 chance(seed);
    std::uniform_real_distribution<double> u(-1, 1);
    n1 = static_cast<int>(chance() % 3);
    index = 1 + static_cast<int>(chance() % 3);
    n2 = index + static_cast<int>(chance() % 2);
    n = n1 + n2;
    N = Matrix::Zero(n2, n2);
    for (int i = 0; i + 1 < index; ++i) N(i, i + 1) = 1;
    const auto random = [&](int rows, int columns) {
      return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return u(chance); }));
    };
    J = random(n1, n1) - 0.5 * Matrix::Identity(n1, n1);
    P = random(n, n) + 1.5 * Matrix::Identity(n, n);
    Q = random(n, n) + 1.5 * Matrix::Identity(n, n);
    amplitude = random(n2, 1).array() + 1.2;
    frequency = 1 + 0.5 * random(n2, 1).array();
    z0 = random(n1, 1);
    Matrix E = Matrix::Zero(n, n), A = E;
    E << Matrix::Identity(n1, n1), Matrix::Zero(n1, n2), Matrix::Zero(n2, n1), N;
    A << J, Matrix::Zero(n1, n2), Matrix::Zero(n2, n1), Matrix::Identity(n2, n2);
    E = P * E * Q;
    A = P * A * Q;
    const Vector start = exact(0);
    for (int i = 0; i < n; ++i) y.push_back(system.state("y" + std::to_string(i), start(i)));
    for (int r = 0; r < n; ++r) {
      system.equation("e" + std::to_string(r), [=, e = Vector(E.row(r)), a = Vector(A.row(r)), p = Vector(P.row(r)),
                                                amplitude = amplitude, frequency = frequency, y = y, n = n, n1 = n1,
                                                n2 = n2](const auto& at) {
        auto sum = 0 * at[y[0]];
        for (int k = 0; k < n; ++k)
          sum = sum + e(k) * at[dot(y[static_cast<std::size_t>(k)])] - a(k) * at[y[static_cast<std::size_t>(k)]];
        for (int k = 0; k < n2; ++k) sum = sum - p(n1 + k) * amplitude(k) * sin(frequency(k) * at.t);
        return sum;
      });
    }
  }
  Vector exact(double t) const {
    Vector z = Vector::Zero(n), term = z0;
    if (n1 > 0) z.head(n1) = z0;
    for (int k = 1; k < 60 && n1 > 0; ++k) {
      term = J * term * t / k;
      z.head(n1) += term;
    }
    Matrix power = Matrix::Identity(n2, n2);
    for (int k = 0; k < index; ++k) {
      Vector f(n2);
      for (int i = 0; i < n2; ++i)
        f(i) = amplitude(i) * std::pow(frequency(i), k) * std::sin(frequency(i) * t + k * std::numbers::pi / 2);
      z.tail(n2) -= power * f;
      power = power * N;
    }
    return Q.partialPivLu().solve(z);
  }
};

TEST(HiddenIndex, LinearSystemsMixedByFullMatricesAreSolved) {
  const double tolerance = 1e-7;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Mixed mixed(seed);
    if (mixed.n < 2) continue;
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", index " << mixed.index);
    const Result run = simulate(mixed.system, {.end = 2, .tolerance = tolerance});
    ASSERT_TRUE(run.finished()) << run.reason;
    const double size = std::max(1.0, mixed.exact(2).cwiseAbs().maxCoeff());
    double error = 0;
    for (int i = 0; i < mixed.n; ++i)
      error = std::max(error, std::abs(run.final()[mixed.y[static_cast<std::size_t>(i)]] - mixed.exact(2)(i)));
    EXPECT_LE(error / size, 1e3 * tolerance);
    EXPECT_TRUE(says(run.statistics.implicit->structure, {"index " + std::to_string(mixed.index)}));
  }
}

// ---- error control ----

// Nothing limits the step but unknowns of index 2 and 3.
TEST(HighIndex, DerivativesAreAccurateInsideSteps) {
  for (const int index : {2, 3}) {
    const Chain chain(index);
    for (const char* method : {"auto", "radau-5", "radau-9"}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        SCOPED_TRACE(::testing::Message() << index << ", " << method << ", " << tolerance);
        const Result run = simulate(chain.system, {.end = 10, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        EXPECT_LE(worst(run, [&](double t) { return chain.error(run.at(t), t); }), 10 * tolerance);
      }
    }
  }
}

// x and y on a circle by the velocities alone, from rest: v^2 = 2 g (y0 - y) and F = v^2 - g y. What steps leave of the
// constraint, which is not linear, moves F by that over the next step. Known to order s alone, F takes steps that grow
// in number as tolerance^(-1/s): s is 3 for radau-5, and 5 for auto.
TEST(HighIndex, AForceOfIndexTwoIsFoundInStepsOfItsOrder) {
  const double g = 9.81;
  for (const double angle : {0.0, 0.3, 0.6, 0.9}) {
    System system("pendulum");
    const auto x = system.state("x", std::cos(angle)), y = system.state("y", std::sin(angle)),
               vx = system.state("vx", 0), vy = system.state("vy", 0), F = system.state("F", 0);
    system.equation("x'", [=](const auto& at) { return at[dot(x)] - at[vx]; });
    system.equation("y'", [=](const auto& at) { return at[dot(y)] - at[vy]; });
    system.equation("vx'", [=](const auto& at) { return at[dot(vx)] + at[x] * at[F]; });
    system.equation("vy'", [=](const auto& at) { return at[dot(vy)] + at[y] * at[F] + g; });
    system.equation("across", [=](const auto& at) { return at[x] * at[vx] + at[y] * at[vy]; });
    for (const char* method : {"auto", "radau-5", "radau-9", "bdf", "rodas5p", "esdirk-5", "dop853"}) {
      for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
        SCOPED_TRACE(fmt::format("{}, {}, {}", angle, method, tolerance));
        const Result run = simulate(system, {.end = 3, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        const auto error = [&](double t) {
          const Instant now = run.at(t);
          return std::max({std::abs(now[x] * now[x] + now[y] * now[y] - 1),
                           std::abs(now[vx] * now[vx] + now[vy] * now[vy] + 2 * g * (now[y] - std::sin(angle))) / g,
                           std::abs(now[F] - g * (2 * std::sin(angle) - 3 * now[y])) / g});
        };
        EXPECT_LE(worst(run, error), 1000 * tolerance);
        const std::string name = method;
        if (name != "auto" && !name.starts_with("radau")) continue;
        const int s = name == "radau-5" ? 3 : 5;
        EXPECT_LE(run.statistics.steps_accepted, 12 * std::pow(tolerance, -1.0 / s));
        EXPECT_LE(run.statistics.steps_rejected, run.statistics.steps_accepted / 4);
      }
    }
  }
}

// A source, an ideal diode, a capacitor with a resistor beside it: while the diode conducts, its current is of index 2,
// and it ends where tan(w t) = -w R C.
// In time, and with every method, though a tolerance may put the voltage across the diode off zero where it lets go.
TEST(HighIndex, ACurrentOfIndexTwoEndsInTime) {
  const double U = 10, w = 100 * std::numbers::pi, C = 1e-4;
  for (const double R : {100, 1000}) {
    System system("peak rectifier");
    const auto i = system.state("i", 0), ud = system.state("u_d", 0), uc = system.state("u_c", 0);
    system.equation("loop", [=](const auto& at) { return U * sin(w * at.t) - at[ud] - at[uc]; });
    system.equation("capacitor", [=](const auto& at) { return C * at[dot(uc)] + at[uc] / R - at[i]; });
    system.diode(
        "D", [=](const auto& at) { return at[ud]; }, [=](const auto& at) { return at[i]; });
    const double exact = (std::numbers::pi - std::atan(w * R * C)) / w;
    for (const char* method : {"auto", "radau-5", "esdirk-5", "bdf"}) {
      for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
        SCOPED_TRACE(fmt::format("R {}, {}, {}", R, method, tolerance));
        const Result run = simulate(system, {.end = 0.015, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        std::vector<double> times;
        for (const Event& event : run.events)
          for (const std::string& name : run.names(event))
            if (name == "D current ends") times.push_back(event.t);
        ASSERT_EQ(times.size(), 1u);
        EXPECT_NEAR(times[0], exact, 10 * tolerance * 0.02);
      }
    }
  }
}

// ---- mechanisms ----

// Masses in a row, joined by springs: the first follows a path, and a force on the last sees to it. With m = k = 1 and
// q1 = sin w t all move as a_i sin w t, a_(i+1) = a_i (1 - w^2) + a_i - a_(i-1).
struct Row {
  static constexpr double w = 1.3;
  Mechanics system{"row"};
  std::vector<Coordinate> q;
  State u;
  double force = 0;  // u = force sin w t

  explicit Row(int masses) {
    double a = 1, before = 1;
    for (int i = 0; i < masses; ++i) {
      q.push_back(system.coordinate("q" + std::to_string(i + 1), 0.0, a * w));
      system.mass(q.back(), 1.0);
      force = a * (1 - w * w) - before;
      before = std::exchange(a, force + a);
    }
    u = system.state("u", 0);
    for (std::size_t i = 0; i + 1 < q.size(); ++i) {
      const auto one = q[i], next = q[i + 1];
      system.potential([=](const auto& at) { return 0.5 * sqr(at[one] - at[next]); });
    }
    const auto first = q.front(), last = q.back();
    const State u_ = u;
    system.force([=](const auto& at, auto& f) { f[last] += at[u_]; });
    system.equation("path", [=](const auto& at) { return at[first] - sin(w * at.t); });
  }
};

TEST(HighIndex, AMechanismIsInvertedThroughItsSprings) {
  for (const int masses : {2, 3, 4}) {
    const Row row(masses);
    for (const char* method : {"auto", "dop853", "radau", "bdf", "rodas5p", "esdirk-5"}) {
      SCOPED_TRACE(fmt::format("{} masses, {}", masses, method));
      const Result run = simulate(row.system, {.end = 3, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_NEAR(run.final()[row.u], row.force * std::sin(3 * Row::w), 1e-9 * std::abs(row.force));
      EXPECT_LE(worst(run, [&](double t) { return std::abs(run.at(t)[row.u] - row.force * std::sin(t * Row::w)); }),
                1e-4 * std::abs(row.force));
    }
    const Result run = simulate(row.system, {.end = 1, .method = "radau"});
    EXPECT_TRUE(says(run.statistics.implicit->structure, {"index " + std::to_string(2 * masses + 1)}));
  }
}

TEST(HighIndex, HowOftenAMechanismIsDifferentiatedHasAnEnd) {
  const Row row(6);
  const Result run = simulate(row.system, {.end = 1});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.reason,
            "system 'row' has index 13: 'path' would have to be differentiated 12 times, and derivatives go up to 10.\n"
            "  try:    the derivatives of these equations in their place, written by hand");
}

// A mass on an arm that turns as prescribed, at a distance that follows a path: a motor at the other end of a spring
// moves it. The mass matrix moves, too.
//   r'' = r w^2 - k (r - s - 1) - g sin wt,   s'' = u + k (r - s - 1)
TEST(HighIndex, AMassMatrixThatMovesIsDifferentiatedAlongTheMotion) {
  const double k = 40, g = 9.81, w = 0.5;
  const auto sine = [=](double t) { return g * std::sin(w * t); };
  Mechanics arm("arm");
  const auto r = arm.coordinate("r", 2.0, 0.3), phi = arm.coordinate("phi", 0.0, w);
  const auto s = arm.coordinate("s", 1 - 2 * w * w / k, 0.3 + (-0.3 - 0.3 * w * w + g * w) / k);
  const auto u = arm.state("u", 0), torque = arm.state("torque", 0);
  arm.mass([=](const auto& at, auto& M) {
    M(r, r) = 1.0;
    M(phi, phi) = sqr(at[r]);
    M(s, s) = 1.0;
  });
  arm.potential([=](const auto& at) { return 0.5 * k * sqr(at[r] - at[s] - 1) + g * at[r] * sin(at[phi]); });
  arm.force([=](const auto& at, auto& f) {
    f[s] += at[u];
    f[phi] += at[torque];
  });
  arm.equation("distance", [=](const auto& at) { return at[r] - 2 - 0.3 * sin(at.t); });
  arm.equation("angle", [=](const auto& at) { return at[phi] - w * at.t; });
  for (const char* method : {"auto", "dop853", "bdf"}) {
    SCOPED_TRACE(method);
    const Result run = simulate(arm, {.end = 3, .method = method});
    ASSERT_TRUE(run.finished()) << run.reason;
    const double t = 3, a = 0.3 * std::sin(t), distance = 2 + a;
    const double bend = distance * w * w - sine(t) + a;             // k (r - s - 1)
    const double s2 = -a - (-a * w * w + sine(t) * w * w - a) / k;  // s'' = r'' - bend'' / k
    EXPECT_NEAR(run.final()[u], s2 - bend, 1e-8);
    EXPECT_NEAR(run.final()[torque], 2 * distance * 0.3 * std::cos(t) * w + g * distance * std::cos(w * t), 1e-8);
  }
}

// ---- units ----

// Two capacitors in parallel behind a resistor: index 2, and the same in farad, picofarad and less.
TEST(Units, CapacitorsMayBeAsSmallAsTheyLike) {
  for (const double C : {1.0, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18}) {
    const double R = 1e3, T = 3 * R * 3 * C;
    System s("loop");
    const auto i1 = s.state("i1", 0), i2 = s.state("i2", 0), ir = s.state("ir", 0), v1 = s.state("v1", 0),
               v2 = s.state("v2", 0);
    s.equation("C1", [=](const auto& at) { return at[i1] - C * at[dot(v1)]; });
    s.equation("C2", [=](const auto& at) { return at[i2] - 2 * C * at[dot(v2)]; });
    s.equation("parallel", [=](const auto& at) { return at[v1] - at[v2]; });
    s.equation("node", [=](const auto& at) { return at[ir] - at[i1] - at[i2]; });
    s.equation("R", [=](const auto& at) { return at[v1] + R * at[ir] - 1; });
    const Result run = simulate(s, {.end = T});
    ASSERT_TRUE(run.finished()) << C << ": " << run.reason;
    EXPECT_EQ(run.statistics.implicit->structure.substr(0, 7), "index 2");
    EXPECT_NEAR(run.final()[v1], 1 - std::exp(-3.0), 1e-6);
    EXPECT_NEAR(run.final()[i2], 2 * run.final()[i1], 1e-8);
    EXPECT_NEAR(run.final()[ir], std::exp(-3.0) / R, 1e-8);
  }
}

// ---- joints that say the same ----

// A beam on equal cranks stays level: of three cranks one is too many, from where it is joined on.
TEST(RedundantJoints, MayBeJoinedOnTheWay) {
  std::vector<double> ends;
  for (const int cranks : {2, 3}) {
    Mechanics model("beam");
    const auto x = model.coordinate("x", std::cos(1.2)), y = model.coordinate("y", -std::sin(1.2)),
               a = model.coordinate("a", 0.0);
    for (const auto& one : {x, y, a}) model.mass(one, 1.0);
    const auto i = model.state("i", 0);
    model.force([=](const auto& at, auto& f) {
      f[x] += at[i];
      f[y] += -9.81;
    });
    model.equation("coil", [=](const auto& at) { return at[dot(i)] + at[i] - sin(at.t); });
    const auto is_joined = model.discrete("joined", false);
    model.at(0.25, [=](Jump& jump) { jump[is_joined] = true; });
    for (int k = 0; k < cranks; ++k) {
      const double s = k - 1.0;
      auto crank = model.constraint("crank " + std::to_string(k + 1), [=](const auto& at) {
        return sqr(at[x] + s * cos(at[a]) - s) + sqr(at[y] + s * sin(at[a])) - 1;
      });
      if (k == 2) crank.only_when(is_joined);
    }
    const Result run = simulate(model, {.end = 0.5, .tolerance = 1e-8});
    ASSERT_TRUE(run.finished()) << run.reason;
    ends.push_back(run.final()[x]);
    std::vector<std::string> redundant;
    for (const Message& one : run.messages)
      if (one.code == MessageCode::redundant_joint_shares) redundant.push_back(one.text);
    ASSERT_EQ(redundant.size(), cranks == 2 ? 0u : 1u);
    if (cranks == 2) continue;
    EXPECT_EQ(redundant[0],
              "constraint 'crank 3' is redundant (a combination of 'crank 2', 'crank 1'): it is left out, and all of "
              "them share the load by least norm");
  }
  EXPECT_NEAR(ends[0], ends[1], 1e-8);
}

}  // namespace
}  // namespace pawl
