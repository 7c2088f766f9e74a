#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/contact_words.hpp"
#include "contact/contacts.hpp"
#include "numerics/index.hpp"
#include "numerics/orthogonal.hpp"

// Friction under a load pushes back on what presses. With unit loads at what slips, friction e_j = -μ d along the slip,
// forces p_j that keep what is closed or sticks, W_KK p_j = -W_K e_j, and what of them is load, the loads are
// (1 - L) z = z0. The pivots of 1 - L are those of ContactForces, by what impulses do in the whole.
namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;

/// By elimination along the diagonal, the largest pivot first, as ContactForces does.
double least_pivot_of(Eigen::MatrixXd S) {
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index j = 0; j < S.rows(); ++j) {
    Eigen::Index largest = j;
    for (Eigen::Index i = j + 1; i < S.rows(); ++i)
      if (S(i, i) > S(largest, largest)) largest = i;
    S.row(j).swap(S.row(largest));
    S.col(j).swap(S.col(largest));
    if (!(S(j, j) >= least)) least = S(j, j);
    for (Eigen::Index i = j + 1; i < S.rows(); ++i)
      S.row(i).tail(S.cols() - j) -= S(i, j) / S(j, j) * S.row(j).tail(S.cols() - j);
  }
  return least;
}

}  // namespace

double Contacts::slip_pivot(double t, const double* x, const Held& held, const double* relays) {
  const auto in_mechanism = [&] {
    form_->lock(held);
    form_->source = nullptr;
    form_->relays = relays;
    const double pivot = form_->least_slip_pivot(t, x);
    form_->relays = nullptr;
    return pivot;
  };
  const auto loads = [&](int c) {
    const ContactInfo& contact = info().contacts[at(c)];
    return is_slip(mode(held, c)) && contact.kind != Kind::driven && !contact.compliance;
  };
  std::vector<int> acting;
  bool has_any = false;
  for (int c = 0; c < static_cast<int>(info().contacts.size()); ++c) {
    if (mode(held, c) == ContactMode::open || info().contacts[at(c)].compliance) continue;
    acting.push_back(c);
    has_any = has_any || loads(c);
  }
  if (!whole_ || !has_any || !whole_->takes_part(t, x, held)) return in_mechanism();
  const Geometry geometry = maker_.make(acting, t, x, held);
  if (!geometry.trouble.empty() || geometry.to_state.size() == 0) return in_mechanism();

  std::vector<Eigen::Index> kept;
  std::vector<const Row*> slipping;
  for (const Row& row : geometry.rows) {
    if (row.normal >= 0) kept.push_back(row.normal);
    for (int k = 0; k < row.tangents && mode(held, row.contact) == ContactMode::stick; ++k)
      kept.push_back(row.first_tangent + k);
    if (loads(row.contact)) slipping.push_back(&row);
  }
  const auto count = static_cast<Eigen::Index>(slipping.size());
  Eigen::MatrixXd force = Eigen::MatrixXd::Zero(geometry.W.rows(), count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const Row& row = *slipping[static_cast<std::size_t>(j)];
    const double friction = coefficient(info().contacts[at(row.contact)].friction, held);
    force.col(j).segment(row.first_tangent, row.tangents) = -friction * slip_direction_of(row, geometry, held);
  }
  if (!kept.empty()) {
    const Eigen::MatrixXd W = geometry.W(kept, kept), along = geometry.W(kept, Eigen::all) * force;
    const Eigen::MatrixXd held_by = linear::LeastNorm(W).solve_columns(along);
    for (std::size_t i = 0; i < kept.size(); ++i) force.row(kept[i]) -= held_by.row(static_cast<Eigen::Index>(i));
  }
  Eigen::MatrixXd S = Eigen::MatrixXd::Identity(count, count);
  for (Eigen::Index s = 0; s < count; ++s) {
    const Row& row = *slipping[static_cast<std::size_t>(s)];
    const ContactInfo& contact = info().contacts[at(row.contact)];
    if (row.normal >= 0) {
      S.row(s) -= force.row(row.normal);
      continue;
    }
    const int declared = info().constraints[at(contact.normal)].first_row;
    const auto place = std::find(geometry.joints.begin(), geometry.joints.end(), declared);
    if (place == geometry.joints.end()) continue;
    S.row(s) -= held.modes[at(contact.side)] * (geometry.joint_share.row(place - geometry.joints.begin()) * force);
  }
  return least_pivot_of(std::move(S));
}

/// In the plane the mode says it, in space the motion, as far as it has a direction.
Eigen::VectorXd Contacts::slip_direction_of(const Row& row, const Geometry& geometry, const Held& held) const {
  const ContactInfo& contact = info().contacts[at(row.contact)];
  if (contact.smoothing > 0) {
    const Eigen::VectorXd slip = geometry.u.segment(row.first_tangent, row.tangents);
    const double size = slip.norm();
    return size > 0 ? Eigen::VectorXd(std::tanh(size / contact.smoothing) / size * slip) : slip;
  }
  if (row.tangents == 1) return Eigen::VectorXd::Constant(1, mode(held, row.contact) == ContactMode::slip ? 1 : -1);
  const double* numbers = held.numbers.data() + contact.direction;
  const Eigen::Vector2d last(numbers[slip_direction], numbers[slip_direction_2]);
  const Eigen::Vector2d now = geometry.u.segment<2>(row.first_tangent) + numbers[slip_onset] * last;
  return now.norm() > 0 ? Eigen::Vector2d(now.normalized()) : last;
}

}  // namespace pawl::contact
