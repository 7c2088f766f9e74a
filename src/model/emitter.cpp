#include "model/emitter.hpp"

#include <array>

namespace pawl::model {

namespace x86 = asmjit::x86;

Emitter::Emitter(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout,
                 const std::vector<Instruction>& list, int registers, int bytes, int first_slot)
    : graph_(graph),
      layout_(layout),
      list_(list),
      a_(&code),
      registers_(graph, list, registers, first_slot, [this](int reg, int slot) { store_register(reg, slot); }),
      bytes_(bytes),
      constants_(a_.newLabel()) {}

Emitter::Memory Emitter::leaf(int node, int offset) const {
  if (is_held(node)) return x86::ptr(h_, 8 * layout_.slot(node) + offset);
  if (graph_[node].op == Op::state) return x86::ptr(x_, bytes_ * layout_.slot(node) + offset);
  return slot(layout_.slot(node), offset);
}

void Emitter::write() {
  for (const Instruction& one : list_) has_calls_ = has_calls_ || (one.shape == Shape::plain && calls(one));
  begin();
  write_list();
  end();
  write_constants();
}

void Emitter::write_list() {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const Instruction& one = list_[i];
    now_ = static_cast<int>(i);
    switch (one.shape) {
      case Shape::branch:
        branch(one.node);
        break;
      case Shape::otherwise: {
        registers_.flush();
        const asmjit::Label after = a_.newLabel();
        a_.jmp(after);
        a_.bind(open_.back());
        open_.back() = after;
        break;
      }
      case Shape::join:
        registers_.flush();
        a_.bind(open_.back());
        open_.pop_back();
        break;
      case Shape::take:
        take_side(one);
        break;
      case Shape::store:
        store_output(one);
        break;
      default:
        compute(one);
    }
  }
}

// Not a number is a truth that holds, as in C++.
void Emitter::branch(int truth) {
  registers_.flush();
  const asmjit::Label holds = a_.newLabel(), otherwise = a_.newLabel();
  a_.vmovsd(x86::xmm15, x86::ptr(h_, 8 * layout_.slot(truth)));
  a_.vxorpd(x86::xmm14, x86::xmm14, x86::xmm14);
  a_.vucomisd(x86::xmm15, x86::xmm14);
  a_.jp(holds);
  a_.je(otherwise);
  a_.bind(holds);
  open_.push_back(otherwise);
}

void Emitter::begin() {
  if (!has_calls_) return;
  for (const x86::Gp& saved : {x86::rbx, x86::r12, x86::r13, x86::r14}) a_.push(saved);
  a_.sub(x86::rsp, 8);  // aligned for calls
  a_.mov(x86::rbx, m_);
  a_.mov(x86::r12, h_);
  a_.mov(x86::r13, x_);
  a_.mov(x86::r14, out_);
  m_ = x86::rbx, h_ = x86::r12, x_ = x86::r13, out_ = x86::r14;
}

void Emitter::end() {
  if (bytes_ > 8) a_.vzeroupper();  // code for numbers leaves the upper halves alone
  if (has_calls_) {
    a_.add(x86::rsp, 8);
    for (const x86::Gp& saved : {x86::r14, x86::r13, x86::r12, x86::rbx}) a_.pop(saved);
  }
  a_.ret();
}

void Emitter::write_constants() {
  a_.align(asmjit::AlignMode::kData, 32);
  a_.bind(constants_);
  constexpr std::uint64_t sign = 0x8000000000000000u, magnitude = 0x7fffffffffffffffu, half = 0x3fe0000000000000u;
  for (const std::uint64_t constant : {sign, magnitude, half}) {
    const std::array<std::uint64_t, 4> row{constant, constant, constant, constant};
    a_.embed(row.data(), sizeof(row));
  }
}

asmjit::InstId arithmetic_instruction(Op op, Width width) {
  namespace Inst = asmjit::x86::Inst;
  const bool is_one = width == Width::one;
  switch (op) {
    case Op::add:
      return is_one ? Inst::kIdVaddsd : Inst::kIdVaddpd;
    case Op::sub:
      return is_one ? Inst::kIdVsubsd : Inst::kIdVsubpd;
    case Op::mul:
      return is_one ? Inst::kIdVmulsd : Inst::kIdVmulpd;
    case Op::div:
      return is_one ? Inst::kIdVdivsd : Inst::kIdVdivpd;
    case Op::min:
      return is_one ? Inst::kIdVminsd : Inst::kIdVminpd;
    default:
      return is_one ? Inst::kIdVmaxsd : Inst::kIdVmaxpd;
  }
}

}  // namespace pawl::model
