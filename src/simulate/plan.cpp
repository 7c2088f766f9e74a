#include "simulate/plan.hpp"

#include <algorithm>
#include <array>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "formulate/dae_form.hpp"
#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/mechanics.hpp"

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

using formulate::Scheme;

constexpr int in_one_sweep = 8;                // states whose second derivatives one evaluation with duals of duals has
constexpr int large = 1000;                    // states, from which on matrices are large and sparse
constexpr int largest_field = 200;             // unknowns, of equations of index 3
constexpr int largest_field_of_index_2 = 100;  // the same of index 2, for methods that do not keep their order there

double relative_tolerance(const Options& options) {
  return options.tolerance.relative > 0 ? options.tolerance.relative : options.tolerance.absolute.value_or(1e-6);
}

bool has_manifold(ModelKind kind) {
  return kind != ModelKind::rates && kind != ModelKind::equations;
}

std::vector<double> reaching_rates(const CallWords& call, const std::string& words) {
  std::vector<double> rates;
  for (const std::string& word : call.arguments) {
    double rate = 0;
    if (!read_number(word, rate) || !(rate > 0))
      throw Misuse(fmt::format("start '{}': a reaching rate must be a number above zero, '{}' is not", words, word));
    rates.push_back(rate);
  }
  if (rates.empty()) throw Misuse("start 'reach' needs reaching rates, one per constraint or one for all: reach(0.1)");
  return rates;
}

class Deliberation {
 public:
  Deliberation(const Facts& facts, const Options& options)
      : facts_(facts), options_(options), relative_(relative_tolerance(options)) {}

  Plan result() {
    plan_.finder = &event::find_finder(options_.events);
    plan_.has_manifold = has_manifold(facts_.kind);
    check_constraint_options();
    choose_method();
    plan_.solver = read_solver(options_.implicit);
    if (plan_.solver.is_krylov && plan_.method.value->family != Family::multistep)
      throw Misuse(fmt::format("linear solver 'krylov' belongs to the methods bdf and adams, not to '{}'",
                               plan_.method.value->name));
    const StartWords start = read_start(options_.constraints.start);
    plan_.start = start.policy;
    if (plan_.has_manifold) choose_formulation(start);
    if (facts_.equations) {
      plan_.field = choose_field();
      choose_matrices();
    }
    return std::move(plan_);
  }

 private:
  /// In words, which take a while to make and are said of more than one method.
  const std::string& tolerance() {
    if (tolerance_.empty()) tolerance_ = fmt::format(FMT_COMPILE("tolerance {:g}"), relative_);
    return tolerance_;
  }

  void reject(std::string what, std::string why) { plan_.rejected.push_back({std::move(what), std::move(why)}); }

  bool leaves_constraints_open() const {
    const ConstraintOptions& wanted = options_.constraints;
    return is_auto(wanted.formulation) && is_auto(wanted.stabilization) && !wanted.pulls_samples;
  }

  /// Options that a model of this kind has no use for.
  void check_constraint_options() const {
    const ConstraintOptions& wanted = options_.constraints;
    if (plan_.has_manifold) return;
    const AtStart start = read_start(wanted.start).policy;
    const bool is_open = leaves_constraints_open();
    if (facts_.kind == ModelKind::equations) {
      if (is_open && start != AtStart::reach) return;  // its start has a policy and fixed states too
      throw Misuse(
          fmt::format("system '{}' is declared by equations, and integrated as they stand: formulation, "
                      "stabilization, reaching and pulled samples are for mechanisms, port-Hamiltonian systems "
                      "and invariants",
                      facts_.model));
    }
    if (!is_open || start != AtStart::project || !wanted.fixed.empty()) {
      throw Misuse(
          fmt::format("system '{}' has no constraints or invariants: formulation, stabilization, start, fixed "
                      "states and pulled samples do not apply",
                      facts_.model));
    }
  }

