// Function: a user's functor, erased. It keeps one plain function pointer per scalar the functor accepts, so a generic
// lambda can be evaluated with numbers, duals, ranges and patterns through one indirect call each.
//
//   const auto& at           generic: exact derivatives, proved ranges; its course does not depend on a state
//   differentiable(f)        generic, but may branch on states: derivatives of the branch taken, no ranges
//   black_box(f), or         numbers only: derivatives by differences, events by sampling
//   const Point<double>& at
#pragma once

#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pawl/point.hpp"

namespace pawl {

using Gradient = Dual<8>;
using Curvature = Dual<8, Gradient>;  ///< second derivatives too
using Scalars = std::tuple<double, Gradient, Pattern, Interval, Jet<double>, Jet<Interval>, Curvature>;

namespace detail {

template <class F, class... Allowed>
struct Restricted {
  F f;

  template <class T>
  requires(std::is_same_v<T, Allowed> || ...) auto operator()(const Point<T>& at) const { return f(at); }
  template <class T>
  requires(std::is_same_v<T, Allowed> || ...) auto operator()(const Point<T>& at, int i, int j) const {
    return f(at, i, j);
  }
  template <class T>
  requires(std::is_same_v<T, Allowed> || ...) void operator()(const Point<T>& at, Rates<T>& d) const { f(at, d); }
};

}  // namespace detail

/// A function that may branch on states and is still differentiated exactly, along the branch taken.
template <class F>
auto differentiable(F f) {
  return detail::Restricted<F, double, Gradient>{std::move(f)};
}

/// A function evaluated with plain numbers only, whatever its signature would allow.
template <class F>
auto black_box(F f) {
  return detail::Restricted<F, double>{std::move(f)};
}

class Function {
 public:
  template <class T>
  using Entry = void (*)(const void* functor, const Point<T>& at, T* out);

  Function() = default;

  /// Erases rates: f(at, d).
  template <class F>
  static Function rates(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&, Rates<double>&>,
                  "pawl: rates are a function (const auto& at, auto& d) that assigns d[x] for every state x; "
                  "it is called const, so a mutable lambda is refused");
    return erase<RatesCall>(std::move(f));
  }

