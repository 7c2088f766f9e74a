// Which of the contacts at rest carry a force, which stick and which slip: one problem of accelerations for all.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "contact/contact_words.hpp"
#include "contact/contacts.hpp"
#include "numerics/index.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;

constexpr double no_force = 64 * std::numeric_limits<double>::epsilon();  // of the largest force
constexpr double no_pressure = 1e-9;  // of the accelerations that a force which has let go is a difference of
constexpr double weightless = 1e-5;   // of the accelerations: differences below 1e-9 of this are rounding

/// That acts on a coordinate, as evaluated last.
double largest_force(const formulate::MechanicsForm& form) {
  double largest = 0;
  for (const double one : form.terms().force) largest = std::max(largest, std::abs(one));
  return largest;
}

bool has_redundant_normals(const Geometry& geometry) {
  std::vector<Eigen::Index> normals;
  for (const Row& row : geometry.rows) {
    if (row.normal >= 0) normals.push_back(row.normal);
  }
  if (normals.size() < 2) return false;
  const Eigen::MatrixXd W = geometry.W(normals, normals);
  return linear::PivotedQr(W, 1e-10).rank() < W.rows();
}

bool slides(const FrictionProblem& problem) {
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const FrictionContact& c) { return c.is_slipping; });
}

}  // namespace

// What separates is open from here on; the contacts that are left, and all dry friction without a gap, are asked.
std::vector<int> Contacts::at_question(double t, const double* x, Held& held, const std::vector<int>& touching,
                                       const std::vector<bool>& rests) {
  std::vector<int> asked;
  if (!touching.empty()) {
    const Geometry geometry = geometry_of(touching, t, x, held);
    for (const Row& row : geometry.rows) {
      if (geometry.u(row.normal) > resting_speed * geometry.u_scale(row.normal) && !rests[at(row.contact)])
        set_mode(held, row.contact, ContactMode::open);
      else
        asked.push_back(row.contact);
    }
  }
  for (int c = 0; c < static_cast<int>(info().contacts.size()); ++c) {
    const ContactInfo& contact = info().contacts[at(c)];
    if (contact.kind != Kind::contact && contact.has_dry_friction()) asked.push_back(c);
  }
  return asked;
}

// One contact as its speed says: it slips in a direction, or is free to stick.
bool Contacts::has_changed_speeds(const double* x) const {
  if (speeds_before_.size() != static_cast<Eigen::Index>(info().speeds.size())) return true;  // there was no event
  for (std::size_t i = 0; i < info().speeds.size(); ++i)
    if (std::abs(x[info().speeds[i]]) != speeds_before_(static_cast<Eigen::Index>(i))) return true;
  return false;
}

FrictionContact Contacts::pose(const Row& row, const Geometry& geometry, double t, const double* x, const Held& held,
                               const Seen& seen) const {
  const ContactInfo& contact = info().contacts[at(row.contact)];
  FrictionContact one;
  one.tangents = row.tangents;
  one.friction = coefficient(contact.friction, held);
  one.stick_friction = coefficient(contact.static_friction, held);
  if (row.tangents > 0) {
    const auto slip = geometry.u.segment(row.first_tangent, row.tangents);
    const double speed = slip.norm();
    const double rest =
        (mode(held, row.contact) == ContactMode::stick ? 1e3 : 1) * resting_speed *
        std::max(geometry.u_scale.segment(row.first_tangent, row.tangents).sum(), resting_speed * largest_speed_);
    // In space the guard fires where slip has turned by a right angle, too.
    const bool is_at_onset = contact.direction >= 0 && is_slip(mode(held, row.contact));
    const double onset = is_at_onset ? held.numbers[at(contact.direction + slip_onset)] : 0;
    const bool is_lost = row.tangents == 2 && speed <= std::max(least_slip_ * largest_speed_, 2 * turned_back * onset);
    // What sticks has no slip but that of rounding, unless an impulse has just given it one.
    const bool holds = mode(held, row.contact) == ContactMode::stick && !has_changed_speeds(x);
    if (contact.smoothing > 0) {
      one.is_slipping = true;
      if (speed > 0) one.direction.head(row.tangents) = std::tanh(speed / contact.smoothing) / speed * slip;
    } else if (speed > rest && !holds && !is_lost && !(seen.has_stopped && row.tangents == 1)) {
      one.is_slipping = true;
      one.direction.head(row.tangents) = slip / speed;
    }
  }
  if (contact.kind == Kind::driven) {
    one.has_fixed_normal = true;
    const detail::Surroundings<double> around{&held, {}, nullptr, nullptr, nullptr, multipliers_.get()};
    contact.normal_force(Point<double>(t, x, held.parameters.data(), &around), &one.normal_force);
    one.normal_force = std::max(one.normal_force, 0.0);
  }
  return one;
}

