// Circuits with ideal switches against their piecewise closed forms: switching times, periodic states, energies.
#include "problems/switched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using Real = long double;
using Times = std::vector<double>;
constexpr Real pi = std::numbers::pi_v<Real>;

/// A root in a bracket, to rounding.
Real root(const std::function<Real(Real)>& f, Real low, Real high) {
  const bool is_rising = f(low) < 0;
  for (int i = 0; i < 200; ++i) ((f((low + high) / 2) < 0) == is_rising ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

/// The first root after x = 0, where f has left zero upwards; none before the limit: negative.
Real first_root(const std::function<Real(Real)>& f, Real limit) {
  constexpr int parts = 2000;
  for (int k = 3; k <= parts; ++k)
    if (f(limit * k / parts) < 0) return root(f, limit * (k - 1) / parts, limit * k / parts);
  return -1;
}

struct State {
  Real i, v;
};

/// L i' = u - v, C v' = i - v/R for a constant u: x' = A (x - x_u), and its matrix exponential.
struct Filter {
  Real L, C, R;

  State after(Real t, const State& from, Real u) const {
    const Real decay = 1 / (2 * R * C), w = std::sqrt(1 / (L * C) - decay * decay);
    const Real p = from.v - u, q = ((from.i - u / R) - p / R) / C;  // v - u and its derivative
    const Real c = std::cos(w * t), s = std::sin(w * t), e = std::exp(-decay * t), b = (q + decay * p) / w;
    const Real v = e * (p * c + b * s), slope = -decay * v + e * w * (b * c - p * s);
    return {u / R + C * slope + v / R, u + v};
  }
};

/// One period of the buck converter: S closed, D conducting, and both open once the current has ended.
struct Buck : Filter {
  Real E, T, duty;

  struct Period {
    State top, end;
    Real ended;  ///< when its current has, or -1
  };
  Period period(const State& from) const {
    const State top = after(duty * T, from, E);
    const Real rest = (1 - duty) * T;
    const Real x = first_root([&](Real t) { return after(t, top, 0).i; }, rest);
    if (x < 0) return {top, after(rest, top, 0), -1};
    return {top, {0, after(x, top, 0).v * std::exp(-(rest - x) / (R * C))}, duty * T + x};
  }
  /// The start of a period that ends as it began: Newton's method, differences.
  State periodic() const {
    State x{0, duty * E};
    for (int iteration = 0; iteration < 40; ++iteration) {
      const auto defect = [&](const State& at) {
        const State end = period(at).end;
        return State{end.i - at.i, end.v - at.v};
      };
      const State f = defect(x);
      constexpr Real d = 1e-6L;
      const State fi = defect({x.i + d, x.v}), fv = defect({x.i, x.v + d});
      const Real a = (fi.i - f.i) / d, b = (fv.i - f.i) / d, c = (fi.v - f.v) / d, e = (fv.v - f.v) / d;
      const Real det = a * e - b * c;
      x.i -= (e * f.i - b * f.v) / det;
      x.v -= (a * f.v - c * f.i) / det;
      if (period(x).ended >= 0) x.i = 0;
    }
    return x;
  }
};
const Buck heavy{{1e-4L, 1e-5L, 10}, 24, 2e-5L, 0.4L}, light{{1e-4L, 1e-5L, 100}, 24, 2e-5L, 0.4L};

Values values_of(const Problem& problem, const Assignments& assignments) {
  Values values(problem.system);
  for (const auto& [name, value] : assignments) values.set(name, value);
  return values;
}

int position(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::out_of_range(name);
  return static_cast<int>(found - names.begin());
}

/// Times at which the switch of that name begins or ends to conduct.
Times changes(const Result& run, const std::string& name) {
  const auto mode = static_cast<std::size_t>(position(run.declarations->mode_names, name + " conducts"));
  Times times;
  for (const Event& event : run.events)
    if (event.held_before->modes[mode] != event.held_after->modes[mode]) times.push_back(event.t);
  return times;
}

/// Times at which any mode changes, and the number of events that fired without changing one.
struct Switching {
  Times times;
  int idle_events = 0;
};
Switching switching(const Result& run) {
  Switching result;
  for (const Event& event : run.events) {
    if (!fires(event.kind)) continue;
    if (event.held_before->modes != event.held_after->modes)
      result.times.push_back(event.t);
    else
      ++result.idle_events;
  }
  return result;
}

void expect_times(const Times& found, const Times& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], tolerance) << "number " << k;
}

