#include "event/sliding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pawl::event {

namespace {

/// States with a direction: the derivative of a guard along a field is the slope of its value.
template <class T>
class AlongField final : public detail::LazyStates<Jet<T>> {
 public:
  AlongField(const Point<T>& at, const std::vector<T>& f, std::vector<Jet<T>>& cache) : at_(at), f_(f), cache_(cache) {
    cache_.resize(f.size(), Jet<T>(T(0.0)));
  }
  const Jet<T>& state(int index) const override {
    Jet<T>& x = cache_[static_cast<std::size_t>(index)];
    x.value = at_[State{index}];
    x.slope = f_[static_cast<std::size_t>(index)];
    return x;
  }

 private:
  const Point<T>& at_;
  const std::vector<T>& f_;
  std::vector<Jet<T>>& cache_;
};

double smallest_size(double x) {
  return std::abs(x);
}
double smallest_size(const Interval& x) {
  return x.mig();
}

/// Gaussian elimination with row exchange; false where a pivot cannot be told from zero.
template <class T>
bool solve_in_place(std::vector<T>& a, std::vector<T>& b, std::size_t m) {
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < m; ++i) {
      if (smallest_size(a[i * m + k]) > smallest_size(a[best * m + k])) best = i;
    }
    if (!(smallest_size(a[best * m + k]) > 0)) return false;
    if (best != k) {
      for (std::size_t j = k; j < m; ++j) std::swap(a[k * m + j], a[best * m + j]);
      std::swap(b[k], b[best]);
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const T factor = a[i * m + k] / a[k * m + k];
      for (std::size_t j = k + 1; j < m; ++j) a[i * m + j] -= factor * a[k * m + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t j = k + 1; j < m; ++j) b[k] -= a[k * m + j] * b[j];
    b[k] /= a[k * m + k];
  }
  return true;
}

}  // namespace

Sliding::Sliding(const detail::Dynamics& dynamics, Held& held, int size)
    : model_(dynamics.model()), rates_(dynamics.rates()), held_(held), n_(static_cast<std::size_t>(size)) {}

void Sliding::refresh() {
  relays_.clear();
  for (std::size_t r = 0; r < held_.sides.size(); ++r) {
    if (held_.sides[r] == RelaySide::sliding) relays_.push_back(static_cast<int>(r));
  }
}

std::vector<Exit> Sliding::exits() const {
  std::vector<Exit> all;
  for (const int relay : relays_) {
    all.push_back({relay, RelaySide::below});
    all.push_back({relay, RelaySide::above});
  }
  return all;
}

template <class T>
void Sliding::field(const Point<T>& at, const std::vector<T>& relays, std::vector<T>& out) {
  out.resize(n_, T(0.0));
  detail::Surroundings<T> around = *at.around();
  around.held = &held_;
  around.relays = relays.data();
  rates_(Point<T>(at.t, at.states(), at.parameters(), &around), out.data());
  ++extra_evaluations;
}

template <class T>
T Sliding::along(int relay, const Point<T>& at, const std::vector<T>& f) {
  const AlongField<T> moving(at, f, workspace<T>().jets);
  Jet<T> time(at.t);
  time.slope = T(1.0);
  const detail::Surroundings<Jet<T>> around{&held_};
  Jet<T> g(T(0.0));
  model_.relays[static_cast<std::size_t>(relay)].g(
      Point<Jet<T>>(time, typename Point<Jet<T>>::States{{&moving}}, at.parameters(), &around), &g);
  return g.slope;
}

// f_0, the changes f_i - f_0, and the shares λ_i.
template <class T>
bool Sliding::solve(const Point<T>& at) {
  Workspace<T>& w = workspace<T>();
  const std::size_t m = relays_.size();
  w.relays.assign(held_.levels.begin(), held_.levels.end());
  for (const int r : relays_)
    w.relays[static_cast<std::size_t>(r)] = T(model_.relays[static_cast<std::size_t>(r)].below);
  field(at, w.relays, w.f0);
  w.change.assign(m * n_, T(0.0));
  w.matrix.assign(m * m, T(0.0));
  w.shares.assign(m, T(0.0));
  for (std::size_t i = 0; i < m; ++i) w.shares[i] = -along(relays_[i], at, w.f0);
  for (std::size_t j = 0; j < m; ++j) {
    const auto r = static_cast<std::size_t>(relays_[j]);
    w.relays[r] = T(model_.relays[r].above);
    field(at, w.relays, w.f);
    w.relays[r] = T(model_.relays[r].below);
    for (std::size_t k = 0; k < n_; ++k) w.change[j * n_ + k] = w.f[k] - w.f0[k];
    for (std::size_t i = 0; i < m; ++i) w.matrix[i * m + j] = along(relays_[i], at, w.f) + w.shares[i];
  }
  return solve_in_place(w.matrix, w.shares, m);
}

