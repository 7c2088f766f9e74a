#include "event/arming.hpp"

#include <algorithm>
#include <array>

#include "numerics/index.hpp"
#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {
constexpr double of_forces = 64 * eps;     // what may be left of a multiplier that vanishes, relative to the largest
constexpr double solved_rounding = 1e-10;  // of a step: how far rounding of consistent values moves a zero
constexpr int guards_worth_sleeping = 16;  // with fewer, boxes cost more than they save

/// It has fired before its own zero, which is still to come.
bool settles(const Armed& armed, const Moment& moment) {
  return moment.direction * (armed.settles_until - moment.t) > 0;
}

/// When it will be beyond its zero: four times what its tangent needs, and what rounding of t and of the state may add.
double passes_zero_by(const Armed& armed, const Moment& moment, bool is_solved) {
  const double rounding = 64 * eps * std::abs(moment.t) + (is_solved ? solved_rounding * moment.step_size : 0);
  return moment.t + moment.direction * (4 * armed.forecast + rounding);
}

}  // namespace

Arming::Arming(GuardSet& guards, const Function& rates, Held& held, const StepControl& control, int size)
    : guards_(guards),
      rates_(rates),
      held_(held),
      control_(control),
      n_(static_cast<std::size_t>(size)),
      rates_are_solved_(guards.model().is_implicit()),
      sleep_(guards, size),
      rest_(guards, control, size) {
  jets_.values.resize(n_);
  box_.values.resize(n_);
  if (guards.followers() != nullptr) followers_.resize(static_cast<std::size_t>(guards.followers()->count()));
  thin_.values.resize(n_ + followers_.size(), Interval(-infinity, infinity));
  resize();
}

void Arming::resize() {
  armed_.resize(static_cast<std::size_t>(guards_.declared()));  // exits are always new
  armed_.resize(static_cast<std::size_t>(guards_.size()));
  for (const int g : guards_.newly_disabled()) (*this)[g].is_known = false;  // asleep or not: it crosses unwatched now
  sleep_.resize();
}

const std::vector<int>& Arming::awake() {
  awake_.clear();
  if (nearest_ >= 0 && nearest_ < guards_.size() && guards_.is_enabled(nearest_) && !sleep_.is_asleep(nearest_))
    awake_.push_back(nearest_);
  for (const int g : sleep_.awake()) {
    if (g != nearest_ && guards_.is_enabled(g)) awake_.push_back(g);
  }
  return awake_;
}

void Arming::rest(const Step& step) {
  if (guards_.size() < guards_worth_sleeping) return;
  for (const int g : awake_) {
    const bool can_sleep =
        guards_[g].is_generic && !guards_[g].reads_followers && !guards_.has_values_only(g) && !guards_.is_in_block(g);
    if (can_sleep && (*this)[g].distance > 2 && sleep_.offer(g, step) && !std::exchange((*this)[g].is_dozing, true))
      dozing_.push_back(g);
  }
}

// d²x/dt² along the field: one evaluation on duals, or a difference along the motion. Rates that are solved for have
// more noise than rounding, as much as their terms cancel: it is measured.
const std::vector<double>& Arming::second_rate(const Moment& moment) {
  if (std::exchange(has_second_, true)) return second_;
  second_.assign(n_, 0);
  rate_noise_.assign(n_, 0);
  second_distance_ = 0;
  ++extra_evaluations;
  if (rates_.supports<Gradient>()) {
    std::vector<Gradient> x(n_), out(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      x[i] = moment.x[i];
      x[i].slope[0] = moment.rate[i];
    }
    Gradient t(moment.t);
    t.slope[0] = 1;
    const detail::Surroundings<Gradient> around{&held_};
    rates_(Point<Gradient>(t, x.data(), held_.parameters.data(), &around), out.data());
    for (std::size_t i = 0; i < n_; ++i) second_[i] = out[i].slope[0];
    return second_;
  }
  const double d = moment.direction * std::sqrt(eps) * std::max(moment.step_size, 1e-6 * std::abs(moment.t));
  std::array<std::vector<double>, 4> rates{std::vector<double>(moment.rate, moment.rate + n_)};
  moved_.resize(n_);
  const detail::Surroundings<double> around{&held_};
  const int last = rates_are_solved_ ? 3 : 1;
  for (int k = 1; k <= last; ++k) {
    for (std::size_t i = 0; i < n_; ++i) moved_[i] = moment.x[i] + k * d * moment.rate[i];
    rates[at(k)].resize(n_);
    rates_(Point<double>(moment.t + k * d, moved_.data(), held_.parameters.data(), &around), rates[at(k)].data());
  }
  extra_evaluations += last - 1;
  second_distance_ = std::abs(d);
  for (std::size_t i = 0; i < n_; ++i) {
    second_[i] = (rates[1][i] - rates[0][i]) / d;
    for (int k = 2; k <= last; ++k) {  // what bends within so short a way is noise
      const double bend = rates[at(k)][i] - 2 * rates[at(k - 1)][i] + rates[at(k - 2)][i];
      rate_noise_[i] = std::max(rate_noise_[i], std::abs(bend));
    }
  }
  return second_;
}

