#include "contact/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "contact/contact_words.hpp"
#include "contact/impact.hpp"
#include "formulate/mechanics_rows.hpp"
#include "numerics/index.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;

constexpr double touching_gap = 1e-10;  // of the size of the coordinates
constexpr int most_impacts = 100;       // at one instant
constexpr double unsolved = 1e-9;       // of the speeds of an impact: what its solution may leave
constexpr double slow = 2e-7;           // of the largest speed: bounces may be below the rounding of gaps
constexpr double gap_rounding = 8 * std::numeric_limits<double>::epsilon();  // of the size of the coordinates

/// What a contact has done whose mode was another before.
void tell(const ContactInfo& contact, int number, ContactMode before, ContactMode after,
          std::vector<ContactFired>& out) {
  const auto add = [&](ContactEvent kind) { out.push_back({number, kind}); };
  const bool closes = before == ContactMode::open && contact.kind == Kind::contact;
  if (before == after) return;
  if (closes) add(contact.compliance ? ContactEvent::impact : ContactEvent::rest);
  if (after == ContactMode::stick) add(ContactEvent::stick);
  if (is_slip(after)) add(ContactEvent::slip);
  if (after == ContactMode::open) add(ContactEvent::release);
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

Contacts::Contacts(std::shared_ptr<const System::Declarations> mechanism,
                   std::shared_ptr<const System::Declarations> run, std::shared_ptr<formulate::MechanicsForm> form,
                   std::shared_ptr<const detail::MultiplierSource> multipliers, double tolerance)
    : model_(std::move(mechanism)),
      run_(std::move(run)),
      form_(std::move(form)),
      multipliers_(std::move(multipliers)),
      shared_(
          std::make_shared<SharedForces>(*model_, form_,
                                         [this](const Point<double>& at, std::vector<SharedForces::Forces>& forces) {
                                           return admissible_forces(at, forces);
                                         })),
      maker_(*model_),
      free_form_(model_, formulate::Formulation()),
      onset_(1e-2 * std::pow(100 * std::min(tolerance, 1e-4), 0.4)),
      least_slip_(std::max(10 * std::min(tolerance, 1e-4), 1e-9)),
      inexact_(1000 * std::min(tolerance, 1e-4)),
      last_struck_(info().contacts.size(), 0.0),
      states_(run_->state_names.size()) {}

ContactMode Contacts::mode(const Held& held, int contact) const {
  return static_cast<ContactMode>(held.modes[at(info().contacts[at(contact)].mode)]);
}

void Contacts::set_mode(Held& held, int contact, ContactMode mode) const {
  held.modes[at(info().contacts[at(contact)].mode)] = static_cast<int>(mode);
}

// Contacts end and begin by guards of their own, and are resolved together at every event.
Resolution Contacts::resolve(double t, double* x, Held& held, std::span<const int> fired, int accumulating, Settle why,
                             const Settler& settle) {
  // A state read from dense output may leave what is closed by the error of a step: that is no impact.
  if (why == Settle::pass) {
    if (std::string failure = settle(t, x, held); !failure.empty()) return {.failure = std::move(failure)};
  }
  if (Held closing = held; why != Settle::start && close_touching(t, x, closing, fired, why)) {
    std::vector<double> met(x, x + states_);
    bool has_met = settle(t, met.data(), closing).empty();
    while (has_met && close_touching(t, met.data(), closing, fired, why))  // moved there, others may touch
      has_met = settle(t, met.data(), closing).empty();
    if (has_met) {
      go_on_to_meet(t, x, held, fired);
      for (const int position : info().positions) x[position] = met[at(position)];
      if (why == Settle::pass) settle(t, x, held);     // its speeds, there
      if (whole_) part_rounding(t, x, held, closing);  // forms settle to rounding themselves
    }
  }
  return resolve_met(t, x, held, fired, accumulating, why);
}

// Equations are solved to some units of rounding, by which what has met may still overlap: it is put where it touches,
// by the least move that the joints allow. closing: with what has met closed.
void Contacts::part_rounding(double t, double* x, const Held& held, const Held& closing) {
  std::vector<double> gap, scale;
  maker_.gaps(t, x, held, gap, scale);
  std::vector<int> overlapping;
  for (int c = 0; c < static_cast<int>(gap.size()); ++c) {
    const bool has_met = mode(closing, c) == ContactMode::closed && mode(held, c) == ContactMode::open;
    if (has_met && gap[at(c)] < 0 && gap[at(c)] >= -touching_gap * scale[at(c)]) overlapping.push_back(c);
  }
  if (overlapping.empty()) return;
  const Geometry geometry = maker_.make(overlapping, t, x, held);
  const auto count = static_cast<Eigen::Index>(overlapping.size());
  Eigen::MatrixXd W(count, count), to_speed(geometry.to_speed.rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto normal = [&](Eigen::Index row) { return geometry.rows[static_cast<std::size_t>(row)].normal; };
    to_speed.col(i) = geometry.to_speed.col(normal(i));
    for (Eigen::Index j = 0; j < count; ++j) W(i, j) = geometry.W(normal(i), normal(j));
  }
  maker_.move(x, to_speed * linear::LeastNorm(W).solve(-geometry.gap));
}

// What is found just before it meets is put where it does, and has the speeds of there: those of too early an instant,
// event by event, would take energy from bodies that rock to rest.
void Contacts::go_on_to_meet(double t, double* x, const Held& held, std::span<const int> fired) {
  bool concerns_contacts = false, locks = false;
  const std::vector<Seen> seen = read(fired, -1, concerns_contacts, locks);
  std::vector<int> meeting;
  for (int c = 0; c < static_cast<int>(seen.size()); ++c)
    if (seen[at(c)].has_met && info().contacts[at(c)].is_rigid() && mode(held, c) == ContactMode::open)
      meeting.push_back(c);
  if (meeting.empty()) return;
  std::vector<double> gap, scale;
  maker_.gaps(t, x, held, gap, scale);
  const Geometry geometry = maker_.make(meeting, t, x, held);
  double ahead = std::numeric_limits<double>::infinity();
  for (const Row& row : geometry.rows) {
    const double left = gap[at(row.contact)], speed = -geometry.u(row.normal);
    if (!(left > 0 && left <= touching_gap * scale[at(row.contact)] && speed > 0)) return;
    ahead = std::min(ahead, left / speed);
  }
  std::vector<double> rates(states_);
  if (whole_) {
    if (!whole_->rates(t, x, held, rates.data())) return;
  } else {
    form_->lock(held);
    form_->source = nullptr;
    form_->rate(t, x, rates.data());
    ++form_->extra_evaluations;
  }
  for (const Row& row : geometry.rows) {  // along a straight line, but for what its curvature adds
    double change = 0;
    for (std::size_t i = 0; i < info().speeds.size(); ++i)
      change += geometry.J(row.normal, static_cast<Eigen::Index>(i)) * rates[at(info().speeds[i])];
    if (!(std::abs(change) * ahead <= 0.1 * std::abs(geometry.u(row.normal)))) return;
  }
  Eigen::VectorXd change(geometry.J.cols());
  for (std::size_t i = 0; i < info().speeds.size(); ++i)
    change(static_cast<Eigen::Index>(i)) = std::abs(ahead * rates[at(info().speeds[i])]);
  // And by no more than rounding may do.
  if (!((geometry.J.cwiseAbs() * change).maxCoeff() <= slow * largest_speed_)) return;
  for (const int speed : info().speeds) x[speed] += ahead * rates[at(speed)];
}

/// Where what touches has met to rounding.
Resolution Contacts::resolve_met(double t, double* x, Held& held, std::span<const int> fired, int accumulating,
                                 Settle why) {
  Resolution out;
  shared_->clear();
  bool concerns_contacts = false, locks = false;
  std::vector<Seen> seen = read(fired, accumulating, concerns_contacts, locks);
  if (why == Settle::pass && !concerns_contacts && accumulating < 0) return out;
  speeds_before_.resize(static_cast<Eigen::Index>(info().speeds.size()));
  for (std::size_t i = 0; i < info().speeds.size(); ++i)
    speeds_before_(static_cast<Eigen::Index>(i)) = std::abs(x[info().speeds[i]]);
  const Held before = held;
  if (out.failure = check_coefficients(held); !out.failure.empty()) return out;
  if (why == Settle::jump && accumulating < 0) {  // a jump of the model may have taken away what had met
    std::vector<double> gap, scale;
    maker_.gaps(t, x, held, gap, scale);
    for (std::size_t c = 0; c < seen.size(); ++c)
      seen[c].has_met = seen[c].has_met && std::abs(gap[c]) <= touching_gap * scale[c];
  }
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
      out.failure = fmt::format(
          "{} impacts at this instant and no end: {}.\n"
          "  likely: several contacts that pass an impact on and back without end\n"
          "  try:    less restitution, .sequential for their contacts, or compliant ones (.compliance)",
          most_impacts, out.notes.back());
      return out;
    }
  }
  if (!out.failure.empty()) return out;
  turn_back_rounding(t, x, held, close);
  rest_below_rounding(t, x, held, close, seen, struck);
  const std::vector<int> asked = at_question(t, x, held, close, at_rest(t, x, held, close, seen, struck));
  stop_resting(t, x, held, asked);
  decide(t, x, held, seen, asked, out);
  if (out.failure.empty()) stop_what_opens(t, x, held, asked);
  if (out.failure.empty()) check_motion(t, x, held, out);
  if (out.failure.empty() && info().impact_loss >= 0) {
    // Without friction what they take is of second order in their speed, and below what is known of the flight.
    bool rubs = false;
    for (std::size_t c = 0; c < seen.size(); ++c)
      rubs = rubs || (seen[c].accumulates && coefficient(info().contacts[c].friction, held) > 0);
    balance(t, x, held, rubs);
  }
  for (int c = 0; c < static_cast<int>(seen.size()) && out.failure.empty(); ++c) {
    if (mode(before, c) != mode(held, c) && !info().contacts[at(c)].compliance)
      out.notes.push_back(fmt::format("'{}' {}", name(c), words(mode(held, c))));
    if (why != Settle::start) tell(info().contacts[at(c)], c, mode(before, c), mode(held, c), out.contacts);
  }
  const auto in_order = [](const ContactFired& a, const ContactFired& b) {
    return a.contact != b.contact ? a.contact < b.contact : a.kind < b.kind;
  };
  std::sort(out.contacts.begin(), out.contacts.end(), in_order);
  out.contacts.erase(std::unique(out.contacts.begin(), out.contacts.end()), out.contacts.end());
  return out;
}

