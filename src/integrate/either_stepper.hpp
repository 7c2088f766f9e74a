// EitherStepper: two ways to take the steps of one method, of which every smooth piece chooses one.
// Differential-algebraic systems need it whose index changes with the mode: BDF solves equations of index 1 as they
// stand, and from index 2 on integrates the rates that follow from them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pawl/stepper.hpp"

namespace pawl {

class EitherStepper final : public Stepper {
 public:
  using Make = std::function<std::unique_ptr<Stepper>()>;
  /// takes_second: asked at every restart, with the time and the state. A stepper is made when it is first needed.
  EitherStepper(std::function<bool(double t, const double* x)> takes_second, Make first, Make second);

  void restart(double t, const double* x, double direction, double first_step, const double* rate) override;
  Attempt step(double limit, Correction* correction, Step& out) override;
  bool interpolate(Step& step) override;
  bool redo(double end, Correction* correction, Step& step) override;
  const double* start_rate() const override { return now_->start_rate(); }
  const double* end_rate() override;
  double next_step_size() const override { return now_->next_step_size(); }
  int order() const override { return now_->order(); }
  int dense_order() const override { return now_->dense_order(); }
  bool corrects_ends() const override { return now_->corrects_ends(); }
  double dense_weight() const override { return now_->dense_weight(); }
  std::vector<Message> take_notes() override;
  bool has_notes() const override;
  bool is_implicit() const override { return now_->is_implicit(); }
  std::string solver() const override { return now_->solver(); }
  std::string jacobian_kind() const override { return now_->jacobian_kind(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const override;

 private:
  struct Way {
    Make make;
    std::unique_ptr<Stepper> stepper;  // null: not needed yet
  };
  Stepper& choose(bool is_second);
  void take_over();

  std::function<bool(double t, const double* x)> takes_second_;
  Way ways_[2];
  Stepper* now_;
};

}  // namespace pawl
