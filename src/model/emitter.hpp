// Emitter: what the emitters of code for numbers and for duals share: pointers, constants, branches, calls.
//
// The function is f(m, h, x, out) as Program::run. Code without calls leaves the pointers in the registers they came
// in.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <asmjit/asmjit.h>

#include "model/instruction.hpp"
#include "model/layout.hpp"
#include "model/registers.hpp"

namespace pawl::model {

/// An instruction that cannot be written is a fault of the emitter.
class EmitterFaults : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    throw std::logic_error(std::string("native code: ") + message);
  }
};

class Emitter {
 public:
  using Assembler = asmjit::x86::Assembler;
  using Memory = asmjit::x86::Mem;
  using Xmm = asmjit::x86::Xmm;
  using Ymm = asmjit::x86::Ymm;

  virtual ~Emitter() = default;
  /// Writes the whole function.
  virtual void write();
  /// Values in m, inputs and stored ones.
  int moving_size() const { return registers_.slots(); }

 protected:
  Emitter(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout, const std::vector<Instruction>& list,
          int registers, int bytes, int first_slot);

  virtual void compute(const Instruction& one) = 0;
  virtual void take_side(const Instruction& one) = 0;
  virtual void store_output(const Instruction& one) = 0;
  virtual void store_register(int reg, int slot) = 0;
  virtual bool calls(const Instruction& one) const = 0;
  /// Of a held value, a state or an input.
  virtual Memory leaf(int node, int offset) const;
  virtual Memory output(int row, int offset = 0) const { return asmjit::x86::ptr(out_, bytes_ * row + offset); }

  void write_list();
  void write_constants();

  const Node& node_of(const Instruction& one) const { return graph_[one.node]; }
  bool is_held(int node) const { return !graph_.is_moving(node); }
  /// Held values, states and inputs are where they were given.
  bool is_leaf_value(int node) const { return is_held(node) || is_leaf(graph_[node].op); }
  /// Of a value that is in memory.
  Memory memory_of(int node, int offset = 0) const {
    return is_leaf_value(node) ? leaf(node, offset) : slot(registers_.slot_of(node), offset);
  }
  Memory slot(int slot, int offset = 0) const { return asmjit::x86::ptr(m_, bytes_ * slot + offset); }
  /// Constants at the end of the code, each four times.
  Memory sign_mask() const { return asmjit::x86::ptr(constants_, 0); }
  Memory magnitude_mask() const { return asmjit::x86::ptr(constants_, 32); }
  Memory one_half() const { return asmjit::x86::ptr(constants_, 64); }
  template <class F>
  void call(F* function) {
    a_.mov(asmjit::x86::rax, asmjit::imm(reinterpret_cast<std::uintptr_t>(function)));
    a_.call(asmjit::x86::rax);
  }

  const Graph& graph_;
  const Layout& layout_;
  const std::vector<Instruction>& list_;
  Assembler a_;
  Registers registers_;
  asmjit::x86::Gp m_ = asmjit::x86::rdi, h_ = asmjit::x86::rsi, x_ = asmjit::x86::rdx, out_ = asmjit::x86::rcx;
  int now_ = 0;

 private:
  void begin();
  void end();
  void branch(int truth);

  int bytes_;  // of a value
  bool has_calls_ = false;
  asmjit::Label constants_;
  std::vector<asmjit::Label> open_;
};

/// The instruction for a sum, difference, product, quotient, minimum or maximum of numbers.
enum class Width { one, four };
asmjit::InstId arithmetic_instruction(Op op, Width width);

/// Writes the code; returns how many values m has.
int emit_numbers(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout,
                 const std::vector<Instruction>& list);
int emit_duals(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout,
               const std::vector<Instruction>& list);

}  // namespace pawl::model
