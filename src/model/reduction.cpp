#include "model/reduction.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "model/aliases.hpp"
#include "model/copy.hpp"
#include "model/incidence.hpp"
#include "model/mismatch.hpp"
#include "model/solve.hpp"
#include "numerics/index.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

namespace {

constexpr std::size_t largest_torn = 64;  // rows of a block; beyond, the sparse solver of the engine is the better one
constexpr int most_rounds = 64;           // of eliminated constraints: the highest index there may be

class Reducer {
 public:
  explicit Reducer(const FlatEquations& flat) : flat_(flat), solver_(work_, flat.parameters), walk_(work_) {}

  Reduced reduce() {
    take_over();
    remove_aliases();
    for (int round = 0; round < most_rounds; ++round) {
      analyze();
      if (round == 0) out_.index = index();
      if (!remove_constraints()) break;
    }
    arrange();
    finish();
    return std::move(out_);
  }

 private:
  // ---- The rows in a graph of our own, with derivatives of first order alone. ----
  void take_over() {
    std::vector<int> highest(at(flat_.unknowns), 0);
    std::vector<int> all = flat_.rows;
    all.insert(all.end(), flat_.extras.begin(), flat_.extras.end());
    for (const int node : flat_.graph->order(all)) {
      const Node& n = (*flat_.graph)[node];
      if (n.op == Op::rate) highest[at(n.a)] = std::max(highest[at(n.a)], n.b);
    }
    rank_ = flat_.rank;
    // der(x, k) is the rate of an unknown of its own from the second on.
    std::vector<int> first_derivative(at(flat_.unknowns), -1);
    int next = flat_.unknowns;
    for (int i = 0; i < flat_.unknowns; ++i) {
      if (highest[at(i)] < 2) continue;
      first_derivative[at(i)] = next;
      for (int k = 1; k < highest[at(i)]; ++k, ++next) {
        out_.derivative_of.push_back(k == 1 ? i : next - 1);
        rank_.push_back(flat_.rank[at(i)]);
      }
    }
    unknowns_ = next;
    Copy copy(*flat_.graph, work_, [&](int, const Node& n) {
      if (n.op != Op::rate || n.b == 1) {
        if (n.op == Op::rate && first_derivative[at(n.a)] >= 0)
          return work_.input(Op::state, first_derivative[at(n.a)]);
        return work_.input(n.op, n.a);
      }
      return work_.input(Op::rate, first_derivative[at(n.a)] + n.b - 2);
    });
    for (const int row : flat_.rows) rows_.push_back(copy(row));
    for (const int node : flat_.extras) extras_.push_back(copy(node));
    for (int i = 0; i < static_cast<int>(out_.derivative_of.size()); ++i) {
      const int x = out_.derivative_of[at(i)], v = flat_.unknowns + i;
      rows_.push_back(work_.binary(Op::sub, work_.input(Op::rate, x), work_.input(Op::state, v)));
    }
    is_left_.assign(rows_.size(), 1);
    definition_.assign(at(unknowns_), -1);
  }

  // ---- Aliases ----
  void remove_aliases() {
    std::vector<char> has_rate(at(unknowns_), 0);
    for (const int node : work_.order(rows_))
      if (work_[node].op == Op::rate) has_rate[at(work_[node].a)] = 1;
    Aliases aliases(work_, rows_, rank_, std::move(has_rate));
    out_.aliases = aliases.count();
    if (aliases.count() == 0) return;
    std::vector<int> rate(at(unknowns_), -1);
    for (int i = 0; i < unknowns_; ++i) {
      const Aliases::Standing standing = aliases.of(i);
      if (standing.held < 0 && standing.unknown == i) continue;
      if (standing.held >= 0) {
        definition_[at(i)] = standing.held;
        rate[at(i)] = work_.constant(0);
      } else {
        const int value = work_.input(Op::state, standing.unknown), slope = work_.input(Op::rate, standing.unknown);
        definition_[at(i)] = standing.sign > 0 ? value : work_.unary(Op::neg, value);
        rate[at(i)] = standing.sign > 0 ? slope : work_.unary(Op::neg, slope);
      }
      removed_.push_back(i);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) is_left_[i] = aliases.is_used(static_cast<int>(i)) ? 0 : 1;
    substitute(definition_, rate);
  }

