// Sweeps guess which contacts are open, stick or slip; Newton's iteration then solves
//   yN = max(least, wN),  yT = the point of the disc of radius μ max(least, wN) nearest to wT,  w = y - r a,
// which is piecewise linear in the plane and smooth but for the edges in space.
// Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92 (1991) 353.
#include <algorithm>
#include <cmath>

#include "contact/scaled_problem.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::contact::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double inverse_or_one(double w) {
  return w > 1e-14 ? 1 / w : 1;
}

// Projected Gauss-Seidel; ends early where nothing moves any more.
void sweep(const ScaledProblem& p, VectorXd& y, int sweeps) {
  for (int i = 0; i < sweeps; ++i) {
    double moved = 0;
    for (const Part& c : p.parts) {
      if (c.normal >= 0) {
        const Index n = c.normal;
        double w = p.W(n, n);
        if (c.is_given) {
          const double slope =
              w - c.friction * p.W.row(n).segment(c.tangent, c.tangents) * c.direction.head(c.tangents);
          w = std::max(slope, 0.25 * w);
        }
        const double was = y[n];
        y[n] = std::max(c.least, was - (p.W.col(n).dot(y) + p.b[n]) * inverse_or_one(w));
        moved = std::max(moved, std::abs(y[n] - was));
      }
      if (c.tangents == 0) continue;
      const double pressed = c.pressed(y);
      if (c.is_given) {
        for (int j = 0; j < c.tangents; ++j) y[c.tangent + j] = -c.friction * pressed * c.direction[j];
        continue;
      }
      double trace = 0;
      Eigen::Vector2d towards = Eigen::Vector2d::Zero(), was = Eigen::Vector2d::Zero();
      for (int j = 0; j < c.tangents; ++j) trace += p.W(c.tangent + j, c.tangent + j);
      const double r = inverse_or_one(trace / c.tangents);
      for (int j = 0; j < c.tangents; ++j) {
        const Index t = c.tangent + j;
        was[j] = y[t];
        towards[j] = was[j] - r * (p.W.col(t).dot(y) + p.b[t]);
      }
      const double radius = c.friction * pressed, length = towards.norm();
      if (length > radius) towards *= radius / length;
      for (int j = 0; j < c.tangents; ++j) y[c.tangent + j] = towards[j];
      moved = std::max(moved, (towards - was).norm());
    }
    if (moved <= 1e-15 * p.size) return;
  }
}

class Newton {
 public:
  Newton(const ScaledProblem& p, double stretch)
      : p_(p), n_(p.b.size()), J_(n_, n_), F_(n_), trial_F_(n_), a_(n_), step_(n_), trial_(n_), r_(n_) {
    for (const Part& c : p.parts) {
      if (c.normal >= 0) r_[c.normal] = stretch * inverse_or_one(p.W(c.normal, c.normal));
      if (c.tangents == 0) continue;
      const auto block = p.W.diagonal().segment(c.tangent, c.tangents);
      r_.segment(c.tangent, c.tangents).setConstant(stretch * inverse_or_one(block.mean()));
    }
  }

  // True where the residual has come down to rounding, or to a billionth and does not fall further.
  bool run(VectorXd& y, bool is_damped, int iterations) {
    double norm = evaluate(y, F_, true);
    for (int i = 0; i < iterations && norm > 1e-15 * p_.size; ++i) {
      if (!std::isfinite(norm)) return false;
      find_step();
      double fraction = 1, next = 0;
      for (;; fraction /= 2) {
        trial_ = y - fraction * step_;
        next = evaluate(trial_, trial_F_, false);
        if (!is_damped || next <= (1 - 1e-4 * fraction) * norm || norm < 1e-11 * p_.size) break;
        if (fraction < 1e-4) return false;
      }
      if (norm < 1e-11 * p_.size && !(next < 0.5 * norm)) {
        if (next < norm) y = trial_;
        return true;
      }
      y = trial_;
      norm = evaluate(y, F_, true);
    }
    return norm < 1e-9 * p_.size;
  }

