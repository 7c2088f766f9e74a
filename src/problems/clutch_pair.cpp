#include <array>
#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"
#include "problems/quadrature.hpp"

namespace pawl::problems {

namespace {

// Torques on the first and on the last of three inertias, and the forces that press the two clutches between them, are
// constants plus waves. So are all accelerations, mode by mode; speeds and angles are their integrals.
struct Wave {
  Real mean, size, frequency;

  Real operator()(Real t) const { return mean + size * std::sin(frequency * t); }
  Real once(Real t) const { return mean * t - size / frequency * std::cos(frequency * t); }
  Real twice(Real t) const { return mean * t * t / 2 - size / (frequency * frequency) * std::sin(frequency * t); }
};
constexpr std::array<Real, 3> inertia{1, 0.5L, 2};
constexpr Wave drive{0.2L, 2, 1}, load{-0.2L, 1.5L, 0.7L};
constexpr std::array<Wave, 2> pressing{{{2, 1, 2.3L}, {1.5L, 1, 1.7L}}};

class Chain {
 public:
  Chain(Real friction, Real static_friction) : mu_(friction), mu_s_(static_friction) {}

  using Slips = std::array<int, 2>;  // signs; 0: sticks
  struct Piece {
    Real t;
    std::array<Real, 3> angle, speed;
    Real work;
    Slips slips;
  };

  /// Accelerations, or with `integrate` any linear functional of the waves, by mode: inertias that stick are one.
  template <class F>
  std::array<Real, 3> accelerations(const Slips& slips, F of) const {
    std::array<Real, 3> force{of(drive), 0, of(load)};
    for (std::size_t c = 0; c < 2; ++c) {
      const Real torque = static_cast<Real>(slips[c]) * mu_ * of(pressing[c]);  // slip: the first one is faster
      force[c] -= torque;
      force[c + 1] += torque;
    }
    std::array<Real, 3> a{};
    for (std::size_t first = 0; first < 3;) {
      std::size_t last = first;
      Real mass = inertia[first], sum = force[first];
      for (; last < 2 && slips[last] == 0; ++last) mass += inertia[last + 1], sum += force[last + 1];
      for (; first <= last; ++first) a[first] = sum / mass;
    }
    return a;
  }
  /// What a clutch that sticks transmits.
  std::array<Real, 2> torques(const Slips& slips, Real t) const {
    const auto a = accelerations(slips, [t](const Wave& wave) { return wave(t); });
    const Real first = drive(t) - inertia[0] * a[0];
    return {first, first - inertia[1] * a[1]};
  }

  Piece after(const Piece& from, Real t) const {
    Piece to = from;
    to.t = t;
    const auto once = accelerations(from.slips, [&](const Wave& w) { return w.once(t) - w.once(from.t); });
    const auto twice = accelerations(
        from.slips, [&](const Wave& w) { return w.twice(t) - w.twice(from.t) - (t - from.t) * w.once(from.t); });
    for (std::size_t i = 0; i < 3; ++i) {
      to.speed[i] += once[i];
      to.angle[i] += from.speed[i] * (t - from.t) + twice[i];
    }
    return to;
  }
  Real slip(const Piece& from, std::size_t clutch, Real t) const {
    const Piece now = after(from, t);
    return now.speed[clutch] - now.speed[clutch + 1];
  }
  Real work(const Piece& from, Real t) const {
    return from.work + integral(
                           [&](Real s) {
                             Real power = 0;
                             for (std::size_t c = 0; c < 2; ++c) {
                               if (from.slips[c] != 0) power += mu_ * pressing[c](s) * std::abs(slip(from, c, s));
                             }
                             return power;
                           },
                           from.t, t, 16);
  }

  /// Positive while the mode of this clutch goes on.
  Real spare(const Piece& from, std::size_t clutch, Real t) const {
    if (from.slips[clutch] != 0) return from.slips[clutch] * slip(from, clutch, t);
    return mu_s_ * pressing[clutch](t) - std::abs(torques(from.slips, t)[clutch]);
  }
  std::vector<Piece> pieces_until(Real end) const {
    std::vector<Piece> pieces{{0, {}, {}, 0, {0, 0}}};
    for (;;) {
      const Piece& now = pieces.back();
      constexpr Real step = 0.01L;
      Real when = end + step;
      std::size_t which = 0;
      for (std::size_t c = 0; c < 2; ++c) {
        const auto left = [&](Real t) { return spare(now, c, t); };
        for (Real t = now.t + step; t < when + step; t += step) {
          if (left(t) > 0) continue;
          const Real zero = zero_between(left, t - step, t);
          if (zero < when) when = zero, which = c;
          break;
        }
      }
      if (when > end) return pieces;
      Piece next = after(now, when);
      next.work = work(now, when);
      if (now.slips[which] != 0) next.speed[which] = next.speed[which + 1];
      next.slips = decided(now.slips, which, when);
      pieces.push_back(next);
    }
  }