// What the guards that have fired say, by contact.
std::vector<Contacts::Seen> Contacts::read(std::span<const int> fired, int accumulating, bool& concerns_contacts,
                                           bool& locks) const {
  using Ends = ContactEnd;
  std::vector<Seen> seen(info().contacts.size());
  for (const int guard : fired) {
    const GuardInfo& one = run_->guards[at(guard)];
    if (!one.contact_end) continue;
    concerns_contacts = true;
    if (one.contact_end == Ends::lock) {
      locks = true;
      continue;
    }
    Seen& here = seen[at(one.contact)];
    if (one.contact_end == Ends::gap) here.has_met = true;
    if (one.contact_end == Ends::release) here.has_released = true;
    if (one.contact_end == Ends::slip) here.has_stopped = true;
    if (one.contact_end == Ends::pull) here.lets_go = true;
    if (one.contact_end == Ends::press) here.presses = true;
    if (one.contact_end == Ends::side) here.changes_side = true;
    if (one.contact_end == Ends::cone) here.breaks = 1;
    if (one.contact_end == Ends::cone_back) here.breaks = -1;
  }
  if (accumulating >= 0 && run_->guards[at(accumulating)].contact >= 0)
    seen[at(run_->guards[at(accumulating)].contact)].accumulates = true;
  return seen;
}

