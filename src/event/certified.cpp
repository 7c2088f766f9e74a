// The default finder. Every guard gets a proved sign chart over the step's polynomial, which is the trajectory; the
// first event cuts the step, after it has been taken again where the polynomial is not as good as its end; the side is
// proved at the stored numbers.
#include <algorithm>
#include <cmath>

#include "event/finder.hpp"
#include "event/stored_states.hpp"
#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {

constexpr double near_border = 1e-6;  // of a step: a zero this close to where a guard loses its value comes first

struct Candidate {
  int guard;
  Zero zero;
};

class Certified final : public EventFinder {
 public:
  Certified(GuardSet& guards, Arming& arming, int size, const FinderOptions& options)
      : guards_(guards),
        arming_(arming),
        options_(options),
        generic_(guards, size),
        black_box_(guards, size),
        stored_(size),
        uncertain_(size) {}

  void begin_piece(const Moment&) override {}

  std::optional<Found> first(Trial& trial) override {
    auto found = search(trial);
    order_sightings(trial.step);
    return found;
  }

 private:
  std::optional<Found> search(Trial& trial) {
    sightings_.clear();
    trial.ensure_polynomial();
    Step& step = trial.step;
    arming_.sleep().follow(step);
    if (arming_.awake().empty()) return std::nullopt;
    if (trial.driver != nullptr)
      arming_.rest().begin_step(trial.driver->corrects_ends() || trial.driver->is_implicit());
    const long long evaluations = trial.driver != nullptr ? trial.driver->evaluations() : 0;
    generic_.iterations = black_box_.iterations = 0;
    bool is_polished = false, is_extended = false;
    double limit =
        (step.t1 - step.t0) / step.span + 4 * ulp(step.t1) / std::abs(step.span);  // a step may have been cut
    std::vector<Candidate>& candidates = candidates_;
    candidates.clear();
    for (int round = 0; round < 12; ++round) {
      const int expected = candidates.empty() ? -1 : candidates.front().guard;
      if (!scan(trial, limit, candidates)) return accept_up_to(trial, frontier_);
      if (candidates.empty()) {
        if (is_polished) {  // a valid shorter step: nothing is lost, it is the trajectory now
          ++work_.false_roots;
          trial.was_cut = false;
        }
        remember_sides(std::min(limit, (step.t1 - step.t0) / step.span));
        arming_.rest(step);
        return std::nullopt;
      }
      if (!reaches_window(candidates, limit) && !std::exchange(is_extended, true) && extend(trial, candidates)) {
        limit = 1 + 4 * ulp(step.t1) / std::abs(step.span);
        continue;
      }
      if (is_polished && expected >= 0 && candidates.front().guard != expected) ++work_.wrong_order;
      const double theta = instant_of(candidates);
      if (candidates.front().zero.ends_rest) break;  // where that is, rounding decides
      const double there = step.t0 + theta * step.span;
      if (is_polished || !wants_polish(trial, candidates.front().guard, theta) ||
          !(std::abs(there - step.t0) > 16 * ulp(step.t0)) || !trial.redo(there)) {
        if (!pins(trial, candidates, theta)) break;
        continue;
      }
      is_polished = true;
      arming_.sleep().follow(step);  // it is another step now
      limit = 1 + margin(step, candidates.front().guard);
    }
    return settle(trial, candidates, evaluations);
  }

  // What is decided at an event is decided by the forces there: their polynomials become exact at the zero.
  bool pins(Trial& trial, const std::vector<Candidate>& candidates, double theta) {
    return std::any_of(
               candidates.begin(), candidates.end(),
               [&](const Candidate& c) { return guards_[c.guard].is_generic && guards_[c.guard].reads_followers; }) &&
           guards_.followers()->pin(trial.step, theta);
  }

  // In the order of time, and none beyond the end of the step, where it would be seen again.
  void order_sightings(const Step& step) {
    const double direction = step.span < 0 ? -1 : 1;
    std::erase_if(sightings_, [&](const Sighting& s) { return direction * (s.t - step.t1) > 0; });
    std::stable_sort(sightings_.begin(), sightings_.end(),
                     [&](const Sighting& a, const Sighting& b) { return direction * (a.t - b.t) < 0; });
  }

  static double ulp(double t) { return eps * std::abs(t); }

