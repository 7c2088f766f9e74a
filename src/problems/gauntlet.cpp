#include "problems/gauntlet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "event/model_rates.hpp"
#include "integrate/methods.hpp"
#include "pawl/simulate.hpp"
#include "problems/gauntlet_parts.hpp"

namespace pawl {

std::vector<GauntletCase> gauntlet(GuardForm form) {
  std::vector<GauntletCase> cases;
  gauntlet_parts::add_waves(cases, form);
  gauntlet_parts::add_tangencies(cases, form);
  gauntlet_parts::add_dips(cases, form);
  gauntlet_parts::add_ends(cases, form);
  gauntlet_parts::add_simultaneous(cases, form);
  gauntlet_parts::add_resets(cases, form);
  gauntlet_parts::add_switches(cases, form);
  gauntlet_parts::add_accumulations(cases, form);
  gauntlet_parts::add_rests(cases, form);
  gauntlet_parts::add_forces(cases, form);
  gauntlet_parts::add_resting_forces(cases, form);
  gauntlet_parts::add_constrained(cases, form);
  if (form == GuardForm::black_box)
    std::erase_if(cases, [](const GauntletCase& one) { return !one.has_black_box_form; });
  return cases;
}

double guard_value(const System::Declarations& model, const EventSource& source, const Held& held, double t,
                   const std::vector<double>& x) {
  const event::ModelRates<double> rates(model.rates, static_cast<int>(x.size()));
  const detail::Surroundings<double> around{&held, source.member, nullptr, &rates};
  double value = 0;
  model.guards[static_cast<std::size_t>(source.index)].g(Point<double>(t, x.data(), held.parameters.data(), &around),
                                                         &value);
  return value;
}

namespace {

/// One guard at one event.
struct FoundEvent {
  double t;
  EventKind kind;
  EventSource source;
  std::string guard;
  const Event* event;
  int match = -1;  // index of the expected event
};

bool is_zero_seen(EventKind kind) {
  return kind == EventKind::touch || kind == EventKind::departure;
}

std::string describe(const FoundEvent& found) {
  return fmt::format("{} of '{}' at {:.17g}", to_string(found.kind), found.guard, found.t);
}
std::string describe(const ExpectedEvent& expected) {
  return fmt::format("{} of '{}' at {:.17g}", to_string(expected.kind), expected.guard, expected.t);
}

class Judge {
 public:
  Judge(const GauntletCase& one, const Result& run, GuardForm form)
      : case_(one), run_(run), model_(*run.declarations), is_black_box_(form == GuardForm::black_box) {}

  GauntletReport report() {
    flatten();
    match();
    count();
    check_order();
    if (!case_.reads_multipliers) {
      for (const FoundEvent& found : found_) check_far_side(found);
      check_never_beyond();
      check_start();
    }
    check_ending();
    report_.rhs = run_.statistics.rhs;
    report_.steps = run_.statistics.steps_accepted;
    report_.guard_evaluations = run_.statistics.events.guard_ranges + run_.statistics.events.guard_points;
    return report_;
  }

 private:
  // What counts: everything that fired; of what was only seen, zeros at the start, touches and departures, which need
  // proofs.
  void flatten() {
    for (const Event& event : run_.events) {
      const bool counts = fires(event.kind) || (is_zero_seen(event.kind) && !is_black_box_);
      if (!counts) continue;
      for (const EventSource& source : event.sources) {
        if (source.kind == EventSource::Kind::time) continue;
        found_.push_back({event.t, event.kind, source, name_of(source, model_), &event});
      }
    }
  }

  bool fits(const FoundEvent& found, const ExpectedEvent& expected) const {
    return found.guard == expected.guard && found.kind == expected.kind &&
           std::abs(found.t - expected.t) <= expected.tolerance;
  }

  // Each expected event takes the first that fits and is still free.
  void match() {
    is_matched_.assign(case_.expected.size(), false);
    for (std::size_t e = 0; e < case_.expected.size(); ++e) {
      const ExpectedEvent& expected = case_.expected[e];
      const auto it = std::find_if(found_.begin(), found_.end(),
                                   [&](const FoundEvent& found) { return found.match < 0 && fits(found, expected); });
      if (it == found_.end()) continue;
      it->match = static_cast<int>(e);
      is_matched_[e] = true;
      report_.location_error = std::max(report_.location_error, std::abs(it->t - expected.t));
    }
  }

