#include "stabilize/manifold_keeper.hpp"

namespace pawl::stabilize {

ManifoldKeeper::ManifoldKeeper(Stabilizer& stabilizer, Form& form, const KeptMotion& motion, bool draws_on_manifold,
                               FollowerLevels* followers)
    : Keeper(stabilizer), stabilizer_(stabilizer), followers_(followers) {
  auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form);
  if (mechanics == nullptr) return;
  watch_.emplace(*mechanics, motion.size);
  if (!draws_on_manifold) return;
  hermite_.emplace(*mechanics, motion.field, motion.control, motion.size);
  if (followers == nullptr) return;
  hermite_->observer = [followers](double s, double t, const double* x) { followers->see_inside(s, t, x); };
  followers->pull = [this](double t, double* x) { hermite_->pull(t, x); };
}

void ManifoldKeeper::restart(double t, const double* x) {
  singular_.clear();
  if (followers_ != nullptr) followers_->see(t, x);
}

double ManifoldKeeper::last_regular(Step& step, Stepper& method) {
  if (!watch_ || !watch_->is_suspicious() || !watch_->turns(step)) return step.t1;
  draw(step, method);
  RankWatch::Singular found = watch_->find(step);
  step.forget_polynomial();
  singular_ = std::move(found.text);
  return has_ended() ? found.before : step.t1;
}

bool ManifoldKeeper::draw(Step& step, Stepper& method) {
  const double *start = method.start_rate(), *end = hermite_ && hermite_->has_work() ? method.end_rate() : nullptr;
  if (followers_ != nullptr) {
    followers_->see(step.t1, step.end());
    followers_->begin(step);
  }
  bool is_full = true;
  if (start == nullptr || end == nullptr || !hermite_->covers_all()) is_full = method.interpolate(step);
  if (is_full && start != nullptr && end != nullptr) hermite_->write(step, start, end, method.order());
  return is_full;
}

void ManifoldKeeper::carry(Memory& memory) {
  memory(singular_);
  stabilizer_.carry(memory);
  if (hermite_) hermite_->carry(memory);
}

}  // namespace pawl::stabilize
