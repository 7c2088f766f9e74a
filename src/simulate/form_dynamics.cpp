#include "simulate/form_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stabilize/consistent_start.hpp"

namespace pawl::detail {

namespace {

using formulate::MechanicsForm;

/// The rates of a form as a model function: numbers only.
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
class FormMultipliers final : public DrawnMultipliers, public contact::SharedForceSource {
 public:
  explicit FormMultipliers(std::shared_ptr<formulate::Form> form, std::shared_ptr<contact::Contacts> contacts = nullptr)
      : form_(std::move(form)), contacts_(std::move(contacts)) {}
  double multiplier(const Point<double>& at, int row) const override {
    if (contacts_) return contacts_->quantity(at, row) + move_of(row);
    form_->relays = at.around()->relays;
    const double value = form_->multiplier(at.t, at.states().array, row);
    form_->relays = nullptr;
    return value + move_of(row);
  }
  const contact::SharedForces::Forces* shared_force(const Point<double>& at, int contact) const override {
    return contacts_->shared_force(at, contact);
  }
  double surface(const Point<double>& at, int declared_row) const {
    auto& mechanics = static_cast<MechanicsForm&>(*form_);
    const int row = mechanics.terms().row_of_declared(declared_row);
    if (row < 0) return 1;
    std::vector<double> s(static_cast<std::size_t>(mechanics.terms().rows()));
    mechanics.surface(at.t, at.states().array, s.data());
    return s[static_cast<std::size_t>(row)];
  }

 private:
  double move_of(int row) const { return row == moved.row ? moved.by : 0; }

  std::shared_ptr<formulate::Form> form_;
  std::shared_ptr<contact::Contacts> contacts_;
};

struct Surface {
  int declared_row;
  double operator()(const Point<double>& at) const {
    return static_cast<const FormMultipliers&>(*at.around()->multipliers).surface(at, declared_row);
  }
};

}  // namespace

Function surface_guard(int declared_row) {
  return Function::guard(Surface{declared_row});
}

FormDynamics::FormDynamics(std::shared_ptr<const System::Declarations> model, const Recipe& recipe)
    : FormDynamics(model, recipe, formulate::make_form(model, recipe.formulation)) {}

FormDynamics::FormDynamics(std::shared_ptr<const System::Declarations> model, const Recipe& recipe, SharedForm form)
    : Dynamics(std::move(model), Function::rates(FormRates{form})),
      recipe_(recipe),
      has_levels_(std::any_of(model_->invariants.begin(), model_->invariants.end(),
                              [](const InvariantInfo& one) { return one.is_relative; })),
      form_(std::move(form)),
      mechanics_(dynamic_cast<MechanicsForm*>(form_.get())) {
  if (mechanics_ != nullptr) mechanics_->set_direction(recipe.direction);
  if (mechanics_ != nullptr && recipe.first_reaching_mode >= 0) mechanics_->reach_by_modes(recipe.first_reaching_mode);
  multipliers_ = std::make_shared<FormMultipliers>(form_);
  if (!model_->mechanics || model_->mechanics->contacts.empty()) return;
  contacts_ = std::make_shared<contact::Contacts>(model_, model_, std::static_pointer_cast<MechanicsForm>(form_),
                                                  multipliers_, recipe.tolerance);
  multipliers_ = std::make_shared<FormMultipliers>(form_, contacts_);
}

void FormDynamics::draw_multipliers() {
  const int count = contacts_ ? contacts_->quantities() : static_cast<int>(model_->constraint_names.size());
  FollowerLevels::Source source;
  source.count = count;
  source.values = [source = multipliers_.get(), mechanics = mechanics_, count](double t, const double* x,
                                                                               double* values) {
    const Held* held = mechanics != nullptr ? &mechanics->held() : nullptr;
    const Surroundings<double> around{held, {}, nullptr, nullptr, nullptr, source};
    const Point<double> at(t, x, held != nullptr ? held->parameters.data() : nullptr, &around);
    for (int k = 0; k < count; ++k) values[k] = source->multiplier(at, k);
  };
  if (mechanics_ != nullptr) {
    source.sizes = [mechanics = mechanics_, count](double t, const double* x, double* sizes) {
      std::fill(sizes, sizes + count, 0.0);
      mechanics->multiplier_sizes(t, x, sizes);
    };
  }
  source.are_known = [mechanics = mechanics_](double t, const double* x) {
    return mechanics != nullptr && mechanics->is_known(t, x);
  };
  if (contacts_) {
    source.are_shared = [contacts = contacts_.get()] { return contacts->share_loads(); };
    source.are_of_constraints = [source = multipliers_.get(), mechanics = mechanics_, contacts = contacts_.get()](
                                    double t, const double* x) {
      const Held& held = mechanics->held();
      const Surroundings<double> around{&held, {}, nullptr, nullptr, nullptr, source};
      return contacts->constraints_hold(Point<double>(t, x, held.parameters.data(), &around));
    };
  }
  followers_ = multipliers_->levels = std::make_shared<FollowerLevels>(std::move(source), recipe_.tolerance,
                                                                       static_cast<int>(model_->state_names.size()));
}

void FormDynamics::carry(Memory& memory) {
  form_->carry(memory);
  if (contacts_) contacts_->carry(memory);
  if (followers_) followers_->carry(memory);
  memory(start.notes);
}

void FormDynamics::follow(const Held& held) {
  form_->lock(held);
  form_->source = &held;
  if (contacts_) contacts_->forget();
  if (followers_) followers_->forget();
}

std::string FormDynamics::settle(double t, double* x, const Held& held, Settle why) {
  if (why == Settle::pass) return {};
  form_->lock(held);
  if (why == Settle::start) return start.meet(*form_, *model_, t, x);
  const bool is_jump = why == Settle::jump;
  std::string failure;
  if (recipe_.has_manifold)
    stabilize::settle(*form_, static_cast<int>(model_->state_names.size()), t, x, {is_jump || !has_levels_, is_jump},
                      failure);
  return failure;
}

bool FormDynamics::measure(double t, const double* x, const Held& held, bool takes_levels, LevelDrift& out) {
  using Kind = formulate::Manifold::Kind;
  form_->lock(held);
  if (takes_levels) form_->take_levels(t, x);
  formulate::Manifold& manifold = form_->manifold();
  std::vector<double> rates(model_->state_names.size()), residual;
  form_->rate(t, x, rates.data());  // the rows are those in force here
  for (int level = 0; level < manifold.levels(); ++level) {
    residual.resize(static_cast<std::size_t>(manifold.rows(level)));
    manifold.residual(level, t, x, residual.data());
    double& size = manifold.kind(level) == Kind::position   ? out.position
                   : manifold.kind(level) == Kind::velocity ? out.velocity
                                                            : out.invariant;
    for (const double r : residual) size = std::max(size, std::abs(r));
  }
  return manifold.levels() > 0;
}

Resolution FormDynamics::resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                                 Settle why) {
  return contacts_->resolve(t, x, held, fired, accumulating, why, [this](double at, double* state, const Held& mode) {
    return settle(at, state, mode, Settle::drawn);
  });
}

