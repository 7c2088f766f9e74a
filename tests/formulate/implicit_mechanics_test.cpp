// Mechanisms as implicit methods see them: residuals that vanish on the motion, derivatives against differences, and
// the reduced linear system against the full one.
#include "formulate/implicit_mechanics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include <Eigen/Dense>

#include "pawl/mechanics.hpp"
#include "problems/constrained.hpp"

namespace pawl {
namespace {

using formulate::Formulation;
using formulate::ImplicitForm;
using formulate::Level;
using formulate::MassKind;
using formulate::MechanicsForm;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Level levels[] = {Level::index_3, Level::index_2, Level::stabilized_index_2, Level::index_1};

/// A mechanism at one level, locked and started.
struct Implicit {
  Implicit(const System& system, Level at_level, LinearSolver solver = LinearSolver::automatic)
      : model(system.share()),
        values(system),
        held(values.held()),
        form(system.share(), Formulation{}),
        level(at_level) {
    held.levels.clear();
    for (const RelayInfo& relay : system.declarations().relays) held.levels.push_back(relay.above);
    held.sides.assign(held.levels.size(), RelaySide::above);
    form.lock(held);
    implicit = formulate::make_implicit_mechanics(system.share(), form, level);
    implicit->linear_solver = solver;
    const std::vector<double> x = values.start();
    implicit->restart(0, x.data());
  }

  Vector residual(double t, const Vector& y, const Vector& dy) {
    Vector r(implicit->size());
    implicit->residual(t, y.data(), dy.data(), r.data());
    return r;
  }
  /// dr/dy by central differences; increments as small as rounding lets them.
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
  /// -dr/dy': the residual is linear in y'.
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
  Matrix dense(const std::vector<double>& entries) const {
    const MatrixPair& pair = implicit->matrices();
    if (!pair.is_sparse) return Eigen::Map<const Matrix>(entries.data(), pair.size, pair.size);
    Matrix all = Matrix::Zero(pair.size, pair.size);
    for (int j = 0; j < pair.size; ++j) {
      for (int e = pair.first[at(j)]; e < pair.first[at(j + 1)]; ++e) all(pair.row[at(e)], j) = entries[at(e)];
    }
    return all;
  }
  Matrix J() const { return dense(implicit->matrices().J); }
  Matrix M() const { return dense(implicit->matrices().M); }
  /// The start, moved off the manifold, with multipliers and rates of the size of the true ones.
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

