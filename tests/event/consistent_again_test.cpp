// Guards that read what consistent values after a transition may move by less than the tolerance: an event fires once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "pawl/simulate.hpp"

namespace pawl {
namespace {

using std::string_literals::operator""s;

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
INSTANTIATE_TEST_SUITE_P(Methods, OfIndex2,
                         ::testing::Values("auto", "radau-5", "radau-9", "esdirk-5", "rodas5p", "bdf", "dop853"),
                         name_of);

// Example 4 of Mao and Petzold (problems.md, section 11): two diodes as three modes over four relations, with the
// voltages among the unknowns. A blocked current rests at zero: its rate, which is solved for, is the rounding of
// others, and at index 2 so is the current itself.
struct Rectifier {
  System system{"rectifier"};
  State i1, i2, v3 = system.state("v3", 0), vd1 = system.state("vd1", 0), vd2 = system.state("vd2", 0);

  Rectifier(int index, double i1_start, double i2_start)
      : i1(system.state("i1", i1_start)), i2(system.state("i2", i2_start)) {
    const auto v1 = [](const auto& at) { return 100 * sin(100 * std::numbers::pi * at.t); };
    const auto m1 = system.discrete("m1", true), m2 = system.discrete("m2", false);
    system.rates([=, i1 = i1, i2 = i2, v3 = v3, vd1 = vd1, vd2 = vd2](const auto& at, auto& d) {
      d[i1] = (v1(at) - at[v3] - at[vd1]) / 1e-3;
      d[i2] = (-v1(at) - at[v3] - at[vd2]) / 1e-3;
    });
    system.equation("load", [i1 = i1, i2 = i2, v3 = v3](const auto& at) {
      return at[i1] + at[i2] + 1e-2 * (at[dot(i1)] + at[dot(i2)]) - at[v3];
    });
    const auto diode = [&](const char* name, State current, State voltage, Discrete<bool> blocks) {
      system.equation(name, [=](const auto& at) {
        using T = std::decay_t<decltype(at.t)>;
        if (!at[blocks]) return T(at[voltage]);
        return index == 1 ? T(at[dot(current)]) : T(at[current]);
      });
    };
    diode("diode 1", i1, vd1, m2);
    diode("diode 2", i2, vd2, m1);
    const auto r1 = system.condition("i1 > 0", [i1 = i1](const auto&at) { return at[i1]; }),
               r2 = system.condition("i2 > 0", [i2 = i2](const auto&at) { return at[i2]; }),
               r3 = system.condition("v1 > v3", [=, v3 = v3](const auto&at) { return v1(at) - at[v3]; }),
               r4 = system.condition("v2 > v3", [=, v3 = v3](const auto&at) { return -v1(at) - at[v3]; });
    system.decide(m1, r1 && !r2 && !r4);
    system.decide(m2, r2 && !r1 && !r3);
  }
};

std::vector<double> mode_changes(const Result& run) {
  std::vector<double> changes;
  for (const Event& event : run.events)
    if (event.held_before->modes != event.held_after->modes) changes.push_back(event.t);
  return changes;
}

TEST(StateConditions, AreThoseOfTheRatesWhereVoltagesAreUnknown) {
  constexpr double known[] = {0.01005648433230652, 0.01150480706644984, 0.02007684140159462, 0.0217526371347744,
                              0.03008416946200961, 0.03183371280614994, 0.04008680769945779, 0.04186205049262902,
                              0.05008775758193733, 0.0518721502697121,  0.06008809959166701, 0.06187577369581757,
                              0.07008822273523822, 0.07187707666453769, 0.08008826707432459, 0.08187754559478656};
  for (const int index : {1, 2}) {
    const Rectifier model(index, 1e-9, 0);
    for (const char* method : {"auto", "radau", "rodas5p", "esdirk-5"}) {
      for (const double tolerance : {1e-5, 1e-8}) {
        SCOPED_TRACE(fmt::format("index {}, {}, {:g}", index, method, tolerance));
        const Result run =
            simulate(model.system, {.end = 0.085, .tolerance = {tolerance, tolerance}, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        const std::vector<double> changes = mode_changes(run);
        ASSERT_EQ(changes.size(), std::size(known));
        const bool loses_order = index == 2 && (method == "rodas5p"s || method == "esdirk-5"s);
        const double bound = (loses_order ? 1e-3 : 1e-4) * tolerance;
        for (std::size_t k = 0; k < changes.size(); ++k) EXPECT_NEAR(changes[k], known[k], bound);
      }
    }
  }
}

TEST(StateConditions, HoldFromEveryStartThatTheyAllow) {
  for (const int index : {1, 2}) {
    for (const double start : {0.0, 0.002}) {
      for (const double i1 : {1e-9, 1.0}) {
        for (const double i2 : {0.0, -1e-9}) {
          SCOPED_TRACE(fmt::format("index {}, start {}, i1 {}, i2 {}", index, start, i1, i2));
          const Rectifier model(index, i1, i2);
          const Result run = simulate(model.system, {.start = start, .end = 0.085, .tolerance = {1e-8, 1e-8}});
          ASSERT_TRUE(run.finished()) << run.reason;
          EXPECT_EQ(mode_changes(run).size(), 16u);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pawl