 private:
  // F(y), and in J its derivative; the rows that fix one force are left out of `live_`.
  double evaluate(const VectorXd& y, VectorXd& F, bool with_derivative) {
    a_.noalias() = p_.W * y;
    a_ += p_.b;
    if (with_derivative) live_.clear();
    for (const Part& c : p_.parts) {
      double pressed = c.least;
      bool is_touching = false;
      if (c.normal >= 0) {
        const Index n = c.normal;
        const double w = y[n] - r_[n] * a_[n];
        is_touching = w > c.least;
        F[n] = is_touching ? r_[n] * a_[n] : y[n] - c.least;
        pressed = std::max(c.least, w);
        if (with_derivative && is_touching) {
          J_.row(n) = r_[n] * p_.W.row(n);
          live_.push_back(n);
        }
      }
      if (c.tangents == 0) continue;
      const Index t = c.tangent, m = c.tangents;
      if (c.is_given) {
        for (Index j = 0; j < m; ++j) {
          F[t + j] = y[t + j] + c.friction * (c.normal >= 0 ? y[c.normal] : c.least) * c.direction[j];
          if (!with_derivative) continue;
          J_.row(t + j).setZero();
          J_(t + j, t + j) = 1;
          if (c.normal >= 0) J_(t + j, c.normal) = c.friction * c.direction[j];
          live_.push_back(t + j);
        }
        continue;
      }
      Eigen::Vector2d w = Eigen::Vector2d::Zero();
      for (Index j = 0; j < m; ++j) w[j] = y[t + j] - r_[t] * a_[t + j];
      const double radius = c.friction * pressed, length = w.norm();
      if (length <= radius && radius > 0) {
        F.segment(t, m) = r_[t] * a_.segment(t, m);
        if (!with_derivative) continue;
        for (Index j = 0; j < m; ++j) {
          J_.row(t + j) = r_[t] * p_.W.row(t + j);
          live_.push_back(t + j);
        }
        continue;
      }
      const Eigen::Vector2d e = length > 0 ? Eigen::Vector2d(w / length) : Eigen::Vector2d(0, 0);
      for (Index j = 0; j < m; ++j) F[t + j] = y[t + j] - radius * e[j];
      if (!with_derivative || radius == 0) continue;
      for (Index j = 0; j < m; ++j) {
        auto row = J_.row(t + j);
        row.setZero();
        if (is_touching) {  // the radius follows the normal force
          row = c.friction * e[j] * r_[c.normal] * p_.W.row(c.normal);
          row[c.normal] -= c.friction * e[j];
        }
        for (Index i = 0; i < m && m > 1; ++i) {  // the direction turns
          const double turn = radius / length * ((i == j) - e[i] * e[j]);
          row += turn * r_[t] * p_.W.row(t + i);
          row[t + i] -= turn;
        }
        row[t + j] += 1;
        live_.push_back(t + j);
      }
    }
    return F.norm();
  }

  // Of least norm where J has no inverse.
  void find_step() {
    step_ = F_;
    const auto m = static_cast<Index>(live_.size());
    if (m == 0) return;
    fixed_.assign(static_cast<std::size_t>(n_), true);
    for (const Index i : live_) fixed_[static_cast<std::size_t>(i)] = false;
    reduced_ = J_(live_, live_);
    right_ = F_(live_);
    for (Index j = 0; j < n_; ++j) {
      if (!fixed_[static_cast<std::size_t>(j)] || F_[j] == 0) continue;
      for (Index i = 0; i < m; ++i) right_[i] -= J_(live_[static_cast<std::size_t>(i)], j) * F_[j];
    }
    lu_.compute(reduced_);
    const auto pivots = lu_.factors().diagonal().cwiseAbs();
    if (pivots.minCoeff() > 1e-9 * pivots.maxCoeff()) {
      lu_.solve(right_, solution_);
    } else {
      solution_ = linear::LeastNorm(reduced_, 1e-10).solve(right_);
    }
    step_(live_) = solution_;
  }

  const ScaledProblem& p_;
  Index n_;
  MatrixXd J_, reduced_;
  VectorXd F_, trial_F_, a_, step_, trial_, r_, right_, solution_;
  std::vector<Index> live_;
  std::vector<bool> fixed_;
  linear::PivotedLu<double> lu_;
};

bool run_from(const ScaledProblem& p, const VectorXd& guess, VectorXd& y) {
  for (const double stretch : {1.0, 0.1, 10.0}) {
    Newton newton(p, stretch);
    for (const bool is_damped : {true, false}) {
      y = guess;
      if (newton.run(y, is_damped, 40) && violation(p, y) <= verified) return true;
    }
  }
  return false;
}

// Where contacts share a force in more than one way Newton's matrix has no inverse. With a little more on the diagonal
// of W it has, and what that adds is taken away again from answer to answer (proximal points).
bool run_by_shifts(const ScaledProblem& p, const VectorXd& guess, VectorXd& y) {
  constexpr int most_rounds = 50;
  for (const double shift : {1e-6, 1e-4, 1e-2}) {
    ScaledProblem shifted = p;
    shifted.W.diagonal().array() += shift;
    VectorXd last = guess;
    for (int round = 0; round < most_rounds; ++round) {
      shifted.b = p.b - shift * last;
      if (!run_from(shifted, last, y)) break;
      if (violation(p, y) <= verified) return true;
      last = y;
    }
  }
  return false;
}

}  // namespace

bool polish(const ScaledProblem& p, VectorXd& y) {
  const VectorXd guess = y;
  return run_from(p, guess, y);
}

bool solve_by_newton(const ScaledProblem& p, VectorXd& y) {
  VectorXd guess = VectorXd::Zero(p.b.size());
  for (const int sweeps : {50, 400, 3200}) {
    sweep(p, guess, sweeps);
    if (run_from(p, guess, y)) return true;
  }
  return run_by_shifts(p, guess, y);
}

bool solve_by_sweeps(const ScaledProblem& p, VectorXd& y) {
  constexpr int most_sweeps = 50000;
  y.setZero(p.b.size());
  for (int done = 0; done < most_sweeps; done += 1000) {
    sweep(p, y, 1000);
    if (violation(p, y) <= verified) return true;
    VectorXd polished = y;
    if (polish(p, polished) && violation(p, polished) <= verified) {
      y = polished;
      return true;
    }
  }
  return true;
}

}  // namespace pawl::contact::detail
