// pawl against Boost.odeint and GSL on smooth problems: wall time at equal achieved accuracy, in one run.
//
// Every contestant is run over the same grid of tolerances, which gives its curve of time against achieved error.
// Errors of single runs scatter (one run of a chaotic or periodic problem can be ten times better than its neighbours
// by luck), so the time at a given error is read from a straight line fitted to the logarithms of the points nearby,
// for all alike.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <boost/numeric/odeint.hpp>

#include "pawl/pawl.hpp"
#include "pawl/tableaus.hpp"
#include "smooth_problems.hpp"
#include "suites.hpp"
#include "timing.hpp"

namespace pawl::bench {
namespace {

template <class Problem>
using StateOf = std::array<double, static_cast<std::size_t>(Problem::size)>;

template <class Problem>
double error_of(const double* x) {
  double worst = 0;
  for (std::size_t i = 0; i < Problem::exact.size(); ++i) worst = std::max(worst, std::abs(x[i] - Problem::exact[i]));
  return worst;
}

template <class Problem, class Stepper>
double run_odeint(double rtol) {
  StateOf<Problem> x = Problem::start;
  const auto f = [](const StateOf<Problem>& s, StateOf<Problem>& d, double) { Problem::rates(s, d); };
  const auto stepper = boost::numeric::odeint::make_controlled(rtol * 1e-3, rtol, Stepper());
  boost::numeric::odeint::integrate_adaptive(stepper, f, x, 0.0, Problem::end, 1e-3);
  return error_of<Problem>(x.data());
}

template <class Problem>
int gsl_rates(double, const double x[], double d[], void*) {
  Problem::rates(x, d);
  return GSL_SUCCESS;
}

template <class Problem>
double run_gsl(double rtol) {
  gsl_odeiv2_system system{gsl_rates<Problem>, nullptr, static_cast<std::size_t>(Problem::size), nullptr};
  gsl_odeiv2_driver* driver = gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, rtol * 1e-3, rtol);
  StateOf<Problem> x = Problem::start;
  double t = 0;
  gsl_odeiv2_driver_apply(driver, &t, Problem::end, x.data());
  gsl_odeiv2_driver_free(driver);
  return error_of<Problem>(x.data());
}

template <class Problem, const auto& table>
double run_pawl(double rtol) {
  const Result run =
      integrate<table>(AsModel<Problem>(), Problem::start, {.end = Problem::end, .tolerance = rtol, .keep = Keep::end});
  return error_of<Problem>(run.final().states().data());
}

struct Contestant {
  std::string name;
  bool is_peer;
  double (*run)(double rtol);
};

template <class Problem>
std::vector<Contestant> contestants() {
  using namespace boost::numeric::odeint;
  return {{"odeint dopri5", true, run_odeint<Problem, runge_kutta_dopri5<StateOf<Problem>>>},
          {"odeint fehlberg78", true, run_odeint<Problem, runge_kutta_fehlberg78<StateOf<Problem>>>},
          {"GSL rk8pd", true, run_gsl<Problem>},
          {"dormand-prince-5", false, run_pawl<Problem, dormand_prince_5>},
          {"tsitouras-5", false, run_pawl<Problem, tsitouras_5>},
          {"verner-6", false, run_pawl<Problem, verner_6>},
          {"verner-7", false, run_pawl<Problem, verner_7>},
          {"fehlberg-78", false, run_pawl<Problem, fehlberg_78>},
          {"dop853", false, run_pawl<Problem, dop853>},
          {"verner-9", false, run_pawl<Problem, verner_9>}};
}

struct Sample {
  double rtol, error, seconds;
};

/// Linear regression of log time on log error, each point weighted by its distance from the wanted error in decades.
double fitted_time(const std::vector<Sample>& curve, double error) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const Sample& s : curve) {
    if (!(s.error > 0)) continue;
    const double x = std::log10(s.error / error), y = std::log(s.seconds), weight = std::exp(-x * x / 2);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  return std::exp((wy - slope * wx) / w);
}

/// The error at a tolerance, fitted in the same way: what a user of that tolerance gets, luck aside.
double fitted_error(const std::vector<Sample>& curve, double rtol) {
  std::vector<Sample> turned;
  for (const Sample& s : curve) {
    if (s.error > 0) turned.push_back({0, s.rtol, s.error});
  }
  return fitted_time(turned, rtol);
}

template <class Problem>
void compare(Report& report) {
  const std::vector<Contestant> all = contestants<Problem>();
  std::vector<std::vector<Sample>> curves(all.size());
  for (int k = -16; k >= -56; --k) {  // quarter decades: 1e-4 to 1e-14
    const double rtol = std::pow(10.0, k / 4.0);
    std::vector<Job> jobs;
    for (const Contestant& c : all) jobs.push_back([&c, rtol] { c.run(rtol); });
    const std::vector<double> seconds = time_in_turn(jobs);
    for (std::size_t i = 0; i < all.size(); ++i) curves[i].push_back({rtol, all[i].run(rtol), seconds[i]});
  }
  const auto time_at = [&](std::size_t i, double error) { return fitted_time(curves[i], error); };
  const auto index_of = [&](const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [&](const Contestant& c) { return c.name == name; }) - all.begin());
  };
  const std::map<std::string, std::string> same_method{{"odeint dopri5", "dormand-prince-5"},
                                                       {"odeint fehlberg78", "fehlberg-78"}};
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    for (std::size_t p = 0; p < all.size() && all[p].is_peer; ++p) {
      const double error = fitted_error(curves[p], rtol), own = time_at(p, error);
      double best_peer = own, best_ours = std::numeric_limits<double>::infinity();
      std::string which_peer = all[p].name, which_ours;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double time = time_at(i, error);
        if (all[i].is_peer ? time < best_peer : time < best_ours) {
          (all[i].is_peer ? best_peer : best_ours) = time;
          (all[i].is_peer ? which_peer : which_ours) = all[i].name;
        }
      }
      const auto same = same_method.find(all[p].name);
      std::string same_ms = "-", same_ratio = "-";
      if (same != same_method.end()) {
        const double time = time_at(index_of(same->second), error);
        same_ms = fmt::format("{:.4f}", 1e3 * time), same_ratio = fmt::format("{:.2f}", time / own);
      }
      report.row({Problem::name, all[p].name, fmt::format("{:.0e}", rtol), fmt::format("{:.1e}", error),
                  fmt::format("{:.4f}", 1e3 * own), same_ms, same_ratio,
                  fmt::format("{} {:.4f}", which_peer, 1e3 * best_peer),
                  fmt::format("{} {:.4f}", which_ours, 1e3 * best_ours), fmt::format("{:.2f}", best_ours / best_peer)});
    }
  }
}

}  // namespace

void bench_smooth_peers(Report& report, const Wanted&) {
  gsl_set_error_handler_off();
  report.begin(
      "smooth-peers", {},
      "Times in milliseconds at the error of the row; `same` is pawl with the peer's own method (wanted: ratio "
      "at most 1), `best` the fastest on each side (wanted: at most 0.7).",
      {"problem", "peer", "rtol", "error", "peer ms", "same ms", "same ratio", "best peer", "best pawl", "best ratio"});
  compare<Lorenz>(report);
  compare<Kepler>(report);
  compare<Pleiades>(report);
}

}  // namespace pawl::bench