// Signs of the guard and, where that of its value is not certain, of its derivatives, for states and rates that are
// known up to these margins. Derivatives are along the integration: with t running backward, "rising" is rising on the
// way.
template <class Margin, class RateMargin>
Signs Arming::look_along(int guard, const Moment& moment, const Margin& margin, const RateMargin& rate_margin,
                         double second_margin) {
  enum class Look {
    at_decisive_rates,
    at_rates,
    at_second_rates
  };                              // what solved rates decide by far needs no measuring
  constexpr double measured = 4;  // a few samples of noise are seldom its largest
  for (const Look look : {Look::at_decisive_rates, Look::at_rates, Look::at_second_rates}) {
    const bool is_decisive_only = look == Look::at_decisive_rates, with_second = look == Look::at_second_rates;
    if (is_decisive_only && !rates_are_solved_) continue;
    const bool is_measured = rates_are_solved_ && !is_decisive_only;
    const std::vector<double>* second = with_second || is_measured ? &second_rate(moment) : nullptr;
    const double of_difference = second_distance_ > 0 ? 1 / second_distance_ : 0;  // half of twice
    for (std::size_t i = 0; i < n_; ++i) {
      const double noise = is_decisive_only ? rest_.decisive_rate(i) : is_measured ? measured * rate_noise_[i] : 0;
      const double d = margin(i), f = moment.direction * moment.rate[i], df = std::max(rate_margin(i), noise);
      Jet<Interval>& x = box_.values[i];
      x.value = Interval(moment.x[i] - d, moment.x[i] + d);
      x.slope = Interval(f - df, f + df);
      x.curve = Interval(-infinity, infinity);
      if (with_second) {
        const double c = 0.5 * (*second)[i],
                     rounding = second_margin * std::abs(c) +
                                of_difference * std::max(noise, rest_.rate_margin(Rest::Band::rounding, i));
        x.curve = Interval(c - rounding, c + rounding);
      }
    }
    Jet<Interval> t{Interval(moment.t)};
    t.slope = Interval(moment.direction);
    const Jet<Interval> g = guards_.evaluate(guard, t, box_);
    if (g.value.is_nan()) throw GuardNotANumber(guard, moment.t);
    Signs verdict{.sign = g.value.sign(), .slope = g.slope.sign(), .curve = with_second ? g.curve.sign() : 0};
    if (verdict.leaving() != 0 || with_second) return verdict;
  }
  return {};
}

