#include <cmath>
#include <numbers>

#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// A sphere of radius r rolls on a fixed one of radius R without slipping: its centre in spherical coordinates ρ, α, β,
// its orientation by Euler angles φ, θ, ψ; no gravity. The source takes (R + r) β', without cos α, in the second
// rolling condition, and so do its tables. With consistent = 0 the start violates everything: ρ = 0.7, φ' 1.2 and θ'
// 1.5 times what rolling asks for.
Problem rolling_spheres() {
  constexpr double R = 0.55, r = 0.05, m = 1, I = 2 * m * r * r / 5, rate = 45. / 8 * std::numbers::pi / 180;
  Mechanics spheres("rolling-spheres");
  const auto rho = spheres.coordinate("rho", R + r), alpha = spheres.coordinate("alpha", 0, -rate),
             beta = spheres.coordinate("beta", std::numbers::pi / 2, rate),
             phi = spheres.coordinate("phi", 0, (R + r) / r * rate),
             theta = spheres.coordinate("theta", std::numbers::pi / 2, (R + r) / r * rate),
             psi = spheres.coordinate("psi", std::numbers::pi / 2);
  const auto consistent = spheres.parameter("consistent", 1);
  spheres.start([=](Start& at) {
    if (at[consistent] != 0) return;
    at[rho] = 0.7;
    at[dot(phi)] *= 1.2;
    at[dot(theta)] *= 1.5;
  });
  spheres.mass(rho, m);
  for (const auto angle : {phi, theta, psi}) spheres.mass(angle, I);
  spheres.mass([=](const auto& at, auto& M) {
    M(alpha, alpha) = m * sqr(at[rho]);
    M(beta, beta) = m * sqr(at[rho] * cos(at[alpha]));
    M(phi, psi) = I * cos(at[theta]);
  });
  spheres.constraint("contact", [=](const auto& at) { return at[rho] - (R + r); });
  spheres.velocity_constraint("rolling", [=](const auto& at) {
    const auto across = at[dot(phi)] * sin(at[theta]), c = cos(at[psi]), s = sin(at[psi]);
    return std::array{(R + r) * at[dot(alpha)] - r * (across * c - at[dot(theta)] * s),
                      (R + r) * at[dot(beta)] - r * (across * s + at[dot(theta)] * c)};
  });
  spheres.energy();
  using namespace shapes;
  const Place center{[=](const auto& at) { return at[rho] * cos(at[alpha]) * cos(at[beta]); },
                     [=](const auto& at) { return at[rho] * cos(at[alpha]) * sin(at[beta]); },
                     [=](const auto& at) { return at[rho] * sin(at[alpha]); }};
  spheres.picture({Sphere{{0, 0, 0}, R}, Sphere{center, r}, Trace{center, 4}});
  const auto reference = known_at(
      spheres,
      {{1,
        {0.6, 0, -0.09806191392655077, -0.0978357825165309, 1.6691965765298682, 0.098851575748793, 1.7061511282715973,
         2.3320679762082563, 2.349091564183707, -0.16601665844659047, 2.4506673410141078, 1.637266706267949}},
       {2,
        {0.6, 0, -0.1954416749930494, -0.09680629638449319, 1.7689540222112703, 0.10089264312356548, 3.2734983068857155,
         1.2012760709047097, 1.4216323062813603, -1.1849554321661275, 3.119669671411161, -0.17852342441230912}},
       {4,
        {0.6, 0, -0.3852771161672582, -0.09250316485544893, 1.9780840735807717, 0.10919033007393068, 6.625992642942635,
         1.3380356668167015, 1.8648645786013394, 1.1441586043938181, 1.544458837544833, 0.38782726352378905}},
       {8,
        {0.6, 0, -0.72125667672419378, -0.072653719828681681, 2.4746890871397209, 0.14258253959119007,
         13.878163759793631, 2.544325614215769, 2.3052961893965882, 0.34911167385298086, 1.8592430863570619,
         1.7052478744744151}},
       {16,
        {0.6, 0, -0.9824348893780084, 0.014780031208646814, 3.90425021798887, 0.1941244343216502, 31.572053442853978,
         1.6773250851016597, 1.6873237002483272, 1.637866192447505, 0.7179081119650802, 0.19501225327851826}}});
  return {.summary = "a sphere rolls on a sphere (consistent = 0: from a start that violates every constraint)",
          .kind = "constrained mechanics, index 3 and 2, nonholonomic",
          .source = "Compere, dissertation, UT Austin (2001), section 3.6",
          .system = spheres,
          .end = 8,
          .plot = "alpha,beta",
          .known_by = "80-bit Fehlberg 8, 15 digits: at t = 1, 2, 4, 8 and 16",
          .reference = reference};
}

}  // namespace pawl::problems
