// System: what is simulated. Declarations read as sentences; each returns the handle that later reads the same
// quantity.
//
//   System decay("decay");
//   const auto amount = decay.state("amount", 1.0);
//   const auto rate = decay.parameter("rate", 0.5);
//   decay.rates([=](const auto& at, auto& d) { d[amount] = -at[rate] * at[amount]; });
//
// A System is declared first and then shared, const, between runs and threads; copies are cheap. What differs between
// runs (start values, parameters) is in Values.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/function.hpp"
#include "pawl/guard.hpp"
#include "pawl/structure.hpp"

namespace pawl {

/// A call that cannot mean anything: unknown names, impossible numbers, incomplete models. The text says what is
/// allowed.
class Misuse : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

class NameSet {
 public:
  /// False: it is there already.
  bool insert(const std::string& name);

 private:
  std::vector<std::string> table_;  // open addressing; empty: free
  std::size_t count_ = 0;
};

}  // namespace detail

/// Inside System::start: reads parameters, writes start values.
class Start {
 public:
  Start(std::span<double> states, std::span<const double> parameters, int model)
      : states_(states), parameters_(parameters), model_(model) {}

  double& operator[](State x) { return states_[detail::own_index(x, states_.size(), "state", model_)]; }
  double operator[](Parameter p) const {
    return parameters_[detail::own_index(p, parameters_.size(), "parameter", model_)];
  }

 private:
  std::span<double> states_;
  std::span<const double> parameters_;
  int model_;
};

class Picture;  // pawl/picture.hpp

class System {
 public:
  explicit System(std::string name);

  State state(std::string name, double start);
  Block<State> states(std::string_view name, const std::vector<double>& starts);  ///< named name1, name2, ...
  Parameter parameter(std::string name, double value);

  /// A quantity given from outside: a number, or its course over time (signal.hpp). Model functions read at[u], which
  /// moves with time; its corners are time events. Values give a run another course, a Simulation at any instant.
  Input input(std::string name, Signal signal);

  /// x' = f(t, x): assigns d[x] for every state.
  template <class F>
  void rates(F f) {
    declare_rates(Function::rates(std::move(f)));
  }

  /// M(t, x) x' = f(t, x), with f declared by rates(): M(row, column) = ..., where the row of a state is the line its
  /// d[x] stands on. M may be singular; entries that are not written are zero.
  template <class F>
  void mass(F m) {
    declare_mass(detail::MatrixFunction(std::move(m)));
  }
  /// 0 = F(t, x, x'), with at[dot(x)] for x': a number, or a std::array of them. As many as there are states whose
  /// rates are not assigned. Which states are differential or algebraic, and the index, follow.
  template <class F>
  void equation(std::string name, F f) {
    declare_equation({std::move(name), Function::equations<detail::row_count<F>>(std::move(f)), detail::row_count<F>});
  }
  /// Many equations at once, as many as `count` says at run time: f(at, out) assigns out[0] ... out[count - 1], each
  /// zero where it holds. The rows are named name[1], name[2], ...
  template <class F>
  void equations(std::string name, int count, F f) {
    declare_equation({std::move(name), Function::equation_block(std::move(f), count), count});
  }
  /// The same with a name for every row, which messages then say.
  template <class F>
  void equations(std::string name, std::vector<std::string> row_names, F f) {
    const int count = static_cast<int>(row_names.size());
    declare_equation({std::move(name), Function::equation_block(std::move(f), count), count, std::move(row_names)});
  }
  /// Equations that hold at the start of a run alone, over states, at[dot(x)], parameters and time: f(at, out) as for
  /// equations(). Start values of differential states are then guesses that are moved as little as these equations
  /// allow; fewer of them than states may be given. docs/stiff.md.
  template <class F>
  void initial(std::string name, std::vector<std::string> row_names, F f) {
    const int count = static_cast<int>(row_names.size());
    declare_initial({std::move(name), Function::equation_block(std::move(f), count), count, std::move(row_names)});
  }
  /// The derivatives of the rates, J(x, y) = dx'/dy, for functions that cannot be differentiated automatically.
  template <class F>
  void jacobian(F j) {
    declare_jacobian(detail::MatrixFunction(std::move(j)));
  }
  /// An ideal diode, a complementarity 0 <= current, voltage <= 0 of which one is zero: conducts without voltage or
  /// blocks without current. It is one equation of the system; all diodes of a system are decided together.
  template <class Voltage, class Current>
  Discrete<bool> diode(std::string name, Voltage voltage, Current current) {
    return declare_switch(
        {std::move(name), SwitchInfo::Kind::diode, 0, Function::guard(voltage), Function::guard(current)}, voltage,
        current);
  }
  /// A diode that begins to conduct only while the gate holds, and ends when its current does.
  template <class Voltage, class Current>
  Discrete<bool> thyristor(std::string name, Voltage voltage, Current current, Logic gate) {
    return declare_switch({std::move(name), SwitchInfo::Kind::thyristor, 0, Function::guard(voltage),
                           Function::guard(current), std::move(gate)},
                          voltage, current);
  }
  /// A switch that others open and close: no voltage while closed, no current while open.
  template <class Voltage, class Current>
  void ideal_switch(std::string name, Discrete<bool> closed, Voltage voltage, Current current) {
    check_own(closed);
    declare_switch(
        {std::move(name), SwitchInfo::Kind::given, closed.index, Function::guard(voltage), Function::guard(current)},
        voltage, current);
  }
  /// The typical size of a state, in its unit: its absolute tolerance is the relative one times this.
  void nominal(State x, double size);

