#include "pawl/port_hamiltonian.hpp"
#include "numerics/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>

namespace pawl {

namespace {

/// The declarations of the system, to be changed: its own copy if another System still reads the old one.
PortHamiltonianInfo& edit_port_hamiltonian(System::Declarations& all) {
  auto mine = all.port_hamiltonian ? std::make_shared<PortHamiltonianInfo>(*all.port_hamiltonian)
                                   : std::make_shared<PortHamiltonianInfo>();
  PortHamiltonianInfo& info = *mine;
  all.port_hamiltonian = std::move(mine);
  return info;
}

}  // namespace

detail::EntryMap PortHamiltonianInfo::map(int states) {
  detail::EntryMap map;
  map.number.resize(static_cast<std::size_t>(states));
  std::iota(map.number.begin(), map.number.end(), 0);
  map.width = states;
  return map;
}

void PortHamiltonian::declare_hamiltonian(Function H) {
  edit_port_hamiltonian(edit()).hamiltonians.push_back(std::move(H));
}

void PortHamiltonian::declare_structure(detail::MatrixFunction f) {
  edit_port_hamiltonian(edit()).structures.push_back(std::move(f));
}

void PortHamiltonian::declare_dissipation(detail::MatrixFunction f) {
  edit_port_hamiltonian(edit()).dissipations.push_back(std::move(f));
}

void PortHamiltonian::declare_resistance(detail::ResistiveRelation f) {
  edit_port_hamiltonian(edit()).resistances.push_back(std::move(f));
}

void PortHamiltonian::declare_input(detail::VectorFunction f) {
  edit_port_hamiltonian(edit()).inputs.push_back(std::move(f));
}

Constraint PortHamiltonian::declare_constraint(std::string name, detail::VectorFunction column) {
  take_name(name);
  Declarations& all = edit();
  all.constraint_names.push_back(name);
  const int row = static_cast<int>(all.constraint_names.size()) - 1;
  edit_port_hamiltonian(all).constraints.push_back({std::move(name), std::move(column), row});
  return {row, all.model};
}

namespace {

struct StoredEnergy {
  std::shared_ptr<const PortHamiltonianInfo> info;

  template <class T>
  requires std::is_same_v<T, double> || std::is_same_v<T, Gradient> T operator()(const Point<T>& at) const {
    T sum(0.0), part(0.0);
    for (const Function& H : info->hamiltonians) {
      H(at, &part);
      sum += part;
    }
    return sum;
  }
};

}  // namespace

Observable PortHamiltonian::energy(std::string name, bool kept) {
  const auto& info = declarations().port_hamiltonian;
  if (!info || info->hamiltonians.empty())
    throw Misuse(fmt::format("system '{}': energy() watches the Hamiltonians declared before it, and there are none",
                             this->name()));
  const StoredEnergy energy{info};
  if (kept) declare_invariant({name, Function::rows<1>(energy), 1, true});
  const Observable handle = declare_observable(std::move(name), Function::observable(energy));
  edit().energies.push_back(handle.index);
  return handle;
}

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double negligible = 1e-12;  // of the largest entry: what rounding may leave between two partners

/// Collects what is wrong with the structure at one point after the other; each entry is named once.
class StructureCheck {
 public:
  StructureCheck(const System::Declarations& model, const Held& held)
      : model_(model),
        info_(*model.port_hamiltonian),
        around_{&held},
        size_(static_cast<int>(model.state_names.size())),
        map_(PortHamiltonianInfo::map(size_)) {}

  void at(double t, const std::vector<double>& x) {
    const Point<double> point(t, x.data(), around_.held->parameters.data(), &around_);
    const Matrix J = matrix_of(info_.structures, point), R = matrix_of(info_.dissipations, point);
    if (!J.allFinite() || !R.allFinite()) return;  // beyond the domain of the model
    check_exchange(J);
    check_loss(R);
    if (!info_.resistances.empty()) check_resistance(point, x);
  }

  StructureReport report() const { return {text_.empty(), text_}; }

 private:
  Matrix matrix_of(const std::vector<detail::MatrixFunction>& functions, const Point<double>& point) const {
    Matrix A = Matrix::Zero(size_, size_);
    Entries<double> entries(map_, A.data());
    for (const auto& f : functions) f(point, entries);
    return A;
  }

  void check_exchange(const Matrix& J) {
    const double limit = negligible * J.cwiseAbs().maxCoeff();
    for (int i = 0; i < size_; ++i) {
      if (std::abs(J(i, i)) > limit) complain('J', i, i, fmt::format("{} must be zero", entry('J', J, i, i)));
      for (int j = 0; j < i; ++j) {
        if (std::abs(J(i, j) + J(j, i)) > limit)
          complain('J', i, j, fmt::format("{} but {}", entry('J', J, i, j), entry('J', J, j, i)));
      }
    }
  }

