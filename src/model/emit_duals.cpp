// Code for Dual<8>: a value and two registers of four slopes each. Four duals are in registers, four more registers are
// for what an instruction needs beside. Slopes are written first and the value last, so that a result may take the place
// of an operand. Functions of the library are called with duals in memory; they are those of dual.hpp, compiled here.
#include "model/emitter.hpp"
#include "pawl/function.hpp"

namespace pawl::model {

namespace x86 = asmjit::x86;

namespace {

static_assert(sizeof(Gradient) == 72);
constexpr int dual_bytes = 72, dual_registers = 4;

using OfOne = void (*)(Gradient*, const Gradient*);
using OfTwo = void (*)(Gradient*, const Gradient*, const Gradient*);

OfOne dual_function(Op op) {
  switch (op) {
    case Op::cbrt: return [](Gradient* y, const Gradient* x) { *y = cbrt(*x); };
    case Op::exp: return [](Gradient* y, const Gradient* x) { *y = exp(*x); };
    case Op::log: return [](Gradient* y, const Gradient* x) { *y = log(*x); };
    case Op::sin: return [](Gradient* y, const Gradient* x) { *y = sin(*x); };
    case Op::cos: return [](Gradient* y, const Gradient* x) { *y = cos(*x); };
    case Op::tan: return [](Gradient* y, const Gradient* x) { *y = tan(*x); };
    case Op::asin: return [](Gradient* y, const Gradient* x) { *y = asin(*x); };
    case Op::acos: return [](Gradient* y, const Gradient* x) { *y = acos(*x); };
    case Op::atan: return [](Gradient* y, const Gradient* x) { *y = atan(*x); };
    case Op::sinh: return [](Gradient* y, const Gradient* x) { *y = sinh(*x); };
    case Op::cosh: return [](Gradient* y, const Gradient* x) { *y = cosh(*x); };
    case Op::tanh: return [](Gradient* y, const Gradient* x) { *y = tanh(*x); };
    case Op::abs: return [](Gradient* y, const Gradient* x) { *y = abs(*x); };
    default: return nullptr;
  }
}
OfTwo dual_function_of_two(Op op) {
  switch (op) {
    case Op::atan2: return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = atan2(*x, *y); };
    case Op::hypot: return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = hypot(*x, *y); };
    case Op::pow: return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = pow(*x, *y); };
    case Op::min: return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = min(*x, *y); };
    case Op::max: return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = max(*x, *y); };
    default: return nullptr;
  }
}
void dual_power(Gradient* y, const Gradient* x, double power) {
  *y = pow(*x, power);
}
void dual_select(Gradient* y, const Gradient* g, const Gradient* where_positive, const Gradient* otherwise) {
  *y = select(*g, *where_positive, *otherwise);
}

// Where the parts of an operand are while one instruction is written.
struct Parts {
  bool is_held = false, is_register = false;
  x86::Xmm value_register;
  x86::Ymm slope_register[2];
  x86::Mem value_memory, slope_memory[2];
};

class DualEmitter : public Emitter {
 public:
  DualEmitter(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout, const std::vector<Instruction>& list)
      : Emitter(code, graph, layout, list, dual_registers, dual_bytes) {}

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
    parts.is_held = is_held(node);
    parts.value_memory = memory_of(node);
    parts.slope_memory[0] = memory_of(node, 8);
    parts.slope_memory[1] = memory_of(node, 40);
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
  void store_to_slot(int to, const Parts& p) { store_to(slot(to), slot(to, 8), slot(to, 40), p); }
  void store_register(int reg, int to) override { store_to_slot(to, group(reg)); }
  void take_side(const Instruction& one) override {
    const Parts from = parts_of(one.operand[0]);
    registers_.pass(one, now_);
    store_to_slot(registers_.take_slot(one.node), from);
  }
  void store_output(const Instruction& one) override {
    store_to(output(one.node), output(one.node, 8), output(one.node, 40), parts_of(one.operand[0]));
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
      case Op::sub: return sum(one, op, x, y);
      case Op::mul: return x.is_held ? multiple(one, x, y) : product(one, x, y);
      default: return x.is_held ? reciprocal(one, x, y) : y.is_held ? fraction(one, x, y) : quotient(one, x, y);
    }
  }

  void unary(const Instruction& one, Op op, const Parts& x) {
    const Xmm v = low(s_[1]);
    a_.emit(x86::Inst::kIdVmovsd, v, x.is_register ? asmjit::Operand(v) : asmjit::Operand(x.value_memory),
            asmjit::Operand());
    const Parts y = result(one);
    static_cast<void>(op);
    static_cast<void>(y);
  }
};

}  // namespace

}  // namespace pawl::model
