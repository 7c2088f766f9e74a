#include "problems/hybrid.hpp"

namespace pawl::problems {

// Each of three switches turns over where its own event function changes sign; only the third sees the time, the others
// see y2 and y3, which depend on the switches alone. At t = 1: (F,T,T) -> (F,T,F) -> (F,F,F) -> (T,F,F).
Problem event_cascade() {
  System cascade("event-cascade");
  const auto y1 = cascade.state("y1", 0);
  const auto s1 = cascade.discrete("s1", false), s2 = cascade.discrete("s2", true), s3 = cascade.discrete("s3", true);
  const auto y2 = [=](const auto& at) { return at[s2] ? -1.0 : 3.0; };
  const auto y3 = [=](const auto& at) { return at[s3] ? 0.0 : 2.0; };
  cascade.rates([=](const auto& at, auto& d) { d[y1] = at[s1] ? 1.0 : -1.0; });
  cascade.guard("y2 passes 1", [=](const auto& at) { return y2(at) - 1; }).then([=](Jump& jump) {
    jump[s1] = !jump.pre(s1);
  });
  cascade.guard("y3 passes 1", [=](const auto& at) { return 1 - y3(at); }).then([=](Jump& jump) {
    jump[s2] = !jump.pre(s2);
  });
  cascade.guard("t passes 1", [=](const auto& at) { return 1 - at.t; }).then([=](Jump& jump) {
    jump[s3] = !jump.pre(s3);
  });
  cascade.observable("y2", y2);
  cascade.observable("y3", y3);
  const auto reference = [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (!are_declared(values, cascade) || t < 0) return std::nullopt;
    return std::vector{t < 1 ? -t : t - 2};
  };
  const auto event_times = [=](const Values& values, double end) -> std::optional<std::vector<double>> {
    if (!are_declared(values, cascade)) return std::nullopt;
    return end < 1 ? std::vector<double>{} : std::vector<double>{1, 1, 1};
  };
  return {.summary = "three switches that turn over one after the other at t = 1",
          .kind = "hybrid ODE, event iteration",
          .source = "Assimulo, examples/cvode_with_disc.py",
          .system = cascade,
          .end = 10,
          .plot = "t,y1",
          .known_by = "closed form",
          .reference = reference,
          .event_times = event_times};
}

}  // namespace pawl::problems
