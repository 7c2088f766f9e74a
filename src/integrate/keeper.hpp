// Keeper: what keeps the steps of any method on a manifold, as the driver sees it. It pulls their ends, draws the
// polynomial between ends that lie there, and looks for places where the manifold ends.
#pragma once

#include "pawl/stepper.hpp"

namespace pawl {

class Keeper {
 public:
  explicit Keeper(Correction& correction) : pull(correction) {}
  virtual ~Keeper() = default;

  Correction& pull;  ///< of the ends of trial steps

  /// State or mode has jumped.
  virtual void restart(double t, const double* x) = 0;
  /// The last time of the step just taken, or before it, until which there is a manifold.
  virtual double last_regular(Step& step, Stepper& method) = 0;
  /// Whether there is none from there on.
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
  virtual void carry(Memory& memory) = 0;
};

}  // namespace pawl
