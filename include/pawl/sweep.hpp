// sweep: many runs of one model, on all cores, with nothing lost.
//
//   const CompiledModel model(ball);
//   Design design;
//   design.vary("e", levels(0.5, 0.9, 41)).vary("gravity", {9.7, 9.81});
//   const Sweep all = sweep(model, design, {.run = {.end = 5}, .keep = {"final", "events", "last_time_of:ground"}});
//   all.value(3, "height");  summarize(all, "events").mean;
//
// With a folder, every finished run is written to a journal there at once. The same call goes on where an earlier one
// was stopped or killed, and processes that were given different parts of one sweep fill one folder together. The
// result has the same bits however many threads and processes there were.
//
// A run that fails, throws or passes a limit is a row with its reason and without values; the others go on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/compiled_model.hpp"
#include "pawl/design.hpp"
#include "pawl/options.hpp"
#include "pawl/result.hpp"

namespace pawl {

/// One number of every run.
struct Column {
  std::string name;
  std::function<double(const Result&)> value;  ///< of a run that came to its end; called by many threads at once
};

enum class RunState : unsigned char {
  missing,     ///< not yet made
  finished,    ///< as Outcome has it
  terminated,  ///< by the model
  failed,      ///< on its way
  threw,       ///< before its first step: values that the model does not take, for instance
  gave_up,     ///< at a limit of steps or seconds
};
std::string_view to_string(RunState state);
inline bool has_values(RunState state) {
  return state == RunState::finished || state == RunState::terminated;
}

struct SweepProgress {
  long long done = 0;     ///< of this process, those found in the folder not among them
  long long failed = 0;   ///< of those
  long long planned = 0;  ///< for this process
  double seconds = 0;     ///< since it began
};

/// Which share of the runs this process makes: every `of`-th of them in an order that mixes them well.
struct Part {
  int number = 1, of = 1;
};

struct SweepOptions {
  Options run = {};  ///< of every run; without `columns`, its `keep` is set to what `keep` below needs
  /// What is kept of a run (docs/sweeps.md): final, final:x, events, range:x, time_of:g, last_time_of:g, count_of:g,
  /// t_end, steps, rhs.
  std::vector<std::string> keep = {"final"};
  std::vector<Column> columns = {};  ///< beside those
  int jobs = 0;                      ///< threads; 0: one per core
  Part part = {};
  std::optional<long long> max_steps = {};  ///< of a run, accepted ones
  std::optional<double> max_seconds = {};   ///< of a run; what is given up then depends on the machine
  std::string folder = {};                  ///< where the sweep is stored; empty: in memory alone
  /// How messages name one run of the model, "pawl run bouncing-ball"; the values of the run are put behind it.
  std::string command = {};
  /// What the model is, where its names do not say it: a change of this is a change of the model.
  std::string fingerprint = {};
  std::function<void(const SweepProgress&)> progress = {};  ///< ten times a second, by the thread that called
  std::function<bool()> goes_on = {};  ///< asked by all threads after every step; false: end here, in order
};

/// What is swept: a compiled model with the values that all runs share, or, where some parameters shape the model, how
/// it is made for those. Runs with the same shape share one compiled model.
struct SweepModel {
  explicit SweepModel(const CompiledModel& model);
  SweepModel(CompiledModel model, Values values);

  CompiledModel model;
  Values values;
  std::vector<std::string> shaped_by = {};
  using Assignments = std::map<std::string, double, std::less<>>;
  std::function<SweepModel(const Assignments&)> build = {};
};

/// The runs of a sweep: a row for each, made or not.
class Sweep {
 public:
  Sweep(std::string model, Design design, std::vector<std::string> columns, std::string command = {});

  const std::string& model() const { return model_; }
  const Design& design() const { return design_; }
  const std::vector<std::string>& parameters() const { return parameters_; }  ///< names of what is varied or drawn
  const std::vector<std::string>& columns() const { return columns_; }        ///< names of what was kept
  long long size() const { return static_cast<long long>(states_.size()); }

  RunState state(long long run) const { return states_[index(run)]; }
  std::string reason(long long run) const;  ///< why it has no values; empty where it has
  /// What was kept of it, in the order of columns(); NaN where it has no values.
  const double* values(long long run) const { return values_.data() + index(run) * columns_.size(); }
  double value(long long run, std::string_view column) const;
  std::vector<double> parameters(long long run) const;
  /// The command that makes this run alone, or, where none is known, its values: "e=0.5 gravity=9.81".
  std::string command(long long run) const;
  /// What all these commands begin with; empty: none is known.
  const std::string& command_of_all() const { return command_; }

  long long count(RunState state) const;
  long long done() const { return size() - count(RunState::missing); }
  long long failed() const { return done() - count(RunState::finished) - count(RunState::terminated); }
  bool is_complete() const { return count(RunState::missing) == 0; }
  bool was_stopped = false;  ///< by goes_on

  /// Which column; throws Misuse, with the nearest name, if there is none. Parameters come first.
  std::size_t find(std::string_view name) const;
  /// All values of a parameter or of a column that find() gave, run by run.
  std::vector<double> all(std::string_view name) const;

  void set(long long run, RunState state, const double* values, std::string_view reason);

 private:
  static std::size_t index(long long run) { return static_cast<std::size_t>(run); }

  std::string model_, command_;
  Design design_;
  std::vector<std::string> parameters_, columns_;
  std::vector<RunState> states_;
  std::vector<double> values_;
  std::map<long long, std::string> reasons_;
};

/// Makes all runs that are missing. Throws Misuse for what cannot be meant, before anything runs, and
/// std::runtime_error where the folder cannot be written: what was finished by then is kept.
Sweep sweep(const SweepModel& model, const Design& design, const SweepOptions& options);
Sweep sweep(const CompiledModel& model, const Design& design, const SweepOptions& options);
Sweep sweep(const System& system, const Design& design, const SweepOptions& options);

/// What a folder holds, finished or not; throws Misuse where it holds no sweep.
Sweep read_sweep(const std::string& folder);

/// Of one column, over the runs that have a value there.
struct Summary {
  long long count = 0, without = 0;  ///< runs with a value, and runs that came to their end without one (NaN)
  double mean = 0, deviation = 0;    ///< of the sample: divided by count - 1
  double min = 0, max = 0;
  long long min_run = -1, max_run = -1;
  std::vector<double> quantiles = {};  ///< at `quantile_levels`, linear between neighbours
};
inline constexpr double quantile_levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};
Summary summarize(const Sweep& sweep, std::string_view column);

/// How much of the variance of a column is due to a parameter: alone, and with all it does together with others.
struct SobolIndex {
  std::string parameter;
  double first = 0, total = 0;
};
/// Of a design with `for_indices`. Draws of which a run is missing or has no value are left out.
///   Saltelli et al., Comput. Phys. Commun. 181 (2010) 259 (first order); Jansen, ibid. 117 (1999) 35 (total)
std::vector<SobolIndex> sobol_indices(const Sweep& sweep, std::string_view column);

}  // namespace pawl
