// DualEmitter: code for Dual<8>: a value and two registers of four slopes each. Four duals are in registers, four more
// registers are for what an instruction needs beside. Slopes are written first and the value last, so that a result may
// take the place of an operand. Functions of the library are called with duals in memory; they are those of dual.hpp,
// compiled with this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/emitter.hpp"
#include "pawl/function.hpp"

namespace pawl::model {

using DualFunction = void (*)(Gradient*, const Gradient*);
using DualFunctionOfTwo = void (*)(Gradient*, const Gradient*, const Gradient*);

/// Null where the operation is written as instructions.
DualFunction dual_function(Op op);
DualFunctionOfTwo dual_function_of_two(Op op);
void dual_power(Gradient* y, const Gradient* x, double power);
void dual_select(Gradient* y, const Gradient* g, const Gradient* where_positive, const Gradient* otherwise);

static_assert(sizeof(Gradient) == 72 && offsetof(Gradient, slope) == 0 && offsetof(Gradient, value) == 64);
constexpr int dual_bytes = 72, dual_registers = 4, second_half = 32, value_place = 64;

namespace x86 = asmjit::x86;

// Where the parts of an operand are while one instruction is written.
struct Parts {
  bool is_held = false, is_register = false;
  x86::Xmm value_register;
  x86::Ymm slope_register[2];
  x86::Mem value_memory, slope_memory[2];
};

class DualEmitter : public Emitter {
 public:
  DualEmitter(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout, const std::vector<Instruction>& list,
              int first_slot)
      : Emitter(code, graph, layout, list, dual_registers, dual_bytes, first_slot) {}

 protected:
  /// Has no slopes.
  virtual bool is_number(int node) const { return is_held(node); }

 private:
  const Ymm s_[4] = {x86::ymm12, x86::ymm13, x86::ymm14, x86::ymm15};
  static Xmm low(const Ymm& wide) { return x86::xmm(wide.id()); }

  bool calls(const Instruction& one) const override {
    const Op op = node_of(one).op;
    return op == Op::select || dual_function(op) != nullptr || dual_function_of_two(op) != nullptr;
  }

  static Parts group(int reg) {
    const auto i = static_cast<std::uint32_t>(reg);
    Parts parts;
    parts.is_register = true;
    parts.value_register = x86::xmm(i);
    parts.slope_register[0] = x86::ymm(4 + 2 * i);
    parts.slope_register[1] = x86::ymm(5 + 2 * i);
    return parts;
  }
  Parts parts_of(int node) const {
    if (!is_leaf_value(node) && registers_.register_of(node) >= 0) return group(registers_.register_of(node));
    Parts parts;
    parts.is_held = is_number(node);
    parts.value_memory = memory_of(node, parts.is_held ? 0 : value_place);
    parts.slope_memory[0] = memory_of(node);
    parts.slope_memory[1] = memory_of(node, second_half);
    return parts;
  }
  Parts result(const Instruction& one) {
    registers_.pass(one, now_);
    return group(registers_.take(one.node));
  }
  static asmjit::Operand value(const Parts& p) {
    if (p.is_register) return p.value_register;
    return p.value_memory;
  }
  static asmjit::Operand slope(const Parts& p, int i) {
    if (p.is_register) return p.slope_register[i];
    return p.slope_memory[i];
  }
  Xmm loaded_value(const Parts& p, const Ymm& scratch) {
    if (p.is_register) return p.value_register;
    a_.vmovsd(low(scratch), p.value_memory);
    return low(scratch);
  }
  Ymm loaded_slope(const Parts& p, int i, const Ymm& scratch) {
    if (p.is_register) return p.slope_register[i];
    a_.vmovupd(scratch, p.slope_memory[i]);
    return scratch;
  }
  void spread(const Ymm& to, const Parts& p) { a_.emit(x86::Inst::kIdVbroadcastsd, to, value(p)); }

