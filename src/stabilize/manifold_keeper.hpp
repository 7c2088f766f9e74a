// ManifoldKeeper: every trial end passes the stabilizer inside the accept test, and the polynomial of a step is one
// whose ends, and as far as asked its inside, lie on the manifold.
#pragma once

#include <optional>
#include <string>

#include "integrate/follower_levels.hpp"
#include "integrate/keeper.hpp"
#include "stabilize/hermite_levels.hpp"
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
  double last_regular(Step& step, Stepper& method) override;
  bool has_ended() const override { return !singular_.empty(); }
  void accept(const Step& step) override { stabilizer_.accept(step.t1, step.end()); }
  bool draw(Step& step, Stepper& method) override;
  int dense_order(int of_method) const override { return hermite_ && hermite_->has_work() ? 5 : of_method; }
  long long evaluations() const override { return hermite_ ? hermite_->evaluations : 0; }
  /// With its stabilizer; the form is carried by whoever owns it.
  void carry(Memory& memory) override;

  /// Where the last step passed a singular configuration, in words; empty: it did not.
  const std::string& singular() const { return singular_; }
  long long raised_polynomials() const { return hermite_ ? hermite_->raised : 0; }

 private:
  Stabilizer& stabilizer_;
  std::optional<HermiteLevels> hermite_;
  std::optional<RankWatch> watch_;
  FollowerLevels* followers_;
  std::string singular_;
};

}  // namespace pawl::stabilize
