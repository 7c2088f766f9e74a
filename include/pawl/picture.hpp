// Picture: what a model looks like, declared beside its equations and drawn by reports in step with their plots.
//
//   using namespace pawl::shapes;
//   crank.picture({Rod{{0, 0}, {x, y}}, Disk{{x, y}, 0.1}, Trace{{x, y}, 1.5}, Wall{{-0.9, -2}, {-0.9, 2}},
//                  Touch{wall, {-0.9, y}, {1, 0}}});
//
// Every number is a constant, a state, an observable, a parameter, a multiplier, or a function of the motion. A picture
// is in space as soon as one z is not the constant 0. Pictures are read from results alone: a run does not know them.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pawl/callback.hpp"
#include "pawl/contact.hpp"
#include "pawl/handle.hpp"
#include "pawl/point.hpp"

namespace pawl {

namespace shapes {

/// A number of a picture.
class Number {
 public:
  using Read = Callback<double(const Point<double>&)>;

  // NOLINTBEGIN(google-explicit-constructor): all of these stand for a number
  Number(double number = 0) : value_(number) {}
  Number(State x) : value_(x) {}
  Number(Observable o) : value_(o) {}
  Number(Parameter p) : value_(Read([p](const Point<double>& at) { return at[p]; })) {}
  Number(Constraint c) : value_(Read([c](const Point<double>& at) { return at[c]; })) {}
  template <class F>
  requires(std::is_invocable_r_v<double, const F&, const Point<double>&>) Number(F f)
      : value_(Read([f = std::move(f)](const Point<double>& at) -> double { return f(at); })) {}
  // NOLINTEND(google-explicit-constructor)

  const std::variant<double, State, Observable, Read>& value() const { return value_; }
  bool is_zero() const { return value_.index() == 0 && std::get<0>(value_) == 0; }

 private:
  std::variant<double, State, Observable, Read> value_;
};

struct Place {
  Number x = 0, y = 0, z = 0;
};

/// How a body is turned: not at all, by an angle in the plane, or by an attitude in space.
class Turn {
 public:
  Turn() = default;
  Turn(Attitude q) : values{q[0], q[1], q[2], q[3]} {}  // NOLINT: an attitude is a turn
  template <class Angle>
  requires(std::is_convertible_v<Angle, Number>) Turn(Angle angle) : values{Number(angle)} {}  // NOLINT: so is an angle
  /// A quaternion, scalar part first.
  Turn(Number w, Number x, Number y, Number z) : values{std::move(w), std::move(x), std::move(y), std::move(z)} {}

  std::vector<Number> values;  ///< none, the angle, or the quaternion
};

/// A bar between two places; a line unless it has a width.
struct Rod {
  Place from, to;
  double width = 0;
};
/// A wheel with a mark that shows its turn; in space it is flat, and its axis is the z of the body.
struct Disk {
  Place center;
  Number radius = 0.1;
  Turn turn = {};
};
struct Sphere {
  Place center;
  Number radius = 0.1;
  Turn turn = {};
};
struct Box {
  Place center;
  std::array<double, 3> size = {0.2, 0.1, 0.1};
  Turn turn = {};
};
struct Spring {
  Place from, to;
};
/// Something that stands still, hatched: a segment in the plane.
struct Wall {
  Place from, to;
};
/// A circle that stands still or moves, its inside free: a ring, a hoop, a jar.
struct Ring {
  Place center;
  Number radius = 1;
  Turn turn = {};
};
/// A floor in space: a square of this size around its center, across the z of its turn.
struct Floor {
  Place center;
  double size = 2;
  Turn turn = {};
};
/// The way a place has gone in the last seconds of the model's time.
struct Trace {
  Place of;
  double seconds = 1;
};
/// A place that flashes at every event of a contact or guard. With a direction: an arrow along it, as long as the
/// multiplier of the contact's normal is large.
struct Touch {
  std::variant<Contact, Guard> what;
  Place at;
  std::optional<Place> direction = {};
};
/// A force at a place.
struct Arrow {
  Place at, force;
};

}  // namespace shapes

using Shape = std::variant<shapes::Rod, shapes::Disk, shapes::Sphere, shapes::Box, shapes::Spring, shapes::Wall,
                           shapes::Ring, shapes::Floor, shapes::Trace, shapes::Touch, shapes::Arrow>;

class Picture {
 public:
  Picture() = default;
  Picture(std::initializer_list<Shape> all) : shapes(all) {}
  void add(Shape shape) { shapes.push_back(std::move(shape)); }

  std::vector<Shape> shapes;
};

}  // namespace pawl
