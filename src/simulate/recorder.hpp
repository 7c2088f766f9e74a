// Recorder: turns accepted steps into a Result, keeping what Options::keep asks for.
#pragma once

#include <algorithm>
#include <cmath>

#include "pawl/run.hpp"
#include "pawl/step.hpp"

namespace pawl::detail {

class Recorder {
 public:
  explicit Recorder(const Setup& setup);

  /// The start of the run and, if wanted, the first sample.
  void begin(double t, const std::vector<double>& x, std::shared_ptr<const Held> held);
  /// The state after an event at the end of the last recorded step, and what is held from there on.
  void jump(double t, const std::vector<double>& x, std::shared_ptr<const Held> held);
  std::vector<Event>& events() { return result_.events; }
  void take(std::vector<Message> messages) { result_.messages = std::move(messages); }
  void take(EventStatistics statistics) { result_.statistics.events = std::move(statistics); }

  /// Whether this step's polynomial is wanted: to be kept, or for a requested time strictly inside.
  bool needs_polynomial(const Step& step) const {
    return keep_ == Keep::everything ||
           (keep_ == Keep::samples && is_due(step.t1) && requested_[next_requested_] != step.t1);
  }
  /// Whether history() is wanted after every record().
  bool keeps_history() const { return keeps_history_; }
  /// How the step was made that was recorded last.
  void history(const Step& step, int order, const std::string& method);
  /// All or nothing: if memory runs out, the result holds the steps before this one.
  void record(const Step& step) {
    Statistics& statistics = result_.statistics;
    const double size = std::abs(step.h);
    statistics.min_step = std::min(statistics.min_step, size);
    statistics.max_step = std::max(statistics.max_step, size);
    statistics.largest_error_estimate = std::max(statistics.largest_error_estimate, step.error);
    if (keep_ != Keep::end || !result_.observable_ranges.empty()) keep(step);
    ++recorded_;
    last_time_ = step.t1;
  }
  const std::shared_ptr<const Held>& held() const { return result_.eras.back().held; }
  double time() const { return last_time_; }  ///< how far the record reaches
  /// What was recorded so far is shared by all who save or continue the run from here.
  void carry(Memory& memory);
  void add(Message message) { result_.messages.push_back(std::move(message)); }
  /// The run ends at the last recorded step, which need not be the last accepted one.
  Result finish(Outcome outcome, std::optional<Message> why, const Step& last, const Work& work, double wall_seconds);

 private:
  bool is_due(double t) const {  // the next requested time is at or before t
    return next_requested_ < requested_.size() && direction_ * (requested_[next_requested_] - t) <= 0;
  }
  void keep(const Step& step);
  void keep_polynomial(const Step& step);
  void sample(double t, const double* x, bool was_requested);
  void sample_requested(const Step& step);
  void widen_ranges(double t, const double* x);
  void unseal();

  long long recorded_ = 0;
  double last_time_ = 0;                                         // end of the last recorded step
  double jump_time_ = std::numeric_limits<double>::quiet_NaN();  // of the last event
  std::vector<double> state_after_jump_;
  Keep keep_;
  bool keeps_every_step_, keeps_history_;
  bool pulls_samples_;
  double direction_;
  std::vector<double> requested_;  // in the order of the run
  std::size_t next_requested_ = 0;
  std::vector<double> scratch_;
  std::vector<std::shared_ptr<const Trajectory>> sealed_;  // before what is in the result now
  double last_sample_ = std::numeric_limits<double>::quiet_NaN();
  bool last_was_requested_ = false;
  Result result_;
  std::shared_ptr<Dynamics> dynamics_, puller_;
};

}  // namespace pawl::detail
