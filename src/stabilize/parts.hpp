// The stabilizers of this room, one function each, and the Newton iteration several of them share.
#pragma once

#include "formulate/mechanics_form.hpp"
#include "stabilize/stabilizer.hpp"

namespace pawl::stabilize {

/// Newton steps onto the levels of a manifold. Allocates when the number of rows grows, and not otherwise.
class NewtonPull {
 public:
  NewtonPull(Form& form, int size);
  /// False: `why`.
  bool pull(double t, double* x, bool positions, bool velocities, bool invariants = true);

  void carry(Memory& memory) {
    memory(iterations, refactored, position_left, velocity_left, invariant_left, worst, first_level, first_row, why,
           first_excess_, r_, floor_, probe_);
  }

  long long iterations = 0, refactored = 0;
  double position_left = 0, velocity_left = 0, invariant_left = 0;  // largest residuals after the last pull
  int worst = 0;                                                    // row, of the level that was looked at last
  int first_level = 0, first_row = -1;                              // farthest off before the last pull
  std::string why;

 private:
  enum class End { met, slow, lost };
  End level(int level, double t, double* x, double& left);
  bool is_at_rounding(int level, const double* x, double digits);

  Form& form_;
  Manifold& manifold_;
  std::size_t size_;
  double first_excess_ = 0;
  std::vector<double> r_, floor_, probe_;
};

// projection.cpp: projection(...), the default
std::unique_ptr<Stabilizer> make_projection(const Stabilization& how, Form& form, const StepControl& control, int size);
// exact_projection.cpp: projection(fresh), projection(euclidean)
std::unique_ptr<Stabilizer> make_exact_projection(const Stabilization& how, Form& form, const StepControl& control,
                                                  int size);
// post_stabilization.cpp: s-full, s-both, s-both2, s-vel, s-pos
std::unique_ptr<Stabilizer> make_post_stabilization(const Stabilization& how, Form& form, const StepControl& control,
                                                    int size);
// sweeps.cpp: the two positions and two speeds of (3.27)-(3.30)
std::unique_ptr<Stabilizer> make_sweeps(const Stabilization& how, Form& form, const StepControl& control, int size);
// koenders.cpp: one projection (4.58)
std::unique_ptr<Stabilizer> make_koenders(const Stabilization& how, Form& form, const StepControl& control, int size);
// none.cpp: nothing moves; and state_space, whose dependent coordinates follow from the others
std::unique_ptr<Stabilizer> make_none(const Stabilization& how, Form& form, const StepControl& control, int size);
std::unique_ptr<Stabilizer> make_dependent(const Stabilization& how, Form& form, const StepControl& control, int size);

}  // namespace pawl::stabilize
