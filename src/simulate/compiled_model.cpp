#include "pawl/compiled_model.hpp"

#include "contact/contact_guards.hpp"
#include "formulate/assembly.hpp"
#include "simulate/check_declarations.hpp"
#include "simulate/ideal_switches.hpp"

namespace pawl {

namespace detail {

namespace {

/// The guards of contacts and ideal switches beside those of the user.
std::shared_ptr<const System::Declarations> with_own_guards(std::shared_ptr<const System::Declarations> model) {
  const System::Declarations& mechanism = model->parts ? *model->parts : *model;
  const bool has_contacts = mechanism.mechanics && !mechanism.mechanics->contacts.empty();
  if (!has_contacts && model->switches.empty()) return model;
  auto all = std::make_shared<System::Declarations>(*model);
  declare_switch_guards(*all);
  if (has_contacts) contact::declare_guards(mechanism, *all);
  return all;
}

}  // namespace
}  // namespace detail

CompiledModel::CompiledModel(const System& system, const Values& values, double t)
    : system_(system), equations_(system.share()) {
  detail::check_values(values, system);
  Held held = values.held();
  for (HeldInput& input : held.inputs) input.piece = input.signal->piece_at(t, 1);
  const std::vector<double> start = values.start();
  detail::check_handles(*equations_, held, start, t);
  detail::check_contradictions(*equations_, held, start, t);
  if (formulate::needs_assembly(*equations_, held, start)) equations_ = formulate::assemble(equations_);
  equations_ = detail::with_own_guards(equations_);
}

}  // namespace pawl
