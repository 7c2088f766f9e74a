#include "formulate/mechanics_rows.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "formulate/contact_forces.hpp"
#include "formulate/declared_held.hpp"
#include "formulate/quaternion_rate.hpp"

namespace pawl::formulate {

namespace {

using Shared = std::shared_ptr<const System::Declarations>;

std::size_t at_(int i) {
  return static_cast<std::size_t>(i);
}

constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);

/// T, with derivatives of its own. A series has one, behind its own coefficients: of what is linear in it there are no
/// products below twice the order.
///   f(x + far s^(n+1) v) = f(x) + far s^(n+1) (f'(x) v) + O(s^(2n+2)),   x, v up to s^n
/// It is so large that what f(x) itself has there is nothing beside it.
template <class T>
using Slopes = std::conditional_t<std::is_same_v<T, Series>, Series, Dual<width, T>>;
template <class T>
constexpr int slopes_at_once = std::is_same_v<T, Series> ? 1 : width;
constexpr double far = 0x1p300;

template <class T>
concept Differentiable = std::is_same_v<T, double> || std::is_same_v<T, Gradient>;
template <class T>
concept DifferentiableOften = Differentiable<T> || std::is_same_v<T, Series>;

/// The same number, with room for slopes. order: of series.
template <class T>
Slopes<T> without_slopes(const T& x, [[maybe_unused]] std::size_t order) {
  if constexpr (std::is_same_v<T, Series>) {
    Series wide = x;
    wide.order = 2 * order + 1;
    return wide;
  } else {
    return x;
  }
}
template <class T>
void set_slope(Slopes<T>& x, [[maybe_unused]] std::size_t k, const T& slope) {
  if constexpr (std::is_same_v<T, Series>) {
    const std::size_t order = x.order / 2;
    for (std::size_t i = 0; i <= order; ++i) x.c[order + 1 + i] = far * slope.c[i];
  } else {
    x.slope[k] = slope;
  }
}
template <class T>
T slope_of(const Slopes<T>& x, [[maybe_unused]] std::size_t k) {
  if constexpr (std::is_same_v<T, Series>) {
    Series slope;
    if (x.order == 0) return slope;  // a number
    slope.order = x.order / 2;
    for (std::size_t i = 0; i <= slope.order; ++i) slope.c[i] = x.c[slope.order + 1 + i] / far;
    return slope;
  } else {
    return x.slope[k];
  }
}
template <class T>
std::size_t order_of([[maybe_unused]] const T& time) {
  if constexpr (std::is_same_v<T, Series>)
    return time.order;
  else
    return 0;
}

/// All unknowns of a point, to be given slopes.
template <class T>
class Copy {
 public:
  explicit Copy(const Point<T>& at)
      : around_{at.around()->held}, parameters_(at.parameters()), time_(without_slopes(at.t, order_of(at.t))) {
    const int count = static_cast<int>(at.around()->held->states);
    values_.reserve(at_(count));
    for (int i = 0; i < count; ++i) values_.push_back(without_slopes(at[State{i}], order_of(at.t)));
  }
  Slopes<T>& operator[](int state) { return values_[at_(state)]; }
  Point<Slopes<T>> point() const { return {time_, values_.data(), parameters_, &around_}; }
  Slopes<T>& time() { return time_; }

 private:
  std::vector<Slopes<T>> values_;
  detail::Surroundings<Slopes<T>> around_;
  const double* parameters_;
  Slopes<T> time_;
};

template <class T>
std::array<T, 4> orientation(const MechanicsInfo& info, const MechanicsInfo::AttitudeInfo& attitude,
                             const Point<T>& at) {
  std::array<T, 4> q{};
  for (int i = 0; i < 4; ++i) q[at_(i)] = at[State{info.positions[at_(attitude.first_position + i)]}];
  return q;
}

/// q' at the point, position after position.
template <class T>
void position_rates(const MechanicsInfo& info, const Point<T>& at, T* rates) {
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    if (info.speed_of[i] >= 0) rates[i] = at[State{info.speeds[at_(info.speed_of[i])]}];
  }
  for (const MechanicsInfo::AttitudeInfo& attitude : info.attitudes) {
    std::array<T, 3> v{};
    for (int i = 0; i < 3; ++i) v[at_(i)] = at[State{info.speeds[at_(attitude.first_speed + i)]}];
    const auto [w, x, y, z] = orientation(info, attitude, at);
    const auto rate = quaternion_rate(w, x, y, z, v.data());
    for (int i = 0; i < 4; ++i) rates[attitude.first_position + i] = rate[at_(i)];
  }
}