  // A state that should end exactly at its event may end some ulp before it, and then there is none.
  bool falls_short(const ExpectedEvent& expected) const {
    if (!expected.may_fall_short) return false;
    const auto guard = std::find_if(model_.guards.begin(), model_.guards.end(),
                                    [&](const GuardInfo& info) { return info.name == expected.guard; });
    const EventSource source{EventSource::Kind::guard, static_cast<int>(guard - model_.guards.begin()), {}};
    const double value = guard_value(model_, source, *run_.eras.back().held, run_.t_end, run_.final_state);
    return value * expected.to < 0 && std::abs(value) <= 8 * std::numeric_limits<double>::epsilon();
  }

  // An event too far from its exact time is misplaced: neither is another one missed, nor is it there twice.
  void count() {
    using gauntlet_parts::of_state;
    std::vector<bool> is_misplaced(case_.expected.size(), false);
    const double last = case_.expected.empty() ? case_.options.start : case_.expected.back().t;
    for (const FoundEvent& found : found_) {
      if (found.match >= 0 || (case_.may_chatter_on && found.t >= last - of_state)) continue;
      const auto near = std::find_if(case_.expected.begin(), case_.expected.end(), [&](const ExpectedEvent& expected) {
        return expected.guard == found.guard && std::abs(found.t - expected.t) <= 100 * expected.tolerance + 1e-12;
      });
      const bool is_near = near != case_.expected.end();
      if (is_black_box_ && is_near && near->needs_proof) continue;  // a touch in a black box is a hint
      const auto e = static_cast<std::size_t>(near - case_.expected.begin());
      if (is_near && !is_matched_[e] && !is_misplaced[e]) {
        is_misplaced[e] = true;
        ++report_.misplaced;
        report_.faults.push_back(
            fmt::format("off by {:.1e}: {}, allowed {:.1e}", found.t - near->t, describe(found), near->tolerance));
        continue;
      }
      ++(is_near ? report_.doubled : report_.wrong);
      report_.faults.push_back((is_near ? "double: " : "wrong: ") + describe(found));
    }
    for (std::size_t e = 0; e < case_.expected.size(); ++e) {
      const ExpectedEvent& expected = case_.expected[e];
      const bool is_wanted =
          !expected.is_optional && !(is_black_box_ && (expected.needs_proof || is_zero_seen(expected.kind)));
      if (!is_wanted || falls_short(expected)) continue;
      ++report_.expected;
      if (is_matched_[e]) {
        ++report_.found;
      } else if (!is_misplaced[e]) {
        ++report_.missed;
        report_.faults.push_back("missed: " + describe(expected));
      }
    }
  }

  void check_order() {
    const double direction = case_.options.end < case_.options.start ? -1 : 1;
    const FoundEvent* last = nullptr;
    for (const FoundEvent& found : found_) {
      if (!fires(found.kind)) continue;
      if (last != nullptr && direction * (found.t - last->t) < 0) {
        ++report_.out_of_order;
        report_.faults.push_back(fmt::format("out of order: {} after {}", describe(found), describe(*last)));
      }
      if (last != nullptr && last->match >= 0 && found.match >= 0) {
        const ExpectedEvent &a = case_.expected[static_cast<std::size_t>(last->match)],
                            &b = case_.expected[static_cast<std::size_t>(found.match)];
        if (direction * (a.t - b.t) > 2 * (a.tolerance + b.tolerance)) {
          ++report_.out_of_order;
          report_.faults.push_back(fmt::format("out of order: {} before {}", describe(a), describe(b)));
        }
      }
      last = &found;
    }
  }

  // CEL+: at a bilateral event the guard is seen beyond zero, at the very bits that are recorded.
  void check_far_side(const FoundEvent& found) {
    if (found.match < 0 || found.kind != EventKind::crossing || found.event->is_clamped) return;
    const ExpectedEvent& expected = case_.expected[static_cast<std::size_t>(found.match)];
    const GuardInfo& info = model_.guards[static_cast<std::size_t>(found.source.index)];
    if (expected.to == 0 || info.side == Side::unilateral) return;
    const double value =
        guard_value(model_, found.source, *found.event->held_before, found.t, run_.before(found.t).states());
    if (value * expected.to > 0) return;
    ++report_.wrong_side;
    report_.faults.push_back(fmt::format("wrong side: {} with g = {:.3g}", describe(found), value));
  }

