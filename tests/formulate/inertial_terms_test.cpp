// Terms that follow from masses that move, against what is derived by hand; docs/constraints.md, "Inertia".
#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Dense>

#include "numerics/elimination.hpp"

#include "formulate/implicit_mechanics.hpp"
#include "formulate/mechanics_form.hpp"
#include "misuse_of.hpp"
#include "pawl/pawl.hpp"

namespace pawl {
namespace {

using formulate::MechanicsForm;
using formulate::MechanicsTerms;
using testing::misuse_of;
using Vector = Eigen::VectorXd;

/// Masses and terms of a system at one state.
struct At {
  At(const System& system, double t, const std::vector<double>& x)
      : held(Values(system).held()), model(system.share()), terms(*model) {
    terms.lock(held);
    terms.arrange(t, x.data(), terms.rows_in_force());
    terms.rate_of_positions(x.data());
    std::vector<double> rates(x.size());
    const detail::Surroundings<double> around{&held};
    if (model->rates) model->rates(Point<double>(t, x.data(), held.parameters.data(), &around), rates.data());
    terms.evaluate_inertia(t, x.data(), rates.data());
  }
  double Q(int i) const { return terms.inertial[static_cast<std::size_t>(i)]; }
  double M(int i, int j) const { return terms.mass[static_cast<std::size_t>(i * terms.size() + j)]; }

