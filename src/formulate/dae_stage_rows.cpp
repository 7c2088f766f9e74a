#include <algorithm>
#include <cmath>

#include "formulate/dae_stages.hpp"

// The rows of a stage with their derivatives by its unknowns, and how large they are.
namespace pawl::formulate {

/// F_i^(k + c_i) of the stage.
void Stages::residual(Vector& b) {
  evaluate_rows();
  b.resize(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = 0;
    for (const auto& [row, order, factor] : structure_.rows[at(rows_[i].row)])
      sum += factor * r_[at((rows_[i].order + order) * n_ + row)];
    b(static_cast<Eigen::Index>(i)) = sum;
  }
}

/// The equations and their derivatives, as far as the rows need them: beyond the second, and where all of them can, at
/// once.
void Stages::evaluate_rows() {
  int highest = 0;
  for (const Row& one : rows_)
    for (const RowPart& part : structure_.rows[at(one.row)]) highest = std::max(highest, one.order + part.order);
  DaeEquations& equations = form_.equations();
  bool are_series = highest > 2;
  for (int i = 0; i < n_ && are_series; ++i) are_series = equations.takes_series(i);
  if (are_series) {
    equations.series_along(highest, t_, z(0), r_.data());
    return;
  }
  equations.residual(t_, z(0), z(1), r_.data());
  for (int order = 1; order <= highest; ++order)
    equations.along_motion(order, t_, z(0), equations_of(order), r_.data() + order * n_);
}

/// The equations that are needed in this order.
std::vector<int> Stages::equations_of(int order) const {
  std::vector<int> all;
  if (order < 2) return all;
  for (const Row& one : rows_)
    for (const RowPart& part : structure_.rows[at(one.row)])
      if (one.order + part.order == order) all.push_back(part.row);
  return all;
}

// d F^(m) / d y^(k) = C(m, k) D^(m-k) F_y + C(m, k-1) D^(m-k+1) F_y' with the total derivative D. Within a stage only
// the terms without D occur; where stages are solved together the others are taken by differences along the motion.
void Stages::linearize(Sample which) {
  if (is_linearized_) return;
  is_linearized_ = true;
  take_sample(which);
  int highest = 0;
  for (const Row& one : rows_) highest = std::max(highest, is_together_ ? one.order : 0);
  std::vector<DaeValues> along;  // and its first derivatives
  if (highest > 0) along = differentiate_sample();
  place_.assign(at((highest_order_ + 2) * n_), -1);  // per order and state: the column
  for (std::size_t j = 0; j < unknowns_.size(); ++j)
    place_[at(unknowns_[j].order * n_ + unknowns_[j].state)] = static_cast<int>(j);
  const RowPattern& pattern = form_.equations().by_row();
  A_.resize(static_cast<Eigen::Index>(rows_.size()), static_cast<Eigen::Index>(unknowns_.size()));
  A_.reserve(static_cast<Eigen::Index>(pattern.entries.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowParts& parts = structure_.rows[at(rows_[i].row)];
    entries_.clear();
    for (const auto& [row, order, factor] : parts) {
      const int m = rows_[i].order + order, terms = is_together_ ? std::min(m, highest_array) : 0;
      double share = factor;  // times C(m, q)
      for (int q = 0; q <= terms; ++q) {
        if (q > 0) share *= static_cast<double>(m - q + 1) / q;
        const DaeValues& sample = q == 0 ? sample_ : along[at(q)];
        const int *of_values = place_.data() + (m - q) * n_, *of_rates = of_values + n_;
        for (const auto& [j, place] : pattern.row(row)) {
          if (of_values[j] >= 0) entries_.emplace_back(of_values[j], share * sample.J[at(place)]);
          if (of_rates[j] >= 0) entries_.emplace_back(of_rates[j], -share * sample.M[at(place)]);
        }
      }
    }
    add_row(static_cast<Eigen::Index>(i), parts.size() > 1 || is_together_, parts.size() > 1 ? cancels_below : 0);
  }
  A_.finalize();
  find_scales();
}

/// The entries to A; if there may be several for a column, their sum, or zero where it is next to nothing beside them:
/// a row of what rounding has left of combined equations would be scaled up like any other.
void Stages::add_row(Eigen::Index i, bool may_repeat, double nothing) {
  if (may_repeat)
    std::stable_sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  A_.startVec(i);
  for (std::size_t k = 0; k < entries_.size();) {
    double sum = 0, size = 0;
    const int column = entries_[k].first;
    for (; k < entries_.size() && entries_[k].first == column; ++k) {
      sum += entries_[k].second;
      size += std::abs(entries_[k].second);
    }
    A_.insertBack(i, column) = std::abs(sum) <= nothing * size ? 0 : sum;
  }
}

/// J and M here, unless they are known.
void Stages::take_sample(Sample which) {
  const auto end = z_.begin() + 2 * n_;
  if (!sampled_at_.empty() &&
      std::equal(z_.begin(), which == Sample::of_values ? z_.begin() + n_ : end, sampled_at_.begin()))
    return;
  sampled_at_.clear();
  form_.sample_values(t_, z(0), z(1), sample_);
  sampled_at_.assign(z_.begin(), end);
}

std::vector<DaeValues> Stages::differentiate_sample() {
  return along_motion(
      form_.equations(),
      [this](double t, const double* y, const double* dy, DaeValues& out) { form_.sample_values(t, y, dy, out); }, t_,
      z(0), highest_order_ + 1);
}

// Guesses are measured by their nominal size, derivatives by what makes their columns about one.
void Stages::find_scales() {
  size_.resize(A_.cols());
  scale_.setOnes(A_.rows());
  for (Eigen::Index j = 0; j < A_.cols(); ++j) size_(j) = nominal(unknowns_[static_cast<std::size_t>(j)].state);
  for (int sweep = 0; sweep < 3; ++sweep) {
    column_.setZero(A_.cols());
    for (Eigen::Index i = 0; i < A_.rows(); ++i) {
      double largest = 0;
      for (Matrix::InnerIterator entry(A_, i); entry; ++entry)
        largest = std::max(largest, std::abs(entry.value()) * size_(entry.col()));
      if (largest > 0 && std::isfinite(largest)) scale_(i) = largest;
      for (Matrix::InnerIterator entry(A_, i); entry; ++entry)
        column_(entry.col()) = std::max(column_(entry.col()), std::abs(entry.value()) * size_(entry.col()) / scale_(i));
    }
    for (Eigen::Index j = 0; j < A_.cols(); ++j) {
      if (unknowns_[static_cast<std::size_t>(j)].order > 0 && column_(j) > 0 && std::isfinite(column_(j)))
        size_(j) /= column_(j);
    }
  }
  if (!is_array()) return;
  // Values that are given are terms of an equation too: off them, one that hardly reads rates must not tell any.
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].order > 0) continue;
    double& scale = scale_(static_cast<Eigen::Index>(i));
    for (const auto& [j, place] : form_.equations().by_row().row(rows_[i].row))
      scale = std::max(scale, std::abs(sample_.J[at(place)]) * nominal(j));
  }
}