  // What cannot be proved is told by numbers from there on, and said; where a guard is not a number the chart ends.
  bool covers(const Step& step, int guard, double from, double to, ChartReader& reader) {
    bool has_ranges = false;
    if (guards_[guard].is_generic) {
      const bool is_whole = generic_.cover(guard, from, to, reader);
      const GenericChart::Stop stop = generic_.stop();
      from = frontier_ = generic_.frontier();
      if (generic_.doubt() != nullptr && stop != GenericChart::Stop::not_a_number)
        guards_.doubt(guard, step.t0 + (is_whole ? 0 : frontier_) * step.span, generic_.doubt());
      if (stop == GenericChart::Stop::not_a_number && frontier_ < not_a_number_.theta)
        not_a_number_ = {guard, frontier_};
      has_ranges = stop == GenericChart::Stop::slow;
      if (stop == GenericChart::Stop::undecided)
        guards_.sample(guard);
      else if (!has_ranges)
        return is_whole;
    }
    if (black_box_.cover(guard, from, to, reader, has_ranges)) return true;
    frontier_ = black_box_.frontier();
    return false;
  }

  // Where a guard reads multipliers, their polynomials are drawn, and better ones as long as it is not quiet. What they
  // cannot be drawn for is told by numbers.
  bool is_quiet(Trial& trial, int guard, double limit, Armed& armed) {
    while (!is_quiet(guard, limit, armed)) {
      if (!generic_.has_read_coarse()) return false;
      if (!guards_.followers()->draw(trial.step)) {
        if (!guards_[guard].shares_load) guards_.sample(guard);  // which those are by now
        return false;
      }
      generic_.read(trial.step);
    }
    return true;
  }

  // The common case, one evaluation: the guard keeps its sign all along.
  bool is_quiet(int guard, double limit, Armed& armed) {
    const Interval range = generic_.range_over(guard, 0, limit);
    const int sign = generic_.has_left_domain() ? 0 : range.sign();
    armed.magnitude = range.mag();
    armed.distance = range.mig() / (range.hi - range.lo);
    const bool is_leaving =
        armed.starts_at_zero && guards_[guard].side == Side::bilateral && !guards_.is_of_switch(guard);
    if (sign == 0 || (sign != armed.sign && armed.sign != 0 && !is_leaving)) return false;
    armed.sign = static_cast<signed char>(sign);
    armed.starts_at_zero = false;
    return true;
  }

  // Contacts that share a load hold all over the step if forces do that are smooth functions of the motion: those of
  // the constraints, within the cones of all of them. Otherwise others may, which numbers tell.
  bool are_proved_to_hold(Trial& trial, double limit) {
    for (const int guard : arming_.awake()) {
      if (!guards_[guard].shares_load) continue;
      Armed& armed = arming_[guard];
      if (armed.sign < 0 || !guards_.followers()->begin_smooth(trial.step)) return false;
      if (!is_quiet(trial, guard, limit, armed) && !stays_positive(guard, limit)) return false;
      if (armed.sign < 0 || !guards_.followers()->are_smooth()) return false;
    }
    return true;
  }

  bool stays_positive(int guard, double limit) {
    ChartReader reader(1, false, Direction::falling, false);
    return generic_.cover(guard, 0, limit, reader) && !reader.event() && !reader.ends_in_zero() &&
           reader.touches().empty();
  }

