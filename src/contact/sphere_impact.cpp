#include "contact/sphere_impact.hpp"

#include <algorithm>

namespace pawl::contact {

double collide(const Ball& ball, Flight& first, const Ball* other_ball, Flight* other, Vector3 n,
               const ImpactLaws& laws) {
  const bool is_pair = other != nullptr;
  const double per_mass_1 = 1 / ball.mass, per_mass_2 = is_pair ? 1 / other_ball->mass : 0;
  const double per_inertia_1 = 1 / ball.inertia(), per_inertia_2 = is_pair ? 1 / other_ball->inertia() : 0;
  const double radius_2 = is_pair ? other_ball->radius : 0;
  const Vector3 velocity_2 = is_pair ? other->velocity : Vector3{}, spin_2 = is_pair ? other->spin : Vector3{};
  const Vector3 parting = first.velocity - velocity_2;
  const double approach = -dot(n, parting);
  if (!(approach > 0)) return 0;

  const double reduced = 1 / (per_mass_1 + per_mass_2), pressing = (1 + laws.restitution) * reduced * approach;
  double lost = 0.5 * reduced * approach * approach * (1 - laws.restitution) * (1 + laws.restitution);
  Vector3 impulse = pressing * n;
  const Vector3 contact_spin = ball.radius * first.spin + radius_2 * spin_2;
  const Vector3 slip = parting + approach * n - cross(contact_spin, n);
  const double slip_speed = norm(slip);
  double rubbed = 0;
  if (laws.friction > 0 && slip_speed > 0) {
    const double yields =
        per_mass_1 + per_mass_2 + ball.radius * ball.radius * per_inertia_1 + radius_2 * radius_2 * per_inertia_2;
    const double size = std::min(laws.friction * pressing, (1 + laws.grip) * slip_speed / yields);
    impulse += (-size / slip_speed) * slip;
    rubbed += size * (slip_speed - size * yields / 2);
  }
  const Vector3 turned = cross(impulse, n);  // (-r n) × P, the same on both
  first.spin += ball.radius * per_inertia_1 * turned;
  if (is_pair) other->spin += radius_2 * per_inertia_2 * turned;

  const Vector3 turn = first.spin - (is_pair ? other->spin : Vector3{});
  const double turn_speed = norm(turn);
  if (laws.rolling_friction > 0 && turn_speed > 0) {
    const double yields = per_inertia_1 + per_inertia_2, arm = is_pair ? std::min(ball.radius, radius_2) : ball.radius;
    const double size = std::min(laws.rolling_friction * arm * pressing, (1 + laws.grip) * turn_speed / yields);
    first.spin += (-size * per_inertia_1 / turn_speed) * turn;
    if (is_pair) other->spin += (size * per_inertia_2 / turn_speed) * turn;
    rubbed += size * (turn_speed - size * yields / 2);
  }

  const double parts = laws.restitution * approach;
  if (parts < laws.hop) {
    const double hops = std::min(laws.hop, std::sqrt(parts * parts + 2 * rubbed / reduced));
    impulse += (reduced * (hops - parts)) * n;
    lost -= reduced / 2 * (hops - parts) * (hops + parts);
  }
  first.velocity += per_mass_1 * impulse;
  if (is_pair) other->velocity += -per_mass_2 * impulse;
  return lost + rubbed;
}

}  // namespace pawl::contact
