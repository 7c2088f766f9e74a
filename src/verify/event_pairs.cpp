#include "verify/event_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace pawl::verification {

namespace {

struct Occurrence {
  double t;
  EventKind kind;
};

/// What may be the same event in two runs: a guard, and whether its events accumulate there, or its surface is left.
using Key = std::pair<std::string, EventKind>;

EventKind class_of(EventKind kind) {
  return kind == EventKind::accumulation || kind == EventKind::leave ? kind : EventKind::crossing;
}

using Occurrences = std::map<Key, std::vector<Occurrence>>;

Occurrences occurrences_of(const Result& run) {
  Occurrences all;
  for (const Event& event : run.events) {
    if (!fires(event.kind)) continue;
    for (const EventSource& source : event.sources)
      all[{name_of(source, *run.declarations), class_of(event.kind)}].push_back({event.t, event.kind});
  }
  return all;
}

/// Both in the order of time. The earlier one of two candidates stays alone where the next one of its run is nearer to
/// the other, or where they are further apart than the window.
void pair_up(const Key& key, const std::vector<Occurrence>& a, const std::vector<Occurrence>& b, double direction,
             double window, std::vector<EventPair>& pairs) {
  std::size_t i = 0, j = 0;
  const auto take = [&](bool first, bool other) {
    EventPair pair{.name = key.first, .kind = std::string(to_string(first ? a[i].kind : b[j].kind))};
    if (first) pair.t_first = a[i++].t;
    if (other) pair.t_other = b[j++].t;
    pairs.push_back(std::move(pair));
  };
  while (i < a.size() && j < b.size()) {
    const double ahead = direction * (b[j].t - a[i].t), apart = std::abs(ahead);
    const bool next_a_is_nearer = ahead > 0 && i + 1 < a.size() && std::abs(b[j].t - a[i + 1].t) < apart;
    const bool next_b_is_nearer = ahead < 0 && j + 1 < b.size() && std::abs(b[j + 1].t - a[i].t) < apart;
    const bool is_same = apart <= window && !next_a_is_nearer && !next_b_is_nearer;
    take(is_same || ahead > 0, is_same || ahead <= 0);
  }
  while (i < a.size()) take(true, false);
  while (j < b.size()) take(false, true);
}

double largest_difference(const std::vector<EventPair>& pairs) {
  double largest = 0;
  for (const EventPair& pair : pairs) largest = std::max(largest, std::abs(pair.difference()));
  return largest;
}

/// A condition that changes and changes back at one instant, in one run only, has changed nothing. In the order of
/// time.
void excuse_there_and_back(std::vector<EventPair>& pairs) {
  std::map<std::pair<std::string, bool>, EventPair*> open;  // by name and whether the first run has it
  for (EventPair& pair : pairs) {
    if (pair.is_matched() || pair.is_excused) continue;
    EventPair*& last = open[{pair.name, pair.t_first.has_value()}];
    if (last != nullptr && std::abs(pair.t() - last->t()) <= 1e-12 * std::abs(pair.t())) {
      last->is_excused = pair.is_excused = true;
      last = nullptr;
    } else {
      last = &pair;
    }
  }
}

}  // namespace

std::vector<EventPair> pair_events(const Result& first, const Result& other, double window) {
  const double direction = first.t_end < first.t_start ? -1 : 1;
  const double span = std::max(std::abs(first.t_end - first.t_start), std::abs(other.t_end - first.t_start));
  Occurrences of_first = occurrences_of(first), of_other = occurrences_of(other);
  std::vector<EventPair> pairs;
  for (const auto& [key, list] : of_first) pair_up(key, list, of_other[key], direction, window, pairs);
  for (const auto& [key, list] : of_other)
    if (!of_first.contains(key)) pair_up(key, {}, list, direction, window, pairs);

  const double slack = std::clamp(10 * largest_difference(pairs), 1e-9 * span, 1e-3 * span);
  std::vector<EventPair> limits;  // accumulation points of both
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(limits), [](const EventPair& pair) {
    return pair.is_matched() && pair.kind == to_string(EventKind::accumulation);
  });
  std::erase_if(pairs, [&](const EventPair& pair) {  // nobody knows what the run that lacks it would have done
    if (pair.is_matched()) return false;
    const Result& lacking = pair.t_first ? other : first;
    const bool has_ended = lacking.outcome == Outcome::failed || lacking.outcome == Outcome::stopped;
    return has_ended && direction * (pair.t() - lacking.t_end) > -slack;
  });
  for (EventPair& pair : pairs) {
    if (pair.is_matched()) continue;
    const Result& lacking = pair.t_first ? other : first;
    pair.is_excused = direction * (pair.t() - lacking.t_end) > -slack;
    for (const EventPair& limit : limits) {
      const double before = direction * (limit.t() - pair.t());
      pair.is_excused |= limit.name == pair.name && before >= -slack && before <= 1e-4 * span;
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [direction](const EventPair& a, const EventPair& b) { return direction * (a.t() - b.t()) < 0; });
  excuse_there_and_back(pairs);
  return pairs;
}

}  // namespace pawl::verification
