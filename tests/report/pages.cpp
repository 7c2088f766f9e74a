// Writes the reports that the browser test looks at into a folder, with values.json, which says what they have to show:
// quantities of the runs at random instants, from Result::at.
#include <cmath>
#include <cstdio>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pawl/contact_family.hpp"
#include "pawl/pawl.hpp"
#include "pawl/report.hpp"
#include "pawl/sweep.hpp"
#include "pawl/verify.hpp"
#include "problems/catalogue.hpp"
#include "report/comparison_report.hpp"
#include "report/json.hpp"
#include "report/sweep_report.hpp"
#include "report/whole_file.hpp"
#include "report_models.hpp"

namespace {

using namespace pawl;
using Json = nlohmann::ordered_json;

class Pages {
 public:
  explicit Pages(std::string folder) : folder_(std::move(folder)) {}

  void add(const std::string& file, const System& system, const Values& values, Options options,
           ReportOptions how = {}) {
    options.keeps_history = true;
    const Result run = simulate(system, values, options);
    how.run_options = &options;
    report(run, fmt::format("{}/{}", folder_, file), how);
    Json checks = Json::array();
    const bool has_polynomials = !run.trajectory.coefficients.empty();
    const int count = has_polynomials ? 1000 : run.finished() ? run.sample_count() : 0;
    std::uniform_real_distribution<double> share(0, 1);
    const std::vector<std::string>& names = run.state_names();
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i) % names.size();
      const Instant now =
          has_polynomials ? run.at(run.t_start + (run.t_end - run.t_start) * share(random_)) : run.sample(i);
      const Range range = run.range(State{static_cast<int>(k)});
      checks.push_back(
          {{"name", names[k]}, {"low", range.min}, {"high", range.max}, {"t", now.t}, {"value", now.states()[k]}});
    }
    if (has_polynomials) add_observables(run, checks);
    all_.push_back({{"file", file}, {"checks", checks}});
    std::printf("%s: %lld steps, %zu events, %s\n", file.c_str(), run.statistics.steps_accepted, run.events.size(),
                std::string(to_string(run.outcome)).c_str());
  }
  void add(const std::string& file, const std::string& problem, ReportOptions how = {}) {
    const Problem& one = find_problem(problem);
    how.plots = {one.plot};
    how.summary = one.summary;
    how.command = fmt::format("pawl run {}", problem);
    add(file, one.system, Values(one.system), {.start = one.start, .end = one.end}, how);
  }
  void add_verified(const std::string& file, const std::string& problem) {
    const Problem& one = find_problem(problem);
    const Options options{.start = one.start, .end = one.end, .keeps_history = true};
    const Result run = simulate(one.system, options);
    const Verification verification = verify(one.system, options, run);
    report(run, fmt::format("{}/{}", folder_, file), {.run_options = &options, .verification = &verification});
  }
  void add_comparison(const std::string& file, const std::string& problem, double tight, double loose) {
    const Problem& one = find_problem(problem);
    std::vector<StoredRun> runs;
    for (const double tolerance : {tight, loose}) {
      const Result run = simulate(one.system, {.end = one.end, .tolerance = tolerance, .samples = 1000});
      runs.push_back(
          {tolerance == tight ? "tight" : "loose", to_json(run), run.table_of_samples(run.quantity_names())});
    }
    write_whole_file(fmt::format("{}/{}", folder_, file), comparison_to_html(runs, "pawl compare tight loose"));
  }
  void finish() { write_whole_file(folder_ + "/values.json", print(all_)); }

 private:
  void add_observables(const Result& run, Json& checks) {
    std::uniform_real_distribution<double> share(0, 1);
    std::size_t number = 0;
    for (const std::string& name : run.observable_names()) {
      std::vector<double> times;
      for (int i = 0; i < 100; ++i) times.push_back(run.t_start + (run.t_end - run.t_start) * share(random_));
      const Table table = run.table(times, {name});
      Range range = run.range(Observable{static_cast<int>(number++)});
      for (const double value : table.values) range.widen(value);
      const double noise = 1e-8 * std::max({1.0, std::abs(range.min), std::abs(range.max)});  // below, rounding varies
      if (!(range.variation() > noise)) continue;
      for (std::size_t i = 0; i < times.size(); ++i)
        checks.push_back(
            {{"name", name}, {"low", range.min}, {"high", range.max}, {"t", times[i]}, {"value", table(i, 0)}});
    }
  }

  std::string folder_;
  std::mt19937 random_{20260101};
  Json all_ = Json::array();
};

