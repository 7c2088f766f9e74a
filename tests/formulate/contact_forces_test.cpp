// Friction and compliance while the modes of contacts are held, against closed forms.
#include "formulate/contact_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <numbers>

#include "formulate/implicit_mechanics.hpp"
#include "formulate/mechanics_form.hpp"
#include "misuse_of.hpp"
#include "numerics/elimination.hpp"
#include "pawl/mechanics.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using formulate::Formulation;
using formulate::MechanicsForm;
using formulate::parse_formulation;
using testing::misuse_of;
using testing::says;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double g = 9.81;

/// A mechanism in modes of our choice, evaluated at its start or where it is moved to.
struct Posed {
  explicit Posed(const Mechanics& system, Formulation formulation = {})
      : values(system),
        held(values.held()),
        x(values.start()),
        rates(x.size()),
        form(system.share(), std::move(formulation)) {}

  Posed& set(const Contact& contact, ContactMode mode) {
    held.modes[static_cast<std::size_t>(contact.mode.index)] = static_cast<int>(mode);
    return *this;
  }
  Posed& side(const Mechanics& system, const Contact& friction, int sign) {
    const ContactInfo& info = system.declarations().mechanics->contacts[static_cast<std::size_t>(friction.index)];
    held.modes[static_cast<std::size_t>(info.side)] = sign;
    return *this;
  }
  Posed& evaluate() {
    form.lock(held);
    form.rate(t, x.data(), rates.data());
    return *this;
  }
  double& operator[](State s) { return x[static_cast<std::size_t>(s.index)]; }
  double rate(State s) const { return rates[static_cast<std::size_t>(s.index)]; }
  double force(Constraint c) { return form.multiplier(t, x.data(), c.index); }
  double pivot() { return form.least_slip_pivot(t, x.data()); }

  Values values;
  Held held;
  double t = 0;
  std::vector<double> x, rates;
  MechanicsForm form;
};

// ---- slip in the plane ----

struct Incline {
  static constexpr double angle = 0.4, friction = 0.3, mass = 2.5;
  Mechanics block{"block on an incline"};
  Coordinate x = block.coordinate("x", 0), y = block.coordinate("y", 0);
  Contact plane{};
  State work{};

  explicit Incline(double speed, ContactOptions options = {.friction = friction}) {
    for (const auto q : {x, y}) block.mass(q, mass);
    block.potential([y = y](const auto& at) { return mass * g * at[y]; });
    plane = block.contact(
        "plane", [x = x, y = y](const auto& at) { return std::cos(angle) * at[y] - std::sin(angle) * at[x]; },
        [x = x, y = y](const auto& at) { return std::cos(angle) * at[dot(x)] + std::sin(angle) * at[dot(y)]; },
        options);
    work = block.friction_work();
    block.start([=, this](Start& start) {
      start[dot(x)] = std::cos(angle) * speed;
      start[dot(y)] = std::sin(angle) * speed;
    });
  }
  double along(const Posed& at) const { return std::cos(angle) * at.rate(dot(x)) + std::sin(angle) * at.rate(dot(y)); }
  double across(const Posed& at) const { return std::cos(angle) * at.rate(dot(y)) - std::sin(angle) * at.rate(dot(x)); }
};

TEST(ContactForces, ABlockSlidesUpAndDownAnIncline) {
  const double pressing = Incline::mass * g * std::cos(Incline::angle);
  for (const double speed : {2.0, -0.7}) {
    const Incline incline(speed);
    Posed at(incline.block);
    for (const ContactMode mode : {ContactMode::slip, ContactMode::slip_back}) {  // the rows in force are the same
      const double d = mode == ContactMode::slip ? 1 : -1;
      at.set(incline.plane, mode).evaluate();
      EXPECT_TRUE(at.form.has_contact_forces());
      EXPECT_NEAR(incline.along(at), -g * (std::sin(Incline::angle) + d * Incline::friction * std::cos(Incline::angle)),
                  1e-14);
      EXPECT_NEAR(incline.across(at), 0, 1e-14);
      EXPECT_NEAR(at.force(incline.plane.normal), pressing, 1e-13);
      EXPECT_NEAR(at.force(incline.plane.slip), -d * Incline::friction * pressing, 1e-13);
      EXPECT_NEAR(at.rate(incline.work), d * Incline::friction * pressing * speed, 1e-13);
      EXPECT_NEAR(at.pivot(), 1, 1e-15);  // friction does not turn a point mass into its plane
    }
  }
}

