// The finder of M. D. Compere, Simulation of engineering systems described by high-index DAE and discontinuous ODE
// using single step methods, dissertation, UT Austin 2001, chapter 5, for comparison with its tables.
//
//   detection  cubic Hermite interpolants of every guard over the accepted step; those whose range excludes zero are
//              dropped; suspects are those with a root, and error-prone ones: slopes of opposite sign, bulging to zero
//   estimate   a full step to the first suspected root; suspects are looked at again with two cubics (or one quintic);
//              none left: that step is thrown away and the first one stands
//   location   Newton's method on ĝ = g -+ eps_g sgn(g'), a full step per iterate, until |ĝ| <= eps_d (CEL+, CEL-)
//   try-catch  case I: it was the first. Case II: another guard has crossed before it: that one is located.
//              Case III: there is no root: the guard is no suspect any more
//   ROC        bilateral events within eps_c are one, at the last instant at which all are within eps_ROC of zero
//
// Where this differs from the text: iterates stay inside a bracket once one is known, so a root between two proved
// signs is never given up; N_itmax (not printed) is 10 and counts only without a bracket; guards have directions;
// guards that touch zero never fire here.
#include <algorithm>
#include <cmath>

#include "event/finder.hpp"
#include "event/hermite.hpp"
#include "numerics/rounding.hpp"

namespace pawl::event {

namespace {

constexpr int most_iterations = 10;   // without a bracket
constexpr int most_bisections = 200;  // with one; never reached unless the guard is not continuous
constexpr double default_tolerance = 1e-10;

class Compere final : public EventFinder {
 public:
  Compere(GuardSet& guards, Arming& arming, int size, const FinderOptions& options)
      : guards_(guards), arming_(arming), options_(options), probe_(guards, size), is_quintic_(options.uses_quintic) {
    eps_d_ = options.location_tolerance > 0 ? options.location_tolerance : default_tolerance;
    eps_g_ = eps_d_ + eps / 2;
  }

  void begin_piece(const Moment&) override {}
  bool is_paced_by_layer() const override { return false; }
  double restart_size() const override {
    return options_.first_step > 0 ? options_.first_step : 1e-5 * options_.run_length;
  }

  std::optional<Found> first(Trial& trial) override {
    sightings_.clear();
    trial.ensure_polynomial();
    read(trial.step);
    suspects_.clear();
    for (std::size_t i = 0; i < watched_.size(); ++i) suspect(i);
    if (suspects_.empty()) return pass();
    whole_ = trial.step;
    evaluations_ = trial.driver != nullptr ? trial.driver->evaluations() : 0;
    iterations_ = 0;
    const double estimate = first_suspect().estimate;
    is_redone_ = false;
    if (estimate < length_ - resolution(whole_.t1)) {
      ++work_.discarded;  // the accepted step; or, if that is to stand after all, the one to the estimate
      go_to(trial, std::max(estimate, resolution(whole_.t0)));
      reexamine();
    }
    auto found = locate(trial);
    work_.iterations += iterations_;
    if (found) return found;
    if (is_redone_) trial.restore(whole_);
    trial.step = whole_;
    trial.was_cut = false;
    return pass();
  }

 private:
  struct Watched {
    int guard;
    int side;   // its sign at the start; 0: whichever it leaves with
    Node a, b;  // at the ends of the accepted step
  };
  struct Suspect {
    std::size_t watched;
    int side;         // its sign before the crossing,
    double since;     // which it has since then
    double estimate;  // time of the first crossing that fires
    Node now;         // where the step ends at present
  };
  struct Expected {
    int side;
    double since, time;
  };
  const Watched& of(const Suspect& s) const { return watched_[s.watched]; }
  bool is_unilateral(int guard) const { return guards_[guard].side == Side::unilateral; }
  bool fires(int guard, int after) const {
    const Direction direction = guards_[guard].direction;
    return direction == Direction::either || static_cast<int>(direction) == after;
  }

  void read(const Step& step) {
    watched_.clear();
    probe_.read_start(step);
    for (int g = 0; g < guards_.size(); ++g) {
      if (!guards_.is_enabled(g)) continue;
      const Armed& armed = arming_[g];
      watched_.push_back({.guard = g, .side = armed.starts_at_zero ? 0 : armed.sign, .a = probe_(g), .b = {}});
    }
    probe_.read_end(step);
    for (Watched& w : watched_) w.b = probe_(w.guard);
    length_ = std::abs(step.t1 - step.t0);
  }

