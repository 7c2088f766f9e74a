// What ranges can decide and what they cannot: large angles, poles, guards that are zero in disguise, guards without a
// value. docs/events.md, "What is promised".
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double pi = std::numbers::pi, eps = 2.220446049250313e-16;

/// x = start + t, exactly.
struct Line {
  System system{"line"};
  State x;
  explicit Line(double start) : x(system.state("x", start)) {
    system.rates([x = x](const auto& at, auto& d) { d[x] = 1.0 + 0 * at[x]; });
  }
};

/// x = sin t, v = cos t, and the same once more.
struct Twins {
  System system{"twins"};
  State x, v, y, w;
  explicit Twins(double apart = 0)
      : x(system.state("x", 0)), v(system.state("v", 1)), y(system.state("y", 0)), w(system.state("w", 1 + apart)) {
    system.rates([x = x, v = v, y = y, w = w](const auto& at, auto& d) {
      d[x] = at[v];
      d[v] = -at[x];
      d[y] = at[w];
      d[w] = -at[y];
    });
  }
};

Assurance level(const Result& run) {
  return run.statistics.events.guarantees.front().level;
}

std::vector<std::string> warnings(const Result& run) {
  std::vector<std::string> all;
  for (const Message& message : run.messages) {
    if (message.level == Message::Level::warning) all.push_back(message.text);
  }
  return all;
}

TEST(LargeAngles, OfAPhaseAreFoundAndProved) {
  for (const double start : {0.9e8, 1.1e8, 1e9, 1.7e9, 1e12}) {
    SCOPED_TRACE(start);
    Line line(start);
    const State x = line.x;
    const Guard g = line.system.guard("sin x", [=](const auto& at) { return sin(at[x]); });
    const Result run = simulate(line.system, {.end = 20});
    ASSERT_TRUE(run.finished()) << run.reason;
    const long double half_turn = std::numbers::pi_v<long double>;
    const long double first = std::floor(start / half_turn) + 1;
    const std::vector<double> times = run.times_of(g);
    ASSERT_EQ(times.size(), static_cast<std::size_t>(std::floor((start + 20) / half_turn) - first + 1));
    for (std::size_t k = 0; k < times.size(); ++k)
      EXPECT_NEAR(times[k], static_cast<double>((first + k) * half_turn - start), 16 * eps * start) << k;
    EXPECT_EQ(level(run), Assurance::proved);
    EXPECT_EQ(warnings(run), std::vector<std::string>{});
  }
}

TEST(LargeAngles, OfAGridAreFoundLateInALongRun) {
  for (const double frequency : {50.0, 1000.0}) {
    for (const double start : {1e4, 1e6}) {
      System system("grid");
      const State x = system.state("x", 0);
      const double w = 2 * pi * frequency;
      system.rates([=](const auto& at, auto& d) { d[x] = cos(w * at.t); });
      const Guard g = system.guard("voltage", [=](const auto& at) { return sin(w * at.t); }).rising();
      const Result run = simulate(system, {.start = start + 0.25 / frequency, .end = start + 1 + 0.25 / frequency});
      ASSERT_TRUE(run.finished()) << run.reason;
      const std::vector<double> times = run.times_of(g);
      ASSERT_EQ(times.size(), static_cast<std::size_t>(frequency));
      for (std::size_t k = 0; k < times.size(); ++k) {  // w is 2 pi to rounding only, which is 1e6 turns late
        const double turn = std::round(start * frequency) + static_cast<double>(k) + 1;
        EXPECT_NEAR(times[k], turn * (2 * std::numbers::pi_v<long double> / w), 8 * eps * start);
      }
      EXPECT_EQ(level(run), Assurance::proved);
    }
  }
}

