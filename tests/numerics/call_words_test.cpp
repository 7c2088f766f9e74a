#include "numerics/call_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

namespace pawl {
namespace {

std::optional<double> number(std::string_view word) {
  double out = 0;
  return read_number(word, out) ? std::optional(out) : std::nullopt;
}

TEST(ReadNumber, TakesWhatIsANumberAndAllOfIt) {
  EXPECT_EQ(number("12.5"), 12.5);
  EXPECT_EQ(number("+.5"), 0.5);
  EXPECT_EQ(number("-5."), -5.0);
  EXPECT_EQ(number("1e3"), 1000.0);
  EXPECT_EQ(number("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(number("nan").value()));
  EXPECT_EQ(number("-inf"), -std::numeric_limits<double>::infinity());
  for (const char* word : {"", "+", "-", "+-1", "-+1", "++1", " 1", "1 ", "1,5", "1e", "one", "1x", "0x10"})
    EXPECT_EQ(number(word), std::nullopt) << word;
}

TEST(ReadNumber, RoundsWhatNoDoubleCanHold) {
  EXPECT_EQ(number("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(number("-1e-400").value()));
  EXPECT_EQ(number(std::string(400, '9')), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number(std::string(400, '9') + ".5"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0.0);
}

}  // namespace
}  // namespace pawl
