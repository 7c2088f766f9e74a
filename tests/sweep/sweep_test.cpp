// Many runs of one model: the same rows however they are made, and nothing lost.
#include "pawl/sweep.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <thread>

#include "misuse_of.hpp"
#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using testing::misuse_of;

class InAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("pawl-sweep-" + std::to_string(::getpid()) + "-" +
                                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  fs::path folder;
};

/// Everything a sweep says of its runs.
std::string bytes_of(const Sweep& all) {
  std::string bytes;
  for (long long run = 0; run < all.size(); ++run) {
    bytes += std::string(to_string(all.state(run))) + all.reason(run) + ";";
    bytes.append(reinterpret_cast<const char*>(all.values(run)), 8 * all.columns().size());
  }
  return bytes;
}

const System& ball() {
  return find_problem("bouncing-ball").system;
}
Design ball_design(long long draws) {
  Design design;
  design.random("gravity", Distribution::uniform(9, 10.5)).random("e", Distribution::uniform(0.5, 0.9));
  design.draws = draws;
  design.seed = 7;
  return design;
}
SweepOptions ball_options(std::string folder = {}, int jobs = 1, Part part = {}) {
  SweepOptions options;
  options.run.end = 20;
  options.run.tolerance = 1e-9;
  options.keep = {"final", "events", "last_time_of:ground", "range:height", "t_end"};
  options.folder = std::move(folder);
  options.jobs = jobs;
  options.part = part;
  return options;
}

TEST(Sweep, GivesWhatSingleRunsGive) {
  const Sweep all = sweep(ball(), ball_design(20), ball_options());
  EXPECT_EQ(all.columns(), (std::vector<std::string>{"height", "speed", "events", "last_time_of:ground", "min height",
                                                     "max height", "t_end"}));
  for (long long run = 0; run < 20; ++run) {
    Values values(ball());
    values.set("gravity", all.value(run, "gravity"));
    values.set("e", all.value(run, "e"));
    const Result one = simulate(ball(), values, {.end = 20, .tolerance = 1e-9});
    EXPECT_EQ(all.value(run, "events"), static_cast<double>(one.statistics.events.events));
    EXPECT_EQ(all.value(run, "last_time_of:ground"), one.events.back().t);
    EXPECT_EQ(all.value(run, "height"), one.final_state[0]);
    EXPECT_EQ(all.value(run, "max height"), 1);
    EXPECT_EQ(all.value(run, "t_end"), 20);
  }
}

TEST_F(InAFolder, ThreadsAndPartsChangeNoBit) {
  const Design design = ball_design(60);
  const std::string expected = bytes_of(sweep(ball(), design, ball_options()));
  for (const int jobs : {1, 2, 4}) {
    EXPECT_EQ(bytes_of(sweep(ball(), design, ball_options({}, jobs))), expected) << jobs << " threads, in memory";
    for (const int parts : {1, 2, 3}) {
      const std::string own = path("x" + std::to_string(jobs) + std::to_string(parts));
      for (int k = 1; k <= parts; ++k) sweep(ball(), design, ball_options(own, jobs, {k, parts}));
      const Sweep all = read_sweep(own);
      EXPECT_TRUE(all.is_complete());
      EXPECT_EQ(bytes_of(all), expected) << jobs << " threads, " << parts << " parts";
    }
  }
}

/// Begins the sweep in a process of its own and kills it when its journal has this many bytes.
void kill_at(std::uintmax_t size, const Design& design, const SweepOptions& options) {
  const std::string journal = options.folder + "/journal.1-of-1";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    sweep(ball(), design, options);
    ::_exit(0);
  }
  std::error_code error;
  for (int i = 0; i < 60'000; ++i) {
    const std::uintmax_t now = fs::file_size(journal, error);
    if (!error && now >= size) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the sweep was over before it could be killed: make it longer";
}

TEST_F(InAFolder, NothingIsLostWhenTheProcessIsKilled) {
  const Design design = ball_design(3000);
  const std::string own = path("killed");
  std::uintmax_t sizes[] = {1, 30'000, 90'000};  // at its first line, and twice on its way
  long long before = 0;
  for (const std::uintmax_t size : sizes) {
    kill_at(size, design, ball_options(own, 2));
    if (HasFatalFailure()) return;
    const long long done = read_sweep(own).done();
    EXPECT_GE(done, before);
    before = done;
  }
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 3000);
  const Sweep all = sweep(ball(), design, ball_options(own, 4));
  EXPECT_TRUE(all.is_complete());
  EXPECT_EQ(bytes_of(all), bytes_of(sweep(ball(), design, ball_options({}, 2))));
}

