#include "analyze/linearize.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/dae_form.hpp"
#include "formulate/implicit_port_hamiltonian.hpp"
#include "formulate/make_form.hpp"
#include "formulate/ode_form.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"
#include "simulate/plan.hpp"

namespace pawl::analyze {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd, Eigen::Index;
using formulate::ImplicitForm;
using formulate::Level;
using formulate::MechanicsForm;
using formulate::PortHamiltonianForm;

std::size_t at_(Index i) {
  return static_cast<std::size_t>(i);
}

MatrixXd dense(const MatrixPair& pair, const std::vector<double>& values) {
  const Index n = pair.size;
  if (values.empty()) return MatrixXd::Identity(n, n);
  if (!pair.is_sparse) return Eigen::Map<const MatrixXd>(values.data(), n, n);
  MatrixXd out = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    for (int e = pair.first[at_(j)]; e < pair.first[at_(j) + 1]; ++e) out(pair.row[at_(e)], j) = values[at_(e)];
  }
  return out;
}

/// The model's own rates, as forms call them.
struct OwnField {
  detail::Surroundings<double> around;
  ActiveField field;

  OwnField(const System::Declarations& model, const Held& held)
      : around{&held}, field{nullptr, nullptr, held.parameters.data(), nullptr} {
    field.around = &around;
    if (!model.rates) return;
    field.call = model.rates.entry<double>();
    field.self = model.rates.functor();
  }
};

Linearization linearize_form(ImplicitForm& form, const Place& at) {
  Linearization out;
  form.restart(at.t, at.x.data());
  std::vector<double> y(at_(form.size()), 0.0), dy(y);
  std::copy(at.x.begin(), at.x.end(), y.begin());
  out.failure = form.complete(at.t, y.data(), dy.data());
  if (!out.failure.empty()) return out;
  form.linearize(at.t, y.data(), dy.data());
  out.A = dense(form.matrices(), form.matrices().J);
  out.E = dense(form.matrices(), form.matrices().M);
  out.is_exact = form.has_exact_jacobian();
  for (int i = 0; i < form.size(); ++i) out.rows.push_back(form.name(i));
  return out;
}

// ---- mechanisms

MatrixXd dense_rows(const formulate::MechanicsTerms& terms) {
  const formulate::SparseRows& pattern = terms.pattern();
  MatrixXd G = MatrixXd::Zero(terms.rows(), terms.size());
  for (Index r = 0; r < terms.rows(); ++r) {
    for (int e = pattern.first[at_(r)]; e < pattern.first[at_(r) + 1]; ++e)
      G(r, pattern.column[at_(e)]) = terms.jacobian[at_(e)];
  }
  return G;
}

/// Forms drop constraints that follow from others. Here they are put back, with their multipliers: a row and a column,
/// the same combination of those that were kept.
void restore_redundant(const System::Declarations& model, const MechanicsForm& form, const Place& at,
                       const std::vector<int>& kept, Linearization& out) {
  if (form.redundant_rows().empty()) return;
  formulate::MechanicsTerms terms(model);
  terms.lock(at.held);
  terms.arrange(at.t, at.x.data(), terms.rows_in_force());
  terms.rate_of_positions(at.x.data());
  terms.evaluate_jacobian(at.t, at.x.data());
  const MatrixXd G = dense_rows(terms);
  MatrixXd of_kept(static_cast<Index>(kept.size()), G.cols());
  for (std::size_t k = 0; k < kept.size(); ++k)
    of_kept.row(static_cast<Index>(k)) = G.row(terms.row_of_declared(kept[k]));
  const linear::PivotedQr factors(of_kept.transpose());
  const auto states = static_cast<Index>(model.state_names.size());
  for (const int declared : form.redundant_rows()) {
    const VectorXd share = factors.solve(G.row(terms.row_of_declared(declared)).transpose());
    const Index n = out.A.rows();
    for (MatrixXd* matrix : {&out.A, &out.E}) {
      matrix->conservativeResizeLike(MatrixXd::Zero(n + 1, n + 1));
      matrix->row(n).head(n) = share.transpose() * matrix->block(states, 0, share.size(), n);
      matrix->col(n).head(n) = matrix->block(0, states, n, share.size()) * share;
    }
    out.rows.push_back(model.constraint_names[at_(declared)]);
  }
}