  /// Few stages and no iteration while the tolerance is loose, the orders of Radau below; for large sparse systems at
  /// usual tolerances one real matrix and few solves (docs/benchmarks.md).
  Decision<const Method*> stiff_method() {
    if (facts_.kind != ModelKind::equations && facts_.states >= large && relative_ > 1e-7)
      return {&find_method("bdf"), fmt::format("{} states: one real matrix and one solve per step", facts_.states)};
    const bool allows_rosenbrock = facts_.kind == ModelKind::equations
                                       ? facts_.allows_rosenbrock && !options_.step
                                       : facts_.kind == ModelKind::rates && facts_.has_exact_rates;
    if (relative_ >= 1e-4 && allows_rosenbrock)
      return {&find_method("rodas5p"), tolerance() + ": six stages without iteration"};
    if (relative_ >= 1e-4)
      reject("rodas5p", "a Rosenbrock method needs exact derivatives, a constant mass matrix and an index below 2");
    return {&find_method("radau"), tolerance() + ": orders 5, 9 and 13, step by step"};
  }

  /// The higher the wanted accuracy, the higher the order that pays (docs/benchmarks.md). Between, dop853: its dense
  /// output is cheaper than that of verner-7, and results keep their polynomials unless told otherwise. On a manifold
  /// the dense output comes from its ends, and each evaluation is dear: tsitouras-papakostas-8 needs the fewest;
  /// verner-9 needs as many for the same error (andrews: half as many again), and at the same tolerance is less
  /// accurate, so that a run would get worse where the one takes over from the other.
  Decision<const Method*> explicit_method() {
    const char* name = relative_ > 1e-5 ? "tsitouras-5" : relative_ > 1e-8 ? "dop853" : "verner-9";
    if (plan_.has_manifold) name = "tsitouras-papakostas-8";
    return {&find_method(name), tolerance()};
  }

  void choose_method() {
    const std::string& formulation = options_.constraints.formulation;
    if (!is_auto(options_.method)) {
      plan_.method = {&find_method(options_.method), {}};
    } else if (facts_.kind == ModelKind::equations) {
      plan_.method = {stiff_method().value, "the system is differential-algebraic"};
      reject("explicit methods", "every stage solves for the rates that the equations imply, which may be stiff");
    } else if (options_.step) {
      plan_.method = {&find_method("rk4"), "a fixed step is given"};
    } else if (plan_.has_manifold && formulate::parse_formulation(formulation).is_implicit()) {
      plan_.method = {&find_method("radau"), fmt::format("formulation {} is for implicit methods", formulation)};
    } else if (facts_.kind == ModelKind::port_hamiltonian && facts_.constraint_rows > 0 && !facts_.has_events &&
               facts_.states > in_one_sweep && is_auto(formulation) && plan_.is_certified()) {
      // One evaluation of explicit rates costs about three residuals (`pawl-bench auto --all`); where one sweep has all
      // second derivatives it costs about as much as one, and explicit methods need a fifth of them.
      plan_.method = {&find_method("radau"),
                      "constraints of a port-Hamiltonian system: its residual needs first derivatives of the energy, "
                      "explicit rates the second ones and a solve at every stage"};
      reject(explicit_method().value->name, "dearer stages; pays where events restart every few steps");
    } else {
      choose_by_stiffness();
    }
  }

  /// What an implicit step costs, in evaluations of the right-hand side: 3 stages with two or three iterations, and its
  /// share of a Jacobian (sweeps of 8 directions) and of the factors.
  double implicit_cost() const { return 8 + facts_.states / 6.0; }

  void choose_by_stiffness() {
    plan_.method = explicit_method();
    if (facts_.measured && facts_.measured->accurate_step > 0) {
      const MeasuredFacts& measured = *facts_.measured;
      const Method& method = *plan_.method.value;
      const double h = measured.accurate_step, limit = method.stability_limit;
      const double stable = limit / std::max(measured.fastest_rate, 1e-300);
      // Explicit steps that stability wants where accuracy wants one.
      const double steps = h / stable;
      const std::string sizes =
          fmt::format("accuracy allows steps of {:.2g}, stability of {} steps of {:.2g}", h, method.name, stable);
      plan_.is_stiff = steps > 1 && steps * method.stages > implicit_cost();
      if (plan_.is_stiff) {
        reject(method.name,
               fmt::format("stability, not accuracy, would limit its steps: {:.2g} instead of {:.2g}", stable, h));
        plan_.method = {stiff_method().value,
                        fmt::format("stiff: {}: {:.3g} explicit evaluations against about {:.2g} implicit ones", sizes,
                                    steps * method.stages, implicit_cost())};
        return;
      }
      plan_.method.why += fmt::format("; not stiff: {}", sizes);
    }
    // Published event finders bring their own steps; what they are compared with must not change its method.
    if (plan_.is_certified()) {
      plan_.when_stiff = stiff_method();
      if (facts_.has_events) choose_lower_orders();
    } else {
      reject("a change of method on the way", fmt::format("event finder {} brings its own steps", options_.events));
    }
  }

