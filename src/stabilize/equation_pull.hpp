// EquationPull: puts the end of a step of a differential-algebraic system onto everything its equations say about the
// values there: the constraints, the hidden ones that follow by differentiation, the algebraic unknowns, and the
// invariants that were declared beside them.
//
// Consistent values are those of dae_start.hpp, found from the end of the trial step as after a jump: speeds move by
// what impulses along the constraints do, which is the least move in the metric of M. Invariants are met by the least
// move of what is differentiated; both in turns, until neither moves anything. Steps that solve equations of index 2
// are on the constraints, with unknowns of index 2 off by the tolerance; where an event has been found, so that the
// step is taken again to end there, these are made exact too: they may be what decides.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "formulate/dae_start.hpp"
#include "formulate/invariant_rows.hpp"
#include "pawl/stepper.hpp"

namespace pawl::stabilize {

class EquationPull final : public Correction {
 public:
  /// The form in the mode that is held at this time.
  using Follow = std::function<formulate::DaeForm&(double t, const double* x)>;
  EquationPull(const System::Declarations& model, Follow follow, StepControl control);
  /// Asked at the end of every step, by how much states may be off: why the motion cannot go on; empty: it can.
  using Watch = std::function<std::string(double t, const double* x, const double* allowed)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  /// From this index on steps integrate the field of rates, which leaves algebraic unknowns off their equations too.
  /// Below they solve the equations themselves, which leaves hidden constraints where the index is 3, and invariants.
  void set_field(int from_index) { field_from_ = from_index; }

  /// From here on, what is conserved keeps its value at this point.
  void take_levels(double t, const double* x, const Held& held);
  bool begin(double t, const double* x, double h) override;
  double apply(double t, double* x) override;
  /// A state inside a step, onto all of it. Returns why that cannot be; empty: done.
  std::string settle(double t, double* x);
  /// Whether steps end off something that it puts them on.
  bool has_work(double t, const double* x) { return leaves_something(follow_(t, x)); }
  formulate::DaeForm& form(double t, const double* x) { return follow_(t, x); }
  /// Of the equations where it was applied last; empty: they are not known.
  const formulate::StageMatrices& matrices() const { return matrices_; }

  /// Invariants alone: x and whatever depends on it. Returns why they cannot be met; empty: done.
  std::string meet_invariants(formulate::DaeForm& form, double t, double* x, const Held& held);

  void carry(Memory& memory) {
    memory(step_, from_, is_applied_, is_retaken_, failure_, unkept_, applied_, largest_move_, largest_in_tolerance_,
           matrices_);
    invariants_.carry(memory);
  }

  const std::string& failure() const { return failure_; }
  /// What the watch said of trial steps from where the motion is now.
  const std::string& unkept() const { return unkept_; }
  long long applied() const { return applied_; }
  double largest_move() const { return largest_move_; }
  double largest_move_in_tolerance() const { return largest_in_tolerance_; }

 private:
  bool is_of_field(const formulate::DaeForm& form) const { return form.structure().index >= field_from_; }
  bool leaves_something(const formulate::DaeForm& form) const {
    return is_of_field(form) || form.structure().index >= 3 || invariants_.rows() > 0;
  }
  bool move_to_invariants(const formulate::DaeForm& form, double t, double* x);
  bool is_watched_well(double t, const double* x);

  Follow follow_;
  Watch watch_;
  int field_from_ = std::numeric_limits<int>::max();
  double step_ = 1, from_ = std::numeric_limits<double>::quiet_NaN();  // size and start of the one that is tried
  bool is_applied_ = false, is_retaken_ = false;
  const StepControl control_;
  formulate::InvariantRows invariants_;
  formulate::StageMatrices matrices_;
  std::vector<double> start_, rates_, residual_, rounding_, allowed_;
  std::string failure_, unkept_;
  long long applied_ = 0;
  double largest_move_ = 0, largest_in_tolerance_ = 0;
};

}  // namespace pawl::stabilize
