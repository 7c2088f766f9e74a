#include "contact/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "contact/impact.hpp"

namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;

constexpr double touching_gap = 1e-10;   // of the size of the coordinates
constexpr double resting_speed = 1e-12;  // of the speeds that make it up
constexpr int most_impacts = 100;        // at one instant
constexpr double weightless = 1e-5;      // of the accelerations: differences below 1e-9 of this are rounding

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string_view words(ContactMode mode) {
  switch (mode) {
    case ContactMode::open:
      return "opens";
    case ContactMode::closed:
      return "stays closed";
    case ContactMode::stick:
      return "sticks";
    case ContactMode::slip:
      return "slips";
    default:
      return "slips back";
  }
}

bool is_slip(ContactMode mode) {
  return mode == ContactMode::slip || mode == ContactMode::slip_back;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text;
}

bool has_redundant_normals(const Geometry& geometry) {
  std::vector<Eigen::Index> normals;
  for (const Row& row : geometry.rows) {
    if (row.normal >= 0) normals.push_back(row.normal);
  }
  if (normals.size() < 2) return false;
  const Eigen::MatrixXd W = geometry.W(normals, normals);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(W);
  qr.setThreshold(1e-10);
  return qr.rank() < W.rows();
}

}  // namespace

Contacts::Contacts(std::shared_ptr<const System::Declarations> model, std::shared_ptr<formulate::MechanicsForm> form,
                   std::shared_ptr<const detail::MultiplierSource> multipliers, double tolerance)
    : model_(std::move(model)),
      form_(std::move(form)),
      multipliers_(std::move(multipliers)),
      memo_(std::make_shared<ForceMemo>(*model_, form_)),
      maker_(*model_),
      onset_(1e-2 * std::pow(100 * std::min(tolerance, 1e-4), 0.4)) {}

ContactMode Contacts::mode(const Held& held, int contact) const {
  return static_cast<ContactMode>(held.modes[at(info().contacts[at(contact)].mode)]);
}

void Contacts::set_mode(Held& held, int contact, ContactMode mode) const {
  held.modes[at(info().contacts[at(contact)].mode)] = static_cast<int>(mode);
}

Resolution Contacts::resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                             Settle why) {
  Resolution out;
  memo_->clear();
  bool concerns_contacts = false, locks = false;
  const std::vector<Seen> seen = read(fired, accumulating, concerns_contacts, locks);
  if (why == Settle::pass && !concerns_contacts && accumulating < 0) return out;
  speeds_before_.resize(static_cast<Eigen::Index>(info().speeds.size()));
  for (std::size_t i = 0; i < info().speeds.size(); ++i)
    speeds_before_(static_cast<Eigen::Index>(i)) = std::abs(x[info().speeds[i]]);
  const Held before = held;
  follow_compliant(t, x, held, seen, why);
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c].changes_side) held.modes[at(info().contacts[c].side)] *= -1;
  }
  std::vector<int> close = touching(t, x, held, seen, out.failure, why);
  if (!out.failure.empty()) return out;
  if (locks) {
    std::vector<int> slipping;
    for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
      if (is_slip(mode(held, c))) slipping.push_back(c);
    }
    out.failure = describe_lock(slipping);
    return out;
  }
  stop_accumulated(t, x, held, seen);
  std::vector<double> struck(seen.size());  // speeds that impulses made here: what rounding leaves of them is rest
  for (int round = 0; strike_all(t, x, held, close, seen, struck, out); ++round) {
    if (!out.failure.empty()) return out;
    if (round == most_impacts) {
      out.failure = fmt::format("{} impacts at this instant and no end", most_impacts);
      return out;
    }
  }
  if (!out.failure.empty()) return out;
  decide(t, x, held, close, seen, at_rest(t, x, held, close, seen, struck), out);
  if (out.failure.empty()) check_pivots(t, x, held, out);
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    if (out.failure.empty() && mode(before, c) != mode(held, c) && !info().contacts[at(c)].compliance)
      out.notes.push_back(fmt::format("'{}' {}", name(c), words(mode(held, c))));
  }
  return out;
}

// The guard on the pivot of sliding contacts finds where it vanishes; here a mode may begin beyond.
void Contacts::check_pivots(double t, const double* x, const Held& held, Resolution& out) {
  std::vector<int> slipping;
  for (int c = 0; c < static_cast<int>(info().contacts.size()); ++c) {
    if (is_slip(mode(held, c)) && info().contacts[at(c)].kind != Kind::driven) slipping.push_back(c);
  }
  if (slipping.empty()) return;
  form_->lock(held);
  form_->source = nullptr;
  const double pivot = form_->least_slip_pivot(t, x);
  if (pivot <= least_pivot) out.failure = describe_lock(slipping);
}

