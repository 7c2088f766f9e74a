// The terms of a mechanism against formulas derived by hand: automatic differentiation is exact to rounding.
#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Dense>

#include "formulate/mechanics_form.hpp"
#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

using formulate::MechanicsTerms;
using testing::misuse_of;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The terms of a system at one state, evaluated once.
class TermsAt {
 public:
  TermsAt(const System& system, double t, std::vector<double> x)
      : held_(Values(system).held()), model_(system.share()), terms_(*model_), x_(std::move(x)), t_(t) {
    terms_.lock(held_);
    terms_.arrange(t, x_.data(), terms_.rows_in_force());
    terms_.rate_of_positions(x_.data());
    terms_.evaluate_inertia(t, x_.data(), nullptr);
    terms_.evaluate_force(t, x_.data());
    terms_.add_inertial();
    terms_.evaluate_jacobian(t, x_.data());
    terms_.evaluate_motion(t, x_.data());
  }

  MechanicsTerms& terms() { return terms_; }
  Matrix G() const {
    Matrix all = Matrix::Zero(terms_.rows(), terms_.size());
    const auto& pattern = terms_.pattern();
    for (int r = 0; r < terms_.rows(); ++r) {
      for (int k = pattern.first[size(r)]; k < pattern.first[size(r + 1)]; ++k)
        all(r, pattern.column[size(k)]) = terms_.jacobian[size(k)];
    }
    return all;
  }
  Matrix M() const {
    const int n = terms_.size();
    Matrix all(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) all(i, j) = all(j, i) = terms_.mass[size(i * n + j)];
    }
    return all;
  }
  Vector f() const { return Eigen::Map<const Vector>(terms_.force.data(), terms_.size()); }
  Vector g() const { return Eigen::Map<const Vector>(terms_.value.data(), terms_.rows()); }
  Vector slope() const { return Eigen::Map<const Vector>(terms_.slope.data(), terms_.rows()); }
  Vector gamma() const { return Eigen::Map<const Vector>(terms_.gamma.data(), terms_.rows()); }
  Matrix slope_by_positions() {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> all(terms_.rows(), terms_.size());
    terms_.evaluate_slope_jacobian(t_, x_.data(), all.data());
    return all;
  }

 private:
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }

  Held held_;
  std::shared_ptr<const System::Declarations> model_;
  MechanicsTerms terms_;
  std::vector<double> x_;
  double t_;
};

template <class A, class B>
void expect_equal(const A& ours, const B& exact, const char* what, double tolerance = 1e-13) {
  ASSERT_EQ(ours.rows(), exact.rows()) << what;
  ASSERT_EQ(ours.cols(), exact.cols()) << what;
  const double scale = std::max(1.0, exact.cwiseAbs().maxCoeff());
  EXPECT_LE((ours - exact).cwiseAbs().maxCoeff(), tolerance * scale) << what << "\nours\n"
                                                                     << ours << "\nexact\n"
                                                                     << exact;
}

const System& system_named(const char* name) {
  return find_problem(name).system;
}

/// Positions and speeds in turn, as the catalogue declares them.
std::vector<double> interleaved(const std::vector<double>& q, const std::vector<double>& v) {
  std::vector<double> x;
  for (std::size_t i = 0; i < q.size(); ++i) {
    x.push_back(q[i]);
    x.push_back(v[i]);
  }
  return x;
}

// ---- Andrews' squeezer ----

namespace andrews {
constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                 I7 = 1.912e-5;
constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, l0 = .07785, ss = .035,
                 sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228,
                 ub = .00449, zf = .02, zt = .04, fa = .01421, mom = .033, c0 = 4530;
const std::vector<double> q{0.3, -0.7, 0.4, 0.2, 0.5, -0.25, 1.2}, v{310, -270, 25, 70, -8, -66, 21};
}  // namespace andrews