TEST(ContactForces, AddNothingToOpenFrictionlessAndStickingContacts) {
  const Incline incline(0);
  Posed at(incline.block);
  at.set(incline.plane, ContactMode::open).evaluate();
  EXPECT_FALSE(at.form.has_contact_forces());
  EXPECT_NEAR(at.rate(dot(incline.y)), -g, 1e-14);
  for (const Constraint row : {incline.plane.normal, incline.plane.slip}) EXPECT_EQ(at.force(row), 0);
  at.set(incline.plane, ContactMode::closed).evaluate();
  EXPECT_FALSE(at.form.has_contact_forces());
  EXPECT_NEAR(incline.along(at), -g * std::sin(Incline::angle), 1e-14);
  EXPECT_EQ(at.force(incline.plane.slip), 0);
  at.set(incline.plane, ContactMode::stick).evaluate();
  EXPECT_FALSE(at.form.has_contact_forces());
  EXPECT_NEAR(incline.along(at), 0, 1e-14);
  EXPECT_NEAR(at.force(incline.plane.normal), Incline::mass * g * std::cos(Incline::angle), 1e-13);
  EXPECT_NEAR(at.force(incline.plane.slip), Incline::mass * g * std::sin(Incline::angle), 1e-13);  // it holds the block
  EXPECT_EQ(at.rate(incline.work), 0);
  EXPECT_EQ(at.pivot(), 1);
}

TEST(ContactForces, SmoothedFrictionIsAHyperbolicTangent) {
  const double pressing = Incline::mass * g * std::cos(Incline::angle);
  for (const double speed : {0.0, 0.02, -0.2}) {
    const Incline incline(speed, {.friction = Incline::friction, .slip_speed = 0.1});
    Posed at(incline.block);
    EXPECT_FALSE(at.set(incline.plane, ContactMode::open).evaluate().form.has_contact_forces());
    at.set(incline.plane, ContactMode::closed).evaluate();
    EXPECT_TRUE(at.form.has_contact_forces());
    const double share = Incline::friction * std::tanh(speed / 0.1);
    EXPECT_NEAR(incline.along(at), -g * (std::sin(Incline::angle) + share * std::cos(Incline::angle)), 1e-14);
    EXPECT_NEAR(at.force(incline.plane.slip), -share * pressing, 1e-13);
    EXPECT_NEAR(at.rate(incline.work), share * pressing * speed, 1e-13);
  }
}

TEST(ContactForces, SlipIsTheSameInEveryFormulationWithMultipliers) {
  const Incline incline(2);
  Posed plain(incline.block);
  plain.set(incline.plane, ContactMode::slip).evaluate();
  for (const char* words : {"baumgarte(12,70)", "sliding(5)", "state-space"}) {
    Posed at(incline.block, parse_formulation(words));
    at.set(incline.plane, ContactMode::slip).evaluate();
    for (std::size_t i = 0; i < at.rates.size(); ++i) EXPECT_NEAR(at.rates[i], plain.rates[i], 1e-12) << words;
    EXPECT_NEAR(at.force(incline.plane.normal), plain.force(incline.plane.normal), 1e-12) << words;
  }
  // Off the plane, Baumgarte's feedback comes in with the row, and friction follows what presses.
  Posed off(incline.block, parse_formulation("baumgarte(12,70)"));
  off[incline.y] = 0.01;
  off.set(incline.plane, ContactMode::slip).evaluate();
  const double gap = 0.01 * std::cos(Incline::angle),
               pressing = Incline::mass * (g * std::cos(Incline::angle) - 70 * gap);
  EXPECT_NEAR(incline.across(off), -70 * gap, 1e-13);
  EXPECT_NEAR(off.force(incline.plane.normal), pressing, 1e-12);
  EXPECT_NEAR(off.force(incline.plane.slip), -Incline::friction * pressing, 1e-12);
}

TEST(ContactForces, FormulationsWithoutMultipliersRefuseRigidContacts) {
  const Incline incline(0), soft(0, {.friction = 0.1, .compliance = Compliance::spring_damper(1e3, 1)});
  for (const char* words : {"penalty(1e5,1e3)", "held_multipliers"}) {
    Formulation formulation{.scheme = formulate::Scheme::penalty, .name = words};
    if (formulation.name == "held_multipliers") formulation.scheme = formulate::Scheme::held_multipliers;
    const std::string text = misuse_of([&] { Posed{incline.block, formulation}; });
    EXPECT_TRUE(says(text, {"contact 'plane'", words, "opens, sticks or slips", "compliance"})) << text;
    EXPECT_EQ(misuse_of([&] { Posed{soft.block, formulation}; }), "no misuse");
  }
}

TEST(ContactForces, ASlipSpeedThatReadsNoSpeedIsMisuseWhileTheContactIsOpen) {
  Mechanics block("block");
  const auto x = block.coordinate("x", 0), y = block.coordinate("y", 1);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  const auto floor = block.contact(
      "floor", [=](const auto& at) { return at[y]; }, [=](const auto& at) { return at[x]; }, {.friction = 0.3});
  Posed at(block);
  const std::string text = misuse_of([&] { at.set(floor, ContactMode::open).evaluate(); });
  EXPECT_TRUE(says(text, {"'floor slip'", "does not depend on any speed"})) << text;
}

