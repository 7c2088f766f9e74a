#include "pawl/advise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analyze/pencil.hpp"
#include "analyze/pilot.hpp"
#include "pawl/compiled_model.hpp"
#include "pawl/run.hpp"
#include "simulate/check_declarations.hpp"
#include "simulate/family_run.hpp"
#include "simulate/plan.hpp"

namespace pawl::analyze {

namespace {

using formulate::Level;
using Model = std::shared_ptr<const System::Declarations>;

constexpr int largest_taken_apart = 100;  // states; singular values of larger matrices cost more than they tell
// States with full matrices. The Jacobians and factors of a few implicit steps cost more than many a run beyond it.
constexpr int largest_full = 300;

bool has_multipliers(ModelKind kind) {
  return kind == ModelKind::mechanics || kind == ModelKind::port_hamiltonian;
}

/// The names of the equations with the largest shares in a combination that vanishes.
std::string culprits(const std::vector<double>& shares, const std::vector<std::string>& rows) {
  double largest = 0;
  for (const double share : shares) largest = std::max(largest, std::abs(share));
  std::string text;
  for (std::size_t i = 0; i < shares.size() && i < rows.size(); ++i) {
    if (std::abs(shares[i]) >= 0.1 * largest) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", rows[i]);
  }
  return text;
}

Anatomy anatomy_of(const Linearization& linear, std::string equations, int states) {
  Anatomy out{.equations = std::move(equations), .failure = linear.failure};
  if (!out.failure.empty()) return out;
  const PencilParts parts = take_apart(linear.E, linear.A);
  out.unknowns = static_cast<int>(linear.A.rows());
  out.differential = parts.differential;
  out.algebraic = out.unknowns - parts.differential;
  out.index = parts.index;
  out.index_is_certain = parts.is_certain();
  out.rank_gap = parts.smallest_gap;
  out.hidden_constraints = parts.hidden_constraints();
  out.degrees_of_freedom = static_cast<int>(parts.finite.size());
  out.dependent_states = std::max(0, states - out.degrees_of_freedom);
  out.eigenvalues = parts.finite;
  out.infinite = parts.infinite;
  out.undetermined = parts.undetermined;
  for (const auto& shares : parts.redundant) out.redundant.push_back(culprits(shares, linear.rows));
  out.has_eigenvalues = true;
  out.is_exact = linear.is_exact;
  return out;
}

/// What structure alone tells of a system too large to be taken apart.
Anatomy outline_of(const Model& model, const Place& at, const Facts& facts) {
  Anatomy out{.equations = "as declared", .failure = {}};
  out.unknowns = facts.states + (has_multipliers(facts.kind) ? facts.constraint_rows : 0);
  out.differential = facts.states;
  out.degrees_of_freedom = facts.states;
  if (facts.kind == ModelKind::equations) {
    const Linearization structure = structure_of_equations(model, at);
    out.failure = structure.failure;
    out.index = structure.structural_index.value_or(0);
    out.degrees_of_freedom = structure.structural_freedom.value_or(0);
    out.differential = out.unknowns;
  } else if (has_multipliers(facts.kind) && facts.constraint_rows > 0) {
    const bool has_positions =
        model->mechanics && std::any_of(model->mechanics->constraints.begin(), model->mechanics->constraints.end(),
                                        [](const auto& one) { return !one.is_on_speeds; });
    out.index = has_positions ? 3 : 2;
    out.degrees_of_freedom = std::max(0, facts.states - (has_positions ? 2 : 1) * facts.constraint_rows);
  }
  out.algebraic = out.unknowns - out.differential;
  out.dependent_states = facts.states - out.degrees_of_freedom;
  return out;
}

std::optional<Level> level_of(const formulate::Formulation& formulation, ModelKind kind) {
  using formulate::Scheme;
  if (formulation.scheme == Scheme::acceleration && kind == ModelKind::mechanics) return Level::index_1;
  if (!formulation.is_implicit()) return std::nullopt;
  return formulate::level_of(formulation.scheme);
}

Stiffness stiffness_of(const Anatomy& anatomy) {
  Stiffness out;
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const auto& value : anatomy.eigenvalues) {
    out.fastest_rate = std::max(out.fastest_rate, std::abs(value));
    out.fastest_decay = std::max(out.fastest_decay, -value.real());
  }
  for (const auto& value : anatomy.eigenvalues) {  // without those that are zero, or imaginary, up to rounding
    const double real = std::abs(value.real());
    if (real <= 1e-14 * out.fastest_rate || real <= 1e-9 * std::abs(value)) continue;
    largest = std::max(largest, real);
    smallest = std::min(smallest, real);
  }
  out.is_damped = largest > 0;
  out.lambert = out.is_damped ? largest / smallest : std::numeric_limits<double>::infinity();
  out.is_infinite = anatomy.infinite > 0;
  return out;
}

ModeAdvice advise_mode(const CompiledModel& compiled, const Values& values, const Options& options, const Visit& visit,
                       Facts facts, double duration) {
  const Model& model = compiled.equations();
  ModeAdvice out{.mode = visit.mode, .entered = visit.entered, .frozen_at = visit.place.t};
  out.share = duration > 0 ? visit.time / duration : 1;
  const bool is_large = facts.states > largest_taken_apart;
  out.declared = is_large ? outline_of(model, visit.place, facts)
                          : anatomy_of(linearize(model, visit.place), "as declared", facts.states);
  out.stiffness = stiffness_of(out.declared);
  if (is_large) {
    out.stiffness.fastest_rate = spectral_radius(model, visit.place);
    out.stiffness.is_damped = false;
    out.stiffness.is_infinite = out.declared.algebraic > 0;
  }
  out.stiffness.is_too_costly = facts.states > largest_full && has_full_matrices(model, visit.place);
  if (!out.stiffness.is_too_costly)
    out.stiffness.accurate_step = accurate_step(compiled.system(), values, visit.place, options);
  out.stiffness.van_dijk = out.stiffness.accurate_step * out.stiffness.fastest_rate;
  facts.measured->fastest_rate = out.stiffness.fastest_rate;
  facts.measured->fastest_decay = out.stiffness.fastest_decay;
  facts.measured->accurate_step = out.stiffness.accurate_step;
  const detail::Plan plan = detail::make_plan(facts, options);
  out.recommendation = in_words(plan, options);
  const auto level = level_of(plan.formulation.value, facts.kind);
  if (!is_large && level && facts.constraint_rows > 0)
    out.integrated =
        anatomy_of(linearize(model, visit.place, level), out.recommendation.formulation.value, facts.states);
  return out;
}

/// The pilot run has a tolerance and a method of its own: numbers that a run would refuse are refused here.
void check_wanted(const System& system, const Values& values, const Options& options, const Facts& facts) {
  detail::check_values(values, system);
  const detail::Plan plan = detail::make_plan(facts, options);
  const detail::Setup setup = detail::check(system.share(), values.held(), values.start(), options);
  detail::check_method(setup, plan.method.value->name, plan.method.value->is_adaptive);
}

void add_notes(Advice& advice) {
  bool has_stiff = false, has_other = false, has_indices = false;
  for (const ModeAdvice& mode : advice.modes) {
    const bool is_stiff = mode.recommendation.is_stiff;
    (is_stiff ? has_stiff : has_other) = true;
    has_indices |= mode.declared.index != advice.modes.front().declared.index;
    if (!mode.declared.index_is_certain) {
      advice.notes.push_back(fmt::format(
          "index uncertain: a rank was decided by a gap of {:.1g} at t = {:.6g}; equations nearby have another index",
          mode.declared.rank_gap, mode.frozen_at));
    }
    for (const std::string& names : mode.declared.redundant)
      advice.notes.push_back(fmt::format(
          "redundant: {}; the motion is unique, their multipliers are not, and guards must not read them", names));
  }
  if (has_stiff && has_other)
    advice.notes.emplace_back(
        "modes differ in stiffness: auto changes its method on the way, at the price of a restart");
  if (has_indices) advice.notes.emplace_back("modes differ in index: constraints come and go with events");
  if (advice.contacts > 30) {
    advice.notes.push_back(
        fmt::format("{} contacts: beyond about 30 that touch at once, compliant contacts are cheaper than rigid ones",
                    advice.contacts));
  }
  if (advice.events.accumulates)
    advice.notes.emplace_back("events accumulate: say what follows with at_accumulation(...)");
  std::sort(advice.notes.begin(), advice.notes.end());
  advice.notes.erase(std::unique(advice.notes.begin(), advice.notes.end()), advice.notes.end());
}

}  // namespace