struct Kinematics {
  Shared model;

  template <class T>
  void operator()(const Point<T>& at, T* out) const {
    const MechanicsInfo& info = *model->mechanics;
    position_rates(info, at, out);
    for (std::size_t i = 0; i < info.positions.size(); ++i) out[i] -= at[dot(State{info.positions[i]})];
  }
};

/// M v' = f - dV/dq - G^T λ.
class Balance {
 public:
  Balance(Shared model, int first_multiplier)
      : model_(std::move(model)), info_(*model_->mechanics), first_multiplier_(first_multiplier) {
    force_map_ = info_.speed_map(static_cast<int>(model_->state_names.size()));
    mass_map_ = force_map_;
    mass_map_.is_symmetric = true;
    attitude_of_.assign(info_.positions.size(), -1);
    for (std::size_t a = 0; a < info_.attitudes.size(); ++a)
      for (int i = 0; i < 4; ++i) attitude_of_[at_(info_.attitudes[a].first_position + i)] = static_cast<int>(a);
    is_mechanical_.assign(model_->state_names.size(), false);
    for (const auto* list : {&info_.positions, &info_.speeds})
      for (const int state : *list) is_mechanical_[at_(state)] = true;
    moves_inertia_.assign(model_->state_names.size(), false);
    for (const auto& f : info_.masses) {
      const bool moves = note_moving(f);
      mass_moves_ = mass_moves_ || moves;
    }
    for (const Function& energy : info_.kinetic_energies) note_moving(energy);
    is_of_contact_.assign(info_.constraints.size(), false);
    for (const ContactInfo& contact : info_.contacts) {
      if (contact.slip >= 0) is_of_contact_[at_(contact.slip)] = true;
      if (contact.compliance) is_of_contact_[at_(contact.normal)] = true;
    }
  }

  template <DifferentiableOften T>
  void operator()(const Point<T>& at, T* out) const {
    const std::size_t n = info_.speeds.size();
    std::fill(out, out + n, T(0.0));
    Terms<T> force(force_map_, out);
    for (const auto& f : info_.forces) f(at, force);
    Copy<T> states(at);
    subtract_inertia(at, states, out);
    Slopes<T> value;
    for (const Function& potential : info_.potentials) {
      add_gradient(
          at, states, info_.positions,
          [&] {
            potential(states.point(), &value);
            return &value;
          },
          [](const Slopes<T>* row, std::size_t k) { return -slope_of<T>(*row, k); }, false, out);
    }
    std::vector<Slopes<T>> rows;
    for (std::size_t c = 0; c < info_.constraints.size(); ++c) {
      const MechanicsInfo::ConstraintInfo& one = info_.constraints[c];
      if (!is_of_contact_[c] && !one.only_when.holds(*at.around()->held)) continue;
      rows.resize(at_(one.rows));
      const auto pull = [&](const Slopes<T>* all, std::size_t k) {
        T sum(0.0);
        for (int r = 0; r < one.rows; ++r)
          sum -= slope_of<T>(all[r], k) * at[State{first_multiplier_ + one.first_row + r}];
        return sum;
      };
      add_gradient(
          at, states, one.is_on_speeds ? info_.speeds : info_.positions,
          [&] {
            one.g(states.point(), rows.data());
            return rows.data();
          },
          pull, one.is_on_speeds, out);
    }
  }

