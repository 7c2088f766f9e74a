// integrate: the inlined route for smooth problems. The right-hand side, the number of states and the method are known
// to the compiler, so nothing is called through a pointer.
//
//   constexpr State x{0}, v{1};
//   const auto oscillator = [=](const auto& at, auto& d) { d[x] = at[v]; d[v] = -at[x]; };
//   const Result run = integrate(oscillator, {1.0, 0.0}, {.end = 10, .tolerance = 1e-9});
//
// Another method is one more include, of its table or of all of them:
//
//   #include "pawl/tableaus.hpp"
//   const Result fine = integrate<verner_9>(oscillator, {1.0, 0.0}, {.end = 10, .tolerance = 1e-13});
#pragma once

#include <array>
#include <string>
#include <utility>

#include "pawl/explicit_runge_kutta.hpp"
#include "pawl/run.hpp"
#include "pawl/tableaus/tsitouras_5.hpp"

namespace pawl {

namespace detail {

/// A point of a problem without parameters: asking for one does not compile.
class InlinedPoint : public Point<double> {
 public:
  using Point::operator[];
  using Point::Point;
  template <class P>
  requires std::is_same_v<P, Parameter>
  double operator[](P) const {
    static_assert(never<P>,
                  "pawl: integrate() has no parameters: capture the number in the function, or use simulate()");
    return 0;
  }
};

template <class F>
struct InlinedField {
  static constexpr bool is_inlined = true;
  F f;
  void operator()(double t, const double* x, double* rates) const {
    Rates<double> d(rates);
    f(InlinedPoint(t, x, nullptr), d);
  }
};

/// States named x1, x2, ...; the method checked against the one compiled in.
Setup check_inlined(int size, const double* start, Options options, std::string_view method, bool is_adaptive,
                    Function rates);

}  // namespace detail

template <const auto& table = tsitouras_5, class F, std::size_t n>
Result integrate(F f, const double (&start)[n], const Options& options) {
  const detail::Setup setup = detail::check_inlined(static_cast<int>(n), start, options, table.name,
                                                    table.embedded_order > 0, Function::rates(f));
  using Field = detail::InlinedField<F>;
  ExplicitRungeKutta<table, Field, static_cast<int>(n)> stepper(Field{std::move(f)}, static_cast<int>(n),
                                                                detail::step_control(setup));
  return detail::run(setup, stepper);
}

template <const auto& table = tsitouras_5, class F, std::size_t n>
Result integrate(F f, const std::array<double, n>& start, const Options& options) {
  return integrate<table>(std::move(f), *reinterpret_cast<const double(*)[n]>(start.data()), options);
}

}  // namespace pawl
