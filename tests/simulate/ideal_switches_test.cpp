// Ideal switches through simulate(): which combination holds after an event, what passes through switches that close,
// and what is said where there is no combination.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pawl/pawl.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::says;
using Times = std::vector<double>;
constexpr double w = 100 * std::numbers::pi;

/// Times at which this mode changes.
Times changes(const Result& run, Discrete<bool> mode) {
  const auto m = static_cast<std::size_t>(mode.index);
  Times times;
  for (const Event& event : run.events)
    if (event.held_before->modes[m] != event.held_after->modes[m]) times.push_back(event.t);
  return times;
}

long long fired(const Result& run) {
  return run.statistics.events.events;
}

void expect_times(const Times& found, const Times& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12) << "number " << k;
}

std::string all_notes(const Result& run) {
  std::string text;
  for (const Event& event : run.events)
    for (const std::string& note : event.notes) text += note + "\n";
  return text;
}

/// E sin w t, `count` diodes in series or in parallel, and a resistor of 2 ohms; q is the charge that has flowed.
struct Rectifier {
  System system{"rectifier"};
  State q = system.state("q", 0), i = system.state("i", 0);
  std::vector<Discrete<bool>> diodes;

  Rectifier(int count, bool in_series) {
    const auto q_ = q, i_ = i;
    system.rates([=](const auto& at, auto& d) { d[q_] = at[i_]; });
    const auto source = [](const auto& at) { return 10 * sin(w * at.t); };
    std::vector<State> own;  // voltage of each diode in series, current of each one in parallel
    for (int k = 0; k < count; ++k) own.push_back(system.state((in_series ? "u" : "i") + std::to_string(k + 1), 0));
    if (in_series) {
      system.equation("mesh", [=](const auto& at) {
        auto rest = source(at) - 2 * at[i_];
        for (const State u : own) rest -= at[u];
        return rest;
      });
    } else {
      system.equation("node", [=](const auto& at) {
        auto rest = 1 * at[i_];
        for (const State one : own) rest -= at[one];
        return rest;
      });
    }
    for (int k = 0; k < count; ++k) {
      const State x = own[static_cast<std::size_t>(k)];
      const std::string name = "D" + std::to_string(k + 1);
      diodes.push_back(in_series
                           ? system.diode(
                                 name, [=](const auto& at) { return at[x]; }, [=](const auto& at) { return at[i_]; })
                           : system.diode(
                                 name, [=](const auto& at) { return source(at) - 2 * at[i_]; },
                                 [=](const auto& at) { return at[x]; }));
    }
  }
};

TEST(IdealSwitches, ADiodeConductsForHalfOfEveryPeriod) {
  const Rectifier circuit(1, true);
  for (const char* method : {"radau", "rodas5p", "esdirk-5", "bdf"}) {
    SCOPED_TRACE(method);
    const Result run = simulate(circuit.system, {.end = 0.055, .tolerance = 1e-9, .method = method, .max_step = 5e-4});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_TRUE(run.start()[circuit.diodes[0]]);  // the source is zero, and rises
    const Times found = changes(run, circuit.diodes[0]);
    ASSERT_EQ(found.size(), 5u);
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(found[static_cast<std::size_t>(k)], 0.01 * (k + 1), 1e-9);
    EXPECT_NEAR(run.final()[circuit.q], 30 / w, 1e-7);  // three halves of a period
  }
}

// Both blocking they would leave the node between them to nobody, both conducting in parallel their share of the
// current: one of them then has nothing to watch, and the run goes on without a word.
TEST(IdealSwitches, DiodesInSeriesAndInParallelSwitchOnceAtATime) {
  for (const bool in_series : {true, false}) {
    for (const int count : {2, 3}) {
      SCOPED_TRACE((in_series ? "in series: " : "in parallel: ") + std::to_string(count));
      const Rectifier circuit(count, in_series);
      const Result run = simulate(circuit.system, {.end = 0.055, .tolerance = 1e-9});
      ASSERT_TRUE(run.finished()) << run.reason;
      EXPECT_EQ(fired(run), 5);
      EXPECT_NEAR(run.final()[circuit.q], 30 / w, 1e-8);
      for (const double t : {0.003, 0.013, 0.024, 0.035}) {
        EXPECT_NEAR(run.at(t)[circuit.i], std::max(0.0, 5 * std::sin(w * t)), 1e-7) << t;
      }
    }
  }
}

