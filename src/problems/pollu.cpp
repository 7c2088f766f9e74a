#include "problems/stiff.hpp"

namespace pawl::problems {

// Air pollution: 25 reactions of 20 substances; r1 ... r25 and y1 ... y20 as in the source.
Problem pollu() {
  System air("pollu");
  std::vector<double> start(20, 0.0);
  start[1] = 0.2, start[3] = 0.04, start[6] = 0.1, start[7] = 0.3, start[8] = 0.01, start[16] = 0.007;
  const auto y = air.states("y", start);
  constexpr double nominal[] = {1e-1, 1e-1, 1e-9, 1e-2, 1e-7, 1e-7,  1e-1, 1e-1, 1e-2, 1e-8,
                                1e-8, 1e-3, 1e-4, 1e-5, 1e-2, 1e-17, 1e-2, 1e-4, 1e-6, 1e-4};
  for (int i = 0; i < 20; ++i) air.nominal(y[i], nominal[i]);
  air.rates([=](const auto& at, auto& d) {
    const auto c = [&](int substance) -> const auto& {
      return at[y[substance - 1]];
    };
    const auto r1 = 0.35 * c(1), r2 = 26.6 * c(2) * c(4), r3 = 12300 * c(5) * c(2), r4 = 0.86e-3 * c(7),
               r5 = 0.82e-3 * c(7), r6 = 15000 * c(7) * c(6), r7 = 0.13e-3 * c(9), r8 = 24000 * c(9) * c(6),
               r9 = 16500 * c(11) * c(2), r10 = 9000 * c(11) * c(1), r11 = 0.022 * c(13), r12 = 12000 * c(10) * c(2),
               r13 = 1.88 * c(14), r14 = 16300 * c(1) * c(6), r15 = 4.8e6 * c(3), r16 = 0.35e-3 * c(4),
               r17 = 0.0175 * c(4), r18 = 1e8 * c(16), r19 = 0.444e12 * c(16), r20 = 1240 * c(17) * c(6),
               r21 = 2.1 * c(19), r22 = 5.78 * c(19), r23 = 0.0474 * c(1) * c(4), r24 = 1780 * c(19) * c(1),
               r25 = 3.12 * c(20);
    d[y[0]] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
    d[y[1]] = -r2 - r3 - r9 - r12 + r1 + r21;
    d[y[2]] = -r15 + r1 + r17 + r19 + r22;
    d[y[3]] = -r2 - r16 - r17 - r23 + r15;
    d[y[4]] = -r3 + 2 * r4 + r6 + r7 + r13 + r20;
    d[y[5]] = -r6 - r8 - r14 - r20 + r3 + 2 * r18;
    d[y[6]] = -r4 - r5 - r6 + r13;
    d[y[7]] = r4 + r5 + r6 + r7;
    d[y[8]] = -r7 - r8;
    d[y[9]] = -r12 + r7 + r9;
    d[y[10]] = -r9 - r10 + r8 + r11;
    d[y[11]] = r9;
    d[y[12]] = -r11 + r10;
    d[y[13]] = -r13 + r12;
    d[y[14]] = r14;
    d[y[15]] = -r18 - r19 + r16;
    d[y[16]] = -r20;
    d[y[17]] = r20;
    d[y[18]] = -r21 - r22 - r24 + r23 + r25;
    d[y[19]] = -r25 + r24;
  });
  const auto reference = known_at(
      air, 60, {0.5646255480022769e-01, 0.1342484130422339e+00, 0.4139734331099427e-08, 0.5523140207484359e-02,
                0.2018977262302196e-06, 0.1464541863493966e-06, 0.7784249118997964e-01, 0.3245075353396018e+00,
                0.7494013383880406e-02, 0.1622293157301561e-07, 0.1135863833257075e-07, 0.2230505975721359e-02,
                0.2087162882798630e-03, 0.1396921016840158e-04, 0.8964884856898295e-02, 0.4352846369330103e-17,
                0.6899219696263405e-02, 0.1007803037365946e-03, 0.1772146513969984e-05, 0.5682943292316392e-04});
  return {.summary = "air pollution: 25 reactions of 20 substances",
          .kind = "stiff ODE",
          .source = "Test Set for IVP Solvers (POLLU); Verwer, SIAM J. Sci. Comput. 15 (1994) 1243",
          .system = air,
          .end = 60,
          .plot = "t,y1",
          .known_by = "Test Set, 14 digits agree with Radau IIA of order 9",
          .reference = reference};
}

}  // namespace pawl::problems
