#include "contact/contact_guards.hpp"

#include <cmath>

#include "contact/shared_forces.hpp"
#include "formulate/mechanics_rows.hpp"

namespace pawl::contact {

namespace {

using Kind = ContactInfo::Kind;
using Ends = ContactEnd;

const SharedForces::Forces* shared_force(const Point<double>& at, int contact) {
  const auto* source = dynamic_cast<const SharedForceSource*>(at.around()->multipliers);
  return source != nullptr ? source->shared_force(at, contact) : nullptr;
}

/// What a stick still holds: how far friction is below its limit, along +slip (sign 1), along -slip, or in space (0).
struct Hold {
  Coefficient static_friction;
  int contact, normal, slip, sign;  // normal, slip: as at[...] numbers them
  bool is_given;                    // the normal force; it is not that of a row, whose sign may be either

  template <class T>
  T operator()(const Point<T>& at) const {
    if constexpr (std::is_same_v<T, double>) {
      if (const auto* force = shared_force(at, contact)) {
        const double breaks = sign != 0 ? -sign * force->breaks[0] : std::hypot(force->breaks[0], force->breaks[1]);
        return breaks > 0 ? -breaks : force->holds;
      }
    }
    const T pressing = is_given ? at[Constraint{normal}] : abs(at[Constraint{normal}]);
    const T most = value_of(static_friction, at.parameters()) * pressing;
    return most - (sign != 0 ? sign * at[Constraint{slip}] : hypot(at[Constraint{slip}], at[Constraint{slip + 1}]));
  }
};

/// The same under a given normal force, where multipliers are unknowns.
struct GivenHold {
  Function normal_force;
  Coefficient static_friction;
  int slip, sign;

  double operator()(const Point<double>& at) const {
    double pressing = 0;
    normal_force(at, &pressing);
    const double most = value_of(static_friction, at.parameters()) * pressing;
    const auto force = [&](int i) { return at[Constraint{slip + i}]; };
    return most - (sign != 0 ? sign * force(0) : std::hypot(force(0), force(1)));
  }
};

struct Pressing {
  int contact, normal;

  template <class T>
  T operator()(const Point<T>& at) const {
    if constexpr (std::is_same_v<T, double>) {
      if (const auto* force = shared_force(at, contact)) return force->opens > 0 ? -force->opens : force->holds;
    }
    return at[Constraint{normal}];
  }
};

/// What the force of a compliant contact would be, also where it is zero; without a damper what dissipation leaves of
/// it, which is zero together with the spring only where it ends with the gap.
struct WouldPress {
  std::shared_ptr<const MechanicsInfo> info;
  int contact;

  double operator()(const Point<double>& at) const {
    const ContactInfo& one = info->contacts[static_cast<std::size_t>(contact)];
    const auto [depth, rate] = formulate::penetration(*info, one, at);
    return one.compliance->damping > 0 ? one.compliance->continued(depth, rate)
                                       : 1 + one.compliance->dissipation * rate;
  }
};

/// The slip in space along its direction at the last event, above what counts as none: zero where it stops, or has
/// turned by a right angle; at its onset it must have turned back.
struct SlipInSpace {
  Function rows;
  int first;  // of the held numbers

  template <class T>
  T operator()(const Point<T>& at) const {
    const double* held = at.around()->held->numbers.data() + first;
    T u[2] = {T(0.0), T(0.0)};
    rows(at, u);  // minus the slip
    const T along = -(u[0] * held[slip_direction] + u[1] * held[slip_direction_2]);
    return held[slip_onset] > 0 ? along + turned_back * held[slip_onset] : along - at.around()->held->margins.slip;
  }
};

/// Where the onset of slip in space is over.
struct SlipUnderWay {
  Function rows;
  int first;

