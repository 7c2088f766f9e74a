// SphereCrowd: many rigid spheres and planes, from one contact to the next. Every sphere has a time of its own: it
// flies in closed form (flight.hpp), and an impact costs the spheres it touches and nobody else.
//
// A sphere knows one instant, the earliest of: it meets a sphere listed as near (near_pairs.hpp), or a plane; it has
// come half a skin and is listed anew. A contact is known to whichever of its two spheres has changed last. What was
// foreseen for another that has changed since is foreseen again when its time comes, never later.
//
// Bounces that end: under a pull g, slow impacts of a sphere within the contact time of its last one take no energy
// (the TC model: Luding and McNamara, Granular Matter 1 (1998) 113), and an impact leaves the speed g tc / 2 of a hop
// that lasts as long, if it had it. What lies and what rolls hops by at most g tc²/8, and pushes on the average as it
// would lie there.
//
// Rest (crowd_rest.cpp): a sphere that has stayed within `still` of one place for ten instants, pressed onto something,
// whose neighbours have too, falls asleep: it stands still, and what it had of kinetic energy is lost. Asleep, it has
// no instants. It wakes when it is hit with a speed that could lift it by `still`, or when a sphere it touched has
// moved so far.
#pragma once

#include <array>
#include <vector>

#include "contact/event_queue.hpp"
#include "contact/flight.hpp"
#include "contact/near_pairs.hpp"
#include "contact/sphere_impact.hpp"
#include "pawl/callback.hpp"
#include "pawl/contact_family.hpp"

namespace pawl::contact {

class SphereCrowd {
 public:
  struct Laws : ImpactLaws {
    double contact_time = 0, still = 0;
  };
  /// The spheres as they are at t; times and accelerations of the flights are set here.
  SphereCrowd(const ContactFamilyInfo& family, const Laws& laws, double t, std::vector<Flight> flights);

  enum class Advance {
    reached,
    too_dense,  ///< contacts come so densely that the end is out of reach
    stopped,    ///< goes_on() said so, which is asked now and then with the instant reached
  };
  /// All contacts up to and at this instant.
  Advance advance_to(double t, double end, const Callback<bool(double)>& goes_on = {});
  /// The motion at the instant reached.
  Flight at_now(int i) const;
  bool is_asleep(int i) const { return bodies_[at(i)].is_asleep; }
  int size() const { return static_cast<int>(bodies_.size()); }
  double now() const { return now_; }
  FamilyWork work() const;
  double skin() const { return near_.skin(); }
  double period_of_rest() const { return period_; }

  /// Two that are inside each other, or one behind a plane: `other` is size() and beyond.
  struct Overlap {
    int i, other;
    double depth;
  };
  /// The deepest at the instant reached; depth <= 0: there is none.
  Overlap deepest_overlap() const;

 private:
  static constexpr int nobody = -1, anew = -2, watch = -3, first_plane = -4;  // planes: first_plane - k
  struct Body : Ball {
    Flight flight;
    bool is_asleep = false;
    bool is_watched = false;  // a sphere that sleeps touches it where it was still
    int with = nobody;        // of its instant
    unsigned version = 0, version_of_partner = 0;
    double last_impact = -never;
    int at_once = 0;                 // impacts one after the other
    bool was_pressed = false;        // since the last instant of rest
    long long hits_on_sleepers = 0;  // the same
    int calm = 0;                    // instants in a row
    Vector3 still_at;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Body& body(int i) { return bodies_[at(i)]; }

  void foresee(int i);
  double time_to_plane(const Body& body, const ContactFamilyInfo::Wall& wall, Vector3 position, Vector3 velocity) const;
  void happen(int i);
  void meet_sphere(int i, int j);
  void meet_plane(int i, int plane);
  ImpactLaws laws_of(double approach, double since) const;
  void keep_hopping(Body& body, Vector3 n) const;
  void leave_corner(int i, double since);
  std::vector<Vector3> touched(const Body& one, int i, double reach) const;
  void note_impact(Body& body);
  void change(int i);

  void start_at_rest();
  bool is_carried(const Body& body, const std::vector<Vector3>& normals) const;
  void judge_rest();
  void go_to_sleep(const std::vector<int>& those);
  void wake(int i);
  void nudge(int i);
  void moved(int i);
  void place_still(int i);
  bool touches(const Body& a, Vector3 where, const Body& b) const;

  const ContactFamilyInfo& family_;
  Laws laws_;
  Vector3 pull_;
  double pull_size_, period_ = never, next_rest_ = never, wake_speed_ = 0;
  long long most_hits_ = 0;  // on sleepers, between instants of rest
  double now_;
  std::vector<Body> bodies_;
  NearPairs near_;
  EventQueue queue_;
  FamilyWork work_;
  long long pace_mark_ = 0;
  double pace_time_;
};

}  // namespace pawl::contact
