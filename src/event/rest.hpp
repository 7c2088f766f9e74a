// Guards that rest at zero: a constraint that is watched on its own manifold, the relative speed of a clutch that is
// locked, a blocked current. What moves them is noise, and noise is no event: what is held of them stays.
//
// A guard comes to rest where its value, its first and its second derivative are zero to rounding, at the start of a
// piece. It stays at rest while its value is within the noise of the states that it reads: the error that integration
// may make, since what the motion keeps (an energy, a constraint) is kept to the tolerance. It has left where it is
// beyond that; since when is told by rounding, as far as one step shows it.
#pragma once

#include <optional>
#include <vector>

#include "event/moment.hpp"
#include "event/sign_chart.hpp"
#include "event/standing.hpp"
#include "pawl/stepper.hpp"

namespace pawl::event {

class Rest {
 public:
  Rest(GuardSet& guards, const StepControl& control, int size);

  /// How far from zero counts as zero, measured by the largest values that the states have had: rounding where a guard
  /// comes to rest; while it rests, the error that integration may make. Of rates, noise is rounding where they are not
  /// solved for, but for relations.
  enum class Band { rounding, noise, integration };
  double margin(Band band, std::size_t i) const;       ///< of a state
  double rate_margin(Band band, std::size_t i) const;  ///< of its rate
  /// A rate that moves a state by more than its error within a step of the size that was seen last.
  double decisive_rate(std::size_t i) const;

  /// A step is to be looked at. is_solved: iterations end at a tolerance, or the ends of steps are corrected.
  void begin_step(bool is_solved) { is_solved_ = is_solved_ || is_solved; }
  /// Of the polynomial of a step: what steps are solved or corrected to, its slope at the start is off by as well.
  Band band_of_steps() const { return is_solved_ ? Band::integration : Band::rounding; }
  /// States and rates of this size have been seen.
  void see(const Moment& moment);
  /// |x| of a state so far.
  double largest(std::size_t state) const { return largest_[state]; }

  /// The sign of a guard at this instant, 0 within the band, or within so many of it.
  int sign_beyond(Band band, int guard, double t, const double* x, double times = 1);
  /// The same for what is told by numbers, with signs of its derivatives. second: second derivatives of the states;
  /// null: not known. forecast: is given the time to the zero of its tangent, if there is one ahead.
  Signs look_at_black_box(Band band, int guard, const Moment& moment, const double* second, double* forecast = nullptr);
  /// Where a guard that rests leaves zero in this step, up to limit; before: 0. is_fresh: it came to rest at the start
  /// of the step, and may leave long before the end. patience: it leaves where it is beyond so many bands; 0: beyond
  /// one, and since when is told by rounding.
  std::optional<Zero> end_in(const Step& step, int guard, double limit, Band band, bool is_fresh, double patience = 0);

  void carry(Memory& memory) { memory(largest_, largest_rate_, step_size_, is_solved_); }

 private:
  void see(const double* x);
  double noise(Band band, int guard, double t, const double* x, double value, double times = 1);

  GuardSet& guards_;
  const StepControl& control_;
  std::size_t n_;
  std::vector<double> largest_, largest_rate_;  // of every state so far
  double step_size_ = 0;
  bool is_solved_;
  std::vector<double> x_, moved_, sizes_;  // sizes_: of what followers are made of
  GivenStates<Interval> box_;
};

}  // namespace pawl::event
