#include "formulate/contact_forces.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

ContactMode mode_of(const ContactInfo& contact, const Held& held) {
  return static_cast<ContactMode>(held.modes[at(contact.mode)]);
}

bool slips(ContactMode mode) {
  return mode == ContactMode::slip || mode == ContactMode::slip_back;
}

}  // namespace

ContactForces::ContactForces(const System::Declarations& model)
    : model_(model),
      info_(*model.mechanics),
      terms_(model),
      is_own_(at(info_.rows), 0),
      row_force_(at(info_.rows), 0),
      column_(info_.speeds.size()) {}

void ContactForces::carry(Memory& memory, const Held& held) {
  memory(is_checked_, given_, oblique_, is_own_, row_force_, power_, least_pivot_, load_row_, zero_, column_, a_, l_,
         factors_, load_, known_, order_, kept_rows_, shares_);
  terms_.carry(memory);
  bool has_all = all_ != nullptr;
  memory(has_all);
  if (!has_all) all_.reset();
  if (has_all && !all_) all_ = std::make_unique<MechanicsTerms>(model_);
  if (all_) all_->carry(memory);
  if (memory.is_saving()) return;
  held_ = &held;
  terms_.lock(held);
  if (all_) all_->lock(held);
}

bool ContactForces::acts(const ContactInfo& contact, const Held& held) {
  const ContactMode mode = mode_of(contact, held);
  if (contact.compliance) return mode != ContactMode::open && (contact.idles < 0 || held.modes[at(contact.idles)] == 0);
  if (contact.slip < 0) return false;
  if (contact.smoothing == 0) return slips(mode);
  return contact.kind != ContactInfo::Kind::contact || mode != ContactMode::open;
}

bool ContactForces::act(const Held& held) const {
  return std::any_of(info_.contacts.begin(), info_.contacts.end(),
                     [&](const ContactInfo& contact) { return acts(contact, held); });
}

// A gap or a slip speed that no force can hold is misuse before anything runs, not when its contact closes.
void ContactForces::check_rows(double t, const double* x) {
  std::vector<int> rows;
  for (const bool on_speeds : {false, true}) {
    for (const ContactInfo& contact : info_.contacts) {
      const bool has_gap = contact.kind == ContactInfo::Kind::contact;
      const int number = on_speeds ? contact.slip : has_gap ? contact.normal : -1;
      for (int i = 0; number >= 0 && i < info_.constraints[at(number)].rows; ++i) rows.push_back(first_row(number) + i);
    }
  }
  terms_.arrange(t, x, rows);
  is_checked_ = true;
}

void ContactForces::arrange(double t, const double* x, const Held& held, const MechanicsTerms& kept,
                            const std::vector<int>& rows) {
  held_ = &held;
  terms_.lock(held);
  if (!is_checked_) check_rows(t, x);
  given_.clear();
  oblique_.clear();
  std::fill(is_own_.begin(), is_own_.end(), 0);
  std::fill(row_force_.begin(), row_force_.end(), 0.0);
  power_ = 0;
  least_pivot_ = 1;

  std::vector<int> gaps, own_rows;  // declared
  for (const ContactInfo& contact : info_.contacts) {
    if (!acts(contact, held)) continue;
    Acting one{.contact = &contact, .smoothing = contact.smoothing};
    if (contact.compliance) {
      if (one.smoothing == 0) one.smoothing = compliant_slip_speed;
      one.normal = first_row(contact.normal);
      gaps.push_back(one.normal);
    } else if (contact.kind != ContactInfo::Kind::driven) {
      one.load = first_row(contact.normal);
      if (std::find(rows.begin(), rows.end(), one.load) == rows.end()) continue;  // a joint that does not hold now
      if (contact.side >= 0) one.sign = held.modes[at(contact.side)];
    }
    if (contact.slip >= 0) {
      one.slip = first_row(contact.slip);
      for (int i = 0; i < contact.tangents; ++i) own_rows.push_back(one.slip + i);
    }
    (one.load >= 0 ? oblique_ : given_).push_back(one);
  }
  if (given_.empty() && oblique_.empty()) return;
  own_rows.insert(own_rows.begin(), gaps.begin(), gaps.end());
  for (const int row : own_rows) is_own_[at(row)] = 1;
  terms_.arrange(t, x, own_rows);
  for (auto* list : {&given_, &oblique_}) {
    for (Acting& one : *list) {
      if (one.normal >= 0) one.normal = terms_.row_of_declared(one.normal);
      if (one.slip >= 0) one.slip = terms_.row_of_declared(one.slip);
    }
  }

  const auto k = static_cast<Eigen::Index>(oblique_.size()), m = static_cast<Eigen::Index>(kept.rows());
  zero_.assign(at(kept.rows()), 0);
  a_.setZero(kept.size(), k);
  l_.setZero(m, k);
  factors_.setZero(k, k);
  for (auto* vector : {&load_, &known_}) vector->setZero(k);
  order_.assign(oblique_.size(), 0);
  load_row_.clear();
  kept_rows_.clear();
  all_.reset();
  for (const Acting& one : oblique_) load_row_.push_back(kept.row_of_declared(one.load));
  if (k == 0 || kept.rows() == static_cast<int>(rows.size())) return;
  std::fill(load_row_.begin(), load_row_.end(), -1);
  all_ = std::make_unique<MechanicsTerms>(model_);
  all_->lock(held);
  all_->arrange(t, x, rows);
  for (int r = 0; r < kept.rows(); ++r) kept_rows_.push_back(all_->row_of_declared(kept.declared_row(r)));
}

