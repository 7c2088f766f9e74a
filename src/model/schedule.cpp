#include "model/schedule.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace pawl::model {

namespace {

using Kind = ScheduleItem::Kind;

struct Region {
  int parent = 0, depth = 0;
  int jump = 0;                 // an ancestor further up, so that a common one is found in logarithmic time
  std::vector<int> nodes = {};  // ascending
  std::size_t next = 0;         // of them, to be emitted
};

class Scheduler {
 public:
  Scheduler(const Graph& graph, const std::vector<int>& outputs) : graph_(graph), nodes_(graph.order(outputs)) {
    regions_.emplace_back();
    region_of_.assign(nodes_.empty() ? 0 : static_cast<std::size_t>(nodes_.back()) + 1, -1);
    for (const int output : outputs) use(output, 0);
    for (std::size_t k = nodes_.size(); k-- > 0;) place_operands(nodes_[k]);
  }

  std::vector<ScheduleItem> emit(bool wants_moving) {
    wants_moving_ = wants_moving;
    items_.clear();
    for (Region& region : regions_) {
      region.nodes.clear();
      region.next = 0;
    }
    for (const int node : nodes_) {
      if (belongs_here(node)) regions_[at(region_of_[at(node)])].nodes.push_back(node);
    }
    frames_.push_back({.region = 0, .limit = std::numeric_limits<int>::max()});
    while (!frames_.empty()) advance();
    return std::move(items_);
  }

 private:
  // One region being emitted as far as nodes below `limit`; a run of choices by one truth shares a branch.
  struct Frame {
    int region = 0, limit = 0;
    std::vector<int> run = {};
    std::size_t position = 0, began = 0;
    int side = -1;  // of the run; -1: none
    bool waits = false;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int child(int region, int truth, int side) {
    const std::uint64_t key = static_cast<std::uint64_t>(region) << 32 | static_cast<std::uint32_t>(truth);
    const auto [found, is_new] = children_.try_emplace(key, static_cast<int>(regions_.size()));
    if (is_new) {
      const Region& parent = regions_[at(region)];
      const Region &above = regions_[at(parent.jump)], &beyond = regions_[at(above.jump)];
      const bool is_balanced = parent.depth - above.depth == above.depth - beyond.depth;
      const Region made{.parent = region, .depth = parent.depth + 1, .jump = is_balanced ? above.jump : region};
      regions_.push_back(made);
      regions_.push_back(made);
    }
    return found->second + side;
  }
  int depth(int region) const { return regions_[at(region)].depth; }
  int raised(int region, int to) const {
    while (depth(region) > to) {
      const Region& from = regions_[at(region)];
      region = depth(from.jump) >= to ? from.jump : from.parent;
    }
    return region;
  }
  int common(int a, int b) const {
    a = raised(a, depth(b));
    b = raised(b, depth(a));
    while (a != b) {
      const Region &left = regions_[at(a)], &right = regions_[at(b)];
      const bool jumps = left.jump != right.jump;
      a = jumps ? left.jump : left.parent;
      b = jumps ? right.jump : right.parent;
    }
    return a;
  }
  void use(int node, int region) {
    int& own = region_of_[at(node)];
    own = own < 0 ? region : common(own, region);
  }
  void place_operands(int node) {
    const Node& n = graph_[node];
    const int region = region_of_[at(node)];
    if (n.op == Op::choose) {
      use(n.a, region);
      use(n.b, child(region, n.a, 0));
      use(n.c, child(region, n.a, 1));
      return;
    }
    const std::array<int, 3> operands{n.a, n.b, n.c};
    for (int i = 0; i < operand_count(n.op); ++i) use(operands[at(i)], region);
  }
  // A moving choice also guards held nodes; a held one is done when moving nodes are computed.
  bool belongs_here(int node) const {
    const Op op = graph_[node].op;
    if (is_leaf(op)) return false;
    return graph_.is_moving(node) == wants_moving_ || (op == Op::choose && !wants_moving_);
  }

  void advance() {
    Frame& frame = frames_.back();
    if (frame.side >= 0) return advance_run(frame);
    Region& region = regions_[at(frame.region)];
    if (region.next >= region.nodes.size() || region.nodes[region.next] >= frame.limit) {
      frames_.pop_back();
      return;
    }
    const int node = region.nodes[region.next++];
    if (graph_[node].op != Op::choose) {
      items_.push_back({Kind::compute, node});
      return;
    }
    const int truth = graph_[node].a;
    frame.run = {node};
    while (region.next < region.nodes.size() && region.nodes[region.next] < frame.limit) {
      const Node& next = graph_[region.nodes[region.next]];
      if (next.op != Op::choose || next.a != truth) break;
      frame.run.push_back(region.nodes[region.next++]);
    }
    frame.began = items_.size();
    frame.side = 0;
    frame.position = 0;
    frame.waits = false;
    items_.push_back({Kind::branch, truth});
  }

  void advance_run(Frame& frame) {
    if (frame.position == frame.run.size()) return end_side(frame);
    const int choice = frame.run[frame.position], side = frame.side;
    if (!frame.waits) {
      frame.waits = true;
      const int inner = child(frame.region, graph_[choice].a, side);
      frames_.push_back({.region = inner, .limit = choice});  // the reference is gone
      return;
    }
    frame.waits = false;
    ++frame.position;
    if (graph_.is_moving(choice) == wants_moving_)
      items_.push_back({Kind::take, choice, side == 0 ? graph_[choice].b : graph_[choice].c});
  }

  void end_side(Frame& frame) {
    frame.position = 0;
    if (frame.side == 0) {
      frame.side = 1;
      items_.push_back({Kind::otherwise});
      return;
    }
    frame.side = -1;
    if (items_.size() == frame.began + 2)
      items_.resize(frame.began);  // nothing on either side
    else
      items_.push_back({Kind::join});
  }

  const Graph& graph_;
  std::vector<int> nodes_, region_of_;
  std::vector<Region> regions_;
  std::unordered_map<std::uint64_t, int> children_;  // of a region and a truth: the first of two
  std::vector<Frame> frames_;
  std::vector<ScheduleItem> items_;
  bool wants_moving_ = false;
};

}  // namespace

Schedule schedule_of(const Graph& graph, const std::vector<int>& outputs) {
  Scheduler scheduler(graph, outputs);
  Schedule schedule;
  schedule.held = scheduler.emit(false);
  schedule.moving = scheduler.emit(true);
  return schedule;
}

}  // namespace pawl::model
