#include "report/report_facts.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "pawl/contact_family.hpp"
#include "pawl/version.hpp"
#include "report/fact_table.hpp"
#include "report/model_facts.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

FactTable run_facts(const Result& run) {
  FactTable facts("Run");
  const Statistics& s = run.statistics;
  facts.add("outcome", "{} at t = {:.10g}", to_string(run.outcome), run.t_end);
  facts.add("time", "{:.10g} to {:.10g}", run.t_start, run.t_end);
  facts.add("method", "{}", run.method);
  facts.add("states", "{}", run.state_names().size());
  facts.add("steps", "{} accepted, {} rejected", s.steps_accepted, s.steps_rejected);
  facts.add("step sizes", "{:.3g} to {:.3g}", s.min_step, s.max_step);
  facts.add("largest error estimate", "{:.3g} of the tolerance", s.largest_error_estimate);
  facts.add("right-hand sides", "{}", s.rhs);
  facts.add("computing time", "{:.3g} ms", 1e3 * s.wall_seconds);
  facts.add("made by", "pawl {}", version);
  return facts;
}

FactTable plan_facts(const Recommendation& plan) {
  FactTable facts("What was chosen, and why");
  const auto line = [&facts](const char* label, const Choice& choice) {
    if (!choice.value.empty())
      facts.add(label, "{} ({})", choice.value, choice.why.empty() ? "as you wish" : choice.why);
  };
  line("method", plan.method);
  line("when stiff", plan.when_stiff);
  line("many events", plan.when_frequent);
  line("rates", plan.field);
  line("linear solver", plan.solver);
  line("formulation", plan.formulation);
  line("stabilization", plan.stabilization);
  line("tolerance", plan.tolerance);
  line("events", plan.events);
  for (const Rejection& one : plan.rejected) facts.add("not", "{}: {}", one.what, one.why);
  return facts;
}

FactTable event_facts(const Result& run) {
  FactTable facts("Events");
  const EventStatistics& e = run.statistics.events;
  if (e.guards == 0 && run.events.empty()) return facts;
  facts.add("fired", "{}", e.events);
  facts.add("guards", "{}", e.guards);
  facts.add("evaluations of guards", "{} over ranges, {} at instants", e.guard_ranges, e.guard_points);
  facts.add("iterations to locate", "{}", e.iterations);
  if (e.micro_steps > 0) facts.add("micro steps", "{}", e.micro_steps);
  for (const Guarantee& one : e.guarantees) facts.add(one.guard, "{}", to_string(one.level));
  return facts;
}

/// What a family of contacts has done, which its impacts are too many to list for.
FactTable family_facts(const Result& run) {
  FactTable facts("Contacts of the family, counted");
  const int family = family_of(*run.declarations);
  if (family < 0) return facts;
  const FamilyState work = run.final()[ContactFamily{family}];
  facts.add("impacts", "{}, none listed among the events", work.impacts);
  facts.add("of them within the contact time", "{}, without a loss of energy", work.elastic);
  facts.add("energy that impacts and friction have taken", "{:.10g}", work.lost);
  facts.add("energy left when spheres fell asleep", "{:.10g}", work.lost_at_rest);
  facts.add("asleep at the end", "{} of {}; fell asleep {} times, woken {} times", work.asleep,
            work.family ? work.family->spheres.size() : 0, work.slept, work.woken);
  facts.add("times of contact computed", "{}", work.foreseen);
  return facts;
}

FactTable manifold_facts(const Result& run) {
  FactTable facts("Constraints");
  if (!run.statistics.constraints) return facts;
  const ConstraintStatistics& c = *run.statistics.constraints;
  facts.add("formulation", "{}", c.formulation);
  facts.add("stabilization", "{}", c.stabilization);
  if (!c.inertia.empty()) facts.add("inertia", "{}", c.inertia);
  facts.add("drift of positions", "{:.2e}", c.position_drift);
  facts.add("drift of speeds", "{:.2e}", c.velocity_drift);
  if (c.invariant_drift > 0) facts.add("drift of invariants", "{:.2e}", c.invariant_drift);
  facts.add("largest adjustment", "{:.2e}, {:.2g} of the tolerance", c.max_adjustment, c.max_adjustment_in_tolerance);
  facts.add("corrections", "{}, {} iterations, {} refactored", c.corrections, c.iterations, c.refactored);
  if (!c.redundant.empty()) facts.add("redundant", "{}", fmt::join(c.redundant, ", "));
  for (const auto& [constraint, t] : c.reached) facts.add("reached " + constraint, "t = {:.16g}", t);
  return facts;
}

