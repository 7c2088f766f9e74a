#include "integrate/either_stepper.hpp"

#include <map>

namespace pawl {

EitherStepper::EitherStepper(std::function<bool(double t, const double* x)> takes_second, Make first, Make second)
    : takes_second_(std::move(takes_second)),
      ways_{{std::move(first), nullptr}, {std::move(second), nullptr}},
      now_(&choose(false)) {}

Stepper& EitherStepper::choose(bool is_second) {
  Way& way = ways_[is_second ? 1 : 0];
  if (!way.stepper) way.stepper = way.make();
  return *way.stepper;
}

void EitherStepper::restart(double t, const double* x, double direction, double first_step, const double* rate) {
  now_ = &choose(takes_second_(t, x));
  now_->restart(t, x, direction, first_step, rate);
  take_over();
}

Attempt EitherStepper::step(double limit, Correction* correction, Step& out) {
  const Attempt attempt = now_->step(limit, correction, out);
  take_over();
  return attempt;
}

bool EitherStepper::interpolate(Step& step) {
  const bool is_full = now_->interpolate(step);
  take_over();
  return is_full;
}

bool EitherStepper::redo(double end, Correction* correction, Step& step) {
  const bool is_taken = now_->redo(end, correction, step);
  take_over();
  return is_taken;
}

const double* EitherStepper::end_rate() {
  const double* rate = now_->end_rate();
  take_over();
  return rate;
}

std::vector<Message> EitherStepper::take_notes() {
  std::vector<Message> all = std::exchange(notes_, {});
  for (Way& way : ways_) {
    if (!way.stepper) continue;
    for (Message& note : way.stepper->take_notes()) all.push_back(std::move(note));
  }
  return all;
}

bool EitherStepper::has_notes() const {
  return !notes_.empty() || (ways_[0].stepper && ways_[0].stepper->has_notes()) ||
         (ways_[1].stepper && ways_[1].stepper->has_notes());
}

std::vector<std::pair<std::string, long long>> EitherStepper::steps_by_method() const {
  std::map<std::string, long long> all;
  for (const Way& way : ways_) {
    if (!way.stepper) continue;
    for (const auto& [name, steps] : way.stepper->steps_by_method()) all[name] += steps;
  }
  return {all.begin(), all.end()};
}

void EitherStepper::take_over() {
  work_ = {};
  for (const Way& way : ways_)
    if (way.stepper) work_ += way.stepper->work();
  failure_ = now_->failure();
  time_rest_ = now_->time_rest();
}

}  // namespace pawl
