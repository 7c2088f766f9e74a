// What a run of a sweep costs: beside CVODE, beside a loop over simulate(), by threads, and a million of them.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <limits>

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "pawl/pawl.hpp"
#include "pawl/simulation.hpp"
#include "pawl/sweep.hpp"
#include "problems/catalogue.hpp"
#include "report.hpp"
#include "report/sweep_files.hpp"
#include "suites.hpp"

namespace pawl::bench {

namespace {

namespace fs = std::filesystem;

/// Wall time, and the time of all processors: on a machine that others use the second still says what the work costs.
struct Time {
  double wall = 0, cpu = 0;
};
double now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
Time time_of(const std::function<void()>& act) {
  const double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  act();
  return {now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}
/// The least of some rounds, divided by the number of runs: whatever else the machine does only adds.
Time per_run(long long runs, const std::function<void()>& act, int rounds = 5) {
  Time least = time_of(act);
  for (int i = 1; i < rounds; ++i) {
    const Time next = time_of(act);
    least = {std::min(least.wall, next.wall), std::min(least.cpu, next.cpu)};
  }
  const auto count = static_cast<double>(runs);
  return {least.wall / count, least.cpu / count};
}
std::string microseconds(double seconds) {
  return fmt::format("{:.1f}", 1e6 * seconds);
}

// The ball of the reference FMUs, as CVODE's users write it: one solver for all runs, Adams with fixed-point iteration,
// the height as root, a new start at every impact, the end where the ball rebounds slower than v_min.
struct Ball {
  double g, e;
};
int ball_rates(realtype, N_Vector y, N_Vector d, void* user) {
  NV_Ith_S(d, 0) = NV_Ith_S(y, 1);
  NV_Ith_S(d, 1) = -static_cast<Ball*>(user)->g;
  return 0;
}
int ball_height(realtype, N_Vector y, realtype* g, void*) {
  g[0] = NV_Ith_S(y, 0);
  return 0;
}

class CvodeBall {
 public:
  explicit CvodeBall(double rtol) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(2, context_);
    reset();
    memory_ = CVodeCreate(CV_ADAMS, context_);
    CVodeInit(memory_, ball_rates, 0, y_);
    CVodeSStolerances(memory_, rtol, rtol / 1000);
    CVodeSetUserData(memory_, &ball_);
    nonlinear_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    CVodeSetNonlinearSolver(memory_, nonlinear_);
    CVodeRootInit(memory_, 1, ball_height);
    int falling = -1;
    CVodeSetRootDirection(memory_, &falling);
    CVodeSetNoInactiveRootWarn(memory_);
  }
  ~CvodeBall() {
    CVodeFree(&memory_);
    SUNNonlinSolFree(nonlinear_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  CvodeBall(const CvodeBall&) = delete;
  CvodeBall& operator=(const CvodeBall&) = delete;

  /// Number of impacts.
  int run(Ball ball, double end) {
    ball_ = ball;
    reset();
    CVodeReInit(memory_, 0, y_);
    realtype t = 0;
    for (int impacts = 0;;) {
      if (CVode(memory_, end, y_, &t, CV_NORMAL) != CV_ROOT_RETURN) return impacts;
      ++impacts;
      NV_Ith_S(y_, 0) = 0;
      NV_Ith_S(y_, 1) *= -ball_.e;
      if (NV_Ith_S(y_, 1) < 0.1) return impacts;
      CVodeReInit(memory_, t, y_);
    }
  }

 private:
  void reset() {
    NV_Ith_S(y_, 0) = 1;
    NV_Ith_S(y_, 1) = 0;
  }
  Ball ball_{};
  SUNContext context_{};
  N_Vector y_{};
  void* memory_{};
  SUNNonlinearSolver nonlinear_{};
};

constexpr double ball_end = 12;

Design ball_design(long long runs) {
  Design design;
  design.random("g", Distribution::uniform(9, 10.5)).random("e", Distribution::uniform(0.5, 0.9));
  design.draws = runs;
  design.seed = 7;
  return design;
}
SweepOptions ball_options(int jobs) {
  SweepOptions options;
  options.run.end = ball_end;
  options.run.tolerance = 1e-9;
  options.keep = {"events", "last_time_of:ground"};
  options.jobs = jobs;
  return options;
}

}  // namespace

void bench_sweep_ball(Report& report, const Wanted& /*wanted*/) {
  report.begin("sweep-ball", "A sweep of the ball, beside CVODE",
               "bouncing-ball-fmi with random g and e (uniform, 9 to 10.5 and 0.5 to 0.9), rtol 1e-9, until it rests "
               "or t = 12. Microseconds per run, by the clock and of all processors together, the least of five rounds "
               "of 4000 runs. Set-up: making a context for a run of the compiled model, and taking it down. CVODE: one "
               "solver for all runs, Adams.",
               {"what", "us per run", "CPU us per run", "CPU of CVODE's"});
  constexpr long long runs = 4000;
  const System ball = find_problem("bouncing-ball-fmi").system;
  const CompiledModel model(ball);
  const Design design = ball_design(runs);
  double impacts = 0, cvode_impacts = 0;
  CvodeBall peer(1e-9);
  std::vector<double> values(2);
  const Time cvode = per_run(runs, [&] {
    cvode_impacts = 0;
    for (long long run = 0; run < runs; ++run) {
      design.values(run, values.data());
      cvode_impacts += peer.run({values[0], values[1]}, ball_end);
    }
  });
  const Time one = per_run(runs, [&] {
    const Sweep all = sweep(model, design, ball_options(1));
    impacts = 0;
    for (long long run = 0; run < runs; ++run) impacts += all.values(run)[0];
  });
  const Time two = per_run(runs, [&] { sweep(model, design, ball_options(2)); });
  Options run_options = ball_options(1).run;
  run_options.keep = Keep::end;
  run_options.keeps_ranges = false;
  const Values start(ball);
  const Time set_up = per_run(runs, [&] {
    for (long long run = 0; run < runs; ++run) Simulation(model, start, run_options).has_ended();
  });
  const Time draws = per_run(runs, [&] {
    for (long long run = 0; run < runs; ++run) design.values(run, values.data());
  });
  const std::string folder = (fs::temp_directory_path() / fmt::format("pawl-bench-{}.sweep", ::getpid())).string();
  const Time stored = per_run(runs, [&] {
    fs::remove_all(folder);
    SweepOptions options = ball_options(1);
    options.folder = folder;
    sweep(model, design, options);
  });
  fs::remove_all(folder);
  const auto row = [&](const std::string& what, const Time& time) {
    report.row({what, microseconds(time.wall), microseconds(time.cpu), fmt::format("{:.2f}", time.cpu / cvode.cpu)});
  };
  row(PAWL_HAS_OPTIMIZED_SUNDIALS ? "CVODE 6.4" : "CVODE 6.4 (Debian's, not optimized)", cvode);
  row("sweep, 1 thread", one);
  row("sweep, 2 threads", two);
  row("of which set-up", set_up);
  row("of which draws", draws);
  row("sweep to a folder, 1 thread", stored);
  report.note(
      fmt::format("{:.1f} impacts per run ({:.1f} with CVODE): {:.2f} us of a processor per impact beyond the set-up. "
                  "Two threads are "
                  "{:.2f} times as fast as one by the clock, and take {:.2f} times its time of processors.",
                  impacts / runs, cvode_impacts / runs, 1e6 * (one.cpu - set_up.cpu) / (impacts / runs),
                  one.wall / two.wall, two.cpu / one.cpu));
  report.expect(std::abs(impacts - cvode_impacts) <= 1e-3 * impacts, "both find the same impacts");
}

void bench_sweep_draws(Report& report, const Wanted& /*wanted*/) {
  report.begin(
      "sweep-draws", "Draws",
      "Errors of the mean resting time of the ball, sqrt(2/g) (1 + e)/(1 - e), which is known exactly: g and e "
      "uniform, 9 to 10.5 and 0.5 to 0.9; root mean square over 32 seeds.",
      {"draws", "random", "latin", "sobol"});
  const double g0 = 9, g1 = 10.5, e0 = 0.5, e1 = 0.9;
  const double exact = 2 * std::sqrt(2.) * (std::sqrt(g1) - std::sqrt(g0)) / (g1 - g0) *
                       (-(e1 - e0) - 2 * (std::log(1 - e1) - std::log(1 - e0))) / (e1 - e0);
  const auto error = [&](Sampling sampling, long long draws) {
    constexpr int seeds = 32;
    double squares = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      Design design;
      design.random("g", Distribution::uniform(g0, g1)).random("e", Distribution::uniform(e0, e1));
      design.sampling = sampling;
      design.draws = draws;
      design.seed = static_cast<std::uint64_t>(seed);
      double sum = 0, v[2];
      for (long long run = 0; run < draws; ++run) {
        design.values(run, v);
        sum += std::sqrt(2 / v[0]) * (1 + v[1]) / (1 - v[1]);
      }
      squares += std::pow(sum / static_cast<double>(draws) - exact, 2);
    }
    return std::sqrt(squares / seeds);
  };
  double random = 0, latin = 0, sobol = 0;
  for (const long long draws : {64, 256, 1024, 4096, 16384}) {
    random = error(Sampling::random, draws), latin = error(Sampling::latin, draws);
    sobol = error(Sampling::sobol, draws);
    report.row({fmt::format("{}", draws), fmt::format("{:.1e}", random), fmt::format("{:.1e}", latin),
                fmt::format("{:.1e}", sobol)});
  }
  report.expect(latin < random / 10 && sobol < random / 10, "latin and sobol are ten times as exact as random");
}

void bench_sweep_layouts(Report& report, const Wanted& wanted) {
  const int each = wanted.is_quick ? 500 : 10'000;
  report.begin(
      "sweep-layouts", "Layouts",
      "bouncing-ball-fmi with random g and e (uniform, 9 to 10.5 and 0.5 to 0.9), rtol 1e-9, the same number of "
      "runs per thread, part or rank, by the command, its start included: microseconds of all processors per "
      "run, the least of three rounds. It is the time by the clock where the processors are one's own.",
      {"layout", "runs", "CPU us per run", "of one"});
  const fs::path pawl = fs::read_symlink("/proc/self/exe").parent_path() / "pawl";
  const fs::path folder = fs::temp_directory_path() / fmt::format("pawl-bench-layouts-{}", ::getpid());
  double one = 0;
  const auto row = [&](const std::string& layout, int runs, const std::string& before, const std::string& words) {
    std::string command = fmt::format(
        "{} {} sweep bouncing-ball-fmi --random 'g=uniform(9,10.5)' --random "
        "'e=uniform(0.5,0.9)' --runs {} --seed 7 --rtol 1e-9 --stop 12 --out {} {}",
        before, pawl.string(), runs, folder.string(), words);
    if (words.find("--part 1/2") != std::string::npos) {
      std::string second = command;
      second.replace(second.find("--part 1/2"), 10, "--part 2/2");
      command = fmt::format("{{ {} & {}; wait; }}", command, second);
    }
    double least = std::numeric_limits<double>::infinity();
    bool has_run = true;
    const auto spent = [] {
      rusage used{};
      ::getrusage(RUSAGE_CHILDREN, &used);
      const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
      };
      return seconds(used.ru_utime) + seconds(used.ru_stime);
    };
    for (int round = 0; round < 3; ++round) {
      fs::remove_all(folder);
      const double before_it = spent();
      has_run = has_run && std::system((command + " >/dev/null 2>&1").c_str()) == 0;
      least = std::min(least, (spent() - before_it) / runs);
    }
    fs::remove_all(folder);
    if (one == 0) one = least;
    report.row({layout, fmt::format("{}", runs), has_run ? microseconds(least) : "-",
                has_run ? fmt::format("{:.2f}", least / one) : "-"});
  };
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  row("1 thread", each, "", "--jobs 1");
  row("2 threads", 2 * each, "", "--jobs 2");
  row("2 parts of one thread, side by side", 2 * each, "", "--jobs 1 --part 1/2");
  row("1 rank", each, "mpirun -n 1", "");
  row("2 ranks", 2 * each, "mpirun --oversubscribe -n 2", "");
}

void bench_sweep_sharing(Report& report, const Wanted& wanted) {
  report.begin("sweep-sharing", "A sweep beside a loop over simulate()",
               "Microseconds of a processor per run, one thread, a sweep of 10 000 runs and loops of 2000. "
               "simulate(system): as a user writes a loop, everything kept. simulate(compiled): the model compiled "
               "once, the end kept. Set-up: a context for a run of the compiled model.",
               {"model", "simulate(system)", "simulate(compiled)", "sweep", "loop / sweep", "set-up"});
  struct Case {
    std::string name, parameter;
    double low, high, end;
  };
  const long long all = wanted.is_quick ? 200 : 10'000, some = all / 5;
  for (const Case& one : {Case{"squeezer", "torque", 0.02, 0.04, 0.03}, Case{"diode-circuit", "R", 0.5, 2, 0.085}}) {
    const System system = find_problem(one.name).system;
    const CompiledModel model(system);
    Design design;
    design.random(one.parameter, Distribution::uniform(one.low, one.high));
    design.draws = all;
    const Options options{.end = one.end};
    Options end_only = options;
    end_only.keep = Keep::end;
    end_only.keeps_ranges = false;
    const auto loop = [&](const auto& what, const Options& how) {
      return per_run(
                 some,
                 [&] {
                   for (long long run = 0; run < some; ++run) {
                     double value = 0;
                     design.values(run, &value);
                     Values values(system);
                     values.set(one.parameter, value);
                     static_cast<void>(simulate(what, values, how).final_state);
                   }
                 },
                 1)
          .cpu;
    };
    const double plain = loop(system, options), compiled = loop(model, end_only);
    SweepOptions how;
    how.run = options;
    how.jobs = 1;
    const double swept = per_run(
                             all, [&] { sweep(model, design, how); }, 1)
                             .cpu;
    const Values start(system);
    const double set_up = per_run(
                              1000,
                              [&] {
                                for (int i = 0; i < 1000; ++i) Simulation(model, start, end_only).has_ended();
                              },
                              1)
                              .cpu;
    report.row({one.name, microseconds(plain), microseconds(compiled), microseconds(swept),
                fmt::format("{:.2f}", plain / swept), microseconds(set_up)});
  }
}

void bench_sweep_million(Report& report, const Wanted& /*wanted*/) {
  report.begin("sweep-million", "A million runs",
               "x' = -k x with two random parameters and ten columns, two threads, in a process of its own: the sweep "
               "to a folder, the same read from there, and three exports.",
               {"what", "seconds", "MB"});
  const fs::path folder = fs::temp_directory_path() / fmt::format("pawl-bench-{}", ::getpid());
  fs::create_directories(folder);
  const std::string store = (folder / "million.sweep").string();
  System decay("decay");
  const auto x = decay.state("x", 1);
  const auto k = decay.parameter("k", 1);
  decay.rates([=](const auto& at, auto& d) { d[x] = -at[k] * at[x]; });
  for (int i = 1; i < 10; ++i)
    decay.observable(fmt::format("x^{}", i + 1), [=](const auto& at) { return pow(at[x], i + 1); });
  Design design;
  design.random("k", Distribution::uniform(0.5, 2)).random("x", Distribution::uniform(1, 2));
  design.draws = 1'000'000;
  SweepOptions options;
  options.run.end = 1;
  options.keep = {"final"};
  for (int i = 1; i < 10; ++i) options.keep.push_back(fmt::format("final:x^{}", i + 1));
  options.jobs = 2;
  options.folder = store;
  const auto row = [&](const std::string& what, const std::function<void()>& act) {
    int numbers[2];
    if (::pipe(numbers) != 0) return;
    const pid_t child = ::fork();
    if (child == 0) {
      const double seconds = time_of(act).wall;
      static_cast<void>(!::write(numbers[1], &seconds, sizeof seconds));
      ::_exit(0);
    }
    double seconds = std::nan("");
    ::close(numbers[1]);
    static_cast<void>(!::read(numbers[0], &seconds, sizeof seconds));
    ::close(numbers[0]);
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    report.row(
        {what, fmt::format("{:.2f}", seconds), fmt::format("{:.0f}", static_cast<double>(used.ru_maxrss) / 1024)});
    report.expect(used.ru_maxrss <= 300 * 1024, fmt::format("{} stays below 300 MB", what));
  };
  row("sweep", [&] { sweep(decay, design, options); });
  row("read", [&] { read_sweep(store); });
  row("read and write .csv", [&] { write_sweep_csv(read_sweep(store), (folder / "x.csv").string()); });
  row("read and write .npz", [&] { write_sweep_npz(read_sweep(store), (folder / "x.npz").string()); });
  row("read and write .h5", [&] { write_sweep_hdf5(read_sweep(store), (folder / "x.h5").string()); });
  fs::remove_all(folder);
}

}  // namespace pawl::bench
