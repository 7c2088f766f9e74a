// Equations may stand in any order: work is the same. Counted are colours, entries of factors, evaluations, steps and
// factorizations; times follow from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

/// A row of a flat model: Σ factor x (or x'), plus what its kind says.
struct Row {
  struct Term {
    State x;
    double factor;
    bool is_rate = false;
  };
  enum class Kind { linear, source, diode } kind = Kind::linear;
  std::vector<Term> terms;
  State across{0};  // of a diode
};

struct Flat {
  System system;
  std::vector<Row> rows;

  State unknown(const std::string& name) { return system.state(name, 0); }
  void add(std::vector<Row::Term> terms) { rows.push_back({Row::Kind::linear, std::move(terms)}); }
  /// Declares the rows in this order.
  System with_rows_in(const std::function<void(std::vector<Row>&)>& order) const {
    std::vector<Row> all = rows;
    order(all);
    System copy = system;
    copy.equations("row", static_cast<int>(all.size()), [all](const auto& at, auto& out) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        auto sum = 0 * at.t;
        for (const auto& [x, factor, is_rate] : all[k].terms) sum = sum + factor * (is_rate ? at[dot(x)] : at[x]);
        if (all[k].kind == Row::Kind::source) sum = sum - sin(at.t);
        if (all[k].kind == Row::Kind::diode) sum = sum - 1e-9 * (exp(at[all[k].across] / 0.026) - 1.0);
        out[k] = sum;
      }
    });
    return copy;
  }
};

/// An RC-diode ladder as a component language flattens it: pins with potentials and flows, 18 equations per section.
Flat ladder(int sections) {
  Flat flat{System("ladder"), {}};
  struct Pin {
    State v, i;
  };
  const auto pin = [&](const std::string& name) {
    const State v = flat.unknown(name + ".v");
    return Pin{v, flat.unknown(name + ".i")};
  };
  const Pin positive = pin("source.p"), negative = pin("source.n"), ground = pin("ground");
  flat.rows.push_back({Row::Kind::source, {{positive.v, 1}, {negative.v, -1}}});
  flat.add({{positive.i, 1}, {negative.i, 1}});
  flat.add({{ground.v, 1}});
  flat.add({{negative.v, 1}, {ground.v, -1}});
  std::vector<Row::Term> into_ground{{ground.i, 1}, {negative.i, 1}}, from_left{{positive.i, 1}};
  State left = positive.v;
  for (int k = 1; k <= sections; ++k) {
    struct Component {
      Pin p, n, across;
    };
    const auto component = [&](const std::string& part) {
      const std::string name = "section" + std::to_string(k) + part;
      const Component c{pin(name + ".p"), pin(name + ".n"), pin(name)};
      flat.add({{c.across.v, 1}, {c.p.v, -1}, {c.n.v, 1}});
      flat.add({{c.p.i, 1}, {c.n.i, 1}});
      flat.add({{c.across.i, 1}, {c.p.i, -1}});
      return c;
    };
    const Component r = component(".R"), c = component(".C"), d = component(".D");
    flat.add({{r.across.v, 1}, {r.across.i, -1}});
    flat.add({{c.across.i, 1}, {c.across.v, -1, true}});
    flat.rows.push_back({Row::Kind::diode, {{d.across.i, 1}}, d.across.v});
    flat.add({{r.p.v, 1}, {left, -1}});
    from_left.push_back({r.p.i, 1});
    flat.add(from_left);
    for (const Component* one : {&c, &d}) {
      flat.add({{one->p.v, 1}, {r.n.v, -1}});
      flat.add({{one->n.v, 1}, {ground.v, -1}});
      into_ground.push_back({one->n.i, 1});
    }
    left = r.n.v;
    from_left = {{r.n.i, 1}, {c.p.i, 1}, {d.p.i, 1}};
  }
  flat.add(from_left);
  flat.add(into_ground);
  return flat;
}