  const MechanicsInfo& info() const { return *model->mechanics; }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::shared_ptr<const System::Declarations> model;
  Values values;
  Held held;
  MechanicsForm form;
  Level level;
  std::unique_ptr<ImplicitForm> implicit;
};

/// Row by row, in units of the row's largest entry.
void expect_rows_equal(const Matrix& ours, const Matrix& exact, double tolerance, const std::string& what) {
  ASSERT_EQ(ours.rows(), exact.rows()) << what;
  for (Eigen::Index i = 0; i < ours.rows(); ++i) {
    const double scale = std::max(1e-3, exact.row(i).cwiseAbs().maxCoeff());
    Eigen::Index worst = 0;
    const double error = (ours.row(i) - exact.row(i)).cwiseAbs().maxCoeff(&worst) / scale;
    EXPECT_LE(error, tolerance) << what << ", row " << i << ", column " << worst << ": " << ours(i, worst) << " and "
                                << exact(i, worst);
  }
}

/// Every kind of function and variable at once: a body on a moving rail that is steered by a further state.
Mechanics everything() {
  Mechanics body("everything");
  const auto x = body.coordinate("x", 0.3, 0.2), y = body.coordinate("y", -0.4, 0.5);
  const auto u = body.state("u", 0.7);
  const auto a = body.attitude("a", {0.5, 0.5, -0.5, 0.5}, {0.4, -0.3, 0.6});
  const auto z = body.coordinate("z", 0.1, -0.2);
  body.mass(x, 2.0);
  for (int axis = 0; axis < 3; ++axis) body.mass(a.speed(axis), 0.5 + 0.1 * axis);
  body.mass([=](const auto& at, auto& M) {
    M(y, y) = 1.5 + 0.3 * sin(at[x]) * cos(at.t);
    M(z, z) = 1.0 + sqr(at[a[1]]);
    M(z, y) = 0.2 * at[x] + 0.1 * at[u];
    M(a.speed(0), y) = 0.1 * cos(at[y]);
  });
  body.force([=](const auto& at, auto& f) {
    f[x] += -0.3 * at[dot(x)] * at[u] + sin(3 * at.t) * at[y];
    f[z] += at[a[2]] * at[dot(y)] - at[u] * at[a.speed(1)];
    f[a.speed(1)] += 0.4 * at[a.speed(0)] * at[a.speed(2)] + at[z] * at.t;
  });
  body.potential([=](const auto& at) {
    return sqr(at[x] * at[a[0]] - at[y] * at[a[3]]) + at[u] * sin(at[z]) * cos(at.t) + exp(0.3 * at[a[1]] * at[a[2]]);
  });
  body.constraint("rail", [=](const auto& at) {
    return std::array{at[x] + at[y] * at[a[0]] * at[a[2]] - 0.2 * sin(at.t) * at[z],
                      at[z] * at[y] + cos(at[x]) * (sqr(at[a[1]]) - sqr(at[a[3]])) - 0.1 * sqr(at.t)};
  });
  body.velocity_constraint("skate", [=](const auto& at) {
    return at[dot(x)] * sin(at[y]) - at[dot(z)] * at[a[1]] + at[a.speed(2)] * at[x] * sqr(at[dot(y)]) + at.t * at[a[0]];
  });
  body.rates([=](const auto& at, auto& d) { d[u] = at[x] * at[dot(y)] - at[u] * at[a[2]] + sin(at.t); });
  return body;
}

std::vector<System> mechanisms() {
  using namespace problems;
  return {rod_pendulum().system,   slider_crank().system,     four_bar().system,
          squeezer().system,       caraxis().system,          rolling_disk().system,
          quaternion_top().system, chain().build({{"n", 3}}), everything()};
}

TEST(ImplicitMechanics, HasNoResidualOnTheMotion) {
  for (const System& system : mechanisms()) {
    if (system.name() == "everything") continue;  // its start is not on its manifold
    for (const Level level : levels) {
      Implicit mechanism(system, level);
      ImplicitForm& implicit = *mechanism.implicit;
      Vector y = Vector::Zero(implicit.size()), dy = y;
      const std::vector<double> x = mechanism.values.start();
      std::copy(x.begin(), x.end(), y.begin());
      ASSERT_EQ(implicit.complete(0, y.data(), dy.data()), "") << system.name();
      // In units of its largest term, M v' or G^T λ.
      implicit.linearize(0, y.data(), dy.data());
      const Vector size = mechanism.M().cwiseAbs() * dy.cwiseAbs() + mechanism.J().cwiseAbs() * y.cwiseAbs();
      const Vector r = mechanism.residual(0, y, dy);
      for (Eigen::Index i = 0; i < r.size(); ++i)
        EXPECT_LE(std::abs(r[i]), 1e-13 * std::max(size[i], size.maxCoeff() * 1e-3) + 1e-15)
            << system.name() << ", level " << static_cast<int>(level) << ", " << implicit.name(static_cast<int>(i));
    }
  }
}

TEST(ImplicitMechanics, NullRatesStandForZero) {
  Implicit top(problems::quaternion_top().system, Level::index_1);
  Vector y, dy;
  top.scatter(y, dy);
  Vector r(y.size());
  top.implicit->residual(0.1, y.data(), nullptr, r.data());
  EXPECT_EQ(r, top.residual(0.1, y, Vector::Zero(y.size())));
}

TEST(ImplicitMechanics, DerivativesAgreeWithDifferences) {
  for (const System& system : mechanisms()) {
    for (const Level level : levels) {
      for (const LinearSolver solver : {LinearSolver::dense, LinearSolver::sparse}) {
        Implicit mechanism(system, level, solver);
        const std::string what = system.name() + ", level " + std::to_string(static_cast<int>(level)) + ", " +
                                 std::string(to_string(solver));
        Vector y, dy;
        mechanism.scatter(y, dy);
        const double t = 0.2;
        mechanism.implicit->linearize(t, y.data(), dy.data());
        ASSERT_EQ(mechanism.implicit->matrices().is_sparse, solver == LinearSolver::sparse);
        expect_rows_equal(mechanism.J(), mechanism.differences(t, y, dy), 3e-8, what + ", J");
        expect_rows_equal(mechanism.M(), mechanism.mass_by_differences(t, y, dy), 1e-11, what + ", M");
        Vector slope(y.size());
        mechanism.implicit->time_slope(t, y.data(), dy.data(), slope.data());
        const double step = 1e-5;
        const Vector difference =
            (mechanism.residual(t + step, y, dy) - mechanism.residual(t - step, y, dy)) / (2 * step);
        EXPECT_LE((slope - difference).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, slope.cwiseAbs().maxCoeff()))
            << what;
      }
    }
  }
}

TEST(ImplicitMechanics, CountsItsUnknownsAndKnowsTheirRoles) {
  const System rod = problems::rod_pendulum().system;  // 3 positions, 3 speeds, 2 rows; position and speed alternate
  struct Expected {
    Level level;
    int size, speed_index, multiplier_index;
  };
  for (const auto& [level, size, speed_index, multiplier_index] :
       {Expected{Level::index_3, 8, 2, 3}, Expected{Level::index_2, 8, 1, 2},
        Expected{Level::stabilized_index_2, 10, 1, 2}, Expected{Level::index_1, 8, 1, 2}}) {
    Implicit pendulum(rod, level);
    const ImplicitForm& implicit = *pendulum.implicit;
    EXPECT_EQ(implicit.size(), size);
    EXPECT_EQ(implicit.states(), 6);
    ASSERT_EQ(implicit.roles().size(), static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      const auto& role = implicit.roles()[static_cast<std::size_t>(i)];
      EXPECT_EQ(role.is_differential, i < 6);
      EXPECT_EQ(role.index, i >= 6 ? multiplier_index : i % 2 == 1 ? speed_index : 1);
    }
    EXPECT_EQ(implicit.mass_kind(), level == Level::index_1 ? MassKind::varying : MassKind::constant);
    EXPECT_EQ(implicit.has_exact_jacobian(), level != Level::index_1) << implicit.jacobian_kind();
    EXPECT_EQ(implicit.name(2), "y");
    EXPECT_NE(implicit.name(6).find("pivot"), std::string::npos);
  }
  // A disk that rolls has no constraint on positions: its multipliers are of index 2 at every level.
  Implicit disk(problems::rolling_disk().system, Level::index_3);
  EXPECT_EQ(disk.implicit->roles().back().index, 2);
  EXPECT_EQ(disk.implicit->roles()[1].index, 1);
  EXPECT_EQ(Implicit(problems::squeezer().system, Level::index_2).implicit->mass_kind(), MassKind::varying);
}

TEST(ImplicitMechanics, FollowsTheConstraintsInForce) {
  Mechanics ball("ball");
  const auto x = ball.coordinate("x", 1), y = ball.coordinate("y", 0);
  const auto tied = ball.discrete("tied", true);
  for (const auto q : {x, y}) ball.mass(q, 1.0);
  ball.constraint("rope", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; }).only_when(tied);
  Implicit tied_ball(ball, Level::index_2);
  EXPECT_EQ(tied_ball.implicit->size(), 5);
  const std::vector<double> start = tied_ball.values.start();
  const int version = tied_ball.implicit->version();
  tied_ball.implicit->restart(0, start.data());
  EXPECT_EQ(tied_ball.implicit->version(), version) << "nothing has changed";
  tied_ball.held.modes[0] = 0;
  tied_ball.form.lock(tied_ball.held);
  tied_ball.implicit->restart(0, start.data());
  EXPECT_EQ(tied_ball.implicit->size(), 4);
  EXPECT_NE(tied_ball.implicit->version(), version);
  EXPECT_EQ(tied_ball.implicit->roles().size(), 4u);
  EXPECT_EQ(tied_ball.implicit->matrices().size, 4);
}

