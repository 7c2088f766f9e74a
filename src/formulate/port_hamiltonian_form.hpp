// A port-Hamiltonian system made explicit by feedback linearization (Koenders (2002), eq. 4.43-4.47). With the efforts
// e = dH/dx and the constraint Φ = C^T e,
//
//   P = dΦ/dx = C^T d²H/dx² + (dC/dx)^T e,   f = (J - R) e - r + B u,
//   λ = -(P C)^-1 (P f + Φ_t),   x' = f + C λ,
//
// so that Φ keeps its value. The motion is brought back to Φ = 0 by projection (eq. 4.58), x := x - P^T (P P^T)^-1 Φ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "formulate/form.hpp"
#include "formulate/invariant_rows.hpp"
#include "numerics/elimination.hpp"
#include "pawl/port_hamiltonian.hpp"

namespace pawl::formulate {

/// Levels of the manifold: the constraints, where there are any; then the invariants, corrected without moving Φ.
class PortHamiltonianForm final : public Form, public Manifold {
 public:
  explicit PortHamiltonianForm(std::shared_ptr<const System::Declarations> model);

  void lock(const Held& held) override;
  const Held& held() const { return *held_; }
  void rate(double t, const double* x, double* rates) override;
  double multiplier(double t, const double* x, int row) override;
  Manifold& manifold() override { return *this; }
  /// Without it conserved quantities are kept at their values at the first residual.
  void take_levels(double t, const double* x) override;
  std::string why() const override { return why_; }
  std::vector<Message> take_notes() override { return std::exchange(notes_, {}); }
  void carry(Memory& memory) override {
    memory(extra_evaluations, declared_, why_, notes_, was_noted_, here_, elsewhere_, exchange_, loss_, flow_,
           right_side_, PC_, lu_, stack_, L_, lengths_, move_, factored_, fixed_, trial_e_, trial_C_, has_levels_,
           has_invariant_rows_, reads_);
    invariants_.carry(memory);
    invariants_.lock(declared_);
    source = nullptr;
  }

  int levels() const override { return (rows_ > 0) + (invariants_.rows() > 0); }
  Kind kind(int level) const override { return is_of_constraints(level) ? Kind::velocity : Kind::invariant; }
  int rows(int level) const override { return is_of_constraints(level) ? rows_ : invariants_.rows(); }
  std::string row_name(int level, int row) const override {
    return is_of_constraints(level) ? info_.constraints[static_cast<std::size_t>(row)].name : invariants_.row_name(row);
  }
  void residual(int level, double t, const double* x, double* r) override;
  void rounding(int level, double t, const double* x, double* size) override;
  void correct(int level, const double* r, double* x) override;
  bool refactor(double t, const double* x) override;
  void jacobian(int level, double t, const double* x, double* J) override;

  /// These states are not moved by correct(): their columns of P count as zero there. Empty: all may move.
  void hold_fixed(std::vector<int> states);
  /// States that no multiplier drives: their rows of C are zero at the declared start, together with their derivatives.
  std::vector<int> displacements();

  /// e = dH/dx, and the second derivatives of H by the states, n x n. For tests and tools; they allocate.
  std::vector<double> efforts(double t, const double* x);
  std::vector<double> hessian(double t, const double* x);

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // What is known at one point. H: second derivatives of the energy. The last column of H and P is by the time.
  struct Instant {
    Instant(int states, int rows);
    bool is_at(double time, const double* states) const;

    double t;
    Vector x, e, f, lambda;
    Matrix H, C, P;
    bool is_linear_here = false, has_multipliers = false;  // P is known; f and λ are known
  };

  bool is_of_constraints(int level) const { return level == 0 && rows_ > 0; }

  void observe_reads();                                     // which states each part of the energy reads
  void linearize(double t, const double* x, Instant& out);  // e, H, C, P
  void find_efforts(double t, const double* x, Vector& e);
  void find_curvature(Instant& out);
  void find_derivative(Instant& out);
  void find_multipliers(Instant& out);  // and f
  void find_columns(double t, const double* x, Matrix& C);
  void differentiate_invariants();                  // at here_
  void seed(double t, const double* x, int first);  // of gradient_x_ and gradient_t_: variables first ... first + 7
  bool factor(int rows);

  const std::shared_ptr<const System::Declarations> model_;
  const PortHamiltonianInfo& info_;
  const int size_, rows_;
  const detail::EntryMap map_;
  Held declared_;  // what is held until lock() says otherwise
  const Held* held_;
  InvariantRows invariants_;
  std::string why_;
  std::vector<Message> notes_;
  bool was_noted_ = false;

  Instant here_, elsewhere_;  // of the last rate() or refactor(); of other questions
  Matrix exchange_, loss_;
  Vector flow_, right_side_;
  Eigen::MatrixXd PC_;
  linear::PivotedLu<double> lu_;

  // Rows of (Φ, h) by the states, each of length one, columns of fixed states zero; the Cholesky factor L of their
  // products, of which the first factored_ rows are known.
  Matrix stack_, L_;
  Vector lengths_, move_;
  int factored_ = 0;
  std::vector<int> fixed_;

  Vector trial_e_;  // of the last residual
  Matrix trial_C_;
  bool has_levels_ = false, has_invariant_rows_ = false;

  // Per part of the energy: the states it reads, and n for the time. Derivatives by others are zero.
  std::vector<std::vector<int>> reads_;
  // Arguments and results of the model's functions.
  std::vector<Gradient> gradient_x_, gradient_out_;
  std::vector<Curvature> curvature_x_;
  Gradient gradient_t_;
};

std::unique_ptr<Form> make_port_hamiltonian_form(std::shared_ptr<const System::Declarations> model);

}  // namespace pawl::formulate