void Contacts::decide(double t, double* x, Held& held, const std::vector<Seen>& seen, const std::vector<int>& asked,
                      Resolution& out) {
  if (asked.empty()) return;
  const Geometry geometry = geometry_of(asked, t, x, held);
  const Eigen::VectorXd a_free = free_acceleration(t, x, held);
  if (!a_free.allFinite()) return;  // the first step says why
  FrictionProblem problem;
  problem.W = geometry.W;
  problem.b = geometry.J * a_free + geometry.gamma;
  problem.least_size = weightless * (geometry.J.cwiseAbs() * a_free.cwiseAbs()).maxCoeff();
  std::vector<double> joint(info().contacts.size(), 0);  // forces of joints with friction
  for (const Row& row : geometry.rows) {
    const ContactInfo& contact = info().contacts[at(row.contact)];
    problem.contacts.push_back(pose(row, geometry, t, x, held, seen[at(row.contact)]));
    if (contact.kind != Kind::joint) continue;
    const int load = info().constraints[at(contact.normal)].first_row;
    joint[at(row.contact)] = free_loads_.empty() ? free_form_.multiplier(t, x, load) : free_loads_[at(load)];
    problem.contacts.back().has_fixed_normal = true;
    problem.contacts.back().normal_force = std::abs(joint[at(row.contact)]);
  }
  held.margins.slip = 0.5 * least_slip_ * largest_speed_;
  FrictionSolution solution = solve(problem);
  hold_what_holds(held, seen, geometry, problem, solution);
  press_joints(geometry, problem, solution, joint);
  if (solution.is_found) look_ahead(t, x, held, seen, asked, geometry, a_free, problem, solution);
  // With redundant contacts that slip in several directions the motion may depend on how the forces are shared: those
  // of least norm decide. Without, two motions are Painlevé's.
  const bool is_painleve = solution.is_ambiguous && slides(problem) && !has_redundant_normals(geometry);
  if (!solution.is_found || is_painleve) {
    out.failure = describe_no_motion(geometry, problem, solution);
    return;
  }
  if (solution.is_ambiguous)
    out.notes.emplace_back("the forces at the contacts admit more than one motion; one of them is taken");
  // Typical speeds: those seen so far, and those that the accelerations make over a tenth of a typical length.
  const double speed = std::max(
      largest_speed_, std::sqrt(0.1 * length(x, geometry.J) * (geometry.J.cwiseAbs() * a_free.cwiseAbs()).maxCoeff()));
  // A force that has just fallen to zero, as its guard has found, is zero by the accelerations it comes from, also
  // where none of them is along the contact.
  const double zero = no_pressure * geometry.J.cwiseAbs().maxCoeff() * a_free.cwiseAbs().maxCoeff();
  const double largest = largest_force(free_form_);
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const int c = geometry.rows[i].contact, normal = geometry.rows[i].normal;
    if (seen[at(c)].has_released && normal >= 0 && problem.W(normal, normal) * solution.force(normal) <= zero)
      solution.is_degenerate[i] = true;
    if (seen[at(c)].breaks != 0 && is_near_cone(geometry.rows[i], problem.contacts[i], solution))
      solution.is_degenerate[i] = true;
    adopt(geometry.rows[i], problem.contacts[i], solution, i, seen[at(c)], speed, held);
    // Just past its zero the force of a joint is rounding, and its guard has told which way it goes.
    const bool is_told = seen[at(c)].changes_side && std::abs(joint[at(c)]) <= no_pressure * largest;
    if (info().contacts[at(c)].kind == Kind::joint && !is_told)
      held.modes[at(info().contacts[at(c)].side)] = joint[at(c)] < 0 ? -1 : 1;
  }
}

