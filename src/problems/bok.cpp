#include <cmath>
#include <numbers>

#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

constexpr const char* birta_oren_kettenis =
    "Birta, Oren, Kettenis, Trans. Soc. Computer Simulation 2 (1985) 189; numbers of Compere, dissertation, UT Austin "
    "(2001), Tables 5.2-5.3";

// Roots of sin π t = A t in (0, end], between neighbouring extrema of the difference.
std::vector<Real> meetings(Real A, Real end) {
  constexpr Real pi = std::numbers::pi_v<Real>;
  const auto g = [=](Real t) { return std::sin(pi * std::remainder(t, 2.0L)) - A * t; };
  std::vector<Real> roots;
  if (!(std::abs(A) < pi)) return roots;
  const Real first = std::acos(A / pi) / pi;
  Real from = first;
  for (int k = 1; from < end; ++k) {
    const Real to = k % 2 == 1 ? Real(k + 1) - first : Real(k) + first;
    if (g(from) * g(to) < 0) roots.push_back(zero_between(g, from, to));
    from = to;
  }
  while (!roots.empty() && static_cast<double>(roots.back()) > static_cast<double>(end)) roots.pop_back();
  return roots;
}

// A servo x1'' = -c x1' ± k driven towards x1 = 1.
struct ServoPiece {
  Real t, x1, x2, push;
  Real c;

  Real decay(Real s) const { return -std::expm1(-c * s) / c; }  // ∫ e^(-c s)
  Real position(Real s) const { return x1 + x2 * decay(s) + push / c * (s - decay(s)); }
  Real speed(Real s) const { return x2 + (push - c * x2) * decay(s); }
};

std::vector<ServoPiece> servo_pieces(Real c, Real k, Real end) {
  std::vector<ServoPiece> pieces{{0, 0, 0, k, c}};
  for (;;) {
    const ServoPiece& now = pieces.back();
    const auto beyond = [&](Real s) { return now.position(s) - 1; };
    Real s;
    if (pieces.size() == 1) {
      s = zero_between(beyond, 0, 2);
    } else {
      const Real turn = std::log1p(-now.x2 * c / now.push) / c;
      s = zero_between(beyond, turn, 4 * turn);
    }
    if (now.t + s > end) return pieces;
    pieces.push_back({now.t + s, 1, now.speed(s), -now.push, c});
  }
}

// y1' = a1 y1, y2' = a2 y2: the logarithms of y1 and -y2 move on straight lines, and one of them meets zero at each
// event.
struct SwapPiece {
  Real t, log_y1, log_y2, y3, a1, a2;

  std::vector<double> at(Real time) const {
    const Real s = time - t;
    return {static_cast<double>(std::exp(log_y1 + a1 * s)), static_cast<double>(-std::exp(log_y2 + a2 * s)),
            static_cast<double>(y3_after(s))};
  }
  Real y3_after(Real s) const {
    return y3 + std::exp(log_y1) * std::expm1(a1 * s) / a1 - std::exp(log_y2) * std::expm1(a2 * s) / a2;
  }
};

std::vector<SwapPiece> swap_pieces(Real end) {
  constexpr Real ln2 = std::numbers::ln2_v<Real>;
  std::vector<SwapPiece> pieces{{0, -ln2, -ln2, 0, 2, -1}};
  for (int k = 1; k <= 60; ++k) {
    const SwapPiece& now = pieces.back();
    const bool first_grows = now.a1 > 0;
    const Real t = 2 * ln2 - 3 * ln2 * std::ldexp(Real(1), -k), s = t - now.t;
    if (t > end) break;
    const Real log_y1 = first_grows ? 0 : now.log_y1 + now.a1 * s, log_y2 = first_grows ? now.log_y2 + now.a2 * s : 0;
    pieces.push_back({t, log_y1, log_y2, now.y3_after(s), now.a2, now.a1});
  }
  return pieces;
}

}  // namespace