// The bounces that an accumulation leaves out take energy too: what the motion after the last one would have here, less
// what there is.
void Contacts::balance(double t, const double* x, Held& held, bool accumulates) {
  const auto count = model_->state_names.size();
  const auto total = [&](const double* state) {
    return maker_.energy(t, state, held) + (info().friction_work >= 0 ? state[info().friction_work] : 0);
  };
  if (accumulates && left_.size() == count) {
    const double dt = t - left_time_;
    for (std::size_t i = 0; i < info().positions.size(); ++i) {
      if (info().speed_of[i] >= 0)
        left_[at(info().positions[i])] += dt * dt / 2 * left_rates_[at(info().speeds[at(info().speed_of[i])])];
    }
    for (std::size_t i = 0; i < count; ++i) left_[i] += dt * left_rates_[i];
    held.numbers[at(info().impact_loss)] += std::max(total(left_.data()) - total(x), 0.0);
  }
  left_time_ = t;
  left_.assign(x, x + count);
  left_rates_.resize(count);
  form_->lock(held);
  form_->source = nullptr;
  form_->rate(t, x, left_rates_.data());
  ++form_->extra_evaluations;
}

std::string Contacts::check_coefficients(const Held& held) const {
  for (const ContactInfo& contact : info().contacts) {
    const double e = coefficient(contact.restitution, held), mu = coefficient(contact.friction, held),
                 static_mu = coefficient(contact.static_friction, held);
    if (e >= 0 && e <= 1 && mu >= 0 && static_mu >= mu) continue;
    return fmt::format(
        "contact '{}' has restitution {:g}, friction {:g} and static friction {:g}.\n"
        "  try:    restitution between 0 and 1, friction from 0 on, static friction not below it",
        contact.name, e, mu, static_mu);
  }
  return {};
}

