#include "event/schedule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pawl::event {

Schedule::Schedule(const System::Declarations& model, const Held& held, double start, double direction)
    : model_(model), direction_(direction), entries_(model.time_events.size()) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TimeEventInfo& info = model.time_events[i];
    Entry& entry = entries_[i];
    const double value = value_of(info.time, held);
    if (info.is_periodic) {
      entry.base = start + direction * value_of(info.phase, held);
      entry.period = value;
      const bool is_first_done = !is_after(entry.base, start) && !info.includes_start;
      entry.count = is_first_done ? 1 : 0;
      entry.time = entry.base + direction * static_cast<double>(entry.count) * value;
    } else {
      entry.time = entry.held = value;
      // Unless the start is asked for, an event belongs to start < t <= end.
      entry.is_done = !is_after(value, start) && !(info.includes_start && value == start);
    }
  }
  find_next();
}

void Schedule::find_next() {
  next_ = direction_ * std::numeric_limits<double>::infinity();
  for (const Entry& entry : entries_) {
    if (!entry.is_done && direction_ * (entry.time - next_) < 0) next_ = entry.time;
  }
}

std::vector<int> Schedule::take(double t, double slack) {
  std::vector<int> due;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.is_done || direction_ * (entry.time - t) > slack) continue;
    due.push_back(static_cast<int>(i));
    if (entry.period > 0)  // never accumulated: base + count * period
      entry.time = entry.base + direction_ * static_cast<double>(++entry.count) * entry.period;
    else
      entry.is_done = true;
  }
  if (!due.empty()) find_next();
  return due;
}

// From the last occurrence on, with the new period.
void Schedule::change_period(Entry& entry, double period, double now) const {
  entry.base = entry.time - direction_ * entry.period;
  entry.period = period;
  entry.count = std::max(1LL, static_cast<long long>(std::floor(direction_ * (now - entry.base) / period)));
  const auto time_of = [&](long long count) { return entry.base + direction_ * static_cast<double>(count) * period; };
  while (!is_after(time_of(entry.count), now)) ++entry.count;
  entry.time = time_of(entry.count);
}

std::string Schedule::grant(const Jump::Request& request, double now) {
  const std::size_t i = checked(request.event.index, entries_.size(), "time event", model_);
  Entry& entry = entries_[i];
  entry.is_done = std::isinf(request.time);
  if (!entry.is_done && !is_after(request.time, now)) {
    return fmt::format(
        "the time event '{}' is scheduled for t = {:.10g}, which is not after this instant.\n"
        "  try:    schedule(event, t) with a later time; infinity for never",
        model_.time_events[i].name, request.time);
  }
  entry.base = entry.time = request.time;
  entry.count = 0;
  return {};
}

std::string Schedule::refresh(const Held& held, double now, const std::vector<Jump::Request>& requests) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TimeEventInfo& info = model_.time_events[i];
    if (std::holds_alternative<double>(info.time)) continue;
    Entry& entry = entries_[i];
    const double value = value_of(info.time, held);
    if (std::isnan(value) || (info.is_periodic && !(value > 0 && std::isfinite(value))))
      return fmt::format("the time event '{}' has become {:g}, which is no {}", info.name, value,
                         info.is_periodic ? "period" : "time");
    if (info.is_periodic && value != entry.period) {
      change_period(entry, value, now);
    } else if (!info.is_periodic && value != entry.held) {
      entry.time = entry.held = value;
      entry.is_done = !is_after(value, now) || std::isinf(value);
    }
  }
  for (const Jump::Request& request : requests) {
    if (std::string wrong = grant(request, now); !wrong.empty()) return wrong;
  }
  find_next();
  return {};
}

}  // namespace pawl::event
