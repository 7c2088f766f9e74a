#include "event/guard_set.hpp"

#include <algorithm>

namespace pawl::event {

namespace {

/// While ranges and jets are evaluated, multipliers are read behind the states.
class BehindStates {
 public:
  BehindStates(Held& held, int first) : held_(held), before_(held.first_multiplier) {
    if (first >= 0) held_.first_multiplier = first;
  }
  BehindStates(const BehindStates&) = delete;
  ~BehindStates() { held_.first_multiplier = before_; }

 private:
  Held& held_;
  int before_;
};

}  // namespace

GuardSet::GuardSet(const detail::Dynamics& dynamics, Held& held, Sliding& sliding, int size)
    : model_(dynamics.model()),
      multipliers_(dynamics.multipliers()),
      held_(held),
      sliding_(sliding),
      size_(static_cast<std::size_t>(size)),
      number_rates_(dynamics.rates(), size),
      range_rates_(dynamics.rates(), size),
      jet_rates_(dynamics.rates(), size),
      range_jet_rates_(dynamics.rates(), size),
      number_relays_(model_, sliding),
      range_relays_(model_, sliding),
      jet_relays_(model_, sliding),
      range_jet_relays_(model_, sliding) {
  using Role = GuardInfo::Role;
  for (std::size_t d = 0; d < model_.guards.size(); ++d) {
    const GuardInfo& info = model_.guards[d];
    first_of_.push_back(static_cast<int>(live_.size()));
    for (const Pair member : info.members) {
      LiveGuard guard{.declaration = static_cast<int>(d),
                      .member = member,
                      .direction = info.direction,
                      .side = info.side,
                      .is_generic = info.is_generic()};
      if (info.role == Role::relay_up || info.role == Role::relay_down) {
        const double hysteresis = model_.relays[static_cast<std::size_t>(info.role_index)].hysteresis;
        const bool is_up = info.role == Role::relay_up;
        guard.offset = is_up ? -hysteresis / 2 : hysteresis / 2;
        if (hysteresis > 0) guard.direction = is_up ? Direction::rising : Direction::falling;
      }
      live_.push_back(guard);
    }
  }
  drawn_ = dynamic_cast<const DrawnMultipliers*>(multipliers_);
  if (drawn_ != nullptr) followers_ = drawn_->levels.get();
  declared_ = live_.size();
  is_enabled_.assign(model_.guards.size(), true);
  is_doubted_.assign(model_.guards.size(), false);
}

void GuardSet::refresh() {
  using Role = GuardInfo::Role;
  live_.resize(declared_);
  newly_disabled_.clear();
  for (std::size_t d = 0; d < model_.guards.size(); ++d) {
    const GuardInfo& one = model_.guards[d];
    const bool was_enabled = is_enabled_[d];
    is_enabled_[d] = one.only_when.is_always_true() || one.only_when.holds(held_);
    if (one.role == Role::relay_up || one.role == Role::relay_down) {
      const RelaySide side = held_.sides[static_cast<std::size_t>(one.role_index)];
      const bool has_hysteresis = model_.relays[static_cast<std::size_t>(one.role_index)].hysteresis > 0;
      is_enabled_[d] = has_hysteresis ? side == (one.role == Role::relay_up ? RelaySide::below : RelaySide::above)
                                      : side != RelaySide::sliding;
    }
    if (!was_enabled || is_enabled_[d]) continue;
    for (std::size_t m = 0; m < one.members.size(); ++m) newly_disabled_.push_back(first_of_[d] + static_cast<int>(m));
  }
  for (const Exit& exit : sliding_.exits()) {
    live_.push_back({.declaration = -1,
                     .direction = Direction::falling,
                     .is_generic = sliding_.is_solved_by_model() ||
                                   (sliding_.has_ranges() &&
                                    model_.relays[static_cast<std::size_t>(exit.relay)].g.supports<Jet<Interval>>()),
                     .exit = exit});
  }
}

void GuardSet::refresh_kinds() {
  if (followers_ == nullptr) return;
  sampled_.clear();
  for (std::size_t g = 0; g < declared_; ++g) refresh_kind(static_cast<int>(g));
}

// Where contacts share a load, whether some forces hold them is all there is to know, and that is no smooth function.
void GuardSet::refresh_kind(int guard) {
  LiveGuard& one = live_[static_cast<std::size_t>(guard)];
  one.shares_load = one.reads_followers && info(guard).contact >= 0 && followers_->are_shared();
  one.is_generic = info(guard).is_generic() && !one.shares_load;
}

bool GuardSet::was_sampled(int declaration) const {
  const auto first = live_.begin() + first_of_[static_cast<std::size_t>(declaration)];
  const auto members = static_cast<std::ptrdiff_t>(model_.guards[static_cast<std::size_t>(declaration)].members.size());
  return std::any_of(first, first + members, [](const LiveGuard& one) { return one.was_sampled; });
}

void GuardSet::note_follower_reads(int guard) {
  for (std::size_t g = 0; g < declared_; ++g) {
    const bool is_other = static_cast<int>(g) != guard;
    if (is_other && !(is_in_block(guard) && info(static_cast<int>(g)).block == info(guard).block)) continue;
    live_[g].reads_followers = true;
    refresh_kind(static_cast<int>(g));
  }
}

void GuardSet::doubt(int guard, double t, const char* why) {
  live_[static_cast<std::size_t>(guard)].was_sampled = true;
  if (is_exit(guard)) return;
  const auto declaration = static_cast<std::size_t>((*this)[guard].declaration);
  if (is_doubted_[declaration]) return;
  is_doubted_[declaration] = true;
  doubts_.push_back({guard, t, why});
}

EventSource GuardSet::source(int guard) const {
  const LiveGuard& one = (*this)[guard];
  if (one.declaration < 0) return {EventSource::Kind::exit, one.exit.relay, {}};
  return {EventSource::Kind::guard, one.declaration, one.member};
}

template <class T>
T GuardSet::evaluate(int guard, const T& time, const detail::LazyStates<T>& states) {
  const LiveGuard& one = (*this)[guard];
  detail::has_left_domain = false;
  long long& count = std::is_same_v<T, Jet<double>> ? work.points : work.ranges;
  const BehindStates multipliers(held_, followers_ != nullptr ? static_cast<int>(size_) : -1);
  const detail::Surroundings<T> around{&held_, one.member, nullptr, &rates_of<T>(), &relays_of<T>()};
  const Point<T> at(time, typename Point<T>::States{{&states}}, held_.parameters.data(), &around);
  if constexpr (std::is_same_v<T, Interval>) {
    if (one.declaration < 0) {
      ++count;
      return sliding_.exit_value(one.exit, at);
    }
  }
  if (is_in_block(guard)) return blocks_of<T>().value(info(guard), at, states, count);
  ++count;
  T value(0.0);
  info(guard).g(at, &value);
  if (one.offset != 0) value += one.offset;
  return value;
}
template Interval GuardSet::evaluate(int, const Interval&, const detail::LazyStates<Interval>&);
template Jet<double> GuardSet::evaluate(int, const Jet<double>&, const detail::LazyStates<Jet<double>>&);
template Jet<Interval> GuardSet::evaluate(int, const Jet<Interval>&, const detail::LazyStates<Jet<Interval>>&);

Interval GuardSet::evaluate_recorded(int guard, const Interval& time, const detail::LazyStates<Interval>& states,
                                     Reads& reads) {
  ++work.ranges;
  const LiveGuard& one = (*this)[guard];
  const detail::Surroundings<Interval> around{&held_, one.member, nullptr, &range_rates_, &range_relays_};
  Interval value;
  detail::has_left_domain = false;
  info(guard).g(Point<Interval>(time, Point<Interval>::States{{&states}}, held_.parameters.data(), &around), &value);
  reads = {around.reads_modes, around.reads_parameters};
  return value + one.offset;
}

double GuardSet::evaluate(int guard, double t, const double* x) {
  const LiveGuard& one = (*this)[guard];
  const detail::Surroundings<double> around{&held_, one.member, nullptr, &number_rates_, &number_relays_, multipliers_};
  const Point<double> at(t, x, held_.parameters.data(), &around);
  if (is_in_block(guard)) return number_blocks_.value(info(guard), at, size_, work.points);
  ++work.points;
  if (one.declaration < 0) return sliding_.exit_value(one.exit, at);
  double value = 0;
  info(guard).g(at, &value);
  return value + one.offset;
}

double GuardSet::evaluate_moved(int guard, double t, const double* x, int follower, double by) {
  drawn_->moved = {follower, by};
  const double value = evaluate(guard, t, x);
  drawn_->moved = {};
  return value;
}

}  // namespace pawl::event
