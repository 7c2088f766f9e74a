// Full projection: Newton steps to rounding, positions first, then speeds, then invariants (coordinate projection;
// Ascher, Chin, Petzold and Reich 1995, section 3.2). The factors of the last stage serve for all of them; only where
// they do not contract well enough are new ones made.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

constexpr int most_iterations = 8, most_rounds = 4;
constexpr double slow = 0.3;  // contraction worse than this: the factors are too old

double norm_of(const std::vector<double>& r, int rows) {
  double largest = 0;
  for (int i = 0; i < rows; ++i) largest = std::max(largest, std::abs(r[static_cast<std::size_t>(i)]));
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

}  // namespace

NewtonPull::NewtonPull(Form& form, int size)
    : form_(form), manifold_(form.manifold()), size_(static_cast<std::size_t>(size)) {}

// One level with the factors at hand. Done when every residual is at rounding, or has stopped falling near it.
NewtonPull::End NewtonPull::level(int level, double t, double* x, double& left) {
  const int rows = manifold_.rows(level);
  if (rows == 0) return End::met;
  r_.resize(static_cast<std::size_t>(rows));
  floor_.resize(static_cast<std::size_t>(rows));
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration <= most_iterations; ++iteration) {
    ++iterations;
    manifold_.residual(level, t, x, r_.data());
    if (iteration == 0) manifold_.rounding(level, t, x, floor_.data());
    const double size = norm_of(r_, rows);
    left = size;
    double excess = 0;
    for (int i = 0; i < rows; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double part = floor_[k] > 0 ? std::abs(r_[k]) / floor_[k] : std::abs(r_[k]) > 0 ? 1e300 : 0;
      if (!(part <= excess)) {  // a NaN counts
        excess = part;
        worst = i;
      }
    }
    if (iteration == 0 && excess > first_excess_) {
      first_excess_ = excess;
      first_level = level;
      first_row = worst;
    }
    if (excess <= 1) return End::met;
    if (!std::isfinite(size)) return End::lost;
    if (iteration > 0 && size > slow * last)
      return excess < 64 || is_at_rounding(level, x, 1e-14) ? End::met : End::slow;
    if (iteration == most_iterations) return End::slow;
    last = size;
    manifold_.correct(level, r_.data(), x);
  }
  return End::slow;
}

// Whether one more correction would change nothing but last digits: the residual itself is rounded that much.
bool NewtonPull::is_at_rounding(int level, const double* x, double digits) {
  probe_.assign(x, x + size_);
  manifold_.correct(level, r_.data(), probe_.data());
  double largest = 0;
  for (std::size_t i = 0; i < size_; ++i) largest = std::max(largest, std::abs(x[i]));
  for (std::size_t i = 0; i < size_; ++i) {
    if (!(std::abs(probe_[i] - x[i]) <= digits * std::max(std::abs(x[i]), 0.01 * largest))) return false;
  }
  return true;
}

bool NewtonPull::pull(double t, double* x, bool positions, bool velocities, bool invariants) {
  bool is_fresh = false;
  manifold_.normalize(x);
  first_excess_ = 0;
  first_row = -1;
  for (int round = 0; round < most_rounds; ++round) {
    bool has_moved_back = false;
    for (int level = 0; level < manifold_.levels(); ++level) {
      const Manifold::Kind kind = manifold_.kind(level);
      if (kind == Manifold::Kind::position && !positions) continue;
      if (kind == Manifold::Kind::velocity && !velocities) continue;
      if (kind == Manifold::Kind::invariant && !invariants) continue;
      const long long before = iterations;
      double left = 0;
      End end = this->level(level, t, x, left);
      for (int attempt = 0; end != End::met && attempt < 6; ++attempt) {  // Newton with fresh factors
        if (end == End::lost || (is_fresh && attempt == 5)) break;
        ++refactored;
        if (!manifold_.refactor(t, x)) {
          why = form_.why();
          return false;
        }
        is_fresh = true;
        end = this->level(level, t, x, left);
      }
      // Large terms may cancel in a residual: what is left is their rounding, if it would move nothing that counts.
      if (end == End::slow && is_at_rounding(level, x, 1e-10)) end = End::met;
      if (end != End::met) {
        why = fmt::format(
            "'{}' cannot be met near t = {:.10g}: its residual stays at {:.3g}.\n"
            "  try:    shorter steps, a start nearer to where it holds, or a constraint that can hold",
            manifold_.row_name(level, worst), t, left);
        return false;
      }
      (kind == Manifold::Kind::position   ? position_left
       : kind == Manifold::Kind::velocity ? velocity_left
                                          : invariant_left) = left;
      if (kind == Manifold::Kind::invariant && iterations - before > 1 && level > 0) has_moved_back = true;
    }
    if (!has_moved_back) return true;
  }
  return true;
}

namespace {

class Projection final : public Stabilizer {
 public:
  Projection(Stabilization how, Form& form, const StepControl& control, int size)
      : Stabilizer(form, control, size), newton_(form, size), how_(std::move(how)) {}

  std::string farthest_row() const override {
    return newton_.first_row < 0 ? std::string() : manifold_.row_name(newton_.first_level, newton_.first_row);
  }
  void carry(Memory& memory) override {
    Stabilizer::carry(memory);
    newton_.carry(memory);
  }

 protected:
  bool move(double t, double* x) override {
    const long long iterations = newton_.iterations, refactored = newton_.refactored;
    const bool is_good = newton_.pull(t, x, how_.positions, how_.velocities);
    pulls_.iterations += newton_.iterations - iterations;
    pulls_.refactored += newton_.refactored - refactored;
    if (!is_good) failure_ = newton_.why;
    last_ = {newton_.position_left, newton_.velocity_left, newton_.invariant_left, 0};
    return is_good;
  }
  bool knows_drift() const override { return how_.positions && how_.velocities; }

 private:
  NewtonPull newton_;
  Stabilization how_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_projection(const Stabilization& how, Form& form, const StepControl& control,
                                            int size) {
  if (how.is_fresh || how.is_euclidean) return make_exact_projection(how, form, control, size);
  return std::make_unique<Projection>(how, form, control, size);
}

bool settle(Form& form, int size, double t, double* x, SettleHow how, std::string& why) {
  NewtonPull newton(form, size);
  const auto fresh = [&](bool velocities, bool invariants) {
    if (!form.manifold().refactor(t, x)) {
      why = form.why();
      return false;
    }
    if (newton.pull(t, x, true, velocities, invariants)) return true;
    why = newton.why;
    return false;
  };
  // Speeds are moved least in the metric of where the positions have come to.
  if (!fresh(false, false) || !fresh(true, false)) return false;
  if (how.takes_levels) form.take_levels(t, x);
  return !how.invariants || fresh(true, true);
}

}  // namespace pawl::stabilize
