// Context: all that changes in a run of a compiled model, and nothing that does not: values and options, the dynamics
// with their working memory, methods and driver, what is held and the event layer, the loop with time, state and
// record. What it remembers is copied by carry().
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "integrate/methods.hpp"
#include "pawl/compiled_model.hpp"
#include "simulate/implicit_run.hpp"
#include "simulate/loop.hpp"
#include "simulate/on_manifold.hpp"
#include "simulate/plan.hpp"

namespace pawl::detail {

/// A change from outside: how often the loop had come round, whether a step was held back, and when.
struct OutsideChange {
  long long passes;
  bool is_held_back;
  double t;
  event::Change jump;
};

struct Context {
  Context(const CompiledModel& model, const Values& values, const Options& options);

  void change(double t, event::Change jump);
  /// What all parts remember; a part that cannot be copied refuses.
  void carry(Memory& memory);
  /// The way to here, from the start of a run.
  void retrace(const std::vector<OutsideChange>& way, long long passes, bool is_held_back);
  Result finish();
  DriverParts make_parts();
  void say_who_solves();

  Setup setup;
  std::unique_ptr<OnManifold> manifold;
  std::optional<ImplicitRun> implicit;
  Plan plan;
  Surroundings<double> around;
  ActiveField field;
  StepControl control;
  std::optional<event::Layer> events;
  std::unique_ptr<Companions> companions;
  std::optional<Driver> driver;
  std::optional<Loop> loop;
  std::vector<OutsideChange> changes;
  double wall_seconds = 0;
};

}  // namespace pawl::detail
