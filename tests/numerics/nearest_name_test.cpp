#include "numerics/nearest_name.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edit_distance("lorenz", "lorenz"), 0);
  EXPECT_EQ(edit_distance("lorezn", "lorenz"), 1);  // neighbours swapped
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(NearestName, SuggestsOnlyLikelyMeanings) {
  const std::vector<std::string> known{"lorenz", "kepler", "pleiades"};
  EXPECT_EQ(did_you_mean("Lorentz", known), "; did you mean 'lorenz'?");
  EXPECT_EQ(did_you_mean("plei", known), "; did you mean 'pleiades'?");  // the beginning of a long name
  EXPECT_EQ(did_you_mean("pendulum", known), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace pawl
