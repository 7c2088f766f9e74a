// Tracing: a C++ model function evaluated with expressions, which makes it data.
//
//   const auto rates = [=](const auto& at, auto& d) { d[x] = at[speed] * sin(at[angle]); ... };
//   system.rates(trace_rates(system, rates).function());
//
// It has to be asked for: at[parameter] and at[mode] are expressions then, not numbers, so that `const double k =
// at[p]` and `at[mode] ? a : b` do not compile; write `const auto k`, and choose(at[mode], a, b).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "pawl/model/expr.hpp"
#include "pawl/model/function.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

/// What a traced function is called with.
class TracedPoint {
 public:
  explicit TracedPoint(Graph& graph) : t(time(graph)), graph_(&graph) {}

  Expr t;  ///< time

  Expr operator[](State x) const { return state(*graph_, x.index); }
  Expr operator[](Rate r) const { return rate(*graph_, r.index); }
  Expr operator[](Parameter p) const { return parameter(*graph_, p.index); }
  Expr operator[](Input u) const { return input(*graph_, u.index); }
  Expr operator[](Relay r) const { return relay(*graph_, r.index); }
  /// 1 where it holds, else 0.
  Expr operator[](Condition c) const { return truth(*graph_, c.index); }
  /// -1, 0 or 1.
  Expr operator[](Relation r) const { return truth(*graph_, r.index); }
  template <class E>
  Expr operator[](Discrete<E> d) const {
    static_assert(!detail::is_object<E>, "pawl: a graph reads discrete numbers, bools, ints and enums, nothing else");
    if constexpr (std::is_same_v<E, double>)
      return number(*graph_, d.index);
    else
      return mode(*graph_, d.index);
  }

 private:
  Graph* graph_;
};

class TracedRates {
 public:
  TracedRates(std::vector<Expr>& rates, const System& system) : rates_(&rates), system_(&system) {}
  Expr& operator[](State x) { return (*rates_)[checked(x, rates_->size(), "state", system_->declarations())]; }

 private:
  std::vector<Expr>* rates_;
  const System* system_;
};

struct Traced {
  std::shared_ptr<Graph> graph;
  std::vector<int> outputs;

  GraphFunction function(Execution execution = Execution::automatic) const { return {graph, outputs, execution}; }
};

/// A graph that knows what the inputs of a System are called.
std::shared_ptr<Graph> graph_for(const System& system);

/// Traces f(at, d), which assigns d[x] for every state.
template <class F>
Traced trace_rates(const System& system, F f) {
  Traced traced{graph_for(system), {}};
  std::vector<Expr> rates(static_cast<std::size_t>(system.size()));
  TracedRates d(rates, system);
  f(TracedPoint(*traced.graph), d);
  for (const Expr& rate : rates) traced.outputs.push_back(rate.node_in(*traced.graph));
  return traced;
}

/// Traces f(at), which returns a number: a guard, an observable, an equation.
template <class F>
Traced trace(const System& system, F f) {
  Traced traced{graph_for(system), {}};
  const Expr value = f(TracedPoint(*traced.graph));
  traced.outputs = {value.node_in(*traced.graph)};
  return traced;
}

/// Traces f(at, out), which assigns out[0] ... out[count - 1]: a block of equations or guards.
template <class F>
Traced trace(const System& system, int count, F f) {
  Traced traced{graph_for(system), {}};
  std::vector<Expr> values(static_cast<std::size_t>(count));
  f(TracedPoint(*traced.graph), values);
  for (const Expr& value : values) traced.outputs.push_back(value.node_in(*traced.graph));
  return traced;
}

}  // namespace pawl::model
