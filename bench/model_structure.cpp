// Models as data: from flat equations to what runs, and the way to the smallest of functions.
#include <fmt/format.h>

#include "ladder.hpp"
#include "pawl/model/trace.hpp"
#include "pawl/pawl.hpp"
#include "suites.hpp"
#include "timing.hpp"

namespace pawl::bench {

void bench_model_structure(Report& report, const Wanted& wanted) {
  report.begin("structure", {},
               "An RC-diode ladder, flattened, 18 equations per section: milliseconds from equations to a System with "
               "native code; in another order of the rows; a run to t = 1 with radau at 1e-6.",
               {"equations", "aliases", "solved", "states", "build", "ns per equation", "shuffled", "run"});
  std::vector<int> sizes{50, 555};
  if (!wanted.is_quick) sizes.push_back(5555);
  for (const int sections : sizes) {
    const model::Model ladder = model::ladder(sections), shuffled = model::ladder(sections, 1);
    model::BuildReport found;
    const System system = ladder.build({}, &found);
    const auto t =
        time_in_turn({[&] { ladder.build(); }, [&] { shuffled.build(); },
                      [&] { simulate(system, {.end = 1, .tolerance = 1e-6, .method = "radau", .keep = Keep::end}); }},
                     wanted.is_quick ? 2 : 7, 1e-3);
    const auto milliseconds = [](double seconds) { return fmt::format("{:.2f}", 1e3 * seconds); };
    report.row({fmt::format("{}", found.equations), fmt::format("{}", found.aliases), fmt::format("{}", found.solved),
                fmt::format("{}", found.states), milliseconds(t[0]),
                fmt::format("{:.0f}", 1e9 * t[0] / found.equations), milliseconds(t[1]), milliseconds(t[2])});
    report.expect(found.states == sections && found.algebraic == 0,
                  fmt::format("{} sections keep their capacitors alone", sections));
  }
}

namespace {

// A guard as the event layer calls it, with numbers.
struct GuardCall {
  Function g;
  std::vector<double> x{1.0, 2.0};
  Held held;
  detail::Surroundings<double> around;
  double out = 0;

  GuardCall(Function function, const System& system) : g(std::move(function)), held(Values(system).held()) {
    around.held = &held;
  }
  void operator()() { g(Point<double>(0.0, x.data(), held.parameters.data(), &around), &out); }
};

}  // namespace

void bench_model_guard(Report& report, const Wanted& wanted) {
  report.begin("guard", {}, "Nanoseconds per call of a guard with numbers.",
               {"guard", "lambda", "interpreted", "native"});
  System ball("ball");
  const auto height = ball.state("height", 1), speed = ball.state("speed", 0);
  const auto compare = [&](const char* name, auto g) {
    const model::Traced traced = model::trace(ball, g);
    GuardCall hand(Function::guard(g), ball),
        interpreted(Function::guard(traced.function(model::Execution::interpreted)), ball),
        native(Function::guard(traced.function()), ball);
    constexpr int calls = 1000;  // so that a call of the job does not count
    const auto many = [](GuardCall& call) {
      return [&call] {
        for (int i = 0; i < calls; ++i) call();
      };
    };
    const auto t = time_in_turn({many(hand), many(interpreted), many(native)}, wanted.is_quick ? 3 : 25);
    const auto nanoseconds = [](double seconds) { return fmt::format("{:.1f}", 1e9 * seconds / calls); };
    report.row({name, nanoseconds(t[0]), nanoseconds(t[1]), nanoseconds(t[2])});
  };
  compare("height", [=](const auto& at) { return at[height]; });
  compare("height + 0.1 speed", [=](const auto& at) { return at[height] + 0.1 * at[speed]; });
  compare("sin(height) + speed^2", [=](const auto& at) { return sin(at[height]) + sqr(at[speed]); });
}

}  // namespace pawl::bench