  /// Whether they can be evaluated with derivatives.
  bool is_exact() const {
    const auto takes = [](const auto& f) { return f.template supports<Gradient>(); };
    return info_.kinetic_energies.empty() && std::all_of(info_.masses.begin(), info_.masses.end(), takes) &&
           (!mass_moves_ || std::all_of(info_.masses.begin(), info_.masses.end(),
                                        [](const auto& f) { return f.template supports<Curvature>(); })) &&
           std::all_of(info_.forces.begin(), info_.forces.end(), takes) &&
           std::all_of(info_.potentials.begin(), info_.potentials.end(),
                       [](const Function& f) { return f.supports<Curvature>(); }) &&
           std::all_of(info_.constraints.begin(), info_.constraints.end(),
                       [](const auto& one) { return one.g.template supports<Curvature>(); });
  }
  /// Whether they can be differentiated along a motion as often as one likes.
  bool takes_series() const {
    const auto takes = [](const auto& f) { return f.template supports<Series>(); };
    return info_.kinetic_energies.empty() && std::all_of(info_.masses.begin(), info_.masses.end(), takes) &&
           std::all_of(info_.forces.begin(), info_.forces.end(), takes) &&
           std::all_of(info_.potentials.begin(), info_.potentials.end(), takes) &&
           std::all_of(info_.constraints.begin(), info_.constraints.end(),
                       [&](const auto& one) { return takes(one.g); });
  }

 private:
  template <class T>
  void subtract_inertia(const Point<T>& at, Copy<T>& states, T* out) const {
    const std::size_t n = info_.speeds.size();
    const auto acceleration = [&](std::size_t j) { return at[dot(State{info_.speeds[j]})]; };
    const auto speed = [&](std::size_t j) { return at[State{info_.speeds[j]}]; };
    std::vector<T> momentum(n, T(0.0));
    for (const auto& [i, m] : info_.constant_masses) {
      const double mass = m.index() == 0 ? std::get<double>(m) : at[std::get<Parameter>(m)];
      out[i] -= mass * acceleration(at_(i));
      momentum[at_(i)] += mass * speed(at_(i));
    }
    if (!info_.masses.empty()) {
      std::vector<T> mass(n * n, T(0.0));
      Entries<T> entries(mass_map_, mass.data());
      for (const auto& f : info_.masses) f(at, entries);
      for_each_pair([&](std::size_t i, std::size_t j, std::size_t place) {
        out[i] -= mass[place] * acceleration(j);
        momentum[i] += mass[place] * speed(j);
      });
      if (mass_moves_) subtract_motion_of_mass(at, states, out);
    }
    for (const Function& energy : info_.kinetic_energies) subtract_kinetic(at, states, energy, momentum.data(), out);
    for (const MechanicsInfo::AttitudeInfo& turning : info_.attitudes) {
      const auto first = at_(turning.first_speed);
      const T *p = momentum.data() + first, w[3] = {speed(first), speed(first + 1), speed(first + 2)};
      for (std::size_t k = 0; k < 3; ++k)
        out[first + k] -= w[(k + 1) % 3] * p[(k + 2) % 3] - w[(k + 2) % 3] * p[(k + 1) % 3];
    }
  }

