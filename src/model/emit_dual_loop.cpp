// Code of a loop with duals: one iteration after the other, by pointers that walk along states, outputs and arrays.
// What is the same for all iterations is put beside the temporaries before the loop.
#include <cstddef>
#include <optional>

#include "model/assembled_loop.hpp"
#include "model/dual_emitter.hpp"

namespace pawl::model {

namespace {

/// How many places further on the next iteration reads and writes.
struct Walk {
  int states = 0, outputs = 0;
};

std::optional<Walk> walk_of(const Loop& loop, const std::vector<PlacedLeaf>& leaves) {
  Walk walk{0, loop.rows.front().stride};
  for (const Indices& row : loop.rows) {
    if (!row.table.empty() || row.stride != walk.outputs) return std::nullopt;
  }
  for (const PlacedLeaf& leaf : leaves) {
    const Indices& index = leaf.index;
    if (leaf.from != LoopLeaf::From::states || (index.table.empty() && index.stride == 0)) continue;
    if (!index.table.empty() || (walk.states != 0 && index.stride != walk.states)) return std::nullopt;
    walk.states = index.stride;
  }
  return walk;
}

// The one place that all iterations read; -1: they read different ones.
int only_place(const PlacedLeaf& leaf, int count) {
  for (int k = 1; k < count; ++k) {
    if (leaf.index[k] != leaf.index[0]) return -1;
  }
  return leaf.index[0];
}

class DualLoopEmitter : public DualEmitter {
 public:
  DualLoopEmitter(asmjit::CodeHolder& code, const Loop& loop, const Layout& layout,
                  const std::vector<PlacedLeaf>& leaves, const std::vector<Instruction>& list, const Walk& walk)
      : DualEmitter(code, loop.body, layout, list, static_cast<int>(leaves.size())),
        loop_(loop),
        leaves_(leaves),
        walk_(walk) {
    m_ = x86::rbx, h_ = x86::r12, x_ = x86::r13, out_ = x86::r14;
  }

  void write() override {
    begin();
    const asmjit::Label again = a_.newLabel();
    a_.bind(again);
    write_list();
    a_.add(x_, dual_bytes * walk_.states);
    a_.add(out_, dual_bytes * walk_.outputs);
    a_.add(arrays_, 8);
    a_.dec(remaining_);
    a_.jnz(again);
    a_.vzeroupper();
    a_.add(x86::rsp, 8);
    for (auto saved = std::rbegin(saved_); saved != std::rend(saved_); ++saved) a_.pop(*saved);
    a_.ret();
    write_constants();
  }

 private:
  using Arguments = LoopArguments<Gradient>;

  void begin() {
    for (const x86::Gp& saved : saved_) a_.push(saved);
    a_.sub(x86::rsp, 8);
    a_.mov(m_, x86::ptr(x86::rdi, offsetof(Arguments, m)));
    a_.mov(h_, x86::ptr(x86::rdi, offsetof(Arguments, h)));
    a_.mov(x_, x86::ptr(x86::rdi, offsetof(Arguments, x)));
    a_.mov(out_, x86::ptr(x86::rdi, offsetof(Arguments, out)));
    a_.mov(arrays_, x86::ptr(x86::rdi, offsetof(Arguments, arrays)));
    a_.mov(remaining_, x86::ptr(x86::rdi, offsetof(Arguments, count)));
    const x86::Gp inputs = x86::rax;
    a_.mov(inputs, x86::ptr(x86::rdi, offsetof(Arguments, inputs)));
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (stays(leaves_[i])) copy(static_cast<int>(i), leaves_[i].from == LoopLeaf::From::states ? x_ : inputs);
    }
  }
  static bool stays(const PlacedLeaf& leaf) {
    return leaf.from == LoopLeaf::From::inputs || (leaf.from == LoopLeaf::From::states && leaf.index.stride == 0);
  }
  void copy(int i, const x86::Gp& from) {
    const int place = dual_bytes * leaves_[static_cast<std::size_t>(i)].index[0];
    const Ymm first = x86::ymm14, second = x86::ymm15;
    a_.vmovupd(first, x86::ptr(from, place));
    a_.vmovupd(second, x86::ptr(from, place + 32));
    a_.vmovupd(slot(i), first);
    a_.vmovupd(slot(i, 32), second);
    a_.vmovsd(x86::xmm14, x86::ptr(from, place + 64));
    a_.vmovsd(slot(i, 64), x86::xmm14);
  }

  int leaf_number(int node) const { return graph_[node].a; }
  bool is_number(int node) const override {
    if (DualEmitter::is_number(node)) return true;
    return graph_[node].op == Op::state &&
           leaves_[static_cast<std::size_t>(leaf_number(node))].from == LoopLeaf::From::held;
  }
  Memory leaf(int node, int offset) const override {
    if (is_held(node)) return DualEmitter::leaf(node, offset);
    const int i = leaf_number(node);
    const PlacedLeaf& placed = leaves_[static_cast<std::size_t>(i)];
    if (placed.from == LoopLeaf::From::held) return x86::ptr(arrays_, 8 * placed.index.base * loop_.count);
    if (stays(placed)) return slot(i, offset);
    return x86::ptr(x_, dual_bytes * placed.index.base + offset);
  }
  Memory output(int row, int offset) const override {
    return x86::ptr(out_, dual_bytes * loop_.rows[static_cast<std::size_t>(row)].base + offset);
  }

  const x86::Gp saved_[6] = {x86::rbx, x86::r12, x86::r13, x86::r14, x86::r15, x86::rbp};
  const x86::Gp arrays_ = x86::r15, remaining_ = x86::rbp;
  const Loop& loop_;
  const std::vector<PlacedLeaf>& leaves_;
  Walk walk_;
};

}  // namespace

std::unique_ptr<LoopCode<Gradient>> make_dual_loop_code(const Loop& loop, const Layout& layout,
                                                        const std::vector<PlacedLeaf>& leaves) {
  const std::optional<Walk> walk = walk_of(loop, leaves);
  if (!walk || !addresses_fit(loop, leaves)) return nullptr;
  for (const PlacedLeaf& leaf : leaves) {
    if (leaf.from == LoopLeaf::From::inputs && only_place(leaf, loop.count) < 0) return nullptr;
  }
  const std::vector<Instruction> list = moving_instructions(loop.body, loop.outputs, /*fuses=*/false);
  return assembled_loop<Gradient>([&](asmjit::CodeHolder& code) {
    DualLoopEmitter emitter(code, loop, layout, leaves, list, *walk);
    emitter.write();
    return emitter.moving_size();
  });
}

}  // namespace pawl::model
