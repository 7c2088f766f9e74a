#include "integrate/methods.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "integrate/erased_runge_kutta.hpp"
#include "integrate/predictor_corrector.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/system.hpp"
#include "pawl/tableaus.hpp"

namespace pawl {

namespace {

template <class Table>
Method runge_kutta(const Table& table) {
  return {.name = std::string(table.name),
          .title = std::string(table.title),
          .family = "explicit Runge-Kutta",
          .source = std::string(table.source),
          .order = table.order,
          .dense_order = table.dense_order,
          .stages = is_first_same_as_last(table) ? table.stages - 1 : table.stages,
          .is_adaptive = table.embedded_order > 0,
          .make = [name = table.name](const VectorField& field, int size, const StepControl& control) {
            return erased_runge_kutta(name, size)(field, size, control);
          }};
}

Method predictor_corrector(const PredictorCorrectorTable& table) {
  return {.name = std::string(table.name),
          .title = std::string(table.title),
          .family = "predictor-corrector",
          .source = std::string(table.source),
          .order = table.order,
          .dense_order = std::min(table.order, 3),
          .stages = 2,
          .is_adaptive = false,
          .make = [&table](const VectorField& field, int size, const StepControl& control) {
            return make_predictor_corrector(table, field, size, control);
          }};
}

template <const auto&... table>
std::vector<Method> all_methods(TableauList<table...>) {
  std::vector<Method> list{runge_kutta(table)...};
  for (const auto& row : predictor_corrector_tables()) list.push_back(predictor_corrector(row));
  return list;
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> list = all_methods(Tableaus());
  return list;
}

const Method& find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  throw Misuse(fmt::format("unknown method '{}'{} (`pawl methods` lists them all)", name, did_you_mean(name, names)));
}

}  // namespace pawl
