#include "pawl/model/check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/schedule.hpp"

namespace pawl::model {

namespace {

constexpr int most_shown = 8;  // inputs in a message
constexpr int depth_shown = 6;

class CheckedRun {
 public:
  CheckedRun(const Graph& graph, const std::vector<int>& outputs,
             const std::function<double(Op kind, int index)>& input)
      : graph_(graph), values_(static_cast<std::size_t>(graph.size()), 0) {
    for (const int node : graph.order(outputs)) {
      const Node& n = graph[node];
      if (n.op == Op::constant) of(node) = graph.value_of(node);
      if (!is_input(n.op)) continue;
      of(node) = input(n.op, n.a);
      if (bad_ < 0 && !std::isfinite(of(node))) bad_ = node;
    }
  }

  void follow(const std::vector<ScheduleItem>& items) {
    using Kind = ScheduleItem::Kind;
    int skipped = 0;  // branches below one that is not taken
    std::vector<char> taken;
    for (const ScheduleItem& item : items) {
      if (bad_ >= 0) return;
      if (item.kind == Kind::branch) {
        if (skipped > 0)
          ++skipped;
        else if (taken.push_back(of(item.node) != 0 ? 1 : 0); taken.back() == 0)
          skipped = 1;
      } else if (item.kind == Kind::otherwise) {
        if (skipped <= 1) skipped = taken.back() != 0 ? 1 : 0;
      } else if (item.kind == Kind::join) {
        if (skipped <= 1) {
          taken.pop_back();
          skipped = 0;
        } else {
          --skipped;
        }
      } else if (skipped == 0) {
        compute(item);
      }
    }
  }

  std::optional<NotFinite> found() const {
    if (bad_ < 0) return std::nullopt;
    const Node& n = graph_[bad_];
    NotFinite result{bad_, of(bad_), graph_.place_of(bad_), graph_.text(bad_, depth_shown)};
    if (result.place.line > 0) result.text += fmt::format(" at {}:{}", result.place.file, result.place.line);
    std::vector<std::string> given;
    if (is_leaf(n.op))
      given.push_back(fmt::format("{} = {:g}", graph_.name_of(n), result.value));
    else
      list_inputs(bad_, depth_shown, given);
    if (!given.empty()) result.text += fmt::format(" with {}", fmt::join(given, ", "));
    return result;
  }

 private:
  double& of(int node) { return values_[static_cast<std::size_t>(node)]; }
  double of(int node) const { return values_[static_cast<std::size_t>(node)]; }

  void compute(const ScheduleItem& item) {
    if (item.kind == ScheduleItem::Kind::take) {
      of(item.node) = of(item.from);
      return;
    }
    const Node& n = graph_[item.node];
    const int operands = operand_count(n.op);
    of(item.node) = apply(n.op, of(n.a), operands > 1 ? of(n.b) : 0, operands > 2 ? of(n.c) : 0);
    if (!std::isfinite(of(item.node))) bad_ = item.node;
  }

  // The inputs that the text of a node shows, with their values.
  void list_inputs(int node, int depth, std::vector<std::string>& given) const {
    const Node& n = graph_[node];
    if (n.op == Op::constant || static_cast<int>(given.size()) >= most_shown) return;
    if (is_input(n.op)) {
      const std::string text = fmt::format("{} = {:g}", graph_.name_of(n), of(node));
      if (std::find(given.begin(), given.end(), text) == given.end()) given.push_back(text);
      return;
    }
    if (depth <= 0) return;
    for (int i = 0; i < operand_count(n.op); ++i) list_inputs(i == 0 ? n.a : i == 1 ? n.b : n.c, depth - 1, given);
  }

  const Graph& graph_;
  std::vector<double> values_;
  int bad_ = -1;
};

}  // namespace

std::optional<NotFinite> first_not_finite(const Graph& graph, const std::vector<int>& outputs,
                                          const std::function<double(Op kind, int index)>& input) {
  CheckedRun run(graph, outputs, input);
  const Schedule schedule = schedule_of(graph, outputs);
  run.follow(schedule.held);
  run.follow(schedule.moving);
  return run.found();
}

}  // namespace pawl::model
