// pawl's events against those of CVODE, IDA and scipy on the gauntlet, and the cost of 600 near-simultaneous events.
//
// SUNDIALS runs the very models of the gauntlet through an adapter that evaluates their rates and guards with numbers
// and makes their jumps at what it reports, with default step control, no maximum step and the tolerances of the case.
// What it has no word for (conditions, relays, time events) is left out: "-". scipy's column is read from what
// bench/scipy_events.py wrote.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <nlohmann/json.hpp>

#include "event/model_rates.hpp"
#include "pawl/pawl.hpp"
#include "problems/gauntlet.hpp"
#include "suites.hpp"
#include "timing.hpp"

namespace pawl::bench {
namespace {

struct Seen {
  double t;
  std::string guard;
};
struct PeerRun {
  std::vector<Seen> events;
  std::vector<double> final_state;
  long long rhs = 0, guard_vectors = 0;
  bool has_failed = false;
};

enum class Peer { adams, bdf, ida };

/// A System as SUNDIALS sees it: rates, a vector of guards, and what to do at roots.
class Adapter {
 public:
  explicit Adapter(const System& system)
      : model(system.share()), held(Values(system).held()), rates_(model->rates, system.size()) {
    for (std::size_t g = 0; g < model->guards.size(); ++g) {
      for (const Pair member : model->guards[g].members)
        sources.push_back({EventSource::Kind::guard, static_cast<int>(g), member});
    }
  }

  static bool can_express(const System& system) {
    const auto& all = system.declarations();
    return all.rates && !all.is_implicit() && !all.has_manifold() && all.relays.empty() && all.time_events.empty() &&
           all.condition_names.empty() && all.decisions.empty();
  }

  void rates(double t, const double* x, double* d) {
    ++run.rhs;
    const detail::Surroundings<double> around{&held};
    model->rates(Point<double>(t, x, held.parameters.data(), &around), d);
  }
  void guards(double t, const double* x, double* g) {
    ++run.guard_vectors;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const GuardInfo& info = model->guards[static_cast<std::size_t>(sources[i].index)];
      g[i] = 1;
      if (!info.only_when.holds(held)) continue;
      const detail::Surroundings<double> around{&held, sources[i].member, nullptr, &rates_};
      info.g(Point<double>(t, x, held.parameters.data(), &around), &g[i]);
    }
  }
  /// Makes the jumps of the guards that were found; whether anything changed, so that the integration must restart.
  bool happen(double t, double* x, const std::vector<int>& roots) {
    const std::vector<double> before(x, x + model->state_names.size());
    const Held held_before = held;
    Causes causes;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (roots[i] == 0) continue;
      causes.fired.push_back({Guard{sources[i].index}, sources[i].member});
      run.events.push_back({t, name_of(sources[i], *model)});
    }
    Jump jump(t, {x, before.size()}, held, before, held_before, causes);
    for (const Fired& one : causes.fired) {
      const Transition& then = model->guards[static_cast<std::size_t>(one.guard.index)].then;
      if (then) then(jump, one.member);
    }
    is_over = jump.is_terminated();
    return !(held == held_before) || !std::equal(before.begin(), before.end(), x);
  }
  std::vector<int> directions() const {
    std::vector<int> all;
    for (const EventSource& source : sources)
      all.push_back(static_cast<int>(model->guards[static_cast<std::size_t>(source.index)].direction));
    return all;
  }

  std::shared_ptr<const System::Declarations> model;
  Held held;
  std::vector<EventSource> sources;
  PeerRun run;
  bool is_over = false;

 private:
  event::ModelRates<double> rates_;
};

Adapter& adapter(void* user) {
  return *static_cast<Adapter*>(user);
}
double* data(N_Vector v) {
  return N_VGetArrayPointer(v);
}
int cv_rates(realtype t, N_Vector y, N_Vector d, void* user) {
  adapter(user).rates(t, data(y), data(d));
  return 0;
}
int cv_guards(realtype t, N_Vector y, realtype* g, void* user) {
  adapter(user).guards(t, data(y), g);
  return 0;
}
int ida_residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void* user) {
  adapter(user).rates(t, data(y), data(r));
  for (sunindextype i = 0; i < N_VGetLength(y); ++i) data(r)[i] = data(dy)[i] - data(r)[i];
  return 0;
}
int ida_guards(realtype t, N_Vector y, N_Vector, realtype* g, void* user) {
  return cv_guards(t, y, g, user);
}
void be_quiet(int, const char*, const char*, char*, void*) {}

constexpr long most_steps = 100'000;
constexpr std::size_t most_events = 5'000;

