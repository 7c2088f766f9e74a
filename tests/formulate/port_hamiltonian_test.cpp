// Port-Hamiltonian systems: exact derivatives, feedback linearization and projection against closed forms and the
// numbers of Koenders (2002).
#include "pawl/port_hamiltonian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "formulate/port_hamiltonian_form.hpp"
#include "problems/gear_wheels.hpp"
#include "problems/port_hamiltonian.hpp"

namespace pawl {
namespace {

using formulate::Manifold;
using formulate::PortHamiltonianForm;
using States = std::vector<double>;

/// A form with everything it reads.
struct Locked {
  explicit Locked(const System& system, const std::map<std::string, double>& settings = {})
      : values(system), form(system.share()) {
    for (const auto& [name, value] : settings) values.set(name, value);
    held = values.held();
    form.lock(held);
  }
  States start() const { return values.start(); }
  States rate(double t, const States& x) {
    States d(x.size());
    form.rate(t, x.data(), d.data());
    return d;
  }
  States residual(int level, double t, const States& x) {
    States r(static_cast<std::size_t>(form.rows(level)));
    form.residual(level, t, x.data(), r.data());
    return r;
  }
  States jacobian(int level, double t, const States& x) {
    States J(static_cast<std::size_t>(form.rows(level)) * x.size());
    form.jacobian(level, t, x.data(), J.data());
    return J;
  }
  Values values;
  PortHamiltonianForm form;
  Held held;
};

double largest(const States& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

States moved(const States& x, double h, const States& d) {
  States y = x;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += h * d[i];
  return y;
}

/// The classical method with a fixed step; `after` may correct the state at the end of a step.
template <class After>
States runge_kutta_4(Locked& model, States x, double end, int steps, After after) {
  const double h = end / steps;
  for (int step = 0; step < steps; ++step) {
    const double t = step * h;
    const States k1 = model.rate(t, x), k2 = model.rate(t + h / 2, moved(x, h / 2, k1)),
                 k3 = model.rate(t + h / 2, moved(x, h / 2, k2)), k4 = model.rate(t + h, moved(x, h, k3));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    after(t + h, x);
  }
  return x;
}
States runge_kutta_4(Locked& model, const States& x, double end, int steps) {
  return runge_kutta_4(model, x, end, steps, [](double, States&) {});
}

/// Koenders's projection, once.
void project(Locked& model, double t, States& x) {
  ASSERT_TRUE(model.form.refactor(t, x.data())) << model.form.why();
  const States r = model.residual(0, t, x);
  model.form.correct(0, r.data(), x.data());
}

// --- derivatives

/// Ten states, so that second derivatives come in four blocks; one constraint, so that they are asked for.
struct Tangled : PortHamiltonian {
  Tangled() : PortHamiltonian("tangled"), x(states("x", States(10, 0.0))) {
    const auto q = x;
    hamiltonian([=](const auto& at) { return exp(at[q[0]] * at[q[9]]) + sqr(at[q[3]]) * at[q[8]]; });
    hamiltonian([=](const auto& at) { return sin(at[q[1]] + 2 * at[q[2]]) / at[q[4]] + at.t * at[q[5]] * at[q[9]]; });
    constraint("c", [=](const auto& at, auto& c) { c[q[6]] = at[q[9]]; });
  }
  Block<State> x;
};

TEST(PortHamiltonian, EffortsAndSecondDerivativesAreExact) {
  Tangled system;
  Locked model(system);
  const double t = 0.3;
  const States x{0.4, -0.2, 0.7, 1.3, 2.1, 0.6, -0.8, 0.9, -1.1, 0.5};
  const double E = std::exp(x[0] * x[9]), S = std::sin(x[1] + 2 * x[2]), C = std::cos(x[1] + 2 * x[2]);
  States e(10, 0.0);
  e[0] = x[9] * E, e[9] = x[0] * E + t * x[5], e[3] = 2 * x[3] * x[8], e[8] = x[3] * x[3];
  e[1] = C / x[4], e[2] = 2 * C / x[4], e[4] = -S / (x[4] * x[4]), e[5] = t * x[9];
  EXPECT_LT(largest(moved(model.form.efforts(t, x.data()), -1, e)), 1e-15);

  States H(100, 0.0);
  const auto set = [&](std::size_t i, std::size_t j, double value) { H[i * 10 + j] = H[j * 10 + i] = value; };
  set(0, 0, x[9] * x[9] * E), set(9, 9, x[0] * x[0] * E), set(0, 9, (1 + x[0] * x[9]) * E);
  set(3, 3, 2 * x[8]), set(3, 8, 2 * x[3]), set(5, 9, t);
  set(1, 1, -S / x[4]), set(2, 2, -4 * S / x[4]), set(1, 2, -2 * S / x[4]);
  set(1, 4, -C / (x[4] * x[4])), set(2, 4, -2 * C / (x[4] * x[4])), set(4, 4, 2 * S / std::pow(x[4], 3));
  EXPECT_LT(largest(moved(model.form.hessian(t, x.data()), -1, H)), 2e-15);
}

TEST(PortHamiltonian, TheDerivativeOfThePendulumsConstraintsIsThePrintedOne) {
  Locked model(problems::ph_pendulum().system, {{"J", 0.3}, {"M", 2}, {"r", 0.7}});
  const States x{0.8, 0.5, -0.4, 0.9};
  const double J = 0.3, M = 2, r = 0.7, s = std::sin(x[0]), c = std::cos(x[0]), w = x[1] / J;
  const States printed{r * c * w, r * s / J, 1 / M, 0, r * s * w, -r * c / J, 0, 1 / M};
  EXPECT_LT(largest(moved(model.jacobian(0, 0, x), -1, printed)), 1e-15);
  const States phi{r * s * w + x[2] / M, -r * c * w + x[3] / M};
  EXPECT_LT(largest(moved(model.residual(0, 0, x), -1, phi)), 1e-15);
}

TEST(PortHamiltonian, TheDerivativeOfTheFlyballsConstraintsIsThePrintedOne) {
  Locked model(problems::flyball().system);
  const States x{0.1, 0.2, 3e-4, -0.3, 0.4, 2e-4, 0.9, 0.25, 1.2, 0.9, 0.11};
  const double m = 0.49741883681838395, Mx = 0.07971136860014602, Mz = 0.00012435470920459598, L1 = 0.2, L = 0.4,
               MZ = 0.1;
  EXPECT_NEAR(m * 0.16 + Mz, Mx, 1e-16);
  States P(66, 0.0);
  for (std::size_t ball = 0; ball < 2; ++ball) {
    const double q = x[8 + ball], s = x[10], v = x[7], w = x[6] / MZ, sine = std::sin(q), cosine = std::cos(q);
    double* row = P.data() + 33 * ball;
    row[3 * ball] = -1 / Mx;
    row[7] = 1 / (L1 * sine) - cosine / sine / (L - s);
    row[8 + ball] = (-cosine / (L1 * sine * sine) + 1 / (sine * sine * (L - s))) * v;
    row[10] = -cosine / sine / ((L - s) * (L - s)) * v;
    row += 11;
    row[3 * ball + 1] = -1 / Mx;
    row[6] = sine / MZ;
    row[8 + ball] = cosine * w;
    row += 11;
    row[3 * ball + 2] = -1 / Mz;
    row[6] = cosine / MZ;
    row[8 + ball] = -sine * w;
  }
  const States found = model.jacobian(0, 0, x);
  for (std::size_t i = 0; i < P.size(); ++i)
    EXPECT_NEAR(found[i], P[i], 1e-14 * (1 + std::abs(P[i]))) << "row " << i / 11 << ", column " << i % 11;
}

TEST(PortHamiltonian, ConstraintsAndEnergiesThatDependOnTimeKeepTheirValueAlongTheMotion) {
  PortHamiltonian system("driven");
  const auto p = system.state("p", 0.7), q = system.state("q", -0.4), s = system.state("s", 0.3);
  system.hamiltonian(
      [=](const auto& at) { return sqr(at[p]) / 2 + (2 + sin(at.t)) * sqr(at[q]) / 2 + sqr(at[s]) * at[q]; });
  system.structure([=](const auto&, auto& J) { J(p, q) = -1, J(q, p) = 1; });
  system.input([=](const auto& at, auto& d) { d[p] += cos(at.t) * at[s]; });
  system.constraint("turning", [=](const auto& at, auto& c) { c[p] = cos(at.t), c[q] = sin(at.t) * at[s]; });
  Locked model(system);
  const States x = model.start(), d = model.rate(0.5, x);
  const double h = 1e-3, phi = model.residual(0, 0.5, x)[0];
  const auto change = [&](double step) {
    return (model.residual(0, 0.5 + step, moved(x, step, d))[0] -
            model.residual(0, 0.5 - step, moved(x, -step, d))[0]) /
           (2 * step);
  };
  EXPECT_GT(std::abs(phi), 0.1);
  EXPECT_LT(std::abs(4 * change(h / 2) - change(h)) / 3, 1e-10);  // extrapolated: of fourth order
}

// --- structure

TEST(PortHamiltonian, TheStructureOfThePublishedSystemsIsSound) {
  for (const Problem& problem : {problems::gear_wheels(), problems::ph_pendulum(), problems::flyball()}) {
    const StructureReport report = check_structure(problem.system, Values(problem.system));
    EXPECT_TRUE(report.is_sound) << problem.name() << ": " << report.text;
  }
}

TEST(PortHamiltonian, AWrongEntryIsNamed) {
  PortHamiltonian system("wrong");
  const auto p1 = system.state("p1", 1), x = system.state("x", 2), p2 = system.state("p2", 3);
  system.hamiltonian([=](const auto& at) { return sqr(at[p1]) + sqr(at[x]) + sqr(at[p2]); });
  system.structure([=](const auto& at, auto& J) {
    J(p1, x) = J(x, p1) = 1;
    J(p2, p2) = -0.5;
    J(p1, p2) = at[x], J(p2, p1) = -at[x];
  });
  const StructureReport exchange = system.check_structure(Values(system));
  EXPECT_FALSE(exchange);
  EXPECT_EQ(exchange.text, "J(x, p1) = 1 but J(p1, x) = 1\nJ(p2, p2) = -0.5 must be zero");

  PortHamiltonian lossy("lossy");
  const auto a = lossy.state("a", 1), b = lossy.state("b", 2), c = lossy.state("c", 0);
  lossy.hamiltonian([=](const auto& at) { return sqr(at[a]) + sqr(at[b]) + sqr(at[c]); });
  lossy.dissipation([=](const auto&, auto& R) { R(a, a) = R(b, b) = 1, R(a, b) = R(b, a) = 2; });
  EXPECT_EQ(lossy.check_structure(Values(lossy)).text,
            "R has the eigenvalue -1: R(b, a) = 2 is too large beside R(b, b) = 1 and R(a, a) = 1");
  lossy.dissipation([=](const auto&, auto& R) { R(a, b) = 0.5, R(b, a) = 0, R(c, c) = -1; });
  EXPECT_EQ(lossy.check_structure(Values(lossy)).text,
            "R(b, a) = 0 but R(a, b) = 0.5\nR(c, c) = -1 must not be negative");
}

TEST(PortHamiltonian, AResistanceIsSubtractedAndMustNotGivePower) {
  PortHamiltonian system("drag");
  const auto p = system.state("p", 3);
  system.hamiltonian([=](const auto& at) { return sqr(at[p]) / 4; });
  system.resistance([=](const auto&, const auto& e, auto& d) { d[p] += 0.2 * e[p] * std::abs(e[p]); });
  EXPECT_DOUBLE_EQ(Locked(system).rate(0, {3.0})[0], -0.2 * 1.5 * 1.5);
  EXPECT_TRUE(system.check_structure(Values(system)));
  system.resistance([=](const auto&, const auto& e, auto& d) { d[p] -= e[p]; });
  EXPECT_NE(system.check_structure(Values(system)).text.find("the resistance gives the power"), std::string::npos);
}

TEST(PortHamiltonian, MisuseIsNamed) {
  PortHamiltonian empty("empty");
  empty.state("x", 0);
  EXPECT_THROW(empty.energy(), Misuse);
  EXPECT_THROW(PortHamiltonianForm{empty.share()}, Misuse);
  PortHamiltonian both("both");
  const auto x = both.state("x", 0);
  both.hamiltonian([=](const auto& at) { return sqr(at[x]); });
  both.rates([=](const auto&, auto& d) { d[x] = 1; });
  EXPECT_THROW(PortHamiltonianForm{both.share()}, Misuse);
}

// --- rates and multipliers

TEST(PortHamiltonian, OnlyTheTurningMomentaOfTheFlyballMoveAtTheStart) {
  Locked model(problems::flyball().system);
  const States d = model.rate(0, model.start());
  const States printed{0, 3.13421873, 4.88957681e-3, 0, 3.13421873, 4.88957681e-3, 5.56063046, 0, 0, 0, 0};
  for (std::size_t i = 0; i < d.size(); ++i) EXPECT_NEAR(d[i], printed[i], printed[i] == 0 ? 2e-14 : 5e-9) << i;
}

TEST(PortHamiltonian, TheMultipliersOfThePendulumAreTheForcesAtItsEnd) {
  Locked model(problems::ph_pendulum().system);
  const double J = 0.1, M = 1, r = 1, R = 0.1, g = 9.81;
  for (const double theta : {0.0, 0.7, 2.5, -1.2}) {
    const double w = 1.3 - theta, s = std::sin(theta), c = std::cos(theta),
                 turn = (M * g * r * c - R * w) / (J + M * r * r);
    const States x{theta, J * w, -M * r * s * w, M * r * c * w};
    EXPECT_LT(largest(model.residual(0, 0, x)), 1e-15);
    EXPECT_NEAR(model.form.multiplier(0, x.data(), 0), -M * r * (c * w * w + s * turn), 1e-13);
    EXPECT_NEAR(model.form.multiplier(0, x.data(), 1), M * r * (-s * w * w + c * turn), 1e-13);
    EXPECT_NEAR(model.rate(0, x)[1], J * turn, 1e-13);
  }
  EXPECT_EQ(model.form.extra_evaluations, 4);  // the second multiplier is known by then
}

TEST(PortHamiltonian, TheGearWheelsReachTheirClosedForm) {
  const Problem problem = problems::gear_wheels();
  Locked model(problem.system);
  const States x = runge_kutta_4(model, model.start(), 10, 4000);
  EXPECT_NEAR(x[1], 0.7242315451503222, 1e-11);
  EXPECT_NEAR(x[0], -4.716263546027836, 1e-10);
  EXPECT_NEAR(x[2], -4.716263546027836, 1e-10);
  EXPECT_NEAR(model.form.multiplier(10, x.data(), 0), 5.002865839459375, 1e-10);
}

TEST(PortHamiltonian, AnEnergyWithoutLossIsConservedToTheOrderOfTheMethod) {
  Locked pendulum(problems::ph_pendulum().system, {{"R", 0}});
  const auto drift = [&](int steps) {
    const States start = pendulum.start(), x = runge_kutta_4(pendulum, start, 2, steps);
    const auto energy = [](const States& z) {
      return z[1] * z[1] / 0.2 + (z[2] * z[2] + z[3] * z[3]) / 2 - 9.81 * std::sin(z[0]);
    };
    return std::abs(energy(x) - energy(start));
  };
  EXPECT_GT(std::log2(drift(400) / drift(800)), 3.8);
  EXPECT_LT(drift(3200), 1e-11);
}

TEST(PortHamiltonian, ConstraintsThatRepeatOthersShareTheirMultipliers) {
  PortHamiltonian system("twice");
  const auto p = system.state("p", 2), q = system.state("q", -1);
  system.hamiltonian([=](const auto& at) { return sqr(at[p]) + sqr(at[q]); });
  system.structure([=](const auto&, auto& J) { J(p, q) = 1, J(q, p) = -1; });
  system.constraint("first", [=](const auto&, auto& c) { c[p] = 1, c[q] = 2; });
  system.constraint("second", [=](const auto&, auto& c) { c[p] = 3, c[q] = 6; });
  Locked model(system);
  States x = model.start();
  const States rates = model.rate(0, x);
  EXPECT_NEAR(2 * rates[0] + 4 * rates[1], 0, 1e-13);  // both constraints keep their value
  EXPECT_NEAR(model.form.multiplier(0, x.data(), 1), 3 * model.form.multiplier(0, x.data(), 0), 1e-12);  // least norm
  EXPECT_TRUE(model.form.refactor(0, x.data()));
  const auto notes = model.form.take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, MessageCode::multipliers_of_least_norm);
  EXPECT_EQ(notes[0].text, "constraint 'first' is redundant: the multipliers are those of least norm");
}

TEST(PortHamiltonian, WhereTheEnergyIsNotANumberTheRatesAreNotEither) {
  PortHamiltonian system("logarithm");
  const auto p = system.state("p", -1), q = system.state("q", 2);
  system.hamiltonian([=](const auto& at) { return at[q] * log(at[p]) + sqr(at[q]); });
  system.structure([=](const auto&, auto& J) { J(p, q) = -1, J(q, p) = 1; });
  Locked free(system);
  EXPECT_TRUE(std::isnan(free.rate(0, free.start())[0]));
  system.constraint("tie", [=](const auto&, auto& c) { c[p] = 1, c[q] = 1; });
  Locked tied(system);
  EXPECT_TRUE(std::isnan(tied.rate(0, tied.start())[0]));
  EXPECT_NE(tied.form.why().find("is not finite"), std::string::npos) << tied.form.why();
}

// --- the manifold

TEST(PortHamiltonian, ProjectionEndsAtRounding) {
  for (const Problem& problem : {problems::ph_pendulum(), problems::flyball()}) {
    Locked model(problem.system);
    ASSERT_EQ(model.form.levels(), 1);
    EXPECT_EQ(model.form.kind(0), Manifold::Kind::velocity);
    States x = *problem.reference(model.values, 1);
    EXPECT_LT(largest(model.residual(0, 1, x)), 1e-14);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 1e-3 * std::cos(5.0 * static_cast<double>(i)) * x[i];
    const double before = largest(model.residual(0, 1, x));
    for (int i = 0; i < 4; ++i) project(model, 1, x);
    States r = model.residual(0, 1, x), size(r.size());
    model.form.rounding(0, 1, x.data(), size.data());
    EXPECT_GT(before, 1e-4);
    EXPECT_LT(largest(r), 4e-15) << problem.name();
    for (std::size_t i = 0; i < r.size(); ++i) EXPECT_LE(std::abs(r[i]), 2 * size[i]);
  }
}

TEST(PortHamiltonian, ACorrectionIsTheSmallestThatTakesTheResidualAway) {
  Locked model(problems::ph_pendulum().system);
  const States x{0.8, 0.2, -0.4, 0.9}, r = model.residual(0, 0, x), P = model.jacobian(0, 0, x);
  States y = x;
  model.rate(0, x);  // the factors of the last rate serve
  model.form.correct(0, r.data(), y.data());
  const States d = moved(y, -1, x);
  for (std::size_t k = 0; k < 2; ++k) {
    double change = 0;
    for (std::size_t i = 0; i < 4; ++i) change += P[4 * k + i] * d[i];
    EXPECT_NEAR(change, -r[k], 1e-15);
  }
  // d is in the span of the rows of P: nothing of it lies along the two directions that they leave free.
  const States a{P[1] * P[7] - P[3] * P[5], P[3] * P[4] - P[0] * P[7], 0, P[0] * P[5] - P[1] * P[4]};
  double along = 0;
  for (std::size_t i = 0; i < 4; ++i) along += a[i] * d[i];
  const double first = a[0] * P[0] + a[1] * P[1] + a[3] * P[3];
  const States free{a[0], a[1], -first / P[2], a[3]};
  along += free[2] * d[2];
  EXPECT_NEAR(along, 0, 1e-15);
}

TEST(PortHamiltonian, HeldStatesAreNotMoved) {
  Locked model(problems::flyball().system);
  EXPECT_EQ(model.form.displacements(), (std::vector<int>{8, 9, 10}));
  model.form.hold_fixed(model.form.displacements());
  States x = *problems::flyball().reference(model.values, 1);
  x[0] += 1e-3, x[6] += 1e-3, x[8] += 1e-3;
  const States before = x;
  for (int i = 0; i < 3; ++i) project(model, 1, x);
  EXPECT_LT(largest(model.residual(0, 1, x)), 4e-15);
  for (const std::size_t i : {8u, 9u, 10u}) EXPECT_EQ(x[i], before[i]);
  EXPECT_EQ(Locked(problems::ph_pendulum().system).form.displacements(), std::vector<int>{0});
}

TEST(PortHamiltonian, AKeptEnergyIsALevelOfItsOwnAndItsCorrectionLeavesTheConstraints) {
  PortHamiltonian system("swing");
  const auto theta = system.state("theta", 0.3), pJ = system.state("pJ", 0.2), px = system.state("px", -0.6),
             py = system.state("py", 1.9);
  system.hamiltonian(
      [=](const auto& at) { return sqr(at[pJ]) / 0.2 + (sqr(at[px]) + sqr(at[py])) / 2 - 9.81 * sin(at[theta]); });
  system.structure([=](const auto&, auto& J) { J(theta, pJ) = 1, J(pJ, theta) = -1; });
  system.constraint("end x", [=](const auto& at, auto& c) { c[pJ] = sin(at[theta]), c[px] = 1; });
  system.constraint("end y", [=](const auto& at, auto& c) { c[pJ] = -cos(at[theta]), c[py] = 1; });
  system.energy("energy", true);
  Locked model(system);
  ASSERT_EQ(model.form.levels(), 2);
  EXPECT_EQ(model.form.kind(1), Manifold::Kind::invariant);
  EXPECT_EQ(model.form.row_name(0, 1), "end y");
  EXPECT_EQ(model.form.row_name(1, 0), "energy");

  States x = model.start();
  for (int i = 0; i < 3; ++i) project(model, 0, x);
  model.form.take_levels(0, x.data());
  EXPECT_EQ(model.residual(1, 0, x)[0], 0);
  const States gradient = model.jacobian(1, 0, x);
  EXPECT_LT(largest(moved(gradient, -1, model.form.efforts(0, x.data()))), 1e-15);

  x[1] *= 1.001, x[2] *= 1.001, x[3] *= 1.001;  // more energy on the same constraints
  const double too_much = model.residual(1, 0, x)[0];
  EXPECT_GT(too_much, 1e-5);
  model.rate(0, x);
  States r = model.residual(1, 0, x);
  model.form.correct(1, r.data(), x.data());
  EXPECT_LT(std::abs(model.residual(1, 0, x)[0]), 1e-2 * too_much);
  EXPECT_LT(largest(model.residual(0, 0, x)), 1e-2 * too_much);
}

/// How far the rod of the flyball is from its length after 30 s.
template <class After>
double rod_error(Locked& model, double h, After after) {
  const States x =
      runge_kutta_4(model, model.start(), std::ceil(30 / h) * h, static_cast<int>(std::ceil(30 / h)), after);
  const auto length = [](double q, double s) {
    return std::sqrt(0.04 + (0.4 - s) * (0.4 - s) - 0.4 * (0.4 - s) * std::cos(q));
  };
  return std::abs(length(std::numbers::pi / 4, 0) - length(x[8], x[10]));
}

TEST(PortHamiltonian, TheDriftOfTheFlyballIsThatOfTables5And6) {
  Locked model(problems::flyball().system);
  const auto leave = [](double, States&) {};
  const auto pull = [&](double t, States& x) { project(model, t, x); };
  EXPECT_NEAR(rod_error(model, 0.065, leave), 5.84e-4, 0.01e-4);
  EXPECT_NEAR(rod_error(model, 0.041, leave), 1.17e-4, 0.01e-4);
  EXPECT_NEAR(rod_error(model, 0.041, pull), 5.0e-8, 0.1e-8);
  model.form.hold_fixed(model.form.displacements());
  EXPECT_NEAR(rod_error(model, 0.041, pull), 2.8e-6, 0.05e-6);  // printed: 2.8e-6
  EXPECT_NEAR(rod_error(model, 0.027, pull), 2.6e-7, 0.05e-7);
}

TEST(PortHamiltonian, ThePublishedSystemsReachTheirReferences) {
  const auto error_of = [](const Problem& problem, const std::map<std::string, double>& settings, double t, int steps) {
    Locked model(problem.system, settings);
    const States x =
        runge_kutta_4(model, model.start(), t, steps, [&](double now, States& z) { project(model, now, z); });
    return *error_against_reference(problem, model.values, t, x);
  };
  EXPECT_LT(error_of(problems::ph_pendulum(), {}, 10, 20000), 1e-11);
  EXPECT_LT(error_of(problems::ph_pendulum(), {{"J", 1}, {"R", 1}}, 10, 20000), 1e-11);
  EXPECT_LT(error_of(problems::flyball(), {}, 1, 4000), 1e-11);
  EXPECT_LT(error_of(problems::flyball(), {}, 10, 20000), 1e-10);
}

// --- Table 1

TEST(GearWheels, EigenvaluesAndStiffnessAreThoseOfTable1) {
  using problems::GearWheels;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto expect_slow_pair = [](const problems::Spectrum& spectrum, double re, double im) {
    const auto last = spectrum.eigenvalues.end();
    EXPECT_NEAR((last - 2)->real(), re, 1e-10);  // rounding of the largest entry, 1e5
    EXPECT_NEAR((last - 2)->imag(), -im, 1e-10);
    EXPECT_NEAR((last - 1)->imag(), im, 1e-10);
  };
  for (const auto& [formulation, infinite] : {std::pair{GearWheels::index_1, 1u}, std::pair{GearWheels::index_2, 2u}}) {
    const auto spectrum = problems::spectrum_of(formulation);
    ASSERT_EQ(spectrum.eigenvalues.size(), 2 + infinite);
    for (std::size_t i = 0; i < infinite; ++i) EXPECT_EQ(spectrum.eigenvalues[i].real(), -infinity);
    expect_slow_pair(spectrum, -0.0025, 1.1180311936614291);
    EXPECT_EQ(spectrum.stiffness_ratio, infinity);
  }
  const auto penalty = problems::spectrum_of(GearWheels::spring_damper);
  ASSERT_EQ(penalty.eigenvalues.size(), 4u);
  EXPECT_NEAR(penalty.eigenvalues[0].real(), -200.00249996094277, 1e-9);
  EXPECT_NEAR(penalty.eigenvalues[0].imag(), -0.49999218798579104, 1e-7);  // nearly a double root
  expect_slow_pair(penalty, -0.0025000390572270203, 1.1180137248989281);
  EXPECT_NEAR(penalty.stiffness_ratio, 79999.75, 0.01);
  const auto reduced = problems::spectrum_of(GearWheels::reduced);
  expect_slow_pair(reduced, -0.0025, 1.1180311936614291);
  EXPECT_DOUBLE_EQ(reduced.stiffness_ratio, 1);
}

TEST(GearWheels, EveryFormulationHasItsReference) {
  const Problem problem = problems::gear_wheels();
  const auto at = [&](double formulation, double t) {
    const System system = problem.build({{"formulation", formulation}});
    return *problem.reference(Values(system), t);
  };
  for (const double formulation : {1.0, 2.0}) {
    const States x = at(formulation, 50);
    EXPECT_NEAR(x[0], -2.617303207923539, 1e-14);
    EXPECT_NEAR(x[1], 0.26145383882981443, 1e-15);
    EXPECT_EQ(x[2], x[0]);
  }
  EXPECT_NEAR(at(3, 10)[0], 2 * -4.716263546027836, 1e-14);
  EXPECT_NEAR(at(3, 10)[1], 0.7242315451503222, 1e-15);
  const States soft = at(0, 10);
  const States known{-4.716355131531761, 0.7243785042729168, -4.716650264396868, -5.062780424029443e-05};
  EXPECT_LT(largest(moved(soft, -1, known)), 1e-13);
  EXPECT_THROW(problem.build({{"formulation", 4}}), Misuse);

  Locked penalty(problem.build({{"formulation", 0}}));
  const States x = runge_kutta_4(penalty, penalty.start(), 1, 4000);
  EXPECT_LT(largest(moved(x, -1, at(0, 1))), 1e-7);
}

}  // namespace
}  // namespace pawl
