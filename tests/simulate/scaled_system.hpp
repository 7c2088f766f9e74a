// A System in other units: unknowns z_i = s_i x_i, rows r_k F_k. Every function of the model is evaluated as it was
// declared, at x = z / s, with whatever scalar it takes; what it writes is multiplied by the factor of its row.
//
//   ScaledSystem scaled(problem.system, {.unknowns = {1e9, 1e-12}, .rows = {1, 1e5}});
//
// The row of a rate that a mass matrix does not multiply has the unit of its state. A diode's voltage and current have
// the unit of its row. Guards, conditions and observables are numbers of their own and stay as they are, and so does
// what a jump reads as pre(state). Of a mechanism energies stay as they are: masses and forces follow from the units of
// its coordinates, whose speeds share them. Attitudes, what friction takes and the rows of contacts have no other unit.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/pawl.hpp"

namespace pawl {

struct Scales {
  std::vector<double> unknowns;     // per state
  std::vector<double> rows;         // per state for the row of its rate, then per row of all equations
  std::vector<double> joints = {};  // of a mechanism: per row of all constraints
};

namespace detail {

template <class T>
inline constexpr bool is_lazy = std::is_base_of_v<LazyAccess<T>, StateAccess<T>>;

/// What a function may read. That of a shape or of inertia - a constraint, a gap, a mass, an energy - is evaluated at
/// points that end with the states, in mixtures too.
enum class MayRead { states, multipliers };

/// The declared point behind a point in other units.
template <class T>
class DeclaredPoint {
 public:
  DeclaredPoint(const Point<T>& at, const Scales& units, MayRead may_read = MayRead::multipliers)
      : at_(at), units_(units), may_read_(may_read) {
    if constexpr (is_lazy<T>) {
      lazy_.from = this;
      lazy_.known.resize(count());
    } else {
      states_.reserve(count());
      for (std::size_t i = 0; i < count(); ++i) states_.push_back(in_unit(at.states()[static_cast<int>(i)], i));
    }
    if (at.around() == nullptr) return;
    around_ = *at.around();
    rates_.from = sliding_.from = multipliers_.from = this;
    if (around_.rates != nullptr) around_.rates = &rates_;
    if (around_.sliding != nullptr) around_.sliding = &sliding_;
    if (around_.multipliers != nullptr) around_.multipliers = &multipliers_;
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
  /// Multipliers of joints stand behind the states where a run has polynomials of them, or has them as unknowns.
  std::size_t count() const {
    const bool has_multipliers = may_read_ == MayRead::multipliers && at_.around() != nullptr &&
                                 at_.around()->held != nullptr && at_.around()->held->first_multiplier >= 0;
    return units_.unknowns.size() + (has_multipliers ? units_.joints.size() : 0);
  }
  double unit(std::size_t i) const {
    const std::size_t n = units_.unknowns.size();
    return i < n ? units_.unknowns[i] : 1 / units_.joints[i - n];
  }
  T in_unit(const T& value, std::size_t i) const { return unit(i) == 1 ? value : T(value / unit(i)); }

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

  struct GivenMultipliers final : MultiplierSource {
    double multiplier(const Point<double>&, int row) const override {
      if constexpr (std::is_same_v<T, double>) {
        return from->units_.joints[static_cast<std::size_t>(row)] *
               from->at_.around()->multipliers->multiplier(from->at_, row);
      } else {
        return 0;  // numbers alone are asked for
      }
    }
    const DeclaredPoint* from = nullptr;
  };

  const Point<T>& at_;
  const Scales& units_;
  MayRead may_read_;
  std::vector<T> states_;
  Surroundings<T> around_;
  Lazy lazy_;
  GivenRates rates_;
  GivenRelays sliding_;
  GivenMultipliers multipliers_;
};

/// The function at the declared point; what it writes times the factors.
inline Function in_units(const Function& f, std::shared_ptr<const Scales> units, std::vector<double> factors,
                         MayRead may_read = MayRead::multipliers) {
  if (!f) return f;
  Function made = Function::written([=](const auto& at, auto* out) {
    using T = std::decay_t<decltype(at.t)>;
    const DeclaredPoint<T> point(at, *units, may_read);
    f(point(), out);
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (factors[k] != 1) out[k] = out[k] * factors[k];
  });
  made.limit_to(f);
  return made;
}
inline Function in_units(const Function& f, std::shared_ptr<const Scales> units, int rows,
                         MayRead may_read = MayRead::multipliers) {
  return in_units(f, std::move(units), std::vector<double>(static_cast<std::size_t>(rows), 1.0), may_read);
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
    const DeclaredPoint<T> point(at, *units);
    f(point(), entries);
    for (const auto& [i, j] : seen)
      out(State{i}, State{j}) = values[static_cast<std::size_t>(i * n + j)] *
                                (rows[static_cast<std::size_t>(i)] / units->unknowns[static_cast<std::size_t>(j)]);
  };
  if (f.supports<Gradient>()) return MatrixFunction([=](const auto& at, auto& out) { evaluate(at, out); });
  return MatrixFunction([=](const Point<double>& at, Entries<double>& out) { evaluate(at, out); });
}

inline State of_row(const EntryMap& speeds, int row) {
  return State{static_cast<int>(std::find(speeds.number.begin(), speeds.number.end(), row) - speeds.number.begin())};
}

/// The mass matrix and the forces of a mechanism: those of its speeds, divided by their units.
inline MassFunction mass_in_units(const MassFunction& f, EntryMap speeds, std::shared_ptr<const Scales> units) {
  speeds.is_symmetric = true;
  const auto evaluate = [=](const auto& at, auto& out) {
    using T = std::decay_t<decltype(at.t)>;
    std::vector<T> values(static_cast<std::size_t>(speeds.width * speeds.width), T(0.0));  // one triangle of it
    typename Entries<T>::Seen seen;
    Entries<T> entries(speeds, seen, values.data());
    const DeclaredPoint<T> point(at, *units, MayRead::states);
    f(point(), entries);
    for (const auto& [i, j] : seen) {
      const State x = of_row(speeds, i), y = of_row(speeds, j);
      const auto unit = [&](State s) { return units->unknowns[static_cast<std::size_t>(s.index)]; };
      out(x, y) =
          values[static_cast<std::size_t>(std::max(i, j) * speeds.width + std::min(i, j))] / (unit(x) * unit(y));
    }
  };
  if (f.supports<Gradient>()) return MassFunction([=](const auto& at, auto& out) { evaluate(at, out); });
  return MassFunction([=](const Point<double>& at, Entries<double>& out) { evaluate(at, out); });
}

inline VectorFunction force_in_units(const VectorFunction& f, const EntryMap& speeds,
                                     std::shared_ptr<const Scales> units) {
  const auto evaluate = [=](const auto& at, auto& out) {
    using T = std::decay_t<decltype(at.t)>;
    std::vector<T> values(static_cast<std::size_t>(speeds.width), T(0.0));
    typename Terms<T>::Seen seen;
    Terms<T> terms(speeds, values.data(), &seen);
    const DeclaredPoint<T> point(at, *units);
    f(point(), terms);
    for (const auto& [row, same] : seen) {
      const State x = of_row(speeds, row);
      out[x] += values[static_cast<std::size_t>(row)] / units->unknowns[static_cast<std::size_t>(x.index)];
      values[static_cast<std::size_t>(row)] = T(0.0);  // it may have been written several times
    }
  };
  if (f.supports<Gradient>()) return VectorFunction([=](const auto& at, auto& out) { evaluate(at, out); });
  return VectorFunction([=](const Point<double>& at, Terms<double>& out) { evaluate(at, out); });
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
    if (declared.mechanics) d.mechanics = mechanics_in_units(*declared.mechanics, units);
  }

