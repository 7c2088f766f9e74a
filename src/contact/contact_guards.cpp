// The guards of contacts: what ends a mode.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "contact/contacts.hpp"

namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;

/// What a stick still holds: how far friction is below its limit, along +slip (sign 1), along -slip, or in space (0).
struct Hold {
  std::shared_ptr<ForceMemo> memo;
  ContactInfo contact;
  int number, sign;

  double operator()(const Point<double>& at) const {
    const ForceMemo::Forces force = memo->forces(at, number);
    double pressing = std::abs(force.normal);
    if (contact.kind == Kind::driven) contact.normal_force(at, &pressing);
    if (force.holds > 0) {
      const double breaks = sign != 0 ? -sign * force.breaks[0] : std::hypot(force.breaks[0], force.breaks[1]);
      return breaks > 0 ? -breaks : force.holds;
    }
    const double most = value_of(contact.static_friction, at.parameters()) * pressing;
    return most - (sign != 0 ? sign * force.slip[0] : std::hypot(force.slip[0], force.slip[1]));
  }
};

struct Pressing {
  std::shared_ptr<ForceMemo> memo;
  int number;
  double operator()(const Point<double>& at) const {
    const ForceMemo::Forces force = memo->forces(at, number);
    if (force.holds > 0) return force.opens > 0 ? -force.opens : force.holds;
    return force.normal;
  }
};

/// The same where multipliers are unknowns.
struct UnknownHold {
  ContactInfo contact;
  int normal, slip, sign;  // states

  template <class T>
  T operator()(const Point<T>& at) const {
    T pressing(0.0);
    if (contact.kind != Kind::driven)
      pressing = abs(at[State{normal}]);
    else if constexpr (std::is_same_v<T, double>)
      contact.normal_force(at, &pressing);
    const T most = value_of(contact.static_friction, at.parameters()) * pressing;
    return most - (sign != 0 ? sign * at[State{slip}] : hypot(at[State{slip}], at[State{slip + 1}]));
  }
};

struct UnknownForce {
  int state;
  template <class T>
  T operator()(const Point<T>& at) const {
    return at[State{state}];
  }
};

/// The slip in space along its direction at the last event, above what counts as none: zero where it stops, or has
/// turned by a right angle; at its onset it must have turned back.
struct SlipInSpace {
  Function rows;
  int first;  // of the held numbers
  std::shared_ptr<const double> least;
  double operator()(const Point<double>& at) const {
    const double* held = at.around()->held->numbers.data() + first;
    double u[2];
    rows(at, u);  // minus the slip
    const double along = -(u[0] * held[slip_direction] + u[1] * held[slip_direction_2]);
    return held[slip_onset] > 0 ? along + held[slip_onset] : along - *least;
  }
};

/// Where the onset of slip in space is over.
struct SlipUnderWay {
  Function rows;
  int first;
  double operator()(const Point<double>& at) const {
    const double onset = at.around()->held->numbers[static_cast<std::size_t>(first + slip_onset)];
    double u[2];
    rows(at, u);
    return onset > 0 ? std::hypot(u[0], u[1]) - 100 * onset : -1.0;
  }
};

struct LeastPivot {
  std::shared_ptr<ForceMemo> memo;
  double operator()(const Point<double>& at) const { return memo->least_pivot(at) - least_pivot; }
};

}  // namespace

