#include "event/observe.hpp"

#include <algorithm>

#include "event/sliding.hpp"

namespace pawl::event {

namespace {

bool slides(const Held& held) {
  return std::find(held.sides.begin(), held.sides.end(), RelaySide::sliding) != held.sides.end();
}

std::vector<double> relay_values(const System::Declarations& model, Held held, double t, const double* x) {
  if (model.follow) model.follow(held);
  Sliding sliding(model, held, static_cast<int>(model.state_names.size()));
  sliding.refresh();
  const detail::Surroundings<double> around{&held};
  const double* values = sliding.relay_values(Point<double>(t, x, held.parameters.data(), &around));
  return {values, values + held.levels.size()};
}

}  // namespace

Scene::Scene(const System::Declarations& model, const Held& held, double t, const double* x)
    : model_(model),
      rates_(model.rates, static_cast<int>(model.state_names.size())),
      around_{&held, {}, nullptr, &rates_},
      point_(t, x, held.parameters.data(), &around_) {
  around_.multipliers = model.multipliers.get();
  if (slides(held)) {
    relays_ = relay_values(model, held, t, x);
    around_.relays = relays_.data();
  }
  if (model.follow) model.follow(held);
}

double Scene::observable(int index) const {
  double value = 0;
  model_.observables[static_cast<std::size_t>(index)](point_, &value);
  return value;
}

double observe(const System::Declarations& model, const Held& held, int observable, double t, const double* x) {
  return Scene(model, held, t, x).observable(observable);
}

}  // namespace pawl::event
