#include "integrate/switching_stepper.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pawl {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class SwitchingStepper final : public Stepper {
 public:
  SwitchingStepper(SwitchingParts parts, const VectorField& field, int size, const StepControl& control)
      : parts_(std::move(parts)),
        field_(field),
        n_(size),
        control_(control),
        now_(parts_.explicit_one.get()),
        x_(at(size)),
        rate_(at(size)),
        moved_(at(size)),
        moved_rate_(at(size)),
        direction_vector_(at(size)) {}

  void restart(double t, const double* x, double direction, double first_step, const double* rate) override {
    direction_ = direction;
    if (is_new_ && parts_.looks_at_once) has_to_look_ = true;
    is_new_ = false;
    std::copy(x, x + n_, x_.begin());
    t_ = t;
    calm_ = hits_ = 0;
    was_calm_ = turns_stiff_ = false;
    now_->restart(t, x, direction, first_step, rate);
    take_over();
  }

  Attempt step(double limit, Correction* correction, Step& out) override {
    if (std::exchange(has_to_look_, false)) {
      for (int look = 0; look < 4; ++look) measure(t_, x_.data());
      if (radius_ * std::abs(limit - t_) > 1e5) {
        change(parts_.implicit_name, t_, x_.data(), 0,
               fmt::format("rates up to {:.2g} over a run of {:.3g}", radius_, std::abs(limit - t_)));
      }
    }
    if (!is_implicit_ && std::exchange(turns_stiff_, false)) {
      const double rate = now_->stiffness() ? now_->stiffness()->rate : radius_;
      change(parts_.implicit_name, t_, x_.data(), now_->next_step_size(),
             fmt::format("stability, not accuracy, limits explicit steps (fastest rate about {:.2g})", rate));
    }
    if (is_implicit_ && std::exchange(was_calm_, false))
      change(parts_.explicit_name, t_, x_.data(),
             std::min(now_->next_step_size(), parts_.stability_limit / std::max(radius_, 1e-300)),
             fmt::format("steps of {:.2g} are accurate, and stable for explicit methods too", now_->next_step_size()));
    Attempt attempt = now_->step(limit, correction, out);
    take_over();
    if (attempt != Attempt::accepted) return attempt;
    ++since_change_;
    ++(is_implicit_ ? implicit_steps_ : explicit_steps_);
    t_ = out.t1;
    std::copy(out.end(), out.end() + n_, x_.begin());
    if (is_implicit_)
      watch_calm(out);
    else
      turns_stiff_ = now_->stiffness() || hangs_at_the_edge(out);
    return attempt;
  }

  // The change is made before the next step: the last one may still be asked for its polynomial, or taken again.
  bool interpolate(Step& step) override {
    const bool is_full = now_->interpolate(step);
    take_over();
    return is_full;
  }
  bool redo(double end, Correction* correction, Step& step) override {
    const bool is_done = now_->redo(end, correction, step);
    take_over();
    if (is_done) {
      t_ = step.t1;
      std::copy(step.end(), step.end() + n_, x_.begin());
    }
    return is_done;
  }
  const double* start_rate() const override { return now_->start_rate(); }
  const double* end_rate() override {
    const double* rate = now_->end_rate();
    take_over();
    return rate;
  }
  double next_step_size() const override { return now_->next_step_size(); }
  int order() const override { return now_->order(); }
  int dense_order() const override { return now_->dense_order(); }
  bool corrects_ends() const override { return now_->corrects_ends(); }
  double dense_weight() const override { return now_->dense_weight(); }
  std::vector<Message> take_notes() override {
    std::vector<Message> all = std::exchange(notes_, {});
    for (Stepper* one : {parts_.explicit_one.get(), implicit_.get()}) {
      if (one == nullptr) continue;
      for (Message& note : one->take_notes()) all.push_back(std::move(note));
    }
    return all;
  }
  std::string solver() const override { return implicit_ ? implicit_->solver() : std::string(); }
  std::string jacobian_kind() const override { return implicit_ ? implicit_->jacobian_kind() : std::string(); }
  std::vector<std::pair<std::string, long long>> steps_by_method() const override {
    if (!implicit_) return {};
    std::vector<std::pair<std::string, long long>> shares;
    if (explicit_steps_ > 0) shares.emplace_back(parts_.explicit_name, explicit_steps_);
    auto inner = implicit_->steps_by_method();
    if (inner.empty()) inner.emplace_back(parts_.implicit_name, implicit_steps_);
    shares.insert(shares.end(), inner.begin(), inner.end());
    return shares;
  }

  void carry(Memory& memory) override {
    carry_common(memory);
    memory(is_implicit_, is_new_, has_to_look_, turns_stiff_, was_calm_, has_direction_, t_, direction_, speed_,
           radius_, quotient_, explicit_steps_, implicit_steps_, since_change_, next_look_, hits_, dwell_, calm_,
           changes_, own_, x_, rate_, direction_vector_);
    parts_.explicit_one->carry(memory);
    bool has_implicit = implicit_ != nullptr;
    memory(has_implicit);
    if (!has_implicit) implicit_.reset();
    if (has_implicit && !implicit_) implicit_ = parts_.make_implicit();
    if (implicit_) implicit_->carry(memory);
    now_ = is_implicit_ ? implicit_.get() : parts_.explicit_one.get();
  }

 private:
  void take_over() {
    work_ = own_;
    work_ += parts_.explicit_one->work();
    if (implicit_) work_ += implicit_->work();
    failure_ = now_->failure();
  }

  void change(const std::string& to, double t, const double* x, double first_step, const std::string& why) {
    is_implicit_ = !is_implicit_;
    if (is_implicit_ && !implicit_) implicit_ = parts_.make_implicit();
    now_ = is_implicit_ ? implicit_.get() : parts_.explicit_one.get();
    now_->restart(t, x, direction_, first_step, nullptr);
    if (changes_++ > 0) dwell_ = std::min(2 * dwell_, 10000);
    since_change_ = 0;
    next_look_ = is_implicit_ ? 0 : 100;
    calm_ = hits_ = 0;
    if (changes_ <= 20)
      notes_.push_back(
          make_message(MessageCode::method_changed, t,
                       {{"method", to},
                        {"why", why},
                        {"more", changes_ == 20 ? " (further changes are not reported one by one)" : ""}}));
    take_over();
  }

  /// One more step of the power iteration for the spectral radius of df/dx, by differences along one direction.
  void measure(double t, const double* x) {
    field_(t, x, rate_.data());
    ++own_.rhs;
    double size = 0, length = 0, speed = 0;
    for (int i = 0; i < n_; ++i) {
      if (!has_direction_)
        direction_vector_[at(i)] =
            rate_[at(i)] + (i % 2 == 0 ? 1e-3 : -1e-3) * (std::abs(rate_[at(i)]) + control_.absolute[at(i)]);
      const double weight = 1 / (control_.absolute[at(i)] + std::max(control_.relative, 1e-6) * std::abs(x[i]));
      size += x[i] * weight * (x[i] * weight);
      speed += rate_[at(i)] * weight * (rate_[at(i)] * weight);
      length += direction_vector_[at(i)] * weight * (direction_vector_[at(i)] * weight);
    }
    has_direction_ = true;
    speed_ = std::sqrt(speed / std::max(size, 1.0));
    if (!(length > 0)) return;
    const double scale = 1e-8 * std::max(std::sqrt(size), 1.0) / std::sqrt(length);
    for (int i = 0; i < n_; ++i) moved_[at(i)] = x[i] + scale * direction_vector_[at(i)];
    field_(t, moved_.data(), moved_rate_.data());
    ++own_.rhs;
    double change = 0, moved = 0, along = 0;
    for (int i = 0; i < n_; ++i) {
      const double weight = 1 / (control_.absolute[at(i)] + std::max(control_.relative, 1e-6) * std::abs(x[i]));
      direction_vector_[at(i)] = (moved_rate_[at(i)] - rate_[at(i)]) / scale;
      const double step = (moved_[at(i)] - x[i]) / scale * weight;
      moved += step * step;
      along += step * weight * direction_vector_[at(i)];
      change += direction_vector_[at(i)] * weight * (direction_vector_[at(i)] * weight);
    }
    if (!std::isfinite(change) || change == 0) {
      has_direction_ = false;
      return;
    }
    radius_ = std::sqrt(change / moved);
    quotient_ = direction_ * along / moved;
    const double shrink = 1 / std::sqrt(change);
    for (double& entry : direction_vector_) entry *= shrink;
  }

  bool hangs_at_the_edge(const Step& step) {
    if (since_change_ < next_look_) return false;
    measure(step.t1, step.end());
    const double product = std::abs(step.h) * radius_ / parts_.stability_limit;
    // Near rounding the steps stay below the edge; then the motion is slow for them, and its fastest part decays.
    const bool is_slow = std::abs(step.h) * radius_ > 1 && std::abs(step.h) * speed_ < 0.02;
    const bool is_hit = (product > 0.8 || is_slow) && product < 2 && quotient_ < -0.5 * radius_;
    hits_ = is_hit ? hits_ + 1 : 0;
    next_look_ = since_change_ + (is_hit ? 10 : 100);
    return hits_ >= 10;
  }

  void watch_calm(const Step& step) {
    if (since_change_ < std::max(dwell_, next_look_)) return;
    measure(step.t1, step.end());
    const double product = std::abs(step.h) * radius_;
    next_look_ =
        since_change_ + (product < 10 * parts_.stability_limit ? 5 : 50);  // far from calm, it need not be asked often
    calm_ = product < 0.5 * parts_.stability_limit ? calm_ + 1 : 0;
    if (calm_ >= 4) was_calm_ = true;
  }

  SwitchingParts parts_;
  VectorField field_;
  int n_;
  const StepControl control_;
  std::unique_ptr<Stepper> implicit_;
  Stepper* now_;
  bool is_implicit_ = false, is_new_ = true, has_to_look_ = false, turns_stiff_ = false, was_calm_ = false;
  bool has_direction_ = false;
  double t_ = 0, direction_ = 1;
  double speed_ = 0;                  // of the motion, relative to its size
  double radius_ = 0, quotient_ = 0;  // of df/dx: spectral radius, and the Rayleigh quotient of its direction
  long long explicit_steps_ = 0, implicit_steps_ = 0;
  int since_change_ = 0, next_look_ = 100, hits_ = 0, dwell_ = 20, calm_ = 0, changes_ = 0;
  Work own_;
  std::vector<double> x_, rate_, moved_, moved_rate_, direction_vector_;
};

}  // namespace

std::unique_ptr<Stepper> make_switching(SwitchingParts parts, const VectorField& field, int size,
                                        const StepControl& control) {
  return std::make_unique<SwitchingStepper>(std::move(parts), field, size, control);
}

}  // namespace pawl
