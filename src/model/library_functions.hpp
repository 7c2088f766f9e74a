// The functions of the mathematical library by operation: those that scalar.hpp calls for numbers.
#pragma once

#include <cmath>

#include "pawl/model/op.hpp"

namespace pawl::model {

/// Null where the operation is no call.
inline double (*library_function(Op op))(double) {
  using Function = double (*)(double);
  switch (op) {
    case Op::cbrt:
      return static_cast<Function>(std::cbrt);
    case Op::exp:
      return static_cast<Function>(std::exp);
    case Op::log:
      return static_cast<Function>(std::log);
    case Op::sin:
      return static_cast<Function>(std::sin);
    case Op::cos:
      return static_cast<Function>(std::cos);
    case Op::tan:
      return static_cast<Function>(std::tan);
    case Op::asin:
      return static_cast<Function>(std::asin);
    case Op::acos:
      return static_cast<Function>(std::acos);
    case Op::atan:
      return static_cast<Function>(std::atan);
    case Op::sinh:
      return static_cast<Function>(std::sinh);
    case Op::cosh:
      return static_cast<Function>(std::cosh);
    case Op::tanh:
      return static_cast<Function>(std::tanh);
    default:
      return nullptr;
  }
}
inline double (*library_function_of_two(Op op))(double, double) {
  using Function = double (*)(double, double);
  switch (op) {
    case Op::atan2:
      return static_cast<Function>(std::atan2);
    case Op::hypot:
      return static_cast<Function>(std::hypot);
    case Op::pow:
      return static_cast<Function>(std::pow);
    default:
      return nullptr;
  }
}

}  // namespace pawl::model