TEST(MechanicsTerms, OfTheSqueezerAreThePublishedOnes) {
  using namespace andrews;
  TermsAt at(system_named("squeezer"), 0, interleaved(q, v));
  const double b = q[0], T = q[1], gam = q[2], P = q[3], del = q[4], O = q[5], eps = q[6];
  const double vb = v[0], vT = v[1], vg = v[2], vP = v[3], vd = v[4], vO = v[5], ve = v[6];
  using std::cos, std::sin;

  Matrix G = Matrix::Zero(6, 7);
  const double Xb = -rr * sin(b) + d * sin(b + T), XT = d * sin(b + T), Yb = rr * cos(b) - d * cos(b + T),
               YT = -d * cos(b + T);
  for (const int row : {0, 2, 4}) {
    G(row, 0) = Xb;
    G(row, 1) = XT;
    G(row + 1, 0) = Yb;
    G(row + 1, 1) = YT;
  }
  G(0, 2) = -ss * cos(gam);
  G(1, 2) = -ss * sin(gam);
  G(2, 3) = -e * cos(P + del);
  G(2, 4) = -e * cos(P + del) + zt * sin(del);
  G(3, 3) = -e * sin(P + del);
  G(3, 4) = -e * sin(P + del) - zt * cos(del);
  G(4, 5) = zf * sin(O + eps);
  G(4, 6) = zf * sin(O + eps) - u * cos(eps);
  G(5, 5) = -zf * cos(O + eps);
  G(5, 6) = -zf * cos(O + eps) - u * sin(eps);
  expect_equal(at.G(), G, "G");

  const double Xq = -rr * cos(b) * vb * vb + d * cos(b + T) * sqr(vb + vT),
               Yq = -rr * sin(b) * vb * vb + d * sin(b + T) * sqr(vb + vT);
  Vector gamma(6);
  gamma << Xq + ss * sin(gam) * vg * vg, Yq - ss * cos(gam) * vg * vg,
      Xq + e * sin(P + del) * sqr(vP + vd) + zt * cos(del) * vd * vd,
      Yq - e * cos(P + del) * sqr(vP + vd) + zt * sin(del) * vd * vd,
      Xq + zf * cos(O + eps) * sqr(vO + ve) + u * sin(eps) * ve * ve,
      Yq + zf * sin(O + eps) * sqr(vO + ve) - u * cos(eps) * ve * ve;
  expect_equal(at.gamma(), gamma, "gamma");
  expect_equal(at.slope(), (G * Eigen::Map<const Vector>(v.data(), 7)).eval(), "dg/dt");

  const double X = rr * cos(b) - d * cos(b + T), Y = rr * sin(b) - d * sin(b + T);
  Vector g(6);
  g << X - ss * sin(gam) - xb, Y + ss * cos(gam) - yb, X - e * sin(P + del) - zt * cos(del) - xa,
      Y + e * cos(P + del) - zt * sin(del) - ya, X - zf * cos(O + eps) - u * sin(eps) - xa,
      Y - zf * sin(O + eps) + u * cos(eps) - ya;
  expect_equal(at.g(), g, "g");

  Matrix M = Matrix::Zero(7, 7);
  M(0, 0) = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(T) + da * da) + I1 + I2;
  M(1, 0) = M(0, 1) = m2 * (da * da - da * rr * cos(T)) + I2;
  M(1, 1) = m2 * da * da + I2;
  M(2, 2) = m3 * (sa * sa + sb * sb) + I3;
  M(3, 3) = m4 * sqr(e - ea) + I4;
  M(4, 3) = M(3, 4) = m4 * (sqr(e - ea) + zt * (e - ea) * sin(P)) + I4;
  M(4, 4) = m4 * (zt * zt + 2 * zt * (e - ea) * sin(P) + sqr(e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5;
  M(5, 5) = m6 * sqr(zf - fa) + I6;
  M(6, 5) = M(5, 6) = m6 * (sqr(zf - fa) - u * (zf - fa) * sin(O)) + I6;
  M(6, 6) = m6 * (sqr(zf - fa) - 2 * u * (zf - fa) * sin(O) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
  expect_equal((at.M() / M(6, 6)).eval(), (M / M(6, 6)).eval(), "M");

  const double xd = sd * cos(gam) + sc * sin(gam) + xb, yd = sd * sin(gam) - sc * cos(gam) + yb,
               L = std::hypot(xd - xc, yd - yc), F = -c0 * (L - l0) / L, Fx = F * (xd - xc), Fy = F * (yd - yc);
  Vector f(7);
  f << mom - m2 * da * rr * vT * (vT + 2 * vb) * sin(T), m2 * da * rr * vb * vb * sin(T),
      Fx * (sc * cos(gam) - sd * sin(gam)) + Fy * (sd * cos(gam) + sc * sin(gam)),
      m4 * zt * (e - ea) * vd * vd * cos(P), -m4 * zt * (e - ea) * vP * (vP + 2 * vd) * cos(P),
      -m6 * u * (zf - fa) * ve * ve * cos(O), m6 * u * (zf - fa) * vO * (vO + 2 * ve) * cos(O);
  expect_equal(at.f(), f, "f");
}

TEST(MechanicsTerms, OfARheonomicConstraintHaveItsTimeDerivatives) {
  const System& arm = system_named("arm-sine");
  const double w = 0.5, t = 1.3, q1 = 0.9, q2 = -1.7, v1 = 2.1, v2 = -3.4;
  TermsAt at(arm, t, {q1, v1, q2, v2});
  const double c1 = std::cos(q1), c12 = std::cos(q1 + q2), s1 = std::sin(q1), s12 = std::sin(q1 + q2);
  const double c2 = std::cos(q2), s2 = std::sin(q2), m = 36, g0 = 9.81;
  Matrix G(1, 2);
  G << c1 + c12, c12;
  expect_equal(at.G(), G, "G");
  EXPECT_NEAR(at.g()(0), s1 + s12 - sqr(std::sin(w * t)), 1e-13);
  EXPECT_NEAR(at.slope()(0), G(0, 0) * v1 + G(0, 1) * v2 - w * std::sin(2 * w * t), 1e-13);
  EXPECT_NEAR(at.gamma()(0), -s1 * v1 * v1 - s12 * sqr(v1 + v2) - 2 * w * w * std::cos(2 * w * t), 1e-13);
  Matrix by_q(1, 2);
  by_q << -s1 * v1 - s12 * (v1 + v2), -s12 * (v1 + v2);
  expect_equal(at.slope_by_positions(), by_q, "d(dg/dt)/dq");
  Matrix M(2, 2);
  M << m / 3 + m * (1 + 1. / 3 + c2), m * (1. / 3 + c2 / 2), m * (1. / 3 + c2 / 2), m / 3;
  expect_equal(at.M(), M, "M");
  Vector f(2);
  f << -m * g0 * c1 / 2 - m * g0 * (c1 + c12 / 2) + m * s2 / 2 * (2 * v1 * v2 + v2 * v2),
      -m * g0 * c12 / 2 - m * s2 / 2 * v1 * v1;
  expect_equal(at.f(), f, "f");
}

TEST(MechanicsTerms, OfAFunctionOfTimeAndPositionHaveTheMixedDerivativeTwice) {
  Mechanics one("one");  // g = q² sin t: γ = 2 v² sin t + 4 q v cos t - q² sin t
  const auto q = one.coordinate("q", 0.7, 1.9);
  one.mass(q, 1.0);
  one.constraint("c", [=](const auto& at) { return sqr(at[q]) * sin(at.t); });
  const double t = 0.8, x = 0.7, v = 1.9;
  TermsAt at(one, t, {x, v});
  EXPECT_NEAR(at.slope()(0), 2 * x * v * std::sin(t) + x * x * std::cos(t), 1e-15 * 8);
  EXPECT_NEAR(at.gamma()(0), 2 * v * v * std::sin(t) + 4 * x * v * std::cos(t) - x * x * std::sin(t), 1e-14);
}

TEST(MechanicsTerms, OfTheRollingSpheresAreThoseOfTheSource) {
  const double R = 0.55, r = 0.05, m = 1, I = 0.4 * m * r * r;
  const std::vector<double> q{0.6, -0.3, 1.8, 0.7, 1.1, 2.2}, v{0.2, -0.1, 0.15, 2.3, -1.4, 0.6};
  TermsAt at(system_named("rolling-spheres"), 0, interleaved(q, v));
  EXPECT_EQ(at.terms().holonomic(), 1);
  const double th = q[4], psi = q[5], st = std::sin(th), ct = std::cos(th), sp = std::sin(psi), cp = std::cos(psi);
  const double phi_ = v[3], theta_ = v[4];
  Matrix G(3, 6);
  G << 1, 0, 0, 0, 0, 0,                     //
      0, R + r, 0, -r * st * cp, r * sp, 0,  //
      0, 0, R + r, -r * st * sp, -r * cp, 0;
  expect_equal(at.G(), G, "Jq, Jv", 1e-15);
  Matrix Jqn = Matrix::Zero(3, 6);
  Jqn(1, 4) = -r * phi_ * ct * cp;
  Jqn(1, 5) = r * phi_ * st * sp + r * theta_ * cp;
  Jqn(2, 4) = -r * phi_ * ct * sp;
  Jqn(2, 5) = -r * phi_ * st * cp + r * theta_ * sp;
  expect_equal(at.slope_by_positions(), Jqn, "Jqn", 1e-15);
  const Vector speeds = Eigen::Map<const Vector>(v.data(), 6);
  expect_equal(at.gamma(), (Jqn * speeds).eval(), "gamma", 1e-15);
  expect_equal(at.slope(), (G * speeds).eval(), "speed residuals", 1e-15);
  const double rho = q[0], ca = std::cos(q[1]), sa = std::sin(q[1]);
  Matrix M = Vector((Vector(6) << m, m * rho * rho, m * rho * rho * ca * ca, I, I, I).finished()).asDiagonal();
  M(3, 5) = M(5, 3) = I * ct;
  expect_equal(at.M(), M, "M", 1e-15);
  Vector V(6);
  V << -m * rho * (sqr(v[1]) + sqr(v[2]) * ca * ca), m * rho * (2 * v[0] * v[1] + rho * sqr(v[2]) * ca * sa),
      2 * m * rho * (v[0] * v[2] * ca * ca - rho * v[2] * v[1] * ca * sa), -I * v[4] * v[5] * st, I * v[3] * v[5] * st,
      -I * v[3] * v[4] * st;
  expect_equal(at.f(), (-V).eval(), "-V", 1e-15);
}

TEST(MechanicsTerms, OfTheRodPendulumAreThoseOfTheSource) {
  const double l = 1, m = 36, th = 0.4, w = -1.3;
  TermsAt at(system_named("rod-pendulum"), 0, {0.3, 0.1, 0.2, -0.4, th, w});
  const double s = l / 2 * std::sin(th), c = l / 2 * std::cos(th);
  Matrix J(2, 3);
  J << 1, 0, s, 0, 1, -c;
  expect_equal(at.G(), J, "J", 1e-15);
  expect_equal(at.gamma(), Eigen::Vector2d(c * w * w, s * w * w), "Jqq v v", 1e-15);
  expect_equal(at.M(), Matrix(Eigen::Vector3d(m, m, m * l * l / 12).asDiagonal()), "M", 1e-15);
  expect_equal(at.f(), Eigen::Vector3d(m * 9.81, 0, 0), "the force is -dV/dq", 1e-15);
}

// ---- attitudes ----

struct Body {
  Mechanics mechanics{"body"};
  Attitude a = mechanics.attitude("a", {0.5, -0.1, 0.7, 0.5}, {1.1, -2.3, 0.7});
  std::array<double, 3> arm{0.3, -0.2, 0.9};

  std::vector<double> x() const { return Values(mechanics).start(); }
  Eigen::Vector3d w() const { return {x()[4], x()[5], x()[6]}; }
  Eigen::Vector3d u() const { return {arm[0], arm[1], arm[2]}; }
  Eigen::Quaterniond orientation() const { return {x()[0], x()[1], x()[2], x()[3]}; }
};

Body body() {
  Body body;
  for (int i = 0; i < 3; ++i) body.mechanics.mass(body.a.speed(i), 1.0 + i);
  return body;
}

TEST(MechanicsTerms, AnAttitudeTurnsByHalfTheProductWithItsAngularVelocity) {
  Body one = body();
  one.mechanics.constraint("parts", [a = one.a](const auto& at) {
    return std::array{at[a[0]], at[a[1]], at[a[2]], at[a[3]]};
  });
  TermsAt at(one.mechanics, 0, one.x());
  const Eigen::Quaterniond q = one.orientation(), spin(0, one.w()(0), one.w()(1), one.w()(2)), rate = q * spin;
  const Eigen::Vector4d exact(rate.w() / 2, rate.x() / 2, rate.y() / 2, rate.z() / 2);
  expect_equal(at.slope(), exact, "q' = S(q) w = q w / 2", 1e-15);
  expect_equal((at.G() * one.w()).eval(), exact, "G = S(q)", 1e-15);
  expect_equal(Vector(Eigen::Map<const Vector>(at.terms().q_rate.data(), 4)), exact, "the rate of the positions",
               1e-15);
  // With w constant q'' = q w w / 4 = -|w|² q / 4.
  const Eigen::Vector4d second = -one.w().squaredNorm() / 4 * Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
  expect_equal(at.gamma(), second, "q''", 4e-15);
}

TEST(MechanicsTerms, APointOfABodyMovesAsItTurns) {
  Body one = body();
  one.mechanics.constraint("point", [a = one.a, u = one.arm](const auto& at) {  // R(q) u
    const auto w = at[a[0]], x = at[a[1]], y = at[a[2]], z = at[a[3]];
    return std::array{
        (sqr(w) + sqr(x) - sqr(y) - sqr(z)) * u[0] + 2 * (x * y - w * z) * u[1] + 2 * (x * z + w * y) * u[2],
        2 * (x * y + w * z) * u[0] + (sqr(w) - sqr(x) + sqr(y) - sqr(z)) * u[1] + 2 * (y * z - w * x) * u[2],
        2 * (x * z - w * y) * u[0] + 2 * (y * z + w * x) * u[1] + (sqr(w) - sqr(x) - sqr(y) + sqr(z)) * u[2]};
  });
  TermsAt at(one.mechanics, 0, one.x());
  const Eigen::Matrix3d R = one.orientation().normalized().toRotationMatrix();
  const double length2 = one.orientation().squaredNorm();  // 1 to rounding
  const Eigen::Vector3d w = one.w(), u = one.u();
  const auto cross = [](const Eigen::Vector3d& b) {
    Eigen::Matrix3d m;
    m << 0, -b(2), b(1), b(2), 0, -b(0), -b(1), b(0), 0;
    return m;
  };
  expect_equal(at.g(), (length2 * R * u).eval(), "R u", 1e-14);
  expect_equal(at.slope(), (R * w.cross(u)).eval(), "R (w x u)", 1e-14);
  expect_equal(at.gamma(), (R * w.cross(w.cross(u))).eval(), "R (w x (w x u))", 1e-14);
  expect_equal(at.G(), (-R * cross(u)).eval(), "a small turn d moves it by R (d x u)", 1e-14);
  expect_equal(at.slope_by_positions(), (-R * cross(w.cross(u))).eval(), "and its speed by R (d x (w x u))", 1e-14);
}

TEST(MechanicsTerms, AnAttitudesPotentialIsATorqueInBodyAxes) {
  Body one = body();
  const double weight = 3.7;
  one.mechanics.potential([a = one.a, u = one.arm, weight](const auto& at) {  // weight times the height of R u
    const auto w = at[a[0]], x = at[a[1]], y = at[a[2]], z = at[a[3]];
    return weight *
           (2 * (x * z - w * y) * u[0] + 2 * (y * z + w * x) * u[1] + (sqr(w) - sqr(x) - sqr(y) + sqr(z)) * u[2]);
  });
  TermsAt at(one.mechanics, 0, one.x());
  const Eigen::Vector3d up = one.orientation().normalized().toRotationMatrix().transpose() * Eigen::Vector3d::UnitZ();
  const Eigen::Vector3d torque = one.u().cross(-weight * up), momentum(one.w()(0), 2 * one.w()(1), 3 * one.w()(2));
  expect_equal(at.f(), (torque - one.w().cross(momentum)).eval(), "u x F - w x I w in body axes", 1e-14);
  expect_equal(at.M(), Matrix(Eigen::Vector3d(1, 2, 3).asDiagonal()), "M", 1e-16);
}

// ---- sparsity ----

TEST(MechanicsTerms, AChainsPatternGrowsWithItsLinksAlone) {
  for (const int n : {10, 40, 200}) {
    const System chain = system_of(find_problem("chain"), {{"n", n}});
    Values values(chain);
    values.set("n", n);
    TermsAt at(chain, 0, values.start());
    const auto& G = at.terms().pattern();
    ASSERT_EQ(G.rows(), 2 * n);
    for (int r = 0; r < G.rows(); ++r)
      EXPECT_LE(G.first[static_cast<std::size_t>(r + 1)] - G.first[static_cast<std::size_t>(r)], r < 2 ? 3 : 6);
    EXPECT_TRUE(at.terms().is_sparse());
    EXPECT_EQ(at.terms().mass_pattern().entries(), 3 * n);  // a diagonal
    for (int i = 0; i < 3 * n; ++i) EXPECT_EQ(at.terms().mass_pattern().column[static_cast<std::size_t>(i)], i);
  }
}

TEST(MechanicsTerms, ManyCoordinatesInOneConstraintAreDifferentiatedInGroups) {
  Mechanics sum("sum");  // more than the eight directions of a dual
  std::vector<Coordinate> q;
  for (int i = 0; i < 21; ++i) {
    q.push_back(sum.coordinate("q" + std::to_string(i), 0.1 * i, 1 - 0.2 * i));
    sum.mass(q.back(), 1.0);
  }
  sum.constraint("c", [=](const auto& at) {
    auto total = sqr(at[q[0]]);
    for (std::size_t i = 1; i < q.size(); ++i) total += static_cast<double>(i + 1) * sqr(at[q[i]]) * at[q[i - 1]];
    return total;
  });
  const auto x = Values(sum).start();
  TermsAt at(sum, 0, x);
  Matrix G(1, 21);
  for (int i = 0; i < 21; ++i) {
    const auto at_q = [&](int k) { return x[static_cast<std::size_t>(2 * k)]; };
    G(0, i) = i == 0 ? 2 * at_q(0) : 2 * (i + 1) * at_q(i) * at_q(i - 1);
    if (i < 20) G(0, i) += (i + 2) * sqr(at_q(i + 1));
  }
  expect_equal(at.G(), G, "G");
}

// ---- what a function may read ----

TEST(MechanicsTerms, AConstraintOnPositionsMayNotReadSpeedsOrOtherStates) {
  const auto message_with = [](auto read) {
    Mechanics model("model");
    const auto q = model.coordinate("q", 0);
    const auto tank = model.state("tank", 1);
    model.mass(q, 1.0);
    model.rates([=](const auto&, auto& d) { d[tank] = 0.0; });
    model.constraint("wall", [=](const auto& at) { return read(at, q, tank); });
    return misuse_of([&] { TermsAt(model, 0, Values(model).start()); });
  };
  EXPECT_NE(message_with([](const auto& at, Coordinate q, State) {
              return at[dot(q)];
            }).find("constraint 'wall' depends on 'q''"),
            std::string::npos);
  EXPECT_NE(message_with([](const auto& at, Coordinate q, State tank) {
              return at[q] + at[tank];
            }).find("constraint 'wall' depends on 'tank'"),
            std::string::npos);
  EXPECT_EQ(message_with([](const auto& at, Coordinate q, State) { return at[q]; }), "no misuse");
}

}  // namespace
}  // namespace pawl
