// What the states do on a part of a step, read off its polynomial when a guard asks for it, and not before.
//
//   x(θ) = Σ p_k (θ - m)^k on [m - r, m + r]   (the polynomial shifted to the middle)
//   range of x: p_0 + Σ_k p_k [-r, r]^k, even powers one-sided; range of x' and x''/2 from the same shifted polynomial
//
// Every range is widened by what rounding can do to the polynomial's coefficients, to Horner's scheme and to θ itself,
// so it also encloses the numbers that samples and located events will see. What follows from the states (multipliers)
// is read behind them; where its polynomial is a coarse one, ranges are widened by what that may be off.
#pragma once

#include <cstdint>
#include <vector>

#include "integrate/follower_levels.hpp"
#include "pawl/point.hpp"
#include "pawl/step.hpp"

namespace pawl::event {

/// The part [a, b] of a step, in θ; a = b is a single instant.
template <class T>
class StepStates final : public detail::LazyStates<T> {
 public:
  void resize(int size);
  /// Reads this step from now on, and what follows from its states. Its polynomial must exist.
  void read(const Step& step, const FollowerLevels* followers);
  void select(double a, double b) {
    if (a == a_ && b == b_) return;
    a_ = a;
    b_ = b;
    ++part_;
    time_ = time_of_part();
  }
  const T& state(int index) const override;
  std::uint64_t stamp() const override { return part_; }
  /// Whether something was read, since forget_reads(), whose polynomial is coarse or not there.
  bool has_read_coarse() const { return has_read_coarse_; }
  void forget_reads() { has_read_coarse_ = false; }
  /// Time on the selected part; derivatives are with respect to θ.
  const T& time() const { return time_; }

 private:
  struct Row {
    const double* c;
    int degree;
  };
  Row row(int index) const {
    const int size = step_->size(), degree = step_->degree();
    if (index < size) return {step_->coefficients() + static_cast<std::ptrdiff_t>(index) * (degree + 1), degree};
    return {followers_->polynomial(index - size), followers_->degree()};
  }
  const T& follower(int index) const;
  T compute(int index) const;
  T time_of_part() const;

  const Step* step_ = nullptr;
  const FollowerLevels* followers_ = nullptr;
  double a_ = 0, b_ = 0;
  T time_ = T(0.0);
  std::uint64_t part_ = 0;  // changes with every selection
  mutable std::vector<T> cache_;
  mutable std::vector<std::uint64_t> cached_for_;
  mutable T coarse_ = T(0.0);
  mutable bool has_read_coarse_ = false;
};

/// Fixed values for every state: a stored instant, or a box around it, possibly with rates.
template <class T>
class GivenStates final : public detail::LazyStates<T> {
 public:
  std::vector<T> values;
  std::uint64_t version = 0;   // raised by who fills the values and wants to share what is computed from them
  mutable int last_read = -1;  // the largest index that was
  const T& state(int index) const override {
    if (index > last_read) last_read = index;
    return values[static_cast<std::size_t>(index)];
  }
  std::uint64_t stamp() const override { return version; }
};

/// Ranges of time and states that remember which states were read.
class RecordedStates final : public detail::LazyStates<Interval> {
 public:
  std::vector<Interval> values;
  const Interval& state(int index) const override {
    reads.push_back(index);
    return values[static_cast<std::size_t>(index)];
  }
  mutable std::vector<int> reads;
};

/// The range of one component over the whole step, cheaper and coarser than StepStates.
Interval coarse_range(const Step& step, int component);

}  // namespace pawl::event