 private:
  /// A rate that is not assigned stays so: whoever looks finds what was there before.
  static Function rates_in_units(const Function& f, const std::shared_ptr<const Scales>& units,
                                 const std::vector<double>& factors) {
    if (!f) return f;
    Function made = Function::written([=](const auto& at, auto* out) {
      using T = std::decay_t<decltype(at.t)>;
      const detail::DeclaredPoint<T> point(at, *units);
      f(point(), out);
      if constexpr (!std::is_same_v<T, Pattern>) {
        for (std::size_t k = 0; k < factors.size(); ++k) out[k] = out[k] * factors[k];
      }
    });
    made.limit_to(f);
    return made;
  }
  static std::shared_ptr<const MechanicsInfo> mechanics_in_units(const MechanicsInfo& declared,
                                                                 const std::shared_ptr<const Scales>& units) {
    MechanicsInfo info = declared;
    const detail::EntryMap speeds = declared.speed_map(static_cast<int>(units->unknowns.size()));
    info.constant_masses.clear();
    for (const MechanicsInfo::ConstantMass& one : declared.constant_masses) {
      const State v{declared.speeds[static_cast<std::size_t>(one.speed)]};
      const double unit = units->unknowns[static_cast<std::size_t>(v.index)];
      if (const double* value = std::get_if<double>(&one.value)) {
        info.constant_masses.push_back({one.speed, *value / (unit * unit)});
      } else {
        info.masses.emplace_back(
            [=, p = std::get<Parameter>(one.value)](const auto& at, auto& M) { M(v, v) = at[p] / (unit * unit); });
      }
    }
    for (std::size_t i = 0; i < declared.masses.size(); ++i)
      info.masses[i] = detail::mass_in_units(declared.masses[i], speeds, units);
    for (detail::VectorFunction& one : info.forces) one = detail::force_in_units(one, speeds, units);
    for (Function& one : info.potentials) one = detail::in_units(one, units, 1, detail::MayRead::states);
    for (Function& one : info.kinetic_energies) one = detail::in_units(one, units, 1, detail::MayRead::states);
    for (MechanicsInfo::ConstraintInfo& one : info.constraints) {
      const auto first = units->joints.begin() + one.first_row;
      one.g = detail::in_units(one.g, units, std::vector<double>(first, first + one.rows), detail::MayRead::states);
    }
    for (ContactInfo& one : info.contacts) {
      one.gap = detail::in_units(one.gap, units, 1, detail::MayRead::states);
      one.slip_speed = detail::in_units(one.slip_speed, units, 1, detail::MayRead::states);
      one.normal_force = detail::in_units(one.normal_force, units, 1);
    }
    return std::make_shared<const MechanicsInfo>(std::move(info));
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
