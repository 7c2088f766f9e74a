#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// Andrews' squeezing mechanism: seven plane bodies in three loops, one degree of freedom; a motor drives the crank β, a
// spring pulls at the third body. Names and numbers of the source, in SI units.
Problem squeezer() {
  constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                   I7 = 1.912e-5;
  constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, l0 = 0.07785, ss = 0.035,
                   sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
                   ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, c0 = 4530;
  Mechanics squeezer("squeezer");
  const auto beta = squeezer.coordinate("beta", -0.0617138900142764496), Theta = squeezer.coordinate("Theta", 0),
             gamma = squeezer.coordinate("gamma", 0.455279819163070380),
             Phi = squeezer.coordinate("Phi", 0.222668390165885885),
             delta = squeezer.coordinate("delta", 0.487364979543842550),
             Omega = squeezer.coordinate("Omega", -0.222668390165885885),
             epsilon = squeezer.coordinate("epsilon", 1.23054744454982119);
  const auto torque = squeezer.parameter("torque", 0.033);
  squeezer.mass(Theta, m2 * da * da + I2);
  squeezer.mass(gamma, m3 * (sa * sa + sb * sb) + I3);
  squeezer.mass(Phi, m4 * sqr(e - ea) + I4);
  squeezer.mass(Omega, m6 * sqr(zf - fa) + I6);
  squeezer.mass([=](const auto& at, auto& M) {
    M(beta, beta) = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(at[Theta]) + da * da) + I1 + I2;
    M(Theta, beta) = m2 * (da * da - da * rr * cos(at[Theta])) + I2;
    M(delta, Phi) = m4 * (sqr(e - ea) + zt * (e - ea) * sin(at[Phi])) + I4;
    M(delta, delta) =
        m4 * (zt * zt + 2 * zt * (e - ea) * sin(at[Phi]) + sqr(e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M(epsilon, Omega) = m6 * (sqr(zf - fa) - u * (zf - fa) * sin(at[Omega])) + I6;
    M(epsilon, epsilon) =
        m6 * (sqr(zf - fa) - 2 * u * (zf - fa) * sin(at[Omega]) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
  });
  // The spring, and the motor: its torque is constant, so it has a potential too.
  squeezer.potential([=](const auto& at) {
    const auto xd = sd * cos(at[gamma]) + sc * sin(at[gamma]) + xb, yd = sd * sin(at[gamma]) - sc * cos(at[gamma]) + yb;
    return c0 / 2 * sqr(sqrt(sqr(xd - xc) + sqr(yd - yc)) - l0) - at[torque] * at[beta];
  });
  squeezer.constraint("loops", [=](const auto& at) {
    const auto x = rr * cos(at[beta]) - d * cos(at[beta] + at[Theta]),
               y = rr * sin(at[beta]) - d * sin(at[beta] + at[Theta]);
    return std::array{x - ss * sin(at[gamma]) - xb,
                      y + ss * cos(at[gamma]) - yb,
                      x - e * sin(at[Phi] + at[delta]) - zt * cos(at[delta]) - xa,
                      y + e * cos(at[Phi] + at[delta]) - zt * sin(at[delta]) - ya,
                      x - zf * cos(at[Omega] + at[epsilon]) - u * sin(at[epsilon]) - xa,
                      y - zf * sin(at[Omega] + at[epsilon]) + u * cos(at[epsilon]) - ya};
  });
  squeezer.energy();
  using namespace shapes;
  const Place crank{[=](const auto& at) { return rr * cos(at[beta]); },
                    [=](const auto& at) { return rr * sin(at[beta]); }};
  const Place pin{[=](const auto& at) { return rr * cos(at[beta]) - d * cos(at[beta] + at[Theta]); },
                  [=](const auto& at) { return rr * sin(at[beta]) - d * sin(at[beta] + at[Theta]); }};
  const Place arm{[=](const auto& at) { return sd * cos(at[gamma]) + sc * sin(at[gamma]) + xb; },
                  [=](const auto& at) { return sd * sin(at[gamma]) - sc * cos(at[gamma]) + yb; }};
  const Place left{[=](const auto& at) { return xa + zt * cos(at[delta]); },
                   [=](const auto& at) { return ya + zt * sin(at[delta]); }};
  const Place right{[=](const auto& at) { return xa + u * sin(at[epsilon]); },
                    [=](const auto& at) { return ya - u * cos(at[epsilon]); }};
  const Place a{xa, ya}, b{xb, yb}, c{xc, yc};
  squeezer.picture({Rod{{0, 0}, crank, 0.002}, Rod{crank, pin, 0.002}, Rod{b, pin, 0.002}, Rod{b, arm, 0.002},
                    Rod{a, left, 0.002}, Rod{left, pin, 0.002}, Rod{a, right, 0.002}, Rod{right, pin, 0.002},
                    Spring{c, arm}, Disk{{0, 0}, 0.002}, Disk{a, 0.002}, Disk{b, 0.002}, Disk{c, 0.002},
                    Trace{pin, 0.01}});
  const auto reference = known_at(
      squeezer, {{0.015,
                  {5.655429749991794, 441.7019932552524, -5.833796765108832, -375.3594971288744, 0.42589192575237794,
                   46.63421226488548, 0.1640128375726053, 92.03152208827694, 0.4936765269686444, -9.50151625591751,
                   -0.1640128375726053, -92.03152208827694, 1.208712541909195, 33.690628623572316}},
                 {0.03,
                  {15.810771195153707097, 1139.9203022591060641981, -15.756371058411839469, -1424.3792951775400731960,
                   0.040822240119645804858, 11.032911910618593745327, -0.53473011634207959377, 19.293374105032040831628,
                   0.52440996587995406937, 0.57356991482950245381769, 0.53473011634207959377, -19.293374105032040831628,
                   1.0480807410419378730685, 0.32317914924913087499075}},
                 {0.1,
                  {99.26889849624703, 1381.2780258030316, -99.49336713390508, -1387.9100616893595, 0.32510805319685926,
                   278.9898235014546, -0.02856850834998566, 518.241085958196, 0.5107471597241676, -38.20158073573944,
                   0.02856850834998566, -518.241085958196, 1.1430197662934334, 161.82306773700594}},
                 {0.2,
                  {312.8731850697852, 2361.614645730867, -313.0974713459526, -2386.1229237052244, 0.3202311193833049,
                   482.1814201613357, -0.03761719765780899, 893.6101544252095, 0.5114076374268584, -64.57938413991822,
                   0.03761719765780899, -893.6101544252095, 1.1402084090274314, 276.23283336313995}},
                 {0.3,
                  {636.7370199576304, 3618.258977844765, -636.4577474098257, -3973.915709566808, 0.1632911762147164,
                   -699.1098660289342, -0.3202289703246219, -1232.2860637740591, 0.5249797166010965, 26.712398506073278,
                   0.3202289703246219, 1232.2860637740591, 1.0698891974327451, -217.33731331564283}}});
  return {.summary = "Andrews' squeezing mechanism: seven bodies, three loops, one degree of freedom",
          .kind = "constrained mechanics, index 3",
          .source = "Test Set for IVP Solvers (Andrews); Schiehlen, Multibody Systems Handbook (1990)",
          .system = squeezer,
          .end = 0.03,
          .plot = "t,gamma",
          .known_by =
              "113-bit extrapolation at t = 0.03; 80-bit Fehlberg 8 with projection at 0.015 (14 digits), 0.1 "
              "(14), 0.2 (12) and 0.3 (11)",
          .reference = reference};
}

}  // namespace pawl::problems
