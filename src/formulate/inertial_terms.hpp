// What the kinetic energy of a mechanism, T = v^T M v / 2 + b^T v + c with M, b and c functions of t, q and further
// states x, asks for beside M v'. Lagrange's equations, for the body rates ω of attitudes those of Boltzmann and Hamel,
//
//   d/dt dT/dv + ω × dT/dω - S^T dT/dq = forces,   q' = S(q) v,
//
// are M v' = forces + Q with
//
//   Q = S^T dT/dq - (dM/dt v + db/dt) - ω × (M v + b),   d/dt along t' = 1, q' = S v, x' = rates, v held.
//
// M by mass(...) is differentiated by dual numbers along every position, further state and the time that it reads, as
// many at once as no entry reads together; by central differences where a function takes numbers only. T by
// kinetic_energy(...) gives M, b and Q by its second derivatives. What is read is observed, so constant masses cost
// nothing; nor does the inertia of a body that is the same about all axes.
#pragma once

#include <string>
#include <vector>

#include "formulate/kkt.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/memory.hpp"

namespace pawl::formulate {

class InertialTerms {
 public:
  explicit InertialTerms(const System::Declarations& model);

  /// Observes what masses and kinetic energies read. `map`: the places of the mass matrix, dense or in a pattern; it is
  /// kept. Throws Misuse where a mass reads a speed.
  void arrange(double t, const double* x, const Held& held, const detail::EntryMap& map);
  /// Whether a mass reads something else here, as things are held, than when it was arranged.
  bool reads_differ(double t, const double* x, const Held& held);
  /// The pairs of speeds, larger number first, that kinetic energies couple.
  std::vector<std::pair<int, int>> coupled(double t, const double* x, const Held& held);

  void carry(Memory& memory) {
    memory(map_, places_, structure_, groups_, smooth_, black_boxes_, moves_, kinetics_, reads_others_,
           is_twice_differentiable_, has_gyroscopes_, is_single_, has_single_slopes_, single_, work_, work_dual_,
           curvatures_, linear_, x_moved_, ahead_, behind_);
  }

  /// No entry of the mass matrix moves, and no body turns with different inertias: Q = 0.
  bool is_zero() const { return is_constant() && !has_gyroscopes_; }
  /// The mass matrix depends on nothing that moves.
  bool is_constant() const { return structure_.directions.empty() && black_boxes_.empty() && kinetics_.empty(); }
  bool reads_others() const { return reads_others_; }
  /// Whether Q can be evaluated with dual numbers.
  bool is_twice_differentiable() const { return is_twice_differentiable_; }
  bool is_exact() const { return black_boxes_.empty(); }
  /// Evaluations of black boxes for one Q, their values included.
  int black_box_evaluations() const { return black_boxes_.empty() ? 0 : 2 * static_cast<int>(moves_.size()) + 1; }
  std::string description() const;

  /// M, without Q.
  void evaluate_mass(double t, const double* x, const Held& held, double* mass);
  /// What kinetic energies add to M.
  void add_kinetic_mass(double t, const double* x, const Held& held, double* mass);
  /// M and Q; q' and, where reads_others(), the rates of all states are given. With duals: requires
  /// is_twice_differentiable().
  template <class T>
  void evaluate(const T& t, const T* x, const T* q_rate, const T* rates, const Held& held, T* mass, T* Q);

 private:
  // Along which masses are differentiated.
  struct Direction {
    int state = -1;     // -1: the time
    int position = -1;  // by number
    int group = 0;      // of directions that no entry reads together
    bool operator==(const Direction&) const = default;
  };
  struct Entry {
    int i, j, place;  // i >= j
    int first_read;   // in reads_, up to that of the next entry
    bool operator==(const Entry&) const = default;
  };
  struct Kinetic {
    const Function* f;
    std::vector<int> positions, speeds;  // it reads, by number
    std::vector<int> others;             // further states
  };
  template <class Outer>
  struct Bench {
    std::vector<Outer> states, entries;
  };
  template <class T>
  struct Work {
    Bench<Dual<8, T>> bench;
    std::vector<T> rate, energy;  // per direction: its rate, dT/d of it
    std::vector<T> momentum;
  };
  struct Structure {
    std::vector<Direction> directions;
    std::vector<Entry> entries;
    std::vector<int> reads;  // directions
    bool operator==(const Structure&) const = default;
  };

  Structure observe(const Held& held) const;
  void observe_kinetics(double t, const double* x, const Held& held);
  std::vector<Direction> all_moves() const;
  static double number_of(const MechanicsInfo::ConstantMass& mass, const Held& held);
  /// Whether the inertia of some body, if it has no more than three numbers on the diagonal, differs between its axes.
  bool turns_unevenly(const Held& held) const;
  template <class E>
  void set_constants(const Held& held, E* entries) const;
  void evaluate_declared(double t, const double* x, const Held& held, double* mass);  // M without kinetic energies
  template <class T>
  void differentiate(const T& t, const T* x, const T* q_rate, const T* rates, const Held& held, T* mass, T* Q);
  template <class T, class Outer>
  void differentiate_on(Bench<Outer>& bench, const T& t, const T* x, const T* q_rate, const T* rates, const Held& held,
                        T* mass, T* Q);
  void difference(double t, const double* x, const double* q_rate, const double* rates, const Held& held, double* Q);
  void add_kinetic(const Kinetic& kinetic, double t, const double* x, const double* q_rate, const double* rates,
                   const Held& held, double* mass, double* Q);
  template <class T>
  void add_gyroscopes(const T* x, const T* mass, T* Q);
  template <class T>
  void add_along(int position, const T& by_position, const T* x, T* Q) const;  // S^T
  template <class T>
  T rate_of(const Direction& direction, const T* q_rate, const T* rates) const;
  template <class T>
  Work<T>& work();
  int place(int i, int j) const { return map_.is_sparse() ? map_.slot(i, j) : i * map_.width + j; }
  template <class Do>
  void for_each_place(const Do& act) const;

  const System::Declarations& model_;
  const MechanicsInfo& info_;
  int n_;
  std::vector<int> attitude_of_;              // per position, -1 if none
  std::vector<char> is_speed_, is_position_;  // per state
  detail::EntryMap map_;
  int places_ = 0;  // of the mass matrix
  Structure structure_;
  int groups_ = 0;
  std::vector<const detail::MassFunction*> smooth_, black_boxes_;
  std::vector<Direction> moves_;  // of black boxes: everything
  std::vector<Kinetic> kinetics_;
  bool reads_others_ = false, is_twice_differentiable_ = true, has_gyroscopes_ = false;
  std::vector<char> is_single_;  // per attitude: its inertia is three numbers on the diagonal

  bool has_single_slopes_ = false;  // one group of directions, and all functions take duals with one slope
  Bench<detail::SingleSlope> single_;
  Work<double> work_;
  Work<Gradient> work_dual_;
  std::vector<Curvature> curvatures_;
  std::vector<double> linear_, x_moved_, ahead_, behind_;
};

template <class Do>
void InertialTerms::for_each_place(const Do& act) const {
  for (int i = 0; i < n_; ++i) {
    if (!map_.is_sparse()) {
      for (int j = 0; j <= i; ++j) act(i, j, i * map_.width + j);
      continue;
    }
    for (int place = map_.first[static_cast<std::size_t>(i)]; place < map_.first[static_cast<std::size_t>(i) + 1];
         ++place)
      act(i, map_.column[static_cast<std::size_t>(place)], place);
  }
}

}  // namespace pawl::formulate