  void store_to(const Memory& value_at, const Memory& first_at, const Memory& second_at, const Parts& p) {
    a_.vmovsd(value_at, loaded_value(p, s_[0]));
    if (p.is_held) {
      a_.vxorpd(s_[1], s_[1], s_[1]);
      a_.vmovupd(first_at, s_[1]);
      a_.vmovupd(second_at, s_[1]);
      return;
    }
    a_.vmovupd(first_at, loaded_slope(p, 0, s_[1]));
    a_.vmovupd(second_at, loaded_slope(p, 1, s_[2]));
  }
  void store_to_slot(int to, const Parts& p) { store_to(slot(to, value_place), slot(to), slot(to, second_half), p); }
  void store_register(int reg, int to) override { store_to_slot(to, group(reg)); }
  void take_side(const Instruction& one) override {
    const Parts from = parts_of(one.operand[0]);
    registers_.pass(one, now_);
    store_to_slot(registers_.take_slot(one.node), from);
  }
  void store_output(const Instruction& one) override {
    store_to(output(one.node, value_place), output(one.node), output(one.node, second_half), parts_of(one.operand[0]));
    registers_.pass(one, now_);
  }

  void compute(const Instruction& one) override {
    const Op op = node_of(one).op;
    if (calls(one)) return call_function(one, op);
    const Parts x = parts_of(one.operand[0]);
    if (is_unary(op)) return unary(one, op, x);
    const Parts y = parts_of(one.operand[1]);
    switch (op) {
      case Op::add:
      case Op::sub:
        return sum(one, op, x, y);
      case Op::mul:
        return x.is_held ? multiple(one, x, y) : product(one, x, y);
      default:
        return x.is_held ? reciprocal(one, x, y) : y.is_held ? fraction(one, x, y) : quotient(one, x, y);
    }
  }

  // neg, sqr, sqrt.
  void unary(const Instruction& one, Op op, const Parts& x) {
    const Xmm v = low(s_[1]);
    if (x.is_register)
      a_.vmovapd(v, x.value_register);
    else
      a_.vmovsd(v, x.value_memory);
    const Parts y = result(one);
    if (op == Op::neg) {
      for (int i = 0; i < 2; ++i) a_.vxorpd(y.slope_register[i], loaded_slope(x, i, s_[2]), sign_mask());
      a_.vxorpd(y.value_register, v, sign_mask());
      return;
    }
    const Xmm derivative = low(s_[0]);
    if (op == Op::sqr) {  // 2 x
      a_.vaddsd(derivative, v, v);
    } else {  // 0.5 / root
      a_.vsqrtsd(v, v, v);
      a_.vmovsd(derivative, one_half());
      a_.vdivsd(derivative, derivative, v);
    }
    a_.vbroadcastsd(s_[0], derivative);
    for (int i = 0; i < 2; ++i) a_.emit(x86::Inst::kIdVmulpd, y.slope_register[i], s_[0], slope(x, i));
    if (op == Op::sqr)
      a_.vmulsd(y.value_register, v, v);
    else
      a_.vmovapd(y.value_register, v);
  }

  void sum(const Instruction& one, Op op, const Parts& x, const Parts& y) {
    const bool is_sum = op == Op::add;
    const Parts z = result(one);
    for (int i = 0; i < 2; ++i) {
      if (x.is_held && !is_sum) {
        a_.vxorpd(z.slope_register[i], loaded_slope(y, i, s_[2]), sign_mask());
      } else if (x.is_held || y.is_held) {
        copy_slope(z, x.is_held ? y : x, i);
      } else {
        const Ymm from = loaded_slope(x, i, s_[2]);
        a_.emit(is_sum ? x86::Inst::kIdVaddpd : x86::Inst::kIdVsubpd, z.slope_register[i], from, slope(y, i));
      }
    }
    const Xmm from = loaded_value(x, s_[2]);
    a_.emit(is_sum ? x86::Inst::kIdVaddsd : x86::Inst::kIdVsubsd, z.value_register, from, value(y));
  }
  void copy_slope(const Parts& z, const Parts& x, int i) {
    const Ymm to = z.slope_register[i];
    if (!x.is_register)
      a_.vmovupd(to, x.slope_memory[i]);
    else if (x.slope_register[i].id() != to.id())
      a_.vmovapd(to, x.slope_register[i]);
  }

