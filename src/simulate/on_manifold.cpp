#include "simulate/on_manifold.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/implicit_mechanics.hpp"
#include "formulate/implicit_port_hamiltonian.hpp"
#include "formulate/ode_form.hpp"
#include "stabilize/consistent_start.hpp"

namespace pawl::detail {

namespace {

using formulate::MechanicsForm;

/// The rates of a form as a model function: numbers only, one form per run.
struct FormRates {
  std::shared_ptr<formulate::Form> form;
  void operator()(const Point<double>& at, Rates<double>& d) const {
    const auto* around = at.around();
    if (form->source != around->held) {
      form->lock(*around->held);
      form->source = around->held;
    }
    form->relays = around->relays;
    form->rate(at.t, at.states().array, &d[State{0}]);
    form->relays = nullptr;
  }
};

/// The multipliers of a form; where there are contacts, what their guards read beside them too.
class FormMultipliers final : public DrawnMultipliers {
 public:
  explicit FormMultipliers(std::shared_ptr<formulate::Form> form, std::shared_ptr<contact::Contacts> contacts = nullptr)
      : form_(std::move(form)), contacts_(std::move(contacts)) {}
  double multiplier(const Point<double>& at, int row) const override {
    if (contacts_) return contacts_->quantity(at, row);
    form_->relays = at.around()->relays;
    const double value = form_->multiplier(at.t, at.states().array, row);
    form_->relays = nullptr;
    return value;
  }

