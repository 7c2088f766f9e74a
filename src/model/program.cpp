// From instructions on nodes to words: files and slots.
#include "pawl/model/program.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/instruction.hpp"
#include "model/interpreter.hpp"
#include "numerics/index.hpp"
#include "pawl/function.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

namespace {

int number_of(Code code) {
  return static_cast<int>(code);
}
int difference(Op a, Op b) {
  return static_cast<int>(a) - static_cast<int>(b);
}

// In the order of the lists in opcodes.hpp.
int pair_of(File a, File b) {
  static constexpr int places[3][3] = {{-1, 0, 1}, {6, 2, 3}, {7, 4, 5}};
  return places[at(static_cast<int>(a))][at(static_cast<int>(b))];
}
int is_x(File file) {
  return file == File::x ? 1 : 0;
}

constexpr int largest_destination = (1 << 24) - 1;

}  // namespace

class Lowering {
 public:
  Lowering(const Graph& graph, const std::vector<int>& outputs, const std::vector<int>& wanted, Program& program)
      : graph_(graph), layout_(graph, outputs), program_(program) {
    program.rows_ = static_cast<int>(outputs.size());
    lower_held(held_instructions(graph, outputs));
    lower_moving(moving_instructions(graph, wanted, true));
    program.held_ = std::move(layout_.held);
    program.held_loads_ = std::move(layout_.held_loads);
    program.moving_loads_ = std::move(layout_.moving_loads);
    program.states_ = std::move(layout_.states);
  }

 private:
  // Held values are never moved: all of them are operands in m, which is the file h.
  void lower_held(const std::vector<Instruction>& list) {
    words_ = &program_.held_code_;
    is_held_part_ = true;
    for (const Instruction& one : list) {
      if (!control(one)) operation(one, layout_.slot(one.node));
    }
    emit(Code::halt, 0, {});
    is_held_part_ = false;
  }

  void lower_moving(const std::vector<Instruction>& list) {
    words_ = &program_.code_;
    last_use_ = last_uses(list, at(graph_.size()));
    slot_.assign(at(graph_.size()), -1);
    slots_ = static_cast<int>(layout_.moving_loads.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Instruction& one = list[i];
      now_ = static_cast<int>(i);
      if (control(one)) continue;
      if (one.shape == Shape::store) {
        store(one);
      } else {
        operation(one, -1);
      }
    }
    emit(Code::halt, 0, {});
    program_.moving_size_ = slots_;
  }

  bool control(const Instruction& one) {
    if (one.shape == Shape::branch) {
      emit(Code::jump_unless, 0, {layout_.slot(one.node), 0});
      open_.push_back(words_->size() - 1);
    } else if (one.shape == Shape::otherwise) {
      emit(Code::jump, 0, {0});
      (*words_)[open_.back()] = static_cast<std::uint32_t>(words_->size());
      open_.back() = words_->size() - 1;
    } else if (one.shape == Shape::join) {
      (*words_)[open_.back()] = static_cast<std::uint32_t>(words_->size());
      open_.pop_back();
    } else {
      return false;
    }
    return true;
  }

  // dest: -1 where a slot has to be found.
  void operation(const Instruction& one, int dest) {
    std::array<int, 4> operand = one.operand;
    const Op op = graph_[one.node].op;
    const bool needs_m = one.shape == Shape::plain && needs_temporaries(op);
    for (int k = 0; k < one.count; ++k) {
      const bool is_power = op == Op::pow && k == 1 && file_of(operand[at(k)]) == File::h;
      place_[at(k)] = {file_of(operand[at(k)]), slot_of(operand[at(k)])};
      if (needs_m && !is_power) promote(place_[at(k)]);
    }
    for (const int temporary : std::exchange(temporaries_, {})) free_.push_back(temporary);
    for (int k = 0; k < one.count; ++k) release(operand[at(k)]);
    if (dest < 0) dest = destination(one);
    encode(one, op, dest);
  }
  static bool needs_temporaries(Op op) { return op == Op::select || (op >= Op::atan2 && op <= Op::max); }

