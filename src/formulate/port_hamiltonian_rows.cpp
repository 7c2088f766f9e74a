#include "formulate/port_hamiltonian_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formulate/declared_held.hpp"
#include "pawl/mechanics.hpp"

namespace pawl::formulate {

namespace {

using Shared = std::shared_ptr<const System::Declarations>;

constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);
template <class T>
concept Differentiable = std::is_same_v<T, double> || std::is_same_v<T, Gradient>;

class Flows {
 public:
  Flows(Shared model, int first_multiplier)
      : model_(std::move(model)),
        info_(*model_->port_hamiltonian),
        size_(static_cast<int>(model_->state_names.size())),
        first_multiplier_(first_multiplier),
        map_(PortHamiltonianInfo::map(size_)) {
    find_states();
  }

  const std::vector<int>& states() const { return states_; }

  /// Flows of the states, then the constraints.
  template <Differentiable T>
  void operator()(const Point<T>& at, T* out) const {
    const auto n = static_cast<std::size_t>(size_);
    std::vector<T> e(n, T(0.0)), flow(n, T(0.0)), matrix(n * n, T(0.0)), column(n, T(0.0));
    find_efforts(at, e);
    for (const bool is_loss : {false, true}) {
      std::fill(matrix.begin(), matrix.end(), T(0.0));
      Entries<T> entries(map_, matrix.data());
      for (const auto& f : is_loss ? info_.dissipations : info_.structures) f(at, entries);
      for (const int i : states_) {
        for (const int j : states_) {
          const T& entry = matrix[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)];
          flow[static_cast<std::size_t>(i)] += (is_loss ? -1.0 : 1.0) * entry * e[static_cast<std::size_t>(j)];
        }
      }
    }
    if constexpr (std::is_same_v<T, double>) {
      Terms<double> lost(map_, column.data());
      for (const auto& r : info_.resistances) r(at, Efforts(e.data()), lost);
      for (std::size_t i = 0; i < n; ++i) flow[i] -= column[i];
    }
    Terms<T> flows(map_, flow.data());
    for (const auto& u : info_.inputs) u(at, flows);
    T* constraint = out + states_.size();
    for (const auto& one : info_.constraints) {
      std::fill(column.begin(), column.end(), T(0.0));
      Terms<T> entries(map_, column.data());
      one.column(at, entries);
      const T lambda = at[State{first_multiplier_ + one.row}];
      T power(0.0);
      for (std::size_t i = 0; i < n; ++i) {
        flow[i] += column[i] * lambda;
        power += column[i] * e[i];
      }
      *constraint++ = power;
    }
    for (std::size_t k = 0; k < states_.size(); ++k)
      out[k] = flow[static_cast<std::size_t>(states_[k])] - at[dot(State{states_[k]})];
  }

  bool is_exact() const {
    const auto takes = [](const auto& f) { return f.template supports<Gradient>(); };
    return info_.resistances.empty() && std::all_of(info_.structures.begin(), info_.structures.end(), takes) &&
           std::all_of(info_.dissipations.begin(), info_.dissipations.end(), takes) &&
           std::all_of(info_.inputs.begin(), info_.inputs.end(), takes);
  }

 private:
  template <class T>
  void find_efforts(const Point<T>& at, std::vector<T>& e) const {
    using Slopes = Dual<width, T>;
    std::vector<Slopes> states(at.around()->held->states);
    for (std::size_t i = 0; i < states.size(); ++i) states[i] = Slopes(at[State{static_cast<int>(i)}]);
    const detail::Surroundings<Slopes> around{at.around()->held};
    const Point<Slopes> point(Slopes(at.t), states.data(), at.parameters(), &around);
    Slopes energy;
    for (std::size_t begin = 0; begin < states_.size(); begin += width) {
      const std::size_t end = std::min(begin + width, states_.size());
      for (std::size_t k = begin; k < end; ++k) states[static_cast<std::size_t>(states_[k])].slope[k - begin] = T(1.0);
      for (const Function& H : info_.hamiltonians) {
        H(point, &energy);
        for (std::size_t k = begin; k < end; ++k) e[static_cast<std::size_t>(states_[k])] += energy.slope[k - begin];
      }
      for (std::size_t k = begin; k < end; ++k) states[static_cast<std::size_t>(states_[k])].slope[k - begin] = T(0.0);
    }
  }

  /// Whatever the energy reads, and what is written in a row or a column.
  void find_states() {
    const auto n = static_cast<std::size_t>(size_);
    std::vector<bool> is_own(n, false);
    const Held held = declared_held(*model_);
    {
      PatternTape tape;
      std::vector<Pattern> states;
      for (int i = 0; i < size_; ++i) states.push_back(tape.variable(i));
      const detail::Surroundings<Pattern> around{&held};
      const Point<Pattern> point(Pattern(), states.data(), held.parameters.data(), &around);
      Pattern energy;
      for (const Function& H : info_.hamiltonians) {
        if (!H.supports<Pattern>()) is_own.assign(n, true);
        if (!H.supports<Pattern>()) break;
        H(point, &energy);
        for (const int i : tape.inputs_of(energy)) is_own[static_cast<std::size_t>(i)] = true;
      }
    }
    std::vector<double> start = model_->starts, e(n, 0.0);
    Start at_start(start, held.parameters, model_->model);
    if (model_->start) model_->start(at_start);
    const detail::Surroundings<double> around{&held};
    const Point<double> point(0, start.data(), held.parameters.data(), &around);
    Entries<double>::Seen seen;
    Entries<double> entries(map_, seen);
    for (const auto* matrices : {&info_.structures, &info_.dissipations})
      for (const auto& f : *matrices) f(point, entries);
    std::vector<double> unused(n, 0.0);
    Terms<double> terms(map_, unused.data(), &seen);
    for (const auto& f : info_.inputs) f(point, terms);
    for (const auto& f : info_.resistances) f(point, Efforts(e.data()), terms);
    for (const auto& one : info_.constraints) one.column(point, terms);
    for (const auto& [i, j] : seen) is_own[static_cast<std::size_t>(i)] = is_own[static_cast<std::size_t>(j)] = true;
    if (model_->mechanics) {  // what the mechanism moves, the energy may read
      for (const auto* moved : {&model_->mechanics->positions, &model_->mechanics->speeds})
        for (const int i : *moved) is_own[static_cast<std::size_t>(i)] = false;
    }
    for (int i = 0; i < size_; ++i)
      if (is_own[static_cast<std::size_t>(i)]) states_.push_back(i);
  }

  Shared model_;
  const PortHamiltonianInfo& info_;
  int size_, first_multiplier_;
  detail::EntryMap map_;
  std::vector<int> states_;
};

}  // namespace

void append_port_hamiltonian_rows(const Shared& declared, int first_multiplier, std::vector<EquationInfo>& equations) {
  const Flows flows(declared, first_multiplier);
  EquationInfo rows{"port-Hamiltonian part", Function::written(flows), 0};
  for (const int state : flows.states())
    rows.row_names.push_back(fmt::format("flow of '{}'", declared->state_names[static_cast<std::size_t>(state)]));
  for (const auto& one : declared->port_hamiltonian->constraints)
    rows.row_names.push_back(fmt::format("'{}'", one.name));
  rows.rows = static_cast<int>(rows.row_names.size());
  if (!flows.is_exact()) rows.f.forget<Gradient>();
  equations.push_back(std::move(rows));
}

}  // namespace pawl::formulate
