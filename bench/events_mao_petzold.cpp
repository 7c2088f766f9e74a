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
      "pi). `daspke without guards` leaves the guards out of the error control.",
      {"guard", "expected", "compere", "daspke", "daspke without guards", "certified"});
  for (const double f : {5.0, 10.0}) {
    const auto expected = static_cast<long long>(std::floor(3.5 * 2 * f));
    std::vector<std::string> cells{fmt::format("sin({:g} pi t)", 2 * f), fmt::format("{}", expected)};
    for (const std::string finder : {"compere", "daspke", "daspke-plain", "certified"}) {
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

void bench_event_times(Report& report, const Wanted&) {
  report.begin("mao-petzold-2", "Table 2 of Mao and Petzold: event times of Example 3 (BOK 1), tolerance 1e-5",
               "Their x3 column was computed with another reset rule than the text states and is left out.",
               {"A", "exact", "published DASPKE", "daspke", "certified, dormand-prince-5", "certified, dop853"});
  const std::vector<std::pair<double, std::vector<double>>> printed{{0.35, {0.898223, 2.297377, 2.628262}},
                                                                    {0.40, {0.884858, 2.418639, 2.499864}},
                                                                    {0.403, {0.884064, 2.447192, 2.470742}},
                                                                    {0.45, {0.871708}}};
  for (const auto& [A, published] : printed) {
    const Problem& problem = find_problem("bok-1");
    Values values(problem.system);
    values.set("A", A);
    const std::vector<double> exact = problem.event_times(values, problem.end).value();
    const auto list = [](const std::vector<double>& times) { return fmt::format("{:.6f}", fmt::join(times, ", ")); };
    std::vector<std::string> cells{fmt::format("{:g}", A), list(exact), list(published)};
    for (const auto& [finder, method] :
         {std::pair{"daspke", "dormand-prince-5"}, {"certified", "dormand-prince-5"}, {"certified", "dop853"}}) {
      const EventRun one = run_row({"", "bok-1", {{"A", A}}, 1e-5, 1e-9}, finder, method, 1e-5);
      std::vector<double> times;
      for (const Event& event : one.run.events) {
        if (fires(event.kind)) times.push_back(event.t);
      }
      cells.push_back(list(times));
      // As near to the exact times as theirs, or within ten tolerances.
      bool is_near = times.size() == exact.size();
      for (std::size_t i = 0; is_near && i < times.size(); ++i)
        is_near = std::abs(times[i] - exact[i]) <= std::max(1e-4, std::abs(published[i] - exact[i]));
      report.expect(is_near, fmt::format("A = {:g}, {}, {}: {} for {}", A, finder, method, cells.back(), cells[1]));
    }
    report.row(cells);
  }
}

}  // namespace pawl::bench
