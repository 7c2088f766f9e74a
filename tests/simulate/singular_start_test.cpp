// Starts at points where equations are consistent and yet leave something open, as those of a saturating inductor
// without current (its inductance could be anything there).
#include <gtest/gtest.h>

#include <cmath>

#include "pawl/pawl.hpp"

namespace pawl {
namespace {

constexpr double Ip = 0.06, Lz = 2.1, Li = 0.9;

struct Inductor {
  System system{"saturating inductor"};
  State psi, i, L;
  explicit Inductor(double i0)
      : psi(system.state("psi", Lz * i0)), i(system.state("i", i0)), L(system.state("L", 1.0)) {
    system.equation("voltage", [psi = psi](const auto& at) { return at[dot(psi)] - sin(at.t + 0.5); });
    system.equation("flux", [psi = psi, i = i, L = L](const auto& at) { return at[psi] - at[L] * at[i]; });
    system.equation("saturation", [i = i, L = L](const auto& at) {
      return (at[L] - Li) * at[i] / Ip - (Lz - Li) * atan(at[i] / Ip);
    });
  }
};

/// The current that belongs to a flux: Li i + (Lz - Li) Ip atan(i / Ip) rises.
double current(double flux) {
  double low = -10, high = 10;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (Li * middle + (Lz - Li) * Ip * std::atan(middle / Ip) < flux ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

TEST(SingularStart, AnInductorWithoutCurrentKeepsItsGuessesAndGoesOn) {
  for (const double i0 : {0.0, 1e-9, 1e-6, 1e-3}) {
    for (const char* method : {"auto", "radau", "radau-5", "rodas5p", "esdirk-5"}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        SCOPED_TRACE(::testing::Message() << i0 << ", " << method << ", " << tolerance);
        const Inductor inductor(i0);
        const Result run = simulate(inductor.system, {.end = 4, .tolerance = tolerance, .method = method});
        ASSERT_TRUE(run.finished()) << run.reason;
        EXPECT_NEAR(run.start()[inductor.i], current(Lz * i0), 1e-9 * i0 + 1e-30);
        if (i0 == 0) {
          EXPECT_EQ(run.start()[inductor.L], 1);
        }
        for (const double t : {0.5, 1.0, 2.0, 4.0}) {
          const double flux = Lz * i0 + std::cos(0.5) - std::cos(t + 0.5);
          EXPECT_NEAR(run.at(t)[inductor.i], current(flux), 300 * tolerance) << t;
          EXPECT_NEAR(run.at(t)[inductor.L], flux / current(flux), 3000 * tolerance) << t;
        }
      }
    }
  }
}

// 1 and 1 + 1e-8 look alike with six digits.
TEST(SingularStart, AMoveOfTheStartIsSaidWithTheDigitsThatDiffer) {
  System plain("line");
  const auto a = plain.state("a", 1.00000001), b = plain.state("b", 0.0);
  plain.rates([=](const auto& at, auto& d) { d[a] = at[b]; });
  plain.equation("held", [=](const auto& at) { return at[a] - 1.0; });
  const Result run = simulate(plain, {.end = 1});
  ASSERT_TRUE(run.finished()) << run.reason;
  bool is_said = false;
  for (const Message& message : run.messages)
    is_said = is_said || message.text == "'a' from 1.00000001 to 1 (for 'held')";
  EXPECT_TRUE(is_said);
}

std::vector<std::string> texts(const Result& run, MessageCode code) {
  std::vector<std::string> all;
  for (const Message& one : run.messages)
    if (one.code == code) all.push_back(one.text);
  return all;
}

// Two tanks in one circuit: p + 1000 h = 2, with a pressure of about 1 and a level of about 1e-3. Without sizes both
// are moved along (1, 1000), so nearly all of it falls on h; in their sizes they share it: of 0.2, 0.1 each.
TEST(MovedStart, SharesAMoveInNominalSizes) {
  for (const bool has_sizes : {false, true}) {
    System tanks("tanks");
    const auto p = tanks.state("p", 1.1), h = tanks.state("h", 1.1e-3), q = tanks.state("q", 0);
    if (has_sizes) {
      tanks.nominal(p, 1);
      tanks.nominal(h, 1e-3);
    }
    tanks.rates([=](const auto& at, auto& d) {
      d[p] = at[q] - at[p];
      d[h] = 1e-3 * at[q];
    });
    tanks.equation("balance", [=](const auto& at) { return at[p] + 1000 * at[h] - 2; });
    const Result run = simulate(tanks, {.end = 1e-9});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_EQ(
        texts(run, MessageCode::start_moved),
        std::vector<std::string>{has_sizes ? "'p' from 1.1 to 1, 'h' from 0.0011 to 0.001 (for 'balance')"
                                           : "'p' from 1.1 to 1.0999998, 'h' from 0.0011 to 0.0009 (for 'balance')"});
  }
}

// x1 + x2 is given twice over; x3, whose value nothing restricts, stays as it is, and so do rates of the rest.
TEST(MovedStart, KeepsWhatNothingRestricts) {
  System sum("sum");
  const auto a = sum.state("a", 1), b = sum.state("b", 2), c = sum.state("c", 3), f = sum.state("f", 7);
  sum.rates([=](const auto& at, auto& d) {
    d[a] = at[f];
    d[b] = -at[c];
    d[c] = at[a];
  });
  sum.equation("a and b", [=](const auto& at) { return at[a] + at[b] - 5; });
  const Result run = simulate(sum, {.end = 1e-9});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_NEAR(run.start()[a], 2, 1e-12);
  EXPECT_NEAR(run.start()[b], 3, 1e-12);
  EXPECT_EQ(run.start()[c], 3);
  EXPECT_NEAR(run.start()[f], 3, 1e-12);  // a' + b' = 0
  EXPECT_EQ(texts(run, MessageCode::start_moved),
            (std::vector<std::string>{"'a' from 1 to 2, 'b' from 2 to 3 (for 'a and b')"}));
}

}  // namespace
}  // namespace pawl
