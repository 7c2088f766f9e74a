// Point: one instant of a model, the single argument of every model function. Rates: where its derivatives are written.
//
//   [=](const auto& at, auto& d) { d[height] = at[speed]; d[speed] = -at[gravity]; }
//
// States move, so they have the scalar type T the engine needs at that moment (a number, a Dual, ...). Parameters are
// held between events, so they are plain doubles and may be branched on.
#pragma once

#include "pawl/handle.hpp"
#include "pawl/scalar.hpp"

namespace pawl {

template <class T>
class Point {
 public:
  Point(T time, const T* states, const double* parameters) : t(time), states_(states), parameters_(parameters) {}

  T t;  ///< time

  const T& operator[](State x) const { return states_[x.index]; }
  double operator[](Parameter p) const { return parameters_[p.index]; }

 private:
  const T* states_;
  const double* parameters_;
};

template <class T>
class Rates {
 public:
  explicit Rates(T* rates) : rates_(rates) {}

  T& operator[](State x) { return rates_[x.index]; }

 private:
  T* rates_;
};

}  // namespace pawl