  /// (i, j) and (j, i) share their place.
  template <class Do>
  void for_each_pair(const Do& act) const {
    const std::size_t n = info_.speeds.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        act(i, j, i * n + j);
        if (j < i) act(j, i, i * n + j);
      }
    }
  }

  /// Gives everything that moves masses its rate, along the motion. The rate of an unknown that they do not read is not
  /// asked for: an algebraic one would be taken for one that is differentiated.
  template <class T>
  void set_motion(const Point<T>& at, Copy<T>& states, bool with_accelerations) const {
    std::vector<T> rates(info_.positions.size(), T(0.0));
    position_rates(info_, at, rates.data());
    for (std::size_t s = 0; s < model_->state_names.size(); ++s) {
      const int state = static_cast<int>(s);
      if (is_mechanical_[s] || !moves_inertia_[s]) continue;
      set_slope<T>(states[state], 0, at[dot(State{state})]);
    }
    for (std::size_t i = 0; i < rates.size(); ++i) set_slope<T>(states[info_.positions[i]], 0, rates[i]);
    if (with_accelerations)
      for (const int state : info_.speeds) set_slope<T>(states[state], 0, at[dot(State{state})]);
    set_slope<T>(states.time(), 0, T(1.0));
  }
  template <class T>
  void stop(Copy<T>& states) const {
    for (std::size_t s = 0; s < model_->state_names.size(); ++s) set_slope<T>(states[static_cast<int>(s)], 0, T(0.0));
    set_slope<T>(states.time(), 0, T(0.0));
  }

  /// dM/dt v - S^T d(v^T M v / 2)/dq.
  template <class T>
  void subtract_motion_of_mass(const Point<T>& at, Copy<T>& states, T* out) const {
    const std::size_t n = info_.speeds.size();
    std::vector<Slopes<T>> mass(n * n);
    const auto evaluate = [&] {
      std::fill(mass.begin(), mass.end(), Slopes<T>(0.0));
      Entries<Slopes<T>> entries(mass_map_, mass.data());
      for (const auto& f : info_.masses) f(states.point(), entries);
      return mass.data();
    };
    const auto speed = [&](std::size_t j) { return at[State{info_.speeds[j]}]; };
    set_motion(at, states, false);
    evaluate();
    stop(states);
    for_each_pair(
        [&](std::size_t i, std::size_t j, std::size_t place) { out[i] -= slope_of<T>(mass[place], 0) * speed(j); });
    const auto share = [&](const Slopes<T>* all, std::size_t k) {
      T sum(0.0);
      for_each_pair([&](std::size_t i, std::size_t j, std::size_t place) {
        sum += 0.5 * slope_of<T>(all[place], k) * speed(i) * speed(j);
      });
      return sum;
    };
    add_gradient(at, states, info_.positions, evaluate, share, false, out);
  }

  /// d/dt dT/dv - S^T dT/dq of a kinetic energy, and its momenta: second derivatives, so that only numbers are left.
  template <class T>
  void subtract_kinetic(const Point<T>& at, Copy<T>& /*states*/, const Function& energy, T* momentum, T* out) const {
    if constexpr (std::is_same_v<T, double>) {
      Copy<double> moving(at);
      set_motion(at, moving, true);
      Point<Gradient> along = moving.point();
      Copy<Gradient> states(along);
      Curvature value;
      const auto evaluate = [&] {
        energy(states.point(), &value);
        return &value;
      };
      const int n = static_cast<int>(info_.speeds.size());
      for (int begin = 0; begin < n; begin += width) {
        const int end = std::min(begin + width, n);
        for (int k = begin; k < end; ++k) states[info_.speeds[at_(k)]].slope[at_(k - begin)] = Gradient(1.0);
        evaluate();
        for (int k = begin; k < end; ++k) {
          states[info_.speeds[at_(k)]].slope[at_(k - begin)] = Gradient(0.0);
          momentum[k] += value.slope[at_(k - begin)].value;
          out[k] -= value.slope[at_(k - begin)].slope[0];
        }
      }
      std::vector<Gradient> by_position(at_(n), Gradient(0.0));
      add_gradient(
          along, states, info_.positions, evaluate, [](const Curvature* row, std::size_t k) { return row->slope[k]; },
          false, by_position.data());
      for (int k = 0; k < n; ++k) out[k] += by_position[at_(k)].value;
    }
  }

  /// Adds share(rows, k) of every seed to the force on it; of a quaternion, to the torques.
  template <class T, class Evaluate, class Share>
  void add_gradient(const Point<T>& at, Copy<T>& states, const std::vector<int>& seeds, const Evaluate& evaluate,
                    const Share& share, bool on_speeds, T* out) const {
    const int count = static_cast<int>(seeds.size());
    for (int begin = 0; begin < count; begin += slopes_at_once<T>) {
      const int end = std::min(begin + slopes_at_once<T>, count);
      for (int k = begin; k < end; ++k) set_slope<T>(states[seeds[at_(k)]], at_(k - begin), T(1.0));
      const auto* rows = evaluate();
      for (int k = begin; k < end; ++k) {
        set_slope<T>(states[seeds[at_(k)]], at_(k - begin), T(0.0));
        const T part = share(rows, at_(k - begin));
        const int attitude = on_speeds ? -1 : attitude_of_[at_(k)];
        if (attitude < 0) {
          out[on_speeds ? k : info_.speed_of[at_(k)]] += part;
          continue;
        }
        const MechanicsInfo::AttitudeInfo& turning = info_.attitudes[at_(attitude)];
        for (int axis = 0; axis < 3; ++axis) {
          std::array<T, 3> unit{T(0.0), T(0.0), T(0.0)};
          unit[at_(axis)] = T(1.0);
          const auto [w, x, y, z] = orientation(info_, turning, at);
          const auto along = quaternion_rate(w, x, y, z, unit.data());
          out[turning.first_speed + axis] += part * along[at_(k - turning.first_position)];
        }
      }
    }
  }

  /// Whether entries depend on a state or the time; throws Misuse where that cannot be differentiated.
  bool note_moving(const detail::MassFunction& f) {
    if (!f.supports<Gradient>()) {
      throw Misuse(fmt::format(
          "system '{}': a mass matrix beside equations of other kinds is differentiated: it must take const auto& at",
          model_->name));
    }
    return note_inputs(f.supports<Pattern>(), info_.speeds.size() * info_.speeds.size(),
                       [&](const Point<Pattern>& at, Pattern* mass) {
                         Entries<Pattern> entries(mass_map_, mass);
                         f(at, entries);
                       });
  }
  bool note_moving(const Function& energy) {
    return note_inputs(energy.supports<Pattern>(), 1, [&](const Point<Pattern>& at, Pattern* out) { energy(at, out); });
  }

  /// What the results of a function are made from; one that branches may read everything. False: they are constant.
  template <class Evaluate>
  bool note_inputs(bool shows_pattern, std::size_t results, const Evaluate& evaluate) {
    if (!shows_pattern) {
      moves_inertia_.assign(moves_inertia_.size(), true);
      return true;
    }
    PatternTape tape;
    const std::size_t n = model_->state_names.size();
    std::vector<Pattern> states, out(results);
    for (std::size_t i = 0; i < n; ++i) states.push_back(tape.variable(static_cast<int>(i)));
    const Held held = declared_held(*model_);
    const detail::Surroundings<Pattern> around{&held};
    evaluate(Point<Pattern>(tape.variable(static_cast<int>(n)), states.data(), held.parameters.data(), &around),
             out.data());
    bool moves = false;
    for (const Pattern& one : out) {
      for (const int input : tape.inputs_of(one)) {
        moves = true;
        if (at_(input) < n) moves_inertia_[at_(input)] = true;
      }
    }
    return moves;
  }

  Shared model_;
  const MechanicsInfo& info_;
  int first_multiplier_;
  bool mass_moves_ = false;
  std::vector<bool> is_mechanical_;  // per state
  std::vector<bool> moves_inertia_;  // per state: a mass or a kinetic energy reads it
  detail::EntryMap force_map_, mass_map_;
  std::vector<int> attitude_of_;     // per position, -1 if none
  std::vector<bool> is_of_contact_;  // per constraint: its multiplier may act where its rows are not in force
};

