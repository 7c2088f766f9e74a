#include "integrate/switching.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pawl {

Switching::Switching(SwitchingRules rules, const VectorField& field, int size, const StepControl& control)
    : rules_(std::move(rules)), spectrum_(field, size, control), x_(static_cast<std::size_t>(size)) {}

void Switching::restart(double t, const double* x, double direction) {
  has_to_look_ |= std::exchange(is_new_, false) && rules_.looks_at_once;
  t_ = t;
  std::copy_n(x, x_.size(), x_.begin());
  direction_ = direction;
  calm_ = hits_ = 0;
  is_due_ = false;
}

void Switching::change_explicit(const std::string& name, double stability_limit) {
  rules_.explicit_name = name;
  rules_.stability_limit = stability_limit;
}

std::optional<double> Switching::change(double limit, double next_step, const std::optional<Stiffness>& stiffness) {
  limit_ = limit;
  if (std::exchange(has_to_look_, false)) {
    for (int look = 0; look < 4; ++look) spectrum_.look(t_, x_.data());
    const double length = std::abs(limit - t_);
    if (spectrum_.radius() * length > 1e5)
      return turn(0, fmt::format("rates up to {:.2g} over a run of {:.3g}", spectrum_.radius(), length));
  }
  if (!std::exchange(is_due_, false)) return std::nullopt;
  if (is_implicit_)
    return turn(std::min(next_step, rules_.stability_limit / std::max(spectrum_.radius(), 1e-300)),
                fmt::format("steps of {:.2g} are accurate, and stable for explicit methods too", next_step));
  return turn(next_step, fmt::format("stability, not accuracy, limits explicit steps (fastest rate about {:.2g})",
                                     stiffness ? stiffness->rate : spectrum_.radius()));
}

double Switching::turn(double first_step, const std::string& why) {
  is_implicit_ = !is_implicit_;
  is_early_ = false;
  if (changes_++ > 0) dwell_ = std::min(2 * dwell_, 10000);
  since_change_ = 0;
  next_look_ = is_implicit_ ? 0 : 100;
  calm_ = hits_ = 0;
  if (changes_ <= 20) {
    notes_.push_back(make_message(MessageCode::method_changed, t_,
                                  {{"method", is_implicit_ ? rules_.implicit_name : rules_.explicit_name},
                                   {"why", why},
                                   {"more", changes_ == 20 ? " (further changes are not reported one by one)" : ""}}));
  }
  return first_step;
}

void Switching::see(const Step& step, bool is_held_back) {
  ++since_change_;
  move_to(step);
  is_due_ = is_implicit_ ? is_calm(step) : is_held_back || hangs_at_the_edge(step);
}

void Switching::move_to(const Step& step) {
  t_ = step.t1;
  std::copy_n(step.end(), x_.size(), x_.begin());
}

// The fastest part of the motion.
bool Switching::decays() const {
  return direction_ * spectrum_.quotient() < -0.5 * spectrum_.radius();
}

bool Switching::is_at_the_edge(double h) const {
  const double product = h * spectrum_.radius() / rules_.stability_limit;
  return product > 0.8 && product < 2 && decays();
}

// Near rounding the steps stay below the edge; then the motion is slow for them, and its fastest part decays.
bool Switching::is_slow_beside(double h) const {
  const double product = h * spectrum_.radius();
  return product > 1 && product < 2 * rules_.stability_limit && h * spectrum_.speed() < 0.02 && decays();
}

// Every ten steps, as long as steps have stopped growing and hundreds of them are ahead, beside which a look costs
// little. The first one begins the power iteration, the others carry it on.
bool Switching::looks_stiff_early(const Step& step, double h) {
  if (since_change_ % 10 == 5) early_step_ = h;
  if (since_change_ % 10 != 0 || !(h < 1.5 * early_step_) || !(std::abs(limit_ - step.t1) > 200 * h)) return false;
  const int looks = spectrum_.evaluations() == 0 ? 4 : 2;
  for (int look = 0; look < looks; ++look) spectrum_.look(step.t1, step.end());
  is_early_ = decays();  // a motion that turns is not asked again
  return is_at_the_edge(h) || (since_change_ == 10 && is_slow_beside(h));
}

bool Switching::hangs_at_the_edge(const Step& step) {
  const double h = std::abs(step.h);
  if (is_early_ && since_change_ <= last_early_look && looks_stiff_early(step, h)) return true;
  if (since_change_ < next_look_) return false;
  spectrum_.look(step.t1, step.end());
  const bool is_hit = is_at_the_edge(h) || is_slow_beside(h);
  hits_ = is_hit ? hits_ + 1 : 0;
  next_look_ = since_change_ + (is_hit ? 10 : 100);
  return hits_ >= 10;
}

bool Switching::is_calm(const Step& step) {
  if (since_change_ < std::max(dwell_, next_look_)) return false;
  spectrum_.look(step.t1, step.end());
  const double product = std::abs(step.h) * spectrum_.radius();
  // Far from calm, it need not be asked often.
  next_look_ = since_change_ + (product < 10 * rules_.stability_limit ? 5 : 50);
  calm_ = product < 0.5 * rules_.stability_limit ? calm_ + 1 : 0;
  return calm_ >= 4;
}

void Switching::carry(Memory& memory) {
  memory(is_implicit_, is_new_, has_to_look_, is_due_, t_, direction_, limit_, early_step_, is_early_, x_,
         since_change_, next_look_, hits_, dwell_, calm_, changes_, notes_);
  spectrum_.carry(memory);
}

}  // namespace pawl
