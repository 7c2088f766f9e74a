// Port-Hamiltonian systems as implicit methods see them: residuals that vanish on the motion, derivatives against
// differences, the matrices and eigenvalues of Koenders (2002) for the gear wheels.
#include "formulate/implicit_port_hamiltonian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Dense>

#include "misuse_of.hpp"
#include "numerics/eigenvalues.hpp"
#include "numerics/elimination.hpp"
#include "problems/gear_wheels.hpp"
#include "problems/port_hamiltonian.hpp"

namespace pawl {
namespace {

using formulate::ImplicitForm;
using formulate::Level;
using formulate::MassKind;
using formulate::PortHamiltonianForm;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Implicit {
  Implicit(const System& system, Level at_level)
      : values(system), held(values.held()), form(system.share()), level(at_level) {
    form.lock(held);
    form.source = &held;
    implicit = formulate::make_implicit_port_hamiltonian(system.share(), form, level);
    const std::vector<double> x = values.start();
    implicit->restart(0, x.data());
  }

  Vector residual(double t, const Vector& y, const Vector& dy) {
    Vector r(implicit->size());
    implicit->residual(t, y.data(), dy.data(), r.data());
    return r;
  }
  Matrix differences(double t, const Vector& y, const Vector& dy) {
    Matrix J(y.size(), y.size());
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      const double step = 6e-6 * std::max(std::abs(y[j]), 0.1);
      Vector up = y, down = y;
      up[j] += step;
      down[j] -= step;
      J.col(j) = (residual(t, up, dy) - residual(t, down, dy)) / (up[j] - down[j]);
    }
    return J;
  }
  Matrix mass_by_differences(double t, const Vector& y, const Vector& dy) {
    Matrix M(y.size(), y.size());
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      Vector up = dy, down = dy;
      up[j] += 1;
      down[j] -= 1;
      M.col(j) = -(residual(t, y, up) - residual(t, y, down)) / 2;
    }
    return M;
  }
  Matrix J() const {
    return Eigen::Map<const Matrix>(implicit->matrices().J.data(), implicit->size(), implicit->size());
  }
  Matrix M() const {
    if (implicit->matrices().M.empty()) return Matrix::Identity(implicit->size(), implicit->size());
    return Eigen::Map<const Matrix>(implicit->matrices().M.data(), implicit->size(), implicit->size());
  }
  void scatter(Vector& y, Vector& dy) {
    const std::vector<double> x = values.start();
    y = Vector::Zero(implicit->size());
    dy = Vector::Zero(implicit->size());
    std::copy(x.begin(), x.end(), y.begin());
    EXPECT_EQ(implicit->complete(0, y.data(), dy.data()), "");
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(-0.1, 0.1);
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      y[i] += part(random) * std::max(1.0, std::abs(y[i]));
      dy[i] += part(random) * std::max(1.0, std::abs(dy[i]));
    }
  }

  Values values;
  Held held;
  PortHamiltonianForm form;
  Level level;
  std::unique_ptr<ImplicitForm> implicit;
};

/// Everything a port-Hamiltonian system may have, driven and with time in all its parts.
PortHamiltonian everything(bool with_resistance) {
  PortHamiltonian all("everything");
  const auto p = all.state("p", 0.5), q = all.state("q", 0.3), s = all.state("s", -0.4), z = all.state("z", 0.2);
  all.hamiltonian([=](const auto& at) { return sqr(at[p]) / (2 + cos(at[q])) + exp(0.5 * at[s]) * sqr(at[z]); });
  all.hamiltonian([=](const auto& at) { return (1 + 0.2 * sin(at.t)) * sqr(at[q] + at[s]) + at[s] * at[p]; });
  all.structure([=](const auto& at, auto& J) {
    J(p, q) = -1.0 - at[z];
    J(q, p) = 1.0 + at[z];
    J(s, z) = at[q] * at.t;
    J(z, s) = -at[q] * at.t;
  });
  all.dissipation([=](const auto& at, auto& R) { R(s, s) = 0.3 + sqr(at[p]); });
  all.input([=](const auto& at, auto& d) { d[p] += sin(3 * at.t) * at[q]; });
  if (with_resistance)
    all.resistance(
        [=](const auto& at, const auto& e, auto& d) { d[z] += e[z] * std::abs(e[z]) * (1 + at[q] * at[q]); });
  all.constraint("joint", [=](const auto& at, auto& c) {
    c[p] = cos(at[q]);
    c[s] = 0.5 + 0.1 * at.t * at[z];
  });
  return all;
}