// ---- Painlevé's rod ----

struct Rod {
  Mechanics rod{"sliding rod"};
  Coordinate x = rod.coordinate("x", 0), y, angle;
  Contact tip{};

  Rod(double theta, double omega, double friction)
      : y(rod.coordinate("y", std::sin(theta))), angle(rod.coordinate("angle", theta, omega)) {
    for (const auto q : {x, y}) rod.mass(q, 1.0);
    rod.mass(angle, 1. / 3);
    rod.potential([y = y](const auto& at) { return g * at[y]; });
    tip = rod.contact(
        "tip", [y = y, angle = angle](const auto& at) { return at[y] - sin(at[angle]); },
        [x = x, angle = angle](const auto& at) { return at[dot(x)] + sin(at[angle]) * at[dot(angle)]; },
        {.friction = friction});
  }
};

TEST(ContactForces, ThePivotOfASlidingRodIsThatOfPainleve) {
  for (const double theta : {0.3, 0.8, 1.0, 1.4}) {
    for (const double omega : {0.0, 4.0}) {
      for (const double d : {1.0, -1.0}) {
        const double mu = 1.5, c = std::cos(theta), s = std::sin(theta);
        const Rod rod(theta, omega, mu);
        Posed at(rod.rod);
        at.set(rod.tip, d > 0 ? ContactMode::slip : ContactMode::slip_back).evaluate();
        const double p = 1 + 3 * c * (c + d * mu * s), b = -g + s * omega * omega;
        EXPECT_NEAR(at.pivot(), p / (1 + 3 * c * c), 1e-14);
        EXPECT_NEAR(at.force(rod.tip.normal), -b / p, 1e-12 * std::abs(b / p));
        EXPECT_NEAR(at.rate(dot(rod.x)), d * mu * b / p, 1e-12 * std::abs(b / p));
        EXPECT_NEAR(at.rate(dot(rod.y)) - c * at.rate(dot(rod.angle)) + s * omega * omega, 0, 1e-13 * std::abs(b / p));
      }
    }
  }
  // The four cells: p = -0.170 at angle 1, where sliding would draw at rest and presses when the rod turns fast.
  const Rod still(1, 0, 1.5), turning(1, 4, 1.5);
  Posed first(still.rod), second(turning.rod);
  EXPECT_NEAR(first.set(still.tip, ContactMode::slip_back).evaluate().force(still.tip.normal), -57.7, 0.05);
  EXPECT_NEAR(second.set(turning.tip, ContactMode::slip_back).evaluate().force(turning.tip.normal), 21.5, 0.05);
  // It vanishes where (5 + 3 cos 2θ) / 2 = 9/4 sin 2θ.
  const double shift = std::atan(1 / 1.5), half = std::asin(2.5 / std::hypot(2.25, 1.5));
  for (const double theta : {(half + shift) / 2, (std::numbers::pi - half + shift) / 2}) {
    const Rod rod(theta, 0, 1.5);
    Posed at(rod.rod);
    EXPECT_NEAR(at.set(rod.tip, ContactMode::slip_back).evaluate().pivot(), 0, 1e-14);
  }
}

// ---- space ----

/// R(q) v for a unit quaternion.
template <class T, class V>
std::array<T, 3> turned(const T& w, const T& x, const T& y, const T& z, const std::array<V, 3>& v) {
  const std::array<T, 3> c{y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1],
                           x * v[1] - y * v[0] + w * v[2]};
  return {v[0] + 2.0 * (y * c[2] - z * c[1]), v[1] + 2.0 * (z * c[0] - x * c[2]), v[2] + 2.0 * (x * c[1] - y * c[0])};
}

struct Sphere {
  static constexpr double mass = 1.7, radius = 0.4, friction = 0.25;
  Mechanics ball{"sphere on a plane"};
  Coordinate x = ball.coordinate("x", 0, 1.1), y = ball.coordinate("y", 0, -0.4), z = ball.coordinate("z", radius);
  Attitude spin = ball.attitude("spin", {0.5, -0.5, 0.1, std::sqrt(0.49)}, {0.8, -2, 1.3});
  Contact floor{};
  State work{};

  explicit Sphere(ContactOptions options = {.friction = friction}) {
    for (const auto q : {x, y, z}) ball.mass(q, mass);
    for (int i = 0; i < 3; ++i) ball.mass(spin.speed(i), 0.4 * mass * radius * radius);
    ball.potential([z = z](const auto& at) { return mass * g * at[z]; });
    floor = ball.contact(
        "floor", [z = z](const auto& at) { return at[z] - radius; },
        [x = x, y = y, a = spin](const auto& at) {
          using T = std::decay_t<decltype(at[x])>;
          const auto omega = turned(at[a[0]], at[a[1]], at[a[2]], at[a[3]],
                                    std::array<T, 3>{at[a.speed(0)], at[a.speed(1)], at[a.speed(2)]});
          return std::array<T, 2>{at[dot(x)] - radius * omega[1], at[dot(y)] + radius * omega[0]};
        },
        options);
    work = ball.friction_work();
  }
  /// In space axes.
  std::array<double, 3> in_space(const Posed& at, const std::array<double, 3>& v) const {
    const auto q = [&](int i) { return at.x[static_cast<std::size_t>(spin[i].index)]; };
    return turned(q(0), q(1), q(2), q(3), v);
  }
};

