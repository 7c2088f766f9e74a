#include "formulate/mechanics_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/inertia_check.hpp"
#include "numerics/elimination.hpp"

namespace pawl::formulate {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

MechanicsForm::MechanicsForm(std::shared_ptr<const System::Declarations> model, Formulation formulation)
    : model_(std::move(model)), formulation_(std::move(formulation)), terms_(*model_), invariants_(*model_) {
  const auto n = at(terms_.size()), states = model_->state_names.size();
  for (auto* vector : {&a_, &d_, &e_}) vector->resize(n);
  for (auto* vector : {&x_last_, &x_work_, &rates_work_}) vector->resize(states);
  if (!terms_.info().contacts.empty()) {
    refuse_contacts();
    contacts_ = std::make_unique<ContactForces>(*model_);
  }
  std::vector<bool> is_other(states, true);
  for (const auto* list : {&terms_.info().positions, &terms_.info().speeds}) {
    for (const int state : *list) is_other[at(state)] = false;
  }
  for (std::size_t i = 0; i < states; ++i) {
    if (is_other[i]) others_.push_back(static_cast<int>(i));
  }
  const Eigen::Index size = terms_.size(), k = invariants_.rows();
  InvariantWork& w = invariant_work_;
  for (auto* matrix : {&w.by_position, &w.by_speed, &w.along_position, &w.along_speed}) matrix->setZero(size, k);
  w.gram.setZero(k, k);
  w.share.setZero(k);
  w.factors = linear::PivotedQr(k, k);
}

void MechanicsForm::refuse_contacts() const {
  if (formulation_.scheme != Scheme::penalty && formulation_.scheme != Scheme::held_multipliers) return;
  for (const ContactInfo& contact : terms_.info().contacts) {
    if (contact.compliance) continue;
    throw Misuse(fmt::format(
        "contact '{}': in the formulation {} the forces of constraints do not follow from the accelerations, "
        "and they decide when a contact opens, sticks or slips.\n"
        "  try:    another formulation, or a contact with a compliance",
        contact.name, formulation_.name));
  }
}

void MechanicsForm::lock(const Held& held) {
  const bool is_same = own_held_ == held;
  if (!is_same) own_held_ = held;
  terms_.lock(own_held_);
  invariants_.lock(own_held_);
  if (is_same) return;
  has_last_ = false;
  holds_lambda_ = false;
  if (!is_stale_) is_stale_ = !(own_held_ == arranged_for_);  // what a function reads may depend on what is held
}

void MechanicsForm::carry(Memory& memory) {
  memory(extra_evaluations, own_held_, arranged_for_, in_force_, redundant_, is_stale_, direction_, step_, step_start_,
         first_mode_, why_, notes_, has_checked_inertia_);
  terms_.carry(memory);
  invariants_.carry(memory);
  if (contacts_) contacts_->carry(memory, own_held_);
  bool has_kkt = kkt_ != nullptr, has_all = all_terms_ != nullptr;
  memory(has_kkt, has_all);
  if (!has_kkt) kkt_.reset();
  if (has_kkt && !memory.is_saving()) make_kkt();  // for the rows in force
  if (kkt_) kkt_->carry(memory);
  if (!has_all) all_terms_.reset();
  if (has_all && !all_terms_) all_terms_ = std::make_unique<MechanicsTerms>(*model_);
  if (all_terms_) all_terms_->carry(memory);
  memory(a_, lambda_, rhs_, d_, e_, held_lambda_, status_, holds_lambda_, t_last_, had_relays_, x_last_, has_last_,
         has_shared_, shared_, largest_pivot_, weakest_, weakest_row_, invariant_work_, dependent_, partition_changes_);
  if (memory.is_saving()) return;
  factored_mass_ = -1;
  source = nullptr;
  terms_.lock(own_held_);
  invariants_.lock(own_held_);
  if (all_terms_) all_terms_->lock(own_held_);
}

// Which constraints are in force, and what they read; then which of them depend on others.
void MechanicsForm::arrange(double t, const double* x) {
  const std::vector<int> rows = terms_.rows_in_force();
  if (kkt_ && rows == in_force_ && !terms_.reads_differ(t, x)) {
    if (contacts_) contacts_->arrange(t, x, *held_, terms_, in_force_);
    arranged_for_ = *held_;
    is_stale_ = false;
    return;
  }
  kkt_.reset();
  in_force_ = rows;
  redundant_.clear();
  all_terms_.reset();
  terms_.arrange(t, x, in_force_);
  terms_.evaluate_force(t, x);  // so that one written where there is no row is misuse, before anything runs
  if (!has_checked_inertia_) {
    check_inertia(*model_, terms_, *held_, t, x);
    if (!terms_.inertia().is_exact()) {
      notes_.push_back(
          make_message(MessageCode::inertia_by_differences, t,
                       {{"evaluations", static_cast<long long>(terms_.inertia().black_box_evaluations())}}));
    }
    has_checked_inertia_ = true;
  }
  make_kkt();
  analyze_rank(t, x);
  arranged_for_ = *held_;
  is_stale_ = false;  // last: where a function of the model throws, this is done again
}

void MechanicsForm::make_kkt() {
  const bool has_rows = formulation_.scheme != Scheme::penalty;
  const SparseRows& G = terms_.pattern();
  const SparseRows none;
  kkt_ = terms_.is_sparse() ? make_sparse_kkt(terms_.mass_pattern(), has_rows ? G : none)
                            : make_dense_kkt(terms_.size(), has_rows ? G : none);
  factored_mass_ = -1;
  const auto m = at(terms_.rows());
  for (auto* vector : {&lambda_, &rhs_, &held_lambda_}) vector->assign(m, 0);
  largest_pivot_.assign(has_rows ? m : 0, 0);
  weakest_ = 1;
  weakest_row_ = 0;
  dependent_.clear();
  holds_lambda_ = false;
}

bool MechanicsForm::evaluate(double t, const double* x, const double* rates) {
  terms_.rate_of_positions(x);
  terms_.evaluate_inertia(t, x, rates);
  terms_.evaluate_force(t, x, relays);
  if (contacts_) contacts_->add_forces(t, x, relays, terms_.force);
  expect_finite_force(t, "the force (or the derivative of a potential)");
  if (!terms_.inertia().is_zero()) {
    terms_.add_inertial();
    expect_finite_force(t, "the inertial term (from derivatives of the masses)");
  }
  terms_.evaluate_jacobian(t, x);
  terms_.evaluate_motion(t, x);
  double sum = 0;
  for (const double g : terms_.gamma) sum += 0 * g;
  if (sum != 0 && why_.empty()) {
    for (int r = 0; r < terms_.rows(); ++r) {
      if (std::isfinite(terms_.gamma[at(r)])) continue;
      why_ = fmt::format("at t = {:.10g} constraint '{}', or a derivative of it, is not finite", t, terms_.row_name(r));
      break;
    }
  }
  return factor(t);
}

void MechanicsForm::expect_finite_force(double t, const char* what) {
  if (!why_.empty() || terms_.force_is_finite()) return;
  for (std::size_t i = 0; i < terms_.force.size(); ++i) {
    if (std::isfinite(terms_.force[i])) continue;
    why_ = fmt::format(
        "at t = {:.10g} {} on '{}' is not finite.\n"
        "  try:    check what it divides by, and what it takes roots and logarithms of",
        t, what, coordinate_name(static_cast<int>(i)));
    break;
  }
}

bool MechanicsForm::factor(double t) {
  const long long mass = terms_.mass_version();
  status_ = kkt_->factor(terms_.mass.data(), terms_.jacobian.data(), mass == factored_mass_);
  factored_mass_ = status_ == Kkt::Status::good ? mass : -1;
  if (status_ != Kkt::Status::good) {
    describe_failure(t);
    return false;
  }
  const double* pivots = kkt_->pivots();
  for (std::size_t r = 0; r < largest_pivot_.size(); ++r) {
    if (pivots[r] > largest_pivot_[r]) largest_pivot_[r] = pivots[r];
    if (pivots[r] < weakest_ * largest_pivot_[r]) {
      weakest_ = pivots[r] / largest_pivot_[r];
      weakest_row_ = static_cast<int>(r);
    }
  }
  return true;
}

std::string MechanicsForm::why() const {
  if (!why_.empty() || !(weakest_ < 1e-4)) return why_;
  return fmt::format(
      "near a singular configuration: constraint '{}' depends on the others there but for {:.1e}, so that the reaction "
      "forces grow without bound.\n"
      "  try:    another start, one constraint less, or an event that ends the run before it",
      weakest_row_name(), weakest_);
}

void MechanicsForm::describe_failure(double t) {
  const int row = kkt_->culprit();
  if (status_ == Kkt::Status::mass_is_singular) {
    bool is_number = true;
    for (const double entry : terms_.mass) is_number = is_number && std::isfinite(entry);
    why_ = fmt::format(
        "at t = {:.10g} the mass matrix is {}: {} '{}'.\n"
        "  try:    give that coordinate a mass or an inertia, or check its entries and their signs",
        t, is_number ? "not positive definite" : "not finite", is_number ? "nothing is left of it at" : "seen at",
        coordinate_name(row));
    return;
  }
  bool is_finite = true;
  for (const double entry : terms_.jacobian) is_finite = is_finite && std::isfinite(entry);
  if (!is_finite) {
    if (why_.empty())
      why_ = fmt::format("at t = {:.10g} a derivative of constraint '{}' is not finite", t, terms_.row_name(row));
    return;
  }
  if (terms_.rows() == 1) {
    why_ = fmt::format(
        "near t = {:.10g} the derivative of constraint '{}' vanishes: a singular configuration.\n"
        "  try:    another start, or an event that ends the run before it",
        t, terms_.row_name(row));
    return;
  }
  why_ = fmt::format(
      "near t = {:.10g} constraint '{}' depends on the others: a singular configuration, where the reaction forces are "
      "not determined and the motion may branch.\n"
      "  try:    another start, one constraint less, or an event that ends the run before it",
      t, terms_.row_name(row));
}

std::string MechanicsForm::coordinate_name(int speed) const {
  const MechanicsInfo& info = terms_.info();
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] == speed) return model_->state_names[at(info.positions[i])];
  }
  return model_->state_names[at(info.speeds[at(speed)])];
}

