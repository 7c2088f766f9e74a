#include <array>
#include <cmath>
#include <numbers>

#include "problems/stiff.hpp"

namespace pawl::problems {

namespace {

constexpr int points = 20;

std::vector<double> first_positions() {
  constexpr double pi = std::numbers::pi;
  std::vector<double> p;
  const auto ring = [&](int count, int first, double shift, double latitude) {
    for (int k = 0; k < count; ++k) {
      const double longitude = 2 * pi * (first + k) / count + shift;
      p.insert(p.end(), {std::cos(longitude) * std::cos(latitude), std::sin(longitude) * std::cos(latitude),
                         std::sin(latitude)});
    }
  };
  ring(3, 1, pi / 13, 3 * pi / 8);
  ring(7, 1, pi / 29, pi / 8);
  ring(6, 1, pi / 7, -2 * pi / 15);
  ring(4, 0, pi / 17, -3 * pi / 10);
  return p;
}

}  // namespace

// Twenty points on the unit sphere push each other apart, with friction, until the product of their distances is
// largest. Positions p, speeds q; a multiplier λ keeps a point on the sphere, μ its speed tangent to it (the
// stabilization of Gear, Gupta and Leimkuhler, which leaves index 2):
//   p' = q + 2 μ p,   q' = -q / 2 + 2 λ p + Σ (p - p_j) / |p - p_j|²,   0 = p·p - 1,   0 = 2 p·q
Problem fekete() {
  System sphere("fekete");
  const auto p = sphere.states("p", first_positions()), q = sphere.states("q", std::vector<double>(3 * points, 0.0));
  // With q = 0 and |p| = 1 every pair pushes p outwards by 1/2, whatever their distance.
  const auto lambda = sphere.states("lambda", std::vector<double>(points, -(points - 1) / 4.0)),
             mu = sphere.states("mu", std::vector<double>(points, 0.0));
  sphere.rates([=](const auto& at, auto& d) {
    for (int i = 0; i < points; ++i) {
      for (int k = 3 * i; k < 3 * i + 3; ++k) {
        d[p[k]] = at[q[k]] + 2 * at[mu[i]] * at[p[k]];
        d[q[k]] = -0.5 * at[q[k]] + 2 * at[lambda[i]] * at[p[k]];
      }
    }
    for (int i = 0; i < points; ++i) {
      for (int j = 0; j < i; ++j) {
        const auto x = at[p[3 * i]] - at[p[3 * j]], y = at[p[3 * i + 1]] - at[p[3 * j + 1]],
                   z = at[p[3 * i + 2]] - at[p[3 * j + 2]];
        const auto push = 1 / (sqr(x) + sqr(y) + sqr(z));
        const auto apart = std::array{push * x, push * y, push * z};
        for (int k = 0; k < 3; ++k) {
          d[q[3 * i + k]] += apart[static_cast<std::size_t>(k)];
          d[q[3 * j + k]] -= apart[static_cast<std::size_t>(k)];
        }
      }
    }
  });
  const auto scalar_products = [=](const auto& at, Block<State> x, Block<State> y) {
    std::array<std::decay_t<decltype(at.t)>, points> result;
    for (int i = 0; i < points; ++i)
      result[static_cast<std::size_t>(i)] =
          at[x[3 * i]] * at[y[3 * i]] + at[x[3 * i + 1]] * at[y[3 * i + 1]] + at[x[3 * i + 2]] * at[y[3 * i + 2]];
    return result;
  };
  sphere.equation("on the sphere", [=](const auto& at) {
    auto rows = scalar_products(at, p, p);
    for (auto& row : rows) row -= 1;
    return rows;
  });
  sphere.equation("along the sphere", [=](const auto& at) {
    auto rows = scalar_products(at, p, q);
    for (auto& row : rows) row *= 2;
    return rows;
  });
  std::vector<double> end{
      -0.4070263380333202e+00, 0.3463758772791802e+00,  0.8451942450030429e+00,  0.7752934752521549e-01,
      -0.2628662719972299e+00, 0.9617122871829146e+00,  0.7100577833343567e+00,  0.1212948055586120e+00,
      0.6936177005172217e+00,  0.2348267744557627e+00,  0.7449277976923311e+00,  0.6244509285956391e+00,
      -0.4341114738782885e+00, 0.8785430442262876e+00,  0.1992720444237660e+00,  -0.9515059600312596e+00,
      0.2203508762787005e+00,  0.2146669498274008e+00,  -0.6385191643609878e+00, -0.4310833259390688e+00,
      0.6375425027722121e+00,  -0.1464175087914336e+00, -0.9380871635228862e+00, 0.3139337298744690e+00,
      0.5666974065069942e+00,  -0.6739221885076542e+00, 0.4740073135462156e+00,  0.9843259538440293e+00,
      -0.1696995357819996e+00, -0.4800504290609090e-01, 0.1464175087914331e+00,  0.9380871635228875e+00,
      -0.3139337298744656e+00, -0.7092757549979014e+00, 0.5264062637139616e+00,  -0.4688542938854929e+00,
      -0.8665731819284478e+00, -0.4813878059756024e+00, -0.1315929352982178e+00, -0.2347897778700538e+00,
      -0.8594340408013130e+00, -0.4541441287957579e+00, 0.5530976940074118e+00,  -0.7674370265615124e+00,
      -0.3242273140037833e+00, 0.7711050969896927e+00,  0.6357041816577034e+00,  0.3573685519777001e-01,
      0.7103951209379591e+00,  0.2403570431280519e+00,  -0.6614886725910596e+00, -0.3038208738735660e-01,
      0.4501923293640461e+00,  -0.8924145871442046e+00, -0.5772996158107093e+00, -0.1766763414971813e+00,
      -0.7971892020969544e+00, 0.2414481766969039e+00,  -0.3416456818373135e+00, -0.9082846503446250e+00};
  end.resize(6 * points, 0.0);
  end.resize(7 * points, -(points - 1) / 4.0);
  end.resize(8 * points, 0.0);
  return {.summary = "twenty points repel each other on a sphere and come to rest; 160 unknowns",
          .kind = "DAE, index 2",
          .source = "Test Set for IVP Solvers (Fekete); Pardalos, J. Global Optim. 6 (1995) 213",
          .system = sphere,
          .end = 1000,
          .plot = "t,p1",
          .known_by = "Test Set; 11 digits agree with DOP853 without multipliers",
          .reference = known_at(sphere, 1000, end)};
}

}  // namespace pawl::problems