  // How a guard that starts at zero leaves it, as its interpolant tells.
  static int leaving_side(const Polynomial& p) {
    const auto turns = p.extrema();
    return sign_of(p(turns.empty() ? 1 : turns.front()));
  }

  // The first crossing that fires, with the side before it. A guard that crosses the other way first only changes side.
  std::optional<Expected> crossing_on(int guard, std::span<const Node> nodes, Expected before) const {
    const Polynomial p = Polynomial::hermite(nodes);
    const double from = nodes.front().time, width = nodes.back().time - from;
    for (const Crossing& crossing : p.crossings(before.side)) {
      const double time = from + crossing.s * width;
      if (fires(guard, crossing.after)) return Expected{-crossing.after, before.since, time};
      before = {crossing.after, time, time};
    }
    return std::nullopt;
  }

  void suspect(std::size_t index) {
    Watched& w = watched_[index];
    const Node nodes[] = {w.a, w.b};
    const Polynomial cubic = Polynomial::hermite(nodes);
    if (w.side == 0) w.side = leaving_side(cubic);
    if (w.side != -sign_of(w.b.value) && cubic.excludes_roots()) return;
    if (const auto crossing = crossing_on(w.guard, nodes, {w.side, 0, 0})) {
      suspects_.push_back({index, crossing->side, crossing->since, crossing->time, w.b});
      return;
    }
    // A quadratic has no inflection point: "the inflection point of g'" is read as the extremum of g, where g' is zero.
    const int side = sign_of(w.a.value);
    const bool is_prone = side != 0 && side == sign_of(w.b.value) && side * w.a.rate < 0 && side * w.b.rate > 0;
    const auto turns = cubic.extrema();
    if (is_prone && fires(w.guard, -side) && !turns.empty())
      suspects_.push_back({index, side, 0, turns.front() * length_, w.b});
  }

  Suspect& first_suspect() {
    return *std::min_element(suspects_.begin(), suspects_.end(),
                             [](const Suspect& a, const Suspect& b) { return a.estimate < b.estimate; });
  }

  /// A full step from the same start to that time; where the method cannot, its polynomial must do.
  void go_to(Trial& trial, double time) {
    const double t = whole_.t0 + (whole_.span < 0 ? -time : time);
    if (trial.redo(t)) {
      is_redone_ = true;
    } else {
      trial.step = whole_;
      trial.cut(t);
    }
    probe_.read_end(trial.step);
  }

  // With the new node in the middle: does the root exist, and where?
  void reexamine() {
    std::erase_if(suspects_, [&](Suspect& s) {
      const Watched& w = of(s);
      s.now = probe_(w.guard);
      std::optional<Expected> crossing;
      if (is_quintic_) {
        const Node all[] = {w.a, s.now, w.b};
        crossing = crossing_on(w.guard, all, {w.side, 0, 0});
      } else {
        const Node left[] = {w.a, s.now}, right[] = {s.now, w.b};
        const bool has_passed = s.now.value * w.side < 0;  // in a direction that does not fire
        crossing = crossing_on(w.guard, left, {w.side, 0, 0});
        if (!crossing)
          crossing = crossing_on(w.guard, right, {has_passed ? -w.side : w.side, has_passed ? s.now.time : 0, 0});
      }
      if (crossing) {
        s.side = crossing->side;
        s.since = crossing->since;
        s.estimate = crossing->time;
      }
      return !crossing;
    });
  }

  // The auxiliary function, positive before its root: g -+ eps_g sgn(g'), times the sign that g comes from.
  double offset(const Suspect& s, double value) const {
    return s.side * value + (is_unilateral(of(s).guard) ? -eps_g_ : eps_g_);
  }

