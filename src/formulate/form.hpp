// Form: a structured system made explicit, x' = f(t, x), together with the manifold its motion stays on.
#pragma once

#include <string>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/message.hpp"
#include "pawl/system.hpp"

namespace pawl::formulate {

/// Where a motion must stay, level by level, in the order in which they are to be met.
class Manifold {
 public:
  enum class Kind { position, velocity, invariant };

  virtual ~Manifold() = default;
  virtual int levels() const = 0;
  virtual Kind kind(int level) const = 0;
  virtual int rows(int level) const = 0;
  virtual std::string row_name(int level, int row) const = 0;

  /// How far x is off, row by row.
  virtual void residual(int level, double t, const double* x, double* r) = 0;
  /// The size that rounding alone gives to each residual: nothing below it can be corrected. Called after residual() at
  /// the same point.
  virtual void rounding(int level, double t, const double* x, double* size) = 0;
  /// Takes a residual away to first order: x moves as little as possible in the metric of the form, by the factors at
  /// hand. Must not allocate.
  virtual void correct(int level, const double* r, double* x) = 0;
  /// New factors, at this point. False: the rows do not determine a correction there (why() says it).
  virtual bool refactor(double t, const double* x) = 0;
  /// Brings what has a length of its own (attitudes) back to it.
  virtual void normalize(double* /*x*/) {}
  /// Whether something that is not among the rows has come off the manifold; which, and by how much. Empty: no.
  virtual std::string violation(double /*t*/, const double* /*x*/, const double* /*allowed*/) { return {}; }
  /// Derivative of the residual by all states: rows(level) times states, row after row.
  virtual void jacobian(int level, double t, const double* x, double* J) = 0;
};

class Form {
 public:
  virtual ~Form() = default;

  /// What is held from now on; copied.
  virtual void lock(const Held& held) = 0;
  /// Where what is held was last read from: while it is the same and nobody says that it has changed, so is what is
  /// held.
  const Held* source = nullptr;
  /// The rates of all states. Keeps its factors, for the manifold and for multipliers.
  virtual void rate(double t, const double* x, double* rates) = 0;
  /// The multiplier of a row of the constraints, in the order of declaration; 0 where the constraint is not in force.
  virtual double multiplier(double t, const double* x, int row) = 0;
  virtual Manifold& manifold() = 0;
  /// A step of this size is about to be tried from here. True: the rates depend on it, so that the rate at the start
  /// has to be evaluated again.
  virtual bool begin_step(double /*t*/, const double* /*x*/, double /*h*/) { return false; }
  /// From here on, what is conserved keeps its value at this point.
  virtual void take_levels(double t, const double* x) = 0;
  /// An invariant that the motion does not keep here, in words; empty: it keeps them all.
  virtual std::string describe_unkept(double /*t*/, const double* /*x*/) { return {}; }
  /// Why rates or corrections are not finite: singular matrices, by the names of what makes them so. Empty: no reason.
  virtual std::string why() const { return {}; }
  /// What a user should know, said once: redundant constraints, for instance.
  virtual std::vector<Message> take_notes() { return {}; }
  /// What it remembers, for a run that is saved or continued; what is held included.
  virtual void carry(Memory& memory) { memory.refuse(); }
  /// The values of all relays, for rate(), while the motion slides on one of them; null: what is held.
  const double* relays = nullptr;
  /// Evaluations of the right-hand side that multiplier() and others made beside rate().
  long long extra_evaluations = 0;
};

}  // namespace pawl::formulate