TEST(LargeAngles, InARippleDoNotHideWhatItIsARippleOf) {
  System system("ball on a table");
  const State h = system.state("h", 1), v = system.state("v", 0);
  system.rates([=](const auto& at, auto& d) {
    d[h] = at[v];
    d[v] = -9.81 + 0 * at[h];
  });
  const auto table = [](double t) { return 1e-3 * std::sin(314.159265358979 * (t + 4e5)); };
  const Guard g =
      system.guard("table", [=](const auto& at) { return at[h] - 1e-3 * sin(314.159265358979 * (at.t + 4e5)); })
          .falling()
          .unilateral()
          .then([=](Jump& jump) { jump[v] = -0.8 * jump.pre(v); });
  const Result run = simulate(system, {.end = 1.5});
  ASSERT_TRUE(run.finished()) << run.reason;
  ASSERT_GE(run.times_of(g).size(), 2U);
  EXPECT_NEAR(run.times_of(g).front(), std::sqrt(2 / 9.81), 1e-3);  // a millimetre at 4.4 m/s
  for (int i = 0; i <= 1500; ++i) EXPECT_GE(run.at(1e-3 * i)[h], table(1e-3 * i) - 1e-12) << i;
}

TEST(LargeAngles, BeyondWhatNumbersResolveAreSaidNotToBeProved) {
  Line line(1e17);  // an ulp is 16
  const State x = line.x;
  line.system.guard("sin x", [=](const auto& at) { return sin(at[x]); });
  const Result run = simulate(line.system, {.end = 20});
  EXPECT_EQ(level(run), Assurance::sampled);
  EXPECT_EQ(warnings(run), std::vector<std::string>{
                               "t = 0: the sign of the guard 'sin x' cannot be proved here: its range at a single "
                               "instant contains zero and is as large as its values. Where that is so it is told by "
                               "samples, which can miss a short excursion, and it is listed as sampled"});
}

TEST(Undecided, GuardIsFoundByNumbersAndSaidNotToBeProved) {
  Twins twins;
  const State x = twins.x, v = twins.v;
  const Guard g = twins.system.guard(
      // NOLINTNEXTLINE(misc-redundant-expression): that is what it is about
      "g", [=](const auto& at) { return select(at[x] - at[x], 1.0 + 0 * at[x], at[v] - 0.5); });  // v - 0.5
  const Result run = simulate(twins.system, {.end = 10, .tolerance = 1e-10});
  const std::vector<double> times = run.times_of(g);
  ASSERT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[0], pi / 3, 1e-8);
  EXPECT_NEAR(times[1], 5 * pi / 3, 1e-8);
  EXPECT_NEAR(times[2], 7 * pi / 3, 1e-8);
  EXPECT_EQ(level(run), Assurance::sampled);
  ASSERT_EQ(warnings(run).size(), 1U);
  const Message& said = *std::find_if(run.messages.begin(), run.messages.end(), [](const Message& message) {
    return message.code == MessageCode::guard_undecided;
  });
  EXPECT_NEAR(said.t, pi / 3, 1);
}

TEST(Poles, AreNoEventsOfAGuard) {
  for (const bool is_black_box : {false, true}) {
    SCOPED_TRACE(is_black_box);
    Line line(0.05);
    const State x = line.x;
    const auto hyperbola = [=](const auto& at) { return 1 / (at[x] - 0.5); };
    const auto tangent = [=](const auto& at) { return tan(10 * at[x]); };
    const Guard pole = is_black_box ? line.system.guard("1/(x - 0.5)", black_box(hyperbola))
                                    : line.system.guard("1/(x - 0.5)", hyperbola);
    const Guard both =
        is_black_box ? line.system.guard("tan 10 x", black_box(tangent)) : line.system.guard("tan 10 x", tangent);
    const Result run = simulate(line.system, {.end = 0.95});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(run.times_of(pole), std::vector<double>{});
    const std::vector<double> times = run.times_of(both);
    ASSERT_EQ(times.size(), 3U);
    for (int k = 1; k <= 3; ++k) EXPECT_NEAR(times[static_cast<std::size_t>(k - 1)], k * pi / 10 - 0.05, 1e-14);
    EXPECT_EQ(run.events.size(), 3U);  // no touches either
    EXPECT_EQ(level(run), is_black_box ? Assurance::sampled : Assurance::proved);
  }
}

