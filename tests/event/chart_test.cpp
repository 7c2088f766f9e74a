// Charts alone: random polynomials against their number of roots by Sturm's theorem, in exact arithmetic; and what a
// reader makes of every sequence of labels.
#include <cstdint>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "event/sign_chart.hpp"
#include "formulate/declared_held.hpp"

namespace pawl::event {
namespace {

__extension__ using Whole = __int128;
using Polynomial = std::vector<Whole>;  // c_0 + c_1 x + ...

void trim(Polynomial& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

Whole gcd(Whole a, Whole b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

/// Divides out the common factor of the coefficients, which is positive: signs stay.
void reduce(Polynomial& p) {
  Whole common = 0;
  for (const Whole c : p) common = gcd(common, c);
  if (common > 1)
    for (Whole& c : p) c /= common;
}

/// Thrown where a number is too large for exact arithmetic.
struct TooLarge {};
Whole exact(bool has_overflowed, const Whole& value) {
  if (has_overflowed) throw TooLarge();
  return value;
}

/// A positive multiple of minus the remainder of a over b: the next member of Sturm's chain.
Polynomial minus_remainder(Polynomial a, const Polynomial& b) {
  while (a.size() >= b.size() && !a.empty()) {
    const Whole common = gcd(a.back(), b.back());
    const Whole lead = (b.back() < 0 ? -b.back() : b.back()) / common,
                factor = (b.back() < 0 ? -a.back() : a.back()) / common;
    const std::size_t shift = a.size() - b.size();
    for (Whole& c : a) c = exact(__builtin_mul_overflow(c, lead, &c), c);
    for (std::size_t i = 0; i < b.size(); ++i) {
      Whole part = 0;
      part = exact(__builtin_mul_overflow(factor, b[i], &part), part);
      a[i + shift] = exact(__builtin_sub_overflow(a[i + shift], part, &a[i + shift]), a[i + shift]);
    }
    trim(a);
    reduce(a);
  }
  for (Whole& c : a) c = -c;
  return a;
}

int sign_at(const Polynomial& p, int x) {
  Whole sum = 0;
  for (std::size_t i = p.size(); i-- > 0;) sum = sum * x + p[i];
  return sum > 0 ? 1 : sum < 0 ? -1 : 0;
}

/// Distinct roots in (0, 1], of which the ends of the tests are none.
int sturm_count(const Polynomial& p) {
  std::vector<Polynomial> chain{p, {}};
  for (std::size_t i = 1; i < p.size(); ++i) chain[1].push_back(static_cast<Whole>(i) * p[i]);
  trim(chain[1]);
  while (!chain.back().empty()) chain.push_back(minus_remainder(chain[chain.size() - 2], chain.back()));
  chain.pop_back();
  const auto changes = [&](int x) {
    int count = 0, last = 0;
    for (const Polynomial& one : chain) {
      const int sign = sign_at(one, x);
      if (sign != 0 && last != 0 && sign != last) ++count;
      if (sign != 0) last = sign;
    }
    return count;
  };
  return changes(0) - changes(1);
}

/// One state, which is the guard, and charts of it.
class Charted {
 public:
  Charted() : system_("chart") {
    const State x = system_.state("x", 0);
    system_.rates([=](const auto&, auto& d) { d[x] = 0; });
    system_.guard("x", [=](const auto& at) { return at[x]; });
    held_ = formulate::declared_held(system_.declarations());
    dynamics_.emplace(system_.share());
    sliding_.emplace(*dynamics_, held_, 1);
    guards_.emplace(*dynamics_, held_, *sliding_, 1);
    guards_->refresh();
    chart_.emplace(*guards_, 1);
  }

  struct Roots {
    int crossings = 0, touches = 0;
    bool is_whole = true;  // every chart reached its end
  };
  Roots roots(const Polynomial& p) {
    Step step(1);
    step.t1 = step.h = step.span = 1;
    double* c = step.make_polynomial(static_cast<int>(p.size()) - 1);
    double end = 0;
    for (std::size_t i = 0; i < p.size(); ++i) end += c[i] = static_cast<double>(p[i]);
    step.start()[0] = c[0];
    step.end()[0] = end;
    chart_->read(step);
    Roots found;
    int side = p[0] > 0 ? 1 : -1;
    for (double from = 0; from < 1;) {
      ChartReader reader(side, false, Direction::either, true);
      found.is_whole = chart_->cover(0, from, 1, reader) && found.is_whole;
      if (!reader.event()) break;
      ++(reader.event()->is_touch() ? found.touches : found.crossings);
      side = reader.event()->after;
      from = reader.event()->right;
    }
    return found;
  }

 private:
  System system_;
  Held held_;
  std::optional<detail::Dynamics> dynamics_;
  std::optional<Sliding> sliding_;
  std::optional<GuardSet> guards_;
  std::optional<GenericChart> chart_;
};

TEST(GenericChart, FindsAsManyRootsAsSturmCounts) {
  std::mt19937 random(20261116);
  std::uniform_int_distribution<int> coefficient(-20, 20), degree(1, 6);
  Charted charted;
  int with_several = 0, tried = 0, not_counted = 0;
  while (tried < 20000) {
    Polynomial p(static_cast<std::size_t>(degree(random)) + 1);
    for (Whole& c : p) c = coefficient(random);
    trim(p);
    if (p.size() < 2 || sign_at(p, 0) == 0 || sign_at(p, 1) == 0) continue;
    ++tried;
    const Charted::Roots found = charted.roots(p);
    int exact = 0;
    try {
      exact = sturm_count(p);
    } catch (const TooLarge&) {
      ++not_counted;
      continue;
    }
    EXPECT_TRUE(found.is_whole);
    EXPECT_EQ(found.crossings + found.touches, exact) << "polynomial " << tried;
    EXPECT_EQ(found.crossings % 2, sign_at(p, 0) == sign_at(p, 1) ? 0 : 1) << "polynomial " << tried;
    if (exact > 1) ++with_several;
  }
  EXPECT_LT(not_counted, 1000);
  EXPECT_GT(with_several, 200);  // the sweep is not a sweep of lines
}

// Products of (q x - p) with roots p/q in (0, 1): known without Sturm, which is thereby tested too; doubled factors
// touch.
TEST(GenericChart, TellsTouchesFromCrossings) {
  std::mt19937 random(13);
  std::uniform_int_distribution<int> denominator(2, 9), count(1, 3), twice(0, 3);
  Charted charted;
  for (int tried = 0; tried < 500; ++tried) {
    Polynomial p{1};
    std::vector<std::pair<int, int>> roots;
    int crossings = 0, touches = 0;
    const int factors = count(random);
    while (static_cast<int>(roots.size()) < factors) {
      const int q = denominator(random), r = std::uniform_int_distribution<int>(1, q - 1)(random);
      bool is_new = true;
      for (const auto& [a, b] : roots) is_new = is_new && a * q != b * r;
      if (!is_new) continue;
      roots.emplace_back(r, q);
      const bool is_double = twice(random) == 0;
      ++(is_double ? touches : crossings);
      for (int power = 0; power < (is_double ? 2 : 1); ++power) {
        Polynomial next(p.size() + 1, 0);
        for (std::size_t i = 0; i < p.size(); ++i) {
          next[i] -= r * p[i];
          next[i + 1] += q * p[i];
        }
        p = next;
      }
    }
    EXPECT_EQ(sturm_count(p), crossings + touches);
    const Charted::Roots found = charted.roots(p);
    EXPECT_EQ(found.crossings, crossings) << "polynomial " << tried;
    // A double root whose place is no double leaves zero by less than rounding, or not at all: it may be seen or not,
    // but never as two crossings.
    EXPECT_LE(found.touches, touches) << "polynomial " << tried;
  }
}

struct Row {
  const char* labels;
  int armed;
  bool starts_at_zero;
  Direction direction;
  bool fires_on_touch, fires;
  int touches;  // that do not fire
};

TEST(ChartReader, ReadsEveryRowOfItsTable) {
  const Row rows[] = {
      {"+0-", 1, false, Direction::either, false, true, 0},   {"-0+", -1, false, Direction::either, false, true, 0},
      {"+0-", 1, false, Direction::falling, false, true, 0},  {"+0-", 1, false, Direction::rising, false, false, 0},
      {"-0+", -1, false, Direction::rising, false, true, 0},  {"-0+", -1, false, Direction::falling, false, false, 0},
      {"+0+", 1, false, Direction::either, false, false, 1},  {"-0-", -1, false, Direction::either, false, false, 1},
      {"+0+", 1, false, Direction::either, true, true, 0},    {"0+", 1, true, Direction::either, false, false, 0},
      {"0-", -1, true, Direction::either, false, false, 0},   {"000", 1, true, Direction::either, false, false, 0},
      {"+++", 1, false, Direction::either, false, false, 0},  {"---", -1, false, Direction::either, false, false, 0},
      {"+0-0+", 1, false, Direction::rising, false, true, 0}, {"+0+0-", 1, false, Direction::either, false, true, 1},
  };
  for (const Row& row : rows) {
    ChartReader reader(row.armed, row.starts_at_zero, row.direction, row.fires_on_touch);
    const std::string labels = row.labels;
    double from = 0;
    for (const char label : labels) {
      const int sign = label == '+' ? 1 : label == '-' ? -1 : 0;
      const double to = from + (sign == 0 ? 1e-6 : 0.1);  // zeros are far apart: none is the rest of another
      if (!reader.emit(sign, from, to)) break;
      from = to;
    }
    EXPECT_EQ(reader.event().has_value(), row.fires) << labels << " armed " << row.armed;
    EXPECT_EQ(static_cast<int>(reader.touches().size()), row.touches) << labels << " armed " << row.armed;
  }
}

}  // namespace
}  // namespace pawl::event
