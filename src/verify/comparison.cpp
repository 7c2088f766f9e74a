#include "verify/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl::verification {

namespace {

/// Stretches of time in which one run has passed an event and the other has not.
class Between {
 public:
  Between(const std::vector<EventPair>& events, double direction) : direction_(direction) {
    for (const EventPair& pair : events) {
      if (!pair.is_matched()) continue;
      const auto [low, high] = std::minmax({direction * *pair.t_first, direction * *pair.t_other});
      const double rounding = 1e-14 * std::max(std::abs(low), std::abs(high));
      stretches_.push_back({low - rounding, high + rounding});
    }
    std::sort(stretches_.begin(), stretches_.end(), [](const Range& a, const Range& b) { return a.min < b.min; });
    double reached = -std::numeric_limits<double>::infinity();
    for (Range& one : stretches_) reached = one.max = std::max(reached, one.max);
  }
  bool contains(double t) const {
    const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), direction_ * t,
                                        [](double at, const Range& one) { return at < one.min; });
    return after != stretches_.begin() && direction_ * t <= std::prev(after)->max;
  }

 private:
  double direction_;
  std::vector<Range> stretches_;
};

void sort_in_order(std::vector<double>& times, double direction) {
  std::sort(times.begin(), times.end(), [direction](double a, double b) { return direction * a < direction * b; });
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

std::vector<double> end_of(const Result& run) {
  const bool is_whole = run.outcome == Outcome::finished || run.outcome == Outcome::terminated;
  return is_whole ? run.final_state : std::vector<double>();
}

double largest_of(const Track& track, std::size_t i) {
  double largest = track.end.empty() ? 0 : std::abs(track.end[i]);
  for (std::size_t k = 0; k < track.count(); ++k) largest = std::max(largest, std::abs(track.at(k)[i]));
  return largest;
}

}  // namespace

std::vector<double> common_times(const Result& first, int instants) {
  const double direction = first.t_end < first.t_start ? -1 : 1;
  std::vector<double> times;
  if (!first.trajectory.coefficients.empty()) {
    for (int i = 0; i < instants; ++i)
      times.push_back(first.t_start + (first.t_end - first.t_start) * (static_cast<double>(i) / instants));
    const Trajectory& path = first.trajectory;  // most steps are where most happens
    const std::size_t stride = path.t0.size() / static_cast<std::size_t>(instants) + 1;
    for (std::size_t k = 0; k < path.t0.size(); k += stride)
      times.push_back(path.t0[k] + (path.t1[k] - path.t0[k]) / 2);
    double last = first.t_start;
    for (const Event& event : first.events) {
      if (event.t != last) times.push_back(last + (event.t - last) / 2);
      last = event.t;
    }
    times.push_back(last + (first.t_end - last) / 2);
  } else {
    times = first.trajectory.sample_times;
  }
  std::erase_if(times, [&](double t) { return direction * (first.t_end - t) <= 0; });
  sort_in_order(times, direction);
  return times;
}

Track track_of_first(const Result& first, const std::vector<double>& times) {
  if (first.trajectory.coefficients.empty()) return track_of(first, times);
  Track track{.size = first.trajectory.size, .states = {}, .end = end_of(first)};
  for (const double t : times) {
    const Instant at = first.at(t);
    track.states.insert(track.states.end(), at.states().begin(), at.states().end());
  }
  return track;
}

Track track_of(const Result& run, const std::vector<double>& times) {
  Track track{.size = run.trajectory.size, .states = {}, .end = end_of(run)};
  const std::vector<double>& sampled = run.trajectory.sample_times;
  std::size_t k = 0;
  for (const double t : times) {
    while (k < sampled.size() && sampled[k] != t) ++k;
    if (k == sampled.size()) break;
    while (k + 1 < sampled.size() && sampled[k + 1] == t) ++k;  // after the event, where there is one
    const double* x = run.trajectory.sample_states.data() + k * static_cast<std::size_t>(track.size);
    track.states.insert(track.states.end(), x, x + track.size);
  }
  return track;
}

std::vector<double> scales_of(const Track& first, const std::vector<double>& absolute, double digits) {
  std::vector<double> scales;
  for (std::size_t i = 0; i < static_cast<std::size_t>(first.size); ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto widen = [&](double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    };
    for (std::size_t k = 0; k < first.count(); ++k) widen(first.at(k)[i]);
    if (!first.end.empty()) widen(first.end[i]);
    const double largest = std::max(std::abs(low), std::abs(high));
    scales.push_back(std::max({high - low, 1e-3 * largest, std::pow(10, digits) * absolute[i]}));
  }
  return scales;
}

std::vector<double> with_zeros(std::vector<double> scales, const Track& first, const Track& tighter, double relative,
                               double agreement) {
  if (scales.empty() || tighter.count() < first.count()) return scales;
  const double whole = *std::max_element(scales.begin(), scales.end());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const double size = largest_of(first, i);
    if (size <= relative * whole && largest_of(tighter, i) <= 0.1 * size)
      scales[i] = std::max(scales[i], 10 * size / agreement);
  }
  return scales;
}

Differences compare(const Track& a, const Track& b, const std::vector<double>& times, double t_end,
                    const std::vector<double>& scales, const std::vector<EventPair>& events,
                    const std::vector<std::string>& names) {
  const std::size_t n = scales.size();
  const double direction = !times.empty() && t_end < times.front() ? -1 : 1;
  const Between between(events, direction);
  Differences all;
  std::vector<double> worst(n, 0), last(n, 0), t_worst(n, t_end);
  double size = 0;
  const auto add = [&](double t, const double* xa, const double* xb) {
    double largest = 0, mean = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      all.apart.push_back(xb[i] - xa[i]);
      double difference = std::abs(xa[i] - xb[i]) / scales[i];
      if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
      last[i] = difference;
      if (difference > worst[i]) worst[i] = difference, t_worst[i] = t;
      largest = std::max(largest, difference);
      mean += difference * difference;
      squares += std::max(xa[i] * xa[i], xb[i] * xb[i]) / (scales[i] * scales[i]);
    }
    size = std::max(size, std::sqrt(squares / static_cast<double>(n)));
    all.t.push_back(t);
    all.largest.push_back(largest);
    all.mean.push_back(std::sqrt(mean / static_cast<double>(n)));
    all.size.push_back(size);
  };
  for (std::size_t k = 0; k < std::min(a.count(), b.count()); ++k)
    if (!between.contains(times[k])) add(times[k], a.at(k), b.at(k));
  all.has_end = !a.end.empty() && !b.end.empty();
  if (all.has_end) add(t_end, a.end.data(), b.end.data());
  for (std::size_t i = 0; i < n && !all.t.empty(); ++i) {
    all.variables.push_back({.variable = names[i],
                             .scale = scales[i],
                             .digits = digits_of(worst[i]),
                             .digits_at_end = digits_of(last[i]),
                             .t_worst = t_worst[i]});
  }
  return all;
}

double digits_of(double difference) {
  if (!(difference > 0)) return 16;
  return std::min(16.0, -std::log10(difference));
}

}  // namespace pawl::verification
