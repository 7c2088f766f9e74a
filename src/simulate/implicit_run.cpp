#include "simulate/implicit_run.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "formulate/dae_form.hpp"
#include "formulate/dae_start.hpp"
#include "formulate/ode_form.hpp"
#include "simulate/dependent_joints.hpp"
#include "simulate/ideal_switches.hpp"
#include "simulate/on_manifold.hpp"
#include "stabilize/equation_pull.hpp"

namespace pawl::detail {

namespace {

constexpr int largest_field = 200;  // unknowns, of equations of index 3

/// The equations of a differential-algebraic system as everybody but the method sees them: the event layer, which
/// wants rates, and whoever reads the result.
struct DaeView : ImplicitRun::Analyzed {
  std::shared_ptr<const System::Declarations> model;
  Surroundings<double> around{};
  ActiveField field{};
  std::unique_ptr<formulate::DaeForm> form;
  const Held* source = nullptr;
  Held given;  // what is held, with levels of relays that somebody asks for
  std::vector<double> rates;
  std::unique_ptr<IdealSwitches> switches{};        // where there are any
  std::unique_ptr<contact::Contacts> contacts{};    // likewise
  std::unique_ptr<stabilize::EquationPull> pull{};  // where steps end off the manifold
  bool has_decided = false;                         // the switches, at the start of the run
  std::vector<bool> fixed{};                        // states that keep their start values
  AtStart policy = AtStart::project;
  std::shared_ptr<std::vector<Message>> notes{};
  bool is_field = false;     // explicit steps: rates wanted at any values of what is differentiated
  bool has_begun = false;    // that is decided
  long long handed_out = 0;  // rates, which whoever asks counts too

  explicit DaeView(std::shared_ptr<const System::Declarations> declared) : model(std::move(declared)) {
    field.around = &around;
    form = formulate::make_dae_form(model, field);
    rates.resize(model->state_names.size());
  }
  void follow(const Held& held, double t, const double* x) {
    around.held = source = &held;
    field.parameters = held.parameters.data();
    form->restart(t, x);
  }
  bool rate(double t, const double* x, const Held& held, const double* relays, double* out) {
    if (relays != nullptr) {  // algebraic unknowns follow the levels
      given = held;
      given.levels.assign(relays, relays + held.levels.size());
      std::replace(given.sides.begin(), given.sides.end(), RelaySide::sliding, RelaySide::below);
      follow(given, t, x);
      source = nullptr;
      return formulate::find_field(*form, t, x, out).empty();
    }
    if (source != &held) follow(held, t, x);
    return is_field ? formulate::find_field(*form, t, x, out).empty() : form->rate(t, x, out);
  }

  /// Consistent values in the mode `held`.
  formulate::StartReport find(double t, double* x, double* dx, const Held& held, Settle why) {
    follow(held, t, x);
    auto report = formulate::find_consistent(
        *form, t, x, dx, why == Settle::start ? fixed : std::vector<bool>(fixed.size(), false), why != Settle::start);
    source = nullptr;
    const int index = form->structure().index;
    if (report.failure.empty() && has_begun && !is_field && index > 3)
      report.failure = fmt::format(
          "t = {:.10g}: the equations have index {} from here on, and implicit steps solve them as they stand.\n"
          "  try:    an explicit method, which integrates the rates that the equations imply at any index",
          t, index);
    return report;
  }
  /// The same, with invariants and what the user wants of a start. Returns why it cannot be; empty: done.
  std::string settle(double t, double* x, const Held& held, Settle why) {
    const bool is_start = why == Settle::start;
    if (is_start && policy == AtStart::keep) return {};
    auto report = find(t, x, rates.data(), held, why);
    if (!report.failure.empty()) return report.failure;
    if (is_start || why == Settle::jump) pull->take_levels(t, x, held);
    if (std::string failure = pull->meet_invariants(*form, t, x, held); !failure.empty()) return failure;
    if (is_start || why == Settle::jump)
      if (std::string failure = find_dependent_joints(*form, t, x); !failure.empty()) return failure;
    if (is_start && policy == AtStart::refuse && !report.changes.empty())
      return fmt::format("the start is not consistent: {}", report.changes);
    if (is_start && !report.changes.empty())
      notes->push_back(make_message(MessageCode::start_moved, t, {{"changes", report.changes}}));
    return {};
  }
  /// Contacts and ideal switches, where there are any.
  Resolution resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating, Settle why) {
    // At the start contacts look at consistent values, which switches have to be decided for.
    const bool switches_first = why == Settle::start;
    Resolution outcome;
    for (const bool of_switches : {switches_first, !switches_first}) {
      if (!outcome.failure.empty() || (of_switches ? !switches : !contacts)) continue;
      Resolution part = of_switches ? resolve_switches(t, x, held, fired, why)
                                    : resolve_contacts(t, x, held, fired, accumulating, why);
      outcome.failure = std::move(part.failure);
      for (std::string& note : part.notes) outcome.notes.push_back(std::move(note));
    }
    return outcome;
  }

