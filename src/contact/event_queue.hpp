// EventQueue: one instant per member, the earliest first; a heap in which every member knows its place. Ties go to the
// smaller number, so that a run has one order.
#pragma once

#include <utility>
#include <vector>

#include "contact/flight.hpp"

namespace pawl::contact {

class EventQueue {
 public:
  explicit EventQueue(int members)
      : time_(static_cast<std::size_t>(members), never), heap_(time_.size()), place_(time_.size()) {
    for (std::size_t i = 0; i < heap_.size(); ++i) heap_[i] = place_[i] = static_cast<int>(i);
  }

  int first() const { return heap_.front(); }
  double time(int i) const { return time_[at(i)]; }
  double first_time() const { return heap_.empty() ? never : time_[at(heap_.front())]; }
  void set(int i, double t) {
    time_[at(i)] = t;
    sink(rise(place_[at(i)]));
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_before(int i, int j) const {
    const double a = time_[at(i)], b = time_[at(j)];
    return a < b || (a == b && i < j);
  }
  void swap(int a, int b) {
    std::swap(heap_[at(a)], heap_[at(b)]);
    place_[at(heap_[at(a)])] = a, place_[at(heap_[at(b)])] = b;
  }
  int rise(int k) {
    while (k > 0 && is_before(heap_[at(k)], heap_[at((k - 1) / 2)])) {
      swap(k, (k - 1) / 2);
      k = (k - 1) / 2;
    }
    return k;
  }
  void sink(int k) {
    const int count = static_cast<int>(heap_.size());
    for (int child = 2 * k + 1; child < count; k = child, child = 2 * k + 1) {
      if (child + 1 < count && is_before(heap_[at(child + 1)], heap_[at(child)])) ++child;
      if (!is_before(heap_[at(child)], heap_[at(k)])) return;
      swap(k, child);
    }
  }

  std::vector<double> time_;
  std::vector<int> heap_, place_;
};

}  // namespace pawl::contact
