#include "formulate/guard_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "formulate/declared_held.hpp"

namespace pawl::formulate {

namespace {

/// One declaration: a guard, all members of a family, or one guard of a block.
struct Watched {
  GuardInfo guard;
  int first;  // unknown

  bool is_watched(const Held& held) const { return guard.only_when.is_always_true() || guard.only_when.holds(held); }

  /// The guard for one member, at a point like this one.
  template <class T>
  T value(const Point<T>& at, Pair member) const {
    detail::Surroundings<T> around = *at.around();
    around.member = member;
    std::vector<T> values(static_cast<std::size_t>(guard.rows), T(0.0));
    guard.g(Point<T>(at.t, at.states(), at.parameters(), &around), values.data());
    at.around()->reads_modes |= around.reads_modes;
    at.around()->reads_parameters |= around.reads_parameters;
    at.around()->reads_multipliers |= around.reads_multipliers;
    return values[static_cast<std::size_t>(guard.row)];
  }
};

struct AlgebraicRows : Watched {
  template <class T>
  void operator()(const Point<T>& at, T* out) const {
    const bool is_on = is_watched(*at.around()->held);
    for (std::size_t k = 0; k < guard.members.size(); ++k) {
      out[k] = -at[State{first + static_cast<int>(k)}];
      if (is_on) out[k] += value(at, guard.members[k]);
    }
  }
};

/// States that move at their rates.
class Moving final : public detail::LazyStates<Jet<double>> {
 public:
  explicit Moving(const Point<double>& at) : at_(at), jets_(at.around()->held->states) {}
  const Jet<double>& state(int index) const override {
    return jets_[static_cast<std::size_t>(index)] = {at_[State{index}], at_[dot(State{index})], 0.0};
  }

 private:
  const Point<double>& at_;
  mutable std::vector<Jet<double>> jets_;
};

struct DifferentialRows : Watched {
  void operator()(const Point<double>& at, double* out) const {
    const bool is_on = is_watched(*at.around()->held);
    for (std::size_t k = 0; k < guard.members.size(); ++k) {
      out[k] = -at[dot(State{first + static_cast<int>(k)})];
      if (is_on) out[k] += rate(at, guard.members[k]);
    }
  }
  /// What the guard reads, and the rates of that.
  void operator()(const Point<Pattern>& at, Pattern* out) const {
    const bool is_on = is_watched(*at.around()->held);
    const std::size_t states = at.around()->held->states;
    std::vector<Pattern> moving(states);
    for (std::size_t i = 0; i < states && is_on; ++i) {
      const State x{static_cast<int>(i)};
      moving[i] = at[x] + at[dot(x)];
    }
    const Point<Pattern> along(at.t, moving.data(), at.parameters(), at.around());
    for (std::size_t k = 0; k < guard.members.size(); ++k) {
      out[k] = -at[dot(State{first + static_cast<int>(k)})];
      if (is_on) out[k] = out[k] + value(along, guard.members[k]);
    }
  }

 private:
  double rate(const Point<double>& at, Pair member) const {
    const Held& held = *at.around()->held;
    if (guard.g.supports<Jet<double>>()) {
      const Moving states(at);
      const detail::Surroundings<Jet<double>> around{&held};
      return value(Point<Jet<double>>(Jet<double>::variable(at.t), detail::StateAccess<Jet<double>>{{&states}},
                                      at.parameters(), &around),
                   member)
          .slope;
    }
    // A black box: the difference quotient along the motion that loses a third of the digits.
    double size = 0, speed = 1;
    for (std::size_t i = 0; i < held.states; ++i) {
      size = std::max(size, std::abs(at[State{static_cast<int>(i)}]));
      speed = std::max(speed, std::abs(at[dot(State{static_cast<int>(i)})]));
    }
    const double length = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(size, 1.0) / speed;
    const auto moved = [&](double by) {
      std::vector<double> x(held.states);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const State one{static_cast<int>(i)};
        x[i] = at[one] + by * at[dot(one)];
      }
      return value(Point<double>(at.t + by, x.data(), at.parameters(), at.around()), member);
    };
    return (moved(length) - moved(-length)) / (2 * length);
  }
};

/// Whether a generic guard reads at[dot(x)]: there are no rates of rates.
bool reads_rates(const System::Declarations& model, const GuardInfo& guard) {
  if (!guard.g.supports<Pattern>()) return false;
  struct Asked final : detail::RateSource<Pattern> {
    Pattern rate(const Point<Pattern>&, int) const override {
      is_asked = true;
      return {};
    }
    mutable bool is_asked = false;
  } rates;
  const Held held = declared_held(model);
  const std::vector<Pattern> states(held.states), relays(model.relays.size());
  detail::Surroundings<Pattern> around{&held, guard.members.empty() ? Pair{} : guard.members.front()};
  around.relays = relays.data();
  around.rates = &rates;
  std::vector<Pattern> values(static_cast<std::size_t>(guard.rows));
  try {
    guard.g(Point<Pattern>(Pattern(), states.data(), held.parameters.data(), &around), values.data());
  } catch (const std::exception&) {  // it will throw again where that is an outcome
  }
  return rates.is_asked;
}

}  // namespace

std::shared_ptr<const System::Declarations> append_guard_rows(const std::shared_ptr<const System::Declarations>& model,
                                                              GuardRows rows) {
  auto all = std::make_shared<System::Declarations>(*model);
  for (const GuardInfo& guard : model->guards) {
    if (guard.role == GuardRole::relay_down) continue;  // the surface that relay_up has
    Watched watched{guard, static_cast<int>(all->state_names.size())};
    EquationInfo equation{fmt::format("guard '{}'", guard.name), {}, static_cast<int>(guard.members.size())};
    for (const Pair member : guard.members) {
      all->state_names.push_back(guard.is_family ? fmt::format("{}({}, {})", equation.name, member.i, member.j)
                                                 : equation.name);
      all->starts.push_back(0);
    }
    if (rows == GuardRows::differential && !reads_rates(*model, guard)) {
      equation.f = Function::written(DifferentialRows{std::move(watched)});
      if (!guard.g.supports<Pattern>()) equation.f.forget<Pattern>();
    } else {
      equation.f = Function::written(AlgebraicRows{std::move(watched)});
      equation.f.limit_to(guard.g);
    }
    all->equations.push_back(std::move(equation));
  }
  if (!all->nominals.empty()) all->nominals.resize(all->state_names.size(), 0.0);
  return all;
}

void start_guards(const System::Declarations& appended, const Held& held, double t, std::vector<double>& start) {
  std::size_t last = start.size();
  for (std::size_t i = appended.guards.size(); i-- > 0;) {
    const GuardInfo& guard = appended.guards[i];
    if (guard.role == GuardRole::relay_down) continue;
    last -= guard.members.size();
    const Watched watched{guard, static_cast<int>(last)};
    for (std::size_t k = 0; k < guard.members.size() && watched.is_watched(held); ++k) {
      struct Still final : detail::RateSource<double> {
        double rate(const Point<double>&, int) const override { return 0; }
      } rates;
      const detail::Surroundings<double> around{&held, {}, nullptr, &rates};
      try {
        const double value =
            watched.value(Point<double>(t, start.data(), held.parameters.data(), &around), guard.members[k]);
        if (std::isfinite(value)) start[last + k] = value;
      } catch (const std::exception&) {  // it will throw again where that is an outcome
      }
    }
  }
}

}  // namespace pawl::formulate
