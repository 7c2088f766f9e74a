// Post-stabilization (Ascher, Chin, Petzold and Reich 1995, section 5): one or two steps z := z - F h(z) with
// F = D (G D)^-1, D = M^-1 G^T (5.5) or G^T (5.6), for positions and speeds at the same time; S-full uses the whole
// derivative H of h = (g, G v + g_t).
#include <utility>

#include "numerics/elimination.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// S-full: F = H^T (H H^T)^-1, H the derivative of all levels by all states.
class WholeDerivative final : public Stabilizer {
 public:
  WholeDerivative(Form& form, const StepControl& control, int size) : Stabilizer(form, control, size), size_(size) {}

 protected:
  bool move(double t, double* x) override {
    Eigen::Index rows = 0;
    for (int level = 0; level < manifold_.levels(); ++level) rows += manifold_.rows(level);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> H(rows, size_);
    Vector h(rows);
    Eigen::Index first = 0;
    for (int level = 0; level < manifold_.levels(); ++level) {
      if (manifold_.rows(level) == 0) continue;
      manifold_.jacobian(level, t, x, H.row(first).data());
      manifold_.residual(level, t, x, h.data() + first);
      first += manifold_.rows(level);
    }
    ++pulls_.iterations;
    linear::SymmetricFactors gram(rows);
    gram.compute(H * H.transpose());
    gram.solve_in_place(h);
    Eigen::Map<Vector>(x, size_) -= H.transpose() * h;
    return true;
  }

 private:
  int size_;
};

class BlockForm final : public Stabilizer {
 public:
  BlockForm(Stabilization how, formulate::MechanicsForm& form, const StepControl& control, int size)
      : Stabilizer(form, control, size), how_(std::move(how)), mechanics_(form) {}

 protected:
  bool move(double t, double* x) override {
    if (mechanics_.terms().rows() == 0) return true;
    Matrix G = how_.uses_last_stage ? mechanics_.last_jacobian() : mechanics_.dense_jacobian(t, x);
    Matrix D = directions(G, t, x);
    linear::PivotedLu<double> factors;
    factors.compute(G * D);
    sweep(t, x, D, factors);
    for (int again = 1; again < how_.sweeps; ++again) {
      if (!how_.keeps_transpose && !how_.uses_last_stage) {
        G = mechanics_.dense_jacobian(t, x);
        D = directions(G, t, x);
      }
      sweep(t, x, D, factors);
    }
    return true;
  }

 private:
  Matrix directions(const Matrix& G, double t, const double* x) {
    if (how_.is_euclidean) return G.transpose();
    const Matrix M = how_.uses_last_stage ? mechanics_.last_mass() : mechanics_.dense_mass(t, x);
    return linear::Cholesky(M).solve_columns(G.transpose());
  }
  void sweep(double t, double* x, const Matrix& D, const linear::PivotedLu<double>& factors) {
    const auto& terms = mechanics_.terms();
    Vector g = Vector::Zero(terms.rows()), speed(terms.rows()), share;
    manifold_.residual(0, t, x, g.data());
    manifold_.residual(1, t, x, speed.data());
    ++pulls_.iterations;
    if (how_.positions) {
      factors.solve(g, share);
      const Vector d = -D * share;
      terms.move_positions(d.data(), x);
    }
    if (how_.velocities) {
      factors.solve(speed, share);
      const Vector d = -D * share;
      for (std::size_t i = 0; i < terms.info().speeds.size(); ++i)
        x[terms.info().speeds[i]] += d(static_cast<Eigen::Index>(i));
    }
  }

  Stabilization how_;
  formulate::MechanicsForm& mechanics_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_post_stabilization(const Stabilization& how, Form& form, const StepControl& control,
                                                    int size) {
  if (how.strategy == Strategy::s_full) return std::make_unique<WholeDerivative>(form, control, size);
  auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form);
  if (mechanics == nullptr) throw Misuse("stabilization '" + how.name + "' is for constrained mechanics");
  return std::make_unique<BlockForm>(how, *mechanics, control, size);
}

}  // namespace pawl::stabilize
