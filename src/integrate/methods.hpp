// The list of integration methods. `pawl methods`, "did you mean", the test sweeps and Options::method read it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "integrate/vector_field.hpp"
#include "pawl/stepper.hpp"

namespace pawl {

struct Method {
  std::string name, title, family, source;
  int order;         ///< global error O(h^order)
  int dense_order;   ///< error of the dense output within one step O(h^(dense_order + 1))
  int stages;        ///< evaluations per step
  bool is_adaptive;  ///< false: needs a fixed step
  std::function<std::unique_ptr<Stepper>(const VectorField& field, int size, const StepControl& control)> make;
};

const std::vector<Method>& methods();

/// The method of that name; throws Misuse, with the nearest name, if there is none.
const Method& find_method(std::string_view name);

}  // namespace pawl