TEST(SwitchedCircuits, TheReferencesAreReachedByEveryKindOfImplicitMethod) {
  for (const Problem& problem :
       {problems::buck_converter(), problems::diode_bridge(), problems::thyristor_rectifier()}) {
    for (const char* method : {"radau", "rodas5p", "esdirk-5", "bdf", "auto"}) {
      SCOPED_TRACE(problem.name() + " by " + method);
      const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-8, .method = method});
      ASSERT_TRUE(run.finished()) << run.reason;
      const auto exact = *problem.reference(Values(problem.system), problem.end);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        // Steps of BDF begin with order one after every event, some hundred times here.
        EXPECT_NEAR(run.final().states()[i], exact[i], 1e-5 * (1 + std::abs(exact[i]))) << run.state_names()[i];
      }
    }
  }
}

TEST(SwitchedCircuits, TheBuckConverterSwitchesWhereItsPiecesSay) {
  for (const Buck& exact : {heavy, light}) {
    SCOPED_TRACE(static_cast<double>(exact.R));
    const Problem problem = problems::buck_converter();
    const Result run = simulate(problem.system, values_of(problem, {{"R", static_cast<double>(exact.R)}}),
                                {.end = problem.end, .tolerance = 1e-11});
    ASSERT_TRUE(run.finished()) << run.reason;
    State x{0, 0};
    Times diode;  // closed S, open S, and the end of the current
    for (int k = 0; k < 50; ++k) {
      const Buck::Period one = exact.period(x);
      diode.push_back(static_cast<double>((k + exact.duty) * exact.T));
      diode.push_back(static_cast<double>(k * exact.T + (one.ended >= 0 ? one.ended : exact.T)));
      x = one.end;
    }
    diode.push_back(static_cast<double>((50 + exact.duty) * exact.T));
    while (diode.back() > problem.end) diode.pop_back();
    expect_times(changes(run, "D"), diode, 1e-11);
    EXPECT_EQ(switching(run).idle_events, 0);
    EXPECT_LT(run.range(Observable{0}).variation(), 1e-10);
  }
}

TEST(SwitchedCircuits, TheBuckConverterKeepsItsPeriodicState) {
  for (const Buck& exact : {heavy, light}) {
    SCOPED_TRACE(static_cast<double>(exact.R));
    const State start = exact.periodic();
    const Buck::Period one = exact.period(start);
    ASSERT_NEAR(static_cast<double>(one.end.v - start.v), 0, 1e-15);
    ASSERT_NEAR(static_cast<double>(one.end.i - start.i), 0, 1e-15);
    EXPECT_EQ(one.ended >= 0, exact.R == 100);  // 2 L / (R T) = 1 or 0.1, against 1 - duty = 0.6
    if (one.ended < 0) {
      // The mean voltage of the inductor is zero: volts times seconds. The ripple is what E - v does meanwhile.
      EXPECT_NEAR(static_cast<double>(start.v), 9.6, 0.2);
      EXPECT_NEAR(static_cast<double>(one.top.i - start.i), (24 - 9.6) * 8e-6 / 1e-4, 0.02);
    }
    const Problem problem = problems::buck_converter();
    const Values values = values_of(problem, {{"R", static_cast<double>(exact.R)},
                                              {"iL", static_cast<double>(start.i)},
                                              {"v", static_cast<double>(start.v)}});
    const Result run = simulate(problem.system, values, {.end = 20.2 * 2e-5, .tolerance = 1e-12});
    ASSERT_TRUE(run.finished()) << run.reason;
    for (const int k : {1, 7, 20}) {
      const Instant begin = run.at(k * 2e-5), top = run.at((k - 1 + 0.4) * 2e-5);
      EXPECT_NEAR(begin["iL"], static_cast<double>(start.i), 1e-10) << k;
      EXPECT_NEAR(begin["v"], static_cast<double>(start.v), 1e-10) << k;
      EXPECT_NEAR(top["iL"], static_cast<double>(one.top.i), 1e-10) << k;
      EXPECT_NEAR(top["v"], static_cast<double>(one.top.v), 1e-10) << k;
    }
  }
}

