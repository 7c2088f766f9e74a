#include "event/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {
constexpr int least_shrinking = 4;  // gaps in a row

/// Limit of a component that is smooth in time, whose steps shrink like q but for their own size; of one whose steps
/// shrink otherwise, by Aitken's rule; none where they do not shrink.
std::optional<double> limit_of(double x0, double x1, double x2, double q) {
  const double d1 = x1 - x0, d2 = x2 - x1;
  if (d2 == 0) return x2;
  const double ratio = d2 / d1;
  if (std::abs(ratio - q) <= 0.1 * q) {
    const double before = x1 + d1 * q / (1 - q), now = x2 + d2 * q / (1 - q);
    return now + (now - before) * q * q / (1 - q * q);
  }
  if (std::abs(ratio) < 0.99) return x2 + d2 * ratio / (1 - ratio);
  return std::nullopt;
}

/// A state found for another time than the one that is known best: along the way there, if the two are not far apart.
void move_on(Accumulation& found, double from, double t, const double* x) {
  if (!(std::abs(found.time - from) <= std::abs(from - t)) || from == t) return;
  for (std::size_t i = 0; i < found.state.size(); ++i)
    found.state[i] += (found.time - from) * (found.state[i] - x[i]) / (from - t);
}
}  // namespace

void GeometricLimit::add(double term, double q) {
  const auto before = values_;
  const auto changes = changes_;
  double value = term, last = term_, power = q;
  for (std::size_t level = 0; level < levels; ++level, power *= q) {
    const double next = terms_ > static_cast<int>(level) ? value + (value - last) * power / (1 - power) : value;
    last = before[level];
    values_[level] = value = next;
    changes_[level] = std::abs(value - before[level]);
  }
  term_ = term;
  ++terms_;
  // What is left of level k shrinks like q^(k + 2). One change alone may be small by chance.
  power = q * q;
  for (std::size_t level = 0; level < levels && terms_ >= static_cast<int>(level) + 4; ++level, power *= q) {
    const double off = std::max(changes_[level], changes[level]) * std::max(1.0, power / (1 - power));
    if (off < uncertainty_) {
      uncertainty_ = off;
      best_ = values_[level];
    }
  }
}

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
    s.change.assign(n, std::numeric_limits<double>::infinity());
    return std::nullopt;
  }
  Accumulation found{0, 0, e, s.events, std::vector<double>(n), std::vector<bool>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const double first = extrapolate(x[i], s.x[i], 1), second = extrapolate(first, s.x_first[i], 2);
    const double change = x[i] - s.x[i], before_that = std::exchange(s.change[i], change);
    found.goes_on[i] = std::abs(change) > 1.5 * e * std::abs(before_that);
    found.state[i] = found.goes_on[i] ? x[i] : extrapolate(second, s.x_second[i], 3);
    s.x[i] = x[i];
    s.x_first[i] = first;
    s.x_second[i] = second;
  }
  if (!is_regular) s.time = {};
  s.time.add(t, e);
  if (s.regular < 4 || std::abs(gap) > 1e-5 * s.largest_gap) return std::nullopt;  // three extrapolations need as many
  const double third = s.time.last(2), ahead = gap * e / (1 - e);
  found.time = s.time.best();
  found.uncertainty = s.time.uncertainty();
  if (std::abs(found.time - t) > 2 * std::abs(ahead)) found.time = t + ahead;
  // The state of the last gaps, so that what jumped before them is in it, at the time that is known best.
  move_on(found, third, t, x);
  return found;
}

