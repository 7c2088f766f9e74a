// The stiff and implicit problems: their functions against values computed without pawl, and what the mathematics of
// each of them implies at its start, its events and its published end.
#include "problems/stiff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include <Eigen/Dense>

#include "misuse_of.hpp"
#include "numerics/orthogonal.hpp"
#include "problems/catalogue.hpp"
#include "says.hpp"

namespace pawl {
namespace {

using testing::misuse_of;
using testing::says;
using Numbers = std::vector<double>;

/// A model at one point, with the rates given for at[dot(x)].
class Model {
 public:
  explicit Model(const std::string& problem, const Assignments& assignments = {})
      : system_(system_of(find_problem(problem), assignments)), values_(system_), n_(system_.size()) {
    for (const auto& [name, value] : assignments) values_.set(name, value);
    held_ = values_.held();
    held_.truths.assign(system_.declarations().condition_names.size(), 0);
    x = values_.start();
    dx.assign(x.size(), 0.0);
  }

  double t = 0;
  Numbers x, dx;

  const System::Declarations& declared() const { return system_.declarations(); }
  const Values& values() const { return values_; }
  void set_mode(const std::string& name, int value) { held_.modes[position(declared().mode_names, name)] = value; }
  void set_truth(const std::string& name, bool truth) {
    held_.truths[position(declared().condition_names, name)] = truth ? 1 : 0;
  }

  /// Not a number where the model does not assign one.
  Numbers rates() const {
    Numbers out(x.size(), std::numeric_limits<double>::quiet_NaN());
    evaluate(declared().rates, out);
    return out;
  }
  Numbers equation(const std::string& name) const {
    for (const EquationInfo& one : declared().equations) {
      if (one.name != name) continue;
      Numbers out(static_cast<std::size_t>(one.rows));
      evaluate(one.f, out);
      return out;
    }
    throw std::out_of_range(name);
  }
  double guard(const std::string& name) const {
    for (const GuardInfo& one : declared().guards) {
      if (one.name != name) continue;
      Numbers out(1);
      evaluate(one.g, out);
      return out[0];
    }
    throw std::out_of_range(name);
  }
  Eigen::MatrixXd mass() const {
    detail::EntryMap map;
    for (int i = 0; i < n_; ++i) map.number.push_back(i);
    map.width = n_;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M = Eigen::MatrixXd::Zero(n_, n_);
    Entries<double> entries(map, M.data());
    const detail::Surroundings<double> around = surroundings();
    declared().mass(Point<double>(t, x.data(), held_.parameters.data(), &around), entries);
    return M;
  }

 private:
  struct Given : detail::RateSource<double> {
    const Model* model = nullptr;
    double rate(const Point<double>&, int index) const override { return model->dx[static_cast<std::size_t>(index)]; }
  };

  static std::size_t position(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::out_of_range(name);
    return static_cast<std::size_t>(found - names.begin());
  }
  detail::Surroundings<double> surroundings() const {
    given_.model = this;
    detail::Surroundings<double> around;
    around.held = &held_;
    around.rates = &given_;
    return around;
  }
  void evaluate(const Function& f, Numbers& out) const {
    const detail::Surroundings<double> around = surroundings();
    f(Point<double>(t, x.data(), held_.parameters.data(), &around), out.data());
  }

  System system_;
  Values values_;
  int n_;
  Held held_;
  mutable Given given_;
};

Numbers reference_of(const std::string& name, double t, const Assignments& assignments = {}) {
  const Model model(name, assignments);
  const auto known = find_problem(name).reference(model.values(), t);
  return known ? *known : Numbers{};
}

void expect_close(const Numbers& got, const Numbers& expected, double relative) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], relative * std::abs(expected[i])) << "component " << i + 1;
}

const std::map<std::string, int> sizes{{"hires", 8},           {"orego", 3},         {"vdpol", 2},
                                       {"pollu", 20},          {"robertson", 3},     {"robertson-dae", 3},
                                       {"ring-modulator", 15}, {"chem-akzo", 6},     {"transistor-amplifier", 8},
                                       {"fekete", 160},        {"charge-pump", 9},   {"algebraic-loop", 2},
                                       {"fast-slow", 2},       {"diode-circuit", 5}, {"brusselator-1d", 1000},
                                       {"heat-1d", 100},       {"andrews", 14}};

