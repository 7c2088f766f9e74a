#include "pawl/signal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "pawl/system.hpp"

namespace pawl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check(const std::vector<Signal::Point>& points, std::string_view kind) {
  if (points.empty()) throw Misuse(fmt::format("an input needs at least one point: the {} is empty", kind));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].t) || !std::isfinite(points[i].value))
      throw Misuse(fmt::format("point {} of the {} is ({:g}, {:g}): both must be finite", i + 1, kind, points[i].t,
                               points[i].value));
    if (i > 0 && !(points[i].t > points[i - 1].t))
      throw Misuse(fmt::format("point {} of the {} is at t = {:.10g}, not after the one before, at {:.10g}", i + 1,
                               kind, points[i].t, points[i - 1].t));
  }
}

/// Second derivatives of the natural cubic spline: a tridiagonal system, diagonally dominant.
std::vector<double> curvatures(const std::vector<Signal::Point>& p) {
  const std::size_t n = p.size();
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = p[i].t - p[i - 1].t, after = p[i + 1].t - p[i].t;
    const double bend = (p[i + 1].value - p[i].value) / after - (p[i].value - p[i - 1].value) / before;
    const double pivot = 2 * (before + after) - before * upper[i - 1];
    upper[i] = after / pivot;
    m[i] = (6 * bend - before * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= upper[i] * m[i + 1];
  return m;
}

}  // namespace

Signal::Signal(double constant) : pieces_{{-infinity, 0, {constant}}} {
  if (!std::isfinite(constant)) throw Misuse(fmt::format("an input is {:g}: it must be finite", constant));
}

Signal Signal::steps(const std::vector<Point>& points) {
  check(points, "steps");
  Signal signal;
  for (const Point& point : points) signal.pieces_.push_back({point.t, point.t, {point.value}});
  signal.pieces_.front().begin = -infinity;
  return signal;
}

Signal Signal::polyline(const std::vector<Point>& points) {
  check(points, "polyline");
  Signal signal(points.front().value);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point &from = points[i], &to = points[i + 1];
    signal.pieces_.push_back({from.t, from.t, {from.value, (to.value - from.value) / (to.t - from.t)}});
  }
  if (points.size() > 1) signal.pieces_.push_back({points.back().t, points.back().t, {points.back().value}});
  return signal;
}

Signal Signal::spline(const std::vector<Point>& points) {
  check(points, "spline");
  const std::vector<double> m = curvatures(points);
  Signal signal(points.front().value);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point &from = points[i], &to = points[i + 1];
    const double h = to.t - from.t;
    signal.pieces_.push_back({from.t,
                              from.t,
                              {from.value, (to.value - from.value) / h - h * (2 * m[i] + m[i + 1]) / 6, m[i] / 2,
                               (m[i + 1] - m[i]) / (6 * h)}});
  }
  if (points.size() > 1) signal.pieces_.push_back({points.back().t, points.back().t, {points.back().value}});
  return signal;
}

Signal Signal::of_function(std::shared_ptr<const Function> f, const std::vector<double>& corners) {
  Signal signal;
  signal.pieces_.push_back({-infinity, 0, {}, f});
  for (const double t : corners) {
    if (!std::isfinite(t) || !(t > signal.pieces_.back().begin))
      throw Misuse(fmt::format("the corners of an input must be finite and ascending: {:g} is not", t));
    signal.pieces_.push_back({t, t, {}, f});
  }
  return signal;
}

int Signal::piece_at(double t, double direction) const {
  const auto after = std::partition_point(pieces_.begin() + 1, pieces_.end(), [=](const Piece& piece) {
    return direction > 0 ? piece.begin <= t : piece.begin < t;
  });
  return static_cast<int>(after - pieces_.begin()) - 1;
}

double value_of(const HeldInput& input, double t) {
  Held held;
  held.inputs = {input};
  const detail::Surroundings<double> around{&held};
  return Point<double>(t, static_cast<const double*>(nullptr), nullptr, &around)[Input{0}];
}

}  // namespace pawl
