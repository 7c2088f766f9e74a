#include "event/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pawl::event {

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();

/// Limit of a component whose steps shrink geometrically (Aitken); the last value where they do not.
double limit_of(double x0, double x1, double x2) {
  const double d1 = x1 - x0, d2 = x2 - x1;
  const double ratio = d2 / d1;
  return std::abs(ratio) < 0.99 ? x2 + d2 * ratio / (1 - ratio) : x2;
}
}  // namespace

std::optional<Accumulation> AccumulationWatch::note_known(KnownSequence& s, double t, const double* x, int size,
                                                          double e) {
  const auto n = static_cast<std::size_t>(size);
  const double gap = s.events == 0 ? 0 : t - s.t, before = std::exchange(s.gap, gap);
  const bool is_regular = s.events >= 2 && std::abs(gap / before - e) <= 0.1 * e;
  s.regular = is_regular ? s.regular + 1 : 0;
  if (!is_regular) s.largest_gap = std::abs(gap);
  ++s.events;
  s.t = t;
  // Each component is smooth in time, so it is extrapolated like time itself.
  const auto extrapolate = [e](double now, double last, int power) {
    const double q = std::pow(e, power);
    return now + (now - last) * q / (1 - q);
  };
  if (s.x.size() != n) {
    s.x.assign(x, x + size);
    s.x_first = s.x_second = s.x;
    return std::nullopt;
  }
  Accumulation found{0, 0, e, s.events, std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const double first = extrapolate(x[i], s.x[i], 1), second = extrapolate(first, s.x_first[i], 2);
    found.state[i] = extrapolate(second, s.x_second[i], 3);
    s.x[i] = x[i];
    s.x_first[i] = first;
    s.x_second[i] = second;
  }
  const double first = t + gap * e / (1 - e), second = extrapolate(first, s.first, 2),
               third = extrapolate(second, s.second, 3),
               last_change = std::exchange(s.change, std::abs(third - s.third)),
               change = std::max(s.change, last_change);  // one alone may be small by chance
  s.first = first;
  s.second = second;
  s.third = third;
  if (s.regular < 4) return std::nullopt;  // three extrapolations need as many gaps
  if (s.best.state.empty() || s.regular == 4 || change <= s.least_change) {
    s.least_change = change;
    found.time = third;
    found.uncertainty = change;
    s.best = found;
  }
  if (std::abs(gap) > 1e-5 * s.largest_gap) return std::nullopt;
  s.best.events = s.events;
  if (std::abs(s.best.time - t) > 2 * std::abs(gap) * e / (1 - e)) s.best.time = first;
  // The state of the last gaps, so that what jumped before them is in it, at the time that is known best.
  for (std::size_t i = 0; i < n && third != t; ++i)
    found.state[i] += (s.best.time - third) * (found.state[i] - x[i]) / (third - t);
  s.best.state = std::move(found.state);
  return s.best;
}

std::optional<Accumulation> AccumulationWatch::note(int guard, double t, const double* x, int size,
                                                    double known_ratio) {
  if (known_ratio > 0 && known_ratio < 1) {
    const auto found = note_known(known_[guard], t, x, size, known_ratio);
    if (found) return found;
  }
  Sequence& s = sequences_[guard];
  const double gap = std::abs(t - s.t), direction = t < s.t ? -1 : 1;
  // A bilateral guard goes through and comes back at once: one event of the sequence.
  if (s.events > 0 && gap < 64 * eps * std::abs(t) && gap < 1e-3 * s.gap) return std::nullopt;
  const double before = std::exchange(s.gap, gap);
  s.t = t;
  if (++s.events == 1) {
    s.gap = 0;
    return std::nullopt;
  }
  s.tiny_gaps = gap < 64 * eps * std::abs(t) ? s.tiny_gaps + 1 : 0;
  s.largest_gap = std::max(s.largest_gap, gap);
  if (s.events == 2) return std::nullopt;
  const double ratio = gap / before, change = std::abs(ratio - s.ratio);
  const double last_change = std::exchange(s.change, change);
  s.ratio = ratio;
  const bool is_regular = ratio < 0.95 && !(s.shrinking > 0 && change > 0.01 * ratio && gap > 1e3 * eps * std::abs(t));
  if (!is_regular && s.settled > 0 && s.shrinking >= 8 && gap < 1e-3 * s.largest_gap && !s.x0.empty()) {
    // A regular sequence that has come down to the rounding of its guard.
    Accumulation found{direction * (s.limit - t) > 0 ? s.limit : t, gap, s.last_ratio, s.events, {}};
    found.state.assign(x, x + size);
    return found;
  }
  if (is_regular) s.last_ratio = ratio;
  if (!(ratio < 0.95) || (s.shrinking > 0 && change > 0.01 * ratio && gap > 1e3 * eps * std::abs(t))) {
    s.shrinking = s.settled = 0;
    s.largest_gap = gap;
    s.x0.clear();
    s.x1.clear();
    s.x2.clear();
    return std::nullopt;
  }
  ++s.shrinking;
  s.x0.swap(s.x1);
  s.x1.swap(s.x2);
  s.x2.assign(x, x + size);
  const double limit = t + direction * gap * ratio / (1 - ratio), moved = std::abs(limit - s.limit);
  s.limit = limit;
  const double ahead = std::abs(limit - t);
  if (s.shrinking < 4 || s.x0.empty()) return std::nullopt;
  const bool is_settled = (change <= last_change || change < 1e-6) && moved <= 1e-3 * ahead + 16 * eps * std::abs(t);
  s.settled = is_settled ? s.settled + 1 : s.settled;
  const bool is_reached = ahead <= 1e-6 * s.largest_gap || gap < 64 * eps * std::abs(t);
  if (!is_reached || s.settled == 0) return std::nullopt;
  Accumulation found{limit, moved, ratio, s.events, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i)
    found.state.push_back(limit_of(s.x0[i], s.x1[i], s.x2[i]));
  return found;
}

bool AccumulationWatch::is_chattering(int guard) const {
  const auto it = sequences_.find(guard);
  return it != sequences_.end() && it->second.tiny_gaps >= 16;
}

}  // namespace pawl::event
