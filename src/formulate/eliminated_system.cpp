#include "formulate/eliminated_system.hpp"

#include <cmath>

#include <fmt/format.h>

#include "numerics/elimination.hpp"

namespace pawl::formulate {

namespace {

using Complex = std::complex<double>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class EliminatedSystem final : public ShiftedSystem {
 public:
  EliminatedSystem(const MatrixPair& matrices, EliminatedUnknowns unknowns, int real_slots, int complex_slots)
      : matrices_(matrices),
        unknowns_(std::move(unknowns)),
        place_(at(matrices.size), -1),
        reduced_(static_cast<int>(unknowns_.kept.size())),
        real_(at(real_slots), Factors<double>(*this)),
        complex_(at(complex_slots), Factors<Complex>(*this)),
        work_(matrices.size) {
    for (int i = 0; i < reduced_; ++i) place_[at(unknowns_.kept[at(i)])] = i;
  }

  bool factor(int slot, double c) override { return make_factors(real_[at(slot)], c); }
  bool factor(int slot, Complex c) override { return make_factors(complex_[at(slot)], c); }
  void solve(int slot, double* x) override { solve_with(real_[at(slot)], x); }
  void solve(int slot, double* re, double* im) override {
    for (int i = 0; i < matrices_.size; ++i) work_[i] = {re[i], im[i]};
    solve_with(complex_[at(slot)], work_.data());
    for (int i = 0; i < matrices_.size; ++i) {
      re[i] = work_[i].real();
      im[i] = work_[i].imag();
    }
  }
  int culprit() const override { return culprit_; }
  void carry(Memory& memory) override { memory(real_, complex_, culprit_); }
  std::string describe() const override {
    return fmt::format("dense {0} x {0}, {1} positions eliminated", reduced_, matrices_.size - reduced_);
  }

 private:
  template <class T>
  struct Factors {
    using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

    explicit Factors(const EliminatedSystem& of)
        : A(of.reduced_, of.reduced_),
          lu(of.reduced_),
          right(of.reduced_),
          left(of.reduced_),
          row_scale(Eigen::VectorXd::Ones(of.reduced_)),
          blocks(of.unknowns_.attitudes.size()) {}

    Matrix A;
    linear::PivotedLu<T> lu;
    Vector right, left;
    Eigen::VectorXd row_scale;
    T c = 0;
    double multiplier_scale = 1;
    std::vector<Eigen::Matrix<T, 4, 4>> blocks;  // (c - dq'/dq)^-1 of every attitude
  };

  double J(int row, int column) const { return matrices_.J[at(column) * at(matrices_.size) + at(row)]; }
  double M(int row, int column) const { return matrices_.M[at(column) * at(matrices_.size) + at(row)]; }

  // Multipliers are found as dλ / s, with s such that their columns are as large as those of the speeds.
  double size_of_multipliers(double c) const {
    double masses = 0, levers = 0;
    for (int j = 0; j < reduced_; ++j) {
      const int column = unknowns_.kept[at(j)];
      const bool is_multiplier = column >= unknowns_.first_multiplier;
      double& largest = is_multiplier ? levers : masses;
      for (const int row : unknowns_.kept) {
        if (row < unknowns_.first_multiplier)
          largest = std::max(largest, std::abs(is_multiplier ? J(row, column) : M(row, column)));
      }
    }
    const double s = c * masses / levers;
    return s > 0 && std::isfinite(s) ? s : 1;
  }

  template <class T>
  bool make_factors(Factors<T>& out, T c) {
    culprit_ = -1;
    out.c = c;
    out.multiplier_scale = size_of_multipliers(std::abs(c));
    auto& A = out.A;
    for (int j = 0; j < reduced_; ++j) {
      const int column = unknowns_.kept[at(j)];
      const double scale = column >= unknowns_.first_multiplier ? out.multiplier_scale : 1;
      for (int i = 0; i < reduced_; ++i) {
        const int row = unknowns_.kept[at(i)];
        A(i, j) = (c * M(row, column) - J(row, column)) * scale;
      }
    }
    for (const auto& [position, speed] : unknowns_.coordinates) {
      const int j = place_[at(speed)];
      for (int i = 0; i < reduced_; ++i) A(i, j) -= J(unknowns_.kept[at(i)], position) / c;
    }
    for (std::size_t a = 0; a < unknowns_.attitudes.size(); ++a) {
      const auto& [position, speed] = unknowns_.attitudes[a];
      Eigen::Matrix<T, 4, 4> own;
      Eigen::Matrix<T, 4, 3> by_speed;
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) own(i, k) = (i == k ? c : T(0)) - J(position[at(i)], position[at(k)]);
        for (int k = 0; k < 3; ++k) by_speed(i, k) = J(position[at(i)], speed[at(k)]);
      }
      out.blocks[a] = linear::inverse(own);
      const Eigen::Matrix<T, 4, 3> move = out.blocks[a] * by_speed;
      for (int k = 0; k < 3; ++k) {
        const int j = place_[at(speed[at(k)])];
        for (int i = 0; i < reduced_; ++i) {
          for (int part = 0; part < 4; ++part) A(i, j) -= J(unknowns_.kept[at(i)], position[at(part)]) * move(part, k);
        }
      }
    }
    for (int i = 0; i < reduced_; ++i) {
      const double size = A.row(i).cwiseAbs().maxCoeff();
      if (!std::isfinite(size) || size == 0) {
        culprit_ = unknowns_.kept[at(i)];
        return false;
      }
      out.row_scale[i] = 1 / size;
      A.row(i) *= out.row_scale[i];
    }
    out.lu.compute(A);
    for (int k = 0; k < reduced_; ++k) {
      const double pivot = std::abs(out.lu.factors()(k, k));
      if (pivot > 0 && std::isfinite(pivot)) continue;
      culprit_ = unknowns_.kept[at(k)];
      return false;
    }
    return true;
  }

