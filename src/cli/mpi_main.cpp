// pawl-mpi: `pawl sweep` for processes that mpirun or srun has started; pawl hands over to it. MPI is asked for ranks,
// one broadcast of the finished runs and three sums; everything else goes through the folder of the sweep.
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/team.hpp"
#include "pawl/system.hpp"

namespace {

class Ranks : public pawl::cli::Team {
 public:
  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void broadcast(std::string& bytes) override {
    unsigned long long count = bytes.size();
    MPI_Bcast(&count, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    bytes.resize(count);
    constexpr unsigned long long most = 1ULL << 30U;  // counts of MPI are of 32 bits
    for (unsigned long long first = 0; first < count; first += most)
      MPI_Bcast(bytes.data() + first, static_cast<int>(std::min(most, count - first)), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  long long sum(long long own) override {
    long long all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

 private:
  int rank_ = 0, size_ = 1;
};

int run(int count, char** words) {
  Ranks team;
  int exit_code = pawl::cli::finished;
  CLI::App app{"pawl sweep for processes that mpirun or srun has started", "pawl-mpi"};
  app.require_subcommand(1);
  const std::vector<std::string> given(words + std::min(count, 2), words + count);
  pawl::cli::add_sweep(app, given, exit_code, &team);
  try {
    app.parse(count, words);
  } catch (const CLI::Success& done) {
    return team.is_first() ? app.exit(done) : 0;
  } catch (const CLI::RuntimeError& ended) {  // another rank has said why
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {  // the words are the same for all
    if (team.is_first()) fmt::print(stderr, "pawl: {}\n  try: pawl sweep --help\n", error.what());
    return pawl::cli::misused;
  } catch (const pawl::Misuse& error) {
    fmt::print(stderr, "pawl: {}\n", error.what());
    return pawl::cli::misused;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pawl: {}\n", error.what());
    return pawl::cli::failed;
  }
  return exit_code;
}

}  // namespace

int main(int count, char** words) {
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  const int exit_code = run(count, words);
  std::fflush(stdout);
  MPI_Finalize();
  return exit_code;
}
