#include "event/unlocked.hpp"

#include <fmt/format.h>

namespace pawl::event {

namespace {

using Model = std::shared_ptr<const System::Declarations>;

/// What a state says about everything that is held and follows from a guard.
class Following {
 public:
  explicit Following(Model model) : model_(std::move(model)) {}

  const Held& at(const Held& held, double t, const double* x) {
    held_ = held;
    for (const GuardInfo& guard : model_->guards) {
      const auto i = static_cast<std::size_t>(guard.role_index);
      if (guard.role == GuardRole::condition_family) {
        held_.members[i].clear();
        for (const Pair member : guard.members)
          if (value(guard, member, t, x) > 0) held_.members[i].push_back(member);
      } else if (guard.role == GuardRole::condition) {
        held_.truths[i] = value(guard, guard.members.front(), t, x) > 0 ? 1 : 0;
      } else if (guard.role == GuardRole::relay_up) {
        const RelayInfo& relay = model_->relays[i];
        const bool is_above = value(guard, guard.members.front(), t, x) > 0;
        held_.sides[i] = is_above ? RelaySide::above : RelaySide::below;
        held_.levels[i] = is_above ? relay.above : relay.below;
      }
    }
    return held_;
  }

 private:
  double value(const GuardInfo& guard, Pair member, double t, const double* x) {
    values_.resize(static_cast<std::size_t>(guard.rows));
    const detail::Surroundings<double> around{&held_, member};
    guard.g(Point<double>(t, x, held_.parameters.data(), &around), values_.data());
    return values_[static_cast<std::size_t>(guard.row)];
  }

  Model model_;
  Held held_;
  std::vector<double> values_;
};

struct UnlockedRates {
  Model model;
  std::shared_ptr<Following> following;

  void operator()(const Point<double>& at, double* rates) const {
    detail::Surroundings<double> around = *at.around();
    around.held = &following->at(*around.held, at.t, at.states().array);
    model->rates(Point<double>(at.t, at.states(), at.parameters(), &around), rates);
  }
};

class Unlocked final : public detail::Dynamics {
 public:
  explicit Unlocked(const Model& model) : Unlocked(model, std::make_shared<Following>(model)) {}
  const Held& held_at(const Held& held, double t, const double* x) const override { return following_->at(held, t, x); }
  std::shared_ptr<Dynamics> make_reader() const override { return std::make_shared<Unlocked>(model_); }

 private:
  Unlocked(const Model& model, const std::shared_ptr<Following>& following)
      : Dynamics(model, Function::written(UnlockedRates{model, following})), following_(following) {}

  std::shared_ptr<Following> following_;
};

class NoFinder final : public EventFinder {
 public:
  void begin_piece(const Moment&) override {}
  std::optional<Found> first(Trial&) override { return std::nullopt; }
};

/// What needs events; empty: nothing does.
std::string needs_events(const System::Declarations& model) {
  if (!model.rates || model.is_implicit() || model.mechanics || model.port_hamiltonian || !model.invariants.empty())
    return "it is not declared by rates alone";
  for (const GuardInfo& guard : model.guards) {
    if (guard.then || guard.at_accumulation) return fmt::format("'{}' makes a jump", guard.name);
    if (guard.role == GuardRole::relation) return fmt::format("'{}' is a relation, whose sign is held", guard.name);
  }
  for (const RelayInfo& relay : model.relays)
    if (relay.hysteresis > 0) return fmt::format("the relay '{}' has hysteresis", relay.name);
  if (model.transition) return "it has a transition function";
  if (!model.decisions.empty()) return "it has decisions, which remember";
  return {};
}

}  // namespace

std::shared_ptr<detail::Dynamics> make_unlocked(Model model) {
  if (const std::string why = needs_events(*model); !why.empty())
    throw Misuse(fmt::format("system '{}' cannot be run with events 'none': {}", model->name, why));
  return std::make_shared<Unlocked>(model);
}

std::unique_ptr<EventFinder> make_no_finder(GuardSet&, Arming&, int, const FinderOptions&) {
  return std::make_unique<NoFinder>();
}

}  // namespace pawl::event