  Held held;
  std::shared_ptr<const System::Declarations> model;
  MechanicsTerms terms;
};

TEST(InertialTerms, OfADoublePendulumAreTheKnownOnes) {
  for (const bool by_energy : {false, true}) {
    Mechanics p("double pendulum");
    const auto a = p.coordinate("a", 1.0, 0.7), b = p.coordinate("b", 0.4, -1.3);
    if (by_energy) {
      p.kinetic_energy([=](const auto& at) {
        return sqr(at[dot(a)]) + at[dot(a)] * at[dot(b)] * cos(at[a] - at[b]) + sqr(at[dot(b)]) / 2;
      });
    } else {
      p.mass([=](const auto& at, auto& M) { M(a, a) = 2, M(a, b) = cos(at[a] - at[b]), M(b, b) = 1; });
    }
    const At at(p, 0, {1.0, 0.7, 0.4, -1.3});
    EXPECT_NEAR(at.M(0, 0), 2, 1e-15);
    EXPECT_NEAR(at.M(1, 0), std::cos(0.6), 1e-15);
    EXPECT_NEAR(at.M(1, 1), 1, 1e-15);
    EXPECT_NEAR(at.Q(0), -std::sin(0.6) * 1.3 * 1.3, 2e-15) << by_energy;
    EXPECT_NEAR(at.Q(1), std::sin(0.6) * 0.7 * 0.7, 2e-15) << by_energy;
  }
}

// T = m (r'² + r² (θ'² + sin² θ φ'²)) / 2
TEST(InertialTerms, OfSphericalCoordinatesAreTheKnownOnes) {
  const double m = 1.7, r = 1.2, th = 0.8, vr = -0.4, vt = 1.1, vp = -2.3, s = std::sin(th), c = std::cos(th);
  for (const char* way : {"mass", "kinetic energy", "black box"}) {
    Mechanics ball("ball");
    const auto R = ball.coordinate("r", r, vr), T = ball.coordinate("theta", th, vt),
               P = ball.coordinate("phi", 0.3, vp);
    const auto masses = [=](const auto& at, auto& M) {
      M(R, R) = m, M(T, T) = m * sqr(at[R]), M(P, P) = m * sqr(at[R] * sin(at[T]));
    };
    if (way == std::string("mass"))
      ball.mass(masses);
    else if (way == std::string("black box"))
      ball.mass(black_box(masses));
    else {
      ball.kinetic_energy([=](const auto& at) {
        return m / 2 * (sqr(at[dot(R)]) + sqr(at[R]) * (sqr(at[dot(T)]) + sqr(sin(at[T]) * at[dot(P)])));
      });
    }
    const At at(ball, 0, {r, vr, th, vt, 0.3, vp});
    const double accuracy = way == std::string("black box") ? 1e-9 : 1e-14;
    EXPECT_NEAR(at.Q(0), m * r * (vt * vt + s * s * vp * vp), accuracy) << way;
    EXPECT_NEAR(at.Q(1), -2 * m * r * vr * vt + m * r * r * s * c * vp * vp, accuracy) << way;
    EXPECT_NEAR(at.Q(2), -2 * m * r * s * vp * (s * vr + r * c * vt), accuracy) << way;
    EXPECT_EQ(at.terms.inertia().description(), way == std::string("black box")
                                                    ? "differences, 9 evaluations of the masses each"
                                                    : "exact (dual numbers)");
  }
}

TEST(InertialTerms, FollowTimeAndFurtherStates) {  // d/dt (m v) = 0 with m' = 1/2 + u u'
  Mechanics tank("tank");
  const auto x = tank.coordinate("x", 0, 3);
  const auto u = tank.state("u", 2);
  tank.rates([=](const auto& at, auto& d) { d[u] = -at[u] * at[dot(x)]; });
  tank.mass([=](const auto& at, auto& M) { M(x, x) = 1 + at.t / 2 + sqr(at[u]) / 2; });
  const At at(tank, 1, {0, 3, 2});
  EXPECT_TRUE(at.terms.inertia().reads_others());
  EXPECT_NEAR(at.Q(0), -(0.5 + 2 * -6) * 3, 1e-14);
}

// A turntable: T = ((x' - w y)² + (y' + w x)²) / 2 has all three parts, and Q = (w² x + 2 w y', w² y - 2 w x').
TEST(InertialTerms, OfAMovingFrameAreCoriolisAndCentrifugalForces) {
  Mechanics table("turntable");
  const auto x = table.coordinate("x", 1, 0.2), y = table.coordinate("y", 0.5, -0.3);
  const double w = 1.4;
  table.kinetic_energy([=](const auto& at) { return (sqr(at[dot(x)] - w * at[y]) + sqr(at[dot(y)] + w * at[x])) / 2; });
  const At at(table, 0, {1, 0.2, 0.5, -0.3});
  EXPECT_NEAR(at.Q(0), w * w * 1 + 2 * w * -0.3, 1e-14);
  EXPECT_NEAR(at.Q(1), w * w * 0.5 - 2 * w * 0.2, 1e-14);
  EXPECT_NEAR(at.M(0, 0), 1, 1e-15);
  EXPECT_NEAR(at.M(1, 0), 0, 1e-15);
}

TEST(InertialTerms, OfABodyAreItsGyroscopicTorque) {  // -w x I w, also where I is full, moves, or comes from T
  const std::vector<double> x{0.5, -0.5, 0.5, 0.5, 1.1, -2.3, 0.7};
  const Eigen::Vector3d w(1.1, -2.3, 0.7);
  Eigen::Matrix3d I;
  I << 1, 0.1, 0.2, 0.1, 2, -0.3, 0.2, -0.3, 3;
  const Eigen::Vector3d torque = -w.cross(I * w);
  for (const bool by_energy : {false, true}) {
    Mechanics body("body");
    const auto a = body.attitude("a", {0.5, -0.5, 0.5, 0.5}, {1.1, -2.3, 0.7});
    if (by_energy) {
      body.kinetic_energy([=](const auto& at) {
        const auto p = at[a.speed(0)], q = at[a.speed(1)], r = at[a.speed(2)];
        return (sqr(p) + 2 * sqr(q) + 3 * sqr(r)) / 2 + 0.1 * p * q + 0.2 * p * r - 0.3 * q * r;
      });
    } else {
      body.mass([=](const auto&, auto& M) {
        M(a.speed(0), a.speed(0)) = 1, M(a.speed(1), a.speed(1)) = 2, M(a.speed(2), a.speed(2)) = 3;
        M(a.speed(0), a.speed(1)) = 0.1, M(a.speed(0), a.speed(2)) = 0.2, M(a.speed(1), a.speed(2)) = -0.3;
      });
    }
    const At at(body, 0, x);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(at.Q(k), torque(k), 2e-15) << by_energy << k;
  }
  Mechanics ball("ball");
  const auto a = ball.attitude("a", {0.5, -0.5, 0.5, 0.5}, {1.1, -2.3, 0.7});
  for (int k = 0; k < 3; ++k) ball.mass(a.speed(k), 0.3);
  const At at(ball, 0, x);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(at.Q(k), 0);
}

// A body whose centre is at R(q) c from the pole (x, y, z): T of the point mass m there and of its own inertia, in
// coordinates of the pole and body rates. Newton's law for the centre and Euler's about it, in body axes, are the test.
TEST(InertialTerms, OfABodyAboutAnotherPoint) {
  const double m = 2;
  const Eigen::Vector3d c(0.3, -0.2, 0.5), J(0.4, 0.6, 0.7), w(1.1, -2.3, 0.7), v(0.3, 0.4, -0.9);
  Mechanics body("body");
  const auto x = body.coordinate("x", 0, v(0)), y = body.coordinate("y", 0, v(1)), z = body.coordinate("z", 0, v(2));
  const auto a = body.attitude("a", {0.5, -0.5, 0.1, std::sqrt(0.49)}, {w(0), w(1), w(2)});
  body.kinetic_energy([=](const auto& at) {
    const auto p = at[a.speed(0)], q = at[a.speed(1)], r = at[a.speed(2)];
    const auto e0 = at[a[0]], e1 = at[a[1]], e2 = at[a[2]], e3 = at[a[3]];
    const auto u0 = q * c(2) - r * c(1), u1 = r * c(0) - p * c(2), u2 = p * c(1) - q * c(0);  // w x c
    const auto vx =
        at[dot(x)] + (1 - 2 * (e2 * e2 + e3 * e3)) * u0 + 2 * (e1 * e2 - e0 * e3) * u1 + 2 * (e1 * e3 + e0 * e2) * u2;
    const auto vy =
        at[dot(y)] + 2 * (e1 * e2 + e0 * e3) * u0 + (1 - 2 * (e1 * e1 + e3 * e3)) * u1 + 2 * (e2 * e3 - e0 * e1) * u2;
    const auto vz =
        at[dot(z)] + 2 * (e1 * e3 - e0 * e2) * u0 + 2 * (e2 * e3 + e0 * e1) * u1 + (1 - 2 * (e1 * e1 + e2 * e2)) * u2;
    return m / 2 * (sqr(vx) + sqr(vy) + sqr(vz)) + (J(0) * sqr(p) + J(1) * sqr(q) + J(2) * sqr(r)) / 2;
  });
  const std::vector<double> state = Values(body).start();
  const At at(body, 0, state);
  // Without forces the accelerations solve M a = Q: the centre goes straight on, and Euler's equations hold about it.
  Eigen::MatrixXd M(6, 6);
  Vector Q(6);
  for (int i = 0; i < 6; ++i) {
    Q(i) = at.Q(i);
    for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = at.M(i, j);
  }
  const Vector acceleration = linear::Cholesky(M).solve(Q);
  const Eigen::Vector3d linear = acceleration.head(3), turning = acceleration.tail(3);
  const Eigen::Matrix3d R = Eigen::Quaterniond(0.5, -0.5, 0.1, std::sqrt(0.49)).toRotationMatrix();
  EXPECT_LE((linear + R * (turning.cross(c) + w.cross(w.cross(c)))).norm(), 1e-13);
  EXPECT_LE((J.cwiseProduct(turning) + w.cross(J.cwiseProduct(w))).norm(), 1e-13);
}

TEST(InertialTerms, ConstantMassesHaveNone) {
  Mechanics cart("cart");
  const auto x = cart.coordinate("x", 0, 1);
  const auto m = cart.parameter("m", 2);
  cart.mass([=](const auto& at, auto& M) { M(x, x) = at[m]; });
  const At at(cart, 0, {0, 1});
  EXPECT_TRUE(at.terms.inertia().is_zero());
  EXPECT_EQ(at.terms.inertia().description(), "none: the masses are constant");
}

/// A chain of links that are coupled with their neighbours only: its masses are kept in a pattern.
Mechanics chain(int n, bool by_energy) {
  Mechanics chain("chain");
  std::vector<Coordinate> q;
  for (int i = 0; i < n; ++i) q.push_back(chain.coordinate("q" + std::to_string(i), 0.3 * i, std::sin(1.0 + i)));
  for (int i = 0; i < n; ++i) {
    const auto one = q[static_cast<std::size_t>(i)];
    chain.mass(one, 3.0);
    if (i == 0) continue;
    const auto before = q[static_cast<std::size_t>(i) - 1];
    if (by_energy)
      chain.kinetic_energy([=](const auto& at) { return at[dot(one)] * at[dot(before)] * cos(at[one] - at[before]); });
    else
      chain.mass([=](const auto& at, auto& M) { M(one, before) = cos(at[one] - at[before]); });
  }
  return chain;
}

TEST(InertialTerms, OfManyCoordinatesAreFoundInFewPasses) {
  constexpr int n = 40;
  const std::vector<double> x = Values(chain(n, false)).start();
  const At at(chain(n, false), 0, x), by_energy(chain(n, true), 0, x);
  ASSERT_TRUE(at.terms.is_sparse());
  ASSERT_TRUE(by_energy.terms.is_sparse());
  const auto q = [&](int i) { return x[static_cast<std::size_t>(2 * i)]; };
  const auto v = [&](int i) { return x[static_cast<std::size_t>(2 * i + 1)]; };
  for (int i = 0; i < n; ++i) {
    double exact = 0;
    if (i > 0) exact -= std::sin(q(i) - q(i - 1)) * sqr(v(i - 1));
    if (i + 1 < n) exact += std::sin(q(i + 1) - q(i)) * sqr(v(i + 1));
    EXPECT_NEAR(at.Q(i), exact, 1e-14) << i;
    EXPECT_NEAR(by_energy.Q(i), exact, 1e-14) << i;
  }
}

// The power balance, identically in t, q and v: v . Q + v^T (dM/dt) v / 2 - dT/dt|t = 0 by differences of T.
TEST(InertialTerms, KeepThePowerBalance) {
  Mechanics any("any");
  const auto x = any.coordinate("x", 0.3, 0.7), y = any.coordinate("y", -0.4, 1.2);
  const auto a = any.attitude("a", {0.5, 0.5, -0.5, 0.5}, {0.4, -0.3, 0.6});
  any.mass(x, 2.0);
  for (int k = 0; k < 3; ++k) any.mass(a.speed(k), 0.5 + 0.1 * k);
  any.mass([=](const auto& at, auto& M) {
    M(y, y) = 1.5 + 0.3 * sin(at[x]);
    M(x, y) = 0.2 * at[y] * at[a[1]];
    M(a.speed(0), y) = 0.1 * cos(at[y]) * at[a[2]];
  });
  const std::vector<double> start = Values(any).start();
  const At at(any, 0, start);
  double power = 0;
  for (int i = 0; i < 5; ++i) power += at.Q(i) * start[static_cast<std::size_t>(i < 2 ? 2 * i + 1 : i + 6)];
  const auto energy_at = [&](double s) {  // along the motion with v held
    std::vector<double> moved = start;
    const auto& info = at.terms.info();
    for (std::size_t i = 0; i < info.positions.size(); ++i)
      moved[static_cast<std::size_t>(info.positions[i])] += s * at.terms.q_rate[i];
    const At there(any, 0, moved);
    double T = 0;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j)
        T += there.M(std::max(i, j), std::min(i, j)) / 2 * start[static_cast<std::size_t>(i < 2 ? 2 * i + 1 : i + 6)] *
             start[static_cast<std::size_t>(j < 2 ? 2 * j + 1 : j + 6)];
    }
    return T;
  };
  const double h = 1e-5;
  EXPECT_NEAR(power, -(energy_at(h) - energy_at(-h)) / (2 * h), 1e-9);
  EXPECT_GT(std::abs(power), 1e-3);
}

