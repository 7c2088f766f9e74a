// A hundred balls that fall from heights 1 + 1e-9 j: their impacts come in clusters of a hundred within 1e-8 to 1e-7.
#include <algorithm>
#include <cmath>

#include "pawl/picture.hpp"
#include "problems/closed_form.hpp"
#include "problems/hybrid.hpp"

namespace pawl::problems {

namespace {

constexpr int count = 100;
constexpr double gravity = 9.81;

std::vector<double> heights() {
  std::vector<double> all;
  for (int j = 0; j < count; ++j) all.push_back(1 + 1e-9 * j);
  return all;
}
std::vector<Pair> all_balls() {
  std::vector<Pair> all;
  for (int j = 0; j < count; ++j) all.push_back({j, j});
  return all;
}

// One ball from t on: in flight, or pressing a damped spring, y'' = -g - k y - c y'.
struct BouncePiece {
  Real t, y, v;
  Real k = 0, c = 0;  // 0 in flight

  BouncePiece after(Real s) const {
    if (k == 0) return {t + s, y + v * s - Real(gravity) * s * s / 2, v - Real(gravity) * s};
    const Real a = c / 2, w = std::sqrt(k - a * a), rest = -Real(gravity) / k, b = (v + a * (y - rest)) / w;
    const Real decay = std::exp(-a * s), cosine = std::cos(w * s), sine = std::sin(w * s);
    const Real above = decay * ((y - rest) * cosine + b * sine);
    return {t + s, rest + above, -a * above + w * decay * (b * cosine - (y - rest) * sine), k, c};
  }
};

std::vector<BouncePiece> spring_pieces(double height, Real k, Real c, Real end) {
  std::vector<BouncePiece> pieces{{0, height, 0}};
  for (;;) {
    const BouncePiece& now = pieces.back();
    const bool flies = now.k == 0;
    Real s;
    if (flies) {
      s = (now.v + std::sqrt(now.v * now.v + 2 * Real(gravity) * now.y)) / Real(gravity);
    } else {
      const Real half = std::acos(Real(-1)) / std::sqrt(k - c * c / 4);
      s = zero_between([&](Real time) { return now.after(time).y; }, half / 2, 1.3L * half);
    }
    BouncePiece next = now.after(s);
    if (next.t > end) return pieces;
    next.y = 0;
    next.k = flies ? k : 0;
    next.c = flies ? c : 0;
    pieces.push_back(next);
  }
}

std::vector<BouncePiece> restitution_pieces(double height, Real e, Real end) {
  std::vector<BouncePiece> pieces{{0, height, 0}};
  for (;;) {
    const BouncePiece& now = pieces.back();
    const Real s = (now.v + std::sqrt(now.v * now.v + 2 * Real(gravity) * now.y)) / Real(gravity);
    if (now.t + s > end) return pieces;
    pieces.push_back({now.t + s, 0, -e * now.after(s).v});
  }
}

// References of all balls from the motion of one, a function (height, end) that gives its pieces.
template <class Motion>
Reference reference_of(const System& balls, Motion pieces_of) {
  return [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, balls) || t < 0 || t > 3.1) return std::nullopt;
    std::vector<double> state(2 * count);
    for (std::size_t j = 0; j < count; ++j) {
      const BouncePiece begin = pieces_of(heights()[j], t).back(), now = begin.after(t - begin.t);
      state[j] = static_cast<double>(now.y);
      state[count + j] = static_cast<double>(now.v);
    }
    return state;
  };
}
template <class Motion>
EventTimes event_times_of(const System& balls, Motion pieces_of) {
  return [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, balls) || end > 3.1) return std::nullopt;
    std::vector<double> all;
    for (const double height : heights()) {
      for (const double time : beginnings(pieces_of(height, end), end)) all.push_back(time);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
}

constexpr const char* compere = "Compere, dissertation, UT Austin (2001), Table 5.5";

}  // namespace

Problem balls_spring() {
  System balls("balls-spring");
  const auto y = balls.states("y", heights()), v = balls.states("v", std::vector<double>(count, 0.0));
  const auto stiffness = balls.parameter("k_over_m", 1e4), damping = balls.parameter("c_over_m", 14);
  const auto touching = balls.condition_family("ball is on the ground", all_balls(),
                                               [=](const auto& at, int j, int) { return -at[y[j]]; });
  balls.rates([=](const auto& at, auto& d) {
    for (int j = 0; j < count; ++j) {
      d[y[j]] = at[v[j]];
      d[v[j]] = -gravity;
    }
    for (const Pair ball : at[touching]) d[v[ball.i]] -= at[stiffness] * at[y[ball.i]] + at[damping] * at[v[ball.i]];
  });
  Picture picture{shapes::Wall{{0, 0}, {1, 0}}};
  for (int j = 0; j < count; ++j) picture.add(shapes::Disk{{(j + 0.5) / count, y[j]}, 0.4 / count});
  balls.picture(picture);
  const auto motion = [](double height, double end) { return spring_pieces(height, 1e4, 14, end); };
  return {.summary = "reconstruction: 100 balls on a ground of springs and dampers, 12 events each",
          .kind = "hybrid ODE, bilateral",
          .source = compere,
          .system = balls,
          .end = 3.1,
          .plot = "t,y1",
          .known_by = "closed form, piecewise",
          .reference = reference_of(balls, motion),
          .event_times = event_times_of(balls, motion)};
}

Problem balls_restitution() {
  System balls("balls-restitution");
  const auto y = balls.states("y", heights()), v = balls.states("v", std::vector<double>(count, 0.0));
  const auto e = balls.parameter("e", 0.8);
  balls.rates([=](const auto& at, auto& d) {
    for (int j = 0; j < count; ++j) {
      d[y[j]] = at[v[j]];
      d[v[j]] = -gravity;
    }
  });
  balls.guard_family("ball hits the ground", all_balls(), [=](const auto& at, int j, int) { return at[y[j]]; })
      .falling()
      .unilateral()
      .then([=](Jump& jump, int j, int) { jump[v[j]] = -jump[e] * jump.pre(v[j]); });
  Picture picture{shapes::Wall{{0, 0}, {1, 0}}};
  for (int j = 0; j < count; ++j) picture.add(shapes::Disk{{(j + 0.5) / count, y[j]}, 0.4 / count});
  balls.picture(picture);
  const auto motion = [](double height, double end) { return restitution_pieces(height, 0.8, end); };
  return {.summary = "reconstruction: 100 balls that bounce with restitution e, 6 impacts each",
          .kind = "hybrid ODE, unilateral",
          .source = compere,
          .system = balls,
          .end = 3,
          .plot = "t,y1",
          .known_by = "closed form",
          .reference = reference_of(balls, motion),
          .event_times = event_times_of(balls, motion)};
}

}  // namespace pawl::problems
