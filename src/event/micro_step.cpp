#include "event/micro_step.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::event {

bool MicroStep::take(double t, const double* x, const double* rate, double length, double limit, Step& out) {
  const std::size_t n = size_;
  double end = t + length;
  if ((length > 0 && end >= limit) || (length < 0 && end <= limit)) end = limit;
  const double h = end - t;
  if (h == 0) return false;
  x1_.resize(n);
  f1_.resize(n);
  for (std::size_t i = 0; i < n; ++i) x1_[i] = x[i] + h * rate[i];
  ++work_.rhs;
  field_(end, x1_.data(), f1_.data());
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double part = 0.5 * h * (f1_[i] - rate[i]) / (control_.absolute[i] + control_.relative * std::abs(x[i]));
    sum += part * part;
  }
  const double error = std::sqrt(sum / static_cast<double>(n));
  if (!(error <= 0.05)) return false;
  out.t0 = t;
  out.t1 = end;
  out.h = out.span = h;
  out.error = error;
  for (std::size_t i = 0; i < n; ++i) {
    out.start()[i] = x[i];
    out.end()[i] = x[i] + 0.5 * h * (rate[i] + f1_[i]);
  }
  write_hermite(out, rate, f1_.data());
  ++work_.accepted;
  return true;
}

}  // namespace pawl::event
