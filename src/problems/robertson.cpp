#include "problems/constrained.hpp"
#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

// y1 -> y2 slowly, y2 + y2 -> y3 + y2 very fast, y2 + y3 -> y1 + y3 fast. The third rate follows from a sum that
// stays, so it may be written as an equation. y1 and y2 shrink over 14 decades of time; their nominal sizes are those
// near the second event.
Problem with(bool has_equation) {
  System reactor(has_equation ? "robertson-dae" : "robertson");
  const auto y1 = reactor.state("y1", 1), y2 = reactor.state("y2", 0), y3 = reactor.state("y3", 0);
  reactor.nominal(y1, 1e-4);
  reactor.nominal(y2, 1e-9);
  const auto slow = reactor.parameter("k1", 0.04), fastest = reactor.parameter("k2", 3e7),
             fast = reactor.parameter("k3", 1e4);
  reactor.rates([=](const auto& at, auto& d) {
    const auto forward = at[slow] * at[y1] - at[fast] * at[y2] * at[y3], made = at[fastest] * sqr(at[y2]);
    d[y1] = -forward;
    d[y2] = forward - made;
    if (!has_equation) d[y3] = made;
  });
  if (has_equation) reactor.equation("all reactants", [=](const auto& at) { return at[y1] + at[y2] + at[y3] - 1; });
  reactor.guard("y3 reaches 0.01", [=](const auto& at) { return at[y3] - 0.01; }).rising();
  reactor.guard("y1 falls to 1e-4", [=](const auto& at) { return at[y1] - 1e-4; }).falling();

  const auto state = [](double first, double second) {
    return std::vector{first, second, static_cast<double>(1 - Real(first) - Real(second))};
  };
  const auto reference = known_at(reactor, {{0.4, state(0.98517211386098986242, 3.3863953789749041364e-05)},
                                            {40, state(0.71582706871940509047, 9.1855347645577639039e-06)},
                                            {4e10, state(5.2083451767992391988e-08, 2.0833381779254890350e-13)},
                                            {1e11, state(0.2083340149701255e-7, 0.8333360770334713e-13)}});
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, reactor)) return std::nullopt;
    std::vector<double> times;
    for (const double time : {0.26401907818763256315, 2.0795496883026623256e+07}) {
      if (time <= end) times.push_back(time);
    }
    return times;
  };
  return {.summary = has_equation ? "Robertson's reactions, the third reactant from their sum; two thresholds passed"
                                  : "Robertson's reactions over 11 decades of time; two thresholds passed",
          .kind = has_equation ? "DAE, index 1, stiff, events" : "stiff ODE, events",
          .source = "Robertson, in Walsh (ed.), Numerical Analysis (1966) 178; thresholds of the SUNDIALS examples",
          .system = reactor,
          .end = 4e10,
          .plot = "t,y1",
          .known_by =
              "113-bit Radau IIA of order 11 at t = 0.4, 40, 4e10 and for the events; Test Set for IVP Solvers "
              "at 1e11 (14 digits)",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace

Problem robertson() {
  return with(false);
}

Problem robertson_dae() {
  return with(true);
}

}  // namespace pawl::problems
