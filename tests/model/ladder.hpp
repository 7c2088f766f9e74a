// An RC-diode ladder as a component language flattens it: pins with potentials and flows, 18 equations per section.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pawl/model/model.hpp"

namespace pawl::model {

/// seed: 0 for the order of the components, else another order of the rows.
inline Model ladder(int sections, unsigned seed = 0) {
  Model m("ladder");
  struct Pin {
    Expr v, i;
  };
  std::vector<std::pair<Expr, Expr>> rows;
  const auto equation = [&](const Expr& left, const Expr& right) { rows.emplace_back(left, right); };
  const auto pin = [&](const std::string& name) {
    const Expr v = m.variable(name + ".v");
    return Pin{v, m.variable(name + ".i")};
  };
  const Expr R = m.parameter("R", 1.0), C = m.parameter("C", 1.0), Is = m.parameter("Is", 1e-9),
             Vt = m.parameter("Vt", 0.026);
  const Pin positive = pin("source.p"), negative = pin("source.n"), ground = pin("ground.p");
  equation(positive.v - negative.v, sin(m.time()));
  equation(positive.i + negative.i, 0.0);
  equation(ground.v, 0.0);
  equation(negative.v, ground.v);
  Expr into_ground = ground.i + negative.i;
  Pin left = positive;
  for (int k = 1; k <= sections; ++k) {
    const std::string name = "section" + std::to_string(k);
    // A component: v = p.v - n.v, 0 = p.i + n.i, i = p.i, and its law.
    const auto component = [&](const std::string& part, bool is_state) {
      const Pin p = pin(name + part + ".p"), n = pin(name + part + ".n");
      const Expr v = is_state ? m.state(name + part + ".v", 0.0) : m.variable(name + part + ".v");
      const Expr i = m.variable(name + part + ".i");
      equation(v, p.v - n.v);
      equation(p.i + n.i, 0.0);
      equation(i, p.i);
      return std::array<Pin, 3>{p, n, Pin{v, i}};
    };
    const auto [rp, rn, r] = component(".R", false);
    const auto [cp, cn, c] = component(".C", true);
    const auto [dp, dn, d] = component(".D", false);
    equation(r.v, R * r.i);
    equation(c.i, C * der(c.v));
    equation(d.i, Is * (exp(d.v / Vt) - 1.0));
    equation(rp.v, left.v);
    equation(left.i + rp.i, 0.0);
    equation(cp.v, rn.v);
    equation(dp.v, rn.v);
    equation(cn.v, ground.v);
    equation(dn.v, ground.v);
    into_ground = into_ground + cn.i + dn.i;
    left = {rn.v, rn.i + cp.i + dp.i};  // what the next section takes from this node
  }
  equation(left.i, 0.0);
  equation(into_ground, 0.0);
  if (seed != 0) std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
  for (const auto& [a, b] : rows) m.equation(a, b);
  return m;
}

}  // namespace pawl::model
