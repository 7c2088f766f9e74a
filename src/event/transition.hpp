// Transition: what happens at an event. Rounds at one instant: what fired takes effect and the model's jumps are made
// in the order of declaration, then its transition function; decisions are iterated to a fixed point; the new mode is
// locked; every guard is judged. A guard that a jump has put on the other side fires in the next round, and a
// transition function is called again until it changes nothing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "event/arming.hpp"
#include "event/sliding.hpp"
#include "pawl/event.hpp"
#include "pawl/message.hpp"
#include "system/vector_field.hpp"

namespace pawl::event {

/// Why a run ends at an event.
enum class Ending { none, terminated, failed };
struct Verdict {
  Ending ending = Ending::none;
  std::optional<Message> why = {};
  bool goes_on() const { return ending == Ending::none; }
  static Verdict failed(MessageCode code, double t, std::vector<Message::Datum> data = {}) {
    return {Ending::failed, make_message(code, t, std::move(data))};
  }
};

/// What someone outside the model does at an instant.
using Change = std::function<void(Jump&)>;

/// What begins a transition.
struct Cause {
  std::vector<int> guards;
  std::vector<int> time_events;
  std::vector<int> inputs;                  // at a corner
  std::vector<ContactFired> contacts = {};  // what contacts did in the round before
  const Change* change = nullptr;           // from outside
  int accumulating = -1;                    // the guard whose events accumulate
  bool is_corner = false;  // the guards are those of relays whose switches accumulate where all are zero
  bool is_start = false;   // of the run
};

/// The instant, as far as the loop knows it.
struct Here {
  double t, direction, step_size;
  bool is_in_cluster;  // the step just ended was a micro step
  std::vector<double>& x;
  const std::vector<double>& scale;  // largest |x_i| over the step just ended
};

class Transitions {
 public:
  Transitions(detail::Dynamics& dynamics, Held& held, GuardSet& guards, Arming& arming, Sliding& sliding,
              ActiveField& field, SurfacePull& pull, std::shared_ptr<const Held> start);

  /// The first instant: truths, relays and decisions follow from the start values.
  Verdict begin(const Here& here, std::vector<Event>& events);
  /// Whether the motion can stay in the corner of these relays' surfaces, guards of which are given: a control within
  /// their levels, and only one, keeps it on all of them.
  bool has_corner(const Here& here, std::span<const int> guards);
  /// A state that was found by other means than integration, onto the manifold of the mode, where there is one.
  void put_on_manifold(double t, std::vector<double>& x);
  /// An event; appends what happened to `events`, whose first entry may carry how it was found.
  Verdict apply(const Here& here, const Cause& cause, Event found, std::vector<Event>& events);

  const std::vector<double>& rate() const { return rate_; }  ///< at the new state, in the new mode
  const detail::Surroundings<double>* around() const { return &around_; }
  /// Time events that the jumps of the last event want to have at other times.
  const std::vector<Jump::Request>& requests() const { return requests_; }
  long long evaluations = 0;  // of the right-hand side
  /// What is held itself belongs to the layer; the field follows it.
  void carry(Memory& memory);
  /// What is held now, shared by all events between which it does not change.
  std::shared_ptr<const Held> snapshot();

 private:
  /// Where a round has ended, to tell a cycle.
  struct Past {
    std::string who;
    Held held;
    std::vector<double> x;
  };
  void begin_round(const Here& here, const Cause& cause);
  const Causes& causes_of(const Cause& cause);
  void take_effect(const Here& here, const Cause& cause, EventKind& kind);
  void switch_relay(const Here& here, int relay, int sign, EventKind& kind);
  bool decide(std::string& cycle);
  void lock(const Here& here);
  void choose_field();
  Verdict make_jumps(const Here& here, const Cause& cause, Jump& jump);
  bool is_undone(const Cause& cause, const Event& event) const;
  Verdict resolve(const Here& here, const Cause& cause, Settle why, Event& event);
  Verdict return_to_manifold(const Here& here, Settle why);
  Aftermath settle(const Here& here, const Cause& cause);
  Verdict give_up(const Here& here, const Aftermath& aftermath, const std::vector<Past>& past) const;
  std::string changes(const std::vector<Past>& past) const;
  Moment moment(const Here& here) const;
  bool has_moved(const Here& here, int guard, bool is_other_mode);
  Verdict check_finite(const Here& here, std::span<const int> guards) const;
  std::string names(std::span<const int> guards) const;
  std::string names(const Cause& cause) const;
  void set_truth(int guard, int sign);
  void toggle_member(int declaration, Pair member, bool truth);
  Point<double> point(const Here& here) const;

  detail::Dynamics& dynamics_;
  const System::Declarations& model_;
  Held& held_;
  GuardSet& guards_;
  Arming& arming_;
  Sliding& sliding_;
  ActiveField& field_;
  SurfacePull& pull_;
  detail::Surroundings<double> around_;
  Held held_before_;
  std::shared_ptr<const Held> last_snapshot_;
  std::vector<double> rate_, x_before_, scale_;
  std::vector<double> x_jumped_;    // before consistent values were found
  std::vector<double> moved_;       // after, where they differ by more than noise
  std::vector<double> left_;        // as the jumps of the last round left the state
  Causes causes_;                   // of the round, as jumps read them
  std::vector<int> in_order_;       // its guards, in the order of declaration
  std::vector<int> zero_at_start_;  // guards
  std::vector<ContactFired> contacts_at_start_;
  std::vector<Jump::Request> requests_;
};

}  // namespace pawl::event