TEST(ContactForces, ASlidingSphereSpinsUpAlongItsSlip) {
  const Sphere sphere;
  Posed at(sphere.ball);
  at.set(sphere.floor, ContactMode::slip).evaluate();
  const auto omega =
      sphere.in_space(at, {at[sphere.spin.speed(0)], at[sphere.spin.speed(1)], at[sphere.spin.speed(2)]});
  const std::array u{1.1 - Sphere::radius * omega[1], -0.4 + Sphere::radius * omega[0]};
  const double size = std::hypot(u[0], u[1]), most = Sphere::friction * g;
  const std::array d{u[0] / size, u[1] / size};
  EXPECT_NEAR(at.rate(dot(sphere.x)), -most * d[0], 1e-14);
  EXPECT_NEAR(at.rate(dot(sphere.y)), -most * d[1], 1e-14);
  EXPECT_NEAR(at.rate(dot(sphere.z)), 0, 1e-14);
  const auto turn = sphere.in_space(
      at, {at.rate(sphere.spin.speed(0)), at.rate(sphere.spin.speed(1)), at.rate(sphere.spin.speed(2))});
  EXPECT_NEAR(turn[0], -2.5 * most / Sphere::radius * d[1], 1e-13);
  EXPECT_NEAR(turn[1], 2.5 * most / Sphere::radius * d[0], 1e-13);
  EXPECT_NEAR(turn[2], 0, 1e-13);
  EXPECT_NEAR(at.force(sphere.floor.normal), Sphere::mass * g, 1e-13);
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_NEAR(at.force(sphere.floor.slip[i]), -Sphere::mass * most * d[k], 1e-13);
    // u' = -7/2 μ g d: rolling begins after 2 |u| / (7 μ g), in the direction of the start.
    const double slip_rate =
        at.rate(i == 0 ? dot(sphere.x) : dot(sphere.y)) + (i == 0 ? -1 : 1) * Sphere::radius * turn[i == 0 ? 1 : 0];
    EXPECT_NEAR(slip_rate, -3.5 * most * d[k], 1e-13);
  }
  EXPECT_NEAR(at.rate(sphere.work), Sphere::mass * most * size, 1e-13);
  EXPECT_NEAR(at.pivot(), 1, 1e-14);
}

TEST(ContactForces, WithoutSlipInSpaceTheDirectionIsThatOfTheLastEvent) {
  const Sphere sphere;
  Posed at(sphere.ball);
  for (const State v : {dot(sphere.x), dot(sphere.y)}) at[v] = 0;
  for (int i = 0; i < 3; ++i) at[sphere.spin.speed(i)] = 0;
  at.set(sphere.floor, ContactMode::slip).evaluate();
  EXPECT_EQ(at.force(sphere.floor.slip), 0);  // none is known
  const ContactInfo& info = sphere.ball.declarations().mechanics->contacts[0];
  at.held.numbers[static_cast<std::size_t>(info.direction)] = 0.6;
  at.held.numbers[static_cast<std::size_t>(info.direction) + 1] = -0.8;
  at.evaluate();
  EXPECT_NEAR(at.rate(dot(sphere.x)), -0.6 * Sphere::friction * g, 1e-14);
  EXPECT_NEAR(at.rate(dot(sphere.y)), 0.8 * Sphere::friction * g, 1e-14);
  // At the onset of slip friction turns from that direction to that of the slip.
  at.held.numbers[static_cast<std::size_t>(info.direction) + slip_onset] = 0.5;
  at[dot(sphere.x)] = 0.3;
  at.evaluate();
  const double x = 0.3 + 0.5 * 0.6, y = -0.5 * 0.8;
  EXPECT_NEAR(at.rate(dot(sphere.x)), -x / std::hypot(x, y) * Sphere::friction * g, 1e-14);
  EXPECT_NEAR(at.rate(dot(sphere.y)), -y / std::hypot(x, y) * Sphere::friction * g, 1e-14);
}

// ---- bodies on more corners than they need ----

struct Slab {
  static constexpr double a = 0.5, b = 0.3, height = 0.1, mass = 4, friction = 0.2, inertia = 0.9;
  Mechanics slab{"slab on four corners"};
  Coordinate x = slab.coordinate("x", 0), y = slab.coordinate("y", 0), z = slab.coordinate("z", height);
  Coordinate roll = slab.coordinate("roll", 0), pitch = slab.coordinate("pitch", 0), yaw = slab.coordinate("yaw", 0);
  std::vector<Contact> corners;
  State work{};

