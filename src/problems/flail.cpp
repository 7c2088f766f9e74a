// A box on a handle: two bodies in space and a ball joint between them, thrown onto a rough floor. The corners of the
// box and the end of the handle hit it, slide, stick and come to rest.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pawl/pawl.hpp"
#include "pawl/picture.hpp"
#include "problems/contact.hpp"

namespace pawl::problems {

namespace {

constexpr std::array half{0.25, 0.15, 0.1};  // of the box
constexpr double handle = 0.4;               // half of its length, along its x
constexpr double box_mass = 1, rod_mass = 0.3;

/// Turns a vector from the axes of the body to those of the room.
template <class T, class V>
std::array<T, 3> turn(const std::array<T, 4>& q, const std::array<V, 3>& r) {
  const auto& [w, x, y, z] = q;
  return {(1 - 2 * (y * y + z * z)) * r[0] + 2 * (x * y - w * z) * r[1] + 2 * (x * z + w * y) * r[2],
          2 * (x * y + w * z) * r[0] + (1 - 2 * (x * x + z * z)) * r[1] + 2 * (y * z - w * x) * r[2],
          2 * (x * z - w * y) * r[0] + 2 * (y * z + w * x) * r[1] + (1 - 2 * (x * x + y * y)) * r[2]};
}

struct Body {
  Coordinate x, y, z;
  Attitude q;

  auto attitude() const {
    return [q = q](const auto& at) { return std::array{at[q[0]], at[q[1]], at[q[2]], at[q[3]]}; };
  }
  /// Where a point of the body is.
  auto place(std::array<double, 3> r) const {
    return [*this, r, turned = attitude()](const auto& at) {
      const auto arm = turn(turned(at), r);
      return std::array{at[x] + arm[0], at[y] + arm[1], at[z] + arm[2]};
    };
  }
  /// How fast it moves along the floor.
  auto slip(std::array<double, 3> r) const {
    return [*this, r, turned = attitude()](const auto& at) {
      const auto p0 = at[q.speed(0)], p1 = at[q.speed(1)], p2 = at[q.speed(2)];
      const std::array rate{p1 * r[2] - p2 * r[1], p2 * r[0] - p0 * r[2], p0 * r[1] - p1 * r[0]};
      const auto v = turn(turned(at), rate);
      return std::array{at[dot(x)] + v[0], at[dot(y)] + v[1]};
    };
  }
  /// The same for pictures.
  shapes::Place shown(std::array<double, 3> r) const {
    const auto where = place(r);
    return {[=](const Point<double>& at) { return where(at)[0]; },
            [=](const Point<double>& at) { return where(at)[1]; },
            [=](const Point<double>& at) { return where(at)[2]; }};
  }
};

}  // namespace

Problem flail() {
  Mechanics flail("flail");
  const double c = std::cos(0.4), s = std::sin(0.4);
  const std::array<double, 4> tilt{c, 0.6 * s, 0.64 * s, 0.48 * s};
  const std::array<double, 3> eye{half[0], 0, 0}, grip{-handle, 0, 0}, end{handle, 0, 0};
  const std::array<double, 3> spin{1, -2, 1.5}, start = turn(tilt, eye);
  const std::array<double, 3> rate =  // of the eye: the handle starts with it, and does not turn
      turn(tilt, std::array{0.0, spin[2] * eye[0], -spin[1] * eye[0]});
  const Body box{flail.coordinate("box_x", 0, 0.6), flail.coordinate("box_y", 0, 0.2), flail.coordinate("box_z", 1, 0),
                 flail.attitude("box_turn", tilt, spin)};
  const Body rod{flail.coordinate("rod_x", start[0] + handle, 0.6 + rate[0]),
                 flail.coordinate("rod_y", start[1], 0.2 + rate[1]), flail.coordinate("rod_z", 1 + start[2], rate[2]),
                 flail.attitude("rod_turn")};
  const auto g = flail.parameter("gravity", 9.81), e = flail.parameter("restitution", 0.4),
             mu = flail.parameter("friction", 0.4);
  for (const auto& [body, mass] : {std::pair{box, box_mass}, std::pair{rod, rod_mass}})
    for (const auto q : {body.x, body.y, body.z}) flail.mass(q, mass);
  for (int i = 0; i < 3; ++i) {
    const double around = (sqr(half[0]) + sqr(half[1]) + sqr(half[2]) - sqr(half[static_cast<std::size_t>(i)])) / 3;
    flail.mass(box.q.speed(i), box_mass * around);
    flail.mass(rod.q.speed(i), i == 0 ? 1e-4 : rod_mass * sqr(handle) / 3);
  }
  flail.potential([=](const auto& at) { return at[g] * (box_mass * at[box.z] + rod_mass * at[rod.z]); });
  const auto joint = flail.constraint("joint", [a = box.place(eye), b = rod.place(grip)](const auto& at) {
    const auto p = a(at), q = b(at);
    return std::array{p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  });

  using namespace shapes;
  Picture picture{Floor{{0.5, 0.2, 0}, 3}, Box{{box.x, box.y, box.z}, {2 * half[0], 2 * half[1], 2 * half[2]}, box.q},
                  Rod{rod.shown(grip), rod.shown(end), 0.04}, Sphere{rod.shown(grip), 0.04},
                  Trace{rod.shown(end), 0.5}};
  const auto touches = [&](const std::string& name, const Body& body, std::array<double, 3> r) {
    const Contact contact = flail.contact(name, [where = body.place(r)](const auto& at) { return where(at)[2]; },
                                          body.slip(r), {.restitution = e, .friction = mu});
    picture.add(Touch{contact, body.shown(r), Place{0, 0, 1}});
  };
  for (int k = 0; k < 8; ++k)
    touches(fmt::format("corner {}", k + 1), box,
            {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]});
  touches("end of the handle", rod, end);
  picture.add(Arrow{rod.shown(grip), {joint[0], joint[1], joint[2]}});
  flail.picture(picture);
  flail.energy();
  flail.friction_work();
  flail.impact_loss();
  return {
      .summary = "a box on a handle is thrown onto a rough floor: joint, impacts, friction in space, rest",
      .kind = "mechanics with contact",
      .source = "kind of model: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996); data of pawl",
      .system = flail,
      .end = 3,
      .plot = "t,box_z",
      .known_by = "the balance of energy: what is left, friction and impacts have not taken",
      .reference = [](const Values&, double) { return std::nullopt; }};
}

}  // namespace pawl::problems
