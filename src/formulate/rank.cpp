// Redundant constraints: rows of G that depend on others, found by column-pivoted QR of Y = L^-1 G^T with its columns
// scaled to length one, before the motion starts and whenever the constraints in force change.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/mechanics_form.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::formulate {

namespace {

constexpr double dependent_below = 1e-11, doubtful_below = 1e-6;
constexpr int most_dense_rows = 400;  // beyond, the pivots of the sparse factors decide

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// "row a = combination of b, c": the rows with a share in it, largest first.
std::string combination(const std::vector<std::string>& names, const Eigen::VectorXd& shares) {
  std::vector<std::pair<double, std::size_t>> parts;
  for (Eigen::Index i = 0; i < shares.size(); ++i) {
    if (std::abs(shares(i)) > 1e-8) parts.emplace_back(-std::abs(shares(i)), static_cast<std::size_t>(i));
  }
  std::sort(parts.begin(), parts.end());
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 6); ++i)
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[parts[i].second]);
  if (parts.size() > 6) list += fmt::format(" and {} more", parts.size() - 6);
  return list.empty() ? "none: its derivative vanishes" : list;
}

}  // namespace

void MechanicsForm::analyze_rank(double t, const double* x) {
  drop_dependent_rows(t, x);
  if (contacts_) contacts_->arrange(t, x, *held_, terms_, in_force_);
}

std::vector<int> MechanicsForm::redundant_joints() const {
  std::vector<int> rows = redundant_;
  std::erase_if(rows, [this](int row) { return is_of_contact(row); });
  return rows;
}

bool MechanicsForm::is_of_contact(int declared) const {
  const auto& constraints = terms_.info().constraints;
  const auto has = [&](int number) { return number >= 0 && constraints[at(number)].has_row(declared); };
  return std::any_of(terms_.info().contacts.begin(), terms_.info().contacts.end(), [&](const ContactInfo& contact) {
    return has(contact.slip) || (contact.kind == ContactInfo::Kind::contact && has(contact.normal));
  });
}

void MechanicsForm::drop_dependent_rows(double t, const double* x) {
  const int m = terms_.rows();
  if (m == 0 || formulation_.scheme == Scheme::penalty) return;
  terms_.evaluate_mass(t, x);
  terms_.evaluate_jacobian(t, x);
  if (m > most_dense_rows) return analyze_sparse_rank(t, x);
  const linear::Cholesky mass(last_mass());
  if (!mass.is_positive_definite()) return;  // the first evaluation says it
  Eigen::MatrixXd Y = mass.solve_lower(last_jacobian().transpose());
  if (!Y.allFinite()) return;
  for (Eigen::Index r = 0; r < Y.cols(); ++r) {
    const double length = Y.col(r).norm();
    if (length > 0) Y.col(r) /= length;
  }
  if (Y.rows() == 0) return;
  const linear::PivotedQr qr(Y);
  const double largest = std::abs(qr.pivot(0));
  int rank = 0;
  double least = 1;
  const Eigen::Index diagonal = std::min(Y.rows(), Y.cols());
  for (; rank < diagonal && std::abs(qr.pivot(rank)) > dependent_below * largest; ++rank)
    least = std::abs(qr.pivot(rank)) / largest;
  if (rank < m) {
    // Of a set of dependent rows the ones declared first stay: going through them in order, a row stays if it adds.
    std::vector<int> kept, dropped;
    for (int r = 0; r < m; ++r) {
      Eigen::MatrixXd trial(Y.rows(), static_cast<Eigen::Index>(kept.size()) + 1);
      for (std::size_t i = 0; i < kept.size(); ++i) trial.col(static_cast<Eigen::Index>(i)) = Y.col(kept[i]);
      trial.col(trial.cols() - 1) = Y.col(r);
      const linear::PivotedQr step(trial, 10 * dependent_below);
      (step.rank() == trial.cols() ? kept : dropped).push_back(r);
    }
    drop_rows(t, x, kept, dropped, Y);
  } else if (least < doubtful_below) {
    const auto last = static_cast<int>(qr.column_of_pivot(rank - 1));
    if (is_of_contact(terms_.declared_row(last))) return;
    notes_.push_back(make_message(MessageCode::constraint_nearly_redundant, t,
                                  {{"constraint", terms_.row_name(last)},
                                   {"distance", least},
                                   {"how", fmt::format("is within {:.1e} of depending on the others: reaction forces "
                                                       "are uncertain by that factor",
                                                       least)}}));
  }
}

void MechanicsForm::drop_rows(double t, const double* x, const std::vector<int>& kept, const std::vector<int>& dropped,
                              const Eigen::MatrixXd& Y) {
  std::vector<std::string> names;
  std::vector<int> declared;
  Eigen::MatrixXd basis(Y.rows(), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    names.push_back(terms_.row_name(kept[i]));
    declared.push_back(terms_.declared_row(kept[i]));
    basis.col(static_cast<Eigen::Index>(i)) = Y.col(kept[i]);
  }
  linear::PivotedQr qr;
  if (!kept.empty()) qr.compute(basis);
  for (const int r : dropped) {
    if (!is_of_contact(terms_.declared_row(r))) {  // a body on four corners is nothing to be told of
      const std::string of = combination(names, kept.empty() ? Eigen::VectorXd() : qr.solve(Y.col(r)));
      notes_.push_back(make_message(
          MessageCode::constraint_redundant, t,
          {{"constraint", terms_.row_name(r)}, {"combination", fmt::format(" (a combination of {})", of)}}));
    }
    redundant_.push_back(terms_.declared_row(r));
  }
  terms_.arrange(t, x, declared);
  make_kkt();
}