const std::vector<double>& Sliding::shares_at(const Point<double>& at) {
  constexpr std::size_t most = 32;
  const double* x = at.states().array;
  for (const Place& place : places_)
    if (place.t == at.t && std::equal(place.x.begin(), place.x.end(), x) && place.held == held_) return place.shares;
  if (!solve(at)) numbers_.shares.assign(relays_.size(), std::numeric_limits<double>::quiet_NaN());
  if (places_.size() < most) return places_.emplace_back(Place{at.t, {x, x + n_}, held_, numbers_.shares}).shares;
  Place& place = places_[std::exchange(oldest_place_, (oldest_place_ + 1) % most)];
  place.t = at.t;
  std::copy(x, x + n_, place.x.begin());
  place.held = held_;
  place.shares = numbers_.shares;
  return place.shares;
}

void Sliding::entry(const void* self, const Point<double>& at, double* out) {
  auto& sliding = *static_cast<Sliding*>(const_cast<void*>(self));
  const bool is_solved = sliding.solve(at);
  --sliding.extra_evaluations;  // the stepper counts one of them
  const Workspace<double>& w = sliding.numbers_;
  for (std::size_t k = 0; k < sliding.n_; ++k) {
    double sum = is_solved ? w.f0[k] : std::numeric_limits<double>::quiet_NaN();
    for (std::size_t j = 0; j < sliding.relays_.size(); ++j) sum += w.shares[j] * w.change[j * sliding.n_ + k];
    out[k] = sum;
  }
}

template <class T>
T Sliding::exit_value(const Exit& exit, const Point<T>& at) {
  Workspace<T>& w = workspace<T>();
  if (is_solved_by_model()) {
    const RelayInfo& relay = model_.relays[static_cast<std::size_t>(exit.relay)];
    const T share = (at[State{model_.first_relay + exit.relay}] - relay.below) / (relay.above - relay.below);
    return exit.to == RelaySide::below ? share : T(1.0) - share;
  }
  if (relays_.size() == 1) {  // no division: λ = -a / (a_above - a) with a_above of the other sign
    w.relays.assign(held_.levels.begin(), held_.levels.end());
    const auto r = static_cast<std::size_t>(exit.relay);
    const bool is_below = exit.to == RelaySide::below;
    w.relays[r] = T(is_below ? model_.relays[r].below : model_.relays[r].above);
    field(at, w.relays, w.f);
    const T slope = direction * along(exit.relay, at, w.f);
    return is_below ? slope : -slope;  // while it attracts, below pushes up and above pushes down
  }
  const auto i = static_cast<std::size_t>(std::find(relays_.begin(), relays_.end(), exit.relay) - relays_.begin());
  T share(0.0);
  if constexpr (std::is_same_v<T, double>)
    share = shares_at(at)[i];
  else
    share = solve(at) ? w.shares[i] : T(std::numeric_limits<double>::quiet_NaN());
  return exit.to == RelaySide::below ? share : T(1.0) - share;
}
template double Sliding::exit_value(const Exit&, const Point<double>&);
template Interval Sliding::exit_value(const Exit&, const Point<Interval>&);

template <class T>
const T* Sliding::relay_values(const Point<T>& at) {
  Workspace<T>& w = workspace<T>();
  if (is_solved_by_model()) {
    w.relays.assign(held_.levels.begin(), held_.levels.end());
    for (const int r : relays_) w.relays[static_cast<std::size_t>(r)] = at[State{model_.first_relay + r}];
    return w.relays.data();
  }
  const bool is_solved = solve(at);
  w.relays.assign(held_.levels.begin(), held_.levels.end());
  for (std::size_t i = 0; i < relays_.size(); ++i) {
    const RelayInfo& relay = model_.relays[static_cast<std::size_t>(relays_[i])];
    w.relays[static_cast<std::size_t>(relays_[i])] = is_solved ? relay.below + w.shares[i] * (relay.above - relay.below)
                                                               : T(std::numeric_limits<double>::quiet_NaN());
  }
  return w.relays.data();
}
template const double* Sliding::relay_values(const Point<double>&);
template const Interval* Sliding::relay_values(const Point<Interval>&);