  void multiple(const Instruction& one, const Parts& factor, const Parts& x) {
    const Parts z = result(one);
    spread(s_[0], factor);
    for (int i = 0; i < 2; ++i) a_.emit(x86::Inst::kIdVmulpd, z.slope_register[i], s_[0], slope(x, i));
    a_.emit(x86::Inst::kIdVmulsd, z.value_register, low(s_[0]), value(x));
  }
  void product(const Instruction& one, const Parts& x, const Parts& y) {
    const Parts z = result(one);
    spread(s_[0], x);
    spread(s_[1], y);
    for (int i = 0; i < 2; ++i) {
      a_.emit(x86::Inst::kIdVmulpd, s_[2], s_[1], slope(x, i));
      a_.emit(x86::Inst::kIdVmulpd, s_[3], s_[0], slope(y, i));
      a_.vaddpd(z.slope_register[i], s_[2], s_[3]);
    }
    a_.vmulsd(z.value_register, low(s_[0]), low(s_[1]));
  }
  // z = x / y, slopes (x' - z y') / y.
  void quotient(const Instruction& one, const Parts& x, const Parts& y) {
    const Parts z = result(one);
    spread(s_[1], y);
    a_.vdivsd(low(s_[2]), loaded_value(x, s_[0]), low(s_[1]));
    a_.vbroadcastsd(s_[2], low(s_[2]));
    for (int i = 0; i < 2; ++i) {
      a_.emit(x86::Inst::kIdVmulpd, s_[3], s_[2], slope(y, i));
      a_.vsubpd(s_[3], loaded_slope(x, i, s_[0]), s_[3]);
      a_.vdivpd(z.slope_register[i], s_[3], s_[1]);
    }
    a_.vmovapd(z.value_register, low(s_[2]));
  }
  void fraction(const Instruction& one, const Parts& x, const Parts& divisor) {
    const Parts z = result(one);
    spread(s_[1], divisor);
    for (int i = 0; i < 2; ++i) a_.vdivpd(z.slope_register[i], loaded_slope(x, i, s_[0]), s_[1]);
    a_.vdivsd(z.value_register, loaded_value(x, s_[0]), low(s_[1]));
  }
  void reciprocal(const Instruction& one, const Parts& dividend, const Parts& y) {
    const Parts z = result(one);
    spread(s_[1], y);
    a_.vdivsd(low(s_[2]), loaded_value(dividend, s_[0]), low(s_[1]));
    a_.vbroadcastsd(s_[2], low(s_[2]));
    for (int i = 0; i < 2; ++i) {
      a_.emit(x86::Inst::kIdVmulpd, s_[3], s_[2], slope(y, i));
      a_.vxorpd(s_[3], s_[3], sign_mask());
      a_.vdivpd(z.slope_register[i], s_[3], s_[1]);
    }
    a_.vmovapd(z.value_register, low(s_[2]));
  }

  void call_function(const Instruction& one, Op op) {
    const bool is_power = op == Op::pow && is_number(one.operand[1]);
    const int count = is_power ? 1 : one.count;
    for (int k = 0; k < count; ++k) {
      const int node = one.operand[static_cast<std::size_t>(k)];
      if (!is_leaf_value(node)) registers_.in_memory(node);
    }
    std::vector<Memory> arguments(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
      const int node = one.operand[static_cast<std::size_t>(k)];
      if (!is_number(node)) arguments[static_cast<std::size_t>(k)] = memory_of(node);
    }
    registers_.pass(one, now_);
    registers_.flush();
    for (int k = 0; k < count; ++k) {  // a number is handed over as a dual
      const int node = one.operand[static_cast<std::size_t>(k)];
      if (!is_number(node)) continue;
      const int copy = registers_.scratch_slot();
      arguments[static_cast<std::size_t>(k)] = slot(copy);
      store_to_slot(copy, parts_of(node));
    }
    const int to = registers_.take_slot(one.node);
    a_.vzeroupper();
    if (is_power) a_.vmovsd(x86::xmm0, memory_of(one.operand[1]));
    a_.lea(x86::rdi, slot(to));
    const x86::Gp pointers[] = {x86::rsi, x86::rdx, x86::rcx};
    for (int k = 0; k < count; ++k) a_.lea(pointers[k], arguments[static_cast<std::size_t>(k)]);
    if (is_power)
      call(&dual_power);
    else if (op == Op::select)
      call(&dual_select);
    else if (const DualFunction function = dual_function(op))
      call(function);
    else
      call(dual_function_of_two(op));
  }
};

}  // namespace pawl::model