/// A source that charges a capacitor through a diode: while it conducts v is given, and the current the derivative of
/// it (index 2).
struct PeakDetector {
  static constexpr double R = 50, C = 1e-4, E = 10;
  System system{"peak detector"};
  State v = system.state("v", 0), i = system.state("i", 0);
  Discrete<bool> conducts;

  PeakDetector() {
    const auto v_ = v, i_ = i;
    system.rates([=](const auto& at, auto& d) { d[v_] = (at[i_] - at[v_] / R) / C; });
    system.nominal(v, 10);
    conducts = system.diode(
        "D", [=](const auto& at) { return E * sin(w * at.t) - at[v_]; }, [=](const auto& at) { return at[i_]; });
  }
};

TEST(IdealSwitches, TheIndexMayChangeWithTheMode) {
  const PeakDetector circuit;
  const Result run = simulate(circuit.system, {.end = 0.05, .tolerance = 1e-12, .max_step = 5e-4});
  ASSERT_TRUE(run.finished()) << run.reason;
  // It lets go where C v' + v/R = 0, and v then falls with RC until the source is there again.
  const double RC = PeakDetector::R * PeakDetector::C, off = (std::numbers::pi - std::atan(w * RC)) / w;
  double low = 0.02, high = 0.025;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (std::sin(w * middle) < std::sin(w * off) * std::exp(-(middle - off) / RC) ? low : high) = middle;
  }
  expect_times(changes(run, circuit.conducts), {off, low, off + 0.02, low + 0.02, off + 0.04});
  EXPECT_EQ(fired(run), 5);
  EXPECT_NEAR(run.at(0.004)[circuit.v], 10 * std::sin(w * 0.004), 1e-9);
  EXPECT_NEAR(run.at(0.004)[circuit.i], 1e-4 * 10 * w * std::cos(w * 0.004) + 10 * std::sin(w * 0.004) / 50, 1e-6);
  EXPECT_NEAR(run.at(0.015)[circuit.v], 10 * std::sin(w * off) * std::exp(-(0.015 - off) / RC), 1e-9);
}

TEST(IdealSwitches, AStartWithACurrentFindsTheDiodeThatCarriesIt) {
  System system("freewheeling");
  const auto i = system.state("i", 2), u = system.state("u", 0);
  system.rates([=](const auto& at, auto& d) { d[i] = (at[u] - 5 * at[i]) / 0.1; });
  const auto conducts = system.diode(
      "D", [=](const auto& at) { return -at[u]; }, [=](const auto& at) { return at[i]; });
  const Result run = simulate(system, {.end = 0.1, .tolerance = 1e-10});
  ASSERT_TRUE(run.finished()) << run.reason;
  EXPECT_TRUE(run.start()[conducts]);
  EXPECT_EQ(run.start()[i], 2);
  EXPECT_NEAR(run.final()[i], 2 * std::exp(-5.), 1e-9);
  EXPECT_EQ(fired(run), 0);
  EXPECT_TRUE(run.messages.size() == 1 && says(run.messages[0].text, {"method auto"}));
}

/// A source, an inductor, a switch that opens at 1 ms and, if wanted, a diode across the inductor.
Result interrupt(bool has_diode) {
  System system("interrupted");
  const auto iL = system.state("iL", 0), x = system.state("x", 0), iS = system.state("iS", 0);
  const auto closed = system.discrete("closed", true);
  system.rates([=](const auto& at, auto& d) { d[iL] = (10 - at[x]) / 0.01; });  // x: behind the inductor
  if (has_diode) {
    const auto iD = system.state("iD", 0);
    system.equation("node", [=](const auto& at) { return at[iL] - at[iS] - at[iD]; });
    system.diode(
        "D", [=](const auto& at) { return at[x] - 10; }, [=](const auto& at) { return at[iD]; });
  } else {
    system.equation("node", [=](const auto& at) { return at[iL] - at[iS]; });
  }
  system.ideal_switch(
      "S", closed, [=](const auto& at) { return at[x] - 3 * at[iS]; }, [=](const auto& at) { return at[iS]; });
  system.at(1e-3, [=](Jump& jump) { jump[closed] = false; });
  return simulate(system, {.end = 2e-3, .tolerance = 1e-10});
}

