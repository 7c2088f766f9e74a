#include "integrate/erased_runge_kutta.hpp"

namespace pawl {

namespace {
struct Field : VectorField {};  // a type of its own, so that this file's compiler flags apply to its steppers alone
}  // namespace

MakeStepper runge_kutta_for_many_states(std::string_view table_name) {
  return detail::find_runge_kutta<Field>(table_name, Tableaus());
}

}  // namespace pawl
