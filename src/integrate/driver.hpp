// Driver: one smooth piece after the other, one accepted step at a time. A method takes the step; the driver owns what
// there is beside it: an implicit method for where the first is held back by stiffness, explicit ones of lower order
// for where events leave few steps between them, the corrections of the ends of steps, the choice of polynomial. Each
// part is there or not; without any, it is the method.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integrate/companions.hpp"
#include "integrate/keeper.hpp"
#include "integrate/order_ladder.hpp"
#include "integrate/switching.hpp"

namespace pawl {

/// A method that is made when it is first needed.
using MakeStepper = std::function<std::unique_ptr<Stepper>()>;

struct LowerOrder {
  std::string name;
  double stability_limit;
  MakeStepper make;
};

struct DriverParts {
  std::unique_ptr<Stepper> method;
  MakeStepper make_implicit = {};           ///< the second method
  std::optional<Switching> switching = {};  ///< when it takes over
  std::vector<LowerOrder> lower_orders = {};
  std::optional<OrderLadder> ladder = {};  ///< of the method and these; beside a switching only
  Keeper* keeper = nullptr;
  Companions* companions = nullptr;
};

class Driver {
 public:
  /// A method of somebody else, and nothing beside it.
  explicit Driver(Stepper& method) : first_(&method), now_(&method) {}
  explicit Driver(DriverParts parts);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // As those of Stepper. `further`: what events ask for, after the pull of the keeper.
  void restart(double t, const double* x, double direction, double first_step, const double* rate = nullptr);
  Attempt step(double limit, Correction* further, Step& out) {
    return is_alone_ ? now_->step(limit, further, out) : step_with_parts(limit, further, out);
  }
  bool interpolate(Step& step) { return is_alone_ ? now_->interpolate(step) : interpolate_with_parts(step); }
  bool redo(double end, Correction* further, Step& step);
  /// An event has ended a piece at t: which method takes the next one, before the restart.
  void end_piece(double t) {
    if (parts_.ladder && !parts_.switching->is_implicit()) choose_order(t);
  }
  /// Tells the methods apart: steps of one say little about those of another.
  int method_in_force() const {
    return !parts_.switching || now_ == first_ ? 0 : now_ == second_.get() ? -1 : parts_.ladder->rung();
  }
  /// The name of the one that takes the steps now; `alone` where there is no choice.
  const std::string& name_in_force(const std::string& alone) const;
  double next_step_size() const {
    const double own = now_->next_step_size();
    return own > 0 || !parts_.ladder ? own : borrowed_step_;  // none yet: from the method before
  }
  int order() const { return now_->order(); }
  int dense_order() const;
  bool corrects_ends() const { return (keeper() != nullptr && keeper()->ends_at_events()) || now_->corrects_ends(); }
  double dense_weight() const { return now_->dense_weight(); }
  void carry(Memory& memory);

  std::vector<Message> take_notes() { return is_alone_ ? now_->take_notes() : take_all_notes(); }
  bool has_notes() const;
  bool is_implicit() const { return now_->is_implicit(); }
  std::string solver() const { return solving().solver(); }
  std::string jacobian_kind() const { return solving().jacobian_kind(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const;
  /// Where there is a choice: those that have taken steps, from the first.
  std::vector<std::string> methods_used() const;
  /// Of all parts together; of it the evaluations of the right-hand side alone, which events ask for at every step.
  Work work() const;
  long long evaluations() const;
  const StepFailure& failure() const { return is_alone_ ? now_->failure() : failure_; }
  /// Of a run that has no other method for it.
  const std::optional<Stiffness>& stiffness() const { return parts_.switching ? nothing : now_->stiffness(); }

 private:
  /// The keeper, then what events ask for.
  class Corrections final : public Correction {
   public:
    bool begin(double t, const double* x, double h) override;
    double apply(double t, double* x) override;
    Correction *first = nullptr, *second = nullptr;
  };

  Keeper* keeper() const { return parts_.keeper; }
  Step& own(Step& step) const { return parts_.companions != nullptr ? parts_.companions->whole : step; }
  const Stepper& solving() const { return second_ ? *second_ : *first_; }
  Attempt step_with_parts(double limit, Correction* further, Step& out);
  bool interpolate_with_parts(Step& step);
  std::vector<Message> take_all_notes();
  Correction* correction(Correction* further);
  Attempt advance(double limit, Correction* further, Step& out);
  bool pass(double branching, double limit, Correction* further, Step& out);
  void change_method(double limit);
  void choose_order(double t);
  void climb_within_piece();
  void take_rung();
  void begin_piece(double t);
  void carry_rungs(Memory& memory);
  template <class See>
  void each_method(const See& see) const;
  bool take_again(double end, Correction* further, Step& step);
  Attempt fail(Attempt attempt, StepFailure failure);

  static constexpr std::optional<Stiffness> nothing{};

  DriverParts parts_;
  bool is_alone_ = true;  // the method: tiny systems feel every detour
  Stepper* first_;
  std::unique_ptr<Stepper> second_;  // implicit, beside an explicit one
  struct Rung {
    std::string name;
    double stability_limit;
    Stepper* method;  // null: not made yet
    std::unique_ptr<Stepper> owned = {};
  };
  std::vector<Rung> rungs_;  // the explicit methods, from the highest order down
  struct {
    double t = 0;
    long long accepted = 0, rhs = 0;
  } piece_;                   // where it began, and the work of the method in force by then
  double borrowed_step_ = 0;  // of a method that has just been made
  std::vector<Message> notes_;
  Stepper* now_;
  Corrections corrections_;
  double direction_ = 1;
  struct {
    bool is_last = false;  // the last step was one of the keeper's own: the method goes on from its end
    double t = 0, next_step = 0;
    std::vector<double> x = {};
    Step step = {};
  } passage_;
  long long passages_ = 0;
  StepFailure failure_;
};

}  // namespace pawl