TEST(IdealSwitches, AnInductorCurrentIsNotInterrupted) {
  const Result cut = interrupt(false);
  EXPECT_EQ(cut.outcome, Outcome::failed);
  EXPECT_EQ(cut.t_end, 1e-3);
  EXPECT_TRUE(says(cut.reason, {"t = 0.001", "an inductor current is interrupted", "'S'", "'iL' from 0.863939 to 0",
                                "'S' is open", "try:", "diode"}));

  const Result kept = interrupt(true);
  ASSERT_TRUE(kept.finished()) << kept.reason;
  EXPECT_NEAR(kept.final()["iL"], 10. / 3 * (1 - std::exp(-0.3)), 1e-9);
  EXPECT_NEAR(kept.final()["iD"], kept.final()["iL"], 1e-12);
  EXPECT_TRUE(all_notes(kept).empty());
}

/// Two capacitors, 1 and 3 farads, that a switch connects at t = 1, through a diode from the first to the second.
Result share(double first, double second, bool has_diode) {
  System system("capacitors");
  const auto a = system.state("a", first), b = system.state("b", second), i = system.state("i", 0);
  const auto closed = system.discrete("closed", false);
  system.rates([=](const auto& at, auto& d) {
    d[a] = -at[i];
    d[b] = at[i] / 3;
  });
  if (has_diode) {
    const auto x = system.state("x", 0);
    system.ideal_switch(
        "S", closed, [=](const auto& at) { return at[a] - at[x]; },
        [=](const auto& at) { return at[i] + 1e-3 * (at[x] - at[a]); });
    system.diode(
        "D", [=](const auto& at) { return at[x] - at[b]; }, [=](const auto& at) { return at[i]; });
  } else {
    system.ideal_switch(
        "S", closed, [=](const auto& at) { return at[a] - at[b]; }, [=](const auto& at) { return at[i]; });
  }
  system.at(1.0, [=](Jump& jump) { jump[closed] = true; });
  return simulate(system, {.end = 2, .tolerance = 1e-10});
}

TEST(IdealSwitches, ChargePassesWhereASwitchCloses) {
  const Result plain = share(8, 0, false);
  ASSERT_TRUE(plain.finished()) << plain.reason;
  EXPECT_NEAR(plain.final()["a"], 2, 1e-12);  // the charge of 8 coulombs, on 4 farads
  EXPECT_NEAR(plain.final()["b"], 2, 1e-12);
  EXPECT_EQ(plain.before(1)["a"], 8);
  EXPECT_TRUE(says(all_notes(plain), {"an impulse passes", "'S' is closed", "'a' from 8 to 2", "'b' from 0 to 2"}));

  const Result back = share(0, 8, false);
  ASSERT_TRUE(back.finished()) << back.reason;
  EXPECT_NEAR(back.final()["a"], 6, 1e-12);

  const Result forward = share(8, 0, true);
  ASSERT_TRUE(forward.finished()) << forward.reason;
  EXPECT_NEAR(forward.final()["a"], 2, 1e-9);
  EXPECT_NEAR(forward.final()["b"], 2, 1e-9);

  const Result blocked = share(0, 8, true);
  ASSERT_TRUE(blocked.finished()) << blocked.reason;
  EXPECT_NEAR(blocked.final()["a"], 0, 1e-12);
  EXPECT_NEAR(blocked.final()["b"], 8, 1e-12);
}

