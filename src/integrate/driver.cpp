#include "integrate/driver.hpp"

#include <algorithm>
#include <cmath>

namespace pawl {

Driver::Driver(DriverParts parts)
    : parts_(std::move(parts)),
      is_alone_(!parts_.switching && parts_.keeper == nullptr && parts_.companions == nullptr),
      first_(parts_.method.get()),
      now_(first_) {
  if (keeper() != nullptr) corrections_.first = &keeper()->pull;
  if (!parts_.switching) return;
  const SwitchingRules& rules = parts_.switching->rules();
  rungs_.push_back({rules.explicit_name, rules.stability_limit, first_});
  for (const LowerOrder& one : parts_.lower_orders) rungs_.push_back({one.name, one.stability_limit, nullptr});
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
  direction_ = direction;
  passage_.is_last = false;
  if (keeper() != nullptr) keeper()->restart(t, x);
  if (parts_.switching) parts_.switching->restart(t, x, direction);
  now_->restart(t, x, direction, first_step, rate);
}

void Driver::choose_order(double t) {
  const int before = parts_.ladder->rung();
  const Work& work = now_->work();
  parts_.ladder->end_piece({.length = std::abs(t - piece_.t),
                            .steps = work.accepted - piece_.accepted,
                            .evaluations = work.rhs - piece_.rhs,
                            .ends_again = corrects_ends(),
                            .next_step = now_->next_step_size()});
  if (parts_.ladder->rung() != before) take_rung();
  begin_piece(t);
  if (parts_.ladder->rung() <= before || now_->work().accepted > 0) return;
  notes_.push_back(make_message(MessageCode::method_changed, t,
                                {{"method", rungs_[parts_.ladder->rung()].name},
                                 {"why", "events leave few steps between them, and fewer stages do"},
                                 {"more", " (back where pieces are long, and again, is not reported)"}}));
}

// A piece that has grown long goes on with the next higher order.
void Driver::climb_within_piece() {
  const double next = now_->next_step_size();
  const Switching& at = *parts_.switching;
  const double rest = now_->time_rest();
  parts_.ladder->climb_within_piece();
  take_rung();
  begin_piece(at.t());
  now_->restart(at.t(), at.x(), at.direction(), std::clamp(now_->next_step_size(), next, 4 * next));
  now_->go_on_from_rest(rest);
}

void Driver::begin_piece(double t) {
  piece_ = {t, now_->work().accepted, now_->work().rhs};
}

void Driver::take_rung() {
  const auto rung = static_cast<std::size_t>(parts_.ladder->rung());
  Rung& chosen = rungs_[rung];
  if (chosen.method == nullptr) {
    borrowed_step_ = now_->next_step_size() / 2;
    chosen.owned = parts_.lower_orders[rung - 1].make();
    chosen.method = chosen.owned.get();
  }
  now_ = chosen.method;
  parts_.switching->change_explicit(chosen.name, chosen.stability_limit);
}

Attempt Driver::step_with_parts(double limit, Correction* further, Step& out) {
  const Attempt attempt = advance(limit, further, own(out));
  if (parts_.companions != nullptr && attempt == Attempt::accepted) parts_.companions->show(out);
  return attempt;
}

Attempt Driver::advance(double limit, Correction* further, Step& out) {
  if (keeper() != nullptr && keeper()->has_ended())  // the step before ended just short of it
    return fail(Attempt::step_too_small, {out.t1, 0, 1, -1});
  if (passage_.is_last) {
    passage_.is_last = false;
    now_->restart(passage_.t, passage_.x.data(), direction_, passage_.next_step);
  }
  if (parts_.switching) change_method(limit);
  if (keeper() != nullptr) {
    const auto branching = keeper()->branching_ahead(direction_ * now_->next_step_size());
    if (branching && direction_ * (limit - *branching) > 0) {
      if (pass(*branching, limit, further, out)) return Attempt::accepted;
      const double nearer = keeper()->come_nearer(*branching);
      if (keeper()->has_ended()) return fail(Attempt::step_too_small, {nearer, 0, 1, -1});
      if (direction_ * (limit - nearer) > 0) limit = nearer;
    }
  }
  if (parts_.ladder && !parts_.switching->is_implicit() && parts_.ladder->has_grown_long(now_->work().rhs - piece_.rhs))
    climb_within_piece();
  const Attempt attempt = now_->step(limit, correction(further), out);
  if (attempt != Attempt::accepted) return fail(attempt, now_->failure());
  if (parts_.switching) parts_.switching->see(out, now_->stiffness().has_value());
  if (keeper() == nullptr) return attempt;
  if (const auto branching = keeper()->branching_in(out, *now_)) {
    if (pass(*branching, limit, further, out)) return Attempt::accepted;
    const double nearer = keeper()->come_nearer(*branching);
    if (nearer == out.t0 || !take_again(nearer, further, out))
      return fail(Attempt::step_too_small, {out.t0, out.h, 1, -1});
  }
  keeper()->accept(out);
  return attempt;
}

// The keeper's step across a place where branches meet may go beyond the limit, and is then cut.
bool Driver::pass(double branching, double limit, Correction* further, Step& out) {
  const double next = now_->next_step_size();
  if (passage_.step.size() == 0) passage_.step = Step(out.size());
  if (!keeper()->pass(branching, passage_.step)) return false;
  out = passage_.step;
  if (direction_ * (out.t1 - limit) > 0) out.cut(limit);
  if (further != nullptr) further->apply(out.t1, out.end());
  passage_.is_last = true;
  passage_.t = out.t1;
  passage_.next_step = next;
  passage_.x.assign(out.end(), out.end() + out.size());
  ++passages_;
  if (parts_.switching) parts_.switching->move_to(out);
  keeper()->accept(out);
  return true;
}

void Driver::change_method(double limit) {
  Switching& switching = *parts_.switching;
  const auto first_step = switching.change(limit, now_->next_step_size(), now_->stiffness());
  if (!first_step) return;
  const double rest = now_->time_rest();
  if (!second_) second_ = parts_.make_implicit();
  now_ = switching.is_implicit() ? second_.get() : parts_.ladder ? rungs_[parts_.ladder->rung()].method : first_;
  begin_piece(switching.t());
  now_->restart(switching.t(), switching.x(), switching.direction(), *first_step);
  now_->go_on_from_rest(rest);
}

Attempt Driver::fail(Attempt attempt, StepFailure failure) {
  failure_ = failure;
  if (parts_.companions != nullptr && failure_.component >= parts_.companions->states) failure_.component = -1;
  return attempt;
}

bool Driver::take_again(double end, Correction* further, Step& step) {
  if (passage_.is_last) return false;  // it can only be cut
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
  const bool is_full = passage_.is_last      ? true  // it has one
                       : keeper() != nullptr ? keeper()->draw(own(step), *now_)
                                             : now_->interpolate(own(step));
  if (parts_.companions != nullptr) parts_.companions->show_polynomial(step);
  return is_full;
}

int Driver::dense_order() const {
  const int of_method = now_->dense_order();
  return keeper() != nullptr ? keeper()->dense_order(of_method) : of_method;
}

bool Driver::has_notes() const {
  if ((keeper() != nullptr && keeper()->has_notes()) || !notes_.empty()) return true;
  if (!parts_.switching) return now_->has_notes();
  if (parts_.switching->has_notes() || (second_ && second_->has_notes())) return true;
  for (const Rung& rung : rungs_)
    if (rung.method != nullptr && rung.method->has_notes()) return true;
  return false;
}

std::vector<Message> Driver::take_all_notes() {
  std::vector<Message> all;
  const auto add = [&all](std::vector<Message> notes) {
    std::move(notes.begin(), notes.end(), std::back_inserter(all));
  };
  if (keeper() != nullptr) add(keeper()->take_notes());
  if (!parts_.switching) {
    add(now_->take_notes());
    return all;
  }
  add(parts_.switching->take_notes());
  add(std::exchange(notes_, {}));
  each_method([&](const std::string&, Stepper& one) { add(one.take_notes()); });
  return all;
}

template <class See>
void Driver::each_method(const See& see) const {
  for (const Rung& rung : rungs_)
    if (rung.method != nullptr) see(rung.name, *rung.method);
  if (second_) see(parts_.switching->rules().implicit_name, *second_);
}

const std::string& Driver::name_in_force(const std::string& alone) const {
  if (!parts_.switching) return alone;
  if (now_ == second_.get()) return parts_.switching->rules().implicit_name;
  for (const Rung& rung : rungs_)
    if (rung.method == now_) return rung.name;
  return alone;
}

std::vector<std::string> Driver::methods_used() const {
  std::vector<std::string> names;
  each_method([&](const std::string& name, const Stepper& one) {
    if (one.work().accepted > 0) names.push_back(name);
  });
  return names;
}

std::vector<std::pair<std::string, long long>> Driver::steps_by_method() const {
  auto shares = solving().steps_by_method();
  if (!second_) return shares;
  if (shares.empty()) shares.emplace_back(parts_.switching->rules().implicit_name, second_->work().accepted);
  auto place = shares.begin();
  for (const Rung& rung : rungs_) {
    if (rung.method != nullptr && rung.method->work().accepted > 0)
      place = std::next(shares.emplace(place, rung.name, rung.method->work().accepted));
  }
  return shares;
}

Work Driver::work() const {
  Work all;
  if (!parts_.switching) all = first_->work();
  each_method([&](const std::string&, const Stepper& one) { all += one.work(); });
  all.rhs = evaluations();
  all.accepted += passages_;
  return all;
}

long long Driver::evaluations() const {
  long long all = keeper() != nullptr ? keeper()->evaluations() : 0;
  if (!parts_.switching) return all + first_->work().rhs;
  all += parts_.switching->evaluations();
  for (const Rung& rung : rungs_)
    if (rung.method != nullptr) all += rung.method->work().rhs;
  return second_ ? all + second_->work().rhs : all;
}

void Driver::carry_rungs(Memory& memory) {
  parts_.ladder->carry(memory);
  memory(piece_, borrowed_step_, notes_);
  for (std::size_t k = 1; k < rungs_.size(); ++k) {
    Rung& rung = rungs_[k];
    bool is_made = rung.method != nullptr;
    memory(is_made);
    if (is_made && rung.method == nullptr) rung.owned = parts_.lower_orders[k - 1].make();
    if (!is_made) rung.owned.reset();
    rung.method = rung.owned.get();
    if (rung.method != nullptr) rung.method->carry(memory);
  }
  Stepper* implicit = parts_.switching->is_implicit() ? now_ : nullptr;
  take_rung();  // the switching knows which explicit method there is, also while another one is in force
  if (implicit != nullptr) now_ = implicit;
}

// The form is carried by whoever owns it.
void Driver::carry(Memory& memory) {
  memory(failure_, direction_, passages_, passage_);
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
  if (parts_.ladder) carry_rungs(memory);
  if (keeper() != nullptr) keeper()->carry(memory);
  if (parts_.companions != nullptr) memory(parts_.companions->whole);
}

}  // namespace pawl