std::vector<System> systems() {
  std::vector<System> list{problems::ph_pendulum().system, problems::flyball().system, everything(false)};
  for (const double formulation : {0, 2, 3})
    list.push_back(problems::gear_wheels().build({{"formulation", formulation}}));
  return list;
}

TEST(ImplicitPortHamiltonian, HasNoResidualOnTheMotion) {
  for (const System& system : systems()) {
    if (system.name() == "everything") continue;  // its start is not on its manifold
    for (const Level level : {Level::index_2, Level::index_1}) {
      Implicit one(system, level);
      const std::vector<double> x = one.values.start();
      Vector y = Vector::Zero(one.implicit->size()), dy = y;
      std::copy(x.begin(), x.end(), y.begin());
      ASSERT_EQ(one.implicit->complete(0, y.data(), dy.data()), "") << system.name();
      EXPECT_LE(one.residual(0, y, dy).cwiseAbs().maxCoeff(), 1e-13 * std::max(1.0, dy.cwiseAbs().maxCoeff()))
          << system.name();
    }
  }
}

TEST(ImplicitPortHamiltonian, DerivativesAgreeWithDifferences) {
  std::vector<System> list = systems();
  list.push_back(everything(true));
  for (const System& system : list) {
    for (const Level level : {Level::index_2, Level::index_1}) {
      Implicit one(system, level);
      const bool is_exact = one.implicit->has_exact_jacobian();
      EXPECT_EQ(is_exact, &system != &list.back()) << system.name() << ": " << one.implicit->jacobian_kind();
      const std::string what = system.name() + ", level " + std::to_string(static_cast<int>(level));
      Vector y, dy;
      one.scatter(y, dy);
      const double t = 0.2, step = 1e-5;
      one.implicit->linearize(t, y.data(), dy.data());
      const Matrix ours = one.J(), exact = one.differences(t, y, dy), M = one.mass_by_differences(t, y, dy);
      for (Eigen::Index i = 0; i < ours.rows(); ++i) {
        EXPECT_LE((ours.row(i) - exact.row(i)).cwiseAbs().maxCoeff(),
                  (is_exact ? 3e-8 : 1e-6) * std::max(1.0, exact.row(i).cwiseAbs().maxCoeff()))
            << what << ", row " << i << "\n"
            << ours.row(i) << "\n"
            << exact.row(i);
      }
      EXPECT_LE((one.M() - M).cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, M.cwiseAbs().maxCoeff())) << what;
      Vector slope(y.size());
      one.implicit->time_slope(t, y.data(), dy.data(), slope.data());
      const Vector difference = (one.residual(t + step, y, dy) - one.residual(t - step, y, dy)) / (2 * step);
      EXPECT_LE((slope - difference).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, slope.cwiseAbs().maxCoeff())) << what;
    }
  }
}

TEST(ImplicitPortHamiltonian, CountsItsUnknownsAndKnowsTheirRoles) {
  const System wheels = problems::gear_wheels().system, governor = problems::flyball().system;
  Implicit second(wheels, Level::index_2);
  EXPECT_EQ(second.implicit->size(), 4);
  EXPECT_EQ(second.implicit->states(), 3);
  EXPECT_EQ(second.implicit->mass_kind(), MassKind::constant);
  EXPECT_FALSE(second.implicit->roles()[3].is_differential);
  EXPECT_EQ(second.implicit->roles()[3].index, 2);
  EXPECT_EQ(second.implicit->name(3), "multiplier of 'cable'");
  Implicit first(wheels, Level::index_1);
  EXPECT_EQ(first.implicit->size(), 3);
  EXPECT_EQ(first.implicit->mass_kind(), MassKind::constant);
  EXPECT_EQ(Implicit(governor, Level::index_2).implicit->size(), 17);
  EXPECT_EQ(Implicit(governor, Level::index_1).implicit->size(), 11);
  EXPECT_EQ(Implicit(governor, Level::index_1).implicit->mass_kind(), MassKind::varying);
  const System reduced = problems::gear_wheels().build({{"formulation", 3}});
  EXPECT_EQ(Implicit(reduced, Level::index_2).implicit->mass_kind(), MassKind::identity);
  for (const Level level : {Level::index_3, Level::stabilized_index_2})
    EXPECT_NE(testing::misuse_of([&] { Implicit(wheels, level); }).find("'index-2' and 'index-1'"), std::string::npos);
}

