// Tables 1 and 2 of Mao and Petzold (2002): zeros that are skipped, event times.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "events.hpp"
#include "suites.hpp"

namespace pawl::bench {

void bench_skipped_zeros(Report& report, const Wanted&) {
  report.begin(
      "mao-petzold-1", "Table 1 of Mao and Petzold (2002): events of sin(10 pi t) and sin(20 pi t) found on [0, 3.5]",
      "Their plain root finder skips 16 of the 35 zeros of sin(10 pi t) (the text says 20 pi, the table is of 10 "
      "pi). `daspke without guards` leaves the guards out of the error control, dasrt looks at signs only.",
      {"guard", "expected", "compere", "daspke", "daspke without guards", "dasrt", "certified"});
  for (const double f : {5.0, 10.0}) {
    const auto expected = static_cast<long long>(std::floor(3.5 * 2 * f));
    std::vector<std::string> cells{fmt::format("sin({:g} pi t)", 2 * f), fmt::format("{}", expected)};
    for (const std::string finder : {"compere", "daspke", "daspke-plain", "dasrt", "certified"}) {
      const EventRow row{"", "square-wave", {{"f", f}}, 1e-5, 1e-9};
      const Statistics s = run_row(row, finder, "dormand-prince-5", 1e-5,
                                   finder == "compere" ? 0.1 : std::numeric_limits<double>::infinity())
                               .run.statistics;
      cells.push_back(fmt::format("{} ({} rhs)", s.events.events, s.rhs));
      if (finder == "certified")
        report.expect(s.events.events == expected,
                      fmt::format("{}: certified finds {} of {} zeros", cells[0], s.events.events, expected));
    }
    report.row(cells);
  }
}

namespace {

/// x3(3) of Example 3 for given event times: u is constant between them, and x3' = u^3. The text replaces u with
/// -u y1 at an event, the printed column fits -y1.
double integral_of(const std::vector<double>& times, double A, bool keeps_u) {
  double u = 1, sum = 0, t = 0;
  for (const double event : times) {
    sum += u * u * u * (event - t);
    u = (keeps_u ? -u : -1) * A * event;  // y1 = A t there
    t = event;
  }
  return sum + u * u * u * (3 - t);
}

struct PrintedTimes {
  double A;
  std::vector<double> daspke, dsl48e;
  const char *x3_daspke, *x3_dsl48e;
};

std::string in_words(const std::vector<double>& times) {
  return fmt::format("{:.6f}", fmt::join(times, ", "));
}

}  // namespace

void bench_event_times(Report& report, const Wanted&) {
  report.begin(
      "mao-petzold-2", "Table 2 of Mao and Petzold: Example 3 (BOK 1), tolerance 1e-5",
      "Event times. Their column of x3(3) was computed with u := -y1 at events, the text says u := -u y1: both "
      "are in the next table.",
      {"A", "exact", "published DASPKE", "published DSL48E", "daspke", "dasrt", "certified, dormand-prince-5",
       "certified, dop853"});
  const std::vector<PrintedTimes> printed{
      {0.35, {0.898223, 2.297377, 2.628262}, {0.898211, 2.297334, 2.628245}, "0.393366", "0.393346"},
      {0.40, {0.884858, 2.418639, 2.499864}, {0.884849, 2.418542, 2.499899}, "0.243088", "0.2431339"},
      {0.403, {0.884064, 2.447192, 2.470742}, {0.884055, 2.441031, 2.471031}, "0.242976", "failed"},
      {0.45, {0.871708}, {0.871696}, "0.7432421", "0.743240"}};
  struct Integral {
    double A, exact, ours, other;
    const char *daspke, *dsl48e;
  };
  std::vector<Integral> integrals;
  for (const PrintedTimes& row : printed) {
    const Problem& problem = find_problem("bok-1");
    Values values(problem.system);
    values.set("A", row.A);
    const std::vector<double> exact = problem.event_times(values, problem.end).value();
    std::vector<std::string> cells{fmt::format("{:g}", row.A), in_words(exact), in_words(row.daspke),
                                   in_words(row.dsl48e)};
    integrals.push_back(
        {row.A, integral_of(exact, row.A, true), 0, integral_of(exact, row.A, false), row.x3_daspke, row.x3_dsl48e});
    for (const auto& [finder, method] : {std::pair<std::string, const char*>{"daspke", "dormand-prince-5"},
                                         {"dasrt", "dormand-prince-5"},
                                         {"certified", "dormand-prince-5"},
                                         {"certified", "dop853"}}) {
      const EventRun one = run_row({"", "bok-1", {{"A", row.A}}, 1e-5, 1e-9}, finder, method, 1e-5);
      std::vector<double> times;
      for (const Event& event : one.run.events) {
        if (fires(event.kind)) times.push_back(event.t);
      }
      cells.push_back(in_words(times));
      integrals.back().ours = one.run.final().states()[2];
      if (finder == "dasrt") continue;
      // As near to the exact times as theirs, or within ten tolerances.
      bool is_near = times.size() == exact.size();
      for (std::size_t i = 0; is_near && i < times.size(); ++i)
        is_near = std::abs(times[i] - exact[i]) <= std::max(1e-4, std::abs(row.daspke[i] - exact[i]));
      report.expect(is_near, fmt::format("A = {:g}, {}, {}: {} for {}", row.A, finder, method, cells.back(), cells[1]));
    }
    report.row(cells);
  }
  report.begin("mao-petzold-2-x3", "",
               "x3(3) = sum of u^3 times the time it is in force, in closed form from the exact event times, and by "
               "certified, dop853.",
               {"A", "u := -u y1 (text), exact", "certified, dop853", "u := -y1, exact", "published DASPKE",
                "published DSL48E"});
  for (const Integral& one : integrals) {
    report.row({fmt::format("{:g}", one.A), fmt::format("{:.7f}", one.exact), fmt::format("{:.7f}", one.ours),
                fmt::format("{:.7f}", one.other), one.daspke, one.dsl48e});
    report.expect(std::abs(one.ours - one.exact) < 1e-4,
                  fmt::format("A = {:g}: x3(3) = {:.7f} for {:.7f}", one.A, one.ours, one.exact));
  }
}

}  // namespace pawl::bench