  // Puts values in the place of unknowns, wherever value[u] is a node.
  void substitute(const std::vector<int>& value, const std::vector<int>& rate) {
    Copy copy(work_, work_, [&](int number, const Node& n) {
      if (n.op == Op::state && value[at(n.a)] >= 0) return value[at(n.a)];
      if (n.op == Op::rate && value[at(n.a)] >= 0) return rate[at(n.a)];
      return number;
    });
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (is_left_[i] != 0) rows_[i] = copy(rows_[i]);
    for (int& node : extras_) node = copy(node);
  }

  // ---- Structure of what is left ----
  void analyze() {
    column_of_.assign(at(unknowns_), -1);
    unknown_of_.clear();
    row_of_.clear();
    for (int i = 0; i < unknowns_; ++i) {
      if (definition_[at(i)] >= 0) continue;
      column_of_[at(i)] = static_cast<int>(unknown_of_.size());
      unknown_of_.push_back(i);
    }
    sigma_ = Signature();
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      if (is_left_[at(i)] == 0) continue;
      row_of_.push_back(i);
      add_reads(walk_, work_, rows_[at(i)], column_of_, sigma_);
    }
    const int columns = static_cast<int>(unknown_of_.size());
    assignment_ = std::make_unique<Assignment>(sigma_, columns);
    if (sigma_.size() != columns || !assignment_->is_complete()) refuse();
    find_offsets(sigma_, *assignment_, c_, d_);
  }
  int index() const {
    const int most = c_.empty() ? 0 : *std::max_element(c_.begin(), c_.end());
    return most + (std::find(d_.begin(), d_.end(), 0) != d_.end() ? 1 : 0);
  }

