#include "pawl/mechanics.hpp"
#include "pawl/picture.hpp"
#include "problems/constrained.hpp"

namespace pawl::problems {

// Half an axle on two stiff springs: the left one stands on the origin, the right one on (xb, yb), which rides over a
// bump, yb = r sin ω t. All forces are scaled by ε²; the multipliers have the opposite sign of those in the source.
Problem caraxis() {
  constexpr double L = 1, L0 = 0.5, r = 0.1;
  Mechanics car("caraxis");
  const auto xl = car.coordinate("xl", 0, -0.5), yl = car.coordinate("yl", 0.5), xr = car.coordinate("xr", 1, -0.5),
             yr = car.coordinate("yr", 0.5);
  const auto M = car.parameter("M", 10), epsilon = car.parameter("epsilon", 0.01), omega = car.parameter("omega", 10),
             g = car.parameter("gravity", 1);
  const auto height = [=](const auto& at) { return r * sin(at[omega] * at.t); };
  const auto width = [=](const auto& at) { return sqrt(L * L - sqr(height(at))); };
  car.mass([=](const auto& at, auto& mass) {
    for (const auto q : {xl, yl, xr, yr}) mass(q, q) = at[M] * sqr(at[epsilon]) / 2;
  });
  car.potential([=](const auto& at) {
    const auto left = sqrt(sqr(at[xl]) + sqr(at[yl])), right = sqrt(sqr(at[xr] - width(at)) + sqr(at[yr] - height(at)));
    return (sqr(left - L0) + sqr(right - L0)) / 2 + at[M] * sqr(at[epsilon]) / 2 * at[g] * (at[yl] + at[yr]);
  });
  car.constraint("left spring upright", [=](const auto& at) { return at[xl] * width(at) + at[yl] * height(at); });
  car.constraint("axle", [=](const auto& at) { return sqr(at[xl] - at[xr]) + sqr(at[yl] - at[yr]) - L * L; });
  using namespace shapes;
  const Place road{width, height};
  car.picture({Spring{{0, 0}, {xl, yl}}, Spring{road, {xr, yr}}, Rod{{xl, yl}, {xr, yr}, 0.04}, Rod{{0, 0}, road, 0.02},
               Trace{{xr, yr}, 0.5}});
  const auto reference =
      known_at(car, {{3,
                      {4.9345578427524092131527e-02, -7.7058368403592084283941e-02, 4.9698946023000810676293e-01,
                       7.4468665920684164914018e-03, 1.0417425248854261151948, 1.7556815753541736629741e-02,
                       3.7391102726536581935790e-01, 7.7034104377960106312064e-01}}});
  return {.summary = "half a car on two stiff springs rides over a bumpy road",
          .kind = "constrained mechanics, index 3, driven, stiff",
          .source = "Test Set for IVP Solvers (car axis); Schneider (1994)",
          .system = car,
          .end = 3,
          .plot = "t,yr",
          .known_by = "113-bit extrapolation",
          .reference = reference};
}

}  // namespace pawl::problems
