#include "simulate/whole_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formulate/assembly.hpp"
#include "simulate/check_declarations.hpp"

namespace pawl::detail {

WholeModel whole_model(const System& system, const Values& values, const Options& options) {
  if (!values.belong_to(system))
    throw Misuse(fmt::format("the values are not of system '{}' as it is now: make them after its last declaration",
                             system.name()));
  WholeModel all{system.share(), values.held(), values.start(), options};
  if (!formulate::needs_assembly(*all.model, all.held, all.start)) return all;
  check_handles(*all.model, all.held, all.start, options.start);
  check_contradictions(*all.model, all.held, all.start, options.start);
  all.model = formulate::assemble(all.model);
  all.held.first_multiplier = all.model->first_multiplier;
  all.held.first_relay = all.model->first_relay;
  all.start.resize(all.model->state_names.size(), 0.0);
  all.held.states = all.start.size();
  std::vector<double>& absolute = all.options.tolerance.absolute_each;
  if (absolute.size() == system.declarations().state_names.size()) {
    // Multipliers have a unit of their own, which nobody has said: as if no absolute tolerances were given.
    const double least = 1e-3 * all.options.tolerance.relative;
    absolute.resize(all.start.size(), least > 0 ? least : *std::max_element(absolute.begin(), absolute.end()));
  }
  return all;
}

}  // namespace pawl::detail
