#include "problems/gear_wheels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Core>

#include "numerics/eigenvalues.hpp"
#include "pawl/picture.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "problems/closed_form.hpp"
#include "problems/port_hamiltonian.hpp"

namespace pawl::problems {

namespace {

// Two masses on cables over coupled winches, n v1 = v2. M1 hangs on a spring of compliance C1 with a damper Rc; F pulls
// at M2. Stiff spring and damper that may stand for the coupling: Cp, Rp.
template <class Number>
struct Numbers {
  Number n, M1, M2, Rc, C1, Cp, Rp, F, g;
};
constexpr Numbers<double> declared{1, 5, 5, 0.05, 0.08, 1e-5, 1000, 1, 1};

Numbers<Parameter> declare_in(System& wheels) {
  return {wheels.parameter("n", declared.n),   wheels.parameter("M1", declared.M1), wheels.parameter("M2", declared.M2),
          wheels.parameter("Rc", declared.Rc), wheels.parameter("C1", declared.C1), wheels.parameter("Cp", declared.Cp),
          wheels.parameter("Rp", declared.Rp), wheels.parameter("F", declared.F),   wheels.parameter("g", declared.g)};
}

// The parameter exists so that it can be set and seen; it cannot change a model that is built.
void keep_formulation(System& wheels, GearWheels formulation) {
  const int number = static_cast<int>(formulation);
  const auto asked = wheels.parameter("formulation", number);
  wheels.start([=](Start& at) {
    if (at[asked] != number) {
      throw Misuse(
          fmt::format("these gear-wheels have formulation {}, not {:g}: build them with system_of(problem, "
                      "{{\"formulation\", ...}})",
                      number, at[asked]));
    }
  });
}

// M1 on its spring has come down by x, M2 by n x.
void draw(System& wheels, State x, Parameter n) {
  using namespace shapes;
  const auto down = [=](double from) { return [=](const auto& at) { return from - at[x]; }; };
  const auto other = [=](double from) { return [=](const auto& at) { return from - at[n] * at[x]; }; };
  wheels.picture({Wall{{-1, 0}, {1, 0}}, Spring{{-0.6, 0}, {-0.6, down(-0.5)}},
                  Box{{-0.6, down(-0.6)}, {0.2, 0.2, 0.2}}, Rod{{-0.2, -0.2}, {-0.6, down(-0.5)}},
                  Disk{{0, -0.2}, 0.2, [=](const auto& at) { return at[x] / 0.2; }},
                  Rod{{0.2, -0.2}, {0.2, other(-0.5)}}, Box{{0.2, other(-0.6)}, {0.2, 0.2, 0.2}}});
}

// Index 2: the coupling is a constraint, its multiplier the force in the cable.
System with_constraint() {
  PortHamiltonian wheels("gear-wheels");
  const auto p1 = wheels.state("p1", 0), x = wheels.state("x", 0), p2 = wheels.state("p2", 0);
  const auto k = declare_in(wheels);
  wheels.hamiltonian([=](const auto& at) {
    return sqr(at[p1]) / (2 * at[k.M1]) + sqr(at[p2]) / (2 * at[k.M2]) + sqr(at[x]) / (2 * at[k.C1]);
  });
  wheels.structure([=](const auto&, auto& J) {
    J(p1, x) = -1;
    J(x, p1) = 1;
  });
  wheels.dissipation([=](const auto& at, auto& R) { R(p1, p1) = at[k.Rc]; });
  wheels.input([=](const auto& at, auto& d) {
    d[p1] += at[k.M1] * at[k.g];
    d[p2] += at[k.M2] * at[k.g] + at[k.F];
  });
  wheels.constraint("cable", [=](const auto& at, auto& c) {
    c[p1] = at[k.n];
    c[p2] = -1;
  });
  wheels.energy();
  draw(wheels, x, k.n);
  keep_formulation(wheels, GearWheels::index_2);
  return wheels;
}

// Index 1: the rows of momentum added so that the multiplier drops out, and n p1 / M1 = p2 / M2 put into the sum.
System with_summed_rows() {
  System wheels("gear-wheels");
  const auto p1 = wheels.state("p1", 0), x = wheels.state("x", 0), p2 = wheels.state("p2", 0);
  const auto k = declare_in(wheels);
  wheels.rates([=](const auto& at, auto& d) {
    const auto force = -at[k.Rc] * at[p1] / at[k.M1] - at[x] / at[k.C1] + at[k.M1] * at[k.g] +
                       at[k.n] * (at[k.M2] * at[k.g] + at[k.F]);
    const double share = at[k.n] * at[k.M2] / at[k.M1];  // dp2 / dp1
    d[p1] = force / (1 + at[k.n] * share);
    d[x] = at[p1] / at[k.M1];
    d[p2] = share * force / (1 + at[k.n] * share);
  });
  wheels.invariant("cable", [=](const auto& at) { return at[k.n] * at[p1] / at[k.M1] - at[p2] / at[k.M2]; });
  wheels.observable("energy", [=](const auto& at) {
    return sqr(at[p1]) / (2 * at[k.M1]) + sqr(at[p2]) / (2 * at[k.M2]) + sqr(at[x]) / (2 * at[k.C1]);
  });
  draw(wheels, x, k.n);
  keep_formulation(wheels, GearWheels::index_1);
  return wheels;
}

// Index 0: a cable that gives, xcp' = n v1 - v2, and pulls with xcp / Cp + Rp xcp'.
System with_spring_and_damper() {
  PortHamiltonian wheels("gear-wheels");
  const auto p1 = wheels.state("p1", 0), x = wheels.state("x", 0), p2 = wheels.state("p2", 0),
             xcp = wheels.state("xcp", 0);
  const auto k = declare_in(wheels);
  wheels.hamiltonian([=](const auto& at) {
    return sqr(at[p1]) / (2 * at[k.M1]) + sqr(at[p2]) / (2 * at[k.M2]) + sqr(at[x]) / (2 * at[k.C1]) +
           sqr(at[xcp]) / (2 * at[k.Cp]);
  });
  wheels.structure([=](const auto& at, auto& J) {
    J(p1, x) = -1;
    J(x, p1) = 1;
    J(p1, xcp) = -at[k.n];
    J(xcp, p1) = at[k.n];
    J(p2, xcp) = 1;
    J(xcp, p2) = -1;
  });
  wheels.dissipation([=](const auto& at, auto& R) {
    R(p1, p1) = at[k.Rc] + at[k.n] * at[k.n] * at[k.Rp];
    R(p1, p2) = R(p2, p1) = -at[k.n] * at[k.Rp];
    R(p2, p2) = at[k.Rp];
  });
  wheels.input([=](const auto& at, auto& d) {
    d[p1] += at[k.M1] * at[k.g];
    d[p2] += at[k.M2] * at[k.g] + at[k.F];
  });
  wheels.energy();
  draw(wheels, x, k.n);
  keep_formulation(wheels, GearWheels::spring_damper);
  return wheels;
}

// Index 0 without loss: one momentum p = (M1 + n² M2) v1.
System reduced() {
  PortHamiltonian wheels("gear-wheels");
  const auto p = wheels.state("p", 0), x = wheels.state("x", 0);
  const auto k = declare_in(wheels);
  wheels.hamiltonian([=](const auto& at) {
    return sqr(at[p]) / (2 * (at[k.M1] + at[k.n] * at[k.n] * at[k.M2])) + sqr(at[x]) / (2 * at[k.C1]);
  });
  wheels.structure([=](const auto&, auto& J) {
    J(p, x) = -1;
    J(x, p) = 1;
  });
  wheels.dissipation([=](const auto& at, auto& R) { R(p, p) = at[k.Rc]; });
  wheels.input([=](const auto& at, auto& d) { d[p] += at[k.M1] * at[k.g] + at[k.n] * (at[k.M2] * at[k.g] + at[k.F]); });
  wheels.energy();
  draw(wheels, x, k.n);
  keep_formulation(wheels, GearWheels::reduced);
  return wheels;
}

System wheels_as(GearWheels formulation) {
  switch (formulation) {
    case GearWheels::spring_damper:
      return with_spring_and_damper();
    case GearWheels::index_1:
      return with_summed_rows();
    case GearWheels::index_2:
      return with_constraint();
    case GearWheels::reduced:
      return reduced();
  }
  throw Misuse("gear-wheels: there is no such formulation");
}

// --- closed forms: every formulation is linear, z' = A z + b

template <class Number, int size>
using Square = Eigen::Matrix<Number, size, size>;

// (p1, x, p2, xcp)
Square<Real, 4> spring_damper_matrix(const Numbers<Real>& k) {
  Square<Real, 4> A;
  A << -(k.Rc + k.n * k.n * k.Rp) / k.M1, -1 / k.C1, k.n * k.Rp / k.M2, -k.n / k.Cp,  //
      1 / k.M1, 0, 0, 0,                                                              //
      k.n * k.Rp / k.M1, 0, -k.Rp / k.M2, 1 / k.Cp,                                   //
      k.n / k.M1, 0, -1 / k.M2, 0;
  return A;
}

// (p, x)
Square<Real, 2> reduced_matrix(const Numbers<Real>& k) {
  const Real M = k.M1 + k.n * k.n * k.M2;
  Square<Real, 2> A;
  A << -k.Rc / M, -1 / k.C1, 1 / M, 0;
  return A;
}

// z(t) by Taylor series of the exponential, one short piece after the other, in coordinates w = z / scale in which A is
// no larger than its eigenvalues: the roots of the energies.
template <int size>
using Column = Eigen::Matrix<Real, size, 1>;
template <int size>
Column<size> linear_motion(const Square<Real, size>& A, const Column<size>& b, const Column<size>& scale,
                           const Column<size>& start, Real t) {
  const Square<Real, size> B = scale.cwiseInverse().asDiagonal() * A * scale.asDiagonal();
  const Column<size> push = b.cwiseQuotient(scale);
  Column<size> w = start.cwiseQuotient(scale);
  const auto pieces = static_cast<long>(std::ceil(2 * std::abs(t) * B.cwiseAbs().rowwise().sum().maxCoeff())) + 1;
  const Real h = t / static_cast<Real>(pieces);
  for (long piece = 0; piece < pieces; ++piece) {
    Column<size> term = h * (B * w + push);
    for (int k = 2; k <= 20; ++k) {
      w += term;
      term = h / k * (B * term);
    }
  }
  return w.cwiseProduct(scale);
}

std::optional<std::vector<double>> motion_of(GearWheels formulation, const Numbers<Real>& k,
                                             const std::vector<double>& start, double t) {
  if (formulation == GearWheels::spring_damper) {
    const auto z = linear_motion<4>(spring_damper_matrix(k), {k.M1 * k.g, 0, k.M2 * k.g + k.F, 0},
                                    {std::sqrt(k.M1), std::sqrt(k.C1), std::sqrt(k.M2), std::sqrt(k.Cp)},
                                    {start[0], start[1], start[2], start[3]}, t);
    return std::vector<double>(z.begin(), z.end());
  }
  const bool is_reduced = formulation == GearWheels::reduced;
  const Real M = k.M1 + k.n * k.n * k.M2;
  if (!is_reduced && k.n * start[0] / k.M1 != start[2] / k.M2) return std::nullopt;  // an inconsistent start is moved
  const Real p = is_reduced ? Real(start[0]) : M / k.M1 * start[0];
  const auto z = linear_motion<2>(reduced_matrix(k), {k.M1 * k.g + k.n * (k.M2 * k.g + k.F), 0},
                                  {std::sqrt(M), std::sqrt(k.C1)}, {p, start[1]}, t);
  const auto x = static_cast<double>(z[1]);
  if (is_reduced) return std::vector{static_cast<double>(z[0]), x};
  return std::vector{static_cast<double>(k.M1 / M * z[0]), x, static_cast<double>(k.n * k.M2 / M * z[0])};
}

}  // namespace

Spectrum spectrum_of(GearWheels formulation) {
  const Numbers<double>& k = declared;
  const Numbers<Real> precise{k.n, k.M1, k.M2, k.Rc, k.C1, k.Cp, k.Rp, k.F, k.g};
  Eigen::MatrixXd E, A;
  switch (formulation) {
    case GearWheels::spring_damper:
      E.setIdentity(4, 4);
      A = spring_damper_matrix(precise).cast<double>();
      break;
    case GearWheels::reduced:
      E.setIdentity(2, 2);
      A = reduced_matrix(precise).cast<double>();
      break;
    case GearWheels::index_1:
      E.resize(3, 3);
      E << 1, 0, k.n, 0, 1, 0, 0, 0, 0;
      A.resize(3, 3);
      A << -k.Rc / k.M1, -1 / k.C1, 0, 1 / k.M1, 0, 0, k.n / k.M1, 0, -1 / k.M2;
      break;
    case GearWheels::index_2:
      E.setIdentity(4, 4);
      E(3, 3) = 0;
      A.resize(4, 4);  // (p1, x, p2, λ)
      A << -k.Rc / k.M1, -1 / k.C1, 0, k.n, 1 / k.M1, 0, 0, 0, 0, 0, 0, -1, k.n / k.M1, 0, -1 / k.M2, 0;
      break;
  }
  // An infinite eigenvalue of an index-2 pencil is a double one: rounding leaves it at the root of 1 / epsilon.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const linear::PencilEigenvalues eigen = linear::pencil_eigenvalues(A, E);
  Spectrum spectrum{{}, 0};
  double fastest = 0, slowest = infinity;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const std::complex<double> alpha = eigen.alpha[i];
    const double beta = eigen.beta[i];
    const bool is_infinite = std::abs(beta) <= 1e-6 * std::abs(alpha);
    spectrum.eigenvalues.push_back(is_infinite ? -infinity : alpha / beta);
    fastest = std::max(fastest, std::abs(spectrum.eigenvalues.back().real()));
    slowest = std::min(slowest, std::abs(spectrum.eigenvalues.back().real()));
  }
  std::sort(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  spectrum.stiffness_ratio = fastest / slowest;
  return spectrum;
}

Problem gear_wheels() {
  const auto build = [](const Assignments& assignments) {
    const auto found = assignments.find("formulation");
    const double number = found == assignments.end() ? 2 : found->second;
    if (!(number >= 0 && number <= 3 && number == std::floor(number))) {
      throw Misuse(
          fmt::format("gear-wheels: formulation = {:g} is unknown: 0 is a spring and damper, 1 and 2 the index "
                      "with a constraint, 3 the reduced system",
                      number));
    }
    return wheels_as(static_cast<GearWheels>(static_cast<int>(number)));
  };
  // Parameters stand in the order of Numbers in every formulation, and the formulation after them.
  const auto reference = [](const Values& values, double t) -> std::optional<std::vector<double>> {
    const std::vector<double>& k = values.parameters();
    const Numbers<Real> numbers{k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8]};
    return motion_of(static_cast<GearWheels>(static_cast<int>(k[9])), numbers, values.start(), t);
  };
  return {.summary =
              "two masses on coupled winches; formulation 2: a constraint, 1: summed rows, 0: spring and damper, "
              "3: reduced",
          .kind = "port-Hamiltonian, index 2",
          .source = "Koenders, thesis, University of Twente (2002), section 2.5; start at rest is ours",
          .system = with_constraint(),
          .end = 10,
          .plot = "t,x",
          .known_by = "matrix exponential, in every formulation",
          .reference = reference,
          .build = build,
          .shaped_by = "formulation"};
}

}  // namespace pawl::problems
