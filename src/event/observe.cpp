#include "event/observe.hpp"

#include <algorithm>

#include "event/model_rates.hpp"
#include "event/sliding.hpp"

namespace pawl::event {

namespace {

/// What a run on a manifold leaves behind has working memory: one thread at a time.
class Reading {
 public:
  explicit Reading(const System::Declarations& model) {
    if (model.reading) lock_ = std::unique_lock(*model.reading);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

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

double observe(const System::Declarations& model, const Held& held, int observable, double t, const double* x) {
  const Reading reading(model);
  const ModelRates<double> rates(model.rates, static_cast<int>(model.state_names.size()));
  detail::Surroundings<double> around{&held, {}, nullptr, &rates};
  around.multipliers = model.multipliers.get();
  std::vector<double> relays;
  if (slides(held)) {
    relays = relay_values(model, held, t, x);
    around.relays = relays.data();
  }
  if (model.follow) model.follow(held);
  double value = 0;
  model.observables[static_cast<std::size_t>(observable)](Point<double>(t, x, held.parameters.data(), &around), &value);
  return value;
}

double multiplier(const System::Declarations& model, const Held& held, int row, double t, const double* x) {
  const Reading reading(model);
  detail::Surroundings<double> around{&held};
  around.multipliers = model.multipliers.get();
  std::vector<double> relays;
  if (slides(held)) {
    relays = relay_values(model, held, t, x);
    around.relays = relays.data();
  }
  if (model.follow) model.follow(held);
  return Point<double>(t, x, held.parameters.data(), &around)[Constraint{row}];
}

double relay_value(const System::Declarations& model, const Held& held, int relay, double t, const double* x) {
  const Reading reading(model);
  const auto r = static_cast<std::size_t>(relay);
  return held.sides[r] == RelaySide::sliding ? relay_values(model, held, t, x)[r] : held.levels[r];
}

}  // namespace pawl::event
