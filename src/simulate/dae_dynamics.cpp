#include "simulate/dae_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace pawl::detail {

void DaeDynamics::ModelRates::operator()(const Point<double>& at, Rates<double>& d) const {
  const auto& around = *at.around();
  ++own->rates_given_;
  if (own->rate(at.t, at.states().array, *around.held, around.relays, &d[State{0}])) return;
  std::fill_n(&d[State{0}], own->consistent_rates_.size(), std::numeric_limits<double>::quiet_NaN());
}

DaeDynamics::DaeDynamics(std::shared_ptr<const System::Declarations> model, bool wants_differences)
    : Dynamics(std::move(model), Function::rates(ModelRates{this})) {
  field_.around = &around_;
  form_ = formulate::make_dae_form(model_, field_);
  form_->wants_differences = wants_differences;
  if (mechanism() != nullptr) loads_ = std::make_unique<SharedLoads>(model_->parts);
  consistent_rates_.resize(model_->state_names.size());
  fixed_.assign(model_->state_names.size(), false);
}

void DaeDynamics::keep_manifold(const StepControl& control, std::vector<bool> fixed, const ActiveField& field) {
  fixed_ = std::move(fixed);
  pull_ = std::make_unique<stabilize::EquationPull>(
      *model_,
      [this, &field](double t, const double* x) -> formulate::DaeForm& {
        const Held& held = *field.around->held;
        if (source_ != &held) take_up(held, t, x);
        return *form_;
      },
      control);
  if (!loads_) return;
  pull_->watch([this, &field](double t, const double* x, const double* allowed) {
    return loads_->violation(t, x, *field.around->held, allowed);
  });
}

void DaeDynamics::decide_switches(const StepControl& control, double direction) {
  switches_ = std::make_unique<IdealSwitches>(
      model_, *form_,
      [this](double t, std::vector<double>& y, std::vector<double>& dy, const Held& held, Settle why) {
        return find(t, y.data(), dy.data(), held, why);
      },
      IdealSwitches::Accuracy{control.relative, direction, control.absolute});
}

// Invariants are met where they are: the level of something conserved is known to the run alone.
std::shared_ptr<Dynamics> DaeDynamics::make_reader() const {
  auto reader = std::make_shared<DaeDynamics>(model_, form_->wants_differences);
  const bool has_levels = std::any_of(model_->invariants.begin(), model_->invariants.end(),
                                      [](const InvariantInfo& one) { return one.is_relative; });
  if (!has_levels && !model_->invariants.empty())
    reader->pull_ = std::make_unique<stabilize::EquationPull>(*model_, nullptr, StepControl());
  return reader;
}

void DaeDynamics::begin(int field_from, AtStart policy, bool cuts_steps) {
  cuts_steps_ = cuts_steps;
  field_from_ = field_from;
  has_begun_ = true;
  policy_ = policy;
  pull_->set_field(field_from);
}

void DaeDynamics::take_up(const Held& held, double t, const double* x) {
  around_.held = source_ = &held;
  field_.parameters = held.parameters.data();
  form_->restart(t, x);
}

bool DaeDynamics::rate(double t, const double* x, const Held& held, const double* relays, double* out) {
  if (relays != nullptr) {  // algebraic unknowns follow the levels
    given_ = held;
    given_.levels.assign(relays, relays + held.levels.size());
    std::replace(given_.sides.begin(), given_.sides.end(), RelaySide::sliding, RelaySide::below);
    take_up(given_, t, x);
    source_ = nullptr;
    return formulate::find_field(*form_, t, x, out).empty();
  }
  if (source_ != &held) take_up(held, t, x);
  return is_field() ? formulate::find_field(*form_, t, x, out).empty() : form_->rate(t, x, out);
}

/// Consistent values in the mode `held`.
formulate::StartReport DaeDynamics::find(double t, double* x, double* dx, const Held& held, Settle why) {
  take_up(held, t, x);
  auto report = formulate::find_consistent(
      *form_, t, x, dx, why == Settle::start ? fixed_ : std::vector<bool>(fixed_.size(), false), why != Settle::start);
  source_ = nullptr;
  const int index = form_->structure().index;
  if (report.failure.empty() && has_begun_ && !is_field() && (index > 3 || form_->structure().array > 0)) {
    report.failure = fmt::format(
        "the equations have index {} from here on{}, and implicit steps solve them as they stand.\n"
        "  try:    an explicit method, which integrates the rates that the equations imply at any index",
        index, form_->structure().array > 0 ? ", in combinations that move" : "");
  }
  return report;
}

std::string DaeDynamics::settle(double t, double* x, const Held& held, Settle why) {
  if (why == Settle::drawn) {
    std::vector<double> dx(consistent_rates_.size());
    std::string failure = find(t, x, dx.data(), held, why).failure;
    return failure.empty() && pull_ ? pull_->meet_invariants(*form_, t, x, held) : failure;
  }
  if (why == Settle::start && switches_ && !has_decided_) return {};  // they are decided first
  if (why == Settle::pass && form_->structure().index < 2 && !cuts_steps_) return {};
  return make_consistent(t, x, held, why);
}

/// With invariants and what the user wants of a start. Returns why it cannot be; empty: done.
std::string DaeDynamics::make_consistent(double t, double* x, const Held& held, Settle why) {
  const bool is_start = why == Settle::start;
  if (is_start && policy_ == AtStart::keep) return {};
  before_.assign(x, x + model_->state_names.size());
  auto report = find(t, x, consistent_rates_.data(), held, why);
  if (!report.failure.empty()) return report.failure;
  std::string leap = is_start ? std::string() : describe_leap(t, x);
  if (!leap.empty()) return leap;
  if (is_start || why == Settle::jump) pull_->take_levels(t, x, held);
  if (std::string failure = pull_->meet_invariants(*form_, t, x, held); !failure.empty()) return failure;
  if (is_start && policy_ == AtStart::refuse && !report.changes.empty())
    return fmt::format("the start is not consistent: {}", report.changes);
  if (is_start && !report.changes.empty())
    notes.push_back(make_message(MessageCode::start_moved, t, {{"changes", report.changes}}));
  return {};
}

