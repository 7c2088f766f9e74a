#include "model/interpreter_body.hpp"
#include "model/lanes.hpp"

namespace pawl::model {

template <>
inline constexpr bool is_small<Lanes> = true;

template void interpret(const std::uint32_t*, Lanes*, const double*, const Lanes*, Lanes*);

}  // namespace pawl::model
