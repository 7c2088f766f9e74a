#include "formulate/inertial_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "formulate/quaternion_rate.hpp"

namespace pawl::formulate {

namespace {

constexpr int width = static_cast<int>(std::tuple_size_v<decltype(Gradient::slope)>);

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

InertialTerms::InertialTerms(const System::Declarations& model)
    : model_(model),
      info_(*model.mechanics),
      n_(static_cast<int>(info_.speeds.size())),
      attitude_of_(info_.positions.size(), -1),
      is_speed_(model.state_names.size()),
      is_position_(model.state_names.size()) {
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    for (int i = 0; i < 4; ++i) attitude_of_[at(info_.attitudes[a].first_position + i)] = static_cast<int>(a);
  }
  for (const int state : info_.speeds) is_speed_[at(state)] = 1;
  for (const int state : info_.positions) is_position_[at(state)] = 1;
  for (const auto& f : info_.masses) (f.supports<Gradient>() ? smooth_ : black_boxes_).push_back(&f);
  is_twice_differentiable_ = black_boxes_.empty() && info_.kinetic_energies.empty();
  for (const auto* f : smooth_) is_twice_differentiable_ &= f->supports<Curvature>();
  if (!black_boxes_.empty()) {
    moves_ = all_moves();
    x_moved_.resize(is_speed_.size());
  }
  if (!info_.kinetic_energies.empty()) curvatures_.resize(is_speed_.size());
  linear_.resize(at(n_));
}

// ---- values

double InertialTerms::number_of(const MechanicsInfo::ConstantMass& mass, const Held& held) {
  return mass.value.index() == 0 ? std::get<double>(mass.value)
                                 : held.parameters[at(std::get<Parameter>(mass.value).index)];
}

template <class E>
void InertialTerms::set_constants(const Held& held, E* entries) const {
  static_assert(std::is_trivially_copyable_v<E>);  // and zero is zeros
  std::memset(static_cast<void*>(entries), 0, sizeof(E) * at(places_));
  for (const auto& mass : info_.constant_masses)
    entries[map_.is_sparse() ? map_.first[at(mass.speed) + 1] - 1 : mass.speed * (map_.width + 1)] +=
        E(number_of(mass, held));
}

void InertialTerms::evaluate_declared(double t, const double* x, const Held& held, double* mass) {
  set_constants(held, mass);
  const detail::Surroundings<double> around{&held};
  Entries<double> entries(map_, mass);
  for (const auto& f : info_.masses) f(Point<double>(t, x, held.parameters.data(), &around), entries);
}

void InertialTerms::evaluate_mass(double t, const double* x, const Held& held, double* mass) {
  evaluate_declared(t, x, held, mass);
  add_kinetic_mass(t, x, held, mass);
}

void InertialTerms::add_kinetic_mass(double t, const double* x, const Held& held, double* mass) {
  for (const Kinetic& kinetic : kinetics_) add_kinetic(kinetic, t, x, nullptr, nullptr, held, mass, nullptr);
}

// ---- values and what follows from their change

template <class T>
InertialTerms::Work<T>& InertialTerms::work() {
  if constexpr (std::is_same_v<T, double>) {
    return work_;
  } else {
    return work_dual_;
  }
}

template <class T>
T InertialTerms::rate_of(const Direction& direction, const T* q_rate, const T* rates) const {
  if (direction.position >= 0) return q_rate[direction.position];
  return direction.state >= 0 ? rates[direction.state] : T(1.0);
}

template <class T>
void InertialTerms::add_along(int position, const T& by_position, const T* x, T* Q) const {
  const int attitude = attitude_of_[at(position)];
  if (attitude < 0) {
    Q[info_.speed_of[at(position)]] += by_position;
    return;
  }
  const auto& [first, first_speed] = info_.attitudes[at(attitude)];
  const int* state = info_.positions.data() + first;
  for (int axis = 0; axis < 3; ++axis) {
    double unit[3] = {0, 0, 0};
    unit[axis] = 1;
    const auto column = quaternion_rate(x[state[0]], x[state[1]], x[state[2]], x[state[3]], unit);
    Q[first_speed + axis] += by_position * column[at(position - first)];
  }
}

template <class T>
void InertialTerms::evaluate(const T& t, const T* x, const T* q_rate, const T* rates, const Held& held, T* mass, T* Q) {
  std::fill(Q, Q + n_, T(0.0));
  if constexpr (std::is_same_v<T, double>) {
    std::fill(linear_.begin(), linear_.end(), 0.0);
    const bool has_black_boxes = !black_boxes_.empty();
    if (has_black_boxes || structure_.directions.empty()) evaluate_declared(t, x, held, mass);
    if (!structure_.directions.empty())
      differentiate<T>(t, x, q_rate, rates, held, has_black_boxes ? nullptr : mass, Q);
    if (has_black_boxes) difference(t, x, q_rate, rates, held, Q);
    for (const Kinetic& kinetic : kinetics_) add_kinetic(kinetic, t, x, q_rate, rates, held, mass, Q);
  } else {
    differentiate<T>(t, x, q_rate, rates, held, mass, Q);
  }
  if (has_gyroscopes_) add_gyroscopes(x, mass, Q);
}

template void InertialTerms::evaluate(const double&, const double*, const double*, const double*, const Held&, double*,
                                      double*);
template void InertialTerms::evaluate(const Gradient&, const Gradient*, const Gradient*, const Gradient*, const Held&,
                                      Gradient*, Gradient*);

template <class T>
void InertialTerms::differentiate(const T& t, const T* x, const T* q_rate, const T* rates, const Held& held, T* mass,
                                  T* Q) {
  if constexpr (std::is_same_v<T, double>) {
    if (has_single_slopes_) return differentiate_on<T>(single_, t, x, q_rate, rates, held, mass, Q);
  }
  differentiate_on<T>(work<T>().bench, t, x, q_rate, rates, held, mass, Q);
}

template <class T, class Outer>
void InertialTerms::differentiate_on(Bench<Outer>& bench, const T& t, const T* x, const T* q_rate, const T* rates,
                                     const Held& held, T* mass, T* Q) {
  constexpr int slopes = static_cast<int>(std::tuple_size_v<decltype(Outer::slope)>);
  Work<T>& work = this->work<T>();
  const std::vector<Direction>& directions = structure_.directions;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    work.rate[d] = rate_of(directions[d], q_rate, rates);
    work.energy[d] = T(0.0);
  }
  const detail::Surroundings<Outer> around{&held};
  for (int begin = 0; begin < std::max(groups_, 1); begin += slopes) {
    Outer time(t);
    for (const Direction& direction : directions) {
      Outer& z = direction.state >= 0 ? bench.states[at(direction.state)] : time;
      if (direction.state >= 0) z = Outer(x[direction.state]);
      const int place = direction.group - begin;
      if (place >= 0 && place < slopes) z.slope[at(place)] = T(1.0);
    }
    set_constants(held, bench.entries.data());
    Entries<Outer> entries(map_, bench.entries.data());
    const Point<Outer> point(time, bench.states.data(), held.parameters.data(), &around);
    for (const auto* f : smooth_) (*f)(point, entries);
    if (mass != nullptr && begin == 0)
      for (int place = 0; place < places_; ++place) mass[place] = bench.entries[at(place)].value;
    for (const Entry* one = structure_.entries.data(); one != &structure_.entries.back(); ++one) {
      const int i = one->i, j = one->j;
      const T& vi = x[info_.speeds[at(i)]];
      const T& vj = x[info_.speeds[at(j)]];
      const T share = (i == j ? 0.5 : 1.0) * vi * vj;
      const T* by_group = bench.entries[at(one->place)].slope.data();
      T change(0.0);
      for (int r = one->first_read; r < one[1].first_read; ++r) {
        const auto d = at(structure_.reads[at(r)]);
        const int place = slopes == 1 ? 0 : directions[d].group - begin;
        if (place < 0 || place >= slopes) continue;
        change += by_group[place] * work.rate[d];
        work.energy[d] += share * by_group[place];
      }
      Q[i] -= change * vj;
      if (i != j) Q[j] -= change * vi;
    }
  }
  for (std::size_t d = 0; d < directions.size(); ++d) {
    if (directions[d].position >= 0) add_along(directions[d].position, work.energy[d], x, Q);
  }
}

