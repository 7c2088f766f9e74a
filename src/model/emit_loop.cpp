// Code of a loop: registers of four lanes, one iteration in each. Held values are spread into memory before the loop;
// leaves that do not lie side by side are gathered there at the beginning of every four iterations.
#include <cstdlib>

#include <asmjit/asmjit.h>

#include "model/assembled_loop.hpp"
#include "model/emitter.hpp"
#include "model/library_functions.hpp"

namespace pawl::model {

namespace x86 = asmjit::x86;

namespace {

constexpr int lane_registers = 13, lane_bytes = 32;
const x86::Ymm first_wide = x86::ymm15, second_wide = x86::ymm14, third_wide = x86::ymm13;
const x86::Gp counter = x86::r15, arrays = x86::rbp;

class LoopEmitter : public Emitter {
 public:
  LoopEmitter(asmjit::CodeHolder& code, const Loop& loop, const Layout& layout, const std::vector<PlacedLeaf>& leaves,
              const std::vector<Instruction>& list)
      : Emitter(code, loop.body, layout, list, lane_registers, lane_bytes,
                static_cast<int>(layout.held.size() + leaves.size()) + 2),
        loop_(loop),
        leaves_(leaves) {
    m_ = x86::rbx, h_ = x86::r12, x_ = x86::r13, out_ = x86::r14;
    for (std::size_t i = 0; i < leaves.size(); ++i) tables_.push_back(a_.newLabel());
  }

  void write() override {
    begin();
    for (std::size_t i = 0; i < layout_.held.size(); ++i) {
      a_.vbroadcastsd(first_wide, x86::ptr(h_, 8 * static_cast<int>(i)));
      a_.vmovupd(slot(static_cast<int>(i)), first_wide);
    }
    const asmjit::Label again = a_.newLabel(), done = a_.newLabel();
    a_.xor_(counter.r32(), counter.r32());
    a_.bind(again);
    std::vector<char> is_there(leaves_.size(), 0);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (is_there[i] != 0 || lies_side_by_side(leaves_[i])) continue;
      const int partner = partner_of(leaves_[i]);
      if (partner < 0) {
        gather(static_cast<int>(i));
      } else {
        gather_pair(static_cast<int>(i), partner);
        is_there[static_cast<std::size_t>(partner)] = 1;
      }
    }
    write_list();
    a_.mov(x86::rax, x86::ptr(x86::rsp));
    a_.mov(x86::rax, x86::ptr(x86::rax, offsetof(Arguments, count)));
    a_.add(counter, 4);
    a_.cmp(counter, x86::rax);
    a_.jge(done);
    a_.sub(x86::rax, 4);  // the last four begin there at the latest
    a_.cmp(counter, x86::rax);
    a_.cmovg(counter, x86::rax);
    a_.jmp(again);
    a_.bind(done);
    end();
    write_constants();
    for (std::size_t i = 0; i < leaves_.size(); ++i) write_table(i);
  }

 private:
  using Arguments = LoopArguments<double>;

  void begin() {
    for (const x86::Gp& saved : saved_) a_.push(saved);
    a_.sub(x86::rsp, 8);
    a_.mov(x86::ptr(x86::rsp), x86::rdi);
    a_.mov(m_, x86::ptr(x86::rdi, offsetof(Arguments, m)));
    a_.mov(h_, x86::ptr(x86::rdi, offsetof(Arguments, h)));
    a_.mov(x_, x86::ptr(x86::rdi, offsetof(Arguments, x)));
    a_.mov(out_, x86::ptr(x86::rdi, offsetof(Arguments, out)));
    a_.mov(arrays, x86::ptr(x86::rdi, offsetof(Arguments, arrays)));
  }
  void end() {
    a_.vzeroupper();
    a_.add(x86::rsp, 8);
    for (auto saved = std::rbegin(saved_); saved != std::rend(saved_); ++saved) a_.pop(*saved);
    a_.ret();
  }

  static bool lies_side_by_side(const PlacedLeaf& placed) {
    if (placed.from == LoopLeaf::From::held) return true;
    return placed.from == LoopLeaf::From::states && placed.index.table.empty() && placed.index.stride == 1;
  }
  int leaf_slot(int i) const { return static_cast<int>(layout_.held.size()) + i; }
  Memory leaf(int node, int) const override {
    if (is_held(node)) return slot(layout_.slot(node));
    const int i = graph_[node].a;
    const PlacedLeaf& placed = leaves_[static_cast<std::size_t>(i)];
    if (!lies_side_by_side(placed)) return slot(leaf_slot(i));
    const bool is_array = placed.from == LoopLeaf::From::held;
    return x86::ptr(is_array ? arrays : x_, counter, 3, 8 * placed.index.base * (is_array ? loop_.count : 1));
  }

