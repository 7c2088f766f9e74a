// Model functions that come from Python: rows of a graph written into states or matrix entries, assignments of events
// as data, and Python functions that are called as they are, with numbers alone.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>

#include "pawl/entries.hpp"
#include "pawl/jump.hpp"
#include "pawl/model/function.hpp"
#include "pawl/model/program.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "pawl/system.hpp"
#include "scope.hpp"

namespace pawl::python {

using model::GraphFunction;
using model::Op;

/// What a Python handle stands for, and where. Kinds below 100 are those of graph inputs.
enum Kind : int { kind_guard = 100, kind_time_event, kind_contact, kind_observable, kind_constraint };

/// What a contact may do, by its word.
ContactEvent contact_event(const std::string& word);

template <class T>
std::vector<T> rows_of(const GraphFunction& f, const Point<T>& at) {
  std::vector<T> rows(static_cast<std::size_t>(f.rows()));
  std::span<T> out(rows);
  f(at, out);
  return rows;
}

/// Rates of some of the states.
struct SomeRates {
  GraphFunction f;
  std::vector<int> states;

  template <class T>
  void operator()(const Point<T>& at, Rates<T>& d) const {
    const std::vector<T> rows = rows_of(f, at);
    for (std::size_t i = 0; i < rows.size(); ++i) d[State{states[i]}] = rows[i];
  }
};

/// Entries of a matrix by pairs of states.
struct GraphEntries {
  GraphFunction f;
  std::vector<std::pair<int, int>> places;

  template <class T>
  requires(!std::is_same_v<T, detail::SingleSlope>)  // graphs have eight slopes
      void
      operator()(const Point<T>& at, Entries<T>& out) const {
    const std::vector<T> rows = rows_of(f, at);
    for (std::size_t i = 0; i < rows.size(); ++i) out(State{places[i].first}, State{places[i].second}) = rows[i];
  }
};

/// Terms of a vector by states; they add up.
struct GraphTerms {
  GraphFunction f;
  std::vector<int> states;

  template <class T>
  void operator()(const Point<T>& at, Terms<T>& out) const {
    const std::vector<T> rows = rows_of(f, at);
    for (std::size_t i = 0; i < rows.size(); ++i) out[State{states[i]}] += rows[i];
  }
};

/// The two slip speeds of a contact in space.
struct TwoRows {
  GraphFunction f;

  template <class T>
  std::array<T, 2> operator()(const Point<T>& at) const {
    std::array<T, 2> rows{};
    std::span<T> out(rows);
    f(at, out);
    return rows;
  }
};

/// A loss that depends on efforts: the graph reads e[x] where it would read the rate of x.
struct GraphResistance {
  GraphFunction f;
  std::vector<int> states;

  void operator()(const Point<double>& at, const Efforts& e, Terms<double>& d) const;
};

/// Something that an event assigns: a graph input that can be written.
struct Target {
  Op kind;
  int index;
};

/// An event as data: what is read is read before, all of it is written at once.
class Assigned {
 public:
  Assigned(const model::Graph& graph, const std::vector<int>& nodes, std::vector<Target> targets, std::string stop);
  void operator()(Jump& jump) const;

 private:
  model::Program program_;
  std::vector<Target> targets_;
  std::string stop_;
};

/// Start values as functions of parameters.
struct AssignedStart {
  AssignedStart(const model::Graph& graph, const std::vector<int>& nodes, std::vector<int> states);
  void operator()(Start& at) const;

  model::Program program;
  std::vector<int> states;
};

void write(Jump& jump, Op kind, int index, double value);
double read(Jump& jump, Op kind, int index);
double read_before(const Jump& jump, Op kind, int index);

/// Numbers from whatever a user's function returned; `what` begins the sentence of the exception.
void to_numbers(const py::object& returned, double* out, std::size_t count, const char* what);

/// f(t, y) -> n rates.
struct CalledRates {
  Shared f;
  std::size_t count;
  void operator()(const Point<double>& at, Rates<double>& d) const;
};
/// f(t, y) -> n x n derivatives.
struct CalledJacobian {
  Shared f;
  std::size_t count;
  void operator()(const Point<double>& at, Entries<double>& out) const;
};
/// f(t, y, y') -> n residuals.
struct CalledEquations {
  Shared f;
  std::size_t count;
  void operator()(const Point<double>& at, std::span<double>& out) const;
};
/// f(t, y) -> number.
struct CalledGuard {
  Shared f;
  std::size_t count;
  double operator()(const Point<double>& at) const;
};
/// f(at) -> number, with at[handle].
struct CalledValue {
  Shared f;
  double operator()(const Point<double>& at) const;
};
/// f(at) -> rates of these states.
struct CalledStateRates {
  Shared f;
  std::vector<int> states;
  void operator()(const Point<double>& at, Rates<double>& d) const;
};
/// f(jump).
struct CalledJump {
  Shared f;
  void operator()(Jump& jump) const;
};

/// What a called function reads; it is dead once the function has returned.
struct At {
  const Point<double>* point;
  double read(int kind, int index) const;
  double t() const;
};
struct JumpView {
  Jump* jump;
  Jump& alive() const;
};

/// What Python declared: (kind, places, turn, numbers, sizes, what) of every shape.
Picture picture_of(const py::list& rows);

void bind_functions(py::module_& m);
void bind_graph(py::module_& m);
void bind_system(py::module_& m);
void bind_structured(py::module_& m);
void bind_run(py::module_& m);
void bind_catalogue(py::module_& m);

}  // namespace pawl::python
