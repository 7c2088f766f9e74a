// A quantity of a system by its name: looked up once, read at many instants.
#pragma once

#include <string_view>

#include "event/observe.hpp"
#include "pawl/result.hpp"

namespace pawl::detail {

struct Quantity {
  enum class Kind { time, state, observable, multiplier, parameter, input, mode, number };
  Kind kind;
  int index = 0;

  /// Whether a function of the model has to be called for it.
  bool needs_scene() const { return kind == Kind::observable || kind == Kind::multiplier; }
};

/// The same with working memory of its own: what a run leaves behind is read by any number of threads.
std::shared_ptr<Dynamics> reader(const std::shared_ptr<const Dynamics>& dynamics);

/// "t", a state, an observable, a row of the constraints, a parameter, an input or a discrete variable, in this order;
/// Misuse, with the nearest name, if there is none.
Quantity find_quantity(const System::Declarations& model, std::string_view name);

/// Its value; `scene` is that of this instant, and may be null for what needs none.
double value_of(const Quantity& quantity, const Instant& at, const event::Scene* scene);

}  // namespace pawl::detail