 private:
  // One clutch may change; the other, if it sticks, may have to give way too. The mode with the most sticking is taken.
  Slips decided(const Slips& before, std::size_t which, Real t) const {
    const bool breaks = before[which] == 0;
    const int torque_sign = torques(before, t)[which] > 0 ? 1 : -1;
    const std::size_t other = 1 - which;
    for (const int other_slip : {0, 1, -1}) {
      for (const int slip : {0, 1, -1}) {
        if (breaks ? slip != torque_sign : false) continue;
        if (before[other] != 0 && other_slip != before[other]) continue;
        Slips slips;
        slips[which] = slip;
        slips[other] = other_slip;
        const auto a = accelerations(slips, [t](const Wave& wave) { return wave(t); });
        const auto load_on = torques(slips, t);
        bool holds = true;
        for (std::size_t c = 0; c < 2; ++c) {
          if (c == other && before[other] != 0) continue;
          if (slips[c] == 0)
            holds = holds && std::abs(load_on[c]) <= mu_s_ * pressing[c](t);
          else if (!(breaks && c == which))
            holds = holds && slips[c] * (a[c] - a[c + 1]) > 0;
        }
        if (holds) return slips;
      }
    }
    return before;
  }

  Real mu_, mu_s_;
};

}  // namespace

Problem clutch_pair() {
  Mechanics chain("clutch-pair");
  const auto q1 = chain.coordinate("driver", 0), q2 = chain.coordinate("middle", 0), q3 = chain.coordinate("load", 0);
  const auto mu = chain.parameter("friction", 0.3), mu_s = chain.parameter("static_friction", 0.4);
  const std::array q{q1, q2, q3};
  for (std::size_t i = 0; i < 3; ++i) chain.mass(q[i], static_cast<double>(inertia[i]));
  const auto value = [](const Wave& wave, const auto& at) {
    return static_cast<double>(wave.mean) +
           static_cast<double>(wave.size) * sin(static_cast<double>(wave.frequency) * at.t);
  };
  chain.force([=](const auto& at, auto& f) {
    f[q1] += value(drive, at);
    f[q3] += value(load, at);
  });
  for (std::size_t c = 0; c < 2; ++c) {
    chain.dry_friction(
        c == 0 ? "first clutch" : "second clutch",
        [a = q[c], b = q[c + 1]](const auto& at) { return at[dot(a)] - at[dot(b)]; },
        [=](const auto& at) { return value(pressing[c], at); }, {.friction = mu, .static_friction = mu_s});
  }
  chain.energy();
  using namespace shapes;
  chain.picture({Disk{{0, 0}, 0.8, q1}, Disk{{1.8, 0}, 0.8, q2}, Disk{{3.6, 0}, 0.8, q3}, Rod{{0.8, 0}, {1, 0}},
                 Rod{{2.6, 0}, {2.8, 0}}});
  const auto work = chain.state("drive work", 0);
  chain.rates(
      [=](const auto& at, auto& d) { d[work] = value(drive, at) * at[dot(q1)] + value(load, at) * at[dot(q3)]; });
  chain.friction_work();

  const auto motion_of = [=](const Values& values) -> std::optional<Chain> {
    Values expected(chain);
    for (const Parameter p : {mu, mu_s}) expected[p] = values[p];
    if (!(values[mu] > 0 && values[mu_s] >= values[mu]) || values.start() != expected.start()) return std::nullopt;
    return Chain(values[mu], values[mu_s]);
  };
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion || t < 0) return std::nullopt;
    const Chain::Piece last = motion->pieces_until(t).back(), now = motion->after(last, t);
    std::vector<double> state;
    Real energy = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      state.push_back(static_cast<double>(now.angle[i]));
      state.push_back(static_cast<double>(now.speed[i]));
      energy += inertia[i] * now.speed[i] * now.speed[i] / 2;
    }
    const Real taken = motion->work(last, t);
    state.push_back(static_cast<double>(energy + taken));
    state.push_back(static_cast<double>(taken));
    return state;
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    const auto motion = motion_of(values);
    if (!motion) return std::nullopt;
    return beginnings(motion->pieces_until(end), end);
  };
  return {.summary = "three inertias in a row, two dry clutches between them, pressed by forces that vary in time",
          .kind = "mechanics with contact",
          .source = "Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996); data of pawl",
          .system = chain,
          .end = 40,
          .plot = "t,middle'",
          .known_by = "closed form; works by quadrature",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