  template <class T>
  T operator()(const Point<T>& at) const {
    const double onset = at.around()->held->numbers[static_cast<std::size_t>(first + slip_onset)];
    T u[2] = {T(0.0), T(0.0)};
    rows(at, u);
    return onset > 0 ? hypot(u[0], u[1]) - 100 * onset : T(-1.0);
  }
};

struct LeastPivot {
  int number;
  template <class T>
  T operator()(const Point<T>& at) const {
    return at[Constraint{number}] - least_pivot;
  }
};

/// The same where multipliers are unknowns, and it is not.
struct LeastPivotBesideUnknowns {
  int number;
  double operator()(const Point<double>& at) const {
    return at.around()->multipliers->multiplier(at, number) - least_pivot;
  }
};

/// A guard made of a function that may take less than all scalars.
template <class Guard>
Function guard_of(Guard guard, const Function& part) {
  Function all = Function::guard(std::move(guard));
  all.limit_to(part);
  return all;
}

}  // namespace

int pivot_number(const System::Declarations& mechanism) {
  return static_cast<int>(mechanism.constraint_names.size());
}

int given_force_number(const System::Declarations& mechanism, int contact) {
  int number = pivot_number(mechanism) + 1;
  for (int c = 0; c < contact; ++c)
    number += mechanism.mechanics->contacts[static_cast<std::size_t>(c)].kind == Kind::driven ? 1 : 0;
  return number;
}

void declare_guards(const System::Declarations& mechanism, System::Declarations& model) {
  const MechanicsInfo& info = *mechanism.mechanics;
  const bool are_unknowns = model.first_multiplier >= 0;
  const auto row = [&](int constraint) { return info.constraints[static_cast<std::size_t>(constraint)].first_row; };
  const auto pressing = [&](const ContactInfo& contact, int number) {
    return Function::guard(Pressing{number, row(contact.normal)});
  };
  const auto hold = [&](const ContactInfo& contact, int number, int sign) {
    const bool is_given = contact.kind == Kind::driven;
    if (is_given && are_unknowns)
      return Function::guard(GivenHold{contact.normal_force, contact.static_friction, row(contact.slip), sign});
    return Function::guard(Hold{contact.static_friction, number,
                                is_given ? given_force_number(mechanism, number) : row(contact.normal),
                                row(contact.slip), sign, is_given});
  };
  const auto add = [&](int contact, Ends ends, GuardInfo guard) {
    guard.contact = contact;
    guard.contact_end = ends;
    // Where they accumulate it comes to rest: the contacts are resolved after every jump.
    if (ends == Ends::gap || ends == Ends::slip) guard.at_accumulation = [](Jump&, Pair) {};
    model.guards.push_back(std::move(guard));
  };
  Logic slips = Logic::negation(Logic());
  bool has_oblique = false;
  for (std::size_t c = 0; c < info.contacts.size(); ++c) {
    const ContactInfo& contact = info.contacts[c];
    const int number = static_cast<int>(c);
    const Discrete<ContactMode> mode{contact.mode};
    const Logic slipping = mode == ContactMode::slip || mode == ContactMode::slip_back;
    if (contact.compliance) {
      add(number, Ends::gap, {.name = contact.name, .g = contact.gap});
      if (contact.idles < 0) continue;
      const Logic overlaps = mode == ContactMode::closed, idles = Discrete<bool>{contact.idles};
      const Function would_press = Function::guard(WouldPress{mechanism.mechanics, number});
      const bool is_damped = contact.compliance->damping > 0;
      add(number, Ends::pull,
          {.name = contact.name + " lets go",
           .g = is_damped ? pressing(contact, number) : would_press,
           .direction = Direction::falling,
           .only_when = overlaps && !idles});
      add(number, Ends::press,
          {.name = contact.name + " presses again",
           .g = would_press,
           .direction = Direction::rising,
           .only_when = overlaps && idles});
      continue;
    }
    if (contact.kind == Kind::contact) {
      GuardInfo gap{.name = contact.name,
                    .g = contact.gap,
                    .direction = Direction::falling,
                    .side = Side::unilateral,
                    .only_when = mode == ContactMode::open};
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
      const Function& slip_rows = info.constraints[static_cast<std::size_t>(contact.slip)].g;
      add(number, Ends::slip,
          {.name = contact.name + " stops slipping",
           .g = guard_of(SlipInSpace{slip_rows, contact.direction}, slip_rows),
           .direction = Direction::falling,
           .only_when = slipping});
      add(number, Ends::onset,
          {.name = contact.name + " slips freely",
           .g = guard_of(SlipUnderWay{slip_rows, contact.direction}, slip_rows),
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
  if (has_oblique) {
    add(-1, Ends::lock,
        {.name = "friction locks",
         .g = are_unknowns ? Function::guard(LeastPivotBesideUnknowns{pivot_number(mechanism)})
                           : Function::guard(LeastPivot{pivot_number(mechanism)}),
         .direction = Direction::falling,
         .only_when = slips});
  }
}

}  // namespace pawl::contact
