#include "model/interpreter_body.hpp"

namespace pawl::model {

template void interpret(const std::uint32_t*, double*, const double*, const double*, double*);
template void interpret(const std::uint32_t*, Gradient*, const double*, const Gradient*, Gradient*);
template void interpret(const std::uint32_t*, Pattern*, const double*, const Pattern*, Pattern*);
template void interpret(const std::uint32_t*, Jet<double>*, const double*, const Jet<double>*, Jet<double>*);

}  // namespace pawl::model
