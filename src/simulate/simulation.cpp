#include "pawl/simulation.hpp"

#include <utility>

#include <fmt/format.h>

#include "simulate/context.hpp"

namespace pawl {

namespace detail {

/// What a Snapshot holds: what all parts remembered, or, where a part cannot be copied, the way to there.
struct Saved {
  std::shared_ptr<const System::Declarations> model;
  Values values;
  Options options;
  std::shared_ptr<const Memory::Saved> memory;  // null: the way
  std::vector<OutsideChange> changes;
  long long passes;
  bool is_held_back;
};

}  // namespace detail

namespace {

/// Adds the time until it goes out of scope.
class Clock {
 public:
  explicit Clock(double& seconds) : seconds_(seconds) {}
  ~Clock() { seconds_ += watch_.seconds(); }

 private:
  double& seconds_;
  detail::Stopwatch watch_;
};

/// Which option differs in a way that another run or result would come of it; empty: none. What is called on the way
/// (progress, observer) may be another.
std::string_view difference(const Options& a, const Options& b) {
  const ConstraintOptions &c = a.constraints, &d = b.constraints;
  const std::pair<std::string_view, bool> options[]{
      {"start", a.start != b.start},
      {"end", a.end != b.end},
      {"method", a.method != b.method},
      {"tolerance", a.tolerance.relative != b.tolerance.relative || a.tolerance.absolute != b.tolerance.absolute ||
                        a.tolerance.absolute_each != b.tolerance.absolute_each},
      {"step", a.step != b.step},
      {"first_step", a.first_step != b.first_step},
      {"max_step", a.max_step != b.max_step},
      {"keep", a.keep != b.keep},
      {"samples", a.samples != b.samples},
      {"times", a.times != b.times},
      {"keeps_history", a.keeps_history != b.keeps_history},
      {"keeps_ranges", a.keeps_ranges != b.keeps_ranges},
      {"events", a.events != b.events},
      {"event_tolerance", a.event_tolerance != b.event_tolerance},
      {"concurrency_window", a.concurrency_window != b.concurrency_window},
      {"concurrency_amplitude", a.concurrency_amplitude != b.concurrency_amplitude},
      {"max_events", a.max_events != b.max_events},
      {"at_accumulation", a.at_accumulation != b.at_accumulation},
      {"constraints.formulation", c.formulation != d.formulation},
      {"constraints.stabilization", c.stabilization != d.stabilization},
      {"constraints.start", c.start != d.start},
      {"constraints.fixed", c.fixed != d.fixed},
      {"constraints.pulls_samples", c.pulls_samples != d.pulls_samples},
      {"implicit.linear_solver", a.implicit.linear_solver != b.implicit.linear_solver},
      {"implicit.jacobian", a.implicit.jacobian != b.implicit.jacobian},
  };
  for (const auto& [name, differs] : options)
    if (differs) return name;
  return {};
}

}  // namespace

Simulation::Simulation(const System& system, const Options& options) : Simulation(system, Values(system), options) {}

Simulation::Simulation(const System& system, Values values, const Options& options)
    : Simulation{CompiledModel(system, values, options.start), std::move(values), options} {}

Simulation::Simulation(const CompiledModel& model, const Options& options)
    : Simulation(model, Values(model.system()), options) {}

Simulation::Simulation(const CompiledModel& model, Values values, const Options& options)  // NOLINT: no reason to move
    : model_(model), values_(std::move(values)), t_(options.start) {
  const detail::Stopwatch watch;
  context_ = std::make_unique<detail::Context>(model_, values_, options);
  context_->wall_seconds = watch.seconds();
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::need_run(std::string_view what) const {
  if (is_finished_)
    throw Misuse(fmt::format("{}: the run is finished, and its result handed out; restore() it first", what));
}

bool Simulation::has_ended() const {
  return is_finished_ || context_->loop->has_ended();
}

bool Simulation::step() {
  need_run("step");
  if (has_ended()) return false;
  const Clock clock(context_->wall_seconds);
  context_->loop->advance();
  t_ = context_->loop->t();
  return true;
}

bool Simulation::advance_to(double t) {
  need_run("advance_to");
  const Options& options = context_->setup.options;
  const double direction = options.end < options.start ? -1 : 1;
  if (!(direction * (t - t_) >= 0 && direction * (options.end - t) >= 0))
    throw Misuse(
        fmt::format("advance_to({:.10g}): the run stands at t = {:.10g} and ends at {:.10g}", t, t_, options.end));
  const Clock clock(context_->wall_seconds);
  detail::Loop& loop = *context_->loop;
  loop.advance_to(t);
  t_ = loop.is_held_back() ? t : loop.t();
  return t_ == t;
}

Instant Simulation::now() {
  need_run("now");
  detail::Loop& loop = *context_->loop;
  std::vector<double> x;
  if (loop.needs_polynomial()) {  // what it costs must leave no trace
    Memory saved;
    context_->carry(saved);
    x = loop.state_at(t_);
    if (!saved.is_refused()) {
      const auto parts = saved.take();
      Memory back(*parts);
      context_->carry(back);
    }
  } else {
    x = loop.state_at(t_);
  }
  return {t_, std::move(x), context_->events->snapshot(), context_->setup.dynamics};
}

void Simulation::change(Callback<void(Jump&)> jump) {
  need_run("change");
  if (has_ended() && context_->loop->t() != context_->setup.options.end)
    throw Misuse(fmt::format("t = {:.10g}: the run has ended, and nothing can be changed any more", t_));
  const Clock clock(context_->wall_seconds);
  context_->change(t_, std::move(jump));
}

Snapshot Simulation::snapshot() {
  need_run("snapshot");
  Memory memory;
  context_->carry(memory);
  const detail::Loop& loop = *context_->loop;
  return Snapshot(
      t_, std::make_shared<const detail::Saved>(detail::Saved{.model = model_.system().share(),
                                                              .values = values_,
                                                              .options = context_->setup.options,
                                                              .memory = memory.is_refused() ? nullptr : memory.take(),
                                                              .changes = context_->changes,
                                                              .passes = loop.passes(),
                                                              .is_held_back = loop.is_held_back()}));
}

void Simulation::restore(const Snapshot& snapshot) {
  const detail::Saved& saved = *snapshot.saved_;
  if (saved.model != model_.system().share())
    throw Misuse(fmt::format("the snapshot is of a run of system '{}', not of this '{}'", saved.model->name,
                             model_.system().name()));
  const Options options = context_->setup.options;
  if (const std::string_view differs = difference(saved.options, options); !differs.empty())
    throw Misuse(
        fmt::format("the snapshot is of a run with another option '{}': both must be made with the same", differs));
  if (saved.memory) {
    Memory memory(*saved.memory);
    context_->carry(memory);
  } else {
    Options quiet = options;
    quiet.progress = nullptr;
    quiet.observer = nullptr;
    context_ = std::make_unique<detail::Context>(model_, saved.values, quiet);
    context_->retrace(saved.changes, saved.passes, saved.is_held_back);
    context_->setup.options.progress = options.progress;
    context_->setup.options.observer = options.observer;
  }
  values_ = saved.values;
  t_ = snapshot.t_;
  is_finished_ = false;
}

Result Simulation::finish() {
  need_run("finish");
  {
    const Clock clock(context_->wall_seconds);
    context_->loop->run();
  }
  t_ = context_->loop->t();
  is_finished_ = true;
  return context_->finish();
}

}  // namespace pawl