// What was decided, in motion: the guard on the pivot of sliding contacts finds where it vanishes, but a mode may begin
// beyond; and what begins to slip must be driven, not drive.
void Contacts::check_motion(double t, const double* x, Held& held, Resolution& out) {
  std::vector<int> slipping, pressed;
  for (int c = 0; c < static_cast<int>(info().contacts.size()); ++c) {
    if (!is_slip(mode(held, c))) continue;
    slipping.push_back(c);
    if (info().contacts[at(c)].kind != Kind::driven) pressed.push_back(c);
  }
  if (slipping.empty()) return;
  if (!pressed.empty() && slip_pivot(t, x, held) <= least_pivot) {
    out.failure = describe_lock(pressed);
    return;
  }
  std::vector<double> rates(states_);
  if (whole_ && whole_->takes_part(t, x, held)) {
    std::vector<double> loads(at(info().rows));
    if (!whole_->settled_rates(t, x, held, rates.data(), loads.data())) return;  // the first step says why
  } else {
    form_->lock(held);
    form_->source = nullptr;
    form_->rate(t, x, rates.data());
    ++form_->extra_evaluations;
  }
  const Geometry geometry = geometry_of(slipping, t, x, held);
  Eigen::VectorXd a(static_cast<Eigen::Index>(info().speeds.size()));
  for (std::size_t i = 0; i < info().speeds.size(); ++i) a(static_cast<Eigen::Index>(i)) = rates[at(info().speeds[i])];
  // Where friction is as large as what drives, the rest is rounding of the two.
  const Eigen::VectorXd second = geometry.J * a + geometry.gamma,
                        size = geometry.J.cwiseAbs() * a.cwiseAbs().cwiseMax(free_acceleration(t, x, held).cwiseAbs());
  for (const Row& row : geometry.rows) {
    if (row.tangents != 1) continue;
    const int k = row.first_tangent, direction = mode(held, row.contact) == ContactMode::slip ? 1 : -1;
    if (std::abs(geometry.u(k)) > resting_speed * geometry.u_scale(k)) continue;
    if (direction * second(k) < -1e-9 * size(k)) set_mode(held, row.contact, ContactMode::stick);
  }
}

// Where bounces accumulate the speed of approach is zero, and what was extrapolated is made so.
void Contacts::stop_accumulated(double t, double* x, const Held& held, const std::vector<Seen>& seen) {
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    if (!seen[at(c)].accumulates) continue;
    const Geometry geometry = geometry_of({c}, t, x, held);
    const int normal = geometry.rows.front().normal;
    if (!(geometry.W(normal, normal) > 0)) continue;
    const double impulse = -geometry.u(normal) / geometry.W(normal, normal);
    add(geometry, impulse * geometry.response().col(normal), x);
  }
}

