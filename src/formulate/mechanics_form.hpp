// A mechanism as an ordinary differential equation on its manifold.
//
// Every evaluation of the rates solves M a + G^T λ = f, G a = -γ afresh and keeps the factors; the pull of positions
// and speeds onto the manifold is a solve with the same matrix (docs/constraints.md). Friction and compliance of
// contacts come on top (contact_forces.hpp).
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulate/contact_forces.hpp"
#include "formulate/form.hpp"
#include "formulate/formulation.hpp"
#include "formulate/invariant_rows.hpp"
#include "formulate/mechanics_terms.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

class MechanicsForm final : public Form, public Manifold {
 public:
  MechanicsForm(std::shared_ptr<const System::Declarations> model, Formulation formulation);

  // Form
  void lock(const Held& held) override;
  void rate(double t, const double* x, double* rates) override;
  double multiplier(double t, const double* x, int row) override;
  /// What the terms would make of every multiplier if none of them cancelled: its rounding is relative to that. In the
  /// order of declaration; 0 where the constraint is not in force.
  void multiplier_sizes(double t, const double* x, double* sizes);
  /// Whether the rates here were the last that were evaluated, so that multipliers cost nothing.
  bool is_known(double t, const double* x) const {
    return !is_stale_ && has_last_ && relays == nullptr && !had_relays_ && t == t_last_ &&
           std::equal(x_last_.begin(), x_last_.end(), x);
  }
  Manifold& manifold() override { return *this; }
  bool begin_step(double t, const double* x, double h) override;
  void take_levels(double t, const double* x) override { invariants_.take_levels(t, x); }
  std::string why() const override;
  std::string describe_unkept(double t, const double* x) override;
  std::vector<Message> take_notes() override { return std::exchange(notes_, {}); }
  void carry(Memory& memory) override;

  // Manifold: positions, speeds, invariants
  int levels() const override { return invariants_.rows() > 0 ? 3 : 2; }
  Kind kind(int level) const override {
    return level == 0 ? Kind::position : level == 1 ? Kind::velocity : Kind::invariant;
  }
  int rows(int level) const override {
    return level == 0 ? terms_.holonomic() : level == 1 ? terms_.rows() : invariants_.rows();
  }
  std::string row_name(int level, int row) const override {
    return level < 2 ? terms_.row_name(row) : invariants_.row_name(row);
  }
  void residual(int level, double t, const double* x, double* r) override;
  void rounding(int level, double t, const double* x, double* size) override;
  void correct(int level, const double* r, double* x) override;
  bool refactor(double t, const double* x) override;
  void jacobian(int level, double t, const double* x, double* J) override;
  void normalize(double* x) override { terms_.normalize(x); }
  std::string violation(double t, const double* x, const double* allowed) override;
  /// The same for these rows, as declared, which somebody else has left out; they are in force.
  std::string violation_of(const std::vector<int>& rows, double t, const double* x, const double* allowed);

  // For the stabilizations of the papers and the start: dense, at any point.
  MechanicsTerms& terms() { return terms_; }
  const MechanicsTerms& terms() const { return terms_; }
  const Held& held() const { return own_held_; }
  /// Of the last rate(), for the rows in force that are not redundant.
  const std::vector<double>& last_multipliers() const { return lambda_; }
  Eigen::MatrixXd dense_jacobian(double t, const double* x);
  Eigen::MatrixXd dense_mass(double t, const double* x);
  /// Roots of the diagonal of the mass matrix: what compares changes of coordinates whatever their units.
  Eigen::VectorXd mass_roots(double t, const double* x) { return dense_mass(t, x).diagonal().cwiseSqrt(); }
  /// The last factored point's matrices.
  Eigen::MatrixXd last_jacobian() const;
  Eigen::MatrixXd last_mass() const;
  const Formulation& formulation() const { return formulation_; }
  /// s = g' + σ g, and h.
  void surface(double t, const double* x, double* s);

  /// state_space: positions and speeds that follow from the independent ones. False: they do not follow.
  bool solve_dependent(double t, double* x);

  /// +1 or -1: of the integration.
  void set_direction(double direction) { direction_ = direction; }

  /// Where the run keeps the signs of the surfaces that are being reached: modes from here on, one per declared row.
  void reach_by_modes(int first_mode) { first_mode_ = first_mode; }
  bool has_reaching() const { return first_mode_ >= 0; }
  bool is_reaching(int row) const;