TEST_F(InAFolder, ATornRecordEndsItsJournalAndIsMadeAgain) {
  const Design design = ball_design(50);
  const std::string own = path("torn"), journal = own + "/journal.1-of-1";
  const std::string expected = bytes_of(sweep(ball(), design, ball_options(own)));
  const std::uintmax_t size = fs::file_size(journal);
  for (const std::uintmax_t cut : {std::uintmax_t{1}, std::uintmax_t{40}, size / 2, size - 3}) {
    fs::resize_file(journal, size - cut);
    const Sweep torn = read_sweep(own);
    EXPECT_LT(torn.done(), 50);
    EXPECT_EQ(bytes_of(sweep(ball(), design, ball_options(own))), expected) << cut << " bytes cut off";
    EXPECT_EQ(fs::file_size(journal), size);
  }
}

TEST_F(InAFolder, AFlippedBitIsSeen) {
  const Design design = ball_design(50);
  const std::string own = path("flipped"), journal = own + "/journal.1-of-1";
  const std::string expected = bytes_of(sweep(ball(), design, ball_options(own)));
  {
    std::fstream file(journal, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(1000);
    const char old = static_cast<char>(file.get());
    file.seekp(1000);
    file.put(static_cast<char>(old ^ 4));
  }
  const long long done = read_sweep(own).done();
  EXPECT_GT(done, 0);
  EXPECT_LT(done, 15);  // a record has 73 bytes: those before byte 1000 are good
  EXPECT_EQ(bytes_of(sweep(ball(), design, ball_options(own))), expected);
}

TEST_F(InAFolder, AFullDiskStopsWithASentenceAndLosesNothing) {
  const Design design = ball_design(2000);
  const std::string own = path("full"), said = path("said");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // a file must not exceed this: write() then fails as on a full disk
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{50'001, 50'001};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      sweep(ball(), design, ball_options(own, 2));
    } catch (const std::exception& error) {
      std::ofstream(said) << error.what();
      ::_exit(3);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 3);
  std::ifstream file(said);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, "cannot write '" + own +
                      "/journal.1-of-1': File too large\n  every run before this is kept; with room "
                      "for more, repeat the command to go on");
  // Every record that fits is whole: 73 bytes each behind a first line of 32.
  EXPECT_EQ(read_sweep(own).done(), (50'001 - 32) / 73);
  EXPECT_EQ(fs::file_size(own + "/journal.1-of-1"), 32u + 73u * ((50'001 - 32) / 73));
  EXPECT_EQ(bytes_of(sweep(ball(), design, ball_options(own, 2))),
            bytes_of(sweep(ball(), design, ball_options({}, 2))));
}

TEST_F(InAFolder, FinishedRunsAreNotMadeAgain) {
  const Design design = ball_design(30);
  SweepOptions options = ball_options(path("once"));
  sweep(ball(), design, options);
  long long planned = -1;
  options.progress = [&planned](const SweepProgress& progress) { planned = progress.planned; };
  EXPECT_TRUE(sweep(ball(), design, options).is_complete());
  EXPECT_EQ(planned, 0);
}

TEST_F(InAFolder, StoppingKeepsWhatIsFinished) {
  const Design design = ball_design(500);
  SweepOptions options = ball_options(path("stopped"), 2);
  std::atomic<long long> asked{0};
  options.goes_on = [&asked] { return ++asked < 5000; };
  const Sweep some = sweep(ball(), design, options);
  EXPECT_TRUE(some.was_stopped);
  EXPECT_GT(some.done(), 0);
  EXPECT_LT(some.done(), 500);
  EXPECT_EQ(some.failed(), 0);
  options.goes_on = nullptr;
  EXPECT_EQ(bytes_of(sweep(ball(), design, options)), bytes_of(sweep(ball(), design, ball_options())));
}

TEST_F(InAFolder, ASecondProcessIsRefusedByName) {
  const std::string own = path("taken");
  sweep(ball(), ball_design(3), ball_options(own));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // holds the folder until it is killed
    SweepOptions options = ball_options(own, 1, {1, 2});
    options.folder = own;
    Design design = ball_design(3);
    options.columns = {};
    options.goes_on = [&ready] {
      static_cast<void>(!::write(ready[1], "x", 1));
      for (;;) ::pause();
      return true;
    };
    fs::remove(own + "/journal.1-of-1");
    sweep(ball(), design, options);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto refusal = [&](Part part) {
    return misuse_of([&] { sweep(ball(), ball_design(3), ball_options(own, 1, part)); });
  };
  char machine[256] = {};
  ::gethostname(machine, sizeof machine - 1);
  const std::string begins =
      "'" + own + "' is being filled by process " + std::to_string(child) + " on " + machine + ", part 1/2, since ";
  EXPECT_EQ(refusal({1, 2}).substr(0, begins.size()), begins);
  EXPECT_EQ(refusal({1, 1}).substr(0, begins.size()), begins);
  EXPECT_EQ(refusal({2, 2}), "no misuse");  // another part of the same division
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(refusal({1, 2}), "no misuse");  // its lock went with it
}

TEST_F(InAFolder, AnotherSweepInTheSameFolderIsRefused) {
  const std::string own = path("settled");
  sweep(ball(), ball_design(3), ball_options(own));
  const std::string begins = "'" + own + "' holds another sweep: ",
                    ends = "\n  try: another folder, or remove this one";
  const auto refusal = [&](const System& system, const Design& design, const SweepOptions& options) {
    return misuse_of([&] { sweep(system, design, options); });
  };
  SweepOptions loose = ball_options(own);
  loose.run.tolerance = 1e-6;
  EXPECT_EQ(refusal(ball(), ball_design(3), loose),
            begins + "the option 'relative tolerance' was 1e-09, and now it is 1e-06" + ends);
  EXPECT_EQ(refusal(ball(), ball_design(4), ball_options(own)),
            begins + "'draws' of the design was 3, and now it is 4" + ends);
  SweepOptions other = ball_options(own);
  other.fingerprint = "another text";
  EXPECT_EQ(refusal(ball(), ball_design(3), other),
            begins + "the model 'bouncing-ball', or a value set in it, has changed since" + ends);
  SweepOptions less = ball_options(own);
  less.keep = {"events"};
  EXPECT_EQ(refusal(ball(), ball_design(3), less), begins +
                                                       "what is kept was height, speed, events, last_time_of:ground, "
                                                       "min height, max height, t_end, and now it is events" +
                                                       ends);
  EXPECT_EQ(misuse_of([&] { read_sweep(path("nothing")); }),
            "'" + path("nothing") + "' holds no sweep: there is no " + path("nothing") + "/manifest.json");
}

/// x' = log(k) - x: the rate of a run with k < 0 is not a number.
System decay() {
  System system("decay");
  const auto x = system.state("x", 1);
  const auto k = system.parameter("k", 1), forbidden = system.parameter("forbidden", 0);
  system.rates([=](const auto& at, auto& d) { d[x] = log(at[k]) - at[x]; });
  system.start([=](Start& at) {
    if (at[forbidden] != 0) throw Misuse("forbidden must be 0");
  });
  return system;
}

TEST(Sweep, AFailureIsARowWithItsReason) {
  std::vector<double> k = levels(1, 2, 963);
  for (int i = 0; i < 37; ++i) k.push_back(-1 - i);
  SweepOptions options;
  options.run.end = 1;
  options.jobs = 2;
  options.command = "pawl run decay";
  const Sweep all = sweep(decay(), Design().vary("k", k), options);
  EXPECT_EQ(all.size(), 1000);
  EXPECT_TRUE(all.is_complete());
  EXPECT_EQ(all.failed(), 37);
  EXPECT_EQ(all.count(RunState::failed), 37);
  for (long long run = 0; run < 1000; ++run) {
    const bool is_bad = run >= 963;
    EXPECT_EQ(all.reason(run).empty(), !is_bad);
    EXPECT_EQ(std::isnan(all.value(run, "x")), is_bad);
    if (is_bad) continue;
    const double goal = std::log(k[static_cast<std::size_t>(run)]);
    EXPECT_NEAR(all.value(run, "x"), goal + (1 - goal) * std::exp(-1), 1e-5);
  }
  EXPECT_EQ(all.command(963), "pawl run decay --set k=-1");
}

TEST(Sweep, WhatThrowsIsARowToo) {
  SweepOptions options;
  options.run.end = 1;
  const Sweep all = sweep(decay(), Design().vary("forbidden", {0, 1}), options);
  EXPECT_EQ(all.state(0), RunState::finished);
  EXPECT_EQ(all.state(1), RunState::threw);
  EXPECT_EQ(all.reason(1), "forbidden must be 0");
}

TEST(Sweep, ARunThatDoesNotEndIsGivenUp) {
  SweepOptions options;
  options.run.end = 1e6;
  options.max_steps = 50;
  const System& lorenz = find_problem("lorenz").system;
  const Sweep few = sweep(lorenz, Design().vary("sigma", {10}), options);
  EXPECT_EQ(few.state(0), RunState::gave_up);
  EXPECT_EQ(few.reason(0).substr(0, 15), "gave up at t = ");
  EXPECT_TRUE(few.reason(0).ends_with(": 50 steps are the limit of a run"));
  options.max_steps = {};
  options.max_seconds = 0.01;
  EXPECT_TRUE(
      sweep(lorenz, Design().vary("sigma", {10}), options).reason(0).ends_with(": 0.01 s are the limit of a run"));
}

TEST(Sweep, AStartIsVariedLikeAParameter) {
  SweepOptions options;
  options.run.end = 1;
  const Sweep all = sweep(decay(), Design().vary("x", {1, 2}), options);
  EXPECT_EQ(all.columns(), std::vector<std::string>{"final x"});
  EXPECT_NEAR(all.value(1, "final x"), 2 * std::exp(-1), 1e-5);
}

TEST(Sweep, BadInputIsNamed) {
  const auto refusal = [](const Design& design, const std::function<void(SweepOptions&)>& change) {
    SweepOptions options = ball_options();
    change(options);
    return misuse_of([&] { sweep(ball(), design, options); });
  };
  const Design good = ball_design(3);
  const auto keep = [](const char* word) { return [word](SweepOptions& options) { options.keep = {word}; }; };
  EXPECT_EQ(refusal(Design().vary("gravty", {1}), [](SweepOptions&) {}),
            "system 'bouncing-ball' has no parameter or state 'gravty'; did you mean 'gravity'?");
  EXPECT_EQ(refusal(good, keep("range:energy")),
            "--keep range:energy: 'bouncing-ball' has no observable or state 'energy'");
  EXPECT_EQ(refusal(good, keep("time_of:grond")),
            "--keep time_of:grond: nothing in 'bouncing-ball' that can fire is called 'grond'");
  EXPECT_EQ(refusal(good, keep("final:heigth")),
            "--keep final:heigth: 'bouncing-ball' has no quantity 'heigth'; did you mean 'height'?");
  EXPECT_EQ(refusal(good, keep("evnts")),
            "--keep evnts: unknown; did you mean 'events'? (there are final, final:NAME, events, range:NAME, "
            "time_of:EVENT, last_time_of:EVENT, count_of:EVENT, t_end, steps, rhs)");
  EXPECT_EQ(refusal(good,
                    [](SweepOptions& options) {
                      options.keep = {"events", "events"};
                    }),
            "'events' is kept twice");
  EXPECT_EQ(refusal(good, [](SweepOptions& options) { options.keep = {}; }), "nothing is kept of the runs");
  EXPECT_EQ(refusal(good, [](SweepOptions& options) { options.jobs = -1; }),
            "-1 jobs: one or more, or 0 for one per core");
  EXPECT_EQ(refusal(good,
                    [](SweepOptions& options) {
                      options.part = {4, 3};
                    }),
            "part 4/3: expected K/N with 1 <= K <= N");
  EXPECT_EQ(refusal(good, [](SweepOptions& options) { options.max_seconds = 0; }),
            "a limit of 0 seconds: more than none");
  EXPECT_EQ(refusal(good, [](SweepOptions& options) { options.run.end = std::nan(""); }),
            "the end of the runs is nan: give a time");
}

}  // namespace
}  // namespace pawl