  // Region of concurrency: of all suspects within the window behind the first, the last that keeps the others, as far
  // as straight lines tell, within the amplitude.
  Suspect& choose() {
    Suspect* chosen = &first_suspect();
    const double first = chosen->estimate;
    if (options_.window == 0 || is_unilateral(of(*chosen).guard)) return *chosen;
    double limit = first + options_.window;
    for (const Suspect& s : suspects_) {
      if (is_unilateral(of(s).guard)) limit = std::min(limit, s.estimate);
    }
    for (Suspect& candidate : suspects_) {
      if (is_unilateral(of(candidate).guard) || candidate.estimate > limit || candidate.estimate <= chosen->estimate)
        continue;
      const bool keeps_all = std::all_of(suspects_.begin(), suspects_.end(), [&](const Suspect& s) {
        return s.estimate > candidate.estimate ||
               std::abs(s.now.value + s.now.rate * (candidate.estimate - s.now.time)) <= options_.amplitude;
      });
      if (keeps_all) chosen = &candidate;
    }
    return *chosen;
  }

  enum class Search { found, at_start, clamped, nothing };

  // Newton's method with a full step for every iterate, from where the step ends at present.
  Search search(Trial& trial, Suspect& s) {
    const Watched& w = of(s);
    const double run_left = std::abs(trial.limit - whole_.t0);
    const double limit = std::min(run_left, 1.1 * length_);
    double low = s.since, high = std::numeric_limits<double>::infinity();
    const bool is_inward = s.side * w.a.rate < 0 || s.side * w.a.value < 0;
    if (s.since == 0 && is_inward && offset(s, w.a.value) <= 0) return Search::at_start;
    if (offset(s, w.b.value) <= 0) high = w.b.time;
    for (int i = 0;; ++i) {
      const double f = offset(s, s.now.value), slope = s.side * s.now.rate;
      if (std::abs(f) <= eps_d_ && slope <= 0) return Search::found;
      (f > 0 ? low : high) = f > 0 ? std::max(low, s.now.time) : std::min(high, s.now.time);
      const bool is_bracketed = std::isfinite(high);
      if (i >= (is_bracketed ? most_bisections : most_iterations)) return Search::nothing;
      double next = s.now.time - f / slope;
      if (is_bracketed) {
        const double least = resolution(whole_.t0 + high);
        if (high - low <= least) {  // no number between: the far end, or the near one for CEL-
          const double end = is_unilateral(w.guard) ? low : high;
          if (end == 0) return Search::at_start;
          if (end != s.now.time) step_to(trial, s, end);
          return Search::found;
        }
        if (!(next > low && next < high)) next = 0.5 * (low + high);
      } else {
        if (!std::isfinite(next)) next = i % 2 == 0 ? 0.5 * (s.now.time + limit) : 0.5 * s.now.time;
        if (next >= limit && s.now.time == limit)
          return limit == run_left && s.side * s.now.value <= 0 ? Search::clamped : Search::nothing;
        next = std::min(next, limit);
        if (next <= 0) next = 0.5 * s.now.time;
      }
      step_to(trial, s, next);
    }
  }

  void step_to(Trial& trial, Suspect& s, double time) {
    ++iterations_;
    go_to(trial, time);
    s.now = probe_(of(s).guard);
  }

  std::optional<Found> locate(Trial& trial) {
    for (std::size_t round = 0; !suspects_.empty(); ++round) {
      Suspect target = choose();
      const Search search_result = search(trial, target);
      if (search_result == Search::nothing) {  // case III
        ++work_.false_roots;
        std::erase_if(suspects_, [&](const Suspect& s) { return s.watched == target.watched; });
        for (Suspect& s : suspects_) s.now = probe_(of(s).guard);
        continue;
      }
      if (search_result == Search::at_start) return settle_at_start(trial, target);
      const bool is_last_chance = round > 2 * watched_.size() + 8;
      if (is_first(target) || is_last_chance) return settle(trial, search_result == Search::clamped);
      ++work_.wrong_order;  // case II: suspects are now those that have crossed already
    }
    return std::nullopt;
  }

