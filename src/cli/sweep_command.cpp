// pawl sweep: many runs of one model, or what came of them.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "cli/output_file.hpp"
#include "cli/sweep_text.hpp"
#include "cli/sweep_words.hpp"
#include "cli/team.hpp"
#include "report/sweep_files.hpp"
#include "report/sweep_report.hpp"
#include "report/whole_file.hpp"
#include "sweep/lock.hpp"
#include "sweep/plan.hpp"

namespace pawl::cli {

namespace {

namespace fs = std::filesystem;

/// One line on a terminal that is written again and again.
class SweepBar {
 public:
  ~SweepBar() {
    if (is_drawn_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(const SweepProgress& progress) {
    if (!is_terminal_ || progress.seconds < 1) return;
    is_drawn_ = true;
    const auto done = static_cast<double>(progress.done), planned = static_cast<double>(progress.planned);
    const double rate = done / progress.seconds;
    constexpr int width = 40;
    const int filled = planned > 0 ? static_cast<int>(done / planned * width) : width;
    fmt::print(stderr, "\r[{:=<{}}{:<{}}] {} of {} runs, {:.3g} per second, {} s left{} \x1b[K", "", filled, "",
               width - filled, progress.done, progress.planned, rate,
               rate > 0 ? fmt::format("{:.0f}", (planned - done) / rate) : "?",
               progress.failed > 0 ? fmt::format(", {} failed", progress.failed) : "");
    std::fflush(stderr);
  }

 private:
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1, is_drawn_ = false;
};

void write_files(const SweepWords& words, const Sweep& sweep) {
  const auto write = [](const std::string& path, const auto& writer) {
    if (path.empty()) return;
    writer(path);
    fmt::print("wrote {}\n", path);
  };
  write(words.csv, [&](const std::string& path) { write_sweep_csv(sweep, path); });
  write(words.hdf5, [&](const std::string& path) { write_sweep_hdf5(sweep, path); });
  write(words.npz, [&](const std::string& path) { write_sweep_npz(sweep, path); });
  write(words.report, [&](const std::string& path) { write_whole_file(path, sweep_to_html(sweep)); });
}

void check_files(const SweepWords& words) {
  check_output_file("--csv", words.csv, {".csv"});
  check_output_file("--hdf5", words.hdf5, {".h5", ".hdf5"});
  check_output_file("--npz", words.npz, {".npz"});
  check_output_file("--report", words.report, {".html"});
}

int read_folder(const SweepWords& words) {
  if (words.plan_runs())
    throw Misuse(
        fmt::format("'{}' is a sweep to be read: --vary, --random and the like belong to a model", words.model));
  check_files(words);
  const Sweep all = read_sweep(words.model);
  if (words.failed) {
    fmt::print("{}", failures_in_words(all));
    if (all.failed() == 0) fmt::print("no run failed: {}\n", counts_in_words(all));
    return finished;
  }
  fmt::print("{}: {}\n", all.model(), counts_in_words(all));
  if (words.status) {
    for (const std::string& holder : sweeping::holders(words.model)) fmt::print("  being filled by {}\n", holder);
  } else if (all.done() > 0) {
    fmt::print("{}", statistics_in_words(all));
  }
  write_files(words, all);
  return finished;
}

/// What a process of the team ends with: empty, or what went wrong.
template <class Do>
std::string trouble_of(const Do& act, bool& is_misuse) {
  try {
    act();
    return {};
  } catch (const Misuse& error) {
    is_misuse = true;
    return error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Ends the command where a process of the team has trouble: said once where all have the same, else by its rank.
void agree(const std::string& trouble, bool is_misuse, Team& team) {
  const long long in_trouble = team.sum(trouble.empty() ? 0 : 1);
  if (in_trouble == 0) return;
  if (trouble.empty() || (in_trouble == team.size() && !team.is_first())) throw CLI::RuntimeError(failed);
  const std::string text =
      in_trouble == team.size() ? trouble : fmt::format("rank {} of {}: {}", team.rank(), team.size(), trouble);
  if (is_misuse) throw Misuse(text);
  throw std::runtime_error(text);
}

/// The folder, by all processes of the team. False: interrupted.
bool fill_together(const SweepModel& model, const Design& design, SweepOptions options, Team& team) {
  using namespace sweeping;
  if (team.size() > 1 && options.jobs == 0) options.jobs = 1;  // whoever starts ranks has counted the cores
  const Part part = options.part;
  options.part = {(part.number - 1) * team.size() + team.rank() + 1, part.of * team.size()};
  const Kept kept = check(model, design, options);
  std::string bytes;  // which runs are there: read once, by the first, and sent to all
  bool is_misuse = false;
  std::string trouble = trouble_of(
      [&] {
        if (!team.is_first()) return;
        const Manifest manifest = make_manifest(model, design, names_of(kept), options);
        settle_manifest(options.folder, manifest);
        bytes = std::move(finished_runs(options.folder, manifest).bytes());
      },
      is_misuse);
  agree(trouble, is_misuse, team);
  team.broadcast(bytes);
  bool is_done = true;
  is_misuse = false;
  trouble = trouble_of([&] { is_done = fill_folder(model, design, options, kept, Bits(std::move(bytes))); }, is_misuse);
  const bool all_done = team.sum(is_done ? 0 : 1) == 0;
  agree(trouble, is_misuse, team);
  return all_done;
}

int make_sweep(const SweepWords& words, Team& team) {
  catch_interrupts();
  using Clock = std::chrono::steady_clock;
  bool is_misuse = false;
  std::optional<SweepModel> model;
  Design design;
  SweepOptions options;
  const std::string trouble = trouble_of(
      [&] {
        check_files(words);
        if (team.size() > 1 && words.out.empty())
          throw Misuse("the processes of a sweep meet in a folder: give one with --out");
        design = design_of(words);
        model.emplace(sweep_model_of(words));
        options = sweep_options_of(words, *model);
        static_cast<void>(sweeping::check(*model, design, options));
      },
      is_misuse);
  agree(trouble, is_misuse, team);
  SweepProgress last;
  const auto began = Clock::now();
  std::optional<Sweep> all;
  bool is_done = true;
  {
    SweepBar bar;
    options.progress = [&](const SweepProgress& progress) {
      last = progress;
      if (team.is_first()) bar.show(progress);
    };
    begin_steps();
    options.goes_on = [] { return goes_on(); };
    if (options.folder.empty()) {
      all.emplace(sweep(*model, design, options));
      is_done = !all->was_stopped;
    } else {
      is_done = fill_together(*model, design, options, team);
    }
  }
  const long long made = team.sum(last.done);
  if (!team.is_first()) return is_done ? finished : failed;
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (!all) all.emplace(read_sweep(options.folder));
  fmt::print("{}: {}\n", all->model(), counts_in_words(*all));
  fmt::print("  {} made now in {:.3g} s, {:.4g} per second\n", made, seconds, static_cast<double>(made) / seconds);
  if (all->failed() > 0) {
    fmt::print("  {} of {} runs have no values{}\n", all->failed(), all->size(),
               options.folder.empty() ? "; with --failed they are listed"
                                      : fmt::format("; `pawl sweep {} --failed` lists them", options.folder));
  }
  if (all->done() > 0) fmt::print("{}", statistics_in_words(*all));
  if (words.failed) fmt::print("{}", failures_in_words(*all));
  write_files(words, *all);
  if (is_done) return finished;
  std::fflush(stdout);
  fmt::print(stderr, "pawl: stopped by the user{}\n",
             options.folder.empty() ? "" : ": finished runs are kept, and the same command goes on from there");
  return failed;
}

/// Started by mpirun or srun as one of several: the program that knows MPI takes over.
void hand_over_to_mpi(const std::vector<std::string>& given) {
  const bool is_rank = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
                       std::getenv("PMIX_RANK") != nullptr;
  if (!is_rank) return;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path() / "pawl-mpi";
  if (!fs::exists(program, error)) {
    throw Misuse(
        "started by mpirun or srun, and pawl was built without MPI: there is no pawl-mpi beside it\n"
        "  try: install libopenmpi-dev and build again, or give every process its --part K/N");
  }
  std::vector<std::string> words{program.string(), "sweep"};
  words.insert(words.end(), given.begin(), given.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw std::runtime_error(fmt::format("cannot start '{}': {}", program.string(), std::strerror(errno)));
}

}  // namespace

void add_sweep(CLI::App& app, std::vector<std::string> given, int& exit_code, Team* team) {
  CLI::App* command = app.add_subcommand("sweep", "makes many runs of a model, on all cores, and reports on them");
  static SweepWords words;
  add_sweep_words(*command, words);
  command->footer(
      "Exit code: 0 all runs are made, those that failed are rows with their reason; 1 stopped, or the folder cannot "
      "be "
      "written; 2 misuse.\n"
      "Examples:\n"
      "  pawl sweep bouncing-ball --vary e=0.5:0.9:41 --vary gravity=9.7,9.81 --keep final,events --out ball.sweep\n"
      "  pawl sweep bouncing-ball --random e=uniform(0.5,0.9) --design sobol --runs 4096 --seed 7 --keep "
      "last_time_of:ground\n"
      "  pawl sweep ball.sweep --status\n"
      "  pawl sweep ball.sweep --failed\n"
      "  pawl sweep ball.sweep --csv ball.csv\n"
      "  mpirun -n 64 pawl sweep car.graph --stop 10 --random k=normal(2e4,1e3) --runs 100000 --out car.sweep\n"
      "  pawl sweep car.graph ... --out car.sweep --part 3/16      one job of an array (docs/sweeps.md)");
  command->callback([given = std::move(given), &exit_code, team] {
    std::error_code error;
    if (fs::is_directory(words.model, error)) {
      if (team == nullptr || team->is_first()) exit_code = read_folder(words);
      return;
    }
    if (words.status) throw Misuse(fmt::format("--status is of the folder of a sweep, and '{}' is none", words.model));
    if (team == nullptr) hand_over_to_mpi(given);
    Team alone;
    exit_code = make_sweep(words, team != nullptr ? *team : alone);
  });
}

}  // namespace pawl::cli
