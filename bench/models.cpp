// Models as data beside hand-written lambdas: the same functor compiled, interpreted and as native code. Through
// Function, as a run calls it; "bound" is native code with its memory and held values at hand.
#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "pawl/model/native.hpp"
#include "pawl/model/rolled.hpp"
#include "pawl/model/trace.hpp"
#include "pawl/pawl.hpp"
#include "smooth_problems.hpp"
#include "suites.hpp"
#include "timing.hpp"

namespace pawl::bench {

namespace {

using model::Execution;
using model::GraphFunction;
using model::Native;
using model::Program;
using model::Traced;

/// Something of smooth_problems.hpp, for scalars and for tracing.
template <class Problem>
struct Generic {
  template <class At>
  struct Read {
    const At& at;
    auto operator[](int i) const { return at[State{i}]; }
  };
  template <class D>
  struct Write {
    D& d;
    auto& operator[](int i) { return d[State{i}]; }
  };
  template <class At, class D>
  void operator()(const At& at, D& d) const {
    Problem::rates(Read<At>{at}, Write<D>{d});
  }
};

struct Hires {
  template <class At, class D>
  void operator()(const At& at, D& d) const {
    const auto y = [&](int i) { return at[State{i}]; };
    const auto bound = 280 * y(5) * y(7);
    d[State{0}] = -1.71 * y(0) + 0.43 * y(1) + 8.32 * y(2) + 0.0007;
    d[State{1}] = 1.71 * y(0) - 8.75 * y(1);
    d[State{2}] = -10.03 * y(2) + 0.43 * y(3) + 0.035 * y(4);
    d[State{3}] = 8.32 * y(1) + 1.71 * y(2) - 1.12 * y(3);
    d[State{4}] = -1.745 * y(4) + 0.43 * y(5) + 0.43 * y(6);
    d[State{5}] = -bound + 0.69 * y(3) + 1.71 * y(4) - 0.43 * y(5) + 0.69 * y(6);
    d[State{6}] = bound - 1.81 * y(6);
    d[State{7}] = -bound + 1.81 * y(6);
  }
};

struct Pollu {
  template <class At, class D>
  void operator()(const At& at, D& d) const {
    const auto c = [&](int substance) { return at[State{substance - 1}]; };
    const auto r1 = 0.35 * c(1), r2 = 26.6 * c(2) * c(4), r3 = 12300 * c(5) * c(2), r4 = 0.86e-3 * c(7),
               r5 = 0.82e-3 * c(7), r6 = 15000 * c(7) * c(6), r7 = 0.13e-3 * c(9), r8 = 24000 * c(9) * c(6),
               r9 = 16500 * c(11) * c(2), r10 = 9000 * c(11) * c(1), r11 = 0.022 * c(13), r12 = 12000 * c(10) * c(2),
               r13 = 1.88 * c(14), r14 = 16300 * c(1) * c(6), r15 = 4.8e6 * c(3), r16 = 0.35e-3 * c(4),
               r17 = 0.0175 * c(4), r18 = 1e8 * c(16), r19 = 0.444e12 * c(16), r20 = 1240 * c(17) * c(6),
               r21 = 2.1 * c(19), r22 = 5.78 * c(19), r23 = 0.0474 * c(1) * c(4), r24 = 1780 * c(19) * c(1),
               r25 = 3.12 * c(20);
    const auto rate = [&](int substance) -> auto& {
      return d[State{substance - 1}];
    };
    rate(1) = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
    rate(2) = -r2 - r3 - r9 - r12 + r1 + r21;
    rate(3) = -r15 + r1 + r17 + r19 + r22;
    rate(4) = -r2 - r16 - r17 - r23 + r15;
    rate(5) = -r3 + 2 * r4 + r6 + r7 + r13 + r20;
    rate(6) = -r6 - r8 - r14 - r20 + r3 + 2 * r18;
    rate(7) = -r4 - r5 - r6 + r13;
    rate(8) = r4 + r5 + r6 + r7;
    rate(9) = -r7 - r8;
    rate(10) = -r12 + r7 + r9;
    rate(11) = -r9 - r10 + r8 + r11;
    rate(12) = r9;
    rate(13) = -r11 + r10;
    rate(14) = -r13 + r12;
    rate(15) = r14;
    rate(16) = -r18 - r19 + r16;
    rate(17) = -r20;
    rate(18) = r20;
    rate(19) = -r21 - r22 - r24 + r23 + r25;
    rate(20) = -r25 + r24;
  }
};

// The two-stage transistor amplifier of the catalogue as eight equations.
struct Amplifier {
  template <class At, class Out>
  void operator()(const At& at, Out& out) const {
    constexpr double Ub = 6, Uf = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000;
    const auto y = [&](int i) { return at[State{i - 1}]; };
    const auto slope = [&](int a, int b, double C) { return C * (at[dot(State{b - 1})] - at[dot(State{a - 1})]); };
    const auto input = 0.1 * sin(200 * std::numbers::pi * at.t);
    const auto first = beta * (exp((y(2) - y(3)) / Uf) - 1), second = beta * (exp((y(5) - y(6)) / Uf) - 1);
    const auto s1 = slope(1, 2, 1e-6), s3 = slope(4, 5, 3e-6), s5 = slope(7, 8, 5e-6);
    out[0] = s1 - (y(1) - input) / R0;
    out[1] = -s1 - (y(2) / R + (y(2) - Ub) / R + (1 - alpha) * first);
    out[2] = -2e-6 * at[dot(State{2})] - (y(3) / R - first);
    out[3] = s3 - ((y(4) - Ub) / R + alpha * first);
    out[4] = -s3 - (y(5) / R + (y(5) - Ub) / R + (1 - alpha) * second);
    out[5] = -4e-6 * at[dot(State{5})] - (y(6) / R - second);
    out[6] = s5 - ((y(7) - Ub) / R + alpha * second);
    out[7] = -s5 - y(8) / R;
  }
};

struct Brusselator {
  int points;
  Parameter alpha;

