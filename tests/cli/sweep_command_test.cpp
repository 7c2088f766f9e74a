// pawl sweep as its user meets it, alone and started by mpirun.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/shell.hpp"

namespace {

/// Waits in the shell until the file has more than so many bytes.
std::string until(const std::string& file, int bytes) {
  return "until (( $(stat -c %s " + file + " 2>/dev/null || echo 0) > " + std::to_string(bytes) +
         " )); do sleep 0.01; done; ";
}

class SweepCommand : public Folder {
 protected:
  std::string path(const std::string& name) const { return (folder / name).string(); }
  /// Its rows as one text.
  std::string rows(const std::string& words, const std::string& csv) {
    const Answer answer = pawl("sweep " + words + " --csv " + path(csv));
    EXPECT_EQ(answer.code, 0) << answer.out;
    return contents(path(csv));
  }
};

const std::string ball =
    "bouncing-ball --random \"gravity=uniform(9,10.5)\" --random \"e=uniform(0.5,0.9)\" --seed 7 --stop 20 --rtol 1e-9 "
    "--keep final,events,last_time_of:ground ";

TEST_F(SweepCommand, MakesAGridAndSaysWhatCameOfIt) {
  const Answer answer =
      pawl("sweep bouncing-ball --vary e=0.5:0.9:41 --vary gravity=9.7,9.81 --keep final,events --out " +
           path("ball.sweep"));
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.out.substr(0, answer.out.find('\n')), "bouncing-ball: 82 runs: 82 finished");
  EXPECT_EQ(pawl("sweep " + path("ball.sweep") + " --status").out, "bouncing-ball: 82 runs: 82 finished\n");
  const std::string csv = rows(path("ball.sweep"), "ball.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "run,outcome,e,gravity,height,speed,events,reason");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 83);
}

TEST_F(SweepCommand, FailuresAreRowsWithTheCommandThatReproducesThem) {
  // index must be 1 or 2: 37 of 1000 runs have another.
  std::string levels = "1";
  for (int i = 1; i < 1000; ++i) levels += i % 27 == 0 && i / 27 <= 37 ? ",3" : ",1";
  const Answer answer =
      pawl("sweep diode-circuit --vary index=" + levels + " --stop 1e-4 --keep final:i1 --out " + path("d.sweep"));
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_EQ(answer.out.substr(0, answer.out.find('\n')), "diode-circuit: 1000 runs: 963 finished, 37 threw");
  EXPECT_TRUE(
      has(answer.out, "37 of 1000 runs have no values; `pawl sweep " + path("d.sweep") + " --failed` lists them"));
  const Answer listed = pawl("sweep " + path("d.sweep") + " --failed");
  EXPECT_EQ(listed.code, 0);
  EXPECT_EQ(listed.out.substr(0, listed.out.find("run 54")),
            "run 27 threw: diode-circuit: index = 3 must be 1 (i\' = 0 while blocked) or 2 (i = 0)\n"
            "  pawl run diode-circuit --stop 0.0001 --set index=3\n");
  const std::string all = rows(path("d.sweep"), "d.csv");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1001);
  // The command does what the sweep says it does.
  EXPECT_EQ(pawl("run diode-circuit --stop 0.0001 --set index=3").out,
            "pawl: diode-circuit: index = 3 must be 1 (i\' = 0 while blocked) or 2 (i = 0)\n");
}

TEST_F(SweepCommand, ThreadsAndPartsGiveTheSameFile) {
  const std::string expected = rows(ball + "--runs 100 --jobs 1 --out " + path("one.sweep"), "one.csv");
  EXPECT_EQ(rows(ball + "--runs 100 --jobs 4 --out " + path("four.sweep"), "four.csv"), expected);
  for (const char* part : {"1/3", "3/3", "2/3"})
    EXPECT_EQ(pawl("sweep " + ball + "--runs 100 --out " + path("parts.sweep") + " --part " + part).code, 0);
  EXPECT_EQ(rows(path("parts.sweep"), "parts.csv"), expected);
}

TEST_F(SweepCommand, CtrlCEndsInOrderAndTheSameCommandGoesOn) {
  const std::string words = ball + "--runs 8000 --out " + path("c.sweep");
  const Answer stopped =
      shell("$PAWL sweep " + words + " & " + until(path("c.sweep/journal.1-of-1"), 1000) + "kill -INT $!; wait $!");
  EXPECT_EQ(stopped.code, 1);
  EXPECT_TRUE(stopped.out.ends_with(
      "pawl: stopped by the user: finished runs are kept, and the same command goes on from there\n"))
      << stopped.out;
  const std::string status = pawl("sweep " + path("c.sweep") + " --status").out;
  EXPECT_TRUE(has(status, " finished, ") && has(status, " missing\n")) << status;
  const Answer rest = pawl("sweep " + words);
  EXPECT_EQ(rest.out.substr(0, rest.out.find('\n')), "bouncing-ball: 8000 runs: 8000 finished");
}

