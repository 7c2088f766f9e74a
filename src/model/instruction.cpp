#include "model/instruction.hpp"

#include <algorithm>
#include <iterator>

#include "numerics/index.hpp"

namespace pawl::model {

namespace {

using Kind = ScheduleItem::Kind;

class Builder {
 public:
  Builder(const Graph& graph, const std::vector<int>& outputs, const std::vector<ScheduleItem>& items, bool fuses)
      : graph_(graph), fuses_(fuses), uses_(at(graph.size()), 0), made_by_(at(graph.size()), -1) {
    rows_of_.reserve(outputs.size());
    for (std::size_t row = 0; row < outputs.size(); ++row) {
      if (outputs[row] < 0) continue;
      rows_of_.emplace_back(outputs[row], static_cast<int>(row));
      uses_[at(outputs[row])] += 2;  // an output stays
    }
    std::sort(rows_of_.begin(), rows_of_.end());
    for (const ScheduleItem& item : items) count_uses(item);
  }

  void store(int node) {
    auto found = std::lower_bound(rows_of_.begin(), rows_of_.end(), std::pair(node, 0));
    for (; found != rows_of_.end() && found->first == node; ++found)
      list_.push_back({Shape::store, found->second, 1, {node}});
  }
  void store_leaves() {
    int before = -1;
    for (const auto& [node, row] : rows_of_) {
      const bool is_ready = is_leaf(graph_[node].op) || !graph_.is_moving(node);
      if (is_ready && node != before) store(node);
      before = node;
    }
  }
  void add(const ScheduleItem& item) {
    switch (item.kind) {
      case Kind::compute:
        add_node(item.node);
        break;
      case Kind::take:
        list_.push_back({Shape::take, item.node, 1, {item.from}});
        if (depth_ == 1) chosen_.push_back(item.node);
        break;
      case Kind::branch:
        ++depth_;
        list_.push_back({Shape::branch, item.node});
        break;
      case Kind::otherwise:
        if (depth_ == 1) chosen_.clear();  // seen on both sides
        list_.push_back({Shape::otherwise});
        break;
      case Kind::join:
        list_.push_back({Shape::join});
        if (--depth_ == 0) {
          for (const int choice : chosen_) store(choice);
          chosen_.clear();
        }
        break;
    }
  }
  std::vector<Instruction> finish() {
    std::erase_if(list_, [](const Instruction& i) { return i.shape == Shape::gone; });
    return std::move(list_);
  }

 private:
  void count_uses(const ScheduleItem& item) {
    if (item.kind == Kind::take) uses_[at(item.from)] += 2;  // it is copied
    if (item.kind != Kind::compute) return;
    const Node& n = graph_[item.node];
    const int operands[] = {n.a, n.b, n.c};
    for (int i = 0; i < operand_count(n.op); ++i) ++uses_[at(operands[i])];
  }
  // Computed for one other node alone, by an instruction of its own.
  const Instruction* part(int node, Op op) const {
    if (!fuses_ || graph_[node].op != op || !graph_.is_moving(node) || uses_[at(node)] != 1) return nullptr;
    const int made = made_by_[at(node)];
    if (made < 0 || list_[at(made)].shape != Shape::plain) return nullptr;
    return &list_[at(made)];
  }
  bool is_held(int node) const { return !graph_.is_moving(node); }

  void add_node(int node) {
    const Node& n = graph_[node];
    Instruction made{Shape::plain, node, operand_count(n.op), {n.a, n.b, n.c}};
    if (n.op == Op::add || n.op == Op::sub) {
      if (!fuse_products(n, made)) fuse_sums(n, made);
    }
    made_by_[at(node)] = static_cast<int>(list_.size());
    list_.push_back(made);
    store(node);
  }
  void absorb(int node) { list_[at(made_by_[at(node)])].shape = Shape::gone; }

  bool fuse_products(const Node& n, Instruction& made) {
    const bool is_sum = n.op == Op::add;
    const Instruction *left = part(n.a, Op::mul), *right = part(n.b, Op::mul);
    const auto set = [&](Shape shape, std::array<int, 4> operand, int count) {
      made.shape = shape;
      made.operand = operand;
      made.count = count;
    };
    if (left != nullptr && right != nullptr && is_held(left->operand[0]) && is_held(right->operand[0])) {
      set(is_sum ? Shape::two_add : Shape::two_sub,
          {left->operand[0], left->operand[1], right->operand[0], right->operand[1]}, 4);
      absorb(n.a);
      absorb(n.b);
      return true;
    }
    if (left != nullptr) {
      set(is_sum ? Shape::mul_add : Shape::mul_sub, {left->operand[0], left->operand[1], n.b}, 3);
      absorb(n.a);
      return true;
    }
    if (right != nullptr) {
      set(is_sum ? Shape::mul_add : Shape::sub_mul, {right->operand[0], right->operand[1], n.a}, 3);
      absorb(n.b);
      return true;
    }
    return false;
  }
  // Sums of what moves; the one that was made last is taken apart.
  void fuse_sums(const Node& n, Instruction& made) {
    if (is_held(n.a) || is_held(n.b)) return;
    const auto moving_part = [&](int node, Op op) {
      const Instruction* found = part(node, op);
      const bool moves = found != nullptr && !is_held(found->operand[0]) && !is_held(found->operand[1]);
      return moves ? found : nullptr;
    };
    const bool is_sum = n.op == Op::add;
    for (const bool takes_left : {true, false}) {
      const int inner = takes_left ? n.a : n.b, outer = takes_left ? n.b : n.a;
      const Instruction *sum = moving_part(inner, Op::add), *difference = moving_part(inner, Op::sub);
      const Instruction* found = sum != nullptr ? sum : difference;
      if (found == nullptr) continue;
      if (is_sum)
        made.shape = sum != nullptr ? Shape::add_add : Shape::sub_add;
      else if (takes_left)
        made.shape = sum != nullptr ? Shape::add_sub : Shape::sub_sub;
      else
        made.shape = sum != nullptr ? Shape::from_add : Shape::from_sub;
      made.operand = {found->operand[0], found->operand[1], outer};
      made.count = 3;
      absorb(inner);
      return;
    }
  }

  const Graph& graph_;
  bool fuses_;
  std::vector<int> uses_, made_by_;
  std::vector<std::pair<int, int>> rows_of_;  // outputs and their rows, sorted
  std::vector<Instruction> list_;
  std::vector<int> chosen_;
  int depth_ = 0;
};

}  // namespace

std::vector<Instruction> moving_instructions(const Graph& graph, const std::vector<int>& outputs, bool fuses) {
  std::vector<int> wanted;
  std::copy_if(outputs.begin(), outputs.end(), std::back_inserter(wanted), [](int output) { return output >= 0; });
  const Schedule schedule = schedule_of(graph, wanted);
  Builder builder(graph, outputs, schedule.moving, fuses);
  builder.store_leaves();
  for (const ScheduleItem& item : schedule.moving) builder.add(item);
  return builder.finish();
}

std::vector<Instruction> held_instructions(const Graph& graph, const std::vector<int>& outputs) {
  const Schedule schedule = schedule_of(graph, outputs);
  Builder builder(graph, {}, schedule.held, false);
  for (const ScheduleItem& item : schedule.held) builder.add(item);
  return builder.finish();
}

std::vector<int> last_uses(const std::vector<Instruction>& instructions, std::size_t nodes) {
  std::vector<int> last(nodes, -1);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (int k = 0; k < instructions[i].count; ++k) last[at(instructions[i].operand[at(k)])] = static_cast<int>(i);
  }
  return last;
}

}  // namespace pawl::model