Signs Arming::look_generic(int guard, const Moment& moment, bool wants_slope) {
  constexpr double of_second = 1e-6;  // what a difference may be off
  Armed& armed = (*this)[guard];
  if (!armed.is_known) armed.magnitude = 0;  // it was not watched in the last step
  const bool has_values_only = guards_.has_values_only(guard);
  const bool is_in_band = guards_.is_relation(guard) || armed.rests;
  if (!has_values_only) {
    Jet<double> t(moment.t);
    t.slope = moment.direction;
    const Jet<double> g = guards_.evaluate(guard, t, jets_);
    if (std::isnan(g.value)) throw GuardNotANumber(guard, moment.t);
    value_ = g.value;
    armed.forecast = g.value * g.slope < 0 ? -g.value / g.slope : infinity;
    is_near_zero_ = !(std::abs(g.value) > 1e-6 * armed.magnitude && armed.magnitude > 0);
    if (!is_near_zero_ && !wants_slope && !is_in_band) return {.sign = sign_of(g.value)};
  } else {
    armed.forecast = infinity;
    is_near_zero_ = false;
  }
  if (is_in_band) return look_in_band(guard, moment, band_of(guard, moment));
  const auto margin = [&](std::size_t i) { return 4 * eps * moment.scale[i]; };
  const auto rate_margin = [&](std::size_t i) {
    return rates_are_solved_ ? rest_.rate_margin(Rest::Band::rounding, i) : 8 * eps * std::abs(moment.rate[i]);
  };
  if (!wants_slope) {
    for (std::size_t i = 0; i < n_; ++i) thin_.values[i] = Interval(moment.x[i] - margin(i), moment.x[i] + margin(i));
    const Interval g = guards_.evaluate(guard, Interval(moment.t), thin_);
    if (g.is_nan()) throw GuardNotANumber(guard, moment.t);
    if (g.sign() != 0 || has_values_only) return {.sign = g.sign()};
    if (!is_rounding(guard, moment, g)) {
      is_near_zero_ = false;  // or far from it: nothing can be told by ranges
      return look_black_box(guard, moment);
    }
  } else if (has_values_only) {
    return {};
  }
  return look_along(guard, moment, margin, rate_margin, of_second);
}

// What is zero within the band has no sign.
Signs Arming::look_in_band(int guard, const Moment& moment, Rest::Band band) {
  const int sign = rest_.sign_beyond(band, guard, moment.t, moment.x);
  if (sign != 0) return {.sign = sign};
  if (!guards_.is_told_by_ranges(guard))
    return rest_.look_at_black_box(band, guard, moment, second_rate(moment).data());
  const double of_second = band == Rest::Band::rounding ? 1e-6 : std::max(1e-6, control_.relative);
  // A truth loses nothing by waiting until the motion has left; what must not be beyond zero would.
  const bool can_wait = rates_are_solved_ && (*this)[guard].rests && guards_.keeps_side(guard);
  return look_along(
      guard, moment, [&](std::size_t i) { return rest_.margin(band, i); },
      [&](std::size_t i) { return can_wait ? rest_.decisive_rate(i) : rest_.rate_margin(band, i); }, of_second);
}

// Whether a range at this instant is as narrow as rounding makes it, against what the guard may be for states of this
// size.
bool Arming::is_rounding(int guard, const Moment& moment, const Interval& value) {
  constexpr double nothing = 1e-300;  // outward rounding around zero
  if (value.radius() <= std::max(1e-6 * (*this)[guard].magnitude, nothing)) return true;
  for (std::size_t i = 0; i < n_; ++i) {
    const double reach = 0.5 * moment.scale[i];
    thin_.values[i] = Interval(moment.x[i] - reach, moment.x[i] + reach);
  }
  const double late = 0.5 * std::abs(moment.t);
  const double size = guards_.evaluate(guard, Interval(moment.t - late, moment.t + late), thin_).mag();
  return !(value.radius() > 1e-4 * size);
}

Signs Arming::look_black_box(int guard, const Moment& moment) {
  const double g = value_ = guards_.evaluate(guard, moment.t, moment.x);
  if (std::isnan(g)) throw GuardNotANumber(guard, moment.t);
  Signs verdict;
  double noise = 0;
  moved_.resize(n_);
  for (const int period : {1, 2, 4}) {  // what cancels where all states move together does not where they part
    for (const double side : {-1.0, 1.0}) {
      for (std::size_t i = 0; i < n_; ++i) {
        const double sign = static_cast<int>(i) % period < (period + 1) / 2 ? side : -side;
        moved_[i] = moment.x[i] - sign * 4 * eps * moment.scale[i];
      }
      noise = std::max(noise, std::abs(guards_.evaluate(guard, moment.t * (1 + side * 2 * eps), moved_.data()) - g));
    }
  }
  noise += 4 * eps * std::abs(g);
  if (std::abs(g) > noise) verdict.sign = sign_of(g);
  const double d = std::cbrt(eps) * std::max(moment.step_size, 1e-9 * std::abs(moment.t));
  for (std::size_t i = 0; i < n_; ++i) moved_[i] = moment.x[i] + moment.direction * d * moment.rate[i];
  const double change = guards_.evaluate(guard, moment.t + moment.direction * d, moved_.data()) - g;
  if (std::abs(change) > 4 * noise) verdict.slope = sign_of(change);
  (*this)[guard].forecast = g * change < 0 ? -g * d / change : infinity;
  return verdict;
}

