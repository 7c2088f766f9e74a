// The functions of the library that code for duals calls, and that code for straight rows.
#include "model/dual_emitter.hpp"

namespace pawl::model {

DualFunction dual_function(Op op) {
  switch (op) {
    case Op::cbrt:
      return [](Gradient* y, const Gradient* x) { *y = cbrt(*x); };
    case Op::exp:
      return [](Gradient* y, const Gradient* x) { *y = exp(*x); };
    case Op::log:
      return [](Gradient* y, const Gradient* x) { *y = log(*x); };
    case Op::sin:
      return [](Gradient* y, const Gradient* x) { *y = sin(*x); };
    case Op::cos:
      return [](Gradient* y, const Gradient* x) { *y = cos(*x); };
    case Op::tan:
      return [](Gradient* y, const Gradient* x) { *y = tan(*x); };
    case Op::asin:
      return [](Gradient* y, const Gradient* x) { *y = asin(*x); };
    case Op::acos:
      return [](Gradient* y, const Gradient* x) { *y = acos(*x); };
    case Op::atan:
      return [](Gradient* y, const Gradient* x) { *y = atan(*x); };
    case Op::sinh:
      return [](Gradient* y, const Gradient* x) { *y = sinh(*x); };
    case Op::cosh:
      return [](Gradient* y, const Gradient* x) { *y = cosh(*x); };
    case Op::tanh:
      return [](Gradient* y, const Gradient* x) { *y = tanh(*x); };
    case Op::abs:
      return [](Gradient* y, const Gradient* x) { *y = abs(*x); };
    default:
      return nullptr;
  }
}
DualFunctionOfTwo dual_function_of_two(Op op) {
  switch (op) {
    case Op::atan2:
      return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = atan2(*x, *y); };
    case Op::hypot:
      return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = hypot(*x, *y); };
    case Op::pow:
      return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = pow(*x, *y); };
    case Op::min:
      return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = min(*x, *y); };
    case Op::max:
      return [](Gradient* z, const Gradient* x, const Gradient* y) { *z = max(*x, *y); };
    default:
      return nullptr;
  }
}
void dual_power(Gradient* y, const Gradient* x, double power) {
  *y = pow(*x, power);
}
void dual_select(Gradient* y, const Gradient* g, const Gradient* where_positive, const Gradient* otherwise) {
  *y = select(*g, *where_positive, *otherwise);
}

int emit_duals(asmjit::CodeHolder& code, const Graph& graph, const Layout& layout,
               const std::vector<Instruction>& list) {
  DualEmitter emitter(code, graph, layout, list, static_cast<int>(layout.moving_loads.size()));
  emitter.write();
  return emitter.moving_size();
}

}  // namespace pawl::model
