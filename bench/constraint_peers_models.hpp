// Two mechanisms as a user of SUNDIALS writes them: by hand, every derivative included, on fixed sizes.
//
//   M(q) v' = f(q, v) - G^T λ,  g(q) = 0;  a state is (q, v).
//
// Terms are what IDA's residuals need; rates() is the index-1 ODE and project() the way back to g = 0, G v = 0, which
// CVODE needs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace pawl::bench {

template <int n, int m>
struct MechanismTerms {
  Eigen::Matrix<double, n, n> M;
  Eigen::Matrix<double, m, n> G;
  Eigen::Matrix<double, n, 1> f;
  Eigen::Matrix<double, m, 1> g;
};

/// A point mass on a rod: (x² + y² - 1) / 2 = 0, released horizontally.
struct HandPendulum {
  static constexpr int n = 2, m = 1;
  static constexpr double gravity = 9.81;
  static constexpr std::array<double, 2> start{1, 0};
  static constexpr double multiplier_tolerance = 0;  // in IDA: that of the other unknowns

  static MechanismTerms<n, m> terms(const double* q, const double* /*v*/) {
    MechanismTerms<n, m> all;
    all.M.setIdentity();
    all.G << q[0], q[1];
    all.f << 0, -gravity;
    all.g << (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return all;
  }
  static void multipliers(const double* s, double* lambda) {
    lambda[0] = (s[2] * s[2] + s[3] * s[3] - gravity * s[1]) / (s[0] * s[0] + s[1] * s[1]);
  }
  static void rates(const double* s, double* d) {
    double lambda = 0;
    multipliers(s, &lambda);
    d[0] = s[2];
    d[1] = s[3];
    d[2] = -lambda * s[0];
    d[3] = -lambda * s[1] - gravity;
  }
  /// What leads from s to the manifold; the error, if there is one, loses its part across it.
  static bool project(const double* s, double* correction, double* error) {
    const double inverse = 1 / std::sqrt(s[0] * s[0] + s[1] * s[1]);
    const double x = s[0] * inverse, y = s[1] * inverse, along = x * s[2] + y * s[3];
    correction[0] = x - s[0];
    correction[1] = y - s[1];
    correction[2] = -along * x;
    correction[3] = -along * y;
    if (error == nullptr) return true;
    for (const int k : {0, 2}) {
      const double across = x * error[k] + y * error[k + 1];
      error[k] -= across * x;
      error[k + 1] -= across * y;
    }
    return true;
  }
};

/// Andrews' squeezing mechanism, q = (β, Θ, γ, Φ, δ, Ω, ε). Its mass matrix has blocks (β, Θ), (γ), (Φ, δ), (Ω, ε),
/// which are inverted as such.
struct HandSqueezer {
  static constexpr int n = 7, m = 6;
  static constexpr std::array<double, 7> start{-0.0617138900142764496, 0,
                                               0.455279819163070380,   0.222668390165885885,
                                               0.487364979543842550,   -0.222668390165885885,
                                               1.23054744454982119};
  static constexpr double multiplier_tolerance = 1e6;  // in IDA: without it Newton fails at t = 0, at 1e-6 and below

  using Vector = Eigen::Matrix<double, n, 1>;
  using Rows = Eigen::Matrix<double, m, 1>;
  using Columns = Eigen::Matrix<double, n, m>;
  using Jacobian = Eigen::Matrix<double, m, n>;

  struct Turn {  // sine and cosine of every angle, and of the three sums that occur
    double sb, cb, sT, cT, sg, cg, sP, cP, sd, cd, sO, cO, se, ce, sbT, cbT, sPd, cPd, sOe, cOe;
    explicit Turn(const double* q)
        : sb(std::sin(q[0])),
          cb(std::cos(q[0])),
          sT(std::sin(q[1])),
          cT(std::cos(q[1])),
          sg(std::sin(q[2])),
          cg(std::cos(q[2])),
          sP(std::sin(q[3])),
          cP(std::cos(q[3])),
          sd(std::sin(q[4])),
          cd(std::cos(q[4])),
          sO(std::sin(q[5])),
          cO(std::cos(q[5])),
          se(std::sin(q[6])),
          ce(std::cos(q[6])),
          sbT(sb * cT + cb * sT),
          cbT(cb * cT - sb * sT),
          sPd(sP * cd + cP * sd),
          cPd(cP * cd - sP * sd),
          sOe(sO * ce + cO * se),
          cOe(cO * ce - sO * se) {}
  };