Linearization linearize_mechanism(const std::shared_ptr<const System::Declarations>& model, const Place& at,
                                  Level level) {
  MechanicsForm form(model, {});
  form.lock(at.held);
  const auto implicit = formulate::make_implicit_mechanics(model, form, level);
  Linearization out = linearize_form(*implicit, at);
  if (!out.failure.empty()) return out;
  std::vector<int> kept;
  for (int r = 0; r < form.terms().rows(); ++r) kept.push_back(form.terms().declared_row(r));
  for (std::size_t r = 0; r < kept.size(); ++r)
    out.rows[model->state_names.size() + r] = model->constraint_names[at_(kept[r])];
  restore_redundant(*model, form, at, kept, out);
  return out;
}

// ---- ordinary equations, and those that slide

/// x' = f(t, x, u), 0 = s(t, x): the values u of sliding relays are unknowns.
Linearization linearize_sliding(const System::Declarations& model, const Place& at, const std::vector<int>& relays) {
  Linearization out;
  const auto n = static_cast<Index>(at.x.size()), m = static_cast<Index>(relays.size());
  out.rows = model.state_names;
  bool is_generic = model.rates.supports<Gradient>();
  for (const int r : relays) is_generic = is_generic && model.relays[at_(r)].g.supports<Gradient>();
  if (!is_generic) {
    out.failure = "the motion slides, and its functions take numbers only";
    return out;
  }
  std::vector<Gradient> x(at.x.begin(), at.x.end()), u(at.held.levels.begin(), at.held.levels.end()),
      rates(at_(n), Gradient(0.0));
  constexpr auto width = static_cast<Index>(std::tuple_size_v<decltype(Gradient::slope)>);
  const detail::Surroundings<Gradient> around{&at.held, {}, u.data()};
  MatrixXd F(n, n + m), S = MatrixXd::Zero(m, n);
  VectorXd f(n);
  const auto differentiate = [&] {
    for (Index first = 0; first < n + m; first += width) {
      const auto unknown = [&](Index j) -> Gradient& { return j < n ? x[at_(j)] : u[at_(relays[at_(j - n)])]; };
      const Index last = std::min(first + width, n + m);
      for (Index j = first; j < last; ++j)
        unknown(j) = Gradient::variable(unknown(j).value, static_cast<int>(j - first));
      const Point<Gradient> point(Gradient(at.t), x.data(), at.held.parameters.data(), &around);
      model.rates(point, rates.data());
      for (Index k = 0; k < m; ++k) {
        Gradient s(0.0);
        model.relays[at_(relays[at_(k)])].g(point, &s);
        for (Index j = first; j < std::min(last, n); ++j) S(k, j) = s.slope[at_(j - first)];
      }
      for (Index i = 0; i < n; ++i) {
        f[i] = rates[at_(i)].value;
        for (Index j = first; j < last; ++j) F(i, j) = rates[at_(i)].slope[at_(j - first)];
      }
      for (Index j = first; j < last; ++j) unknown(j) = Gradient(unknown(j).value);
    }
  };
  for (int iteration = 0; iteration < 4;
       ++iteration) {  // the equivalent control: S f = 0; one is enough where f is affine in u
    differentiate();
    const VectorXd change = linear::solve_with_full_pivoting(S * F.rightCols(m), VectorXd(S * f));
    for (Index k = 0; k < m; ++k) u[at_(relays[at_(k)])] = Gradient(u[at_(relays[at_(k)])].value - change[k]);
  }
  differentiate();
  out.E = MatrixXd::Zero(n + m, n + m);
  out.E.topLeftCorner(n, n).setIdentity();
  out.A = MatrixXd::Zero(n + m, n + m);
  out.A.topRows(n) = F;
  out.A.bottomLeftCorner(m, n) = S;
  for (const int r : relays) out.rows.push_back(model.relays[at_(r)].name);
  return out;
}

Linearization linearize_rates(const std::shared_ptr<const System::Declarations>& model, const Place& at) {
  std::vector<int> sliding;
  for (std::size_t r = 0; r < at.held.sides.size(); ++r) {
    if (at.held.sides[r] == RelaySide::sliding) sliding.push_back(static_cast<int>(r));
  }
  if (!sliding.empty()) return linearize_sliding(*model, at, sliding);
  const OwnField own(*model, at.held);
  const auto form = formulate::make_ode_form(model, own.field, static_cast<int>(at.x.size()));
  return linearize_form(*form, at);
}

// ---- the other kinds