/// A typical one: the largest coordinate, or 1 where all are zero.
// A typical length, in the unit of the gaps, whatever those of the coordinates: how far they are from zero, or their
// nominal sizes where they are there.
double Contacts::length(const double* x, const Eigen::MatrixXd& J) const {
  constexpr double nothing = 1e-6;
  Eigen::VectorXd size = Eigen::VectorXd::Zero(J.cols()), nominal = Eigen::VectorXd::Ones(J.cols());
  for (std::size_t i = 0; i < info().positions.size(); ++i) {
    const int position = info().positions[i], speed = info().speed_of[i];
    if (speed < 0) continue;  // of an attitude: its angles have a nominal size of one
    if (at(position) < run_->nominals.size() && run_->nominals[at(position)] > 0)
      nominal(speed) = run_->nominals[at(position)];
    size(speed) = std::abs(x[position]);
  }
  const double length = (J.cwiseAbs() * size).maxCoeff(), usual = (J.cwiseAbs() * nominal).maxCoeff();
  return length > nothing * usual ? length : usual;
}

// On the edge between answers, and no guard says which way: what holds a little later.
void Contacts::look_ahead(double t, const double* x, const Held& held, const std::vector<Seen>& seen,
                          const std::vector<int>& asked, const Geometry& geometry, const Eigen::VectorXd& a_free,
                          const FrictionProblem& problem, FrictionSolution& solution) {
  const auto is_asked = [&](std::size_t i) {
    const Seen& here = seen[at(geometry.rows[i].contact)];
    return solution.is_degenerate[i] && !problem.contacts[i].is_slipping && !here.has_released && here.breaks == 0;
  };
  bool has_any = false;
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) has_any = has_any || is_asked(i);
  if (!has_any) return;
  const double ahead = std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(t));
  std::vector<double> later(x, x + states_), rates(states_);
  if (whole_ && whole_->rates(t, x, held, rates.data()))
    for (std::size_t i = 0; i < states_; ++i) later[i] += ahead * rates[i];
  for (const auto* own : {&info().positions, &info().speeds})
    for (const int state : *own) later[at(state)] = x[state];
  const Eigen::VectorXd a = a_free + geometry.to_speed * solution.force;
  for (std::size_t p = 0; p < info().positions.size(); ++p) {
    if (info().speed_of[p] >= 0) later[at(info().positions[p])] += ahead * x[info().speeds[at(info().speed_of[p])]];
  }
  for (std::size_t i = 0; i < info().speeds.size(); ++i)
    later[at(info().speeds[i])] += ahead * a(static_cast<Eigen::Index>(i));
  const Geometry there = maker_.make(asked, t + ahead, later.data(), held);
  const Eigen::VectorXd free = free_acceleration(t + ahead, later.data(), held);
  if (!free.allFinite()) return;
  FrictionProblem next = problem;
  next.W = there.W;
  next.b = there.J * free + there.gamma;
  // Bodies that hang side by side without pressing have accelerations of rounding: no reason to part.
  next.least_size = std::max(weightless * (there.J.cwiseAbs() * free.cwiseAbs()).maxCoeff(),
                             1e-4 * largest_speed_ * largest_speed_ / length(x, there.J));
  for (std::size_t i = 0; i < there.rows.size(); ++i) {
    const ContactInfo& contact = info().contacts[at(there.rows[i].contact)];
    if (contact.kind != Kind::driven) continue;
    const detail::Surroundings<double> around{&held, {}, nullptr, nullptr, nullptr, multipliers_.get()};
    double force = 0;
    contact.normal_force(Point<double>(t + ahead, later.data(), held.parameters.data(), &around), &force);
    next.contacts[i].normal_force = std::max(force, 0.0);
  }
  const FrictionSolution then = solve(next);
  if (!then.is_found) return;
  for (std::size_t i = 0; i < there.rows.size(); ++i) {
    if (!is_asked(i)) continue;
    const Row& row = there.rows[i];
    solution.standing[i] = then.standing[i];
    solution.is_degenerate[i] = then.is_degenerate[i];
    if (row.tangents == 0) continue;
    solution.acceleration.segment(row.first_tangent, row.tangents) =
        then.acceleration.segment(row.first_tangent, row.tangents);
    solution.force.segment(row.first_tangent, row.tangents) = then.force.segment(row.first_tangent, row.tangents);
  }
}

