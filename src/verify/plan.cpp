#include "verify/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "integrate/methods.hpp"
#include "numerics/call_words.hpp"
#include "simulate/plan.hpp"

namespace pawl::verification {

namespace {

/// Below this relative tolerance a method only fights rounding.
double least_tolerance(const Method& method) {
  if (method.family == Family::multistep) return 1e-12;
  if (method.is_implicit()) return 1e-13;
  return 1e-14;
}

double relative_tolerance(const Options& options) {
  return options.tolerance.relative > 0 ? options.tolerance.relative : options.tolerance.absolute.value_or(1e-6);
}

/// Krylov iterations belong to multistep methods.
std::string without_krylov(const ImplicitOptions& options) {
  return std::string(to_string(detail::read_solver(options).kind));
}

/// All tolerances divided by the factor, but the relative one not below the least.
Tolerance tightened(Tolerance tolerance, double factor, double least) {
  if (tolerance.relative > 0) {
    const double relative = std::max(tolerance.relative / factor, least);
    factor = tolerance.relative / relative;
    tolerance.relative = relative;
  }
  if (tolerance.absolute) *tolerance.absolute /= factor;
  for (double& absolute : tolerance.absolute_each) absolute /= factor;
  return tolerance;
}

std::string in_words(const Options& options, const std::string& method) {
  if (options.step) return fmt::format("{}, fixed step {:g}", method, *options.step);
  return fmt::format("{}, relative tolerance {:g}", method, options.tolerance.relative);
}

/// What of the first run decides on the others.
struct FirstRun {
  const Method& method;
  bool is_dae, is_constrained, is_stiff, has_switched;
  double events_per_step;
};

/// The method that took the first step.
const Method& first_method(const Result& first) {
  const Recommendation& plan = first.plan;
  const bool was_stiff_at_once = !plan.when_stiff.value.empty() && first.statistics.implicit &&
                                 !first.statistics.implicit->steps.empty() &&
                                 first.statistics.implicit->steps.front().method != plan.method.value;
  return find_method(was_stiff_at_once ? plan.when_stiff.value : plan.method.value);
}

FirstRun look_at(const System::Declarations& model, const Options& options, const Result& first) {
  const Method& method = first_method(first);
  bool has_switched = false;
  if (first.statistics.implicit && is_auto(options.method) && !model.is_implicit()) {
    const auto& shares = first.statistics.implicit->steps;
    has_switched = std::any_of(shares.begin(), shares.end(),
                               [&](const auto& share) { return method.is_implicit() || share.method != method.name; });
  }
  const bool was_warned = std::any_of(first.messages.begin(), first.messages.end(),
                                      [](const Message& message) { return message.code == MessageCode::stiff; });
  const double steps = static_cast<double>(std::max(1LL, first.statistics.steps_accepted));
  return {.method = method,
          .is_dae = model.is_implicit(),
          .is_constrained = model.mechanics || model.port_hamiltonian,
          .is_stiff = has_switched || was_warned,
          .has_switched = has_switched,
          .events_per_step = static_cast<double>(first.statistics.events.events) / steps};
}

struct Other {
  std::string_view method;
  std::string why;
};

/// A method that shares as little as possible with the first: its formulas, its error estimate, its interpolation.
Other another_family(const FirstRun& first, double relative) {
  constexpr double often = 1.0 / 50;  // a multistep method starts anew after each event, with short steps
  const bool is_multistep = first.method.family == Family::multistep;
  if (first.is_dae) {
    return is_multistep
               ? Other{"radau", "one-step collocation beside a multistep method"}
               : Other{"bdf", "a multistep method beside a one-step method; the system is differential-algebraic"};
  }
  if (is_multistep && first.method.highest_index > 0)
    return {"radau", "one-step collocation beside a multistep method"};
  if (is_multistep || first.method.family == Family::predictor_corrector) {
    if (first.is_stiff) return {"radau", "one-step collocation beside a multistep method; the problem is stiff"};
    return {relative > 1e-8 ? "dop853" : "verner-9", "an explicit one-step method beside a multistep method"};
  }
  if (first.method.is_implicit()) return {"bdf", "a multistep method beside an implicit one-step method"};
  if (first.is_stiff) return {"bdf", "a multistep method beside one-step methods; the problem is stiff"};
  if (first.events_per_step > often)
    return {"radau", "implicit collocation beside an explicit method; events are too frequent for multistep methods"};
  return {"adams", "a multistep method beside an explicit one-step method; the problem is not stiff"};
}

Plan by_another_family(const Options& options, const FirstRun& first, double tighten) {
  const auto [name, why] = another_family(first, relative_tolerance(options) / tighten);
  Plan plan{.what = "another family", .how = {}, .why = why, .options = options};
  Options& with = plan.options;
  with.method = name;
  plan.least_tolerance = least_tolerance(find_method(name));
  with.tolerance = tightened(options.tolerance, tighten, plan.least_tolerance);
  with.step.reset();
  with.events = "certified";
  if (find_method(name).is_implicit() != first.method.is_implicit()) {
    with.constraints.formulation = with.constraints.stabilization = "auto";
  }
  with.implicit.linear_solver = without_krylov(with.implicit);
  plan.how = in_words(with, with.method);
  return plan;
}

Plan tighter(const Options& options, const FirstRun& first, double tighten) {
  Plan plan{.what = options.step ? "smaller step" : "tighter tolerance", .how = {}, .why = {}, .options = options};
  Options& with = plan.options;
  if (!first.has_switched) with.method = first.method.name;
  if (options.step) {
    with.step = *options.step / 2;
    plan.why = "half the step, the same method";
  } else {
    with.tolerance = tightened(options.tolerance, tighten, least_tolerance(first.method));
    if (with.tolerance.relative > 0 && with.tolerance.relative >= options.tolerance.relative)
      plan.obstacle = fmt::format("a relative tolerance of {:g} is as tight as '{}' can use",
                                  options.tolerance.relative, first.method.name);
    plan.why = first.has_switched ? "the same choice of methods, where the problem is stiff and where it is not"
                                  : "the same method";
  }
  plan.how = in_words(with, with.method);
  return plan;
}

Plan by_other_formulation(const Options& options, const FirstRun& first, double tighten) {
  Plan plan{.what = "other formulation", .how = {}, .why = {}, .options = options};
  Options& with = plan.options;
  with.constraints.formulation = with.constraints.stabilization = "auto";
  if (detail::read_start(options.constraints.start).policy == detail::AtStart::reach)
    plan.obstacle = "reach(...) belongs to the formulation sliding(s)";
  with.step.reset();
  with.events = "certified";
  with.implicit.linear_solver = without_krylov(with.implicit);
  if (first.method.is_implicit()) {
    with.method = "auto";
    with.constraints.formulation = "acceleration";
    plan.why = "accelerations on the manifold beside multipliers as unknowns";
  } else {
    with.method = "radau";
    with.constraints.formulation = "index-2";
    plan.why = "multipliers as unknowns beside accelerations on the manifold";
  }
  plan.least_tolerance = least_tolerance(find_method("radau"));
  with.tolerance = tightened(options.tolerance, tighten, plan.least_tolerance);
  plan.how = in_words(with, fmt::format("{}, formulation {}", with.method, with.constraints.formulation));
  return plan;
}

}  // namespace

std::vector<Plan> make_plans(const System& system, const Options& options, const Result& first,
                             const VerifyOptions& how) {
  const FirstRun seen = look_at(system.declarations(), options, first);
  std::vector<Plan> plans;
  if (how.another_family) plans.push_back(by_another_family(options, seen, how.tighten));
  if (how.tighter) plans.push_back(tighter(options, seen, how.tighten));
  if (how.other_formulation && seen.is_constrained) plans.push_back(by_other_formulation(options, seen, how.tighten));
  return plans;
}

std::optional<Plan> tightened_again(const Plan& plan, double factor) {
  if (plan.options.step || plan.options.tolerance.relative <= plan.least_tolerance) return std::nullopt;
  Plan again = plan;
  again.options.tolerance = tightened(plan.options.tolerance, factor, plan.least_tolerance);
  again.how = plan.how.substr(0, plan.how.rfind(", relative")) +
              fmt::format(", relative tolerance {:g}", again.options.tolerance.relative);
  again.why += fmt::format("; repeated, for with {:g} it was the odd one out", plan.options.tolerance.relative);
  return again;
}

double default_digits(const Options& options) {
  if (options.step) return 3;
  return std::max(1.0, -std::log10(relative_tolerance(options)) / 3);
}

std::vector<double> absolute_tolerances(const System::Declarations& model, const Tolerance& tolerance,
                                        std::size_t count) {
  const double usual = tolerance.absolute.value_or(tolerance.relative * 1e-3);
  std::vector<double> all = tolerance.absolute_each;
  all.resize(count, usual);
  if (!tolerance.absolute_each.empty()) return all;
  for (std::size_t i = 0; i < model.nominals.size() && !tolerance.absolute; ++i)
    if (model.nominals[i] > 0) all[i] = tolerance.relative * model.nominals[i];
  return all;
}

}  // namespace pawl::verification
