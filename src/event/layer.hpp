// The event layer: everything a run needs to be discontinuous, behind the few calls of the loop. It owns what is held,
// the guards, the finder, the schedule and the watch for accumulation, and paces the steps after events.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "event/accumulation.hpp"
#include "event/appended_guards.hpp"
#include "event/finder.hpp"
#include "event/micro_step.hpp"
#include "event/schedule.hpp"
#include "event/transition.hpp"

namespace pawl::event {

struct LayerOptions {
  const FinderInfo* finder = &find_finder("certified");
  FinderOptions location;
  long long most_events = 1'000'000;
  bool fails_at_accumulation = false;
};

class Layer {
 public:
  Layer(detail::Dynamics& dynamics, std::shared_ptr<const Held> start, ActiveField& field, const StepControl& control,
        const LayerOptions& options, int size);

  /// The guards, integrated along with the states; null where the finder does not ask for it.
  std::unique_ptr<Companions> append_guards();

  /// The first instant. Decides truths and modes, and judges the guards; a smooth model has none, and its rate is the
  /// one given, empty where it is not known.
  Verdict begin(double t, double end, std::vector<double>& x, const std::vector<double>& start_rate);
  /// No step goes beyond this time.
  double limit(double end) const;
  /// Keeps a sliding motion on its surfaces, unless equations do.
  Correction* correction() { return sliding_.is_active() && !model_.is_implicit() ? &pull_ : nullptr; }
  /// A tiny step to the next forecast zero, where events cluster. False: the stepper's turn.
  bool micro_step(double t, const std::vector<double>& x, double limit, Step& step);

  /// The first event of the step, which then ends there.
  std::optional<Found> first(Trial& trial);
  /// Whether something is due at the end of the step.
  bool is_due(const Step& step, const std::optional<Found>& found) const;
  /// The transition at the end of the step; x is the state there, and after it. Takes what was found.
  Verdict happen(const Step& step, std::optional<Found>& found, std::vector<double>& x, std::vector<Event>& events);
  /// Where events accumulate, the run may have to pass over the rest of them: the piece from here to there.
  std::optional<Accumulation> take_accumulation() { return std::exchange(accumulation_, std::nullopt); }
  Verdict accumulate(const Accumulation& where, std::vector<double>& x, std::vector<Event>& events);
  /// Something is changed from outside, at t: an event like others.
  Verdict change(double t, std::vector<double>& x, const Change& jump, std::vector<Event>& events);

  /// What the step saw beside its event.
  void report(std::vector<Event>& events);

  /// At the state after the last event; null: not known.
  const double* rate() const { return rate_; }
  /// The size of the first step of all; 0: the stepper chooses.
  double start_step() const;
  /// The size of the first step after an event, from the one the stepper would have taken.
  double first_step(double wanted, int method) const;
  void remember_step(double size, int method);

  std::shared_ptr<const Held> snapshot() { return transitions_.snapshot(); }
  const Held& held() const { return held_; }
  /// The rates in the mode in force.
  VectorField field() const { return {&field_}; }
  EventStatistics statistics() const;
  long long evaluations() const;  // of the right-hand side, beyond the stepper's
  Message describe(const GuardNotANumber& failure) const;
  /// What a user should know of the guards and has not been told.
  std::vector<Message> take_notes();
  bool has_notes() const { return guards_.has_doubts(); }
  /// Everything it remembers, what is held included.
  void carry(Memory& memory);

 private:
  /// The states that guards may read: none where there are no guards, whose working memory is then not made.
  int watched(int size) const;
  Here here(double t, std::vector<double>& x) { return {t, direction_, step_size_, is_in_cluster_, x, scale_}; }
  Verdict open(double t, std::vector<double>& x, const Cause& cause, const Event& event, std::vector<Event>& events);
  Verdict reschedule(double t);
  void take_scale(const Step& step);
  void see_scale(const Step& step);
  std::size_t mode_key(int method) const;
  bool is_alone(int guard, double t, const Accumulation& where) const;
  std::vector<int> corner_of(int guard, Accumulation& where);
  bool is_passed(int guard, const Accumulation& where);
  bool is_brought_back(int guard, Accumulation& where);
  Verdict end_at_accumulation(double t, int guard, const Accumulation& where) const;
  Verdict watch_accumulation(double t, const std::vector<double>& x, const std::vector<int>& guards);

  /// The next corner of an input, infinitely far where there is none.
  double next_corner() const;
  std::vector<int> inputs_at_corner(double t, double slack) const;
  Verdict begin_piece(double t, const std::vector<double>& x, const Cause& cause);

  const System::Declarations& model_;
  const bool is_smooth_;  // nothing can happen but changes from outside
  LayerOptions options_;
  Held held_;
  ActiveField& field_;
  const StepControl& control_;
  Sliding sliding_;
  GuardSet guards_;
  Arming arming_;
  SurfacePull pull_;
  Transitions transitions_;
  std::unique_ptr<EventFinder> finder_;
  std::optional<Schedule> schedule_;
  MicroStep micro_;
  AccumulationWatch accumulation_watch_;
  std::optional<Accumulation> accumulation_;
  int accumulating_guard_ = -1;
  std::vector<int> corner_;  // guards of relays that accumulate with it, where the motion can stay

  const double* rate_ = nullptr;
  double direction_ = 1, step_size_ = 0, end_ = 0;
  int size_;
  std::vector<double> scale_, piece_scale_;  // empty in a smooth model, until it is changed from outside
  std::optional<std::vector<Event>> initial_events_;
  double last_event_ = 0, gap_ = 0, gap_before_ = 0;  // pace: times between the last events
  bool is_after_event_ = false, is_in_cluster_ = false;
  std::unordered_map<std::size_t, double> step_of_mode_;
  long long fired_ = 0, rhs_for_location_ = 0;
  std::vector<int> recent_;  // guards of the last events, one each; -1: several, or something else
  int in_rounding_ = 0;      // events in a row of guards that no longer come away from zero
};

}  // namespace pawl::event
