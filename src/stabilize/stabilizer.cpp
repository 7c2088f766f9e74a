#include "stabilize/stabilizer.hpp"

#include <algorithm>
#include <cmath>

#include "formulate/mechanics_form.hpp"

namespace pawl::stabilize {

Stabilizer::Stabilizer(Form& form, const StepControl& control, int size)
    : form_(form),
      manifold_(form.manifold()),
      control_(control),
      before_(static_cast<std::size_t>(size)),
      allowed_(static_cast<std::size_t>(size)) {
  for (int level = 0; level < manifold_.levels(); ++level)
    has_invariants_ |= manifold_.kind(level) == Manifold::Kind::invariant && manifold_.rows(level) > 0;
}

double Stabilizer::apply(double t, double* x) {
  std::copy(x, x + before_.size(), before_.begin());
  ++pulls_.applied;
  last_ = {};
  failure_ = unkept_;
  if (!failure_.empty()) return std::numeric_limits<double>::infinity();
  if (!move(t, x)) return std::numeric_limits<double>::infinity();
  if (moves()) {
    manifold_.normalize(x);
    for (std::size_t i = 0; i < allowed_.size(); ++i)
      allowed_[i] = control_.absolute[i] + control_.relative * std::abs(x[i]);
    failure_ = manifold_.violation(t, x, allowed_.data());
    if (!failure_.empty()) return std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  move_ = 0;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const double change = std::abs(x[i] - before_[i]);
    move_ = std::max(move_, change);
    const double part = change / (control_.absolute[i] + control_.relative * std::abs(x[i]));
    sum += part * part;
  }
  weighted_ = std::sqrt(sum / static_cast<double>(before_.size()));
  return weighted_;
}

void Stabilizer::note(Manifold::Kind kind, double size) {
  double& level = kind == Manifold::Kind::position   ? last_.position
                  : kind == Manifold::Kind::velocity ? last_.velocity
                                                     : last_.invariant;
  level = std::max(level, size);
}

void Stabilizer::accept(double t, const double* x) {
  largest_move_ = std::max(largest_move_, move_);
  if (weighted_ > largest_weighted_) {
    largest_weighted_ = weighted_;
    if (weighted_ > 1) largest_at_ = {t, farthest_row()};
  }
  // A quantity that is declared as kept but is not makes every step as short as its correction is long.
  if (has_invariants_ && (++accepted_ == next_look_ || (weighted_ > 0.5 && accepted_ % 64 == 0))) {
    if (accepted_ == next_look_) next_look_ *= 10;
    unkept_ = form_.describe_unkept(t, x);
  }
  if (!knows_drift()) measure(t, x);
  drift_.position = std::max(drift_.position, last_.position);
  drift_.velocity = std::max(drift_.velocity, last_.velocity);
  drift_.invariant = std::max(drift_.invariant, last_.invariant);
  drift_.surface = std::max(drift_.surface, last_.surface);
}

void Stabilizer::measure(double t, const double* x) {
  last_ = {};
  for (int level = 0; level < manifold_.levels(); ++level) {
    residual_.resize(static_cast<std::size_t>(manifold_.rows(level)));
    manifold_.residual(level, t, x, residual_.data());
    for (const double r : residual_) note(manifold_.kind(level), std::abs(r));
  }
  auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form_);
  if (mechanics == nullptr || mechanics->formulation().scheme != formulate::Scheme::sliding) return;
  residual_.resize(static_cast<std::size_t>(mechanics->terms().rows()));
  mechanics->surface(t, x, residual_.data());
  for (const double s : residual_) last_.surface = std::max(last_.surface, std::abs(s));
}

}  // namespace pawl::stabilize