TEST(Stiff, EveryProblemIsInTheCatalogueWithAReferenceOfItsSize) {
  for (const auto& [name, size] : sizes) {
    SCOPED_TRACE(name);
    const Problem& problem = find_problem(name);
    EXPECT_EQ(problem.system.size(), size);
    const auto known = problem.reference(Values(problem.system), problem.end);
    EXPECT_EQ(known.has_value(), name != "brusselator-1d");
    if (known) {
      EXPECT_EQ(known->size(), static_cast<std::size_t>(size));
    }
  }
}

TEST(Stiff, EveryFunctionCanBeDifferentiatedAndEveryGuardProved) {
  for (const auto& [name, size] : sizes) {
    if (name == "andrews") continue;  // mechanics
    SCOPED_TRACE(name);
    const auto& declared = find_problem(name).system.declarations();
    EXPECT_TRUE(declared.rates.supports<Gradient>() && declared.rates.supports<Pattern>());
    for (const EquationInfo& equation : declared.equations) {
      EXPECT_TRUE(equation.f.supports<Gradient>() && equation.f.supports<Pattern>()) << equation.name;
    }
    for (const GuardInfo& guard : declared.guards) EXPECT_TRUE(guard.is_generic()) << guard.name;
  }
}

// As many equations as rates that are not assigned: the system is square.
TEST(Stiff, EquationsDetermineExactlyWhatTheRatesLeaveOpen) {
  for (const auto& [name, size] : sizes) {
    if (name == "andrews") continue;
    SCOPED_TRACE(name);
    const Model model(name);
    const Numbers rates = model.rates();
    const auto open = std::count_if(rates.begin(), rates.end(), [](double rate) { return std::isnan(rate); });
    int rows = 0;
    for (const EquationInfo& equation : model.declared().equations) rows += equation.rows;
    EXPECT_EQ(open, rows);
  }
}

// By a transcription of the published equations in Python.
TEST(Stiff, RatesHaveTheValuesOfThePublishedEquations) {
  Model hires("hires");
  hires.x = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  expect_close(hires.rates(), {2.4117, -1.579, -2.8195, 1.729, -0.3135, -133.044, 133.133, -133.133}, 1e-14);

  Model pollu("pollu");
  for (std::size_t i = 0; i < 20; ++i) pollu.x[i] = 0.01 * static_cast<double>(i + 1);
  expect_close(pollu.rates(),
               {51.280821040000006,
                -72.21878000000001,
                71039856001.102402,
                143999.97798704001,
                63.611332099999998,
                31999797.272,
                -62.736917600000005,
                63.000129300000005,
                -129.60001169999998,
                12.300011700000006,
                83.40285999999999,
                36.300000000000004,
                9.8971400000000003,
                23.736799999999999,
                9.7799999999999994,
                -71055999999.999985,
                -12.648,
                12.648,
                -4.2551810400000001,
                2.758},
               1e-12);

  Model ring("ring-modulator");
  ring.t = 2e-6;
  for (std::size_t i = 0; i < 15; ++i) ring.x[i] = (i < 7 ? 0.01 : 1e-4) * static_cast<double>(i + 1);
  expect_close(
      ring.rates(),
      {140600.00000000003, 153074.99999999997, 501219932.12642282, -579776257.61017215, 570223692.64331067,
       -648780117.62009454, -146199.23794731902, -0.0022471910112359548, -0.0044943820224719096, -84.599999999999994,
       31.940000000000001, -121.52000000000001, 55.019999999999982, -62.268490029161846, -487.22499999999997},
      1e-12);

  Model akzo("chem-akzo");
  akzo.x = {0.3, 0.002, 0.1, 0.005, 0.01, 0.2};
  Numbers rates = akzo.rates();
  rates.pop_back();  // of the algebraic variable
  expect_close(rates,
               {-0.013309145057424563, -0.006333455839470239, 0.0065345257263866993, -0.00024076860465116281,
                0.00099073744509109224},
               1e-12);
  expect_close(akzo.equation("equilibrium"), {-0.026255}, 1e-14);

  Model amplifier("transistor-amplifier");
  amplifier.t = 0.0023;
  amplifier.x = {0.05, 3.01, 2.95, 5, 3.02, 2.96, 4, 1};
  expect_close(amplifier.rates(),
               {-4.921147013144779e-05, 2.3127342500971507e-06, 0.0003187265749902771, -0.00010215042035148541,
                4.5349564723194588e-06, 0.000319837686101388, -0.00021326153146259636, 0.00011111111111111112},
               1e-12);
}

