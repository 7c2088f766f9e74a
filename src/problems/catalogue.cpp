#include "problems/catalogue.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"
#include "problems/constrained.hpp"
#include "problems/contact.hpp"
#include "problems/hybrid.hpp"
#include "problems/mixtures.hpp"
#include "problems/port_hamiltonian.hpp"
#include "problems/smooth.hpp"
#include "problems/sphere_box.hpp"
#include "problems/stiff.hpp"
#include "problems/switched.hpp"

namespace pawl {

const std::vector<Problem>& catalogue() {
  static const std::vector<Problem> list{
      problems::compere_pendulum(),
      problems::lorenz(),
      problems::pleiades(),
      problems::arenstorf(),
      problems::rigid_body(),
      problems::brusselator(),
      problems::kepler(),
      problems::bok_1(),
      problems::bok_2(),
      problems::bok_3(),
      problems::carver_1(),
      problems::carver_2(),
      problems::carver_3(),
      problems::square_wave(),
      problems::friction(),
      problems::relay(),
      problems::balls_spring(),
      problems::balls_restitution(),
      problems::marble_jar(),
      problems::bouncing_ball(),
      problems::bouncing_ball_fmi(),
      problems::coulomb_oscillator(),
      problems::rlcd(),
      problems::event_cascade(),
      problems::log_roots(),
      problems::driven_rc(),
      problems::rod_pendulum(),
      problems::rolling_spheres(),
      problems::arm_parabola(),
      problems::arm_sine(),
      problems::squeezer(),
      problems::chain(),
      problems::quaternion_top(),
      problems::four_bar(),
      problems::slider_crank(),
      problems::rolling_disk(),
      problems::caraxis(),
      problems::pendulum_period2(),
      problems::cartesian_pendulum(),
      problems::gear_wheels(),
      problems::ph_pendulum(),
      problems::flyball(),
      problems::sliding_control(),
      problems::hires(),
      problems::orego(),
      problems::vdpol(),
      problems::pollu(),
      problems::ring_modulator(),
      problems::robertson(),
      problems::robertson_dae(),
      problems::transistor_amplifier(),
      problems::chem_akzo(),
      problems::fekete(),
      problems::charge_pump(),
      problems::algebraic_loop(),
      problems::fast_slow(),
      problems::diode_circuit(),
      problems::brusselator_1d(),
      problems::heat_1d(),
      problems::andrews(),
      problems::sphere_top(),
      problems::belt_block(),
      problems::oscillating_belt(),
      problems::pendulum_stop(),
      problems::rocking_block(),
      problems::ball_table(),
      problems::rolling_sphere_slip(),
      problems::painleve_rod(),
      problems::rigid_marble_jar(),
      problems::newton_cradle(),
      problems::clutch_pair(),
      problems::double_pendulum_stop(),
      problems::gear_backlash(),
      problems::slider_crank_clearance(),
      problems::sliding_arm(),
      problems::bead_hoop(),
      problems::flail(),
      problems::servo(),
      problems::backlash_drive(),
      problems::coil_pendulum(),
      problems::buck_converter(),
      problems::diode_bridge(),
      problems::thyristor_rectifier(),
      problems::sphere_box(),
  };
  return list;
}

const Problem& find_problem(std::string_view name) {
  std::vector<std::string> names;
  for (const Problem& problem : catalogue()) {
    if (problem.name() == name) return problem;
    names.push_back(problem.name());
  }
  throw Misuse(fmt::format("unknown model '{}'{} (`pawl list` shows the catalogue)", name, did_you_mean(name, names)));
}

System system_of(const Problem& problem, const Assignments& assignments) {
  return problem.build ? problem.build(assignments) : problem.system;
}

std::optional<double> error_against_reference(const Problem& problem, const Values& values, double t,
                                              const std::vector<double>& state) {
  const auto exact = problem.reference(values, t);
  if (!exact) return std::nullopt;
  double worst = 0;
  for (std::size_t i = 0; i < exact->size(); ++i) worst = std::max(worst, std::abs(state[i] - (*exact)[i]));
  return worst;
}

bool are_declared(const Values& values, const System& system) {
  const Values declared(system);
  Held held = values.held();
  const Held own = declared.held();
  held.model = own.model;  // the same problem, made again
  return held == own && values.start() == declared.start();
}

Reference known_at(const System& system, double end, const std::vector<double>& state) {
  return [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    if (t != end || !are_declared(values, system)) return std::nullopt;
    return state;
  };
}

}  // namespace pawl
