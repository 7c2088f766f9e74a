#include "pawl/step.hpp"

#include <algorithm>

namespace pawl {

Step::Step(int size) : start_(static_cast<std::size_t>(size)), end_(static_cast<std::size_t>(size)) {}

double* Step::make_polynomial(int degree) {
  degree_ = degree;
  coefficients_.resize(start_.size() * static_cast<std::size_t>(degree + 1));
  return coefficients_.data();
}

void Step::at(double t, double* x) const {
  if (t == t1) {
    std::copy(end_.begin(), end_.end(), x);
  } else if (t == t0) {
    std::copy(start_.begin(), start_.end(), x);
  } else {
    evaluate_polynomials(coefficients_.data(), size(), degree_, (t - t0) / span, x);
  }
}

void Step::cut(double t) {
  if (t == t1) return;
  evaluate_polynomials(coefficients_.data(), size(), degree_, (t - t0) / span, end_.data());
  t1 = t;
}

void write_hermite(Step& step, const double* start_rate, const double* end_rate) {
  double* c = step.make_polynomial(3);
  for (int i = 0; i < step.size(); ++i, c += 4) {
    const double rise = step.end()[i] - step.start()[i], f0 = step.h * start_rate[i];
    const double f1 = end_rate ? step.h * end_rate[i] : 2 * rise - f0;  // the slope at which the parabola arrives
    c[0] = step.start()[i];
    c[1] = f0;
    c[2] = 3 * rise - 2 * f0 - f1;
    c[3] = f0 + f1 - 2 * rise;
  }
}

}  // namespace pawl
