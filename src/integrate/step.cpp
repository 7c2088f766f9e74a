#include "pawl/step.hpp"

#include <algorithm>

namespace pawl {

void Step::at(double t, double* x) const {
  if (t == t1) {
    std::copy(end_.begin(), end_.end(), x);
  } else if (t == t0) {
    std::copy(start_.begin(), start_.end(), x);
  } else {
    evaluate_polynomials(coefficients_.data(), size(), degree_, (t - t0) / (t1 - t0), x);
  }
}

}  // namespace pawl
