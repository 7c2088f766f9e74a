// ManifoldKeeper: every trial end passes the stabilizer inside the accept test, and the polynomial of a step is one
// whose ends, and as far as asked its inside, lie on the manifold. Where constraints of a mechanism lose rank in one
// position only, a Passage goes across it, on the branch of smooth continuation.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integrate/follower_levels.hpp"
#include "integrate/keeper.hpp"
#include "stabilize/hermite_levels.hpp"
#include "stabilize/passage.hpp"
#include "stabilize/rank_watch.hpp"

namespace pawl::stabilize {

/// What is integrated, on the form.
struct KeptMotion {
  const VectorField& field;
  const StepControl& control;
  int size;
};

class ManifoldKeeper final : public Keeper {
 public:
  /// draws_on_manifold: the ends of steps are on it, so the polynomial between them may be too; else it is the
  /// method's own. The followers, if any, are told of every evaluation they can make use of.
  ManifoldKeeper(Stabilizer& stabilizer, Form& form, const KeptMotion& motion, bool draws_on_manifold,
                 FollowerLevels* followers);

  void restart(double t, const double* x) override;
  std::optional<double> branching_in(Step& step, Stepper& method) override;
  std::optional<double> branching_ahead(double reach) override;
  bool pass(double branching, Step& out) override;
  double come_nearer(double branching) override;
  bool has_ended() const override { return !singular_.empty(); }
  void accept(const Step& step) override;
  bool draw(Step& step, Stepper& method) override;
  int dense_order(int of_method) const override { return hermite_ && hermite_->has_work() ? 5 : of_method; }
  long long evaluations() const override {
    return (hermite_ ? hermite_->evaluations : 0) + (passage_ ? passage_->evaluations : 0);
  }
  std::vector<Message> take_notes() override { return std::exchange(notes_, {}); }
  bool has_notes() const override { return !notes_.empty(); }
  /// With its stabilizer; the form is carried by whoever owns it.
  void carry(Memory& memory) override;

  /// Which singular configuration the run cannot pass, in words; empty: it has met none.
  const std::string& singular() const { return singular_; }
  long long raised_polynomials() const { return hermite_ ? hermite_->raised : 0; }

 private:
  std::string choices(double branching);
  Passage::Motion motion_of(const KeptMotion& motion);
  bool pull_to_rounding(double t, double* x);
  void find_sizes(double t, const double* x, double span, double* sizes);
  enum class Turn { none, in_the_middle, elsewhere, several };
  Turn find_turn_of_passage(const Step& step, double& where);
  double locate(const Step& step);

  Stabilizer& stabilizer_;
  formulate::MechanicsForm* mechanics_ = nullptr;
  std::optional<HermiteLevels> hermite_;
  std::optional<RankWatch> watch_;
  std::optional<NewtonPull> newton_;
  std::optional<Passage> passage_;  // none where steps do not end on the manifold
  FollowerLevels* followers_;
  std::string singular_;
  std::vector<Message> notes_;
  // Where the last step ended, and the rates as they were in it, on average.
  double t_ = 0;
  std::vector<double> x_, slope_, next_, residual_;
  std::vector<double> speed_roots_, position_roots_;  // of the masses that move, at the start of a passage
  int tries_ = 0;                                     // to pass what is ahead, each from half as far as the one before
  double last_distance_ = 0;
};

}  // namespace pawl::stabilize
