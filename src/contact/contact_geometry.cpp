#include "contact/contact_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/elimination.hpp"
#include "numerics/index.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::contact {

namespace {

/// G of the rows in force, dense.
Eigen::MatrixXd dense(const formulate::MechanicsTerms& terms) {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(terms.rows(), terms.size());
  const formulate::SparseRows& pattern = terms.pattern();
  for (int r = 0; r < terms.rows(); ++r) {
    for (int k = pattern.first[at(r)]; k < pattern.first[at(r + 1)]; ++k)
      G(r, pattern.column[at(k)]) = terms.jacobian[at(k)];
  }
  return G;
}

Eigen::MatrixXd dense_mass(const formulate::MechanicsTerms& terms) {
  const Eigen::Index n = terms.size();
  if (!terms.is_sparse())
    return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(terms.mass.data(), n, n)
        .selfadjointView<Eigen::Lower>();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  const formulate::SparseRows& pattern = terms.mass_pattern();
  for (int r = 0; r < pattern.rows(); ++r) {
    for (int k = pattern.first[at(r)]; k < pattern.first[at(r + 1)]; ++k)
      M(r, pattern.column[at(k)]) = M(pattern.column[at(k)], r) = terms.mass[at(k)];
  }
  return M;
}

}  // namespace

Held with_open_contacts(const MechanicsInfo& info, Held held) {
  for (const ContactInfo& contact : info.contacts) {
    if (!contact.compliance) held.modes[at(contact.mode)] = static_cast<int>(ContactMode::open);
  }
  return held;
}

Geometry GeometryMaker::make(const std::vector<int>& contacts, double t, const double* x, const Held& held) {
  // Rows of positions come first, then those of speeds; joints among both.
  std::vector<int> positions, speeds;
  Geometry out;
  std::vector<int>& joints = out.joints;
  std::vector<bool> is_of_contact(info().constraints.size(), false);
  for (const ContactInfo& contact : info().contacts) {
    if (contact.kind == ContactInfo::Kind::contact) is_of_contact[at(contact.normal)] = true;
    if (contact.slip >= 0) is_of_contact[at(contact.slip)] = true;
  }
  for (std::size_t i = 0; i < info().constraints.size(); ++i) {
    const auto& constraint = info().constraints[i];
    if (is_of_contact[i]) continue;
    if (!constraint.only_when.is_always_true() && !constraint.only_when.holds(held)) continue;
    for (int row = 0; row < constraint.rows; ++row) {
      (constraint.is_on_speeds ? speeds : positions).push_back(constraint.first_row + row);
      joints.push_back(constraint.first_row + row);
    }
  }
  for (const int c : contacts) {
    const ContactInfo& contact = info().contacts[at(c)];
    if (contact.kind == ContactInfo::Kind::contact)
      positions.push_back(info().constraints[at(contact.normal)].first_row);
    for (int row = 0; row < contact.tangents; ++row)
      speeds.push_back(info().constraints[at(contact.slip)].first_row + row);
  }
  std::vector<int> all = positions;
  all.insert(all.end(), speeds.begin(), speeds.end());
  terms_.lock(held);
  terms_.arrange(t, x, all);
  terms_.rate_of_positions(x);
  terms_.evaluate_mass(t, x);
  terms_.evaluate_jacobian(t, x);
  terms_.evaluate_motion(t, x);
  const Eigen::MatrixXd G = dense(terms_);
  const Eigen::Index n = terms_.size();

  std::vector<int> picked;  // rows of G, in the order of the contacts
  for (const int c : contacts) {
    const ContactInfo& contact = info().contacts[at(c)];
    Row row{c};
    if (contact.kind == ContactInfo::Kind::contact) {
      row.normal = static_cast<int>(picked.size());
      picked.push_back(terms_.row_of_declared(info().constraints[at(contact.normal)].first_row));
    }
    row.tangents = contact.tangents;
    if (row.tangents > 0) row.first_tangent = static_cast<int>(picked.size());
    for (int k = 0; k < row.tangents; ++k)
      picked.push_back(terms_.row_of_declared(info().constraints[at(contact.slip)].first_row + k));
    out.rows.push_back(row);
  }
  const auto count = static_cast<Eigen::Index>(picked.size());
  out.J.resize(count, n);
  out.u.resize(count);
  out.u_scale.setZero(count);
  out.gamma.resize(count);
  out.gap.setZero(static_cast<Eigen::Index>(contacts.size()));
  out.gap_scale.setZero(out.gap.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    const int r = picked[static_cast<std::size_t>(i)];
    out.J.row(i) = -G.row(r);
    out.u(i) = -terms_.slope[at(r)];
    out.gamma(i) = -terms_.gamma[at(r)];
    for (Eigen::Index k = 0; k < n; ++k)
      out.u_scale(i) += std::abs(G(r, k) * x[info().speeds[static_cast<std::size_t>(k)]]);
  }
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    if (out.rows[i].normal < 0) continue;
    const auto k = static_cast<Eigen::Index>(i);
    out.gap(k) = -terms_.value[at(picked[at(out.rows[i].normal)])];
    for (std::size_t p = 0; p < info().positions.size(); ++p) {
      if (info().speed_of[p] >= 0)
        out.gap_scale(k) += std::abs(out.J(out.rows[i].normal, info().speed_of[p]) * x[info().positions[p]]);
    }
  }

  const linear::Cholesky mass(dense_mass(terms_));
  out.to_speed = mass.solve_columns(out.J.transpose());
  if (!joints.empty() && count > 0) {
    Eigen::MatrixXd Gj(static_cast<Eigen::Index>(joints.size()), n);
    for (std::size_t i = 0; i < joints.size(); ++i)
      Gj.row(static_cast<Eigen::Index>(i)) = G.row(terms_.row_of_declared(joints[i]));
    const Eigen::MatrixXd MG = mass.solve_columns(Gj.transpose());
    // Joints may be redundant: the least solution is the right one.
    out.joint_share = linear::LeastNorm(Gj * MG).solve_columns(Gj * out.to_speed);
    out.to_speed -= MG * out.joint_share;
  }
  if (whole_ != nullptr && count > 0 && whole_->takes_part(t, x, held)) follow_impulses(t, x, held, out);
  out.W = out.J * out.to_speed;
  out.W = (0.5 * (out.W + out.W.transpose())).eval();
  return out;
}