TEST_F(SweepCommand, AModelFileIsSweptAndAChangedOneRefused) {
  const std::string file = path("cooling.graph"), folder_name = path("cooling.sweep");
  // x' = -FACTOR k x
  const auto write = [&](const char* factor) {
    std::ofstream(file) << contents(PAWL_MODEL_FILE).replace(contents(PAWL_MODEL_FILE).find("FACTOR"), 6, factor);
  };
  write("0x1p-1");
  const std::string words = "sweep " + file + " --vary k=2,4 --stop 1 --rtol 1e-9 --out " + folder_name;
  const Answer answer = pawl(words);
  EXPECT_EQ(answer.code, 0) << answer.out;
  const std::string csv = rows(folder_name, "m.csv");
  EXPECT_TRUE(has(csv, "0,finished,2,0.36787944")) << csv;
  EXPECT_TRUE(has(csv, "1,finished,4,0.13533528")) << csv;
  write("0x1p+1");
  EXPECT_EQ(pawl(words).out, "pawl: '" + folder_name +
                                 "' holds another sweep: the model 'cooling', or a value set in it, has changed since\n"
                                 "  try: another folder, or remove this one\n");
  EXPECT_EQ(pawl("sweep " + file + " --vary k=1,2").out,
            "pawl: '" + file + "' does not say where a run ends: give --stop\n");
}

TEST_F(SweepCommand, BadInputIsNamed) {
  const auto refusal = [](const std::string& words) {
    const Answer answer = pawl("sweep " + words);
    EXPECT_EQ(answer.code, 2) << words;
    return answer.out;
  };
  EXPECT_EQ(refusal("bouncing-bal --vary e=1"),
            "pawl: unknown model 'bouncing-bal'; did you mean 'bouncing-ball'? (`pawl list` shows the catalogue)\n");
  EXPECT_EQ(refusal("bouncing-ball --vary grvity=1,2"),
            "pawl: system 'bouncing-ball' has no parameter or state 'grvity'; did you mean 'gravity'?\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=0.5:0.9:0"),
            "pawl: --vary e=0.5:0.9:0: 0.5:0.9:0 is empty: one level or more\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=nan"), "pawl: a level of 'e' is nan, no finite number\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e"), "pawl: --vary e: expected name=first:last:count or name=a,b,c\n");
  EXPECT_EQ(refusal("bouncing-ball --random \"e=normal(1,-1)\" --runs 5"),
            "pawl: --random e=normal(1,-1): normal(1,-1): deviation -1 must be greater than 0\n");
  EXPECT_EQ(refusal("bouncing-ball --random \"e=uniform(0,1)\" --runs 0"), "pawl: 0 runs: a sweep has one or more\n");
  EXPECT_EQ(refusal("bouncing-ball --random \"e=uniform(0,1)\""),
            "pawl: --random: say with --runs how many draws are made\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=0.5 --runs 3"),
            "pawl: --runs 3: the number of draws of --random, and nothing is random\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=0.5 --design sobol"),
            "pawl: --design sobol: this is how --random draws, and nothing is random\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=0.5 --design grd"),
            "pawl: --design grd: expected grid, random, sobol or latin; did you mean 'grid'?\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=0.5 --part 2/1 --out " + path("p.sweep")),
            "pawl: --part 2/1: expected K/N with 1 <= K <= N\n");
  EXPECT_EQ(refusal("bouncing-ball --vary e=0.5 --part 1/2"),
            "pawl: --part: the parts of a sweep meet in a folder: give one with --out\n");
  EXPECT_EQ(refusal("bouncing-ball"), "pawl: a sweep varies something: no parameter is varied or drawn\n");
  EXPECT_EQ(refusal("bouncing-ball --status"),
            "pawl: --status is of the folder of a sweep, and 'bouncing-ball' is none\n");
  EXPECT_EQ(refusal(folder.string()),
            "pawl: '" + folder.string() + "' holds no sweep: there is no " + path("manifest.json") + "\n");
}

#ifdef PAWL_MPI

/// On this machine alone, without a network.
std::string mpirun(int ranks) {
#ifdef PAWL_SANITIZES_ADDRESSES  // OpenMPI leaves memory to the end of the process
  const std::string leaks = "ASAN_OPTIONS=detect_leaks=0 ";
#else
  const std::string leaks;
#endif
  return leaks +
         "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --mca btl self,vader --mca "
         "oob_tcp_if_include lo --mca btl_vader_single_copy_mechanism none --mca plm isolated -n " +
         std::to_string(ranks) + " $PAWL sweep ";
}

