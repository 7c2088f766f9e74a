// What the impacts of a family of contacts cost as the number of spheres grows, whether the promises hold, and whether
// the pile comes to rest.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "problems/sphere_box.hpp"
#include "report/svg_plot.hpp"
#include "report/whole_file.hpp"
#include "stiff_peers.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr int samples = 100;

/// Until the pile rests; of many, until all have fallen onto each other.
double end_of(int n) {
  return n > 1000 ? 0.5 : 2;
}

/// The smallest gap between spheres side by side along one axis, between others near them, and to the walls.
double smallest_gap(const Instant& at, const problems::SphereBox& box) {
  constexpr double r = problems::SphereBox::radius;
  struct Centre {
    double x, y, z;
  };
  std::vector<Centre> centres;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < box.spheres.size(); ++i) {
    const auto c = box.spheres.centre(i);
    const Centre p{at[c[0]], at[c[1]], at[c[2]]};
    smallest = std::min({smallest, p.z - r, box.half_width - std::abs(p.x) - r, box.half_width - std::abs(p.y) - r});
    centres.push_back(p);
  }
  std::sort(centres.begin(), centres.end(), [](const Centre& a, const Centre& b) { return a.x < b.x; });
  for (std::size_t i = 0; i < centres.size(); ++i) {
    for (std::size_t j = i + 1; j < centres.size() && centres[j].x - centres[i].x < 2 * r; ++j) {
      smallest = std::min(
          smallest,
          std::hypot(centres[i].x - centres[j].x, centres[i].y - centres[j].y, centres[i].z - centres[j].z) - 2 * r);
    }
  }
  return smallest;
}

struct Pile {
  FamilyState work;
  double seconds = 0, ledger = 0, growth = 0, gap = 0;
  std::vector<double> t, awake;
};

Pile pile_of(int n) {
  const problems::SphereBox box = problems::sphere_box_of(n);
  Pile pile;
  double energy = std::numeric_limits<double>::infinity(), first = 0;
  pile.gap = energy;
  Options options{.end = end_of(n), .keep = Keep::end, .samples = samples, .keeps_ranges = false};
  double looked = 0;  // at promises, not at the run
  options.observer = [&](const Instant& at) {
    const double began = processor_seconds(), now = at[box.energy], ledger = at[box.ledger];
    if (first == 0) first = ledger;
    pile.growth = std::max(pile.growth, now / energy - 1);
    energy = now;
    pile.ledger = std::max(pile.ledger, std::abs(ledger / first - 1));
    pile.gap = std::min(pile.gap, smallest_gap(at, box));
    pile.t.push_back(at.t);
    pile.awake.push_back(std::max(0.5, at[box.awake]) / n);
    looked += processor_seconds() - began;
    return true;
  };
  const double began = processor_seconds();
  const Result run = simulate(box.system, options);
  pile.seconds = processor_seconds() - began - looked;
  if (!run.finished()) throw std::runtime_error(run.reason);
  pile.work = run.final()[box.contacts];
  return pile;
}

double per(double count, double of) {
  return count / of;
}

}  // namespace

void bench_spheres(Report& report, const Wanted& wanted) {
  report.begin(
      "spheres", "n rigid spheres with friction fall into a box",
      fmt::format(
          "One family of contacts, looked at {} times. Elastic: impacts within the contact time of the "
          "last one, which take no energy. Foreseen: times of contact computed. Growth: the largest from one look to "
          "the next of the energy, relative. Ledger: largest relative change of energy and what was taken. Gap: the "
          "smallest of all, in radii.",
          samples),
      {"n", "to t", "seconds", "impacts", "elastic", "us per impact", "foreseen per impact", "asleep at the end",
       "growth", "ledger", "smallest gap"});
  std::vector<double> numbers, times;
  LogLogPlot rest{.title = "sphere-box: until the piles rest",
                  .x_name = "time in s",
                  .y_name = "share of spheres that are awake",
                  .lines = {}};
  const std::vector<int> sizes = wanted.is_quick ? std::vector{27, 125, 250} : std::vector{125, 250, 500, 1000, 10000};
  for (const int n : sizes) {
    const Pile pile = pile_of(n);
    const auto impacts = static_cast<double>(pile.work.impacts);
    const double gap = pile.gap / problems::SphereBox::radius;
    report.row({fmt::format("{}", n), fmt::format("{:g}", end_of(n)), fmt::format("{:.2f}", pile.seconds),
                fmt::format("{}", pile.work.impacts),
                fmt::format("{:.3f}", per(static_cast<double>(pile.work.elastic), impacts)),
                fmt::format("{:.2f}", 1e6 * pile.seconds / impacts),
                fmt::format("{:.1f}", per(static_cast<double>(pile.work.foreseen), impacts)),
                fmt::format("{}", pile.work.asleep), number(std::max(0.0, pile.growth)), number(pile.ledger),
                number(gap)});
    report.expect(gap > -1e-12, fmt::format("{} spheres: a gap of {:g} radii", n, gap));
    report.expect(pile.growth < 1e-12, fmt::format("{} spheres: energy grows by {:g}", n, pile.growth));
    numbers.push_back(n);
    times.push_back(1e6 * pile.seconds / impacts);
    rest.lines.push_back({fmt::format("{} spheres", n), pile.t, pile.awake});
  }
  report.begin("spheres-growth", "The same: growth of the time per impact with n",
               "Impacts that cost what they touch: exponent 0, but for memory that is farther away.",
               {"from n", "to n", "exponent"});
  report.row({fmt::format("{}", sizes.front()), fmt::format("{}", sizes.back()),
              fmt::format("{:.2f}", log_slope(numbers, times))});
  if (!wanted.plots.empty()) write_whole_file(wanted.plots + "/spheres.svg", draw_svg(rest));
}

}  // namespace pawl::bench
