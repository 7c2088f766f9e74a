// The terms of a mechanism at one point: mass matrix, forces, constraints and their derivatives, by automatic
// differentiation of what the user wrote.
//
//   G        derivative of g by the speeds: one evaluation with duals per eight positions a constraint reads
//   γ        what the second derivative of g along the motion has beside G v': one evaluation with jets, on the path
//            t + s, q + q' s + q'' s²/2 with v' = 0. It also yields g and dg/dt.
//   Q        what follows from masses that move (inertial_terms.hpp)
//
// Which positions a constraint reads is observed, never asked, so G is as sparse as the model is.
#pragma once

#include <vector>

#include "formulate/inertial_terms.hpp"

namespace pawl::formulate {

class MechanicsTerms {
 public:
  explicit MechanicsTerms(const System::Declarations& model);

  int size() const { return n_; }               ///< speeds
  int rows() const { return rows_; }            ///< in force
  int holonomic() const { return holonomic_; }  ///< the first so many rows are constraints of positions
  const MechanicsInfo& info() const { return info_; }
  const SparseRows& pattern() const { return pattern_; }
  const SparseRows& mass_pattern() const { return mass_pattern_; }
  bool is_sparse() const { return map_.is_sparse(); }
  /// Another number whenever `mass` has been evaluated anew.
  long long mass_version() const { return mass_version_; }
  int declared_row(int row) const { return declared_row_[static_cast<std::size_t>(row)]; }
  const std::string& row_name(int row) const;
  int row_of_declared(int declared) const;  ///< -1: not in force

  /// Takes what is held, and the constraints of `declared_rows` (holonomic ones first, whole or in part) into force;
  /// observes what they read at this point. Allocates.
  void lock(const Held& held);
  /// All but what is held, which belongs to others.
  void carry(Memory& memory) {
    memory(mass, force, jacobian, value, slope, gamma, q_rate, rows_, holonomic_, map_, force_map_, pattern_,
           mass_pattern_, blocks_, declared_row_, potentials_, q_curve_, duals_, rows_dual_, rows_jet_, rows_value_,
           motion_, inertial);
    inertia_.carry(memory);
  }
  std::vector<int> rows_in_force() const;
  void arrange(double t, const double* x, const std::vector<int>& declared_rows);

  /// Whether a function reads other coordinates here, as things are held, than when it was arranged.
  bool reads_differ(double t, const double* x);
  bool force_is_finite() const;

  // Each writes into the members below; none allocates.
  void rate_of_positions(const double* x);                                         // q_rate
  void evaluate_mass(double t, const double* x);                                   // mass
  void evaluate_inertia(double t, const double* x, const double* rates);           // mass, inertial; needs q_rate
  void evaluate_force(double t, const double* x, const double* relays = nullptr);  // force
  void evaluate_jacobian(double t, const double* x);                               // jacobian
  void evaluate_motion(double t, const double* x);                                 // value, slope, gamma; needs q_rate
  void evaluate_values(double t, const double* x, double* values);                 // holonomic rows only
  /// Second derivatives: d(dg/dt)/dq along q' for every row in force, by the speeds of the positions (dense, rows x n),
  /// and for rows on speeds dh/dq.
  void evaluate_slope_jacobian(double t, const double* x, double* dense);
  /// From derivatives by all states to generalized forces: those by positions, turned into speeds.
  void force_of_positions(const double* by_state, const double* x, double* out) const;
  /// q' = map w of an attitude.
  void attitude_map(int attitude, const double* x, double map[4][3]) const;
  void normalize(double* x) const;  ///< attitudes to length one
  /// q += S(q) d, attitudes by their own rule, then normalized.
  void move_positions(const double* d, double* x) const;

  /// How the mass matrix moves. Rates of all states are wanted where it reads further states.
  InertialTerms& inertia() { return inertia_; }
  const InertialTerms& inertia() const { return inertia_; }
  void add_inertial();  ///< to `force`

  std::vector<double> mass, force, jacobian;  // mass: dense or in the places of mass_pattern
  std::vector<double> inertial;               // what follows from masses that move, per speed
  std::vector<double> value, slope, gamma;    // per row; value: g or h; slope: dg/dt, for rows on speeds h itself
  std::vector<double> q_rate;                 // per position

 private:
  struct Block {  // one constraint, as far as it is in force
    const MechanicsInfo::ConstraintInfo* info;
    std::vector<int> kept;  // which of its rows
    int first_row;
    std::vector<int> seeds;              // numbers of positions (or speeds) it reads
    std::vector<int> positions, speeds;  // all it reads, by number
    std::vector<int> columns;            // of G, ascending
    std::vector<int> slot;               // per seed: place of its column in `columns`; attitudes: of their first speed
    std::vector<int> seed_states;        // per seed
    bool is_plain;                       // every seed has the column of its number: no attitudes among them
  };
  std::vector<int> read_of(const std::vector<int>& states) const;
  std::vector<int> reads(const Function& f, double t, const double* x, bool of_speeds);
  void set_duals(const std::vector<int>& positions, const std::vector<int>& speeds, const double* x);
  int attitude_of(int position) const { return attitude_of_[static_cast<std::size_t>(position)]; }
  void observe_mass(double t, const double* x);

  const System::Declarations& model_;
  const MechanicsInfo& info_;
  const Held* held_ = nullptr;
  int n_, rows_ = 0, holonomic_ = 0;
  bool keeps_mass_ = false;  // it has been evaluated, and nothing that it depends on moves
  long long mass_version_ = 0;
  std::vector<int> attitude_of_;  // per position, -1 if none
  detail::EntryMap map_;          // of the mass matrix and, without slots, of forces
  detail::EntryMap force_map_;
  InertialTerms inertia_;
  SparseRows pattern_, mass_pattern_;
  std::vector<Block> blocks_;
  std::vector<int> declared_row_;
  struct PotentialReads {
    const Function* v;
    std::vector<int> positions;  // by number
    std::vector<int> others;     // further states
  };
  std::vector<PotentialReads> potentials_;

  std::vector<double> q_curve_;  // half the second derivative of positions with v' = 0; attitudes alone have one
  std::vector<Gradient> duals_, rows_dual_;
  std::vector<Jet<double>> rows_jet_;
  std::vector<double> rows_value_;
  struct MotionStates final : detail::LazyStates<Jet<double>> {
    std::vector<Jet<double>> jets;
    std::vector<char> was_read;
    const Jet<double>& state(int i) const override { return jets[static_cast<std::size_t>(i)]; }
  } motion_;
};

}  // namespace pawl::formulate