/// Unknowns in their nominal sizes, each row in units of its largest entry.
Eigen::MatrixXd Stages::matrix() const {
  Eigen::MatrixXd all = A_;
  for (Eigen::Index j = 0; j < all.cols(); ++j)
    all.col(j) *= form_.equations().nominal(unknowns_[static_cast<std::size_t>(j)].state, 0);
  for (Eigen::Index i = 0; i < all.rows(); ++i)
    if (const double largest = all.row(i).cwiseAbs().maxCoeff(); largest > 0) all.row(i) /= largest;
  return all;
}

/// How large the terms of a row are: what its residual is measured against.
double Stages::term_size(std::size_t i) const {
  double total = 0;
  for (const auto& [row, more, factor] : structure_.rows[at(rows_[i].row)]) {
    const int order = rows_[i].order + more;
    for (const auto& [j, place] : form_.equations().by_row().row(row)) {
      total += std::abs(factor * sample_.J[at(place)]) * (order == 0 ? nominal(j) : std::abs(z(order)[j]));
      total += std::abs(factor * sample_.M[at(place)] * z(order + 1)[j]);
    }
  }
  return total;
}

/// The same with nominal sizes for values, moving at this rate.
double Stages::nominal_term_size(std::size_t i, double rate) const {
  double total = 0;
  for (const auto& [row, more, factor] : structure_.rows[at(rows_[i].row)]) {
    const double power = std::pow(rate, rows_[i].order + more);
    for (const auto& [j, place] : form_.equations().by_row().row(row)) {
      const double size = std::abs(factor) * nominal(j) * power;
      total += size * (std::abs(sample_.J[at(place)]) + std::abs(sample_.M[at(place)]) * rate);
    }
  }
  return total;
}

/// Of all unknowns, relative to their nominal sizes.
double Stages::fastest_rate() const {
  double rate = 0;
  for (int j = 0; j < n_; ++j) rate = std::max(rate, std::abs(z(1)[j]) / nominal(j));
  return rate;
}

}  // namespace pawl::formulate