  Resolution resolve_switches(double t, double* x, Held& held, std::span<const int> fired, Settle why) {
    Resolution outcome = switches->resolve(t, x, held, fired, why);
    if (why != Settle::start || !outcome.failure.empty()) return outcome;
    has_decided = true;
    outcome.failure = settle(t, x, held, why);
    return outcome;
  }

  Resolution resolve_contacts(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                              Settle why) {
    // A state read from dense output may leave what is closed by the error of a step: that is no impact.
    if (why == Settle::pass) {
      if (std::string failure = settle(t, x, held, Settle::drawn); !failure.empty())
        return {.failure = std::move(failure)};
    }
    if (Held closing = held; why != Settle::start && contacts->close_touching(t, x, closing, fired, why)) {
      std::vector<double> met(x, x + rates.size());
      if (settle(t, met.data(), closing, Settle::drawn).empty()) {
        for (const int position : model->parts->mechanics->positions)
          x[position] = met[static_cast<std::size_t>(position)];
        if (why == Settle::pass) settle(t, x, held, Settle::drawn);  // its speeds, there
      }
    }
    return contacts->resolve(t, x, held, fired, accumulating, why);
  }
};

struct DaeRates {
  std::shared_ptr<DaeView> view;
  void operator()(const Point<double>& at, Rates<double>& d) const {
    const auto& around = *at.around();
    ++view->handed_out;
    if (view->rate(at.t, at.states().array, *around.held, around.relays, &d[State{0}])) return;
    std::fill_n(&d[State{0}], view->rates.size(), std::numeric_limits<double>::quiet_NaN());
  }
};

}  // namespace

ImplicitRun::ImplicitRun(Setup& setup, OnManifold* manifold) : setup_(setup), manifold_(manifold) {
  model_ = manifold != nullptr ? manifold->declared() : setup.declarations;
}

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

void add_switches(const std::shared_ptr<DaeView>& view, const StepControl& control, Setup& setup,
                  System::Declarations& derived) {
  view->switches = std::make_unique<IdealSwitches>(
      view->model, *view->form,
      [in = view.get()](double t, std::vector<double>& y, std::vector<double>& dy, const Held& held, Settle why) {
        return in->find(t, y.data(), dy.data(), held, why);
      },
      IdealSwitches::Accuracy{control.relative, setup.options.end < setup.options.start ? -1.0 : 1.0,
                              control.absolute});
  auto watched = std::make_shared<Held>(*setup.held);
  view->switches->watch(derived, *watched);
  setup.held = std::move(watched);
}

void add_contacts(const std::shared_ptr<DaeView>& view, const Options& options, System::Declarations& derived) {
  const auto& parts = view->model->parts;
  if (options.end < options.start)
    throw Misuse(fmt::format("system '{}' has contacts or dry friction, whose motion cannot be run backwards in time",
                             derived.name));
  view->contacts = std::make_unique<contact::Contacts>(
      parts, std::make_shared<formulate::MechanicsForm>(parts, formulate::Formulation()), nullptr,
      options.tolerance.relative, std::abs(options.end - options.start));
  view->contacts->declare_guards(derived);
  view->contacts->join(derived.state_names.size(),
                       [in = view.get()](double t, const double* x, const Held& held, double* rates) {
                         in->source = nullptr;  // it may have changed without a word
                         const bool is_found = in->rate(t, x, held, nullptr, rates);
                         in->source = nullptr;
                         return is_found;
                       });
}

/// For whoever reads the result: rates of their own, and nothing that decides.
std::function<std::shared_ptr<const System::Declarations>()> reading(const DaeView& view,
                                                                     const System::Declarations& derived) {
  return [model = view.model, read = std::make_shared<const System::Declarations>(derived),
          by_differences = view.form->wants_differences] {
    auto own = std::make_shared<DaeView>(model);
    own->form->wants_differences = by_differences;
    auto fresh = std::make_shared<System::Declarations>(*read);
    fresh->rates = Function::rates(DaeRates{own});
    fresh->follow = [own](const Held&) { own->source = nullptr; };
    fresh->settle = nullptr;
    fresh->resolve = nullptr;
    return std::shared_ptr<const System::Declarations>(std::move(fresh));
  };
}

