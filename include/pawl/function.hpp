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
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "pawl/point.hpp"

namespace pawl {

using Gradient = Dual<8>;
using Curvature = Dual<8, Gradient>;  ///< second derivatives too

namespace detail {

template <class... T>
struct ScalarList {};
using Scalars = ScalarList<double, Gradient, Pattern, Interval, Jet<double>, Jet<Interval>, Curvature, Series>;

/// One pointer to a function per scalar; null where the function does not take it.
template <class List>
struct FunctionEntries;
template <class T>
struct FunctionEntry {
  void (*call)(const void* functor, const Point<T>& at, T* out) = nullptr;
};
template <class... T>
struct FunctionEntries<ScalarList<T...>> : FunctionEntry<T>... {};

/// A block of guards or equations writes a row that it does not have.
struct NoRow : std::out_of_range {
  NoRow(std::size_t row, std::size_t count);
  std::size_t row, count;
};

/// The results of such a block, each looked at when it is written.
template <class T>
class CheckedRows : public std::span<T> {
 public:
  using std::span<T>::span;
  T& operator[](std::size_t row) const {
    if (row >= this->size()) throw NoRow(row, this->size());
    return this->data()[row];
  }
};

/// A function that writes its rows itself. Its numbers and gradients are asked of it at once: how many rows there are,
/// and what they read, was looked at with patterns.
template <class F, class T>
concept WritesRows = (std::is_same_v<T, double> || std::is_same_v<T, Gradient>)&&requires(const F& f,
                                                                                          const Point<T>& at, T* out) {
  f.write(at, out);
};

template <class F, class... Allowed>
struct Restricted {
  F f;

  template <class T>
  requires(std::is_same_v<T, Allowed> || ...) auto operator()(const Point<T>& at) const { return f(at); }
  template <class T>
  requires(std::is_same_v<T, Allowed> || ...) auto operator()(const Point<T>& at, int i, int j) const {
    return f(at, i, j);
  }
  template <class T, template <class> class Out>
  requires(std::is_same_v<T, Allowed> || ...) void operator()(const Point<T>& at, Out<T>& out) const { f(at, out); }
  template <class T>
  requires(std::is_same_v<T, Allowed> || ...) void operator()(const Point<T>& at, std::span<T>& out) const {
    f(at, out);
  }
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
    static_assert(RatesCall<double, F>::accepts,
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
    return erase<ObservableCall>(std::move(f), 1);
  }

  /// Erases a force: f(at) -> number, with its derivatives where it takes duals; it may branch on states.
  template <class F>
  static Function force(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&>,
                  "pawl: expected a function (const auto& at) that returns a number; it is called const, so a mutable "
                  "lambda is refused");
    return erase<ForceCall>(std::move(f), 1);
  }

  /// Erases a guard: f(at) -> number whose zero is an event.
  template <class F>
  static Function guard(F f) {
    static_assert(GuardCall<double, F>::accepts,
                  "pawl: a guard is a function (const auto& at) that returns a number; it is called const, so a "
                  "mutable lambda is refused");
    return erase<GuardCall>(std::move(f), 1);
  }