bool Contacts::constraints_hold(const Point<double>& point) {
  const Held& held = *point.around()->held;
  if (form_->held().modes != held.modes) return false;  // of another mode than the one in force
  form_->relays = point.around()->relays;
  const auto force = [&](int constraint, int k = 0) {
    return form_->multiplier(point.t, point.states().array, info().constraints[at(constraint)].first_row + k);
  };
  bool all_hold = true;
  for (std::size_t c = 0; c < info().contacts.size() && all_hold; ++c) {
    const ContactInfo& contact = info().contacts[c];
    const ContactMode now = mode(held, static_cast<int>(c));
    const bool has_gap = contact.kind == Kind::contact;
    if (has_gap && (contact.compliance || now == ContactMode::open)) continue;
    double pressing = 0;
    if (has_gap) {
      pressing = force(contact.normal);
      all_hold = pressing > 0;
    } else {
      contact.normal_force(point, &pressing);
    }
    if (now != ContactMode::stick) continue;
    const double along = std::hypot(force(contact.slip), contact.tangents == 2 ? force(contact.slip, 1) : 0.0);
    all_hold = all_hold && along <= coefficient(contact.static_friction, held) * pressing;
  }
  form_->relays = nullptr;
  return all_hold;
}

// With more contacts than their forces need, the constraints alone leave the forces open, and those of least norm may
// draw or leave their cones although others do not. A stick ends where no forces within the cones hold it.
bool Contacts::admissible_forces(const Point<double>& point, std::vector<SharedForces::Forces>& forces) {
  const Held& held = *point.around()->held;
  const double* x = point.states().array;
  if (constraints_hold(point)) {
    take_constraint_forces(point, forces);
    return true;
  }
  std::vector<int> asked;
  for (int c = 0; c < static_cast<int>(info().contacts.size()); ++c) {
    const ContactInfo& contact = info().contacts[at(c)];
    const bool is_closed = contact.is_rigid() && mode(held, c) != ContactMode::open;
    if (is_closed || (contact.kind == Kind::driven && contact.has_dry_friction())) asked.push_back(c);
  }
  const Geometry geometry = maker_.make(asked, point.t, x, held);
  const Eigen::VectorXd a_free = free_acceleration(point.t, x, held, point.around()->relays);
  if (!a_free.allFinite()) return false;
  FrictionProblem problem;
  problem.W = geometry.W;
  problem.b = geometry.J * a_free + geometry.gamma;
  problem.least_size = weightless * (geometry.J.cwiseAbs() * a_free.cwiseAbs()).maxCoeff();
  problem.looks_for_others = false;
  for (const Row& row : geometry.rows) {
    Seen seen;
    seen.has_stopped = mode(held, row.contact) == ContactMode::stick;  // whatever rounding makes of its speed
    problem.contacts.push_back(pose(row, geometry, point.t, x, held, seen));
    if (seen.has_stopped) problem.contacts.back().is_slipping = false;
  }
  const FrictionSolution solution = solve(problem);
  if (!solution.is_found) return false;
  const double zero = 1e-9 * (geometry.J.cwiseAbs() * a_free.cwiseAbs()).maxCoeff();
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const Row& row = geometry.rows[i];
    SharedForces::Forces& one = forces[at(row.contact)];
    one.holds = 1e9 * zero;
    if (row.normal >= 0) {
      one.normal = solution.force(row.normal);
      one.opens = solution.acceleration(row.normal) > zero ? solution.acceleration(row.normal) : 0;
    }
    for (int k = 0; k < row.tangents; ++k) {
      const double slips = solution.acceleration(row.first_tangent + k);
      one.slip[k] = solution.force(row.first_tangent + k);
      one.breaks[k] = !problem.contacts[i].is_slipping && std::abs(slips) > zero ? slips : 0;
    }
  }
  return true;
}

void Contacts::take_constraint_forces(const Point<double>& point, std::vector<SharedForces::Forces>& forces) {
  form_->relays = point.around()->relays;
  const auto force = [&](int constraint, int k = 0) {
    return form_->multiplier(point.t, point.states().array, info().constraints[at(constraint)].first_row + k);
  };
  const double largest = largest_force(*form_);
  for (std::size_t c = 0; c < info().contacts.size(); ++c) {
    const ContactInfo& contact = info().contacts[c];
    SharedForces::Forces& one = forces[c];
    const bool has_gap = contact.kind == Kind::contact;
    if (has_gap && (contact.compliance || mode(*point.around()->held, static_cast<int>(c)) == ContactMode::open))
      continue;
    one.holds = largest > 0 ? largest : 1;
    if (has_gap) one.normal = force(contact.normal);
    for (int k = 0; k < contact.tangents; ++k) one.slip[k] = force(contact.slip, k);
  }
  form_->relays = nullptr;
}