  /// Decides which rows depend on others here, and works without them from now on. Called at the start, after events
  /// and when a factorization fails; throws Misuse where rows contradict each other.
  void analyze_rank(double t, const double* x);
  const std::vector<int>& redundant_rows() const { return redundant_; }
  std::vector<int> redundant_joints() const;  ///< those that no contact has laws for
  /// All rows in force, redundant ones among them.
  struct RowsInForce {
    Eigen::MatrixXd G;
    std::vector<int> declared;
  };
  RowsInForce rows_in_force(double t, const double* x);
  /// Smallest pivot of a row, over the largest it has had since the constraints in force changed, since the last
  /// begin_step(); and the row.
  double weakest_pivot() const { return weakest_; }
  /// The largest pivot that each row in force has had: the square of its size, over the masses.
  const std::vector<double>& largest_pivots() const { return largest_pivot_; }
  /// Of the coordinate that this speed belongs to.
  std::string coordinate_name(int speed) const;
  std::string weakest_row_name() const { return terms_.rows() == 0 ? std::string() : terms_.row_name(weakest_row_); }
  /// Where the rows that were dropped do not hold although the others do: which one, and by how much. Empty: all hold.
  std::string contradiction(double t, const double* x);
  long long partition_changes() const { return partition_changes_; }

  /// Whether some contact, in the mode that is held, adds forces beside those of the rows in force.
  bool has_contact_forces() const { return contacts_ && contacts_->act(*held_); }
  /// The least pivot of the contacts that slip, over what it is without friction; 1 where none slips. At zero the force
  /// that presses grows without bound; NaN: there are no accelerations here.
  double least_slip_pivot(double t, const double* x);

 private:
  void prepare(double t, const double* x) {
    if (is_stale_) arrange(t, x);
  }
  void arrange(double t, const double* x);
  bool evaluate(double t, const double* x, const double* rates);  // terms and factors; false: singular
  bool factor(double t);                                          // of the mass and the derivatives at hand
  bool is_evaluated(double t, const double* x);  // rate() at this point, unless it was the last; false: singular
  void expect_finite_force(double t, const char* what);
  void make_kkt();
  void refuse_contacts() const;  // where the formulation has no multipliers for them
  void drop_dependent_rows(double t, const double* x);
  bool is_of_contact(int declared) const;
  void describe_failure(double t);
  double parameter_h() const { return step_ > 0 ? 1 / step_ : 0; }  // before the first step is known: none
  void choose_partition(double t, const double* x);
  void solve_mass(const double* f, double* a) const;
  void correct_invariants(const double* r, double* x);
  double shared_multiplier(double t, const double* x, int row);
  void analyze_sparse_rank(double t, const double* x);
  void drop_rows(double t, const double* x, const std::vector<int>& kept, const std::vector<int>& dropped,
                 const Eigen::MatrixXd& Y);
  MechanicsTerms& all_terms(double t, const double* x);
  static Eigen::MatrixXd to_dense(const MechanicsTerms& terms);

  std::shared_ptr<const System::Declarations> model_;
  Formulation formulation_;
  MechanicsTerms terms_;
  std::unique_ptr<ContactForces> contacts_;  // null: none are declared
  InvariantRows invariants_;
  Held own_held_;
  const Held* held_ = &own_held_;
  Held arranged_for_;
  std::unique_ptr<Kkt> kkt_;
  long long factored_mass_ = -1;           // its version in the terms, as far as the factors are good
  std::vector<int> in_force_, redundant_;  // declared rows
  bool is_stale_ = true, has_checked_inertia_ = false;
  double direction_ = 1;  // of the integration
  double step_ = 0, step_start_ = std::numeric_limits<double>::quiet_NaN();
  int first_mode_ = -1;
  std::string why_;
  std::vector<Message> notes_;

  std::vector<double> a_, lambda_, rhs_, d_, e_, held_lambda_;
  Kkt::Status status_ = Kkt::Status::good;
  bool holds_lambda_ = false;
  double t_last_ = 0;
  bool had_relays_ = false;
  std::vector<double> x_last_, x_work_, rates_work_;
  bool has_last_ = false, has_shared_ = false;
  Eigen::VectorXd shared_;  // multipliers of all rows in force, where some are redundant

  std::vector<int> others_;  // states that are neither position nor speed
  std::vector<double> largest_pivot_;
  double weakest_ = 1;
  int weakest_row_ = 0;
  std::unique_ptr<MechanicsTerms> all_terms_;  // with the rows that were dropped
  struct InvariantWork {
    Eigen::MatrixXd by_position, by_speed, along_position, along_speed, gram;  // columns: invariants
    Eigen::VectorXd share;
    linear::PivotedQr factors;
  } invariant_work_;
  std::vector<int> dependent_;  // speeds
  long long partition_changes_ = 0;
};

}  // namespace pawl::formulate