TEST(Stiff, WhatReactionsConserveIsConserved) {
  Model robertson("robertson");
  for (const Numbers& x : {Numbers{1, 0, 0}, Numbers{0.7, 9e-6, 0.3}, Numbers{1e-4, 4e-10, 1}}) {
    robertson.x = x;
    const Numbers rates = robertson.rates();
    EXPECT_NEAR(rates[0] + rates[1] + rates[2], 0, 1e-15 * (std::abs(rates[0]) + std::abs(rates[2])));
  }
  // HIRES: y7 + y8 stays at 0.0057, also in the published end.
  const Numbers end = reference_of("hires", 321.8122);
  EXPECT_NEAR(end[6] + end[7], 0.0057, 1e-17);
}

TEST(Stiff, RobertsonsThresholdsAreMetAtTheStatesOfItsReference) {
  for (const std::string name : {"robertson", "robertson-dae"}) {
    Model model(name);
    const double y1 = 0.98996529435334748226, y2 = 3.4705646652517738000e-05;
    model.x = {y1, y2, 1 - y1 - y2};
    EXPECT_NEAR(model.guard("y3 reaches 0.01"), 0, 1e-15);
    model.x = {1e-4, 4.0003952401949198804e-10, 1 - 1e-4 - 4.0003952401949198804e-10};
    EXPECT_EQ(model.guard("y1 falls to 1e-4"), 0);
    // y2 follows the slow manifold k1 y1 = k3 y2 y3 + k2 y2² up to its own slow rate.
    EXPECT_LT(std::abs(model.rates()[1]), 1e-6 * 0.04 * 1e-4);
  }
  EXPECT_EQ(Model("robertson-dae").equation("all reactants"), Numbers{0});
}

TEST(Stiff, VanDerPolEndsOnItsSlowManifold) {
  const Numbers end = reference_of("vdpol", 2000);
  EXPECT_NEAR(end[1], end[0] / (1000 * (1 - end[0] * end[0])), 1e-5 * std::abs(end[1]));
}

TEST(Stiff, AkzosEquilibriumHoldsAtItsStartAndAtItsPublishedEnd) {
  Model model("chem-akzo");
  EXPECT_NEAR(model.equation("equilibrium")[0], 0, 1e-16);
  model.x = reference_of("chem-akzo", 180);
  EXPECT_NEAR(model.equation("equilibrium")[0], 0, 1e-16);
}

TEST(Stiff, TheAmplifiersMassMatrixHasRankFiveAndTakesThePublishedFirstRates) {
  const Model model("transistor-amplifier");
  const Eigen::MatrixXd M = model.mass();
  EXPECT_EQ(linear::PivotedQr(M).rank(), 5);
  for (int i = 0; i < 8; ++i) EXPECT_NE(M(i, i), 0);  // the diagonal does not show it
  Eigen::VectorXd first(8);
  first << 51.338775, 51.338775, -166.66667, -24.9757667, -24.9757667, -83.333333, -10.00564453, -10.00564453;
  const Numbers f = model.rates();
  const Eigen::VectorXd left = M * first;
  // A row whose capacitor sees one rate on both sides is an equation for the start: it holds to rounding.
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(left[i], f[static_cast<std::size_t>(i)], 2e-7 * 3.4e-4) << i;
}

TEST(Stiff, FeketesMultiplierKeepsTheStartOnTheSphere) {
  Model model("fekete");
  const auto second_derivatives = [&] {  // of |p|² - 1: d/dt (2 p q)
    const Numbers rates = model.rates();
    Numbers all;
    for (std::size_t i = 0; i < 20; ++i) {
      double sum = 0;
      for (std::size_t k = 3 * i; k < 3 * i + 3; ++k)
        sum += 2 * (rates[k] * model.x[60 + k] + model.x[k] * rates[60 + k]);
      all.push_back(sum);
    }
    return all;
  };
  for (const double residual : model.equation("on the sphere")) EXPECT_NEAR(residual, 0, 1e-15);
  for (const double residual : model.equation("along the sphere")) EXPECT_EQ(residual, 0);
  for (const double residual : second_derivatives()) EXPECT_NEAR(residual, 0, 1e-13);
  for (std::size_t i = 0; i < 20; ++i) model.x[120 + i] += 0.1;
  for (const double residual : second_derivatives()) EXPECT_NEAR(residual, 0.4, 1e-13);  // 4 p² Δλ
}

