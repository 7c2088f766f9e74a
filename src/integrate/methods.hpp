// The list of integration methods. `pawl methods`, "did you mean", the test sweeps and Options::method read it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formulate/implicit_form.hpp"
#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl {

/// What an implicit method is made for.
struct ImplicitNeeds {
  bool is_dae = false;     ///< more than x' = f(t, x)
  bool is_krylov = false;  ///< no matrices: iterations with products J v
};

enum class Family {
  explicit_runge_kutta,
  predictor_corrector,
  implicit_runge_kutta,
  diagonally_implicit,
  rosenbrock,
  multistep,
};
std::string_view to_string(Family family);

struct Method {
  std::string name, title;
  Family family;
  std::string source;
  int order;         ///< global error O(h^order)
  int dense_order;   ///< error of the dense output within one step O(h^(dense_order + 1))
  int stages;        ///< evaluations per step
  bool is_adaptive;  ///< false: needs a fixed step
  /// One of the two: of explicit methods, of implicit ones.
  std::function<std::unique_ptr<Stepper>(const VectorField& field, int size, const StepControl& control)> make;
  std::function<std::unique_ptr<Stepper>(formulate::ImplicitForm& form, const StepControl& control,
                                         const ImplicitNeeds& needs)>
      make_implicit = {};

  int highest_index = 0;       ///< of equations that an implicit method solves as they stand without losing its order
  double stability_limit = 0;  ///< of explicit Runge-Kutta methods: |R(-z)| <= 1 up to this z

  bool is_implicit() const { return make_implicit != nullptr; }
  bool is_bdf() const { return family == Family::multistep && highest_index > 0; }
};

const std::vector<Method>& methods();

/// The method of that name; throws Misuse, with the nearest name, if there is none.
const Method& find_method(std::string_view name);

}  // namespace pawl