/// One SUNDIALS run, cleaned up at the end.
class Sundials {
 public:
  Sundials(Peer peer, Adapter& model, const std::vector<double>& start, double t, double rtol, double atol,
           CVRhsFn rates = cv_rates, CVRootFn guards = cv_guards)
      : peer_(peer), model_(model) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(start.size());
    y_ = N_VNew_Serial(n, context_);
    std::copy(start.begin(), start.end(), data(y_));
    dy_ = N_VClone(y_);
    const int roots = static_cast<int>(model.sources.size());
    std::vector<int> directions = model.directions();
    if (peer == Peer::ida) {
      memory_ = IDACreate(context_);
      model.rates(t, data(y_), data(dy_));
      IDASetErrHandlerFn(memory_, be_quiet, nullptr);
      IDAInit(memory_, ida_residual, t, y_, dy_);
      IDASStolerances(memory_, rtol, atol);
      IDASetUserData(memory_, &model);
      attach_dense(n);
      IDASetMaxNumSteps(memory_, most_steps);
      IDARootInit(memory_, roots, ida_guards);
      IDASetRootDirection(memory_, directions.data());
      IDASetNoInactiveRootWarn(memory_);
    } else {
      memory_ = CVodeCreate(peer == Peer::adams ? CV_ADAMS : CV_BDF, context_);
      CVodeSetErrHandlerFn(memory_, be_quiet, nullptr);
      CVodeInit(memory_, rates, t, y_);
      CVodeSStolerances(memory_, rtol, atol);
      CVodeSetUserData(memory_, &model);
      if (peer == Peer::adams) {
        nonlinear_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
        CVodeSetNonlinearSolver(memory_, nonlinear_);
      } else {
        attach_dense(n);
      }
      CVodeSetMaxNumSteps(memory_, most_steps);
      CVodeRootInit(memory_, roots, guards);
      CVodeSetRootDirection(memory_, directions.data());
      CVodeSetNoInactiveRootWarn(memory_);
    }
  }
  ~Sundials() {
    if (peer_ == Peer::ida)
      IDAFree(&memory_);
    else
      CVodeFree(&memory_);
    if (nonlinear_ != nullptr) SUNNonlinSolFree(nonlinear_);
    if (linear_ != nullptr) SUNLinSolFree(linear_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    N_VDestroy(dy_);
    SUNContext_Free(&context_);
  }
  Sundials(const Sundials&) = delete;
  Sundials& operator=(const Sundials&) = delete;

  void go_to(double end) {
    std::vector<int> roots(model_.sources.size());
    realtype t = std::nan("");
    const auto is_there = [&] { return std::abs(end - t) <= 1e-13 * std::abs(end); };  // closer than a first step
    while (model_.run.events.size() < most_events && !model_.is_over && !is_there()) {
      const int flag =
          peer_ == Peer::ida ? IDASolve(memory_, end, &t, y_, dy_, IDA_NORMAL) : CVode(memory_, end, y_, &t, CV_NORMAL);
      if (flag < 0) {
        model_.run.has_failed = true;
        break;
      }
      if (flag != CV_ROOT_RETURN) break;  // IDA_ROOT_RETURN is the same number
      if (peer_ == Peer::ida)
        IDAGetRootInfo(memory_, roots.data());
      else
        CVodeGetRootInfo(memory_, roots.data());
      if (!model_.happen(t, data(y_), roots)) continue;
      if (peer_ == Peer::ida) {
        model_.rates(t, data(y_), data(dy_));
        IDAReInit(memory_, t, y_, dy_);
      } else {
        CVodeReInit(memory_, t, y_);
      }
    }
    model_.run.final_state.assign(data(y_), data(y_) + N_VGetLength(y_));
  }

 private:
  void attach_dense(sunindextype n) {
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    if (peer_ == Peer::ida)
      IDASetLinearSolver(memory_, linear_, matrix_);
    else
      CVodeSetLinearSolver(memory_, linear_, matrix_);
  }

  Peer peer_;
  Adapter& model_;
  SUNContext context_ = nullptr;
  void* memory_ = nullptr;
  N_Vector y_ = nullptr, dy_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver nonlinear_ = nullptr;
};

double absolute_of(const Tolerance& tolerance) {
  return tolerance.absolute.value_or(tolerance.relative / 1000);
}

PeerRun run_sundials(Peer peer, const GauntletCase& one) {
  Adapter model(one.system);
  const Tolerance& tolerance = one.options.tolerance;
  Sundials solver(peer, model, Values(one.system).start(), one.options.start, tolerance.relative,
                  absolute_of(tolerance));
  solver.go_to(one.options.end);
  return model.run;
}

