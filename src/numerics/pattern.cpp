#include "pawl/pattern.hpp"

#include <algorithm>

namespace pawl {

namespace {
thread_local PatternTape* active = nullptr;
}

PatternTape::PatternTape() : before_(std::exchange(active, this)) {}
PatternTape::~PatternTape() {
  active = before_;
}

int PatternTape::add(int a, int b) {
  nodes_.emplace_back(a, b);
  return static_cast<int>(nodes_.size()) - 1;
}

int PatternTape::join(int a, int b) {
  return active->add(a, b);
}

Pattern PatternTape::variable(int index) {
  Pattern x;
  x.node_ = add(-1, index);
  return x;
}

const std::vector<int>& PatternTape::inputs_of(const Pattern& result) {
  inputs_.clear();
  if (result.node_ < 0) return inputs_;
  seen_.resize(nodes_.size(), 0);
  ++visit_;
  stack_.assign(1, result.node_);
  while (!stack_.empty()) {
    const int node = stack_.back();
    stack_.pop_back();
    if (std::exchange(seen_[static_cast<std::size_t>(node)], visit_) == visit_) continue;
    const auto [a, b] = nodes_[static_cast<std::size_t>(node)];
    if (a < 0) {
      inputs_.push_back(b);
    } else {
      stack_.push_back(a);
      stack_.push_back(b);
    }
  }
  std::sort(inputs_.begin(), inputs_.end());
  inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
  return inputs_;
}

}  // namespace pawl
