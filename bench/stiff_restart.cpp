// What an event costs a stiff integration. One-step methods go on with full order; BDF
// begins again with order 1.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "stiff.hpp"

namespace pawl::bench {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double omega = 5, end_of_run = 20;
constexpr std::size_t events_of_run = 10;

/// An oscillation a, b that keeps steps at one size, a relay u = +-1 that drives x between -1 and 1, and z, which
/// follows a target with the rate λ:
///   a' = ω b,  b' = -ω a,  x' = u + a/2,  z' = λ (target - z)
/// With the target a x it stays slow at an event; with u + a it is thrown off.
struct Variant {
  const char* name;
  double lambda;
  bool excites_z;
};

System plant_of(const Variant& variant, long long* count) {
  System plant("relay with a fast state");
  const auto a = plant.state("a", 0), b = plant.state("b", 1), x = plant.state("x", 0),
             z = plant.state("z", variant.excites_z ? 1 : 0);
  const auto u = plant.relay("u", {.below = 1, .above = -1, .hysteresis = 2}, [=](const auto& at) { return at[x]; });
  plant.rates([=](const auto& at, auto& d) {
    using T = std::decay_t<decltype(at.t)>;
    if constexpr (std::is_same_v<T, double>) ++*count;
    d[a] = omega * at[b];
    d[b] = -omega * at[a];
    d[x] = at[u] + at[a] / 2;
    d[z] = variant.lambda * ((variant.excites_z ? T(at[u] + at[a]) : T(at[a] * at[x])) - at[z]);
  });
  return plant;
}

/// x = u t + (1 - cos ω t)/(2 ω) + constant reaches 1 and -1 in turn: bisection of a monotonous function.
std::vector<double> exact_events() {
  std::vector<double> times;
  long double t = 0, x = 0;
  const auto ripple = [](long double at) { return (1 - std::cos(omega * at)) / (2 * omega); };
  for (int sign = 1; times.size() < events_of_run; sign = -sign) {
    long double low = t, high = t + 6;
    for (int i = 0; i < 80; ++i) {
      const long double middle = (low + high) / 2;
      (sign * (x + sign * (middle - t) + ripple(middle) - ripple(t) - sign) < 0 ? low : high) = middle;
    }
    t = low;
    x = sign;
    times.push_back(static_cast<double>(t));
  }
  return times;
}

/// One accepted step: its ends and the evaluations made until then.
struct Moment {
  double t0, t1;
  long long rhs;
};

struct Cost {
  double rhs = nan, steps = nan;            // per event, of the whole run
  double rhs_back = nan, steps_back = nan;  // median over the events
  std::size_t came_back = 0;                // events after which the former step size was reached before the next one
  double event_error = nan;                 // largest
  double seconds = nan;
  std::string remark = {};
};

/// What it takes after each event until a step has nine tenths of the size of the last complete step before it.
void judge(Cost& cost, const std::vector<Moment>& moments, const std::vector<double>& events) {
  std::vector<double> rhs, steps;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const double next = k + 1 < events.size() ? events[k + 1] : end_of_run;
    double usual = nan;
    long long until_event = 0, taken = 0;
    for (const Moment& one : moments) {
      const double size = one.t1 - one.t0;
      if (one.t1 < events[k] - 1e-9) usual = size;
      if (one.t1 <= events[k] + 1e-9) {
        until_event = one.rhs;
        continue;
      }
      if (one.t0 >= next - 1e-9) break;
      ++taken;
      if (!(size >= 0.9 * usual)) continue;
      rhs.push_back(static_cast<double>(one.rhs - until_event));
      steps.push_back(static_cast<double>(taken));
      break;
    }
  }
  cost.came_back = rhs.size();
  cost.rhs_back = median(rhs);
  cost.steps_back = median(steps);
  const auto count = static_cast<double>(events_of_run);
  cost.rhs = moments.empty() ? nan : static_cast<double>(moments.back().rhs) / count;
  cost.steps = static_cast<double>(moments.size()) / count;
  const std::vector<double> exact = exact_events();
  if (events.size() != exact.size()) {
    cost.remark = fmt::format("{} events", events.size());
    return;
  }
  cost.event_error = 0;
  for (std::size_t k = 0; k < exact.size(); ++k)
    cost.event_error = std::max(cost.event_error, std::abs(events[k] - exact[k]));
}

Cost our_cost(const Variant& variant, const std::string& method, double tolerance) {
  long long count = 0;
  const System plant = plant_of(variant, &count);
  Options options{.end = end_of_run, .tolerance = {tolerance, tolerance}, .method = method};
  options.keep = Keep::end;
  Cost cost;
  cost.seconds = time_run(plant, Values(plant), options).seconds;
  std::vector<Moment> moments;
  double t = 0;
  options.progress = [&](const Progress& progress) {
    moments.push_back({t, progress.t, count});
    t = progress.t;
    return true;
  };
  count = 0;
  const Result run = simulate(plant, options);
  std::vector<double> events;
  for (const Event& event : run.events) {
    if (fires(event.kind)) events.push_back(event.t);
  }
  judge(cost, moments, events);
  if (!run.finished()) cost.remark = first_line(run.reason);
  return cost;
}

