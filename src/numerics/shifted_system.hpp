// The matrices of an implicit step, c M - J with real and complex c, factored once and solved many times.
//
// M and J belong to the linearized equation M y' = J y + ...; they share one pattern. Every slot holds one
// factorization: a method with one real and two complex eigenvalues has real slot 0 and complex slots 0 and 1.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/memory.hpp"

namespace pawl {

struct MatrixPair {
  int size = 0;
  bool is_sparse = false;
  std::vector<int> first,
      row;                ///< sparse: rows of column j are row[first[j]] ... ascending; the diagonal is among them
  std::vector<double> J;  ///< dense: column after column; sparse: one per entry of the pattern
  std::vector<double> M;  ///< the same; empty: the identity
};

class ShiftedSystem {
 public:
  virtual ~ShiftedSystem() = default;

  /// Factors of c M - J, from the values J and M have now. False: singular or not finite. Does not allocate, after the
  /// first call.
  virtual bool factor(int slot, double c) = 0;
  virtual bool factor(int slot, std::complex<double> c) = 0;
  /// Solves in place.
  virtual void solve(int slot, double* x) = 0;
  virtual void solve(int slot, double* re, double* im) = 0;
  /// After a failure: the column (unknown) without a pivot; -1 where it is not known.
  virtual int culprit() const = 0;
  /// For statistics: "dense 8 x 8", "band 10000, 2 + 2", "sparse (KLU) 10000, 49996 entries, 69990 in factors".
  virtual std::string describe() const = 0;
  /// The factors, for a run that is saved or continued.
  virtual void carry(Memory& memory) { memory.refuse(); }
};

enum class LinearSolver { automatic, dense, band, sparse };
std::string_view to_string(LinearSolver solver);

/// What `automatic` stands for, by the pattern.
LinearSolver best_solver(const MatrixPair& matrices);

/// The matrices must outlive it; their pattern is analyzed here, once.
std::unique_ptr<ShiftedSystem> make_shifted_system(const MatrixPair& matrices, int real_slots, int complex_slots,
                                                   LinearSolver kind = LinearSolver::automatic);

}  // namespace pawl