// A change that impulses make.
void Contacts::add(const Geometry& geometry, const Eigen::VectorXd& change, double* x) const {
  const bool is_of_all = geometry.to_state.size() > 0;
  for (Eigen::Index i = 0; i < change.size(); ++i)
    x[is_of_all ? i : info().speeds[static_cast<std::size_t>(i)]] += change(i);
}

// What an impact leaves of a speed of approach is rounding: whoever parts from here must not seem to go on.
void Contacts::turn_back_rounding(double t, double* x, const Held& held, const std::vector<int>& touching) {
  constexpr int most_rounds = 10;
  constexpr double a_little_more = 1 + 8 * std::numeric_limits<double>::epsilon();
  bool has_any = !touching.empty();
  for (int round = 0; has_any && round < most_rounds; ++round) {
    has_any = false;
    for (const int c : touching) {
      if (last_struck_[at(c)] == 0) continue;
      const Geometry geometry = geometry_of({c}, t, x, held);
      const int normal = geometry.rows.front().normal;
      const double u = geometry.u(normal), weight = geometry.W(normal, normal);
      if (!(u < 0 && u >= -resting_speed * last_struck_[at(c)] && weight > 0)) continue;
      has_any = true;
      add(geometry, -a_little_more * u / weight * geometry.response().col(normal), x);
    }
  }
}

// Takes away the speeds of these rows along their normals, by the least change.
void Contacts::stop(const Geometry& geometry, const std::vector<std::size_t>& rows, double* x) const {
  const auto count = static_cast<Eigen::Index>(rows.size());
  const auto normal = [&](Eigen::Index i) { return geometry.rows[rows[static_cast<std::size_t>(i)]].normal; };
  Eigen::MatrixXd W(count, count), response(geometry.response().rows(), count);
  Eigen::VectorXd u(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    u(i) = geometry.u(normal(i));
    response.col(i) = geometry.response().col(normal(i));
    for (Eigen::Index j = 0; j < count; ++j) W(i, j) = geometry.W(normal(i), normal(j));
  }
  if (u.isZero(0)) return;
  add(geometry, -(response * linear::LeastNorm(W).solve(u)), x);
}

// What rests does so exactly before anything is decided: slip of a speed that the constraints of the new mode would
// turn around must not be told by it.
void Contacts::stop_resting(double t, double* x, const Held& held, const std::vector<int>& resting) {
  std::vector<int> contacts;
  for (const int c : resting)
    if (info().contacts[at(c)].kind == Kind::contact) contacts.push_back(c);
  if (contacts.empty()) return;
  const Geometry geometry = geometry_of(contacts, t, x, held);
  for (const Row& row : geometry.rows) {
    if (row.tangents == 0) continue;  // what does not slip would by this, and is decided as it is
    const double slip = geometry.u.segment(row.first_tangent, row.tangents).norm(),
                 scale = geometry.u_scale.segment(row.first_tangent, row.tangents).sum();
    if (slip <= 1e3 * resting_speed * scale) return;
  }
  std::vector<std::size_t> rows(geometry.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  stop(geometry, rows, x);
}

// What is at rest and opens must not seem to close by the rounding of its speed; what stays closed does so meanwhile.
void Contacts::stop_what_opens(double t, double* x, const Held& held, const std::vector<int>& asked) {
  std::vector<int> contacts;
  for (const int c : asked)
    if (info().contacts[at(c)].kind == Kind::contact) contacts.push_back(c);
  if (contacts.empty()) return;
  const Geometry geometry = geometry_of(contacts, t, x, held);
  std::vector<std::size_t> rows;
  bool has_any = false;
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const int normal = geometry.rows[i].normal;
    const bool opens = mode(held, geometry.rows[i].contact) == ContactMode::open, closes = geometry.u(normal) < 0;
    const bool is_rounding = std::abs(geometry.u(normal)) <= resting_speed * geometry.u_scale(normal);
    if (!opens || (closes && is_rounding)) rows.push_back(i);
    has_any = has_any || (opens && closes && is_rounding);
  }
  if (has_any) stop(geometry, rows, x);
}