  static Rows values(const Turn& a) {
    const double x = rr * a.cb - d * a.cbT, y = rr * a.sb - d * a.sbT;
    return Rows{{x - ss * a.sg - xb, y + ss * a.cg - yb, x - e * a.sPd - zt * a.cd - xa, y + e * a.cPd - zt * a.sd - ya,
                 x - zf * a.cOe - u * a.se - xa, y - zf * a.sOe + u * a.ce - ya}};
  }
  static Jacobian jacobian(const Turn& a) {
    Jacobian G = Jacobian::Zero();
    const double xT = d * a.sbT, yT = -d * a.cbT, xb_ = xT - rr * a.sb, yb_ = yT + rr * a.cb;
    for (int r = 0; r < m; r += 2) {
      G(r, 0) = xb_;
      G(r, 1) = xT;
      G(r + 1, 0) = yb_;
      G(r + 1, 1) = yT;
    }
    G(0, 2) = -ss * a.cg;
    G(1, 2) = -ss * a.sg;
    G(2, 3) = -e * a.cPd;
    G(2, 4) = -e * a.cPd + zt * a.sd;
    G(3, 3) = -e * a.sPd;
    G(3, 4) = -e * a.sPd - zt * a.cd;
    G(4, 5) = zf * a.sOe;
    G(4, 6) = zf * a.sOe - u * a.ce;
    G(5, 5) = -zf * a.cOe;
    G(5, 6) = -zf * a.cOe - u * a.se;
    return G;
  }
  // The second derivative of g along the motion, less G v'.
  static Rows curvature(const Turn& a, const double* v) {
    const auto sq = [](double w) { return w * w; };
    const double b = v[0] * v[0], bT = sq(v[0] + v[1]), Pd = sq(v[3] + v[4]), Oe = sq(v[5] + v[6]);
    const double x = -rr * a.cb * b + d * a.cbT * bT, y = -rr * a.sb * b + d * a.sbT * bT;
    return Rows{{x + ss * a.sg * v[2] * v[2], y - ss * a.cg * v[2] * v[2], x + e * a.sPd * Pd + zt * a.cd * v[4] * v[4],
                 y - e * a.cPd * Pd + zt * a.sd * v[4] * v[4], x + zf * a.cOe * Oe + u * a.se * v[6] * v[6],
                 y + zf * a.sOe * Oe - u * a.ce * v[6] * v[6]}};
  }
  static Vector force(const Turn& a, const double* v) {
    const double first = m2 * da * rr * a.sT, second = m4 * zt * (e - ea) * a.cP, third = m6 * u * (zf - fa) * a.cO;
    const double xd = sd * a.cg + sc * a.sg + xb - xc, yd = sd * a.sg - sc * a.cg + yb - yc;
    const double length = std::sqrt(xd * xd + yd * yd), pull = c0 * (length - l0) / length;
    return Vector{{torque - first * v[1] * (v[1] + 2 * v[0]), first * v[0] * v[0],
                   -pull * (xd * (sc * a.cg - sd * a.sg) + yd * (sd * a.cg + sc * a.sg)), second * v[4] * v[4],
                   -second * v[3] * (v[3] + 2 * v[4]), -third * v[6] * v[6], third * v[5] * (v[5] + 2 * v[6])}};
  }

  struct Mass {  // entries of the blocks
    double bb, bT, TT, gg, PP, Pd, dd, OO, Oe, ee;
    explicit Mass(const Turn& a)
        : bb(m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * a.cT + da * da) + I1 + I2),
          bT(m2 * (da * da - da * rr * a.cT) + I2),
          TT(m2 * da * da + I2),
          gg(m3 * (sa * sa + sb * sb) + I3),
          PP(m4 * (e - ea) * (e - ea) + I4),
          Pd(m4 * ((e - ea) * (e - ea) + zt * (e - ea) * a.sP) + I4),
          dd(m4 * (zt * zt + 2 * zt * (e - ea) * a.sP + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5),
          OO(m6 * (zf - fa) * (zf - fa) + I6),
          Oe(m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * a.sO) + I6),
          ee(m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * a.sO + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7) {}
  };
  // M^-1, block by block, and the factors of G M^-1 G^T.
  struct Factors {
    Jacobian G;
    Columns across;  // M^-1 G^T
    Eigen::LLT<Eigen::Matrix<double, m, m>> S;
    double bb, bT, TT, gg, PP, Pd, dd, OO, Oe, ee;