/// Impulses move a differential state by what others of its size have. Where one goes beyond all sizes the equations
/// hardly determine it; empty: none does.
std::string DaeDynamics::describe_leap(double t, const double* x) const {
  constexpr double farthest = 1e12;
  const std::vector<formulate::Role>& roles = form_->structure().roles;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const double size = form_->equations().nominal(static_cast<int>(i), before_[i]);
    if (!roles[i].is_differential || !(std::abs(x[i] - before_[i]) > farthest * size)) continue;
    return fmt::format(
        "t = {:.10g}: consistent values take '{}' from {:.6g} to {:.3g}.\n"
        "  likely: the equations hardly determine it here\n"
        "  try:    nominal({}, size) if it is meant to be that large",
        t, model_->state_names[i], before_[i], x[i], model_->state_names[i]);
  }
  return {};
}

Resolution DaeDynamics::resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                                Settle why) {
  // At the start contacts look at consistent values, which switches have to be decided for.
  const bool switches_first = why == Settle::start;
  const std::vector<double> before(x, x + (switches_ && contacts_ ? model_->state_names.size() : 0));
  const auto cause = [&] { return why == Settle::pass && have_struck(before, x) ? Settle::jump : why; };
  Resolution outcome;
  for (const bool of_switches : {switches_first, !switches_first}) {
    if (!outcome.failure.empty() || (of_switches ? !switches_ : !contacts_)) continue;
    Resolution part = of_switches ? resolve_switches(t, x, held, fired, cause())
                                  : resolve_impacts(t, x, held, fired, accumulating, why);
    outcome.failure = std::move(part.failure);
    for (std::string& note : part.notes) outcome.notes.push_back(std::move(note));
    outcome.contacts.insert(outcome.contacts.end(), part.contacts.begin(), part.contacts.end());
  }
  if (outcome.failure.empty() && (contacts_ || why != Settle::pass)) outcome.failure = share_loads(t, x, held, why);
  return outcome;
}

std::string DaeDynamics::share_loads(double t, const double* x, Held& held, Settle why) {
  if (!loads_) return {};
  bool are_shared = false;
  if (why == Settle::start) {
    std::vector<std::string> fixed;
    for (std::size_t i = 0; i < model_->parts->state_names.size(); ++i)
      if (fixed_[i]) fixed.push_back(model_->state_names[i]);
    are_shared = loads_->share_at_start(t, x, held, fixed);
  } else {
    are_shared = loads_->share(t, x, held);
  }
  if (!are_shared) return {};
  for (Message& note : loads_->take_notes(t)) notes.push_back(std::move(note));
  if (std::string failure = loads_->describe_singular(t); !failure.empty()) return failure;
  std::vector<int> unloaded;
  while (contacts_ && has_begun_ && unload_pulling_contact(t, x, held, unloaded)) loads_->share(t, x, held, unloaded);
  return {};
}

/// Finds the contact whose share of the load would have to pull most; false: none.
bool DaeDynamics::unload_pulling_contact(double t, const double* x, const Held& held, std::vector<int>& unloaded) {
  std::vector<double> y(x, x + model_->state_names.size()), dy(y.size());
  if (!find(t, y.data(), dy.data(), held, Settle::drawn).failure.empty()) return false;
  const double* load = y.data() + model_->first_multiplier;
  double most = 0, largest = 0;
  int row = -1;
  for (const ContactInfo& contact : mechanism()->contacts) {
    if (contact.normal < 0 || contact.kind != ContactInfo::Kind::contact) continue;
    const int normal = mechanism()->constraints[static_cast<std::size_t>(contact.normal)].first_row;
    largest = std::max(largest, std::abs(load[normal]));
    if (load[normal] < most) most = load[normal], row = normal;
  }
  if (row < 0 || -most <= 1e-10 * largest || std::find(unloaded.begin(), unloaded.end(), row) != unloaded.end())
    return false;
  unloaded.push_back(row);
  return true;
}

void DaeDynamics::forget_shared_loads() {
  loads_->forget_notes();
  std::erase_if(notes, [](const Message& note) { return note.code == MessageCode::redundant_joint_shares; });
}

Resolution DaeDynamics::resolve_switches(double t, double* x, Held& held, std::span<const int> fired, Settle why) {
  Resolution outcome = switches_->resolve(t, x, held, fired, why);
  if (why != Settle::start || !outcome.failure.empty()) return outcome;
  has_decided_ = true;
  outcome.failure = make_consistent(t, x, held, why);
  return outcome;
}

void DaeDynamics::carry(Memory& memory, const Held& held) {
  bool is_of_run = source_ == &held;
  memory(notes, consistent_rates_, has_decided_, rates_given_, is_of_run);
  if (!memory.is_saving()) {
    source_ = is_of_run ? &held : nullptr;
    around_.held = &held;
    field_.parameters = held.parameters.data();
  }
  form_->carry(memory);
  if (loads_) loads_->carry(memory);
  if (switches_) switches_->carry(memory);
  if (contacts_) {
    contact_form_->carry(memory);
    contacts_->carry(memory);
  }
  pull_->carry(memory);
}

}  // namespace pawl::detail