// What parts so slowly that it would be back before the gap is more than rounding has no flight: it rests, if a force
// then presses it. All that do so at once, since each may carry the others.
void Contacts::rest_below_rounding(double t, double* x, const Held& held, const std::vector<int>& touching,
                                   const std::vector<Seen>& seen, const std::vector<double>& struck) {
  if (touching.empty()) return;
  const Geometry geometry = geometry_of(touching, t, x, held);
  const auto is_slow = [&](double u) { return u > 0 && u < slow * largest_speed_; };
  const auto is_any_slow = [&](const Row& row) { return is_slow(geometry.u(row.normal)); };
  if (std::none_of(geometry.rows.begin(), geometry.rows.end(), is_any_slow)) return;  // by far most impacts
  std::vector<double> gap, scale;
  maker_.gaps(t, x, held, gap, scale);
  const Eigen::VectorXd size = geometry.J.cwiseAbs() * free_acceleration(t, x, held).cwiseAbs();
  std::vector<std::size_t> parting, resting;               // rows
  std::vector<bool> is_open(geometry.rows.size(), false);  // no force presses it where it is stopped
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const int normal = geometry.rows[i].normal;
    if (std::abs(geometry.u(normal)) <= resting_speed * geometry.u_scale(normal)) resting.push_back(i);
  }
  // What rests does so while others are stopped; those may have more part as slowly.
  const auto add_parting = [&](const Eigen::VectorXd& u) {
    const std::size_t before = parting.size();
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
      const int normal = geometry.rows[i].normal;
      const double height = gap_rounding * scale[at(geometry.rows[i].contact)];
      const bool is_in = is_open[i] || std::find(parting.begin(), parting.end(), i) != parting.end();
      if (!is_in && is_slow(u(normal)) && u(normal) * u(normal) < 2 * height * size(normal)) parting.push_back(i);
    }
    return parting.size() > before;
  };
  add_parting(geometry.u);
  while (!parting.empty()) {
    std::vector<double> stopped(x, x + states_);
    std::vector<std::size_t> rows = resting;
    rows.insert(rows.end(), parting.begin(), parting.end());
    stop(geometry, rows, stopped.data());
    if (add_parting(geometry_of(touching, t, stopped.data(), held).u)) continue;
    Held then = held;
    Resolution decision;
    decide(t, stopped.data(), then, seen,
           at_question(t, stopped.data(), then, touching, at_rest(t, stopped.data(), then, touching, seen, struck)),
           decision);
    if (!decision.failure.empty()) return;
    const bool all_rest = std::erase_if(parting, [&](std::size_t i) {
                            is_open[i] = mode(then, geometry.rows[i].contact) == ContactMode::open;
                            return is_open[i];
                          }) == 0;
    if (!all_rest) continue;
    std::copy(stopped.begin(), stopped.end(), x);
    return;
  }
}

// A compliant contact has a force while the bodies overlap.
void Contacts::follow_compliant(double t, const double* x, Held& held, const std::vector<Seen>& seen, Settle why) {
  const bool is_open_question = why != Settle::pass;
  std::vector<double> gap, scale;
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    const ContactInfo& contact = info().contacts[at(c)];
    if (!contact.compliance || !(seen[at(c)].has_met || is_open_question)) continue;
    if (gap.empty()) maker_.gaps(t, x, held, gap, scale);
    if (!seen[at(c)].has_met && std::abs(gap[at(c)]) > touching_gap * scale[at(c)]) {
      set_mode(held, c, gap[at(c)] < 0 ? ContactMode::closed : ContactMode::open);
    } else {  // the rate of the gap says where it goes, on whichever side rounding has put it
      const Geometry geometry = geometry_of({c}, t, x, held);
      const double rate = geometry.u(geometry.rows.front().normal);
      const bool closes =
          seen[at(c)].has_met ? rate < 0 : rate <= 0;  // at zero and at rest: without a force, and watched
      set_mode(held, c, closes ? ContactMode::closed : ContactMode::open);
    }
  }
  follow_idle(t, x, held, seen, is_open_question);
}