  Slab() {  // small angles of roll and pitch
    for (const auto q : {x, y, z}) slab.mass(q, mass);
    for (const auto q : {roll, pitch, yaw}) slab.mass(q, inertia);
    slab.potential([z = z](const auto& at) { return mass * g * at[z]; });
    for (const auto& [cx, cy] : {std::pair{a, b}, {-a, b}, {a, -b}, {-a, -b}}) {
      const double px = cx, py = cy;
      corners.push_back(slab.contact(
          "corner " + std::to_string(corners.size()),
          [=, z = z, roll = roll, pitch = pitch](const auto& at) {
            return at[z] - height + py * at[roll] - px * at[pitch];
          },
          [=, x = x, y = y, pitch = pitch, roll = roll, yaw = yaw](const auto& at) {
            return std::array{at[dot(x)] - height * at[dot(pitch)] - py * at[dot(yaw)],
                              at[dot(y)] + height * at[dot(roll)] + px * at[dot(yaw)]};
          },
          {.friction = friction}));
    }
    work = slab.friction_work();
  }
};

TEST(ContactForces, ASlabOnFourCornersSlidesAsOneAndIsNotCalledRedundant) {
  const Slab slab;
  Posed at(slab.slab);
  at[dot(slab.x)] = 0.6;
  at[dot(slab.y)] = 0.8;
  for (const Contact& corner : slab.corners) at.set(corner, ContactMode::slip);
  at.evaluate();
  EXPECT_EQ(at.form.redundant_rows().size(), 1u);
  EXPECT_TRUE(at.form.take_notes().empty());
  EXPECT_NEAR(at.rate(dot(slab.x)), -0.6 * Slab::friction * g, 1e-13);
  EXPECT_NEAR(at.rate(dot(slab.y)), -0.8 * Slab::friction * g, 1e-13);
  for (const auto q : {slab.z, slab.roll, slab.pitch, slab.yaw}) EXPECT_NEAR(at.rate(dot(q)), 0, 1e-13);
  // The moment of friction about the centre is carried by the corners in front.
  double sum = 0, moment_x = 0, moment_y = 0;
  const double signs[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  for (std::size_t i = 0; i < 4; ++i) {
    const double pressing = at.force(slab.corners[i].normal);
    sum += pressing;
    moment_x += signs[i][0] * Slab::a * pressing;
    moment_y += signs[i][1] * Slab::b * pressing;
    EXPECT_NEAR(pressing,
                Slab::mass * g / 4 *
                    (1 + Slab::friction * Slab::height * (0.6 * signs[i][0] / Slab::a + 0.8 * signs[i][1] / Slab::b)),
                1e-12);
    EXPECT_NEAR(at.force(slab.corners[i].slip[0]), -0.6 * Slab::friction * pressing, 1e-12);
  }
  EXPECT_NEAR(sum, Slab::mass * g, 1e-12);
  EXPECT_NEAR(moment_x, Slab::friction * Slab::mass * g * Slab::height * 0.6, 1e-12);
  EXPECT_NEAR(moment_y, Slab::friction * Slab::mass * g * Slab::height * 0.8, 1e-12);
  EXPECT_NEAR(at.rate(slab.work), Slab::friction * Slab::mass * g, 1e-12);
}

TEST(ContactForces, ASlabThatTurnsOnFourCornersKeepsItsCentre) {  // no corner is without load
  const Slab slab;
  Posed at(slab.slab);
  at[dot(slab.yaw)] = 2;
  for (const Contact& corner : slab.corners) at.set(corner, ContactMode::slip);
  at.evaluate();
  for (const auto q : {slab.x, slab.y, slab.z, slab.roll, slab.pitch}) EXPECT_NEAR(at.rate(dot(q)), 0, 1e-13);
  EXPECT_NEAR(at.rate(dot(slab.yaw)), -Slab::friction * Slab::mass * g * std::hypot(Slab::a, Slab::b) / Slab::inertia,
              1e-12);
  for (const Contact& corner : slab.corners) EXPECT_NEAR(at.force(corner.normal), Slab::mass * g / 4, 1e-12);
}

TEST(ContactForces, AJointThatDependsOnOthersIsStillNamed) {
  Mechanics block("block");
  const auto x = block.coordinate("x", 0), y = block.coordinate("y", 0);
  for (const auto q : {x, y}) block.mass(q, 1.0);
  const auto floor = block.contact("floor", [=](const auto& at) { return at[y]; });
  block.constraint("rail", [=](const auto& at) { return at[y]; });
  Posed at(block);
  at.set(floor, ContactMode::closed).evaluate();
  const auto notes = at.form.take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, MessageCode::constraint_redundant);
  EXPECT_TRUE(says(notes[0].text, {"'rail' is redundant", "'floor'"})) << notes[0].text;
}

