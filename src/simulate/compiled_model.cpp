#include "pawl/compiled_model.hpp"

#include "formulate/assembly.hpp"
#include "simulate/check_declarations.hpp"

namespace pawl {

CompiledModel::CompiledModel(const System& system, const Values& values, double t)
    : system_(system), equations_(system.share()) {
  detail::check_values(values, system);
  Held held = values.held();
  for (HeldInput& input : held.inputs) input.piece = input.signal->piece_at(t, 1);
  const std::vector<double> start = values.start();
  detail::check_handles(*equations_, held, start, t);
  detail::check_contradictions(*equations_, held, start, t);
  if (formulate::needs_assembly(*equations_, held, start)) equations_ = formulate::assemble(equations_);
}

}  // namespace pawl