// Damping may take all of the force while the bodies still overlap: it never draws.
void Contacts::follow_idle(double t, const double* x, Held& held, const std::vector<Seen>& seen,
                           bool is_open_question) const {
  const detail::Surroundings<double> around{&held};
  for (int c = 0; c < static_cast<int>(seen.size()); ++c) {
    const ContactInfo& contact = info().contacts[at(c)];
    if (contact.idles < 0) continue;
    int& idles = held.modes[at(contact.idles)];
    if (seen[at(c)].has_met || mode(held, c) == ContactMode::open) {
      idles = 0;
    } else if (seen[at(c)].lets_go || seen[at(c)].presses) {
      idles = seen[at(c)].lets_go ? 1 : 0;
    } else if (is_open_question) {
      const auto [depth, rate] =
          formulate::penetration(info(), contact, Point<double>(t, x, held.parameters.data(), &around));
      idles = contact.compliance->continued(depth, rate) < 0 ? 1 : 0;
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
    const bool is_into = why == Settle::jump && mode(held, c) == ContactMode::open && !seen[at(c)].has_met &&
                         !seen[at(c)].accumulates && gap[at(c)] < -1e4 * slack;
    if ((why == Settle::start && gap[at(c)] < -slack) || is_into) {
      failure = fmt::format(
          "contact '{}' is penetrated by {:.3g} {}.\n"
          "  try:    {} with a gap of zero or more",
          name(c), -gap[at(c)], is_into ? "after a jump of the model" : "at the start",
          is_into ? "a jump that ends" : "start values");
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

// An impact may take all speed but rounding: what is small is measured against the speeds before it, too, and as long
// as the bodies have not met again against those that the last impact made.
Geometry Contacts::geometry_of(const std::vector<int>& contacts, double t, const double* x, const Held& held) {
  Geometry geometry = maker_.make(contacts, t, x, held);
  largest_speed_ = std::max({largest_speed_, geometry.u.size() > 0 ? geometry.u.cwiseAbs().maxCoeff() : 0.0,
                             geometry.u_scale.size() > 0 ? geometry.u_scale.maxCoeff() : 0.0});
  if (speeds_before_.size() == geometry.J.cols())
    geometry.u_scale = geometry.u_scale.cwiseMax(geometry.J.cwiseAbs() * speeds_before_).eval();
  for (const Row& row : geometry.rows) {
    if (row.normal < 0) continue;  // pressed by a force that is given
    for (Eigen::Index k = row.normal; k <= row.normal + row.tangents; ++k)
      geometry.u_scale(k) = std::max(geometry.u_scale(k), last_struck_[at(row.contact)]);
  }
  return geometry;
}

// Whether bodies that meet so slowly would be back before a gap is more than rounding, wherever they touch.
bool Contacts::is_below_rounding(double t, const double* x, const Held& held, const Geometry& geometry, double speed) {
  std::vector<double> gap, scale;
  maker_.gaps(t, x, held, gap, scale);
  const Eigen::VectorXd size = geometry.J.cwiseAbs() * free_acceleration(t, x, held).cwiseAbs();
  return std::all_of(geometry.rows.begin(), geometry.rows.end(), [&](const Row& row) {
    return speed * speed < 2 * gap_rounding * scale[at(row.contact)] * size(row.normal);
  });
}

// What approaches by rounding alone stops, and whatever then does.
void Contacts::stop_approach(double t, double* x, const Held& held, const std::vector<int>& touching,
                             std::vector<std::size_t> rows) {
  for (std::size_t known = 0; known < rows.size();) {
    known = rows.size();
    stop(geometry_of(touching, t, x, held), rows, x);
    const Geometry geometry = geometry_of(touching, t, x, held);
    for (std::size_t i = 0; i < geometry.rows.size(); ++i)
      if (geometry.u(geometry.rows[i].normal) < 0 && std::find(rows.begin(), rows.end(), i) == rows.end())
        rows.push_back(i);
  }
}

// Impulses where something approaches; without restitution where bounces would be below rounding, so that bodies that
// pass impacts on to each other and back come to rest. False: nothing approaches.
bool Contacts::strike_all(double t, double* x, Held& held, const std::vector<int>& touching,
                          const std::vector<Seen>& seen, std::vector<double>& struck, Resolution& out) {
  if (touching.empty()) return false;
  const Geometry geometry = geometry_of(touching, t, x, held);
  ImpactProblem problem;
  std::vector<std::string> approaching;
  std::vector<std::size_t> rows;
  double fastest = 0, made = 0;
  for (const Row& row : geometry.rows) {
    const ContactInfo& contact = info().contacts[at(row.contact)];
    const double u = geometry.u(row.normal);
    if (u < -resting_speed * std::max(geometry.u_scale(row.normal), struck[at(row.contact)])) {
      approaching.push_back(contact.name);
      rows.push_back(static_cast<std::size_t>(&row - geometry.rows.data()));
      fastest = std::max(fastest, -u);
      made = std::max(made, struck[at(row.contact)]);
      if (contact.impact == ImpactLaw::newton) problem.law = ImpactLaw::newton;
      problem.is_sequential = problem.is_sequential || contact.is_sequential;
    }
    const bool rests = seen[at(row.contact)].accumulates;
    problem.contacts.push_back(
        {row.tangents, coefficient(contact.friction, held), rests ? 0.0 : coefficient(contact.restitution, held)});
  }
  if (approaching.empty()) return false;
  if (!geometry.trouble.empty()) {
    out.failure = fmt::format("the impact of {} has no outcome: {}", list(approaching), geometry.trouble);
    return false;
  }
  last_approach_ = fastest;
  problem.W = geometry.W;
  problem.u = geometry.u;
  const bool ends = fastest < slow * largest_speed_ && is_below_rounding(t, x, held, geometry, fastest);
  if (ends && fastest <= std::max(unsolved * made, resting_speed * largest_speed_)) {
    stop_approach(t, x, held, touching, rows);
    return false;
  }
  for (ImpactContact& one : problem.contacts)
    if (ends) one.restitution = 0;
  const ImpactOutcome outcome = strike(problem);
  if (!outcome.failure.empty()) {
    out.failure = fmt::format("the impact of {} has no outcome: {}", list(approaching), outcome.failure);
    return false;
  }
  for (const Row& row : geometry.rows) {
    struck[at(row.contact)] += geometry.W.row(row.normal).cwiseAbs().dot(outcome.impulse.cwiseAbs());
    if (struck[at(row.contact)] > 0) last_struck_[at(row.contact)] = struck[at(row.contact)];
    const double own = geometry.W(row.normal, row.normal) * outcome.impulse(row.normal);
    if (own > resting_speed * struck[at(row.contact)]) out.contacts.push_back({row.contact, ContactEvent::impact});
  }
  add(geometry, geometry.response() * outcome.impulse, x);
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
Eigen::VectorXd Contacts::free_acceleration(double t, const double* x, const Held& held, const double* relays) {
  const Held alone = with_open_contacts(info(), held);
  free_form_.lock(alone);
  free_form_.relays = relays;
  std::vector<double> rates(states_);
  free_form_.rate(t, x, rates.data());
  ++form_->extra_evaluations;
  free_loads_.clear();
  if (whole_ && whole_->takes_part(t, x, held)) {
    free_loads_.resize(at(info().rows));
    if (!whole_->settled_rates(t, x, alone, rates.data(), free_loads_.data()))
      std::fill(rates.begin(), rates.end(), std::numeric_limits<double>::quiet_NaN());
  }
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
    if (u <= resting_speed * last_struck_[at(row.contact)]) rests[at(row.contact)] = true;
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
  names.reserve(contacts.size());
  for (const int c : contacts) names.push_back(name(c));
  return fmt::format(
      "sliding friction at {} is about to lock (Painlevé, singular): the normal force grows without bound as the "
      "bodies reach this position.\n"
      "  likely: rigid bodies with so much friction in this position\n"
      "  try:    less friction, or a compliant contact (.compliance)",
      list(names));
}

}  // namespace pawl::contact