  // CEL-: a unilateral guard is never seen beyond zero, at events or between them.
  void check_never_beyond() {
    std::vector<double> times;
    for (int i = 0; i < 1000; ++i) times.push_back(run_.t_start + (run_.t_end - run_.t_start) * i / 1000);
    times.push_back(run_.t_end);
    for (std::size_t g = 0; g < model_.guards.size(); ++g) {
      const GuardInfo& info = model_.guards[g];
      if (info.side != Side::unilateral) continue;
      const EventSource source{EventSource::Kind::guard, static_cast<int>(g), {}};
      const auto look = [&](const Instant& at, const Held& held, const char* when) {
        if (!info.only_when.holds(held)) return;
        const double value = guard_value(model_, source, held, at.t, at.states());
        if (value * (info.direction == Direction::rising ? -1 : 1) >= 0) return;
        ++report_.wrong_side;
        report_.faults.push_back(fmt::format("beyond: '{}' is {:.3g} {} t = {:.17g}", info.name, value, when, at.t));
      };
      for (const double t : times) look(run_.at(t), held_at(t), "at");
      for (const Event& event : run_.events) {
        if (!fires(event.kind)) continue;
        look(run_.before(event.t), *event.held_before, "before the event at");
        look(run_.at(event.t), held_at(event.t), "after the event at");
      }
    }
  }
  const Held& held_at(double t) const {
    const double direction = run_.t_end < run_.t_start ? -1 : 1;
    const Held* held = run_.eras.front().held.get();
    for (const Result::Era& era : run_.eras) {
      if (direction * (era.t - t) <= 0) held = era.held.get();
    }
    return *held;
  }

  // A guard is listed as zero at the start if and only if it is.
  void check_start() {
    if (is_black_box_) return;
    std::vector<int> listed(model_.guards.size(), 0);
    for (const Event& event : run_.events) {
      if (event.kind != EventKind::initial) continue;
      for (const EventSource& source : event.sources) ++listed[static_cast<std::size_t>(source.index)];
    }
    for (std::size_t g = 0; g < model_.guards.size(); ++g) {
      const GuardInfo& info = model_.guards[g];
      const Held& held = *run_.eras.front().held;
      if (info.is_family || info.role != GuardInfo::Role::guard || !info.only_when.holds(held)) continue;
      const double value = guard_value(model_, {EventSource::Kind::guard, static_cast<int>(g), {}}, held, run_.t_start,
                                       run_.start_state);
      const bool is_fault = value == 0 ? listed[g] != 1 : std::abs(value) > 1e-14 && listed[g] != 0;
      if (is_fault)
        report_.faults.push_back(
            fmt::format("'{}' is {:.3g} at the start and is listed {} times as zero", info.name, value, listed[g]));
    }
  }

  void check_ending() {
    if (run_.outcome != case_.outcome || run_.reason.find(case_.reason) == std::string::npos)
      report_.faults.push_back(fmt::format("the run {}: {}", to_string(run_.outcome), run_.reason));
    if (run_.outcome != case_.outcome) return;
    for (const auto& [state, value] : case_.final_state) {
      const double error = std::abs(run_.final()[state] - value);
      report_.final_error = std::max(report_.final_error, error);
      if (!(error <= case_.final_tolerance))
        report_.faults.push_back(
            fmt::format("final {} is off by {:.2g}", model_.state_names[static_cast<std::size_t>(state.index)], error));
    }
  }

  const GauntletCase& case_;
  const Result& run_;
  const System::Declarations& model_;
  bool is_black_box_;
  std::vector<FoundEvent> found_;
  std::vector<bool> is_matched_;
  GauntletReport report_;
};

}  // namespace

GauntletReport judge(const GauntletCase& one, const Result& run, GuardForm form) {
  return Judge(one, run, form).report();
}

bool GauntletCase::is_for(const Method& method) const {
  const bool takes_equations = !method.is_implicit() || method.highest_index > 0;
  return method.order >= lowest_order && (takes_equations || !system.declarations().is_implicit());
}

GauntletReport run_case(const GauntletCase& one, const std::string& method, GuardForm form) {
  Options options = one.options;
  options.method = method;
  options.max_events = 20'000;  // more than any case has
  // The lines and parabolas of most cases are exact for one-step methods. Multistep ones begin every piece with order 1
  // and are as good as their tolerance, down to the height of the last bounces.
  if (find_method(method).family == Family::multistep && !one.keeps_tolerance) options.tolerance = {1e-12, 1e-17};
  return judge(one, simulate(one.system, options), form);
}

}  // namespace pawl