void InertialTerms::difference(double t, const double* x, const double* q_rate, const double* rates, const Held& held,
                               double* Q) {
  const double reach = std::cbrt(std::numeric_limits<double>::epsilon());
  std::copy(x, x + x_moved_.size(), x_moved_.begin());
  const detail::Surroundings<double> around{&held};
  const auto masses_at = [&](double time, std::vector<double>& out) {
    std::fill(out.begin(), out.end(), 0.0);
    Entries<double> entries(map_, out.data());
    for (const auto* f : black_boxes_)
      (*f)(Point<double>(time, x_moved_.data(), held.parameters.data(), &around), entries);
  };
  for (const Direction& move : moves_) {
    const double value = move.state >= 0 ? x[move.state] : t;
    const bool has_nominal = move.state >= 0 && !model_.nominals.empty() && model_.nominals[at(move.state)] > 0;
    const double step = reach * std::max(std::abs(value), has_nominal ? model_.nominals[at(move.state)] : 1.0);
    const double before = value - step, after = value + step;
    const auto moved_to = [&](double place, std::vector<double>& out) {
      if (move.state >= 0) x_moved_[at(move.state)] = place;
      masses_at(move.state >= 0 ? t : place, out);
    };
    moved_to(after, ahead_);
    moved_to(before, behind_);
    if (move.state >= 0) x_moved_[at(move.state)] = value;
    const double rate = rate_of(move, q_rate, rates);
    double energy = 0;
    for_each_place([&](int i, int j, int place) {
      const double slope = (ahead_[at(place)] - behind_[at(place)]) / (after - before);
      const double vi = x[info_.speeds[at(i)]], vj = x[info_.speeds[at(j)]];
      energy += (i == j ? 0.5 : 1.0) * vi * vj * slope;
      Q[i] -= slope * rate * vj;
      if (i != j) Q[j] -= slope * rate * vi;
    });
    if (move.position >= 0) add_along(move.position, energy, x, Q);
  }
}