  // Charts every awake guard up to the first event and the window behind it.
  bool scan(Trial& trial, double limit, std::vector<Candidate>& candidates) {
    const Step& step = trial.step;
    guards_.end_sampling();
    if (guards_.followers() != nullptr) guards_.followers()->read(step);
    generic_.read(step);
    black_box_.read(step);
    generic_.location_tolerance = black_box_.location_tolerance = options_.location_tolerance / std::abs(step.span);
    candidates.clear();
    readers_.clear();
    sightings_.clear();
    not_a_number_ = {};
    const double window = window_ = options_.window / std::abs(step.span);
    const bool are_held = guards_.followers() == nullptr || are_proved_to_hold(trial, limit);
    for (const int guard : arming_.awake()) {
      Armed& armed = arming_[guard];
      if (guards_[guard].shares_load) {
        if (are_held) continue;
        guards_.note_sampled(guard);
      }
      auto begin = begin_of_chart(trial, guard, armed, limit, candidates);
      if (begin && strays(step, guard, armed, limit)) {
        arming_.doubt_switch(guard, step.t0);
        begin = begin_of_chart(trial, guard, armed, limit, candidates);
      }
      if (!begin) continue;
      double from = *begin;
      armed.distance = 0;
      const bool fires_on_touch = !guards_.is_exit(guard) && guards_.info(guard).fires_on_touch;
      const double settled = std::isnan(armed.settles_until) ? -1 : (armed.settles_until - step.t0) / step.span;
      const bool is_strict = guards_[guard].side == Side::unilateral;
      const bool counts_poles = guards_.is_exit(guard) || guards_.info(guard).role != GuardRole::guard;
      ChartReader fresh(armed.sign, armed.starts_at_zero || from > 0, guards_[guard].direction, fires_on_touch, settled,
                        is_strict, counts_poles);
      if (from > 0) fresh.emit(0, 0, from);
      ChartReader reader = fresh;
      bool is_whole = covers(step, guard, from, limit, reader);
      if (const auto end = reader.event() ? end_of_noise(guard, armed, step, *reader.event(), limit) : std::nullopt) {
        from = *end;
        reader =
            ChartReader(armed.sign, true, guards_[guard].direction, fires_on_touch, settled, is_strict, counts_poles);
        reader.emit(0, 0, from);
        is_whole = covers(step, guard, from, limit, reader);
      }
      double farther = limit;  // a zero at the very end of the step: see both its sides
      for (int i = 0; i < 3 && is_whole && reader.ends_in_zero() && reader.zero_from() > 0 && limit >= 1; ++i) {
        farther = 1 + 16 * (farther - 1);
        reader = fresh;
        is_whole = covers(step, guard, from, farther, reader);
      }
      if (!is_whole && !reader.event() && not_a_number_.guard == guard) {
        limit = std::min(limit, frontier_ + near_border);
      } else if (!is_whole && !reader.event()) {  // up to the frontier the chart is sound: look no farther
        if (frontier_ <= 64 * eps) return false;
        limit = std::min(limit, frontier_);
        is_limited_ = true;
      }
      if (reader.event()) {
        candidates.push_back({guard, *reader.event()});
        if (reader.event()->is_leading) candidates.back().zero.left = last_inside(guard, *reader.event());
        limit = std::min(limit, reader.event()->right + window + 8 * ulp(step.t1) / std::abs(step.span));
      } else if (is_strict && is_back_at_zero(guard, armed, reader)) {
        Zero zero{0, 1, armed.sign, -armed.sign, true};
        zero.left = last_inside(guard, zero);
        candidates.push_back({guard, zero});
      } else if (reader.ends_in_zero() && is_at_end_of_run(trial, limit)) {
        consider_zero_at_end(guard, reader, candidates);
      }
      note(trial, guard, reader);
      readers_.push_back({guard, reader, from});
    }
    const bool is_limited = std::exchange(is_limited_, false);
    double reached = is_limited ? limit : std::numeric_limits<double>::infinity();
    for (const Candidate& c : candidates) reached = std::min(reached, c.zero.left);
    if (not_a_number_.theta + near_border < reached)
      generic_.throw_not_a_number(not_a_number_.guard, not_a_number_.theta);
    if (is_limited && candidates.empty()) {
      frontier_ = limit;
      return false;
    }
    if (candidates.empty()) return true;
    const double first = first_end(candidates);
    std::erase_if(candidates, [&](const Candidate& c) { return c.zero.left > first + window; });
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      const bool overlap = a.zero.left <= b.zero.right && b.zero.left <= a.zero.right;
      if (overlap) return a.guard < b.guard;
      return a.zero.left < b.zero.left;
    });
    std::erase_if(sightings_, [&](const Sighting& s) { return (s.t - step.t0) / step.span > first; });
    return true;
  }

  // Where the chart of a guard begins: at the start of the step, or where it ends its rest; none: nothing to be
  // charted. The end of the rest of something that holds a truth is an event, of a guard it is none, unless it leads to
  // where the guard must never be seen.
  std::optional<double> begin_of_chart(Trial& trial, int guard, Armed& armed, double& limit,
                                       std::vector<Candidate>& candidates) {
    const bool is_relation_at_rest = guards_.is_relation(guard) && armed.sign == 0;
    if (!armed.rests && !is_relation_at_rest) {
      if (guards_[guard].is_generic && is_quiet(trial, guard, limit, armed)) return std::nullopt;
      return 0;
    }
    const Step& step = trial.step;
    armed.distance = 0;
    const Rest::Band band = armed.rests ? Rest::Band::noise : Rest::Band::integration;
    const bool is_fresh = armed.rests && armed.rests_from == step.t0;
    // While a contact holds, its gap is a constraint, and its force, which is charted, says when that ends.
    if (!guards_.info(guard).contact_end) guards_.note_sampled(guard);
    const double patience = guards_.is_of_switch(guard) ? armed.patience : 0;
    auto end = arming_.rest().end_in(step, guard, std::min(limit, 1.0), band, is_fresh, patience);
    if (!end) return std::nullopt;
    const bool is_beyond = guards_.is_forbidden(guard, end->after);
    if (!is_beyond && (!guards_.keeps_side(guard) || end->after == armed.sign)) {
      if (guards_[guard].is_generic && guards_[guard].reads_followers) guards_.sample(guard);
      return end->right;
    }
    end->before = is_beyond ? -end->after : armed.sign;
    end->ends_rest = true;
    candidates.push_back({guard, *end});
    limit = std::min(limit, end->right + window_);
    return std::nullopt;
  }

  // Whether a switch that starts at zero and was forecast to leave to its own side is on the other one first.
  bool strays(const Step& step, int guard, const Armed& armed, double limit) {
    if (!guards_.is_of_switch(guard) || !armed.starts_at_zero || armed.rests) return false;
    ChartReader reader(armed.sign, true, guards_[guard].direction, false);
    covers(step, guard, 0, limit, reader);
    return reader.has_strayed();
  }

  // A guard that starts at zero and goes where it was expected to, or to a side that nothing has told yet, after
  // rounding has had it on the other side, or what the polynomial is off: where that ends.
  std::optional<double> end_of_noise(int guard, const Armed& armed, const Step& step, const Zero& zero, double limit) {
    if (!armed.starts_at_zero || zero.is_touch() || guards_.is_exit(guard)) return std::nullopt;
    if (guards_[guard].side == Side::unilateral || guards_.is_of_contact(guard)) return std::nullopt;
    Rest& rest = arming_.rest();
    const Rest::Band band = armed.sign != 0 ? rest.band_of_steps() : Rest::Band::rounding;
    if (armed.sign == 0 || zero.after != -armed.sign)
      return rest.end_in(step, guard, zero.left, band, true) ? std::nullopt : std::optional(zero.right);
    if (band == Rest::Band::rounding) return std::nullopt;  // it has left, and is back
    const auto end = rest.end_in(step, guard, std::min(limit, 1.0), band, true);
    return end && end->after == armed.sign && end->right > zero.right ? std::optional(end->right) : std::nullopt;
  }

  // A unilateral guard that left zero and is on its way back, all within rounding of zero.
  bool is_back_at_zero(int guard, const Armed& armed, const ChartReader& reader) {
    if (!armed.starts_at_zero || armed.sign == 0 || !reader.ends_in_zero() || reader.zero_from() > 0) return false;
    if (!guards_[guard].is_generic || !guards_[guard].fires_towards(-armed.sign)) return false;
    const double rounding = generic_.range_over(guard, 1, 1).radius();  // less than that is no way
    return generic_.jet_at(guard, 1).slope * armed.sign < -rounding;
  }

  // Within a leading zero signs cannot be proved: the last instant at which the value is not beyond.
  double last_inside(int guard, const Zero& zero) {
    double inside = zero.left, beyond = zero.right;
    for (int i = 0; i < 60 && inside < beyond; ++i) {
      const double middle = 0.5 * (inside + beyond);
      if (middle <= inside || middle >= beyond) break;
      const double g =
          guards_[guard].is_generic ? generic_.jet_at(guard, middle).value : black_box_.value_at(guard, middle);
      (g * zero.before >= 0 ? inside : beyond) = middle;
    }
    return std::max(inside, 0.0);
  }

  // Whether the step goes far enough to show everything within the window of its first event.
  bool reaches_window(const std::vector<Candidate>& candidates, double limit) const {
    return options_.window == 0 || first_end(candidates) + window_ <= limit;
  }
  bool extend(Trial& trial, const std::vector<Candidate>& candidates) {
    const Step& step = trial.step;
    const double direction = step.span < 0 ? -1 : 1;
    double end = step.t0 + (first_end(candidates) + 1.001 * window_) * step.span;
    if (direction * (end - trial.limit) > 0) end = trial.limit;
    if (end == step.t1 || !trial.redo(end)) return false;
    arming_.sleep().follow(step);
    return true;
  }
  static bool are_touches(const std::vector<Candidate>& candidates) {
    return std::all_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.zero.is_touch(); });
  }
  static double first_end(const std::vector<Candidate>& candidates) {
    double first = std::numeric_limits<double>::infinity();
    for (const Candidate& c : candidates) first = std::min(first, c.zero.right);
    return first;
  }

  bool is_at_end_of_run(const Trial& trial, double limit) const { return trial.step.t1 == trial.end && limit >= 1; }

  // A zero at the last instant: nothing can be proved beyond it, the slope must do.
  void consider_zero_at_end(int guard, const ChartReader& reader, std::vector<Candidate>& candidates) {
    if (reader.side() == 0 || reader.zero_from() <= 0 || reader.ends_in_pole() || guards_.has_values_only(guard))
      return;
    int slope = 0;
    if (guards_[guard].is_generic) {
      const double s = generic_.jet_at(guard, 1).slope;
      slope = (s > 0) - (s < 0);
    } else {
      const double before = black_box_.value_at(guard, std::max(0.0, reader.zero_from() - 1e-6));
      slope = (before < 0) - (before > 0);
    }
    const int after = -reader.side();
    if (slope == after && guards_[guard].fires_towards(after))
      candidates.push_back({guard, {reader.zero_from(), 1, reader.side(), after}});
  }

  void note(const Trial& trial, int guard, const ChartReader& reader) {
    const Step& step = trial.step;
    const auto time = [&](double theta) { return step.t0 + theta * step.span; };
    for (const Zero& touch : reader.touches())
      sightings_.push_back({Sighting::Kind::touch, guard, time(0.5 * (touch.left + touch.right))});
    if (reader.has_departed() && !guards_.is_exit(guard) && guards_.info(guard).reports_departure)
      sightings_.push_back({Sighting::Kind::departure, guard, time(reader.departure())});
    const bool has_missed = !reader.event() && reader.touches().empty() && !reader.ends_in_zero() &&
                            !reader.has_departed() && !arming_[guard].starts_at_zero;
    if (guards_[guard].is_generic && generic_.near_miss && has_missed &&
        std::abs(generic_.near_miss->value) <= band(trial, guard, generic_.near_miss->theta))
      sightings_.push_back({Sighting::Kind::near_touch, guard, time(generic_.near_miss->theta)});
  }

  // How far the local error of the step can move the guard.
  double band(const Trial& trial, int guard, double theta) {
    const Step& step = trial.step;
    uncertain_.read(step, guards_.followers(), trial.control, theta);
    return guards_.evaluate(guard, Interval(step.t0 + theta * step.span), uncertain_).radius();
  }

  // Where the step should end for these candidates.
  double instant_of(const std::vector<Candidate>& candidates) {
    double earliest_unilateral = std::numeric_limits<double>::infinity(), last = 0;
    if (are_touches(candidates)) return 0.5 * (candidates.front().zero.left + candidates.front().zero.right);
    for (const Candidate& c : candidates) {
      if (c.zero.is_touch()) continue;
      if (guards_[c.guard].side == Side::unilateral)
        earliest_unilateral = std::min(earliest_unilateral, c.zero.left);
      else
        last = std::max(last, c.zero.right);
    }
    if (std::isfinite(earliest_unilateral)) return std::max(0.0, earliest_unilateral);
    if (!std::isfinite(options_.amplitude) || candidates.size() == 1) return last;
    // Region of concurrency: the last zero at which all earlier guards are still within the amplitude.
    double chosen = candidates.front().zero.right;
    for (const Candidate& c : candidates) {
      const bool is_within = std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
        if (other.zero.left >= c.zero.right) return true;
        const double g = guards_[other.guard].is_generic ? generic_.jet_at(other.guard, c.zero.right).value
                                                         : black_box_.value_at(other.guard, c.zero.right);
        return std::abs(g) <= options_.amplitude;
      });
      if (is_within) chosen = std::max(chosen, c.zero.right);
    }
    return chosen;
  }

  // The polynomial's error vanishes at both ends of the step; 16 θ² (1 - θ)² of the local error is in between. Where
  // the polynomial is as good as the end, cutting it is exact enough; where its order is lower, digits would be lost.
  // So they would be for a guard that reads states; one of the time alone is located exactly all the same.
  bool wants_polish(const Trial& trial, int guard, double theta) {
    if (trial.driver == nullptr || theta >= 1 || theta <= 0) return false;
    if (trial.driver->corrects_ends()) return true;
    const int order = trial.driver->order(), dense = trial.driver->dense_order();
    const double lost = 16 * theta * theta * (1 - theta) * (1 - theta) * trial.step.error;
    if (rounding(trial) > 1) return true;
    if (dense >= order) return lost > 1;
    if (order <= 5 || lost <= 0.001) return lost > 0.1;
    const bool reads_states = !guards_[guard].is_generic || band(trial, guard, theta) > 1e-3 * trial.control.relative;
    return lost > 0.1 || reads_states;
  }

  // Large dense weights cancel, and what they leave is rounding: here in units of the tolerance.
  static double rounding(const Trial& trial) {
    const Step& step = trial.step;
    double largest = 0;
    for (int i = 0; i < step.size(); ++i) {
      const double weight = trial.control.absolute[static_cast<std::size_t>(i)] +
                            trial.control.relative * std::max(std::abs(step.start()[i]), std::abs(step.end()[i]));
      largest = std::max(largest, std::abs(step.end()[i] - step.start()[i]) / weight);
    }
    return eps * trial.driver->dense_weight() * largest;
  }

  // How far beyond the new end the event may now lie.
  double margin(const Step& step, int guard) {
    if (!guards_[guard].is_generic || guards_[guard].reads_followers || guards_.has_values_only(guard)) return 0.02;
    generic_.read(step);
    const Jet<double> g = generic_.jet_at(guard, 1);
    if (g.slope == 0) return 0.05;  // flat there
    return std::clamp(3 * std::abs(g.value / g.slope), 1e-6, 0.05);
  }

  // Cuts the step at the event and proves, at the stored numbers, that every guard is on its side.
  std::optional<Found> settle(Trial& trial, std::vector<Candidate>& candidates, long long evaluations) {
    Step& step = trial.step;
    const double direction = step.span < 0 ? -1 : 1;
    double theta = instant_of(candidates);
    const bool is_touch = are_touches(candidates);
    const auto is_later = [theta](const Candidate& c) { return c.zero.is_touch() && c.zero.left > theta; };
    std::erase_if(candidates, is_later);  // a touch behind the crossing that decides is found again
    const bool has_unilateral = std::any_of(candidates.begin(), candidates.end(), [this](const Candidate& c) {
      return guards_[c.guard].side == Side::unilateral && !c.zero.is_touch();
    });
    if (std::isfinite(options_.amplitude) && !has_unilateral)  // the region of concurrency may leave later ones out
      std::erase_if(candidates, [theta](const Candidate& c) { return c.zero.left > theta; });
    double t = step.t0 + theta * step.span;
    while (!has_unilateral && !is_touch && direction * (t - step.t0) < direction * theta * step.span)
      t = std::nextafter(t, direction * std::numeric_limits<double>::infinity());
    while (has_unilateral && direction * (t - step.t0) > direction * theta * step.span)
      t = std::nextafter(t, -direction * std::numeric_limits<double>::infinity());
    Found found;
    const double old_end = step.t1;
    for (int attempt = 0; attempt < 64; ++attempt) {
      if (direction * (t - step.t0) <= 0) t = step.t0;
      if (direction * (t - trial.end) >= 0) t = trial.end;
      if (t == step.t0) {
        step.t1 = t;
        std::copy(step.start(), step.start() + step.size(), step.end());
        trial.was_cut = true;
        break;
      }
      trial.cut(t);
      if (is_touch || are_proved(step, candidates, has_unilateral)) break;
      if (t == trial.end && !has_unilateral) {
        found.is_clamped = true;
        break;
      }
      const double least = std::max(ulp(t), 1e-4 * eps * std::abs(step.span));  // t may be zero
      t += std::ldexp(least, attempt) * (has_unilateral ? -direction : direction);
    }
    if (step.t1 != old_end) trial.was_cut = true;
    theta = (step.t1 - step.t0) / step.span;
    for (const Candidate& c : candidates) {
      found.guards.push_back(c.guard);
      found.is_in_rounding |= c.zero.is_leading;
      found.zeros.push_back(step.t0 + 0.5 * (c.zero.left + c.zero.right) * step.span);
      found.uncertainty = std::max(found.uncertainty, (c.zero.right - c.zero.left) * std::abs(step.span));
      if (trial.driver != nullptr && guards_[c.guard].is_generic && !guards_.has_values_only(c.guard) &&
          !c.zero.is_touch())
        found.is_within_tolerance |= std::abs(generic_.jet_at(c.guard, std::min(1.0, c.zero.left)).slope) <
                                     band(trial, c.guard, std::min(1.0, c.zero.left));
      const bool is_late = has_unilateral && guards_[c.guard].side == Side::bilateral && c.zero.right > theta;
      arming_[c.guard].settles_until =
          is_late ? step.t0 + (c.zero.right * (1 + 4 * eps)) * step.span + options_.window * direction
                  : std::numeric_limits<double>::quiet_NaN();
    }
    found.iterations = generic_.iterations + black_box_.iterations;
    work_.iterations += found.iterations;
    if (trial.driver != nullptr) found.extra_evaluations = trial.driver->evaluations() - evaluations;
    remember_sides(theta);
    arming_.rest(step);
    for (const Candidate& c : candidates) {
      arming_[c.guard].sign = static_cast<signed char>(c.zero.before);
      arming_[c.guard].after = static_cast<signed char>(c.zero.after);
      arming_[c.guard].is_touching = c.zero.is_touch();
      arming_[c.guard].starts_at_zero = false;
      arming_[c.guard].rests = false;
    }
    return found;
  }

  bool are_proved(const Step& step, const std::vector<Candidate>& candidates, bool has_unilateral) {
    stored_.read(step, guards_.followers());
    return std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      const bool is_unilateral = guards_[c.guard].side == Side::unilateral;
      if (has_unilateral && !is_unilateral) return true;  // it fires before its own zero
      const int wanted = is_unilateral ? c.zero.before : c.zero.after;
      const int sign = guards_[c.guard].is_generic ? guards_.evaluate(c.guard, Interval(step.t1), stored_).sign()
                                                   : black_box_.sign_at(c.guard, step.t1, step.end());
      if (c.zero.is_leading || (is_unilateral && c.zero.ends_rest))
        return sign != c.zero.after;  // nothing more can be told
      return c.zero.is_touch() || sign == wanted;
    });
  }

  void remember_sides(double theta) {
    for (const auto& [guard, reader, rested_until] : readers_) {
      Armed& armed = arming_[guard];
      if (armed.rests && rested_until > theta) continue;
      armed.rests = false;
      armed.sign = static_cast<signed char>(reader.side_at(theta));
      if (!reader.ends_in_zero() || reader.zero_from() > 0) armed.starts_at_zero = false;
      if (reader.ends_in_pole()) armed.sign = 0;  // what comes after it is not known
    }
    readers_.clear();
  }

  // The budget of a chart is spent: the step ends where the charts are complete.
  std::optional<Found> accept_up_to(Trial& trial, double theta) {
    const double t = trial.step.t0 + theta * trial.step.span;
    remember_sides(theta);
    trial.cut(t);
    trial.was_cut = true;
    return std::nullopt;
  }

  struct Read {
    int guard;
    ChartReader reader;
    double rested_until;
  };
  GuardSet& guards_;
  Arming& arming_;
  FinderOptions options_;
  GenericChart generic_;
  BlackBoxChart black_box_;
  StoredStates stored_;
  UncertainStates uncertain_;
  std::vector<Read> readers_;
  std::vector<Candidate> candidates_;  // of the step that is searched
  double frontier_ = 0, window_ = 0;   // the window in θ
  bool is_limited_ = false;
  struct {
    int guard = -1;
    double theta = std::numeric_limits<double>::infinity();
  } not_a_number_;  // the first guard that has no value from there on, unless an event comes before
};

}  // namespace

std::unique_ptr<EventFinder> make_certified(GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
  return std::make_unique<Certified>(guards, arming, size, options);
}

}  // namespace pawl::event