// ---- many columns, dense and sparse ----

/// Blocks on a rough table, pulled by springs and joined by rods; every one is pressed by its neighbour.
struct Train {
  Mechanics train{"train"};
  std::vector<Coordinate> x, y;
  std::vector<Contact> contacts;
  std::vector<Constraint> rods;

  explicit Train(int count) {
    for (int i = 0; i < count; ++i) {
      x.push_back(train.coordinate("x" + std::to_string(i), i, 0.5 * std::sin(i)));
      y.push_back(train.coordinate("y" + std::to_string(i), 0));
      train.mass(x.back(), 1 + 0.1 * i);
      train.mass(y.back(), 1 + 0.1 * i);
      train.force([q = x.back(), p = y.back(), i](const auto& at, auto& f) {
        f[q] += std::cos(i) - 0.2 * at[dot(q)];
        f[p] -= 10 + i;
      });
      contacts.push_back(train.contact(
          "table " + std::to_string(i),
          [q = x.back(), p = y.back(), i](const auto& at) { return at[p] - 0.1 * sin(at[q] - i); },
          [q = x.back(), p = y.back()](const auto& at) { return at[dot(q)] + 0.1 * at[dot(p)]; },
          {.friction = 0.2 + 0.05 * i}));
      if (i % 3 == 2) {
        rods.push_back(
            train.constraint("rod " + std::to_string(i),
                             [a = x[x.size() - 2], b = x.back(), c = y[y.size() - 2], d = y.back()](const auto& at) {
                               return (sqr(at[b] - at[a]) + sqr(at[d] - at[c]) - 1) / 2;
                             }));
      }
    }
  }
};

TEST(ContactForces, ManyColumnsSolveTheObliqueSystemDenseAndSparse) {
  for (const int count : {7, 14}) {
    const Train train(count);
    Posed at(train.train);
    const auto mode = [](int i) { return i % 4 == 3 ? ContactMode::slip_back : ContactMode::slip; };
    for (int i = 0; i < count; ++i) at.set(train.contacts[static_cast<std::size_t>(i)], mode(i));
    at.evaluate();
    EXPECT_EQ(at.form.terms().is_sparse(), count == 14);
    // Written out: M a + (G + E)^T λ = f, G a = -γ.
    formulate::MechanicsTerms& terms = at.form.terms();
    const Matrix M = at.form.last_mass(), G = at.form.last_jacobian();
    const Eigen::Index n = M.rows(), m = G.rows();
    Matrix C = G;
    for (int i = 0; i < count; ++i) {
      const int row = terms.row_of_declared(train.contacts[static_cast<std::size_t>(i)].normal.index);
      const double d = mode(i) == ContactMode::slip ? 1 : -1, mu = 0.2 + 0.05 * i;
      C(row, 2 * i) += mu * d * 1;  // G_T = -(1, 0.1)
      C(row, 2 * i + 1) += mu * d * 0.1;
    }
    Matrix K = Matrix::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = M;
    K.topRightCorner(n, m) = C.transpose();
    K.bottomLeftCorner(m, n) = G;
    Vector right(n + m);
    right << Eigen::Map<const Vector>(terms.force.data(), n), -Eigen::Map<const Vector>(terms.gamma.data(), m);
    const Vector solution = linear::solve_with_full_pivoting(K, right);
    const double scale = solution.cwiseAbs().maxCoeff();
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(at.rate(dot(train.x[k])), solution[2 * i], 1e-12 * scale);
      EXPECT_NEAR(at.rate(dot(train.y[k])), solution[2 * i + 1], 1e-12 * scale);
    }
    for (int row = 0; row < m; ++row)
      EXPECT_NEAR(at.form.multiplier(0, at.x.data(), terms.declared_row(row)), solution[n + row], 1e-12 * scale);
    // The product of all pivots is the ratio of determinants; the least is not above its root of that degree.
    Matrix without = K;
    without.topRightCorner(n, m) = G.transpose();
    const double ratio = K.determinant() / without.determinant();
    EXPECT_GT(at.pivot(), 0);
    EXPECT_LE(at.pivot(), std::pow(ratio, 1. / count) * (1 + 1e-12));
  }
}

// ---- friction under a given force, and in joints ----

