// Random graphs and instants, from a seed.
#pragma once

#include <random>
#include <vector>

#include "model/hand.hpp"

namespace pawl::model::testing {

struct RandomModel {
  Graph graph;
  std::vector<int> outputs;
};

class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : random_(seed) {}

  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  double number() {
    static constexpr double special[] = {0, 1, -1, 2, 0.5, -0.25, 3};
    if (below(4) == 0) return special[below(7)];
    return std::uniform_real_distribution<double>(-2, 2)(random_);
  }

  RandomModel model(int most_operations) {
    RandomModel made;
    Graph& g = made.graph;
    std::vector<int> pool, truths;
    for (int i = 0; i < 4; ++i) pool.push_back(g.input(Op::state, i));
    for (int i = 0; i < 3; ++i) pool.push_back(g.input(Op::parameter, i));
    pool.push_back(g.input(Op::time));
    pool.push_back(g.input(Op::rate, 0));
    pool.push_back(g.constant(number()));
    for (int i = 0; i < 3; ++i) truths.push_back(g.input(Op::truth, i));
    const int operations = 1 + below(most_operations);
    for (int i = 0; i < operations; ++i) pool.push_back(operation(g, pool, truths));
    const int rows = 1 + below(5);
    for (int i = 0; i < rows; ++i) made.outputs.push_back(recent(pool));
    return made;
  }

  template <class T>
  Instant<T> instant() {
    Instant<T> at;
    at.time = moving_near<T>(number(), 4);
    for (int i = 0; i < 4; ++i) at.states.push_back(moving_near<T>(number(), i));
    at.rates = {moving_near<T>(number(), 5)};
    for (int i = 0; i < 3; ++i) at.parameters.push_back(number());
    for (int i = 0; i < 3; ++i) at.truths.push_back(below(2));
    return at;
  }

 private:
  int recent(const std::vector<int>& pool) {
    const int count = static_cast<int>(pool.size()), back = below(2) == 0 ? std::min(count, 6) : count;
    return pool[static_cast<std::size_t>(count - 1 - below(back))];
  }
  int operation(Graph& g, const std::vector<int>& pool, std::vector<int>& truths) {
    const int a = recent(pool), b = recent(pool), c = recent(pool), kind = below(20);
    const auto truth = [&] { return truths[static_cast<std::size_t>(below(static_cast<int>(truths.size())))]; };
    if (kind < 11) {
      static constexpr Op common[] = {Op::add, Op::sub, Op::mul, Op::div, Op::mul, Op::add};
      return g.binary(common[below(6)], a, b);
    }
    if (kind < 13) return g.unary(static_cast<Op>(static_cast<int>(Op::neg) + below(16)), a);
    if (kind < 15) return g.binary(static_cast<Op>(static_cast<int>(Op::atan2) + below(5)), a, b);
    if (kind == 15) return g.select(a, b, c);
    if (kind == 16) return g.constant(number());
    if (kind == 17 && !g.is_moving(a) && !g.is_moving(b)) {
      static constexpr Op relations[] = {Op::less, Op::less_equal, Op::equal, Op::both, Op::either};
      truths.push_back(below(3) == 0 ? g.unary(Op::negation, truth()) : g.binary(relations[below(5)], a, b));
    }
    return g.choose(truth(), b, c);
  }

  std::mt19937_64 random_;
};

}  // namespace pawl::model::testing
