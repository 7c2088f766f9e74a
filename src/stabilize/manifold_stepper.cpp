#include "stabilize/manifold_stepper.hpp"

#include <algorithm>

namespace pawl::stabilize {

ManifoldStepper::ManifoldStepper(std::unique_ptr<Stepper> inner, Stabilizer& stabilizer, Form& form,
                                 const VectorField& field, const StepControl& control, int size, bool draws_on_manifold)
    : inner_(std::move(inner)), stabilizer_(stabilizer), both_(stabilizer) {
  auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form);
  if (mechanics != nullptr && draws_on_manifold) hermite_.emplace(*mechanics, field, control, size, inner_->order());
  if (mechanics != nullptr) watch_.emplace(*mechanics, size);
}

void ManifoldStepper::serve(FollowerLevels& followers) {
  followers_ = &followers;
  if (!hermite_) return;
  hermite_->observer = [this](double s, double t, const double* x) { followers_->see_inside(s, t, x); };
  followers.pull = [this](double t, double* x) { hermite_->pull(t, x); };
}

double ManifoldStepper::Both::apply(double t, double* x) {
  const double move = first_.apply(t, x);
  if (second == nullptr) return move;
  const double further = second->apply(t, x);
  return further <= move ? move : further;
}

void ManifoldStepper::take_over() {
  const long long inside = hermite_ ? hermite_->evaluations : 0;
  work_ = inner_->work();
  work_.rhs += inside;
  failure_ = inner_->failure();
  stiffness_ = inner_->stiffness();
}

void ManifoldStepper::restart(double t, const double* x, double direction, double first_step, const double* rate) {
  singular_.clear();
  if (followers_ != nullptr) followers_->see(t, x);
  inner_->restart(t, x, direction, first_step, rate);
  take_over();
}

Attempt ManifoldStepper::step(double limit, Correction* further, Step& out) {
  if (!singular_.empty()) {  // the step before ended just short of it
    failure_ = {out.t1, 0, 1, -1};
    return Attempt::step_too_small;
  }
  both_.second = further;
  const Attempt attempt = inner_->step(limit, &both_, out);
  if (attempt != Attempt::accepted) {
    take_over();
    return attempt;
  }
  if (watch_ && watch_->is_suspicious() && watch_->turns(out)) {
    interpolate(out);
    const RankWatch::Singular singular = watch_->find(out);
    out.forget_polynomial();
    singular_ = singular.text;
    if (!singular_.empty() && (singular.before == out.t0 || !inner_->redo(singular.before, &both_, out))) {
      take_over();
      failure_ = {out.t0, out.h, 1, -1};
      return Attempt::step_too_small;
    }
  }
  take_over();
  stabilizer_.accept(out.t1, out.end());
  return attempt;
}

bool ManifoldStepper::redo(double end, Correction* further, Step& step) {
  both_.second = further;
  const bool is_done = inner_->redo(end, &both_, step);
  take_over();
  return is_done;
}

const double* ManifoldStepper::end_rate() {
  const double* rate = inner_->end_rate();
  take_over();
  return rate;
}

bool ManifoldStepper::interpolate(Step& step) {
  const double *start = inner_->start_rate(), *end = hermite_ && hermite_->has_work() ? inner_->end_rate() : nullptr;
  if (followers_ != nullptr) {
    followers_->see(step.t1, step.end());
    followers_->begin(step);
  }
  bool is_full = true;
  if (start == nullptr || end == nullptr || !hermite_->covers_all()) is_full = inner_->interpolate(step);
  if (is_full && start != nullptr && end != nullptr) hermite_->write(step, start, end);
  take_over();
  return is_full;
}

}  // namespace pawl::stabilize
