#include "integrate/erased_runge_kutta.hpp"

namespace pawl {

namespace detail {
// One per instantiation, made by the build.
MakeStepper runge_kutta_1(std::string_view table_name);
MakeStepper runge_kutta_2(std::string_view table_name);
MakeStepper runge_kutta_3(std::string_view table_name);
MakeStepper runge_kutta_4(std::string_view table_name);
MakeStepper runge_kutta_few(std::string_view table_name);
MakeStepper runge_kutta_many(std::string_view table_name);
}  // namespace detail

MakeStepper erased_runge_kutta(std::string_view table_name, int size) {
  switch (size) {
    case 1:
      return detail::runge_kutta_1(table_name);
    case 2:
      return detail::runge_kutta_2(table_name);
    case 3:
      return detail::runge_kutta_3(table_name);
    case 4:
      return detail::runge_kutta_4(table_name);
    default:
      return size <= 12 ? detail::runge_kutta_few(table_name) : detail::runge_kutta_many(table_name);
  }
}

}  // namespace pawl
