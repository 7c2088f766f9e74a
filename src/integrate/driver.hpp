// Driver: one smooth piece after the other, one accepted step at a time. A method takes the step; the driver owns what
// there is beside it: a second method for where the first is held back by stiffness, the corrections of the ends of
// steps, the choice of polynomial. Each part is there or not; without any, it is the method.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integrate/companions.hpp"
#include "integrate/keeper.hpp"
#include "integrate/switching.hpp"

namespace pawl {

struct DriverParts {
  std::unique_ptr<Stepper> method;
  std::function<std::unique_ptr<Stepper>()> make_implicit = {};  ///< the second method, called when it is first needed
  std::optional<Switching> switching = {};                       ///< when it takes over
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
  double next_step_size() const { return now_->next_step_size(); }
  int order() const { return now_->order(); }
  int dense_order() const;
  bool corrects_ends() const { return (keeper() != nullptr && keeper()->ends_at_events()) || now_->corrects_ends(); }
  double dense_weight() const { return now_->dense_weight(); }
  void carry(Memory& memory);

  std::vector<Message> take_notes() { return parts_.switching ? take_all_notes() : now_->take_notes(); }
  std::string solver() const { return solving().solver(); }
  std::string jacobian_kind() const { return solving().jacobian_kind(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const;
  /// Of all parts together.
  Work work() const;
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
  void change_method(double limit);
  bool take_again(double end, Correction* further, Step& step);
  Attempt fail(Attempt attempt, StepFailure failure);

  static constexpr std::optional<Stiffness> nothing{};

  DriverParts parts_;
  bool is_alone_ = true;  // the method: tiny systems feel every detour
  Stepper* first_;
  std::unique_ptr<Stepper> second_;  // implicit, beside an explicit one
  Stepper* now_;
  Corrections corrections_;
  StepFailure failure_;
};

}  // namespace pawl