int wanted(const GauntletCase& one) {
  int count = 0;
  for (const ExpectedEvent& e : one.expected) count += e.is_optional ? 0 : 1;
  return count;
}

/// Found, and what was reported beside it. A peer's times may be off by a thousand tolerances.
std::string verdict(const GauntletCase& one, const PeerRun& run) {
  std::vector<Seen> free = run.events;
  int found = 0;
  for (const ExpectedEvent& expected : one.expected) {
    const double slack = std::max(expected.tolerance, 1000 * one.options.tolerance.relative);
    const auto it = std::find_if(free.begin(), free.end(), [&](const Seen& seen) {
      return seen.guard == expected.guard && std::abs(seen.t - expected.t) <= slack;
    });
    if (it == free.end()) continue;
    free.erase(it);
    found += expected.is_optional ? 0 : 1;
  }
  std::string text = std::to_string(found);
  if (!free.empty() && !one.may_chatter_on) text += fmt::format(" + {} false", free.size());
  if (run.has_failed) text += ", aborts";
  if (run.events.size() >= most_events) text += ", chatters on";
  const auto& model = one.system.declarations();
  for (std::size_t g = 0; g < model.guards.size(); ++g) {
    const GuardInfo& info = model.guards[g];
    if (info.side != Side::unilateral) continue;
    const double value = guard_value(model, {EventSource::Kind::guard, static_cast<int>(g), {}},
                                     Values(one.system).held(), one.options.end, run.final_state);
    if (value * (info.direction == Direction::rising ? -1 : 1) < -1e-3) text += ", falls through";
  }
  return text;
}

std::string own_verdict(const GauntletReport& report) {
  const int false_ones = report.wrong + report.doubled;
  return false_ones > 0 ? fmt::format("{} + {} false", report.found, false_ones) : std::to_string(report.found);
}

using ScipyTable = std::map<std::string, std::map<std::string, std::string>>;
ScipyTable read_scipy(const std::string& path) {
  std::ifstream file(path);
  if (!file) return {};
  return nlohmann::json::parse(file).get<ScipyTable>();
}

void compare_events(Report& report, const ScipyTable& scipy) {
  report.begin("event-peers", {},
               "Events found, of those that are there; `+ n false` are reports of events that are not. Tolerances are "
               "those of the case, step control is the default of each program, no maximum step is given. `-`: the "
               "program has no word for it, or the case was not run there.",
               {"case", "true", "pawl dormand-prince-5", "pawl dop853", "CVODE Adams", "CVODE BDF", "IDA", "scipy RK45",
                "DOP853", "LSODA", "Radau"});
  const auto scipy_of = [&](const std::string& name, const std::string& method) -> std::string {
    const auto row = scipy.find(name);
    return row == scipy.end() ? "-" : row->second.at(method);
  };
  for (const GauntletCase& one : gauntlet(GuardForm::generic)) {
    const bool can = Adapter::can_express(one.system);
    const auto peer = [&](Peer which) { return can ? verdict(one, run_sundials(which, one)) : "-"; };
    report.row({one.name, std::to_string(wanted(one)),
                own_verdict(run_case(one, "dormand-prince-5", GuardForm::generic)),
                own_verdict(run_case(one, "dop853", GuardForm::generic)), peer(Peer::adams), peer(Peer::bdf),
                peer(Peer::ida), scipy_of(one.name, "RK45"), scipy_of(one.name, "DOP853"), scipy_of(one.name, "LSODA"),
                scipy_of(one.name, "Radau")});
  }
}

void compare_work(Report& report) {
  report.begin("event-peers-work", {}, "Right-hand sides of the same runs:",
               {"case", "pawl dormand-prince-5", "pawl dop853", "CVODE Adams", "CVODE BDF", "IDA"});
  for (const GauntletCase& one : gauntlet(GuardForm::generic)) {
    const bool is_shown = one.name.starts_with("y' = m y") || one.name.starts_with("y1 - A t on a circle, A = 0.403") ||
                          one.name.starts_with("x - 0.9999999") || one.name.starts_with("ten balls");
    if (!is_shown) continue;
    const auto count = [](long long rhs) { return fmt::format("{}", rhs); };
    report.row({one.name, count(run_case(one, "dormand-prince-5", GuardForm::generic).rhs),
                count(run_case(one, "dop853", GuardForm::generic).rhs), count(run_sundials(Peer::adams, one).rhs),
                count(run_sundials(Peer::bdf, one).rhs), count(run_sundials(Peer::ida, one).rhs)});
  }
}

