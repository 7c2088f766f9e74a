#include "event/observe.hpp"

#include <algorithm>

#include "event/model_rates.hpp"
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

/// One instant of a run as its functions see it.
class Scene {
 public:
  Scene(const System::Declarations& model, const Held& held, double t, const double* x)
      : rates_(model.rates, static_cast<int>(model.state_names.size())), around_{&held, {}, nullptr, &rates_} {
    around_.multipliers = model.multipliers.get();
    if (slides(held)) {
      relays_ = relay_values(model, held, t, x);
      around_.relays = relays_.data();
    }
    if (model.follow) model.follow(held);
  }
  Point<double> point(double t, const double* x) const { return {t, x, around_.held->parameters.data(), &around_}; }
  const std::vector<double>& relays() const { return relays_; }

 private:
  ModelRates<double> rates_;
  std::vector<double> relays_;
  detail::Surroundings<double> around_;
};

}  // namespace

double observe(const System::Declarations& model, const Held& held, int observable, double t, const double* x) {
  const Scene scene(model, held, t, x);
  double value = 0;
  model.observables[static_cast<std::size_t>(observable)](scene.point(t, x), &value);
  return value;
}

double multiplier(const System::Declarations& model, const Held& held, int row, double t, const double* x) {
  return Scene(model, held, t, x).point(t, x)[Constraint{row}];
}

double relay_value(const System::Declarations& model, const Held& held, int relay, double t, const double* x) {
  const auto r = static_cast<std::size_t>(relay);
  return held.sides[r] == RelaySide::sliding ? Scene(model, held, t, x).relays()[r] : held.levels[r];
}

}  // namespace pawl::event
