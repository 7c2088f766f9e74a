#include "sweep/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "pawl/simulate.hpp"

namespace pawl::sweeping {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one thread needs for its runs, made once.
struct Worker {
  const Design& design;
  const Kept& kept;
  std::vector<std::string> names;
  Options options;
  std::vector<double> values, row;
  std::string reason;
  // Of the run under way, for the callback that watches it.
  Clock::time_point began = {};
  bool is_over_limit = false, is_interrupted = false;
};

/// Limits and interrupts, asked after every step.
void watch(Worker& worker, const SweepOptions& sweep, const std::atomic<bool>& must_end) {
  const Callback<bool(const Progress&)> own = sweep.run.progress;
  worker.options.progress = [&worker, &sweep, &must_end, own](const Progress& progress) {
    if (must_end.load(std::memory_order_relaxed) || (sweep.goes_on && !sweep.goes_on())) {
      worker.is_interrupted = true;
      return false;
    }
    if (sweep.max_steps && progress.steps >= *sweep.max_steps) {
      worker.reason =
          fmt::format("gave up at t = {:.10g}: {} steps are the limit of a run", progress.t, *sweep.max_steps);
      worker.is_over_limit = true;
      return false;
    }
    if (sweep.max_seconds && seconds_since(worker.began) > *sweep.max_seconds) {
      worker.reason =
          fmt::format("gave up at t = {:.10g}: {} s are the limit of a run", progress.t, *sweep.max_seconds);
      worker.is_over_limit = true;
      return false;
    }
    return !own || own(progress);
  };
}

RunState simulate_run(long long run, Models& models, Worker& worker) {
  worker.is_over_limit = worker.is_interrupted = false;
  worker.reason.clear();
  worker.began = Clock::now();
  try {
    worker.design.values(run, worker.values.data());
    const SweepModel& model = models.for_values(worker.values);
    Values values = model.values;
    for (std::size_t i = 0; i < worker.names.size(); ++i) values.set(worker.names[i], worker.values[i]);
    const Result result = simulate(model.model, values, worker.options);
    if (worker.is_over_limit && result.outcome == Outcome::stopped) return RunState::gave_up;
    if (result.outcome == Outcome::failed || result.outcome == Outcome::stopped) {
      worker.reason = result.reason;
      return RunState::failed;
    }
    for (std::size_t i = 0; i < worker.row.size(); ++i) worker.row[i] = worker.kept.columns[i].value(result);
    worker.reason = result.outcome == Outcome::terminated ? result.reason : std::string();
    return result.outcome == Outcome::terminated ? RunState::terminated : RunState::finished;
  } catch (const std::exception& error) {
    worker.reason = error.what();
  } catch (...) {
    worker.reason = "something was thrown that is no std::exception";
  }
  return RunState::threw;
}

}  // namespace

Models::Models(const SweepModel& model, const Design& design) : model_(model), names_(design.names()) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (std::find(model.shaped_by.begin(), model.shaped_by.end(), names_[i]) != model.shaped_by.end())
      shaping_.push_back(i);
}

const SweepModel& Models::for_values(const std::vector<double>& values) {
  if (shaping_.empty() || !model_.build) return model_;
  std::vector<double> shape;
  SweepModel::Assignments assignments;
  for (const std::size_t i : shaping_) {
    shape.push_back(values[i]);
    assignments[names_[i]] = values[i];
  }
  const std::lock_guard lock(mutex_);
  auto& made = made_[shape];
  if (!made) made = std::make_unique<const SweepModel>(model_.build(assignments));
  return *made;
}

bool make_runs(const std::vector<long long>& runs, const SweepModel& model, const Design& design, const Kept& kept,
               const SweepOptions& options, const Take& take) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int jobs = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(options.jobs > 0 ? options.jobs : cores), std::max<std::size_t>(runs.size(), 1)));
  Models models(model, design);
  Options run_options = options.run;
  if (options.columns.empty()) {  // else a function of the user reads the result, and may read anything
    run_options.keep = kept.needs_samples ? Keep::samples : Keep::end;
    run_options.keeps_ranges = kept.needs_ranges;
  }

  std::atomic<std::size_t> next{0};
  std::atomic<bool> must_end{false};
  std::mutex mutex;  // of everything below
  std::condition_variable changed;
  SweepProgress progress{.planned = static_cast<long long>(runs.size())};
  std::exception_ptr trouble;
  bool was_interrupted = false;
  int working = jobs;

  const auto work = [&] {
    Worker worker{.design = design,
                  .kept = kept,
                  .names = design.names(),
                  .options = run_options,
                  .values = std::vector<double>(design.columns()),
                  .row = std::vector<double>(kept.columns.size()),
                  .reason = {}};
    watch(worker, options, must_end);
    for (;;) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= runs.size() || must_end.load(std::memory_order_relaxed)) break;
      const RunState state = simulate_run(runs[i], models, worker);
      const std::lock_guard lock(mutex);
      if (worker.is_interrupted) {  // this run is not finished: it will be made again
        was_interrupted = was_interrupted || !trouble;
        must_end = true;
        break;
      }
      if (trouble) break;
      try {
        take({runs[i], state, worker.row.data(), worker.reason});
      } catch (...) {
        trouble = std::current_exception();
        must_end = true;
        break;
      }
      ++progress.done;
      if (!has_values(state)) ++progress.failed;
    }
    const std::lock_guard lock(mutex);
    --working;
    changed.notify_one();
  };

  const Clock::time_point start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < jobs; ++i) threads.emplace_back(work);
  {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; })) {
      if (!options.progress) continue;
      SweepProgress copy = progress;
      copy.seconds = seconds_since(start);
      lock.unlock();
      options.progress(copy);
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (trouble) std::rethrow_exception(trouble);
  if (options.progress) {
    progress.seconds = seconds_since(start);
    options.progress(progress);
  }
  return !was_interrupted;
}

}  // namespace pawl::sweeping
