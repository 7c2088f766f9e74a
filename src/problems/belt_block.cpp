#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

// Mass, spring and weight are 1. Carried along from x = 0 until the spring pulls with μ_s; then half an oscillation
// about μ with the amplitude (D, v), D = μ_s - μ, until the mass has the speed of the belt again, at μ - D.
struct StickSlip {
  Real friction, static_friction, belt;

  Real drop() const { return static_friction - friction; }
  Real slip_time() const { return 2 * (std::numbers::pi_v<Real> - std::atan(drop() / belt)); }
  Real stick_time() const { return 2 * drop() / belt; }
  Real period() const { return slip_time() + stick_time(); }
  Real first_slip() const { return static_friction / belt; }
};

}  // namespace

Problem belt_block() {
  Mechanics block("belt-block");
  const auto x = block.coordinate("x", 0, 0.5), y = block.coordinate("y", 0);
  const auto mu = block.parameter("friction", 0.3), mu_s = block.parameter("static_friction", 0.5),
             v = block.parameter("belt_speed", 0.5);
  block.start([=](Start& at) { at[dot(x)] = at[v]; });
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.potential([=](const auto& at) { return sqr(at[x]) / 2 + at[y]; });
  const Contact belt = block.contact(
      "belt", [=](const auto& at) { return at[y]; }, [=](const auto& at) { return at[dot(x)] - at[v]; },
      {.friction = mu, .static_friction = mu_s});
  block.energy();
  using namespace shapes;
  block.picture({Spring{{-2, 0.1}, {x, 0.1}}, Box{{x, [=](const auto& at) { return at[y] + 0.1; }}, {0.3, 0.2, 0.2}},
                 Wall{{-1.5, 0}, {1.5, 0}}, Wall{{-2, 0.3}, {-2, -0.1}}, Touch{belt, {x, 0}, Place{0, 1}}});
  block.friction_work();

  const auto cycle_of = [=](const Values& values) -> std::optional<StickSlip> {
    Values expected(block);
    for (const Parameter p : {mu, mu_s, v}) expected[p] = values[p];
    if (!(values[v] > 0 && values[mu_s] > values[mu]) || values.start() != expected.start()) return std::nullopt;
    return StickSlip{values[mu], values[mu_s], values[v]};
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto cycle = cycle_of(values);
    if (!cycle || t < 0) return std::nullopt;
    const Real since = t - cycle->first_slip();
    const Real laps = std::max(std::floor(since / cycle->period()), Real(0)), s = since - laps * cycle->period();
    // Friction pushes the mass forward all the while it slips back by: distance of the belt less that of the mass.
    const auto taken = [&](Real time, Real distance) { return cycle->friction * (cycle->belt * time - distance); };
    const Real per_lap = taken(cycle->slip_time(), -2 * cycle->drop());
    if (s < 0) return rounded({cycle->belt * t, cycle->belt, 0, 0, 0});
    if (s > cycle->slip_time()) {
      const Real carried = cycle->belt * (s - cycle->slip_time());
      return rounded({cycle->friction - cycle->drop() + carried, cycle->belt, 0, 0, (laps + 1) * per_lap});
    }
    const Real moved = cycle->drop() * (std::cos(s) - 1) + cycle->belt * std::sin(s);
    return rounded({cycle->static_friction + moved, cycle->belt * std::cos(s) - cycle->drop() * std::sin(s), 0, 0,
                    laps * per_lap + taken(s, moved)});
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto cycle = cycle_of(values);
    if (!cycle) return std::nullopt;
    std::vector<double> times;
    for (int lap = 0;; ++lap) {
      const Real slips = cycle->first_slip() + lap * cycle->period();
      for (const Real t : {slips, slips + cycle->slip_time()}) {
        if (t > end) return times;
        times.push_back(static_cast<double>(t));
      }
    }
  };
  return {.summary =
              "mass on a spring and on a moving belt, which carries it along until friction gives way: stick and slip",
          .kind = "mechanics with contact",
          .source = "Leine, van Campen, de Kraker, van den Steen, Nonlinear Dynamics 16 (1998) 41; data of pawl",
          .system = block,
          .end = 200,
          .plot = "x,x'",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

namespace {

// A block on a table that moves with V sin(ω t): its speed is linear in time while it slips, that of the table while it
// sticks.
struct Shaken {
  Real grip, table, frequency;  // μ g, V, ω

  struct Piece {
    Real t, x, speed, work;
    int slip;  // sign of the block's speed over the table; 0: it sticks
  };
  Real speed(Real t) const { return table * std::sin(frequency * t); }
  Real rate(Real t) const { return table * frequency * std::cos(frequency * t); }
  Real travel(Real from, Real to) const {
    return table / frequency * (std::cos(frequency * from) - std::cos(frequency * to));
  }

  Piece after(const Piece& piece, Real t) const {
    const Real s = t - piece.t, table_travel = travel(piece.t, t);
    if (piece.slip == 0) return {t, piece.x + table_travel, speed(t), piece.work, 0};
    const Real travelled = piece.speed * s - piece.slip * grip * s * s / 2;
    return {t, piece.x + travelled, piece.speed - piece.slip * grip * s,
            piece.work + piece.slip * grip * (travelled - table_travel), piece.slip};
  }
  // What a block without slip does at t: it stays, or the table runs away from it.
  int decided(Real t) const { return std::abs(rate(t)) <= grip ? 0 : rate(t) > 0 ? -1 : 1; }
  Real end_of(const Piece& piece) const {
    const Real step = std::numbers::pi_v<Real> / frequency / 512;
    if (piece.slip == 0) {  // |cos ω t| rises through μ g / (V ω)
      const auto spare = [&](Real t) { return std::abs(rate(t)) - grip; };
      Real t = piece.t + step;
      while (spare(t) < 0) t += step;
      return zero_between(spare, t - step, t);
    }
    const auto slip = [&](Real t) { return piece.slip * (after(piece, t).speed - speed(t)); };
    Real t = piece.t + 2 * step;
    while (slip(t) > 0) t += step;
    return zero_between(slip, t - step, t);
  }
  std::vector<Piece> pieces_until(Real end) const {
    std::vector<Piece> pieces{{0, 0, 0, 0, decided(0)}};
    if (table * frequency <= grip) return pieces;  // it never slips
    for (;;) {
      const Real t = end_of(pieces.back());
      if (t > end) return pieces;
      Piece next = after(pieces.back(), t);
      next.speed = speed(t);
      next.slip = pieces.back().slip == 0 ? (rate(t) > 0 ? -1 : 1) : decided(t);
      pieces.push_back(next);
    }
  }
};

}  // namespace

// Slip follows slip at the reversals, or after a time of sticking where friction is large enough: μ g / (V ω) above
// 1 / sqrt(1 + π²/4) = 0.537 in the long run.
Problem oscillating_belt() {
  Mechanics block("oscillating-belt");
  const auto x = block.coordinate("x", 0), y = block.coordinate("y", 0);
  const auto mu = block.parameter("friction", 0.3), g = block.parameter("gravity", 9.81),
             amplitude = block.parameter("speed", 3), frequency = block.parameter("frequency", 2);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  block.potential([=](const auto& at) { return at[g] * at[y]; });
  const Contact table = block.contact(
      "table", [=](const auto& at) { return at[y]; },
      [=](const auto& at) { return at[dot(x)] - at[amplitude] * sin(at[frequency] * at.t); }, {.friction = mu});
  using namespace shapes;
  const auto travel = [=](const auto& at) { return at[amplitude] / at[frequency] * (1 - cos(at[frequency] * at.t)); };
  const auto left = [=](const auto& at) { return travel(at) - 2; };
  const auto right = [=](const auto& at) { return travel(at) + 2; };
  block.picture({Box{{x, [=](const auto& at) { return at[y] + 0.1; }}, {0.3, 0.2, 0.2}}, Wall{{left, 0}, {right, 0}},
                 Touch{table, {x, 0}, Place{0, 1}}});
  block.friction_work();

  const auto motion_of = [=](const Values& values) -> std::optional<Shaken> {
    Values expected(block);
    for (const Parameter p : {mu, g, amplitude, frequency}) expected[p] = values[p];
    if (!(values[mu] > 0 && values[g] > 0 && values[amplitude] > 0 && values[frequency] > 0) ||
        values.start() != expected.start())
      return std::nullopt;
    return Shaken{Real(values[mu]) * values[g], values[amplitude], values[frequency]};
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion || t < 0) return std::nullopt;
    const Shaken::Piece now = motion->after(motion->pieces_until(t).back(), t);
    return rounded({now.x, now.speed, 0, 0, now.work});
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion) return std::nullopt;
    return beginnings(motion->pieces_until(end), end);
  };
  return {.summary = "block on a table that is shaken sideways, and that slips to and fro",
          .kind = "mechanics with contact",
          .source = "Den Hartog, Transactions of the ASME 53 (1931) 107; data of pawl",
          .system = block,
          .end = 20,
          .plot = "t,x'",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
