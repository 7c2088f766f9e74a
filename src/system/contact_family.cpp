#include "pawl/contact_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "system/edit_mechanics.hpp"
#include "system/foreign_handle.hpp"

namespace pawl {

namespace {

std::vector<double> one_each(const std::string& name, std::string_view what, double all, std::vector<double> each,
                             std::size_t count) {
  if (each.empty()) each.assign(count, all);
  if (each.size() != count)
    throw Misuse(fmt::format("spheres '{}': {} values of {} for {} spheres", name, each.size(), what, count));
  for (const double value : each)
    if (!(value > 0 && std::isfinite(value)))
      throw Misuse(fmt::format("spheres '{}': the {} must be above 0 and finite, and {:g} is not", name, what, value));
  return each;
}

/// -Σ m g·x, for whatever scalar.
struct Weight {
  std::shared_ptr<const Spheres> spheres;

  template <class T>
  T operator()(const Point<T>& at) const {
    T sum(0.0);
    for (int i = 0; i < spheres->size(); ++i) {
      const auto centre = spheres->centre(i);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double force = spheres->masses[static_cast<std::size_t>(i)] * spheres->gravity[axis];
        if (force != 0) sum -= force * at[centre[axis]];
      }
    }
    return sum;
  }
};

double length(const std::array<double, 3>& a) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

}  // namespace

Spheres SphereMechanics::spheres(const std::string& name, const std::vector<std::array<double, 3>>& centres,
                                 const SpheresOptions& options) {
  const std::size_t count = centres.size();
  if (count == 0) throw Misuse(fmt::format("spheres '{}': there are none", name));
  if (!options.velocities.empty() && options.velocities.size() != count)
    throw Misuse(fmt::format("spheres '{}': {} velocities for {} spheres", name, options.velocities.size(), count));
  if (!std::isfinite(length(options.gravity)))
    throw Misuse(fmt::format("spheres '{}': the gravity must be finite", name));
  auto all = std::make_shared<Spheres>();
  all->first = size();
  all->model = declarations().model;
  all->radii = one_each(name, "radius", options.radius, options.radii, count);
  all->masses = one_each(name, "mass", options.mass, options.masses, count);
  all->gravity = options.gravity;
  constexpr std::array<const char*, 6> suffix{"x", "y", "z", "turn_x", "turn_y", "turn_z"};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string coordinate = fmt::format("{}{}_{}", name, i + 1, suffix[k]);
      state(coordinate, k < 3 ? centres[i][k] : 0);
      state(coordinate + "'", k < 3 && !options.velocities.empty() ? options.velocities[i][k] : 0);
    }
  }
  MechanicsInfo& info = edit_mechanics(edit());
  for (std::size_t i = 0; i < count; ++i) {
    const double m = all->masses[i], r = all->radii[i];
    for (int k = 0; k < 6; ++k) {
      const int state = all->first + 12 * static_cast<int>(i) + 2 * k, speed = static_cast<int>(info.speeds.size());
      info.positions.push_back(state);
      info.speed_of.push_back(speed);
      info.speeds.push_back(state + 1);
      info.constant_masses.push_back({speed, k < 3 ? m : 0.4 * m * r * r});
    }
  }
  if (length(options.gravity) > 0) info.potentials.push_back(Function::rows<1>(Weight{all}));
  return *all;
}

ContactFamily SphereMechanics::contacts(const std::string& name, const Spheres& spheres,
                                        const ContactFamilyOptions& options) {
  if (family_of(declarations()) >= 0) {
    throw Misuse(
        fmt::format("contacts '{}': system '{}' has a family of contacts already; one takes all spheres, and "
                    "may_touch(i, j) says which pairs",
                    name, this->name()));
  }
  if (spheres.model != declarations().model)
    throw Misuse(fmt::format("contacts '{}': the spheres belong to another system than '{}'", name, this->name()));
  auto info = std::make_shared<ContactFamilyInfo>();
  info->name = name;
  info->spheres = spheres;
  info->restitution = options.restitution;
  info->friction = options.friction;
  info->rolling_friction = options.rolling_friction;
  const auto check = [&](const Coefficient& c, std::string_view what, double most) {
    check_parameter(c, declarations(), fmt::format("contacts '{}'", name));
    const double value = value_of(c, declarations().parameters.data());
    if (!(value >= 0 && value <= most))
      throw Misuse(fmt::format("contacts '{}': {} must be {}, and {:g} is not", name, what,
                               most == 1 ? "between 0 and 1" : "a number from 0 on", value));
  };
  check(info->restitution, "restitution", 1);
  check(info->friction, "friction", std::numeric_limits<double>::max());
  check(info->rolling_friction, "rolling friction", std::numeric_limits<double>::max());
  for (const WallOfSpheres& wall : options.walls) {
    const double size = length(wall.inward);
    if (!(size > 0 && std::isfinite(size) && std::isfinite(length(wall.point)))) {
      throw Misuse(
          fmt::format("contacts '{}': wall '{}' needs a point and a direction, both finite, the direction not "
                      "zero",
                      name, wall.name));
    }
    ContactFamilyInfo::Wall one{.name = wall.name, .inward = {}, .offset = 0};
    for (std::size_t k = 0; k < 3; ++k) {
      one.inward[k] = wall.inward[k] / size;
      one.offset += one.inward[k] * wall.point[k];
    }
    info->walls.push_back(std::move(one));
  }
  info->may_touch = options.may_touch;
  info->may_touch_wall = options.may_touch_wall;
  const double pull = length(spheres.gravity), smallest = *std::min_element(spheres.radii.begin(), spheres.radii.end());
  info->contact_time = options.contact_time.value_or(pull > 0 ? 0.01 * std::sqrt(4 * smallest / pull) : 0);
  info->still = options.still;
  if (!(info->contact_time >= 0 && std::isfinite(info->contact_time)) || (pull > 0 && info->contact_time == 0)) {
    throw Misuse(fmt::format("contacts '{}': the contact time must be {}, and {:g} is not", name,
                             pull > 0 ? "above 0, for what lies under gravity hops" : "0 or above",
                             info->contact_time));
  }
  if (!(info->still >= 0 && info->still <= 0.1))
    throw Misuse(
        fmt::format("contacts '{}': still must be between 0 and 0.1 radii, and {:g} is not", name, info->still));
  FamilyState state;
  state.family = std::move(info);
  return discrete(name, std::move(state));
}

int family_of(const System::Declarations& model) {
  const auto is_family = [](const HeldObject& object) {
    try {
      return object.as<FamilyState>().family != nullptr;
    } catch (const Misuse&) {  // of another type
      return false;
    }
  };
  const auto found = std::find_if(model.objects.begin(), model.objects.end(), is_family);
  return found == model.objects.end() ? -1 : static_cast<int>(found - model.objects.begin());
}

}  // namespace pawl