TEST(ContactForces, AClutchSlipsUnderItsForceAndSticksWithARow) {
  Mechanics clutch("clutch");
  const auto first = clutch.coordinate("first", 0, 5), second = clutch.coordinate("second", 0, 1);
  clutch.mass(first, 2.0);
  clutch.mass(second, 3.0);
  clutch.force([=](const auto&, auto& f) { f[first] += 7; });
  const auto friction = clutch.parameter("friction", 0.4);
  const auto disc = clutch.dry_friction(
      "disc", [=](const auto& at) { return at[dot(first)] - at[dot(second)]; },
      [=](const auto& at) { return 10 * at.t; }, {.friction = friction});
  const auto work = clutch.friction_work();
  Posed at(clutch);
  at.t = 0.5;
  at.set(disc, ContactMode::slip).evaluate();
  EXPECT_TRUE(at.form.has_contact_forces());
  EXPECT_NEAR(at.rate(dot(first)), (7 - 0.4 * 5) / 2, 1e-15);
  EXPECT_NEAR(at.rate(dot(second)), 0.4 * 5 / 3, 1e-15);
  EXPECT_NEAR(at.force(disc.slip), -0.4 * 5, 1e-15);
  EXPECT_NEAR(at.rate(work), 0.4 * 5 * 4, 1e-14);
  EXPECT_EQ(at.pivot(), 1);
  at.set(disc, ContactMode::slip_back).evaluate();
  EXPECT_NEAR(at.force(disc.slip), 0.4 * 5, 1e-15);
  at.t = -1;  // a force that draws is none
  at.evaluate();
  EXPECT_EQ(at.force(disc.slip), 0);
  at.t = 0.5;
  at.set(disc, ContactMode::stick).evaluate();
  EXPECT_FALSE(at.form.has_contact_forces());
  EXPECT_NEAR(at.rate(dot(first)), 7. / 5, 1e-15);
  EXPECT_NEAR(at.rate(dot(second)), 7. / 5, 1e-15);
  EXPECT_NEAR(at.force(disc.slip), -3 * 7. / 5, 1e-14);
}

TEST(ContactForces, ASmoothedBrakeActsInEveryMode) {
  Mechanics brake("brake");
  const auto angle = brake.coordinate("angle", 0, 0.3);
  brake.mass(angle, 2.0);
  const auto pad = brake.dry_friction(
      "pad", [=](const auto& at) { return at[dot(angle)]; }, [](const auto&) { return 5; },
      {.friction = 0.4, .slip_speed = 0.2});
  Posed at(brake);
  for (const ContactMode mode : {ContactMode::open, ContactMode::stick, ContactMode::slip}) {
    at.set(pad, mode).evaluate();
    EXPECT_TRUE(at.form.has_contact_forces());
    EXPECT_NEAR(at.rate(dot(angle)), -0.4 * 5 / 2 * std::tanh(1.5), 1e-15);
  }
}

