// An ordinary differential equation with invariants: its rates as they are, and one level that holds h at zero, or at
// its value at the start. A correction moves x as little as possible.
#include <cmath>
#include <limits>

#include "formulate/invariant_rows.hpp"
#include "formulate/make_form.hpp"
#include "numerics/elimination.hpp"

namespace pawl::formulate {

namespace {

class InvariantForm final : public Form, public Manifold {
 public:
  explicit InvariantForm(std::shared_ptr<const System::Declarations> model)
      : model_(std::move(model)),
        rows_(*model_),
        gram_(rows_.rows(), rows_.rows()),
        share_(rows_.rows()),
        lengths_(rows_.rows()),
        factors_(rows_.rows()) {}

  void lock(const Held& held) override {
    own_held_ = held;
    rows_.lock(own_held_);
  }
  void carry(Memory& memory) override {
    memory(extra_evaluations, own_held_, gram_, lengths_, factors_, why_, is_regular_);
    rows_.carry(memory);
    rows_.lock(own_held_);
    source = nullptr;
  }
  void rate(double t, const double* x, double* rates) override {
    const detail::Surroundings<double> around{held_, {}, relays};
    model_->rates(Point<double>(t, x, held_->parameters.data(), &around), rates);
  }
  double multiplier(double, const double*, int) override { return std::numeric_limits<double>::quiet_NaN(); }
  Manifold& manifold() override { return *this; }
  void take_levels(double t, const double* x) override { rows_.take_levels(t, x); }
  std::string why() const override { return why_; }
  std::string describe_unkept(double t, const double* x) override {
    std::vector<double> rates(model_->state_names.size());
    rate(t, x, rates.data());
    ++extra_evaluations;
    return rows_.describe_unkept(t, x, rates.data());
  }

  int levels() const override { return 1; }
  Kind kind(int) const override { return Kind::invariant; }
  int rows(int) const override { return rows_.rows(); }
  std::string row_name(int, int row) const override { return rows_.row_name(row); }
  // Rates do not depend on the derivative of h, so no factors are at hand: they are made where the residual is.
  void residual(int, double t, const double* x, double* r) override {
    rows_.residual(t, x, r);
    factor(t, x);
  }
  void rounding(int, double, const double* x, double* size) override { rows_.rounding(x, size); }
  void correct(int, const double* r, double* x) override {
    if (!is_regular_) {  // no direction takes the residual away
      x[0] = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    for (Eigen::Index k = 0; k < share_.size(); ++k) share_(k) = r[k] / lengths_(k);
    factors_.solve_in_place(share_);
    for (Eigen::Index k = 0; k < share_.size(); ++k) share_(k) /= lengths_(k);
    const auto& H = rows_.jacobian();
    for (Eigen::Index k = 0; k < H.rows(); ++k) {
      for (Eigen::Index i = 0; i < H.cols(); ++i) x[i] -= H(k, i) * share_(k);
    }
  }
  bool refactor(double t, const double* x) override { return factor(t, x); }
  void jacobian(int, double t, const double* x, double* J) override {
    rows_.evaluate_jacobian(t, x);
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        J, rows_.rows(), rows_.jacobian().cols()) = rows_.jacobian();
  }

 private:
  bool factor(double t, const double* x) {
    rows_.evaluate_jacobian(t, x);
    gram_.noalias() = rows_.jacobian() * rows_.jacobian().transpose();
    for (Eigen::Index i = 0; i < gram_.rows(); ++i) lengths_(i) = std::sqrt(gram_(i, i));
    for (Eigen::Index i = 0; i < gram_.rows(); ++i) {
      for (Eigen::Index j = 0; j < gram_.rows(); ++j) gram_(i, j) /= lengths_(i) * lengths_(j);
    }
    factors_.compute(gram_);
    is_regular_ = gram_.allFinite() && factors_.is_successful() && factors_.reciprocal_condition() > 1e-13;
    if (is_regular_) return true;
    why_ = rows_.rows() == 1
               ? "the derivative of '" + rows_.row_name(0) + "' vanishes: no change of the state corrects it"
               : "the derivatives of the invariants depend on each other here: '" + rows_.row_name(0) +
                     "' and its companions cannot be corrected one by one";
    return false;
  }

  std::shared_ptr<const System::Declarations> model_;
  InvariantRows rows_;
  Held own_held_;
  const Held* held_ = &own_held_;
  Eigen::MatrixXd gram_;
  Eigen::VectorXd share_, lengths_;
  linear::SymmetricFactors factors_;
  std::string why_;
  bool is_regular_ = true;
};

}  // namespace

std::unique_ptr<Form> make_invariant_form(std::shared_ptr<const System::Declarations> model) {
  return std::make_unique<InvariantForm>(std::move(model));
}

}  // namespace pawl::formulate