TEST(Stiff, FeketesPublishedEndIsAtRestOnTheSphere) {
  Model model("fekete");
  model.x = reference_of("fekete", 1000);
  for (const double residual : model.equation("on the sphere")) EXPECT_NEAR(residual, 0, 5e-15);
  for (const double rate : model.rates()) {
    if (!std::isnan(rate)) {
      EXPECT_NEAR(rate, 0, 1e-11);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

struct Pump : Model {
  Pump() : Model("charge-pump") { set_truth("U1 above flat band", true); }
  void region(bool has_channel, bool reaches_drain = false, bool drain_is_higher = true) {
    set_mode("channel", has_channel);
    set_truth("gate above threshold", has_channel);
    set_truth("channel reaches the drain", reaches_drain);
    set_truth("U3 > U2", drain_is_higher);
  }
  void voltages(double U1, double U2, double U3) { x[5] = U1, x[6] = U2, x[7] = U3; }
  Numbers charges() const {  // gate, source, drain, with the nodes' own charges at zero
    return {-equation("gate charge")[0], -equation("source charge")[0], -equation("drain charge")[0]};
  }
};

TEST(ChargePump, ChargesAreContinuousWhereRegionsMeet) {
  Pump pump;
  for (std::size_t i = 0; i < 5; ++i) pump.x[i] = 0;
  constexpr double size = 1e-11;
  const auto expect_meeting = [&](const Numbers& one, const Numbers& other) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(one[i], other[i], 1e-14 * size) << i;
  };
  const double flat_band = 0.2 - 0.035 * std::sqrt(1.01) - 1.01;
  pump.voltages(flat_band, 0, 0);
  pump.region(false);
  EXPECT_NEAR(pump.guard("U1 above flat band"), 0, 1e-15);
  const Numbers depletion = pump.charges();
  pump.set_truth("U1 above flat band", false);
  expect_meeting(depletion, pump.charges());
  pump.set_truth("U1 above flat band", true);

  const double U2 = 0.7, threshold = 0.2 + 0.035 * (std::sqrt(1.01 + U2) - std::sqrt(1.01));
  pump.voltages(U2 + threshold, U2, 1.5);
  EXPECT_NEAR(pump.guard("gate above threshold"), 0, 1e-15);
  // Without a channel the gate charge reads U1 alone, with one the source: they meet where U2 = 0, as in the pump.
  pump.voltages(0.2, 0, 0);
  pump.region(false);
  const Numbers below = pump.charges();
  pump.region(true);
  expect_meeting(below, pump.charges());

  pump.voltages(5, 1, 5 - 0.2 - 0.035 * (std::sqrt(2.01) - std::sqrt(1.01)));  // the drain is just at the threshold
  pump.region(true);
  EXPECT_NEAR(pump.guard("channel reaches the drain"), -1e-5, 1e-14);  // its margin
  const Numbers pinched = pump.charges();
  pump.region(true, true);
  expect_meeting(pinched, pump.charges());

  pump.voltages(5, 2, 2);  // source and drain change places
  pump.region(true, true, true);
  EXPECT_EQ(pump.guard("U3 > U2"), 0);
  const Numbers as_they_are = pump.charges();
  pump.region(true, true, false);
  expect_meeting(as_they_are, pump.charges());
  EXPECT_GT(std::abs(as_they_are[1]), 0.1 * size);  // not merely zero on both sides
}

// The two nodes keep their sum of charges, zero: CS U2 + QS = 0 and CD U3 + QD = 0 with QS = QD give U3 = 4 U2, and
// then the drain is always pinched off. So the regions of the mode agree with the voltages on the whole pulse.
TEST(ChargePump, StaysPinchedOffOnItsWholePulse) {
  Pump pump;
  pump.region(true);
  for (double U1 = 0.2 + 1e-3; U1 <= 20; U1 += 0.1) {
    double low = 0, high = U1;
    for (int i = 0; i < 200; ++i) {  // bisection for CS U2 = -QS
      const double U2 = (low + high) / 2;
      pump.voltages(U1, U2, 4 * U2);
      pump.x[2] = 0;
      (1.6e-12 * U2 + pump.charges()[1] < 0 ? low : high) = U2;
    }
    ASSERT_GT(pump.x[6], 0);
    EXPECT_GT(pump.guard("gate above threshold"), 0) << U1;
    EXPECT_GT(pump.guard("U3 > U2"), 0) << U1;
    EXPECT_LT(pump.guard("channel reaches the drain"), 0) << U1;
    EXPECT_NEAR(0.4e-12 * pump.x[7] + pump.charges()[2], 0, 1e-14 * 1e-11) << U1;
  }
}

TEST(ChargePump, ItsInputHasThirtyNineCornersAndNoJump) {
  Pump pump;
  const auto& corners = pump.declared().time_events;
  ASSERT_EQ(corners.size(), 39u);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    pump.t = std::get<double>(corners[k].time);
    const double expected[] = {0, 20, 20, 0};
    for (const std::size_t segment : {k, k + 1}) {
      pump.set_mode("segment", static_cast<int>(segment));
      EXPECT_NEAR(pump.equation("input")[0], expected[k % 4], 1e-12) << "corner " << k;  // U1 is zero
    }
  }
  EXPECT_EQ(std::get<double>(corners.front().time), 50e-9);
  EXPECT_EQ(std::get<double>(corners.back().time), 1190e-9);
}

TEST(ChargePump, ItsEndHasThePublishedChargeAndTheLimitOfTheCurrent) {
  const Numbers end = reference_of("charge-pump", 1.2e-6);
  EXPECT_NEAR(end[0], 1.26280042987675933170893e-13, 1e-28);
  EXPECT_NEAR(end[8], 1.5225661038485337e-4, 1e-19);
  // I = -dYT1/dt with U1 falling by 2 V/ns: by differences of the gate charge.
  Pump pump;
  pump.region(false);
  const auto charge = [&](double U1) {
    pump.voltages(U1, 0, 0);
    pump.x[0] = 0;
    return pump.charges()[0];
  };
  EXPECT_NEAR(end[8], 2e9 * (charge(1e-5) - charge(-1e-5)) / 2e-5, 1e-9 * end[8]);
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(AlgebraicLoop, ClosedFormsReproduceIndependentDigits) {
  expect_close(reference_of("algebraic-loop", 1), {0.18410071547106832, 0.27196642817631056}, 1e-15);
  expect_close(reference_of("algebraic-loop", 5), {0.24968184154966505, 0.25010605281677833}, 1e-15);
  expect_close(reference_of("algebraic-loop", 1, {{"tau", 0.01}}), {0.18478666113444764, 0.7281650678053101}, 1e-15);
  expect_close(reference_of("algebraic-loop", 5, {{"tau", 0.01}}), {0.24968702387299876, 0.7498952083633423}, 1e-15);
}

TEST(AlgebraicLoop, ALagThatVanishesClosesTheLoop) {
  const auto gap = [](double tau) {
    return reference_of("algebraic-loop", 1, {{"tau", tau}})[0] - reference_of("algebraic-loop", 1)[0];
  };
  EXPECT_NEAR(gap(1e-3) / gap(1e-4), 10, 0.1);  // first order in tau
}

TEST(AlgebraicLoop, TheParameterShapesTheModel) {
  EXPECT_TRUE(Model("algebraic-loop").declared().is_implicit());
  EXPECT_FALSE(Model("algebraic-loop", {{"tau", 0.01}}).declared().is_implicit());
  Model loop("algebraic-loop", {{"d", 3}});
  EXPECT_NEAR(loop.equation("loop")[0], 0, 1e-16);  // the start of u follows d
  const System without = find_problem("algebraic-loop").system;
  Values values(without);
  values.set("tau", 0.01);
  EXPECT_TRUE(says(misuse_of([&] { values.start(); }), {"without a lag", "0.01", "system_of"}));
  EXPECT_TRUE(says(misuse_of([] { Model("algebraic-loop", {{"tau", -1}}); }), {"algebraic-loop", "tau = -1"}));
}

TEST(FastSlow, TheReducedReferenceIsOnItsManifoldAndTheFullOneNearIt) {
  Model reduced("fast-slow", {{"eps", 0}});
  EXPECT_EQ(reduced.x[0], 1);  // where it jumps to at once
  for (const double t : {0.1, 1.0, 2.0, 5.0}) {
    reduced.x = reference_of("fast-slow", t, {{"eps", 0}});
    ASSERT_EQ(reduced.x.size(), 2u);
    EXPECT_NEAR(reduced.equation("equilibrium")[0], 0, 2e-16);
  }
  const double limit = reference_of("fast-slow", 1, {{"eps", 0}})[1];
  const double coarse = reference_of("fast-slow", 1)[1] - limit,
               fine = reference_of("fast-slow", 1, {{"eps", 1e-3}})[1] - limit;
  EXPECT_NEAR(coarse / fine, 10, 0.3);  // first order in eps
  EXPECT_TRUE(reference_of("fast-slow", 1, {{"eps", 2e-3}}).empty());
}

TEST(FastSlow, TheParameterShapesTheModel) {
  EXPECT_FALSE(Model("fast-slow").declared().is_implicit());
  EXPECT_TRUE(Model("fast-slow", {{"eps", 0}}).declared().is_implicit());
  EXPECT_TRUE(says(misuse_of([] { Model("fast-slow", {{"eps", -1}}); }), {"fast-slow", "eps = -1"}));
}

// ---------------------------------------------------------------------------------------------------------------------

// A consistent point with the first diode conducting alone, at the first event of the reference.
TEST(DiodeCircuit, ItsEquationsHoldAndItsGuardVanishesWhereTheSecondDiodeTakesOver) {
  for (const double index : {1, 2}) {
    SCOPED_TRACE(index);
    Model circuit("diode-circuit", {{"index", index}});
    circuit.t = 0.01005648433230652;
    const double i1 = 37.2627046509677, v1 = 100 * std::sin(2 * std::numbers::pi * 50 * circuit.t);
    const double rate = (v1 - i1) / 1.1e-2, v3 = v1 - 1e-3 * rate;
    circuit.x = {i1, 0, v3, 0, -v1 - v3};
    circuit.dx = {rate, 0, 0, 0, 0};
    EXPECT_NEAR(circuit.rates()[0], rate, 1e-12 * std::abs(rate));
    EXPECT_NEAR(circuit.rates()[1], 0, 1e-10);
    EXPECT_NEAR(circuit.equation("load")[0], 0, 1e-13);
    EXPECT_EQ(circuit.equation("diode 1"), Numbers{0});
    EXPECT_EQ(circuit.equation("diode 2"), Numbers{0});
    EXPECT_NEAR(circuit.guard("v2 exceeds v3"), 0, 1e-11);
    // A blocked branch says i' = 0 or i = 0.
    circuit.dx[1] = 7;
    circuit.x[1] = 5;
    EXPECT_EQ(circuit.equation("diode 2"), Numbers{index == 1 ? 7. : 5.});
    circuit.set_mode("D2 conducts", 1);
    EXPECT_EQ(circuit.equation("diode 2"), Numbers{circuit.x[4]});
  }
  EXPECT_TRUE(says(misuse_of([] { Model("diode-circuit", {{"index", 3}}); }), {"diode-circuit", "index = 3"}));
}

TEST(DiodeCircuit, SharesItsEventsAndItsCurrentsWithTheRectifier) {
  const Problem &circuit = find_problem("diode-circuit"), &rectifier = find_problem("carver-3");
  for (const double index : {1, 2}) {
    Values values(circuit.system);
    values.set("index", index);
    EXPECT_EQ(circuit.event_times(values, 0.085), rectifier.event_times(Values(rectifier.system), 0.085));
    const Numbers end = *circuit.reference(values, 0.085);
    EXPECT_EQ(Numbers(end.begin(), end.begin() + 2), *rectifier.reference(Values(rectifier.system), 0.085));
    EXPECT_NEAR(end[2], 96.196805420508, 1e-12);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(Grids, TheParameterIsTheNumberOfUnknowns) {
  for (const int n : {4, 50, 100000}) {
    EXPECT_EQ(system_of(find_problem("brusselator-1d"), {{"n", n}}).size(), n);
    EXPECT_EQ(system_of(find_problem("heat-1d"), {{"n", n}}).size(), n);
  }
  const auto names = Model("brusselator-1d", {{"n", 50}}).declared().state_names;
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 50u);
  EXPECT_TRUE(says(misuse_of([] { Model("brusselator-1d", {{"n", 7}}); }), {"brusselator-1d", "n = 7", "even"}));
  EXPECT_TRUE(says(misuse_of([] { Model("heat-1d", {{"n", 0.5}}); }), {"heat-1d", "n = 0.5", "whole"}));
  const System built = find_problem("heat-1d").system;
  Values values(built);
  values.set("n", 7);
  EXPECT_TRUE(says(misuse_of([&] { values.start(); }), {"100 unknowns", "n = 7", "system_of"}));
}

TEST(Grids, TheBrusselatorRestsWhereItsBoundaryIs) {
  Model model("brusselator-1d", {{"n", 50}});
  for (std::size_t i = 0; i < 50; i += 2) model.x[i] = 1, model.x[i + 1] = 3;
  for (const double rate : model.rates()) EXPECT_EQ(rate, 0);
  // One point moved: it is pulled back, its neighbours follow, nobody else notices.
  model.x[20] += 0.5;
  const Numbers rates = model.rates();
  const double diffusion = 0.02 * 26 * 26;
  EXPECT_NEAR(rates[20], 1 + 1.5 * 1.5 * 3 - 4 * 1.5 - diffusion, 1e-12);
  EXPECT_NEAR(rates[21], 3 * 1.5 - 1.5 * 1.5 * 3, 1e-12);
  EXPECT_NEAR(rates[18], diffusion / 2, 1e-12);
  EXPECT_NEAR(rates[22], diffusion / 2, 1e-12);
  for (const std::size_t i : {16u, 17u, 19u, 23u, 24u}) EXPECT_EQ(rates[i], 0) << i;
}

TEST(Grids, TheJacobianOfTheBrusselatorHasFiveDiagonals) {
  constexpr int n = 30;
  const Model model("brusselator-1d", {{"n", n}});
  PatternTape tape;
  std::vector<Pattern> x, rates(n, Pattern::unassigned());
  for (int i = 0; i < n; ++i) x.push_back(tape.variable(i));
  const Held held = model.values().held();
  detail::Surroundings<Pattern> around;
  around.held = &held;
  model.declared().rates(Point<Pattern>(Pattern(), x.data(), held.parameters.data(), &around), rates.data());
  for (int row = 0; row < n; ++row) {
    std::vector<int> expected;
    for (int column = row - 2; column <= row + 2; ++column) {
      const bool is_partner = column == (row % 2 == 0 ? row + 1 : row - 1);
      if (column >= 0 && column < n && ((column - row) % 2 == 0 || is_partner)) expected.push_back(column);
    }
    EXPECT_EQ(tape.inputs_of(rates[static_cast<std::size_t>(row)]), expected) << "row " << row;
  }
}

TEST(Grids, TheClosedFormOfTheRodSolvesItsDifferences) {
  for (const int n : {1, 7, 100}) {
    SCOPED_TRACE(n);
    const Assignments assignments{{"n", n}, {"alpha", 0.5}};
    Model rod("heat-1d", assignments);
    expect_close(reference_of("heat-1d", 0, assignments), rod.x, 1e-15);
    constexpr double t = 0.02, h = 1e-5;
    rod.x = reference_of("heat-1d", t, assignments);
    const Numbers before = reference_of("heat-1d", t - h, assignments),
                  after = reference_of("heat-1d", t + h, assignments);
    const Numbers rates = rod.rates();
    // The third derivative is at most (9 π² α)³ / 2; the rounding of the differences 4 (n + 1)² ulp.
    const double truncation = std::pow(4.5 * std::numbers::pi * std::numbers::pi, 3) / 2 * h * h / 6;
    for (std::size_t i = 0; i < rates.size(); ++i)
      EXPECT_NEAR((after[i] - before[i]) / (2 * h), rates[i], truncation + 1e-10) << i;
  }
}

TEST(Andrews, IsTheSqueezerUnderTheNameOfTheTestSet) {
  const Problem &andrews = find_problem("andrews"), &squeezer = find_problem("squeezer");
  EXPECT_EQ(squeezer.name(), "squeezer");  // the copy has the new name, not both
  EXPECT_EQ(andrews.end, 0.03);
  EXPECT_EQ(andrews.reference(Values(andrews.system), 0.03), squeezer.reference(Values(squeezer.system), 0.03));
  EXPECT_EQ(andrews.system.declarations().state_names, squeezer.system.declarations().state_names);
  const auto mechanics = andrews.system.declarations().mechanics;
  ASSERT_EQ(mechanics->rows, 6);
  // Its six loops are closed at the start and at the end.
  const Values values(andrews.system);
  for (const Numbers& x : {values.start(), *andrews.reference(values, 0.03)}) {
    Numbers loops(6);
    mechanics->constraints[0].g(Point<double>(0, x.data(), values.parameters().data()), loops.data());
    for (const double loop : loops) EXPECT_NEAR(loop, 0, 1e-16);
  }
}

}  // namespace
}  // namespace pawl
