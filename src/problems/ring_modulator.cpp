#include <numbers>

#include "problems/stiff.hpp"

namespace pawl::problems {

// Mixes a signal of 1 kHz with a carrier of 10 kHz: y1 ... y7 are voltages, y8 ... y15 currents. The small capacities
// Cs make it stiff and oscillatory; without them it would be of index 2.
Problem ring_modulator() {
  constexpr double C = 1.6e-8, Cp = 1e-8, R = 25e3, Rp = 50, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4, Ls3 = 5e-4, Rg1 = 36.3,
                   Rg2 = 17.3, Rg3 = 17.3, Ri = 50, Rc = 600;
  System ring("ring-modulator");
  const auto y = ring.states("y", std::vector<double>(15, 0.0));
  const auto Cs = ring.parameter("Cs", 2e-12);
  for (const int magnetizing : {7, 8}) ring.nominal(y[magnetizing], 1e-7);
  for (const int diode : {9, 10, 11, 12}) ring.nominal(y[diode], 1e-3);
  for (const int outer : {13, 14}) ring.nominal(y[outer], 1e-4);
  ring.rates([=](const auto& at, auto& d) {
    const auto signal = 0.5 * sin(2e3 * std::numbers::pi * at.t), carrier = 2 * sin(2e4 * std::numbers::pi * at.t);
    const auto diode = [](const auto& voltage) { return 40.67286402e-9 * (exp(17.7493332 * voltage) - 1); };
    const auto &y1 = at[y[0]], &y2 = at[y[1]], &y3 = at[y[2]], &y4 = at[y[3]], &y5 = at[y[4]], &y6 = at[y[5]],
               &y7 = at[y[6]], &y8 = at[y[7]], &y9 = at[y[8]], &y10 = at[y[9]], &y11 = at[y[10]], &y12 = at[y[11]],
               &y13 = at[y[12]], &y14 = at[y[13]], &y15 = at[y[14]];
    const auto q1 = diode(y3 - y5 - y7 - carrier), q2 = diode(-y4 + y6 - y7 - carrier),
               q3 = diode(y4 + y5 + y7 + carrier), q4 = diode(-y3 - y6 + y7 + carrier);
    d[y[0]] = (y8 - y10 / 2 + y11 / 2 + y14 - y1 / R) / C;
    d[y[1]] = (y9 - y12 / 2 + y13 / 2 + y15 - y2 / R) / C;
    d[y[2]] = (y10 - q1 + q4) / at[Cs];
    d[y[3]] = (-y11 + q2 - q3) / at[Cs];
    d[y[4]] = (y12 + q1 - q3) / at[Cs];
    d[y[5]] = (-y13 - q2 + q4) / at[Cs];
    d[y[6]] = (-y7 / Rp + q1 + q2 - q3 - q4) / Cp;
    d[y[7]] = -y1 / Lh;
    d[y[8]] = -y2 / Lh;
    d[y[9]] = (y1 / 2 - y3 - Rg2 * y10) / Ls2;
    d[y[10]] = (-y1 / 2 + y4 - Rg3 * y11) / Ls3;
    d[y[11]] = (y2 / 2 - y5 - Rg2 * y12) / Ls2;
    d[y[12]] = (-y2 / 2 + y6 - Rg3 * y13) / Ls3;
    d[y[13]] = (-y1 + signal - (Ri + Rg1) * y14) / Ls1;
    d[y[14]] = (-y2 - (Rc + Rg1) * y15) / Ls1;
  });
  const auto reference =
      known_at(ring, 1e-3,
               {-2.3390573584371605555697e-02, -7.3674854860082276371955e-03, 2.5829567099921452489361e-01,
                -4.0644657205877850742587e-01, -4.0394556644552155377824e-01, 2.6079667661247144764148e-01,
                1.1067618612732987085610e-01, 2.9399043424330071477552e-07, -2.8400299330664992201450e-08,
                7.2671982672914577158754e-04, 7.9294871970232408430102e-04, -7.2552834957658501246536e-04,
                -7.9414019685488483881746e-04, 7.0884954168756787291489e-05, 2.3900590752771063587181e-05});
  return {.summary = "ring modulator: four diodes mix two signals; stiff and oscillatory",
          .kind = "stiff ODE, driven",
          .source = "Test Set for IVP Solvers (ring modulator, Cs = 2 pF); Horneber, thesis, Kaiserslautern (1976)",
          .system = ring,
          .end = 1e-3,
          .plot = "t,y2",
          .known_by = "80-bit Radau IIA of order 11, 12 digits; the Test Set agrees to 9 or more",
          .reference = reference};
}

}  // namespace pawl::problems
