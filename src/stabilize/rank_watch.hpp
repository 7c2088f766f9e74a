// RankWatch: has the motion passed a configuration in which the constraints lose rank? There the reaction forces are
// not determined and the motion may branch, so it must not be stepped over in silence. On the way through, one singular
// value of G changes its sign, and with it the determinant of G(t0) G(t1)^T; a determinant that changes sign only
// because the step turns far does not do so between points that are near each other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "formulate/mechanics_form.hpp"
#include "pawl/step.hpp"

namespace pawl::stabilize {

/// A short part of a step, which must have a polynomial, between whose ends something still turns over that does so
/// between the ends of the step; empty: there is none, the step only turns far. turns: whether it does between two
/// times.
std::optional<std::pair<double, double>> find_turn(const Step& step,
                                                   const std::function<bool(double from, double to)>& turns);

class RankWatch {
 public:
  explicit RankWatch(formulate::MechanicsForm& form, int size)
      : form_(form), x_(static_cast<std::size_t>(size)), y_(static_cast<std::size_t>(size)) {}

  /// Whether a pivot has become so small during the step that looking is worth its price.
  bool is_suspicious() const { return form_.weakest_pivot() < 0.1 && form_.terms().rows() <= most_rows; }
  /// Whether the determinant changes sign between the ends.
  bool turns(const Step& step);
  /// Whether it still does so between near points: the step must have a polynomial. Then where, in words, and the last
  /// time before it.
  struct Singular {
    double before = 0;
    std::string text;
  };
  Singular find(const Step& step);

 private:
  static constexpr int most_rows = 200;
  bool changes_sign(double t0, const double* x0, double t1, const double* x1);

  formulate::MechanicsForm& form_;
  std::vector<double> x_, y_;
};

}  // namespace pawl::stabilize