// The first row whose pivot vanishes depends on rows before it; without it the next may be found.
void MechanicsForm::analyze_sparse_rank(double t, const double* x) {
  for (;;) {
    terms_.evaluate_mass(t, x);
    terms_.evaluate_jacobian(t, x);
    if (kkt_->factor(terms_.mass.data(), terms_.jacobian.data(), false) != Kkt::Status::rows_depend) return;
    const int row = kkt_->culprit();
    if (!is_of_contact(terms_.declared_row(row))) {
      notes_.push_back(make_message(MessageCode::constraint_redundant, t,
                                    {{"constraint", terms_.row_name(row)}, {"combination", ""}}));
    }
    redundant_.push_back(terms_.declared_row(row));
    std::vector<int> declared;
    for (int r = 0; r < terms_.rows(); ++r) {
      if (r != row) declared.push_back(terms_.declared_row(r));
    }
    terms_.arrange(t, x, declared);
    make_kkt();
  }
}

std::string MechanicsForm::contradiction(double t, const double* x) {
  if (redundant_.empty()) return {};
  std::vector<double> rates(x_last_.size());
  rate(t, x, rates.data());
  ++extra_evaluations;
  if (!has_last_) return {};
  MechanicsTerms& all = all_terms(t, x);
  all.rate_of_positions(x);
  all.evaluate_jacobian(t, x);
  all.evaluate_motion(t, x);
  for (const int declared : redundant_) {
    const int row = all.row_of_declared(declared);
    double length = 0, speed = 0, force = std::abs(all.gamma[at(row)]), second = all.gamma[at(row)];
    const SparseRows& G = all.pattern();
    for (int k = G.first[at(row)]; k < G.first[at(row + 1)]; ++k) {
      const int state = all.info().speeds[at(G.column[at(k)])];
      length += std::abs(all.jacobian[at(k)]);
      speed += std::abs(all.jacobian[at(k)] * x[state]);
      second += all.jacobian[at(k)] * rates[at(state)];
      force += std::abs(all.jacobian[at(k)] * rates[at(state)]);
    }
    for (const auto& [size, scale, what] :
         {std::tuple{row < all.holonomic() ? all.value[at(row)] : 0.0, length, "violated by"},
          std::tuple{all.slope[at(row)], speed, "violated at the velocity level by"},
          std::tuple{second, force, "violated at the acceleration level by"}}) {
      if (std::abs(size) > 1e-9 * std::max(scale, 1e-3)) {
        return length == 0 || length < 1e-10
                   ? fmt::format(
                         "constraint '{}' is {} {:.3g}, and its derivative vanishes there: a singular start.\n"
                         "  try:    start values a little away from it",
                         model_->constraint_names[at(declared)], what, size)
                   : fmt::format(
                         "constraint '{}' contradicts the others: it depends on them here, but is {} {:.3g} "
                         "where they hold.\n"
                         "  try:    drop it, change it so that all can hold together, or start a little away "
                         "from here if only this configuration is singular",
                         model_->constraint_names[at(declared)], what, size);
      }
    }
  }
  return {};
}

MechanicsTerms& MechanicsForm::all_terms(double t, const double* x) {
  if (!all_terms_ || all_terms_->rows() != static_cast<int>(in_force_.size())) {
    all_terms_ = std::make_unique<MechanicsTerms>(*model_);
    all_terms_->lock(*held_);
    all_terms_->arrange(t, x, in_force_);
  }
  all_terms_->lock(*held_);
  return *all_terms_;
}

MechanicsForm::RowsInForce MechanicsForm::rows_in_force(double t, const double* x) {
  MechanicsTerms& all = all_terms(t, x);
  all.evaluate_jacobian(t, x);
  RowsInForce rows{to_dense(all), {}};
  for (int r = 0; r < all.rows(); ++r) rows.declared.push_back(all.declared_row(r));
  return rows;
}

std::string MechanicsForm::violation(double t, const double* x, const double* allowed) {
  return violation_of(redundant_, t, x, allowed);
}

// Rows that depended on others when they were dropped need not do so for ever.
std::string MechanicsForm::violation_of(const std::vector<int>& rows, double t, const double* x,
                                        const double* allowed) {
  if (rows.empty()) return {};
  prepare(t, x);
  MechanicsTerms& all = all_terms(t, x);
  std::vector<double> values(at(all.rows()), 0.0);
  all.evaluate_values(t, x, values.data());
  all.evaluate_jacobian(t, x);
  all.rate_of_positions(x);
  all.evaluate_motion(t, x);
  const SparseRows& G = all.pattern();
  for (const int declared : rows) {
    const int row = all.row_of_declared(declared);
    double position = 0, speed = 0;
    for (int k = G.first[at(row)]; k < G.first[at(row + 1)]; ++k) {
      const auto column = at(G.column[at(k)]);
      speed += std::abs(all.jacobian[at(k)]) * allowed[all.info().speeds[column]];
      for (std::size_t i = 0; i < all.info().positions.size(); ++i) {
        if (all.info().speed_of[i] == static_cast<int>(column))
          position += std::abs(all.jacobian[at(k)]) * allowed[all.info().positions[i]];
      }
    }
    const bool is_off = row < all.holonomic() && position > 0 && std::abs(values[at(row)]) > 10 * position;
    if (is_off || (speed > 0 && std::abs(all.slope[at(row)]) > 10 * speed)) {
      return fmt::format(
          "constraint '{}' depended on the others at first and was dropped, but no longer holds with them: "
          "off by {:.3g}, its rate by {:.3g}.\n"
          "  try:    a start at which the constraints are independent, or constraints that can hold "
          "together",
          model_->constraint_names[at(declared)], row < all.holonomic() ? values[at(row)] : 0.0, all.slope[at(row)]);
    }
  }
  return {};
}

}  // namespace pawl::formulate