std::optional<Accumulation> AccumulationWatch::note(int guard, double t, const double* x, int size,
                                                    double known_ratio) {
  if (known_ratio > 0 && known_ratio < 1) {
    if (auto found = note_known(known_[guard], t, x, size, known_ratio)) return found;
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
  const double ratio = gap / before, change = std::abs(ratio - s.ratio), drift = ratio - s.ratio;
  const double last_change = std::exchange(s.change, change);
  s.ratio = ratio;
  const bool is_regular = ratio < 0.95 && !(s.shrinking > 0 && change > 0.01 * ratio && gap > 1e3 * eps * std::abs(t));
  if (!is_regular && s.settled > 0 && s.shrinking >= 8 && gap < 1e-3 * s.largest_gap && !s.x0.empty()) {
    // A regular sequence that has come down to the rounding of its guard: where it was seen to go, its states too.
    Accumulation found{s.limit, gap, s.last_ratio, s.events, {x, x + size}};
    if (direction * (s.limit - t) <= 0)
      found.time = t;
    else
      s.add_limits(t, x, s.last_ratio, found);
    return found;
  }
  if (is_regular) s.last_ratio = ratio;
  if (!(ratio < 0.95) || (s.shrinking > 0 && change > 0.01 * ratio && gap > 1e3 * eps * std::abs(t))) {
    s.shrinking = s.settled = 0;
    s.largest_gap = gap;
    s.x0.clear();
    s.x1.clear();
    s.x2.clear();
    s.time = s.ratios = {};
    return std::nullopt;
  }
  s.ratios.add(ratio, ratio);
  const double once = s.shrinking > 0 ? ratio + drift * ratio / (1 - ratio) : ratio;
  s.time.add(t, std::clamp(s.ratios.is_known() ? s.ratios.best() : once, 0.0, 0.99));
  ++s.shrinking;
  s.x0.swap(s.x1);
  s.x1.swap(s.x2);
  s.x2.assign(x, x + size);
  s.t0 = std::exchange(s.t1, std::exchange(s.t2, t));
  const double limit = t + direction * gap * ratio / (1 - ratio), moved = std::abs(limit - s.limit);
  s.limit = limit;
  const double ahead = std::abs(limit - t);
  if (s.shrinking < least_shrinking || s.x0.empty()) return std::nullopt;
  const bool is_settled = (change <= last_change || change < 1e-6) && moved <= 1e-3 * ahead + 16 * eps * std::abs(t);
  s.settled = is_settled ? s.settled + 1 : s.settled;
  const bool is_better = s.time.is_known() && std::abs(s.time.best() - limit) <= 0.5 * ahead;
  const bool takes_turns = is_better && gap <= 1e-5 * s.largest_gap &&
                           std::any_of(sequences_.begin(), sequences_.end(), [&](const auto& other) {
                             return other.first != guard && is_shrinking_to(other.first, limit, ahead);
                           });
  const bool is_reached = ahead <= 1e-6 * s.largest_gap || gap < 64 * eps * std::abs(t) || takes_turns;
  if (!is_reached || s.settled == 0) return std::nullopt;
  const double q = s.ratios.is_known() ? s.ratios.best() : ratio;
  Accumulation found{
      is_better ? s.time.best() : limit, is_better ? s.time.uncertainty() : moved, q, s.events, {x, x + size}};
  s.add_limits(t, x, q, found);
  return found;
}

// Of the last three states of the sequence, for components of x, which may be later, that are on their way there. What
// they are the limits of in time, extrapolated like them, is moved on to where the sequence is known to end.
void AccumulationWatch::Sequence::add_limits(double now, const double* x, double q, Accumulation& found) const {
  found.goes_on.assign(found.state.size(), true);
  for (std::size_t i = 0; i < found.state.size(); ++i) {
    const auto end = limit_of(x0[i], x1[i], x2[i], q);
    if (!end || std::abs(x[i] - x2[i]) > 2 * std::abs(*end - x2[i])) continue;
    found.state[i] = *end;
    found.goes_on[i] = false;
  }
  if (const auto from = limit_of(t0, t1, t2, q)) move_on(found, *from, now, x);
}

bool AccumulationWatch::is_shrinking(int guard) const {
  const auto it = sequences_.find(guard);
  return it != sequences_.end() && it->second.shrinking >= least_shrinking;
}

bool AccumulationWatch::is_shrinking_to(int guard, double time, double far) const {
  return is_shrinking(guard) && std::abs(sequences_.at(guard).limit - time) < far;
}

void AccumulationWatch::agree(Accumulation& found, double t, const double* x) const {
  const double first = found.time, ahead = std::abs(first - t);
  for (const auto& [guard, s] : sequences_) {
    const bool knows_better = s.time.is_known() && s.time.uncertainty() < found.uncertainty;
    if (!knows_better || !is_shrinking_to(guard, first, ahead) || !(std::abs(s.time.best() - first) < 1e-3 * ahead))
      continue;
    found.time = s.time.best();
    found.uncertainty = s.time.uncertainty();
  }
  move_on(found, first, t, x);
}

bool AccumulationWatch::is_chattering(int guard) const {
  const auto it = sequences_.find(guard);
  return it != sequences_.end() && it->second.tiny_gaps >= 16;
}

}  // namespace pawl::event