/// CVODE, dense, exact Jacobian, its own root finder; begun again after each event.
class PeerPlant {
 public:
  PeerPlant(const Variant& variant, double tolerance) : variant_(variant), tolerance_(tolerance) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(4, context_);
    matrix_ = SUNDenseMatrix(4, 4, context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    memory_ = CVodeCreate(CV_BDF, context_);
  }
  ~PeerPlant() {
    CVodeFree(&memory_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  PeerPlant(const PeerPlant&) = delete;
  PeerPlant& operator=(const PeerPlant&) = delete;

  Cost run() {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    double* y = N_VGetArrayPointer(y_);
    y[0] = 0, y[1] = 1, y[2] = 0, y[3] = variant_.excites_z ? 1 : 0;
    CVodeInit(memory_, rates, 0, y_);
    CVodeSetUserData(memory_, this);
    CVodeSStolerances(memory_, tolerance_, tolerance_);
    CVodeSetLinearSolver(memory_, solver_, matrix_);
    CVodeSetJacFn(memory_, jacobian);
    CVodeSetMaxNumSteps(memory_, -1);
    CVodeRootInit(memory_, 1, guard);
    CVodeSetStopTime(memory_, end_of_run);
    std::vector<Moment> moments;
    std::vector<double> events;
    double t = 0, last = 0;
    Cost cost;
    for (;;) {
      const int flag = CVode(memory_, end_of_run, y_, &t, CV_ONE_STEP);
      if (flag < 0) {
        cost.remark = fmt::format("CVODE stopped with {}", flag);
        break;
      }
      moments.push_back({last, t, count_});
      last = t;
      if (flag == CV_TSTOP_RETURN || t >= end_of_run) break;
      if (flag != CV_ROOT_RETURN) continue;
      events.push_back(t);
      u_ = -u_;
      CVodeReInit(memory_, t, y_);
    }
    cost.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    judge(cost, moments, events);
    return cost;
  }

 private:
  static int rates(realtype, N_Vector y, N_Vector out, void* user) {
    auto& self = *static_cast<PeerPlant*>(user);
    ++self.count_;
    const double *x = N_VGetArrayPointer(y), target = self.variant_.excites_z ? self.u_ + x[0] : x[0] * x[2];
    double* d = N_VGetArrayPointer(out);
    d[0] = omega * x[1];
    d[1] = -omega * x[0];
    d[2] = self.u_ + x[0] / 2;
    d[3] = self.variant_.lambda * (target - x[3]);
    return 0;
  }
  static int jacobian(realtype, N_Vector y, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
    auto& self = *static_cast<PeerPlant*>(user);
    const double* x = N_VGetArrayPointer(y);
    const double lambda = self.variant_.lambda;
    SUNMatZero(J);
    SM_ELEMENT_D(J, 0, 1) = omega;
    SM_ELEMENT_D(J, 1, 0) = -omega;
    SM_ELEMENT_D(J, 2, 0) = 0.5;
    SM_ELEMENT_D(J, 3, 0) = lambda * (self.variant_.excites_z ? 1 : x[2]);
    SM_ELEMENT_D(J, 3, 2) = self.variant_.excites_z ? 0 : lambda * x[0];
    SM_ELEMENT_D(J, 3, 3) = -lambda;
    return 0;
  }
  static int guard(realtype, N_Vector y, realtype* value, void* user) {
    *value = N_VGetArrayPointer(y)[2] - static_cast<PeerPlant*>(user)->u_;
    return 0;
  }

  Variant variant_;
  double tolerance_, u_ = 1;
  long long count_ = 0;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* memory_ = nullptr;
};

Cost peer_cost(const Variant& variant, double tolerance) {
  Cost best = PeerPlant(variant, tolerance).run();
  for (int i = 0; i < 5; ++i) best.seconds = std::min(best.seconds, PeerPlant(variant, tolerance).run().seconds);
  return best;
}

std::string in_words(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
}

}  // namespace

void bench_restart(Report& report, const Wanted& wanted) {
  report.begin(
      "restart", "A relay with a fast state: what an event costs",
      fmt::format("a' = 5 b, b' = -5 a, x' = u + a/2, z' = λ (target - z); the relay u = +-1 switches where x reaches "
                  "+-1: {} events to t = {:g}. Slow: the target is a x, λ = 1e5; fast: the target is u + a, so that "
                  "events throw z off; not stiff: the slow one with λ = 1. Back: right-hand sides and steps after an "
                  "event until a step has 9/10 of the size of the last complete one before it, medians over the "
                  "events after which that happens before the next one. Event times against closed form. {}",
                  events_of_run, end_of_run, peers_note()),
      {"variant", "tolerance", "method", "f per event", "steps per event", "f back", "steps back", "events with",
       "largest error of an event time", "ms"});
  const std::vector<Variant> variants{{"slow", 1e5, false}, {"fast", 1e5, true}, {"not stiff", 1, false}};
  for (const Variant& variant : variants) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      if (wanted.is_quick && tolerance != 1e-6) continue;
      const auto row = [&](const std::string& method, const Cost& cost) {
        report.row({variant.name, fmt::format("{:.0e}", tolerance), method, in_words(cost.rhs), in_words(cost.steps),
                    in_words(cost.rhs_back), in_words(cost.steps_back),
                    fmt::format("{} / {}", cost.came_back, events_of_run),
                    cost.remark.empty() ? number(cost.event_error, 1) : cost.remark, milliseconds(cost.seconds)});
      };
      std::vector<std::string> methods{"radau-5", "radau-9", "rodas5p", "esdirk-5", "bdf"};
      if (variant.lambda == 1) methods.emplace_back("dormand-prince-5");
      for (const std::string& method : methods) row(method, our_cost(variant, method, tolerance));
      row("CVODE, its own root finder", peer_cost(variant, tolerance));
    }
  }
}

}  // namespace pawl::bench
