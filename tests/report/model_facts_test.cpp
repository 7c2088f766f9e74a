// What reports say of a model: everything it declares, and what its functions read.
#include "report/model_facts.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pawl/contact_family.hpp"
#include "pawl/pawl.hpp"
#include "pawl/picture.hpp"

namespace pawl {
namespace {

using Sentences = std::map<std::string, std::string>;

/// By heading without "Model: ", and label.
std::map<std::string, Sentences> told(const System& system, double end = 0) {
  std::map<std::string, Sentences> all;
  for (const auto& table : model_facts(simulate(system, {.end = end})))
    for (const auto& row : table[1]) all[table[0].get<std::string>().substr(7)][row[0]] = row[1];
  return all;
}

TEST(ModelFacts, TellEveryDeclarationOfAHybridSystem) {
  System ball("ball");
  const auto height = ball.state("height", 1), speed = ball.state("speed", 0.5);
  ball.nominal(height, 1e-3);
  const auto g = ball.parameter("g", 9.81), e = ball.parameter("e", 0.7);
  const auto resting = ball.discrete("resting", false);
  const auto count = ball.discrete("count", 2.0);
  const auto wind = ball.input("wind", Signal::polyline({{0, 0}, {1, 5}, {4, 5}}));
  const auto motor = ball.relay("motor", {-1, 1, 0.1}, [=](const auto& at) { return at[speed]; });
  const auto high = ball.condition("high", [=](const auto& at) { return at[height] - 2; });
  ball.rates([=](const auto& at, auto& d) {
    d[height] = at[speed];
    d[speed] = at[resting] ? 0.0 * at[wind] : at[motor] + at[wind] - at[g];
  });
  ball.guard("ground", [=](const auto& at) { return at[height]; })
      .falling()
      .unilateral()
      .only_when(!resting && !high)
      .then([=](Jump& jump) { jump[speed] = -jump[e] * jump.pre(speed); })
      .at_accumulation([=](Jump& jump) { jump[resting] = true; });
  ball.guard("black", [=](const Point<double>& at) { return at[speed]; }).rising().min_width(0.5);
  ball.every(0.1, [=](Jump& jump) { jump[count] = jump[count] + 1; }).phase(g);
  ball.time_event("alarm");
  ball.time_event("once", 3.0).then([=](Jump& jump) { jump[resting] = false; });
  ball.invariant("kept", [=](const auto& at) { return 0.0 * at[height] * at.t; });
  ball.observable("energy", [=](const auto& at) { return at[height]; });
  ball.picture({shapes::Disk{{0, height}, 0.1}, shapes::Disk{{0, 0}, 0.1}, shapes::Trace{{0, height}, 1}});

  const auto all = told(ball);
  EXPECT_EQ(all.at("states"), (Sentences{{"height", "starts at 1; of size 0.001; rate from speed"},
                                         {"speed", "starts at 0.5; rate from motor, t or an input"}}));
  EXPECT_EQ(all.at("parameters"), (Sentences{{"g", "9.8100000000000005"}, {"e", "0.69999999999999996"}}));
  EXPECT_EQ(all.at("discrete variables"), (Sentences{{"resting", "starts as false"}, {"count", "starts at 2"}}));
  EXPECT_EQ(all.at("inputs"), (Sentences{{"wind", "given by points; 4 smooth pieces"}}));
  EXPECT_EQ(all.at("constraints and invariants"),
            (Sentences{{"kept", "kept at zero; 1 row; from height, t or an input"}}));
  EXPECT_EQ(all.at("guards"),
            (Sentences{{"ground",
                        "falling; never seen beyond zero; from height; only when (!resting && !high); then a jump; "
                        "a state of rest where events accumulate"},
                       {"black", "rising; a black box; no excursion shorter than 0.5; watched"}}));
  EXPECT_EQ(all.at("time events"), (Sentences{{"every 0.1", "every 0.1; the first after g; then a jump"},
                                              {"alarm", "when it is scheduled"},
                                              {"once", "at t = 3; then a jump"}}));
  EXPECT_EQ(all.at("conditions and relations"), (Sentences{{"high", "the truth of g > 0; g from height"}}));
  EXPECT_EQ(all.at("relays"), (Sentences{{"motor", "-1 where g < 0, 1 where g > 0; hysteresis 0.1; g from speed"}}));
  EXPECT_EQ(all.at("observables"), (Sentences{{"energy", "computed when it is read"}}));
  EXPECT_EQ(all.at("picture"), (Sentences{{"parts", "2 disks, 1 trace"}}));
}

TEST(ModelFacts, TellTheParts) {
  Mechanics crank("crank");
  const auto x = crank.coordinate("x", 1), y = crank.coordinate("y", 0);
  const auto m = crank.parameter("m", 2), mu = crank.parameter("mu", 0.3);
  crank.mass(x, m);
  crank.mass(y, 1.5);
  crank.potential([=](const auto& at) { return 9.81 * at[y]; });
  crank.constraint("rod", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  crank.contact(
      "wall", [=](const auto& at) { return at[x] + 0.5; }, [=](const auto& at) { return at[dot(y)]; },
      {.restitution = 0.5, .friction = mu, .static_friction = 0.4});
  crank.contact("pad", [=](const auto& at) { return at[x] + 0.8; }, {.compliance = Compliance::hertz(1e5)});
  crank.energy();

  const auto all = told(crank);
  EXPECT_EQ(all.at("states").at("x"), "starts at 1; a coordinate");
  EXPECT_EQ(all.at("states").at("x'"), "starts at 0; its speed");
  EXPECT_EQ(all.at("mechanism"), (Sentences{{"mass with x'", "m"}, {"mass with y'", "1.5"}, {"potential", "from y"}}));
  EXPECT_EQ(all.at("constraints and invariants"), (Sentences{{"rod", "on positions; 1 row; from x, y"}}));
  EXPECT_EQ(all.at("contacts and friction"),
            (Sentences{{"wall",
                        "rigid; restitution 0.5 (Poisson); friction mu; 0.4 while it sticks; gap from x; slip from y'"},
                       {"pad", "gives way: stiffness 100000, exponent 1.5; without friction; gap from x"}}));
  EXPECT_EQ(all.at("observables").at("energy"), "the energy of the whole model");
  EXPECT_FALSE(all.contains("guards"));              // those of contacts are the engine's
  EXPECT_FALSE(all.contains("discrete variables"));  // so are their modes
}

TEST(ModelFacts, TellEquationsSwitchesAndSpheres) {
  System circuit("circuit");
  const auto u = circuit.state("u", 1), i = circuit.state("i", 0);
  circuit.equation("capacitor", [=](const auto& at) { return at[dot(u)] + at[i]; });
  circuit.diode(
      "diode", [=](const auto& at) { return -at[u]; }, [=](const auto& at) { return at[i]; });
  const auto all = told(circuit);
  EXPECT_EQ(all.at("equations").at("capacitor"), "0 = f of i, dot(u)");
  EXPECT_EQ(all.at("ideal switches"), (Sentences{{"diode", "a diode; voltage from u; current from i"}}));

  SphereMechanics sky("sky");
  const Spheres balls = sky.spheres("ball", {{0, 0, 1}, {1, 0, 1}}, {.radius = 0.1, .mass = 1, .gravity = {0, 0, -2}});
  sky.contacts("contacts", balls, {.restitution = 0.5, .walls = {{"floor", {0, 0, 0}, {0, 0, 1}}}});
  const auto spheres = told(sky, 0.1).at("spheres that meet");
  EXPECT_EQ(spheres.at("contacts"), "2 spheres, radius 0.1");
  EXPECT_EQ(spheres.at("restitution"), "0.5");
  EXPECT_EQ(spheres.at("wall floor"), "inside where (0, 0, 1) x >= 0");
}

}  // namespace
}  // namespace pawl
