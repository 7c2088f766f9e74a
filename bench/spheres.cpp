// What a step of a pile of compliant spheres costs as their number grows, and whether the pile
// comes to rest.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "numbers.hpp"
#include "pawl/simulate.hpp"
#include "problems/granular.hpp"
#include "report/svg_plot.hpp"
#include "report/whole_file.hpp"
#include "stiff_peers.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

constexpr double step_size = 2.5e-5, end = 2, timed_until = 0.5;

struct Pile {
  int spheres;
  Result run;
  double microseconds = 0;   // of a step, before timed_until
  granular::ForceWork work;  // before timed_until
  Range ledger;
  double rests_from = 0;           // infinite: never
  double last_kinetic = 0;         // per sphere, in units of m g r, at the last instant of motion
  std::vector<double> t, kinetic;  // in these units
};

Pile pile_of(int n) {
  const granular::SphereBox box = granular::sphere_box_of(n);
  Pile pile{.spheres = n, .run = {}, .work = {}, .ledger = {}, .t = {}, .kinetic = {}};
  Options options{.end = end, .method = "rk4", .step = step_size, .keep = Keep::samples, .samples = 400};
  const double began = processor_seconds();
  options.progress = [&](const Progress& now) {
    if (pile.microseconds == 0 && now.t >= timed_until) {
      pile.microseconds = 1e6 * (processor_seconds() - began) / static_cast<double>(now.steps);
      pile.work = box.forces->work();
    }
    return true;
  };
  pile.run = simulate(box.system, options);
  pile.ledger = pile.run.range(box.ledger);
  pile.rests_from = std::numeric_limits<double>::infinity();
  const granular::Grains grains = box.grains(pile.run.start().held().parameters.data());
  for (int i = 0; i < pile.run.sample_count(); ++i) {
    const Instant at = pile.run.sample(i);
    const double kinetic = at[box.kinetic] / (n * grains.mass * grains.gravity * grains.radius);
    pile.t.push_back(at.t);
    pile.kinetic.push_back(kinetic);
    if (at[box.awake] > 0) {
      pile.rests_from = std::numeric_limits<double>::infinity();
      pile.last_kinetic = kinetic;
    } else {
      pile.rests_from = std::min(pile.rests_from, at.t);
    }
  }
  return pile;
}

double per(long long count, long long of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace

void bench_spheres(Report& report, const Wanted& wanted) {
  report.begin(
      "spheres", "n compliant spheres with friction fall into a box",
      fmt::format("rk4 with a step of {:g} s, to t = {:g} s; microseconds per step up to t = {:g} s, while all "
                  "move, energy ledger of every step included. Evaluations: of forces or energies. Rest: all "
                  "spheres asleep. Kinetic energies per sphere in units of m g r: at the last instant of motion, "
                  "and at the end. Ledger: largest change of kinetic, potential and elastic energy plus what was "
                  "dissipated, over its value at the start.",
                  step_size, end, timed_until),
      {"n", "us per step", "us per step and sphere", "pairs tested per evaluation and sphere", "evaluations per list",
       "rest at t", "kinetic before", "kinetic at the end", "ledger"});
  std::vector<double> numbers, times;
  LogLogPlot motion{.title = "sphere-box: until the piles rest",
                    .x_name = "time in s",
                    .y_name = "kinetic energy per sphere / m g r",
                    .lines = {}};
  const std::vector<int> sizes = wanted.is_quick ? std::vector{125, 250, 500} : std::vector{125, 250, 500, 1000, 2000};
  for (const int n : sizes) {
    const Pile pile = pile_of(n);
    if (!pile.run.finished()) throw std::runtime_error(pile.run.reason);
    report.row(
        {fmt::format("{}", n), fmt::format("{:.0f}", pile.microseconds), fmt::format("{:.3f}", pile.microseconds / n),
         fmt::format("{:.2f}", per(pile.work.pair_tests, pile.work.evaluations) / n),
         fmt::format("{:.0f}", per(pile.work.evaluations, pile.work.lists)),
         std::isfinite(pile.rests_from) ? fmt::format("{:.2f}", pile.rests_from) : "-", number(pile.last_kinetic),
         fmt::format("{:g}", pile.kinetic.back()), number(pile.ledger.variation() / pile.ledger.min)});
    numbers.push_back(n);
    times.push_back(pile.microseconds);
    motion.lines.push_back({fmt::format("{} spheres", n), pile.t, pile.kinetic});
  }
  report.begin("spheres-growth", "The same: growth of the time per step with n", "Linear: exponent 1.",
               {"from n", "to n", "exponent"});
  report.row({fmt::format("{}", sizes.front()), fmt::format("{}", sizes.back()),
              fmt::format("{:.2f}", log_slope(numbers, times))});
  if (!wanted.plots.empty()) write_whole_file(wanted.plots + "/spheres.svg", draw_svg(motion));
}

}  // namespace pawl::bench