// In the plane the mode says it. In space it is that of the motion, unless there is none but for rounding: then that of
// the last event.
void ContactForces::find_direction(Acting& one) const {
  const ContactInfo& contact = *one.contact;
  const int tangents = contact.tangents;
  double squares = 0;
  for (int i = 0; i < tangents; ++i) {
    one.speed[at(i)] = -terms_.slope[at(one.slip + i)];
    squares += one.speed[at(i)] * one.speed[at(i)];
  }
  const double size = tangents == 1 ? std::abs(one.speed[0]) : std::sqrt(squares);
  if (one.smoothing > 0) {
    const double scale = size > 0 ? std::tanh(size / one.smoothing) / size : 0;
    for (int i = 0; i < tangents; ++i) one.direction[at(i)] = scale * one.speed[at(i)];
    return;
  }
  if (tangents == 1) {
    one.direction[0] = mode_of(contact, *held_) == ContactMode::slip ? 1 : -1;
    return;
  }
  const double* held = held_->numbers.data() + contact.direction;
  const double first = one.speed[0] + held[slip_onset] * held[slip_direction],
               second = one.speed[1] + held[slip_onset] * held[slip_direction_2], length = std::hypot(first, second);
  one.direction[0] = length > 0 ? first / length : held[slip_direction];
  one.direction[1] = length > 0 ? second / length : held[slip_direction_2];
}

// Takes what the penetration loses: all that its force does beside loading and unloading the spring.
double ContactForces::elastic_force(Acting& one) {
  const Compliance& law = *one.contact->compliance;
  const double depth = terms_.value[at(one.normal)], rate = terms_.slope[at(one.normal)];
  const double spring = law.spring(depth), force = law.force(depth, rate);
  row_force_[at(terms_.declared_row(one.normal))] = force;
  power_ += (force - spring) * rate;
  return force;
}

void ContactForces::set_friction(const Acting& one, double pressing) {
  const double most = value_of(one.contact->friction, held_->parameters.data()) * pressing;
  for (int i = 0; i < one.contact->tangents; ++i) {
    row_force_[at(terms_.declared_row(one.slip + i))] = -most * one.direction[at(i)];
    power_ += most * one.direction[at(i)] * one.speed[at(i)];
  }
}

void ContactForces::add_row(int row, double factor, double* out) const {
  const SparseRows& G = terms_.pattern();
  for (int k = G.first[at(row)]; k < G.first[at(row + 1)]; ++k) out[G.column[at(k)]] += factor * terms_.jacobian[at(k)];
}

void ContactForces::add_forces(double t, const double* x, const double* relays, std::vector<double>& force) {
  if (given_.empty() && oblique_.empty()) return;
  power_ = 0;
  terms_.rate_of_positions(x);
  terms_.evaluate_jacobian(t, x);
  terms_.evaluate_motion(t, x);
  if (all_) all_->evaluate_jacobian(t, x);
  for (auto* list : {&given_, &oblique_}) {
    for (Acting& one : *list) {
      if (one.slip >= 0) find_direction(one);
    }
  }
  for (Acting& one : given_) {
    double pressing = 0;
    if (one.normal >= 0) {
      pressing = elastic_force(one);
      add_row(one.normal, -pressing, force.data());
    } else {
      const detail::Surroundings<double> around{held_, {}, relays};
      one.contact->normal_force(Point<double>(t, x, held_->parameters.data(), &around), &pressing);
      if (pressing < 0) pressing = 0;
    }
    if (one.slip < 0) continue;
    set_friction(one, pressing);
    for (int i = 0; i < one.contact->tangents; ++i)
      add_row(one.slip + i, -row_force_[at(terms_.declared_row(one.slip + i))], force.data());
  }
}