  /// Start values that follow from parameters: a function (Start& at). A value set for a run wins over it.
  template <class F>
  void start(F f) {
    static_assert(std::is_invocable_v<const F&, Start&>,
                  "pawl: start values are set by a function (Start& at); it is called const, so a mutable lambda is "
                  "refused");
    declare_start([f = std::move(f)](Start& at) { f(at); });
  }

  /// A variable held between events, changed by transitions: bool, int, enum class, double, or any other type that can
  /// be copied and compared, such as a string.
  template <class E>
  Discrete<E> discrete(std::string name, E start) {
    if constexpr (std::is_same_v<E, double>) {
      return {declare_number(std::move(name), start), declarations_->model};
    } else if constexpr (detail::is_mode<E>) {
      return {declare_mode(std::move(name), static_cast<int>(start), std::is_same_v<E, bool>), declarations_->model};
    } else {
      static_assert(std::is_copy_constructible_v<E> && std::is_invocable_r_v<bool, std::equal_to<>, E, E>,
                    "pawl: a discrete variable has a type that can be copied and compared by ==");
      return {declare_object(std::move(name), HeldObject(std::move(start))), declarations_->model};
    }
  }
  Discrete<std::string> discrete(std::string name, const char* start) {
    return discrete(std::move(name), std::string(start));
  }

  /// A function of the motion whose zeros are events; docs/events.md.
  template <class F>
  GuardDeclaration guard(std::string name, F g) {
    return {*this, declare_guard({.name = std::move(name), .g = Function::guard(std::move(g))})};
  }
  /// Many guards of one form: g(at, i, j) for each of the pairs.
  template <class F>
  GuardDeclaration guard_family(std::string name, std::vector<Pair> members, F g) {
    return {*this, declare_guard({.name = std::move(name),
                                  .g = Function::family(std::move(g)),
                                  .is_family = true,
                                  .members = std::move(members)})};
  }

  /// Many guards that one function computes together: g(at, out) assigns out[0], out[1], ... Named name1, name2, ...,
  /// or one by one. Each is a guard like any other; numbers and ranges of the whole block are computed once and shared.
  template <class F>
  GuardDeclaration guards(std::string_view name, int count, F g) {
    return guards(numbered(name, count), std::move(g));
  }
  template <class F>
  GuardDeclaration guards(const std::vector<std::string>& names, F g) {
    const int count = static_cast<int>(names.size());
    const int first = declare_guard_block(names, Function::guard_block(std::move(g), count), GuardRole::guard);
    return {*this, first, count};
  }

