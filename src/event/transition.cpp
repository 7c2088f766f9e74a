#include "event/transition.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "system/foreign_handle.hpp"

namespace pawl::event {

namespace {
constexpr int most_rounds = 100;
using Role = GuardInfo::Role;
}  // namespace

Transitions::Transitions(detail::Dynamics& dynamics, Held& held, GuardSet& guards, Arming& arming, Sliding& sliding,
                         ActiveField& field, SurfacePull& pull, std::shared_ptr<const Held> start)
    : dynamics_(dynamics),
      model_(dynamics.model()),
      held_(held),
      guards_(guards),
      arming_(arming),
      sliding_(sliding),
      field_(field),
      pull_(pull),
      around_{&held},
      last_snapshot_(std::move(start)),
      rate_(model_.state_names.size()) {}

std::string Transitions::names(std::span<const int> guards) const {
  std::string text;
  for (std::size_t i = 0; i < guards.size() && i < 4; ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", guards_.name(guards[i]));
  return guards.size() > 4 ? text + fmt::format(" and {} more", guards.size() - 4) : text;
}

// What made a round: guards, else time events, else the transition function alone.
std::string Transitions::names(const Cause& cause) const {
  if (!cause.guards.empty()) return names(cause.guards);
  std::string text;
  for (const int i : cause.time_events)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", model_.time_events[static_cast<std::size_t>(i)].name);
  return text.empty() ? "the transition function" : text;
}

std::shared_ptr<const Held> Transitions::snapshot() {
  if (!last_snapshot_ || !(*last_snapshot_ == held_)) last_snapshot_ = std::make_shared<const Held>(held_);
  return last_snapshot_;
}

Point<double> Transitions::point(const Here& here) const {
  return {here.t, here.x.data(), held_.parameters.data(), &around_};
}

Moment Transitions::moment(const Here& here) const {
  return {here.t, here.x.data(), rate_.data(), scale_.data(), here.step_size, here.direction, {}, false};
}

// Whether the transition changed the value of a guard: the same function of the states and modes of before. A
// consistent value that differs from what the jumps left by less than the integration may be off says nothing about it,
// unless contacts or switches have decided by it.
bool Transitions::has_moved(const Here& here, int guard, bool is_other_mode) {
  moved_ = here.x;
  for (std::size_t i = 0; i < moved_.size() && !dynamics_.decides(); ++i)
    if (arming_.is_within_tolerance(i, x_jumped_[i], here.x[i])) moved_[i] = x_jumped_[i];
  const double now = guards_.evaluate(guard, here.t, moved_.data());
  const auto exchange = [&] {
    std::swap(held_, held_before_);
    std::swap(held_.margins, held_before_.margins);  // they are no part of the motion
  };
  if (is_other_mode) exchange();
  const double before = guards_.evaluate(guard, here.t, x_before_.data());
  if (is_other_mode) exchange();
  return now != before;
}

// Freezes the mode: field, watched guards, and the rate at the new state.
void Transitions::lock(const Here& here) {
  sliding_.refresh();
  dynamics_.follow(held_);
  choose_field();
  guards_.refresh();
  arming_.resize();
  scale_ = here.scale;
  for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = std::max(scale_[i], std::abs(here.x[i]));
  ++evaluations;
  field_.call(field_.self, point(here), rate_.data());
}

void Transitions::choose_field() {
  field_.parameters = held_.parameters.data();
  if (sliding_.is_active() && !sliding_.is_solved_by_model()) {
    field_.call = &Sliding::entry;
    field_.self = &sliding_;
  } else {
    field_.call = dynamics_.rates().entry<double>();
    field_.self = dynamics_.rates().functor();
  }
}

void Transitions::carry(Memory& memory) {
  memory(evaluations, held_before_, last_snapshot_, rate_, x_before_, scale_);
  if (!memory.is_saving()) choose_field();
}

void Transitions::toggle_member(int declaration, Pair member, bool truth) {
  const GuardInfo& info = model_.guards[static_cast<std::size_t>(declaration)];
  auto& members = held_.members[static_cast<std::size_t>(info.role_index)];
  const auto it = std::find(members.begin(), members.end(), member);
  if (truth && it == members.end()) {
    members.push_back(member);
    std::sort(members.begin(), members.end(), [](Pair a, Pair b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
  } else if (!truth && it != members.end()) {
    members.erase(it);
  }
}

void Transitions::set_truth(int guard, int sign) {
  const GuardInfo& info = guards_.info(guard);
  const auto i = static_cast<std::size_t>(info.role_index);
  if (info.role == Role::condition) held_.truths[i] = sign > 0 ? 1 : 0;
  if (info.role == Role::relation) held_.truths[i] = static_cast<signed char>(sign);
  if (info.role == Role::condition_family) toggle_member(guards_[guard].declaration, guards_[guard].member, sign > 0);
}

// A relay's surface was crossed towards `sign`, or the motion starts on it: it slides where both sides push onto it.
void Transitions::switch_relay(const Here& here, int relay, int sign, EventKind& kind) {
  const auto r = static_cast<std::size_t>(relay);
  const RelayInfo& info = model_.relays[r];
  const auto set = [&](RelaySide side) {
    held_.sides[r] = side;
    held_.levels[r] = side == RelaySide::above ? info.above : info.below;
  };
  if (info.hysteresis == 0) {
    const double below = here.direction * sliding_.approach(relay, info.below, point(here));
    const double above = here.direction * sliding_.approach(relay, info.above, point(here));
    const bool is_attractive = below > 0 && above < 0;
    if (is_attractive && sliding_.is_affine_with(relay, point(here))) {
      set(RelaySide::sliding);
      sliding_.refresh();
      if (sliding_.is_possible(point(here))) {
        pull_.apply(here.t, here.x.data());
        kind = EventKind::slide;
        return;
      }
      held_.sides[r] = RelaySide::below;
      sliding_.refresh();
    }
  }
  set(sign > 0 ? RelaySide::above : RelaySide::below);
}

bool Transitions::has_corner(const Here& here, std::span<const int> guards) {
  const std::vector<RelaySide> sides = held_.sides;
  for (const int g : guards) held_.sides[static_cast<std::size_t>(guards_.info(g).role_index)] = RelaySide::sliding;
  sliding_.refresh();
  const bool is_held = sliding_.is_affine_with(guards_.info(guards.front()).role_index, point(here)) &&
                       sliding_.is_possible(point(here));
  held_.sides = sides;
  sliding_.refresh();
  return is_held;
}

// What the engine itself does for guards that fired: truths and relays.
void Transitions::take_effect(const Here& here, const Cause& cause, EventKind& kind) {
  if (cause.is_corner) {
    for (const int g : cause.guards)
      held_.sides[static_cast<std::size_t>(guards_.info(g).role_index)] = RelaySide::sliding;
    sliding_.refresh();
    pull_.apply(here.t, here.x.data());
    return;
  }
  for (const int g : cause.guards) {
    if (guards_.is_exit(g)) {
      const Exit exit = guards_[g].exit;
      const auto r = static_cast<std::size_t>(exit.relay);
      held_.sides[r] = exit.to;
      held_.levels[r] = exit.to == RelaySide::above ? model_.relays[r].above : model_.relays[r].below;
      kind = EventKind::leave;
      continue;
    }
    const int before = arming_[g].sign;  // its sign until now
    const GuardInfo& info = guards_.info(g);
    set_truth(g, info.role == Role::relation ? arming_[g].after : -before);
    if (info.role == Role::relay_up || info.role == Role::relay_down)
      switch_relay(here, info.role_index, -before, kind);
  }
  sliding_.refresh();
}

// Decisions follow their propositions until nothing changes.
bool Transitions::decide(std::string& cycle) {
  if (model_.decisions.empty()) return true;
  std::vector<std::string> path;
  const std::size_t bound = 2 * model_.decisions.size() + 8;
  for (std::size_t round = 0;; ++round) {
    bool has_changed = false;
    const Held now = held_;  // all are decided from the same values, so their order does not matter
    for (const DecisionInfo& decision : model_.decisions) {
      int& value = held_.modes[static_cast<std::size_t>(decision.discrete)];
      const int decided = decision.logic.holds(now) ? 1 : 0;
      if (value == decided) continue;
      value = decided;
      has_changed = true;
      path.push_back(fmt::format(
          "{} := {} because {}", model_.mode_names[static_cast<std::size_t>(decision.discrete)],
          decided != 0 ? "true" : "false",
          (decided != 0 ? "" : "not ") + decision.logic.describe(model_.condition_names, model_.mode_names)));
    }
    if (!has_changed) return true;
    if (round < bound) continue;
    const std::size_t shown = std::min<std::size_t>(path.size(), 2 * model_.decisions.size() + 2);
    for (std::size_t i = path.size() - shown; i < path.size(); ++i) cycle += fmt::format("\n    {}", path[i]);
    return false;
  }
}

Verdict Transitions::check_finite(const Here& here, std::span<const int> guards) const {
  const auto fault = [&](std::string_view kind, const std::string& name, double value) {
    return Verdict::failed(MessageCode::after_jump_not_finite, here.t,
                           {{"who", guards.empty() ? std::string() : " of " + names(guards)},
                            {"kind", std::string(kind)},
                            {"name", name},
                            {"value", value}});
  };
  for (std::size_t i = 0; i < here.x.size(); ++i) {
    if (!std::isfinite(here.x[i])) return fault("state", model_.state_names[i], here.x[i]);
  }
  for (std::size_t i = 0; i < held_.parameters.size(); ++i) {
    if (std::isnan(held_.parameters[i])) return fault("parameter", model_.parameter_names[i], held_.parameters[i]);
  }
  for (std::size_t i = 0; i < held_.numbers.size(); ++i) {
    if (std::isnan(held_.numbers[i])) return fault("discrete", model_.number_names[i], held_.numbers[i]);
  }
  return {};
}

Verdict Transitions::begin(const Here& here, std::vector<Event>& events) {
  scale_ = here.scale;
  held_before_ = held_;
  x_jumped_ = here.x;
  const auto contradiction = [&](const std::string& cycle) {
    return Verdict::failed(MessageCode::decisions_contradict, here.t, {{"after", ""}, {"cycle", cycle}});
  };
  std::string cycle;
  if (!decide(cycle)) return contradiction(cycle);
  bool has_settled = false, is_resolved = false;
  Event event;
  Held settled_for, resolved_for;
  // Truths by the sign of the value; where that is zero, by the way the motion leaves.
  for (int round = 0; round < most_rounds; ++round) {
    lock(here);
    for (int g = 0; g < guards_.size(); ++g) arming_[g].is_known = false;
    const Aftermath at_start = arming_.judge(moment(here), {});
    const Held before = held_;
    for (int g = 0; g < guards_.size(); ++g) {
      if (guards_.is_exit(g)) continue;
      const GuardInfo& info = guards_.info(g);
      set_truth(g, arming_[g].sign);
      if (info.role == Role::relay_up) {
        const auto r = static_cast<std::size_t>(info.role_index);
        EventKind kind = EventKind::initial;
        if (held_.sides[r] == RelaySide::sliding) continue;
        if (arming_[g].starts_at_zero)
          switch_relay(here, info.role_index, arming_[g].sign > 0 ? 1 : -1, kind);
        else {
          held_.sides[r] = arming_[g].sign > 0 ? RelaySide::above : RelaySide::below;
          held_.levels[r] = arming_[g].sign > 0 ? model_.relays[r].above : model_.relays[r].below;
        }
      }
    }
    sliding_.refresh();
    if (!decide(cycle)) return contradiction(cycle);
    if (held_ == before) {
      if (!has_settled || !(held_ == settled_for)) {  // constraints that depend on conditions are known only now
        has_settled = true;
        settled_for = held_;
        x_before_ = here.x;
        if (Verdict verdict = return_to_manifold(here, Settle::start); !verdict.goes_on()) return verdict;
        if (here.x != x_before_) continue;
      }
      if (!is_resolved || !(held_ == resolved_for)) {
        x_before_ = here.x;
        held_before_ = held_;
        if (Verdict verdict = resolve(here, {}, Settle::start, event); !verdict.goes_on()) return verdict;
        is_resolved = true;
        resolved_for = held_;
        if (here.x != x_before_ || !(held_ == held_before_)) continue;
      }
      zero_at_start_ = at_start.at_zero;
      contacts_at_start_ = event.contacts;
      if (!at_start.at_zero.empty() || !event.notes.empty()) {
        event.t = here.t;
        event.kind = EventKind::initial;
        for (const int g : at_start.at_zero) {
          if (!guards_.is_exit(g)) event.sources.push_back(guards_.source(g));
        }
        event.held_before = event.held_after = snapshot();
        if (!event.sources.empty() || !event.notes.empty()) events.push_back(std::move(event));
      }
      return {};
    }
  }
  return Verdict::failed(MessageCode::start_never_settles, here.t);
}

// The jumps of everything that fired. On failure states and modes are those of before.
Verdict Transitions::make_jumps(const Here& here, const Cause& cause, Jump& jump) {
  const auto guarded = [&](const auto& make, const auto& name) -> Verdict {
    try {
      make();
      return {};
    } catch (const pawl::detail::ForeignHandle& error) {  // a model that cannot be meant, however far the run has come
      throw error.used_by(fmt::format("the transition {}", name()));
    } catch (const std::exception& error) {
      return Verdict::failed(MessageCode::transition_threw, here.t,
                             {{"name", name()}, {"what", fmt::format(": {}", error.what())}});
    } catch (...) {
      return Verdict::failed(MessageCode::transition_threw, here.t,
                             {{"name", name()}, {"what", " something that is no std::exception"}});
    }
  };
  const auto make = [&](const Transition& transition, Pair member, const auto& name) -> Verdict {
    if (!transition) return {};
    return guarded([&] { transition(jump, member); }, [&] { return fmt::format("of '{}'", name()); });
  };
  Verdict verdict;
  if (cause.change != nullptr)
    verdict = make([&](Jump& at, Pair) { (*cause.change)(at); }, {}, [] { return "a change from outside"; });
  for (const int i : cause.time_events) {
    const TimeEventInfo& info = model_.time_events[static_cast<std::size_t>(i)];
    jump.own_ = {i};
    if (verdict.goes_on()) verdict = make(info.then, {}, [&] { return info.name; });
  }
  jump.own_ = {-1};
  in_order_ = cause.guards;
  std::sort(in_order_.begin(), in_order_.end());
  for (const int g : in_order_) {
    if (guards_.is_exit(g) || !verdict.goes_on()) continue;
    const GuardInfo& info = guards_.info(g);
    const Transition& transition = g == cause.accumulating ? info.at_accumulation : info.then;
    verdict = make(transition, guards_[g].member, [&] { return guards_.name(g); });
  }
  if (verdict.goes_on() && model_.transition)
    verdict = guarded([&] { model_.transition(jump); }, [] { return "function"; });
  if (verdict.goes_on()) verdict = check_finite(here, cause.guards);
  std::string cycle;
  if (verdict.goes_on() && !decide(cycle)) {
    verdict = Verdict::failed(MessageCode::decisions_contradict, here.t,
                              {{"after", fmt::format("after {} ", names(cause))}, {"cycle", cycle}});
  }
  if (verdict.goes_on()) return verdict;
  here.x = x_before_;
  held_ = held_before_;
  return verdict;
}

// Modes that follow from the state: what contacts and ideal switches do from here.
Verdict Transitions::resolve(const Here& here, const Cause& cause, Settle why, Event& event) {
  if (!dynamics_.resolves()) return {};
  const bool was_drawn = why == Settle::jump && here.x == x_before_;
  if (was_drawn && held_ == held_before_) {
    why = Settle::pass;
  } else if (was_drawn && model_.mechanics && !model_.mechanics->contacts.empty()) {
    // A truth has changed, and the state is one of dense output: what it is off is no gap.
    if (std::string failure = dynamics_.settle(here.t, here.x.data(), held_before_, Settle::drawn); !failure.empty())
      return Verdict::failed(MessageCode::cannot_resolve, here.t, {{"why", failure}});
  }
  std::vector<int> fired;
  for (const int g : cause.guards) {
    if (!guards_.is_exit(g)) fired.push_back(guards_[g].declaration);
  }
  const int accumulating = cause.accumulating >= 0 ? guards_[cause.accumulating].declaration : -1;
  Resolution outcome = dynamics_.resolve(here.t, here.x.data(), held_, fired, accumulating, why);
  for (std::string& note : outcome.notes) event.notes.push_back(std::move(note));
  event.contacts.insert(event.contacts.end(), outcome.contacts.begin(), outcome.contacts.end());
  if (outcome.failure.empty()) return check_finite(here, cause.guards);
  here.x = x_before_;
  held_ = held_before_;
  return Verdict::failed(MessageCode::cannot_resolve, here.t, {{"why", outcome.failure}});
}

// A state that has jumped, or a mode with other constraints: back onto its manifold, by the least move.
Verdict Transitions::return_to_manifold(const Here& here, Settle why) {
  if (!dynamics_.settles()) return {};
  if (why == Settle::jump && here.x == x_before_ && held_ == held_before_) why = Settle::pass;
  const std::string failure = dynamics_.settle(here.t, here.x.data(), held_, why);
  if (failure.empty()) return {};
  here.x = x_before_;
  held_ = held_before_;
  return Verdict::failed(why == Settle::start ? MessageCode::inconsistent_start : MessageCode::after_jump_inconsistent,
                         here.t, {{"why", failure}});
}

void Transitions::put_on_manifold(double t, std::vector<double>& x) {
  if (!dynamics_.settles()) return;
  std::vector<double> settled = x;
  if (dynamics_.settle(t, settled.data(), held_, Settle::drawn).empty()) x = settled;
  dynamics_.follow(held_);
}

// Freezes the new mode and judges every guard in it.
Aftermath Transitions::settle(const Here& here, const Cause& cause) {
  const bool has_reset = here.x != x_before_, is_other_mode = !(held_ == held_before_);
  if (is_other_mode) arming_.sleep().wake_readers(true, held_.parameters != held_before_.parameters);
  if (has_reset) arming_.sleep().follow(here.t, here.x.data());
  lock(here);
  Moment after = moment(here);
  after.is_in_cluster = here.is_in_cluster && !has_reset;
  after.is_new_motion = has_reset || is_other_mode;
  after.has_moved = [&](int guard) { return has_moved(here, guard, is_other_mode); };
  return arming_.judge(after, cause.guards);
}

// What still changed from round to round, with its last values.
std::string Transitions::changes(const std::vector<Past>& past) const {
  std::string text;
  const auto add = [&](const std::string& name, const auto& value_in, const auto& in_words) {
    bool has_changed = false;
    std::string values;
    for (std::size_t k = 0; k < past.size(); ++k) {
      has_changed |= k > 0 && value_in(past[k]) != value_in(past[k - 1]);
      values += fmt::format("{}{}", k == 0 ? "" : " -> ", in_words(value_in(past[k])));
    }
    if (has_changed) text += fmt::format("\n    {}: {}", name, values);
  };
  const auto number = [](double value) { return fmt::format("{:.10g}", value); };
  for (std::size_t i = 0; i < held_.modes.size(); ++i) {
    add(
        model_.mode_names[i], [i](const Past& one) { return one.held.modes[i]; },
        [&](int value) {
          return model_.mode_is_bool[i] ? std::string(value != 0 ? "true" : "false") : fmt::format("{}", value);
        });
  }
  for (std::size_t i = 0; i < held_.numbers.size(); ++i)
    add(
        model_.number_names[i], [i](const Past& one) { return one.held.numbers[i]; }, number);
  for (std::size_t i = 0; i < held_.objects.size(); ++i) {
    add(
        model_.object_names[i], [i](const Past& one) { return one.held.objects[i]; },
        [](const HeldObject& value) { return value.text().empty() ? "another value" : value.text(); });
  }
  for (std::size_t i = 0; i < held_.truths.size(); ++i) {
    add(
        model_.condition_names[i], [i](const Past& one) { return one.held.truths[i]; },
        [&](int value) {
          if (!model_.condition_is_relation[i]) return value != 0 ? "true" : "false";
          return value > 0 ? "+" : value < 0 ? "-" : "0";
        });
  }
  for (std::size_t i = 0; i < held_.parameters.size(); ++i)
    add(
        model_.parameter_names[i], [i](const Past& one) { return one.held.parameters[i]; }, number);
  for (std::size_t i = 0; i < x_before_.size(); ++i)
    add(
        model_.state_names[i], [i](const Past& one) { return one.x[i]; }, number);
  return text;
}

Verdict Transitions::give_up(const Here& here, const Aftermath& aftermath, const std::vector<Past>& past) const {
  if (!aftermath.unresolved.empty()) {
    return Verdict::failed(MessageCode::jump_does_not_turn_back, here.t,
                           {{"rounds", static_cast<long long>(most_rounds)}, {"guards", names(aftermath.unresolved)}});
  }
  return Verdict::failed(MessageCode::endless_transitions, here.t,
                         {{"rounds", static_cast<long long>(most_rounds)},
                          {"one", past[past.size() - 2].who},
                          {"other", past.back().who},
                          {"changes", changes(past)}});
}

void Transitions::begin_round(const Here& here, const Cause& cause) {
  held_before_ = held_;
  x_before_ = here.x;
  if (!cause.is_start) return;
  for (const int g : zero_at_start_) {  // what is zero at the start was not true before it
    if (guards_.is_exit(g)) continue;
    const GuardInfo& info = guards_.info(g);
    if (info.role == Role::condition || info.role == Role::relation)
      held_before_.truths[static_cast<std::size_t>(info.role_index)] = 0;
  }
}

const Causes& Transitions::causes_of(const Cause& cause) {
  Causes& causes = causes_;  // keeps its room
  causes.fired.clear();
  causes.time_events.clear();
  causes.left.clear();
  causes.is_start = cause.is_start;
  causes.is_accumulation = cause.accumulating >= 0;
  causes.contacts = cause.is_start ? contacts_at_start_ : cause.contacts;
  for (const int i : cause.time_events) causes.time_events.push_back({i});
  for (const int g : cause.guards) {
    const LiveGuard& one = guards_[g];
    if (guards_.is_exit(g)) {
      causes.left.push_back({one.exit.relay});
    } else {
      const GuardInfo& info = guards_.info(g);
      causes.fired.push_back({{one.declaration}, one.member, info.role, info.role_index, info.contact});
    }
  }
  return causes;
}

/// Ideal switches alone, and all of them stay as they were: what they watch came near zero, as exactly as it is known,
/// and no switch has switched. Or contacts alone that touch and do nothing: the limit of impacts of one that has closed
/// at the last of them, or one that has just let go and is known to do so no better than this; after a transition any
/// of them, at zero as it is but for rounding.
bool Transitions::is_undone(const Cause& cause, const Event& event) const {
  const bool is_limit = cause.accumulating >= 0, follows_transition = event.kind == EventKind::jump;
  const auto is_idle = [&](int g) {
    return guards_.is_of_contact(g) && event.contacts.empty() &&
           (is_limit || follows_transition || guards_.info(g).contact_end == ContactEnd::gap);
  };
  return !cause.guards.empty() && cause.time_events.empty() && cause.inputs.empty() && cause.change == nullptr &&
         std::all_of(cause.guards.begin(), cause.guards.end(),
                     [&](int g) { return is_idle(g) || (!is_limit && guards_.is_of_switch(g)); }) &&
         held_ == held_before_;
}

Verdict Transitions::apply(const Here& here, const Cause& cause, Event found, std::vector<Event>& events) {
  Cause next;  // of the rounds after the first
  std::vector<Past> past;
  std::optional<std::size_t> latest;  // event of this instant
  requests_.clear();
  left_.clear();
  for (int round = 0;; ++round) {
    const Cause& now = round == 0 ? cause : next;
    begin_round(here, now);
    Event event = std::exchange(found, {});  // what was found is of the first round
    event.t = here.t;
    if (round > 0) event.kind = EventKind::jump;
    if (now.accumulating >= 0) event.kind = EventKind::accumulation;
    event.held_before = snapshot();
    for (const int i : now.time_events) event.sources.push_back({EventSource::Kind::time, i, {}});
    for (const int u : now.inputs) event.sources.push_back({EventSource::Kind::input, u, {}});
    for (const int g : now.guards) event.sources.push_back(guards_.source(g));
    for (const int u : now.inputs) held_.inputs[static_cast<std::size_t>(u)].piece += here.direction > 0 ? 1 : -1;
    take_effect(here, now, event.kind);
    Jump jump(here.t, here.x, held_, x_before_, held_before_, causes_of(now), here.direction);
    if (Verdict verdict = make_jumps(here, now, jump); !verdict.goes_on()) return verdict;
    requests_.insert(requests_.end(), jump.requests().begin(), jump.requests().end());
    const bool has_moved = here.x != x_before_ && here.x != left_;
    const bool is_iteration = event.sources.empty() && now.change == nullptr;  // the transition function alone
    if (is_iteration && !has_moved && held_ == held_before_ && !jump.is_terminated()) return {};
    left_ = x_jumped_ = here.x;
    if (Verdict verdict = resolve(here, now, Settle::jump, event); !verdict.goes_on()) return verdict;
    if (std::string cycle; dynamics_.resolves() && !decide(cycle))
      return Verdict::failed(MessageCode::decisions_contradict, here.t, {{"after", ""}, {"cycle", cycle}});
    if (Verdict verdict = return_to_manifold(here, Settle::jump); !verdict.goes_on()) return verdict;
    event.held_after = snapshot();
    const std::vector<ContactFired> contacts = event.contacts;
    const bool is_silent = is_iteration || is_undone(now, event);
    if (!is_silent || !event.notes.empty()) {
      latest = events.size();
      events.push_back(std::move(event));
    } else if (latest) {
      events[*latest].held_after = event.held_after;
    }
    if (jump.is_terminated()) {
      lock(here);
      return {Ending::terminated, make_message(MessageCode::terminated_by_model, here.t, {{"why", jump.reason()}})};
    }
    const Aftermath aftermath = settle(here, now);
    if (!aftermath.beyond.empty()) {
      return Verdict::failed(MessageCode::beyond_unilateral, here.t, {{"guards", names(aftermath.beyond)}});
    }
    const bool is_iterated = model_.transition && (has_moved || !(held_ == held_before_) || !contacts.empty());
    if (!aftermath.asks_again() && !is_iterated) return {};
    if (round + 3 > most_rounds) past.push_back({names(now), held_, here.x});
    if (round >= most_rounds) return give_up(here, aftermath, past);
    next = {};
    next.contacts = contacts;
    next.guards = aftermath.unresolved;
    next.guards.insert(next.guards.end(), aftermath.jumped.begin(), aftermath.jumped.end());
    std::sort(next.guards.begin(), next.guards.end());
  }
}

}  // namespace pawl::event
