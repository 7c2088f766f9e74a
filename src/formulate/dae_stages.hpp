// Stages: the successive systems of equations of dae_start.hpp, each solved by Newton's method for what it determines.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "formulate/dae_rank.hpp"
#include "formulate/dae_start.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

enum class StagePurpose {
  start,  ///< values, from guesses
  jump,   ///< values, from those before the jump
  rates,  ///< y' at given values, which stay
  field,  ///< y' at given values of what is differentiated; algebraic unknowns follow from them
};

class Stages {
 public:
  Stages(DaeForm& form, double t, const double* y, const double* dy, std::vector<bool> fixed, StagePurpose purpose);

  /// Returns why it cannot. matrices: where those of the stages go.
  std::string run(StageMatrices* matrices = nullptr);
  StageMatrices all_matrices();
  std::string weakest_row();
  DaeArray judge_array();
  std::string respond(const Eigen::MatrixXd& on_rows, ImpulseResponse& out);
  const double* y() const { return z(0); }
  const double* dy() const { return z(1); }

 private:
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;
  static constexpr int largest_dense = 400;  // unknowns
  static constexpr double rank_threshold = 1e-11;

  struct Unknown {
    int state, order;
  };
  struct Row {
    int row, order;
  };
  /// The rows of the next stage, integrated over the jump: columns are the unknowns of this stage, in units of their
  /// sizes, then the impulses.
  struct Balance {
    Matrix A;
    Vector right;
  };

  double* z(int order) { return z_.data() + order * n_; }
  const double* z(int order) const { return z_.data() + order * n_; }
  bool keeps_values() const { return purpose_ == StagePurpose::rates || purpose_ == StagePurpose::field; }
  bool has_exact_rates(int highest) const;
  bool is_array() const { return structure_.array > 0; }
  bool is_guess(const Unknown& one) const {
    return one.order == 0 && structure_.d[at(one.state)] > 0 &&
           (!is_array() || structure_.roles[at(one.state)].is_differential);
  }
  double nominal(int state) const { return form_.equations().nominal(state, z(0)[state]); }

  // dae_stages.cpp: what a stage solves, and how.
  int highest_stage() const;
  std::string run_array();
  void arrange(int stage);
  void arrange_together();
  std::string solve();
  std::string check_without_unknowns();
  bool search(const Vector& change, Vector& b);
  void move(const Vector& change, double factor);
  double relative(const Vector& change) const;
  bool is_within(const Vector& b, double of_terms, double of_nominals) const;
  bool is_rounding(const Vector& b) const;
  void take_algebraic_rates();

  // dae_stage_rows.cpp: its rows, their derivatives and sizes.
  void residual(Vector& b);
  void evaluate_rows();
  std::vector<int> equations_of(int order) const;
  enum class Sample { here, of_values };  // of_values: one with other rates serves, where residuals show how well
  void linearize(Sample which = Sample::here);
  void take_sample(Sample which);
  void add_row(Eigen::Index i, bool may_repeat, double nothing);
  std::vector<DaeValues> differentiate_sample();
  void find_scales();
  Eigen::MatrixXd matrix() const;
  double term_size(std::size_t row) const;
  double nominal_term_size(std::size_t row, double rate) const;
  double fastest_rate() const;

  // dae_stage_step.cpp: one step of Newton's method.
  bool step(const Vector& b, Vector& change);
  bool step_again(const Vector& b, Vector& change);
  bool take_free_part(Eigen::MatrixXd null_space, bool is_jump, Vector& change) const;
  Balance find_balance() const;
  void scale(Balance& balance) const;
  bool sparse_jump(const Matrix& A, const Vector& right, Vector& change) const;
  static bool sparse_step(const Matrix& A, const Vector& right, const Vector& weights, Vector& change);
  double weight_size(const Unknown& one) const;
  Vector weights(double of_others) const;

  // dae_stage_failure.cpp: why it cannot be solved.
  std::string row_text(std::size_t i) const;
  std::string say_not_finite(const Vector& b) const;
  std::string say_stuck(const Vector& b) const;
  bool is_read(int state) const;
  std::vector<double> left_null() const;

  DaeForm& form_;
  const DaeStructure& structure_;
  double t_;
  int n_, highest_order_;  // of derivatives of y
  std::vector<bool> fixed_;
  StagePurpose purpose_;
  int stage_ = 0;
  bool is_together_ = false;
  std::vector<double> z_;       // y and its derivatives, order after order
  std::vector<double> r_;       // the rows and theirs, as far as they were asked for
  std::vector<double> before_;  // y at the guess
  std::vector<double> kept_;    // z, to go back to
  std::vector<Unknown> unknowns_;
  std::vector<Row> rows_;
  bool is_linearized_ = false;  // here
  DaeValues sample_;
  std::vector<double> sampled_at_;  // y and y'
  std::vector<int> place_;
  std::vector<std::pair<int, double>> entries_;  // of one row of A
  Matrix A_;
  Vector size_, scale_;  // of unknowns and rows
  Vector column_, trial_;
  Eigen::MatrixXd dense_, eliminated_;
  struct ScaledFactors {
    Scales scales;  // empty: none
    linear::LeastNorm qr;
  };
  std::variant<std::monostate, RegularFactors, ScaledFactors> factors_;  // of the last step, for another one
  Vector factor_;                                                        // what its rows were multiplied by
};

}  // namespace pawl::formulate
