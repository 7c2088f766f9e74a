#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

// A ball above a table at A sin(ω t). Flights are parabolas; a flight from the table ends at the first zero of gap / s,
// s the time since.
struct Bouncing {
  Real amplitude, frequency, gravity, restitution, height;

  struct Piece {
    Real t, y, speed;
    bool rests = false, is_thrown = false;
  };
  Real table(Real t) const { return amplitude * std::sin(frequency * t); }
  Real table_speed(Real t) const { return amplitude * frequency * std::cos(frequency * t); }
  Real strongest() const { return gravity + amplitude * frequency * frequency; }

  Real landing(const Piece& from) const {
    const auto gap = [&](Real s) {
      const Real moved = 2 * amplitude * std::cos(frequency * (from.t + s / 2)) * std::sin(frequency * s / 2);
      return (from.y - table(from.t)) + from.speed * s - gravity * s * s / 2 - moved;
    };
    // After an impact it cannot come back before 2 v / a; else steps are a share of the period.
    const Real period = 2 * std::numbers::pi_v<Real> / frequency;
    const Real away = from.speed - table_speed(from.t);
    const bool bounces = from.t > 0 && !from.is_thrown;
    const Real step = bounces ? std::min(away / strongest() / 2, period / 64) : period / 64;
    const auto over_time = [&](Real s) { return gap(s) / s; };
    Real s = step;
    while (over_time(s) > 0) s += step;
    return from.t + zero_between(over_time, s - step > 0 ? s - step : s / 2, s);
  }
  // Bounces down to the shortest that is told apart; then rest, which ends where the table falls away with g.
  std::vector<Piece> pieces_until(Real end, Real least) const {
    std::vector<Piece> pieces{{0, height, 0}};
    Real flight = 1;
    for (;;) {
      const Piece last = pieces.back();
      if (last.rests) {
        const Real turn = 2 * std::numbers::pi_v<Real>,
                   phase = std::asin(gravity / (amplitude * frequency * frequency));
        const Real t = (phase + turn * std::ceil((frequency * last.t - phase) / turn)) / frequency;
        if (t > end) return pieces;
        pieces.push_back({t, table(t), table_speed(t), false, true});
        continue;
      }
      const Real t = landing(last), before = last.speed - gravity * (t - last.t);
      flight = t - last.t;
      if (t > end) return pieces;
      const Piece next{t, table(t), table_speed(t) + restitution * (table_speed(t) - before)};
      if (flight > least || pieces.size() < 2) {
        pieces.push_back(next);
      } else {  // ratios of flights are e (1 + O(flight)): what is left is known to the square of the last one
        const Real limit = t + flight * restitution / (1 - restitution);
        while (pieces.size() > 1 && pieces.back().t - pieces[pieces.size() - 2].t < 1e-6L) pieces.pop_back();
        pieces.push_back({limit, table(limit), table_speed(limit), true});
      }
    }
  }
};

}  // namespace

// It comes to rest on the table after infinitely many bounces, and is thrown off again in every period.
Problem ball_table() {
  Mechanics ball("ball-table");
  const auto y = ball.coordinate("y", 0.05);
  const auto amplitude = ball.parameter("amplitude", 0.03), frequency = ball.parameter("frequency", 20),
             g = ball.parameter("gravity", 9.81), e = ball.parameter("restitution", 0.5);
  ball.mass(y, 1.0);
  ball.potential([=](const auto& at) { return at[g] * at[y]; });
  const Contact table = ball.contact(
      "table", [=](const auto& at) { return at[y] - at[amplitude] * sin(at[frequency] * at.t); }, {.restitution = e});
  using namespace shapes;
  const auto level = [=](const auto& at) { return at[amplitude] * sin(at[frequency] * at.t); };
  ball.picture({Disk{{0, [=](const auto& at) { return at[y] + 0.01; }}, 0.01}, Rod{{-0.05, level}, {0.05, level}},
                Touch{table, {0, level}, Place{0, 1}}});

  const auto motion_of = [=](const Values& values) -> std::optional<Bouncing> {
    const bool throws_off = values[amplitude] * values[frequency] * values[frequency] > values[g];
    if (!throws_off || !(values[e] < 0.8 && values[e] > 0) || !(values[g] > 0) || values.start()[1] != 0 ||
        !(values.start()[0] > 0))
      return std::nullopt;
    return Bouncing{values[amplitude], values[frequency], values[g], values[e], values.start()[0]};
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion || t < 0) return std::nullopt;
    const Bouncing::Piece now = motion->pieces_until(t, 1e-13L).back();
    const Real s = t - now.t;
    if (now.rests)
      return std::vector{static_cast<double>(motion->table(t)), static_cast<double>(motion->table_speed(t))};
    return std::vector{static_cast<double>(now.y + now.speed * s - motion->gravity * s * s / 2),
                       static_cast<double>(now.speed - motion->gravity * s)};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion) return std::nullopt;
    return beginnings(motion->pieces_until(end, 1e-13L), end);
  };
  return {.summary = "ball on a table that is shaken: it bounces to rest and is thrown off again",
          .kind = "mechanics with contact",
          .source = "Luck, Mehta, Physical Review E 48 (1993) 3988; data of pawl",
          .system = ball,
          .end = 0.9,
          .plot = "t,y",
          .known_by = "parabolas and the zeros between them",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