// Ranges say whether it reads multipliers, whatever they are.
bool Arming::reads_followers(int guard, const Moment& moment) {
  if (followers_.empty() || !guards_[guard].is_generic || guards_.has_values_only(guard)) return false;
  if (guards_[guard].reads_followers) return true;
  for (std::size_t i = 0; i < n_; ++i) thin_.values[i] = Interval(moment.x[i]);
  thin_.last_read = -1;
  guards_.evaluate(guard, Interval(moment.t), thin_);
  if (thin_.last_read < static_cast<int>(n_)) return false;
  guards_.note_follower_reads(guard);
  return guards_[guard].is_generic;
}

// Multipliers are known here, and their rates are not: where the sign is not certain, differences along the motion tell
// the derivatives. What is left of forces that cancel is no less than what the rounding of the states makes of it.
Signs Arming::look_at_joints(int guard, const Moment& moment, bool wants_slope) {
  Armed& armed = (*this)[guard];
  if (armed.rests) return look_in_band(guard, moment, Rest::Band::noise);
  if (!armed.is_known) armed.magnitude = 0;  // it was not watched in the last step
  const double g = value_ = guards_.evaluate(guard, moment.t, moment.x);
  if (std::isnan(g)) throw GuardNotANumber(guard, moment.t);
  armed.forecast = infinity;
  is_near_zero_ = !(std::abs(g) > 1e-6 * armed.magnitude && armed.magnitude > 0);
  if (!is_near_zero_ && !wants_slope) return {.sign = sign_of(g)};
  const Signs verdict =
      rest_.look_at_black_box(Rest::Band::rounding, guard, moment, second_rate(moment).data(), &armed.forecast);
  is_near_zero_ = is_near_zero_ && verdict.sign == 0;
  return verdict;
}

// The same for contacts, whose forces press.
Signs Arming::look_at_followers(int guard, const Moment& moment, bool wants_slope) {
  if (!std::exchange(has_followers_, true)) guards_.followers()->values(moment.t, moment.x, followers_.data());
  double largest = 0;
  for (const double value : followers_) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < n_; ++i) {
    const double d = 4 * eps * moment.scale[i];
    thin_.values[i] = Interval(moment.x[i] - d, moment.x[i] + d);
  }
  for (std::size_t k = 0; k < followers_.size(); ++k) {
    const double d = of_forces * largest;
    thin_.values[n_ + k] = Interval(followers_[k] - d, followers_[k] + d);
  }
  const Interval g = guards_.evaluate(guard, Interval(moment.t), thin_);
  if (g.is_nan()) throw GuardNotANumber(guard, moment.t);
  (*this)[guard].forecast = infinity;
  Signs verdict{.sign = g.sign()};
  if (verdict.sign != 0 && !wants_slope) return verdict;
  moved_.resize(n_);
  const double d = moment.direction * std::cbrt(eps) * std::max(moment.step_size, 1e-9 * std::abs(moment.t));
  for (std::size_t i = 0; i < n_; ++i) moved_[i] = moment.x[i] + d * moment.rate[i];
  const double change = guards_.evaluate(guard, moment.t + d, moved_.data()) - g.mid();
  if (std::abs(change) > 4 * g.radius()) verdict.slope = sign_of(change);
  if (g.mid() * change < 0) (*this)[guard].forecast = -g.mid() * std::abs(d) / change;
  return verdict;
}

bool Arming::is_within_tolerance(std::size_t state, double a, double b) const {
  constexpr double generous = 10;  // one component may be off by more than the norm of all
  // A state that passes zero is off by what it was when it was larger.
  const double size = std::max({std::abs(a), std::abs(b), rest_.largest(state)});
  const double allowed = control_.absolute[state] + control_.relative * size;
  return std::abs(a - b) <= generous * allowed;
}