  // Puts four values side by side into first_wide, from addresses that lane(k) gives.
  template <class Lane>
  void assemble(const Lane& lane) {
    a_.vmovsd(x86::xmm(15), lane(0));
    a_.vmovhpd(x86::xmm(15), x86::xmm(15), lane(1));
    a_.vmovsd(x86::xmm(14), lane(2));
    a_.vmovhpd(x86::xmm(14), x86::xmm(14), lane(3));
    a_.vinsertf128(first_wide, first_wide, x86::xmm(14), 1);
  }
  void gather(int i) {
    const PlacedLeaf& placed = leaves_[static_cast<std::size_t>(i)];
    const bool is_state = placed.from == LoopLeaf::From::states;
    x86::Gp from = x_;
    if (!is_state) {
      a_.mov(x86::rcx, x86::ptr(x86::rsp));
      a_.mov(x86::rcx, x86::ptr(x86::rcx, offsetof(Arguments, inputs)));
      from = x86::rcx;
    }
    const Indices& index = placed.index;
    if (!index.table.empty()) {
      a_.lea(x86::rdx, x86::ptr(tables_[static_cast<std::size_t>(i)]));
      a_.lea(x86::rdx, x86::ptr(x86::rdx, counter, 2));
      assemble([&](int k) {
        a_.movsxd(x86::rax, x86::dword_ptr(x86::rdx, 4 * k));
        return x86::ptr(from, x86::rax, 3);
      });
    } else if (index.stride == 0) {
      a_.vbroadcastsd(first_wide, x86::ptr(from, 8 * index.base));
    } else {
      x86::Gp scaled = counter;
      if (index.stride != 1) {
        scaled = x86::rax;
        a_.imul(scaled, counter, index.stride);
      }
      assemble([&](int k) { return x86::ptr(from, scaled, 3, 8 * (index.base + k * index.stride)); });
    }
    a_.vmovupd(slot(leaf_slot(i)), first_wide);
  }
  // Every second state from here on, and the leaf that reads those between; -1: there is none.
  int partner_of(const PlacedLeaf& placed) const {
    const auto is_every_second = [](const PlacedLeaf& leaf) {
      return leaf.from == LoopLeaf::From::states && leaf.index.table.empty() && leaf.index.stride == 2;
    };
    if (!is_every_second(placed)) return -1;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const bool is_next = std::abs(leaves_[i].index.base - placed.index.base) == 1;
      if (is_every_second(leaves_[i]) && is_next && leaves_[i].index.base / 2 == placed.index.base / 2)
        return static_cast<int>(i);
    }
    return -1;
  }
  // Eight states that lie side by side, taken apart.
  void gather_pair(int i, int partner) {
    const auto base = [&](int leaf) { return leaves_[static_cast<std::size_t>(leaf)].index.base; };
    if (base(partner) < base(i)) std::swap(i, partner);
    a_.lea(x86::rax, x86::ptr(counter, counter));
    a_.vmovupd(first_wide, x86::ptr(x_, x86::rax, 3, 8 * base(i)));
    a_.vmovupd(second_wide, x86::ptr(x_, x86::rax, 3, 8 * base(i) + 32));
    a_.vunpcklpd(third_wide, first_wide, second_wide);
    a_.vunpckhpd(first_wide, first_wide, second_wide);
    a_.vpermpd(third_wide, third_wide, 0xd8);  // lanes 0, 2, 1, 3
    a_.vpermpd(first_wide, first_wide, 0xd8);
    a_.vmovupd(slot(leaf_slot(i)), third_wide);
    a_.vmovupd(slot(leaf_slot(partner)), first_wide);
  }
  void write_table(std::size_t i) {
    a_.align(asmjit::AlignMode::kData, 4);
    a_.bind(tables_[i]);
    const std::vector<int>& table = leaves_[i].index.table;
    if (!table.empty()) a_.embed(table.data(), table.size() * sizeof(int));
  }

  bool calls(const Instruction& one) const override {
    const Op op = node_of(one).op;
    return library_function(op) != nullptr || library_function_of_two(op) != nullptr;
  }
  bool has_register(int node) const { return registers_.register_of(node) >= 0; }
  asmjit::Operand place(int node) const {
    if (has_register(node)) return x86::ymm(static_cast<std::uint32_t>(registers_.register_of(node)));
    return memory_of(node);
  }
  Ymm loaded(int node, const Ymm& scratch) {
    if (has_register(node)) return x86::ymm(static_cast<std::uint32_t>(registers_.register_of(node)));
    a_.vmovupd(scratch, memory_of(node));
    return scratch;
  }
  Ymm result(const Instruction& one) {
    registers_.pass(one, now_);
    return x86::ymm(static_cast<std::uint32_t>(registers_.take(one.node)));
  }
  void store_register(int reg, int to) override { a_.vmovupd(slot(to), x86::ymm(static_cast<std::uint32_t>(reg))); }