// What equations bind to the speeds is inertia too: an EMF over a capacitor, a force that follows from accelerations.
void GeometryMaker::follow_impulses(double t, const double* x, const Held& held, Geometry& out) {
  Whole::Response response;
  out.trouble = whole_->respond(t, x, with_open_contacts(info(), held), out.J.transpose(), out.to_speed, response);
  if (response.jumps.size() == 0) return;
  for (Eigen::Index i = 0; i < out.to_speed.rows(); ++i)
    out.to_speed.row(i) = response.jumps.row(info().speeds[static_cast<std::size_t>(i)]);
  for (Eigen::Index i = 0; i < out.joint_share.rows(); ++i)
    out.joint_share.row(i) = response.multipliers.row(out.joints[static_cast<std::size_t>(i)]);
  out.to_state = std::move(response.jumps);
}

double GeometryMaker::energy(double t, const double* x, const Held& held) {
  terms_.lock(held);
  terms_.arrange(t, x, {});
  terms_.evaluate_mass(t, x);
  Eigen::VectorXd v(terms_.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) v(i) = x[info().speeds[static_cast<std::size_t>(i)]];
  double sum = 0.5 * v.dot(dense_mass(terms_) * v), part = 0;
  const detail::Surroundings<double> around{&held};
  for (const Function& potential : info().potentials) {
    potential(Point<double>(t, x, held.parameters.data(), &around), &part);
    sum += part;
  }
  return sum;
}

void GeometryMaker::move(double* x, const Eigen::VectorXd& change) {
  std::vector<double> moving(x, x + model_.state_names.size());
  for (std::size_t i = 0; i < info().speeds.size(); ++i)
    moving[at(info().speeds[i])] = change(static_cast<Eigen::Index>(i));
  terms_.rate_of_positions(moving.data());
  for (std::size_t i = 0; i < info().positions.size(); ++i) x[info().positions[i]] += terms_.q_rate[i];
}

void GeometryMaker::gaps(double t, const double* x, const Held& held, std::vector<double>& gap,
                         std::vector<double>& scale) {
  const auto& contacts = info().contacts;
  gap.assign(contacts.size(), 0);
  scale.assign(contacts.size(), 0);
  if (t != last_time_) {
    time_before_ = last_time_;
    last_time_ = t;
  }
  const double since = std::abs(t - time_before_);
  double farthest = 0;
  for (const int state : info().positions) farthest = std::max(farthest, std::abs(x[state]));
  const detail::Surroundings<double> around{&held};
  const detail::Surroundings<Gradient> around_dual{&held};
  const Point<double> point(t, x, held.parameters.data(), &around);
  std::vector<Gradient> duals(model_.state_names.size());
  for (std::size_t i = 0; i < duals.size(); ++i) duals[i] = Gradient(x[i]);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].kind != ContactInfo::Kind::contact) continue;
    contacts[c].gap(point, &gap[c]);
    scale[c] = 1e-4;  // so that 1e-10 of it is 1e-14: what rounding makes of coordinates near zero
    if (!(std::abs(gap[c]) <= 1e-6 * std::max(farthest, 1.0))) continue;
    // Near zero its own terms say what rounding is: coordinates, and how far they may have come since the last event.
    double terms = 0;
    for (std::size_t first = 0; first < info().positions.size(); first += 8) {
      const std::size_t count = std::min<std::size_t>(8, info().positions.size() - first);
      for (std::size_t k = 0; k < count; ++k) duals[at(info().positions[first + k])].slope[k] = 1;
      Gradient value;
      contacts[c].gap(Point<Gradient>(Gradient(t), duals.data(), held.parameters.data(), &around_dual), &value);
      for (std::size_t k = 0; k < count; ++k) {
        duals[at(info().positions[first + k])].slope[k] = 0;
        const std::size_t p = first + k;
        const double way = info().speed_of[p] >= 0 ? std::abs(x[info().speeds[at(info().speed_of[p])]]) * since : 0;
        terms += std::abs(value.slope[k]) * (std::abs(x[info().positions[p]]) + way);
      }
    }
    scale[c] = std::max(scale[c], terms);
  }
}

}  // namespace pawl::contact