// A relation rests while its sign is 0, another guard where that was found. What must not be beyond zero is told by
// rounding where an event has changed the motion: noise has not come in yet, and hides how slowly it goes there.
Rest::Band Arming::band_of(int guard, const Moment& moment) const {
  const Armed& armed = armed_[static_cast<std::size_t>(guard)];
  const bool is_told_anew = moment.is_new_motion && guards_[guard].side == Side::unilateral;
  if (!guards_.is_relation(guard)) return armed.rests && !is_told_anew ? Rest::Band::noise : Rest::Band::rounding;
  const bool rests = armed.is_known && held_.truths[static_cast<std::size_t>(guards_.info(guard).role_index)] == 0;
  return rests ? Rest::Band::integration : Rest::Band::rounding;
}

void Arming::recall_forecast(int guard, const Moment& moment) {
  const Armed& armed = (*this)[guard];
  const double ahead = armed.forecast - std::abs(moment.t - armed.forecast_at);
  if (!(ahead > 0 && ahead < first_forecast_)) return;
  first_forecast_ = ahead;
  nearest_ = guard;
}

// Inside a cluster, a guard that did not fire and reads nothing that may have changed keeps its sign; when it may
// vanish was forecast before, and that is only used to choose the length of a step.
bool Arming::is_untouched(int guard, const Moment& moment, bool has_fired) {
  Armed& armed = (*this)[guard];
  if (!moment.is_in_cluster || has_fired || !armed.is_known || armed.sign == 0 || armed.starts_at_zero) return false;
  if (!guards_[guard].is_generic || guards_.has_values_only(guard) || guards_.is_in_block(guard)) return false;
  if (guards_[guard].reads_followers) return false;
  if (armed.reads_held < 0) {
    for (std::size_t i = 0; i < n_; ++i) thin_.values[i] = Interval(moment.x[i]);
    GuardSet::Reads reads;
    guards_.evaluate_recorded(guard, Interval(moment.t), thin_, reads);
    armed.reads_held = reads.modes || reads.parameters ? 1 : 0;
  }
  return armed.reads_held == 0;
}

Signs Arming::look(int guard, const Moment& moment, bool wants_slope) {
  value_ = 0;
  if (reads_followers(guard, moment))
    return guards_.is_of_contact(guard) ? look_at_followers(guard, moment, wants_slope)
                                        : look_at_joints(guard, moment, wants_slope);
  if (guards_[guard].is_generic) return look_generic(guard, moment, wants_slope);
  const Signs verdict = look_black_box(guard, moment);
  is_near_zero_ = verdict.slope == 0;
  return (*this)[guard].rests ? look_in_band(guard, moment, Rest::Band::noise) : verdict;
}

// What an event enables may have been kept at zero until here, where it had no size but that of noise: what is zero to
// the rounding of all that its states have been goes by the way the motion leaves.
Signs Arming::enabled(int guard, const Moment& moment, const Signs& verdict) {
  if (!moment.has_moved || verdict.sign == 0 || !is_near_zero_) return verdict;
  if (guards_.is_exit(guard) || guards_.is_of_contact(guard) || guards_[guard].side == Side::unilateral) return verdict;
  const Signs seen = look_in_band(guard, moment, Rest::Band::rounding);
  return seen.sign == 0 && seen.leaving() != 0 ? seen : verdict;
}

// Whether value and derivatives are all zero to rounding: from here on what moves it is noise.
bool Arming::begins_rest(int guard, const Moment& moment, const Signs& verdict) {
  if (guards_.is_exit(guard) || guards_.is_relation(guard)) return false;
  if (guards_.is_of_contact(guard) && guards_[guard].reads_followers) return false;
  const GuardRole role = guards_.info(guard).role;
  if (role == GuardRole::relay_up || role == GuardRole::relay_down) return false;
  if (!is_near_zero_ || verdict.leaving() != 0 || !moment.is_new_motion) return false;
  if (guards_[guard].side == Side::unilateral && (*this)[guard].sign != 0) return false;
  const Signs seen = look_in_band(guard, moment, Rest::Band::rounding);
  return seen.sign == 0 && seen.leaving() == 0;
}