std::string StartPolicy::meet(formulate::Form& form, const System::Declarations& model, double t, double* x) {
  form.take_levels(t, x);
  if (!has_manifold) return {};
  std::vector<double> state(x, x + model.state_names.size());
  if (wanted == AtStart::project) {
    auto report = stabilize::project_start(form, model, t, state, fixed);
    if (!report.failure.empty()) return report.failure;
    if (!report.changes.empty())
      notes.push_back(make_message(MessageCode::start_moved, t, {{"changes", report.changes}}));
    std::copy(state.begin(), state.end(), x);
    form.take_levels(t, x);
  } else {
    const std::string off = stabilize::describe_inconsistency(form, t, state);
    if (!off.empty() && wanted == AtStart::refuse) return fmt::format("the start is not consistent: {}", off);
    if (!off.empty() && wanted == AtStart::keep) {
      if (pulls_at_once) {
        return fmt::format(
            "the start is to be kept, but {}, and the stabilization would pull it in its first step.\n"
            "  try:    the start 'project', or the stabilization 'none'",
            off);
      }
      notes.push_back(make_message(MessageCode::start_kept, t, {{"off", off}}));
    }
  }
  auto* mechanics = dynamic_cast<MechanicsForm*>(&form);
  if (mechanics != nullptr && wanted != AtStart::keep) {
    std::string contradiction = mechanics->contradiction(t, x);
    if (!contradiction.empty()) {
      form.take_notes();  // that rows were dropped is no help then
      return contradiction;
    }
  }
  for (Message& note : form.take_notes()) notes.push_back(std::move(note));
  return form.describe_unkept(t, x);
}

}  // namespace pawl::detail