  template <class At, class D>
  void operator()(const At& at, D& d) const {
    using T = std::decay_t<decltype(at[State{0}])>;
    const auto diffusion = at[alpha] * (points + 1.0) * (points + 1.0);
    T u_left = 1, v_left = 3, u = at[State{0}], v = at[State{1}];
    for (int i = 0; i < points; ++i) {
      const bool is_last = i + 1 == points;
      const T u_right = is_last ? T(1) : T(at[State{2 * i + 2}]), v_right = is_last ? T(3) : T(at[State{2 * i + 3}]);
      const T reaction = sqr(u) * v;
      d[State{2 * i}] = 1 + reaction - 4 * u + diffusion * (u_left - 2 * u + u_right);
      d[State{2 * i + 1}] = 3 * u - reaction + diffusion * (v_left - 2 * v + v_right);
      u_left = u, v_left = v, u = u_right, v = v_right;
    }
  }
};

// Stages with exponentials and divisions, each coupled to its neighbour.
struct Stages {
  int count;

  template <class At, class D>
  void operator()(const At& at, D& d) const {
    for (int i = 0; i < count; ++i) {
      const auto base = at[State{i}], left = at[State{i > 0 ? i - 1 : count - 1}];
      const auto current = 1e-6 * (exp((base - left) / 0.026) - 1);
      d[State{i}] = (left - base) / 9000 - 0.01 * current + base / (1 + sqr(left));
    }
  }
};

struct Case {
  std::string name;
  System hand, interpreted, native;
  Traced traced;
  Options options;
};

template <class F>
Case case_of(std::string name, System system, F f, Options options) {
  options.keep = Keep::end;
  Case made{std::move(name), system, system, system, model::trace_rates(system, f), std::move(options)};
  made.hand.rates(f);
  made.interpreted.rates(made.traced.function(Execution::interpreted));
  made.native.rates(made.traced.function());
  return made;
}

template <class Problem>
System smooth_system() {
  System system(Problem::name);
  for (int i = 0; i < Problem::size; ++i)
    system.state(fmt::format("x{}", i), Problem::start[static_cast<std::size_t>(i)]);
  return system;
}

// Equations instead of rates: for whole runs alone.
Case amplifier() {
  System circuit("amplifier");
  circuit.states("y", {0, 3, 3, 6, 3, 3, 6, 0});
  Case made{"amplifier",
            circuit,
            circuit,
            circuit,
            model::trace(circuit, 8, Amplifier{}),
            {.end = 0.2, .tolerance = 1e-7, .keep = Keep::end}};
  made.hand.equations("nodes", 8, Amplifier{});
  made.interpreted.equations("nodes", 8, made.traced.function(Execution::interpreted));
  made.native.equations("nodes", 8, made.traced.function());
  return made;
}

Case brusselator(int n, double end) {
  System reactor("brusselator");
  const int points = n / 2;
  for (int i = 1; i <= points; ++i) {
    reactor.state(fmt::format("u{}", i), 1 + std::sin(2 * std::numbers::pi * i / (points + 1)));
    reactor.state(fmt::format("v{}", i), 3);
  }
  const auto alpha = reactor.parameter("alpha", 0.02);
  return case_of(fmt::format("brusselator {}", n), reactor, Brusselator{points, alpha},
                 {.end = end, .tolerance = 1e-6});
}
Case stages(int count) {
  System system("stages");
  for (int i = 0; i < count; ++i) system.state(fmt::format("x{}", i), 0.3 + 0.01 * std::sin(i));
  return case_of(fmt::format("stages {}", count), system, Stages{count}, {.end = 1e-3, .tolerance = 1e-6});
}
std::vector<Case> small_cases() {
  std::vector<Case> cases;
  cases.push_back(case_of("lorenz", smooth_system<Lorenz>(), Generic<Lorenz>{}, {.end = 10, .tolerance = 1e-9}));
  cases.push_back(case_of("pleiades", smooth_system<Pleiades>(), Generic<Pleiades>{}, {.end = 3, .tolerance = 1e-9}));
  System plant("hires");
  plant.states("y", {1, 0, 0, 0, 0, 0, 0, 0.0057});
  cases.push_back(case_of("hires", plant, Hires{}, {.end = 321.8122, .tolerance = 1e-8}));
  System air("pollu");
  std::vector<double> start(20, 0.0);
  start[1] = 0.2, start[3] = 0.04, start[6] = 0.1, start[7] = 0.3, start[8] = 0.01, start[16] = 0.007;
  air.states("y", start);
  cases.push_back(case_of("pollu", air, Pollu{}, {.end = 60, .tolerance = 1e-8}));
  cases.push_back(brusselator(200, 10));
  return cases;
}

// Numbers and gradients at one point of a model, evaluated as a run does.
template <class T>
struct Evaluation {
  std::vector<T> x, out;
  std::vector<double> parameters;
  Held held;
  detail::Surroundings<T> around;

