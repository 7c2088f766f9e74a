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

}  // namespace
}  // namespace pawl
