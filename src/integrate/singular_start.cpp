#include "integrate/singular_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {

SingularStart::SingularStart(formulate::ImplicitForm& form, Work& work)
    : form_(form), work_(work), solver_(form.make_solver(1, 0)) {
  for (std::vector<double>* one : {&y_, &rate_, &residual_, &change_, &kept_, &whole_, &middle_, &error_})
    one->assign(static_cast<std::size_t>(form.size()), 0.0);
}

/// What only rates of others determine is moved by what the step may move it by at most, each by another share.
void SingularStart::begin_beside(const std::vector<double>& y, double h) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool is_open = !form_.roles()[i].is_differential;
    const double share = 0.5 + 0.5 * std::abs(std::cos(1.0 + 7.0 * static_cast<double>(i)));
    y_[i] = y[i] + (is_open ? std::abs(h) * share * std::max(1.0, std::abs(y[i])) : 0);
  }
}

/// r(t, y, (y - start) / h) into residual_; its size.
double SingularStart::residual(double t, const std::vector<double>& start, const std::vector<double>& y, double h) {
  for (std::size_t i = 0; i < y.size(); ++i) rate_[i] = (y[i] - start[i]) / h;
  ++work_.rhs;
  form_.residual(t, y.data(), rate_.data(), residual_.data());
  double sum = 0;
  for (const double one : residual_) sum += one * one;
  return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
}

bool SingularStart::linearize(double t, const std::vector<double>& y, double h) {
  const long long duals = form_.dual_evaluations, differences = form_.difference_evaluations;
  form_.linearize(t, y.data(), rate_.data());
  ++work_.jacobians;
  ++work_.factorizations;
  work_.dual_rhs += form_.dual_evaluations - duals;
  work_.rhs += form_.difference_evaluations - differences;
  return solver_->factor(0, 1 / h);
}

bool SingularStart::step(double t, const std::vector<double>& y, double h, std::vector<double>& end) {
  constexpr int most_iterations = 100, most_halvings = 30;
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  begin_beside(y, h);
  double size = residual(t + h, y, y_, h);
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (!std::isfinite(size) || !linearize(t + h, y_, h)) return false;
    change_ = residual_;
    solver_->solve(0, change_.data());
    ++work_.solves;
    ++work_.iterations;
    double relative = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      relative = std::max(relative, std::abs(change_[i]) / std::max(std::abs(y_[i]), rounding));
    const bool is_at_rounding = relative <= 1e-6 && relative > 0.3 * last;
    if (!(relative > rounding) || is_at_rounding) {
      end = y_;
      return std::isfinite(relative);
    }
    kept_ = y_;
    double factor = 1, next = 0;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, factor /= 2) {
      for (std::size_t i = 0; i < y.size(); ++i) y_[i] = kept_[i] + factor * change_[i];
      next = residual(t + h, y, y_, h);
      if (next < size || relative <= 1e-6) break;
    }
    if (!(next < size) && relative > 1e-6) return false;
    size = next;
    last = relative;
  }
  return false;
}

double SingularStart::leave(double t, const std::vector<double>& y, double h, const Norm& norm,
                            std::vector<double>& end) {
  constexpr int most_tries = 60;
  end.resize(y.size());
  for (int tries = 0; tries < most_tries && t + h / 2 != t; ++tries, h /= 2) {
    if (!step(t, y, h, whole_) || !step(t, y, h / 2, middle_) || !step(t + h / 2, middle_, h / 2, end)) continue;
    for (std::size_t i = 0; i < end.size(); ++i) error_[i] = end[i] - whole_[i];
    if (norm(error_, end) <= 1) return h;
  }
  return 0;
}

}  // namespace pawl