std::optional<double> Contacts::admissible_force(const Point<double>& point, int row) {
  if (!shared_->are_needed()) return std::nullopt;
  for (std::size_t c = 0; c < info().contacts.size(); ++c) {
    const ContactInfo& contact = info().contacts[c];
    if (contact.kind == Kind::joint) continue;
    const int normal = contact.normal >= 0 ? info().constraints[at(contact.normal)].first_row : -1;
    const int slip = contact.slip >= 0 ? info().constraints[at(contact.slip)].first_row : -1;
    const bool is_slip_row = slip >= 0 && row >= slip && row < slip + contact.tangents;
    if (row != normal && !is_slip_row) continue;
    if (mode(*point.around()->held, static_cast<int>(c)) == ContactMode::open) return std::nullopt;
    const SharedForces::Forces* forces = shared_->find(point, static_cast<int>(c));
    if (forces == nullptr) return std::nullopt;
    return is_slip_row ? forces->slip[row - slip] : forces->normal;
  }
  return std::nullopt;
}

double Contacts::quantity(const Point<double>& point, int number) {
  const int rows = static_cast<int>(model_->constraint_names.size());
  const double* x = point.states().array;
  form_->relays = point.around()->relays;
  double value = 0;
  if (number < rows) {
    value = form_->multiplier(point.t, x, number);  // first: it takes up the mode
    const bool presses = std::any_of(info().contacts.begin(), info().contacts.end(), [&](const ContactInfo& one) {
      return one.normal >= 0 && info().constraints[at(one.normal)].first_row == number;
    });
    // Bodies that touch without weight have a force that is rounding alone: none.
    if (presses && std::abs(value) <= no_force * largest_force(*form_)) value = 0;
  } else if (number == rows) {
    value = form_->least_slip_pivot(point.t, x);
  } else {
    for (int c = 0; c < static_cast<int>(info().contacts.size()); ++c) {
      if (info().contacts[at(c)].kind == Kind::driven && given_force_number(*model_, c) == number)
        info().contacts[at(c)].normal_force(point, &value);
    }
  }
  form_->relays = nullptr;
  return number < rows ? admissible_force(point, number).value_or(value) : value;
}

// Friction in joints presses back on the joints: iterated until both agree.
void Contacts::press_joints(const Geometry& geometry, FrictionProblem& problem, FrictionSolution& solution,
                            std::vector<double>& joint) const {
  const std::vector<double> alone = joint;
  for (int round = 0; round < 100 && solution.is_found; ++round) {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
      const int c = geometry.rows[i].contact;
      const ContactInfo& contact = info().contacts[at(c)];
      if (contact.kind != Kind::joint) continue;
      const int declared = info().constraints[at(contact.normal)].first_row;
      const auto place = std::find(geometry.joints.begin(), geometry.joints.end(), declared);
      if (place == geometry.joints.end()) continue;
      joint[at(c)] = alone[at(c)] + geometry.joint_share.row(place - geometry.joints.begin()).dot(solution.force);
      const double now = std::abs(joint[at(c)]);
      change = std::max(change, std::abs(now - problem.contacts[i].normal_force));
      size = std::max(size, now);
      problem.contacts[i].normal_force = now;
    }
    if (change <= 1e-14 * size) return;
    solution = solve(problem);
  }
}

// Its guard has found that friction reaches its limit on the polynomial of the step, which is as exact as the run.
bool Contacts::is_near_cone(const Row& row, const FrictionContact& posed, const FrictionSolution& solution) const {
  if (row.tangents == 0) return false;
  const double pressing = posed.has_fixed_normal ? posed.normal_force : solution.force(row.normal);
  const double most = posed.stick_friction * pressing;
  return solution.force.segment(row.first_tangent, row.tangents).norm() >= (1 - inexact_) * most;
}

