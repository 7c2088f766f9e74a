// Contacts and dry friction of a mechanism, declared once; free flight, impact, rest, stick, slip and release follow.
//
//   const auto floor = ball.contact("floor", [=](const auto& at) { return at[y] - radius; },      // the gap
//                                   [=](const auto& at) { return at[dot(x)] + radius * at[dot(spin)]; },  // the slip
//                                   {.restitution = 0.6, .friction = 0.3});
//   run.final()[floor.normal];        // the force that presses the surfaces together
//
// docs/contact.md says what is decided, by which laws, and what cannot be promised.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "pawl/function.hpp"

namespace pawl {

/// How a contact stands, held between events. In the plane slip has two modes, by the sign of the slip speed; in space
/// its direction is that of the motion.
enum class ContactMode { open, closed, stick, slip, slip_back };

/// What happens to a contact at an event. Several may at once: a plastic impact on a rough floor is an impact, a rest
/// and a stick or a slip.
enum class ContactEvent {
  impact,   ///< bodies meet with a speed, or an impulse passes through them; a compliant contact begins to overlap
  rest,     ///< what was open stays closed from here
  stick,    ///< friction holds from here
  slip,     ///< it slips from here, or from here the other way
  release,  ///< what was closed is open from here
};
std::string_view to_string(ContactEvent kind);

/// A contact, and what happened to it.
struct ContactFired {
  int contact;  ///< Contact::index
  ContactEvent kind;
  bool operator==(const ContactFired&) const = default;
};

/// A contact, or a place of dry friction. at[contact.normal] is the force that presses, at[contact.slip] the friction
/// force along the slip speed (in space at[contact.slip[0]] and [1]); both are 0 while it is open.
struct Contact {
  Constraint normal, slip;
  Discrete<ContactMode> mode;
  int index;
};

/// poisson: compression, then expansion by restitution times the impulse of compression; never raises the energy.
/// newton: speeds of separation are restitution times those of approach.
enum class ImpactLaw { poisson, newton };

/// A number, or the parameter that holds it.
using Coefficient = std::variant<double, Parameter>;

/// A contact that gives way, instead of a rigid one: force = stiffness δ^exponent (1 + dissipation δ') + damping δ',
/// with the penetration δ, and never drawing.
struct Compliance {
  double stiffness, exponent = 1, damping = 0, dissipation = 0;

  /// The part of the force that loads and unloads the spring.
  template <class T>
  T spring(const T& depth) const {
    if (!(depth > 0.0)) return T(0.0);
    return stiffness * (exponent == 1 ? depth : exponent == 1.5 ? depth * sqrt(depth) : pow(depth, exponent));
  }
  template <class T>
  T force(const T& depth, const T& rate) const {
    const T all = spring(depth) * (1.0 + dissipation * rate) + damping * rate;
    return all > 0.0 ? all : T(0.0);
  }
  /// The same going on beyond where it ends: below zero, and with a spring that draws.
  template <class T>
  T continued(const T& depth, const T& rate) const {
    const T loaded = depth > 0.0 ? spring(depth) : -spring(-depth);
    return loaded * (1.0 + dissipation * rate) + damping * rate;
  }
  /// Whether the force may end while the bodies still overlap.
  bool may_let_go() const { return damping > 0 || dissipation > 0; }

  static Compliance spring_damper(double stiffness, double damping) { return {stiffness, 1, damping, 0}; }
  static Compliance hertz(double stiffness) { return {stiffness, 1.5, 0, 0}; }
  /// Hunt and Crossley (1975); the dissipation has the unit of one over speed.
  static Compliance hunt_crossley(double stiffness, double dissipation) { return {stiffness, 1.5, 0, dissipation}; }
};

struct ContactOptions {
  Coefficient restitution = 0.0, friction = 0.0;
  std::optional<Coefficient> static_friction = {};  ///< where it differs from that of sliding
  ImpactLaw impact = ImpactLaw::poisson;
  bool sequential = false;  ///< simultaneous impacts are taken one by one, the fastest approach first
  std::optional<Compliance> compliance = {};
  double slip_speed = 0;  ///< above 0: friction is smoothed, friction times tanh(slip / slip_speed);
                          ///< that of a compliant contact always is, by 1e-4 unless said
};

struct FrictionOptions {
  Coefficient friction = 0.0;
  std::optional<Coefficient> static_friction = {};
  double slip_speed = 0;
};

/// How a contact in space slips, as numbers held from ContactInfo::direction on. A direction turns infinitely fast
/// where slip begins, so that friction is along u + onset d until |u| is far above `onset`.
enum SpaceSlip { slip_direction, slip_direction_2, slip_onset };

/// What has been said of one contact. Signs: its constraint rows are minus the gap and minus the slip speed, so that
/// their multipliers are the forces that press and that oppose slip.
struct ContactInfo {
  /// contact: of surfaces. driven: friction under a given normal force. joint: under the force of a constraint.
  enum class Kind { contact, driven, joint };

  std::string name;
  Kind kind = Kind::contact;
  int normal = -1;             ///< number of the constraint of the gap; of the joint; -1: driven
  int slip = -1;               ///< number of the constraint of the slip speed; -1: without friction
  int tangents = 0;            ///< rows of it: 1 in the plane, 2 in space
  int mode = 0;                ///< discrete variable: ContactMode
  int side = -1;               ///< joint: discrete variable, the sign of its multiplier
  int direction = -1;          ///< in space: three held numbers, see SpaceSlip
  Function gap = {};           ///< as a guard
  Function slip_speed = {};    ///< as a guard, in the plane
  Function normal_force = {};  ///< driven
  Coefficient restitution = 0.0, friction = 0.0, static_friction = 0.0;
  ImpactLaw impact = ImpactLaw::poisson;
  bool is_sequential = false;
  std::optional<Compliance> compliance = {};
  int idles = -1;        ///< compliant, in mixtures: discrete variable, it overlaps without a force; -1: nobody asks
  double smoothing = 0;  ///< slip speed of smoothed friction

  bool is_rigid() const { return kind == Kind::contact && !compliance; }
  /// Whether stick and slip are told apart.
  bool has_dry_friction() const { return slip >= 0 && smoothing == 0 && !compliance; }
};

inline double value_of(const Coefficient& c, const double* parameters) {
  return c.index() == 0 ? std::get<double>(c) : parameters[std::get<Parameter>(c).index];
}

}  // namespace pawl
