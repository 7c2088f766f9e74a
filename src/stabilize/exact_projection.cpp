// Projection by the book, to compare with: Newton with the derivative of the very iterate, in the mass metric or the
// Euclidean one. Dense, and not meant to be fast.
#include <cmath>
#include <utility>

#include "numerics/elimination.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

class ExactProjection final : public Stabilizer {
 public:
  ExactProjection(Stabilization how, formulate::MechanicsForm& form, const StepControl& control, int size)
      : Stabilizer(form, control, size), how_(std::move(how)), mechanics_(form) {}

 protected:
  bool move(double t, double* x) override {
    if (how_.positions && !level(0, t, x)) return false;
    return !how_.velocities || level(1, t, x);
  }

 private:
  bool level(int level, double t, double* x) {
    auto& terms = mechanics_.terms();
    Eigen::VectorXd r = Eigen::VectorXd::Zero(manifold_.rows(level)), floor(manifold_.rows(level));
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 20 && r.size() > 0; ++iteration) {
      ++pulls_.iterations;
      manifold_.residual(level, t, x, r.data());
      manifold_.rounding(level, t, x, floor.data());
      const double size = (r.cwiseAbs().array() / floor.array().max(1e-300)).maxCoeff();
      if (size <= 1 || size > last / 2) break;
      if (!std::isfinite(size)) {
        failure_ = "a constraint is not finite";
        return false;
      }
      last = size;
      const Eigen::MatrixXd G = mechanics_.dense_jacobian(t, x).topRows(manifold_.rows(level));
      const Eigen::MatrixXd D = how_.is_euclidean
                                    ? Eigen::MatrixXd(G.transpose())
                                    : linear::Cholesky(mechanics_.dense_mass(t, x)).solve_columns(G.transpose());
      linear::PivotedLu<double> factors;
      factors.compute(G * D);
      Eigen::VectorXd share;
      factors.solve(r, share);
      const Eigen::VectorXd d = -D * share;
      if (level == 0) {
        terms.move_positions(d.data(), x);
      } else {
        for (int i = 0; i < terms.size(); ++i) x[terms.info().speeds[static_cast<std::size_t>(i)]] += d(i);
      }
    }
    return true;
  }

  Stabilization how_;
  formulate::MechanicsForm& mechanics_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_exact_projection(const Stabilization& how, Form& form, const StepControl& control,
                                                  int size) {
  auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form);
  if (mechanics == nullptr || mechanics->levels() > 2)
    throw Misuse("projection(fresh) and projection(euclidean) are for constrained mechanics without invariants");
  return std::make_unique<ExactProjection>(how, *mechanics, control, size);
}

}  // namespace pawl::stabilize
