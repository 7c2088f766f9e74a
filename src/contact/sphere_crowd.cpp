#include "contact/sphere_crowd.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/rounding.hpp"

namespace pawl::contact {

namespace {

Vector3 vector(const std::array<double, 3>& a) {
  return {a[0], a[1], a[2]};
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

constexpr double skin_in_radii = 0.3;
// Hops: what comes faster is an impact like any other, though it be of spheres that lie on something.
constexpr double slow_impact = 10;
// Per contact time: whoever hits sleepers so often is caught between those that cannot give way.
constexpr double hammering = 20;
/// Of a distance of something there to something as far away.
double rounding_of(Vector3 position, double distance) {
  return 4 * eps * (norm(position) + distance);
}

/// v moved as little as possible, so that n v >= least for all n.
Vector3 least_move(Vector3 v, const std::vector<Vector3>& normals, double least) {
  std::vector<double> pushes(normals.size());
  for (int sweep = 0; sweep < 200; ++sweep) {
    for (std::size_t k = 0; k < normals.size(); ++k) {
      const double push = std::max(0.0, pushes[k] + least - dot(normals[k], v));
      v += (push - pushes[k]) * normals[k];
      pushes[k] = push;
    }
  }
  return v;
}

}  // namespace

SphereCrowd::SphereCrowd(const ContactFamilyInfo& family, const Laws& laws, double t, std::vector<Flight> flights)
    : family_(family),
      laws_(laws),
      pull_(vector(family.spheres.gravity)),
      pull_size_(norm(pull_)),
      now_(t),
      bodies_(flights.size()),
      near_(family.spheres.radii, skin_in_radii * least(family.spheres.radii), family.may_touch),
      queue_(static_cast<int>(flights.size())),
      pace_time_(t) {
  laws_.hop = pull_size_ * laws.contact_time / 2;
  for (int i = 0; i < size(); ++i) {
    Body& one = body(i);
    one.radius = family.spheres.radii[at(i)];
    one.mass = family.spheres.masses[at(i)];
    one.flight = flights[at(i)];
    one.flight.t = t;
    one.flight.acceleration = pull_;
    one.still_at = one.flight.position;
    near_.enter(i, one.flight.position);
  }
  if (pull_size_ > 0 && laws.still > 0) {
    const double smallest = least(family.spheres.radii);
    period_ = 0.25 * std::sqrt(4 * smallest / pull_size_);
    next_rest_ = t + period_;
    wake_speed_ = std::sqrt(2 * pull_size_ * laws.still * smallest);
    most_hits_ = static_cast<long long>(hammering * (1 + period_ / laws.contact_time));
  }
  if (pull_size_ > 0) start_at_rest();
  for (int i = 0; i < size(); ++i) foresee(i);
}

Flight SphereCrowd::at_now(int i) const {
  Flight flight = bodies_[at(i)].flight;
  flight.move_to(now_);
  return flight;
}

FamilyWork SphereCrowd::work() const {
  FamilyWork work = work_;
  work.listed = near_.entered();
  work.distances = near_.tests();
  return work;
}

SphereCrowd::Overlap SphereCrowd::deepest_overlap() const {
  Overlap deepest{0, 0, 0};
  const auto see = [&](int i, int other, double depth) {
    if (depth > deepest.depth) deepest = {i, other, depth};
  };
  for (int i = 0; i < size(); ++i) {
    const Body& one = bodies_[at(i)];
    const Vector3 position = one.flight.position_at(now_);
    for (const int j : near_.near(i)) {
      const Body& other = bodies_[at(j)];
      if (i < j) see(i, j, one.radius + other.radius - norm(position - other.flight.position_at(now_)));
    }
    for (std::size_t k = 0; k < family_.walls.size(); ++k) {
      const int plane = static_cast<int>(k);
      if (family_.may_touch_wall && !family_.may_touch_wall(i, plane)) continue;
      see(i, size() + plane, one.radius + family_.walls[k].offset - dot(vector(family_.walls[k].inward), position));
    }
  }
  return deepest;
}

// ---- from one instant to the next ----

SphereCrowd::Advance SphereCrowd::advance_to(double t, double end, const Callback<bool(double)>& goes_on) {
  constexpr long long window = 1 << 26, look_up = 1 << 14;
  for (long long instants = 1;; ++instants) {
    const double first = queue_.first_time();
    if (std::min(first, next_rest_) > t) break;
    if (next_rest_ < first) {
      now_ = next_rest_;
      judge_rest();
      next_rest_ += period_;
    } else {
      now_ = std::max(now_, first);
      happen(queue_.first());
    }
    if (instants % look_up == 0 && goes_on && !goes_on(now_)) return Advance::stopped;
    if (work_.foreseen - pace_mark_ > window) {
      if (!((end - now_) <= 1e4 * (now_ - pace_time_))) return Advance::too_dense;
      pace_mark_ = work_.foreseen;
      pace_time_ = now_;
    }
  }
  now_ = t;
  return Advance::reached;
}

double SphereCrowd::time_to_plane(const Body& body, const ContactFamilyInfo::Wall& wall, Vector3 position,
                                  Vector3 velocity) const {
  const Vector3 n = vector(wall.inward);
  const double height = dot(n, position) - wall.offset - body.radius;
  return time_to_fall(height, dot(n, velocity), dot(n, body.flight.acceleration),
                      rounding_of(position, std::abs(wall.offset) + body.radius));
}

/// The next instant of a sphere, from now on.
void SphereCrowd::foresee(int i) {
  Body& one = body(i);
  if (one.is_asleep) {
    one.with = nobody;
    queue_.set(i, never);
    return;
  }
  const Vector3 position = one.flight.position_at(now_), velocity = one.flight.velocity_at(now_);
  const double speed = norm(velocity);
  double bound = near_.skin() / 2 - norm(position - near_.anchor(i));
  one.with = anew;
  if (one.is_watched) {
    const double left = laws_.still * one.radius - norm(position - one.still_at);
    if (left < bound) bound = left, one.with = watch;
  }
  double soonest = time_within(std::max(bound, 0.0), speed, pull_size_);
  for (const int j : near_.near(i)) {
    const Body& other = bodies_[at(j)];
    ++work_.foreseen;
    const Vector3 its = other.flight.velocity_at(now_), u = velocity - its;
    const Vector3 d = position - other.flight.position_at(now_);
    const double reach = one.radius + other.radius;
    const double tau = other.is_asleep ? time_to_meet(d, u, pull_, reach, speed, rounding_of(position, reach), soonest)
                                       : time_to_meet(d, u, reach, speed + norm(its));
    if (tau < soonest) soonest = tau, one.with = j, one.version_of_partner = other.version;
  }
  for (std::size_t k = 0; k < family_.walls.size(); ++k) {
    const int plane = static_cast<int>(k);
    if (family_.may_touch_wall && !family_.may_touch_wall(i, plane)) continue;
    const double tau = time_to_plane(one, family_.walls[k], position, velocity);
    if (tau < soonest) soonest = tau, one.with = first_plane - plane;
  }
  queue_.set(i, now_ + soonest);
}

void SphereCrowd::happen(int i) {
  Body& one = body(i);
  if (one.with >= 0) {
    if (body(one.with).version == one.version_of_partner)
      meet_sphere(i, one.with);
    else
      foresee(i);
    return;
  }
  if (one.with <= first_plane) {
    meet_plane(i, first_plane - one.with);
    return;
  }
  const Vector3 position = one.flight.position_at(now_);
  if (one.with == watch) {
    if (norm(position - one.still_at) > 0.9 * laws_.still * one.radius) moved(i);
  } else if (norm(position - near_.anchor(i)) > 0.45 * near_.skin()) {
    if (one.is_watched) moved(i);  // before those it touched are listed no more
    near_.enter(i, position);
  }
  foresee(i);
}

ImpactLaws SphereCrowd::laws_of(double approach, double since) const {
  ImpactLaws laws = laws_;
  const bool is_slow = pull_size_ == 0 || approach <= slow_impact * laws.hop;
  if (approach <= laws.hop || (since < laws_.contact_time && is_slow))
    laws.restitution = laws.grip = 1;
  else
    laws.restitution = std::max(laws.restitution, laws.hop / approach);
  return laws;
}

void SphereCrowd::note_impact(Body& body) {
  body.last_impact = now_;
  body.was_pressed = true;
}

/// What lies on something that does not give way, and moves along it, hops: out of the energy of that motion.
void SphereCrowd::keep_hopping(Body& body, Vector3 n) const {
  constexpr double lying = 1e-3;  // hops
  const double parts = dot(n, body.flight.velocity);
  if (!(parts < lying * laws_.hop)) return;
  const Vector3 along = body.flight.velocity + (-parts) * n;
  const double squared = dot(along, along);
  const double hop = std::min(laws_.hop, std::sqrt(squared / 2)), taken = (hop - parts) * (hop + parts);
  if (taken > 0) body.flight.velocity = hop * n + std::sqrt(1 - taken / squared) * along;
}

/// A sphere in a corner of what does not give way may be thrown from side to side at one instant, its spin to and fro,
/// without end. It leaves all of it at once: with the part of its velocity that goes into nothing, and along w with n w
/// >= 1 for all n, by as much as keeps its energy; a hop at least, where there is so much.
void SphereCrowd::leave_corner(int i, double since) {
  constexpr int most_at_once = 50;
  constexpr double at_once = 1e-3;  // contact times
  Body& one = body(i);
  one.at_once = since <= at_once * laws_.contact_time ? one.at_once + 1 : 0;
  if (one.at_once < most_at_once || laws_.hop == 0) return;
  one.at_once = 0;
  Vector3& v = one.flight.velocity;
  const double energy = dot(v, v);
  const std::vector<Vector3> normals = touched(one, i, at_once * laws_.contact_time * (std::sqrt(energy) + laws_.hop));
  const Vector3 along = least_move(v, normals, 0), out = least_move({}, normals, 1);
  const double size = norm(out);
  if (!std::all_of(normals.begin(), normals.end(), [&](Vector3 n) { return dot(n, out) > 0; }) || size == 0) return;
  const double into = dot(along, out) / size, left = std::max(0.0, energy - dot(along, along));
  const double hop = std::min(laws_.hop, std::sqrt(energy / 2));
  const double speed = std::max(std::sqrt(into * into + left) - into, hop);
  // |a along + speed out|² = energy
  const double squared = dot(along, along), rest = speed * into;
  const double a =
      squared > 0 ? (std::sqrt(std::max(0.0, rest * rest + squared * (energy - speed * speed))) - rest) / squared : 0;
  v = std::clamp(a, 0.0, 1.0) * along + (speed / size) * out;
}

/// Normals of what does not give way and is nearer than that.
std::vector<Vector3> SphereCrowd::touched(const Body& one, int i, double reach) const {
  std::vector<Vector3> normals;
  const Vector3 position = one.flight.position_at(now_);
  for (const int j : near_.near(i)) {
    const Body& other = bodies_[at(j)];
    if (!other.is_asleep) continue;
    const Vector3 d = position - other.flight.position;
    const double apart = norm(d);
    if (apart - one.radius - other.radius < reach) normals.push_back((1 / apart) * d);
  }
  for (std::size_t k = 0; k < family_.walls.size(); ++k) {
    if (family_.may_touch_wall && !family_.may_touch_wall(i, static_cast<int>(k))) continue;
    const Vector3 n = vector(family_.walls[k].inward);
    if (dot(n, position) - family_.walls[k].offset - one.radius < reach) normals.push_back(n);
  }
  return normals;
}

/// The motion of a sphere is another one from now on.
void SphereCrowd::change(int i) {
  ++body(i).version;
  foresee(i);
}

void SphereCrowd::meet_sphere(int i, int j) {
  Body &one = body(i), &other = body(j);
  one.flight.move_to(now_);
  const Vector3 d = one.flight.position - other.flight.position_at(now_);
  const Vector3 n = (1 / norm(d)) * d;
  const double approach = -dot(n, one.flight.velocity - other.flight.velocity_at(now_));
  if (other.is_asleep) {
    if (approach > wake_speed_)
      wake(j);
    else if (++one.hits_on_sleepers > most_hits_)
      nudge(j);
  }
  const ImpactLaws laws = laws_of(approach, now_ - std::max(one.last_impact, other.last_impact));
  ++work_.impacts;
  work_.elastic += laws.restitution == 1 && laws_.restitution != 1;
  if (other.is_asleep) {
    work_.lost += collide(one, one.flight, nullptr, nullptr, n, laws);
    keep_hopping(one, n);
    leave_corner(i, now_ - one.last_impact);
  } else {
    other.flight.move_to(now_);
    work_.lost += collide(one, one.flight, &other, &other.flight, n, laws);
    note_impact(other);
    ++other.version;
  }
  note_impact(one);
  change(i);
  if (!other.is_asleep) foresee(j);
}

void SphereCrowd::meet_plane(int i, int plane) {
  Body& one = body(i);
  one.flight.move_to(now_);
  const Vector3 n = vector(family_.walls[at(plane)].inward);
  const ImpactLaws laws = laws_of(-dot(n, one.flight.velocity), now_ - one.last_impact);
  ++work_.impacts;
  work_.elastic += laws.restitution == 1 && laws_.restitution != 1;
  work_.lost += collide(one, one.flight, nullptr, nullptr, n, laws);
  keep_hopping(one, n);
  leave_corner(i, now_ - one.last_impact);
  note_impact(one);
  change(i);
}

}  // namespace pawl::contact
