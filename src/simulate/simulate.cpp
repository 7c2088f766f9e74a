#include "pawl/simulate.hpp"

#include "pawl/simulation.hpp"
#include "simulate/family_run.hpp"

namespace pawl {

Result simulate(const System& system, const Options& options) {
  if (family_of(system.declarations()) >= 0) return detail::run_family(system, Values(system), options);
  return Simulation(system, options).finish();
}

Result simulate(const System& system, const Values& values, const Options& options) {
  if (family_of(system.declarations()) >= 0) return detail::run_family(system, values, options);
  return Simulation(system, values, options).finish();
}

Result simulate(const CompiledModel& model, const Options& options) {
  if (family_of(model.system().declarations()) >= 0)
    return detail::run_family(model.system(), Values(model.system()), options);
  return Simulation(model, options).finish();
}

Result simulate(const CompiledModel& model, const Values& values, const Options& options) {
  if (family_of(model.system().declarations()) >= 0) return detail::run_family(model.system(), values, options);
  return Simulation(model, values, options).finish();
}

}  // namespace pawl