Advice advise(const System& system, const Values& values, const Options& options) {
  if (family_of(system.declarations()) >= 0) {  // nothing is integrated, and nothing has to be measured
    detail::check_values(values, system);
    return {
        .model = system.name(),
        .kind = ModelKind::mechanics,
        .states = system.size(),
        .pilot_start = options.start,
        .pilot_end = options.start,
        .recommendation = detail::in_words(detail::plan_family(system.declarations(), values.parameters(), options))};
  }
  const CompiledModel compiled(system, values, options.start);
  Facts facts = detail::facts_of(*compiled.equations());
  check_wanted(system, values, options, facts);
  const Pilot pilot = fly(system, values, options);
  Advice advice{.model = system.name(),
                .kind = facts.kind,
                .states = system.size(),
                .constraint_rows = facts.constraint_rows,
                .contacts = facts.contacts,
                .pilot_start = pilot.start,
                .pilot_end = pilot.end,
                .pilot_steps = pilot.steps,
                .pilot_failure = pilot.failure,
                .modes_left_out = pilot.left_out,
                .events = pilot.events};
  facts.measured.emplace().events_per_unit = pilot.events.per_unit_time;
  if (facts.kind == ModelKind::equations) look_at_equations(compiled.equations(), pilot.visits.front().place, facts);
  for (const Visit& visit : pilot.visits)
    advice.modes.push_back(advise_mode(compiled, values, options, visit, facts, std::abs(pilot.end - pilot.start)));
  // Where the modes do not agree, what comes is met by changing the method on the way.
  const auto agrees = [&](const ModeAdvice& mode) {
    return mode.recommendation.method.value == advice.modes.front().recommendation.method.value;
  };
  facts.measured.reset();
  advice.recommendation = std::all_of(advice.modes.begin(), advice.modes.end(), agrees)
                              ? advice.modes.front().recommendation
                              : in_words(detail::make_plan(facts, options), options);
  add_notes(advice);
  return advice;
}

}  // namespace pawl::analyze