 private:
  std::shared_ptr<formulate::Form> form_;
  std::shared_ptr<contact::Contacts> contacts_;
};

/// s = g' + σ g of one row, whose zero ends its reaching phase.
struct Surface {
  std::shared_ptr<formulate::Form> form;
  int declared_row;
  double operator()(const Point<double>& at) const {
    auto& mechanics = static_cast<MechanicsForm&>(*form);
    const int row = mechanics.terms().row_of_declared(declared_row);
    if (row < 0) return 1;
    std::vector<double> s(static_cast<std::size_t>(mechanics.terms().rows()));
    mechanics.surface(at.t, at.states().array, s.data());
    return s[static_cast<std::size_t>(row)];
  }
};

/// Rates, multipliers and manifold of the form, for a model that is run or read with it.
void attach(System::Declarations& model, const std::shared_ptr<formulate::Form>& form, bool has_manifold,
            std::shared_ptr<StartPolicy> policy) {
  model.rates = Function::rates(FormRates{form});
  model.multipliers = std::make_shared<FormMultipliers>(form);
  model.follow = [form](const Held& held) {
    form->lock(held);
    form->source = &held;
  };
  const bool has_levels = std::any_of(model.invariants.begin(), model.invariants.end(),
                                      [](const InvariantInfo& one) { return one.is_relative; });
  model.settle = [form, has_manifold, has_levels, size = static_cast<int>(model.state_names.size()),
                  policy = std::move(policy)](double t, double* x, const Held& held, Settle why) {
    if (why == Settle::pass) return std::string();
    form->lock(held);
    std::string failure;
    if (why == Settle::start) return policy->meet(*form, t, x, size);
    const bool is_jump = why == Settle::jump;
    if (has_manifold) stabilize::settle(*form, size, t, x, {is_jump || !has_levels, is_jump}, failure);
    return failure;
  };
}

}  // namespace

std::unique_ptr<OnManifold> OnManifold::make(Setup& setup, const Plan& plan) {
  std::unique_ptr<OnManifold> all(new OnManifold);
  all->declared_ = setup.declarations;
  all->formulation_ = plan.formulation.value;
  all->stabilization_ = plan.stabilization.value;
  all->at_start_ = plan.start;
  if (!plan.stabilization.why.empty())
    setup.messages.push_back(
        make_message(MessageCode::stabilization_chosen, setup.options.start,
                     {{"stabilization", all->stabilization_.name}, {"why", plan.stabilization.why}}));
  all->derive(setup);
  all->start(setup);
  return all;
}

// The system as the driver and the event layer see it: the rates are those of the form.
void OnManifold::derive(Setup& setup) {
  form_ =
      formulate::make_form(setup.declarations, formulation_.is_implicit() ? formulate::Formulation() : formulation_);
  start_policy_ =
      std::make_shared<StartPolicy>(StartPolicy{at_start_, setup.options.constraints.fixed, setup.declarations});
  start_policy_->has_manifold = formulation_.scheme != formulate::Scheme::penalty;
  start_policy_->pulls_at_once = stabilization_.strategy != stabilize::Strategy::none && !setup.options.step;
  auto derived = std::make_shared<System::Declarations>(*setup.declarations);
  const bool has_manifold = formulation_.scheme != formulate::Scheme::penalty &&
                            !(stabilization_.strategy == stabilize::Strategy::none && at_start_ == AtStart::keep);
  if (auto* mechanics = dynamic_cast<MechanicsForm*>(form_.get()))
    mechanics->set_direction(setup.options.end < setup.options.start ? -1 : 1);
  attach(*derived, form_, has_manifold, start_policy_);
  if (declared_->mechanics && !declared_->mechanics->contacts.empty()) declare_contacts(setup, *derived);
  if (!declared_->constraint_names.empty()) draw_multipliers(setup, *derived);
  *scratch_ = {.declared = declared_,
               .derived = std::make_shared<const System::Declarations>(*derived),
               .formulation = formulation_.is_implicit() ? formulate::Formulation() : formulation_,
               .has_manifold = has_manifold,
               .direction = setup.options.end < setup.options.start ? -1.0 : 1.0,
               .tolerance = setup.options.tolerance.relative,
               .duration = std::abs(setup.options.end - setup.options.start)};
  derived->scratch = [recipe = scratch_] { return recipe->make(); };
  derived_ = derived;
  setup.declarations = std::move(derived);
  setup.explain = [this] { return explain(); };
  setup.hint = [this] { return hint(); };
}

// Guards may read multipliers, which have polynomials beside those of the states.
void OnManifold::draw_multipliers(const Setup& setup, System::Declarations& derived) {
  auto multipliers = std::make_shared<FormMultipliers>(form_, contacts_);
  const auto* mechanics = dynamic_cast<const MechanicsForm*>(form_.get());
  const int count = contacts_ ? contacts_->quantities() : static_cast<int>(declared_->constraint_names.size());
  FollowerLevels::Source source;
  source.count = count;
  source.values = [source = multipliers.get(), mechanics, count](double t, const double* x, double* values) {
    const Held* held = mechanics != nullptr ? &mechanics->held() : nullptr;
    const Surroundings<double> around{held, {}, nullptr, nullptr, nullptr, source};
    const Point<double> at(t, x, held != nullptr ? held->parameters.data() : nullptr, &around);
    for (int k = 0; k < count; ++k) values[k] = source->multiplier(at, k);
  };
  source.are_known = [mechanics](double t, const double* x) {
    return mechanics != nullptr && mechanics->is_known(t, x);
  };
  if (contacts_) source.are_shared = [contacts = contacts_.get()] { return contacts->share_loads(); };
  followers_ = multipliers->levels = std::make_shared<FollowerLevels>(
      std::move(source), setup.options.tolerance.relative, static_cast<int>(declared_->state_names.size()));
  derived.follow = [follow = derived.follow, levels = followers_](const Held& held) {
    follow(held);
    levels->forget();
  };
  derived.multipliers = std::move(multipliers);
}

std::shared_ptr<const System::Declarations> ScratchRecipe::make() const {
  auto model = std::make_shared<System::Declarations>(*derived);
  const std::shared_ptr<formulate::Form> form = formulate::make_form(declared, formulation);
  attach(*model, form, has_manifold, nullptr);
  if (auto* mechanics = dynamic_cast<MechanicsForm*>(form.get())) {
    mechanics->set_direction(direction);
    if (first_reaching_mode >= 0) mechanics->reach_by_modes(first_reaching_mode);
  }
  if (first_reaching_mode >= 0) model->settle = nullptr;
  if (declared->mechanics && !declared->mechanics->contacts.empty()) {
    const auto contacts = std::make_shared<contact::Contacts>(declared, std::static_pointer_cast<MechanicsForm>(form),
                                                              model->multipliers, tolerance, duration);
    model->multipliers = std::make_shared<FormMultipliers>(form, contacts);
  }
  return model;
}

void OnManifold::carry(Memory& memory) {
  form_->carry(memory);
  if (contacts_) contacts_->carry(memory);
  if (followers_) followers_->carry(memory);
  memory(start_policy_->notes);
}

// Contacts end and begin by guards of their own, and are resolved together at every event.
void OnManifold::declare_contacts(const Setup& setup, System::Declarations& derived) {
  if (setup.options.end < setup.options.start)
    throw Misuse(fmt::format("system '{}' has contacts or dry friction, whose motion cannot be run backwards in time",
                             derived.name));
  if (at_start_ == AtStart::reach)
    throw Misuse(fmt::format("system '{}' has contacts: the start 'reach' is for joints alone", derived.name));
  contacts_ = std::make_shared<contact::Contacts>(declared_, std::static_pointer_cast<MechanicsForm>(form_),
                                                  derived.multipliers, setup.options.tolerance.relative,
                                                  std::abs(setup.options.end - setup.options.start));
  contacts_->declare_guards(derived);
  derived.resolve = [contacts = contacts_, settle = derived.settle, model = declared_](
                        double t, double* x, Held& held, std::span<const int> fired, int accumulating, Settle why) {
    // A state read from dense output may leave what is closed by the error of a step: that is no impact.
    if (why == Settle::pass) {
      if (std::string failure = settle(t, x, held, Settle::drawn); !failure.empty())
        return Resolution{.failure = std::move(failure)};
    }
    if (Held closing = held; why != Settle::start && contacts->close_touching(t, x, closing, fired, why)) {
      std::vector<double> met(x, x + model->state_names.size());
      if (settle(t, met.data(), closing, Settle::drawn).empty()) {
        for (const int position : model->mechanics->positions) x[position] = met[static_cast<std::size_t>(position)];
        if (why == Settle::pass) settle(t, x, held, Settle::drawn);  // its speeds, there
      }
    }
    return contacts->resolve(t, x, held, fired, accumulating, why);
  };
}

/// What happens to a start off the manifold. Returns why the run cannot begin, or nothing.
std::string StartPolicy::meet(formulate::Form& form, double t, double* x, int size) {
  form.take_levels(t, x);
  if (!has_manifold) return {};
  std::vector<double> state(x, x + size);
  if (wanted == AtStart::project) {
    auto report = stabilize::project_start(form, *model, t, state, fixed);
    if (!report.failure.empty()) return report.failure;
    if (!report.changes.empty())
      notes.push_back(make_message(MessageCode::start_moved, t, {{"changes", report.changes}}));
    std::copy(state.begin(), state.end(), x);
    form.take_levels(t, x);
  } else {
    const std::string off = stabilize::describe_inconsistency(form, t, state);
    if (!off.empty() && wanted == AtStart::refuse) return fmt::format("the start is not consistent: {}", off);
    if (!off.empty() && wanted == AtStart::keep) {
      if (pulls_at_once)
        return fmt::format(
            "the start is to be kept, but {}, and the stabilization would pull it in its first step.\n"
            "  try:    the start 'project', or the stabilization 'none'",
            off);
      notes.push_back(make_message(MessageCode::start_kept, t, {{"off", off}}));
    }
  }
  auto* mechanics = dynamic_cast<MechanicsForm*>(&form);
  if (mechanics != nullptr && wanted != AtStart::keep) {
    const std::string contradiction = mechanics->contradiction(t, x);
    if (!contradiction.empty()) {
      form.take_notes();  // that rows were dropped is no help then
      return contradiction;
    }
  }
  for (Message& note : form.take_notes()) notes.push_back(std::move(note));
  return form.describe_unkept(t, x);
}

void OnManifold::start(Setup& setup) {
  const double t = setup.options.start;
  form_->lock(*setup.held);
  try {
    if (at_start_ == AtStart::reach) {
      form_->take_levels(t, setup.start_state.data());
      return declare_reaching(setup);
    }
    if (setup.declarations->has_events()) return;  // conditions first: they may say which constraints are in force
    setup.start_failure = start_policy_->meet(*form_, t, setup.start_state.data(), setup.size());
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

// Each surface that is not met yet gets a sign, held until its zero, and a guard that finds it.
void OnManifold::declare_reaching(Setup& setup) {
  auto* mechanics = dynamic_cast<MechanicsForm*>(form_.get());
  const double t = setup.options.start;
  auto derived = std::make_shared<System::Declarations>(*setup.declarations);
  auto held = std::make_shared<Held>(*setup.held);
  const int first_mode = static_cast<int>(derived->modes.size());
  std::vector<double> s(derived->constraint_names.size());
  mechanics->surface(t, setup.start_state.data(), s.data());
  std::vector<int> signs(s.size(), 0);
  for (int row = 0; row < mechanics->terms().rows(); ++row) {
    const double value = s[static_cast<std::size_t>(row)];
    if (std::abs(value) > 1e-14)
      signs[static_cast<std::size_t>(mechanics->terms().declared_row(row))] = value > 0 ? 1 : -1;
  }
  first_reaching_guard_ = static_cast<int>(derived->guards.size());
  for (std::size_t row = 0; row < signs.size(); ++row) {
    const std::string& name = derived->constraint_names[row];
    const Discrete<int> mode{first_mode + static_cast<int>(row)};
    derived->mode_names.push_back("reaching " + name);
    derived->mode_is_bool.push_back(false);
    derived->modes.push_back(signs[row]);
    held->modes.push_back(signs[row]);
    GuardInfo guard{.name = fmt::format("surface of '{}' is reached", name),
                    .g = Function::guard(Surface{form_, static_cast<int>(row)})};
    guard.direction = signs[row] > 0 ? Direction::falling : Direction::rising;
    guard.only_when = !(mode == 0);
    guard.then = [mode](Jump& jump, Pair) { jump[mode] = 0; };
    if (signs[row] != 0) reaching_rows_.push_back(static_cast<int>(row));
    derived->guards.push_back(std::move(guard));
  }
  derived->settle = nullptr;  // what is not reached yet must not be jumped to
  mechanics->reach_by_modes(first_mode);
  scratch_->first_reaching_mode = first_mode;
  setup.declarations = std::move(derived);
  setup.held = std::move(held);
  form_->lock(*setup.held);
}

namespace {

/// One form while the motion is smooth, another while it slides on a relay or against friction.
class SlidingAware final : public formulate::ImplicitForm {
 public:
  SlidingAware(std::unique_ptr<ImplicitForm> smooth, std::unique_ptr<ImplicitForm> sliding, const ActiveField& field,
               const MechanicsForm* mechanics)
      : smooth_(std::move(smooth)),
        sliding_(std::move(sliding)),
        field_(field),
        mechanics_(mechanics),
        now_(smooth_.get()) {
    take_over();
  }
  void restart(double t, const double* x) override {
    const auto& sides = field_.around->held->sides;
    const bool slides = std::find(sides.begin(), sides.end(), RelaySide::sliding) != sides.end() ||
                        (mechanics_ != nullptr && mechanics_->has_contact_forces());
    now_ = slides ? sliding_.get() : smooth_.get();
    for (auto* form : {smooth_.get(), sliding_.get()}) {
      form->linear_solver = linear_solver;
      form->wants_differences = wants_differences;
    }
    now_->restart(t, x);
    take_over();
  }
  std::string complete(double t, double* y, double* dy) override { return now_->complete(t, y, dy); }
  void residual(double t, const double* y, const double* dy, double* r) override { now_->residual(t, y, dy, r); }
  void linearize(double t, const double* y, const double* dy) override {
    now_->linearize(t, y, dy);
    count();
  }
  void time_slope(double t, const double* y, const double* dy, double* slope) override {
    now_->time_slope(t, y, dy, slope);
    count();
  }
  const MatrixPair& matrices() const override { return now_->matrices(); }
  void times_mass(const double* x, double* out) const override { now_->times_mass(x, out); }
  std::unique_ptr<ShiftedSystem> make_solver(int real_slots, int complex_slots) const override {
    return now_->make_solver(real_slots, complex_slots);
  }
  std::string name(int unknown) const override { return now_->name(unknown); }
  void carry(Memory& memory) override {
    carry_common(memory);
    smooth_->carry(memory);
    sliding_->carry(memory);
    bool slides = now_ == sliding_.get();
    memory(slides);
    now_ = slides ? sliding_.get() : smooth_.get();
  }

 private:
  void count() {
    dual_evaluations = smooth_->dual_evaluations + sliding_->dual_evaluations;
    difference_evaluations = smooth_->difference_evaluations + sliding_->difference_evaluations;
  }
  void take_over() {
    size_ = now_->size();
    states_ = now_->states();
    mass_kind_ = now_->mass_kind();
    has_exact_jacobian_ = now_->has_exact_jacobian();
    jacobian_kind_ = now_->jacobian_kind();
    roles_ = now_->roles();
    version_ = 2 * now_->version() + (now_ == sliding_.get() ? 1 : 0);
  }
  std::unique_ptr<ImplicitForm> smooth_, sliding_;
  const ActiveField& field_;
  const MechanicsForm* mechanics_;
  ImplicitForm* now_;
};

}  // namespace

std::unique_ptr<formulate::ImplicitForm> OnManifold::make_implicit_form(formulate::Scheme scheme,
                                                                        const ActiveField& field, int size) {
  const formulate::Level level = formulate::level_of(scheme);
  std::unique_ptr<formulate::ImplicitForm> smooth =
      declared_->mechanics ? formulate::make_implicit_mechanics(declared_, static_cast<MechanicsForm&>(*form_), level)
                           : formulate::make_implicit_port_hamiltonian(
                                 declared_, static_cast<formulate::PortHamiltonianForm&>(*form_), level);
  return std::make_unique<SlidingAware>(std::move(smooth), formulate::make_ode_form(derived_, field, size), field,
                                        dynamic_cast<const MechanicsForm*>(form_.get()));
}

Keeper& OnManifold::make_keeper(const stabilize::KeptMotion& motion) {
  const StepControl& control = motion.control;
  stabilizer_ = stabilize::make_stabilizer(stabilization_, *form_, control, static_cast<int>(control.absolute.size()));
  const bool draws_on_manifold = stabilization_.strategy == stabilize::Strategy::projection &&
                                 stabilization_.positions && stabilization_.velocities;
  return keeper_.emplace(*stabilizer_, *form_, motion, draws_on_manifold, followers_.get());
}

std::string OnManifold::hint() const {
  const std::string row = stabilizer_ ? stabilizer_->farthest_row() : std::string();
  return row.empty() ? std::string()
                     : fmt::format("\n  seen:   the last correction was largest for constraint '{}'", row);
}

std::string OnManifold::explain() const {
  if (keeper_ && keeper_->has_ended()) return keeper_->singular();
  if (stabilizer_ && !stabilizer_->failure().empty()) return stabilizer_->failure();
  return form_->why();
}

void OnManifold::report(const Result& run, Statistics& statistics) const {
  statistics.rhs += form_->extra_evaluations;
  ConstraintStatistics& out = statistics.constraints.emplace();
  out.formulation = formulation_.name;
  out.stabilization = stabilization_.in_words();
  if (stabilizer_) {
    const stabilize::Drift& drift = stabilizer_->drift();
    out.position_drift = drift.position;
    out.velocity_drift = drift.velocity;
    out.invariant_drift = drift.invariant;
    out.surface = drift.surface;
    out.max_adjustment = stabilizer_->largest_move();
    out.max_adjustment_in_tolerance = stabilizer_->largest_move_in_tolerance();
    out.corrections = stabilizer_->pulls().applied;
    out.iterations = stabilizer_->pulls().iterations;
    out.refactored = stabilizer_->pulls().refactored;
    out.raised_polynomials = keeper_->raised_polynomials();
  }
  if (const auto* mechanics = dynamic_cast<const MechanicsForm*>(form_.get())) {
    out.inertia = mechanics->terms().inertia().description();
    for (const int row : mechanics->redundant_rows())
      out.redundant.push_back(run.declarations->constraint_names[static_cast<std::size_t>(row)]);
  }
  for (int row = 0; first_reaching_guard_ >= 0 && row < static_cast<int>(run.declarations->constraint_names.size());
       ++row) {
    for (const double t : run.times_of(Guard{first_reaching_guard_ + row}))
      out.reached.push_back({run.declarations->constraint_names[static_cast<std::size_t>(row)], t});
  }
}

std::vector<Message> OnManifold::notes(const Options& options, const Result& run) const {
  std::vector<Message> messages;
  for (const int row : reaching_rows_) {
    if (run.times_of(Guard{first_reaching_guard_ + row}).empty())
      messages.push_back(
          make_message(MessageCode::surface_not_reached, run.t_end,
                       {{"constraint", run.declarations->constraint_names[static_cast<std::size_t>(row)]}}));
  }
  messages.insert(messages.end(), start_policy_->notes.begin(), start_policy_->notes.end());
  if (options.step && stabilizer_ && stabilizer_->largest_move_in_tolerance() > 1) {
    const auto& [when, row] = stabilizer_->largest_at();
    messages.push_back(make_message(MessageCode::large_correction, when,
                                    {{"move", stabilizer_->largest_move()},
                                     {"row", row.empty() ? "" : fmt::format(", most of it for '{}'", row)},
                                     {"tolerance", options.tolerance.relative}}));
  }
  for (Message& note : form_->take_notes()) messages.push_back(std::move(note));
  return messages;
}

}  // namespace pawl::detail
