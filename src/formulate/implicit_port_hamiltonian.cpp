#include "formulate/implicit_port_hamiltonian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "numerics/elimination.hpp"

namespace pawl::formulate {

namespace {

constexpr int width = 8;                  // directions of one Gradient
constexpr double smallest_pivot = 1e-12;  // of C, over its largest entry: below, its columns depend on each other
constexpr double weakest_pivot = 1e-3;    // of C_p, over the largest entry of C: below, other equations are given up
constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::size_t at_(int i) {
  return static_cast<std::size_t>(i);
}

/// Notes which states a function asks for.
class ReadStates final : public detail::LazyStates<Jet<double>> {
 public:
  ReadStates(int states, bool all) : is_read_(at_(states), all), value_(1.0) {}
  const Jet<double>& state(int index) const override {
    is_read_[at_(index)] = true;
    return value_;
  }
  bool operator[](int index) const { return is_read_[at_(index)]; }

 private:
  mutable std::vector<bool> is_read_;
  Jet<double> value_;
};

class ImplicitPortHamiltonian final : public ImplicitForm {
 public:
  ImplicitPortHamiltonian(std::shared_ptr<const System::Declarations> model, PortHamiltonianForm& form, Level level);

  void restart(double t, const double* x) override;
  std::string complete(double t, double* y, double* dy) override;
  void residual(double t, const double* y, const double* dy, double* r) override;
  void linearize(double t, const double* y, const double* dy) override;
  void time_slope(double t, const double* y, const double* dy, double* slope) override;
  std::string name(int unknown) const override;

  void carry(Memory& memory) override {
    carry_common(memory);
    memory(has_numbers_only_, is_started_, held_, reads_, e_, f_, lambda_, right_, flow_, e_moved_, base_, H_, C_, F_,
           P_, exchange_, loss_, gradient_x_, gradient_out_, entries_, relays_, curvature_x_, x_moved_, y_moved_,
           residual_, start_, given_up_, Cp_, weights_, right_sides_, Cp_factors_);
  }

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  void observe_reads();
  bool columns_are_constant(const double* x);
  void take_equations(const double* x);
  bool choose_equations();  // p, from C; false: there are none

  void find_efforts(double t, const double* x);
  void find_curvature(double t, const double* x);  // e and H, the last column by the time
  void find_columns(double t, const double* x);
  void find_flow(double t, const double* x);                 // f, with the efforts at hand
  void seed(double t, const double* x, int first);           // variables first ... first + 7; the last is the time
  void differentiate(double t, const double* x);             // F = d(f + C λ)/d(x, t), P = dΦ/d(x, t)
  void differentiate_by_numbers(double t, const double* x);  // of what takes numbers only
  void flow_by_numbers(double t, const double* x, const Vector& e, Vector& out);
  void linearize_by_differences(double t, const double* y, const double* dy);
  double increment(int unknown, double value) const;
  void eliminate(const double* dy);  // λ from the equations p

  const std::shared_ptr<const System::Declarations> model_;
  PortHamiltonianForm& form_;
  const PortHamiltonianInfo& info_;
  const int rows_;
  const bool is_index_1_;
  const detail::EntryMap map_;
  bool has_numbers_only_ = false, is_started_ = false;
  Held held_;

  std::vector<std::vector<int>> reads_;  // per part of the energy: the states it reads, and n for the time
  Vector e_, f_, lambda_, right_, flow_, e_moved_, base_;
  Matrix H_, C_, F_, P_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> exchange_, loss_;
  std::vector<Gradient> gradient_x_, gradient_out_, entries_, relays_;
  std::vector<Curvature> curvature_x_;
  Gradient gradient_t_;
  std::vector<double> x_moved_, y_moved_, residual_, start_;

