// What a run works on: the model as it was declared, or, where its parts are of several kinds, put together as
// equations (formulate/assembly.hpp), with the start and the options that belong to it.
#pragma once

#include "pawl/options.hpp"
#include "pawl/system.hpp"

namespace pawl::detail {

struct WholeModel {
  std::shared_ptr<const System::Declarations> model;
  Held held;
  std::vector<double> start;
  Options options;
};

/// Throws Misuse if the values are not of the system.
WholeModel whole_model(const System& system, const Values& values, const Options& options);

}  // namespace pawl::detail
