#include <algorithm>
#include <cmath>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/mixtures.hpp"

namespace pawl::problems {

// A motor behind a chopper turns a crank, whose rod pushes a slider along a guide with dry friction against an end
// stop.
//   source E, switch S, freewheeling diode D:   iS + iD = i,   L i' = vx - R i - k crank'
//   loop:    a sin(crank) = l sin(rod),   slider = a cos(crank) + l cos(rod)
//   sensor:  lag sensor' = crank' - sensor; sampled every Ts by a controller that sets the share of S in a period T
// The rod has an inertia of its own; its mass is part of crank and slider. Energies close the balance:
//   drawn = stored + heat + friction work + impact loss.
Problem servo() {
  Mechanics drive("servo");
  const auto crank = drive.coordinate("crank", 0.4), rod = drive.coordinate("rod", 0),
             slider = drive.coordinate("slider", 0);
  const auto i = drive.state("i", 0), vx = drive.state("vx", 0), iS = drive.state("iS", 0), iD = drive.state("iD", 0),
             sensor = drive.state("sensor", 0), drawn = drive.state("drawn", 0), heat = drive.state("heat", 0);
  const auto E = drive.parameter("E", 24), L = drive.parameter("L", 0.002), R = drive.parameter("R", 1),
             k = drive.parameter("k", 0.05), T = drive.parameter("T", 0.001), Ts = drive.parameter("Ts", 0.002),
             a = drive.parameter("crank_length", 0.03), l = drive.parameter("rod_length", 0.1),
             rubbing = drive.parameter("rubbing", 0.2), lag = drive.parameter("lag", 1e-5),
             e = drive.parameter("restitution", 0.6), stop = drive.parameter("stop", 0.08),
             target = drive.parameter("target", 60), gain = drive.parameter("gain", 0.004),
             integral_gain = drive.parameter("integral_gain", 0.2);
  const auto crank_inertia = drive.parameter("crank_inertia", 1e-4), rod_inertia = drive.parameter("rod_inertia", 1e-5),
             slider_mass = drive.parameter("slider_mass", 0.05);
  drive.start([=](Start& at) {
    at[rod] = std::asin(at[a] * std::sin(at[crank]) / at[l]);
    at[slider] = at[a] * std::cos(at[crank]) + at[l] * std::cos(at[rod]);
  });
  drive.mass(crank, crank_inertia);
  drive.mass(rod, rod_inertia);
  drive.mass(slider, slider_mass);
  drive.force([=](const auto& at, auto& f) { f[crank] += at[k] * at[i]; });
  drive.constraint("pin", [=](const auto& at) {
    return std::array{at[a] * sin(at[crank]) - at[l] * sin(at[rod]),
                      at[a] * cos(at[crank]) + at[l] * cos(at[rod]) - at[slider]};
  });
  drive.dry_friction(
      "guide", [=](const auto& at) { return at[dot(slider)]; }, [=](const auto& at) { return at[rubbing]; },
      {.friction = 1.0});
  const Contact end_stop =
      drive.contact("end stop", [=](const auto& at) { return at[slider] - at[stop]; }, {.restitution = e});

  drive.equation("armature", [=](const auto& at) {
    return at[L] * at[dot(i)] - (at[vx] - at[R] * at[i] - at[k] * at[dot(crank)]);
  });
  drive.equation("node", [=](const auto& at) { return at[iS] + at[iD] - at[i]; });
  drive.rates([=](const auto& at, auto& d) {
    d[sensor] = (at[dot(crank)] - at[sensor]) / at[lag];
    d[drawn] = at[E] * at[iS];
    d[heat] = at[R] * sqr(at[i]);
  });
  const auto closed = drive.discrete("S closed", true);
  const auto begun = drive.discrete("period begun", 0.0), duty = drive.discrete("duty", 0.5),
             integral = drive.discrete("integral", 0.0);
  drive.every(Ts, [=](Jump& jump) {
    const double lack = jump[target] - jump[sensor];
    jump[integral] = jump[integral] + jump[Ts] * lack;
    jump[duty] = std::clamp(0.5 + jump[gain] * lack + jump[integral_gain] * jump[integral], 0.1, 0.9);
  });
  drive.every(T, [=](Jump& jump) {
    jump[begun] = jump.t;
    jump[closed] = true;
  });
  drive.guard("pulse ends", [=](const auto& at) { return at.t - at[begun] - at[duty] * at[T]; })
      .rising()
      .only_when(closed)
      .then([=](Jump& jump) { jump[closed] = false; });
  drive.ideal_switch(
      "S", closed, [=](const auto& at) { return at[E] - at[vx]; }, [=](const auto& at) { return at[iS]; });
  drive.diode(
      "D", [=](const auto& at) { return -at[vx]; }, [=](const auto& at) { return at[iD]; });
  drive.nominal(vx, 10);
  using namespace shapes;
  const Place pin{[=](const auto& at) { return at[a] * cos(at[crank]); },
                  [=](const auto& at) { return at[a] * sin(at[crank]); }};
  drive.picture({Rod{{0, 0}, pin, 0.006}, Rod{pin, {slider, 0}, 0.004}, Box{{slider, 0}, {0.02, 0.014, 0.01}},
                 Disk{{0, 0}, 0.006}, Wall{{stop, 0.02}, {stop, -0.02}}, Touch{end_stop, {stop, 0}, Place{1, 0}}});
  const auto lost = drive.impact_loss();
  const auto rubbed = drive.friction_work();
  drive.observable("unaccounted energy", [=](const auto& at) {
    const auto stored = (at[L] * sqr(at[i]) + at[crank_inertia] * sqr(at[dot(crank)]) +
                         at[rod_inertia] * sqr(at[dot(rod)]) + at[slider_mass] * sqr(at[dot(slider)])) /
                        2;
    return at[drawn] - at[heat] - at[rubbed] - at[lost] - stored;
  });
  const double end = 0.0503, current = 16.69785401195163383;
  return {
      .summary = "motor behind a chopper, slider-crank, end stop with impact, friction, sampled controller",
      .kind = "mixture: DAE of index 3, stiff, hybrid, contacts, ideal switches",
      .source = "pawl; the kinds of its parts are those of the buck converter and the slider-crank of this catalogue",
      .system = drive,
      .end = end,
      .plot = "t,slider",
      .known_by = "crank angle alone, 113-bit extrapolation of every piece (scripts/mixture_references.cpp)",
      .reference =
          known_at(drive, end,
                   {2.086658861806354479, -28.56404189290165681, 0.2640168085517121375, 4.378794016227776977,
                    0.08173639442303293175, 0.6311388840568616938, current, 24, current, 0, -28.63259241894017786,
                    11.70801909655513111, 10.68250523992218594, 0.01316803498636971034})};
}

}  // namespace pawl::problems
