#include "contact/near_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pawl::contact {

NearPairs::NearPairs(std::vector<double> radii, double skin, Callback<bool(int, int)> may_touch)
    : radii_(std::move(radii)), skin_(skin), may_touch_(std::move(may_touch)), spheres_(radii_.size()) {
  const double largest = radii_.empty() ? 1 : *std::max_element(radii_.begin(), radii_.end());
  width_ = 2 * largest + skin;
  std::size_t buckets = 1;
  while (buckets < 2 * radii_.size()) buckets *= 2;
  buckets_.assign(buckets, -1);
}

NearPairs::Cell NearPairs::cell_of(Vector3 position) const {
  const auto one = [this](double x) {
    return static_cast<std::int64_t>(std::floor(std::clamp(x / width_, -4e18, 4e18)));
  };
  return {one(position.x), one(position.y), one(position.z)};
}

std::size_t NearPairs::bucket_of(const Cell& cell) const {
  const auto mixed = static_cast<std::uint64_t>(cell.x) * 73856093U ^ static_cast<std::uint64_t>(cell.y) * 19349663U ^
                     static_cast<std::uint64_t>(cell.z) * 83492791U;
  return mixed & (buckets_.size() - 1);
}

void NearPairs::leave(int i) {
  Sphere& sphere = spheres_[at(i)];
  for (const int j : sphere.near) {
    std::vector<int>& others = spheres_[at(j)].near;
    const auto found = std::find(others.begin(), others.end(), i);
    *found = others.back();
    others.pop_back();
  }
  sphere.near.clear();
  if (!sphere.is_in) return;
  (sphere.previous >= 0 ? spheres_[at(sphere.previous)].next : buckets_[bucket_of(sphere.cell)]) = sphere.next;
  if (sphere.next >= 0) spheres_[at(sphere.next)].previous = sphere.previous;
}

void NearPairs::look_into(const Cell& cell, int i) {
  Sphere& sphere = spheres_[at(i)];
  for (int j = buckets_[bucket_of(cell)]; j >= 0; j = spheres_[at(j)].next) {
    if (!(spheres_[at(j)].cell == cell)) continue;  // another cell may share the bucket
    ++tests_;
    const Vector3 apart = spheres_[at(j)].anchor - sphere.anchor;
    const double reach = radii_[at(i)] + radii_[at(j)] + skin_;
    if (dot(apart, apart) > reach * reach) continue;
    if (may_touch_ && !may_touch_(std::min(i, j), std::max(i, j))) continue;
    sphere.near.push_back(j);
    spheres_[at(j)].near.push_back(i);
  }
}

void NearPairs::enter(int i, Vector3 position) {
  ++entered_;
  leave(i);
  Sphere& sphere = spheres_[at(i)];
  sphere.anchor = position;
  sphere.cell = cell_of(position);
  const Cell own = sphere.cell;
  for (std::int64_t x = own.x - 1; x <= own.x + 1; ++x)
    for (std::int64_t y = own.y - 1; y <= own.y + 1; ++y)
      for (std::int64_t z = own.z - 1; z <= own.z + 1; ++z) look_into({x, y, z}, i);
  int& first = buckets_[bucket_of(own)];
  sphere.previous = -1;
  sphere.next = first;
  if (first >= 0) spheres_[at(first)].previous = i;
  first = i;
  sphere.is_in = true;
}

}  // namespace pawl::contact