TEST_F(SweepCommand, RanksGiveTheSameFile) {
  const std::string words = ball + "--runs 200 ",
                    expected = rows(words + "--jobs 1 --out " + path("one.sweep"), "one.csv");
  for (const int ranks : {1, 2, 3}) {
    for (const int jobs : {1, 2}) {
      const std::string name = "r" + std::to_string(ranks) + std::to_string(jobs);
      const Answer answer = shell(mpirun(ranks) + words + "--jobs " + std::to_string(jobs) + " --out " +
                                  path(name + ".sweep") + " --csv " + path(name + ".csv"));
      EXPECT_EQ(answer.code, 0) << answer.out;
      EXPECT_TRUE(has(answer.out, "bouncing-ball: 200 runs: 200 finished\n  200 made now")) << answer.out;
      EXPECT_EQ(contents(path(name + ".csv")), expected) << ranks << " ranks, " << jobs << " threads";
    }
  }
}

TEST_F(SweepCommand, RanksThatAreKilledLoseNothing) {
  const std::string words = ball + "--runs 12000 ", to = "--out " + path("k.sweep");
  const std::string expected = rows(words + "--out " + path("one.sweep"), "one.csv");
  // Every rank is killed when the journal of the second has so many bytes, of 290 kB at its end.
  const std::string kill =
      "for lock in " + path("k.sweep") + "/lock.*; do read -r _ number _ < $lock; kill -KILL $number; done; ";
  for (const int bytes : {10, 20'000, 150'000})
    shell(
        fmt::format("{}{}{} & {}{}wait $!", mpirun(2), words, to, until(path("k.sweep/journal.2-of-2"), bytes), kill));
  const std::string status = pawl("sweep " + path("k.sweep") + " --status").out;
  EXPECT_TRUE(has(status, " finished, ") && has(status, " missing\n")) << status;
  EXPECT_EQ(shell(mpirun(3) + words + to).code, 0);
  EXPECT_EQ(rows(path("k.sweep"), "k.csv"), expected);
}

TEST_F(SweepCommand, ARankWithAFullDiskSaysSoAndTheRestIsKept) {
  const std::string words = ball + "--runs 3000 ", to = "--out " + path("f.sweep");
  const std::string expected = rows(words + "--out " + path("one.sweep"), "one.csv");
  // From some time on, the journal of the first rank must not exceed 30 kB of 85: write() fails as on a full disk.
  const std::string limit =
      "read -r _ number _ < " + path("f.sweep/lock.1-of-2") + "; prlimit --pid $number --fsize=30000; ";
  const Answer full =
      shell(mpirun(2) + words + to + " & " + until(path("f.sweep/journal.1-of-2"), 1000) + limit + "wait $!");
  EXPECT_NE(full.code, 0);
  EXPECT_TRUE(has(full.out,
                  "f.sweep/journal.1-of-2': File too large\n  every run before this is kept; with room for "
                  "more, repeat the command to go on"))
      << full.out;
  const std::string status = pawl("sweep " + path("f.sweep") + " --status").out;
  EXPECT_TRUE(has(status, " finished, ") && has(status, " missing\n")) << status;
  EXPECT_EQ(shell(mpirun(3) + words + to).code, 0);
  EXPECT_EQ(rows(path("f.sweep"), "f.csv"), expected);
}

TEST_F(SweepCommand, RanksSayWhatIsWrongOnce) {
  const Answer answer = shell(mpirun(3) + "bouncing-ball --vary grvity=1,2 --out " + path("w.sweep"));
  const std::string text = "pawl: system 'bouncing-ball' has no parameter or state 'grvity'; did you mean 'gravity'?\n";
  EXPECT_NE(answer.code, 0);
  EXPECT_EQ(answer.out.find(text), answer.out.rfind("pawl: system")) << answer.out;
  EXPECT_TRUE(has(shell(mpirun(2) + "bouncing-ball --vary e=0.5").out,
                  "pawl: the processes of a sweep meet in a folder: give one with --out\n"));
}

#else

TEST_F(SweepCommand, WithoutMpiItSaysSo) {
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=2 $PAWL sweep bouncing-ball --vary e=0.5 --out " + path("x.sweep")).out,
            "pawl: started by mpirun or srun, and pawl was built without MPI: there is no pawl-mpi beside it\n"
            "  try: install libopenmpi-dev and build again, or give every process its --part K/N\n");
}

#endif

}  // namespace
