#include "pawl/model/roll.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "numerics/index.hpp"

namespace pawl::model {

namespace {

constexpr int longest_period = 256;          // rows of a body
constexpr std::size_t largest_shape = 4000;  // operations and leaves of a row

// The shape of some rows: operations in the order they are met, with numbers for those met before. Every occurrence of
// a leaf is one of its own, because which of them happen to be the same differs between iterations.
struct RowShape {
  std::vector<int> words;
  std::vector<int> leaves;  // nodes
  bool is_small = true;
};

class ShapeReader {
 public:
  explicit ShapeReader(const Graph& graph) : graph_(graph) {}

  RowShape read(const int* outputs, int count) {
    RowShape shape;
    met_.clear();
    for (int i = 0; i < count && shape.is_small; ++i) {
      shape.words.push_back(output_word);
      visit(outputs[i], shape);
    }
    return shape;
  }
  /// Numbers given to the operations of the shape read last.
  const std::unordered_map<int, int>& met() const { return met_; }
  bool is_leaf_of_shape(int node) const { return !graph_.is_moving(node) || is_leaf(graph_[node].op); }

 private:
  static constexpr int output_word = -1, held_word = -2, state_word = -3, input_word = -4, again_word = -5;

  void visit(int output, RowShape& shape) {
    stack_ = {output};
    while (!stack_.empty()) {
      const int node = stack_.back();
      stack_.pop_back();
      const Node& n = graph_[node];
      if (shape.words.size() > largest_shape) {
        shape.is_small = false;
        return;
      }
      if (is_leaf_of_shape(node)) {
        shape.words.push_back(!graph_.is_moving(node) ? held_word : n.op == Op::state ? state_word : input_word);
        shape.leaves.push_back(node);
        continue;
      }
      const auto [found, is_new] = met_.try_emplace(node, static_cast<int>(met_.size()));
      if (!is_new) {
        shape.words.insert(shape.words.end(), {again_word, found->second});
        continue;
      }
      shape.words.push_back(static_cast<int>(n.op));
      if (n.op == Op::choose) shape.words.push_back(n.a);  // the same truth in all iterations
      const int operands[] = {n.a, n.b, n.c};
      for (int i = operand_count(n.op) - 1; i >= (n.op == Op::choose ? 1 : 0); --i) stack_.push_back(operands[i]);
    }
  }

  const Graph& graph_;
  std::unordered_map<int, int> met_;
  std::vector<int> stack_;
};

Indices compact(std::vector<int> table) {
  const int stride = table.size() > 1 ? table[1] - table[0] : 0;
  for (std::size_t k = 1; k < table.size(); ++k) {
    if (table[k] - table[k - 1] != stride) return {0, 0, std::move(table)};
  }
  return {table[0], stride, {}};
}

class Roller {
 public:
  Roller(const Graph& graph, const std::vector<int>& outputs) : graph_(graph), outputs_(outputs), reader_(graph) {
    std::map<std::vector<int>, int> known;
    for (const int output : outputs) {
      const bool computes = !reader_.is_leaf_of_shape(output);
      RowShape shape = computes ? reader_.read(&output, 1) : RowShape{};
      int kind = unique_--;
      if (computes && shape.is_small)
        kind = known.try_emplace(std::move(shape.words), static_cast<int>(known.size())).first->second;
      kinds_.push_back(kind);
    }
  }

  std::vector<Loop> run() {
    std::vector<Loop> loops;
    const int rows = static_cast<int>(outputs_.size());
    for (int row = 0; row < rows;) {
      const auto [period, count] = best_period(row);
      const int found = count >= least_iterations ? same_together(row, period, count) : 0;
      if (found >= least_iterations) {
        loops.push_back(make(row, period, found));
        row += period * found;
      } else {
        ++row;
      }
    }
    return loops;
  }

 private:
  // The period with which the most rows repeat from here, and how often.
  std::pair<int, int> best_period(int row) const {
    const int rows = static_cast<int>(outputs_.size());
    int best = 0, best_count = 0, tried = 0;
    for (int period = 1; period <= longest_period && row + period < rows && tried < 4; ++period) {
      if (kinds_[at(row + period)] != kinds_[at(row)]) continue;
      ++tried;
      int same = 0;
      while (row + same + period < rows && kinds_[at(row + same)] == kinds_[at(row + same + period)]) ++same;
      const int count = same / period + 1;
      if (count * period > best * best_count) {
        best = period;
        best_count = count;
      }
    }
    return {best, best_count};
  }
  // How many iterations have the same shape also as far as their rows share operations.
  int same_together(int row, int period, int count) {
    const RowShape first = reader_.read(&outputs_[at(row)], period);
    if (!first.is_small) return 0;
    for (int k = 1; k < count; ++k) {
      if (reader_.read(&outputs_[at(row + k * period)], period).words != first.words) return k;
    }
    return count;
  }