// A guard that rested is told by its band. Where the motion now takes it away, a truth changes at once; of a guard,
// leaving is no event. By noise it may be on the other side of zero than where it goes: passing that is none either.
bool Arming::stays_at_rest(int guard, const Signs& verdict, const Moment& moment, bool has_fired,
                           Aftermath& aftermath) {
  Armed& armed = (*this)[guard];
  const int to = verdict.leaving();
  armed.rests = verdict.sign == 0 && (to == 0 || guards_.keeps_side(guard));
  if (armed.rests) {
    if (has_fired) armed.sign = static_cast<signed char>(-armed.sign);
    if (has_fired || to != 0) armed.rests_from = moment.t;  // it may leave long before the end of a step
    if (to != 0 && armed.sign != to) aftermath.jumped.push_back(guard);
    armed.forecast = infinity;
    return true;
  }
  if (verdict.sign != 0 || guards_[guard].side == Side::unilateral) return false;
  const bool passes_zero = std::isfinite(armed.forecast);
  if (passes_zero) armed.settles_until = passes_zero_by(armed, moment, rates_are_solved_);
  armed.sign = static_cast<signed char>(passes_zero ? -to : to);
  armed.starts_at_zero = !passes_zero;
  return true;
}

Aftermath Arming::judge(const Moment& moment, std::span<const int> fired) {
  Aftermath aftermath;
  guards_.refresh_kinds();
  has_second_ = has_followers_ = false;
  first_forecast_ = infinity;
  rest_.see(moment);
  for (std::size_t i = 0; i < n_; ++i) {
    jets_.values[i] = Jet<double>(moment.x[i]);
    jets_.values[i].slope = moment.direction * moment.rate[i];
  }
  ++jets_.version;
  nearest_ = -1;
  for (const int g : sleep_.awake()) {
    Armed& armed = (*this)[g];
    if (!guards_.is_enabled(g)) {
      armed.is_known = false;
      continue;
    }
    const bool has_fired = std::find(fired.begin(), fired.end(), g) != fired.end();
    if (is_untouched(g, moment, has_fired)) {
      recall_forecast(g, moment);
      continue;
    }
    armed.forecast_at = moment.t;
    const bool is_unilateral = guards_[g].side == Side::unilateral;
    if ((has_fired && !guards_.keeps_side(g)) || !armed.is_known) armed.rests = false;
    const bool has_rested = armed.rests;
    // Multipliers where a step was cut are those of their polynomial but for its error: it may yet have to pass zero.
    const Signs verdict = look(g, moment, has_fired && (is_unilateral || guards_[g].reads_followers));
    if (guards_.is_of_switch(g)) {
      judge_switch(g, verdict, moment, has_fired, aftermath);
      take_forecast(g);
      continue;
    }
    if (has_rested && stays_at_rest(g, verdict, moment, has_fired, aftermath)) {
      take_forecast(g);
      continue;
    }
    if (!armed.is_known) {  // the start of a run, or of watching
      const Standing standing = stand_at_start(enabled(g, moment, verdict), guards_.is_relation(g));
      armed.sign = static_cast<signed char>(standing.sign);
      armed.starts_at_zero = standing.starts_at_zero;
      if (armed.starts_at_zero && !guards_.is_of_contact(g)) armed.forecast = infinity;  // of a tangent that is noise
      if (verdict.sign == 0) aftermath.at_zero.push_back(g);
      if (contradicts_its_mode(g)) {
        armed.sign = static_cast<signed char>(-armed.sign);
        aftermath.jumped.push_back(g);
      }
    } else if (guards_.is_relation(g)) {
      judge_relation(g, verdict, moment, aftermath);
    } else {
      judge_guard(g, verdict, moment, has_fired, aftermath);
    }
    // The next step knows multipliers at its start to rounding alone: on which side of zero they are says nothing.
    const bool is_rounded = guards_[g].reads_followers && !guards_.is_of_contact(g) && !is_unilateral;
    if (has_fired && is_rounded && verdict.sign == 0 && verdict.leaving() != 0 && verdict.leaving() == armed.sign)
      armed.starts_at_zero = true;
    armed.is_known = true;
    if (moment.has_moved && !settles(armed, moment)) doubt(g, verdict, aftermath);
    if (guards_.holds_truth(g) && !guards_.is_relation(g) && armed.starts_at_zero &&
        armed.sign == 0) {  // what is not true is false, until it leaves to the other side
      const GuardInfo& info = guards_.info(g);
      const bool is_relay = info.role == GuardInfo::Role::relay_up || info.role == GuardInfo::Role::relay_down;
      const bool is_above = is_relay && held_.sides[static_cast<std::size_t>(info.role_index)] == RelaySide::above;
      armed.sign = is_above ? 1 : -1;
      armed.starts_at_zero = false;
    }
    if (guards_.is_exit(g)) {
      armed.sign = 1;  // it slides; leaving at once is an event
      armed.starts_at_zero = false;
    }
    if (begins_rest(g, moment, verdict)) come_to_rest(g, moment);
    take_forecast(g);
  }
  if (moment.is_in_cluster) {
    for (const int g : dozing_) {
      if (sleep_.is_asleep(g)) recall_forecast(g, moment);
    }
  } else {
    for (const int g : dozing_) (*this)[g].is_dozing = false;
    dozing_.clear();
  }
  for (auto* list : {&aftermath.jumped, &aftermath.unresolved, &aftermath.beyond, &aftermath.at_zero})
    std::sort(list->begin(), list->end());
  return aftermath;
}

