#include "formulate/port_hamiltonian_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/declared_held.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

namespace {

constexpr int width = 8;  // directions of one Gradient
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest_pivot = 1e-12;  // squared distance of a row of length one from the span of those before it
constexpr double smallest_drive = 1e-13;  // pivot of P C over the lengths of the row of P and the column of C

std::size_t at_(int i) {
  return static_cast<std::size_t>(i);
}

// Notes which states a function asks for.
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

const PortHamiltonianInfo& checked_info(const System::Declarations& model) {
  if (!model.port_hamiltonian || model.port_hamiltonian->hamiltonians.empty())
    throw Misuse(
        fmt::format("system '{}': a port-Hamiltonian system needs an energy: declare hamiltonian(H)", model.name));
  if (model.rates) {
    throw Misuse(
        fmt::format("system '{}': the rates of a port-Hamiltonian system follow from its parts; declare what "
                    "rates() adds to them as input(f)",
                    model.name));
  }
  return *model.port_hamiltonian;
}

}  // namespace

PortHamiltonianForm::Instant::Instant(int states, int rows)
    : t(nan),
      x(states),
      e(states),
      f(states),
      lambda(rows),
      H(rows > 0 ? states : 0, states + 1),
      C(states, rows),
      P(rows, states + 1) {}

bool PortHamiltonianForm::Instant::is_at(double time, const double* states) const {
  return t == time && std::equal(x.data(), x.data() + x.size(), states);
}

PortHamiltonianForm::PortHamiltonianForm(std::shared_ptr<const System::Declarations> model)
    : model_(std::move(model)),
      info_(checked_info(*model_)),
      size_(static_cast<int>(model_->state_names.size())),
      rows_(static_cast<int>(info_.constraints.size())),
      map_(PortHamiltonianInfo::map(size_)),
      held_(&declared_),
      invariants_(*model_),
      here_(size_, rows_),
      elsewhere_(size_, rows_),
      exchange_(size_, size_),
      loss_(size_, size_),
      flow_(size_),
      right_side_(rows_),
      PC_(rows_, rows_),
      lu_(rows_),
      trial_e_(size_),
      trial_C_(size_, rows_),
      gradient_x_(at_(size_)),
      gradient_out_(at_(size_)),
      curvature_x_(at_(rows_ > 0 ? size_ : 0)) {
  const int all = rows_ + invariants_.rows();
  stack_.resize(all, size_);
  L_.resize(all, all);
  lengths_.resize(all);
  move_.resize(all);
  declared_ = declared_held(*model_);
  invariants_.lock(declared_);
  reads_.resize(info_.hamiltonians.size());
  observe_reads();
}

void PortHamiltonianForm::lock(const Held& held) {
  if (declared_ == held) return;  // locked to it already, as it was when this was made
  declared_ = held;
  invariants_.lock(declared_);
  observe_reads();
  here_.t = elsewhere_.t = nan;  // what was evaluated there may read what is held
}

void PortHamiltonianForm::rate(double t, const double* x, double* rates) {
  linearize(t, x, here_);
  find_multipliers(here_);
  factored_ = 0;
  has_invariant_rows_ = false;
  Eigen::Map<Vector> out(rates, size_);
  out = here_.f;
  for (int k = 0; k < rows_; ++k) out += here_.lambda[k] * here_.C.col(k);
}

double PortHamiltonianForm::multiplier(double t, const double* x, int row) {
  for (Instant* known : {&here_, &elsewhere_}) {
    if (known->has_multipliers && known->is_at(t, x)) return known->lambda[row];
  }
  ++extra_evaluations;
  linearize(t, x, elsewhere_);
  find_multipliers(elsewhere_);
  return elsewhere_.lambda[row];
}

// --- derivatives of the model

// A generic function reads the same states at every point of a mode: its course cannot depend on a state.
void PortHamiltonianForm::observe_reads() {
  const detail::Surroundings<Jet<double>> around{held_};
  for (std::size_t part = 0; part < reads_.size(); ++part) {
    const Function& H = info_.hamiltonians[part];
    const bool is_generic = H.supports<Pattern>() && H.supports<Jet<double>>();
    const ReadStates states(size_, !is_generic);
    Jet<double> energy(0.0);
    if (is_generic) {
      const detail::StateAccess<Jet<double>> access{{&states}};
      H(Point<Jet<double>>(Jet<double>(0.0), access, held_->parameters.data(), &around), &energy);
    }
    reads_[part].clear();
    for (int i = 0; i < size_; ++i) {
      if (states[i]) reads_[part].push_back(i);
    }
    reads_[part].push_back(size_);
  }
}

