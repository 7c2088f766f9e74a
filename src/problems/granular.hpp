// Compliant spheres of one kind in a box: contact forces in linear time, and islands of spheres that touch.
//
// Normal force, a viscoelastic sphere (Brilliantov, Spahn, Hertzsch and Pöschel, Phys. Rev. E 53 (1996) 5382), with the
// overlap δ and its rate δ':
//   N = max(0, K δ^(3/2) + 3/2 A K δ^(1/2) δ'),   K for two spheres, √2 K for a sphere and a plane
// Friction against the sliding speed u of the contact point, rolling resistance against the difference Ω of spins:
//   T = -(k_t ξ + c_t u), at most μ N,   M = -(k_r φ + c_r Ω), at most ρ r N
// Springs with sliders, as of Cundall and Strack, Géotechnique 29 (1979) 47. What a spring has been displaced by is
// held and brought up to date at instants (Rest); in between, ξ and φ follow from the motion since the last one, so
// that forces are functions of the state and of what is held. Spheres in fast surroundings have dampers alone, which
// would creep.
//
// Pairs come from a list that holds more than the contacts, so the forces are those of all pairs, bit by bit, whatever
// list they were computed with: evaluations depend on their arguments alone and may run in several threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "problems/catalogue.hpp"

namespace pawl::granular {

/// What all spheres have in common, and the box: 0 <= z, |x| and |y| <= half_width, open above.
struct Grains {
  double radius, mass, stiffness, dissipation_time;
  double friction, grip_stiffness, grip_damping;          ///< μ, k_t, c_t
  double rolling_friction, roll_stiffness, roll_damping;  ///< ρ, k_r, c_r
  double gravity, half_width;

  double inertia() const { return 0.4 * mass * radius * radius; }
};

/// Three numbers per sphere each.
struct Motion {
  const double *position, *velocity, *spin, *turn;  ///< turn: the spin, integrated since the last instant
};

/// What is held between instants. How far a sphere has come is its stage: 0 it moves fast, from 1 on it is slow, then
/// it counts the instants in a row at which its island was calm; at `asleep` it is a fixed obstacle. Springs are in a
/// hashed table with linear probing: displacements ξ and φ of the contact with a key.
template <class Number>
struct HeldParts {
  Number* stage;     ///< one per sphere
  Number* position;  ///< three: where it was at the last instant
  Number* keys;      ///< springs_of(count): of the contact, 0: free
  Number* springs;   ///< six times that
};
struct HeldGrips : HeldParts<const double> {
  static constexpr double slow = 1, asleep = 11;
  static int springs_of(int count) { return 4 * count; }
};

/// Pairs i < j that may touch before a sphere has moved by half the skin. Cells of a hashed grid: linear in the number
/// of spheres, wherever they are.
class NeighbourList {
 public:
  explicit NeighbourList(int count);

  /// Whether every pair nearer than `reach` is in the list.
  bool covers(const double* position, double reach) const;
  void build(const double* position, double reach, double skin);
  /// Partners j > i, ascending.
  std::span<const int> partners(int i) const {
    const auto* first = partners_.data() + first_[static_cast<std::size_t>(i)];
    return {first, partners_.data() + first_[static_cast<std::size_t>(i) + 1]};
  }
  long long size() const { return static_cast<long long>(partners_.size()); }
  long long tests() const { return tests_; }  ///< distances computed by the last build

 private:
  struct Cell {
    int x, y, z;
    bool operator==(const Cell&) const = default;
  };
  std::size_t bucket_of(Cell cell) const;

  int count_;
  double reach_ = 0, skin_ = 0;
  long long tests_ = 0;
  std::vector<double> built_at_;
  std::vector<Cell> cells_;
  std::size_t mask_;                // of bucket numbers
  std::vector<int> bucket_begins_;  // of bucket b at b + 1
  std::vector<int> sorted_;         // spheres by bucket
  std::vector<int> partners_;
  std::vector<std::size_t> first_;  // partner of a sphere
};

/// Counted since the object was made.
struct ForceWork {
  long long evaluations = 0;            ///< of everything that visits the contacts
  long long pair_tests = 0;             ///< distances computed in them
  long long lists = 0, list_tests = 0;  ///< lists built, distances computed for that
};

/// Const functions may be called from several threads at once.
class Forces {
 public:
  static constexpr double all_pairs = -1;

