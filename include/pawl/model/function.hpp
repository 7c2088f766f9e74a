// GraphFunction: outputs of a graph as a model function: where a System takes a lambda, it takes this.
//
//   const auto graph = std::make_shared<Graph>();
//   ...
//   system.rates(GraphFunction(graph, {one node per state}));
//   system.guard("touches", GraphFunction(graph, {height.node()}));
//   system.equations("circuit", 8, GraphFunction(graph, {eight nodes}));
//
// It takes every scalar. Numbers and gradients run as native code where there is any, everything else is interpreted;
// the results are those of the same function written as a lambda. A large model with repeated rows is rolled
// (roll.hpp). Indices of inputs are those of the System's handles.
//
// Copies share the program. Evaluations need working memory, which every thread keeps for the functions it used last;
// held values are computed again when one of those they were computed from has changed. A function that reads no rates,
// relays and inputs calls nobody else, so that its memory is found by one comparison.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pawl/function.hpp"
#include "pawl/model/check.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::model {

enum class Execution {
  automatic,    ///< native code where the processor and the system allow it
  interpreted,  ///< no native code
};

class GraphFunction {
 public:
  GraphFunction(std::shared_ptr<const Graph> graph, std::vector<int> outputs,
                Execution execution = Execution::automatic);

  int rows() const { return rows_; }
  bool is_native() const;
  /// Whether repeated rows are evaluated in loops, with numbers.
  bool is_rolled() const;
  const Graph& graph() const;
  const std::vector<int>& outputs() const;

  /// A guard, an observable, one equation. Requires one output.
  template <class T>
  T operator()(const Point<T>& at) const {
    require_rows(1);
    T out{};
    write(at, &out);
    return out;
  }
  /// Rates: an output per state, in their order.
  template <class T>
  void operator()(const Point<T>& at, Rates<T>& d) const {
    write(at, &d[State{0}]);
  }
  /// A block of equations, guards, conditions or relations: an output per row.
  template <class T>
  void operator()(const Point<T>& at, std::span<T>& out) const {
    require_rows(static_cast<int>(out.size()));
    write(at, out.data());
  }
  /// Refuses to be used where `count` rows are wanted and it has others.
  void require_rows(int count) const {
    if (count != rows_) refuse_rows(count);
  }
  /// All rows, without a look at how many the caller has room for.
  template <class T>
  void write(const Point<T>& at, T* out) const;

  /// Which operation is the first whose result is not finite here, if there is one.
  std::optional<NotFinite> first_not_finite(const Point<double>& at) const;
  /// The same in words, as a failed run says it; empty where everything is finite.
  std::string why_not_finite(const Point<double>& at) const;

 private:
  struct Body;

  template <class T>
  void write_with_lease(const Point<T>& at, T* out) const;
  [[noreturn]] void refuse_rows(int count) const;

  std::shared_ptr<const Body> body_;
  int rows_;
};

}  // namespace pawl::model