    explicit Factors(const Turn& a) : G(jacobian(a)) {
      const Mass M(a);
      const auto invert = [](double p, double q, double r, double& ip, double& iq, double& ir) {
        const double inverse = 1 / (p * r - q * q);
        ip = r * inverse;
        iq = -q * inverse;
        ir = p * inverse;
      };
      invert(M.bb, M.bT, M.TT, bb, bT, TT);
      invert(M.PP, M.Pd, M.dd, PP, Pd, dd);
      invert(M.OO, M.Oe, M.ee, OO, Oe, ee);
      gg = 1 / M.gg;
      for (int r = 0; r < m; ++r) across.col(r) = solve_mass(G.row(r).transpose());
      S.compute(G.lazyProduct(across));
    }
    Vector solve_mass(const Vector& f) const {
      return Vector{{bb * f[0] + bT * f[1], bT * f[0] + TT * f[1], gg * f[2], PP * f[3] + Pd * f[4],
                     Pd * f[3] + dd * f[4], OO * f[5] + Oe * f[6], Oe * f[5] + ee * f[6]}};
    }
    /// The least change of a position or speed whose residual is r.
    Vector pull(const Rows& r) const { return -across.lazyProduct(S.solve(r)); }
  };

  static MechanismTerms<n, m> terms(const double* q, const double* v) {
    const Turn a(q);
    const Mass M(a);
    MechanismTerms<n, m> all{Eigen::Matrix<double, n, n>::Zero(), jacobian(a), force(a, v), values(a)};
    all.M.diagonal() << M.bb, M.TT, M.gg, M.PP, M.dd, M.OO, M.ee;
    all.M(0, 1) = all.M(1, 0) = M.bT;
    all.M(3, 4) = all.M(4, 3) = M.Pd;
    all.M(5, 6) = all.M(6, 5) = M.Oe;
    return all;
  }
  static void multipliers(const double* s, double* lambda) {
    const Turn a(s);
    const Factors at(a);
    const Rows all = at.S.solve(Rows(at.G * at.solve_mass(force(a, s + n)) + curvature(a, s + n)));
    std::copy(all.begin(), all.end(), lambda);
  }
  static void rates(const double* s, double* rate) {
    const Turn a(s);
    const Factors at(a);
    const Vector free = at.solve_mass(force(a, s + n));
    const Rows lambda = at.S.solve(Rows(at.G.lazyProduct(free) + curvature(a, s + n)));
    std::copy(s + n, s + 2 * n, rate);
    Eigen::Map<Vector>(rate + n) = free - at.across.lazyProduct(lambda);
  }
  /// Newton with the matrices of the given point, to rounding: positions, then speeds at the projected positions.
  static bool project(const double* s, double* correction, double* error) {
    const Factors at{Turn(s)};
    Vector q = Eigen::Map<const Vector>(s), v = Eigen::Map<const Vector>(s + n);
    constexpr double enough = 1e-16;
    for (int k = 0;; ++k) {
      const Rows g = values(Turn(q.data()));
      if (g.cwiseAbs().maxCoeff() <= enough) break;
      if (k == 4) {
        if (g.cwiseAbs().maxCoeff() > 1e-13) return false;  // too far away: CVODE takes a smaller step
        break;
      }
      q += at.pull(g);
    }
    const Jacobian G = jacobian(Turn(q.data()));
    for (int k = 0; k < 2; ++k) v += at.pull(G * v);
    Eigen::Map<Vector>(correction + 0 * n) = q - Eigen::Map<const Vector>(s);
    Eigen::Map<Vector>(correction + n) = v - Eigen::Map<const Vector>(s + n);
    if (error == nullptr) return true;
    for (const int k : {0, n}) {
      Eigen::Map<Vector> part(error + k);
      part += at.pull(at.G * part);
    }
    return true;
  }

 private:
  static constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                          m7 = 0.05498, I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                          I6 = 5.667e-7, I7 = 1.912e-5, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273,
                          xc = 0.014, yc = 0.072, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007,
                          ra = 0.00092, l0 = 0.07785, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02,
                          ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                          fa = 0.01421, c0 = 4530, torque = 0.033;
};

}  // namespace pawl::bench
