// A System in other units: unknowns z_i = s_i x_i, rows r_k F_k. Every function of the model is evaluated as it was
// declared, at x = z / s, with whatever scalar it takes; what it writes is multiplied by the factor of its row.
//
//   ScaledSystem scaled(problem.system, {.unknowns = {1e9, 1e-12}, .rows = {1, 1e5}});
//
// The row of a rate that a mass matrix does not multiply has the unit of its state. A diode's voltage and current have
// the unit of its row. Guards, conditions and observables are numbers of their own and stay as they are, and so does
// what a jump reads as pre(state).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/pawl.hpp"

namespace pawl {

struct Scales {
  std::vector<double> unknowns;  // per state
  std::vector<double> rows;      // per state for the row of its rate, then per row of all equations
};

namespace detail {

template <class T>
inline constexpr bool is_lazy = std::is_base_of_v<LazyAccess<T>, StateAccess<T>>;

/// The declared point behind a point in other units.
template <class T>
class DeclaredPoint {
 public:
  DeclaredPoint(const Point<T>& at, const std::vector<double>& units) : at_(at), units_(units) {
    if constexpr (is_lazy<T>) {
      lazy_.from = this;
      lazy_.known.resize(units.size());
    } else {
      states_.reserve(units.size());
      for (std::size_t i = 0; i < units.size(); ++i) states_.push_back(in_unit(at.states()[static_cast<int>(i)], i));
    }
    if (at.around() == nullptr) return;
    around_ = *at.around();
    rates_.from = sliding_.from = this;
    if (around_.rates != nullptr) around_.rates = &rates_;
    if (around_.sliding != nullptr) around_.sliding = &sliding_;
  }
  ~DeclaredPoint() {
    if (at_.around() == nullptr) return;
    at_.around()->reads_modes |= around_.reads_modes;
    at_.around()->reads_parameters |= around_.reads_parameters;
    at_.around()->reads_multipliers |= around_.reads_multipliers;
  }
  DeclaredPoint(const DeclaredPoint&) = delete;
  DeclaredPoint& operator=(const DeclaredPoint&) = delete;

  Point<T> operator()() const {
    const Surroundings<T>* around = at_.around() == nullptr ? nullptr : &around_;
    if constexpr (is_lazy<T>) {
      typename Point<T>::States states;
      states.source = &lazy_;
      return Point<T>(at_.t, states, at_.parameters(), around);
    } else {
      return Point<T>(at_.t, states_.data(), at_.parameters(), around);
    }
  }

 private:
  T in_unit(const T& value, std::size_t i) const { return units_[i] == 1 ? value : T(value / units_[i]); }

  struct Lazy final : LazyStates<T> {
    const T& state(int index) const override {
      std::optional<T>& one = known[static_cast<std::size_t>(index)];
      if (!one) one = from->in_unit(from->at_.states()[index], static_cast<std::size_t>(index));
      return *one;
    }
    const DeclaredPoint* from = nullptr;
    mutable std::vector<std::optional<T>> known;
  };
  struct GivenRates final : RateSource<T> {
    T rate(const Point<T>&, int index) const override {
      return from->in_unit(from->at_.around()->rates->rate(from->at_, index), static_cast<std::size_t>(index));
    }
    const DeclaredPoint* from = nullptr;
  };
  struct GivenRelays final : RelaySource<T> {
    T value(const Point<T>&, int relay) const override { return from->at_.around()->sliding->value(from->at_, relay); }
    const DeclaredPoint* from = nullptr;
  };

