// Which handles a point and a jump can read, so that a mixed-up one is explained in a line.
#pragma once

#include <type_traits>

#include "pawl/handle.hpp"
#include "pawl/never.hpp"

namespace pawl::detail {

template <class H>
inline constexpr bool is_discrete = false;
template <class E>
inline constexpr bool is_discrete<Discrete<E>> = true;

template <class H>
concept ReadByPoint = is_discrete<H> || std::is_convertible_v<H, State> || std::is_convertible_v<H, Parameter> ||
    std::is_convertible_v<H, Condition> || std::is_convertible_v<H, ConditionFamily> ||
    std::is_convertible_v<H, Relay> || std::is_convertible_v<H, Constraint> || std::is_convertible_v<H, Rate> ||
    std::is_convertible_v<H, Relation> || std::is_convertible_v<H, Input>;

template <class H>
concept ReadByJump = is_discrete<H> || std::is_convertible_v<H, State> || std::is_convertible_v<H, Parameter> ||
    std::is_convertible_v<H, Condition> || std::is_convertible_v<H, Relation> ||
    std::is_convertible_v<H, ConditionFamily> || std::is_convertible_v<H, Relay> || std::is_convertible_v<H, Input>;

// One message for all scalars.
template <class H>
constexpr void refuse_read() {
  static_assert(never<H>,
                "pawl: at[...] takes handles of what moves or is held: states, coordinates, dot(x), parameters, "
                "inputs, discrete variables, conditions, relations, relays, constraints. Guards and observables are "
                "read from the "
                "result; of an attitude or a block take one component: at[q[0]]; of a contact, at[c.normal].");
}
template <class H>
constexpr void refuse_rate_of() {
  static_assert(never<H>, "pawl: d[...] takes states: what is assigned is the rate of one.");
}
template <class H>
constexpr void refuse_jump() {
  static_assert(never<H>,
                "pawl: jump[...] takes states, parameters, inputs, discrete variables, conditions, relations and "
                "relays; ask for a guard with "
                "jump.fired(guard).");
}

}  // namespace pawl::detail