  explicit Evaluation(const System& system) : held(Values(system).held()) {
    const Values values(system);
    const std::vector<double> start = values.start();
    parameters = values.parameters();
    for (std::size_t i = 0; i < start.size(); ++i) {
      x.push_back(T(start[i]));
      if constexpr (!std::is_same_v<T, double>) x.back().slope[i % 8] = 1;
    }
    out.resize(x.size());
    around.held = &held;
  }
  Job job(const System& system) {
    return [this, f = system.declarations().rates] {
      f(Point<T>(T(0.0), x.data(), parameters.data(), &around), out.data());
    };
  }
  Job bound(const Traced& traced) {
    const auto program = std::make_shared<Program>(*traced.graph, traced.outputs);
    const std::shared_ptr<const Native<T>> native = Native<T>::make(*traced.graph, traced.outputs);
    if (!native) return [] {};
    auto h = std::make_shared<std::vector<double>>(program->held());
    for (const model::Load& load : program->held_loads())
      (*h)[static_cast<std::size_t>(load.slot)] = parameters[static_cast<std::size_t>(load.index)];
    program->run_held(h->data());
    auto m = std::make_shared<std::vector<T>>(static_cast<std::size_t>(native->moving_size()) + 1);
    return [this, native, h, m] { native->run(m->data(), h->data(), x.data(), out.data()); };
  }
};

std::string nanoseconds(double seconds) {
  return fmt::format("{:.1f}", 1e9 * seconds);
}
std::string ratio(double a, double b) {
  return fmt::format("{:.2f}", a / b);
}

template <class T>
void compare_evaluations(Report& report, const Case& one, const char* scalar, double most, int rounds) {
  Evaluation<T> at(one.hand);
  const auto t =
      time_in_turn({at.job(one.hand), at.job(one.interpreted), at.job(one.native), at.bound(one.traced)}, rounds, 2e-3);
  report.row({one.name, scalar, nanoseconds(t[0]), nanoseconds(t[1]), ratio(t[1], t[0]), nanoseconds(t[2]),
              ratio(t[2], t[0]), nanoseconds(t[3]), ratio(t[3], t[0])});
  report.expect(t[2] <= most * t[0] || t[3] <= most * t[0],
                fmt::format("{} with {}: native code within {} of the lambda", one.name, scalar, most));
}

}  // namespace

void bench_model_evaluations(Report& report, const Wanted& wanted) {
  report.begin("evaluations", {}, "Nanoseconds per evaluation of the rates, and over those of the lambda.",
               {"model", "scalar", "lambda", "interpreted", "ratio", "native", "ratio", "bound", "ratio"});
  const int rounds = wanted.is_quick ? 3 : 25;
  for (const Case& one : small_cases()) {
    compare_evaluations<double>(report, one, "double", 1.5, rounds);
    compare_evaluations<Gradient>(report, one, "Dual<8>", 0.6, rounds);
  }
}

void bench_model_runs(Report& report, const Wanted& wanted) {
  report.begin("runs", {}, "Milliseconds per run and over those with the lambda; final states are equal in every bit.",
               {"model", "lambda", "interpreted", "ratio", "native", "ratio"});
  std::vector<Case> cases = small_cases();
  cases.push_back(amplifier());
  if (!wanted.is_quick) cases.push_back(brusselator(10000, 1));
  for (const Case& one : cases) {
    const auto run = [&](const System& system) { return [&] { simulate(system, one.options); }; };
    const auto t = time_in_turn({run(one.hand), run(one.interpreted), run(one.native)}, wanted.is_quick ? 3 : 12);
    const auto milliseconds = [](double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); };
    report.row(
        {one.name, milliseconds(t[0]), milliseconds(t[1]), ratio(t[1], t[0]), milliseconds(t[2]), ratio(t[2], t[0])});
    const std::vector<double> expected = simulate(one.hand, one.options).final().states();
    for (const System* system : {&one.interpreted, &one.native})
      report.expect(simulate(*system, one.options).final().states() == expected, one.name + ": equal final states");
  }
}

