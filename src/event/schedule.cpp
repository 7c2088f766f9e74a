#include "event/schedule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pawl::event {

Schedule::Schedule(const System::Declarations& model, const Held& held, double start, double direction)
    : model_(model), start_(start), direction_(direction), entries_(model.time_events.size()) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TimeEventInfo& info = model.time_events[i];
    Entry& entry = entries_[i];
    const double value = value_of(info.time, held);
    if (info.is_periodic) {
      entry.base = start;
      entry.period = value;
      entry.count = 1;
      entry.time = start + direction * value;
    } else {
      entry.time = value;
      entry.is_done = direction * (value - start) <= 0;  // an event belongs to start < t <= end
    }
  }
  find_next();
}

double Schedule::value_of(const TimeValue& value, const Held& held) const {
  if (const auto* p = std::get_if<Parameter>(&value)) return held.parameters[static_cast<std::size_t>(p->index)];
  return std::get<double>(value);
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

std::string Schedule::refresh(const Held& held, double now) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TimeEventInfo& info = model_.time_events[i];
    if (!std::holds_alternative<Parameter>(info.time)) continue;
    Entry& entry = entries_[i];
    const double value = value_of(info.time, held);
    if (!std::isfinite(value) || (info.is_periodic && value <= 0))
      return fmt::format("the time event '{}' has become {:g}, which is no {}", info.name, value,
                         info.is_periodic ? "period" : "time");
    if (!info.is_periodic) {
      if (entry.is_done || value == entry.time) continue;
      entry.time = value;
      entry.is_done = direction_ * (value - now) <= 0;
      continue;
    }
    if (value == entry.period) continue;
    entry.base = entry.time - direction_ * entry.period;  // the last occurrence
    entry.period = value;
    entry.count = std::max(1LL, static_cast<long long>(std::floor(direction_ * (now - entry.base) / value)));
    const auto time_of = [&](long long count) { return entry.base + direction_ * static_cast<double>(count) * value; };
    while (direction_ * (time_of(entry.count) - now) <= 0) ++entry.count;
    entry.time = time_of(entry.count);
  }
  find_next();
  return {};
}

}  // namespace pawl::event
