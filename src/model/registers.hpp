// Registers: which values are in registers and which in memory, while straight code is written in one pass.
//
// A value that is computed gets a register. Where none is free, the one whose next use is furthest away is given up
// (Belady, IBM Systems Journal 5 (1966) 78) and its value stored, unless it is in memory already, as leaves are. What
// was stored once is read from there. Before calls and at branches everything that is still needed is stored.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "model/instruction.hpp"

namespace pawl::model {

class Registers {
 public:
  using Store = std::function<void(int reg, int slot)>;

  /// first_slot: of the memory for stored values.
  Registers(const Graph& graph, const std::vector<Instruction>& list, int count, int first_slot, Store store)
      : value_in_(static_cast<std::size_t>(count), -1),
        register_of_(static_cast<std::size_t>(graph.size()), -1),
        slot_of_(static_cast<std::size_t>(graph.size()), -1),
        first_(static_cast<std::size_t>(graph.size()) + 1, 0),
        next_(static_cast<std::size_t>(graph.size()), 0),
        is_leaf_(static_cast<std::size_t>(graph.size()), 0),
        slots_(first_slot),
        store_(std::move(store)) {
    list_uses(list);
    for (int node = 0; node < graph.size(); ++node)
      is_leaf_[at(node)] = !graph.is_moving(node) || is_leaf(graph[node].op) ? 1 : 0;
  }

  int register_of(int node) const { return register_of_[at(node)]; }
  int slot_of(int node) const { return slot_of_[at(node)]; }
  int slots() const { return slots_; }

  /// The instruction `now` has read its operands: those that nobody reads later leave their places.
  /// Places in memory stay as they are until the next instruction: this one may read them after a register was stored.
  void pass(const Instruction& one, int now) {
    free_.insert(free_.end(), left_.begin(), left_.end());
    left_.clear();
    for (int k = 0; k < one.count; ++k) {
      const int node = one.operand[at(k)];
      while (next_[at(node)] < first_[at(node) + 1] && uses_[at(next_[at(node)])] <= now) ++next_[at(node)];
      if (next_use(node) == never) drop(node);
    }
  }
  /// A register for a new value.
  int take(int node) {
    int best = -1, furthest = -1;
    for (std::size_t reg = 0; reg < value_in_.size(); ++reg) {
      const int use = value_in_[reg] < 0 ? never : next_use(value_in_[reg]);
      if (value_in_[reg] < 0) {
        best = static_cast<int>(reg);
        break;
      }
      if (use > furthest) {
        furthest = use;
        best = static_cast<int>(reg);
      }
    }
    if (value_in_[at(best)] >= 0) evict(best);
    value_in_[at(best)] = node;
    register_of_[at(node)] = best;
    return best;
  }
  /// A register for a leaf that the instruction at hand reads, where that is worth it: it is read `more` times after
  /// that, and sooner than something that is in a register; else -1.
  int take_for_leaf(int node, int more) {
    const int first = next_[at(node)] + 1, last = first_[at(node) + 1];
    if (last - first < more) return -1;
    const int soon = uses_[at(first)];
    for (const int value : value_in_) {
      if (value < 0 || next_use(value) > soon) return take(node);
    }
    return -1;
  }
  /// Everything that is still needed is in memory from here on, and no register is in use.
  void flush() {
    for (std::size_t reg = 0; reg < value_in_.size(); ++reg) {
      if (value_in_[reg] >= 0) evict(static_cast<int>(reg));
    }
  }
  /// Where the value of a register is stored, now if it was not yet.
  int in_memory(int node) {
    if (slot_of_[at(node)] < 0) {
      slot_of_[at(node)] = new_slot();
      store_(register_of_[at(node)], slot_of_[at(node)]);
    }
    return slot_of_[at(node)];
  }
  /// A place in memory for a value that is written there directly.
  int take_slot(int node) {
    int& slot = slot_of_[at(node)];
    if (slot < 0) slot = new_slot();
    return slot;
  }
  /// A place that is free again with the next instruction: for what is handed to a call. Ask for it after pass().
  int scratch_slot() {
    left_.push_back(new_slot());
    return left_.back();
  }

 private:
  static constexpr int never = std::numeric_limits<int>::max();
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void list_uses(const std::vector<Instruction>& list) {
    for (const Instruction& one : list)
      for (int k = 0; k < one.count; ++k) ++first_[at(one.operand[at(k)]) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = first_[i];
    uses_.resize(at(first_.back()));
    for (std::size_t i = 0; i < list.size(); ++i)
      for (int k = 0; k < list[i].count; ++k) uses_[at(next_[at(list[i].operand[at(k)])]++)] = static_cast<int>(i);
    for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = first_[i];
  }
  int next_use(int node) const { return next_[at(node)] < first_[at(node) + 1] ? uses_[at(next_[at(node)])] : never; }
  void drop(int node) {
    if (register_of_[at(node)] >= 0) value_in_[at(register_of_[at(node)])] = -1;
    if (slot_of_[at(node)] >= 0) left_.push_back(slot_of_[at(node)]);
    register_of_[at(node)] = slot_of_[at(node)] = -1;
  }
  void evict(int reg) {
    const int node = value_in_[at(reg)];
    if (slot_of_[at(node)] < 0 && is_leaf_[at(node)] == 0) {
      slot_of_[at(node)] = new_slot();
      store_(reg, slot_of_[at(node)]);
    }
    value_in_[at(reg)] = -1;
    register_of_[at(node)] = -1;
  }
  int new_slot() {
    if (free_.empty()) return slots_++;
    const int slot = free_.back();
    free_.pop_back();
    return slot;
  }

  std::vector<int> value_in_, register_of_, slot_of_;
  std::vector<int> first_, next_, uses_;  // the instructions that read a node: uses_[first_[node]] ...
  std::vector<char> is_leaf_;
  std::vector<int> free_, left_;
  int slots_;
  Store store_;
};

}  // namespace pawl::model
