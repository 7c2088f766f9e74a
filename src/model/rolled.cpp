#include "pawl/model/rolled.hpp"

#include <algorithm>
#include <cstdint>

#include "model/interpreter.hpp"
#include "model/lanes.hpp"
#include "model/layout.hpp"
#include "model/loop_code.hpp"
#include "numerics/index.hpp"

namespace pawl::model {

namespace {

// Rows of numbers that cross the lines of the cache are slow to write and to read back.
constexpr std::size_t line = 64;
double* aligned(double* from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  return from + (line - address % line) % line / sizeof(double);
}

}  // namespace

// One loop and where its numbers are in the work of a thread.
struct Rolled::Part {
  Loop loop;
  Program program;                       // of the body
  std::vector<int> shared_slots;         // in the h of the model
  std::vector<std::vector<int>> arrays;  // per held leaf that differs: slots in the h of the model
  std::vector<PlacedLeaf> leaves;
  std::unique_ptr<LoopCode<double>> code;
  std::unique_ptr<LoopCode<Gradient>> dual_code;
  std::size_t held_at = 0, arrays_at = 0, moving_at = 0, end = 0;

  Part(const Layout& whole, Loop made, bool is_native) : loop(std::move(made)), program(loop.body, loop.outputs) {
    for (const int node : loop.shared) shared_slots.push_back(whole.slot(node));
    for (const LoopLeaf& leaf : loop.leaves) leaves.push_back(placed(whole, leaf));
    if (!is_native) return;
    const Layout layout(loop.body, loop.outputs);
    code = make_loop_code(loop, layout, leaves);
    dual_code = make_dual_loop_code(loop, layout, leaves);
  }

  PlacedLeaf placed(const Layout& whole, const LoopLeaf& leaf) {
    if (leaf.from == LoopLeaf::From::states) return {leaf.from, leaf.index};
    std::vector<int> slots;
    slots.reserve(at(loop.count));
    for (int k = 0; k < loop.count; ++k) slots.push_back(whole.slot(leaf.index[k]));
    if (leaf.from == LoopLeaf::From::inputs) return {leaf.from, {0, 0, std::move(slots)}};
    arrays.push_back(std::move(slots));
    return {leaf.from, {static_cast<int>(arrays.size()) - 1, 0, {}}};
  }

  void place(std::size_t& size) {
    held_at = size;
    arrays_at = held_at + program.held().size();
    moving_at = arrays_at + arrays.size() * at(loop.count);
    const std::size_t lanes = at(program.moving_size()) + loop.leaves.size() + loop.outputs.size() + 1;
    size = moving_at + (code ? 4 * at(code->moving_size()) : lanes * Lanes::count) + line / sizeof(double);
  }

  void prepare(const double* h, double* work) const {
    double* held = work + held_at;
    std::copy(program.held().begin(), program.held().end(), held);
    for (const Load& load : program.held_loads()) held[load.slot] = h[shared_slots[at(load.index)]];
    program.run_held(held);
    double* array = work + arrays_at;
    for (const std::vector<int>& slots : arrays)
      for (const int slot : slots) *array++ = h[slot];
  }

  void run(const double* m, const double* x, double* out, double* work) const {
    if (code) {
      code->run({aligned(work + moving_at), work + held_at, x, out, m, work + arrays_at, loop.count});
    } else {
      run_lanes(m, x, out, work);
    }
  }

  void run(const Gradient* m, const Gradient* x, Gradient* out, const double* work, Gradient* temporaries) const {
    dual_code->run({temporaries, work + held_at, x, out, m, work + arrays_at, loop.count});
  }

  // Iterations from `first` on into the lanes; the last one is repeated where there are too few.
  void fill(Lanes& to, const PlacedLeaf& leaf, int first, int count, const double* m, const double* x,
            const double* work) const {
    const Indices& index = leaf.index;
    if (leaf.from == LoopLeaf::From::held) {
      std::copy_n(work + arrays_at + at(index.base) * at(loop.count) + at(first), count, to.lane.begin());
    } else {
      const double* from = leaf.from == LoopLeaf::From::states ? x : m;
      if (index.table.empty()) {
        const std::ptrdiff_t stride = index.stride;
        const double* start = from + index.base + first * stride;
        for (int k = 0; k < count; ++k) to.lane[at(k)] = start[k * stride];
      } else {
        const int* table = index.table.data() + first;
        for (int k = 0; k < count; ++k) to.lane[at(k)] = from[table[k]];
      }
    }
    std::fill(to.lane.begin() + count, to.lane.end(), to.lane[at(count - 1)]);
  }
  void run_lanes(const double* m, const double* x, double* out, double* work) const {
    auto* values = reinterpret_cast<Lanes*>(aligned(work + moving_at));
    Lanes *given = values, *made = given + leaves.size(), *temporaries = made + loop.outputs.size();
    const int width = static_cast<int>(Lanes::count);
    for (int first = 0; first < loop.count; first += width) {
      const int last = std::min(first + width, loop.count);
      for (std::size_t i = 0; i < leaves.size(); ++i) fill(given[i], leaves[i], first, last - first, m, x, work);
      interpret<Lanes>(program.code().data(), temporaries, work + held_at, given, made);
      for (std::size_t i = 0; i < loop.outputs.size(); ++i)
        for (int k = first; k < last; ++k) out[loop.rows[i][k]] = made[i].lane[at(k - first)];
    }
  }
};

Rolled::Rolled(const Graph& graph, const std::vector<int>& outputs, std::vector<Loop> loops, bool is_native) {
  const Layout whole(graph, outputs);
  for (Loop& loop : loops) {
    parts_.push_back(std::make_unique<Part>(whole, std::move(loop), is_native));
    parts_.back()->place(work_size_);
  }
}
Rolled::~Rolled() = default;

bool Rolled::is_native() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->code != nullptr; });
}
bool Rolled::has_duals() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->dual_code != nullptr; });
}
std::size_t Rolled::size() const {
  std::size_t bytes = 0;
  for (const auto& part : parts_) {
    bytes += part->code ? part->code->size() : 0;
    bytes += part->dual_code ? part->dual_code->size() : 0;
  }
  return bytes;
}

void Rolled::prepare(const double* h, Work& work) const {
  work.values.resize(work_size_);
  for (const auto& part : parts_) {
    const std::size_t size = part->dual_code ? at(part->dual_code->moving_size()) : 0;
    if (work.duals.size() < size) work.duals.resize(size);
  }
  for (const auto& part : parts_) part->prepare(h, work.values.data());
}
void Rolled::run(const double* m, const double* x, double* out, Work& work) const {
  for (const auto& part : parts_) part->run(m, x, out, work.values.data());
}
void Rolled::run(const Gradient* m, const Gradient* x, Gradient* out, Work& work) const {
  for (const auto& part : parts_) part->run(m, x, out, work.values.data(), work.duals.data());
}

}  // namespace pawl::model
