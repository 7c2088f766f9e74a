#include "pawl/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "sweep/kept.hpp"
#include "sweep/lock.hpp"
#include "sweep/plan.hpp"
#include "sweep/runner.hpp"
#include "sweep/store.hpp"

namespace pawl {

namespace sweeping {

Kept check(const SweepModel& model, const Design& design, const SweepOptions& options) {
  design.check();
  if (options.jobs < 0) throw Misuse(fmt::format("{} jobs: one or more, or 0 for one per core", options.jobs));
  if (options.part.of < 1 || options.part.number < 1 || options.part.number > options.part.of)
    throw Misuse(fmt::format("part {}/{}: expected K/N with 1 <= K <= N", options.part.number, options.part.of));
  if (options.part.of > 1'000'000) throw Misuse(fmt::format("{} parts are more than a million", options.part.of));
  if (options.max_steps && *options.max_steps < 1)
    throw Misuse(fmt::format("a limit of {} steps: one or more", *options.max_steps));
  if (options.max_seconds && !(*options.max_seconds > 0))
    throw Misuse(fmt::format("a limit of {} seconds: more than none", *options.max_seconds));
  if (!std::isfinite(options.run.end))
    throw Misuse(fmt::format("the end of the runs is {}: give a time", options.run.end));
  Values values = model.values;
  for (const std::string& name : design.names()) values.set(name, 0);  // a name that is not there is refused
  Kept kept = read_kept(options.keep, model.model.system());
  for (const Column& column : options.columns) kept.columns.push_back(column);
  if (kept.columns.empty()) throw Misuse("nothing is kept of the runs");
  const std::vector<std::string> parameters = design.names();
  std::set<std::string> seen(parameters.begin(), parameters.end());
  for (Column& column : kept.columns) {
    if (std::find(parameters.begin(), parameters.end(), column.name) != parameters.end())
      column.name = "final " + column.name;  // of a state whose start is varied
    if (!seen.insert(column.name).second) throw Misuse(fmt::format("'{}' is kept twice", column.name));
  }
  return kept;
}

std::vector<std::string> names_of(const Kept& kept) {
  std::vector<std::string> names;
  for (const Column& column : kept.columns) names.push_back(column.name);
  return names;
}

bool fill_folder(const SweepModel& model, const Design& design, const SweepOptions& options, const Kept& kept,
                 const Bits& finished) {
  const std::size_t columns = kept.columns.size();
  const Manifest manifest = make_manifest(model, design, names_of(kept), options);
  const FolderLock lock(options.folder, options.part);
  const std::string path = journal_path(options.folder, options.part);
  const std::uint64_t good = read_journal(path, manifest.hash(), columns, [](const Record&) {});
  JournalWriter journal(path, manifest.hash(), good);
  const bool is_done = make_runs(missing_runs(finished, design.size(), options.part), model, design, kept, options,
                                 [&](const Record& record) { journal.add(record, columns); });
  journal.sync();
  return is_done;
}

}  // namespace sweeping

SweepModel::SweepModel(const CompiledModel& compiled) : SweepModel(compiled, Values(compiled.system())) {}
SweepModel::SweepModel(CompiledModel compiled, Values all) : model(std::move(compiled)), values(std::move(all)) {}

Sweep sweep(const SweepModel& model, const Design& design, const SweepOptions& options) {
  using namespace sweeping;
  const Kept kept = check(model, design, options);
  if (options.folder.empty()) {
    Sweep all(model.model.system().name(), design, names_of(kept), options.command);
    all.was_stopped = !make_runs(missing_runs(Bits(design.size()), design.size(), options.part), model, design, kept,
                                 options, [&all](const Record& r) { all.set(r.run, r.state, r.values, r.reason); });
    return all;
  }
  const Manifest manifest = make_manifest(model, design, names_of(kept), options);
  settle_manifest(options.folder, manifest);
  const bool is_done = fill_folder(model, design, options, kept, finished_runs(options.folder, manifest));
  Sweep all = read_sweep(options.folder);
  all.was_stopped = !is_done;
  return all;
}

Sweep sweep(const CompiledModel& model, const Design& design, const SweepOptions& options) {
  return sweep(SweepModel(model), design, options);
}

Sweep sweep(const System& system, const Design& design, const SweepOptions& options) {
  return sweep(CompiledModel(system, Values(system), options.run.start), design, options);
}

Sweep read_sweep(const std::string& folder) {
  const sweeping::Manifest manifest = sweeping::read_manifest(folder);
  Sweep all(manifest.model, manifest.design, manifest.columns, manifest.command);
  sweeping::read_journals(folder, manifest,
                          [&all](const sweeping::Record& r) { all.set(r.run, r.state, r.values, r.reason); });
  return all;
}

}  // namespace pawl