const MechanicsInfo* mechanism_of(const System::Declarations& model) {
  return model.parts && model.parts->mechanics ? model.parts->mechanics.get() : nullptr;
}

}  // namespace

void ImplicitRun::analyze(const SolverPlan& solver) {
  const StepControl control = step_control(setup_);
  auto view = std::make_shared<DaeView>(model_);
  view->form->wants_differences = solver.wants_differences;
  view->fixed = fixed_states();
  view->notes = notes_;
  view->pull = std::make_unique<stabilize::EquationPull>(
      *model_,
      [this, in = view.get()](double t, const double* x) -> formulate::DaeForm& {
        const Held& held = *field_->around->held;
        if (in->source != &held) in->follow(held, t, x);
        return *in->form;
      },
      control);
  setup_.pull = std::shared_ptr<Correction>(view, view->pull.get());

  auto derived = std::make_shared<System::Declarations>(*model_);
  derived->rates = Function::rates(DaeRates{view});
  derived->follow = [view](const Held&) { view->source = nullptr; };
  derived->settle = [view](double t, double* x, const Held& held, Settle why) -> std::string {
    if (why == Settle::drawn) return {};
    if (why == Settle::start && view->switches && !view->has_decided) return {};  // they are decided first
    if (why == Settle::pass && view->form->structure().index < 2) return {};
    return view->settle(t, x, held, why);
  };
  if (!model_->switches.empty()) add_switches(view, control, setup_, *derived);
  if (const MechanicsInfo* mechanism = mechanism_of(*model_); mechanism != nullptr && !mechanism->contacts.empty())
    add_contacts(view, setup_.options, *derived);
  if (view->switches || view->contacts) {
    derived->resolve = [view](double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                              Settle why) { return view->resolve(t, x, held, fired, accumulating, why); };
  }
  derived->scratch = reading(*view, *derived);
  setup_.declarations = derived;
  analyzed_ = view;
  look_at_start();
}

