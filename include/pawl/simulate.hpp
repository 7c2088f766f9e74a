// simulate: the one call that runs a model.
#pragma once

#include "pawl/compiled_model.hpp"
#include "pawl/options.hpp"
#include "pawl/result.hpp"
#include "pawl/system.hpp"

namespace pawl {

/// Runs the system from its declared start values. Misuse throws; trouble met on the way is an outcome in the result,
/// with everything computed so far.
Result simulate(const System& system, const Options& options);
/// The same with other start values or parameters.
Result simulate(const System& system, const Values& values, const Options& options);
/// The same with a model that is compiled already, by any number of threads at once.
Result simulate(const CompiledModel& model, const Options& options);
Result simulate(const CompiledModel& model, const Values& values, const Options& options);

}  // namespace pawl
