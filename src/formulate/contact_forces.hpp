// What friction and compliance add to the equations of a mechanism while the modes of its contacts are held.
//
// The constraint rows of a contact are minus its gap and minus its slip speed u, so that in M a + G^T λ = f the
// multipliers are the force λN that presses and the friction force λT along u:
//
//   slip        λT = -μ λN d, with d the direction of u: in force is the row G_N, with the column G_N - μ d.G_T
//   smoothed    the same, with d = tanh(|u| / speed) u / |u|
//   joint       the same, with λN = ±λ of the joint
//   driven      λN is given, so that λT is a force like others
//   compliant   λN follows from penetration δ and its rate: a force like others, and its friction is smoothed
//
// With E_j = -μ d.G_T of k such columns, a and λ follow from k + 1 solutions of the system without them, whatever its
// kind: (a0, λ0) of (f, γ) and (a_j, l_j) of (E_j^T, 0) give
//
//   (1 + L) z = z0,   a = a0 - Σ a_j z_j,   λ = λ0 - Σ l_j z_j,
//
// where z, z0 and the columns of L are the loads, elements of λ, λ0 and l_j. The pivots of 1 + L are those of sliding
// over those without friction: where one reaches zero, the force grows without bound (Painlevé 1895).
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "formulate/kkt.hpp"
#include "formulate/mechanics_terms.hpp"

namespace pawl::formulate {

/// Of the friction of compliant contacts that have none of their own.
inline constexpr double compliant_slip_speed = 1e-4;

class ContactForces {
 public:
  explicit ContactForces(const System::Declarations& model);

  /// Whether a contact in its mode adds anything to the rows that are in force.
  static bool acts(const ContactInfo& contact, const Held& held);
  bool act(const Held& held) const;

  /// Takes the modes that are held. rows: those that `kept` had before redundant ones were dropped. Allocates.
  void arrange(double t, const double* x, const Held& held, const MechanicsTerms& kept, const std::vector<int>& rows);

  /// At this point: adds the forces that do not depend on multipliers, and evaluates what the others need.
  void add_forces(double t, const double* x, const double* relays, std::vector<double>& force);
  /// From the solution without the columns E to the one with them.
  void deflect(Kkt& kkt, double* a, double* lambda);

  /// What is held belongs to others.
  void carry(Memory& memory, const Held& held);

  // After both, at their point:
  double least_pivot() const { return least_pivot_; }  ///< 1: nothing slips
  double power() const { return power_; }              ///< what friction and compliance take
  /// Rows of the constraints by declaration whose forces are determined here, and not by the rows in force.
  bool determines(int declared_row) const { return is_own_[static_cast<std::size_t>(declared_row)] != 0; }
  double force(int declared_row) const { return row_force_[static_cast<std::size_t>(declared_row)]; }

 private:
  struct Acting {
    const ContactInfo* contact;
    int normal = -1;   // compliant: row of terms_
    int slip = -1;     // first row of terms_; -1: no friction
    int load = -1;     // the declared row whose multiplier presses; -1: it does not come from a row
    double sign = 1;   // of that multiplier
    double smoothing;  // slip speed; 0: dry
    std::array<double, 2> speed{}, direction{};
  };

  int first_row(int constraint) const { return info_.constraints[static_cast<std::size_t>(constraint)].first_row; }
  void check_rows(double t, const double* x);
  void find_direction(Acting& one) const;
  double elastic_force(Acting& one);
  void set_friction(const Acting& one, double pressing);
  void add_row(int row, double factor, double* out) const;
  void share_loads();
  void solve_loads();

  const System::Declarations& model_;
  const MechanicsInfo& info_;
  const Held* held_ = nullptr;
  MechanicsTerms terms_;  // rows of slip, and of the gaps of compliant contacts
  bool is_checked_ = false;
  std::vector<Acting> given_;    // driven, compliant
  std::vector<Acting> oblique_;  // those with a column
  std::vector<char> is_own_;     // per declared row
  std::vector<double> row_force_;
  double power_ = 0, least_pivot_ = 1;

  // k columns
  std::vector<int> load_row_;  // of the kept rows; -1: it is a share of several
  std::vector<double> zero_, column_;
  Eigen::MatrixXd a_, l_, factors_;
  Eigen::VectorXd load_, known_;
  std::vector<Eigen::Index> order_;

  // Where rows were dropped, loads are the multipliers of least norm that all rows together may have.
  std::unique_ptr<MechanicsTerms> all_;
  std::vector<int> kept_rows_;  // of all_
  Eigen::MatrixXd shares_;      // kept rows x k
};

}  // namespace pawl::formulate
