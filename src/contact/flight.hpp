// Flight: the motion of a sphere between two contacts under a constant acceleration, p(τ) = p + v τ + a τ²/2, and the
// instants at which that motion meets something. All of it in closed form: no step, no tolerance.
//
// Two spheres under the same acceleration move straight relative to each other: |d + u τ|² = R² is a quadratic. Where
// one of them rests, it is a quartic, whose first descent through zero is bracketed between the roots of its
// derivatives. A plane is a quadratic.
#pragma once

#include <cmath>
#include <limits>

namespace pawl::contact {

struct Vector3 {
  double x = 0, y = 0, z = 0;

  Vector3& operator+=(Vector3 b) { return x += b.x, y += b.y, z += b.z, *this; }
};
inline Vector3 operator+(Vector3 a, Vector3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector3 operator-(Vector3 a, Vector3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector3 operator*(double s, Vector3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(Vector3 a, Vector3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector3 cross(Vector3 a, Vector3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(Vector3 a) {
  return std::sqrt(dot(a, a));
}

/// A sphere as of an instant of its own, moving freely from there on.
struct Flight {
  double t = 0;
  Vector3 position = {}, velocity = {}, turn = {}, spin = {}, acceleration = {};

  Vector3 position_at(double when) const {
    const double tau = when - t;
    return position + tau * (velocity + (tau / 2) * acceleration);
  }
  Vector3 velocity_at(double when) const { return velocity + (when - t) * acceleration; }
  /// The same motion, as of then.
  void move_to(double when) {
    position = position_at(when);
    velocity = velocity_at(when);
    turn += (when - t) * spin;
    t = when;
  }
};

constexpr double never = std::numeric_limits<double>::infinity();

/// When centres that are d apart, and part at u, come to the distance R. Those that touch already, but for rounding, do
/// so at once if they approach, by more than the rounding of `speeds`, the sum of theirs. Touching without coming
/// nearer is not meeting.
double time_to_meet(Vector3 d, Vector3 u, double R, double speeds);
/// The same where the distance has an acceleration too, up to a horizon; later ones may be missed. What touches, and is
/// pressed there without more speed than `rounding` of its distance gives, lies there: until it has come so far.
double time_to_meet(Vector3 d, Vector3 u, Vector3 a, double R, double speeds, double rounding, double horizon);
/// When a height that grows at `rate` falls to zero. At zero it falls again when it is there next; lying there, when it
/// has fallen by `rounding`.
double time_to_fall(double height, double rate, double acceleration, double rounding);
/// Before when nothing that moves at this speed under this acceleration can have come so far.
double time_within(double distance, double speed, double acceleration);

}  // namespace pawl::contact
