// Model: what a front end writes: unknowns and equations in any order, with their places in a source text, and what
// happens at events. build() makes a System of it.
//
//   Model tank("tank");
//   const Expr level = tank.state("level", 1.0), flow = tank.variable("flow");
//   const Expr area = tank.parameter("area", 2.0), width = area * area;        // held: computed once per event
//   const Expr fills = tank.discrete("fills", 0);
//   tank.equation(flow, 0.3 * sqrt(level));                                    // left = right
//   tank.equation(der(level), -flow / width);
//   const Expr low = tank.relation("low", 0.2 - level);                        // its truth, held between events
//   tank.when(low, [&](When& when) { when.reinit(level, 1.0); when.assign(fills, pre(fills) + 1); });
//   const Result run = simulate(tank.build(), {.end = 10});
//   run.final()["flow"];
//
// Which unknown an equation is for, aliases, the index and the order of rows are found (structure.hpp); what can be
// computed from the rest is no state of the System, but every name can be read from its results: a state, an alias with
// its sign, a held value or an observable.
//
// A model is data: it can be written to a file and read again (model_file.hpp).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pawl/model/expr.hpp"
#include "pawl/model/function.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

/// What has been said of a model. Nodes are of its graph, in which state i is unknown i. Held inputs from `before` on
/// are values before an event: number i + before is pre of number i. Truths are relations; from `ticks` on, time
/// events, and `initial`, the start of the run.
struct ModelData {
  static constexpr int before = 1 << 28, ticks = 1 << 26, initial = 1 << 27;

  struct Unknown {
    std::string name;
    int start = 0;           ///< a held node: of a state where it starts, of a variable a guess
    bool is_wanted = false;  ///< as a state
    double nominal = 0;      ///< 0: not given
  };
  struct Parameter {
    std::string name;
    double value = 0;
  };
  struct Number {
    std::string name;
    double start = 0;
  };
  struct Mode {
    std::string name;
    int start = 0;
    bool is_bool = false;
  };
  struct Equation {
    int left = 0, right = 0;
    Place place = {};
  };
  struct Named {
    std::string name;
    int node = 0;
  };
  struct Tick {
    bool is_periodic = false;
    int time = 0, phase = 0;  ///< held nodes: when, or how often and the first time after the start
  };
  struct Action {
    enum class Kind { assign_number, assign_mode, reinit, terminate };
    Kind kind = Kind::terminate;
    int target = 0, node = 0;
    std::string reason = {};
  };
  struct When {
    int condition = 0;
    std::vector<Action> actions = {};
    Place place = {};
  };

  std::string name;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<Unknown> unknowns;
  std::vector<Parameter> parameters;
  std::vector<Number> numbers;
  std::vector<Mode> modes;
  std::vector<Equation> equations, initial_equations;
  std::vector<Named> relations, observables;
  std::vector<Tick> time_events;
  std::vector<Action> always;  ///< assignments in every round of every event
  std::vector<When> whens;

  /// "der(level) = -flow / width (tank.mo:14)", as messages have it.
  std::string text(const Equation& equation) const;
};

/// What happens when a condition becomes true.
class When {
 public:
  explicit When(ModelData& model, ModelData::When& when) : model_(model), when_(when) {}

  /// A state jumps. Expressions read values from before the event.
  void reinit(const Expr& state, const Expr& value);
  /// A discrete variable changes. Expressions read it as it has been assigned so far; pre(x) is its value before.
  void assign(const Expr& discrete, const Expr& value);
  /// Ends the run here.
  void terminate(std::string reason);

 private:
  ModelData& model_;
  ModelData::When& when_;
};

struct BuildOptions {
  Execution execution = Execution::automatic;
};

/// What build() did, in numbers.
struct BuildReport {
  int equations = 0, aliases = 0, constraints = 0, solved = 0;  ///< unknowns that went, and why
  int states = 0, algebraic = 0;                                ///< of the System: with rates, and left to the engine
  int index = 0;                                                ///< of the equations as they were written
};

class Model {
 public:
  explicit Model(std::string name);

  /// An unknown that is to be a state, where it starts. Held expressions of parameters may be starts.
  Expr state(const std::string& name, const Expr& start);
  /// An unknown; a state only where nothing else will do. start: a guess, where it has to be solved for.
  Expr variable(const std::string& name, const Expr& start = 0.0);
  Expr parameter(const std::string& name, double value);
  /// Held between events: numbers, whole numbers, truths.
  Expr discrete(const std::string& name, double start);
  Expr discrete(const std::string& name, int start);
  Expr discrete(const std::string& name, bool start);
  Expr time() { return model::time(*data_->graph); }
  /// The typical size of an unknown, in its unit.
  void nominal(const Expr& unknown, double size);

  /// left = right, as often as there are unknowns, in any order.
  void equation(const Place& place, const Expr& left, const Expr& right);
  void equation(const Expr& left, const Expr& right, const Place& here = Place::here()) { equation(here, left, right); }
  /// Holds at the start of a run alone: as many as are known, at most one per degree of freedom.
  void initial_equation(const Place& place, const Expr& left, const Expr& right);
  void initial_equation(const Expr& left, const Expr& right, const Place& here = Place::here()) {
    initial_equation(here, left, right);
  }

  /// The truth of g > 0, held between events; it changes where g crosses zero.
  Expr relation(const std::string& name, const Expr& g);
  /// True in the instant of a time event: a number, a parameter or a discrete number.
  Expr at(const Expr& time);
  Expr every(const Expr& period, const Expr& first = 0.0);
  /// True at the start of the run.
  Expr is_initial();

  /// When the condition, made of truths and held values, becomes true.
  void when(const Expr& condition, const std::function<void(When&)>& body, const Place& here = Place::here());
  /// A discrete variable that follows from others and from truths, in every round of every event.
  void always(const Expr& discrete, const Expr& value);
  void observable(const std::string& name, const Expr& value);

  /// Throws Misuse where equations and unknowns do not match, with names and places. report: what was done. Threads may
  /// build one model at the same time, as long as nobody adds to it.
  System build(const BuildOptions& options = {}, BuildReport* report = nullptr) const;

  const ModelData& data() const { return *data_; }
  /// For a model that was read; throws Misuse where it is none.
  static Model of(ModelData data);

 private:
  void take_name(const std::string& name);
  int node_of(const Expr& value) const;
  int held_node(const Expr& value, const char* what) const;
  Expr unknown(const std::string& name, const Expr& start, bool is_wanted);
  void mark(const Place& place);
  Expr tick(ModelData::Tick tick);

  std::shared_ptr<ModelData> data_;  // copies of a Model share it
  std::shared_ptr<detail::NameSet> names_;
  std::shared_ptr<std::mutex> builds_ = std::make_shared<std::mutex>();  // one at a time: differences become nodes
  int marked_ = 0;                                                       // nodes before this one have their place
};

/// The derivative by time: of an unknown its rate; of an expression, what follows from it.
Expr der(const Expr& value);
/// The value before the event of discrete variables and truths, in expressions of them; states are read so anyhow.
Expr pre(const Expr& value);
/// It has just become true.
inline Expr edge(const Expr& truth) {
  return truth && !pre(truth);
}

}  // namespace pawl::model
