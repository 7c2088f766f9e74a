// The problem sphere-box; what its family of contacts promises is tested in simulate/contact_family_test.cpp.
#include "problems/sphere_box.hpp"

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"

namespace pawl::problems {
namespace {

using testing::misuse_of;

TEST(SphereBox, LosesItsHeightAndKeepsItsLedger) {
  const SphereBox box = sphere_box_of(125);
  const Result run = simulate(box.system, {.end = 0.5, .keep = Keep::end});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_LT(run.range(box.ledger).variation(), 1e-12 * run.start()[box.ledger]);
  // From the middle of 5 layers 2.4 radii apart to that of a pile no denser than any can be (0.74 of the space).
  const double side = 2 * box.half_width, filled = 125 * 4.0 / 3 * 3.14159265 * 1e-6 / 0.74 / (side * side);
  const double weight = 125 * SphereBox::mass * SphereBox::gravity;
  EXPECT_GT(run.final()[box.energy], weight * filled / 2);
  EXPECT_LT(run.final()[box.energy], 0.8 * run.start()[box.energy]);
}

TEST(SphereBox, GivesTheSameBitsEveryTime) {
  const SphereBox box = sphere_box_of(64), again = sphere_box_of(64);
  const Options options{.end = 0.6, .keep = Keep::end};
  const Result first = simulate(box.system, options), second = simulate(again.system, options);
  EXPECT_EQ(first.final().states(), second.final().states());
  EXPECT_EQ(first.final()[box.contacts].impacts, second.final()[again.contacts].impacts);
}

TEST(SphereBox, TheNumberOfSpheresShapesTheModel) {
  const Problem problem = sphere_box();
  EXPECT_EQ(system_of(problem, {{"n", 5}}).size(), 12 * 5);
  EXPECT_EQ(misuse_of([&] {
              system_of(problem, {{"n", 2.5}});
            }),
            "sphere-box: n = 2.5 must be a whole number from 1 to 1000000");
  Values values(problem.system);
  values.set("n", 5);
  EXPECT_EQ(misuse_of([&] { simulate(problem.system, values, {.end = 1}); }),
            "this sphere-box has 27 spheres, not n = 5: build it with system_of(problem, {\"n\", ...})");
}

}  // namespace
}  // namespace pawl::problems
