// Simulation: a run in the hands of whoever steps it. It can stand still anywhere, be looked at, changed, saved and
// continued; simulate() is a Simulation that is finished at once.
//
//   Simulation run(motor, {.end = 10});
//   run.advance_to(0.5);
//   run[voltage] = 12;                        // an event at this instant, consistent again
//   const Snapshot here = run.snapshot();
//   const Result high = run.finish();
//   run.restore(here);                        // as if nothing had happened since
//   run[voltage] = 6;
//   const Result low = run.finish();
//
// Standing still changes nothing: whatever instants are advanced to, the run has the same bits as without them.
#pragma once

#include <memory>

#include "pawl/compiled_model.hpp"
#include "pawl/options.hpp"
#include "pawl/result.hpp"
#include "pawl/system.hpp"

namespace pawl {

namespace detail {
struct Saved;
struct Context;
}  // namespace detail

/// A run as it was at one instant: cheap to copy, and good for any Simulation of the same system with the same options.
class Snapshot {
 public:
  double t() const { return t_; }

 private:
  friend class Simulation;
  explicit Snapshot(double t, std::shared_ptr<const detail::Saved> saved) : t_(t), saved_(std::move(saved)) {}

  double t_;
  std::shared_ptr<const detail::Saved> saved_;
};

class Simulation {
 public:
  /// Compiles the model, decides how it is run and finds a consistent start. Misuse throws; trouble met on the way ends
  /// the run, and the result of finish() says why.
  Simulation(const System& system, const Options& options);
  Simulation(const System& system, Values values, const Options& options);
  /// The same with a model that is compiled already.
  Simulation(const CompiledModel& model, const Options& options);
  Simulation(const CompiledModel& model, Values values, const Options& options);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// One accepted step, with the event at its end. False: the run has ended.
  bool step();
  /// Goes on to t, which must lie between here and the end. False: the run ended before.
  bool advance_to(double t);
  bool has_ended() const;

  double t() const { return t_; }
  /// The present instant: states, observables, multipliers and all that is held; after an event the values after it.
  Instant now();

  /// A quantity that is read, or assigned, which is an event at this instant.
  template <class Handle, class Value>
  class Slot {
   public:
    Slot(Simulation& run, Handle handle) : run_(run), handle_(handle) {}
    operator Value() const { return run_.now()[handle_]; }  // NOLINT: it stands for its value
    Slot& operator=(Value value) {
      assign(value);
      return *this;
    }
    Slot& operator=(const Slot& other) {
      assign(static_cast<Value>(other));
      return *this;
    }
    Slot& operator=(const Signal& course) requires std::is_same_v<Handle, Input> {
      assign(course);
      return *this;
    }

   private:
    template <class T>
    void assign(const T& value) {
      (void)static_cast<Value>(*this);  // a handle of another system throws
      run_.change([handle = handle_, value](Jump& jump) { jump[handle] = value; });
    }
    Simulation& run_;
    Handle handle_;
  };
  Slot<State, double> operator[](State x) & { return {*this, x}; }
  Slot<Parameter, double> operator[](Parameter p) & { return {*this, p}; }
  Slot<Input, double> operator[](Input u) & { return {*this, u}; }
  template <class E>
  Slot<Discrete<E>, E> operator[](Discrete<E> d) & {
    return {*this, d};
  }
  double operator[](Observable o) & { return now()[o]; }
  double operator[](Constraint c) & { return now()[c]; }
  double operator[](Relay r) & { return now()[r]; }
  bool operator[](Condition c) & { return now()[c]; }
  double operator[](std::string_view name) & { return now()[name]; }
  template <class Handle>
  void operator[](Handle) && = delete;  ///< a view of a run that is gone

  /// Several changes at once, as one event.
  void change(Callback<void(Jump&)> jump);

  Snapshot snapshot();
  void restore(const Snapshot& snapshot);

  /// Goes on to the end. Afterwards the run can only be restored.
  Result finish();

 private:
  void need_run(std::string_view what) const;

  CompiledModel model_;
  Values values_;
  std::unique_ptr<detail::Context> context_;
  double t_;
  bool is_finished_ = false;
};

}  // namespace pawl