TEST(ImplicitPortHamiltonian, RefusesToEliminateMultipliersOfRepeatedConstraints) {
  PortHamiltonian twice("twice");
  const auto p = twice.state("p", 0), q = twice.state("q", 0);
  twice.hamiltonian([=](const auto& at) { return sqr(at[p]) + sqr(at[q]); });
  for (const char* name : {"one", "the same"}) {
    twice.constraint(name, [=](const auto&, auto& c) {
      c[p] = 1;
      c[q] = 2;
    });
  }
  EXPECT_NE(testing::misuse_of([&] { Implicit(twice, Level::index_1); }).find("independent"), std::string::npos);
}

/// The finite eigenvalues μ of the pencil μ M - J, sorted: where (s M - J)^-1 M has ν = 1 / (s - μ), with any regular
/// s.
std::vector<std::complex<double>> eigenvalues(const Matrix& M, const Matrix& J) {
  const double s = 3;
  std::vector<std::complex<double>> finite;
  for (const std::complex<double>& nu : linear::eigenvalues(linear::solve_with_full_pivoting(s * M - J, M))) {
    if (std::abs(nu) > 1e-6) finite.push_back(s - 1. / nu);
  }
  std::sort(finite.begin(), finite.end(), [](auto a, auto b) { return a.imag() < b.imag(); });
  return finite;
}

// Table 1 of the source: with the constraint, -0.0025 ± 1.1180i at every index; the rest is at infinity.
TEST(ImplicitPortHamiltonian, GearWheelsHaveTheEigenvaluesOfTheSource) {
  using problems::GearWheels;
  const auto expected = problems::spectrum_of(GearWheels::reduced).eigenvalues;
  ASSERT_EQ(expected.size(), 2u);
  for (const auto& [formulation, level] :
       {std::pair{GearWheels::index_2, Level::index_2}, std::pair{GearWheels::index_2, Level::index_1},
        std::pair{GearWheels::reduced, Level::index_2}}) {
    Implicit one(problems::gear_wheels().build({{"formulation", static_cast<double>(formulation)}}), level);
    const Vector y = Vector::Zero(one.implicit->size());
    one.implicit->linearize(0, y.data(), nullptr);
    const auto found = eigenvalues(one.M(), one.J());
    ASSERT_EQ(found.size(), 2u) << static_cast<int>(formulation);
    EXPECT_NEAR(found[1].real(), expected[0].real(), 1e-12);
    EXPECT_NEAR(found[1].imag(), std::abs(expected[0].imag()), 1e-12);
  }
  Implicit stiff(problems::gear_wheels().build({{"formulation", 0}}), Level::index_2);
  const Vector y = Vector::Zero(4);
  stiff.implicit->linearize(0, y.data(), nullptr);
  EXPECT_EQ(eigenvalues(stiff.M(), stiff.J()).size(), 4u);
}

// Implicit Euler with the matrices of the form; its fixed point is x(t + h) of the method whatever the formulation.
TEST(ImplicitPortHamiltonian, BothLevelsTakeTheSameStepOfImplicitEuler) {
  for (const System& system : {problems::gear_wheels().system, problems::flyball().system}) {
    std::vector<Vector> ends;
    for (const Level level : {Level::index_2, Level::index_1}) {
      Implicit one(system, level);
      const std::vector<double> x = one.values.start();
      const int size = one.implicit->size();
      Vector y = Vector::Zero(size), dy = y;
      std::copy(x.begin(), x.end(), y.begin());
      ASSERT_EQ(one.implicit->complete(0, y.data(), dy.data()), "");
      const double h = 1e-3;
      for (int step = 1; step <= 20; ++step) {
        const Vector start = y;
        int iterations = 0;
        for (double change = 1; change > 1e-13; ++iterations) {
          ASSERT_LT(iterations, 8) << "Newton's method converges quadratically";
          dy = (y - start) / h;
          one.implicit->linearize(step * h, y.data(), dy.data());
          const Vector d = (one.M() / h - one.J()).partialPivLu().solve(one.residual(step * h, y, dy));
          y += d;
          change = d.head(one.implicit->states()).cwiseAbs().maxCoeff();
        }
      }
      ends.emplace_back(y.head(one.implicit->states()));
    }
    EXPECT_LE((ends[0] - ends[1]).cwiseAbs().maxCoeff(), 1e-11) << system.name();
  }
}

}  // namespace
}  // namespace pawl
