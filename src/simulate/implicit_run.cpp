#include "simulate/implicit_run.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "formulate/dae_form.hpp"
#include "formulate/dae_start.hpp"
#include "formulate/ode_form.hpp"
#include "integrate/switching_stepper.hpp"
#include "simulate/ideal_switches.hpp"
#include "simulate/on_manifold.hpp"

namespace pawl::detail {

namespace {

/// The equations of a differential-algebraic system as everybody but the stepper sees them: the event layer, which
/// wants rates, and whoever reads the result.
struct DaeView : ImplicitRun::Analyzed {
  std::shared_ptr<const System::Declarations> model;
  Surroundings<double> around{};
  ActiveField field{};
  std::unique_ptr<formulate::DaeForm> form;
  const Held* source = nullptr;
  std::vector<double> rates;
  std::unique_ptr<IdealSwitches> switches{};  // where there are any
  bool has_decided = false;                   // the switches, at the start of the run

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
};

struct DaeRates {
  std::shared_ptr<DaeView> view;
  void operator()(const Point<double>& at, Rates<double>& d) const {
    if (view->source != at.around()->held) view->follow(*at.around()->held, at.t, at.states().array);
    if (view->form->rate(at.t, at.states().array, &d[State{0}])) return;
    std::fill_n(&d[State{0}], view->rates.size(), std::numeric_limits<double>::quiet_NaN());
  }
};

/// A relay of a differential-algebraic system cannot slide: its rates are solved for with the levels it has.
std::string refuse_sliding(const System::Declarations& model, const Held& held) {
  for (std::size_t r = 0; r < held.sides.size(); ++r) {
    if (held.sides[r] == RelaySide::sliding)
      return fmt::format(
          "the relay '{}' begins to slide, which systems declared by equations cannot yet do.\n"
          "  try:    give it hysteresis, or declare the system by rates",
          model.relays[r].name);
  }
  return {};
}

}  // namespace

ImplicitRun::ImplicitRun(Setup& setup, OnManifold* manifold) : setup_(setup), manifold_(manifold) {
  model_ = manifold != nullptr ? manifold->declared() : setup.declarations;
}

ImplicitRun::~ImplicitRun() = default;

void ImplicitRun::derive() {
  if (setup_.options.events.starts_with("daspke") && setup_.options.events != "daspke(algebraic)")
    throw Misuse(
        fmt::format("event finder '{}' appends the guards to the rates, which system '{}', declared by "
                    "equations, does not have: use certified",
                    setup_.options.events, model_->name));
  auto view = std::make_shared<DaeView>(model_);
  view->form->wants_differences = setup_.options.implicit.jacobian == "differences";
  const std::vector<std::string>& names = setup_.options.constraints.fixed;
  std::vector<bool> fixed(model_->state_names.size(), false);
  for (const std::string& name : names) {
    const auto found = std::find(model_->state_names.begin(), model_->state_names.end(), name);
    if (found == model_->state_names.end())
      throw Misuse(
          fmt::format("'{}' is to be fixed at the start, but system '{}' has no such state", name, model_->name));
    fixed[static_cast<std::size_t>(found - model_->state_names.begin())] = true;
  }
  auto derived = std::make_shared<System::Declarations>(*model_);
  derived->rates = Function::rates(DaeRates{view});
  derived->follow = [view](const Held&) { view->source = nullptr; };
  const std::string policy = setup_.options.constraints.start;
  if (policy != "project" && policy != "keep" && policy != "refuse")
    throw Misuse(fmt::format("start '{}': expected project, keep or refuse", policy));
  auto notes = notes_;
  const auto find = [in = view.get(), fixed](double t, double* x, double* rates, const Held& held, Settle why) {
    in->follow(held, t, x);
    auto report = formulate::find_consistent(*in->form, t, x, rates,
                                             why == Settle::start ? fixed : std::vector<bool>(fixed.size(), false),
                                             why != Settle::start);
    in->source = nullptr;
    return report;
  };
  const auto settle = [view, find, notes, policy](double t, double* x, const Held& held, Settle why) -> std::string {
    if (why == Settle::start && policy == "keep") return {};
    auto report = find(t, x, view->rates.data(), held, why);
    if (!report.failure.empty()) return report.failure;
    if (why == Settle::start && policy == "refuse" && !report.changes.empty())
      return fmt::format("the start is not consistent: {}", report.changes);
    if (why == Settle::start && !report.changes.empty()) notes->push_back(std::move(report.changes));
    return {};
  };
  derived->settle = [view, settle](double t, double* x, const Held& held, Settle why) -> std::string {
    if (why == Settle::drawn) return {};
    if (why == Settle::start && view->switches && !view->has_decided) return {};  // they are decided first
    if (why == Settle::pass && view->form->structure().index < 2) return {};
    if (const std::string refused = refuse_sliding(*view->model, held); !refused.empty()) return refused;
    return settle(t, x, held, why);
  };
  if (!model_->switches.empty()) {
    const StepControl control = step_control(setup_);
    view->switches = std::make_unique<IdealSwitches>(
        model_, *view->form,
        [find](double t, std::vector<double>& y, std::vector<double>& dy, const Held& held, Settle why) {
          return find(t, y.data(), dy.data(), held, why);
        },
        IdealSwitches::Accuracy{control.relative, setup_.options.end < setup_.options.start ? -1.0 : 1.0,
                                control.absolute});
    auto watched = std::make_shared<Held>(*setup_.held);
    view->switches->watch(*derived, *watched);
    setup_.held = std::move(watched);
    derived->resolve = [view, settle](double t, double* x, Held& held, std::span<const int> fired, int,
                                      Settle why) -> Resolution {
      const Held before = held;
      Resolution outcome = view->switches->resolve(t, x, held, fired, why);
      if (why != Settle::start || !outcome.failure.empty()) return outcome;
      view->has_decided = true;
      if (held == before) outcome.failure = settle(t, x, held, why);  // otherwise the change of mode brings it about
      return outcome;
    };
  }
  derived->scratch = [model = model_, read = std::make_shared<const System::Declarations>(*derived),
                      by_differences = view->form->wants_differences] {
    auto own = std::make_shared<DaeView>(model);
    own->form->wants_differences = by_differences;
    auto fresh = std::make_shared<System::Declarations>(*read);
    fresh->rates = Function::rates(DaeRates{own});
    fresh->follow = [own](const Held&) { own->source = nullptr; };
    fresh->settle = nullptr;
    fresh->resolve = nullptr;
    return std::shared_ptr<const System::Declarations>(std::move(fresh));
  };
  setup_.declarations = derived;
  const double t = setup_.options.start;
  try {
    if (view->switches) {  // conditions may yet change what is decided here
      Held held = *setup_.held;
      std::vector<double> x = setup_.start_state;
      if (view->switches->resolve(t, x.data(), held, {}, Settle::start).failure.empty())
        setup_.held = std::make_shared<const Held>(std::move(held));
    }
    view->follow(*setup_.held, t, setup_.start_state.data());
    structure_ = view->form->structure().describe();
    mass_kind_ = view->form->mass_kind();
    has_exact_jacobian_ = view->form->has_exact_jacobian();
    index_ = view->form->structure().index;
    // With events, conditions are decided first: they may say which equations are in force.
    if (!derived->has_events()) {
      setup_.start_failure = derived->settle(t, setup_.start_state.data(), *setup_.held, Settle::start);
      if (policy != "keep") setup_.start_rate = view->rates;
    }
    analyzed_ = view;
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup_.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

std::unique_ptr<formulate::ImplicitForm> ImplicitRun::make_form(const ActiveField& field, int size,
                                                                bool is_own_choice) {
  using formulate::Scheme;
  std::unique_ptr<formulate::ImplicitForm> form;
  if (model_->is_implicit()) {
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
  const ImplicitOptions& options = setup_.options.implicit;
  form->linear_solver = options.linear_solver == "krylov" ? "auto" : options.linear_solver;
  form->wants_differences = options.jacobian == "differences";
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
  const bool is_high_index =
      std::any_of(roles.begin(), roles.end(), [](const formulate::Role& role) { return role.index >= 2; });
  if (is_high_index && (method.family == "Rosenbrock" || method.family == "diagonally implicit Runge-Kutta")) {
    notes_->push_back(
        fmt::format("method '{}' loses most of its order on systems of index 2 and 3: radau keeps it", method.name));
  }
  if (method.family == "multistep (SUNDIALS)" &&
      std::any_of(roles.begin(), roles.end(), [](const formulate::Role& role) { return role.index >= 3; }))
    notes_->push_back(
        "BDF on equations of index 3 may fail or lose digits without a sign of it: radau is made for them, and "
        "'stabilized-index-2' for bdf");
  const formulate::ImplicitForm& form = *forms_.back();
  const bool is_dae =
      model_->is_implicit() || form.size() != form.states() || form.mass_kind() != formulate::MassKind::identity;
  return method.make_implicit(*forms_.back(), control, {is_dae, setup_.options.implicit.linear_solver == "krylov"});
}

event::StepperMaker ImplicitRun::steppers(const Method& method) {
  return [this, &method](const VectorField& field, int size, const StepControl& control) {
    return make_stepper(method, field, size, control, false);
  };
}

event::StepperMaker ImplicitRun::switching(const Method& explicit_one, const Method& implicit_one) {
  return [this, &explicit_one, &implicit_one](const VectorField& field, int size, const StepControl& control) {
    SwitchingParts parts{.explicit_one = explicit_one.make(field, size, control),
                         .make_implicit = [this, &implicit_one, field, size,
                                           control] { return make_stepper(implicit_one, field, size, control, true); },
                         .explicit_name = explicit_one.name,
                         .implicit_name = implicit_one.name,
                         .stability_limit = explicit_one.stability_limit,
                         .looks_at_once = size >= 1000};
    return make_switching(std::move(parts), field, size, control);
  };
}

std::vector<std::string> ImplicitRun::take_notes() {
  return std::exchange(*notes_, {});
}

void ImplicitRun::carry(Memory& memory, const Held& held) {
  memory(*notes_);
  if (!analyzed_) return;
  DaeView& view = static_cast<DaeView&>(*analyzed_);
  bool is_of_run = view.source == &held;
  memory(view.rates, view.has_decided, is_of_run);
  if (!memory.is_saving()) {
    view.source = is_of_run ? &held : nullptr;
    view.around.held = &held;
    view.field.parameters = held.parameters.data();
  }
  view.form->carry(memory);
  if (view.switches) view.switches->carry(memory);
}

void ImplicitRun::report(const Stepper& stepper, Statistics& statistics) {
  long long rhs = 0, duals = 0;  // of the equations, beside the steps: starts, events, analyses
  if (analyzed_) {
    const formulate::DaeForm& view = *static_cast<DaeView&>(*analyzed_).form;
    rhs += view.other_rhs();
    duals += view.other_dual_rhs();
    for (const auto& form : forms_) {
      const auto& dae = static_cast<const formulate::DaeForm&>(*form);
      rhs += dae.other_rhs();
      duals += dae.other_dual_rhs();
    }
  }
  statistics.rhs += rhs;
  const Work& work = stepper.work();
  if (work.jacobians == 0 && work.iterations == 0 && stepper.solver().empty()) return;
  ImplicitStatistics& out = statistics.implicit.emplace();
  out.jacobians = work.jacobians;
  out.dual_rhs = work.dual_rhs + duals;
  out.factorizations = work.factorizations;
  out.solves = work.solves;
  out.iterations = work.iterations;
  out.divergences = work.divergences;
  out.linear_solver = stepper.solver();
  out.jacobian = stepper.jacobian_kind();
  out.structure = structure_;
  for (const auto& [name, steps] : stepper.steps_by_method()) out.steps.push_back({name, steps});
}

}  // namespace pawl::detail
