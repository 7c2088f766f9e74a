#include "simulate/choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formulate/formulation.hpp"
#include "numerics/nearest_name.hpp"
#include "stabilize/stabilizer.hpp"

namespace pawl {

std::string_view to_string(ModelKind kind) {
  switch (kind) {
    case ModelKind::rates:
      return "ordinary differential equations";
    case ModelKind::invariants:
      return "ordinary differential equations with invariants";
    case ModelKind::mechanics:
      return "mechanism";
    case ModelKind::port_hamiltonian:
      return "port-Hamiltonian system";
    case ModelKind::equations:
      return "differential-algebraic equations";
  }
  return "?";
}

namespace detail {

namespace {

constexpr int large = 1000;  // states, from which on matrices are large and sparse

double relative_tolerance(const Options& options) {
  return options.tolerance.relative > 0 ? options.tolerance.relative : options.tolerance.absolute.value_or(1e-6);
}

bool has_manifold(ModelKind kind) {
  return kind != ModelKind::rates && kind != ModelKind::equations;
}

class Deliberation {
 public:
  Deliberation(const Facts& facts, const Options& options)
      : facts_(facts), options_(options), relative_(relative_tolerance(options)) {}

  Recommendation result() {
    choose_method();
    choose_formulation();
    choose_tolerance();
    return std::move(result_);
  }

 private:
  void reject(std::string what, std::string why) { result_.rejected.push_back({std::move(what), std::move(why)}); }

  /// Few stages and no iteration while the tolerance is loose, the orders of Radau below; for large sparse systems at
  /// usual tolerances one real matrix and few solves (docs/benchmarks.md).
  Choice stiff_method() {
    if (facts_.kind != ModelKind::equations && facts_.states >= large && relative_ > 1e-7)
      return {"bdf", fmt::format("{} states: one real matrix and one solve per step", facts_.states)};
    const bool allows_rosenbrock = facts_.kind == ModelKind::equations
                                       ? facts_.allows_rosenbrock && !options_.step
                                       : facts_.kind == ModelKind::rates && facts_.has_exact_rates;
    if (relative_ >= 1e-4 && allows_rosenbrock)
      return {"rodas5p", fmt::format("tolerance {:g}: six stages without iteration", relative_)};
    if (relative_ >= 1e-4)
      reject("rodas5p", "a Rosenbrock method needs exact derivatives, a constant mass matrix and an index below 2");
    return {"radau", fmt::format("tolerance {:g}: orders 5, 9 and 13, step by step", relative_)};
  }

  /// The higher the wanted accuracy, the higher the order that pays (docs/benchmarks.md). Between, dop853: its dense
  /// output is cheaper than that of verner-7, and results keep their polynomials unless told otherwise. On a manifold
  /// the dense output comes from its ends, and each evaluation is dear: tsitouras-papakostas-8 needs the fewest.
  Choice explicit_method() const {
    const char* name = relative_ > 1e-5 ? "tsitouras-5" : relative_ > 1e-8 ? "dop853" : "verner-9";
    if (has_manifold(facts_.kind)) name = relative_ > 1e-9 ? "tsitouras-papakostas-8" : "verner-9";
    return {name, fmt::format("tolerance {:g}", relative_)};
  }

  void choose_method() {
    if (options_.method != "auto") {
      result_.method = {find_method(options_.method).name, {}};
    } else if (facts_.kind == ModelKind::equations) {
      result_.method = {stiff_method().value, "the system is differential-algebraic"};
      reject("explicit methods", "they are for x' = f(t, x)");
    } else if (options_.step) {
      result_.method = {"rk4", "a fixed step is given"};
    } else if (has_manifold(facts_.kind) &&
               formulate::parse_formulation(options_.constraints.formulation).is_implicit()) {
      result_.method = {"radau",
                        fmt::format("formulation {} is for implicit methods", options_.constraints.formulation)};
    } else if (facts_.kind == ModelKind::port_hamiltonian && facts_.constraint_rows > 0 && !facts_.has_events &&
               options_.constraints.formulation == "auto" && options_.events == "certified") {
      // One evaluation of explicit rates costs about three residuals (`pawl-bench auto --all`).
      result_.method = {"radau",
                        "constraints of a port-Hamiltonian system: its residual needs first derivatives of the energy, "
                        "explicit rates the second ones and a solve at every stage"};
      reject(explicit_method().value, "dearer stages; pays where events restart every few steps");
    } else {
      choose_by_stiffness();
    }
  }

  /// What an implicit step costs, in evaluations of the right-hand side: 3 stages with two or three iterations, and its
  /// share of a Jacobian (sweeps of 8 directions) and of the factors.
  double implicit_cost() const { return 8 + facts_.states / 6.0; }