  // ---- Constraints that can be solved for an unknown ----
  bool remove_constraints() {
    std::vector<int> value(at(unknowns_), -1);
    std::vector<char> is_read(at(unknowns_), 0);
    std::vector<int> pivots, values;
    for (int row = 0; row < sigma_.size(); ++row) {
      if (c_[at(row)] == 0) continue;
      const auto entries = sigma_.row(row);
      const bool is_apart = std::none_of(entries.begin(), entries.end(), [&](const Signature::Entry& entry) {
        return entry.order > 0 || value[at(unknown_of_[at(entry.column)])] >= 0;
      });
      if (!is_apart || !may_be_differentiated(rows_[at(row_of_[at(row)])])) continue;
      const auto [unknown, node] = pivot_of(row, is_read);
      if (unknown < 0) continue;
      for (const auto& entry : entries) is_read[at(unknown_of_[at(entry.column)])] = 1;
      value[at(unknown)] = node;
      pivots.push_back(unknown);
      values.push_back(node);
      is_left_[at(row_of_[at(row)])] = 0;
    }
    if (pivots.empty()) return false;
    const std::vector<int> slopes = work_.differentiated(values);
    std::vector<int> rate(at(unknowns_), -1);
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      rate[at(pivots[k])] = slopes[k];
      definition_[at(pivots[k])] = values[k];
      removed_.push_back(pivots[k]);
    }
    out_.constraints += static_cast<int>(pivots.size());
    substitute(value, rate);
    return true;
  }

  // Rates of relays and inputs are not known. What a discrete variable changes at an event is not continuous there,
  // while an unknown with a rate is: then it is for the engine to say what jumps.
  bool may_be_differentiated(int row) {
    bool may_be = true;
    walk_.over(row, [&](int node) {
      const Op op = work_[node].op;
      may_be = may_be && op != Op::relay && op != Op::input && !is_discrete(op);
    });
    return may_be;
  }

  // The unknown that this constraint is solved for, and its value: -1 where there is none that may go. is_read:
  // unknowns that values found before read.
  std::pair<int, int> pivot_of(int row, const std::vector<char>& is_read) {
    const int node = rows_[at(row_of_[at(row)])];
    std::pair<int, int> best{-1, -1};
    bool is_linear = true, best_is_literal = false;
    std::vector<std::pair<int, LinearPart>> parts;
    for (const auto& entry : sigma_.row(row)) {
      const int unknown = unknown_of_[at(entry.column)];
      const auto part = solver_.split(node, work_.input(Op::state, unknown));
      const Pivot pivot = part ? solver_.judge(part->factor) : Pivot::none;
      is_linear = is_linear && part && !work_.is_moving(part->factor);
      if ((pivot == Pivot::literal || pivot == Pivot::held) && is_read[at(unknown)] == 0)
        parts.emplace_back(unknown, *part);
    }
    for (const auto& [unknown, part] : parts) {
      if (rank_[at(unknown)] > 0 && !is_linear) continue;  // a wanted state stays, on a manifold
      const bool is_literal = work_.is_constant(part.factor);
      const bool is_better = best.first < 0 || rank_[at(unknown)] < rank_[at(best.first)] ||
                             (rank_[at(unknown)] == rank_[at(best.first)] && (is_literal || !best_is_literal));
      if (!is_better) continue;
      best = {unknown, -1};
      best_is_literal = is_literal;
    }
    for (const auto& [unknown, part] : parts)
      if (unknown == best.first) best.second = solver_.solved(part);
    return best;
  }

  // ---- Blocks: assignments, rates, and what is left to the engine ----
  void arrange() {
    value_.assign(at(unknowns_), -1);
    rate_.assign(at(unknowns_), -1);
    is_kept_.assign(at(unknowns_), 0);
    for (std::size_t column = 0; column < unknown_of_.size(); ++column)
      if (d_[column] > 0) keep(unknown_of_[column]);
    // Constraints and what defines rates of them: states alone.
    for (int row = 0; row < sigma_.size(); ++row)
      if (c_[at(row)] > 0) take_rate(row, false);
    const Blocks blocks = blocks_of(sigma_, *assignment_, [&](int row, const Signature::Entry& entry) {
      return entry.order == d_[at(entry.column)] - c_[at(row)];
    });
    for (int k = 0; k < blocks.size(); ++k) arrange_block(blocks[k]);
  }

  void keep(int unknown) { is_kept_[at(unknown)] = 1; }

  void arrange_block(std::span<const int> rows) {
    if (rows.size() == 1 && c_[at(rows[0])] == 0) {
      const int unknown = unknown_of_[at(assignment_->of_row[at(rows[0])])];
      if (d_[at(column_of_[at(unknown)])] > 0)
        take_rate(rows[0], true);
      else if (!assign(rows[0], unknown, Pivot::moving))
        leave(unknown);
      return;
    }
    tear(rows);
    for (const int row : rows)
      if (c_[at(row)] == 0) take_rate(row, false);
  }

  void leave(int unknown) {
    keep(unknown);
    ++out_.torn;
  }

  // Whether a row reads a rate for which there is no expression.
  bool reads_open_rate(int row, int but = -1) const {
    for (const auto& [column, order] : sigma_.row(row)) {
      const int unknown = unknown_of_[at(column)];
      if (order > 0 && unknown != but && !has_rate(unknown)) return true;
    }
    return false;
  }
  bool has_rate(int unknown) const { return rate_[at(unknown)] >= 0; }
  bool is_known(int unknown) const { return value_[at(unknown)] >= 0 || is_kept_[at(unknown)] != 0; }

  // The row as an assignment to an algebraic unknown.
  bool assign(int row, int unknown, Pivot least) {
    if (reads_open_rate(row)) return false;
    const auto part = solver_.split(rows_[at(row_of_[at(row)])], work_.input(Op::state, unknown));
    if (!part) return false;
    const Pivot pivot = solver_.judge(part->factor);
    if (pivot == Pivot::none || pivot < least) return false;
    value_[at(unknown)] = solver_.solved(*part);
    found_.push_back({false, unknown});
    is_left_[at(row_of_[at(row)])] = 0;
    ++out_.solved;
    return true;
  }

  // The row as the rate of a state.
  void take_rate(int row, bool is_alone) {
    const int number = row_of_[at(row)];
    if (is_left_[at(number)] == 0) return;
    int unknown = -1;
    for (const auto& [column, order] : sigma_.row(row)) {
      const int one = unknown_of_[at(column)];
      if (order == 0 || has_rate(one)) continue;
      if (unknown >= 0) return;
      unknown = one;
    }
    if (unknown < 0) return;
    const auto part = solver_.split(rows_[at(number)], work_.input(Op::rate, unknown));
    if (!part) return;
    const Pivot pivot = solver_.judge(part->factor);
    if (pivot == Pivot::none || (pivot == Pivot::moving && !is_alone)) return;
    rate_[at(unknown)] = solver_.solved(*part);
    found_.push_back({true, unknown});
    is_left_[at(number)] = 0;
  }

  // Algebraic unknowns of a block, one after the other, as far as rows allow; the others are left to the engine.
  void tear(std::span<const int> rows) {
    std::vector<int> usable, unknowns;
    for (const int row : rows) {
      if (c_[at(row)] > 0) continue;
      if (!reads_open_rate(row)) usable.push_back(row);
      const int unknown = unknown_of_[at(assignment_->of_row[at(row)])];
      if (d_[at(column_of_[at(unknown)])] == 0) unknowns.push_back(unknown);
    }
    if (rows.size() > largest_torn) usable.clear();
    std::vector<std::pair<int, int>> by_use;  // how many rows read an unknown, most first
    for (const int unknown : unknowns) {
      int uses = 0;
      for (const int row : usable) uses += reads(row, unknown) ? 1 : 0;
      by_use.emplace_back(-uses, unknown);
    }
    std::sort(by_use.begin(), by_use.end());
    for (const auto& [uses, unknown] : by_use) {
      while (solve_one(usable)) {
      }
      if (!is_known(unknown)) leave(unknown);
    }
  }
  bool reads(int row, int unknown) const {
    const auto entries = sigma_.row(row);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Signature::Entry& entry) { return unknown_of_[at(entry.column)] == unknown; });
  }
  bool solve_one(const std::vector<int>& usable) {
    for (const int row : usable) {
      if (is_left_[at(row_of_[at(row)])] == 0) continue;
      int open = -1, count = 0;
      for (const auto& [column, order] : sigma_.row(row)) {
        const int unknown = unknown_of_[at(column)];
        if (order > 0 || is_known(unknown)) continue;
        open = unknown;
        ++count;
      }
      if (count == 1 && assign(row, open, Pivot::held)) return true;
    }
    return false;
  }

  // ---- The graph of the System ----
  void finish() {
    for (int i = 0; i < unknowns_; ++i)
      if (rate_[at(i)] >= 0) out_.kept.push_back(i);
    const std::size_t with_rates = out_.kept.size();
    for (int i = 0; i < unknowns_; ++i)
      if (is_kept_[at(i)] != 0 && rate_[at(i)] < 0) out_.kept.push_back(i);
    std::vector<int> place(at(unknowns_), -1);
    for (std::size_t k = 0; k < out_.kept.size(); ++k) place[at(out_.kept[k])] = static_cast<int>(k);

    Graph& graph = out_.graph;
    out_.value.assign(at(unknowns_), -1);
    std::vector<int> rates(at(unknowns_), -1);
    for (const int unknown : out_.kept) out_.value[at(unknown)] = graph.input(Op::state, place[at(unknown)]);
    // What is copied has to have its values by then: they come in the order in which they were found.
    Copy copy(work_, graph, [&](int, const Node& n) {
      if (n.op == Op::state) return out_.value[at(n.a)];
      if (n.op != Op::rate) return graph.input(n.op, n.a);
      if (rates[at(n.a)] >= 0) return rates[at(n.a)];
      if (place[at(n.a)] >= 0) return graph.input(Op::rate, place[at(n.a)]);
      return graph.differentiated({out_.value[at(n.a)]}, out_.rates).front();
    });
    for (const auto& [is_rate, unknown] : found_)
      (is_rate ? rates : out_.value)[at(unknown)] = copy((is_rate ? rate_ : value_)[at(unknown)]);
    for (std::size_t k = 0; k < with_rates; ++k) out_.rates.push_back(rates[at(out_.kept[k])]);
    for (std::size_t i = removed_.size(); i-- > 0;) out_.value[at(removed_[i])] = copy(definition_[at(removed_[i])]);
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      if (is_left_[at(i)] == 0) continue;
      out_.equations.push_back(copy(rows_[at(i)]));
      out_.equation_rows.push_back(i);
    }
    order_equations(place);
    for (const int node : extras_) out_.extras.push_back(copy(node));
  }

  // Each row beside the unknown it is for: then the diagonal means something.
  void order_equations(const std::vector<int>& place) {
    std::vector<std::pair<int, std::size_t>> order;
    std::vector<int> place_of_row(rows_.size(), -1);
    for (int row = 0; row < sigma_.size(); ++row)
      place_of_row[at(row_of_[at(row)])] = place[at(unknown_of_[at(assignment_->of_row[at(row)])])];
    for (std::size_t k = 0; k < out_.equations.size(); ++k)
      order.emplace_back(place_of_row[at(out_.equation_rows[k])], k);
    std::stable_sort(order.begin(), order.end());
    std::vector<int> equations, rows;
    for (const auto& [unused, k] : order) {
      equations.push_back(out_.equations[k]);
      rows.push_back(out_.equation_rows[k]);
    }
    out_.equations = std::move(equations);
    out_.equation_rows = std::move(rows);
  }

  // ---- Messages ----
  std::string name_of_row(int row) const {
    if (row < static_cast<int>(flat_.rows.size())) return flat_.row_name(row);
    return fmt::format("the definition of {}",
                       name_of_unknown(flat_.unknowns + row - static_cast<int>(flat_.rows.size())));
  }
  std::string name_of_unknown(int unknown) const {
    if (unknown < flat_.unknowns) return flat_.unknown_name(unknown);
    return fmt::format("der({})", name_of_unknown(out_.derivative_of[at(unknown - flat_.unknowns)]));
  }
  [[noreturn]] void refuse() const {
    // As it was written, if that shows what is wrong; else as it is without aliases and what was solved.
    Signature flat;
    std::vector<int> all(at(flat_.unknowns));
    std::iota(all.begin(), all.end(), 0);
    Walk walk(*flat_.graph);
    for (const int row : flat_.rows) add_reads(walk, *flat_.graph, row, all, flat);
    std::vector<Mismatch> too_many, too_few;
    find_mismatches(flat, Assignment(flat, flat_.unknowns), too_many, too_few);
    if (too_many.empty() && too_few.empty()) {
      find_mismatches(sigma_, *assignment_, too_many, too_few);
      for (std::vector<Mismatch>* parts : {&too_many, &too_few}) {
        for (Mismatch& part : *parts) {
          for (int& row : part.rows) row = row_of_[at(row)];
          for (int& unknown : part.unknowns) unknown = unknown_of_[at(unknown)];
        }
      }
    }
    throw Misuse(explain_mismatch(
        {flat_.name, static_cast<int>(flat_.rows.size()), flat_.unknowns, [this](int row) { return name_of_row(row); },
         [this](int unknown) { return name_of_unknown(unknown); }},
        too_many, too_few));
  }

  const FlatEquations& flat_;
  Graph work_;
  RowSolver solver_;
  Walk walk_;
  int unknowns_ = 0;
  std::vector<int> rank_, rows_, extras_;
  std::vector<char> is_left_;    // rows that are not used up
  std::vector<int> definition_;  // of unknowns that aliases and constraints have removed
  std::vector<int> removed_;     // in this order
  std::vector<int> column_of_, unknown_of_, row_of_;
  Signature sigma_;
  std::unique_ptr<Assignment> assignment_;
  std::vector<int> c_, d_;
  std::vector<int> value_, rate_;  // as blocks have found them
  struct Found {
    bool is_rate;
    int unknown;
  };
  std::vector<Found> found_;  // in this order
  std::vector<char> is_kept_;
  Reduced out_;
};

}  // namespace

Reduced reduce(const FlatEquations& flat) {
  return Reducer(flat).reduce();
}

}  // namespace pawl::model