  /// Fewer stages, for pieces that an event cuts after a step or two anyway.
  void choose_lower_orders() {
    for (const char* name : {"dop853", "tsitouras-5"}) {
      const Method& lower = find_method(name);
      if (lower.order < plan_.method.value->order) plan_.when_frequent.value.push_back(&lower);
    }
    if (!plan_.when_frequent.value.empty())
      plan_.when_frequent.why = "where events leave few steps between them, and while a piece costs less so";
  }

  /// Equations of index 3 are stiff in what rounding leaves of constraints, the more so the shorter the step, and what
  /// they say of speeds and forces has a lower order; a Jacobian of the field costs as many fields as it has unknowns.
  Decision<std::optional<Field>> choose_field() const {
    const Method& method = *plan_.method.value;
    const EquationFacts& equations = *facts_.equations;
    const int index = equations.index, unknowns = equations.unknowns;
    if (!method.is_implicit() || method.highest_index == 0)
      return {Field::implied, fmt::format("{} integrates rates", method.name)};
    if (equations.has_joints) return {Field::implied, "joints of a mechanism are among the equations"};
    if (index > 3) return {Field::implied, fmt::format("index {}: steps solve equations as they stand up to 3", index)};
    if (equations.may_cancel) return {Field::implied, "equations cancel in combinations that move"};
    if (index == 3 && method.highest_index < 3)
      return {Field::implied, fmt::format("index 3: {} does not keep its order there", method.name)};
    if (index == 3 && unknowns <= largest_field)
      return {Field::implied,
              fmt::format("index 3 and {} unknowns: as they stand they lose digits as steps shrink", unknowns)};
    const bool is_made_for_index_1 = method.is_bdf() || method.highest_index == 1;
    if (is_made_for_index_1 && unknowns <= largest_field_of_index_2)
      return {Field::by_index, fmt::format("{} does not keep its order from index 2 on", method.name)};
    return {Field::steps, fmt::format("index {}: {} solves them as they stand", index, method.name)};
  }

  /// Fields are known by their numbers alone, and their matrices are full.
  void choose_matrices() {
    const Method& method = *plan_.method.value;
    if (!method.is_implicit() || plan_.solver.is_krylov) return;
    if (plan_.solver.kind != LinearSolver::automatic) {
      plan_.matrices = {plan_.solver.kind, {}};
    } else if (plan_.field.value == Field::implied) {
      plan_.solver.kind = LinearSolver::dense;
      plan_.matrices = {LinearSolver::dense, "rates that equations imply have a full Jacobian, taken by differences"};
    } else {
      plan_.matrices = {facts_.equations->solver, facts_.equations->pattern + ", looked at anew in every mode"};
    }
  }

  static Decision<formulate::Formulation> formulation(const char* words, std::string why) {
    return {formulate::parse_formulation(words), std::move(why)};
  }

  /// IDA takes no pull inside a step, leaves multipliers out of its error test, and its equations get worse as steps
  /// shrink; CVODE pulls inside its steps, at the cost of a matrix by differences, which is too much for large systems.
  /// Diagonally implicit methods lose their order on index 2; Adams methods are for x' = f alone.
  Decision<formulate::Formulation> implicit_formulation(const Method& method) {
    if (facts_.kind == ModelKind::invariants) return formulation("acceleration", "invariants have no multipliers");
    if (method.is_bdf() && facts_.states <= 100 && facts_.kind == ModelKind::mechanics && facts_.constraint_rows > 0) {
      if (facts_.contacts == 0)
        return formulation("acceleration", "bdf is pulled onto the constraints inside its steps, which takes rates");
      // Between the ends of steps nothing pulls, and gaps would be off by a thousandth of the tolerance.
      if (relative_ > 1e-8)
        return formulation("stabilized-index-2", "contacts: both levels are among the equations of bdf");
    }
    if (method.family == Family::diagonally_implicit)
      return formulation("index-1", "diagonally implicit methods lose their order on index 2");
    if (method.highest_index == 0) return formulation("acceleration", "adams is for x' = f(t, x)");
    if (facts_.constraint_rows == 0)
      return formulation("index-2", "there are no constraints: the equations as they stand");
    reject("index-3", "speeds of a lower order, matrices that lose digits as 1/h²");
    return formulation("index-2", "the multipliers are unknowns of the step, and positions are pulled at its end");
  }