TEST(IdealSwitches, ALoopOfSourcesIsNamed) {
  System system("sources");
  const auto q = system.state("q", 0), i = system.state("i", 0), j = system.state("j", 0);
  const auto closed = system.discrete("closed", false);
  system.rates([=](const auto& at, auto& d) { d[q] = at[i] + at[j]; });
  system.diode(
      "D", [=](const auto& at) { return -1 + 0 * at[i]; }, [=](const auto& at) { return at[i]; });
  system.ideal_switch(
      "S", closed, [=](const auto& at) { return 5 - 0 * at[j]; }, [=](const auto& at) { return at[j]; });
  system.at(1.0, [=](Jump& jump) { jump[closed] = true; });
  const Result run = simulate(system, {.end = 2});
  EXPECT_EQ(run.outcome, Outcome::failed);
  EXPECT_EQ(run.t_end, 1);
  EXPECT_TRUE(says(run.reason, {"t = 1:", "no combination of the switches is consistent", "'D' blocks", "'S' is closed",
                                "'D' conducts", "try:", "sources"}));
}

TEST(IdealSwitches, AThyristorWaitsForItsGateAndThenHoldsItself) {
  System system("thyristor");
  const auto q = system.state("q", 0), i = system.state("i", 0);
  const auto gate = system.discrete("gate", false);
  system.rates([=](const auto& at, auto& d) { d[q] = at[i]; });
  const auto conducts = system.thyristor(
      "T", [=](const auto& at) { return sin(w * at.t) - at[i]; }, [=](const auto& at) { return at[i]; }, gate);
  system.at(0.004, [=](Jump& jump) { jump[gate] = true; });
  system.at(0.005, [=](Jump& jump) { jump[gate] = false; });  // it goes on, until its current ends
  system.at(0.015, [=](Jump& jump) { jump[gate] = true; });   // in reverse: nothing happens until the source turns
  const Result run = simulate(system, {.end = 0.045, .tolerance = 1e-10, .max_step = 1e-3});
  ASSERT_TRUE(run.finished()) << run.reason;
  expect_times(changes(run, conducts), {0.004, 0.01, 0.02, 0.03, 0.04});
  EXPECT_FALSE(run.start()[conducts]);
  const double passed = ((std::cos(0.4 * std::numbers::pi) + 1) + 2 + 1) / w;
  EXPECT_NEAR(run.final()[q], passed, 1e-9);
}

TEST(IdealSwitches, TheSameCombinationIsFoundFromEveryOneItStartsWith) {
  for (unsigned start = 0; start < 8; ++start) {
    SCOPED_TRACE(start);
    // Three diodes to a common load from sources of 1, 3 and 2 volts: the highest conducts, and the others block.
    System system("highest");
    const auto q = system.state("q", 0), v = system.state("v", 0);
    std::vector<State> i;
    for (const char* name : {"i1", "i2", "i3"}) i.push_back(system.state(name, 0));
    system.rates([=](const auto& at, auto& d) { d[q] = at[v]; });
    system.equation("load", [=](const auto& at) { return at[v] - 2 * (at[i[0]] + at[i[1]] + at[i[2]]); });
    std::vector<Discrete<bool>> diodes;
    const double levels[] = {1, 3, 2};
    for (std::size_t k = 0; k < 3; ++k) {
      const double level = levels[k];
      const State own = i[k];
      diodes.push_back(system.diode(
          "D" + std::to_string(k + 1), [=](const auto& at) { return level - at[v]; },
          [=](const auto& at) { return at[own]; }));
    }
    Values values(system);
    for (std::size_t k = 0; k < 3; ++k) values[diodes[k]] = (start >> k & 1U) != 0;
    const Result run = simulate(system, values, {.end = 1});
    ASSERT_TRUE(run.finished()) << run.reason;
    EXPECT_NEAR(run.final()[q], 3, 1e-9);
    EXPECT_FALSE(run.start()[diodes[0]] || run.start()[diodes[2]]);
    EXPECT_TRUE(run.start()[diodes[1]]);
    EXPECT_EQ(fired(run), 0);
  }
}

}  // namespace
}  // namespace pawl