void ContactForces::deflect(Kkt& kkt, double* a, double* lambda) {
  const auto k = static_cast<Eigen::Index>(oblique_.size());
  if (k == 0) return;
  for (Eigen::Index j = 0; j < k; ++j) {
    const Acting& one = oblique_[static_cast<std::size_t>(j)];
    const double friction = value_of(one.contact->friction, held_->parameters.data());
    std::fill(column_.begin(), column_.end(), 0.0);
    for (int i = 0; i < one.contact->tangents; ++i)
      add_row(one.slip + i, -friction * one.sign * one.direction[at(i)], column_.data());
    kkt.solve(column_.data(), zero_.data(), a_.col(j).data(), l_.col(j).data());
  }
  const Eigen::Map<const Eigen::VectorXd> free(lambda, l_.rows());
  if (all_) {
    share_loads();
    known_.noalias() = shares_.transpose() * free;
    factors_.noalias() = shares_.transpose() * l_;
  } else {
    for (Eigen::Index s = 0; s < k; ++s) {
      known_(s) = free(load_row_[static_cast<std::size_t>(s)]);
      factors_.row(s) = l_.row(load_row_[static_cast<std::size_t>(s)]);
    }
  }
  factors_.diagonal().array() += 1;
  solve_loads();
  Eigen::Map<Eigen::VectorXd>(a, a_.rows()).noalias() -= a_ * load_;
  Eigen::Map<Eigen::VectorXd>(lambda, l_.rows()).noalias() -= l_ * load_;
  for (Eigen::Index s = 0; s < k; ++s) {
    const Acting& one = oblique_[static_cast<std::size_t>(s)];
    set_friction(one, one.sign * load_(s));
  }
}

// All rows are combinations of the kept ones, G = C G_kept; of all λ with G^T λ = G_kept^T λ_kept the least is
// C (C^T C)^-1 λ_kept.
void ContactForces::share_loads() {
  const SparseRows& pattern = all_->pattern();
  const auto kept = static_cast<Eigen::Index>(kept_rows_.size());
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(all_->size(), all_->rows()), basis(all_->size(), kept);
  for (int r = 0; r < all_->rows(); ++r) {
    for (int k = pattern.first[at(r)]; k < pattern.first[at(r + 1)]; ++k)
      G(pattern.column[at(k)], r) = all_->jacobian[at(k)];
  }
  for (Eigen::Index r = 0; r < kept; ++r) basis.col(r) = G.col(kept_rows_[static_cast<std::size_t>(r)]);
  const Eigen::MatrixXd C = linear::PivotedQr(basis).solve_columns(G);  // transposed
  Eigen::MatrixXd loaded(kept, static_cast<Eigen::Index>(oblique_.size()));
  for (std::size_t s = 0; s < oblique_.size(); ++s)
    loaded.col(static_cast<Eigen::Index>(s)) = C.col(all_->row_of_declared(oblique_[s].load));
  shares_ = linear::Cholesky(C * C.transpose()).solve_columns(loaded);
}

// Elimination along the diagonal, the largest pivot first: the least of them is then a continuous function of the
// motion, and positive while sliding is determined.
void ContactForces::solve_loads() {
  const Eigen::Index k = known_.size();
  Eigen::MatrixXd& S = factors_;
  least_pivot_ = std::numeric_limits<double>::infinity();
  for (Eigen::Index j = 0; j < k; ++j) order_[static_cast<std::size_t>(j)] = j;
  for (Eigen::Index j = 0; j < k; ++j) {
    Eigen::Index largest = j;
    for (Eigen::Index i = j + 1; i < k; ++i) {
      if (S(i, i) > S(largest, largest)) largest = i;
    }
    if (largest != j) {
      S.row(j).swap(S.row(largest));
      S.col(j).swap(S.col(largest));
      std::swap(known_(j), known_(largest));
      std::swap(order_[static_cast<std::size_t>(j)], order_[static_cast<std::size_t>(largest)]);
    }
    const double pivot = S(j, j);
    if (!(pivot >= least_pivot_)) least_pivot_ = pivot;
    for (Eigen::Index i = j + 1; i < k; ++i) {
      const double factor = S(i, j) / pivot;
      for (Eigen::Index c = j + 1; c < k; ++c) S(i, c) -= factor * S(j, c);
      known_(i) -= factor * known_(j);
    }
  }
  for (Eigen::Index j = k - 1; j >= 0; --j) {
    for (Eigen::Index c = j + 1; c < k; ++c) known_(j) -= S(j, c) * known_(c);
    known_(j) /= S(j, j);
  }
  for (Eigen::Index j = 0; j < k; ++j) load_(order_[static_cast<std::size_t>(j)]) = known_(j);
}

}  // namespace pawl::formulate
