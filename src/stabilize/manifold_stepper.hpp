// ManifoldStepper: any stepper, kept on a manifold. Every trial end passes the stabilizer inside the accept test, and
// the polynomial of a step is one whose ends, and as far as asked its inside, lie on the manifold.
#pragma once

#include <memory>
#include <optional>

#include "integrate/follower_levels.hpp"
#include "stabilize/hermite_levels.hpp"
#include "stabilize/rank_watch.hpp"

namespace pawl::stabilize {

class ManifoldStepper final : public Stepper {
 public:
  /// The stepper and the stabilizer work on the form. draws_on_manifold: the ends of steps are on it, so the polynomial
  /// between them may be too; else it is the method's own.
  ManifoldStepper(std::unique_ptr<Stepper> inner, Stabilizer& stabilizer, Form& form, const VectorField& field,
                  const StepControl& control, int size, bool draws_on_manifold);
  /// Tells them of every evaluation they can make use of.
  void serve(FollowerLevels& followers);

  void restart(double t, const double* x, double direction, double first_step, const double* rate) override;
  Attempt step(double limit, Correction* further, Step& out) override;
  bool interpolate(Step& step) override;
  bool redo(double end, Correction* further, Step& step) override;
  const double* start_rate() const override { return inner_->start_rate(); }
  const double* end_rate() override;
  double next_step_size() const override { return inner_->next_step_size(); }
  int order() const override { return inner_->order(); }
  int dense_order() const override { return hermite_ && hermite_->has_work() ? 5 : inner_->dense_order(); }
  bool corrects_ends() const override { return true; }
  double dense_weight() const override { return inner_->dense_weight(); }
  std::vector<Message> take_notes() override { return inner_->take_notes(); }
  std::string solver() const override { return inner_->solver(); }
  std::string jacobian_kind() const override { return inner_->jacobian_kind(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const override { return inner_->steps_by_method(); }

  /// With its stabilizer; the form is carried by whoever owns it.
  void carry(Memory& memory) override {
    carry_common(memory);
    memory(singular_);
    inner_->carry(memory);
    stabilizer_.carry(memory);
    if (hermite_) hermite_->carry(memory);
  }

  /// Where the last step passed a singular configuration, in words; empty: it did not.
  const std::string& singular() const { return singular_; }
  long long raised_polynomials() const { return hermite_ ? hermite_->raised : 0; }

 private:
  /// The stabilizer, then what events ask for.
  class Both final : public Correction {
   public:
    Both(Stabilizer& first) : first_(first) {}
    Correction* second = nullptr;
    bool begin(double t, const double* x, double h) override {
      const bool one = first_.begin(t, x, h);
      return (second != nullptr && second->begin(t, x, h)) || one;
    }
    double apply(double t, double* x) override;

   private:
    Stabilizer& first_;
  };
  void take_over();

  std::unique_ptr<Stepper> inner_;
  Stabilizer& stabilizer_;
  Both both_;
  std::optional<HermiteLevels> hermite_;
  std::optional<RankWatch> watch_;
  FollowerLevels* followers_ = nullptr;
  std::string singular_;
};

}  // namespace pawl::stabilize
