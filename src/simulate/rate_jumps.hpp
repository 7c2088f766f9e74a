// Rates that jump: a model that switches inside its rates, by select or a comparison, without a guard that says so.
// Where both sides push onto the switch, no step is short enough: every one that reaches it crosses it, and the run
// chatters there. Whether the rates jump near a step, which may start and end on one side and cross with its stages, is
// seen by halving the way along its first rate, twice as far as it goes:
//
//   |f(b) - f(a)| is halved with |b - a| where f is smooth, and stays where f jumps
#pragma once

#include <optional>
#include <vector>

#include "pawl/memory.hpp"
#include "pawl/step.hpp"
#include "system/vector_field.hpp"

namespace pawl::detail {

/// The rate of one state on both sides of a jump.
struct RateJump {
  std::size_t state;
  double low, high;
};

/// Looks at a number of steps in a row and says whether the rates jump in many of them.
class RateJumps {
 public:
  explicit RateJumps(int size) : size_(static_cast<std::size_t>(size)) {}

  void begin() { left_ = steps, jumps_ = 0; }
  bool is_looking() const { return left_ > 0; }
  /// Something once the last of the steps has been seen, if it was found in a quarter of them.
  std::optional<RateJump> look(const Step& step, const VectorField& rates);
  void carry(Memory& memory) { memory(left_, jumps_, last_, evaluations); }

  long long evaluations = 0;

 private:
  static constexpr int steps = 32, enough = 8, halvings = 40;
  struct Side {
    double t = 0;
    std::vector<double> x, rate;
  };
  std::optional<RateJump> jump_between_sides(const VectorField& rates);
  void evaluate(Side& side, const VectorField& rates);
  double change(std::size_t i, const Side& a, const Side& b) const;
  double difference(const Side& a, const Side& b) const;

  void make_room();

  std::size_t size_;
  Side a_, b_, middle_;        // with room from the first look on: most runs never look
  std::vector<double> scale_;  // of the rates on the way
  int left_ = 0, jumps_ = 0;
  std::optional<RateJump> last_;  // of those found
};

}  // namespace pawl::detail