TEST(Poles, AZeroIsStillFoundBeyondOneOnTheSideItLeft) {
  Line line(0);
  const State x = line.x;
  const auto g = [=](const auto& at) { return 1 / (at[x] - 0.5) + 4; };  // pole at 1/2, zero at 1/4
  const Guard rising = line.system.guard("rising", g).rising(), falling = line.system.guard("falling", g).falling();
  const Result run = simulate(line.system, {.end = 1});
  EXPECT_EQ(run.times_of(rising), std::vector<double>{});  // it becomes positive at the pole
  ASSERT_EQ(run.times_of(falling).size(), 1U);
  EXPECT_NEAR(run.times_of(falling)[0], 0.25, 1e-14);
}

TEST(Poles, ThatAreRemovableAreZerosAndFire) {
  Line line(-0.5);
  const State x = line.x;
  const Guard g = line.system.guard("x^2 / x", [=](const auto& at) { return sqr(at[x]) / at[x]; });
  const Result run = simulate(line.system, {.end = 0.95});
  ASSERT_EQ(run.times_of(g).size(), 1U);
  EXPECT_NEAR(run.times_of(g)[0], 0.5, 1e-14);
}

TEST(Poles, ChangeTheTruthOfACondition) {
  Line line(0);
  const State x = line.x;
  const Condition c = line.system.condition("1/(x - 0.3) > 0", [=](const auto& at) { return 1 / (at[x] - 0.3); });
  const Result run = simulate(line.system, {.end = 1});
  ASSERT_EQ(run.times_of(c).size(), 1U);
  EXPECT_NEAR(run.times_of(c)[0], 0.3, 1e-14);
  EXPECT_TRUE(run.final()[c]);
}

/// Runs guards that are zero all along, or for a while, and gives the number of their ranges per step.
template <class G>
void expect_rest(const char* name, const G& g, double apart = 0) {
  SCOPED_TRACE(name);
  Twins twins(apart);
  twins.system.guard("g", [=](const auto& at) { return g(at, twins); });
  const Result run = simulate(twins.system, {.end = 10});
  ASSERT_TRUE(run.finished()) << run.reason;
  for (const Event& event : run.events) EXPECT_FALSE(fires(event.kind)) << event.t;
  EXPECT_LE(run.statistics.events.guard_ranges, 6000 * run.statistics.steps_accepted);
  EXPECT_LE(run.statistics.steps_accepted, 400);
}

TEST(ZeroInDisguise, CostsLittleAndFiresNothing) {
  // NOLINTBEGIN(misc-redundant-expression): that is what they are about
  expect_rest("x - x", [](const auto& at, const Twins& s) { return at[s.x] - at[s.x]; });
  expect_rest("(x - x)^2", [](const auto& at, const Twins& s) { return sqr(at[s.x] - at[s.x]); });
  // NOLINTEND(misc-redundant-expression)
  expect_rest("x - y", [](const auto& at, const Twins& s) { return at[s.x] - at[s.y]; });
  expect_rest("(x - y)^2", [](const auto& at, const Twins& s) { return sqr(at[s.x] - at[s.y]); });
  expect_rest("|x - y|", [](const auto& at, const Twins& s) { return abs(at[s.x] - at[s.y]); });
  expect_rest("x w - y v", [](const auto& at, const Twins& s) { return at[s.x] * at[s.w] - at[s.y] * at[s.v]; });
  expect_rest("sin^2 + cos^2 - 1",
              [](const auto& at, const Twins& s) { return sqr(sin(at[s.x])) + sqr(cos(at[s.x])) - 1; });
  expect_rest("|sin^2 + cos^2 - 1|",
              [](const auto& at, const Twins& s) { return abs(sqr(sin(at[s.x])) + sqr(cos(at[s.x])) - 1); });
  expect_rest("sqrt(x^2) - |x|", [](const auto& at, const Twins& s) { return sqrt(sqr(at[s.x])) - abs(at[s.x]); });
}