  /// A relation g > 0: its truth is held between events and changes where g crosses zero.
  template <class F>
  Condition condition(std::string name, F g) {
    return declare_condition(std::move(name), Function::guard(std::move(g)));
  }
  /// The sign -1, 0 or 1 of g, held between events: 0 where it rests at zero. All comparisons of one difference come
  /// from one relation: w > 0, w <= 0, w == 0, ... are propositions, and never contradict each other.
  template <class F>
  Relation relation(std::string name, F g) {
    return declare_relation(std::move(name), Function::guard(std::move(g)));
  }
  /// Conditions, or relations, that one function computes together: g(at, out), as for guards().
  template <class F>
  Block<Condition> conditions(const std::vector<std::string>& names, F g) {
    const int count = static_cast<int>(names.size()), first = static_cast<int>(declarations_->condition_names.size());
    declare_guard_block(names, Function::guard_block(std::move(g), count), GuardRole::condition);
    return {first, count, declarations_->model};
  }
  template <class F>
  Block<Relation> relations(const std::vector<std::string>& names, F g) {
    const int count = static_cast<int>(names.size()), first = static_cast<int>(declarations_->condition_names.size());
    declare_guard_block(names, Function::guard_block(std::move(g), count), GuardRole::relation);
    return {first, count, declarations_->model};
  }
  /// Many relations g(at, i, j) > 0; reading the handle lists the members that hold.
  template <class F>
  ConditionFamily condition_family(std::string name, std::vector<Pair> members, F g) {
    return declare_condition_family(std::move(name), std::move(members), Function::family(std::move(g)));
  }

  struct Levels {
    double below, above, hysteresis = 0;
  };
  /// A switch on g: `below` where g < 0, `above` where g > 0. Without hysteresis the motion slides along g = 0 where
  /// both sides push onto it; at[relay] is then the equivalent control.
  template <class F>
  Relay relay(std::string name, Levels levels, F g) {
    return declare_relay(std::move(name), levels, Function::guard(std::move(g)));
  }

  /// The discrete variable follows the proposition; all decisions are iterated to a fixed point at events.
  void decide(Discrete<bool> variable, Logic logic);

  /// The transition function of the model: a function (Jump&) that sees every round of every event, and the start of
  /// the run, after the jumps of what fired. Rounds are repeated until it changes nothing any more; docs/events.md.
  template <class F>
  void transition(F f) {
    static_assert(
        std::is_invocable_v<const F&, Jump&>,
        "pawl: the transition function is a function (Jump& jump); it is called const, so a mutable lambda is "
        "refused: what it has to remember is a discrete variable");
    declare_transition([f = std::move(f)](Jump& jump) { f(jump); });
  }

  /// Something happens at that time, or every so often after the start of the run.
  template <class F>
  TimeEventDeclaration at(TimeValue time, F jump) {
    return declare_time_event({{}, time, false, GuardDeclaration::transition(std::move(jump))});
  }
  template <class F>
  TimeEventDeclaration every(TimeValue period, F jump) {
    return declare_time_event({{}, period, true, GuardDeclaration::transition(std::move(jump))});
  }
  /// A time event with a name and, unless a time is given, none before Jump::schedule sets it.
  TimeEventDeclaration time_event(std::string name, TimeValue time = std::numeric_limits<double>::infinity());

  /// Something the true motion keeps at zero (the length of a quaternion, a momentum): a number or a std::array. Every
  /// accepted step ends there.
  template <class F>
  void invariant(std::string name, F h) {
    declare_invariant({std::move(name), Function::rows<detail::row_count<F>>(std::move(h)), detail::row_count<F>});
  }
  /// Something the true motion keeps at its value at the start, an energy for instance; after an event, at its value
  /// there.
  template <class F>
  void conserved(std::string name, F h) {
    declare_invariant(
        {std::move(name), Function::rows<detail::row_count<F>>(std::move(h)), detail::row_count<F>, true});
  }

  /// A quantity to watch, an energy for instance: evaluated where a result is read, and over the accepted steps where
  /// its range is asked for.
  template <class F>
  Observable observable(std::string name, F f) {
    return declare_observable(std::move(name), Function::observable(std::move(f)));
  }

  /// What the model looks like, for reports (pawl/picture.hpp): ball.picture({Disk{{x, y}, 0.1}, Wall{{-1, 0}, {1,
  /// 0}}}).
  void picture(Picture shapes);

