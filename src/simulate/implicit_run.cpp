#include "simulate/implicit_run.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "formulate/inertia_check.hpp"
#include "formulate/ode_form.hpp"
#include "integrate/either_stepper.hpp"
#include "simulate/dae_dynamics.hpp"
#include "simulate/on_manifold.hpp"

namespace pawl::detail {

ImplicitRun::ImplicitRun(Setup& setup, OnManifold* manifold)
    : setup_(setup), manifold_(manifold), model_(setup.declarations) {}

ImplicitRun::~ImplicitRun() = default;

std::vector<bool> ImplicitRun::fixed_states() const {
  std::vector<bool> fixed(model_->state_names.size(), false);
  for (const std::string& name : setup_.options.constraints.fixed) {
    const auto found = std::find(model_->state_names.begin(), model_->state_names.end(), name);
    if (found == model_->state_names.end())
      throw Misuse(
          fmt::format("'{}' is to be fixed at the start, but system '{}' has no such state", name, model_->name));
    fixed[static_cast<std::size_t>(found - model_->state_names.begin())] = true;
  }
  return fixed;
}

namespace {

const MechanicsInfo* mechanism_of(const System::Declarations& model) {
  return model.parts && model.parts->mechanics ? model.parts->mechanics.get() : nullptr;
}

}  // namespace

void ImplicitRun::analyze(const SolverPlan& solver, const ActiveField& field) {
  const StepControl control = step_control(setup_);
  const Options& options = setup_.options;
  dae_ = std::make_shared<DaeDynamics>(model_, solver.wants_differences);
  dae_->keep_manifold(control, fixed_states(), field);
  setup_.explain = [this] { return keeper_ ? keeper_->obstacle() : std::string(); };
  setup_.dynamics = dae_;
  if (!model_->switches.empty()) dae_->decide_switches(control, options.end < options.start ? -1 : 1);
  if (const MechanicsInfo* mechanism = mechanism_of(*model_); mechanism != nullptr && !mechanism->contacts.empty()) {
    if (options.end < options.start)
      throw Misuse(fmt::format("system '{}' has contacts or dry friction, whose motion cannot be run backwards in time",
                               model_->name));
    dae_->decide_contacts(options.tolerance.relative);
  }
  look_at_start();
}

/// Whether the mechanism counts inertial terms twice, index and roles there.
void ImplicitRun::look_at_start() {
  const double t = setup_.options.start;
  try {
    if (mechanism_of(*model_) != nullptr) {
      formulate::MechanicsTerms terms(*model_->parts);
      terms.lock(*setup_.held);
      terms.arrange(t, setup_.start_state.data(), {});
      formulate::check_inertia(*model_->parts, terms, *setup_.held, t, setup_.start_state.data());
    }
    if (dae_->switches() != nullptr) {  // conditions may yet change what is decided here
      Held held = *setup_.held;
      std::vector<double> x = setup_.start_state;
      if (dae_->switches()->resolve(t, x.data(), held, {}, Settle::start).failure.empty())
        setup_.held = std::make_shared<const Held>(std::move(held));
    }
    Held held = *setup_.held;
    std::string singular = dae_->share_loads(t, setup_.start_state.data(), held, Settle::start);
    setup_.held = std::make_shared<const Held>(std::move(held));
    if (model_->has_events() && mechanism_of(*model_) != nullptr)
      dae_->forget_shared_loads();  // conditions may yet switch joints off
    else if (setup_.start_failure.empty())
      setup_.start_failure = std::move(singular);
    dae_->take_up(*setup_.held, t, setup_.start_state.data());
    const formulate::DaeForm& form = dae_->form();
    structure_ = form.structure().describe();
    mass_kind_ = form.mass_kind();
    has_exact_jacobian_ = form.has_exact_jacobian();
    index_ = form.structure().index;
    facts_ = facts_of(*model_, form);
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup_.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

void ImplicitRun::begin(const Plan& plan) {
  plan_ = &plan;
  if (!dae_) return;
  const double t = setup_.options.start;
  if (!setup_.start_failure.empty()) return;
  try {
    const int field_from = plan.field.value == Field::implied    ? 0
                           : plan.field.value == Field::by_index ? 2
                                                                 : std::numeric_limits<int>::max();
    dae_->begin(field_from, plan.start, plan.method.value->is_bdf());
    // With events, conditions are decided first: they may say which equations are in force.
    if (!model_->has_events()) {
      setup_.start_failure = dae_->settle(t, setup_.start_state.data(), *setup_.held, Settle::start);
      if (plan.start != AtStart::keep) setup_.start_rate = dae_->consistent_rates();
    }
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup_.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

/// In any mode.
bool ImplicitRun::integrates_field() const {
  return dae_ && plan_->field.value == Field::implied;
}

std::unique_ptr<formulate::ImplicitForm> ImplicitRun::make_form(const ActiveField& field, int size, bool is_of_field,
                                                                bool is_own_choice) {
  using formulate::Scheme;
  std::unique_ptr<formulate::ImplicitForm> form;
  if (is_of_field) {
    form = formulate::make_ode_form(model_, dae_->rates(), field, size);
  } else if (model_->is_implicit()) {
    auto dae = formulate::make_dae_form(model_, field);
    if (dae_) dae->learn_from(dae_->form());
    form = std::move(dae);
  } else if (manifold_ != nullptr && (model_->mechanics || model_->port_hamiltonian)) {
    const Scheme scheme = manifold_->formulation().scheme;
    const bool is_free = is_own_choice && scheme == Scheme::acceleration;  // of a run that has turned stiff
    form = manifold_->formulation().is_implicit() || is_free
               ? manifold_->make_implicit_form(model_, is_free ? Scheme::index_2 : scheme, field, size)
               : formulate::make_ode_form(model_, setup_.dynamics->rates(), field, size);  // numbers only
  } else {
    form = formulate::make_ode_form(model_, field, size);
  }
  form->linear_solver = plan_->solver.kind;
  form->wants_differences = plan_->solver.wants_differences;
  return form;
}

/// IDA's error test leaves out what only derivatives of equations determine, and the shorter a step the worse are its
/// equations; Rosenbrock and diagonally implicit methods have two orders of them where they have five of the others,
/// and estimates that do not see it. From index 2 on these integrate the field, with all unknowns in their error test.
std::unique_ptr<Stepper> ImplicitRun::make_method(const Method& method, const VectorField& field, int size,
                                                  const StepControl& control) {
  if (plan_->field.value != Field::by_index)
    return make_stepper(method, field, size, control, integrates_field(), false);
  return std::make_unique<EitherStepper>(
      [this](double t, const double* x) { return dae_->pull().form(t, x).structure().index >= 2; },
      [=, this, &method] { return make_stepper(method, field, size, control, false, false); },
      [=, this, &method] { return make_stepper(method, field, size, control, true, false); });
}

std::unique_ptr<Stepper> ImplicitRun::make_stepper(const Method& method, const VectorField& field, int size,
                                                   const StepControl& control, bool is_of_field, bool is_own_choice) {
  forms_.push_back(make_form(*field.active, size, is_of_field, is_own_choice));
  try {
    if (setup_.size() == size) forms_.back()->restart(setup_.options.start, setup_.start_state.data());  // its kind
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception&) {  // of the model: the run meets it again, and makes it an outcome
  }
  const auto& roles = forms_.back()->roles();
  const auto exceeds = [&](int index) {
    return std::any_of(roles.begin(), roles.end(), [=](const formulate::Role& role) { return role.index > index; });
  };
  if (method.highest_index == 1 && exceeds(1))
    notes_.push_back(make_message(MessageCode::order_lost_by_index, setup_.options.start, {{"method", method.name}}));
  if (method.is_bdf() && !dae_ && exceeds(2))
    notes_.push_back(make_message(MessageCode::bdf_on_index_3, setup_.options.start));
  const formulate::ImplicitForm& form = *forms_.back();
  const bool is_dae = (model_->is_implicit() && !is_of_field) || form.size() != form.states() ||
                      form.mass_kind() != formulate::MassKind::identity;
  return method.make_implicit(*forms_.back(), control, {is_dae, plan_->solver.is_krylov});
}

DriverParts ImplicitRun::make_methods(const VectorField& field, int size, const StepControl& control) {
  const Method &method = *plan_->method.value, *other = plan_->when_stiff.value;
  DriverParts parts;
  parts.method = method.is_implicit() ? make_method(method, field, size, control) : method.make(field, size, control);
  if (dae_) parts.keeper = &keeper_.emplace(dae_->pull(), control);
  if (other == nullptr) return parts;
  parts.make_implicit = [=, this] { return make_stepper(*other, field, size, control, integrates_field(), true); };
  parts.switching.emplace(SwitchingRules{.explicit_name = method.name,
                                         .implicit_name = other->name,
                                         .stability_limit = method.stability_limit,
                                         .looks_at_once = size >= 1000},
                          field, size, control);
  if (plan_->when_frequent.value.empty()) return parts;
  std::vector<int> stages{method.stages};
  for (const Method* lower : plan_->when_frequent.value) {
    stages.push_back(lower->stages);
    parts.lower_orders.push_back(
        {lower->name, lower->stability_limit, [=] { return lower->make(field, size, control); }});
  }
  parts.ladder.emplace(stages);
  return parts;
}

std::vector<Message> ImplicitRun::take_notes() {
  std::vector<Message> all = dae_ ? std::exchange(dae_->notes, {}) : std::vector<Message>();
  for (Message& note : std::exchange(notes_, {})) all.push_back(std::move(note));
  return all;
}

void ImplicitRun::carry(Memory& memory, const Held& held) {
  memory(notes_);
  if (dae_) dae_->carry(memory, held);
}

void ImplicitRun::report(const Driver& driver, Statistics& statistics) {
  long long rhs = 0, duals = 0;  // of the equations, beside the steps: starts, events, analyses
  if (dae_) {
    rhs += dae_->form().other_rhs() - dae_->rates_given();
    duals += dae_->form().other_dual_rhs();
    for (const auto& form : forms_) {
      const auto* equations = dynamic_cast<const formulate::DaeForm*>(form.get());
      if (equations == nullptr) continue;  // the field, which is counted where it is evaluated
      rhs += equations->other_rhs();
      duals += equations->other_dual_rhs();
    }
  }
  statistics.rhs += rhs;
  const Work work = driver.work();
  if (work.jacobians == 0 && work.iterations == 0 && driver.solver().empty()) return;
  ImplicitStatistics& out = statistics.implicit.emplace();
  out.jacobians = work.jacobians;
  out.dual_rhs = work.dual_rhs + duals;
  out.factorizations = work.factorizations;
  out.solves = work.solves;
  out.iterations = work.iterations;
  out.divergences = work.divergences;
  out.linear_solver = driver.solver();
  out.jacobian = driver.jacobian_kind();
  out.structure = structure_;
  for (const auto& [name, steps] : driver.steps_by_method()) out.steps.push_back({name, steps});
}

}  // namespace pawl::detail