/// Heat in a plate: temperatures of cells, flows between them as unknowns of their own, and one cell that is heated as
/// it takes to follow a sine; that flow is of index 2.
Flat plate(int side) {
  Flat flat{System("plate"), {}};
  std::vector<State> cells;
  for (int k = 0; k < side * side; ++k) cells.push_back(flat.unknown("T" + std::to_string(k)));
  std::vector<std::vector<Row::Term>> balance;
  for (const State cell : cells) balance.push_back({{cell, 1, true}});
  const auto flow = [&](int from, int to) {
    const State q = flat.unknown("q" + std::to_string(from) + "-" + std::to_string(to));
    flat.add({{q, 1}, {cells[static_cast<std::size_t>(from)], -1}, {cells[static_cast<std::size_t>(to)], 1}});
    balance[static_cast<std::size_t>(from)].push_back({q, 1});
    balance[static_cast<std::size_t>(to)].push_back({q, -1});
  };
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (j + 1 < side) flow(i * side + j, i * side + j + 1);
      if (i + 1 < side) flow(i * side + j, (i + 1) * side + j);
    }
  }
  balance[0].push_back({flat.unknown("heating"), -1});
  flat.rows.push_back({Row::Kind::source, {{cells[0], 1}}});
  for (std::vector<Row::Term>& one : balance) flat.add(std::move(one));
  return flat;
}

struct Work {
  std::string solver, jacobian;
  long long rhs, duals, factorizations, solves, steps;
  bool operator==(const Work&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Work& work) {
  return out << work.solver << "; " << work.jacobian << "; rhs " << work.rhs << ", with duals " << work.duals
             << ", factorizations " << work.factorizations << ", solves " << work.solves << ", steps " << work.steps;
}

Work work_of(const System& system, const std::string& method) {
  const Result run = simulate(system, {.end = 1, .tolerance = 1e-6, .method = method});
  EXPECT_TRUE(run.finished()) << run.reason;
  const ImplicitStatistics& all = *run.statistics.implicit;
  return {all.linear_solver,  all.jacobian, run.statistics.rhs,           all.dual_rhs,
          all.factorizations, all.solves,   run.statistics.steps_accepted};
}

void expect_same_work(const Flat& flat, const std::vector<std::string>& methods) {
  for (const std::string& method : methods) {
    const Work expected = work_of(flat.with_rows_in([](auto&) {}), method);
    EXPECT_EQ(work_of(flat.with_rows_in([](auto& rows) { std::reverse(rows.begin(), rows.end()); }), method), expected);
    for (const unsigned seed : {1U, 2U, 3U}) {
      const auto shuffled = [seed](auto& rows) { std::shuffle(rows.begin(), rows.end(), std::mt19937(seed)); };
      EXPECT_EQ(work_of(flat.with_rows_in(shuffled), method), expected) << method << ", seed " << seed;
    }
  }
}

TEST(RowOrder, OfALadderOf2166EquationsCostsNothing) {
  const Flat flat = ladder(120);
  ASSERT_EQ(flat.rows.size(), 2166U);
  ASSERT_EQ(flat.system.size(), 2166);
  expect_same_work(flat, {"auto", "bdf", "rodas5p"});
}

TEST(RowOrder, OfAPlateWithAFlowOfIndex2CostsNothing) {
  const Flat flat = plate(16);
  ASSERT_EQ(static_cast<int>(flat.rows.size()), flat.system.size());
  expect_same_work(flat, {"auto", "esdirk-5"});
}

// Without rows at the places of unknowns, the factors of this ladder had 100 000 to 160 000 entries. A tree of blocks
// has no fill: each of its 18 unknowns per section is solved for from the two or three that its row contains.
TEST(RowOrder, FactorsOfALadderHaveFewMoreEntriesThanTheLadder) {
  const Work work = work_of(ladder(50).with_rows_in([](auto&) {}), "auto");
  const auto number_before = [&](const std::string& what) {
    const std::size_t end = work.solver.find(what);
    return std::stol(work.solver.substr(work.solver.rfind(' ', end - 2) + 1));
  };
  EXPECT_LE(number_before(" in factors"), 2 * number_before(" entries")) << work;
}

}  // namespace
}  // namespace pawl