System decay(const std::string& name, const std::string& state, double rate) {
  System system(name);
  const auto x = system.state(state, 1);
  system.rates([=](const auto& at, auto& d) { d[x] = -rate * at[x]; });
  return system;
}

/// Everything in it has a name that begins with this one.
System decay_with_event(const std::string& name, double rate) {
  System system(name);
  const auto x = system.state(name + "\x01", 1);
  const auto k = system.parameter(name + " rate", rate);
  const auto is_late = system.discrete(name + " late", false);
  system.rates([=](const auto& at, auto& d) { d[x] = -at[k] * at[x]; });
  system.observable(name + " seen", [=](const auto& at) { return 2 * at[x]; });
  system.guard(name + " half", [=](const auto& at) { return at[x] - 0.5; }).then([=](Jump& jump) {
    jump[is_late] = true;
  });
  return system;
}

System many_states(int count) {
  System system("many states");
  std::vector<double> starts;
  for (int i = 0; i < count; ++i) starts.push_back(1 + i % 7);
  const auto x = system.states("x", starts);
  system.rates([=](const Point<double>& at, Rates<double>& d) {
    for (int i = 0; i < count; ++i) d[x[i]] = -at[x[i]];
  });
  return system;
}

SphereMechanics two_spheres() {
  SphereMechanics sky("two spheres");
  const Spheres balls = sky.spheres("ball", {{0, 0, 1}, {1, 0, 1}}, {.radius = 0.1, .mass = 1, .gravity = {0, 0, -2}});
  sky.contacts("contacts", balls, {.restitution = 0.5, .walls = {{"floor", {0, 0, 0}, {0, 0, 1}}}});
  return sky;
}

System broken() {
  System system("fails at once");
  const auto x = system.state("x", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = log(-at[x]); });
  return system;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  Pages pages(words[1]);
  pages.add("ball.html", "bouncing-ball");
  pages.add("ball-exact.html", "bouncing-ball", {.exact = true});
  pages.add("space.html", "flail");
  pages.add("chain.html", "chain");
  pages.add("servo.html", "servo");
  pages.add("top.html", "quaternion-top");
  pages.add("stop.html", "pendulum-stop");
  const System& long_lasting = find_problem("robertson").system;
  pages.add("long.html", long_lasting, Values(long_lasting), {.end = 1e11});
  const std::string evil = "</script><script>window.hacked=1</script>\"'&<b>\u03a8\u6a21\u578b";
  const System names = decay_with_event(evil, 1);
  pages.add("names.html", names, Values(names), {.end = 1});
  const System many = many_states(10000);
  pages.add("many.html", many, Values(many), {.end = 1});
  const System fails = broken();
  pages.add("failed.html", fails, Values(fails), {.end = 1});
  const System fast = decay_with_event("fast", 1e12);
  pages.add("short.html", fast, Values(fast), {.end = 3e-12});
  const System back = decay("backward", "x", 1);
  pages.add("backward.html", back, Values(back), {.start = 2, .end = 0});
  const SphereMechanics spheres = two_spheres();
  pages.add("spheres.html", spheres, Values(spheres), {.end = 1.5, .samples = 40});
  const System long_one = pendulums();
  pages.add("34253-steps.html", long_one, Values(long_one), {.end = 34253 * 0.05, .method = "dop853", .step = 0.05});
  const System longest = counted();
  pages.add("million-steps.html", longest, Values(longest), {.end = 33500, .method = "dop853", .step = 0.0335});
  pages.add_verified("verified.html", "pendulum-stop");
  pages.add_comparison("compared.html", "kepler", 1e-9, 1e-6);
  pages.finish();
  // A sweep of the ball; with a gravity of -1 it never comes down.
  Design design;
  design.vary("e", levels(0.5, 0.9, 9)).vary("gravity", {3.7, 9.81, -1});
  SweepOptions how;
  how.run = {.end = 5};
  how.keep = {"events", "last_time_of:ground"};
  how.command = "pawl run bouncing-ball";
  write_whole_file(fmt::format("{}/sweep.html", words[1]),
                   sweep_to_html(sweep(find_problem("bouncing-ball").system, design, how)));
}