// Where bounces accumulate the speed of approach is zero, and what was extrapolated is made so.
void Contacts::stop_accumulated(double t, double* x, const Held& held, const std::vector<Seen>& seen) {
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    if (!seen[at(c)].accumulates) continue;
    const Geometry geometry = geometry_of({c}, t, x, held);
    const int normal = geometry.rows.front().normal;
    if (!(geometry.W(normal, normal) > 0)) continue;
    const double impulse = -geometry.u(normal) / geometry.W(normal, normal);
    for (std::size_t i = 0; i < info().speeds.size(); ++i)
      x[info().speeds[i]] += impulse * geometry.to_speed(static_cast<Eigen::Index>(i), normal);
  }
}

// A compliant contact has a force while the bodies overlap.
void Contacts::follow_compliant(double t, const double* x, Held& held, const std::vector<Seen>& seen, Settle why) {
  const bool is_open_question = why != Settle::pass;
  std::vector<double> gap, scale;
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    const ContactInfo& contact = info().contacts[at(c)];
    if (!contact.compliance) continue;
    if (seen[at(c)].has_met) {
      set_mode(held, c, mode(held, c) == ContactMode::open ? ContactMode::closed : ContactMode::open);
    } else if (is_open_question) {
      if (gap.empty()) maker_.gaps(t, x, held, gap, scale);
      if (std::abs(gap[at(c)]) > touching_gap * scale[at(c)])
        set_mode(held, c, gap[at(c)] < 0 ? ContactMode::closed : ContactMode::open);
    }
  }
}

std::vector<int> Contacts::touching(double t, const double* x, const Held& held, const std::vector<Seen>& seen,
                                    std::string& failure, Settle why) {
  std::vector<double> gap, scale;
  maker_.gaps(t, x, held, gap, scale);
  std::vector<int> found;
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    if (!info().contacts[at(c)].is_rigid()) continue;
    const double slack = touching_gap * scale[at(c)];
    if (why == Settle::start && gap[at(c)] < -slack) {
      failure = fmt::format(
          "contact '{}' is penetrated by {:.3g} at the start.\n"
          "  try:    start values with a gap of zero or more",
          name(c), -gap[at(c)]);
      return {};
    }
    if (seen[at(c)].has_met || seen[at(c)].accumulates || mode(held, c) != ContactMode::open || gap[at(c)] <= slack)
      found.push_back(c);
  }
  return found;
}

// What meets is found just before it does, and the state may have left the joints by the error of a step. A contact
// alone stays where it is, so that flights keep their energy; where settling the rest would put a gap beyond zero, all
// that touch are put at zero together.
bool Contacts::close_touching(double t, const double* x, Held& held, std::span<const int> fired, Settle why) {
  bool concerns_contacts = false, locks = false;
  std::vector<Seen> seen = read(fired, -1, concerns_contacts, locks);
  if (why != Settle::pass) std::fill(seen.begin(), seen.end(), Seen());  // they may have been moved since
  std::string failure;
  const std::vector<int> close = touching(t, x, held, seen, failure, why);
  std::vector<double> gap, scale;
  maker_.gaps(t, x, held, gap, scale);
  bool has_any = false, is_beyond = false;
  for (const int c : close) {
    if (mode(held, c) != ContactMode::open) continue;
    set_mode(held, c, ContactMode::closed);
    has_any = true;
    is_beyond = is_beyond || gap[at(c)] < 0;
  }
  return is_beyond || (has_any && close.size() > 1);
}

// An impact may take all speed but rounding: what is small is measured against the speeds before it, too.
Geometry Contacts::geometry_of(const std::vector<int>& contacts, double t, const double* x, const Held& held) {
  Geometry geometry = maker_.make(contacts, t, x, held);
  largest_speed_ = std::max({largest_speed_, geometry.u.size() > 0 ? geometry.u.cwiseAbs().maxCoeff() : 0.0,
                             geometry.u_scale.size() > 0 ? geometry.u_scale.maxCoeff() : 0.0});
  if (speeds_before_.size() == geometry.J.cols())
    geometry.u_scale = geometry.u_scale.cwiseMax(geometry.J.cwiseAbs() * speeds_before_).eval();
  return geometry;
}

