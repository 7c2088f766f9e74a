// Switching: an explicit method while accuracy limits the step, an implicit one while stability would. It looks at the
// steps and says when; whoever owns the two methods makes the change.
//
//   explicit -> implicit   the explicit method says that its steps hang at the edge of its stability region; or h ρ
//                          says so, for a decaying motion, where errors are too near rounding for the method to tell
//                          A motion that is stiff from its start says so after ten to thirty steps, where hundreds are
//                          ahead.
//   implicit -> explicit   h ρ stays well inside that region, ρ the spectral radius of df/dx
//
// Every change doubles the number of steps before the next look, so that the two cannot take turns for ever. This
// follows the type-insensitive codes (Petzold, SIAM J. Sci. Stat. Comput. 4 (1983) 136; Hairer and Wanner, Solving ODE
// II, IV.2).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integrate/spectral_radius.hpp"

namespace pawl {

struct SwitchingRules {
  std::string explicit_name, implicit_name;
  double stability_limit = 3.3;  ///< of the explicit method, along the negative axis
  bool looks_at_once = false;    ///< stiffness is judged at the start: where a try of explicit steps is dear
};

class Switching {
 public:
  Switching(SwitchingRules rules, const VectorField& field, int size, const StepControl& control);

  /// State or mode has jumped.
  void restart(double t, const double* x, double direction);
  /// The explicit method is another one from here on.
  void change_explicit(const std::string& name, double stability_limit);
  /// Whether the other method takes over before the next step, which ends at or before limit: then the size of its
  /// first step (0: it chooses). What the method in force says: its next step, and that it hangs at the edge.
  std::optional<double> change(double limit, double next_step, const std::optional<Stiffness>& stiffness);
  /// The method in force has taken this step; an explicit one may say that it is held back.
  void see(const Step& step, bool is_held_back);
  /// That step ends elsewhere now.
  void move_to(const Step& step);

  bool is_implicit() const { return is_implicit_; }
  /// Where the run stands: the other method starts here.
  double t() const { return t_; }
  const double* x() const { return x_.data(); }
  double direction() const { return direction_; }
  const SwitchingRules& rules() const { return rules_; }
  long long evaluations() const { return spectrum_.evaluations(); }
  std::vector<Message> take_notes() { return std::exchange(notes_, {}); }
  bool has_notes() const { return !notes_.empty(); }
  void carry(Memory& memory);

 private:
  double turn(double first_step, const std::string& why);
  bool hangs_at_the_edge(const Step& step);
  bool looks_stiff_early(const Step& step, double h);
  bool is_at_the_edge(double h) const;
  bool is_slow_beside(double h) const;
  bool decays() const;
  bool is_calm(const Step& step);

  SwitchingRules rules_;
  SpectralRadius spectrum_;
  bool is_implicit_ = false, is_new_ = true, has_to_look_ = false;
  bool is_due_ = false;  // the change: made before the next step, as the last one may still be taken again
  double t_ = 0, direction_ = 1, limit_ = 0;
  static constexpr int last_early_look = 30;
  bool is_early_ = true;   // it may yet turn out to be stiff from its start
  double early_step_ = 0;  // the fifth of the last ten
  std::vector<double> x_;
  int since_change_ = 0, next_look_ = 100, hits_ = 0, dwell_ = 20, calm_ = 0, changes_ = 0;
  std::vector<Message> notes_;
};

}  // namespace pawl
