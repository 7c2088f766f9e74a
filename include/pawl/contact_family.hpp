// Many contacts: a mechanism of spheres that meet each other and planes, declared in three sentences.
//
//   SphereMechanics box("box");
//   const Spheres grains = box.spheres("grain", centres, {.radius = 0.01, .mass = 0.01, .gravity = {0, 0, -9.81}});
//   const ContactFamily contacts = box.contacts("contacts", grains,
//       {.restitution = 0.5, .friction = 0.3, .walls = {{"floor", {0, 0, 0}, {0, 0, 1}}}});
//   const Result run = simulate(box, {.end = 2, .samples = 200});
//   run.final()[contacts].asleep;              // how many have come to rest
//   run.final()[grains.centre(7)[2]];          // how high one of them lies
//
// Spheres are rigid, and impacts have the law of single contacts (poisson, one after the other). Between contacts a
// sphere flies in closed form and has a time of its own: pairs that are not near each other cost nothing, and neither
// do spheres that have come to rest. Nothing else may move in such a model: docs/contact.md says what is refused.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/callback.hpp"
#include "pawl/contact.hpp"
#include "pawl/mechanics.hpp"

namespace pawl {

struct SpheresOptions {
  double radius = 0, mass = 0;
  std::vector<double> radii = {}, masses = {};  ///< one each, instead of one for all
  std::array<double, 3> gravity = {0, 0, 0};
  std::vector<std::array<double, 3>> velocities = {};  ///< at the start; empty: none moves
};

/// Spheres declared together. Each has three coordinates of its centre and three of how far it has turned about the
/// axes, of which the speeds are its spin.
class Spheres {
 public:
  std::array<Coordinate, 3> centre(int i) const { return three(i, 0); }
  std::array<Coordinate, 3> turn(int i) const { return three(i, 3); }
  int size() const { return static_cast<int>(radii.size()); }

  int first = 0;  ///< state: twelve per sphere
  int model = 0;
  std::vector<double> radii, masses;
  std::array<double, 3> gravity{};

 private:
  std::array<Coordinate, 3> three(int i, int k) const {
    const auto one = [&](int axis) {
      const int state = first + 12 * i + 2 * (k + axis);
      return Coordinate{{state, model}, state + 1};
    };
    return {one(0), one(1), one(2)};
  }
};

/// A plane that spheres do not pass: a point of it, and the direction into where they are.
struct WallOfSpheres {
  std::string name;
  std::array<double, 3> point, inward;
};

struct ContactFamilyOptions {
  Coefficient restitution = 0.0, friction = 0.0;
  /// Times radius and pressing force: the largest moment against the difference of spins.
  Coefficient rolling_friction = 0.0;
  std::vector<WallOfSpheres> walls = {};
  Callback<bool(int, int)> may_touch = {};       ///< which pairs i < j; none: all
  Callback<bool(int, int)> may_touch_wall = {};  ///< which sphere, which wall; none: all
  /// Impacts of a sphere that follow its last one within this time take no energy. Default: a hundredth of the time in
  /// which the smallest sphere falls by its diameter; without gravity 0.
  std::optional<double> contact_time = {};
  /// What has moved by less for ten instants is at rest, in radii. 0: nothing falls asleep.
  double still = 0.05;
};

/// What a family had done by an instant, and what that cost.
struct FamilyWork {
  long long impacts = 0;
  long long elastic = 0;           ///< of them, within the contact time
  double lost = 0;                 ///< energy: what impacts and friction have taken
  double lost_at_rest = 0;         ///< energy: what spheres still had when they fell asleep
  int asleep = 0;                  ///< spheres, now
  long long slept = 0, woken = 0;  ///< how often one of them did
  long long foreseen = 0;          ///< times of contact computed, for pairs near each other
  long long listed = 0;            ///< how often a sphere was listed anew with those near it
  long long distances = 0;         ///< computed for that
  bool operator==(const FamilyWork&) const = default;
};

struct ContactFamilyInfo {
  struct Wall {
    std::string name;
    std::array<double, 3> inward;  ///< of length one
    double offset;                 ///< of the plane, along it
  };
  std::string name;
  Spheres spheres;
  Coefficient restitution, friction, rolling_friction;
  std::vector<Wall> walls;
  Callback<bool(int, int)> may_touch, may_touch_wall;
  double contact_time = 0, still = 0;
};

/// What at[family] reads: its work so far, with the declaration behind it.
struct FamilyState : FamilyWork {
  std::shared_ptr<const ContactFamilyInfo> family = {};
  bool operator==(const FamilyState&) const = default;
};
using ContactFamily = Discrete<FamilyState>;

/// A Mechanics of spheres.
class SphereMechanics : public Mechanics {
 public:
  explicit SphereMechanics(std::string name) : Mechanics(std::move(name)) {}

  /// Their states are name1_x, name1_x', name1_y, ..., name1_turn_z'. Their weight is a potential: energy() includes
  /// it.
  Spheres spheres(const std::string& name, const std::vector<std::array<double, 3>>& centres,
                  const SpheresOptions& options);
  /// Which of them may touch what, and by which laws; once per model.
  ContactFamily contacts(const std::string& name, const Spheres& spheres, const ContactFamilyOptions& options);
};

/// The family of a system and its number among the objects that are held; -1: it has none.
int family_of(const System::Declarations& model);

}  // namespace pawl