  void choose_formulation(const StartWords& start) {
    const Method& method = *plan_.method.value;
    const ConstraintOptions& wanted = options_.constraints;
    if (!is_auto(wanted.formulation))
      plan_.formulation = {formulate::parse_formulation(wanted.formulation), {}};
    else if (start.policy == AtStart::reach)
      plan_.formulation = formulation("sliding(10)", "surfaces are reached by switching");
    else if (method.is_implicit())
      plan_.formulation = implicit_formulation(method);
    else
      plan_.formulation =
          formulation("acceleration", "explicit steps: accelerations and multipliers from one solve per stage");
    check_formulation(start);
    plan_.formulation.value.reaching = start.reaching;
    auto chosen = stabilize::choose_stabilization(wanted.stabilization, plan_.formulation.value);
    plan_.stabilization = {std::move(chosen.stabilization), std::move(chosen.why)};
  }

  void check_formulation(const StartWords& start) const {
    const formulate::Formulation& chosen = plan_.formulation.value;
    const ConstraintOptions& wanted = options_.constraints;
    if (!wanted.fixed.empty() && start.policy != AtStart::project)
      throw Misuse(fmt::format("states held fixed belong to the start 'project', not to '{}'", wanted.start));
    if (chosen.is_implicit() && !plan_.method.value->is_implicit()) {
      throw Misuse(
          fmt::format("formulation '{}' has its multipliers among the unknowns: it needs an implicit method, "
                      "radau or bdf for instance",
                      chosen.name));
    }
    if (chosen.is_implicit() && facts_.kind == ModelKind::invariants)
      throw Misuse(fmt::format("formulation '{}' is for constraints, and system '{}' has invariants alone", chosen.name,
                               facts_.model));
    if (chosen.follows_step && !options_.step) {
      throw Misuse(
          fmt::format("formulation '{}' needs a fixed step: under error control its feedback, which grows as steps "
                      "shrink, is part of the error that shrinks them",
                      chosen.name));
    }
    if (start.policy == AtStart::reach && chosen.scheme != Scheme::sliding)
      throw Misuse(
          fmt::format("start '{}' belongs to the formulation sliding(s), not to '{}'", wanted.start, chosen.name));
  }

  const Facts& facts_;
  const Options& options_;
  const double relative_;
  std::string tolerance_;
  Plan plan_;
};

Choice tolerance_in_words(const Options& options) {
  if (options.step) return {fmt::format("fixed step {:g}", *options.step), {}};
  const Tolerance& wanted = options.tolerance;
  if (!wanted.absolute_each.empty())
    return {fmt::format(FMT_COMPILE("relative {:g}, absolute per state"), wanted.relative), {}};
  return {fmt::format(FMT_COMPILE("relative {:g}, absolute {:g}"), wanted.relative,
                      wanted.absolute.value_or(1e-3 * wanted.relative)),
          wanted.absolute ? "" : "absolute: a thousandth of the relative one, times the nominal size of the state"};
}

Choice in_words(const Decision<const Method*>& method) {
  return {method.value == nullptr ? std::string() : method.value->name, method.why};
}

Choice in_words(const Decision<std::vector<const Method*>>& methods) {
  std::string names;
  for (const Method* one : methods.value) {
    if (!names.empty()) names += ", ";
    names += one->name;
  }
  return {std::move(names), methods.why};
}

template <class T>
Choice in_words(const Decision<std::optional<T>>& decision) {
  return {decision.value ? std::string(to_string(*decision.value)) : std::string(), decision.why};
}

}  // namespace

