#include "event/observe.hpp"

#include <algorithm>

#include "event/sliding.hpp"

namespace pawl::event {

namespace {

bool slides(const Held& held) {
  return std::find(held.sides.begin(), held.sides.end(), RelaySide::sliding) != held.sides.end();
}

std::vector<double> relay_values(detail::Dynamics& dynamics, Held held, double t, const double* x) {
  dynamics.follow(held);
  Sliding sliding(dynamics, held, static_cast<int>(dynamics.model().state_names.size()));
  sliding.refresh();
  const detail::Surroundings<double> around{&held};
  const double* values = sliding.relay_values(Point<double>(t, x, held.parameters.data(), &around));
  return {values, values + held.levels.size()};
}

}  // namespace

Scene::Scene(detail::Dynamics& dynamics, const Held& held, double t, const double* x)
    : model_(dynamics.model()),
      rates_(dynamics.rates(), static_cast<int>(model_.state_names.size())),
      around_{&dynamics.held_at(held, t, x), {}, nullptr, &rates_},
      point_(t, x, held.parameters.data(), &around_) {
  around_.multipliers = dynamics.multipliers();
  if (slides(held)) {
    relays_ = relay_values(dynamics, held, t, x);
    around_.relays = relays_.data();
  }
  dynamics.follow(held);
}

double Scene::observable(int index) const {
  double value = 0;
  model_.observables[static_cast<std::size_t>(index)](point_, &value);
  return value;
}

double observe(detail::Dynamics& dynamics, const Held& held, int observable, double t, const double* x) {
  return Scene(dynamics, held, t, x).observable(observable);
}

}  // namespace pawl::event
