// Lanes: a row of 64 numbers as one more scalar, with which the interpreter runs 64 iterations of a loop at once. Every
// lane is computed as a number is.
//
// The four operations give a LazyLanes, which is computed where it is assigned: what an instruction does is one loop
// without a copy between, also where its result takes the place of an operand.
#pragma once

#include <array>
#include <cstddef>

#include "model/arithmetic.hpp"
#include "pawl/number.hpp"

namespace pawl::model {

template <class F>
struct LazyLanes {
  F f;
  double operator[](std::size_t i) const { return f(i); }
};

struct Lanes {
  static constexpr std::size_t count = 64;
  std::array<double, count> lane;

  Lanes() = default;
  explicit Lanes(double all) { lane.fill(all); }

  template <class F>
  static Lanes each(const F& f) {
    Lanes y;
    for (std::size_t i = 0; i < count; ++i) y.lane[i] = f(i);
    return y;
  }

  friend Lanes operator-(const Lanes& x) {
    return each([&](std::size_t i) { return -x.lane[i]; });
  }
  template <class F>
  Lanes& operator=(const LazyLanes<F>& lazy) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < count; ++i) lane[i] = lazy[i];
    return *this;
  }

  friend Lanes sqr(const Lanes& x) {
    return x.by([](double a) { return a * a; });
  }
  friend Lanes sqrt(const Lanes& x) {
    return x.by([](double a) { return pawl::sqrt(a); });
  }
  friend Lanes cbrt(const Lanes& x) {
    return x.by([](double a) { return pawl::cbrt(a); });
  }
  friend Lanes exp(const Lanes& x) {
    return x.by([](double a) { return pawl::exp(a); });
  }
  friend Lanes log(const Lanes& x) {
    return x.by([](double a) { return pawl::log(a); });
  }
  friend Lanes sin(const Lanes& x) {
    return x.by([](double a) { return pawl::sin(a); });
  }
  friend Lanes cos(const Lanes& x) {
    return x.by([](double a) { return pawl::cos(a); });
  }
  friend Lanes tan(const Lanes& x) {
    return x.by([](double a) { return pawl::tan(a); });
  }
  friend Lanes asin(const Lanes& x) {
    return x.by([](double a) { return pawl::asin(a); });
  }
  friend Lanes acos(const Lanes& x) {
    return x.by([](double a) { return pawl::acos(a); });
  }
  friend Lanes atan(const Lanes& x) {
    return x.by([](double a) { return pawl::atan(a); });
  }
  friend Lanes sinh(const Lanes& x) {
    return x.by([](double a) { return pawl::sinh(a); });
  }
  friend Lanes cosh(const Lanes& x) {
    return x.by([](double a) { return pawl::cosh(a); });
  }
  friend Lanes tanh(const Lanes& x) {
    return x.by([](double a) { return pawl::tanh(a); });
  }
  friend Lanes abs(const Lanes& x) {
    return x.by([](double a) { return pawl::abs(a); });
  }
  friend Lanes atan2(const Lanes& x, const Lanes& y) {
    return each([&](std::size_t i) { return pawl::atan2(x.lane[i], y.lane[i]); });
  }
  friend Lanes hypot(const Lanes& x, const Lanes& y) {
    return each([&](std::size_t i) { return pawl::hypot(x.lane[i], y.lane[i]); });
  }
  friend Lanes pow(const Lanes& x, const Lanes& y) {
    return each([&](std::size_t i) { return pawl::pow(x.lane[i], y.lane[i]); });
  }
  friend Lanes pow(const Lanes& x, double y) {
    return each([&](std::size_t i) { return pawl::pow(x.lane[i], y); });
  }
  friend Lanes min(const Lanes& x, const Lanes& y) {
    return each([&](std::size_t i) { return pawl::min(x.lane[i], y.lane[i]); });
  }
  friend Lanes max(const Lanes& x, const Lanes& y) {
    return each([&](std::size_t i) { return pawl::max(x.lane[i], y.lane[i]); });
  }
  friend Lanes select(const Lanes& g, const Lanes& where_positive, const Lanes& otherwise) {
    return each([&](std::size_t i) { return pawl::select(g.lane[i], where_positive.lane[i], otherwise.lane[i]); });
  }

 private:
  template <class F>
  Lanes by(const F& f) const {
    return each([&](std::size_t i) { return f(lane[i]); });
  }
};

template <>
struct Arithmetic<Lanes> {
  template <class A, class B>
  static auto add(const A& a, const B& b) {
    return lazy([x = source(a), y = source(b)](std::size_t i) { return x(i) + y(i); });
  }
  template <class A, class B>
  static auto sub(const A& a, const B& b) {
    return lazy([x = source(a), y = source(b)](std::size_t i) { return x(i) - y(i); });
  }
  template <class A, class B>
  static auto mul(const A& a, const B& b) {
    return lazy([x = source(a), y = source(b)](std::size_t i) { return x(i) * y(i); });
  }
  template <class A, class B>
  static auto div(const A& a, const B& b) {
    return lazy([x = source(a), y = source(b)](std::size_t i) { return x(i) / y(i); });
  }

 private:
  template <class F>
  static LazyLanes<F> lazy(F f) {
    return {f};
  }
  static auto source(double x) {
    return [x](std::size_t) { return x; };
  }
  static auto source(const Lanes& x) {
    return [lane = x.lane.data()](std::size_t i) { return lane[i]; };
  }
  template <class F>
  static F source(const LazyLanes<F>& x) {
    return x.f;
  }
};

}  // namespace pawl::model