/// Where the row is left out, the equation in its place.
template <class T>
void share_load(const Point<T>& at, int first_multiplier, int row, T& out) {
  for (const LoadShare& share : at.around()->held->shares) {
    if (share.row != row) continue;
    out = T(0.0);
    for (const auto& [other, factor] : share.factors) out += factor * at[State{first_multiplier + other}];
  }
}

/// The rows of a constraint that no contact has laws for.
struct Joint {
  Shared model;
  int number, first_multiplier;

  const MechanicsInfo::ConstraintInfo& info() const { return model->mechanics->constraints[at_(number)]; }

  template <class T>
  void operator()(const Point<T>& at, T* out) const {
    const Held& held = *at.around()->held;
    const bool is_in_force = info().only_when.holds(held);
    if (is_in_force) info().g(at, out);
    for (int r = 0; r < info().rows; ++r) {
      const int row = info().first_row + r;
      if (is_in_force)
        share_load(at, first_multiplier, row, out[r]);
      else
        out[r] = at[State{first_multiplier + row}];
    }
  }
};

/// The derivative along the motion of a gap of a compliant contact: δ and δ'.
template <class T>
std::pair<T, T> moving_value(const MechanicsInfo& info, const MechanicsInfo::ConstraintInfo& one, const Point<T>& at) {
  Copy<T> moving(at);
  std::vector<T> rates(info.positions.size(), T(0.0));
  position_rates(info, at, rates.data());
  for (std::size_t i = 0; i < rates.size(); ++i) moving[info.positions[i]].slope[0] = rates[i];
  moving.time().slope[0] = T(1.0);
  Slopes<T> row;
  one.g(moving.point(), &row);
  return {row.value, row.slope[0]};
}

