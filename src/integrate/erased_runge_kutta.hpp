// Explicit Runge-Kutta steppers for erased systems. Two sets of the same code: for few states the compiler must not
// vectorize (short vectors written as scalars and read back as vectors stall the processor), for many states it should.
// The build sets the flags per file.
#pragma once

#include <memory>
#include <string_view>

#include "integrate/vector_field.hpp"
#include "pawl/explicit_runge_kutta.hpp"
#include "pawl/tableaus.hpp"

namespace pawl {

using MakeStepper = std::unique_ptr<Stepper> (*)(const VectorField& field, int size, const StepControl& control);

/// The table of that name, as a maker of its stepper. Null if there is none.
MakeStepper runge_kutta_for_few_states(std::string_view table_name);
MakeStepper runge_kutta_for_many_states(std::string_view table_name);

inline constexpr int few_states = 12;

namespace detail {

template <const auto& table, class Field>
std::unique_ptr<Stepper> make_runge_kutta(const VectorField& field, int size, const StepControl& control) {
  return std::make_unique<ExplicitRungeKutta<table, Field>>(Field{field}, size, control);
}

template <class Field, const auto&... table>
MakeStepper find_runge_kutta(std::string_view name, TableauList<table...>) {
  MakeStepper found = nullptr;
  ((found = table.name == name ? &make_runge_kutta<table, Field> : found), ...);
  return found;
}

}  // namespace detail
}  // namespace pawl
