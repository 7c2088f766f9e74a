#include "formulate/dae_reach.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <Eigen/LU>

#include "formulate/dae_rank.hpp"

namespace pawl::formulate {

namespace {

/// A sum, and the size of what was added up.
class Sum {
 public:
  void add(double value, double size) {
    value_ += value;
    size_ += size;
  }
  bool is_left(double threshold) const { return std::abs(value_) > threshold * size_; }

 private:
  double value_ = 0, size_ = 0;
};

/// A matrix and, entry by entry, the size of what was added up for it.
struct Summed {
  Eigen::MatrixXd value, size;
};

std::vector<int> indices_at(const CombinedRows& rows, int sample, const std::vector<int>& c, const std::vector<int>& d,
                            double threshold) {
  const int n = rows.size();
  const MatrixEntries leading = rows.leading(sample, c, d);
  if (rank_of(n, leading, threshold).rank < n) return {};
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
  for (const auto& one : leading) S(one.row(), one.col()) = one.value();
  const Scales scales = scale_by_assignment(S);
  if (scales.rows.size() == 0) return {};
  int most = 0;
  for (int i = 0; i < n; ++i)
    for (const RowPart& part : rows.parts()[at(i)]) most = std::max(most, part.order + c[at(i)]);
  std::vector<Eigen::MatrixXd> B(at(most + 1), Eigen::MatrixXd::Zero(n, n));
  for (int i = 0; i < n; ++i) {
    for (const CombinedRows::Entry& one : rows.entries(sample, i))
      if (const int r = d[at(one.column)] - one.order - c[at(i)]; r > 0 && r <= most)
        B[at(r)](i, one.column) = scales.rows(i) * one.value * scales.columns(one.column);
  }
  std::vector<Summed> X(1);
  X[0].value = S.partialPivLu().inverse();
  X[0].size = X[0].value.cwiseAbs() * S.cwiseAbs() * X[0].value.cwiseAbs();
  for (int m = 1; m <= most; ++m) {
    Summed sum{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n)};
    for (int r = 1; r <= m; ++r) {
      sum.value -= B[at(r)] * X[at(m - r)].value;
      sum.size += B[at(r)].cwiseAbs() * X[at(m - r)].size;
    }
    X.push_back({X[0].value * sum.value, X[0].size * sum.size});
  }
  const double cancels = std::max(1e-9, threshold);
  std::vector<int> indices(at(n));
  for (int j = 0; j < n; ++j) {
    std::map<std::pair<int, int>, Sum> parts;  // by degree and equation
    for (int m = 0; m <= most; ++m) {
      for (int i = 0; i < n; ++i) {
        for (const RowPart& part : rows.parts()[at(i)]) {
          parts[{part.order + c[at(i)] - m, part.row}].add(
              X[at(m)].value(j, i) * scales.rows(i) * part.factor,
              X[at(m)].size(j, i) * scales.rows(i) * std::abs(part.factor));
        }
      }
    }
    int degree = 0;
    for (const auto& [key, sum] : parts)
      if (sum.is_left(cancels)) degree = std::max(degree, key.first);
    indices[at(j)] = 1 + degree - d[at(j)];
  }
  return indices;
}

}  // namespace

PatternIndices indices_by_pattern(const Signature& sigma, const std::vector<int>& assigned,
                                  const std::vector<int>& times, const std::vector<int>& c, const std::vector<int>& d) {
  const int n = sigma.size();
  std::vector<std::vector<int>> readers(at(n));  // per row: those that contain the leading term of its unknown
  std::vector<int> row_of(at(n));
  for (int i = 0; i < n; ++i) row_of[at(assigned[at(i)])] = i;
  for (int i = 0; i < n; ++i)
    for (const auto& [j, order] : sigma.row(i))
      if (d[at(j)] - c[at(i)] == order) readers[at(row_of[at(j)])].push_back(i);
  PatternIndices found;
  std::vector<int> most = times, before, queue;  // most: per row, derivatives that its unknown hangs on
  do {
    before = most;
    for (int i = 0; i < n; ++i) {
      for (const auto& [l, order] : sigma.row(i)) {
        if (const int lower = d[at(l)] - order - c[at(i)]; lower > 0 && most[at(row_of[at(l)])] - lower > most[at(i)]) {
          most[at(i)] = most[at(row_of[at(l)])] - lower;  // below the largest, so this ends
          found.hang_on_lower_orders = true;
        }
      }
    }
    for (int level = *std::max_element(most.begin(), most.end()); level > 0; --level) {
      queue.clear();
      for (int i = 0; i < n; ++i)
        if (most[at(i)] == level) queue.push_back(i);
      for (std::size_t k = 0; k < queue.size(); ++k) {
        for (const int i : readers[at(queue[k])]) {
          if (most[at(i)] >= level) continue;
          most[at(i)] = level;
          queue.push_back(i);
        }
      }
    }
  } while (most != before);
  for (int j = 0; j < n; ++j) found.indices.push_back(1 + most[at(row_of[at(j)])] - d[at(j)]);
  return found;
}

std::vector<int> indices_in_numbers(const CombinedRows& rows, const std::vector<int>& c, const std::vector<int>& d,
                                    double threshold) {
  std::vector<int> indices;
  for (int s = 0; s < rows.samples(); ++s) {
    const std::vector<int> here = indices_at(rows, s, c, d, threshold);
    indices.resize(std::max(indices.size(), here.size()));
    for (std::size_t j = 0; j < here.size(); ++j) indices[j] = std::max(indices[j], here[j]);
  }
  return indices;
}

}  // namespace pawl::formulate