  /// What has been declared. Handles index these vectors.
  struct Declarations {
    std::string name;
    int model = 0;                           // what its handles carry; copies of a System share it
    std::shared_ptr<const void> registered;  // as long as it lives, messages know the name behind `model`
    std::vector<std::string> state_names, parameter_names, observable_names;
    std::vector<double> starts, parameters;
    std::vector<std::string> input_names;
    std::vector<std::shared_ptr<const Signal>> inputs;
    Callback<void(Start&)> start;
    Function rates;
    std::vector<Function> observables;
    std::vector<int> energies;               // observables that are energies of the whole model
    std::shared_ptr<const Picture> picture;  // null: none was declared
    std::vector<std::string> mode_names, number_names, object_names, condition_names, condition_family_names;
    std::vector<char> mode_is_bool;
    std::vector<char> condition_is_relation;
    std::vector<int> modes;
    int first_own_mode = -1;  // of a compiled model: discrete variables from there on are the engine's; -1: none is
    std::vector<double> numbers;
    std::vector<HeldObject> objects;
    std::vector<GuardInfo> guards;  // of guards, conditions and relays, in the order of declaration
    std::vector<RelayInfo> relays;
    std::vector<DecisionInfo> decisions;
    std::vector<TimeEventInfo> time_events;
    Callback<void(Jump&)> transition;
    std::vector<InvariantInfo> invariants;
    detail::MatrixFunction mass;  // of M x' = f
    detail::MatrixFunction jacobian;
    std::vector<EquationInfo> equations;
    std::vector<EquationInfo> initial;  // rows that hold at the start alone
    std::vector<SwitchInfo> switches;
    std::vector<double> nominals;  // per state; empty, or 0 for those without
    detail::NameSet taken_names, guard_names;
    int guard_blocks = 0;
    std::vector<std::string> constraint_names;  // one per row, for constraints of every kind
    std::shared_ptr<const MechanicsInfo> mechanics;
    std::shared_ptr<const PortHamiltonianInfo> port_hamiltonian;
    /// Set where the model was put together as equations (formulate/assembly.hpp): as it was declared, and the states
    /// that are multipliers and values of relays from there on; -1: there are none.
    std::shared_ptr<const Declarations> parts;
    int first_multiplier = -1, first_relay = -1;

    /// Another discrete variable of the engine; returns its number.
    int add_own_mode(std::string name, bool is_bool);
    bool has_manifold() const { return !is_implicit() && (mechanics || port_hamiltonian || !invariants.empty()); }
    /// Whether it is a differential-algebraic equation of its own, to be integrated as it stands.
    bool is_implicit() const { return mass || !equations.empty(); }
    bool has_events() const {
      return !guards.empty() || !time_events.empty() || !inputs.empty() || transition || !switches.empty() ||
             (mechanics && !mechanics->contacts.empty()) || (parts && parts->has_events());
    }
  };
  const Declarations& declarations() const& { return *declarations_; }
  const Declarations& declarations() && = delete;  // it would not outlive the System
  std::shared_ptr<const Declarations> share() const { return declarations_; }
  const std::string& name() const& { return declarations_->name; }
  std::string name() && { return declarations_->name; }
  int size() const { return static_cast<int>(declarations_->state_names.size()); }

 protected:
  Declarations& edit();                     // copies first if a run or another System still reads the old declarations
  void take_name(const std::string& name);  // throws Misuse where it is taken
  Observable declare_observable(std::string name, Function f);
  void declare_invariant(InvariantInfo info);

