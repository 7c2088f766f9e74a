// Published problems as equations of a Model, with the numbers of the catalogue (src/problems).
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pawl/model/model.hpp"

namespace pawl::model {

/// Lagrange's equations, made on the graph: q' = v, (dT/dv)' = d(T - V)/dq + Σ λ dg/dq, 0 = g. Observables "g1", ...
/// and "g1'", ...: the constraints, and their derivatives along the motion.
inline void add_lagrange(Model& m, const std::vector<Expr>& q, const std::vector<Expr>& v, const Expr& T, const Expr& V,
                         const std::vector<Expr>& g) {
  Graph& graph = *m.data().graph;
  const auto index = [&](const Expr& x) { return static_cast<std::size_t>(graph[x.node()].a); };
  const std::size_t unknowns = m.data().unknowns.size();
  std::vector<Expr> momentum(unknowns, 0.0), force(unknowns, 0.0);
  for (const Entry& one : graph.jacobian({T.node()}, Op::state))
    momentum[static_cast<std::size_t>(one.column)] = Expr(graph, one.node);
  for (const Entry& one : graph.jacobian({(T - V).node()}, Op::state))
    force[static_cast<std::size_t>(one.column)] = Expr(graph, one.node);
  std::vector<int> rows;
  for (const Expr& one : g) rows.push_back(one.node());
  std::vector<Expr> multipliers;
  for (std::size_t k = 0; k < g.size(); ++k) multipliers.push_back(m.variable(fmt::format("lambda{}", k + 1)));
  for (const Entry& one : graph.jacobian(rows, Op::state)) {
    const auto i = static_cast<std::size_t>(one.column);
    force[i] = force[i] + multipliers[static_cast<std::size_t>(one.row)] * Expr(graph, one.node);
  }
  std::vector<int> rates(unknowns, graph.constant(0));
  for (std::size_t i = 0; i < q.size(); ++i) {
    m.equation(der(q[i]), v[i]);
    m.equation(der(momentum[index(v[i])]), force[index(q[i])]);
    rates[index(q[i])] = v[i].node();
  }
  const std::vector<int> slopes = graph.differentiated(rows, rates);
  for (std::size_t k = 0; k < g.size(); ++k) {
    m.equation(g[k], 0.0);
    m.observable(fmt::format("g{}", k + 1), g[k]);
    m.observable(fmt::format("g{}'", k + 1), Expr(graph, slopes[k]));
  }
}

inline Model squeezer() {
  constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                   I7 = 1.912e-5;
  constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, l0 = 0.07785, ss = 0.035,
                   sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
                   ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, c0 = 4530;
  Model m("andrews");
  const std::array<const char*, 7> names{"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
  const std::array<double, 7> starts{-0.0617138900142764496, 0,
                                     0.455279819163070380,   0.222668390165885885,
                                     0.487364979543842550,   -0.222668390165885885,
                                     1.23054744454982119};
  std::vector<Expr> q, v;
  for (std::size_t i = 0; i < 7; ++i) {
    q.push_back(m.state(names[i], starts[i]));
    v.push_back(m.state(fmt::format("{}'", names[i]), 0.0));
  }
  const Expr torque = m.parameter("torque", 0.033);
  const auto &be = q[0], &th = q[1], &ga = q[2], &ph = q[3], &de = q[4], &om = q[5], &ep = q[6];
  const Expr Mbb = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(th) + da * da) + I1 + I2,
             Mtb = m2 * (da * da - da * rr * cos(th)) + I2, Mtt = m2 * da * da + I2,
             Mgg = m3 * (sa * sa + sb * sb) + I3, Mpp = m4 * (e - ea) * (e - ea) + I4,
             Mdp = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sin(ph)) + I4,
             Mdd = m4 * (zt * zt + 2 * zt * (e - ea) * sin(ph) + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + I4 +
                   I5,
             Moo = m6 * (zf - fa) * (zf - fa) + I6, Meo = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * sin(om)) + I6,
             Mee = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * sin(om) + u * u) + m7 * (ua * ua + ub * ub) + I6 +
                   I7;
  const Expr T = 0.5 * (Mbb * sqr(v[0]) + Mtt * sqr(v[1]) + Mgg * sqr(v[2]) + Mpp * sqr(v[3]) + Mdd * sqr(v[4]) +
                        Moo * sqr(v[5]) + Mee * sqr(v[6])) +
                 Mtb * v[0] * v[1] + Mdp * v[3] * v[4] + Meo * v[5] * v[6];
  const Expr xd = sd * cos(ga) + sc * sin(ga) + xb, yd = sd * sin(ga) - sc * cos(ga) + yb;
  const Expr V = c0 / 2 * sqr(sqrt(sqr(xd - xc) + sqr(yd - yc)) - l0) - torque * be;
  const Expr x = rr * cos(be) - d * cos(be + th), y = rr * sin(be) - d * sin(be + th);
  add_lagrange(m, q, v, T, V,
               {x - ss * sin(ga) - xb, y + ss * cos(ga) - yb, x - e * sin(ph + de) - zt * cos(de) - xa,
                y + e * cos(ph + de) - zt * sin(de) - ya, x - zf * cos(om + ep) - u * sin(ep) - xa,
                y - zf * sin(om + ep) + u * cos(ep) - ya});
  return m;
}