TEST(ZeroInDisguise, ForAWhileFiresNothingEither) {
  expect_rest("x - min(x, 1/2)",
              [](const auto& at, const Twins& s) { return at[s.x] - min(at[s.x], 0.5 + 0 * at[s.x]); });
  expect_rest("max(x - 1/2, 0)", [](const auto& at, const Twins& s) { return max(at[s.x] - 0.5, 0 * at[s.x]); });
  expect_rest("exp x - max(exp x, 2)",
              [](const auto& at, const Twins& s) { return exp(at[s.x]) - max(exp(at[s.x]), 2 + 0 * at[s.x]); });
  expect_rest("|x| - x", [](const auto& at, const Twins& s) { return abs(at[s.x]) - at[s.x]; });
  expect_rest("x - select(x, x, 0)",
              [](const auto& at, const Twins& s) { return at[s.x] - select(at[s.x], at[s.x], 0 * at[s.x]); });
}

TEST(ZeroInDisguise, FlatGuardsCostLittle) {
  expect_rest(
      "(x - y)^2, 1e-9 apart", [](const auto& at, const Twins& s) { return sqr(at[s.x] - at[s.y]); }, 1e-9);
  expect_rest("(x^2 + v^2 - 1)^2", [](const auto& at, const Twins& s) { return sqr(sqr(at[s.x]) + sqr(at[s.v]) - 1); });
}

TEST(ZeroInDisguise, ALaterCrossingIsFound) {
  Twins twins;
  const State x = twins.x, y = twins.y;
  const Guard g = twins.system.guard("x - y + (t - 5)^3 where t > 5", [=](const auto& at) {
    const auto late = max(at.t - 5, 0 * at.t);
    return at[x] - at[y] + late * late * (1 - late);  // rises, and falls through zero at 6
  });
  const Result run = simulate(twins.system, {.end = 8});
  ASSERT_EQ(run.times_of(g).size(), 1U);
  EXPECT_NEAR(run.times_of(g)[0], 6, 1e-13);
}

TEST(NotANumber, IsSeenBetweenSteps) {
  for (const double depth : {0.3, 1e-3, 1e-6}) {  // the last is 2.8e-3 wide
    SCOPED_TRACE(depth);
    Twins twins;
    const State x = twins.x;
    twins.system.guard("root", [=](const auto& at) { return 1 + sqrt(at[x] + 1 - depth); });
    const Result run = simulate(twins.system, {.end = 10, .tolerance = 1e-9});
    EXPECT_EQ(run.outcome, Outcome::failed);
    ASSERT_TRUE(run.ending);
    EXPECT_EQ(run.ending->code, MessageCode::guard_not_a_number);
    const std::size_t colon = run.reason.find(':');
    EXPECT_EQ(run.reason.substr(0, 4), "t = ");
    EXPECT_EQ(run.reason.substr(colon),
              ": the guard 'root' is not a number.\n"
              "  likely: division by zero, or a root or logarithm of a negative number, at this state\n"
              "  try:    rewrite the guard without it: a product instead of a quotient, a square instead of a root");
    EXPECT_NEAR(run.ending->t, pi + std::asin(1 - depth), 1e-8 / std::sqrt(depth));
    EXPECT_EQ(warnings(run), std::vector<std::string>{});
  }
}

TEST(NotANumber, IsNotSeenBehindAnEventThatComesFirst) {
  Line line(-0.5);
  const State x = line.x;
  line.system.guard("root", [=](const auto& at) { return 1 + sqrt(0.1 - at[x]); });
  const Guard back = line.system.guard("back", [=](const auto& at) { return at[x]; }).rising().then([=](Jump& jump) {
    jump[x] = -0.5;
  });
  const Result run = simulate(line.system, {.end = 2.25});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(run.times_of(back).size(), 4U);
}

TEST(NotANumber, IsNotSeenWhereARootOnlyTouchesItsBorder) {
  Twins twins;
  const State x = twins.x;
  twins.system.guard("cosine", [=](const auto& at) { return 0.5 + sqrt(sqr(at[x])); });
  const Result run = simulate(twins.system, {.end = 10});
  EXPECT_TRUE(run.finished()) << run.reason;
  EXPECT_EQ(level(run), Assurance::proved);
}

}  // namespace
}  // namespace pawl
