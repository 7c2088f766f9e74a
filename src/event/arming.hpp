// How every guard stands at the start of a piece: its sign, whether it starts at zero, when it may vanish. What is
// known of a guard is found here; what that means, at the start of a run, after the transition of a guard that fired,
// and for one that a reset has moved, is decided by the tables in standing.hpp.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "event/black_box_chart.hpp"
#include "event/guard_set.hpp"
#include "event/moment.hpp"
#include "event/rest.hpp"
#include "event/sleep.hpp"
#include "event/standing.hpp"
#include "pawl/stepper.hpp"

namespace pawl::event {

struct Armed {
  signed char sign = 0;         // certified where it is not 0; 0: undecided or resting
  signed char after = 0;        // of a relation that has fired: the sign it has from here
  bool starts_at_zero = false;  // zero at the start of the piece: leaving it is no event
  bool is_known = false;        // it was watched before the event
  bool is_touching = false;     // it has just fired without crossing
  bool is_dozing = false;       // in the list of those that fell asleep since the last isolated event
  double settles_until = std::numeric_limits<double>::quiet_NaN();  // time; it fired before its own zero
  double forecast = std::numeric_limits<double>::infinity();        // time to the zero of the tangent
  double forecast_at = 0;                                           // when that was
  signed char reads_held = -1;  // whether it reads a mode or parameter; -1: not known yet
  double magnitude = 0;         // largest |g| over the last step
  double distance = 0;          // smallest |g| over the last step in units of its change: how quiet it was
  bool rests = false;           // at zero, and nothing but noise moves it: what is held of it stays
  double rests_from = 0;        // when that began
  double patience = 0;          // of a switch at rest: so many bands of noise from zero it leaves
};

/// What a reset or mode change has done to the guards.
struct Aftermath {
  std::vector<int> jumped;      // ended on the other side, in their direction: they fire at the same instant
  std::vector<int> unresolved;  // unilateral, fired, and still moving inward: they fire again
  std::vector<int> beyond;      // unilateral, and the reset put them beyond zero
  std::vector<int> at_zero;     // zero at this instant, and not fired
  bool asks_again() const { return !jumped.empty() || !unresolved.empty(); }
};

class Arming {
 public:
  Arming(GuardSet& guards, const Function& rates, Held& held, const StepControl& control, int size);

  /// Judges every guard at this instant. fired: guards of the event just handled (by number); empty at the start.
  Aftermath judge(const Moment& moment, std::span<const int> fired);

  Armed& operator[](int guard) { return armed_[static_cast<std::size_t>(guard)]; }
  double first_forecast() const { return first_forecast_; }
  Sleep& sleep() { return sleep_; }
  /// Guards to be looked at in a step, the one with the nearest forecast first.
  const std::vector<int>& awake();
  Rest& rest() { return rest_; }
  /// Whether two values of a state differ by less than the error that integration may make.
  bool is_within_tolerance(std::size_t state, double a, double b) const;
  /// After a step without event: quiet guards may fall asleep.
  void rest(const Step& step);
  /// It was forecast to leave zero to the side on which a switch stays as it is, from t on, and does not.
  void doubt_switch(int guard, double t);
  /// Forgets the signs of exits and of guards whose mode has changed: after GuardSet::refresh.
  void resize();
  void carry(Memory& memory) {
    memory(armed_, awake_, dozing_, nearest_, first_forecast_, extra_evaluations);
    sleep_.carry(memory);
    rest_.carry(memory);
  }
  long long extra_evaluations = 0;  // of the right-hand side, for second derivatives

 private:
  bool contradicts_its_mode(int guard) const;
  void come_to_rest(int guard, const Moment& moment);
  void take_forecast(int guard);
  void recall_forecast(int guard, const Moment& moment);
  bool is_untouched(int guard, const Moment& moment, bool has_fired);
  Rest::Band band_of(int guard, const Moment& moment) const;
  Signs look(int guard, const Moment& moment, bool wants_slope);
  Signs look_generic(int guard, const Moment& moment, bool wants_slope);
  Signs look_black_box(int guard, const Moment& moment);
  Signs look_in_band(int guard, const Moment& moment, Rest::Band band);
  bool is_rounding(int guard, const Moment& moment, const Interval& value);
  template <class Margin, class RateMargin>
  Signs look_along(int guard, const Moment& moment, const Margin& margin, const RateMargin& rate_margin,
                   double second_margin);
  Signs enabled(int guard, const Moment& moment, const Signs& verdict);
  bool begins_rest(int guard, const Moment& moment, const Signs& verdict);
  bool stays_at_rest(int guard, const Signs& verdict, const Moment& moment, bool has_fired, Aftermath& aftermath);
  Signs look_at_joints(int guard, const Moment& moment, bool wants_slope);
  Signs look_at_followers(int guard, const Moment& moment, bool wants_slope);
  bool reads_followers(int guard, const Moment& moment);
  void doubt(int guard, const Signs& verdict, Aftermath& aftermath);
  const std::vector<double>& second_rate(const Moment& moment);
  void judge_switch(int guard, const Signs& verdict, const Moment& moment, bool has_fired, Aftermath& aftermath);
  void judge_relation(int guard, const Signs& verdict, const Moment& moment, Aftermath& aftermath);
  void judge_guard(int guard, const Signs& verdict, const Moment& moment, bool has_fired, Aftermath& aftermath);

  GuardSet& guards_;
  const Function& rates_;
  Held& held_;
  const StepControl& control_;
  std::size_t n_;
  const bool rates_are_solved_;  // of equations: what is left of a rate that vanishes is the rounding of others
  std::vector<Armed> armed_;
  std::vector<int> awake_;
  std::vector<int> dozing_;  // fell asleep since the last isolated event: their forecasts may be near
  int nearest_ = -1;
  double first_forecast_ = std::numeric_limits<double>::infinity();
  Sleep sleep_;
  Rest rest_;
  GivenStates<Jet<double>> jets_;
  GivenStates<Jet<Interval>> box_;
  GivenStates<Interval> thin_;
  std::vector<double> second_, rate_noise_, moved_, followers_;
  double second_distance_ = 0;  // over which second_ is a difference; 0: it is exact
  bool has_second_ = false, has_followers_ = false;
  bool is_near_zero_ = false;  // the guard looked at last
  double value_ = 0;           // of that guard, as a number; 0: not asked for
};

}  // namespace pawl::event