inline Model car_axis() {
  constexpr double L = 1, L0 = 0.5, r = 0.1;
  Model m("car axis");
  const std::vector<std::string> names{"xl", "yl", "xr", "yr"};
  const std::array<double, 4> starts{0, 0.5, 1, 0.5}, speeds{-0.5, 0, -0.5, 0};
  std::vector<Expr> q, v;
  for (std::size_t i = 0; i < 4; ++i) {
    q.push_back(m.state(names[i], starts[i]));
    v.push_back(m.state(names[i] + "'", speeds[i]));
  }
  const Expr M = m.parameter("M", 10), epsilon = m.parameter("epsilon", 0.01), omega = m.parameter("omega", 10),
             gravity = m.parameter("gravity", 1);
  const Expr height = r * sin(omega * m.time()), width = sqrt(L * L - sqr(height)), mass = M * sqr(epsilon) / 2;
  const Expr T = 0.5 * mass * (sqr(v[0]) + sqr(v[1]) + sqr(v[2]) + sqr(v[3]));
  const Expr left = sqrt(sqr(q[0]) + sqr(q[1])), right = sqrt(sqr(q[2] - width) + sqr(q[3] - height));
  const Expr V = (sqr(left - L0) + sqr(right - L0)) / 2 + mass * gravity * (q[1] + q[3]);
  add_lagrange(m, q, v, T, V, {q[0] * width + q[1] * height, sqr(q[0] - q[2]) + sqr(q[1] - q[3]) - L * L});
  return m;
}

inline Model transistor_amplifier() {
  constexpr double Ub = 6, Uf = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000;
  Model m("transistor amplifier");
  const std::array<double, 8> starts{0, Ub / 2, Ub / 2, Ub, Ub / 2, Ub / 2, Ub, 0};
  std::vector<Expr> y;
  for (std::size_t i = 0; i < 8; ++i) y.push_back(m.state(fmt::format("y{}", i + 1), starts[i]));
  const Expr input = 0.1 * sin(200 * std::numbers::pi * m.time());
  const auto current = [&](std::size_t base) { return beta * (exp((y[base] - y[base + 1]) / Uf) - 1.0); };
  const auto capacitor = [&](double C, std::size_t a, std::size_t b) { return C * (der(y[b]) - der(y[a])); };
  m.equation(capacitor(1e-6, 0, 1), (y[0] - input) / R0);
  m.equation(-capacitor(1e-6, 0, 1), y[1] / R + (y[1] - Ub) / R + (1 - alpha) * current(1));
  m.equation(-2e-6 * der(y[2]), y[2] / R - current(1));
  m.equation(capacitor(3e-6, 3, 4), (y[3] - Ub) / R + alpha * current(1));
  m.equation(-capacitor(3e-6, 3, 4), y[4] / R + (y[4] - Ub) / R + (1 - alpha) * current(4));
  m.equation(-4e-6 * der(y[5]), y[5] / R - current(4));
  m.equation(capacitor(5e-6, 6, 7), (y[6] - Ub) / R + alpha * current(4));
  m.equation(-capacitor(5e-6, 6, 7), y[7] / R);
  return m;
}

