// A false that depends on a template argument: for static_asserts that carry advice.
#pragma once

namespace pawl::detail {

template <class>
inline constexpr bool never = false;

}  // namespace pawl::detail
