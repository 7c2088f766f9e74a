#include <gtest/gtest.h>

#include <functional>

#include "pawl/scalar.hpp"

namespace pawl {
namespace {

using D = Dual<2>;

struct Case {
  const char* name;
  std::function<D(const D&)> f;
  std::function<double(double)> derivative;
};

TEST(Dual, FollowsTheChainRuleThroughEveryFunction) {
  const Case cases[] = {
      {"sqr", [](const D& x) { return sqr(x); }, [](double x) { return 2 * x; }},
      {"sqrt", [](const D& x) { return sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }},
      {"cbrt", [](const D& x) { return cbrt(x); }, [](double x) { return std::pow(x, -2.0 / 3) / 3; }},
      {"exp", [](const D& x) { return exp(x); }, [](double x) { return std::exp(x); }},
      {"log", [](const D& x) { return log(x); }, [](double x) { return 1 / x; }},
      {"sin", [](const D& x) { return sin(x); }, [](double x) { return std::cos(x); }},
      {"cos", [](const D& x) { return cos(x); }, [](double x) { return -std::sin(x); }},
      {"tan", [](const D& x) { return tan(x); }, [](double x) { return 1 / sqr(std::cos(x)); }},
      {"asin", [](const D& x) { return asin(x); }, [](double x) { return 1 / std::sqrt(1 - x * x); }},
      {"acos", [](const D& x) { return acos(x); }, [](double x) { return -1 / std::sqrt(1 - x * x); }},
      {"atan", [](const D& x) { return atan(x); }, [](double x) { return 1 / (1 + x * x); }},
      {"sinh", [](const D& x) { return sinh(x); }, [](double x) { return std::cosh(x); }},
      {"cosh", [](const D& x) { return cosh(x); }, [](double x) { return std::sinh(x); }},
      {"tanh", [](const D& x) { return tanh(x); }, [](double x) { return 1 / sqr(std::cosh(x)); }},
      {"power 2.5", [](const D& x) { return pow(x, 2.5); }, [](double x) { return 2.5 * std::pow(x, 1.5); }},
      {"x^x", [](const D& x) { return pow(x, x); }, [](double x) { return std::pow(x, x) * (std::log(x) + 1); }},
      {"quotient", [](const D& x) { return (1 - x) / (2 + x); }, [](double x) { return -3 / sqr(2 + x); }},
      {"atan2", [](const D& x) { return atan2(x, 1 - x); }, [](double x) { return 1 / (sqr(x) + sqr(1 - x)); }},
      {"hypot", [](const D& x) { return hypot(x, 2 * x); }, [](double) { return std::sqrt(5.0); }},
      {"abs", [](const D& x) { return abs(-3 * x); }, [](double) { return 3.0; }},
      {"min", [](const D& x) { return min(5 * x, x + 10); }, [](double) { return 5.0; }},
      {"max", [](const D& x) { return max(5 * x, x + 10); }, [](double) { return 1.0; }},
      {"select", [](const D& x) { return select(x - 0.5, 7 * x, -x); }, [](double x) { return x > 0.5 ? 7.0 : -1.0; }},
  };
  for (const Case& c : cases) {
    for (const double x : {0.3, 0.7}) {
      const D y = c.f(D::variable(x, 1));
      EXPECT_EQ(y.slope[0], 0) << c.name;
      EXPECT_NEAR(y.slope[1], c.derivative(x), 4e-15 * (1 + std::abs(c.derivative(x)))) << c.name << " at " << x;
    }
  }
}

TEST(Dual, ValueIsThatOfPlainArithmetic) {
  const auto f = [](const auto& x) { return exp(sin(x)) / (1 + sqr(x)) - pow(x, 3.0); };
  EXPECT_DOUBLE_EQ(f(D::variable(0.8, 0)).value, f(0.8));
}

TEST(Pattern, AnOutputIsAssignedOnlyByAssignment) {
  EXPECT_TRUE((2 * Pattern() + sin(Pattern())).is_assigned());
  EXPECT_FALSE(Pattern::unassigned().is_assigned());
  EXPECT_FALSE((Pattern::unassigned() + 1.0).is_assigned());
  Pattern rate = Pattern::unassigned();
  rate += Pattern();  // adding to what was never set does not set it
  EXPECT_FALSE(rate.is_assigned());
}

}  // namespace
}  // namespace pawl
