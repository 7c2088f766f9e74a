// Runs as Python holds them.
#pragma once

#include <memory>
#include <vector>

#include "functions.hpp"
#include "pawl/options.hpp"
#include "pawl/result.hpp"
#include "pawl/system.hpp"

namespace pawl::python {

/// Options from the words of Python's simulate(); Ctrl-C is asked for along the way.
Options options_of(const py::dict& words);
/// Start values, parameters and inputs: a list of (kind, index, number or Signal), or (name, value).
Values values_of(const System& system, const py::list& given);

double read(const Instant& at, int kind, int index);

py::dict state_of(const Result& run);
std::shared_ptr<Result> restored(const System& system, const py::list& values, const py::dict& options,
                                 const py::dict& state);

void bind_simulation(py::module_& m);
void bind_sweep(py::module_& m);

}  // namespace pawl::python