  /// Erases a family of guards: f(at, i, j) -> number, for the member of the point.
  template <class F>
  static Function family(F f) {
    static_assert(FamilyCall<double, F>::accepts,
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
    return erase<RowsCall<count>::template Call>(std::move(f), count);
  }

  /// Erases equations: f(at) -> number, or std::array of them, zero where they hold; at[dot(x)] is the unknown rate.
  template <int count, class F>
  static Function equations(F f) {
    static_assert(std::is_invocable_v<const F&, const Point<double>&>,
                  "pawl: an equation is a function (const auto& at) that returns a number, or a std::array of numbers, "
                  "that is zero where it holds; it is called const, so a mutable lambda is refused");
    return erase<RowsCall<count>::template Call>(std::move(f), count);
  }

  /// Erases rows that are written one by one, f(at, T* out), as many as its user knows of.
  template <class F>
  static Function written(F f) {
    return erase<WrittenCall>(std::move(f));
  }
  /// For a function made of others: takes no scalar that this one does not take.
  void limit_to(const Function& part) { limit(entries_, part.entries_); }
  /// Is no longer evaluated with this scalar.
  template <class T>
  void forget() {
    static_cast<detail::FunctionEntry<T>&>(entries_).call = nullptr;
  }
  /// Erases guards that one function computes together: f(at, out) assigns out[0] ... out[count - 1].
  template <class F>
  static Function guard_block(F f, int count) {
    static_assert(
        std::is_invocable_v<const F&, const Point<double>&, std::span<double>&>,
        "pawl: a block of guards is a function (const auto& at, auto out) that assigns out[0], out[1], ...; it "
        "is called const, so a mutable lambda is refused");
    return erase<GuardBlockCall>(Counted<F>{std::move(f), static_cast<std::size_t>(count)}, count);
  }
  /// Erases equations whose number is known at run time: f(at, out) assigns one residual per row.
  template <class F>
  static Function equation_block(F f, int count) {
    static_assert(
        std::is_invocable_v<const F&, const Point<double>&, std::span<double>&>,
        "pawl: a block of equations is a function (const auto& at, auto out) that assigns out[0], out[1], ..., "
        "each zero where it holds; it is called const, so a mutable lambda is refused");
    return erase<EquationBlockCall>(Counted<F>{std::move(f), static_cast<std::size_t>(count)}, count);
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
    return entry<T>() != nullptr;
  }

  /// Requires supports<T>(). Writes one value, or one rate per state.
  template <class T>
  void operator()(const Point<T>& at, T* out) const {
    entry<T>()(functor_.get(), at, out);
  }

  /// How many rows it writes, of a function that knows; else 0.
  int rows() const { return rows_; }

  /// Asked where a result is not finite: which operation was the first, in words, from functions that know (those with
  /// a member why_not_finite(at)); else nothing.
  std::string why_not_finite(const Point<double>& at) const {
    return why_not_finite_ == nullptr ? std::string() : why_not_finite_(functor_.get(), at);
  }

  template <class T>
  Entry<T> entry() const {
    return static_cast<const detail::FunctionEntry<T>&>(entries_).call;
  }
  const void* functor() const { return functor_.get(); }

 private:
  // Nobody asks these kinds of function for second derivatives, so a user's function is not even compiled for them: the
  // conjunction looks at the call only after the scalar.
  template <class T, class F, class... Arguments>
  using Takes = std::conjunction<std::negation<std::is_same<T, Curvature>>, std::is_invocable<F, Arguments...>>;
  // Nor guards for derivatives beyond the second.
  template <class T, class F, class... Arguments>
  using Watches = std::conjunction<std::negation<std::is_same<T, Series>>, Takes<T, F, Arguments...>>;

  // A generic function is checked with patterns; with numbers it then need not be, and is not even compiled for the
  // point that looks at every handle. A black box takes that one.
  template <class T, class TakesPattern, class TakesScalar>
  struct Route {
    static constexpr bool is_quick = std::conjunction_v<std::is_same<T, double>, TakesPattern>;
    static constexpr bool accepts = std::disjunction_v<std::bool_constant<is_quick>, TakesScalar>;
  };
  template <class AnyRoute>
  struct Accepts : std::bool_constant<AnyRoute::accepts> {};

  template <bool is_quick, class T>
  static decltype(auto) quick_where(const Point<T>& at) {
    if constexpr (is_quick)
      return detail::QuickPoint(at);
    else
      return (at);
  }

  template <class T, class F>
  struct RatesCall : Route<T, Takes<Pattern, const F&, const Point<Pattern>&, Rates<Pattern>&>,
                           Takes<T, const F&, const Point<T>&, Rates<T>&>> {
    static void call(const void* functor, const Point<T>& at, T* out) {
      if constexpr (RatesCall::is_quick) {
        detail::QuickRates d(out);
        (*static_cast<const F*>(functor))(detail::QuickPoint(at), d);
      } else {
        Rates<T> d(out, at.around() ? at.around()->held : nullptr);
        (*static_cast<const F*>(functor))(at, d);
      }
    }
  };
  template <class T, class F>
  struct GuardCall : Route<T, Takes<Pattern, const F&, const Point<Pattern>&>, Watches<T, const F&, const Point<T>&>> {
    static void call(const void* functor, const Point<T>& at, T* out) {
      *out = (*static_cast<const F*>(functor))(quick_where<GuardCall::is_quick>(at));
    }
  };
  template <class T, class F>
  struct FamilyCall : Route<T, Takes<Pattern, const F&, const Point<Pattern>&, int, int>,
                            Watches<T, const F&, const Point<T>&, int, int>> {
    static void call(const void* functor, const Point<T>& at, T* out) {
      const Pair member = at.around()->member;
      *out = (*static_cast<const F*>(functor))(quick_where<FamilyCall::is_quick>(at), member.i, member.j);
    }
  };
  template <class T, class F>
  struct ObservableCall {
    static constexpr bool accepts = std::is_same_v<T, double>;
    static void call(const void* functor, const Point<T>& at, T* out) { *out = (*static_cast<const F*>(functor))(at); }
  };

  template <class T, class F>
  struct ForceCall {
    static constexpr bool accepts =
        std::conjunction_v<std::disjunction<std::is_same<T, double>, std::is_same<T, Gradient>>,
                           std::is_invocable<const F&, const Point<T>&>>;
    static void call(const void* functor, const Point<T>& at, T* out) { *out = (*static_cast<const F*>(functor))(at); }
  };
  template <class F>
  struct Counted {
    using Called = F;
    F f;
    std::size_t count;
  };
  template <class T, class C>
  struct GuardBlockCall
      : Route<T, Takes<Pattern, const typename C::Called&, const Point<Pattern>&, std::span<Pattern>&>,
              Watches<T, const typename C::Called&, const Point<T>&, std::span<T>&>> {
    static void call(const void* functor, const Point<T>& at, T* out) {
      const C& block = *static_cast<const C*>(functor);
      // Like handles, rows are looked at with patterns, and by black boxes.
      constexpr bool looks = std::is_same_v<T, Pattern> || (std::is_same_v<T, double> && !GuardBlockCall::is_quick);
      std::conditional_t<looks, detail::CheckedRows<T>, std::span<T>> rows(out, block.count);
      block.f(quick_where<GuardBlockCall::is_quick>(at), rows);
    }
  };
  template <class T, class C>
  struct EquationBlockCall : GuardBlockCall<T, C> {
    static constexpr bool accepts =
        std::conjunction_v<std::bool_constant<!std::is_same_v<T, Interval> && !std::is_same_v<T, Jet<Interval>>>,
                           std::is_invocable<const typename C::Called&, const Point<T>&, std::span<T>&>>;
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
      using Any =
          Route<T, std::is_invocable<const F&, const Point<Pattern>&>, std::is_invocable<const F&, const Point<T>&>>;
      static constexpr bool is_quick = Any::is_quick;
      static constexpr bool accepts =
          std::conjunction_v<std::bool_constant<!std::is_same_v<T, Interval> && !std::is_same_v<T, Jet<Interval>>>,
                             Accepts<Any>>;
      static void call(const void* functor, const Point<T>& at, T* out) {
        const auto result = (*static_cast<const F*>(functor))(quick_where<is_quick>(at));
        if constexpr (count == 1 && std::is_constructible_v<T, decltype(result)>) {
          out[0] = result;
        } else {
          for (int row = 0; row < count; ++row) out[row] = result[static_cast<std::size_t>(row)];
        }
      }
    };
  };