TEST(ImplicitMechanics, WorksWithoutRedundantRows) {
  Mechanics twice("twice");
  const auto x = twice.coordinate("x", 1), y = twice.coordinate("y", 0);
  for (const auto q : {x, y}) twice.mass(q, 1.0);
  twice.potential([=](const auto& at) { return 9.81 * at[y] + 2 * at[x]; });
  twice.constraint("rope", [=](const auto& at) { return (sqr(at[x]) + sqr(at[y]) - 1) / 2; });
  twice.constraint("same rope", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  Implicit pendulum(twice, Level::index_3);
  EXPECT_EQ(pendulum.implicit->size(), 5);
  Vector state = Vector::Zero(5), rate = state;
  state[0] = 1;
  ASSERT_EQ(pendulum.implicit->complete(0, state.data(), rate.data()), "");
  EXPECT_LE(pendulum.residual(0, state, rate).norm(), 1e-14);
}

TEST(ImplicitMechanics, DifferentiatesBlackBoxesByDifferences) {
  Mechanics box("box");
  const auto x = box.coordinate("x", 1, 0.5), y = box.coordinate("y", 0.3, 0.2);
  const auto u = box.state("u", 0.4);
  box.mass(x, 1.0);
  box.mass([=](const Point<double>& at, Entries<double>& M) { M(y, y) = 2 + std::sin(at[x]); });
  box.force([=](const Point<double>& at, Terms<double>& f) { f[x] += -at[dot(x)] * std::abs(at[dot(x)]) * at[u]; });
  box.potential(differentiable([=](const auto& at) { return at[x] > 0 ? sqr(at[x]) * at[y] : 3 * at[y]; }));
  box.constraint("rope", [=](const auto& at) { return sqr(at[x]) + sqr(at[y]) - 1; });
  box.rates([=](const Point<double>& at, Rates<double>& d) { d[u] = -at[u] * at[x]; });
  Implicit mechanism(box, Level::index_2);
  EXPECT_FALSE(mechanism.implicit->has_exact_jacobian());
  EXPECT_EQ(mechanism.implicit->jacobian_kind(), "differences");
  Vector state, rate;
  mechanism.scatter(state, rate);
  mechanism.implicit->linearize(0, state.data(), rate.data());
  EXPECT_GT(mechanism.implicit->difference_evaluations, 0);
  expect_rows_equal(mechanism.J(), mechanism.differences(0, state, rate), 1e-6, "black box");
}

TEST(ImplicitMechanics, DifferentiatesKineticEnergiesLikeMasses) {
  const auto make_arm = [](bool by_energy) {
    Mechanics arm("arm");
    const auto a = arm.coordinate("a", 0.7, 1.1), b = arm.coordinate("b", -0.4, 0.6);
    if (by_energy) {
      arm.kinetic_energy([=](const auto& at) {
        return sqr(at[dot(a)]) + at[dot(a)] * at[dot(b)] * cos(at[a] - at[b]) * (1 + at.t) + sqr(at[dot(b)]) / 2;
      });
    } else {
      arm.mass([=](const auto& at, auto& M) { M(a, a) = 2, M(a, b) = cos(at[a] - at[b]) * (1 + at.t), M(b, b) = 1; });
    }
    arm.constraint("line", [=](const auto& at) { return sin(at[a]) + sin(at[b]) - 0.1 * at.t; });
    return arm;
  };
  for (const Level level : levels) {
    Implicit by_mass(make_arm(false), level), by_energy(make_arm(true), level);
    EXPECT_EQ(by_energy.implicit->jacobian_kind(), "differences");
    Vector y, dy;
    by_mass.scatter(y, dy);
    for (Implicit* one : {&by_mass, &by_energy}) one->implicit->linearize(0.2, y.data(), dy.data());
    expect_rows_equal(by_energy.residual(0.2, y, dy), by_mass.residual(0.2, y, dy), 1e-14, "residual");
    expect_rows_equal(by_energy.M(), by_mass.M(), 1e-14, "M");
    expect_rows_equal(by_energy.J(), by_mass.J(), 1e-6, "J");
    Vector slope(y.size()), slope_by_mass(y.size());
    by_energy.implicit->time_slope(0.2, y.data(), dy.data(), slope.data());
    by_mass.implicit->time_slope(0.2, y.data(), dy.data(), slope_by_mass.data());
    EXPECT_LE((slope - slope_by_mass).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(ImplicitMechanics, TakesDifferencesWhenAsked) {
  for (const System& system : {problems::squeezer().system, System(everything())}) {
    Implicit mechanism(system, Level::index_2);
    Vector y, dy;
    mechanism.scatter(y, dy);
    mechanism.implicit->linearize(0.2, y.data(), dy.data());
    const Matrix exact = mechanism.J();
    mechanism.implicit->wants_differences = true;
    const std::vector<double> start = mechanism.values.start();
    mechanism.implicit->restart(0, start.data());
    EXPECT_EQ(mechanism.implicit->jacobian_kind(), "differences");
    mechanism.implicit->linearize(0.2, y.data(), dy.data());
    expect_rows_equal(mechanism.J(), exact, 3e-6, system.name());
    EXPECT_GT((mechanism.J() - exact).cwiseAbs().maxCoeff(), 0);
  }
}

TEST(ImplicitMechanics, ReadsTheRelaysOfTheMode) {
  Mechanics block("block");
  const auto x = block.coordinate("x", 0, 1);
  block.mass(x, 2.0);
  const auto friction = block.relay("friction", {.below = 3, .above = -3}, [=](const auto& at) { return at[dot(x)]; });
  block.force([=](const auto& at, auto& f) { f[x] += at[friction] * (1 + at[x]); });
  Implicit sliding(block, Level::index_2);
  const Vector y{{0.5, 1}}, dy{{0, 0}};
  EXPECT_DOUBLE_EQ(sliding.residual(0, y, dy)[1], -4.5);
  sliding.implicit->linearize(0, y.data(), dy.data());
  EXPECT_DOUBLE_EQ(sliding.J()(1, 0), -3);
  const double equivalent = 0.25;
  sliding.form.relays = &equivalent;
  EXPECT_DOUBLE_EQ(sliding.residual(0, y, dy)[1], 0.375);
  sliding.implicit->linearize(0, y.data(), dy.data());
  EXPECT_DOUBLE_EQ(sliding.J()(1, 0), 0.25);
}

// ---- the linear system

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, long double, std::complex<long double>>;

/// (c M - J)^-1 b with 64 bits.
template <class T>
Eigen::Matrix<Wide<T>, Eigen::Dynamic, 1> exact_solution(const Matrix& M, const Matrix& J, T c,
                                                         const Eigen::Matrix<T, Eigen::Dynamic, 1>& b) {
  using WideMatrix = Eigen::Matrix<Wide<T>, Eigen::Dynamic, Eigen::Dynamic>;
  const WideMatrix A = Wide<T>(c) * M.cast<Wide<T>>() - J.cast<Wide<T>>();
  return A.partialPivLu().solve(b.template cast<Wide<T>>());
}

/// The largest error, in units of the part (positions, speeds, multipliers) it belongs to.
template <class T>
double error_by_parts(const Implicit& mechanism, const Eigen::Matrix<T, Eigen::Dynamic, 1>& ours,
                      const Eigen::Matrix<Wide<T>, Eigen::Dynamic, 1>& exact) {
  std::vector<int> part(static_cast<std::size_t>(ours.size()), 2);
  for (int i = 0; i < mechanism.implicit->states(); ++i) part[static_cast<std::size_t>(i)] = 3;
  for (const int i : mechanism.info().positions) part[static_cast<std::size_t>(i)] = 0;
  for (const int i : mechanism.info().speeds) part[static_cast<std::size_t>(i)] = 1;
  double error[4] = {}, size[4] = {};
  for (Eigen::Index i = 0; i < ours.size(); ++i) {
    const int p = part[static_cast<std::size_t>(i)];
    error[p] = std::max(error[p], static_cast<double>(std::abs(Wide<T>(ours[i]) - exact[i])));
    size[p] = std::max(size[p], static_cast<double>(std::abs(exact[i])));
  }
  double worst = 0;
  for (int p = 0; p < 4; ++p) worst = std::max(worst, size[p] > 0 ? error[p] / size[p] : error[p]);
  return worst;
}

TEST(EliminatedSystem, SolvesWhatTheFullSystemSolves) {
  for (const System& system : mechanisms()) {
    for (const Level level : {Level::index_3, Level::index_2, Level::index_1}) {
      Implicit mechanism(system, level);
      Vector y, dy;
      mechanism.scatter(y, dy);
      mechanism.implicit->linearize(0.2, y.data(), dy.data());
      const auto solver = mechanism.implicit->make_solver(1, 1);
      EXPECT_NE(solver->describe().find("eliminated"), std::string::npos);
      const Matrix M = mechanism.M(), J = mechanism.J();
      for (const double c : {1.0, 1e2, 1e4, 1e6, 1e8, 1e12, -1e5}) {
        const std::string what =
            system.name() + ", level " + std::to_string(static_cast<int>(level)) + ", c = " + std::to_string(c);
        const Vector b = Vector::LinSpaced(y.size(), -1, 1.7);
        Vector x = b;
        ASSERT_TRUE(solver->factor(0, c)) << what;
        solver->solve(0, x.data());
        EXPECT_LE(error_by_parts<double>(mechanism, x, exact_solution<double>(M, J, c, b)), 1e-10) << what;
        const std::complex<double> turned = c * std::complex<double>(0.8, 1.3);
        Vector re = b, im = b.reverse();
        Eigen::VectorXcd z = b.cast<std::complex<double>>() + std::complex<double>(0, 1) * im;
        const auto exact = exact_solution<std::complex<double>>(M, J, turned, z);
        ASSERT_TRUE(solver->factor(0, turned)) << what;
        solver->solve(0, re.data(), im.data());
        for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = {re[i], im[i]};
        EXPECT_LE(error_by_parts<std::complex<double>>(mechanism, z, exact), 1e-10) << what;
      }
    }
  }
}

TEST(EliminatedSystem, NamesWhatHasNoPivot) {
  Mechanics massless("massless");
  const auto x = massless.coordinate("x", 1), y = massless.coordinate("y", 0);
  massless.mass(x, 1.0);
  massless.mass([=](const auto& at, auto& M) { M(y, y) = 1 + at[x]; });
  Implicit mechanism(massless, Level::index_2);
  const Vector at_zero{{-1, 0, 0, 0}}, rates = Vector::Zero(4);
  mechanism.implicit->linearize(0, at_zero.data(), rates.data());
  const auto solver = mechanism.implicit->make_solver(1, 0);
  EXPECT_FALSE(solver->factor(0, 10.0));
  EXPECT_EQ(mechanism.implicit->name(solver->culprit()), "y'");
}

/// A chain whose joints resist, so that forces couple its links.
Mechanics damped_chain(int n) {
  Mechanics chain("damped chain");
  std::vector<Coordinate> x, y;
  for (int i = 0; i < n; ++i) {
    x.push_back(chain.coordinate("x" + std::to_string(i), i + 1, 0.1 * i));
    y.push_back(chain.coordinate("y" + std::to_string(i), 0, 0.3));
    chain.mass(x.back(), 1.0);
    chain.mass(y.back(), 1.0);
  }
  chain.force([=](const auto& at, auto& f) {
    for (std::size_t i = 1; i < x.size(); ++i) {
      const auto pull = (at[dot(x[i])] - at[dot(x[i - 1])]) * (1 + sqr(at[y[i]]));
      f[x[i]] -= pull;
      f[x[i - 1]] += pull;
      f[y[i]] -= 9.81;
    }
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    chain.constraint("link" + std::to_string(i), [=, last = i == 0, x0 = x[i > 0 ? i - 1 : 0],
                                                  y0 = y[i > 0 ? i - 1 : 0], x1 = x[i], y1 = y[i]](const auto& at) {
      const auto dx = last ? at[x1] : at[x1] - at[x0], dy = last ? at[y1] : at[y1] - at[y0];
      return sqr(dx) + sqr(dy) - 1;
    });
  }
  return chain;
}

TEST(ImplicitMechanics, KeepsALongChainSparse) {
  const int n = 100;
  for (const System& chain : {problems::chain().build({{"n", n}}), System(damped_chain(n))}) {
    for (const Level level : levels) {
      Implicit mechanism(chain, level);
      const std::string what = chain.name() + ", level " + std::to_string(static_cast<int>(level));
      const MatrixPair& pair = mechanism.implicit->matrices();
      ASSERT_TRUE(pair.is_sparse);
      EXPECT_LE(pair.row.size(), static_cast<std::size_t>(16 * pair.size)) << what;
      Vector y, dy;
      mechanism.scatter(y, dy);
      mechanism.implicit->dual_evaluations = 0;
      mechanism.implicit->linearize(0.2, y.data(), dy.data());
      EXPECT_LE(mechanism.implicit->dual_evaluations, 3) << what;  // whatever the number of links
      const auto solver = mechanism.implicit->make_solver(1, 1);
      const Vector b = Vector::LinSpaced(y.size(), -1, 1.7);
      const Matrix M = mechanism.M(), J = mechanism.J();
      for (const double c : {1e2, 1e4}) {
        Vector x = b, re = b, im = b.reverse();
        ASSERT_TRUE(solver->factor(0, c)) << what;
        solver->solve(0, x.data());
        const Vector left = c * (M * x) - J * x - b,
                     size = c * (M.cwiseAbs() * x.cwiseAbs()) + J.cwiseAbs() * x.cwiseAbs();
        EXPECT_LE(left.cwiseAbs().maxCoeff(), 1e-12 * size.maxCoeff()) << what;
        ASSERT_TRUE(solver->factor(0, std::complex<double>(c, 2 * c))) << what;
        solver->solve(0, re.data(), im.data());
        const Vector left_re = c * (M * re) - 2 * c * (M * im) - J * re - b,
                     left_im = c * (M * im) + 2 * c * (M * re) - J * im - b.reverse(),
                     moved = re.cwiseAbs() + im.cwiseAbs(),
                     size_of = 3 * c * (M.cwiseAbs() * moved) + J.cwiseAbs() * moved;
        EXPECT_LE(left_re.cwiseAbs().maxCoeff(), 1e-12 * size_of.maxCoeff()) << what;
        EXPECT_LE(left_im.cwiseAbs().maxCoeff(), 1e-12 * size_of.maxCoeff()) << what;
      }
    }
  }
}

TEST(ImplicitMechanics, DifferentiatesALongChainInGroups) {
  for (const Level level : levels) {
    Implicit mechanism(damped_chain(45), level);  // more states than are taken one by one
    Vector y, dy;
    mechanism.scatter(y, dy);
    mechanism.implicit->linearize(0.2, y.data(), dy.data());
    expect_rows_equal(mechanism.J(), mechanism.differences(0.2, y, dy), 3e-8,
                      "level " + std::to_string(static_cast<int>(level)));
  }
}

}  // namespace
}  // namespace pawl