// ---- misuse, whole texts

TEST(InertialTerms, AMassThatReadsASpeedIsMisuse) {
  Mechanics cart("cart");
  const auto x = cart.coordinate("x", 0, 1);
  cart.mass([=](const auto& at, auto& M) { M(x, x) = 1 + sqr(at[dot(x)]); });
  EXPECT_EQ(misuse_of([&] { simulate(cart, {.end = 1}); }),
            "the mass matrix of 'cart' depends on 'x'': masses are functions of coordinates, further states and time.\n"
            "  try:    forces for what depends on speeds");
  Mechanics box("box");
  const auto y = box.coordinate("y", 0, 1);
  box.mass(black_box([=](const auto& at, auto& M) { M(y, y) = 1 + (at[dot(y)] > 0 ? 1 : 0); }));
  EXPECT_EQ(misuse_of([&] { simulate(box, {.end = 1}); }),
            "the mass matrix of 'box' depends on speeds in the row of 'y': masses are functions of coordinates, "
            "further states and time.\n"
            "  try:    forces for what depends on speeds");
}

TEST(InertialTerms, AnEnergyThatIsNotQuadraticIsMisuse) {
  Mechanics cart("cart");
  const auto x = cart.coordinate("x", 0, 1), y = cart.coordinate("y", 0, 1);
  cart.kinetic_energy([=](const auto& at) { return sqr(at[dot(x)]) / 2 + sqr(at[dot(y)]) * at[dot(y)]; });
  EXPECT_EQ(misuse_of([&] { simulate(cart, {.end = 1}); }),
            "a kinetic energy of 'cart' is not quadratic in the speed of 'y': its derivative by it does not grow in "
            "proportion.\n"
            "  try:    check its powers of speeds; energies that do not move belong to potential(...)");
}

}  // namespace
}  // namespace pawl