  void choose_by_stiffness() {
    result_.method = explicit_method();
    if (facts_.measured && facts_.measured->accurate_step > 0) {
      const MeasuredFacts& measured = *facts_.measured;
      const Method& method = find_method(result_.method.value);
      const double h = measured.accurate_step, limit = method.stability_limit;
      const double stable = limit / std::max(measured.fastest_rate, 1e-300);
      // Explicit steps that stability wants where accuracy wants one.
      const double steps = h / stable;
      const std::string sizes =
          fmt::format("accuracy allows steps of {:.2g}, stability of {} steps of {:.2g}", h, method.name, stable);
      if (steps > 1 && steps * method.stages > implicit_cost()) {
        reject(method.name,
               fmt::format("stability, not accuracy, would limit its steps: {:.2g} instead of {:.2g}", stable, h));
        result_.method = {stiff_method().value,
                          fmt::format("stiff: {}: {:.3g} explicit evaluations against about {:.2g} implicit ones",
                                      sizes, steps * method.stages, implicit_cost())};
        return;
      }
      result_.method.why += fmt::format("; not stiff: {}", sizes);
    }
    // Published event finders bring their own steps; what they are compared with must not change its method.
    if (options_.events != "certified")
      reject("a change of method on the way", fmt::format("event finder {} brings its own steps", options_.events));
    else
      result_.when_stiff = stiff_method();
  }

  /// IDA takes no pull inside a step, so it gets both levels of the constraints in its equations, but for tolerances at
  /// which its start is lost in rounding, and for large systems, whose matrices fill up; diagonally implicit methods
  /// lose their order on index 2; Adams methods are for x' = f alone.
  Choice implicit_formulation(const Method& method) {
    if (facts_.kind == ModelKind::invariants) return {"acceleration", "invariants have no multipliers"};
    if (method.name == "bdf" && relative_ > 1e-8 && facts_.states <= 100 && facts_.kind == ModelKind::mechanics)
      return {"stabilized-index-2", "bdf takes no pull inside a step: both levels are among its equations"};
    if (method.family == "diagonally implicit Runge-Kutta")
      return {"index-1", "diagonally implicit methods lose their order on index 2"};
    if (method.name == "adams") return {"acceleration", "adams is for x' = f(t, x)"};
    if (facts_.constraint_rows == 0) return {"index-2", "there are no constraints: the equations as they stand"};
    reject("index-3", "speeds of a lower order, matrices that lose digits as 1/h²");
    return {"index-2", "the multipliers are unknowns of the step, and positions are pulled at its end"};
  }

  void choose_formulation() {
    if (!has_manifold(facts_.kind)) return;
    const Method& method = find_method(result_.method.value);
    const ConstraintOptions& wanted = options_.constraints;
    if (wanted.formulation != "auto")
      result_.formulation = {wanted.formulation, {}};
    else if (wanted.start.starts_with("reach"))
      result_.formulation = {"sliding(10)", "surfaces are reached by switching"};
    else if (method.is_implicit())
      result_.formulation = implicit_formulation(method);
    else
      result_.formulation = {"acceleration", "explicit steps: accelerations and multipliers from one solve per stage"};
    const auto chosen =
        stabilize::choose_stabilization(wanted.stabilization, formulate::parse_formulation(result_.formulation.value));
    result_.stabilization = {
        chosen.stabilization.words.empty() ? chosen.stabilization.name : chosen.stabilization.words, chosen.why};
  }

  void choose_tolerance() {
    if (options_.step) {
      result_.tolerance = {fmt::format("fixed step {:g}", *options_.step), {}};
      return;
    }
    const Tolerance& wanted = options_.tolerance;
    result_.tolerance.value = fmt::format("relative {:g}", wanted.relative);
    if (!wanted.absolute_each.empty())
      result_.tolerance.value += ", absolute per state";
    else
      result_.tolerance.value += fmt::format(", absolute {:g}", wanted.absolute.value_or(1e-3 * wanted.relative));
    if (wanted.absolute_each.empty() && !wanted.absolute)
      result_.tolerance.why = "absolute: a thousandth of the relative one, times the nominal size of the state";
  }

  const Facts& facts_;
  const Options& options_;
  const double relative_;
  Recommendation result_;
};

}  // namespace

Facts facts_of(const System::Declarations& model) {
  Facts facts;
  facts.kind = model.is_implicit()         ? ModelKind::equations
               : model.mechanics           ? ModelKind::mechanics
               : model.port_hamiltonian    ? ModelKind::port_hamiltonian
               : !model.invariants.empty() ? ModelKind::invariants
                                           : ModelKind::rates;
  facts.states = static_cast<int>(model.state_names.size());
  facts.constraint_rows = static_cast<int>(model.constraint_names.size());
  facts.contacts = model.mechanics ? static_cast<int>(model.mechanics->contacts.size()) : 0;
  facts.has_events = model.has_events() || facts.contacts > 0;
  facts.has_exact_rates = model.rates.supports<Gradient>();
  return facts;
}

Recommendation recommend(const Facts& facts, const Options& options) {
  return Deliberation(facts, options).result();
}

void check_choice(const Method& method, const Options& options) {
  const ImplicitOptions& implicit = options.implicit;
  const std::vector<std::string> solvers{"auto", "dense", "band", "sparse", "krylov"};
  if (std::find(solvers.begin(), solvers.end(), implicit.linear_solver) == solvers.end())
    throw Misuse(fmt::format("unknown linear solver '{}'{} (auto, dense, band, sparse, krylov)", implicit.linear_solver,
                             did_you_mean(implicit.linear_solver, solvers)));
  if (implicit.jacobian != "auto" && implicit.jacobian != "differences")
    throw Misuse(fmt::format("jacobian '{}': expected auto or differences", implicit.jacobian));
  if (implicit.linear_solver == "krylov" && method.family != "multistep (SUNDIALS)")
    throw Misuse(fmt::format("linear solver 'krylov' belongs to the methods bdf and adams, not to '{}'", method.name));
}

}  // namespace detail
}  // namespace pawl
