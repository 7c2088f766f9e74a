#include "pawl/simulate.hpp"

#include "pawl/simulation.hpp"

namespace pawl {

Result simulate(const System& system, const Options& options) {
  return Simulation(system, options).finish();
}

Result simulate(const System& system, const Values& values, const Options& options) {
  return Simulation(system, values, options).finish();
}

Result simulate(const CompiledModel& model, const Options& options) {
  return Simulation(model, options).finish();
}

Result simulate(const CompiledModel& model, const Values& values, const Options& options) {
  return Simulation(model, values, options).finish();
}

}  // namespace pawl