  /// skin: of the neighbour list, in radii; or all_pairs, which does without.
  explicit Forces(int count, double skin = 0.3) : count_(count), skin_(skin) {}

  int count() const { return count_; }

  /// Rates of velocity and spin, three numbers per sphere, zero for those asleep. Returns the power that goes into
  /// dampers, friction and its springs. Positions that are not finite give rates that are not.
  double accelerations(const Grains& grains, const Motion& motion, const HeldGrips& held, double* velocity_rate,
                       double* spin_rate) const;
  /// Stored in the contacts.
  double elastic_energy(const Grains& grains, const double* position) const;
  /// Per sphere, the smallest index in its island: the spheres it touches, directly or over others. Walls join nothing.
  std::vector<int> islands(const Grains& grains, const double* position) const;
  ForceWork work() const;

  /// The springs as they are now, pulled back by their sliders, for all contacts whose two bodies may have one.
  void update_springs(const Grains& grains, const Motion& motion, const HeldGrips& held,
                      const std::vector<char>& may_have, double* keys, double* springs) const;

 private:
  class BorrowedList;
  template <class Visit>
  void visit_pairs(const Grains& grains, const double* position, const Visit& visit) const;
  template <class Visit>
  void visit_contacts(const Grains& grains, const Motion& motion, const HeldGrips& held, const Visit& visit) const;

  int count_;
  double skin_;
  mutable std::mutex lock_;
  mutable std::vector<std::unique_ptr<NeighbourList>> idle_lists_;
  mutable std::atomic<long long> evaluations_{0}, pair_tests_{0}, lists_{0}, list_tests_{0};
};

/// Of translation and rotation.
double kinetic_energy(const Grains& grains, const Motion& motion, int i);

/// Judges every `period` seconds who has springs, sleeps and wakes, by the mean kinetic energy per sphere of an island
/// in units of m g r. Below `slow` its contacts get springs. Below `calm` at ten instants in a row it falls asleep: it
/// stops. It wakes as a whole when a sphere that is awake touches it, or one of an island that is not calm could before
/// the next instant, and keeps its springs.
struct Rest {
  static constexpr double period = 0.01, slow = 1e-3, calm = 1e-6;

  /// Changes what is held, velocities, spins and turns. Returns the kinetic energy that is lost where spheres stop.
  static double judge(const Forces& forces, const Grains& grains, const double* position, double* velocity,
                      double* spin, double* turn, const HeldParts<double>& held);
};

/// Where the parts of a sphere-box are.
struct SphereHandles {
  Block<State> position, velocity, spin, turn;  ///< three numbers per sphere
  State dissipated;                             ///< into dampers and friction, and what was lost where spheres stopped
  Block<Discrete<double>> held;                 ///< HeldParts one after the other
  Parameter first_parameter;                    ///< of those of Grains, in their order
  Observable kinetic, ledger, awake;  ///< ledger: kinetic, potential and elastic energy, and what was dissipated

  Grains grains(const double* parameters) const;
  /// Of this many spheres; numbers: of Held.
  template <class Number>
  HeldParts<Number> parts(int count, Number* numbers) const {
    Number* const first = numbers + held.first;
    return {first, first + count, first + 4 * count, first + 4 * count + HeldGrips::springs_of(count)};
  }
  Motion motion(const double* states) const {
    return {states + position.first, states + velocity.first, states + spin.first, states + turn.first};
  }
};

/// The problem sphere-box with n spheres; skin as of Forces.
struct SphereBox : SphereHandles {
  System system;
  std::shared_ptr<const Forces> forces;
};
SphereBox sphere_box_of(int n, double skin = 0.3);

}  // namespace pawl::granular

namespace pawl::problems {

Problem sphere_box();

}  // namespace pawl::problems
