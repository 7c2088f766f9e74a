#include "pawl/model/structure.hpp"

#include <algorithm>
#include <numeric>

#include "model/incidence.hpp"
#include "model/mismatch.hpp"
#include "numerics/index.hpp"

namespace pawl::model {

namespace {

std::vector<int> all_of(int count) {
  std::vector<int> numbers(at(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

double Walk::value_of(int node, const std::function<double(Op, int)>& held) const {
  const Node& n = graph_[node];
  if (n.op == Op::constant) return graph_.value_of(node);
  if (is_input(n.op)) return held(n.op, n.a);
  if (n.op == Op::choose) return value_of(value_of(n.a, held) != 0 ? n.b : n.c, held);
  const int count = operand_count(n.op);
  return apply(n.op, value_of(n.a, held), count > 1 ? value_of(n.b, held) : 0, count > 2 ? value_of(n.c, held) : 0);
}

void add_reads(Walk& walk, const Graph& graph, int row, const std::vector<int>& column_of, Signature& sigma,
               const std::function<double(Op, int)>* held) {
  const auto begin = static_cast<std::ptrdiff_t>(sigma.entries.size());
  walk.over(
      row,
      [&](int node) {
        const Node& n = graph[node];
        if (n.op != Op::state && n.op != Op::rate) return;
        const int column = n.a < static_cast<int>(column_of.size()) ? column_of[at(n.a)] : -1;
        if (column >= 0) sigma.entries.push_back({column, n.op == Op::rate ? n.b : 0});
      },
      held);
  // By columns, the highest order of each.
  const auto first = sigma.entries.begin() + begin;
  std::sort(first, sigma.entries.end(), [](const Signature::Entry& a, const Signature::Entry& b) {
    return a.column != b.column ? a.column < b.column : a.order > b.order;
  });
  sigma.entries.erase(
      std::unique(first, sigma.entries.end(),
                  [](const Signature::Entry& a, const Signature::Entry& b) { return a.column == b.column; }),
      sigma.entries.end());
  sigma.end_row();
}

std::vector<std::vector<Read>> incidence(const Graph& graph, const std::vector<int>& rows,
                                         const std::function<double(Op kind, int index)>& held) {
  int last = -1;
  for (const int node : graph.order(rows))
    if (graph[node].op == Op::state || graph[node].op == Op::rate) last = std::max(last, graph[node].a);
  const std::vector<int> columns = all_of(last + 1);
  Walk walk(graph);
  Signature sigma;
  std::vector<std::vector<Read>> result;
  for (const int row : rows) {
    add_reads(walk, graph, row, columns, sigma, held ? &held : nullptr);
    result.emplace_back();
    for (const auto& [column, order] : sigma.row(sigma.size() - 1)) result.back().push_back({column, order});
  }
  return result;
}

Structure structure_of(const Graph& graph, const std::vector<int>& rows, int unknowns) {
  Structure found;
  Walk walk(graph);
  Signature sigma;
  const std::vector<int> columns = all_of(unknowns);
  for (const int row : rows) add_reads(walk, graph, row, columns, sigma);
  const Assignment assignment(sigma, unknowns);
  found.assigned = assignment.of_row;
  find_mismatches(sigma, assignment, found.too_many, found.too_few);
  if (!found.is_complete()) return found;
  find_offsets(sigma, assignment, found.c, found.d);
  const bool has_algebraic = std::find(found.d.begin(), found.d.end(), 0) != found.d.end();
  found.index = (found.c.empty() ? 0 : *std::max_element(found.c.begin(), found.c.end())) + (has_algebraic ? 1 : 0);
  found.degrees_of_freedom =
      std::accumulate(found.d.begin(), found.d.end(), 0) - std::accumulate(found.c.begin(), found.c.end(), 0);
  const Blocks blocks = blocks_of(sigma, assignment, [&](int row, const Signature::Entry& entry) {
    return entry.order == found.d[at(entry.column)] - found.c[at(row)];
  });
  for (int k = 0; k < blocks.size(); ++k) found.blocks.emplace_back(blocks[k].begin(), blocks[k].end());
  return found;
}

std::vector<int> derivatives_along_motion(Graph& graph, int row, int order) {
  std::vector<int> nodes{row};
  for (int k = 0; k < order; ++k) nodes.push_back(graph.differentiated({nodes.back()}).front());
  return nodes;
}

}  // namespace pawl::model