  template <class T, class F>
  struct WrittenCall {
    static constexpr bool accepts = std::is_invocable_v<const F&, const Point<T>&, T*>;
    static void call(const void* functor, const Point<T>& at, T* out) { (*static_cast<const F*>(functor))(at, out); }
  };

  template <class... T>
  static void limit(detail::FunctionEntries<detail::ScalarList<T...>>& entries,
                    const detail::FunctionEntries<detail::ScalarList<T...>>& part) {
    const auto limit_one = [](auto& entry, const auto& of_part) {
      if (of_part.call == nullptr) entry.call = nullptr;
    };
    (limit_one(static_cast<detail::FunctionEntry<T>&>(entries), static_cast<const detail::FunctionEntry<T>&>(part)),
     ...);
  }

  // A function that knows how many rows it writes is refused where `rows` are wanted and it has others; rates, whose
  // number is not known yet, keep theirs.
  template <template <class, class> class Call, class F>
  static Function erase(F f, int rows = 0) {
    Function function;
    if constexpr (requires { called(f).require_rows(1); }) {
      if (rows > 0) called(f).require_rows(rows);
      function.rows_ = called(f).rows();
    }
    function.functor_ = std::make_shared<const F>(std::move(f));
    fill<Call, F>(function.entries_);
    if constexpr (requires(const F& made, const Point<double>& at) { called(made).why_not_finite(at); }) {
      function.why_not_finite_ = [](const void* functor, const Point<double>& at) {
        return std::string(called(*static_cast<const F*>(functor)).why_not_finite(at));
      };
    }
    return function;
  }
  /// The user's function, of one that is kept together with its number of rows.
  template <class F>
  static const auto& called(const F& f) {
    if constexpr (requires { typename F::Called; })
      return f.f;
    else
      return f;
  }
  template <class F>
  using Called = std::remove_cvref_t<decltype(called(std::declval<const F&>()))>;
  template <template <class, class> class Call, class F, class... T>
  static void fill(detail::FunctionEntries<detail::ScalarList<T...>>& entries) {
    (fill_one<Call<T, F>, T, F>(static_cast<detail::FunctionEntry<T>&>(entries)), ...);
  }
  template <class Call, class T, class F>
  static void fill_one(detail::FunctionEntry<T>& entry) {
    if constexpr (!Call::accepts)
      return;
    else if constexpr (detail::WritesRows<Called<F>, T>) {
      entry.call = [](const void* functor, const Point<T>& at, T* out) {
        called(*static_cast<const F*>(functor)).write(at, out);
      };
    } else {
      entry.call = &Call::call;
    }
  }

  std::shared_ptr<const void> functor_;
  detail::FunctionEntries<detail::Scalars> entries_;
  std::string (*why_not_finite_)(const void* functor, const Point<double>& at) = nullptr;
  int rows_ = 0;
};

template <class F>
Signal Signal::function(F f, const std::vector<double>& corners) {
  return of_function(std::make_shared<const Function>(Function::of_time(std::move(f))), corners);
}

template <class T>
T Point<T>::operator[](Input u) const {
  note_mode();
  if (const Held* held = checked_by()) detail::own_index(u, held->inputs.size(), "input", held->model);
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