/// The bridge behind a source E sin w t, by its rectified voltage: while iL flows it is |E sin w t|.
struct Bridge : Filter {
  Real E, w;

  /// L C v'' + L/R v' + v = sign E sin w t: a particular solution.
  State driven(Real t, int sign) const {
    const Real d = 1 - L * C * w * w, g = L * w / R, a = E * d / (d * d + g * g), b = -E * g / (d * d + g * g);
    const Real v = sign * (a * std::sin(w * t) + b * std::cos(w * t));
    const Real slope = sign * w * (a * std::cos(w * t) - b * std::sin(w * t));
    return {C * slope + v / R, v};
  }
  State conducting(Real t, Real t0, const State& from, int sign) const {
    const State there = driven(t0, sign), here = driven(t, sign);
    const State free = after(t - t0, {from.i - there.i, from.v - there.v}, 0);
    return {here.i + free.i, here.v + free.v};
  }
  /// Where diodes change while current flows or begins to: ends, beginnings, and changes of sign.
  struct Change {
    double t;
    char kind;  ///< 'c': commutation, '-': the current ends, '+': it begins
  };
  std::vector<Change> changes(Real end) const {
    std::vector<Change> result;
    Real t = 0;
    State x{0, 0};
    int sign = 1, half = 1;  // half: periods of the rectified voltage until the next change of sign
    while (true) {
      const Real zero = half * pi / w;
      const Real x0 = first_root([&](Real d) { return conducting(t + d, t, x, sign).i; }, zero - t);
      if (x0 < 0) {
        x = conducting(zero, t, x, sign);
        t = zero;
        sign = -sign;
        ++half;
        if (t > end) return result;
        result.push_back({static_cast<double>(t), 'c'});
        continue;
      }
      x = {0, conducting(t + x0, t, x, sign).v};
      t += x0;
      if (t > end) return result;
      result.push_back({static_cast<double>(t), '-'});
      const auto lack = [&](Real d) { return x.v * std::exp(-d / (R * C)) - std::abs(E * std::sin(w * (t + d))); };
      Real d = 0;
      while (lack(d + 1e-5L) > 0) d += 1e-5L;
      d = root(lack, d, d + 1e-5L);
      x.v *= std::exp(-d / (R * C));
      t += d;
      if (t > end) return result;
      result.push_back({static_cast<double>(t), '+'});
      half = static_cast<int>(std::floor(w * t / pi)) + 1;
      sign = half % 2 == 1 ? 1 : -1;
    }
  }
};

TEST(SwitchedCircuits, TheBridgeSwitchesWhereItsPiecesSay) {
  const Problem problem = problems::diode_bridge();
  for (const double R : {10.0, 30.0, 100.0}) {
    SCOPED_TRACE(R);
    const Bridge exact{{1e-2L, 1e-3L, static_cast<Real>(R)}, 100, 100 * pi};
    const auto expected = exact.changes(0.1L);
    const Result run =
        simulate(problem.system, values_of(problem, {{"R", R}}), {.end = 0.0999, .tolerance = 1e-10, .max_step = 1e-3});
    ASSERT_TRUE(run.finished()) << run.reason;
    Times all, flows;
    for (const Bridge::Change& one : expected) {
      if (one.t > 0.0999) continue;
      all.push_back(one.t);
    }
    // Of what has switched, those at which the current of the filter is cut or begins, or goes over.
    const Switching found = switching(run);
    for (const double t : found.times) {
      const Instant before = run.before(t), after = run.at(t);
      const bool flowed = std::abs(before["is"]) > 1e-9 || std::abs(run.before(t - 1e-7)["is"]) > 1e-9;
      const bool goes_on = std::abs(after["is"]) > 1e-9 || std::abs(run.at(std::min(t + 1e-5, 0.0999))["is"]) > 1e-9;
      if (flowed || goes_on) flows.push_back(t);
    }
    expect_times(flows, all, 1e-11);
    // Elsewhere the source changes its sign while it floats.
    for (const double t : found.times) {
      if (std::find(flows.begin(), flows.end(), t) != flows.end()) continue;
      EXPECT_NEAR(std::sin(100 * std::numbers::pi * t), 0, 1e-8);
    }
    EXPECT_EQ(found.idle_events, 0);
    EXPECT_LT(run.range(Observable{0}).variation(), 1e-10);
  }
}

