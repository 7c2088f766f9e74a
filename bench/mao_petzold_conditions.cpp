// Example 4 of Mao and Petzold (2002) in its own form: a current through two diodes whose mode follows from three state
// conditions, each a proposition over four relations. Beside Table 3, whose circuit has one guard per diode and mode.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr int crossings = 33;  // of the four relations up to 0.085 s, 16 of them with a change of mode
constexpr int changes = 16;

// Branches of L = 1e-3 feed R = 1, L = 1e-2 from 100 sin(100 pi t) and its negative; a diode that blocks has i' = 0.
System example_4() {
  System circuit("example 4");
  const auto i1 = circuit.state("i1", 1e-9), i2 = circuit.state("i2", 0), v3 = circuit.state("v3", 0),
             vd1 = circuit.state("vd1", 0), vd2 = circuit.state("vd2", 0);
  const auto only_1 = circuit.discrete("only 1 conducts", true), only_2 = circuit.discrete("only 2 conducts", false);
  const auto v1 = [](const auto& at) { return 100 * sin(100 * std::numbers::pi * at.t); };
  circuit.rates([=](const auto& at, auto& d) {
    d[i1] = (v1(at) - at[v3] - at[vd1]) / 1e-3;
    d[i2] = (-v1(at) - at[v3] - at[vd2]) / 1e-3;
  });
  circuit.equation("load",
                   [=](const auto& at) { return at[i1] + at[i2] + 1e-2 * (at[dot(i1)] + at[dot(i2)]) - at[v3]; });
  circuit.equation("diode 1", [=](const auto& at) { return at[only_2] ? at[dot(i1)] : at[vd1]; });
  circuit.equation("diode 2", [=](const auto& at) { return at[only_1] ? at[dot(i2)] : at[vd2]; });
  const auto flows_1 = circuit.condition("i1 > 0", [=](const auto& at) { return at[i1]; });
  const auto flows_2 = circuit.condition("i2 > 0", [=](const auto& at) { return at[i2]; });
  const auto drives_1 = circuit.condition("v1 > v3", [=](const auto& at) { return v1(at) - at[v3]; });
  const auto drives_2 = circuit.condition("v2 > v3", [=](const auto& at) { return -v1(at) - at[v3]; });
  circuit.decide(only_1, flows_1 && !flows_2 && !drives_2);
  circuit.decide(only_2, flows_2 && !flows_1 && !drives_1);
  return circuit;
}

}  // namespace

void bench_state_conditions(Report& report, const Wanted&) {
  report.begin(
      "3-conditions", "Example 4 of Mao and Petzold (2002) in its own form: state conditions over four relations",
      "A differential-algebraic system of index 1; tolerance 1e-5, at most 300 events. A blocked current rests "
      "at zero but for rounding, and re-initialization moves it across: finders that judge numbers see "
      "crossings that are none. DASRT has 6 in their Table 3, DASPKE none, with a circuit that is not printed.",
      {"finder", "method", "crossings", "false", "changes of mode", "outcome"});
  const System circuit = example_4();
  for (const std::string finder : {"certified", "daspke", "daspke-differential", "daspke-plain", "dasrt"}) {
    for (const char* method : {"radau", "bdf"}) {
      Options options{.end = 0.085, .tolerance = {1e-5, 1e-5}, .method = method, .keep = Keep::end, .events = finder};
      options.max_events = 300;
      const Result run = simulate(circuit, options);
      int found = 0, changed = 0;
      for (const Event& event : run.events) {
        found += fires(event.kind) ? 1 : 0;
        changed += event.held_before->modes != event.held_after->modes ? 1 : 0;
      }
      report.row({finder, method, fmt::format("{}", found), run.finished() ? fmt::format("{}", found - crossings) : "-",
                  fmt::format("{}", changed), run.finished() ? "finished" : first_line(run.reason)});
      if (finder == "certified") {
        report.expect(run.finished() && found == crossings && changed == changes,
                      fmt::format("{}: {} crossings of {}, {} changes of mode of {}", method, found, crossings, changed,
                                  changes));
      }
    }
  }
}

}  // namespace pawl::bench
