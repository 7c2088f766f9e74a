// Every choice of open or touching, stick or slip, contact by contact: each is a linear system, and those whose answer
// breaks no condition are the answers of the problem.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "contact/scaled_problem.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::contact::detail {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

struct Choice {
  bool is_touching;  // aN = 0; else λN is the least one
  int slip;          // -1, 1; 0: sticks, or the direction is given
};

std::vector<Choice> choices(const Part& c) {
  const bool has_slip = c.has_choice() && c.holding > 0;
  std::vector<Choice> all;
  for (const bool is_touching : {true, false}) {
    if (is_touching && c.normal < 0) continue;
    if (has_slip && (is_touching || c.least > 0)) {
      for (const int slip : {0, 1, -1}) all.push_back({is_touching, slip});
    } else {
      all.push_back({is_touching, has_slip ? 1 : 0});
    }
  }
  return all;
}

constexpr int most_rows = 18;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_rows, most_rows>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_rows, 1>;

// Column j of C is a force along one row, or along two in a fixed ratio: y = C z + c, with the rows `zero` of a zero.
class ActiveSet {
 public:
  explicit ActiveSet(const ScaledProblem& p)
      : p_(p), n_(p.b.size()), W_(p.W), b_(p.b), WC_(n_, n_), C_(n_, n_), c_(n_), a_(n_), y_(n_) {}

  // False: the forces break a condition, or no number came out.
  bool solve(const std::vector<const Choice*>& chosen) {
    Index m = 0;
    c_.setZero();
    a_ = b_;
    for (std::size_t i = 0; i < p_.parts.size(); ++i) {
      const Part& c = p_.parts[i];
      const bool has_force = chosen[i]->is_touching && c.normal >= 0;
      const Index column = m;
      if (has_force) {
        WC_.col(m) = W_.col(c.normal);
        C_.col(m).setZero();
        C_(c.normal, m) = 1;
        zero_[m++] = c.normal;
      } else if (c.normal >= 0 && c.least > 0) {
        c_[c.normal] = c.least;
        a_ += c.least * W_.col(c.normal);
      }
      if (c.tangents == 0 || c.holding == 0) continue;
      if (c.is_given || chosen[i]->slip != 0) {
        for (int j = 0; j < c.tangents; ++j) {
          const double share = -c.friction * (c.is_given ? c.direction[j] : chosen[i]->slip);
          if (has_force) {
            WC_.col(column) += share * W_.col(c.tangent + j);
            C_(c.tangent + j, column) = share;
          } else if (c.least > 0) {
            c_[c.tangent + j] = share * c.least;
            a_ += share * c.least * W_.col(c.tangent + j);
          }
        }
      } else {
        WC_.col(m) = W_.col(c.tangent);
        C_.col(m).setZero();
        C_(c.tangent, m) = 1;
        zero_[m++] = c.tangent;
      }
    }
    y_ = c_;
    if (m > 0) {
      A_.resize(m, m);
      right_.resize(m);
      for (Index i = 0; i < m; ++i) {
        A_.row(i) = WC_.row(zero_[i]).head(m);
        right_[i] = -a_[zero_[i]];
      }
      if (!eliminate()) z_ = linear::LeastNorm(A_, 1e-10).solve(right_);
      y_ += C_.leftCols(m) * z_;
    }
    return y_.allFinite() && forces_are_allowed();
  }

  VectorXd forces() const { return y_; }

 private:
  // z = A^-1 right, the largest entry of a column as its pivot; false where one is next to nothing.
  bool eliminate() {
    const Index m = A_.rows();
    lu_ = A_;
    z_ = right_;
    double largest = 0, least = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < m; ++k) {
      Index row = k;
      for (Index i = k + 1; i < m; ++i) {
        if (std::abs(lu_(i, k)) > std::abs(lu_(row, k))) row = i;
      }
      const double pivot = std::abs(lu_(row, k));
      largest = std::max(largest, pivot);
      least = std::min(least, pivot);
      if (!(least > 1e-10 * largest)) return false;
      if (row != k) {
        for (Index j = k; j < m; ++j) std::swap(lu_(k, j), lu_(row, j));
        std::swap(z_[k], z_[row]);
      }
      for (Index i = k + 1; i < m; ++i) {
        lu_(i, k) /= lu_(k, k);
        z_[i] -= lu_(i, k) * z_[k];
      }
      for (Index j = k + 1; j < m; ++j) {
        for (Index i = k + 1; i < m; ++i) lu_(i, j) -= lu_(i, k) * lu_(k, j);
      }
    }
    for (Index k = m; k-- > 0;) {
      z_[k] /= lu_(k, k);
      for (Index i = 0; i < k; ++i) z_[i] -= lu_(i, k) * z_[k];
    }
    return true;
  }

  bool forces_are_allowed() const {
    const double zero = nothing * p_.size;
    for (const Part& c : p_.parts) {
      const double pressed = c.normal >= 0 ? y_[c.normal] : c.least;
      if (pressed < c.least - zero) return false;
      if (c.has_choice() && std::abs(y_[c.tangent]) > c.holding * pressed + zero) return false;
    }
    return true;
  }

  const ScaledProblem& p_;
  Index n_;
  SmallMatrix W_;
  SmallVector b_;
  SmallMatrix WC_, C_, A_, lu_;
  SmallVector c_, a_, y_, z_, right_;
  std::array<Index, most_rows> zero_{};
};

bool is_among(const std::vector<VectorXd>& all, const VectorXd& y, double tolerance) {
  for (const VectorXd& other : all) {
    if ((other - y).cwiseAbs().maxCoeff() <= tolerance) return true;
  }
  return false;
}

}  // namespace

std::vector<VectorXd> enumerate(const ScaledProblem& p, int most) {
  std::vector<VectorXd> found;
  if (!p.is_plane() || p.b.size() > most_rows) return found;
  std::vector<std::vector<Choice>> options;
  double sets = 1;
  for (const Part& c : p.parts) {
    options.push_back(choices(c));
    sets *= static_cast<double>(options.back().size());
  }
  if (sets > 4096) return found;

  ActiveSet active(p);
  std::vector<std::size_t> digits(options.size(), 0);
  std::vector<const Choice*> chosen(options.size());
  for (int set = 0; set < static_cast<int>(sets) && static_cast<int>(found.size()) < most; ++set) {
    for (std::size_t i = 0; i < options.size(); ++i) chosen[i] = &options[i][digits[i]];
    if (active.solve(chosen)) {
      const VectorXd y = active.forces();
      if (violation(p, y) <= verified && !is_among(found, y, nothing * p.size)) found.push_back(y);
    }
    for (std::size_t i = 0; i < options.size() && ++digits[i] == options[i].size(); ++i) digits[i] = 0;
  }
  return found;
}

}  // namespace pawl::contact::detail