/// λN of a compliant contact, as it is loaded and unloaded.
struct CompliantNormal {
  Shared model;
  int contact, first_multiplier;

  template <Differentiable T>
  T operator()(const Point<T>& at) const {
    const MechanicsInfo& info = *model->mechanics;
    const ContactInfo& law = info.contacts[at_(contact)];
    const MechanicsInfo::ConstraintInfo& one = info.constraints[at_(law.normal)];
    const T force = at[State{first_multiplier + one.first_row}];
    if (!ContactForces::acts(law, *at.around()->held)) return force;
    const auto [depth, rate] = moving_value(info, one, at);
    return force - law.compliance->continued(depth, rate);
  }
};

/// λT of a contact that slips, by the law of friction.
struct Friction {
  Shared model;
  int contact, first_multiplier;

  const MechanicsInfo& info() const { return *model->mechanics; }
  const ContactInfo& law() const { return info().contacts[at_(contact)]; }
  const MechanicsInfo::ConstraintInfo& rows() const { return info().constraints[at_(law().slip)]; }
  template <class T>
  T multiplier(const Point<T>& at, int row) const {
    return at[State{first_multiplier + row}];
  }

  template <Differentiable T>
  void operator()(const Point<T>& at, T* out) const {
    const Held& held = *at.around()->held;
    const bool acts = ContactForces::acts(law(), held);
    if (!acts && rows().only_when.holds(held)) {
      rows().g(at, out);
      for (int i = 0; i < rows().rows; ++i) share_load(at, first_multiplier, rows().first_row + i, out[i]);
      return;
    }
    for (int i = 0; i < rows().rows; ++i) out[i] = multiplier(at, rows().first_row + i);
    if (!acts) return;
    std::array<T, 2> u{}, d{};
    rows().g(at, u.data());  // minus the slip
    for (int i = 0; i < law().tangents; ++i) u[at_(i)] = -u[at_(i)];
    find_direction(held, u, d);
    const T most = value_of(law().friction, at.parameters()) * pressing(at);
    for (int i = 0; i < law().tangents; ++i) out[i] += most * d[at_(i)];
  }

 private:
  template <class T>
  T pressing(const Point<T>& at) const {
    if (law().kind == ContactInfo::Kind::driven) {
      T force(0.0);
      law().normal_force(at, &force);
      return force < 0.0 ? T(0.0) : force;
    }
    const int row = info().constraints[at_(law().normal)].first_row;
    const double sign = law().side >= 0 ? at.around()->held->modes[at_(law().side)] : 1;
    return sign * multiplier(at, row);
  }
  template <class T>
  void find_direction(const Held& held, const std::array<T, 2>& u, std::array<T, 2>& d) const {
    const double smoothing = law().smoothing > 0 ? law().smoothing : law().compliance ? compliant_slip_speed : 0;
    if (law().tangents == 1) {
      const bool forward = held.modes[at_(law().mode)] == static_cast<int>(ContactMode::slip);
      d[0] = smoothing > 0 ? tanh(u[0] / smoothing) : T(forward ? 1.0 : -1.0);
      return;
    }
    if (smoothing > 0) {
      const T squares = u[0] * u[0] + u[1] * u[1];
      const T scale = squares > 0.0 ? tanh(sqrt(squares) / smoothing) / sqrt(squares) : T(1 / smoothing);
      for (std::size_t i = 0; i < 2; ++i) d[i] = scale * u[i];
      return;
    }
    const double* direction = held.numbers.data() + law().direction;
    std::array<T, 2> turned{};
    for (std::size_t i = 0; i < 2; ++i) turned[i] = u[i] + direction[slip_onset] * direction[i];
    const T length = hypot(turned[0], turned[1]);
    for (std::size_t i = 0; i < 2; ++i) d[i] = length > 0.0 ? turned[i] / length : T(direction[i]);
  }
};

