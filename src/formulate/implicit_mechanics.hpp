// A constrained mechanism as implicit methods see it: positions q, speeds v, further states x, multipliers λ and μ in
//
//   q' = S(q) (v - G^T μ),   M(q) v' = f(t, q, v) + Q(t, q, v) - G^T λ,   x' = rates,
//
// with the constraints written at one of the levels
//
//   index_3              0 = g(t, q)
//   index_2              0 = G v + g_t
//   stabilized_index_2   both, with the multipliers μ, zero on the solution (Gear, Gupta, Leimkuhler, J. Comput. Appl.
//                        Math. 12 (1985) 77)
//   index_1              0 = G v' + γ
//
// and velocity constraints as 0 = h(t, q, v), at level index_1 as 0 = h_v v' + γ. λ has the sign it has in
// MechanicsForm. S is the identity for coordinates and the map from body rates to the rate of the quaternion for
// attitudes, whose length the method keeps only to its accuracy: the pull onto the manifold restores it. Q are the
// inertial terms of M (inertial_terms.hpp).
//
// Derivatives are exact, by dual numbers of dual numbers, but for functions that accept numbers only, and for third
// derivatives, dγ/dq and those of kinetic energies, which are central differences of exact second derivatives.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "formulate/implicit_form.hpp"
#include "formulate/mechanics_form.hpp"

namespace pawl::formulate {

enum class Level { index_3, index_2, stabilized_index_2, index_1 };
/// Of a formulation with multipliers as unknowns.
Level level_of(Scheme scheme);

/// Unknowns: the states of the model, λ of the rows in force, then μ of those on positions (stabilized_index_2 alone).
/// The form must have been locked before restart(), and outlives this; while a relay slides, its `relays` are read too.
std::unique_ptr<ImplicitForm> make_implicit_mechanics(std::shared_ptr<const System::Declarations> model,
                                                      MechanicsForm& form, Level level);

class ImplicitMechanics final : public ImplicitForm {
 public:
  ImplicitMechanics(std::shared_ptr<const System::Declarations> model, MechanicsForm& form, Level level);

  /// Size, roles and patterns follow the constraints in force: solvers made before are no longer valid.
  void restart(double t, const double* x) override;
  std::string complete(double t, double* y, double* dy) override;
  void residual(double t, const double* y, const double* dy, double* r) override;
  void linearize(double t, const double* y, const double* dy) override;
  void time_slope(double t, const double* y, const double* dy, double* slope) override;
  /// Dense matrices are reduced to speeds, further states and multipliers before they are factored.
  std::unique_ptr<ShiftedSystem> make_solver(int real_slots, int complex_slots) const override;
  std::string name(int unknown) const override;
  void carry(Memory& memory) override;

 private:
  using Map = std::array<std::array<double, 3>, 4>;  // of an attitude: q' = map w

  // Something a potential or a constraint reads, and the force it feels along it.
  struct Variable {
    int state = -1;
    int position = -1;             // by number
    int slot = -1;                 // the (first) speed it belongs to, by its place in Curve::speeds; -1: none
    int attitude = -1, part = -1;  // of the four
    int first_part = -1;           // the place of the attitude's first part among the variables
  };
  // A potential, or what is in force of a constraint.
  struct Curve {
    const Function* f;
    int rows, first_row;    // of f; of the constraints in force, -1 for a potential
    std::vector<int> kept;  // rows of f
    bool is_on_speeds;
    std::vector<Variable> variables;
    std::vector<int> speeds;  // that its force acts on, by number, ascending

    int width() const { return static_cast<int>(variables.size()) + 1; }  // the time is the last variable
  };
  // Which states a list of outputs reads, and groups of states that share no output.
  struct Reads {
    std::vector<int> outputs;       // places in the list the model writes
    std::vector<int> first, state;  // per output, as in compressed storage
    std::vector<int> group;         // per state; -1: nobody reads it
    int groups = 0;
    bool has_time = false;
  };
  enum class Target { pattern, matrices, slope };
  static constexpr int time_column = -1;

  // ---- structure
  void arrange(double t, const double* x, const std::vector<int>& rows);
  Curve curve_of(const Function& f, int rows, bool is_on_speeds, double t);  // reads motion_.jets
  template <class Evaluate>
  Reads observe(std::vector<int> outputs, bool in_full, double t, const double* x, const Evaluate& evaluate);
  void observe_functions(double t, const double* x);
  void set_roles();
  void make_pattern(double t);
  bool is_sparse_wanted() const;