  template <class T>
  void solve_with(Factors<T>& factors, T* x) {
    auto& right = factors.right;
    for (int i = 0; i < reduced_; ++i) right[i] = x[unknowns_.kept[at(i)]];
    // b / c in place of every position, and what it does to the other equations.
    const auto put_in = [&](int position) {
      for (int i = 0; i < reduced_; ++i) right[i] += J(unknowns_.kept[at(i)], position) * x[position];
    };
    for (const auto& [position, speed] : unknowns_.coordinates) {
      x[position] /= factors.c;
      put_in(position);
    }
    for (std::size_t a = 0; a < unknowns_.attitudes.size(); ++a) {
      const auto& position = unknowns_.attitudes[a].position;
      Eigen::Matrix<T, 4, 1> b;
      for (int i = 0; i < 4; ++i) b[i] = x[position[at(i)]];
      const Eigen::Matrix<T, 4, 1> moved = factors.blocks[a] * b;
      for (int i = 0; i < 4; ++i) x[position[at(i)]] = moved[i];
      for (const int i : position) put_in(i);
    }
    right.array() *= factors.row_scale.array().template cast<T>();
    factors.lu.solve(right, factors.left);
    for (int i = 0; i < reduced_; ++i) {
      const int unknown = unknowns_.kept[at(i)];
      x[unknown] = factors.left[i] * (unknown >= unknowns_.first_multiplier ? factors.multiplier_scale : 1);
    }
    for (const auto& [position, speed] : unknowns_.coordinates) x[position] += x[speed] / factors.c;
    for (std::size_t a = 0; a < unknowns_.attitudes.size(); ++a) {
      const auto& [position, speed] = unknowns_.attitudes[a];
      Eigen::Matrix<T, 4, 1> b = Eigen::Matrix<T, 4, 1>::Zero();
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) b[i] += J(position[at(i)], speed[at(k)]) * x[speed[at(k)]];
      }
      const Eigen::Matrix<T, 4, 1> moved = factors.blocks[a] * b;
      for (int i = 0; i < 4; ++i) x[position[at(i)]] += moved[i];
    }
  }

  const MatrixPair& matrices_;
  const EliminatedUnknowns unknowns_;
  std::vector<int> place_;  // per unknown: among those kept, -1 if it is eliminated
  const int reduced_;
  int culprit_ = -1;
  std::vector<Factors<double>> real_;
  std::vector<Factors<Complex>> complex_;
  Eigen::VectorXcd work_;
};

}  // namespace

std::unique_ptr<ShiftedSystem> make_eliminated_system(const MatrixPair& matrices, EliminatedUnknowns unknowns,
                                                      int real_slots, int complex_slots) {
  return std::make_unique<EliminatedSystem>(matrices, std::move(unknowns), real_slots, complex_slots);
}

}  // namespace pawl::formulate
