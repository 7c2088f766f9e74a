// Kkt: the linear system behind every acceleration and every pull of a constrained mechanism,
//
//   M a + G^T λ = f,   G a = -γ,
//
// factored once per evaluation and solved several times.
#pragma once

#include <memory>
#include <vector>

#include "pawl/memory.hpp"

namespace pawl::formulate {

/// Rows of compressed sparse storage: the columns of row i are column[first[i]] ... column[first[i + 1] - 1],
/// ascending.
struct SparseRows {
  std::vector<int> first{0}, column;

  int rows() const { return static_cast<int>(first.size()) - 1; }
  int entries() const { return static_cast<int>(column.size()); }
};

class Kkt {
 public:
  enum class Status { good, mass_is_singular, rows_depend };

  virtual ~Kkt() = default;
  /// Values of M and G in the places of their patterns. `is_same_mass`: M is that of the last call, which was good.
  /// Does not allocate.
  virtual Status factor(const double* mass, const double* jacobian, bool is_same_mass) = 0;
  /// After a failure: the row of M whose pivot is not positive, or the row of G that depends on others.
  virtual int culprit() const = 0;
  /// Smallest pivot of G M^-1 G^T over the row's own size: how near the rows of G are to depending on each other.
  virtual double smallest_pivot() const = 0;
  /// The pivot of every row of G: what of (G M^-1 G^T)_rr the rows eliminated before it do not explain.
  virtual const double* pivots() const = 0;
  virtual void solve(const double* f, const double* gamma, double* a, double* lambda) = 0;
  /// The change d with G d = -r that is smallest in the metric of M.
  virtual void pull(const double* r, double* d) = 0;
  /// The factors, for a run that is saved or continued.
  virtual void carry(Memory& memory) = 0;
};

/// mass: n x n numbers, row by row, of which the lower triangle is read. jacobian: the entries of the pattern.
std::unique_ptr<Kkt> make_dense_kkt(int size, const SparseRows& jacobian);
/// mass: the entries of the lower triangle in the places of its pattern (every diagonal entry is one).
std::unique_ptr<Kkt> make_sparse_kkt(const SparseRows& mass, const SparseRows& jacobian);

}  // namespace pawl::formulate
