// NearPairs: the broad phase. Which spheres may touch, kept for each of them until it has come half a skin from where
// it was entered.
//
// A sphere is entered at its anchor. While no two spheres are farther than half a skin from theirs, centres are at most
// a skin nearer than anchors, so that two of which the anchors are a sum of radii and a skin apart cannot touch: pairs
// that are not listed need no look. The caller enters a sphere anew before it leaves its bound. Anchors are in the
// cells of a hashed grid (Teschner et al., VMV 2003), as wide as the largest reach: a sphere looks into 27 of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/flight.hpp"
#include "pawl/callback.hpp"

namespace pawl::contact {

class NearPairs {
 public:
  /// may_touch(i, j), i < j; none: all may.
  NearPairs(std::vector<double> radii, double skin, Callback<bool(int, int)> may_touch);

  double skin() const { return skin_; }
  Vector3 anchor(int i) const { return spheres_[at(i)].anchor; }
  std::span<const int> near(int i) const { return spheres_[at(i)].near; }
  /// At another place, with lists to match.
  void enter(int i, Vector3 position);

  long long entered() const { return entered_; }
  long long tests() const { return tests_; }  ///< distances computed

 private:
  struct Cell {
    std::int64_t x, y, z;
    bool operator==(const Cell&) const = default;
  };
  struct Sphere {
    Vector3 anchor;
    Cell cell{};
    int next = -1, previous = -1;  // in the bucket
    bool is_in = false;
    std::vector<int> near;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Cell cell_of(Vector3 position) const;
  std::size_t bucket_of(const Cell& cell) const;
  void leave(int i);
  void look_into(const Cell& cell, int i);

  std::vector<double> radii_;
  double skin_, width_;
  Callback<bool(int, int)> may_touch_;
  std::vector<Sphere> spheres_;
  std::vector<int> buckets_;  // the first sphere of each
  long long entered_ = 0, tests_ = 0;
};

}  // namespace pawl::contact