  void take_side(const Instruction& one) override {
    const Ymm from = loaded(one.operand[0], first_wide);
    registers_.pass(one, now_);
    a_.vmovupd(slot(registers_.take_slot(one.node)), from);
  }
  void store_output(const Instruction& one) override {
    const Ymm from = loaded(one.operand[0], first_wide);
    const Indices& rows = loop_.rows[static_cast<std::size_t>(one.node)];
    if (rows.stride == 1) {
      a_.vmovupd(x86::ptr(out_, counter, 3, 8 * rows.base), from);
    } else {
      a_.imul(x86::rax, counter, rows.stride);
      const auto lane = [&](int k) { return x86::ptr(out_, x86::rax, 3, 8 * (rows.base + k * rows.stride)); };
      a_.vextractf128(x86::xmm(14), from, 1);
      a_.vmovlpd(lane(0), x86::xmm(from.id()));
      a_.vmovhpd(lane(1), x86::xmm(from.id()));
      a_.vmovlpd(lane(2), x86::xmm(14));
      a_.vmovhpd(lane(3), x86::xmm(14));
    }
    registers_.pass(one, now_);
  }

  void compute(const Instruction& one) override {
    const Op op = node_of(one).op;
    if (calls(one)) {
      call_library(one, op);
    } else if (is_unary(op)) {
      const Ymm x = loaded(one.operand[0], first_wide), y = result(one);
      if (op == Op::neg) a_.vxorpd(y, x, sign_mask());
      if (op == Op::abs) a_.vandpd(y, x, magnitude_mask());
      if (op == Op::sqr) a_.vmulpd(y, x, x);
      if (op == Op::sqrt) a_.vsqrtpd(y, x);
    } else if (op == Op::select) {
      const asmjit::Operand g = place(one.operand[0]);
      a_.vxorpd(first_wide, first_wide, first_wide);
      a_.emit(x86::Inst::kIdVcmppd, first_wide, first_wide, g, asmjit::imm(1));  // 0 < g
      const asmjit::Operand where_positive = place(one.operand[1]);
      const Ymm otherwise = loaded(one.operand[2], second_wide), y = result(one);
      a_.emit(x86::Inst::kIdVblendvpd, y, otherwise, where_positive, first_wide);
    } else {
      arithmetic(one, op);
    }
  }
  void arithmetic(const Instruction& one, Op op) {
    int first = one.operand[0], second = one.operand[1];
    const bool exchanges = (op == Op::add || op == Op::mul) && !has_register(first) && has_register(second);
    if (exchanges || op == Op::min || op == Op::max) std::swap(first, second);  // min: y < x ? y : x
    const Ymm x = loaded(first, first_wide);
    const asmjit::Operand y = place(second);
    const Ymm z = result(one);
    a_.emit(arithmetic_instruction(op, Width::four), z, x, y);
  }

  // Lane by lane, in memory. The last two places before those of registers are for it.
  void call_library(const Instruction& one, Op op) {
    const bool has_two = is_binary(op);
    const int first = leaf_slot(static_cast<int>(leaves_.size())), second = first + 1;
    a_.vmovupd(slot(first), loaded(one.operand[0], first_wide));
    if (has_two) a_.vmovupd(slot(second), loaded(one.operand[1], first_wide));
    registers_.pass(one, now_);
    registers_.flush();
    a_.vzeroupper();
    for (int k = 0; k < 4; ++k) {
      a_.vmovsd(x86::xmm0, slot(first, 8 * k));
      if (has_two) {
        a_.vmovsd(x86::xmm1, slot(second, 8 * k));
        call(library_function_of_two(op));
      } else {
        call(library_function(op));
      }
      a_.vmovsd(slot(first, 8 * k), x86::xmm0);
    }
    a_.vmovupd(x86::ymm(static_cast<std::uint32_t>(registers_.take(one.node))), slot(first));
  }

  const x86::Gp saved_[6] = {x86::rbx, x86::r12, x86::r13, x86::r14, x86::r15, x86::rbp};
  const Loop& loop_;
  const std::vector<PlacedLeaf>& leaves_;
  std::vector<asmjit::Label> tables_;
};

}  // namespace

std::unique_ptr<LoopCode<double>> make_loop_code(const Loop& loop, const Layout& layout,
                                                 const std::vector<PlacedLeaf>& leaves) {
  if (!addresses_fit(loop, leaves)) return nullptr;
  const std::vector<Instruction> list = moving_instructions(loop.body, loop.outputs, /*fuses=*/false);
  return assembled_loop<double>([&](asmjit::CodeHolder& code) {
    LoopEmitter emitter(code, loop, layout, leaves, list);
    emitter.write();
    return emitter.moving_size();
  });
}

}  // namespace pawl::model
