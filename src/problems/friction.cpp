// A mass on a rough floor, pushed by Fa = sin π t: it sticks while |Fa| <= Fs, slides against ±F1 + F2 v otherwise.
// Stated twice: carver-2 with one mode and two guards, friction with three modes decided by propositions.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

constexpr double kinetic = 0.6, viscous = 0.1, breakaway = 0.7;  // F1, F2, Fs; the mass is 1

// One piece: sliding in a direction (±1), or at rest (0). v' = sin π t - s F1 - F2 v.
struct BlockPiece {
  Real t, x, direction;

  static constexpr Real w = std::numbers::pi_v<Real>, a = viscous, F1 = kinetic;
  static constexpr Real size = a * a + w * w;
  Real forced(Real time) const { return (a * std::sin(w * time) - w * std::cos(w * time)) / size - direction * F1 / a; }
  Real speed(Real time) const { return direction == 0 ? 0 : forced(time) - forced(t) * std::exp(-a * (time - t)); }
  Real position(Real time) const {
    if (direction == 0) return x;
    const auto integral = [this](Real s) {
      return -(a * std::cos(w * s) / w + std::sin(w * s)) / size - direction * F1 / a * s;
    };
    return x + integral(time) - integral(t) + forced(t) * std::expm1(-a * (time - t)) / a;
  }
};

std::vector<BlockPiece> block_pieces_until(Real end) {
  const Real slip = std::asin(Real(breakaway)) / std::numbers::pi_v<Real>;
  std::vector<BlockPiece> pieces{{0, 0, 0}};
  for (int k = 0;; ++k) {
    const Real from = slip + k;
    if (from > end) return pieces;
    pieces.push_back({from, pieces.back().x, k % 2 == 0 ? Real(1) : Real(-1)});
    const BlockPiece sliding = pieces.back();
    const Real until = zero_between([&](Real time) { return sliding.speed(time); }, from + 0.5L, from + 1);
    if (until > end) return pieces;
    pieces.push_back({until, sliding.position(until), 0});
  }
}

// When |Fa| falls below Fs again: nothing changes then, but a condition does.
std::vector<double> ends_of_push(double end) {
  const Real slip = std::asin(Real(breakaway)) / std::numbers::pi_v<Real>;
  std::vector<double> times;
  for (int k = 1; static_cast<double>(k - slip) <= end; ++k) times.push_back(static_cast<double>(k - slip));
  return times;
}

constexpr const char* mao_petzold = "Mao, Petzold, Comput. Math. Appl. 43 (2002) 65, section 1 (there F2 x for F2 x')";

template <class At>
auto push(const At& at) {
  return sin(std::numbers::pi * at.t);
}

}  // namespace

Problem carver_2() {
  System mass("carver-2");
  const auto v = mass.state("v", 0);
  const auto F1 = mass.parameter("F1", kinetic), F2 = mass.parameter("F2", viscous),
             Fs = mass.parameter("Fs", breakaway);
  const auto direction = mass.discrete("direction", 0);  // of sliding: 1, -1, or 0 at rest
  mass.rates([=](const auto& at, auto& d) {
    if (at[direction] == 0)
      d[v] = 0;
    else
      d[v] = push(at) - at[direction] * at[F1] - at[F2] * at[v];
  });
  mass.guard("push overcomes friction", [=](const auto& at) { return abs(push(at)) - at[Fs]; })
      .rising()
      .only_when(direction == 0)
      .then([=](Jump& jump) { jump[direction] = push(jump) > 0 ? 1 : -1; });
  mass.guard("mass stops", [=](const auto& at) { return at[v]; }).only_when(direction != 0).then([=](Jump& jump) {
    jump[v] = 0;
    const double force = push(jump);
    jump[direction] = std::abs(force) <= jump[Fs] ? 0 : force > 0 ? 1 : -1;
  });
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, mass) || t < 0) return std::nullopt;
    return std::vector{static_cast<double>(block_pieces_until(t).back().speed(t))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, mass)) return std::nullopt;
    return beginnings(block_pieces_until(end), end);
  };
  return {.summary = "reconstruction: speed of a mass that sticks and slides under sin(pi t); 7 events",
          .kind = "hybrid ODE, bilateral",
          .source = "Carver, Math. Comput. Simulation 20 (1978) 190 (by conjecture); " + std::string(mao_petzold),
          .system = mass,
          .end = 3.5,
          .plot = "t,v",
          .known_by = "closed form, piecewise",
          .reference = reference,
          .event_times = event_times};
}

Problem friction() {
  System mass("friction");
  const auto x = mass.state("x", 0), v = mass.state("v", 0);
  const auto F1 = mass.parameter("F1", kinetic), F2 = mass.parameter("F2", viscous),
             Fs = mass.parameter("Fs", breakaway);
  const auto sticks = mass.discrete("sticks", true), slides_on = mass.discrete("slides on", false),
             slides_back = mass.discrete("slides back", false);
  const auto pushed_on = mass.condition("Fa > Fs", [=](const auto& at) { return push(at) - at[Fs]; });
  const auto pushed_back = mass.condition("Fa < -Fs", [=](const auto& at) { return -push(at) - at[Fs]; });
  mass.decide(slides_on, slides_on || (sticks && pushed_on));
  mass.decide(slides_back, slides_back || (sticks && pushed_back));
  mass.decide(sticks, !slides_on && !slides_back);
  mass.rates([=](const auto& at, auto& d) {
    d[x] = at[v];
    if (at[sticks])
      d[v] = 0;
    else
      d[v] = push(at) - (at[slides_on] ? at[F1] : -at[F1]) - at[F2] * at[v];
  });
  mass.guard("forward motion ends", [=](const auto& at) { return at[v]; })
      .falling()
      .only_when(slides_on)
      .then([=](Jump& jump) {
        jump[v] = 0;
        jump[slides_on] = false;
      });
  mass.guard("backward motion ends", [=](const auto& at) { return at[v]; })
      .rising()
      .only_when(slides_back)
      .then([=](Jump& jump) {
        jump[v] = 0;
        jump[slides_back] = false;
      });
  using namespace shapes;
  mass.picture({Wall{{-0.1, -0.03}, {0.25, -0.03}}, Box{{x, 0}, {0.1, 0.06, 0.06}},
                Arrow{{x, 0}, {[](const auto& at) { return push(at); }, 0}}});
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, mass) || t < 0) return std::nullopt;
    const BlockPiece now = block_pieces_until(t).back();
    return std::vector{static_cast<double>(now.position(t)), static_cast<double>(now.speed(t))};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, mass)) return std::nullopt;
    const std::vector<double> changes = beginnings(block_pieces_until(end), end), pushes = ends_of_push(end);
    std::vector<double> all;
    std::merge(changes.begin(), changes.end(), pushes.begin(), pushes.end(), std::back_inserter(all));
    return all;
  };
  return {.summary = "reconstruction: mass that sticks and slides under sin(pi t), its modes decided by propositions",
          .kind = "hybrid ODE, bilateral",
          .source = mao_petzold,
          .system = mass,
          .end = 3.5,
          .plot = "t,x",
          .known_by = "closed form, piecewise",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
