// The scalars that are larger, or whose operations are.
#include "model/interpreter_body.hpp"

namespace pawl::model {

template void interpret(const std::uint32_t*, Interval*, const double*, const Interval*, Interval*);
template void interpret(const std::uint32_t*, Jet<Interval>*, const double*, const Jet<Interval>*, Jet<Interval>*);
template void interpret(const std::uint32_t*, Curvature*, const double*, const Curvature*, Curvature*);
template void interpret(const std::uint32_t*, Series*, const double*, const Series*, Series*);

}  // namespace pawl::model
