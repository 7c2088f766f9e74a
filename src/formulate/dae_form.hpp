// DaeForm: a model with equations 0 = F(t, x, x') or a mass matrix, as the implicit methods see it. Its structure is
// found when a mode is first entered (dae_structure.hpp); consistent values are found by dae_start.hpp.
//
// M is constant if that is proved, or if it is the same at a few points. In the second case it is compared again at
// every linearization, and wherever the residual is asked for y' = 0, as methods do that rely on it. Once it differs
// the kind is `varying` for good and version() is another; a residual that has seen it is NaN, so that the step is
// rejected. `identity` is always proved.
//
// Where the matrices are sparse, residual() and matrices() have each row at the place of an unknown it is assigned to:
// then the diagonal means something, and the order in which equations were declared costs nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "formulate/dae_equations.hpp"
#include "formulate/dae_structure.hpp"
#include "formulate/implicit_form.hpp"
#include "system/vector_field.hpp"

namespace pawl::formulate {

/// J = dr/dy and M = -dr/dy' at a point.
struct DaeSample {
  Eigen::SparseMatrix<double, Eigen::RowMajor> J, M;
};

class DaeForm final : public ImplicitForm {
 public:
  /// The field must outlive the form; what is held is read through it. Throws Misuse unless there are as many equations
  /// as states.
  DaeForm(std::shared_ptr<const System::Declarations> model, const ActiveField& field);

  void restart(double t, const double* x) override;
  /// y' at a consistent y: the equations hold, and where they leave rates open, their derivatives.
  std::string complete(double t, double* y, double* dy) override;
  void residual(double t, const double* y, const double* dy, double* r) override;
  void linearize(double t, const double* y, const double* dy) override;
  void time_slope(double t, const double* y, const double* dy, double* slope) override;
  std::string name(int unknown) const override { return equations_.state_name(unknown); }

  void carry(Memory& memory) override;

  /// The rates of the model at a consistent state, as guards read them; false: there are none.
  bool rate(double t, const double* y, double* dy);

  /// What was held at the last restart.
  const Held& held() const { return seen_; }

  /// Restarts if what is held is no longer what it was at the last restart.
  void follow(double t, const double* x);

  /// Evaluations of the model, with numbers and with derivatives, that neither residual() nor linearize() has made: for
  /// the structure, for consistent values and for rates.
  long long other_rhs() const { return equations_.all_evaluations - own_rhs_; }
  long long other_dual_rhs() const { return equations_.all_dual_evaluations - own_dual_rhs_; }

  /// Takes over what another form of the same model has found out about its modes.
  void learn_from(const DaeForm& other);

  /// Of the mode in force. Its failure is also what complete() returns.
  const DaeStructure& structure() const { return *structure_; }
  DaeEquations& equations() { return equations_; }
  /// J and M at a point, without the scales of rows that residual() and matrices() have: matrices, or the values of
  /// equations().by_row() alone.
  DaeSample sample(double t, const double* y, const double* dy);
  void sample_values(double t, const double* y, const double* dy, DaeValues& out);
  /// The factor of a row in residual(), J and M.
  double row_scale(int row) const { return row_scale_[static_cast<std::size_t>(row)]; }

  /// y and its derivatives where the derivative array was solved last: a guess for the next time.
  std::vector<double> last_motion;

 private:
  struct Mode {
    Held held;
    std::shared_ptr<const DaeStructure> structure;
    bool has_constant_mass, is_proved;
  };
  class Nearby;
  void enter(const Held& held, double t, const double* x);
  void analyze(const Held& held, double t, const double* x);
  const Mode& find_mode(const Held& held, Nearby& samples);
  bool mass_is_constant(Nearby& samples) const;
  void take_mass_as_varying();
  void shape_matrices();
  void arrange_matrices(double t, const double* x);
  void assign_rows();
  void name_jacobian();
  void find_scales(const double* x);
  void scatter(const std::vector<double>& values, std::vector<double>& out) const;

  const ActiveField& field_;
  DaeEquations equations_;
  std::shared_ptr<const DaeStructure> structure_;
  Held seen_;
  bool has_entered_ = false, has_shape_ = false;
  bool mass_is_proved_ = false, has_seen_mass_vary_ = false;
  long long own_rhs_ = 0, own_dual_rhs_ = 0;
  std::vector<Mode> modes_;  // the last few, as they were analyzed
  std::vector<double> row_scale_, slope_, largest_, diagonal_;
  std::vector<int> place_of_row_;    // in residual() and matrices()
  std::vector<int> place_of_entry_;  // of the pattern, in sparse matrices
  std::vector<double> by_equation_;  // rows as they were declared
  DaeValues now_;                    // what was evaluated last
  bool is_evaluated_ = false;        // at the point restart() is called for
  bool is_arranged_ = false;         // for this point:
  double arranged_t_ = 0;
  std::vector<double> arranged_x_;
};

std::unique_ptr<DaeForm> make_dae_form(std::shared_ptr<const System::Declarations> model, const ActiveField& field);

}  // namespace pawl::formulate
