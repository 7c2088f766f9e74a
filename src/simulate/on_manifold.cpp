#include "simulate/on_manifold.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/implicit_mechanics.hpp"
#include "formulate/implicit_port_hamiltonian.hpp"
#include "formulate/ode_form.hpp"

namespace pawl::detail {

namespace {

using formulate::MechanicsForm;

void check_contacts(const Setup& setup, AtStart start) {
  const std::string& name = setup.declarations->name;
  if (setup.options.end < setup.options.start)
    throw Misuse(
        fmt::format("system '{}' has contacts or dry friction, whose motion cannot be run backwards in time", name));
  if (start == AtStart::reach)
    throw Misuse(fmt::format("system '{}' has contacts: the start 'reach' is for joints alone", name));
}

/// With a guard for each surface that the motion has to reach, and a sign of it that is held until then.
std::shared_ptr<const System::Declarations> reaching(const System::Declarations& model) {
  auto all = std::make_shared<System::Declarations>(model);
  for (std::size_t row = 0; row < model.constraint_names.size(); ++row) {
    const std::string& name = model.constraint_names[row];
    const Discrete<int> mode{all->add_own_mode("reaching " + name, false)};
    GuardInfo guard{.name = fmt::format("surface of '{}' is reached", name), .g = surface_guard(static_cast<int>(row))};
    guard.only_when = !(mode == 0);
    guard.then = [mode](Jump& jump, Pair) { jump[mode] = 0; };
    all->guards.push_back(std::move(guard));
  }
  return all;
}

}  // namespace

std::unique_ptr<OnManifold> OnManifold::make(Setup& setup, const Plan& plan) {
  std::unique_ptr<OnManifold> all(new OnManifold);
  all->formulation_ = plan.formulation.value;
  all->stabilization_ = plan.stabilization.value;
  if (!plan.stabilization.why.empty()) {
    setup.messages.push_back(
        make_message(MessageCode::stabilization_chosen, setup.options.start,
                     {{"stabilization", all->stabilization_.name}, {"why", plan.stabilization.why}}));
  }
  if (setup.declarations->mechanics && !setup.declarations->mechanics->contacts.empty())
    check_contacts(setup, plan.start);
  if (plan.start == AtStart::reach) {
    all->first_reaching_guard_ = static_cast<int>(setup.declarations->guards.size());
    all->first_reaching_mode_ = static_cast<int>(setup.declarations->modes.size());
    setup.declarations = reaching(*setup.declarations);
    auto held = std::make_shared<Held>(*setup.held);
    held->modes.resize(setup.declarations->modes.size(), 0);
    setup.held = std::move(held);
  }
  all->derive(setup, plan.start);
  all->start(setup, plan.start);
  return all;
}

// The equations as the driver and the event layer see them: the rates are those of the form.
void OnManifold::derive(Setup& setup, AtStart start) {
  const bool is_penalty = formulation_.scheme == formulate::Scheme::penalty;
  const bool is_pulled = stabilization_.strategy != stabilize::Strategy::none;
  dynamics_ = std::make_shared<FormDynamics>(
      setup.declarations,
      FormDynamics::Recipe{.formulation = formulation_.is_implicit() ? formulate::Formulation() : formulation_,
                           .has_manifold = !is_penalty && (is_pulled || start != AtStart::keep),
                           .first_reaching_mode = first_reaching_mode_,
                           .direction = setup.options.end < setup.options.start ? -1.0 : 1.0,
                           .tolerance = setup.options.tolerance.relative});
  dynamics_->start = {.wanted = start,
                      .fixed = setup.options.constraints.fixed,
                      .has_manifold = !is_penalty,
                      .pulls_at_once = is_pulled && !setup.options.step};
  if (!setup.declarations->constraint_names.empty()) dynamics_->draw_multipliers();
  setup.dynamics = dynamics_;
  setup.explain = [this] { return explain(); };
  setup.hint = [this] { return hint(); };
}

void OnManifold::start(Setup& setup, AtStart wanted) {
  const double t = setup.options.start;
  form().lock(*setup.held);
  try {
    if (wanted == AtStart::reach) {
      form().take_levels(t, setup.start_state.data());
      return begin_reaching(setup);
    }
    if (setup.declarations->has_events()) return;  // conditions first: they may say which constraints are in force
    setup.start_failure = dynamics_->start.meet(form(), *setup.declarations, t, setup.start_state.data());
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    setup.start_failure = fmt::format("t = {:.10g}: a function of the model threw: {}", t, error.what());
  }
}

// The signs of the surfaces that are not met yet.
void OnManifold::begin_reaching(Setup& setup) {
  MechanicsForm& mechanics = *dynamics_->mechanics();
  auto held = std::make_shared<Held>(*setup.held);
  std::vector<double> s(setup.declarations->constraint_names.size());
  mechanics.surface(setup.options.start, setup.start_state.data(), s.data());
  for (int row = 0; row < mechanics.terms().rows(); ++row) {
    const double value = s[static_cast<std::size_t>(row)];
    if (std::abs(value) <= 1e-14) continue;
    const int declared = mechanics.terms().declared_row(row);
    held->modes[static_cast<std::size_t>(first_reaching_mode_ + declared)] = value > 0 ? 1 : -1;
    reaching_rows_.push_back(declared);
  }
  std::sort(reaching_rows_.begin(), reaching_rows_.end());
  setup.held = std::move(held);
  form().lock(*setup.held);
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

std::unique_ptr<formulate::ImplicitForm> OnManifold::make_implicit_form(
    const std::shared_ptr<const System::Declarations>& model, formulate::Scheme scheme, const ActiveField& field,
    int size) {
  const formulate::Level level = formulate::level_of(scheme);
  std::unique_ptr<formulate::ImplicitForm> smooth =
      model->mechanics ? formulate::make_implicit_mechanics(model, *dynamics_->mechanics(), level)
                       : formulate::make_implicit_port_hamiltonian(
                             model, static_cast<formulate::PortHamiltonianForm&>(form()), level);
  return std::make_unique<SlidingAware>(std::move(smooth),
                                        formulate::make_ode_form(model, dynamics_->rates(), field, size), field,
                                        dynamics_->mechanics());
}

Keeper& OnManifold::make_keeper(const stabilize::KeptMotion& motion) {
  const StepControl& control = motion.control;
  stabilizer_ = stabilize::make_stabilizer(stabilization_, form(), control, static_cast<int>(control.absolute.size()));
  const bool draws_on_manifold = stabilization_.strategy == stabilize::Strategy::projection &&
                                 stabilization_.positions && stabilization_.velocities;
  return keeper_.emplace(*stabilizer_, form(), motion, draws_on_manifold, dynamics_->followers());
}

std::string OnManifold::hint() const {
  const std::string row = stabilizer_ ? stabilizer_->farthest_row() : std::string();
  return row.empty() ? std::string()
                     : fmt::format("\n  seen:   the last correction was largest for constraint '{}'", row);
}

std::string OnManifold::explain() const {
  if (keeper_ && keeper_->has_ended()) return keeper_->singular();
  if (stabilizer_ && !stabilizer_->failure().empty()) return stabilizer_->failure();
  return form().why();
}

void OnManifold::report(const Result& run, Statistics& statistics) const {
  statistics.rhs += form().extra_evaluations;
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
  if (const auto* mechanics = dynamics_->mechanics()) {
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
    if (run.times_of(Guard{first_reaching_guard_ + row}).empty()) {
      messages.push_back(
          make_message(MessageCode::surface_not_reached, run.t_end,
                       {{"constraint", run.declarations->constraint_names[static_cast<std::size_t>(row)]}}));
    }
  }
  messages.insert(messages.end(), dynamics_->start.notes.begin(), dynamics_->start.notes.end());
  if (options.step && stabilizer_ && stabilizer_->largest_move_in_tolerance() > 1) {
    const auto& [when, row] = stabilizer_->largest_at();
    messages.push_back(make_message(MessageCode::large_correction, when,
                                    {{"move", stabilizer_->largest_move()},
                                     {"row", row.empty() ? "" : fmt::format(", most of it for '{}'", row)},
                                     {"tolerance", options.tolerance.relative}}));
  }
  for (Message& note : form().take_notes()) messages.push_back(std::move(note));
  return messages;
}

}  // namespace pawl::detail