void PortHamiltonianForm::linearize(double t, const double* x, Instant& out) {
  out.t = t;
  out.x = Eigen::Map<const Vector>(x, size_);
  out.has_multipliers = false;
  out.is_linear_here = true;
  if (rows_ == 0) {
    find_efforts(t, x, out.e);
    return;
  }
  find_curvature(out);
  find_derivative(out);
}

void PortHamiltonianForm::seed(double t, const double* x, int first) {
  for (int i = 0; i < size_; ++i) {
    gradient_x_[at_(i)] = x[i];
    if (i >= first && i < first + width) gradient_x_[at_(i)].slope[at_(i - first)] = 1;
  }
  gradient_t_ = t;
  if (size_ < first + width && size_ >= first) gradient_t_.slope[at_(size_ - first)] = 1;
}

void PortHamiltonianForm::find_efforts(double t, const double* x, Vector& e) {
  const detail::Surroundings<Gradient> around{held_};
  const Point<Gradient> point(Gradient(t), gradient_x_.data(), held_->parameters.data(), &around);
  e.setZero();
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
      for (int a = first; a < std::min(first + width, states); ++a) e[reads[at_(a)]] += energy.slope[at_(a - first)];
    }
  }
}

// Second derivatives, 8 by 8 of them at a time. The blocks on the diagonal give the efforts as well.
void PortHamiltonianForm::find_curvature(Instant& out) {
  const detail::Surroundings<Curvature> around{held_};
  out.e.setZero();
  out.H.setZero();
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
        for (int a = 0; a < states; ++a) curvature_x_[at_(reads[at_(a)])] = variable(out.x[reads[at_(a)]], a);
        const Point<Curvature> point(variable(out.t, states), curvature_x_.data(), held_->parameters.data(), &around);
        Curvature energy;
        info_.hamiltonians[part](point, &energy);
        for (int a = rows; a < std::min(rows + width, states); ++a) {
          const Gradient& slope = energy.slope[at_(a - rows)];
          const int i = reads[at_(a)];
          if (rows == columns) out.e[i] += slope.value;
          for (int b = columns; b < std::min(columns + width, count); ++b) {
            const int j = reads[at_(b)];
            out.H(i, j) += slope.slope[at_(b - columns)];
            if (rows != columns && j < size_) out.H(j, i) += slope.slope[at_(b - columns)];
          }
        }
      }
    }
  }
}

// P = C^T H + (dC/dx)^T e, row by row.
void PortHamiltonianForm::find_derivative(Instant& out) {
  const detail::Surroundings<Gradient> around{held_};
  Terms<Gradient> column(map_, gradient_out_.data());
  out.P.setZero();
  for (int first = 0; first <= size_; first += width) {
    seed(out.t, out.x.data(), first);
    const Point<Gradient> point(gradient_t_, gradient_x_.data(), held_->parameters.data(), &around);
    const int last = std::min(first + width, size_ + 1);
    for (int k = 0; k < rows_; ++k) {
      std::fill_n(gradient_out_.begin(), size_, Gradient());
      info_.constraints[at_(k)].column(point, column);
      for (int i = 0; i < size_; ++i) {
        const Gradient& entry = gradient_out_[at_(i)];
        if (first == 0) out.C(i, k) = entry.value;
        for (int j = first; j < last; ++j) out.P(k, j) += entry.slope[at_(j - first)] * out.e[i];
      }
    }
  }
  for (int k = 0; k < rows_; ++k) {
    for (int i = 0; i < size_; ++i) {
      if (out.C(i, k) != 0) out.P.row(k) += out.C(i, k) * out.H.row(i);
    }
  }
}

void PortHamiltonianForm::find_columns(double t, const double* x, Matrix& C) {
  const detail::Surroundings<double> around{held_, {}, relays};
  const Point<double> point(t, x, held_->parameters.data(), &around);
  Terms<double> column(map_, flow_.data());
  for (int k = 0; k < rows_; ++k) {
    flow_.setZero();
    info_.constraints[at_(k)].column(point, column);
    C.col(k) = flow_;
  }
}

