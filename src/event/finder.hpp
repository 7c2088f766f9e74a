// EventFinder: from one step and the guards, is there an event, which is first, exactly when. It may shorten the step
// or have it taken again; it never changes mode or state.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/arming.hpp"
#include "formulate/guard_rows.hpp"
#include "integrate/driver.hpp"

namespace pawl::event {

struct FinderOptions {
  double location_tolerance = 0;                               // of the event time; 0: to rounding
  double window = 0;                                           // events this close in time are one
  double amplitude = std::numeric_limits<double>::infinity();  // and their guards no farther from zero than this
  double run_length = 0;                                       // from the start of the run to its end
  double first_step = 0;                                       // of the run, as the user wants it; 0: not said
  bool appends_guards = true;                                  // daspke: the guards take part in the error control
  bool looks_at_signs_only = false;                            // daspke: as DASRT does
  bool uses_quintic = false;  // compere: one quintic interpolant instead of two cubics for the second look
};

/// One event as found; its time is the end of the step as the finder leaves it.
struct Found {
  std::vector<int> guards;           // that fired, in the order of time, then of declaration
  std::vector<double> zeros;         // where each of them vanishes
  double uncertainty = 0;            // width of the bracket, in time
  bool is_clamped = false;           // at the end of the run: the far side cannot be shown
  bool is_in_rounding = false;       // of a guard that left zero and came back by less than rounding
  bool is_within_tolerance = false;  // the integration error could move or remove it
  int iterations = 0;
  long long extra_evaluations = 0;  // of the right-hand side, spent on locating it
};

/// Something seen that fires nothing.
struct Sighting {
  enum class Kind { touch, near_touch, departure } kind;
  int guard;
  double t;
};

struct FinderWork {
  long long wrong_order = 0;  // N_ctch of Compere: another event turned out to be first
  long long false_roots = 0;  // N_fl: the expected event turned out not to exist
  long long iterations = 0;
  long long discarded = 0;  // whole steps taken and not used, beside those of the iterations; in N_rej of Compere
};

/// The step being examined, and the means to change it.
class Trial {
 public:
  Trial(Step& trial_step, Driver* source, Correction* pull, const StepControl& step_control, double run_end,
        double step_limit)
      : step(trial_step), driver(source), correction(pull), control(step_control), end(run_end), limit(step_limit) {}

  Step& step;
  Driver* driver;  // null: a step that cannot be taken again
  Correction* correction;
  const StepControl& control;
  double end;             // of the run
  double limit;           // no step may be made to end beyond it: the run's end, or the next time event
  bool was_cut = false;   // the driver stands elsewhere than the step ends: restart it
  bool is_lower = false;  // a polynomial of lower order had to do

  bool ensure_polynomial() {
    if (step.degree() == 0 && driver != nullptr) is_lower |= !driver->interpolate(step);
    return !is_lower;
  }
  /// Takes the step again so that it ends there; false: it stays as it is.
  bool redo(double t) {
    if (driver == nullptr || !driver->redo(t, correction, step)) return false;
    ensure_polynomial();
    return true;
  }
  /// Back to the step as it was before redo(), at no cost; the rate at its end is that of its polynomial.
  void restore(const Step& before) {
    if (driver == nullptr) return;
    const double size = driver->next_step_size();
    std::vector<double> rate(static_cast<std::size_t>(before.size()));
    step = before;
    for (int i = 0; i < step.size(); ++i) {
      const double* c = step.coefficients() + static_cast<std::ptrdiff_t>(i) * (step.degree() + 1);
      for (int k = 1; k <= step.degree(); ++k) rate[static_cast<std::size_t>(i)] += k * c[k] / step.span;
    }
    // An implicit method would take it for the field itself.
    driver->restart(step.t1, step.end(), step.span < 0 ? -1 : 1, size, driver->is_implicit() ? nullptr : rate.data());
  }
  void cut(double t) {
    if (t == step.t1) return;
    step.cut(t);
    was_cut = true;
  }
};

class EventFinder {
 public:
  virtual ~EventFinder() = default;
  /// The guards have just been judged: a new piece begins.
  virtual void begin_piece(const Moment& moment) = 0;
  /// The first event of the step, which then ends there; or none, and the step is free of events.
  virtual std::optional<Found> first(Trial& trial) = 0;
  /// What was seen in the last step beside the event.
  const std::vector<Sighting>& sightings() const { return sightings_; }
  const FinderWork& work() const { return work_; }
  /// Whether the layer may shorten the way between clustered events: micro steps, a memory of step sizes, pacing. A
  /// finder that reproduces a published method has its own restart_size() instead, at the start and after every event;
  /// 0: the stepper chooses afresh.
  virtual bool is_paced_by_layer() const { return true; }
  virtual double restart_size() const { return 0; }
  /// Whether the guards are integrated along, so that the error control sees them.
  virtual bool appends_guards() const { return false; }
  /// What it remembers from step to step.
  virtual void carry(Memory& memory) { memory(sightings_, work_); }

 protected:
  std::vector<Sighting> sightings_;
  FinderWork work_;
};

struct FinderInfo {
  enum class Kind { certified, compere, daspke, none };
  std::string name, sentence;
  Kind kind;
  std::unique_ptr<EventFinder> (*make)(GuardSet&, Arming&, int size, const FinderOptions&);
  /// How guards become variables of a model that is declared by equations; none: they do not.
  std::optional<formulate::GuardRows> rows = std::nullopt;
};
/// certified, compere (with two cubics or a quintic), daspke and its variants, dasrt, none. `--events`, --help and the
/// tests read this list.
const std::vector<FinderInfo>& finders();
const FinderInfo& find_finder(std::string_view name);

std::unique_ptr<EventFinder> make_certified(GuardSet&, Arming&, int size, const FinderOptions&);
std::unique_ptr<EventFinder> make_compere(GuardSet&, Arming&, int size, const FinderOptions&);
std::unique_ptr<EventFinder> make_daspke(GuardSet&, Arming&, int size, const FinderOptions&);

}  // namespace pawl::event
