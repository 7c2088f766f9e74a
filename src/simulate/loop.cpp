#include "simulate/loop.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "formulate/not_finite.hpp"
#include "pawl/step_size.hpp"
#include "simulate/advice.hpp"
#include "simulate/callback_failure.hpp"
#include "system/foreign_handle.hpp"

namespace pawl::detail {

void Watch::report_stiffness(const Stiffness& stiffness, const Step& step) {
  if (std::exchange(is_stiff_, true)) return;
  const StiffnessReport report = describe(stiffness, setup_, step.end());
  recorder_.add(make_message(MessageCode::stiff, stiffness.t, {{"fastest", report.fastest}}));
  evaluations_ += report.evaluations;
}

void Watch::report_lower_polynomial(const Step& step) {
  if (std::exchange(has_lower_polynomial_, true)) return;
  recorder_.add(make_message(MessageCode::lower_polynomial, step.t0, {{"end", step.t1}}));
}

void Watch::report(std::vector<Message> notes) {
  for (Message& note : notes)
    if (row_of(note.code).is_repeated || said_.insert(note.text).second) recorder_.add(std::move(note));
}

Pace::Verdict Pace::judge(double t, double end) {
  if (++steps_ < window) return Verdict::fine;
  steps_ = 0;
  advance_ = std::abs(t - mark_);
  mark_ = t;
  const double windows = std::abs(end - t) / advance_;
  return windows > 1e6 ? Verdict::hopeless : windows > 100 ? Verdict::slow : Verdict::fine;
}

Message Pace::describe(const RateJump& jump, const Setup& setup, double t) const {
  return make_message(MessageCode::rates_jump, t,
                      {{"state", setup.declarations->state_names[jump.state]},
                       {"low", jump.low},
                       {"high", jump.high},
                       {"steps", static_cast<long long>(window)},
                       {"advance", advance_}});
}

Message Pace::describe(const Setup& setup, const StepControl& control, const Step& step, bool is_stiff) const {
  std::size_t fastest = 0;
  double largest = -1;
  for (std::size_t i = 0; i < control.absolute.size(); ++i) {
    const double scale = control.absolute[i] + control.relative * std::abs(step.end()[i]);
    const double change = std::abs(step.end()[i] - step.start()[i]) / scale;
    if (change > largest) largest = change, fastest = i;
  }
  return make_message(
      MessageCode::never_ends, step.t1,
      {{"steps", static_cast<long long>(window)},
       {"advance", advance_},
       {"state", setup.declarations->state_names[fastest]},
       {"likely", is_stiff ? "the problem is stiff"
                           : "the solution grows without bound, or the model jumps here and no guard, condition or "
                             "relay says so"},
       {"advice", is_stiff ? "the method auto or radau"
                           : "declare the switch, so that it is found and passed; if both sides push onto it, as a "
                             "relay"}});
}

namespace {

/// The piece of trajectory over which infinitely many events are passed: a straight line to where they accumulate.
void write_line(double t1, const std::vector<double>& x0, const std::vector<double>& x1, Step& step) {
  step.t0 = step.t1;
  step.t1 = t1;
  step.h = step.span = step.t1 - step.t0;
  step.error = 0;
  double* c = step.make_polynomial(1);
  for (std::size_t i = 0; i < x0.size(); ++i) {
    step.start()[i] = c[2 * i] = x0[i];
    step.end()[i] = x1[i];
    c[2 * i + 1] = x1[i] - x0[i];
  }
}

}  // namespace

Loop::Loop(const Setup& setup, Driver& driver, event::Layer& events, const StepControl& control)
    : setup_(setup),
      driver_(driver),
      events_(events),
      control_(control),
      direction_(setup.options.end < setup.options.start ? -1 : 1),
      recorder_(setup),
      watch_(setup, recorder_),
      pace_(setup.options.start),
      jumps_(setup.size()),
      leaps_(control_),
      contradictions_(setup.declarations),
      now_{setup.options.start, setup.start_state},
      step_(setup.size()) {}

template <class Do>
void Loop::guarded(const Do& act) {
  try {
    act();
  } catch (const ForeignHandle&) {
    throw;  // a model that cannot be meant, not trouble met on the way
  } catch (...) {
    is_held_back_ = false;
    ending_ = {Outcome::failed, describe_exception()};
  }
}

void Loop::begin() {
  guarded([this] {
    if (!setup_.start_failure.empty()) {
      recorder_.begin(now_.t, now_.x, setup_.held);
      ending_ = {Outcome::failed,
                 make_message(MessageCode::inconsistent_start, now_.t, {{"why", setup_.start_failure}})};
      return;
    }
    event::Verdict verdict = events_.begin(now_.t, setup_.options.end, now_.x, setup_.start_rate);
    events_.report(recorder_.events());
    recorder_.begin(now_.t, now_.x, events_.snapshot());
    take(std::move(verdict));
    look_at_declarations();
    if (!ending_) driver_.restart(now_.t, now_.x.data(), direction_, events_.start_step(), events_.rate());
  });
}

void Loop::advance() {
  guarded([this] {
    if (!is_held_back_) {
      if (!take_step()) return;  // smooth, mode locked, on the manifold
      look_for_event();          // none, or the first; the step then ends there
    }
    complete();
  });
}

void Loop::complete() {
  is_held_back_ = false;
  ++passes_;
  record_step();  // this polynomial is the trajectory
  now_.t = step_.t1;
  now_.x.assign(step_.end(), step_.end() + step_.size());
  if (step_.t1 != step_.t0) tell_observer();
  if (!ending_ && (found_ || events_.is_due(step_, found_))) {
    transition();
    if (!ending_) tell_observer();
  }
  if (!ending_) say_what_was_seen();
}

void Loop::tell_observer() {
  if (!setup_.options.observer) return;
  const Instant now{now_.t, now_.x, recorder_.held(), setup_.dynamics};
  if (!asks("the observer", [&] { return setup_.options.observer(now); })) stop();
}

void Loop::stop() {
  if (now_.t != setup_.options.end) ending_ = {Outcome::stopped, make_message(MessageCode::stopped_by_user, now_.t)};
}

void Loop::advance_to(double t) {
  while (!has_ended() && now_.t != t) {
    if (!is_held_back_) hold_back();
    if (!is_held_back_ || is_beyond(step_.t1, t)) return;
    advance();
  }
}

void Loop::hold_back() {
  guarded([this] {
    if (!take_step()) return;
    Memory memory;
    events_.carry(memory);
    before_search_ = memory.take();
    look_for_event();
    is_held_back_ = true;
  });
}

bool Loop::take_step() {
  const double limit = events_.limit(setup_.options.end);
  is_micro_ = events_.micro_step(now_.t, now_.x, limit, step_);
  if (!is_micro_) {
    if (now_.needs_restart) {
      driver_.end_piece(now_.t);
      driver_.restart(now_.t, now_.x.data(), direction_,
                      events_.first_step(driver_.next_step_size(), driver_.method_in_force()),
                      now_.knows_rate ? events_.rate() : nullptr);
    }
    const Attempt attempt = driver_.step(limit, events_.correction(), step_);
    if (attempt != Attempt::accepted) {
      fail(attempt);
      return false;
    }
    if (!take_shorter_than_a_leap(limit)) return false;
    events_.remember_step(driver_.next_step_size(), driver_.method_in_force());
  }
  now_.needs_restart = is_micro_;
  now_.knows_rate = false;
  return true;
}

/// False: every step from here leaps, and the run has ended.
bool Loop::take_shorter_than_a_leap(double limit) {
  for (int retakes = 0; const auto leaping = leaps_.find(step_, events_.field()); ++retakes) {
    const double shorter = 0.1 * std::abs(step_.h);
    if (retakes == Leaps::most_retakes || setup_.options.step || !(shorter > smallest_step(now_.t, limit))) {
      const auto i = static_cast<std::size_t>(*leaping);
      ending_ = {
          Outcome::failed,
          make_message(MessageCode::cannot_step, now_.t,
                       {{"why", fmt::format("a step of {:.3g} takes '{}' from {:.6g} to {:.3g}, which neither "
                                            "its rate nor what it has been so far explains.\n"
                                            "  likely: the equations hardly determine it here, or they jump\n"
                                            "  try:    nominal({}, size) if it is meant to be that large",
                                            std::abs(step_.h), setup_.declarations->state_names[i], step_.start()[i],
                                            step_.end()[i], setup_.declarations->state_names[i])}})};
      return false;
    }
    driver_.restart(now_.t, now_.x.data(), direction_, shorter);
    if (const Attempt attempt = driver_.step(limit, events_.correction(), step_); attempt != Attempt::accepted) {
      fail(attempt);
      return false;
    }
  }
  return true;
}

void Loop::look_for_event() {
  event::Trial trial(step_, is_micro_ ? nullptr : &driver_, events_.correction(), control_, setup_.options.end,
                     events_.limit(setup_.options.end));
  found_ = events_.first(trial);
  now_.needs_restart |= trial.was_cut;
  if (trial.is_lower) watch_.report_lower_polynomial(step_);
}

void Loop::record_step() {
  if (step_.degree() == 0 && recorder_.needs_polynomial(step_) && !driver_.interpolate(step_))
    watch_.report_lower_polynomial(step_);
  if (step_.t1 != step_.t0) {
    recorder_.record(step_);
    if (recorder_.keeps_history())
      is_micro_ ? recorder_.history(step_, 1, "micro step")
                : recorder_.history(step_, driver_.order(), driver_.name_in_force(setup_.method));
  }
  events_.report(recorder_.events());
}

void Loop::take(event::Verdict verdict) {
  if (verdict.goes_on()) return;
  ending_ = {verdict.ending == event::Ending::terminated ? Outcome::terminated : Outcome::failed,
             std::move(verdict.why)};
}

void Loop::transition() {
  event::Verdict verdict = events_.happen(step_, found_, now_.x, recorder_.events());
  recorder_.jump(now_.t, now_.x, events_.snapshot());
  now_.needs_restart = now_.knows_rate = true;
  take(std::move(verdict));
  look_at_declarations();
  if (!ending_) pass_accumulation();
}

void Loop::look_at_declarations() {
  if (ending_) return;
  for (Message& message : contradictions_.look(now_.t, now_.x, events_.held())) {
    if (message.level == Message::Level::ending)
      ending_ = {Outcome::failed, std::move(message)};
    else
      recorder_.add(std::move(message));
  }
}

// Where events accumulate, the rest of them is passed over in one line.
void Loop::pass_accumulation() {
  const auto limit = events_.take_accumulation();
  if (!limit || !is_beyond(events_.limit(setup_.options.end), limit->time) || is_beyond(now_.t, limit->time)) return;
  if (limit->time != now_.t) {
    write_line(limit->time, now_.x, limit->state, step_);
    recorder_.record(step_);
    if (recorder_.keeps_history()) recorder_.history(step_, 1, "line to the limit");
  }
  now_.t = limit->time;
  now_.x = limit->state;
  event::Verdict verdict = events_.accumulate(*limit, now_.x, recorder_.events());
  recorder_.jump(now_.t, now_.x, events_.snapshot());
  take(std::move(verdict));
}

void Loop::say_what_was_seen() {
  if (driver_.stiffness()) watch_.report_stiffness(*driver_.stiffness(), step_);
  if (driver_.has_notes()) watch_.report(driver_.take_notes());
  if (events_.has_notes()) watch_.report(events_.take_notes());
  if (!setup_.options.step) judge_pace();
  if (!ending_ && !makes_progress()) stop();
}

// A run that will not end soon is asked whether its rates jump, before it is given up or let go on.
void Loop::judge_pace() {
  if (jumps_.is_looking()) {
    if (const auto jump = jumps_.look(step_, events_.field()))
      ending_ = {Outcome::failed, pace_.describe(*jump, setup_, now_.t)};
    else if (is_hopeless_ && !jumps_.is_looking())
      ending_ = {Outcome::failed, pace_.describe(setup_, control_, step_, driver_.stiffness().has_value())};
    return;
  }
  const Pace::Verdict pace = pace_.judge(now_.t, setup_.options.end);
  if (pace == Pace::Verdict::fine) return;
  is_hopeless_ = pace == Pace::Verdict::hopeless;
  if (!setup_.declarations->is_implicit())
    jumps_.begin();
  else if (is_hopeless_)
    ending_ = {Outcome::failed, pace_.describe(setup_, control_, step_, driver_.stiffness().has_value())};
}

bool Loop::makes_progress() {
  const Options& options = setup_.options;
  if (!options.progress) return true;
  return asks("the progress callback", [&] {
    return options.progress({now_.t, options.start, options.end, driver_.work().accepted});
  });
}

// The step that is held back ends here, as an event would end it; what was found beyond is not true any more.
void Loop::change(double t, const event::Change& jump) {
  guarded([&] {
    if (is_held_back_) {
      Memory memory(*before_search_);
      events_.carry(memory);
      event::Trial trial(step_, is_micro_ ? nullptr : &driver_, events_.correction(), control_, setup_.options.end, t);
      trial.ensure_polynomial();
      if (!driver_.corrects_ends() || !trial.redo(t)) trial.cut(t);
      event::Trial cut(step_, nullptr, nullptr, control_, setup_.options.end, t);
      found_ = events_.first(cut);  // what the guards do until then
      complete();
      if (ending_) return;
    }
    event::Verdict verdict = events_.change(now_.t, now_.x, jump, recorder_.events());
    recorder_.jump(now_.t, now_.x, events_.snapshot());
    now_.needs_restart = now_.knows_rate = true;
    take(std::move(verdict));
    look_at_declarations();
  });
}

std::vector<double> Loop::state_at(double t) {
  if (!is_held_back_ || t == now_.t) return now_.x;
  std::vector<double> x(now_.x.size());
  if (step_.degree() == 0 && !is_micro_) driver_.interpolate(step_);
  step_.at(t, x.data());
  return x;
}

void Loop::fail(Attempt attempt) {
  const std::vector<Message> last_words = driver_.take_notes();
  if (!last_words.empty() && last_words.back().level == Message::Level::ending) {  // the method says why
    ending_ = {Outcome::failed, last_words.back()};
    return;
  }
  watch_.report(last_words);
  if (std::string why = setup_.explain ? setup_.explain() : std::string(); !why.empty())
    ending_ = {Outcome::failed, make_message(MessageCode::cannot_step, driver_.failure().t, {{"why", std::move(why)}})};
  else
    ending_ = {Outcome::failed, describe(attempt, driver_.failure(), setup_, operation_not_finite(attempt))};
}

std::string Loop::operation_not_finite(Attempt attempt) const {
  if (attempt != Attempt::not_finite) return {};
  const double direction = setup_.options.end < setup_.options.start ? -1 : 1;
  return formulate::operation_not_finite_near(*setup_.declarations, setup_.dynamics->rates(), events_.held(), now_.t,
                                              now_.x.data(), direction * std::abs(driver_.failure().step_size));
}

// Whatever was thrown on the way, in words. Called while an exception is being handled.
Message Loop::describe_exception() const {
  const double t = recorder_.time();
  try {
    throw;
  } catch (const event::GuardNotANumber& failure) {
    return events_.describe(failure);
  } catch (const std::bad_alloc&) {
    return make_message(MessageCode::out_of_memory, t);
  } catch (const Misuse& error) {
    return make_message(MessageCode::misuse_on_the_way, t, {{"what", error.what()}});
  } catch (const CallbackFailure& error) {
    return make_message(MessageCode::callback_threw, t, {{"what", error.what()}});
  } catch (const std::exception& error) {
    return make_message(MessageCode::function_threw, t, {{"what", fmt::format(": {}", error.what())}});
  } catch (...) {
    return make_message(MessageCode::function_threw, t, {{"what", " something that is no std::exception"}});
  }
}

void Loop::carry(Memory& memory) {
  events_.carry(memory);
  driver_.carry(memory);
  recorder_.carry(memory);
  watch_.carry(memory);
  jumps_.carry(memory);
  leaps_.carry(memory);
  contradictions_.carry(memory);
  memory(pace_, is_hopeless_, now_, step_, is_micro_, found_, ending_, is_held_back_, before_search_, passes_);
}

Result Loop::finish(double wall_seconds) {
  if (!ending_) watch_.report(driver_.take_notes());
  watch_.report(events_.take_notes());
  Work work = driver_.work();
  work.rhs += watch_.evaluations() + events_.evaluations() + jumps_.evaluations + leaps_.evaluations +
              contradictions_.evaluations;
  recorder_.take(events_.statistics());
  Ending ending = ending_.value_or(Ending{});
  return recorder_.finish(ending.outcome, ending.why, step_, work, wall_seconds);
}

}  // namespace pawl::detail
