// Compere (2001), (3.27)-(3.30): positions, speeds, positions, speeds, each by F = J^T (J J^T)^-1 of the sweep's entry
//
//   q := q - F Φ,   v := v - F S(q, v),   Φ = [Φ_n; Φ_h],  S = [Φ_n; J_q v + σ Φ_h].
//
// As printed, the nonholonomic residuals Φ_n move the positions too; without them (`sweeps(holonomic)`) the units fit.
#include <cmath>
#include <utility>

#include "numerics/elimination.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

class Sweeps final : public Stabilizer {
 public:
  Sweeps(Stabilization how, formulate::MechanicsForm& form, const StepControl& control, int size)
      : Stabilizer(form, control, size), how_(std::move(how)), mechanics_(form) {}

 protected:
  bool move(double t, double* x) override {
    auto& terms = mechanics_.terms();
    const Eigen::Index rows = terms.rows();
    if (rows == 0) return true;
    Eigen::VectorXd phi(rows), s(rows), share;
    linear::PivotedLu<double> factors(rows);
    for (int sweep = 0; sweep < how_.sweeps; ++sweep) {
      ++pulls_.iterations;
      const Eigen::MatrixXd J = mechanics_.dense_jacobian(t, x);
      factors.compute(J * J.transpose());
      terms.rate_of_positions(x);
      terms.evaluate_motion(t, x);
      for (Eigen::Index r = 0; r < rows; ++r)
        phi(r) = r < terms.holonomic() || how_.mixes_levels ? terms.value[static_cast<std::size_t>(r)] : 0;
      mask(phi);
      if (mechanics_.has_reaching()) mask_far(phi, J, x);
      factors.solve(phi, share);
      const Eigen::VectorXd d = -J.transpose() * share;
      terms.move_positions(d.data(), x);
      mechanics_.surface(t, x, s.data());
      mask(s);
      factors.solve(s, share);
      const Eigen::VectorXd dv = -J.transpose() * share;
      for (std::size_t i = 0; i < terms.info().speeds.size(); ++i)
        x[terms.info().speeds[i]] += dv(static_cast<Eigen::Index>(i));
    }
    return true;
  }

 private:
  /// Surfaces that are still being reached are left alone.
  void mask(Eigen::VectorXd& r) const {
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      if (mechanics_.is_reaching(static_cast<int>(i))) r(i) = 0;
    }
  }

  /// After its surface s = g' + σ g is reached, g itself still decays like exp(-σ t). Positions are pulled once that
  /// moves them by less than the tolerance.
  void mask_far(Eigen::VectorXd& phi, const Eigen::MatrixXd& J, const double* x) const {
    const MechanicsInfo& info = mechanics_.terms().info();
    for (Eigen::Index r = 0; r < mechanics_.terms().holonomic(); ++r) {
      double allowed = 0, allowed_speed = 0;
      for (std::size_t i = 0; i < info.positions.size(); ++i) {
        const auto state = static_cast<std::size_t>(info.positions[i]);
        if (info.speed_of[i] >= 0) {
          const double entry = std::abs(J(r, info.speed_of[i]));
          const auto speed = static_cast<std::size_t>(info.speeds[static_cast<std::size_t>(info.speed_of[i])]);
          allowed += entry * (control_.absolute[state] + control_.relative * std::abs(x[state]));
          allowed_speed += entry * (control_.absolute[speed] + control_.relative * std::abs(x[speed]));
        }
      }
      // Speeds follow by σ g: both moves must be small.
      if (std::abs(phi(r)) > allowed || mechanics_.formulation().first * std::abs(phi(r)) > allowed_speed) phi(r) = 0;
    }
  }

  Stabilization how_;
  formulate::MechanicsForm& mechanics_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_sweeps(const Stabilization& how, Form& form, const StepControl& control, int size) {
  auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form);
  if (mechanics == nullptr) throw Misuse("stabilization '" + how.name + "' is for constrained mechanics");
  return std::make_unique<Sweeps>(how, *mechanics, control, size);
}

}  // namespace pawl::stabilize