// 100 balls, 600 events: by hand for CVODE, as its users write it.
constexpr int balls = 100;
constexpr double last = 2.0;

int ball_rates(realtype, N_Vector y, N_Vector d, void* user) {
  Adapter& model = adapter(user);
  ++model.run.rhs;
  const double *height = data(y), *speed = height + balls;
  double *v = data(d), *a = v + balls;
  for (int j = 0; j < balls; ++j) {
    v[j] = speed[j];
    a[j] = -9.81 - (model.held.modes[static_cast<std::size_t>(j)] != 0 ? 1e4 * height[j] + 14 * speed[j] : 0);
  }
  return 0;
}
int ball_guards(realtype, N_Vector y, realtype* g, void* user) {
  ++adapter(user).run.guard_vectors;
  std::copy(data(y), data(y) + balls, g);
  return 0;
}

struct Truth {
  std::map<std::string, std::vector<double>> times;
  Truth() {
    for (int j = 0; j < balls; ++j) times["ball" + std::to_string(j + 1)] = spring_ball_events(1 + 1e-9 * j, last);
  }
  /// Largest error, or none if the number of events is wrong.
  std::optional<double> error_of(const std::vector<Seen>& events) const {
    std::map<std::string, std::vector<double>> found;
    for (const Seen& seen : events) found[seen.guard].push_back(seen.t);
    double worst = 0;
    for (const auto& [name, exact] : times) {
      const std::vector<double>& own = found[name];
      if (own.size() != exact.size()) return std::nullopt;
      for (std::size_t i = 0; i < own.size(); ++i) worst = std::max(worst, std::abs(own[i] - exact[i]));
    }
    return worst;
  }
};

struct BallRun {
  std::vector<Seen> events;
  long long rhs;
  double guard_vectors;
};
BallRun pawl_balls(const System& system, const std::string& method, double rtol) {
  const Result run = simulate(system, {.end = last, .tolerance = {rtol, rtol}, .method = method, .keep = Keep::end});
  BallRun all{{},
              run.statistics.rhs,
              static_cast<double>(run.statistics.events.guard_ranges + run.statistics.events.guard_points) / balls};
  for (const Event& event : run.events) {
    if (!fires(event.kind)) continue;
    for (const EventSource& source : event.sources) all.events.push_back({event.t, name_of(source, *run.declarations)});
  }
  return all;
}
BallRun cvode_balls(const System& system, double rtol) {
  Adapter model(system);
  Sundials solver(Peer::adams, model, Values(system).start(), 0, rtol, rtol, ball_rates, ball_guards);
  solver.go_to(last);
  return {model.run.events, model.run.rhs, static_cast<double>(model.run.guard_vectors)};
}

void compare_balls(Report& report) {
  const System system = spring_balls(balls, GuardForm::generic);
  const Truth truth;
  struct Row {
    std::string name;
    std::function<BallRun()> run;
  };
  std::vector<Row> rows;
  for (const double rtol : {1e-6, 3e-13})
    rows.push_back(
        {fmt::format("pawl dop853, {:.0e}", rtol), [&system, rtol] { return pawl_balls(system, "dop853", rtol); }});
  for (const double rtol : {1e-6, 1e-9, 1e-12, 1e-13})
    rows.push_back({fmt::format("CVODE Adams, {:.0e}", rtol), [&system, rtol] { return cvode_balls(system, rtol); }});
  std::vector<Job> jobs;
  for (const Row& row : rows) jobs.push_back([&row] { row.run(); });
  const std::vector<double> seconds = time_in_turn(jobs, 25);
  report.begin("event-peers-balls", {},
               "600 near-simultaneous events: 100 balls on springs and dampers, 200 states, 100 guards, contacts 2e-10 "
               "apart. Guard vectors are guard evaluations by 100; CVODE's guards and rates are written by hand. "
               "Tolerances are relative and absolute.",
               {"", "events", "rhs", "guard vectors", "ms", "largest error of an event time"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BallRun run = rows[i].run();
    const auto error = truth.error_of(run.events);
    report.row({rows[i].name, fmt::format("{}", run.events.size()), fmt::format("{}", run.rhs),
                fmt::format("{:.0f}", run.guard_vectors), fmt::format("{:.2f}", 1e3 * seconds[i]),
                error ? fmt::format("{:.1e}", *error) : "wrong events"});
  }
}

}  // namespace

void bench_event_peers(Report& report, const Wanted& wanted) {
  compare_events(report, read_scipy(wanted.scipy));
  compare_work(report);
  compare_balls(report);
}

}  // namespace pawl::bench