// Impulses where something approaches. False: nothing does.
bool Contacts::strike_all(double t, double* x, Held& held, const std::vector<int>& touching,
                          const std::vector<Seen>& seen, std::vector<double>& struck, Resolution& out) {
  if (touching.empty()) return false;
  const Geometry geometry = geometry_of(touching, t, x, held);
  ImpactProblem problem;
  std::vector<std::string> approaching;
  double fastest = 0;
  for (const Row& row : geometry.rows) {
    const ContactInfo& contact = info().contacts[at(row.contact)];
    const double u = geometry.u(row.normal);
    if (u < -resting_speed * std::max(geometry.u_scale(row.normal), struck[at(row.contact)])) {
      approaching.push_back(contact.name);
      fastest = std::max(fastest, -u);
      if (contact.impact == ImpactLaw::newton) problem.law = ImpactLaw::newton;
      problem.is_sequential = problem.is_sequential || contact.is_sequential;
    }
    const bool rests = seen[at(row.contact)].accumulates;
    problem.contacts.push_back(
        {row.tangents, coefficient(contact.friction, held), rests ? 0.0 : coefficient(contact.restitution, held)});
  }
  if (approaching.empty()) return false;
  last_approach_ = fastest;
  problem.W = geometry.W;
  problem.u = geometry.u;
  const ImpactOutcome outcome = strike(problem);
  if (!outcome.failure.empty()) {
    out.failure = fmt::format("the impact of {} has no outcome: {}", list(approaching), outcome.failure);
    return false;
  }
  for (const Row& row : geometry.rows)
    struck[at(row.contact)] += geometry.W.row(row.normal).cwiseAbs().dot(outcome.impulse.cwiseAbs());
  const Eigen::VectorXd change = geometry.to_speed * outcome.impulse;
  for (std::size_t i = 0; i < info().speeds.size(); ++i) x[info().speeds[i]] += change(static_cast<Eigen::Index>(i));
  if (info().impact_loss >= 0) held.numbers[at(info().impact_loss)] -= outcome.energy_change;
  std::string note = fmt::format("impact of {} at speed {:.6g}, energy lost {:.6g}", list(approaching), fastest,
                                 -outcome.energy_change);
  if (outcome.share < 1)
    note += fmt::format("; of the expansion {:.4g} is kept, more would raise the energy", outcome.share);
  if (outcome.rounds > 1) note += fmt::format("; {} impacts one after the other", outcome.rounds);
  if (outcome.closed_plastically) note += "; they did not end, the last one is plastic";
  out.notes.push_back(std::move(note));
  return true;
}

// Accelerations with every contact open and no dry friction.
Eigen::VectorXd Contacts::free_acceleration(double t, const double* x, const Held& held) {
  Held alone = held;
  for (const ContactInfo& contact : info().contacts) {
    if (!contact.compliance) alone.modes[at(contact.mode)] = static_cast<int>(ContactMode::open);
  }
  form_->lock(alone);
  form_->source = nullptr;
  std::vector<double> rates(model_->state_names.size());
  form_->rate(t, x, rates.data());
  Eigen::VectorXd a(static_cast<Eigen::Index>(info().speeds.size()));
  for (std::size_t i = 0; i < info().speeds.size(); ++i) a(static_cast<Eigen::Index>(i)) = rates[at(info().speeds[i])];
  return a;
}

// Contacts that stay closed whatever their speed: bounces accumulate here, their own or those of contacts that take
// turns with them, or the next one would be so flat that rounding hides it.
std::vector<bool> Contacts::at_rest(double t, const double* x, const Held& held, const std::vector<int>& touching,
                                    const std::vector<Seen>& seen, const std::vector<double>& struck) {
  std::vector<bool> rests(seen.size());
  for (std::size_t c = 0; c < seen.size(); ++c) rests[c] = seen[c].accumulates;
  const bool accumulates = std::find(rests.begin(), rests.end(), true) != rests.end();
  if (touching.empty()) return rests;
  const Geometry geometry = geometry_of(touching, t, x, held);
  Eigen::VectorXd second;
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const Row& row = geometry.rows[i];
    const double u = geometry.u(row.normal), scale = geometry.gap_scale(static_cast<Eigen::Index>(i));
    if (u <= resting_speed * struck[at(row.contact)]) rests[at(row.contact)] = true;
    const bool takes_turns = accumulates && u <= last_approach_;
    const bool is_hidden = seen[at(row.contact)].has_met && struck[at(row.contact)] == 0;  // it meets, yet separates
    if (!(u > 0)) continue;
    if (second.size() == 0) second = geometry.J * free_acceleration(t, x, held) + geometry.gamma;
    const double fall = -second(row.normal);
    if (fall > 0 && (takes_turns || is_hidden || u * u < 16 * std::numeric_limits<double>::epsilon() * scale * fall))
      rests[at(row.contact)] = true;
  }
  return rests;
}