// Outer derivatives are by speeds; inner ones by speeds, along the motion, and by positions.
void InertialTerms::add_kinetic(const Kinetic& kinetic, double t, const double* x, const double* q_rate,
                                const double* rates, const Held& held, double* mass, double* Q) {
  const std::vector<int>&speeds = kinetic.speeds, &positions = kinetic.positions;
  const int count = static_cast<int>(speeds.size()), motion = count,
            all = Q == nullptr ? count : count + 1 + static_cast<int>(positions.size());
  const detail::Surroundings<Curvature> around{&held};
  for (int outer = 0; outer < std::max(count, 1); outer += width) {
    for (int inner = 0; inner < all; inner += width) {
      const bool has_pairs = inner <= motion && inner < outer + width;
      const bool has_motion = Q != nullptr && inner <= motion && motion < inner + width;
      if (!has_pairs && !has_motion && outer > 0) continue;
      const auto seed = [&](Curvature& z, int number) {
        if (number >= inner && number < inner + width) z.value.slope[at(number - inner)] = 1;
      };
      for (int k = 0; k < count; ++k) {
        const int state = info_.speeds[at(speeds[at(k)])];
        Curvature& z = curvatures_[at(state)] = Curvature(x[state]);
        seed(z, k);
        if (k >= outer && k < outer + width) z.slope[at(k - outer)] = Gradient(1.0);
      }
      for (std::size_t k = 0; k < positions.size(); ++k) {
        const int state = info_.positions[at(positions[k])];
        Curvature& z = curvatures_[at(state)] = Curvature(x[state]);
        if (Q != nullptr) seed(z, motion + 1 + static_cast<int>(k));
        if (has_motion) z.value.slope[at(motion - inner)] = q_rate[positions[k]];
      }
      for (const int state : kinetic.others) {
        Curvature& z = curvatures_[at(state)] = Curvature(x[state]);
        if (has_motion) z.value.slope[at(motion - inner)] = rates[state];
      }
      Curvature time(t), energy;
      if (has_motion) time.value.slope[at(motion - inner)] = 1;
      (*kinetic.f)(Point<Curvature>(time, curvatures_.data(), held.parameters.data(), &around), &energy);
      for (int a = outer; a < std::min(outer + width, count); ++a) {
        const Gradient& by_speed = energy.slope[at(a - outer)];
        const int i = speeds[at(a)];
        for (int b = inner; b < std::min(inner + width, a + 1); ++b) {
          const int j = speeds[at(b)];
          const double m = by_speed.slope[at(b - inner)];
          mass[place(i, j)] += m;
          linear_[at(i)] -= m * x[info_.speeds[at(j)]];
          if (i != j) linear_[at(j)] -= m * x[info_.speeds[at(i)]];
        }
        if (inner == 0) linear_[at(i)] += by_speed.value;
        if (has_motion) Q[i] -= by_speed.slope[at(motion - inner)];
      }
      if (outer > 0) continue;
      for (int b = std::max(inner, motion + 1); b < std::min(inner + width, all); ++b)
        add_along(positions[at(b - motion - 1)], energy.value.slope[at(b - inner)], x, Q);
    }
  }
}

// -ω × p; for a body alone with its inertia the same about all axes it is zero.
template <class T>
void InertialTerms::add_gyroscopes(const T* x, const T* mass, T* Q) {
  std::vector<T>& momentum = work<T>().momentum;
  const bool is_coupled = std::find(is_single_.begin(), is_single_.end(), 0) != is_single_.end();
  if (is_coupled) {
    std::fill(momentum.begin(), momentum.end(), T(0.0));
    for_each_place([&](int i, int j, int place) {
      momentum[at(i)] += mass[place] * x[info_.speeds[at(j)]];
      if (i != j) momentum[at(j)] += mass[place] * x[info_.speeds[at(i)]];
    });
    if constexpr (std::is_same_v<T, double>) {
      for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] += linear_[i];
    }
  }
  for (std::size_t a = 0; a < info_.attitudes.size(); ++a) {
    const int first = info_.attitudes[a].first_speed;
    T w[3], p[3];
    for (int k = 0; k < 3; ++k) {
      w[k] = x[info_.speeds[at(first + k)]];
      p[k] = is_single_[a] ? mass[place(first + k, first + k)] * w[k] : momentum[at(first + k)];
    }
    const auto inertia = [&](int k) { return mass[place(first + k, first + k)]; };
    if (is_single_[a] && inertia(0) == inertia(1) && inertia(1) == inertia(2)) continue;
    for (int k = 0; k < 3; ++k) Q[first + k] -= w[(k + 1) % 3] * p[(k + 2) % 3] - w[(k + 2) % 3] * p[(k + 1) % 3];
  }
}

}  // namespace pawl::formulate
