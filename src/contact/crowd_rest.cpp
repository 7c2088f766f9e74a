// Rest of a SphereCrowd: who falls asleep, and who wakes.
#include <algorithm>
#include <cmath>

#include "contact/sphere_crowd.hpp"

namespace pawl::contact {

namespace {

constexpr int calm_enough = 10;
constexpr double touching = 2;  // still distances between surfaces

}  // namespace

bool SphereCrowd::touches(const Body& a, Vector3 where, const Body& b) const {
  const double reach = a.radius + b.radius + touching * std::max(laws_.still, 1e-9) * std::min(a.radius, b.radius);
  const Vector3 d = where - b.flight.position_at(now_);
  return dot(d, d) < reach * reach;
}

/// It is still where it is now.
void SphereCrowd::place_still(int i) {
  Body& one = body(i);
  one.still_at = one.flight.position_at(now_);
  one.calm = 0;
  const auto near = near_.near(i);
  one.is_watched = std::any_of(near.begin(), near.end(), [&](int j) {
    return bodies_[at(j)].is_asleep && touches(one, one.still_at, bodies_[at(j)]);
  });
}

void SphereCrowd::judge_rest() {
  std::vector<int> awake, calm;
  for (int i = 0; i < size(); ++i) {
    Body& one = body(i);
    if (one.is_asleep) continue;
    awake.push_back(i);
    if (norm(one.flight.position_at(now_) - one.still_at) > laws_.still * one.radius) {
      one.is_watched ? moved(i) : place_still(i);
      if (one.is_watched) foresee(i);
    } else {
      one.calm = one.was_pressed ? one.calm + 1 : 0;
    }
    one.was_pressed = false;
    one.hits_on_sleepers = 0;
  }
  const auto is_calm = [&](int i) { return bodies_[at(i)].is_asleep || bodies_[at(i)].calm >= calm_enough; };
  for (const int i : awake) {
    if (!is_calm(i)) continue;
    const auto near = near_.near(i);
    const Body& one = bodies_[at(i)];
    if (std::all_of(near.begin(), near.end(),
                    [&](int j) { return is_calm(j) || !touches(one, one.flight.position_at(now_), bodies_[at(j)]); }))
      calm.push_back(i);
  }
  go_to_sleep(calm);
}

void SphereCrowd::go_to_sleep(const std::vector<int>& those) {
  for (const int i : those) {
    Body& one = body(i);
    one.flight.move_to(now_);
    const Vector3 v = one.flight.velocity, spin = one.flight.spin;
    work_.lost_at_rest += (one.mass * dot(v, v) + one.inertia() * dot(spin, spin)) / 2;
    one.flight.velocity = one.flight.spin = one.flight.acceleration = {};
    one.is_asleep = true;
    one.is_watched = false;
    one.calm = 0;
    ++one.version;
    ++work_.asleep;
    ++work_.slept;
    foresee(i);
  }
  for (const int i : those) {
    for (const int j : near_.near(i)) {
      Body& other = body(j);
      if (other.is_asleep) continue;
      other.is_watched = other.is_watched || touches(other, other.still_at, body(i));
      foresee(j);  // it was foreseen with a neighbour that moves
    }
  }
}

/// Awake for a moment, so that it gives way: it goes on sleeping if it stays where it is.
void SphereCrowd::nudge(int i) {
  wake(i);
  body(i).calm = calm_enough - 1;
}

void SphereCrowd::wake(int i) {
  Body& one = body(i);
  one.flight.t = now_;
  one.flight.acceleration = pull_;
  one.is_asleep = false;
  ++one.version;
  --work_.asleep;
  ++work_.woken;
  place_still(i);
  foresee(i);
}

/// It is no more where it was still: whoever rests there, and sleeps, wakes.
void SphereCrowd::moved(int i) {
  const Vector3 left = body(i).still_at;
  const std::vector<int> near(near_.near(i).begin(), near_.near(i).end());
  for (const int j : near)
    if (body(j).is_asleep && touches(body(i), left, body(j))) wake(j);
  place_still(i);
}

// ---- at the start ----

/// Whether a force that these contacts can give, pushing alone, holds the weight: it lies in the cone of the normals,
/// which a sphere of them, two or three at a time, shows.
bool SphereCrowd::is_carried(const Body&, const std::vector<Vector3>& normals) const {
  const Vector3 up = (-1 / pull_size_) * pull_;
  constexpr double rounding = 1e-12;
  const std::size_t count = normals.size();
  for (std::size_t a = 0; a < count; ++a) {
    if (norm(cross(normals[a], up)) < rounding && dot(normals[a], up) > 0) return true;
    for (std::size_t b = 0; b < a; ++b) {
      const Vector3 across = cross(normals[a], normals[b]);
      const double size = norm(across);
      if (size < rounding) continue;
      if (std::abs(dot(across, up)) < rounding * size && dot(cross(up, normals[b]), across) >= 0 &&
          dot(cross(normals[a], up), across) >= 0)
        return true;
      for (std::size_t c = 0; c < b; ++c) {
        const double volume = dot(across, normals[c]);
        if (std::abs(volume) < rounding) continue;
        if (dot(cross(up, normals[b]), normals[c]) / volume >= 0 &&
            dot(cross(normals[a], up), normals[c]) / volume >= 0 && dot(across, up) / volume >= 0)
          return true;
      }
    }
  }
  return false;
}

/// Spheres without speed that are carried by planes, and by others that are, lie there from the start.
void SphereCrowd::start_at_rest() {
  constexpr double rounding = 1e-12;  // in radii
  std::vector<int> resting;
  std::vector<char> rests(bodies_.size());
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (int i = 0; i < size(); ++i) {
      const Body& one = bodies_[at(i)];
      if (rests[at(i)] != 0 || dot(one.flight.velocity, one.flight.velocity) > 0 ||
          dot(one.flight.spin, one.flight.spin) > 0)
        continue;
      std::vector<Vector3> normals;
      for (const int j : near_.near(i)) {
        if (rests[at(j)] == 0) continue;
        const Vector3 d = one.flight.position - bodies_[at(j)].flight.position;
        const double apart = norm(d);
        if (apart - one.radius - bodies_[at(j)].radius < rounding * one.radius) normals.push_back((1 / apart) * d);
      }
      for (std::size_t k = 0; k < family_.walls.size(); ++k) {
        if (family_.may_touch_wall && !family_.may_touch_wall(i, static_cast<int>(k))) continue;
        const auto& inward = family_.walls[k].inward;
        const Vector3 n{inward[0], inward[1], inward[2]};
        if (dot(n, one.flight.position) - family_.walls[k].offset - one.radius < rounding * one.radius)
          normals.push_back(n);
      }
      if (!is_carried(one, normals)) continue;
      rests[at(i)] = 1;
      resting.push_back(i);
      is_new = true;
    }
  }
  go_to_sleep(resting);
}

}  // namespace pawl::contact