  const Point<T>& at_;
  const std::vector<double>& units_;
  std::vector<T> states_;
  Surroundings<T> around_;
  Lazy lazy_;
  GivenRates rates_;
  GivenRelays sliding_;
};

/// The function at the declared point; what it writes times the factors.
inline Function in_units(const Function& f, std::shared_ptr<const Scales> units, std::vector<double> factors) {
  if (!f) return f;
  Function made = Function::written([=](const auto& at, auto* out) {
    using T = std::decay_t<decltype(at.t)>;
    const DeclaredPoint<T> point(at, units->unknowns);
    f(point(), out);
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (factors[k] != 1) out[k] = out[k] * factors[k];
  });
  made.limit_to(f);
  return made;
}
inline Function in_units(const Function& f, std::shared_ptr<const Scales> units, int rows) {
  return in_units(f, std::move(units), std::vector<double>(static_cast<std::size_t>(rows), 1.0));
}

/// A matrix of the rates: entry (i, j) times rows[i] / unknowns[j].
inline MatrixFunction in_units(const MatrixFunction& f, std::shared_ptr<const Scales> units, std::vector<double> rows) {
  if (!f) return f;
  const auto evaluate = [=](const auto& at, auto& out) {
    using T = std::decay_t<decltype(at.t)>;
    const int n = static_cast<int>(units->unknowns.size());
    EntryMap all{{}, n, false, {}, {}};
    for (int i = 0; i < n; ++i) all.number.push_back(i);
    std::vector<T> values(static_cast<std::size_t>(n * n), T(0.0));
    typename Entries<T>::Seen seen;
    Entries<T> entries(all, seen, values.data());
    const DeclaredPoint<T> point(at, units->unknowns);
    f(point(), entries);
    for (const auto& [i, j] : seen)
      out(State{i}, State{j}) = values[static_cast<std::size_t>(i * n + j)] *
                                (rows[static_cast<std::size_t>(i)] / units->unknowns[static_cast<std::size_t>(j)]);
  };
  if (f.supports<Gradient>()) return MatrixFunction([=](const auto& at, auto& out) { evaluate(at, out); });
  return MatrixFunction([=](const Point<double>& at, Entries<double>& out) { evaluate(at, out); });
}

/// A jump that sees and leaves states as they were declared; those it leaves alone keep their bits.
template <class... More>
Callback<void(Jump&, More...)> in_units(const Callback<void(Jump&, More...)>& f, std::shared_ptr<const Scales> units) {
  if (!f) return f;
  return [=](Jump& jump, More... more) {
    const std::size_t n = units->unknowns.size();
    std::vector<double> scaled(n), declared(n);
    for (std::size_t i = 0; i < n; ++i) {
      const State x{static_cast<int>(i)};
      scaled[i] = jump[x];
      declared[i] = jump[x] = scaled[i] / units->unknowns[i];
    }
    f(jump, more...);
    for (std::size_t i = 0; i < n; ++i) {
      const State x{static_cast<int>(i)};
      jump[x] = jump[x] == declared[i] ? scaled[i] : jump[x] * units->unknowns[i];
    }
  };
}

}  // namespace detail

class ScaledSystem : public System {
 public:
  ScaledSystem(const System::Declarations& declared, Scales given) : System(declared.name) {
    const auto units = std::make_shared<const Scales>(std::move(given));
    const std::size_t n = units->unknowns.size();
    Declarations& d = edit();
    d = declared;
    d.nominals.resize(n, 0.0);
    std::vector<double> rate_rows(units->rows.begin(), units->rows.begin() + static_cast<std::ptrdiff_t>(n));
    if (!d.mass) rate_rows = units->unknowns;
    for (std::size_t i = 0; i < n; ++i) {
      d.starts[i] *= units->unknowns[i];
      d.nominals[i] = units->unknowns[i] * (d.nominals[i] > 0 ? d.nominals[i] : 1.0);
    }
    d.rates = rates_in_units(declared.rates, units, rate_rows);
    d.mass = detail::in_units(declared.mass, units, rate_rows);
    d.jacobian = detail::in_units(declared.jacobian, units, rate_rows);
    std::size_t row = n;
    for (EquationInfo& one : d.equations) {
      std::vector<double> factors(units->rows.begin() + static_cast<std::ptrdiff_t>(row),
                                  units->rows.begin() + static_cast<std::ptrdiff_t>(row) + one.rows);
      row += static_cast<std::size_t>(one.rows);
      for (SwitchInfo& of_row : d.switches) {
        if (of_row.name != one.name) continue;
        of_row.voltage = detail::in_units(of_row.voltage, units, factors);
        of_row.current = detail::in_units(of_row.current, units, factors);
      }
      one.f = detail::in_units(one.f, units, std::move(factors));
    }
    for (EquationInfo& one : d.initial) one.f = detail::in_units(one.f, units, one.rows);
    for (InvariantInfo& one : d.invariants) one.h = detail::in_units(one.h, units, one.rows);
    for (Function& one : d.observables) one = detail::in_units(one, units, 1);
    for (RelayInfo& one : d.relays) one.g = detail::in_units(one.g, units, 1);
    for (GuardInfo& one : d.guards) {
      one.g = detail::in_units(one.g, units, one.rows);
      one.then = detail::in_units(one.then, units);
      one.at_accumulation = detail::in_units(one.at_accumulation, units);
    }
    for (TimeEventInfo& one : d.time_events) one.then = detail::in_units(one.then, units);
    d.transition = detail::in_units(d.transition, units);
    if (d.start) d.start = start_in_units(declared, units);
    d.picture = nullptr;
  }

 private:
  /// A rate that is not assigned stays so: whoever looks finds what was there before.
  static Function rates_in_units(const Function& f, const std::shared_ptr<const Scales>& units,
                                 const std::vector<double>& factors) {
    if (!f) return f;
    Function made = Function::written([=](const auto& at, auto* out) {
      using T = std::decay_t<decltype(at.t)>;
      const detail::DeclaredPoint<T> point(at, units->unknowns);
      f(point(), out);
      if constexpr (!std::is_same_v<T, Pattern>) {
        for (std::size_t k = 0; k < factors.size(); ++k) out[k] = out[k] * factors[k];
      }
    });
    made.limit_to(f);
    return made;
  }
  static Callback<void(Start&)> start_in_units(const Declarations& declared,
                                               const std::shared_ptr<const Scales>& units) {
    return [start = declared.start, starts = declared.starts, count = declared.parameters.size(),
            model = declared.model, units](Start& at) {
      std::vector<double> states = starts, parameters(count);
      for (std::size_t p = 0; p < count; ++p) parameters[p] = at[Parameter{static_cast<int>(p)}];
      Start own(states, parameters, model);
      start(own);
      for (std::size_t i = 0; i < states.size(); ++i) at[State{static_cast<int>(i)}] = states[i] * units->unknowns[i];
    };
  }
};

}  // namespace pawl