  void check_loss(const Matrix& R) {
    const double limit = negligible * R.cwiseAbs().maxCoeff();
    bool is_wrong = false;
    for (int i = 0; i < size_; ++i) {
      if (R(i, i) < -limit) {
        complain('R', i, i, fmt::format("{} must not be negative", entry('R', R, i, i)));
        is_wrong = true;
      }
      for (int j = 0; j < i; ++j) {
        if (std::abs(R(i, j) - R(j, i)) <= limit) continue;
        complain('R', i, j, fmt::format("{} but {}", entry('R', R, i, j), entry('R', R, j, i)));
        is_wrong = true;
      }
    }
    if (is_wrong) return;
    const linear::SymmetricEigenpairs eigen = linear::symmetric_eigenpairs(R);
    if (eigen.values[0] >= -negligible * std::max(1, size_) * R.cwiseAbs().maxCoeff()) return;
    std::vector<int> order(static_cast<std::size_t>(size_));
    std::iota(order.begin(), order.end(), 0);
    const auto direction = eigen.vectors.col(0).cwiseAbs();
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return direction[i] > direction[j]; });
    const int i = std::max(order[0], order[1]), j = std::min(order[0], order[1]);
    complain('R', i, j,
             fmt::format("R has the eigenvalue {:.6g}: {} is too large beside {} and {}", eigen.values[0],
                         entry('R', R, i, j), entry('R', R, i, i), entry('R', R, j, j)));
  }

  void check_resistance(const Point<double>& point, const std::vector<double>& x) {
    std::vector<double> e(x.size(), 0.0), flow(x.size(), 0.0);
    const detail::Surroundings<Gradient> around{around_.held};
    std::vector<Gradient> moving(x.begin(), x.end());
    for (int first = 0; first < size_; first += 8) {
      const int last = std::min(first + 8, size_);
      for (int i = first; i < last; ++i)
        moving[static_cast<std::size_t>(i)] = Gradient::variable(x[static_cast<std::size_t>(i)], i - first);
      const Point<Gradient> nearby(Gradient(point.t), moving.data(), point.parameters(), &around);
      for (const Function& H : info_.hamiltonians) {
        Gradient value;
        H(nearby, &value);
        for (int i = first; i < last; ++i)
          e[static_cast<std::size_t>(i)] += value.slope[static_cast<std::size_t>(i - first)];
      }
      for (int i = first; i < last; ++i) moving[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)];
    }
    Terms<double> terms(map_, flow.data());
    for (const auto& f : info_.resistances) f(point, Efforts(e.data(), point.around()->held), terms);
    double power = 0, size = 0;
    for (std::size_t i = 0; i < e.size(); ++i) {
      power += e[i] * flow[i];
      size += std::abs(e[i] * flow[i]);
    }
    if (power < -negligible * size)
      complain('r', 0, 0, fmt::format("the resistance gives the power {:.6g} where it must take some", -power));
  }

  std::string entry(char matrix, const Matrix& A, int i, int j) const {
    return fmt::format("{}({}, {}) = {:.6g}", matrix, model_.state_names[static_cast<std::size_t>(i)],
                       model_.state_names[static_cast<std::size_t>(j)], A(i, j) + 0.0);
  }
  void complain(char matrix, int i, int j, const std::string& line) {
    if (!seen_.insert({matrix, i, j}).second) return;
    if (!text_.empty()) text_ += '\n';
    text_ += line;
  }

  const System::Declarations& model_;
  const PortHamiltonianInfo& info_;
  const detail::Surroundings<double> around_;
  const int size_;
  const detail::EntryMap map_;
  std::set<std::tuple<char, int, int>> seen_;
  std::string text_;
};

}  // namespace

StructureReport check_structure(const System& system, const Values& values, double t) {
  if (!values.belong_to(system))
    throw Misuse(fmt::format("system '{}': check_structure was given the values of another system", system.name()));
  if (!system.declarations().port_hamiltonian || system.size() == 0) return {};
  const Held held = values.held();
  const std::vector<double> start = values.start();
  StructureCheck check(system.declarations(), held);
  check.at(t, start);
  std::mt19937 random(1);
  for (int point = 0; point < 8; ++point) {
    std::vector<double> x = start;
    for (double& value : x) {
      const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
      value += 0.1 * (1 + std::abs(value)) * (2 * share - 1);
    }
    check.at(t, x);
  }
  return check.report();
}

}  // namespace pawl
