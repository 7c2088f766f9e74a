// EquationKeeper: keeps the steps of a differential-algebraic system on what its equations say: the pull of their ends,
// polynomials that lie there between them, and a watch for positions in which the equations lose rank.
//
// A polynomial of the method is off the hidden constraints inside the step by its own error. Where that is seen in the
// middle, it is moved by s² (1 - s)² (a + b x + c x²), x = s - 1/2, onto the consistent values at 1/4, 1/2 and 3/4.
//
// On the way through a singular position a singular value of A changes its sign, A the matrix of a stage of
// dae_start.hpp, as in rank_watch.hpp.
#pragma once

#include <string>
#include <vector>

#include "integrate/keeper.hpp"
#include "stabilize/equation_pull.hpp"

namespace pawl::stabilize {

class EquationKeeper final : public Keeper {
 public:
  /// Both outlive it.
  EquationKeeper(EquationPull& equations, const StepControl& control);

  void restart(double t, const double* x) override;
  std::optional<double> branching_in(Step& step, Stepper& method) override;
  double come_nearer(double branching) override;
  bool has_ended() const override { return !singular_.empty(); }
  void accept(const Step& step) override;
  bool draw(Step& step, Stepper& method) override;
  /// From index 2 on a state inside a step is off what it follows from by the tolerance: an event is better at an end,
  /// where it is not, so that putting the state there after the event does not take back what has happened.
  bool ends_at_events() const override { return has_hidden_; }
  int dense_order(int of_method) const override { return of_method; }
  long long evaluations() const override { return 0; }  // the form counts them
  /// The pull is carried by whoever owns it.
  void carry(Memory& memory) override { memory(singular_, matrices_, has_hidden_, raised_); }

  /// Where the last step passed a singular position, in words; empty: it did not.
  /// Why steps cannot go on; empty: no reason is known here.
  const std::string& obstacle() const { return singular_.empty() ? equations_.unkept() : singular_; }
  long long raised_polynomials() const { return raised_; }

 private:
  struct Singular {
    double before = 0;
    std::string text;
  };
  Singular find_singular(const Step& step);
  Singular found_;
  formulate::StageMatrices matrices_at(const Step& step, double t);
  bool find_move(const Step& step, double s, std::vector<double>& move);
  double size_of(const std::vector<double>& move, const Step& step) const;

  EquationPull& equations_;
  const StepControl& control_;
  formulate::StageMatrices matrices_;  // at the start of the step
  std::vector<double> x_, next_, rates_, moves_[3], kept_;
  std::string singular_;
  bool has_hidden_ = false;  // constraints
  long long raised_ = 0;
};

}  // namespace pawl::stabilize