 private:
  void check_own(Discrete<bool> variable) const;  // throws Misuse where it belongs to another system
  template <class Voltage, class Current>
  Discrete<bool> declare_switch(SwitchInfo info, Voltage voltage, Current current) {
    const std::string name = info.name;
    const Discrete<bool> on = add_switch(std::move(info));
    equation(name, [=](const auto& at) {
      using Value = std::decay_t<decltype(voltage(at))>;
      return at[on] ? Value(voltage(at)) : Value(current(at));
    });
    return on;
  }
  Discrete<bool> add_switch(SwitchInfo info);  // its mode is declared unless it is given
  void declare_rates(Function f);
  void declare_mass(detail::MatrixFunction m);
  void declare_equation(EquationInfo info);
  void declare_initial(EquationInfo info);
  int declare_mode(std::string name, int start, bool is_bool);
  int declare_number(std::string name, double start);
  int declare_object(std::string name, HeldObject start);
  int declare_guard(GuardInfo info);
  int declare_guard_block(const std::vector<std::string>& names, const Function& g, GuardRole role);  // the first
  static std::vector<std::string> numbered(std::string_view name, int count);
  int declare_truth(const std::string& name, bool is_relation);
  Condition declare_condition(std::string name, Function g);
  Relation declare_relation(std::string name, Function g);
  ConditionFamily declare_condition_family(std::string name, std::vector<Pair> members, Function g);
  Relay declare_relay(std::string name, Levels levels, Function g);
  void declare_jacobian(detail::MatrixFunction j);
  void declare_start(Callback<void(Start&)> f);
  TimeEventDeclaration declare_time_event(TimeEventInfo info);
  std::string describe(const TimeValue& time) const;
  void declare_transition(Callback<void(Jump&)> f);
  friend class GuardDeclaration;
  friend class TimeEventDeclaration;
  friend class ConstraintDeclaration;

  std::shared_ptr<Declarations> declarations_;
};

/// The index if the system has that many; else throws Misuse: the handle belongs to another system. For all access that
/// is not on the way of a step.
std::size_t checked(int index, std::size_t count, std::string_view kind, const System::Declarations& model);
template <class Handle>
requires std::is_class_v<Handle> std::size_t checked(const Handle& handle, std::size_t count, const char* kind,
                                                     const System::Declarations& model) {
  if (handle.model != 0 && model.model != 0) detail::own_index(handle, count, kind, model.model);
  return checked(handle.index, count, kind, model);
}

/// What differs between runs of one System: parameters and start values, by handle or by name.
class Values {
 public:
  explicit Values(const System& system);

  /// A start value: reads what the run would start with; once assigned, it no longer follows System::start.
  class StartValue {
   public:
    StartValue(Values& values, State x) : values_(values), x_(x) {}
    operator double() const { return static_cast<const Values&>(values_)[x_]; }  // NOLINT: it stands for a number
    StartValue& operator=(double value);
    StartValue& operator+=(double change) { return *this = *this + change; }

   private:
    Values& values_;
    State x_;
  };
  StartValue operator[](State x) & { return {*this, x}; }
  double operator[](State x) const&;
  double& operator[](Parameter p) &;
  double operator[](Parameter p) const&;
  /// The course of an input: values[u] = Signal::polyline(...), or a number.
  class Course {
   public:
    explicit Course(std::shared_ptr<const Signal>& signal) : signal_(signal) {}
    Course& operator=(Signal signal) {
      signal_ = std::make_shared<const Signal>(std::move(signal));
      return *this;
    }

   private:
    std::shared_ptr<const Signal>& signal_;
  };
  Course operator[](Input u) &;
  /// The start value of a discrete variable.
  template <class E>
  Jump::Slot<E> operator[](Discrete<E> d) & {
    auto& stored = detail::kept_in<E>(discrete_);
    return Jump::Slot<E>(stored[checked(d, stored.size(), detail::kind_of_discrete<E>, *declarations_)]);
  }

  /// Sets the parameter, discrete variable, constant input or start value of that name; throws Misuse, with the nearest
  /// name, if there is none.
  void set(std::string_view name, double value);
  /// The same for the course of an input.
  void set(std::string_view input, Signal signal);

  /// Parameters and discrete variables as a run held them; what the engine added for itself is left.
  void take(const Held& held);

  bool belong_to(const System& system) const { return declarations_ == system.share(); }
  const std::vector<double>& parameters() const& { return parameters_; }
  std::vector<double> parameters() && { return std::move(parameters_); }
  /// Everything held at the start; truths and relays are decided by the run, and the pieces of inputs in force.
  Held held() const;
  std::vector<double> start() const;  ///< declared starts, then System::start, then what was set here

 private:
  std::shared_ptr<const System::Declarations> declarations_;
  std::vector<double> parameters_, starts_;
  struct {
    std::vector<int> modes;
    std::vector<double> numbers;
    std::vector<HeldObject> objects;
  } discrete_;
  std::vector<std::shared_ptr<const Signal>> inputs_;
  std::vector<char> is_set_;
};

}  // namespace pawl
