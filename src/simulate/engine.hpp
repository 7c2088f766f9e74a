// Engine: everything one run consists of, put together: the checked set-up, forms, driver, event layer, loop.
#pragma once

#include <functional>
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

struct Engine {
  Engine(const CompiledModel& model, const Values& values, const Options& options);

  void change(double t, event::Change jump);
  /// What all parts remember; a part that cannot be copied refuses.
  void carry(Memory& memory);
  /// The way to here, from the start of a run.
  void retrace(const std::vector<OutsideChange>& way, long long passes, bool is_held_back);
  Result finish();
  DriverParts make_parts();

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