FactTable implicit_facts(const Result& run) {
  FactTable facts("Implicit steps");
  if (!run.statistics.implicit) return facts;
  const ImplicitStatistics& i = *run.statistics.implicit;
  facts.add("Jacobians", "{} ({}), {} right-hand sides with duals", i.jacobians, i.jacobian, i.dual_rhs);
  facts.add("factorizations", "{} ({})", i.factorizations, i.linear_solver);
  facts.add("solves", "{}", i.solves);
  facts.add("Newton", "{} iterations, {} steps given up", i.iterations, i.divergences);
  for (const auto& [method, steps] : i.steps) facts.add("with " + method, "{} steps", steps);
  if (!i.structure.empty()) facts.add("structure", "{}", i.structure);
  return facts;
}

FactTable parameter_facts(const Result& run) {
  FactTable facts("Parameters and start");
  const System::Declarations& model = *run.declarations;
  const Held& held = *run.eras.front().held;
  for (std::size_t i = 0; i < model.parameter_names.size() && i < held.parameters.size(); ++i)
    facts.add(model.parameter_names[i], "{:.17g}", held.parameters[i]);
  for (std::size_t i = 0; i < run.start_state.size(); ++i)
    facts.add(run.state_names()[i] + " at the start", "{:.17g}", run.start_state[i]);
  return facts;
}

FactTable option_facts(const Options& o) {
  FactTable facts("Options");
  facts.add("start, end", "{:.17g}, {:.17g}", o.start, o.end);
  if (o.step)
    facts.add("fixed step", "{:.17g}", *o.step);
  else
    facts.add("relative tolerance", "{:g}", o.tolerance.relative);
  if (o.tolerance.absolute) facts.add("absolute tolerance", "{:g}", *o.tolerance.absolute);
  if (!o.tolerance.absolute_each.empty())
    facts.add("absolute tolerances", "{:g}", fmt::join(o.tolerance.absolute_each, ", "));
  facts.add("method", "{}", o.method);
  if (o.first_step) facts.add("first step", "{:g}", *o.first_step);
  if (std::isfinite(o.max_step)) facts.add("largest step", "{:g}", o.max_step);
  facts.add("events", "{}", o.events);
  if (o.event_tolerance > 0) facts.add("event tolerance", "{:g}", o.event_tolerance);
  if (o.concurrency_window > 0) facts.add("concurrency window", "{:g}", o.concurrency_window);
  facts.add("formulation", "{}", o.constraints.formulation);
  facts.add("stabilization", "{}", o.constraints.stabilization);
  facts.add("start off the manifold", "{}", o.constraints.start);
  facts.add("linear solver", "{}", o.implicit.linear_solver);
  facts.add("Jacobian", "{}", o.implicit.jacobian);
  return facts;
}

void add_verification(const Verification& v, Json& tables) {
  FactTable verdict("Verified by other runs");
  verdict.add("verdict", "{}", to_string(v.verdict));
  verdict.add("summary", "{}", v.summary);
  if (!v.advice.empty()) verdict.add("advice", "{}", v.advice);
  verdict.add("digits", "{:.2f} of {:.2f} wanted", v.digits, v.wanted_digits);
  if (v.t_parts) verdict.add("the runs part at", "t = {:.10g}", *v.t_parts);
  verdict.into(tables);
  for (const SecondRun& run : v.runs) {
    FactTable facts("Second run: " + run.what);
    facts.add("how", "{}", run.how);
    facts.add("why", "{}", run.why);
    facts.add("method", "{}", run.method);
    facts.add("outcome", "{} {}", to_string(run.outcome), run.reason);
    facts.add("digits", "{:.2f}, {:.2f} at the end", run.digits, run.digits_at_end);
    facts.add("events", "{} matched, {} missing, {} extra", run.matched, run.missing, run.extra);
    for (const Agreement& one : run.variables)
      facts.add(one.variable, "{:.2f} digits, {:.2f} at the end; worst at t = {:.6g}", one.digits, one.digits_at_end,
                one.t_worst);
    facts.into(tables);
  }
}

}  // namespace

Json report_facts(const Result& run, const ReportOptions& options) {
  Json tables = Json::array();
  run_facts(run).into(tables);
  if (options.verification != nullptr) add_verification(*options.verification, tables);
  plan_facts(run.plan).into(tables);
  event_facts(run).into(tables);
  family_facts(run).into(tables);
  manifold_facts(run).into(tables);
  implicit_facts(run).into(tables);
  parameter_facts(run).into(tables);
  if (options.run_options != nullptr) option_facts(*options.run_options).into(tables);
  for (nlohmann::ordered_json& one : model_facts(run)) tables.push_back(std::move(one));
  return tables;
}

}  // namespace pawl
