#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

// A pinion (inertia 1, radius 1) drives a wheel (4, 2) that carries a constant load; the drive wavers about what the
// load needs. With the room z = θ1 - 2 θ2 between the teeth, |z| <= b, and the force F at a flank,
//   z'' = 2 + T cos(ω t) - 2 F,   (2 θ1 + 4 θ2)'' = 2 T cos(ω t):
// flights, rests and releases are elementary, and so are the impacts but for the zeros of a function.
constexpr Real mean_torque = 1, load_torque = 2, pull = 2, yielding = 2;  // z'' without drive; z'' by F

struct Backlash {
  Real room, swing, frequency, restitution;  // b, T, ω, e

  struct Piece {
    Real t, z, speed, loss;
    int flank;  // 1, -1: at rest against it; 0: flight
  };
  Real acceleration(Real t) const { return pull + swing * std::cos(frequency * t); }
  Real speed_gained(Real from, Real s) const {
    return pull * s + 2 * swing / frequency * std::cos(frequency * (from + s / 2)) * std::sin(frequency * s / 2);
  }
  // Without loss of digits in short flights.
  Real way_gained(Real from, Real s) const {
    const Real x = frequency * s, half = std::sin(x / 2), bend = 2 * half * half;
    Real lag = x - std::sin(x);
    if (std::abs(x) < 0.1L) lag = x * x * x / 6 * (1 - x * x / 20 * (1 - x * x / 42 * (1 - x * x / 72)));
    return pull * s * s / 2 +
           swing / (frequency * frequency) * (std::cos(frequency * from) * bend - std::sin(frequency * from) * lag);
  }
  Piece after(const Piece& piece, Real t) const {
    if (piece.flank != 0) return {t, piece.z, 0, piece.loss, piece.flank};
    const Real s = t - piece.t;
    return {t, piece.z + piece.speed * s + way_gained(piece.t, s), piece.speed + speed_gained(piece.t, s), piece.loss,
            0};
  }

  Real flight_from_flank(const Piece& piece, int flank, Real end) const {
    // Distance from that flank, over the time since it was left.
    const auto slope = [&](Real s) { return -flank * (piece.speed + way_gained(piece.t, s) / s); };
    Real h = std::min(std::abs(piece.speed / acceleration(piece.t)) / 4, Real(0.01)), s = h;
    while (slope(s) > 0 && distance(piece, -flank, s) > 0) {
      if (piece.t + s > end) return end;
      s += h;
    }
    if (slope(s) > 0) return zero_between([&](Real at) { return distance(piece, -flank, at); }, s - h, s);
    return zero_between(slope, s - h, s);
  }
  Real distance(const Piece& piece, int flank, Real s) const {
    return room - flank * (piece.z + piece.speed * s + way_gained(piece.t, s));
  }
  /// Flights shorter than 1e-9 are summed as the series they are close to.
  std::vector<Piece> pieces_until(Real end, Real least = 0) const {
    std::vector<Piece> pieces{{0, 0, 0, 0, 0}};
    Piece now = pieces.back();
    for (;;) {
      if (now.flank != 0) {  // until the force has vanished
        const Real turn = 2 * std::numbers::pi_v<Real> / frequency, phase = std::acos(-pull / swing) / frequency;
        const Real first = now.flank > 0 ? phase : turn - phase;
        Real t = first + std::floor((now.t - first) / turn) * turn;
        while (t <= now.t) t += turn;
        if (t > end) return pieces;
        now = {t, now.z, 0, now.loss, 0};
        pieces.push_back(now);
        continue;
      }
      const int flank = now.z == room ? 1 : now.z == -room ? -1 : 0;
      Real s = 0;
      const bool has_left = flank == 0 || now.speed == 0;
      if (has_left) {
        for (s = 0.001L; distance(now, 1, s) > 0 && distance(now, -1, s) > 0; s += 0.001L) {
          if (now.t + s > end) return pieces;
        }
        const int met = distance(now, 1, s) <= 0 ? 1 : -1;
        s = zero_between([&](Real at) { return distance(now, met, at); }, s - 0.001L, s);
      } else {
        s = flight_from_flank(now, flank, end);
      }
      if (now.t + s > end) return pieces;
      const Piece arrival = after(now, now.t + s);
      const int met = arrival.z > 0 ? 1 : -1;
      now = {arrival.t, met * room, -restitution * arrival.speed,
             arrival.loss + arrival.speed * arrival.speed * (1 - restitution * restitution) / (2 * yielding), 0};
      const Real next = std::abs(2 * now.speed / acceleration(now.t));
      if (!has_left && s < 1e-9L) {
        now = {now.t + next / (1 - restitution), now.z, 0, now.loss, met};
        pieces.push_back(now);
      } else if (s > least) {
        pieces.push_back(now);
      }
    }
  }
};

}  // namespace