void bench_model_loops(Report& report, const Wanted& wanted) {
  report.begin("loops", {}, "Repeated rows: nanoseconds per evaluation with numbers, bytes of code.",
               {"model", "lambda", "straight", "ratio", "over lanes", "ratio", "loop", "ratio", "bytes straight",
                "bytes of the loop"});
  std::vector<Case> cases{brusselator(wanted.is_quick ? 2000 : 10000, 1), stages(1250)};
  for (const Case& one : cases) {
    Evaluation<double> at(one.hand);
    const auto native = Native<double>::make(*one.traced.graph, one.traced.outputs);
    const model::Rolled rolled(*one.traced.graph, one.traced.outputs,
                               model::roll(*one.traced.graph, one.traced.outputs), true);
    const auto t = time_in_turn({at.job(one.hand), at.bound(one.traced), at.job(one.interpreted), at.job(one.native)},
                                wanted.is_quick ? 3 : 25);
    report.row({one.name, nanoseconds(t[0]), nanoseconds(t[1]), ratio(t[1], t[0]), nanoseconds(t[2]), ratio(t[2], t[0]),
                nanoseconds(t[3]), ratio(t[3], t[0]), native ? fmt::format("{}", native->size()) : "-",
                fmt::format("{}", rolled.size())});
  }
}

void bench_model_latency(Report& report, const Wanted& wanted) {
  report.begin("latency", {}, "Milliseconds from a graph to what runs, and a sparse Jacobian beside one pass of duals.",
               {"model", "states", "program", "native", "native, duals", "search for loops", "Jacobian derived",
                "entries", "ns of the Jacobian", "ns of a dual pass"});
  std::vector<Case> cases = small_cases();
  cases.push_back(stages(200));
  if (!wanted.is_quick) cases.push_back(stages(5000));
  for (const Case& one : cases) {
    const model::Graph& graph = *one.traced.graph;
    const std::vector<int>& outputs = one.traced.outputs;
    model::Graph derived = graph;
    std::vector<int> entries;
    for (const model::Entry& entry : derived.jacobian(outputs, model::Op::state)) entries.push_back(entry.node);
    Evaluation<double> at(one.hand);
    Evaluation<Gradient> duals(one.hand);
    at.out.resize(entries.size());
    const Traced jacobian{std::make_shared<model::Graph>(derived), entries};
    const auto t = time_in_turn({[&] { Program(graph, outputs); }, [&] { Native<double>::make(graph, outputs); },
                                 [&] { Native<Gradient>::make(graph, outputs); }, [&] { model::roll(graph, outputs); },
                                 [&] {
                                   model::Graph copy = graph;
                                   copy.jacobian(outputs, model::Op::state);
                                 },
                                 at.bound(jacobian), duals.job(one.hand)},
                                wanted.is_quick ? 2 : 10);
    const auto milliseconds = [](double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); };
    report.row({one.name, fmt::format("{}", outputs.size()), milliseconds(t[0]), milliseconds(t[1]), milliseconds(t[2]),
                milliseconds(t[3]), milliseconds(t[4]), fmt::format("{}", entries.size()), nanoseconds(t[5]),
                nanoseconds(t[6])});
  }
}

}  // namespace pawl::bench