inline Model fekete(const std::vector<double>& positions) {
  const std::size_t points = positions.size() / 3;
  Model m("fekete");
  std::vector<Expr> p, q, lambda, mu;
  for (std::size_t k = 0; k < 3 * points; ++k) p.push_back(m.state(fmt::format("p{}", k + 1), positions[k]));
  for (std::size_t k = 0; k < 3 * points; ++k) q.push_back(m.state(fmt::format("q{}", k + 1), 0.0));
  for (std::size_t i = 0; i < points; ++i)
    lambda.push_back(m.variable(fmt::format("lambda{}", i + 1), -(static_cast<double>(points) - 1) / 4));
  for (std::size_t i = 0; i < points; ++i) mu.push_back(m.variable(fmt::format("mu{}", i + 1)));
  std::vector<Expr> force(3 * points, 0.0);
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Expr x = p[3 * i] - p[3 * j], y = p[3 * i + 1] - p[3 * j + 1], z = p[3 * i + 2] - p[3 * j + 2];
      const Expr push = 1.0 / (sqr(x) + sqr(y) + sqr(z));
      const std::array<Expr, 3> apart{push * x, push * y, push * z};
      for (std::size_t k = 0; k < 3; ++k) {
        force[3 * i + k] = force[3 * i + k] + apart[k];
        force[3 * j + k] = force[3 * j + k] - apart[k];
      }
    }
  }
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
      m.equation(der(p[k]), q[k] + 2.0 * mu[i] * p[k]);
      m.equation(der(q[k]), -0.5 * q[k] + 2.0 * lambda[i] * p[k] + force[k]);
    }
    const auto product = [&](const std::vector<Expr>& a, const std::vector<Expr>& b) {
      return a[3 * i] * b[3 * i] + a[3 * i + 1] * b[3 * i + 1] + a[3 * i + 2] * b[3 * i + 2];
    };
    m.equation(product(p, p), 1.0);
    m.equation(2.0 * product(p, q), 0.0);
    m.observable(fmt::format("g{}", i + 1), product(p, p) - 1.0);
    m.observable(fmt::format("g{}'", i + 1), product(p, q));
  }
  return m;
}

inline Model charge_pump() {
  constexpr double VT0 = 0.2, gamma = 0.035, phi = 1.01, Cox = 4e-12, CD = 0.4e-12, CS = 1.6e-12;
  const double flat_band = VT0 - gamma * std::sqrt(phi) - phi;
  const double rest = Cox * gamma * (std::sqrt(gamma * gamma / 4 - flat_band) - gamma / 2);
  Model m("charge pump");
  const Expr YT1 = m.variable("YT1", rest), YS = m.variable("YS"), YT2 = m.variable("YT2"), YD = m.variable("YD"),
             YT3 = m.variable("YT3");
  const Expr U1 = m.variable("U1"), U2 = m.state("U2", 0.0), U3 = m.state("U3", 0.0), I = m.variable("I");
  for (const Expr& charge : {YT1, YS, YT2, YD, YT3}) m.nominal(charge, 1e-13);
  m.nominal(I, 1e-4);
  // The pulse: level + slope (t - since), changed at its corners, 50, 60, 110 and 120 ns into every period.
  const Expr level = m.discrete("level", 0.0), slope = m.discrete("slope", 0.0), since = m.discrete("since", 0.0);
  const std::array<double, 4> within{50, 60, 110, 120}, levels{0, 20, 20, 0}, slopes{2e9, 0, -2e9, 0};
  for (int corner = 0; corner < 39; ++corner) {
    const auto k = static_cast<std::size_t>(corner % 4);
    const int period = corner / 4;
    const double t = (120 * period + within[k]) / 1e9;
    m.when(m.at(t), [&](When& when) {
      when.assign(level, levels[k]);
      when.assign(slope, slopes[k]);
      when.assign(since, t);
    });
  }
  const Expr has_channel = m.discrete("channel", false);
  const Expr above_flat_band = m.relation("U1 above flat band", U1 - flat_band);
  const Expr drain_is_higher = m.relation("U3 > U2", U3 - U2 + choose(has_channel, 0.0, 1e-3));
  const Expr low = choose(drain_is_higher, U2, U3), high = choose(drain_is_higher, U3, U2);
  const Expr threshold = VT0 + gamma * (sqrt(phi + low) - std::sqrt(phi));
  const Expr source_drive = U1 - low - threshold, drain_drive = U1 - high - threshold;
  const Expr above_threshold = m.relation("gate above threshold", source_drive);
  const Expr is_open_at_drain = m.relation("channel reaches the drain", choose(has_channel, drain_drive - 1e-5, -1.0));
  m.always(has_channel, above_flat_band && above_threshold);
  const Expr channel_charge =
      choose(is_open_at_drain, source_drive + drain_drive - source_drive * drain_drive / (source_drive + drain_drive),
             source_drive);
  const Expr gate_charge =
      choose(has_channel, Cox * (2. / 3 * channel_charge + gamma * sqrt(phi + low)),
             choose(above_flat_band, Cox * gamma * (sqrt(gamma * gamma / 4 + U1 - flat_band) - gamma / 2),
                    Cox * (U1 - flat_band)));
  const Expr end_charge = choose(has_channel, -Cox / 3 * channel_charge, 0.0);
  m.equation(der(YT1), -I);
  m.equation(der(YS) + der(YT2), 0.0);
  m.equation(der(YD) + der(YT3), 0.0);
  m.equation(U1, level + slope * (m.time() - since));
  m.equation(YT1, gate_charge);
  m.equation(YS, CS * U2);
  m.equation(YT2, end_charge);
  m.equation(YD, CD * U3);
  m.equation(YT3, end_charge);
  return m;
}

}  // namespace pawl::model