void Contacts::decide(double t, double* x, Held& held, const std::vector<int>& touching, const std::vector<Seen>& seen,
                      const std::vector<bool>& rests, Resolution& out) {
  std::vector<int> asked = touching;
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    const ContactInfo& contact = info().contacts[at(c)];
    if (contact.kind != Kind::contact && contact.has_dry_friction()) asked.push_back(c);
  }
  if (asked.empty()) return;
  Geometry all = geometry_of(asked, t, x, held);

  // What separates is open; the rest is asked.
  std::vector<int> closed;
  for (const Row& row : all.rows) {
    if (row.normal >= 0 && all.u(row.normal) > resting_speed * all.u_scale(row.normal) && !rests[at(row.contact)])
      set_mode(held, row.contact, ContactMode::open);
    else
      closed.push_back(row.contact);
  }
  if (closed.empty()) return;
  if (closed.size() < asked.size()) all = geometry_of(closed, t, x, held);
  const Geometry& geometry = all;

  const Eigen::VectorXd a_free = free_acceleration(t, x, held);
  if (!a_free.allFinite()) return;  // the first step says why
  FrictionProblem problem;
  problem.W = geometry.W;
  problem.b = geometry.J * a_free + geometry.gamma;
  problem.least_size = weightless * (geometry.J.cwiseAbs() * a_free.cwiseAbs()).maxCoeff();
  std::vector<double> joint_alone(info().contacts.size(), 0);
  for (const Row& row : geometry.rows) {
    const ContactInfo& contact = info().contacts[at(row.contact)];
    if (contact.kind == Kind::joint)
      joint_alone[at(row.contact)] = form_->multiplier(t, x, info().constraints[at(contact.normal)].first_row);
  }
  for (const Row& row : geometry.rows) {
    const ContactInfo& contact = info().contacts[at(row.contact)];
    FrictionContact one;
    one.tangents = row.tangents;
    one.friction = coefficient(contact.friction, held);
    one.stick_friction = coefficient(contact.static_friction, held);
    if (row.tangents > 0) {
      const auto slip = geometry.u.segment(row.first_tangent, row.tangents);
      const double speed = slip.norm();
      const double rest = (mode(held, row.contact) == ContactMode::stick ? 1e3 : 1) * resting_speed *
                          geometry.u_scale.segment(row.first_tangent, row.tangents).sum();
      const bool is_lost = row.tangents == 2 && speed <= 1.01e-9 * largest_speed_;
      if (contact.smoothing > 0) {
        one.is_slipping = true;
        if (speed > 0) one.direction.head(row.tangents) = std::tanh(speed / contact.smoothing) / speed * slip;
      } else if (speed > rest && !is_lost && !seen[at(row.contact)].has_stopped) {
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
    if (contact.kind == Kind::joint) {
      one.has_fixed_normal = true;
      one.normal_force = std::abs(joint_alone[at(row.contact)]);
    }
    problem.contacts.push_back(one);
  }
  FrictionSolution solution = solve(problem);
  hold_what_holds(held, seen, geometry, problem, solution);
  // Friction in joints presses back on the joints: iterated until both agree.
  std::vector<double> joint_now = joint_alone;
  for (int round = 0; round < 100 && solution.is_found; ++round) {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
      const Row& row = geometry.rows[i];
      const ContactInfo& contact = info().contacts[at(row.contact)];
      if (contact.kind != Kind::joint) continue;
      const int declared = info().constraints[at(contact.normal)].first_row;
      const auto place = std::find(geometry.joints.begin(), geometry.joints.end(), declared);
      if (place == geometry.joints.end()) continue;
      joint_now[at(row.contact)] =
          joint_alone[at(row.contact)] + geometry.joint_share.row(place - geometry.joints.begin()).dot(solution.force);
      const double now = std::abs(joint_now[at(row.contact)]);
      change = std::max(change, std::abs(now - problem.contacts[i].normal_force));
      size = std::max(size, now);
      problem.contacts[i].normal_force = now;
    }
    if (change <= 1e-14 * size) break;
    solution = solve(problem);
  }
  // With redundant contacts that slip in several directions the motion may depend on how the forces are shared: those
  // of least norm decide. Without, two motions are Painlevé's.
  const bool slides = std::any_of(problem.contacts.begin(), problem.contacts.end(),
                                  [](const FrictionContact& c) { return c.is_slipping; });
  const bool is_painleve = solution.is_ambiguous && slides && !has_redundant_normals(geometry);
  if (!solution.is_found || is_painleve) {
    std::vector<std::string> names, slipping;
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
      names.push_back(name(geometry.rows[i].contact));
      if (problem.contacts[i].is_slipping) slipping.push_back(names.back());
    }
    if (!solution.is_found && slipping.empty())
      out.failure = fmt::format("no forces at the contacts {} agree with their laws", list(names));
    else
      out.failure = fmt::format(
          "{}: sliding friction at {} is {} (Painlevé).\n"
          "  likely: rigid bodies with so much friction in this position\n"
          "  try:    less friction, or a compliant contact (.compliance)",
          solution.is_found ? "more than one motion is possible" : "no motion is possible", list(slipping),
          solution.is_found ? "indeterminate: to go on sliding and to lift off are both consistent"
                            : "inconsistent: no force at the contact stops the approach");
    return;
  }
  if (solution.is_ambiguous)
    out.notes.push_back("the forces at the contacts admit more than one motion; one of them is taken");
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const Row& row = geometry.rows[i];
    const ContactInfo& contact = info().contacts[at(row.contact)];
    const Seen& here = seen[at(row.contact)];
    Standing standing = solution.standing[i];
    Eigen::Vector2d direction = problem.contacts[i].direction;
    const bool is_free_to_stick = row.tangents > 0 && !problem.contacts[i].is_slipping;
    // Just past the zero of a guard rounding cannot tell, but the guard can.
    if (solution.is_degenerate[i] && here.has_released) standing = Standing::open;
    if (solution.is_degenerate[i] && here.breaks != 0 && standing == Standing::stick && is_free_to_stick) {
      standing = Standing::slip;
      if (row.tangents == 1) direction(0) = here.breaks;
    } else if (standing == Standing::slip && is_free_to_stick) {
      const auto a = solution.acceleration.segment(row.first_tangent, row.tangents);
      direction.head(row.tangents) =
          a.norm() > 0 ? Eigen::VectorXd(a / a.norm()) : Eigen::VectorXd(direction.head(row.tangents));
    }
    if (row.tangents == 2 && standing == Standing::slip && is_free_to_stick) {
      const auto force = solution.force.segment(row.first_tangent, 2);
      if (force.norm() > 0) direction = -force / force.norm();
    }
    ContactMode next = ContactMode::open;
    if (standing != Standing::open || contact.kind != Kind::contact) {
      if (row.tangents == 0 || contact.smoothing > 0)
        next = ContactMode::closed;
      else if (standing == Standing::slip || problem.contacts[i].is_slipping)
        next = row.tangents == 2 || direction(0) > 0 ? ContactMode::slip : ContactMode::slip_back;
      else
        next = ContactMode::stick;
    }
    set_mode(held, row.contact, next);
    if (contact.direction >= 0 && is_slip(next)) {
      held.numbers[at(contact.direction)] = direction(0);
      held.numbers[at(contact.direction + slip_direction_2)] = direction(1);
      const bool is_onset = !problem.contacts[i].is_slipping;
      const double speed = largest_speed_ > 0 ? largest_speed_ : 1.0;
      held.numbers[at(contact.direction + slip_onset)] = is_onset ? onset_ * speed : 0;
      held.numbers[at(contact.direction + least_slip)] = is_onset ? 0 : 1e-9 * speed;
    }
    if (contact.kind == Kind::joint) held.modes[at(contact.side)] = joint_now[at(row.contact)] < 0 ? -1 : 1;
  }
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

std::string Contacts::describe_lock(const std::vector<int>& contacts) const {
  std::vector<std::string> names;
  for (const int c : contacts) names.push_back(name(c));
  return fmt::format(
      "sliding friction at {} is about to lock (Painlevé, singular): the normal force grows without bound as the "
      "bodies reach this position.\n"
      "  likely: rigid bodies with so much friction in this position\n"
      "  try:    less friction, or a compliant contact (.compliance)",
      list(names));
}

}  // namespace pawl::contact