  std::vector<int> given_up_;          // the equations p, one per constraint
  Matrix Cp_, weights_, right_sides_;  // weights_: (C C_p^-1)^T
  linear::PivotedLu<double> Cp_factors_;
};

ImplicitPortHamiltonian::ImplicitPortHamiltonian(std::shared_ptr<const System::Declarations> model,
                                                 PortHamiltonianForm& form, Level level)
    : model_(std::move(model)),
      form_(form),
      info_(*model_->port_hamiltonian),
      rows_(static_cast<int>(info_.constraints.size())),
      is_index_1_(level == Level::index_1),
      map_(PortHamiltonianInfo::map(static_cast<int>(model_->state_names.size()))),
      reads_(info_.hamiltonians.size()),
      Cp_factors_(rows_) {
  if (level != Level::index_1 && level != Level::index_2) {
    throw Misuse(
        fmt::format("system '{}' is port-Hamiltonian, of index 2 as it stands: its implicit formulations are "
                    "'index-2' and 'index-1'",
                    model_->name));
  }
  states_ = static_cast<int>(model_->state_names.size());
  size_ = states_ + (is_index_1_ ? 0 : rows_);
  const int n = states_;
  for (Vector* vector : {&e_, &f_, &flow_, &e_moved_, &base_}) vector->setZero(n);
  lambda_.setZero(rows_);
  H_.setZero(n, n + 1);
  C_.setZero(n, rows_);
  F_.setZero(n, n + 1);
  P_.setZero(rows_, n + 1);
  exchange_.setZero(n, n);
  loss_.setZero(n, n);
  Cp_.setZero(rows_, rows_);
  weights_.setZero(rows_, n);
  right_sides_.setZero(rows_, n);
  right_.setZero(rows_);
  gradient_x_.resize(at_(n));
  gradient_out_.resize(at_(n));
  entries_.resize(at_(n) * at_(n));
  curvature_x_.resize(at_(n));
  x_moved_.resize(at_(n));
  y_moved_.resize(at_(size_));
  start_.resize(at_(size_));
  residual_.resize(at_(size_));
  relays_.resize(model_->relays.size());
  has_numbers_only_ = !info_.resistances.empty();
  for (const auto* list : {&info_.structures, &info_.dissipations}) {
    for (const auto& f : *list) has_numbers_only_ |= !f.supports<Gradient>();
  }
  for (const auto& f : info_.inputs) has_numbers_only_ |= !f.supports<Gradient>();
  matrices_.size = size_;
  matrices_.J.assign(at_(size_) * at_(size_), 0);
  if (rows_ > 0) matrices_.M.assign(at_(size_) * at_(size_), 0);
  roles_.assign(at_(size_), {true, 1});
  for (int k = states_; k < size_; ++k) roles_[at_(k)] = {false, 2};
  mass_kind_ = rows_ == 0 ? MassKind::identity : is_index_1_ ? MassKind::varying : MassKind::constant;
}

void ImplicitPortHamiltonian::restart(double t, const double* x) {
  held_ = form_.held();
  if (!is_started_) ++version_;
  is_started_ = true;
  has_exact_jacobian_ = !has_numbers_only_ && !wants_differences;
  jacobian_kind_ =
      has_exact_jacobian_ ? fmt::format("exact (dual numbers), {} colours", states_) : std::string("differences");
  observe_reads();
  find_columns(t, x);
  if (is_index_1_ && rows_ > 0) take_equations(x);
  std::copy(x, x + states_, start_.begin());
  const long long duals = dual_evaluations, numbers = difference_evaluations;
  linearize(t, start_.data(), nullptr);  // a mass matrix that is constant is known from now on
  dual_evaluations = duals;
  difference_evaluations = numbers;
}

void ImplicitPortHamiltonian::take_equations(const double* x) {
  if (!choose_equations()) {
    throw Misuse(
        fmt::format("system '{}': its constraints repeat each other, so that the multipliers cannot be eliminated; "
                    "formulation 'index-1' needs constraints that are independent",
                    model_->name));
  }
  mass_kind_ = columns_are_constant(x) ? MassKind::constant : MassKind::varying;
}

std::string ImplicitPortHamiltonian::complete(double t, double* y, double* dy) {
  form_.rate(t, y, dy);
  for (int i = 0; i < states_; ++i) {
    if (std::isfinite(dy[i])) continue;
    const std::string why = form_.why();
    return !why.empty() ? why
                        : fmt::format("at t = {:.10g} the rate of '{}' is not finite", t, model_->state_names[at_(i)]);
  }
  for (int k = 0; k < size_ - states_; ++k) {
    y[states_ + k] = form_.multiplier(t, y, k);
    dy[states_ + k] = 0;
  }
  return {};
}

void ImplicitPortHamiltonian::residual(double t, const double* y, const double* dy, double* r) {
  find_efforts(t, y);
  find_flow(t, y);
  find_columns(t, y);
  Eigen::Map<Vector> rates(r, states_);
  rates = f_;
  if (is_index_1_ && rows_ > 0)
    eliminate(dy);
  else if (rows_ > 0)
    lambda_ = Eigen::Map<const Vector>(y + states_, rows_);
  rates.noalias() += C_ * lambda_;
  if (dy != nullptr) rates -= Eigen::Map<const Vector>(dy, states_);
  for (int k = 0; k < rows_; ++k) r[is_index_1_ ? given_up_[at_(k)] : states_ + k] = C_.col(k).dot(e_);
}

void ImplicitPortHamiltonian::linearize(double t, const double* y, const double* dy) {
  find_curvature(t, y);
  find_columns(t, y);
  if (is_index_1_ && rows_ > 0) {
    find_flow(t, y);
    eliminate(dy);
    const double pivot = Cp_factors_.factors().diagonal().cwiseAbs().minCoeff();
    if (pivot < weakest_pivot * C_.cwiseAbs().maxCoeff() && choose_equations()) eliminate(dy);
    right_sides_ = C_.transpose();
    Cp_factors_.solve_transposed(right_sides_, weights_);
  } else if (!is_index_1_) {
    lambda_ = Eigen::Map<const Vector>(y + states_, rows_);
  }
  differentiate(t, y);
  Eigen::Map<Matrix> J(matrices_.J.data(), size_, size_);
  J.setZero();
  J.topLeftCorner(states_, states_) = F_.leftCols(states_);
  if (rows_ == 0) {
    if (wants_differences) linearize_by_differences(t, y, dy);
    return;
  }
  Eigen::Map<Matrix> M(matrices_.M.data(), size_, size_);
  M.setIdentity();
  if (!is_index_1_) {
    J.topRightCorner(states_, rows_) = C_;
    J.bottomLeftCorner(rows_, states_) = P_.leftCols(states_);
    M.bottomRightCorner(rows_, rows_).setZero();
    if (wants_differences) linearize_by_differences(t, y, dy);
    return;
  }
  // Rows i lose their share of the rows p, which the constraints replace.
  for (int k = 0; k < rows_; ++k) {
    const int p = given_up_[at_(k)];
    J.noalias() -= weights_.row(k).transpose() * F_.row(p).head(states_);
    M.col(p) -= weights_.row(k).transpose();
  }
  for (int k = 0; k < rows_; ++k) {
    J.row(given_up_[at_(k)]) = P_.row(k).head(states_);
    M.row(given_up_[at_(k)]).setZero();
  }
  if (wants_differences) linearize_by_differences(t, y, dy);
}

void ImplicitPortHamiltonian::linearize_by_differences(double t, const double* y, const double* dy) {
  std::copy(y, y + size_, y_moved_.begin());
  residual(t, y, dy, residual_.data());
  for (int j = 0; j < size_; ++j) {
    const double step = increment(j, y[j]);
    double* column = matrices_.J.data() + at_(j) * at_(size_);
    y_moved_[at_(j)] = y[j] + step;
    residual(t, y_moved_.data(), dy, column);
    y_moved_[at_(j)] = y[j];
    for (int i = 0; i < size_; ++i) column[i] = (column[i] - residual_[at_(i)]) / step;
    ++difference_evaluations;
  }
}

void ImplicitPortHamiltonian::time_slope(double t, const double* y, const double* dy, double* slope) {
  linearize(t, y, dy);
  Eigen::Map<Vector> out(slope, size_);
  out.head(states_) = F_.col(states_);
  if (!is_index_1_) {
    out.tail(rows_) = P_.col(states_);
    return;
  }
  for (int k = 0; k < rows_; ++k) out -= weights_.row(k).transpose() * F_(given_up_[at_(k)], states_);
  for (int k = 0; k < rows_; ++k) out[given_up_[at_(k)]] = P_(k, states_);
}

std::string ImplicitPortHamiltonian::name(int unknown) const {
  if (unknown < states_) return model_->state_names[at_(unknown)];
  return fmt::format("multiplier of '{}'", info_.constraints[at_(unknown - states_)].name);
}

// ---- the equations that are given up

// Gaussian elimination with full pivoting: each is the row of the largest entry that is left.
bool ImplicitPortHamiltonian::choose_equations() {
  Matrix left = C_;
  const double least = smallest_pivot * left.cwiseAbs().maxCoeff();
  std::vector<int> chosen;
  for (int k = 0; k < rows_; ++k) {
    Eigen::Index i = 0, j = 0;
    const double pivot = left.cwiseAbs().maxCoeff(&i, &j);
    if (!(pivot > least)) return false;
    chosen.push_back(static_cast<int>(i));
    const Vector column = left.col(j) / left(i, j);
    const Eigen::RowVectorXd row = left.row(i);
    left.noalias() -= column * row;
    left.row(i).setZero();
    left.col(j).setZero();
  }
  std::sort(chosen.begin(), chosen.end());
  given_up_ = std::move(chosen);
  return true;
}

bool ImplicitPortHamiltonian::columns_are_constant(const double* x) {
  const detail::Surroundings<Gradient> around{&held_};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < states_; ++i) {
    gradient_x_[at_(i)] = x[i];
    gradient_x_[at_(i)].slope[0] = nan;  // spreads to all that depends on a state
  }
  Gradient time(0.0);
  time.slope[0] = nan;
  Terms<Gradient> column(map_, gradient_out_.data());
  for (const auto& constraint : info_.constraints) {
    std::fill(gradient_out_.begin(), gradient_out_.end(), Gradient());
    constraint.column(Point<Gradient>(time, gradient_x_.data(), held_.parameters.data(), &around), column);
    for (const Gradient& entry : gradient_out_) {
      if (std::isnan(entry.slope[0])) return false;
    }
  }
  return true;
}

void ImplicitPortHamiltonian::eliminate(const double* dy) {
  for (int k = 0; k < rows_; ++k) {
    const int p = given_up_[at_(k)];
    Cp_.row(k) = C_.row(p);
    right_[k] = (dy != nullptr ? dy[p] : 0) - f_[p];
  }
  Cp_factors_.compute(Cp_);
  Cp_factors_.solve(right_, lambda_);
}

// ---- the model and its derivatives

// A generic function reads the same states at every point of a mode: its course cannot depend on a state.
void ImplicitPortHamiltonian::observe_reads() {
  const detail::Surroundings<Jet<double>> around{&held_};
  for (std::size_t part = 0; part < reads_.size(); ++part) {
    const Function& H = info_.hamiltonians[part];
    const bool is_generic = H.supports<Pattern>() && H.supports<Jet<double>>();
    const ReadStates states(states_, !is_generic);
    Jet<double> energy(0.0);
    if (is_generic) {
      const detail::StateAccess<Jet<double>> access{{&states}};
      H(Point<Jet<double>>(Jet<double>(0.0), access, held_.parameters.data(), &around), &energy);
    }
    reads_[part].clear();
    for (int i = 0; i < states_; ++i) {
      if (states[i]) reads_[part].push_back(i);
    }
    reads_[part].push_back(states_);
  }
}

void ImplicitPortHamiltonian::find_efforts(double t, const double* x) {
  const detail::Surroundings<Gradient> around{&held_};
  const Point<Gradient> point(Gradient(t), gradient_x_.data(), held_.parameters.data(), &around);
  e_.setZero();
  for (std::size_t part = 0; part < reads_.size(); ++part) {
    const std::vector<int>& reads = reads_[part];
    const int states = static_cast<int>(reads.size()) - 1;
    for (int first = 0; first < states; first += width) {
      for (int a = 0; a < states; ++a) {
        Gradient& z = gradient_x_[at_(reads[at_(a)])] = x[reads[at_(a)]];
        if (a >= first && a < first + width) z.slope[at_(a - first)] = 1;
      }
      Gradient energy;
      info_.hamiltonians[part](point, &energy);
      for (int a = first; a < std::min(first + width, states); ++a) e_[reads[at_(a)]] += energy.slope[at_(a - first)];
    }
  }
}

void ImplicitPortHamiltonian::find_curvature(double t, const double* x) {
  const detail::Surroundings<Curvature> around{&held_};
  e_.setZero();
  H_.setZero();
  for (std::size_t part = 0; part < reads_.size(); ++part) {
    const std::vector<int>& reads = reads_[part];
    const int count = static_cast<int>(reads.size()), states = count - 1;
    for (int rows = 0; rows < states; rows += width) {
      for (int columns = rows; columns < count; columns += width) {
        const auto variable = [=](double value, int a) {
          Curvature z(value);
          if (a >= columns && a < columns + width) z.value.slope[at_(a - columns)] = 1;
          if (a >= rows && a < rows + width) z.slope[at_(a - rows)] = Gradient(1.0);
          return z;
        };
        for (int a = 0; a < states; ++a) curvature_x_[at_(reads[at_(a)])] = variable(x[reads[at_(a)]], a);
        Curvature energy;
        info_.hamiltonians[part](
            Point<Curvature>(variable(t, states), curvature_x_.data(), held_.parameters.data(), &around), &energy);
        for (int a = rows; a < std::min(rows + width, states); ++a) {
          const Gradient& slope = energy.slope[at_(a - rows)];
          const int i = reads[at_(a)];
          if (rows == columns) e_[i] += slope.value;
          for (int b = columns; b < std::min(columns + width, count); ++b) {
            const int j = reads[at_(b)];
            H_(i, j) += slope.slope[at_(b - columns)];
            if (rows != columns && j < states_) H_(j, i) += slope.slope[at_(b - columns)];
          }
        }
      }
    }
  }
  ++dual_evaluations;
}

void ImplicitPortHamiltonian::find_columns(double t, const double* x) {
  const detail::Surroundings<double> around{&held_, {}, form_.relays};
  const Point<double> point(t, x, held_.parameters.data(), &around);
  for (int k = 0; k < rows_; ++k) {
    C_.col(k).setZero();
    Terms<double> column(map_, C_.col(k).data());
    info_.constraints[at_(k)].column(point, column);
  }
}

void ImplicitPortHamiltonian::find_flow(double t, const double* x) {
  const detail::Surroundings<double> around{&held_, {}, form_.relays};
  const Point<double> point(t, x, held_.parameters.data(), &around);
  Entries<double> exchange(map_, exchange_.data()), loss(map_, loss_.data());
  exchange_.setZero();
  loss_.setZero();
  for (const auto& J : info_.structures) J(point, exchange);
  for (const auto& R : info_.dissipations) R(point, loss);
  f_.setZero();
  Terms<double> input(map_, f_.data());
  for (const auto& u : info_.inputs) u(point, input);
  f_.noalias() += exchange_ * e_;
  f_.noalias() -= loss_ * e_;
  if (info_.resistances.empty()) return;
  flow_.setZero();
  Terms<double> flow(map_, flow_.data());
  for (const auto& r : info_.resistances) r(point, Efforts(e_.data(), point.around()->held), flow);
  f_ -= flow_;
}

void ImplicitPortHamiltonian::seed(double t, const double* x, int first) {
  for (int i = 0; i < states_; ++i) {
    gradient_x_[at_(i)] = x[i];
    if (i >= first && i < first + width) gradient_x_[at_(i)].slope[at_(i - first)] = 1;
  }
  gradient_t_ = t;
  if (states_ < first + width && states_ >= first) gradient_t_.slope[at_(states_ - first)] = 1;
}

// F = (J - R) H + (dJ - dR) e + du + dC λ,  P = C^T H + dC^T e, eight columns at a time.
void ImplicitPortHamiltonian::differentiate(double t, const double* x) {
  find_flow(t, x);  // J and R
  F_.noalias() = exchange_ * H_;
  F_.noalias() -= loss_ * H_;
  P_.noalias() = C_.transpose() * H_;
  for (std::size_t i = 0; i < relays_.size(); ++i) relays_[i] = form_.relays != nullptr ? form_.relays[i] : 0;
  const detail::Surroundings<Gradient> around{&held_, {}, form_.relays != nullptr ? relays_.data() : nullptr};
  for (int first = 0; first <= states_; first += width) {
    const int last = std::min(first + width, states_ + 1);
    seed(t, x, first);
    ++dual_evaluations;
    const Point<Gradient> point(gradient_t_, gradient_x_.data(), held_.parameters.data(), &around);
    for (const auto& [list, sign] : {std::pair{&info_.structures, 1.0}, std::pair{&info_.dissipations, -1.0}}) {
      if (list->empty()) continue;
      std::fill(entries_.begin(), entries_.end(), Gradient());
      Entries<Gradient> entries(map_, entries_.data());
      for (const auto& f : *list) {
        if (f.supports<Gradient>()) f(point, entries);
      }
      for (int i = 0; i < states_; ++i) {
        for (int j = 0; j < states_; ++j) {
          const Gradient& entry = entries_[at_(i) * at_(states_) + at_(j)];
          for (int a = first; a < last; ++a) F_(i, a) += sign * e_[j] * entry.slope[at_(a - first)];
        }
      }
    }
    std::fill(gradient_out_.begin(), gradient_out_.end(), Gradient());
    Terms<Gradient> out(map_, gradient_out_.data());
    for (const auto& u : info_.inputs) {
      if (u.supports<Gradient>()) u(point, out);
    }
    for (int i = 0; i < states_; ++i) {
      for (int a = first; a < last; ++a) F_(i, a) += gradient_out_[at_(i)].slope[at_(a - first)];
    }
    for (int k = 0; k < rows_; ++k) {
      std::fill(gradient_out_.begin(), gradient_out_.end(), Gradient());
      info_.constraints[at_(k)].column(point, out);
      for (int i = 0; i < states_; ++i) {
        for (int a = first; a < last; ++a) {
          const double slope = gradient_out_[at_(i)].slope[at_(a - first)];
          F_(i, a) += slope * lambda_[k];
          P_(k, a) += slope * e_[i];
        }
      }
    }
  }
  if (has_numbers_only_) differentiate_by_numbers(t, x);
}

// (J - R) e with the efforts held, inputs, and resistances at any efforts.
void ImplicitPortHamiltonian::flow_by_numbers(double t, const double* x, const Vector& e, Vector& out) {
  const detail::Surroundings<double> around{&held_, {}, form_.relays};
  const Point<double> point(t, x, held_.parameters.data(), &around);
  Entries<double> exchange(map_, exchange_.data()), loss(map_, loss_.data());
  exchange_.setZero();
  loss_.setZero();
  for (const auto& J : info_.structures) {
    if (!J.supports<Gradient>()) J(point, exchange);
  }
  for (const auto& R : info_.dissipations) {
    if (!R.supports<Gradient>()) R(point, loss);
  }
  flow_.setZero();
  Terms<double> flow(map_, flow_.data());
  for (const auto& r : info_.resistances) r(point, Efforts(e.data(), point.around()->held), flow);
  out.setZero();
  Terms<double> input(map_, out.data());
  for (const auto& u : info_.inputs) {
    if (!u.supports<Gradient>()) u(point, input);
  }
  out -= flow_;
  out.noalias() += exchange_ * e_;
  out.noalias() -= loss_ * e_;
  ++difference_evaluations;
}

double ImplicitPortHamiltonian::increment(int unknown, double value) const {
  const bool has_nominal = unknown < states_ && !model_->nominals.empty() && model_->nominals[at_(unknown)] > 0;
  const double size = std::max(std::abs(value), has_nominal ? model_->nominals[at_(unknown)] : 1.0);
  const double moved = value + std::sqrt(epsilon) * size;
  return moved - value;  // as it is represented
}

void ImplicitPortHamiltonian::differentiate_by_numbers(double t, const double* x) {
  std::copy(x, x + states_, x_moved_.begin());
  flow_by_numbers(t, x, e_, base_);
  for (int j = 0; j <= states_; ++j) {
    const double value = j < states_ ? x[j] : t;
    const double step = increment(j, value);
    if (j < states_) x_moved_[at_(j)] = value + step;
    e_moved_ = e_ + step * H_.col(j);
    flow_by_numbers(j < states_ ? t : t + step, x_moved_.data(), e_moved_, f_);
    if (j < states_) x_moved_[at_(j)] = value;
    F_.col(j) += (f_ - base_) / step;
  }
}

}  // namespace

std::unique_ptr<ImplicitForm> make_implicit_port_hamiltonian(std::shared_ptr<const System::Declarations> model,
                                                             PortHamiltonianForm& form, Level level) {
  return std::make_unique<ImplicitPortHamiltonian>(std::move(model), form, level);
}

}  // namespace pawl::formulate
