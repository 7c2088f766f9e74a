// The gauntlet: adversarial pairs of guard and trajectory whose events are known exactly. Every case is built twice,
// with guards whose ranges can be proved and with the same guards as black boxes; tests and benchmarks run it with
// every method.
//
// Expected times come from closed forms. Each has its own tolerance, for what no event finder can know: the error of
// the integration, and the rounding of the guard and of the dense output, divided by the guard's slope.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "integrate/methods.hpp"
#include "pawl/options.hpp"
#include "pawl/result.hpp"
#include "pawl/system.hpp"

namespace pawl {

/// How the guards of a case are declared.
enum class GuardForm { generic, black_box };

struct ExpectedEvent {
  double t;
  std::string guard;
  double tolerance = 1e-9;
  EventKind kind = EventKind::crossing;
  int to = 0;                   ///< sign of the guard beyond the event; 0: not checked
  bool needs_proof = false;     ///< an undeclared dip or a touch: a black box may or may not show it
  bool is_optional = false;     ///< may be passed over, as the last bounces before an accumulation
  bool may_fall_short = false;  ///< at the end of the run: rounding may leave the guard on its old side, and no event
};

struct GauntletCase {
  std::string name;
  std::string why;  ///< what is hard about it
  System system;
  Options options;  ///< start, end, tolerance; the method is the runner's
  std::vector<ExpectedEvent> expected;
  Outcome outcome = Outcome::finished;
  std::string reason = {};  ///< part of Result::reason that must be there
  std::vector<std::pair<State, double>> final_state = {};
  double final_tolerance = 1e-9;
  int lowest_order = 2;            ///< methods of lower order need millions of steps for this tolerance
  bool has_black_box_form = true;  ///< a relay without hysteresis has none
  bool keeps_tolerance = false;    ///< by multistep methods too, which otherwise run at the tightest
  bool may_chatter_on = false;     ///< further events after the expected ones are not counted
  bool reads_multipliers = false;  ///< guards cannot be evaluated outside the run

  /// Whether this adaptive method has to pass it: adams is for x' = f(t, x) alone.
  bool is_for(const Method& method) const;
};

struct GauntletReport {
  int expected = 0, found = 0;  ///< events that had to be found, and those of them that were
  int missed = 0, misplaced = 0, wrong = 0, doubled = 0, wrong_side = 0, out_of_order = 0;
  double location_error = 0;  ///< largest, over the events found
  double final_error = 0;
  long long rhs = 0, guard_evaluations = 0, steps = 0;
  std::vector<std::string> faults;  ///< every one of them in words

  bool is_right() const { return faults.empty(); }
};

std::vector<GauntletCase> gauntlet(GuardForm form);

/// Runs the case with that method and judges what it found.
GauntletReport run_case(const GauntletCase& one, const std::string& method, GuardForm form);
/// Judges a finished run.
GauntletReport judge(const GauntletCase& one, const Result& run, GuardForm form);

/// Value of a declared guard at an instant, as a number.
double guard_value(const System::Declarations& model, const EventSource& source, const Held& held, double t,
                   const std::vector<double>& x);

/// What random guards showed, over all methods.
struct RandomReport {
  long long guards = 0, roots = 0, found = 0, missed = 0, wrong = 0;
  long long touches = 0;  ///< reported where there are none
  double location_error = 0;
  std::vector<std::string> faults;
};
/// Random guards of three families, many per system, on [0, 1]: sums of sinusoids, products with clustered and triple
/// roots, near-double roots.
RandomReport run_random_guards(int systems, int guards_each, const std::vector<std::string>& methods, unsigned seed);

/// Balls that fall from 1 + 1e-9 j onto a spring and damper (k/m = 1e4, c/m = 14, g = 9.81), one guard each.
System spring_balls(int count, GuardForm form);
/// Contact and release times of a ball dropped from that height, by Newton's method on the closed form in long double.
std::vector<double> spring_ball_events(double height, double end);

}  // namespace pawl