  /// Erases an observable: f(at) -> number. It is only ever evaluated with numbers, so it may do what it likes.
  template <class F>
  static Function observable(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&>,
                  "pawl: expected a function (const auto& at) that returns a number; it is called const, so a mutable "
                  "lambda is refused");
    return erase<ObservableCall>(std::move(f));
  }

  /// Erases a guard: f(at) -> number whose zero is an event.
  template <class F>
  static Function guard(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&>,
                  "pawl: a guard is a function (const auto& at) that returns a number; it is called const, so a "
                  "mutable lambda is refused");
    return erase<GuardCall>(std::move(f));
  }

  /// Erases a family of guards: f(at, i, j) -> number, for the member of the point.
  template <class F>
  static Function family(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&, int, int>,
                  "pawl: a family of guards is a function (const auto& at, int i, int j) that returns a number; it is "
                  "called const, so a mutable lambda is refused");
    return erase<FamilyCall>(std::move(f));
  }

  /// Erases a function with several results: f(at) -> number, or std::array of them. It is differentiated, so it must
  /// be generic; Curvature gives its second derivatives, Jet those along a motion.
  template <int count, class F>
  static Function rows(F f) {
    static_assert(
        std::is_invocable_v<const F&, const Point<double>&> && std::is_invocable_v<const F&, const Point<Gradient>&>,
        "pawl: constraints, potentials and invariants are functions (const auto& at) that return a number or "
        "a std::array of numbers; they are differentiated, so black boxes and mutable lambdas are refused");
    return erase<RowsCall<count>::template Call>(std::move(f));
  }

  /// Erases equations: f(at) -> number, or std::array of them, zero where they hold; at[dot(x)] is the unknown rate.
  template <int count, class F>
  static Function equations(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&>,
                  "pawl: an equation is a function (const auto& at) that returns a number, or a std::array of numbers, "
                  "that is zero where it holds; it is called const, so a mutable lambda is refused");
    return erase<RowsCall<count>::template Call>(std::move(f));
  }

  /// Erases a function of time: f(t) -> number, with whatever scalar time has.
  template <class F>
  static Function of_time(F f) {
    static_assert(
        std::is_invocable_v<const F&, const double&> && std::is_invocable_v<const F&, const Jet<Interval>&>,
        "pawl: an input is a function (const auto& t) of time that returns a number; it is differentiated, so "
        "black boxes and mutable lambdas are refused: measured courses are polylines or splines");
    return erase<TimeCall>(std::move(f));
  }

  explicit operator bool() const { return functor_ != nullptr; }

  template <class T>
  bool supports() const {
    return std::get<Entry<T>>(entries_) != nullptr;
  }

  /// Requires supports<T>(). Writes one value, or one rate per state.
  template <class T>
  void operator()(const Point<T>& at, T* out) const {
    std::get<Entry<T>>(entries_)(functor_.get(), at, out);
  }

  template <class T>
  Entry<T> entry() const {
    return std::get<Entry<T>>(entries_);
  }
  const void* functor() const { return functor_.get(); }

 private:
  // Nobody asks these kinds of function for second derivatives, so a user's function is not even compiled for them: the
  // conjunction looks at the call only after the scalar.
  template <class T, class F, class... Arguments>
  static constexpr bool takes =
      std::conjunction_v<std::negation<std::is_same<T, Curvature>>, std::is_invocable<F, Arguments...>>;

  template <class T, class F>
  struct RatesCall {
    static constexpr bool accepts = takes<T, const F&, const Point<T>&, Rates<T>&>;
    static void call(const void* functor, const Point<T>& at, T* out) {
      Rates<T> d(out);
      (*static_cast<const F*>(functor))(at, d);
    }
  };
  template <class T, class F>
  struct GuardCall {
    static constexpr bool accepts = takes<T, const F&, const Point<T>&>;
    static void call(const void* functor, const Point<T>& at, T* out) { *out = (*static_cast<const F*>(functor))(at); }
  };
  template <class T, class F>
  struct FamilyCall {
    static constexpr bool accepts = takes<T, const F&, const Point<T>&, int, int>;
    static void call(const void* functor, const Point<T>& at, T* out) {
      const Pair member = at.around()->member;
      *out = (*static_cast<const F*>(functor))(at, member.i, member.j);
    }
  };
  template <class T, class F>
  struct ObservableCall {
    static constexpr bool accepts = std::is_same_v<T, double>;
    static void call(const void* functor, const Point<T>& at, T* out) { *out = (*static_cast<const F*>(functor))(at); }
  };

  template <class T, class F>
  struct TimeCall {
    static constexpr bool accepts = true;
    static void call(const void* functor, const Point<T>& at, T* out) {
      *out = (*static_cast<const F*>(functor))(at.t);
    }
  };

  template <int count>
  struct RowsCall {
    template <class T, class F>
    struct Call {
      static constexpr bool accepts = !std::is_same_v<T, Interval> && !std::is_same_v<T, Jet<Interval>> &&
                                      std::is_invocable_v<const F&, const Point<T>&>;
      static void call(const void* functor, const Point<T>& at, T* out) {
        const auto result = (*static_cast<const F*>(functor))(at);
        if constexpr (count == 1 && std::is_constructible_v<T, decltype(result)>) {
          out[0] = result;
        } else {
          for (int row = 0; row < count; ++row) out[row] = result[static_cast<std::size_t>(row)];
        }
      }
    };
  };

  template <template <class, class> class Call, class F>
  static Function erase(F f) {
    Function function;
    function.functor_ = std::make_shared<const F>(std::move(f));
    fill<Call, F>(function.entries_);
    return function;
  }
  template <template <class, class> class Call, class F, class... T>
  static void fill(std::tuple<Entry<T>...>& entries) {
    (fill_one<Call<T, F>>(std::get<Entry<T>>(entries)), ...);
  }
  template <class Call, class E>
  static void fill_one(E& entry) {
    if constexpr (Call::accepts) entry = &Call::call;
  }

  template <class List>
  struct EntriesOf;
  template <class... T>
  struct EntriesOf<std::tuple<T...>> {
    using type = std::tuple<Entry<T>...>;
  };

  std::shared_ptr<const void> functor_;
  EntriesOf<Scalars>::type entries_{};
};

template <class F>
Signal Signal::function(F f, const std::vector<double>& corners) {
  return of_function(std::make_shared<const Function>(Function::of_time(std::move(f))), corners);
}

template <class T>
T Point<T>::operator[](Input u) const {
  note_mode();
  const Signal::Piece& piece = around_->held->inputs[static_cast<std::size_t>(u.index)].now();
  if (piece.function) {
    T value{};
    (*piece.function)(*this, &value);
    return value;
  }
  const std::array<double, 4>& c = piece.c;
  if (!std::is_same_v<T, Pattern> && c[1] == 0 && c[2] == 0 && c[3] == 0) return T(c[0]);
  const T s = t - piece.origin;
  if (c[2] == 0 && c[3] == 0) return c[0] + c[1] * s;
  return c[0] + s * (c[1] + s * (c[2] + c[3] * s));
}

}  // namespace pawl