/// Index and roles there.
void ImplicitRun::look_at_start() {
  auto& view = static_cast<DaeView&>(*analyzed_);
  const double t = setup_.options.start;
  try {
    if (view.switches) {  // conditions may yet change what is decided here
      Held held = *setup_.held;
      std::vector<double> x = setup_.start_state;
      if (view.switches->resolve(t, x.data(), held, {}, Settle::start).failure.empty())
        setup_.held = std::make_shared<const Held>(std::move(held));
    }
    view.follow(*setup_.held, t, setup_.start_state.data());
    structure_ = view.form->structure().describe();
    mass_kind_ = view.form->mass_kind();
    has_exact_jacobian_ = view.form->has_exact_jacobian();
    index_ = view.form->structure().index;
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup_.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

void ImplicitRun::begin(const Plan& plan) {
  plan_ = &plan;
  if (!analyzed_) return;
  if (plan.finder->kind == event::FinderInfo::Kind::daspke)
    throw Misuse(
        fmt::format("event finder '{}' appends the guards to the rates, which system '{}', declared by "
                    "equations, does not have: use certified",
                    plan.finder->name, model_->name));
  auto& view = static_cast<DaeView&>(*analyzed_);
  const Method& method = *plan.method.value;
  const double t = setup_.options.start;
  view.policy = plan.start;
  if (!setup_.start_failure.empty()) return;
  try {
    // Equations of index 3 are stiff in what rounding leaves of constraints, the more so the shorter the step, and what
    // they say of speeds and forces has a lower order; a Jacobian of the field costs as many fields as it has unknowns.
    const MechanicsInfo* mechanism = mechanism_of(*model_);
    const bool has_joints = mechanism != nullptr && !mechanism->constraints.empty();
    view.is_field = !method.is_implicit() || has_joints || index_ > 3 ||
                    (index_ == 3 && (method.highest_index < 3 || view.form->size() <= largest_field));
    view.has_begun = true;
    view.pull->set_field(view.is_field);
    // With events, conditions are decided first: they may say which equations are in force.
    if (!setup_.declarations->has_events()) {
      setup_.start_failure = setup_.declarations->settle(t, setup_.start_state.data(), *setup_.held, Settle::start);
      if (view.policy != AtStart::keep) setup_.start_rate = view.rates;
    }
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup_.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

bool ImplicitRun::integrates_field() const {
  return analyzed_ && static_cast<const DaeView&>(*analyzed_).is_field;
}

void ImplicitRun::follow(const ActiveField& field) {
  field_ = &field;
}

std::unique_ptr<formulate::ImplicitForm> ImplicitRun::make_form(const ActiveField& field, int size,
                                                                bool is_own_choice) {
  using formulate::Scheme;
  std::unique_ptr<formulate::ImplicitForm> form;
  if (integrates_field()) {
    form = formulate::make_ode_form(setup_.declarations, field, size);
  } else if (model_->is_implicit()) {
    auto dae = formulate::make_dae_form(model_, field);
    if (analyzed_) dae->learn_from(*static_cast<DaeView&>(*analyzed_).form);
    form = std::move(dae);
  } else if (manifold_ != nullptr && (model_->mechanics || model_->port_hamiltonian)) {
    const Scheme scheme = manifold_->formulation().scheme;
    const bool is_free = is_own_choice && scheme == Scheme::acceleration;  // of a run that has turned stiff
    form = manifold_->formulation().is_implicit() || is_free
               ? manifold_->make_implicit_form(is_free ? Scheme::index_2 : scheme, field, size)
               : formulate::make_ode_form(setup_.declarations, field, size);  // of the form: numbers only
  } else {
    form = formulate::make_ode_form(model_, field, size);
  }
  form->linear_solver = plan_->solver.kind;
  form->wants_differences = plan_->solver.wants_differences;
  return form;
}

std::unique_ptr<Stepper> ImplicitRun::make_stepper(const Method& method, const VectorField& field, int size,
                                                   const StepControl& control, bool is_own_choice) {
  forms_.push_back(make_form(*field.active, size, is_own_choice));
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
    notes_->push_back(make_message(MessageCode::order_lost_by_index, setup_.options.start, {{"method", method.name}}));
  if (method.highest_index == 2 && exceeds(2))
    notes_->push_back(make_message(MessageCode::bdf_on_index_3, setup_.options.start));
  const formulate::ImplicitForm& form = *forms_.back();
  const bool is_dae = (model_->is_implicit() && !integrates_field()) || form.size() != form.states() ||
                      form.mass_kind() != formulate::MassKind::identity;
  return method.make_implicit(*forms_.back(), control, {is_dae, plan_->solver.is_krylov});
}

DriverParts ImplicitRun::make_methods(const VectorField& field, int size, const StepControl& control) {
  const Method &method = *plan_->method.value, *other = plan_->when_stiff.value;
  DriverParts parts;
  parts.method =
      method.is_implicit() ? make_stepper(method, field, size, control, false) : method.make(field, size, control);
  if (other == nullptr) return parts;
  parts.make_implicit = [=, this] { return make_stepper(*other, field, size, control, true); };
  parts.switching.emplace(SwitchingRules{.explicit_name = method.name,
                                         .implicit_name = other->name,
                                         .stability_limit = method.stability_limit,
                                         .looks_at_once = size >= 1000},
                          field, size, control);
  return parts;
}

std::vector<Message> ImplicitRun::take_notes() {
  return std::exchange(*notes_, {});
}

void ImplicitRun::carry(Memory& memory, const Held& held) {
  memory(*notes_);
  if (!analyzed_) return;
  DaeView& view = static_cast<DaeView&>(*analyzed_);
  bool is_of_run = view.source == &held;
  memory(view.rates, view.has_decided, view.handed_out, is_of_run);
  if (!memory.is_saving()) {
    view.source = is_of_run ? &held : nullptr;
    view.around.held = &held;
    view.field.parameters = held.parameters.data();
  }
  view.form->carry(memory);
  if (view.switches) view.switches->carry(memory);
  if (view.contacts) view.contacts->carry(memory);
  view.pull->carry(memory);
}

void ImplicitRun::report(const Driver& driver, Statistics& statistics) {
  long long rhs = 0, duals = 0;  // of the equations, beside the steps: starts, events, analyses
  if (analyzed_) {
    const auto& view = static_cast<const DaeView&>(*analyzed_);
    rhs += view.form->other_rhs() - view.handed_out;
    duals += view.form->other_dual_rhs();
    for (const auto& form : forms_) {
      if (integrates_field()) break;
      const auto& dae = static_cast<const formulate::DaeForm&>(*form);
      rhs += dae.other_rhs();
      duals += dae.other_dual_rhs();
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
