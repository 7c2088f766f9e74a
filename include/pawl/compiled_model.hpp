// CompiledModel: a System made ready to be run. Every declaration has been looked at (handles of other systems,
// contradictions), a mixture is put together as one list of equations, and contacts and ideal switches have their
// guards. It is const, cheap to copy, and threads share it: all that changes is in the context of a run. Whoever runs
// one model often compiles it once.
//
//   const CompiledModel model(arm);
//   for (double load : loads) { Values values(arm); values[mass] = load; simulate(model, values, {.end = 2}); }
#pragma once

#include <memory>

#include "pawl/system.hpp"

namespace pawl {

class CompiledModel {
 public:
  /// Throws Misuse for a model that cannot be meant. Functions are looked at with these values at this time.
  explicit CompiledModel(const System& system) : CompiledModel(system, Values(system)) {}
  CompiledModel(const System& system, const Values& values, double t = 0);

  const System& system() const { return system_; }
  /// What is run: the system as it was declared, or, where its parts are of several kinds, equations with multipliers
  /// and values of relays among the states; with the guards of contacts and ideal switches.
  const std::shared_ptr<const System::Declarations>& equations() const& { return equations_; }
  std::shared_ptr<const System::Declarations> equations() && { return equations_; }
  bool is_mixture() const { return equations_->parts != nullptr; }

 private:
  System system_;
  std::shared_ptr<const System::Declarations> equations_;
};

}  // namespace pawl
