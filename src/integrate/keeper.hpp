// Keeper: what keeps the steps of any method on a manifold, as the driver sees it. It pulls their ends, draws the
// polynomial between ends that lie there, and looks for places where branches of the motion meet. Methods do not step
// across such a place: the keeper does, from near enough, or the run ends before it.
#pragma once

#include <optional>

#include "pawl/stepper.hpp"

namespace pawl {

class Keeper {
 public:
  explicit Keeper(Correction& correction) : pull(correction) {}
  virtual ~Keeper() = default;

  Correction& pull;  ///< of the ends of trial steps

  /// State or mode has jumped.
  virtual void restart(double t, const double* x) = 0;
  /// Where branches meet, if the step just taken passes such a place.
  virtual std::optional<double> branching_in(Step& step, Stepper& method) = 0;
  /// The same for what lies ahead of the last step, not much farther than `reach`, which has the sign of the direction.
  virtual std::optional<double> branching_ahead(double /*reach*/) { return std::nullopt; }
  /// One step of its own across it, with its polynomial, from where the last step ended. False: not from there.
  virtual bool pass(double /*branching*/, Step& /*out*/) { return false; }
  /// It could not be passed from there: the time until which a step may be taken. None, where the keeper gives up: see
  /// has_ended().
  virtual double come_nearer(double branching) = 0;
  /// Whether the run cannot go on.
  virtual bool has_ended() const = 0;
  /// This is the step.
  virtual void accept(const Step& step) = 0;
  /// Writes the polynomial of the last step of the method; see Stepper::interpolate().
  virtual bool draw(Step& step, Stepper& method) = 0;
  /// The order of the polynomial, from that of the method's own.
  virtual int dense_order(int of_method) const = 0;
  /// Whether a step is taken again to end where an event is, so that its end is pulled there.
  virtual bool ends_at_events() const { return true; }
  virtual long long evaluations() const = 0;
  virtual std::vector<Message> take_notes() { return {}; }
  virtual bool has_notes() const { return false; }
  virtual void carry(Memory& memory) = 0;
};

}  // namespace pawl
