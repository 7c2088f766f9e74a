// at[dot(x)]: the rates of the model at a point, with any scalar.
#pragma once

#include <vector>

#include "pawl/system.hpp"

namespace pawl::event {

template <class T>
class ModelRates final : public detail::RateSource<T> {
 public:
  ModelRates(const Function& rates, int size) : rates_(rates), size_(static_cast<std::size_t>(size)) {}

  T rate(const Point<T>& at, int index) const override {
    if (!rates_.supports<T>())
      throw Misuse("at[dot(x)] in a generic guard needs generic rates: declare the guard as black_box(f)");
    values_.resize(size_, T(0.0));
    detail::Surroundings<T> around = *at.around();
    const Endless endless;
    around.rates = &endless;
    rates_(Point<T>(at.t, at.states(), at.parameters(), &around), values_.data());
    return values_[static_cast<std::size_t>(index)];
  }

 private:
  struct Endless final : detail::RateSource<T> {
    T rate(const Point<T>&, int) const override { throw Misuse("the rates read at[dot(x)], which are the rates"); }
  };
  const Function& rates_;
  std::size_t size_;
  mutable std::vector<T> values_;
};

}  // namespace pawl::event
