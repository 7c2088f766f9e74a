// Code for numbers: 14 registers of values and two for what an instruction needs beside.
#include "model/emitter.hpp"
#include "model/library_functions.hpp"

namespace pawl::model {

namespace x86 = asmjit::x86;

namespace {

constexpr int value_registers = 14;
const x86::Xmm first_scratch = x86::xmm15, second_scratch = x86::xmm14;

class NumberEmitter : public Emitter {
 public:
  NumberEmitter(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout,
                const std::vector<Instruction>& list)
      : Emitter(code, graph, layout, list, value_registers, 8, static_cast<int>(layout.moving_loads.size())) {}

 private:
  bool calls(const Instruction& one) const override {
    const Op op = node_of(one).op;
    return library_function(op) != nullptr || library_function_of_two(op) != nullptr;
  }
  bool has_register(int node) const { return registers_.register_of(node) >= 0; }
  // A leaf that is read again is kept in a register: code that is shorter is fetched sooner.
  asmjit::Operand place(int node) {
    if (!has_register(node) && is_leaf_value(node)) keep(node, 2);
    if (has_register(node)) return x86::xmm(static_cast<std::uint32_t>(registers_.register_of(node)));
    return memory_of(node);
  }
  Xmm loaded(int node, const Xmm& scratch) {
    if (!has_register(node) && is_leaf_value(node)) keep(node, 1);
    if (has_register(node)) return x86::xmm(static_cast<std::uint32_t>(registers_.register_of(node)));
    a_.vmovsd(scratch, memory_of(node));
    return scratch;
  }
  void keep(int node, int more) {
    const int reg = registers_.take_for_leaf(node, more);
    if (reg >= 0) a_.vmovsd(x86::xmm(static_cast<std::uint32_t>(reg)), memory_of(node));
  }
  Xmm result(const Instruction& one) {
    registers_.pass(one, now_);
    return x86::xmm(static_cast<std::uint32_t>(registers_.take(one.node)));
  }
  void store_register(int reg, int to) override { a_.vmovsd(slot(to), x86::xmm(static_cast<std::uint32_t>(reg))); }

  void take_side(const Instruction& one) override {
    const Xmm from = loaded(one.operand[0], first_scratch);
    registers_.pass(one, now_);
    a_.vmovsd(slot(registers_.take_slot(one.node)), from);
  }
  void store_output(const Instruction& one) override {
    a_.vmovsd(output(one.node), loaded(one.operand[0], first_scratch));
    registers_.pass(one, now_);
  }

  void compute(const Instruction& one) override {
    const Op op = node_of(one).op;
    if (calls(one)) {
      call_library(one, op);
    } else if (is_unary(op)) {
      const Xmm x = loaded(one.operand[0], first_scratch), y = result(one);
      if (op == Op::neg) a_.vxorpd(y, x, sign_mask());
      if (op == Op::abs) a_.vandpd(y, x, magnitude_mask());
      if (op == Op::sqr) a_.vmulsd(y, x, x);
      if (op == Op::sqrt) a_.vsqrtsd(y, x, x);
    } else if (op == Op::select) {
      select(one);
    } else {
      arithmetic(one, op);
    }
  }

  void arithmetic(const Instruction& one, Op op) {
    int first = one.operand[0], second = one.operand[1];
    const bool exchanges = (op == Op::add || op == Op::mul) && !has_register(first) && has_register(second);
    if (exchanges || op == Op::min || op == Op::max) std::swap(first, second);  // min: y < x ? y : x
    const Xmm x = loaded(first, first_scratch);
    const asmjit::Operand y = place(second);
    const Xmm z = result(one);
    a_.emit(arithmetic_instruction(op, Width::one), z, x, y);
  }

  void select(const Instruction& one) {
    const asmjit::Operand g = place(one.operand[0]);
    const asmjit::Operand where_positive = place(one.operand[1]);
    a_.vxorpd(first_scratch, first_scratch, first_scratch);
    a_.emit(x86::Inst::kIdVcmpsd, first_scratch, first_scratch, g, asmjit::imm(1));  // 0 < g
    const Xmm otherwise = loaded(one.operand[2], second_scratch);
    Xmm positive = x86::xmm0;
    const bool is_loaded = where_positive.isReg();
    if (is_loaded) positive = where_positive.as<Xmm>();
    const Xmm y = result(one);
    if (is_loaded)
      a_.vblendvpd(y, otherwise, positive, first_scratch);
    else
      select_from_memory(y, otherwise, where_positive.as<Memory>());
  }
  // A blend would read sixteen bytes there, eight of which may not be ours.
  void select_from_memory(const Xmm& y, const Xmm& otherwise, const Memory& where_positive) {
    const asmjit::Label after = a_.newLabel();
    a_.vmovmskpd(x86::eax, first_scratch);
    if (y.id() != otherwise.id()) a_.vmovapd(y, otherwise);
    a_.test(x86::eax, 1);
    a_.jz(after);
    a_.vmovsd(y, where_positive);
    a_.bind(after);
  }

  void call_library(const Instruction& one, Op op) {
    const bool has_two = is_binary(op);
    const Xmm x = loaded(one.operand[0], first_scratch);
    if (x.id() != first_scratch.id()) a_.vmovapd(first_scratch, x);
    if (has_two) {
      const Xmm y = loaded(one.operand[1], second_scratch);
      if (y.id() != second_scratch.id()) a_.vmovapd(second_scratch, y);
    }
    registers_.pass(one, now_);
    registers_.flush();
    a_.vmovapd(x86::xmm0, first_scratch);
    if (has_two) {
      a_.vmovapd(x86::xmm1, second_scratch);
      call(library_function_of_two(op));
    } else {
      call(library_function(op));
    }
    const Xmm y = x86::xmm(static_cast<std::uint32_t>(registers_.take(one.node)));
    if (y.id() != 0) a_.vmovapd(y, x86::xmm0);
  }
};

}  // namespace

int emit_numbers(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout,
                 const std::vector<Instruction>& list) {
  NumberEmitter emitter(code, graph, layout, list);
  emitter.write();
  return emitter.moving_size();
}

}  // namespace pawl::model
