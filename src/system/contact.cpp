// Declarations of contacts and dry friction.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "system/edit_mechanics.hpp"
#include "system/foreign_handle.hpp"

namespace pawl {

std::string_view to_string(ContactEvent kind) {
  switch (kind) {
    case ContactEvent::impact:
      return "impact";
    case ContactEvent::rest:
      return "rest";
    case ContactEvent::stick:
      return "stick";
    case ContactEvent::slip:
      return "slip";
    case ContactEvent::release:
      return "release";
  }
  return "unknown";
}

// Its mode is a discrete variable; its rows hold where the mode says so.
Contact Mechanics::declare_contact(ContactInfo info, Function normal, Function slip, const ContactOptions& options) {
  info.restitution = options.restitution;
  info.friction = options.friction;
  info.static_friction = options.static_friction.value_or(options.friction);
  info.impact = options.impact;
  info.is_sequential = options.sequential;
  info.compliance = options.compliance;
  info.smoothing = options.slip_speed;
  const auto check = [&](const Coefficient& c, std::string_view what, double most) {
    check_parameter(c, declarations(), fmt::format("contact '{}'", info.name));
    const double value = value_of(c, declarations().parameters.data());
    if (!(value >= 0 && value <= most))
      throw Misuse(fmt::format("contact '{}': {} must be {}, and {:g} is not", info.name, what,
                               most == 1 ? "between 0 and 1" : "a number from 0 on", value));
  };
  check(info.restitution, "restitution", 1);
  check(info.friction, "friction", std::numeric_limits<double>::max());
  check(info.static_friction, "static friction", std::numeric_limits<double>::max());
  if (value_of(info.static_friction, declarations().parameters.data()) <
      value_of(info.friction, declarations().parameters.data()))
    throw Misuse(fmt::format("contact '{}': static friction is below the friction of sliding", info.name));
  if (info.compliance && !(info.compliance->stiffness > 0 && info.compliance->exponent >= 1 &&
                           info.compliance->damping >= 0 && info.compliance->dissipation >= 0)) {
    throw Misuse(fmt::format(
        "contact '{}': a compliance has a stiffness above 0, an exponent of at least 1, and damping that takes energy",
        info.name));
  }
  if (info.tangents > 2)
    throw Misuse(fmt::format("contact '{}': a slip speed has one component, or two in space", info.name));
  const int slip_rows = info.tangents;
  if (slip && value_of(info.friction, declarations().parameters.data()) == 0 && info.friction.index() == 0 &&
      value_of(info.static_friction, declarations().parameters.data()) == 0) {
    info.tangents = 0;
    info.slip_speed = {};
  }
  if (!slip && (info.friction.index() == 1 || std::get<double>(info.friction) > 0))
    throw Misuse(fmt::format("contact '{}': friction needs a slip speed, contact(name, gap, slip, ...)", info.name));
  const std::string name = info.name;
  const Discrete<ContactMode> mode = discrete("mode of " + name, ContactMode::open);
  info.mode = mode.index;
  if (info.tangents == 2) {
    const auto d = discrete(name + " slip direction 1", 0.0);
    discrete(name + " slip direction 2", 0.0);
    discrete(name + " onset of slip", 0.0);
    info.direction = d.index;
  }
  Contact handle{{-1}, {-1}, mode, -1};
  if (normal) {
    Logic holds = mode != ContactMode::open;
    if (info.compliance) holds = Logic::equals(mode.index, -1);  // a force, never a constraint
    handle.normal = declare_constraint(name, std::move(normal), 1, false).only_when(holds);
    info.normal = static_cast<int>(declarations().mechanics->constraints.size()) - 1;
  }
  if (slip) {
    // Without friction its row is there to be read, as 0, and never in force.
    const bool can_stick = info.tangents > 0 && info.smoothing == 0;
    const Logic holds = can_stick ? mode == ContactMode::stick : Logic::equals(mode.index, -1);
    handle.slip = declare_constraint(name + " slip", std::move(slip), slip_rows, true).only_when(holds);
    if (info.tangents > 0) info.slip = static_cast<int>(declarations().mechanics->constraints.size()) - 1;
  }
  MechanicsInfo& mechanics = edit_mechanics(edit());
  handle.index = static_cast<int>(mechanics.contacts.size());
  mechanics.contacts.push_back(std::move(info));
  return handle;
}

Contact Mechanics::declare_joint_friction(ContactInfo info, Constraint joint, Function slip,
                                          const FrictionOptions& options) {
  if (joint.index >= 0) checked(joint, declarations().constraint_names.size(), "constraint", declarations());
  int number = -1;
  if (declarations().mechanics) {
    const auto& constraints = declarations().mechanics->constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      if (constraints[i].first_row == joint.index) number = static_cast<int>(i);
    }
    if (number >= 0 && constraints[checked(number, constraints.size(), "constraint", declarations())].rows != 1) {
      throw Misuse(fmt::format("friction '{}': the joint '{}' has {} rows, and friction takes the force of one",
                               info.name, constraints[static_cast<std::size_t>(number)].name,
                               constraints[static_cast<std::size_t>(number)].rows));
    }
  }
  if (number < 0)
    throw Misuse(fmt::format("friction '{}': there is no such joint; declare the constraint before", info.name));
  info.side = discrete("side of " + info.name, 1).index;
  Contact handle = declare_contact(
      std::move(info), {}, std::move(slip),
      {.friction = options.friction, .static_friction = options.static_friction, .slip_speed = options.slip_speed});
  edit_mechanics(edit()).contacts.back().normal = number;
  handle.normal = joint;
  return handle;
}

State Mechanics::friction_work(std::string name) {
  const State work = state(std::move(name), 0);
  edit_mechanics(edit()).friction_work = work.index;
  return work;
}

Discrete<double> Mechanics::impact_loss(std::string name) {
  const auto loss = discrete(std::move(name), 0.0);
  edit_mechanics(edit()).impact_loss = loss.index;
  return loss;
}

}  // namespace pawl