  Loop make(int row, int period, int count) {
    Loop loop;
    loop.count = count;
    std::vector<std::vector<int>> tables;  // per leaf of the shape, per iteration
    for (int k = 0; k < count; ++k) {
      const RowShape shape = reader_.read(&outputs_[at(row + k * period)], period);
      tables.resize(shape.leaves.size());
      for (std::size_t leaf = 0; leaf < shape.leaves.size(); ++leaf) tables[leaf].push_back(shape.leaves[leaf]);
    }
    std::vector<int> of_leaf;  // nodes of the body
    of_leaf.reserve(tables.size());
    for (std::vector<int>& table : tables) of_leaf.push_back(body_leaf(loop, std::move(table)));
    known_.clear();
    build_body(loop, row, period, of_leaf);
    for (int i = 0; i < period; ++i) loop.rows.push_back({row + i, period, {}});
    return loop;
  }

  int body_leaf(Loop& loop, std::vector<int> table) {
    const auto [found, is_new] = known_.try_emplace(table, 0);
    if (!is_new) return found->second;
    const int node = table[0];
    const bool is_same = std::all_of(table.begin(), table.end(), [&](int other) { return other == node; });
    if (!graph_.is_moving(node) && is_same) return found->second = shared_leaf(loop, node);
    LoopLeaf leaf;
    leaf.from = !graph_.is_moving(node)        ? LoopLeaf::From::held
                : graph_[node].op == Op::state ? LoopLeaf::From::states
                                               : LoopLeaf::From::inputs;
    if (leaf.from == LoopLeaf::From::states) {
      for (int& entry : table) entry = graph_[entry].a;
    }
    leaf.index = compact(std::move(table));
    loop.leaves.push_back(std::move(leaf));
    return found->second = loop.body.input(Op::state, static_cast<int>(loop.leaves.size()) - 1);
  }
  static int shared_leaf(Loop& loop, int node) {
    const auto known = std::find(loop.shared.begin(), loop.shared.end(), node);
    const int index = static_cast<int>(known - loop.shared.begin());
    if (known == loop.shared.end()) loop.shared.push_back(node);
    return loop.body.input(Op::parameter, index);
  }

  // The first iteration once more, with leaves of the body. Operations keep their operands in their order.
  void build_body(Loop& loop, int row, int period, const std::vector<int>& of_leaf) {
    std::unordered_map<int, int> made;
    std::size_t next_leaf = 0;
    std::vector<Pending> stack;
    const auto arrive = [&](int node) {  // as the reader meets it: the body's node, or -1 and it is pending
      if (reader_.is_leaf_of_shape(node)) return of_leaf[next_leaf++];
      if (const auto found = made.find(node); found != made.end()) return found->second;
      stack.push_back({node, graph_[node].op == Op::choose ? 1 : 0, {}});
      return -1;
    };
    for (int i = 0; i < period; ++i) {
      int result = arrive(outputs_[at(row + i)]);
      while (!stack.empty()) {
        Pending& top = stack.back();
        const Node n = graph_[top.node];
        const int operands[] = {n.a, n.b, n.c};
        if (top.next < operand_count(n.op)) {
          const int operand = top.next++;
          const std::size_t place = stack.size() - 1;
          const int node = arrive(operands[operand]);
          if (node >= 0) stack[place].made[operand] = node;
          continue;
        }
        if (n.op == Op::choose) top.made[0] = shared_leaf(loop, n.a);
        const int count = operand_count(n.op);
        result = loop.body.append({n.op, top.made[0], count > 1 ? top.made[1] : -1, count > 2 ? top.made[2] : -1});
        made[top.node] = result;
        stack.pop_back();
        if (!stack.empty()) stack.back().made[stack.back().next - 1] = result;
      }
      loop.outputs.push_back(result);
    }
  }
  struct Pending {
    int node, next;
    int made[3];
  };

  const Graph& graph_;
  const std::vector<int>& outputs_;
  ShapeReader reader_;
  std::vector<int> kinds_;
  std::map<std::vector<int>, int> known_;  // leaves of the loop at hand by their tables
  int unique_ = -1;
};

}  // namespace

std::vector<Loop> roll(const Graph& graph, const std::vector<int>& outputs) {
  return Roller(graph, outputs).run();
}

std::vector<int> rest_of(const std::vector<Loop>& loops, const std::vector<int>& outputs) {
  std::vector<int> rest = outputs;
  for (const Loop& loop : loops)
    for (const Indices& row : loop.rows)
      for (int k = 0; k < loop.count; ++k) rest[at(row[k])] = -1;
  return rest;
}

}  // namespace pawl::model