double Sliding::approach(int relay, double level, const Point<double>& at) {
  std::vector<double> relays = held_.levels;
  if (is_active()) {
    const double* now = relay_values(at);
    relays.assign(now, now + held_.levels.size());
  }
  relays[static_cast<std::size_t>(relay)] = level;
  std::vector<double> f;
  field(at, relays, f);
  return along(relay, at, f);
}

bool Sliding::is_affine_with(int relay, const Point<double>& at) {
  std::vector<int> all = relays_;
  if (std::find(all.begin(), all.end(), relay) == all.end()) all.push_back(relay);
  if (all.size() < 2) return true;
  std::vector<double> relays = held_.levels, base, sum, one;
  for (const int r : all) relays[static_cast<std::size_t>(r)] = model_.relays[static_cast<std::size_t>(r)].below;
  field(at, relays, base);
  sum = base;
  for (const int r : all) {
    auto changed = relays;
    changed[static_cast<std::size_t>(r)] = model_.relays[static_cast<std::size_t>(r)].above;
    field(at, changed, one);
    for (std::size_t k = 0; k < n_; ++k) sum[k] += one[k] - base[k];
  }
  for (const int r : all) relays[static_cast<std::size_t>(r)] = model_.relays[static_cast<std::size_t>(r)].above;
  field(at, relays, one);
  for (std::size_t k = 0; k < n_; ++k) {
    if (std::abs(sum[k] - one[k]) > 1e-9 * (std::abs(sum[k]) + std::abs(base[k]) + std::abs(one[k]))) return false;
  }
  return true;
}

bool Sliding::is_possible(const Point<double>& at) {
  if (!solve(at)) return false;
  return std::all_of(numbers_.shares.begin(), numbers_.shares.end(),
                     [](double share) { return share >= 0 && share <= 1; });
}

SurfacePull::SurfacePull(const System::Declarations& model, Held& held, const Sliding& sliding,
                         const StepControl& control, int size)
    : model_(model),
      held_(held),
      sliding_(sliding),
      control_(control),
      x0_(model.relays.empty() ? 0 : static_cast<std::size_t>(size)),
      duals_(x0_.size()) {
  if (!model.relays.empty()) factors_.emplace();
}

double SurfacePull::apply(double t, double* x) {
  const std::size_t n = duals_.size(), m = sliding_.relays().size();
  std::copy(x, x + n, x0_.begin());
  G_.resize(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(n));
  g_.resize(static_cast<Eigen::Index>(m));
  constexpr std::size_t width = std::tuple_size_v<decltype(Gradient::slope)>;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < m; ++i) {
      const Function& g = model_.relays[static_cast<std::size_t>(sliding_.relays()[i])].g;
      const detail::Surroundings<Gradient> around{&held_};
      for (std::size_t first = 0; first < n; first += width) {
        for (std::size_t k = 0; k < n; ++k) duals_[k] = x[k];
        for (std::size_t k = first; k < std::min(n, first + width); ++k)
          duals_[k] = Gradient::variable(x[k], static_cast<int>(k - first));
        Gradient value;
        g(Point<Gradient>(t, duals_.data(), held_.parameters.data(), &around), &value);
        g_[static_cast<Eigen::Index>(i)] = value.value;
        for (std::size_t k = first; k < std::min(n, first + width); ++k)
          G_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = value.slope[k - first];
      }
    }
    gram_.noalias() = G_ * G_.transpose();
    factors_->compute(gram_);
    factors_->solve_in_place(g_);
    move_.noalias() = G_.transpose() * g_;
    if (!move_.allFinite()) return std::numeric_limits<double>::infinity();
    bool has_moved = false;
    for (std::size_t k = 0; k < n; ++k) {
      const double before = x[k];
      x[k] -= move_[static_cast<Eigen::Index>(k)];
      has_moved |= std::abs(x[k] - before) > 4 * std::numeric_limits<double>::epsilon() * std::abs(before);
    }
    if (!has_moved) break;
  }
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double part =
        (x[k] - x0_[k]) / (control_.absolute[k] + control_.relative * std::max(std::abs(x[k]), std::abs(x0_[k])));
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(n));
}

}  // namespace pawl::event
