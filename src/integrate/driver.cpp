#include "integrate/driver.hpp"

namespace pawl {

Driver::Driver(DriverParts parts)
    : parts_(std::move(parts)),
      is_alone_(!parts_.switching && parts_.keeper == nullptr && parts_.companions == nullptr),
      first_(parts_.method.get()),
      now_(first_) {
  if (keeper() != nullptr) corrections_.first = &keeper()->pull;
}

bool Driver::Corrections::begin(double t, const double* x, double h) {
  const bool one = first->begin(t, x, h);
  return (second != nullptr && second->begin(t, x, h)) || one;
}

double Driver::Corrections::apply(double t, double* x) {
  const double move = first->apply(t, x);
  if (second == nullptr) return move;
  const double further = second->apply(t, x);
  return further <= move ? move : further;
}

Correction* Driver::correction(Correction* further) {
  if (keeper() == nullptr) return further;
  corrections_.second = further;
  return &corrections_;
}

void Driver::restart(double t, const double* x, double direction, double first_step, const double* rate) {
  if (Companions* with = parts_.companions) {
    with->extend(t, x, rate);
    x = with->start.data();
    if (rate != nullptr) rate = with->start_rate.data();
  }
  if (keeper() != nullptr) keeper()->restart(t, x);
  if (parts_.switching) parts_.switching->restart(t, x, direction);
  now_->restart(t, x, direction, first_step, rate);
}

Attempt Driver::step_with_parts(double limit, Correction* further, Step& out) {
  const Attempt attempt = advance(limit, further, own(out));
  if (parts_.companions != nullptr && attempt == Attempt::accepted) parts_.companions->show(out);
  return attempt;
}

Attempt Driver::advance(double limit, Correction* further, Step& out) {
  if (keeper() != nullptr && keeper()->has_ended())  // the step before ended just short of it
    return fail(Attempt::step_too_small, {out.t1, 0, 1, -1});
  if (parts_.switching) change_method(limit);
  const Attempt attempt = now_->step(limit, correction(further), out);
  if (attempt != Attempt::accepted) return fail(attempt, now_->failure());
  if (parts_.switching) parts_.switching->see(out, now_->stiffness().has_value());
  if (keeper() == nullptr) return attempt;
  const double last = keeper()->last_regular(out, *now_);
  if (keeper()->has_ended() && (last == out.t0 || !take_again(last, further, out)))
    return fail(Attempt::step_too_small, {out.t0, out.h, 1, -1});
  keeper()->accept(out);
  return attempt;
}

void Driver::change_method(double limit) {
  Switching& switching = *parts_.switching;
  const auto first_step = switching.change(limit, now_->next_step_size(), now_->stiffness());
  if (!first_step) return;
  if (!second_) second_ = parts_.make_implicit();
  now_ = switching.is_implicit() ? second_.get() : first_;
  now_->restart(switching.t(), switching.x(), switching.direction(), *first_step);
}

Attempt Driver::fail(Attempt attempt, StepFailure failure) {
  failure_ = failure;
  if (parts_.companions != nullptr && failure_.component >= parts_.companions->states) failure_.component = -1;
  return attempt;
}

bool Driver::take_again(double end, Correction* further, Step& step) {
  const bool is_done = now_->redo(end, correction(further), step);
  if (is_done && parts_.switching) parts_.switching->move_to(step);
  return is_done;
}

bool Driver::redo(double end, Correction* further, Step& step) {
  const bool is_done = take_again(end, further, own(step));
  if (is_done && parts_.companions != nullptr) parts_.companions->show(step);
  return is_done;
}

bool Driver::interpolate_with_parts(Step& step) {
  const bool is_full = keeper() != nullptr ? keeper()->draw(own(step), *now_) : now_->interpolate(own(step));
  if (parts_.companions != nullptr) parts_.companions->show_polynomial(step);
  return is_full;
}

int Driver::dense_order() const {
  const int of_method = now_->dense_order();
  return keeper() != nullptr ? keeper()->dense_order(of_method) : of_method;
}

std::vector<Message> Driver::take_all_notes() {
  std::vector<Message> all = parts_.switching->take_notes();
  for (Stepper* one : {first_, second_.get()}) {
    if (one == nullptr) continue;
    for (Message& note : one->take_notes()) all.push_back(std::move(note));
  }
  return all;
}

std::vector<std::pair<std::string, long long>> Driver::steps_by_method() const {
  auto shares = solving().steps_by_method();
  if (!second_) return shares;
  const SwitchingRules& rules = parts_.switching->rules();
  if (shares.empty()) shares.emplace_back(rules.implicit_name, second_->work().accepted);
  if (const long long steps = first_->work().accepted; steps > 0)
    shares.emplace(shares.begin(), rules.explicit_name, steps);
  return shares;
}

Work Driver::work() const {
  Work all = first_->work();
  if (second_) all += second_->work();
  if (parts_.switching) all.rhs += parts_.switching->evaluations();
  if (keeper() != nullptr) all.rhs += keeper()->evaluations();
  return all;
}

// The form is carried by whoever owns it.
void Driver::carry(Memory& memory) {
  memory(failure_);
  first_->carry(memory);
  if (parts_.switching) {
    parts_.switching->carry(memory);
    bool has_second = second_ != nullptr;
    memory(has_second);
    if (!has_second) second_.reset();
    if (has_second && !second_) second_ = parts_.make_implicit();
    if (second_) second_->carry(memory);
    now_ = parts_.switching->is_implicit() ? second_.get() : first_;
  }
  if (keeper() != nullptr) keeper()->carry(memory);
  if (parts_.companions != nullptr) memory(parts_.companions->whole);
}

}  // namespace pawl