std::string_view to_string(Field field) {
  switch (field) {
    case Field::steps:
      return "the steps, as unknowns of the equations as they stand";
    case Field::implied:
      return "all equations with their derivatives, solved for the rates they imply";
    case Field::by_index:
      return "the steps where the index is below 2, else all equations with their derivatives";
  }
  return "?";
}

StartWords read_start(const std::string& words) {
  CallWords call;
  const std::pair<std::string_view, AtStart> policies[]{
      {"project", AtStart::project}, {"reach", AtStart::reach}, {"keep", AtStart::keep}, {"refuse", AtStart::refuse}};
  const auto found = std::find_if(std::begin(policies), std::end(policies),
                                  [&](const auto& one) { return read_call(words, call) && one.first == call.name; });
  if (found == std::end(policies))
    throw Misuse(fmt::format("start '{}': expected project, reach(η,...), keep or refuse", words));
  if (found->second != AtStart::reach) return {found->second};
  return {AtStart::reach, reaching_rates(call, words)};
}

SolverPlan read_solver(const ImplicitOptions& wanted) {
  constexpr std::array kinds{LinearSolver::automatic, LinearSolver::dense, LinearSolver::band, LinearSolver::sparse};
  constexpr std::string_view krylov = "krylov";
  SolverPlan plan;
  const auto known = std::find_if(kinds.begin(), kinds.end(),
                                  [&](LinearSolver one) { return wanted.linear_solver == to_string(one); });
  plan.is_krylov = wanted.linear_solver == krylov;
  if (known != kinds.end()) {
    plan.kind = *known;
  } else if (!plan.is_krylov) {
    std::vector<std::string> names;
    for (const LinearSolver one : kinds) names.emplace_back(to_string(one));
    names.emplace_back(krylov);
    throw Misuse(fmt::format("unknown linear solver '{}'{} ({})", wanted.linear_solver,
                             did_you_mean(wanted.linear_solver, names), fmt::join(names, ", ")));
  }
  plan.wants_differences = wanted.jacobian == "differences";
  if (!is_auto(wanted.jacobian) && !plan.wants_differences)
    throw Misuse(fmt::format("jacobian '{}': expected auto or differences", wanted.jacobian));
  return plan;
}

Recommendation in_words(const Plan& plan, const Options& options) {
  Recommendation words{.method = in_words(plan.method),
                       .when_stiff = in_words(plan.when_stiff),
                       .when_frequent = in_words(plan.when_frequent),
                       .is_stiff = plan.is_stiff,
                       .field = in_words(plan.field),
                       .solver = in_words(plan.matrices),
                       .formulation = {},
                       .stabilization = {},
                       .tolerance = tolerance_in_words(options),
                       .events = {plan.finder->name, plan.finder->sentence},
                       .rejected = plan.rejected};
  if (plan.has_manifold) {
    words.formulation = {plan.formulation.value.name, plan.formulation.why};
    words.stabilization = {plan.stabilization.value.in_words(), plan.stabilization.why};
  }
  return words;
}

Facts facts_of(const System::Declarations& model) {
  Facts facts;
  facts.model = model.name;
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

EquationFacts facts_of(const System::Declarations& model, const formulate::DaeForm& form) {
  const auto& parts = model.parts;
  const MatrixPair& matrices = form.matrices();
  EquationFacts facts{.index = form.structure().index,
                      .unknowns = form.size(),
                      .has_joints = parts && parts->mechanics && !parts->mechanics->constraints.empty(),
                      .may_cancel = form.structure().array > 0,
                      .solver = best_solver(matrices)};
  if (facts.solver == LinearSolver::dense) {
    facts.pattern = matrices.is_sparse && facts.unknowns > 16
                        ? fmt::format("most of {} unknowns are coupled", facts.unknowns)
                        : fmt::format("{} unknowns", facts.unknowns);
  } else if (facts.solver == LinearSolver::band) {
    facts.pattern = fmt::format("{} unknowns in a band", facts.unknowns);
  } else {
    facts.pattern = fmt::format("{} entries of {} unknowns", matrices.row.size(), facts.unknowns);
  }
  return facts;
}

Plan make_plan(const Facts& facts, const Options& options) {
  return Deliberation(facts, options).result();
}

}  // namespace detail
}  // namespace pawl