// A contact that opens has a gap, one that slips does so in its direction: where rounding has put the state on the
// other side, or the motion goes there, the mode is over at once. Unknowns that are solved for are known to the
// tolerance of the solver, and on which side of zero they are says nothing.
bool Arming::contradicts_its_mode(int guard) const {
  if (guards_.is_exit(guard) || guards_.model().is_implicit()) return false;
  const auto& end = guards_.info(guard).contact_end;
  const bool tells_mode = end == ContactEnd::gap || end == ContactEnd::slip;
  const Direction direction = guards_[guard].direction;
  return tells_mode && direction != Direction::either && armed_[at(guard)].sign == static_cast<int>(direction);
}

void Arming::come_to_rest(int guard, const Moment& moment) {
  Armed& armed = (*this)[guard];
  armed.rests = true;
  armed.rests_from = moment.t;
  armed.forecast = infinity;
  if (guards_.keeps_side(guard)) return;
  armed.sign = 0;
  armed.starts_at_zero = true;
}

void Arming::take_forecast(int guard) {
  const double ahead = (*this)[guard].forecast;
  if (!(ahead < first_forecast_)) return;
  first_forecast_ = ahead;
  nearest_ = guard;
}

// All switches have just been decided together, by values and derivatives: each is on its side, or as near to zero as
// it was decided. There it rests, and ends what the switch does once it is beyond noise on the other side. What has
// fired so and changed nothing was nearer to zero than the switches can be told by: it waits for four times as much.
void Arming::judge_switch(int guard, const Signs& verdict, const Moment& moment, bool has_fired, Aftermath& aftermath) {
  constexpr double farther = 4, farthest = 1e12;
  Armed& armed = (*this)[guard];
  const int own = -static_cast<int>(guards_[guard].direction);
  if (!armed.is_known && verdict.sign == 0) aftermath.at_zero.push_back(guard);
  const bool has_waited = armed.is_known && has_fired && armed.patience > 0;
  armed.is_known = true;
  armed.sign = static_cast<signed char>(own);
  armed.starts_at_zero = verdict.sign == 0 && verdict.leaving() == own;
  armed.rests = verdict.sign != own && !armed.starts_at_zero;
  if (!has_waited) armed.patience = 1;
  if (!armed.rests) return;
  armed.rests_from = moment.t;
  armed.forecast = infinity;
  if (has_waited) armed.patience *= farther;
  while (armed.patience < farthest &&
         rest_.sign_beyond(Rest::Band::noise, guard, moment.t, moment.x, armed.patience) == -own)
    armed.patience *= farther;
}

void Arming::doubt_switch(int guard, double t) {
  Armed& armed = (*this)[guard];
  armed.rests = true;
  armed.rests_from = t;
  armed.starts_at_zero = false;
}