TEST(SwitchedCircuits, TheBridgeHasTheEventTimesItDeclares) {
  const Problem problem = problems::diode_bridge();
  const Result run = simulate(problem.system, {.end = problem.end, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  expect_times(switching(run).times, *problem.event_times(Values(problem.system), problem.end), 1e-11);
}

TEST(SwitchedCircuits, TheThyristorConductsFromItsAngleToWhereItsCurrentEnds) {
  const Problem problem = problems::thyristor_rectifier();
  for (const double alpha : {0.4, 1.5, 2.8}) {
    SCOPED_TRACE(alpha);
    const Values values = values_of(problem, {{"alpha", alpha}});
    const Result run = simulate(problem.system, values, {.end = 0.107, .tolerance = 1e-12, .max_step = 1e-3});
    ASSERT_TRUE(run.finished()) << run.reason;
    const Real phase = std::atan(pi), tangent = pi;  // of the load: 2 pi f L / R
    const Real beta = root(
        [&](Real b) {
          return std::sin(b - phase) -
                 std::sin(static_cast<Real>(alpha) - phase) * std::exp(-(b - static_cast<Real>(alpha)) / tangent);
        },
        pi, 2 * pi);
    Times expected;
    for (int k = 0; k < 6; ++k) {
      for (const Real angle : {static_cast<Real>(alpha), beta}) {
        const Real t = (k + angle / (2 * pi)) / 50;
        if (t < 0.107L) expected.push_back(static_cast<double>(t));
      }
    }
    expect_times(changes(run, "T"), expected, 1e-11);
    EXPECT_EQ(run.statistics.events.events, static_cast<long long>(problem.event_times(values, 0.107)->size()));
    for (const double t : {0.003, 0.0052, 0.0131, 0.018, 0.0866}) {
      const auto exact = *problem.reference(values, t);
      EXPECT_NEAR(run.at(t)["i"], exact[0], 1e-9) << t;
      EXPECT_NEAR(run.at(t)["vT"], exact[1], 1e-6) << t;
    }
  }
  EXPECT_TRUE(testing::says(testing::misuse_of([&] {
                              simulate(problem.system, values_of(problem, {{"alpha", 4}}), {.end = 1});
                            }),
                            {"alpha", "between 0 and pi"}));
}

// Of two diodes in series that block, which one idles is nobody's business: the number of switchings is compared.
// What a method's polynomial is off by lets a switch be seen early, or a current that has just begun dip below zero:
// none of it switches anything, and what does fires once.
TEST(SwitchedCircuits, EveryImplicitMethodSwitchesAsOften) {
  const auto switchings = [](const Problem& problem, const char* method, double tolerance) {
    const Result run = simulate(
        problem.system,
        {.start = problem.start, .end = problem.end, .tolerance = tolerance, .method = method, .keep = Keep::end});
    EXPECT_TRUE(run.finished()) << problem.name() << ", " << method << ": " << run.reason;
    return std::count_if(run.events.begin(), run.events.end(), [](const Event& event) { return fires(event.kind); });
  };
  for (const char* name : {"diode-bridge", "diode-circuit", "thyristor-rectifier", "buck-converter", "coil-pendulum"}) {
    const Problem& problem = find_problem(name);
    const auto expected = switchings(problem, "radau", 1e-8);
    for (const char* method : {"bdf", "rodas5p", "esdirk-5", "radau"}) {
      for (const double tolerance : {1e-4, 1e-6}) {
        if (std::string(name) == "coil-pendulum" && tolerance < 1e-4 && std::string(method) != "bdf") continue;  // long
        EXPECT_EQ(switchings(problem, method, tolerance), expected) << name << ", " << method << ", " << tolerance;
      }
    }
  }
}

}  // namespace
}  // namespace pawl
