#include "integrate/methods.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "integrate/cvode_stepper.hpp"
#include "integrate/erased_runge_kutta.hpp"
#include "integrate/esdirk.hpp"
#include "integrate/ida_stepper.hpp"
#include "integrate/predictor_corrector.hpp"
#include "integrate/radau.hpp"
#include "integrate/rosenbrock.hpp"
#include "numerics/nearest_name.hpp"
#include "pawl/system.hpp"
#include "pawl/tableaus.hpp"

namespace pawl {

namespace {

template <class Table>
Method runge_kutta(const Table& table) {
  return {.name = std::string(table.name),
          .title = std::string(table.title),
          .family = Family::explicit_runge_kutta,
          .source = std::string(table.source),
          .order = table.order,
          .dense_order = table.dense_order,
          .stages = is_first_same_as_last(table) ? table.stages - 1 : table.stages,
          .is_adaptive = table.embedded_order > 0,
          .make = [name = table.name](
                      const VectorField& field, int size,
                      const StepControl& control) { return erased_runge_kutta(name, size)(field, size, control); },
          .make_implicit = {},
          .stability_limit = real_stability_limit(table)};
}

Method predictor_corrector(const PredictorCorrectorTable& table) {
  return {.name = std::string(table.name),
          .title = std::string(table.title),
          .family = Family::predictor_corrector,
          .source = std::string(table.source),
          .order = table.order,
          .dense_order = std::min(table.order, 3),
          .stages = 2,
          .is_adaptive = false,
          .make = [&table](const VectorField& field, int size, const StepControl& control) {
            return make_predictor_corrector(table, field, size, control);
          }};
}

Method radau(std::string name, std::string title, int stages) {
  return {.name = std::move(name),
          .title = std::move(title),
          .family = Family::implicit_runge_kutta,
          .source = "Hairer, Wanner, Solving ODE II (1996), IV.8; J. Comput. Appl. Math. 111 (1999) 93",
          .order = stages == 0 ? 13 : 2 * stages - 1,
          .dense_order = stages == 0 ? 3 : stages,
          .stages = stages == 0 ? 7 : stages,
          .is_adaptive = true,
          .make = {},
          .make_implicit = [stages](formulate::ImplicitForm& form, const StepControl& control,
                                    const ImplicitNeeds&) { return make_radau(stages, form, control); },
          .highest_index = 3};
}

/// A row of a list of tables, and what makes a stepper of it.
template <class Table, class Make>
Method one_step(const Table& table, Family family, Make make) {
  return {.name = std::string(table.name),
          .title = std::string(table.title),
          .family = family,
          .source = std::string(table.source),
          .order = table.order,
          .dense_order = table.dense_order,
          .stages = table.stages,
          .is_adaptive = true,
          .make = {},
          .make_implicit = [&table, make](formulate::ImplicitForm& form, const StepControl& control,
                                          const ImplicitNeeds&) { return make(table, form, control); },
          .highest_index = 1};
}

Method multistep(std::string name, std::string title, CvodeKind kind, int order) {
  return {.name = name,
          .title = std::move(title),
          .family = Family::multistep,
          .source = "Hindmarsh et al., ACM TOMS 31 (2005) 363",
          .order = order,
          .dense_order = order,
          .stages = 1,
          .is_adaptive = true,
          .make = {},
          .make_implicit =
              [kind, name](formulate::ImplicitForm& form, const StepControl& control, const ImplicitNeeds& needs) {
                if (!needs.is_dae) return make_cvode(form, control, kind, needs.is_krylov);
                if (kind == CvodeKind::bdf) return make_ida(form, control, needs.is_krylov);
                throw Misuse(fmt::format(
                    "method '{}' is for x' = f(t, x): a differential-algebraic system needs bdf or radau", name));
              },
          .highest_index = kind == CvodeKind::bdf ? 2 : 0};
}

template <const auto&... table>
std::vector<Method> all_methods(TableauList<table...>) {
  std::vector<Method> list{runge_kutta(table)...};
  for (const auto& row : predictor_corrector_tables()) list.push_back(predictor_corrector(row));
  list.push_back(radau("radau", "Radau IIA of order 5, 9 or 13, chosen step by step", 0));
  list.push_back(radau("radau-5", "Radau IIA with 3 stages", 3));
  list.push_back(radau("radau-9", "Radau IIA with 5 stages", 5));
  list.push_back(radau("radau-13", "Radau IIA with 7 stages", 7));
  for (const auto& row : rosenbrock_tables()) list.push_back(one_step(row, Family::rosenbrock, make_rosenbrock));
  for (const auto& row : esdirk_tables()) list.push_back(one_step(row, Family::diagonally_implicit, make_esdirk));
  list.push_back(
      multistep("bdf", "BDF of orders 1 to 5: CVODE, and IDA for differential-algebraic systems", CvodeKind::bdf, 5));
  list.push_back(multistep("adams", "Adams-Moulton of orders 1 to 12: CVODE", CvodeKind::adams, 12));
  return list;
}

}  // namespace

std::string_view to_string(Family family) {
  switch (family) {
    case Family::explicit_runge_kutta:
      return "explicit Runge-Kutta";
    case Family::predictor_corrector:
      return "predictor-corrector";
    case Family::implicit_runge_kutta:
      return "implicit Runge-Kutta";
    case Family::diagonally_implicit:
      return "diagonally implicit Runge-Kutta";
    case Family::rosenbrock:
      return "Rosenbrock";
    case Family::multistep:
      return "multistep (SUNDIALS)";
  }
  return "?";
}

const std::vector<Method>& methods() {
  static const std::vector<Method> list = all_methods(Tableaus());
  return list;
}

const Method& find_method(std::string_view name) {
  for (const Method& method : methods())
    if (method.name == name) return method;
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  throw Misuse(fmt::format("unknown method '{}'{} (`pawl methods` lists them all)", name, did_you_mean(name, names)));
}

}  // namespace pawl
