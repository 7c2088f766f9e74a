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
    ++evaluations;
    values_.resize(size_, T(0.0));
    detail::Surroundings<T> around = *at.around();
    around.rates = nullptr;  // the rates of the rates would be endless
    rates_(Point<T>(at.t, at.states(), at.parameters(), &around), values_.data());
    at.around()->reads_modes |= around.reads_modes;  // what they read, the guard reads
    at.around()->reads_parameters |= around.reads_parameters;
    return values_[static_cast<std::size_t>(index)];
  }
  mutable long long evaluations = 0;  // of the right-hand side

 private:
  const Function& rates_;
  std::size_t size_;
  mutable std::vector<T> values_;
};

}  // namespace pawl::event