// y1 = sin π t meets the line A t; above A = 0.4033 the second and third meeting have vanished. The guard is zero at
// the start, which is no event.
Problem bok_1() {
  System oscillator("bok-1");
  const auto y1 = oscillator.state("y1", 0), y2 = oscillator.state("y2", 1), y3 = oscillator.state("y3", 0);
  const auto A = oscillator.parameter("A", 0.40);
  const auto u = oscillator.discrete("u", 1.0);
  oscillator.rates([=](const auto& at, auto& d) {
    d[y1] = std::numbers::pi * at[y2];
    d[y2] = -std::numbers::pi * at[y1];
    d[y3] = at[u] * at[u] * at[u];
  });
  oscillator.guard("y1 meets A t", [=](const auto& at) { return at[y1] - at[A] * at.t; }).then([=](Jump& jump) {
    jump[u] = -jump.pre(u) * jump[y1];
  });
  const auto is_known = [=](const Values& values) {
    Values expected(oscillator);
    expected[A] = values[A];
    return values.held() == expected.held() && values.start() == expected.start();
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!is_known(values) || t < 0) return std::nullopt;
    Real sum = 0, held = 1, since = 0;
    for (const Real time : meetings(values[A], t)) {
      sum += held * held * held * (time - since);
      held *= -values[A] * time;
      since = time;
    }
    const Real angle = std::numbers::pi_v<Real> * std::remainder(static_cast<Real>(t), 2.0L);
    return std::vector{static_cast<double>(std::sin(angle)), static_cast<double>(std::cos(angle)),
                       static_cast<double>(sum + held * held * held * (t - since))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!is_known(values)) return std::nullopt;
    std::vector<double> times;
    for (const Real time : meetings(values[A], end)) times.push_back(static_cast<double>(time));
    return times;
  };
  return {.summary = "u := -u y1 where y1 = sin(pi t) meets A t; near-tangent at A = 0.4033 (try --set A=0.403)",
          .kind = "hybrid ODE, bilateral",
          .source = birta_oren_kettenis,
          .system = oscillator,
          .end = 3,
          .plot = "t,y3",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

Problem bok_2() {
  System servo("bok-2");
  const auto x1 = servo.state("x1", 0), x2 = servo.state("x2", 0);
  const auto k = servo.parameter("k", 8), c = servo.parameter("c", 0.250288143);
  const auto is_above = servo.condition("x1 > 1", [=](const auto& at) { return at[x1] - 1; });
  servo.rates([=](const auto& at, auto& d) {
    d[x1] = at[x2];
    d[x2] = -at[c] * at[x2] + (at[is_above] ? -at[k] : at[k]);
  });
  using namespace shapes;
  servo.picture({Wall{{-0.3, -0.1}, {2.3, -0.1}}, Rod{{1, -0.1}, {1, -0.25}}, Box{{x1, 0}, {0.3, 0.2, 0.2}},
                 Arrow{{x1, 0}, {[=](const auto& at) { return at[is_above] ? -at[k] : at[k]; }, 0}}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, servo) || t < 0) return std::nullopt;
    const ServoPiece now = servo_pieces(values[c], values[k], t).back();
    return std::vector{static_cast<double>(now.position(t - now.t)), static_cast<double>(now.speed(t - now.t))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, servo)) return std::nullopt;
    return beginnings(servo_pieces(values[c], values[k], end), end);
  };
  return {.summary = "reconstruction: damped servo driven by a relay, 16 events that come ever closer",
          .kind = "hybrid ODE, bilateral",
          .source = birta_oren_kettenis,
          .system = servo,
          .end = 10,
          .plot = "t,x1",
          .known_by = "closed form, piecewise",
          .reference = reference,
          .event_times = event_times};
}

// Gaps between events: (ln 2)/2, then 3/4 ln 2, 3/8 ln 2, 3/16 ln 2, ...
Problem bok_3() {
  System swap("bok-3");
  const auto y1 = swap.state("y1", 0.5), y2 = swap.state("y2", -0.5), y3 = swap.state("y3", 0);
  const auto a1 = swap.discrete("a1", 2.0), a2 = swap.discrete("a2", -1.0);
  swap.rates([=](const auto& at, auto& d) {
    d[y1] = at[a1] * at[y1];
    d[y2] = at[a2] * at[y2];
    d[y3] = at[y1] + at[y2];
  });
  const auto exchange = [=](Jump& jump) {
    jump[a1] = jump.pre(a2);
    jump[a2] = jump.pre(a1);
  };
  swap.guard("y1 reaches 1", [=](const auto& at) { return 1 - at[y1]; }).falling().unilateral().then(exchange);
  swap.guard("y2 reaches -1", [=](const auto& at) { return 1 + at[y2]; }).falling().unilateral().then(exchange);
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, swap) || t < 0 || t >= 2 * std::numbers::ln2) return std::nullopt;
    return swap_pieces(t).back().at(t);
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, swap)) return std::nullopt;
    std::vector<double> times = beginnings(swap_pieces(end), end);
    if (times.size() > 20) times.resize(20);  // the next ones are less than 1e-6 apart
    return times;
  };
  return {.summary = "two growth rates are exchanged at y1 = 1 and y2 = -1; 20 events, which accumulate at 2 ln 2",
          .kind = "hybrid ODE, unilateral",
          .source = birta_oren_kettenis,
          .system = swap,
          .end = 1.3862928,
          .plot = "y1,y2",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
