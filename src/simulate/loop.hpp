// Loop: one accepted step after the other, cut by the first event in it, recorded, until the end or whatever comes
// before it. It can stand still anywhere: a step that reaches beyond the instant asked for is held back, with the event
// that was found in it, and goes on as if nothing had happened.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "event/layer.hpp"
#include "pawl/run.hpp"
#include "simulate/contradictions.hpp"
#include "simulate/leaps.hpp"
#include "simulate/rate_jumps.hpp"
#include "simulate/recorder.hpp"

namespace pawl::detail {

/// Time that has passed since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Says, once each, what a user should know about a run that goes on all the same.
class Watch {
 public:
  Watch(const Setup& setup, Recorder& recorder) : setup_(setup), recorder_(recorder) {}

  void report_stiffness(const Stiffness& stiffness, const Step& step);
  void report_lower_polynomial(const Step& step);
  void report(std::vector<Message> notes);
  int evaluations() const { return evaluations_; }
  void carry(Memory& memory) { memory(is_stiff_, has_lower_polynomial_, said_, evaluations_); }

 private:
  const Setup& setup_;
  Recorder& recorder_;
  bool is_stiff_ = false, has_lower_polynomial_ = false;
  std::unordered_set<std::string> said_;
  int evaluations_ = 0;
};

/// Whether the run will come to its end in a lifetime.
class Pace {
 public:
  explicit Pace(double t) : mark_(t) {}

  enum class Verdict { fine, slow, hopeless };
  /// After every step; now and then it is not fine: millions of steps to go, or ten thousand million.
  Verdict judge(double t, double end);
  Message describe(const Setup& setup, const StepControl& control, const Step& step, bool is_stiff) const;
  Message describe(const RateJump& jump, const Setup& setup, double t) const;

 private:
  static constexpr int window = 10000;
  double mark_, advance_ = 0;
  int steps_ = 0;
};

class Loop {
 public:
  /// The control must outlive it.
  Loop(const Setup& setup, Driver& driver, event::Layer& events, const StepControl& control);

  /// Messages of the set-up, before all others.
  void say(std::vector<Message> messages) { recorder_.take(std::move(messages)); }

  /// The first instant; called once.
  void begin();
  /// One step and what happens at its end, or what is left to do of a step that was held back.
  void advance();
  /// Goes on to t, not beyond the end. A step that reaches further is held back.
  void advance_to(double t);
  void run() {
    while (!has_ended()) advance();
  }
  /// Something is changed from outside at t, which is where the run stands or inside the step that is held back.
  void change(double t, const event::Change& jump);

  bool has_ended() const { return ending_ || now_.t == setup_.options.end; }
  double t() const { return now_.t; }
  /// The state at t, which is where the run stands or inside the step that is held back.
  std::vector<double> state_at(double t);
  bool is_held_back() const { return is_held_back_; }
  /// Whether state_at() has to ask the method for a polynomial first.
  bool needs_polynomial() const { return is_held_back_ && step_.degree() == 0; }
  long long passes() const { return passes_; }
  /// Takes a step, looks for its event, and holds both back.
  void hold_back();

  void carry(Memory& memory);
  Result finish(double wall_seconds);

 private:
  struct Ending {
    Outcome outcome = Outcome::finished;
    std::optional<Message> why = {};
  };
  // Where the run stands.
  struct Stand {
    double t;
    std::vector<double> x;
    bool needs_restart = false;
    bool knows_rate = false;  // at x: that of the event layer
  };

  template <class Do>
  void guarded(const Do& act);
  bool take_step();
  bool take_shorter_than_a_leap(double limit);
  void look_for_event();
  void record_step();
  void complete();
  void transition();
  void look_at_declarations();
  void pass_accumulation();
  void take(event::Verdict verdict);
  void say_what_was_seen();
  void judge_pace();
  void tell_observer();
  bool makes_progress();
  void stop();
  // Equations pull the ends of their steps themselves, surfaces that relays slide on included.
  void fail(Attempt attempt);
  std::string operation_not_finite(Attempt attempt) const;
  Message describe_exception() const;
  bool is_beyond(double t, double than) const { return direction_ * (t - than) > 0; }

  const Setup& setup_;
  Driver& driver_;
  event::Layer& events_;
  const StepControl& control_;
  const double direction_;
  Recorder recorder_;
  Watch watch_;
  Pace pace_;
  RateJumps jumps_;
  Leaps leaps_;
  Contradictions contradictions_;
  bool is_hopeless_ = false;
  Stand now_;
  Step step_;
  bool is_micro_ = false;
  std::optional<event::Found> found_;
  std::optional<Ending> ending_;
  bool is_held_back_ = false;
  std::shared_ptr<const Memory::Saved> before_search_;  // of the event layer, for a step that is held back
  long long passes_ = 0;
};

}  // namespace pawl::detail