void Contacts::declare_guards(System::Declarations& run) {
  first_guard_ = static_cast<int>(run.guards.size());
  guards_.clear();
  const auto unknown = [&](int constraint) {
    return run.first_multiplier + info().constraints[static_cast<std::size_t>(constraint)].first_row;
  };
  const auto pressing = [&](const ContactInfo& contact, int number) {
    return run.first_multiplier >= 0 ? Function::guard(UnknownForce{unknown(contact.normal)})
                                     : Function::guard(Pressing{memo_, number});
  };
  const auto hold = [&](const ContactInfo& contact, int number, int sign) {
    if (run.first_multiplier < 0) return Function::guard(Hold{memo_, contact, number, sign});
    const UnknownHold held{contact, contact.kind == Kind::driven ? -1 : unknown(contact.normal), unknown(contact.slip),
                           sign};
    return contact.kind == Kind::driven ? Function::guard(black_box(held)) : Function::guard(held);
  };
  const auto add = [&](int contact, Ends ends, GuardInfo guard) {
    guards_.push_back({contact, ends});
    guard.contact = contact;
    run.guards.push_back(std::move(guard));
  };
  Logic slips = Logic::negation(Logic());
  bool has_oblique = false;
  for (std::size_t c = 0; c < info().contacts.size(); ++c) {
    const ContactInfo& contact = info().contacts[c];
    const int number = static_cast<int>(c);
    const Discrete<ContactMode> mode{contact.mode};
    const Logic slipping = mode == ContactMode::slip || mode == ContactMode::slip_back;
    if (contact.compliance) {
      add(number, Ends::gap, {.name = contact.name, .g = contact.gap});
      continue;
    }
    if (contact.kind == Kind::contact) {
      GuardInfo gap{.name = contact.name,
                    .g = contact.gap,
                    .direction = Direction::falling,
                    .side = Side::unilateral,
                    .only_when = mode == ContactMode::open};
      gap.at_accumulation = [](Jump&, Pair) {};  // it comes to rest: the contacts are resolved after every jump
      gap.gap_ratio = [e = contact.restitution](const Held& held) { return value_of(e, held.parameters.data()); };
      add(number, Ends::gap, std::move(gap));
      add(number, Ends::release,
          {.name = contact.name + " releases",
           .g = pressing(contact, number),
           .direction = Direction::falling,
           .only_when = mode != ContactMode::open});
    }
    if (!contact.has_dry_friction()) continue;
    if (contact.kind != Kind::driven) {
      slips = has_oblique ? slips || slipping : slipping;
      has_oblique = true;
    }
    if (contact.kind == Kind::joint)
      add(number, Ends::side, {.name = contact.name + " changes side", .g = pressing(contact, number)});
    if (contact.tangents == 2) {
      add(number, Ends::slip,
          {.name = contact.name + " stops slipping",
           .g = Function::guard(SlipInSpace{info().constraints[static_cast<std::size_t>(contact.slip)].g,
                                            contact.direction, least_speed_}),
           .direction = Direction::falling,
           .only_when = slipping});
      add(number, Ends::onset,
          {.name = contact.name + " slips freely",
           .g = Function::guard(
               SlipUnderWay{info().constraints[static_cast<std::size_t>(contact.slip)].g, contact.direction}),
           .direction = Direction::rising,
           .only_when = slipping});
      add(number, Ends::cone,
          {.name = contact.name + " begins to slip",
           .g = hold(contact, number, 0),
           .direction = Direction::falling,
           .only_when = mode == ContactMode::stick});
      continue;
    }
    for (const bool forward : {true, false}) {
      add(number, Ends::slip,
          {.name = contact.name + " stops slipping",
           .g = contact.slip_speed,
           .direction = forward ? Direction::falling : Direction::rising,
           .only_when = mode == (forward ? ContactMode::slip : ContactMode::slip_back)});
      // Friction along -slip gives way to motion along +slip.
      add(number, forward ? Ends::cone : Ends::cone_back,
          {.name = contact.name + (forward ? " begins to slip" : " begins to slip back"),
           .g = hold(contact, number, forward ? -1 : 1),
           .direction = Direction::falling,
           .only_when = mode == ContactMode::stick});
    }
  }
  if (has_oblique)
    add(-1, Ends::lock,
        {.name = "friction locks",
         .g = Function::guard(LeastPivot{memo_}),
         .direction = Direction::falling,
         .only_when = slips});
}

std::vector<Contacts::Seen> Contacts::read(std::span<const int> fired, int accumulating, bool& concerns_contacts,
                                           bool& locks) const {
  std::vector<Seen> seen(info().contacts.size());
  const auto own = [&](int guard) -> const OwnGuard* {
    const int i = guard - first_guard_;
    return i >= 0 && i < static_cast<int>(guards_.size()) ? &guards_[static_cast<std::size_t>(i)] : nullptr;
  };
  for (const int guard : fired) {
    const OwnGuard* one = own(guard);
    if (one == nullptr) continue;
    concerns_contacts = true;
    if (one->ends == Ends::lock) {
      locks = true;
      continue;
    }
    Seen& here = seen[static_cast<std::size_t>(one->contact)];
    if (one->ends == Ends::gap) here.has_met = true;
    if (one->ends == Ends::release) here.has_released = true;
    if (one->ends == Ends::slip) here.has_stopped = true;
    if (one->ends == Ends::side) here.changes_side = true;
    if (one->ends == Ends::cone) here.breaks = 1;
    if (one->ends == Ends::cone_back) here.breaks = -1;
  }
  if (const OwnGuard* one = own(accumulating)) seen[static_cast<std::size_t>(one->contact)].accumulates = true;
  return seen;
}

}  // namespace pawl::contact
