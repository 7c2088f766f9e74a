// Held: everything a model holds constant between events. Inside a step it cannot change, whatever a trial state does:
// that is discontinuity locking, by type.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "pawl/handle.hpp"
#include "pawl/signal.hpp"

namespace pawl {

enum class RelaySide : signed char { below = -1, sliding = 0, above = 1 };

/// An input between two of its corners.
struct HeldInput {
  std::shared_ptr<const Signal> signal;
  int piece = 0;

  const Signal::Piece& now() const { return signal->pieces()[static_cast<std::size_t>(piece)]; }
  bool operator==(const HeldInput&) const = default;
};

/// Its value, with numbers.
double value_of(const HeldInput& input, double t);

/// How far guards of contacts and ideal switches are displaced, so that rounding does not fire them again: they follow
/// the sizes seen so far and are no part of a mode.
struct Margins {
  double slip = 0, voltage = 0, current = 0;
  bool operator==(const Margins&) const { return true; }
};

/// How redundant constraints share a load: the row is left out, and a combination of multipliers vanishes instead.
struct LoadShare {
  int row = 0;
  std::vector<std::pair<int, double>> factors;  ///< by rows
  bool operator==(const LoadShare&) const = default;
};

/// The value of a discrete variable that is neither a number nor part of the mode: a string, or a type of the user's
/// own that can be copied and compared. It never changes, so copies share it.
class HeldObject {
 public:
  template <class E>
  requires(!std::is_same_v<E, HeldObject>) explicit HeldObject(E value)
      : kept_(std::make_shared<const Holder<E>>(std::move(value))) {}

  template <class E>
  const E& as() const {
    const Kept& kept = *kept_;
    if (typeid(kept) != typeid(Holder<E>)) [[unlikely]]
      refuse_type();
    return static_cast<const Holder<E>&>(kept).value;
  }
  /// For people: strings in quotes, what std::to_string takes as it gives it, else nothing.
  std::string text() const { return kept_->text(); }
  bool operator==(const HeldObject& other) const { return kept_ == other.kept_ || kept_->equals(*other.kept_); }

 private:
  struct Kept {
    virtual ~Kept() = default;
    virtual bool equals(const Kept& other) const = 0;
    virtual std::string text() const = 0;
  };
  template <class E>
  struct Holder : Kept {
    explicit Holder(E v) : value(std::move(v)) {}
    bool equals(const Kept& other) const override {
      return typeid(other) == typeid(Holder) && static_cast<const Holder&>(other).value == value;
    }
    std::string text() const override {
      if constexpr (std::is_convertible_v<const E&, std::string_view>)
        return '"' + std::string(static_cast<std::string_view>(value)) + '"';
      else if constexpr (requires { std::to_string(value); })
        return std::to_string(value);
      else
        return {};
    }
    E value;
  };
  [[noreturn]] static void refuse_type();

  std::shared_ptr<const Kept> kept_;
};

struct Held {
  std::vector<double> parameters;
  std::vector<int> modes;                  ///< discrete bools, ints and enums
  std::vector<double> numbers;             ///< discrete doubles
  std::vector<HeldObject> objects;         ///< discrete variables of any other type
  std::vector<signed char> truths;         ///< conditions: 1 where it holds, else 0; relations: the sign -1, 0 or 1
  std::vector<std::vector<Pair>> members;  ///< per condition family: the members that hold, in declaration order
  std::vector<double> levels;              ///< relays: the level in force
  std::vector<RelaySide> sides;            ///< relays
  std::vector<HeldInput> inputs;
  std::vector<LoadShare> shares = {};  ///< in mixtures
  Margins margins;
  int model = 0;           ///< the System it belongs to, as its handles say it; 0: not known
  std::size_t states = 0;  ///< how many the System has, where it is known
  /// Where multipliers and the values of relays are unknowns like others (docs/mixtures.md): the first state that is
  /// one; -1: they are not.
  int first_multiplier = -1, first_relay = -1;

  bool operator==(const Held&) const = default;
};

namespace detail {

/// Throws a Misuse that names both systems.
[[noreturn]] void refuse_handle(const char* kind, int index, int model, std::size_t count, int own);

/// The index of a handle of this system (`own`), of which there are `count`; else throws Misuse.
template <class Handle>
std::size_t own_index(const Handle& handle, std::size_t count, const char* kind, int own) {
  const auto i = static_cast<std::size_t>(handle.index);
  const bool is_own = handle.model == own || handle.model == 0 || own == 0;
  if (!is_own || i >= count) [[unlikely]]
    refuse_handle(kind, handle.index, handle.model, count, own);
  return i;
}

/// Where the values of a discrete variable of type E are kept.
template <class E>
inline constexpr bool is_mode = (std::is_enum_v<E> || std::is_integral_v<E>)&&sizeof(E) <= sizeof(int);
template <class E>
inline constexpr bool is_object = !std::is_same_v<E, double> && !is_mode<E>;
template <class E>
using StoredAs = std::conditional_t<std::is_same_v<E, double>, double, std::conditional_t<is_mode<E>, int, HeldObject>>;

/// The same place in Held, or in anything that has `modes`, `numbers` and `objects`.
template <class E, class Place>
auto& kept_in(Place& place) {
  if constexpr (std::is_same_v<E, double>)
    return place.numbers;
  else if constexpr (is_mode<E>)
    return place.modes;
  else
    return place.objects;
}
template <class E>
inline constexpr const char* kind_of_discrete = std::is_same_v<E, double> ? "discrete number"
                                                : is_mode<E>              ? "discrete variable"
                                                                          : "discrete object";

/// What is stored, as the variable has it: objects by reference.
template <class E>
std::conditional_t<is_object<E>, const E&, E> value_of_stored(const StoredAs<E>& stored) {
  if constexpr (is_object<E>)
    return stored.template as<E>();
  else
    return static_cast<E>(stored);
}

}  // namespace detail
}  // namespace pawl