void Arming::judge_relation(int guard, const Signs& verdict, const Moment& moment, Aftermath& aftermath) {
  Armed& armed = (*this)[guard];
  const int held = held_.truths[static_cast<std::size_t>(guards_.info(guard).role_index)];
  const RelationStanding standing = stand_of_relation(held, verdict, std::isfinite(armed.forecast),
                                                      settles(armed, moment), [&] { return moment.has_moved(guard); });
  if (standing.passes_zero) armed.settles_until = passes_zero_by(armed, moment, rates_are_solved_);
  armed.sign = static_cast<signed char>(standing.sign);
  armed.starts_at_zero = standing.starts_at_zero;
  if (standing.outcome != Standing::Outcome::fires) return;
  armed.after = static_cast<signed char>(standing.after);
  aftermath.jumped.push_back(guard);
}

void Arming::judge_guard(int guard, const Signs& verdict, const Moment& moment, bool has_fired, Aftermath& aftermath) {
  Armed& armed = (*this)[guard];
  const LiveGuard& live = guards_[guard];
  const HasMoved has_moved = [&] { return moment.has_moved(guard); };
  // A guard or condition has done its part when it fired; a relay decides by its value.
  const GuardRole role = guards_.is_exit(guard) ? GuardRole::relay_up : guards_.info(guard).role;
  // At rest what must not be beyond zero is on the side that it must keep.
  const bool is_kept = armed.sign == 0 && live.side == Side::unilateral;
  const int before = is_kept ? -static_cast<int>(live.direction) : armed.sign;
  // Its number tells the side, be it within rounding: only consistent values can have taken it back from where the
  // finder proved it to be.
  const bool approaches = (role == GuardRole::guard || role == GuardRole::condition) && std::isfinite(armed.forecast) &&
                          sign_of(value_) == before;
  const Standing standing =
      has_fired ? stand_after_firing(before, verdict, live.side, std::exchange(armed.is_touching, false), approaches,
                                     has_moved)
                : stand_after_reset({armed.sign, armed.starts_at_zero}, verdict, live.side, live.direction, has_moved);
  armed.sign = static_cast<signed char>(standing.sign);
  armed.starts_at_zero = standing.starts_at_zero;
  switch (standing.outcome) {
    case Standing::Outcome::stands:
      break;
    case Standing::Outcome::fires:
      aftermath.jumped.push_back(guard);
      break;
    case Standing::Outcome::passes:
      if (!settles(armed, moment)) armed.settles_until = passes_zero_by(armed, moment, rates_are_solved_);
      break;
    case Standing::Outcome::remains:
      aftermath.unresolved.push_back(guard);
      break;
    case Standing::Outcome::beyond:
      aftermath.beyond.push_back(guard);
      break;
  }
}

// A jump of the same event may have made a truth or the side of a relay untrue: it fires again, and is set right.
void Arming::doubt(int guard, const Signs& verdict, Aftermath& aftermath) {
  if (verdict.sign == 0 || guards_.is_exit(guard)) return;
  const GuardInfo& info = guards_.info(guard);
  const auto i = static_cast<std::size_t>(info.role_index);
  int believed = 0;
  switch (info.role) {
    case GuardInfo::Role::guard:
    case GuardInfo::Role::relation:
      return;
    case GuardInfo::Role::condition:
      believed = held_.truths[i] != 0 ? 1 : -1;
      break;
    case GuardInfo::Role::condition_family: {
      const auto& members = held_.members[i];
      believed = std::find(members.begin(), members.end(), guards_[guard].member) != members.end() ? 1 : -1;
      break;
    }
    case GuardInfo::Role::relay_up:
    case GuardInfo::Role::relay_down:
      believed = held_.sides[i] == RelaySide::above ? 1 : -1;
      break;
  }
  if (verdict.sign == believed) return;
  (*this)[guard].sign = static_cast<signed char>(believed);
  (*this)[guard].starts_at_zero = false;
  if (std::find(aftermath.jumped.begin(), aftermath.jumped.end(), guard) == aftermath.jumped.end())
    aftermath.jumped.push_back(guard);
}

}  // namespace pawl::event