std::string MechanicsForm::describe_unkept(double t, const double* x) {
  if (invariants_.rows() == 0) return {};
  std::vector<double> rates(x_last_.size());
  rate(t, x, rates.data());
  ++extra_evaluations;
  return has_last_ ? invariants_.describe_unkept(t, x, rates.data()) : std::string();
}

bool MechanicsForm::is_reaching(int row) const {
  return first_mode_ >= 0 && held_->modes[at(first_mode_ + terms_.declared_row(row))] != 0;
}

void MechanicsForm::rate(double t, const double* x, double* rates) {
  prepare(t, x);
  if (formulation_.scheme == Scheme::state_space && terms_.rows() > 0) {
    std::copy(x, x + x_work_.size(), x_work_.begin());
    if (dependent_.empty()) choose_partition(t, x);
    if (!solve_dependent(t, x_work_.data())) {
      std::fill(rates, rates + x_work_.size(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    x = x_work_.data();
  }
  has_last_ = false;
  has_shared_ = false;
  const int rows = terms_.rows(), n = terms_.size();
  if (model_->rates) {
    const detail::Surroundings<double> around{held_, {}, relays};
    model_->rates(Point<double>(t, x, held_->parameters.data(), &around), rates);
  }
  const bool is_regular = evaluate(t, x, rates);
  const MechanicsInfo& info = terms_.info();
  for (std::size_t i = 0; i < info.positions.size(); ++i) rates[info.positions[i]] = terms_.q_rate[i];
  if (!is_regular) {
    for (const int state : info.speeds) rates[state] = std::numeric_limits<double>::quiet_NaN();
    if (info.friction_work >= 0) rates[info.friction_work] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const Formulation& form = formulation_;
  // Feedback that draws the motion onto the manifold draws it there in the direction of the integration.
  const double alpha1 = direction_ * (form.follows_step ? 2 * parameter_h() : form.first),
               alpha0 = form.follows_step ? parameter_h() * parameter_h() : form.second;
  for (int r = 0; r < rows; ++r) {
    const bool is_holonomic = r < terms_.holonomic();
    double rhs = terms_.gamma[at(r)];
    switch (form.scheme) {
      case Scheme::baumgarte:
        rhs += alpha1 * terms_.slope[at(r)] + (is_holonomic ? alpha0 * terms_.value[at(r)] : 0);
        break;
      case Scheme::sliding:
      case Scheme::held_multipliers:
        if (is_holonomic) rhs += direction_ * form.first * terms_.slope[at(r)];
        if (is_reaching(r)) {
          const auto row = std::min(at(terms_.declared_row(r)), form.reaching.size() - 1);
          rhs += direction_ * form.reaching[row] * held_->modes[at(first_mode_ + terms_.declared_row(r))];
        }
        break;
      case Scheme::penalty:
        lambda_[at(r)] = is_holonomic ? form.first * terms_.value[at(r)] + form.second * terms_.slope[at(r)]
                                      : form.second * terms_.slope[at(r)];
        break;
      default:
        break;
    }
    rhs_[at(r)] = rhs;
  }
  if (form.scheme == Scheme::penalty || holds_lambda_) {
    const std::vector<double>& lambda = holds_lambda_ ? held_lambda_ : lambda_;
    const SparseRows& G = terms_.pattern();
    std::copy(terms_.force.begin(), terms_.force.end(), d_.begin());
    for (int r = 0; r < rows; ++r) {
      for (int k = G.first[at(r)]; k < G.first[at(r + 1)]; ++k)
        d_[at(G.column[at(k)])] -= terms_.jacobian[at(k)] * lambda[at(r)];
    }
    if (holds_lambda_) {
      solve_mass(d_.data(), a_.data());
    } else {
      kkt_->solve(d_.data(), rhs_.data(), a_.data(), nullptr);
    }
  } else {
    kkt_->solve(terms_.force.data(), rhs_.data(), a_.data(), lambda_.data());
    if (contacts_) contacts_->deflect(*kkt_, a_.data(), lambda_.data());
    if (form.scheme == Scheme::held_multipliers) {
      held_lambda_ = lambda_;
      holds_lambda_ = true;
    }
  }
  for (int i = 0; i < n; ++i) rates[info.speeds[at(i)]] = a_[at(i)];
  if (info.friction_work >= 0) rates[info.friction_work] = contacts_ ? contacts_->power() : 0;
  t_last_ = t;
  had_relays_ = relays != nullptr;
  std::copy(x, x + x_last_.size(), x_last_.begin());
  has_last_ = true;
}

// M a = f alone, for the counter-example; nothing here is meant to be fast.
void MechanicsForm::solve_mass(const double* f, double* a) const {
  const Eigen::Index n = terms_.size();
  Eigen::Map<Eigen::VectorXd>(a, n) = linear::Cholesky(last_mass()).solve(Eigen::Map<const Eigen::VectorXd>(f, n));
}

bool MechanicsForm::begin_step(double t, const double* x, double h) {
  holds_lambda_ = false;
  weakest_ = 1;
  const bool is_retry = t == step_start_, has_turned = h * direction_ < 0;
  if (has_turned) direction_ = -direction_;
  step_start_ = t;
  if (!is_retry) why_.clear();
  if (formulation_.scheme == Scheme::state_space && terms_.rows() > 0) choose_partition(t, x);
  if (!formulation_.follows_step) return has_turned || formulation_.scheme == Scheme::held_multipliers;
  const double before = std::exchange(step_, std::abs(h));
  return has_turned || step_ != before;
}

bool MechanicsForm::is_evaluated(double t, const double* x) {
  prepare(t, x);
  if (is_known(t, x)) return true;
  ++extra_evaluations;
  rate(t, x, rates_work_.data());
  return has_last_;
}

double MechanicsForm::least_slip_pivot(double t, const double* x) {
  if (!contacts_ || !contacts_->act(*held_)) return 1;
  return is_evaluated(t, x) ? contacts_->least_pivot() : std::numeric_limits<double>::quiet_NaN();
}

double MechanicsForm::multiplier(double t, const double* x, int row) {
  if (!is_evaluated(t, x)) return std::numeric_limits<double>::quiet_NaN();
  if (contacts_ && contacts_->determines(row)) return contacts_->force(row);
  if (std::find(in_force_.begin(), in_force_.end(), row) == in_force_.end()) return 0;
  if (redundant_.empty()) return lambda_[at(terms_.row_of_declared(row))];
  return shared_multiplier(t, x, row);
}

// A multiplier is linear in forces and motion: the sum of what each of them alone would make of it.
void MechanicsForm::multiplier_sizes(double t, const double* x, double* sizes) {
  const auto declared = model_->constraint_names.size(), m = at(terms_.rows()), n = at(terms_.size());
  std::fill(sizes, sizes + declared, 0.0);
  if (!is_evaluated(t, x)) return;
  std::vector<double> sum(m, 0.0), f(n, 0.0), gamma(m, 0.0), a(n), lambda(m);
  const auto add = [&](double& term, double value) {
    if (value == 0) return;
    term = value;
    kkt_->solve(f.data(), gamma.data(), a.data(), lambda.data());
    for (std::size_t r = 0; r < m; ++r) sum[r] += std::abs(lambda[r]);
    term = 0;
  };
  if (formulation_.scheme == Scheme::penalty) {
    for (std::size_t r = 0; r < m; ++r) sum[r] = std::abs(lambda_[r]);
  } else {
    for (std::size_t i = 0; i < n; ++i) add(f[i], terms_.force[i]);
    for (std::size_t r = 0; r < m; ++r) add(gamma[r], rhs_[r]);
  }
  double largest = 0;
  for (const double one : sum) largest = std::max(largest, one);
  for (const int row : in_force_) sizes[at(row)] = redundant_.empty() ? sum[at(terms_.row_of_declared(row))] : largest;
}

// Of all multipliers that give the same forces, the ones of least norm.
double MechanicsForm::shared_multiplier(double t, const double* x, int row) {
  MechanicsTerms& all = all_terms(t, x);
  if (has_shared_) return shared_(all.row_of_declared(row));
  const Eigen::VectorXd forces =
      last_jacobian().transpose() * Eigen::Map<const Eigen::VectorXd>(lambda_.data(), terms_.rows());
  all.evaluate_jacobian(t, x);
  shared_ = linear::LeastNorm(to_dense(all).transpose()).solve(forces);
  has_shared_ = true;
  return shared_(all.row_of_declared(row));
}

}  // namespace pawl::formulate