void PortHamiltonianForm::find_multipliers(Instant& out) {
  const detail::Surroundings<double> around{held_, {}, relays};
  const Point<double> point(out.t, out.x.data(), held_->parameters.data(), &around);
  Entries<double> exchange(map_, exchange_.data()), loss(map_, loss_.data());
  exchange_.setZero();
  loss_.setZero();
  for (const auto& J : info_.structures) J(point, exchange);
  for (const auto& R : info_.dissipations) R(point, loss);
  for (int i = 0; i < size_; ++i) out.f[i] = (exchange_.row(i) - loss_.row(i)).dot(out.e);
  Terms<double> flow(map_, flow_.data());
  flow_.setZero();
  for (const auto& r : info_.resistances) r(point, Efforts(out.e.data(), point.around()->held), flow);
  out.f -= flow_;
  flow_.setZero();
  for (const auto& u : info_.inputs) u(point, flow);
  out.f += flow_;
  out.has_multipliers = true;
  if (rows_ == 0) return;

  const auto P = out.P.leftCols(size_);
  for (int k = 0; k < rows_; ++k) {
    right_side_[k] = -P.row(k).dot(out.f) - out.P(k, size_);
    for (int l = 0; l < rows_; ++l) PC_(k, l) = P.row(k).dot(out.C.col(l));
  }
  lu_.compute(PC_);
  for (int k = 0; k < rows_; ++k) {
    const auto row = static_cast<int>(lu_.row_of_pivot(k));
    const double size = P.row(row).norm() * out.C.col(k).norm();
    if (std::abs(lu_.factors()(k, k)) > smallest_drive * size) continue;
    if (std::isfinite(size) && PC_.allFinite()) {  // constraints that repeat others: multipliers of least norm
      out.lambda = linear::LeastNorm(PC_, 1e-10).solve(right_side_);
      if ((PC_ * out.lambda - right_side_).norm() <= 1e-9 * (right_side_.norm() + 1e-300)) {
        if (notes_.empty() && !was_noted_)
          notes_.push_back(make_message(MessageCode::multipliers_of_least_norm, out.t,
                                        {{"constraint", info_.constraints[at_(row)].name}}));
        was_noted_ = true;
        return;
      }
    }
    out.lambda.setConstant(nan);
    why_ = std::isfinite(size) && PC_.allFinite()
               ? fmt::format(
                     "the multipliers are not determined: P C is singular at the constraint '{}', "
                     "which repeats others or does not depend on what it drives",
                     info_.constraints[at_(row)].name)
               : fmt::format("the energy or the constraint '{}' is not finite", info_.constraints[at_(row)].name);
    return;
  }
  lu_.solve(right_side_, out.lambda);
}

// --- the manifold

void PortHamiltonianForm::take_levels(double t, const double* x) {
  invariants_.take_levels(t, x);
  has_levels_ = true;
}

void PortHamiltonianForm::differentiate_invariants() {
  if (has_invariant_rows_) return;
  invariants_.evaluate_jacobian(here_.t, here_.x.data());
  has_invariant_rows_ = true;
}

void PortHamiltonianForm::residual(int level, double t, const double* x, double* r) {
  if (is_of_constraints(level)) {
    find_efforts(t, x, trial_e_);
    find_columns(t, x, trial_C_);
    for (int k = 0; k < rows_; ++k) r[k] = trial_C_.col(k).dot(trial_e_);
    return;
  }
  if (!has_levels_) take_levels(t, x);
  invariants_.residual(t, x, r);
}

// Of the sums behind a residual, and of the state it reads.
void PortHamiltonianForm::rounding(int level, double t, const double* x, double* size) {
  if (!here_.is_linear_here) refactor(t, x);
  const Eigen::Map<const Vector> state(x, size_);
  if (is_of_constraints(level)) {
    for (int k = 0; k < rows_; ++k)
      size[k] = epsilon * (trial_C_.col(k).cwiseProduct(trial_e_).cwiseAbs().sum() +
                           here_.P.row(k).head(size_).transpose().cwiseProduct(state).cwiseAbs().sum());
    return;
  }
  differentiate_invariants();
  invariants_.rounding(x, size);
}

bool PortHamiltonianForm::refactor(double t, const double* x) {
  linearize(t, x, here_);
  factored_ = 0;
  has_invariant_rows_ = false;
  return factor(rows_ + invariants_.rows());
}

