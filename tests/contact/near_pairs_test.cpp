// The broad phase: no pair that can touch is left out, and work grows with the spheres, not with the pairs.
#include "contact/near_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pawl::contact {
namespace {

bool lists(const NearPairs& pairs, int i, int j) {
  const auto near = pairs.near(i);
  return std::find(near.begin(), near.end(), j) != near.end();
}

TEST(NearPairs, ListsEveryPairThatCanTouchBeforeOneOfThemIsEnteredAgain) {
  constexpr int n = 300;
  constexpr double skin = 0.3;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-6, 6), size(0.2, 1), by(-0.2, 0.2);
  std::vector<double> radii;
  std::vector<Vector3> now(n);
  for (int i = 0; i < n; ++i) radii.push_back(size(random));
  NearPairs pairs(radii, skin, {});
  for (int i = 0; i < n; ++i) {
    now[static_cast<std::size_t>(i)] = {place(random), place(random), place(random)};
    pairs.enter(i, now[static_cast<std::size_t>(i)]);
  }
  int touching = 0;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < n; ++i) {
      Vector3& p = now[static_cast<std::size_t>(i)];
      p += {by(random), by(random), by(random)};
      if (norm(p - pairs.anchor(i)) > skin / 2) pairs.enter(i, p);
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        EXPECT_EQ(lists(pairs, i, j), lists(pairs, j, i));
        const double apart = norm(now[static_cast<std::size_t>(i)] - now[static_cast<std::size_t>(j)]);
        if (apart > radii[static_cast<std::size_t>(i)] + radii[static_cast<std::size_t>(j)]) continue;
        ++touching;
        EXPECT_TRUE(lists(pairs, i, j)) << i << " " << j;
      }
    }
  }
  EXPECT_GT(touching, 1000);
}

TEST(NearPairs, LeavesOutThoseThatMayNotTouch) {
  NearPairs pairs({1, 1, 1}, 0.1, [](int i, int j) { return i != 0 || j != 2; });
  for (int i = 0; i < 3; ++i) pairs.enter(i, {1.5 * i, 0, 0});
  EXPECT_TRUE(lists(pairs, 0, 1));
  EXPECT_TRUE(lists(pairs, 2, 1));
  pairs.enter(2, {1, 1, 0});
  EXPECT_FALSE(lists(pairs, 0, 2));
}

// m³ spheres side by side: 27 cells of 2.3 radii hold less than (3.45 + 1)³ of them.
TEST(NearPairs, LooksAtAsManyDistancesPerSphereInEveryCrowd) {
  for (const int m : {5, 10, 20}) {
    const int n = m * m * m;
    NearPairs pairs(std::vector<double>(static_cast<std::size_t>(n), 1.0), 0.3, {});
    for (int i = 0; i < n; ++i) {
      const int row = i / m % m, layer = i / m / m;
      pairs.enter(i, {2.0 * (i % m), 2.0 * row, 2.0 * layer});
    }
    EXPECT_LT(pairs.tests(), 90LL * n);
    long long listed = 0;
    for (int i = 0; i < n; ++i) listed += static_cast<long long>(pairs.near(i).size());
    EXPECT_EQ(listed, 2 * 3LL * m * m * (m - 1));
  }
}

}  // namespace
}  // namespace pawl::contact