  // What crossed before the step ends at present and is no part of the event makes it the wrong one.
  bool is_first(const Suspect& target) {
    std::vector<Suspect> earlier;
    together_.clear();
    const bool is_alone = is_unilateral(of(target).guard);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const Watched& w = watched_[i];
      if (i == target.watched) {
        together_.push_back(target);
        continue;
      }
      const Node now = probe_(w.guard);
      const double near = w.side * now.value;
      if (w.side == 0 || !fires(w.guard, -w.side)) continue;
      if (is_unilateral(w.guard)) {
        if (near < 0)
          earlier.push_back({i, w.side, 0, 0, now});
        else if (is_alone && w.side * now.rate < 0 && std::abs(near - eps_g_) <= eps_d_)
          together_.push_back({i, w.side, 0, 0, now});
        continue;
      }
      if (near >= 0) continue;  // not yet
      const bool is_located = std::abs(near + eps_g_) <= eps_d_;
      const double zero = now.rate != 0 ? now.time - now.value / now.rate : now.time;
      const bool is_in_region = options_.window > 0 && now.time - zero <= options_.window * (1 + 1e-6) &&
                                -near <= options_.amplitude + eps_g_;
      (!is_alone && (is_located || is_in_region) ? together_ : earlier).push_back({i, w.side, 0, 0, now});
    }
    if (earlier.empty()) return true;
    for (Suspect& s : earlier) {
      const Node nodes[] = {of(s).a, s.now};
      const auto crossing = crossing_on(of(s).guard, nodes, {s.side, 0, 0});
      s.estimate = crossing ? crossing->time : s.now.time;
    }
    suspects_ = std::move(earlier);
    return false;
  }

  std::optional<Found> settle(const Trial& trial, bool is_clamped) {
    const Step& step = trial.step;
    const double direction = step.span < 0 ? -1 : 1;
    const auto zero_of = [](const Suspect& s) {
      return s.now.rate != 0 ? s.now.time - s.now.value / s.now.rate : s.now.time;
    };
    std::sort(together_.begin(), together_.end(), [&](const Suspect& a, const Suspect& b) {
      const double za = zero_of(a), zb = zero_of(b);
      return za != zb ? za < zb : of(a).guard < of(b).guard;
    });
    Found found = describe(trial);
    found.is_clamped = is_clamped;
    for (Watched& w : watched_) remember(w, probe_(w.guard).value);
    for (const Suspect& s : together_) {
      found.guards.push_back(of(s).guard);
      found.zeros.push_back(step.t0 + direction * zero_of(s));
      found.uncertainty = std::max(found.uncertainty, std::abs(s.now.time - zero_of(s)));
      arm_fired(s);
    }
    return found;
  }

  // Closer to zero at the start already than the root of ĝ: it fires there.
  std::optional<Found> settle_at_start(Trial& trial, const Suspect& target) {
    Step& step = trial.step;
    step = whole_;
    step.t1 = step.t0;
    std::copy(step.start(), step.start() + step.size(), step.end());
    trial.was_cut = true;
    const Watched& w = of(target);
    Found found = describe(trial);
    found.guards.push_back(w.guard);
    found.zeros.push_back(step.t0 + (w.a.rate != 0 ? -w.a.value / w.a.rate : 0) * (step.span < 0 ? -1 : 1));
    found.uncertainty = std::abs(found.zeros.front() - step.t0);
    arm_fired(target);
    return found;
  }

  Found describe(const Trial& trial) const {
    Found found;
    found.iterations = iterations_;
    if (trial.driver != nullptr) found.extra_evaluations = trial.driver->evaluations() - evaluations_;
    return found;
  }

  void remember(const Watched& w, double value) {
    Armed& armed = arming_[w.guard];
    if (value == 0) {
      if (armed.sign == 0) armed.sign = static_cast<signed char>(w.side);
      return;
    }
    armed.sign = static_cast<signed char>(sign_of(value));
    armed.starts_at_zero = false;
  }
  void arm_fired(const Suspect& s) {
    Armed& armed = arming_[of(s).guard];
    armed.sign = static_cast<signed char>(s.side);
    armed.starts_at_zero = false;
  }
  std::optional<Found> pass() {
    for (const Watched& w : watched_) remember(w, w.b.value);
    return std::nullopt;
  }

  GuardSet& guards_;
  Arming& arming_;
  FinderOptions options_;
  GuardProbe probe_;
  double eps_d_, eps_g_;
  double length_ = 0;  // of the accepted step
  Step whole_;         // the accepted step, as it was
  std::vector<Watched> watched_;
  std::vector<Suspect> suspects_, together_;
  long long evaluations_ = 0;
  int iterations_ = 0;
  bool is_redone_ = false, is_quintic_ = false;
};

}  // namespace

std::unique_ptr<EventFinder> make_compere(GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
  return std::make_unique<Compere>(guards, arming, size, options);
}

}  // namespace pawl::event