  void encode(const Instruction& one, Op op, int dest) {
    auto& p = place_;
    const auto with = [&](Code base, int offset, int count) {
      const auto code = static_cast<Code>(number_of(base) + offset);
      std::array<int, 4> slots{};
      for (int k = 0; k < count; ++k) slots[at(k)] = p[at(k)].slot;
      emit(code, dest, {slots.data(), at(count)});
    };
    const int shape = static_cast<int>(one.shape);
    if (one.shape == Shape::take) {
      static constexpr Code copies[] = {Code::copy_h, Code::copy_m, Code::copy_x};
      with(copies[at(static_cast<int>(p[0].file))], 0, 1);
    } else if (one.shape == Shape::plain) {
      encode_plain(op, with);
    } else if (one.shape <= Shape::sub_mul) {
      const int pair = pair_of(p[0].file, p[1].file);
      with(Code::mul_add_hmh, 18 * (shape - static_cast<int>(Shape::mul_add)) + 6 * static_cast<int>(p[2].file) + pair,
           3);
    } else if (one.shape <= Shape::two_sub) {
      with(Code::add_hm_hm, 4 * (shape - static_cast<int>(Shape::two_add)) + 2 * is_x(p[1].file) + is_x(p[3].file), 4);
    } else {
      with(Code::add_add_mmm,
           8 * (shape - static_cast<int>(Shape::add_add)) + 4 * is_x(p[0].file) + 2 * is_x(p[1].file) + is_x(p[2].file),
           3);
    }
  }
  template <class With>
  void encode_plain(Op op, const With& with) {
    const auto& p = place_;
    if (op == Op::negation)
      with(Code::negation_m, 0, 1);
    else if (is_unary(op))
      with(Code::neg_m, 2 * difference(op, Op::neg) + is_x(p[0].file), 1);
    else if (op == Op::add || op == Op::mul)
      with(op == Op::add ? Code::add_hm : Code::mul_hm, pair_of(p[0].file, p[1].file), 2);
    else if (op == Op::sub || op == Op::div)
      with(op == Op::sub ? Code::sub_hm : Code::div_hm, pair_of(p[0].file, p[1].file), 2);
    else if (op == Op::pow && p[1].file == File::h)
      with(Code::pow_mh, 0, 2);
    else if (op >= Op::atan2 && op <= Op::max)
      with(Code::atan2_mm, difference(op, Op::atan2), 2);
    else if (op >= Op::less && op <= Op::either)
      with(Code::less_mm, difference(op, Op::less), 2);
    else
      with(Code::select_mmm, 0, 3);
  }

  void store(const Instruction& one) {
    static constexpr Code stores[] = {Code::store_h, Code::store_m, Code::store_x};
    const int node = one.operand[0];
    emit(stores[at(static_cast<int>(file_of(node)))], one.node, {slot_of(node)});
    release(node);
  }

  void emit(Code code, int dest, std::initializer_list<int> operands) {
    emit(code, dest, {operands.begin(), operands.size()});
  }
  void emit(Code code, int dest, std::span<const int> operands) {
    if (dest > largest_destination)
      throw Misuse(fmt::format("a program has {} temporaries and outputs at most", largest_destination));
    words_->push_back(static_cast<std::uint32_t>(code) | static_cast<std::uint32_t>(dest) << 8);
    for (const int operand : operands) words_->push_back(static_cast<std::uint32_t>(operand));
    if (!is_held_part_) ++program_.instructions_;
  }

  File file_of(int node) const {
    if (is_held_part_) return File::m;
    if (!graph_.is_moving(node)) return File::h;
    return graph_[node].op == Op::state ? File::x : File::m;
  }
  int slot_of(int node) const {
    const bool is_computed = !is_held_part_ && graph_.is_moving(node) && !is_leaf(graph_[node].op);
    return is_computed ? slot_[at(node)] : layout_.slot(node);
  }
  struct Operand {
    File file = File::m;
    int slot = 0;
  };
  // A copy in m for instructions that read nothing else; it is kept until the instruction has read it.
  void promote(Operand& operand) {
    if (operand.file == File::m) return;
    const int slot = new_slot();
    emit(operand.file == File::h ? Code::copy_h : Code::copy_x, slot, {operand.slot});
    temporaries_.push_back(slot);
    operand = {File::m, slot};
  }
  int new_slot() {
    if (free_.empty()) return slots_++;
    const int slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(int node) {
    const bool is_computed = !is_held_part_ && graph_.is_moving(node) && !is_leaf(graph_[node].op);
    if (!is_computed || last_use_[at(node)] != now_ || slot_[at(node)] < 0) return;
    free_.push_back(std::exchange(slot_[at(node)], -1));
  }
  // A choice has one place for both sides.
  int destination(const Instruction& one) {
    int& slot = slot_[at(one.node)];
    if (slot < 0) slot = new_slot();
    return slot;
  }

  const Graph& graph_;
  Layout layout_;
  Program& program_;
  std::vector<std::uint32_t>* words_ = nullptr;
  std::vector<std::size_t> open_;  // words that wait for the place they jump to
  std::vector<int> last_use_, slot_, free_, temporaries_;
  std::array<Operand, 4> place_{};
  int now_ = 0, slots_ = 0;
  bool is_held_part_ = false;
};

Program::Program(const Graph& graph, const std::vector<int>& outputs, const std::vector<int>& wanted) {
  Lowering(graph, outputs, wanted, *this);
}

void Program::run_held(double* h) const {
  interpret<double>(held_code_.data(), h, h, nullptr, nullptr);
}

template <class T>
void Program::run(T* m, const double* h, const T* x, T* out) const {
  interpret<T>(code_.data(), m, h, x, out);
}

template void Program::run(double*, const double*, const double*, double*) const;
template void Program::run(Gradient*, const double*, const Gradient*, Gradient*) const;
template void Program::run(Pattern*, const double*, const Pattern*, Pattern*) const;
template void Program::run(Interval*, const double*, const Interval*, Interval*) const;
template void Program::run(Jet<double>*, const double*, const Jet<double>*, Jet<double>*) const;
template void Program::run(Jet<Interval>*, const double*, const Jet<Interval>*, Jet<Interval>*) const;
template void Program::run(Curvature*, const double*, const Curvature*, Curvature*) const;
template void Program::run(Series*, const double*, const Series*, Series*) const;

}  // namespace pawl::model
