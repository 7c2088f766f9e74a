// Guards that read what consistent values after a transition may move by less than the tolerance: an event fires once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "pawl/simulate.hpp"

namespace pawl {
namespace {

constexpr double tolerances[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

/// z + z³/10 = sin t, of index 1, toggles a flip-flop where it rises through 1/2: every 2π, 16 times up to t = 100.
struct Divider {
  System system{"divider"};
  State high;
  Guard clock;

  explicit Divider(bool is_black_box) {
    const State x = system.state("x", 0), v = system.state("v", 1), z = system.state("z", 0),
                up = system.state("high", 0);
    const auto q = system.discrete("q", false);
    high = up;
    system.rates([=](const auto& at, auto& d) {
      d[x] = at[v];
      d[v] = -at[x];
      d[up] = at[q] ? 1.0 : 0.0;
    });
    system.equation("diode", [=](const auto& at) { return at[z] + 0.1 * at[z] * sqr(at[z]) - at[x]; });
    const auto toggle = [=](Jump& jump) { jump[q] = !jump[q]; };
    if (is_black_box)
      clock = system.guard("clock", [=](const Point<double>& at) { return at[z] - 0.5; }).rising().then(toggle);
    else
      clock = system.guard("clock", [=](const auto& at) { return at[z] - 0.5; }).rising().then(toggle);
  }
};

class OfIndex1 : public ::testing::TestWithParam<const char*> {};
class OfIndex2 : public ::testing::TestWithParam<const char*> {};

TEST_P(OfIndex1, AGuardOnAnAlgebraicUnknownFiresOncePerPeriod) {
  for (const bool is_black_box : {false, true}) {
    const Divider divider(is_black_box);
    for (const double tolerance : tolerances) {
      SCOPED_TRACE(testing::Message() << tolerance << (is_black_box ? " black box" : ""));
      const Result run = simulate(divider.system, {.end = 100, .tolerance = tolerance, .method = GetParam()});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(run.times_of(divider.clock).size(), 16U);
      EXPECT_NEAR(run.final()[divider.high], 16 * std::numbers::pi, std::max(1e-9, 2000 * tolerance));
    }
  }
}

/// The same in a system of index 2, where consistent values move a differential unknown.
TEST_P(OfIndex2, AGuardOnAConstrainedStateFiresOncePerPeriod) {
  System system("count");
  const State a = system.state("a", 0), b = system.state("b", 0), lambda = system.state("lambda", 1);
  const auto count = system.discrete("count", 0);
  system.equation("balance", [=](const auto& at) { return at[dot(a)] - at[lambda] + at[a] * at[b]; });
  system.equation("lag", [=](const auto& at) { return at[dot(b)] + at[b] - at[a]; });
  system.equation("track", [=](const auto& at) { return at[a] - sin(at.t); });
  const Guard up =
      system.guard("a above 0.5", [=](const auto& at) { return at[a] - 0.5; }).rising().then([=](Jump& jump) {
        jump[count] = jump[count] + 1;
      });
  for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-8}) {
    SCOPED_TRACE(tolerance);
    const Result run = simulate(system, {.end = 100, .tolerance = tolerance, .method = GetParam()});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.times_of(up).size(), 16U);
    EXPECT_EQ(run.final()[count], 16);
  }
}

std::string name_of(const ::testing::TestParamInfo<const char*>& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, OfIndex1,
                         ::testing::Values("auto", "radau-9", "esdirk-5", "rodas5p", "bdf", "dop853"), name_of);
// Methods that lose their order at index 2 leave the constraint by more than the tolerance.
INSTANTIATE_TEST_SUITE_P(Methods, OfIndex2, ::testing::Values("auto", "radau-5", "radau-9", "dop853"), name_of);

}  // namespace
}  // namespace pawl