  // ---- derivatives
  void differentiate(double t, const double* y, const double* dy);
  void add(int row, int column, double value);  // to dr/dy; column time_column: to dr/dt
  void add_mass(int row, int column, double value);
  void add_positions();
  void add_inertia(double t, const double* y);
  void add_inertial_terms(double t, const double* y);
  void add_inertial_differences(double t, const double* y);
  void add_forces(double t, const double* y);
  void add_others(double t, const double* y);
  void add_force_slopes(const Curve& curve, const double* weights);
  void add_constraint(const Curve& curve, double t, const double* y);
  void add_turning(const Curve& curve, int a, int row, double weight, const double* y);
  void add_stabilizer(const Curve& curve, const double* y);
  void add_acceleration(const Curve& curve, double t, const double* y);
  void add_speed_constraint(const Curve& curve, const double* y);
  template <class Evaluate, class Take>
  void sweep(const Reads& reads, double t, const double* y, const Evaluate& evaluate, const Take& take);
  template <class Evaluate, class Take>
  void differences(const std::vector<int>& outputs, double t, const double* y, const Evaluate& evaluate,
                   const Take& take);
  double increment(int state, double value) const;

  void evaluate_curve(const Curve& curve, double t, const double* y);
  void evaluate_curve_by_differences(const Curve& curve, double t, const double* y);
  double first(const Curve& curve, int row, int a) const;
  double second(const Curve& curve, int row, int a, int b) const;
  void force_slopes(const Curve& curve, const double* weights);  // into z_
  void evaluate_gamma(const Curve& curve, double t, const double* x, double* gamma);
  template <class Do>
  void for_each_lever(const Variable& variable, const Do& act) const;
  template <class T>
  void evaluate_forces(const Point<T>& at, T* out, bool exact_ones) const;
  template <class T>
  void evaluate_masses(const Point<T>& at, T* out, bool exact_ones);
  void evaluate_inertial_terms(const Point<Gradient>& at, Gradient* out);
  template <class F>
  bool is_exact(const F& f) const {
    return f.template supports<Gradient>() && !wants_differences;
  }
  double position_rate(const Variable& variable) const;
  int column_of(const Curve& curve, int variable) const;
  int multiplier(int row) const { return states_ + row; }
  int stabilizer(int row) const { return states_ + terms_.rows() + row; }
  int speed_state(int speed) const { return terms_.info().speeds[static_cast<std::size_t>(speed)]; }

  std::shared_ptr<const System::Declarations> model_;
  MechanicsForm& form_;
  const Level level_;
  Held held_;
  MechanicsTerms terms_;
  std::vector<int> rows_;                 // declared, in force
  std::vector<int> all_speeds_, others_;  // by number; states that are neither position nor speed
  bool is_arranged_ = false, had_differences_ = false, mass_is_constant_ = false;
  bool has_exact_force_ = false, has_other_force_ = false, has_exact_mass_ = false, has_other_mass_ = false;
  bool has_exact_inertia_ = false;
  std::array<Map, 4> unit_maps_{};  // per part of a quaternion: the map is linear in it

  std::vector<Variable> kinds_;                  // per state
  std::vector<int> speed_by_state_, own_speed_;  // number of the (first) speed a position belongs to; of a speed itself
  std::vector<Curve> curves_;
  Reads force_reads_, mass_reads_, inertia_reads_, rate_reads_;
  detail::EntryMap force_map_, mass_map_;
  std::vector<std::pair<int, int>> mass_entries_;  // row and column of every place

  // ---- working memory
  Target target_ = Target::matrices;
  double* slope_ = nullptr;
  std::vector<std::pair<int, int>> seen_;
  std::vector<Map> maps_;          // at the point
  std::vector<double> w_, u_;      // v'; v - G^T μ
  std::vector<double> rates_, y_;  // one per state; all unknowns
  std::vector<double> first_, second_, z_, unit_, gamma_, gamma_back_;
  std::vector<Gradient> duals_, outputs_, relays_, rows_dual_;
  std::vector<Gradient> q_rate_dual_, rates_dual_, mass_dual_;
  std::vector<double> inertial_ahead_, inertial_behind_;
  std::vector<Curvature> curvatures_, rows_curvature_;
  std::vector<double> numbers_, numbers_moved_, x_moved_, rows_value_;
  std::vector<Jet<double>> rows_jet_;
  struct Motion final : detail::LazyStates<Jet<double>> {
    std::vector<Jet<double>> jets;
    mutable std::vector<int> read;  // some of them several times
    const Jet<double>& state(int i) const override {
      read.push_back(i);
      return jets[static_cast<std::size_t>(i)];
    }
  } motion_;
};

template <class T>
void ImplicitMechanics::evaluate_forces(const Point<T>& point, T* out, bool exact_ones) const {
  Terms<T> terms(force_map_, out);
  for (const auto& f : terms_.info().forces) {
    if (is_exact(f) == exact_ones) f(point, terms);
  }
}

template <class T>
void ImplicitMechanics::evaluate_masses(const Point<T>& point, T* out, bool exact_ones) {
  Entries<T> entries(mass_map_, out);
  for (const auto& f : terms_.info().masses) {
    if (is_exact(f) == exact_ones) f(point, entries);
  }
  if constexpr (std::is_same_v<T, double>) terms_.inertia().add_kinetic_mass(point.t, point.states().array, held_, out);
}

}  // namespace pawl::formulate
