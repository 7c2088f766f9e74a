#include "contact/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "contact/contact_words.hpp"
#include "contact/impact.hpp"

namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;

constexpr double touching_gap = 1e-10;  // of the size of the coordinates
constexpr int most_impacts = 100;       // at one instant

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
  decide(t, x, held, seen, at_question(t, x, held, close, at_rest(t, x, held, close, seen, struck)), out);
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