// Cholesky's factor of the products of unit rows, continued up to `rows`: its pivots are squared distances of a row
// from the span of those before it.
bool PortHamiltonianForm::factor(int rows) {
  if (rows > rows_) differentiate_invariants();
  for (int i = factored_; i < rows; ++i) {
    auto row = stack_.row(i);
    if (i < rows_)
      row = here_.P.row(i).head(size_);
    else
      row = invariants_.jacobian().row(i - rows_);
    for (const int state : fixed_) row[state] = 0;
    lengths_[i] = row.norm();
    row /= lengths_[i];
    double pivot = 1;
    for (int j = 0; j < i; ++j) {
      L_(i, j) = (row.dot(stack_.row(j)) - L_.row(i).head(j).dot(L_.row(j).head(j))) / L_(j, j);
      pivot -= L_(i, j) * L_(i, j);
    }
    // A row that repeats others asks for nothing more than they do; a pivot of its own keeps the rest exact.
    if (!(pivot >= smallest_pivot) && i < rows_ && lengths_[i] > 0 && std::isfinite(pivot)) pivot = 1;
    if (!(pivot >= smallest_pivot)) {
      const bool is_of_invariant = i >= rows_;
      why_ = fmt::format("the state cannot be corrected: the {} '{}' {}", is_of_invariant ? "invariant" : "constraint",
                         row_name(is_of_invariant && rows_ > 0 ? 1 : 0, is_of_invariant ? i - rows_ : i),
                         lengths_[i] == 0             ? "does not depend on any state that may move"
                         : std::isfinite(lengths_[i]) ? "depends there on those declared before it"
                                                      : "is not finite there");
      return false;
    }
    L_(i, i) = std::sqrt(pivot);
    factored_ = i + 1;
  }
  return true;
}

void PortHamiltonianForm::correct(int level, const double* r, double* x) {
  const int rows = is_of_constraints(level) ? rows_ : rows_ + invariants_.rows();
  if (!here_.is_linear_here || (factored_ < rows && !factor(rows))) return;
  const int first = is_of_constraints(level) ? 0 : rows_;
  auto move = move_.head(rows);
  move.head(first).setZero();
  for (int k = first; k < rows; ++k) move[k] = r[k - first] / lengths_[k];
  const auto L = L_.topLeftCorner(rows, rows);
  for (int i = 0; i < rows; ++i) move[i] = (move[i] - L.row(i).head(i).dot(move.head(i))) / L(i, i);
  for (int i = rows - 1; i >= 0; --i) {
    move[i] /= L(i, i);
    move.head(i) -= move[i] * L.row(i).head(i).transpose();
  }
  Eigen::Map<Vector> state(x, size_);
  for (int k = 0; k < rows; ++k) state -= move[k] * stack_.row(k).transpose();
}

void PortHamiltonianForm::jacobian(int level, double t, const double* x, double* J) {
  if (!is_of_constraints(level)) {
    invariants_.evaluate_jacobian(t, x);
    has_invariant_rows_ = false;
    Eigen::Map<Matrix>(J, invariants_.rows(), size_) = invariants_.jacobian();
    return;
  }
  const bool is_known = here_.is_linear_here && here_.is_at(t, x);
  if (!is_known) linearize(t, x, elsewhere_);
  Eigen::Map<Matrix>(J, rows_, size_) = (is_known ? here_ : elsewhere_).P.leftCols(size_);
}

void PortHamiltonianForm::hold_fixed(std::vector<int> states) {
  for (const int state : states) checked(state, model_->state_names.size(), "state", *model_);
  fixed_ = std::move(states);
  factored_ = 0;
}

std::vector<int> PortHamiltonianForm::displacements() {
  std::vector<double> x = model_->starts;
  if (model_->start) {
    Start start(x, held_->parameters, model_->model);
    model_->start(start);
  }
  const detail::Surroundings<Gradient> around{held_};
  Terms<Gradient> column(map_, gradient_out_.data());
  std::vector<bool> is_driven(at_(size_), false);
  for (int first = 0; first <= size_; first += width) {
    seed(0, x.data(), first);
    const Point<Gradient> point(gradient_t_, gradient_x_.data(), held_->parameters.data(), &around);
    for (const auto& constraint : info_.constraints) {
      std::fill_n(gradient_out_.begin(), size_, Gradient());
      constraint.column(point, column);
      for (int i = 0; i < size_; ++i) {
        const Gradient& entry = gradient_out_[at_(i)];
        if (entry.value != 0 || std::any_of(entry.slope.begin(), entry.slope.end(), [](double s) { return s != 0; }))
          is_driven[at_(i)] = true;
      }
    }
  }
  std::vector<int> states;
  for (int i = 0; i < size_; ++i) {
    if (!is_driven[at_(i)]) states.push_back(i);
  }
  return states;
}

std::vector<double> PortHamiltonianForm::efforts(double t, const double* x) {
  find_efforts(t, x, trial_e_);
  return {trial_e_.begin(), trial_e_.end()};
}

std::vector<double> PortHamiltonianForm::hessian(double t, const double* x) {
  if (rows_ == 0) return {};
  linearize(t, x, elsewhere_);
  std::vector<double> H;
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j) H.push_back(elsewhere_.H(i, j));
  }
  return H;
}

std::unique_ptr<Form> make_port_hamiltonian_form(std::shared_ptr<const System::Declarations> model) {
  return std::make_unique<PortHamiltonianForm>(std::move(model));
}

}  // namespace pawl::formulate