Problem gear_backlash() {
  Mechanics gears("gear-backlash");
  const auto q1 = gears.coordinate("pinion", 0), q2 = gears.coordinate("wheel", 0);
  const auto room = gears.parameter("room", 0.05), swing = gears.parameter("swing", 6),
             frequency = gears.parameter("frequency", 2), e = gears.parameter("restitution", 0.5);
  gears.mass(q1, 1.0);
  gears.mass(q2, 4.0);
  const auto drive = [=](const auto& at) {
    return static_cast<double>(mean_torque) + at[swing] * cos(at[frequency] * at.t);
  };
  constexpr double load = load_torque;
  gears.force([=](const auto& at, auto& f) {
    f[q1] += drive(at);
    f[q2] -= load;
  });
  const Contact front =
      gears.contact("front flank", [=](const auto& at) { return at[room] - at[q1] + 2 * at[q2]; }, {.restitution = e});
  const Contact back =
      gears.contact("back flank", [=](const auto& at) { return at[room] + at[q1] - 2 * at[q2]; }, {.restitution = e});
  gears.energy();
  using namespace shapes;
  gears.picture({Disk{{-1, 0}, 1, q1}, Disk{{2, 0}, 2, [=](const auto& at) { return -at[q2]; }},
                 Touch{front, {0, 0.1}, Place{0, 1}}, Touch{back, {0, -0.1}, Place{0, -1}}});
  const auto work = gears.state("drive work", 0);
  gears.rates([=](const auto& at, auto& d) { d[work] = drive(at) * at[dot(q1)] - load * at[dot(q2)]; });
  gears.impact_loss();

  const auto motion_of = [=](const Values& values) -> std::optional<Backlash> {
    Values expected(gears);
    if (!(values[room] > 0 && values[swing] > 2 && values[frequency] > 0 && values[e] < 1) ||
        values.start() != expected.start())
      return std::nullopt;
    return Backlash{values[room], values[swing], values[frequency], values[e]};
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion || t < 0) return std::nullopt;
    const auto pieces = motion->pieces_until(t);
    const Backlash::Piece now = motion->after(piece_at(pieces, t), t);
    const Real w = motion->frequency, sum = 2 * motion->swing / (w * w) * (1 - std::cos(w * t)),
               sum_speed = 2 * motion->swing / w * std::sin(w * t);
    const Real q[] = {(sum + 2 * now.z) / 4, (sum_speed + 2 * now.speed) / 4, (sum - 2 * now.z) / 8,
                      (sum_speed - 2 * now.speed) / 8};
    const Real energy = q[1] * q[1] / 2 + 2 * q[3] * q[3];
    std::vector<double> state;
    for (const Real one : q) state.push_back(static_cast<double>(one));
    state.push_back(static_cast<double>(energy + now.loss));
    return state;
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion) return std::nullopt;
    return beginnings(motion->pieces_until(end, 1e-6L), end);
  };
  return {.summary = "pinion and wheel with backlash under a wavering drive: teeth hammer, rest and change flanks",
          .kind = "mechanics with contact",
          .source = "Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996); data of pawl",
          .system = gears,
          .end = 10,
          .plot = "t,wheel'",
          .known_by = "closed form between impacts",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