// The mode of one contact, as the solution says.
void Contacts::adopt(const Row& row, const FrictionContact& posed, const FrictionSolution& solution, std::size_t i,
                     const Seen& seen, double speed, Held& held) const {
  const ContactInfo& contact = info().contacts[at(row.contact)];
  Standing standing = solution.standing[i];
  Eigen::Vector2d direction = posed.direction;
  const bool is_free_to_stick = row.tangents > 0 && !posed.is_slipping;
  // Just past the zero of a guard rounding cannot tell, but the guard can.
  if (solution.is_degenerate[i] && seen.has_released) standing = Standing::open;
  if (solution.is_degenerate[i] && seen.breaks != 0 && standing == Standing::stick && is_free_to_stick) {
    standing = Standing::slip;
    if (row.tangents == 1) direction(0) = seen.breaks;
  } else if (standing == Standing::slip && is_free_to_stick) {
    const auto a = solution.acceleration.segment(row.first_tangent, row.tangents);
    if (a.norm() > 0) direction.head(row.tangents) = a / a.norm();
  }
  if (row.tangents == 2 && standing == Standing::slip && is_free_to_stick) {
    const auto force = solution.force.segment(row.first_tangent, 2);
    if (force.norm() > 0) direction = -force / force.norm();
  }
  ContactMode next = ContactMode::open;
  if (standing != Standing::open || contact.kind != Kind::contact) {
    if (row.tangents == 0 || contact.smoothing > 0)
      next = ContactMode::closed;
    else if (standing == Standing::slip || posed.is_slipping)
      next = row.tangents == 2 || direction(0) > 0 ? ContactMode::slip : ContactMode::slip_back;
    else
      next = ContactMode::stick;
  }
  set_mode(held, row.contact, next);
  if (contact.direction < 0 || !is_slip(next)) return;
  double* numbers = held.numbers.data() + contact.direction;
  numbers[slip_direction] = direction(0);
  numbers[slip_direction_2] = direction(1);
  numbers[slip_onset] = is_free_to_stick ? onset_ * speed : 0;
}

std::string Contacts::describe_no_motion(const Geometry& geometry, const FrictionProblem& problem,
                                         const FrictionSolution& solution) const {
  std::vector<std::string> names, slipping;
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    names.push_back(name(geometry.rows[i].contact));
    if (problem.contacts[i].is_slipping) slipping.push_back(names.back());
  }
  if (slipping.empty())
    return fmt::format("no forces at the contacts {} agree with their laws ({})", list(names), solution.failure);
  return fmt::format(
      "{}: sliding friction at {} is {} (Painlevé).\n"
      "  likely: rigid bodies with so much friction in this position\n"
      "  try:    less friction, or a compliant contact (.compliance)",
      solution.is_found ? "more than one motion is possible" : "no motion is possible", list(slipping),
      solution.is_found ? "indeterminate: to go on sliding and to lift off are both consistent"
                        : "inconsistent: no force at the contact stops the approach");
}

// Where static friction is larger, contacts that slip together if all of them try to hold may hold one by one. As few
// as possible are let go, those that have stuck so far last.
void Contacts::hold_what_holds(const Held& held, const std::vector<Seen>& seen, const Geometry& geometry,
                               FrictionProblem& problem, FrictionSolution& solution) const {
  std::vector<std::size_t> candidates;
  std::vector<bool> has_stuck;
  for (std::size_t i = 0; i < geometry.rows.size() && solution.is_found; ++i) {
    const FrictionContact& one = problem.contacts[i];
    if (geometry.rows[i].tangents == 0 || one.is_slipping || one.stick_friction <= one.friction ||
        solution.standing[i] != Standing::slip)
      continue;
    const int c = geometry.rows[i].contact;
    candidates.push_back(i);
    has_stuck.push_back(mode(held, c) == ContactMode::stick && seen[at(c)].breaks == 0);
  }
  constexpr std::size_t most_candidates = 4;
  if (candidates.size() < 2 || candidates.size() > most_candidates) return;
  std::vector<std::pair<int, unsigned>> choices;  // by the number let go, then of those that have stuck
  for (unsigned released = 1; released + 1 < 1u << candidates.size(); ++released) {
    int cost = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (released >> k & 1u) cost += has_stuck[k] ? 11 : 10;
    }
    choices.emplace_back(cost, released);
  }
  std::sort(choices.begin(), choices.end());
  for (const auto& [cost, released] : choices) {
    FrictionProblem trial = problem;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      FrictionContact& one = trial.contacts[candidates[k]];
      if (released >> k & 1u) one.stick_friction = one.friction;
    }
    FrictionSolution another = solve(trial);
    bool holds = another.is_found;
    for (std::size_t k = 0; k < candidates.size() && holds; ++k)
      holds = (released >> k & 1u) || another.standing[candidates[k]] == Standing::stick;
    if (!holds) continue;
    problem = std::move(trial);
    solution = std::move(another);
    return;
  }
}

}  // namespace pawl::contact