TEST(ContactForces, ABeadOnARoughHoopIsHeldByTheForceOfTheHoop) {
  for (const double theta : {-2.0, -1.2, 0.4, 1.5}) {
    for (const double speed : {3.0, -2.0, 0.7}) {
      Mechanics bead("bead on a hoop");
      const double c = std::cos(theta), s = std::sin(theta);
      const auto x = bead.coordinate("x", c, -s * speed), y = bead.coordinate("y", s, c * speed);
      for (const auto q : {x, y}) bead.mass(q, 1.0);
      bead.potential([=](const auto& at) { return g * at[y]; });
      const Constraint hoop =
          bead.constraint("hoop", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
      const auto rub = bead.joint_friction(
          "rub", hoop, [=](const auto& at) { return at[x] * at[dot(y)] - at[y] * at[dot(x)]; }, {.friction = 0.2});
      const auto work = bead.friction_work();
      Posed at(bead);
      const double radial = speed * speed - g * s, d = speed > 0 ? 1 : -1;  // λ: the hoop draws inwards
      at.set(rub, d > 0 ? ContactMode::slip : ContactMode::slip_back).side(bead, rub, radial > 0 ? 1 : -1).evaluate();
      EXPECT_NEAR(at.force(hoop), radial, 1e-13);
      EXPECT_NEAR(at.force(rub.slip), -0.2 * d * std::abs(radial), 1e-13);
      const double along = -s * at.rate(dot(x)) + c * at.rate(dot(y));
      EXPECT_NEAR(along, -g * c - 0.2 * d * std::abs(radial), 1e-13);
      EXPECT_NEAR(at.rate(work), 0.2 * std::abs(radial * speed), 1e-13);
      EXPECT_NEAR(at.pivot(), 1, 1e-15);
      at.set(rub, ContactMode::stick).evaluate();
      EXPECT_NEAR(at.force(rub.slip), g * c, 1e-13);
    }
  }
}

// ---- compliance ----

struct Bouncer {
  Mechanics ball{"compliant ball"};
  Coordinate x, y;
  Contact floor{};
  State work{};
  static constexpr double mass = 0.8;

  Bouncer(double depth, double sinking, double slip, Compliance law, double friction = 0, double slip_speed = 0)
      : x(ball.coordinate("x", 0, slip)), y(ball.coordinate("y", -depth, -sinking)) {
    for (const auto q : {x, y}) ball.mass(q, mass);
    floor = ball.contact(
        "floor", [y = y](const auto& at) { return at[y]; }, [x = x](const auto& at) { return at[dot(x)]; },
        {.friction = friction, .compliance = law, .slip_speed = slip_speed});
    work = ball.friction_work();
  }
};

TEST(ContactForces, ACompliantContactPressesByItsLaw) {
  struct Case {
    Compliance law;
    double depth, sinking, force;
  };
  for (const Case& c :
       {Case{Compliance::hertz(2e4), 0.01, 3, 2e4 * 1e-3}, Case{Compliance::hertz(2e4), 0.01, -3, 20},
        Case{Compliance::hunt_crossley(2e4, 0.1), 0.01, 2, 20 * 1.2},
        Case{Compliance::hunt_crossley(2e4, 0.1), 0.01, -20, 0},  // never draws
        Case{Compliance::spring_damper(1e3, 7), 0.02, 0.5, 23.5}, Case{Compliance::spring_damper(1e3, 7), 0.02, -4, 0},
        Case{Compliance{.stiffness = 1e3, .exponent = 2}, 0.2, 1, 40}, Case{Compliance::hertz(2e4), -1e-9, -1, 0}}) {
    const Bouncer bouncer(c.depth, c.sinking, 0, c.law);
    Posed at(bouncer.ball);
    at.set(bouncer.floor, ContactMode::open).evaluate();
    EXPECT_FALSE(at.form.has_contact_forces());
    EXPECT_EQ(at.rate(dot(bouncer.y)), 0);
    EXPECT_EQ(at.force(bouncer.floor.normal), 0);
    at.set(bouncer.floor, ContactMode::closed).evaluate();
    EXPECT_TRUE(at.form.has_contact_forces());
    EXPECT_EQ(at.form.terms().rows(), 0);
    EXPECT_NEAR(at.force(bouncer.floor.normal), c.force, 1e-13 * (1 + c.force));
    EXPECT_NEAR(at.rate(dot(bouncer.y)), c.force / Bouncer::mass, 1e-13 * (1 + c.force));
    // What is taken is what kinetic and elastic energy lose.
    const double spring = c.depth > 0 ? c.law.stiffness * std::pow(c.depth, c.law.exponent) : 0;
    const double kinetic_rate = Bouncer::mass * at.rate(dot(bouncer.y)) * -c.sinking;
    EXPECT_NEAR(at.rate(bouncer.work), -(kinetic_rate + spring * c.sinking), 1e-12 * (1 + spring));
    EXPECT_GE(at.rate(bouncer.work), -1e-13 * spring);
  }
}

TEST(ContactForces, FrictionOfACompliantContactIsSmoothed) {
  const double pressing = 1e3 * 0.02;
  for (const double slip : {0.0, 0.05, -0.3}) {
    const Bouncer own(0.02, 0, slip, Compliance::spring_damper(1e3, 0), 0.5, 0.1),
        sharp(0.02, 0, slip, Compliance::spring_damper(1e3, 0), 0.5);
    for (const auto& [bouncer, speed] : {std::pair{&own, 0.1}, {&sharp, 1e-4}}) {
      Posed at(bouncer->ball);
      at.set(bouncer->floor, ContactMode::closed).evaluate();
      const double expected = -0.5 * pressing * std::tanh(slip / speed);
      EXPECT_NEAR(at.force(bouncer->floor.slip), expected, 1e-13);
      EXPECT_NEAR(at.rate(dot(bouncer->x)), expected / Bouncer::mass, 1e-13);
      EXPECT_NEAR(at.rate(bouncer->work), -expected * slip, 1e-13);
    }
  }
}

// ---- implicit forms ----

TEST(ContactForces, MultipliersOfClosedAndStickingContactsAreUnknownsOfImplicitForms) {
  const Incline incline(0);
  for (const auto level : {formulate::Level::index_3, formulate::Level::index_2, formulate::Level::stabilized_index_2,
                           formulate::Level::index_1}) {
    for (const ContactMode mode : {ContactMode::open, ContactMode::closed, ContactMode::stick}) {
      Posed at(incline.block);
      at.set(incline.plane, mode).evaluate();
      const auto implicit = formulate::make_implicit_mechanics(incline.block.share(), at.form, level);
      implicit->restart(0, at.x.data());
      Vector y = Vector::Zero(implicit->size()), dy = y, r = y;
      std::copy(at.x.begin(), at.x.end(), y.begin());
      ASSERT_EQ(implicit->complete(0, y.data(), dy.data()), "");
      implicit->residual(0, y.data(), dy.data(), r.data());
      EXPECT_LE(r.cwiseAbs().maxCoeff(), 1e-13);
      for (std::size_t i = 0; i < at.x.size(); ++i) EXPECT_NEAR(dy[static_cast<Eigen::Index>(i)], at.rates[i], 1e-13);
    }
  }
}

}  // namespace
}  // namespace pawl