Linearization linearize_equations(const std::shared_ptr<const System::Declarations>& model, const Place& at,
                                  bool is_structure_alone) {
  Linearization out;
  const OwnField own(*model, at.held);
  const auto form = formulate::make_dae_form(model, own.field);
  form->restart(at.t, at.x.data());
  const formulate::DaeStructure& structure = form->structure();
  out.structural_index = structure.index;
  out.structural_freedom = structure.degrees_of_freedom;
  std::vector<double> y(at.x), dy(at.x.size(), 0.0);
  out.failure = structure.failure;
  if (out.failure.empty() && !is_structure_alone) out.failure = form->complete(at.t, y.data(), dy.data());
  if (!out.failure.empty() || is_structure_alone) return out;
  const formulate::DaeSample sample = form->sample(at.t, y.data(), dy.data());
  out.A = sample.J;
  out.E = sample.M;
  out.is_exact = form->has_exact_jacobian();
  for (int i = 0; i < form->size(); ++i) out.rows.push_back(form->equations().row_name(i));
  return out;
}

Linearization linearize_port_hamiltonian(const std::shared_ptr<const System::Declarations>& model, const Place& at,
                                         Level level) {
  PortHamiltonianForm form(model);
  form.lock(at.held);
  form.source = &at.held;
  const auto implicit = formulate::make_implicit_port_hamiltonian(model, form, level);
  return linearize_form(*implicit, at);
}

}  // namespace

Linearization linearize(const std::shared_ptr<const System::Declarations>& model, const Place& at,
                        std::optional<Level> level) {
  try {
    if (model->is_implicit()) return linearize_equations(model, at, false);
    if (model->mechanics) return linearize_mechanism(model, at, level.value_or(Level::index_3));
    if (model->port_hamiltonian) return linearize_port_hamiltonian(model, at, level.value_or(Level::index_2));
    return linearize_rates(model, at);
  } catch (const std::exception& error) {
    Linearization out;
    out.failure = error.what();
    return out;
  }
}

Linearization structure_of_equations(const std::shared_ptr<const System::Declarations>& model, const Place& at) {
  try {
    return linearize_equations(model, at, true);
  } catch (const std::exception& error) {
    Linearization out;
    out.failure = error.what();
    return out;
  }
}

void look_at_equations(const std::shared_ptr<const System::Declarations>& model, const Place& at, Facts& out) {
  const OwnField own(*model, at.held);
  const auto form = formulate::make_dae_form(model, own.field);
  form->restart(at.t, at.x.data());
  out.allows_rosenbrock =
      form->mass_kind() != formulate::MassKind::varying && form->has_exact_jacobian() && form->structure().index < 2;
  if (form->structure().failure.empty()) out.equations = detail::facts_of(*model, *form);
}

bool has_full_matrices(const std::shared_ptr<const System::Declarations>& model, const Place& at) {
  if (model->is_implicit() || model->has_manifold()) return false;  // their rows say what they read
  const OwnField own(*model, at.held);
  const auto form = formulate::make_ode_form(model, own.field, static_cast<int>(at.x.size()));
  form->restart(at.t, at.x.data());
  return !form->matrices().is_sparse;
}

double spectral_radius(const std::shared_ptr<const System::Declarations>& model, const Place& at) {
  if (model->is_implicit()) return 0;
  const OwnField own(*model, at.held);
  std::shared_ptr<formulate::Form> form;
  if (model->has_manifold()) {
    form = formulate::make_form(model, {});
    form->lock(at.held);
    form->take_levels(at.t, at.x.data());
  }
  const auto n = static_cast<Index>(at.x.size());
  const auto rates = [&](const VectorXd& x, VectorXd& out) {
    if (form)
      form->rate(at.t, x.data(), out.data());
    else  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a field without a manifold has its function
      own.field.call(own.field.self, Point<double>(at.t, x.data(), own.field.parameters, own.field.around), out.data());
  };
  const VectorXd x = Eigen::Map<const VectorXd>(at.x.data(), n);
  VectorXd base = VectorXd::Zero(n), moved(base), direction(n);
  rates(x, base);
  for (Index i = 0; i < n; ++i)
    direction[i] = std::sin(1.0 + 12.9898 * static_cast<double>(i));  // no direction is left out
  direction.normalize();
  const double size = 1e-7 * std::max(1.0, x.norm());
  constexpr int iterations = 60, averaged = 20;
  double growth = 0;
  for (int k = 0; k < iterations; ++k) {
    rates(x + size * direction, moved);
    const VectorXd image = (moved - base) / size;
    const double length = image.norm();
    if (!std::isfinite(length) || length == 0) return 0;
    if (k >= iterations - averaged) growth += std::log(length) / averaged;  // the mean over a pair that turns
    direction = image / length;
  }
  return std::exp(growth);
}

}  // namespace pawl::analyze