/// 0 = what friction and compliance take - w'.
struct FrictionWork {
  Shared model;
  int first_multiplier;

  template <Differentiable T>
  T operator()(const Point<T>& at) const {
    const MechanicsInfo& info = *model->mechanics;
    T power = -at[dot(State{info.friction_work})];
    std::array<T, 2> u{};
    for (const ContactInfo& contact : info.contacts) {
      if (!ContactForces::acts(contact, *at.around()->held)) continue;
      if (contact.compliance) {
        const auto& normal = info.constraints[at_(contact.normal)];
        const auto [depth, rate] = moving_value(info, normal, at);
        power += (at[State{first_multiplier + normal.first_row}] - contact.compliance->spring(depth)) * rate;
      }
      if (contact.slip < 0) continue;
      const auto& slip = info.constraints[at_(contact.slip)];
      slip.g(at, u.data());  // minus the slip
      for (int i = 0; i < contact.tangents; ++i) power += at[State{first_multiplier + slip.first_row + i}] * u[at_(i)];
    }
    return power;
  }
};

}  // namespace

Penetration penetration(const MechanicsInfo& info, const ContactInfo& contact, const Point<double>& at) {
  const auto [depth, rate] = moving_value(info, info.constraints[at_(contact.normal)], at);
  return {depth, rate};
}

void append_mechanics_rows(const Shared& declared, int first_multiplier, std::vector<EquationInfo>& equations) {
  const MechanicsInfo& info = *declared->mechanics;
  const auto named = [&](const char* words, const std::vector<int>& states) {
    std::vector<std::string> names;
    for (const int state : states) names.push_back(fmt::format("{} '{}'", words, declared->state_names[at_(state)]));
    return names;
  };
  equations.push_back({"kinematics", Function::written(Kinematics{declared}), static_cast<int>(info.positions.size()),
                       named("rate of", info.positions)});
  const Balance balance(declared, first_multiplier);
  Function forces = Function::written(balance);
  if (!balance.is_exact()) forces.forget<Gradient>();
  if (!balance.takes_series()) forces.forget<Series>();
  equations.push_back({"balance of forces", std::move(forces), static_cast<int>(info.speeds.size()),
                       named("balance of forces on", info.speeds)});

  std::vector<int> slip_of(info.constraints.size(), -1), compliant(info.constraints.size(), -1);
  for (std::size_t c = 0; c < info.contacts.size(); ++c) {
    if (info.contacts[c].slip >= 0) slip_of[at_(info.contacts[c].slip)] = static_cast<int>(c);
    if (info.contacts[c].compliance) compliant[at_(info.contacts[c].normal)] = static_cast<int>(c);
  }
  for (std::size_t k = 0; k < info.constraints.size(); ++k) {
    const MechanicsInfo::ConstraintInfo& one = info.constraints[k];
    EquationInfo row{one.name, {}, one.rows};
    if (compliant[k] >= 0) {
      row.f = Function::equations<1>(CompliantNormal{declared, compliant[k], first_multiplier});
    } else if (slip_of[k] >= 0) {
      row.f = Function::written(Friction{declared, slip_of[k], first_multiplier});
      const Function& load = info.contacts[at_(slip_of[k])].normal_force;
      if (load && !load.supports<Gradient>()) row.f.forget<Gradient>();
    } else {
      row.f = Function::written(Joint{declared, static_cast<int>(k), first_multiplier});
      row.f.limit_to(one.g);
    }
    equations.push_back(std::move(row));
  }
  if (info.friction_work >= 0)
    equations.push_back({declared->state_names[at_(info.friction_work)],
                         Function::equations<1>(FrictionWork{declared, first_multiplier})});
}

}  // namespace pawl::formulate
