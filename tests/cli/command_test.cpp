// The command as its user meets it: words in, text and exit code out.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/shell.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

using Command = Folder;

TEST_F(Command, SaysItsVersion) {
  EXPECT_EQ(pawl("--version").out, "pawl " PAWL_VERSION "\n");
  EXPECT_EQ(pawl("--version").code, 0);
}

TEST_F(Command, EveryHelpHasExamples) {
  for (const char* command : {"", "run", "sweep", "list", "methods", "completion"}) {
    const Answer answer = pawl(std::string(command) + " --help");
    EXPECT_EQ(answer.code, 0);
    EXPECT_TRUE(has(answer.out, "Example")) << command;
  }
}

TEST_F(Command, ListsTheCatalogueWithClassAndSource) {
  const Answer answer = pawl("list");
  EXPECT_EQ(answer.code, 0);
  for (const char* name :
       {"compere-pendulum", "lorenz", "pleiades", "arenstorf", "rigid-body", "brusselator", "kepler"})
    EXPECT_TRUE(has(answer.out, name));
  EXPECT_TRUE(has(answer.out, "[Compere, dissertation"));
  const std::string names = pawl("list --names").out;  // one line each
  EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), std::count(names.begin(), names.end(), '\n'));
  const Json list = Json::parse(pawl("list --json").out);
  ASSERT_GE(list.size(), 7u);
  EXPECT_EQ(list[0]["name"], "compere-pendulum");
  EXPECT_EQ(list[0]["class"], "smooth ODE");
  EXPECT_EQ(list[0]["parameters"]["g"], 9.81);
}

TEST_F(Command, ListsTheMethods) {
  const Json list = Json::parse(pawl("methods --json").out);
  EXPECT_GE(list.size(), 19u);
  const std::string names = pawl("methods --names").out;
  for (const char* name :
       {"euler", "midpoint", "heun-2", "kutta-3", "rk4", "bogacki-shampine-3", "fehlberg-45", "dormand-prince-5",
        "tsitouras-5", "cash-karp", "fehlberg-78", "dop853", "verner-6", "verner-7", "verner-9", "euler-heun",
        "modified-euler-heun", "modified-euler-heun-mop-up", "adams-bashforth-moulton-4"})
    EXPECT_TRUE(has(names, std::string(name) + "\n")) << name;
  EXPECT_TRUE(has(names, "dop853\ntsitouras-papakostas-8\nverner-9\n"));
}

TEST_F(Command, PrintsOneJsonObject) {
  const Answer answer = pawl("run kepler --set e=0.9 --stop 6 --rtol 1e-11 --json");
  EXPECT_EQ(answer.code, 0);
  const Json object = Json::parse(answer.out);
  for (const char* key : {"model", "method", "t_start", "t_end", "outcome", "final", "statistics", "observables",
                          "events", "invariants", "messages"})
    EXPECT_TRUE(object.contains(key)) << key;
  for (const char* key : {"rhs", "steps_accepted", "steps_rejected", "min_step", "max_step", "wall_seconds"})
    EXPECT_TRUE(object["statistics"].contains(key)) << key;
  EXPECT_EQ(object["model"], "kepler");
  EXPECT_EQ(object["outcome"], "finished");
  EXPECT_EQ(object["t_end"], 6);
  EXPECT_LT(object["reference_error"].get<double>(), 1e-7);
  EXPECT_LT(object["observables"]["energy"]["variation"].get<double>(), 1e-8);
}

// Compere (2001), Table 3.1. Two digits are printed; below the rounding floor 1e-12 only the floor is asked for.
TEST_F(Command, ReproducesTable31) {
  struct Row {
    const char* step;
    double printed[3];
  };
  const char* methods[] = {"kutta-3", "fehlberg-45", "fehlberg-78"};
  for (const Row& row : {Row{"0.05", {1.8e-1, 1.4e-4, 5.3e-11}}, Row{"0.01", {1.4e-3, 4.5e-8, 5.7e-14}},
                         Row{"0.005", {1.8e-4, 1.4e-9, 5.7e-14}}, Row{"0.001", {1.4e-6, 5.1e-13, 1.4e-13}}}) {
    for (int m = 0; m < 3; ++m) {
      const Json object = Json::parse(
          pawl(std::string("run compere-pendulum --json --method ") + methods[m] + " --step " + row.step).out);
      const double variation = object["observables"]["energy"]["variation"];
      const double printed = row.printed[m];
      if (printed > 1e-12)
        EXPECT_NEAR(variation, printed, 0.05 * printed) << methods[m] << " " << row.step;
      else
        EXPECT_LT(variation, 1e-12) << methods[m] << " " << row.step;
    }
  }
}

TEST_F(Command, SummarizesARunForPeople) {
  const Answer answer = pawl("run lorenz --plot x,z");
  EXPECT_EQ(answer.code, 0);
  for (const char* part : {"lorenz: Lorenz's convection", "method", "finished at t = 10", "accepted",
                           "right-hand sides", "error ", "┤ z", " x\n"})
    EXPECT_TRUE(has(answer.out, part)) << part;
}

TEST_F(Command, PlotsWhatIsAskedFor) {
  EXPECT_TRUE(has(pawl("run kepler --stop 6 --plot").out, "┤ y"));              // what shows the model best
  EXPECT_TRUE(has(pawl("run kepler --stop 6 --plot energy").out, "┤ energy"));  // over time
  EXPECT_TRUE(has(pawl("run kepler --stop 6 --plot vx,vy --rtol 1e-4").out, "┤ vy"));
}

TEST_F(Command, MisuseExitsWithTwoAndSaysWhatIsMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"run lorezn", "unknown model 'lorezn'; did you mean 'lorenz'?"},
      {"run lorenz --method dopri5", "unknown method 'dopri5'"},
      {"run lorenz --method verner9", "did you mean 'verner-9'?"},
      {"run lorenz --rtol -1e-6", "relative tolerance -1e-06: it must be 0, or at least 1e-15 (rounding) and below 1"},
      {"run lorenz --rtol much", "--rtol"},
      {"run lorenz --set sigm=3", "system 'lorenz' has no parameter or state 'sigm'; did you mean 'sigma'?"},
      {"run lorenz --set sigma", "--set sigma: expected name=value"},
      {"run lorenz --set sigma=ten", "--set sigma=ten: 'ten' is not a number"},
      {"run lorenz --set x=nan", "the start value of 'x' is nan, it must be finite"},
      {"run lorenz --atol q=1", "--atol q=1: no state 'q'"},
      {"run lorenz --method rk4", "method 'rk4' has no error estimate: give a fixed step size"},
      {"run lorenz --step 0", "step size 0: it must be above 0"},
      {"run lorenz --out table.txt", "--out table.txt: the name must end in .csv, .json, .mat or .h5"},
      {"run lorenz --out /nowhere/table.csv", "--out /nowhere/table.csv: there is no folder '/nowhere'"},
      {"run lorenz --plot x,w", "system 'lorenz' has no quantity 'w'"},
      {"run lorenz --metod rk4", "did you mean '--method'?"},
      {"run lorenz --stop nan", "the end time is not given"},
      {"run lorenz --samples 5", "--samples says what --out writes"},
      {"run lorenz --json --plot x", "--plot draws below the summary, which --json replaces"},
      {"run lorenz --step 0.1 --max-step 0.01", "the fixed step size 0.1 is above the maximum step 0.01"},
      {"run lorenz --out \"\"", "--out needs the name of a file"},
      {"run lorenz --report page.txt", "--report page.txt: the name must end in .html"},
      {"run lorenz --report \"\"", "--report needs the name of a file"},
      {"run lorenz --report-exact", "--report-exact says how --report writes: give a file with --report"},
      {"run lorenz --plot x --plot-to x.gif", "--plot-to x.gif: the name must end in .svg or .png"},
      {"compare one.json", "compare wants two files or more, of pawl run NAME --out FILE.json"},
      {"compare /nowhere/a.json /nowhere/b.json", "/nowhere/a.json: there is no such file, or it cannot be read"},
      {"bogus", "unknown command"},
      {"run", "NAME is required"},
      {"rnu lorenz", "did you mean 'run'?"},
  };
  for (const auto& [words, text] : cases) {
    const Answer answer = pawl(words);
    EXPECT_EQ(answer.code, 2) << words << "\n" << answer.out;
    EXPECT_TRUE(has(answer.out, text)) << words << "\n" << answer.out;
  }
  EXPECT_EQ(pawl("").code, 2);
}

TEST_F(Command, AFailedRunExitsWithOneAndStillReports) {
  // the planet starts inside the sun
  const Answer answer = shell("$PAWL run kepler --set x=0 --set vy=0 --json 2>/dev/null");
  EXPECT_EQ(answer.code, 1);
  const Json object = Json::parse(answer.out);
  EXPECT_EQ(object["outcome"], "failed");
  EXPECT_TRUE(has(object["reason"].get<std::string>(), "not finite"));
}

TEST_F(Command, WritesWholeFiles) {
  const std::string csv = folder / "cycle.csv", json = folder / "cycle.json";
  EXPECT_EQ(pawl("run brusselator --samples 40 --out " + csv).code, 0);
  std::ifstream rows(csv);
  std::string line;
  int count = 0;
  while (std::getline(rows, line)) ++count;
  EXPECT_EQ(count, 42);
  EXPECT_EQ(pawl("run brusselator --samples 40 --out " + json).code, 0);
  std::ifstream file(json);
  const Json object = Json::parse(file);
  EXPECT_EQ(object["samples"]["u"].size(), 41u);
  EXPECT_EQ(object["samples"]["t"][40], 20);
  EXPECT_LT(object["reference_error"].get<double>(), 1e-3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
}

TEST_F(Command, WritesReportsAndPlots) {
  const std::string page = folder / "run.html", svg = folder / "plot.svg", png = folder / "plot.png";
  const Answer answer = pawl("run bouncing-ball --rtol 1e-8 --plot speed --plot-to " + svg + " --report " + page);
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_TRUE(has(answer.out, "wrote " + page)) << answer.out;
  EXPECT_FALSE(has(answer.out, "┤ speed")) << answer.out;  // into the file, not onto the screen
  EXPECT_TRUE(contents(page).starts_with("<!doctype html>"));
  EXPECT_TRUE(contents(svg).starts_with("<svg "));
  EXPECT_EQ(pawl("run bouncing-ball --plot-to " + png).code, 0);
  EXPECT_TRUE(contents(png).starts_with("\x89PNG"));
}

TEST_F(Command, ComparesRuns) {
  const std::string a = folder / "a.json", b = folder / "b.json", page = folder / "both.html";
  EXPECT_EQ(pawl("run kepler --rtol 1e-10 --samples 50 --out " + a).code, 0);
  EXPECT_EQ(pawl("run kepler --rtol 1e-5 --samples 50 --out " + b).code, 0);
  const Answer answer = pawl("compare " + a + " " + b + " --report " + page);
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_TRUE(has(answer.out, "largest differences from a.json\n  x ")) << answer.out;
  EXPECT_TRUE(contents(page).starts_with("<!doctype html>"));
  EXPECT_TRUE(has(pawl("compare " + a + " " + a).out, "0.000e+00"));
}

TEST_F(Command, AFullDiskIsAClearErrorAndLeavesNothingBehind) {
  const std::string csv = folder / "big.csv";
  const Answer limited = shell("ulimit -f 8; $PAWL run lorenz --step 1e-3 --out " + csv);
  EXPECT_EQ(limited.code, 1);
  EXPECT_TRUE(has(limited.out, "cannot write '" + csv + "': File too large")) << limited.out;
  EXPECT_TRUE(has(limited.out, "finished at t = 10"));  // the run itself is reported
  EXPECT_TRUE(fs::is_empty(folder));
  const Answer full = pawl("run lorenz --out /dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_TRUE(has(full.out, "cannot write '/dev/full': No space left on device")) << full.out;
}

TEST_F(Command, ShowsProgressOnATerminalAndNoneInAPipe) {
  const std::string long_run = "timeout -s INT 1.6 $PAWL run kepler --stop 1e9 --step 1e-2";
  const Answer piped = shell(long_run);
  EXPECT_TRUE(has(piped.out, "stopped at t = ")) << piped.out;
  EXPECT_FALSE(has(piped.out, "\r"));
  const Answer terminal = shell("script -qec \"" + long_run + "\" /dev/null");
  EXPECT_TRUE(has(terminal.out, "\r[")) << terminal.out;
  EXPECT_TRUE(has(terminal.out, " %  t = "));
}

TEST_F(Command, OutputThatCannotBePrintedIsAFailure) {
  for (const char* words : {"run lorenz --json", "list", "methods --json"}) {
    const Answer answer = shell(std::string("$PAWL ") + words + " > /dev/full");
    EXPECT_EQ(answer.code, 1) << words;
    EXPECT_TRUE(has(answer.out, "cannot write") && has(answer.out, "No space left on device")) << answer.out;
  }
}

TEST_F(Command, WritesThroughPipesAndLinks) {
  const Answer piped = shell("$PAWL run lorenz --samples 3 --json --out >(cat) > /dev/null; sleep 0.2");
  EXPECT_TRUE(has(piped.out, "t,x,y,z\n0,1,1,1\n")) << piped.out;
  const fs::path real = folder / "real.csv", link = folder / "link.csv";
  std::ofstream(real) << "old";
  fs::create_symlink(real, link);
  EXPECT_EQ(pawl("run lorenz --samples 3 --out " + link.string()).code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_GT(fs::file_size(real), 10u);
}

TEST_F(Command, CtrlCKeepsWhatIsThere) {
  const std::string csv = folder / "part.csv";
  // in a shell of its own process group, so that the interrupt meets the command alone
  const Answer answer =
      shell("set -m; $PAWL run kepler --stop 1e9 --step 1e-2 --samples 1000000 --json --out " + csv + " > " +
            (folder / "out.json").string() + " 2>/dev/null & pid=$!; sleep 0.7; kill -INT $pid; wait $pid");
  EXPECT_EQ(answer.code, 1);
  std::ifstream file(folder / "out.json");
  const Json object = Json::parse(file);
  EXPECT_EQ(object["outcome"], "stopped");
  EXPECT_GT(object["t_end"].get<double>(), 0);
  EXPECT_LT(object["t_end"].get<double>(), 1e9);
  EXPECT_TRUE(fs::exists(csv));
}

TEST_F(Command, NeverReplacesALinkOrAReadOnlyFile) {
  const fs::path target = folder / "target.csv", link = folder / "link.csv", kept = folder / "kept.csv";
  fs::create_symlink("target.csv", link);  // to a file that is not there yet
  EXPECT_EQ(pawl("run lorenz --stop 1 --samples 3 --out " + link.string()).code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target)));
  std::ofstream(kept) << "old";
  fs::permissions(kept, fs::perms::owner_read);
  const Answer refused = pawl("run lorenz --stop 1 --out " + kept.string());
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out, "pawl: --out " + kept.string() + ": this file is read-only\n");
  EXPECT_EQ(fs::file_size(kept), 3u);
  fs::create_symlink("nowhere/target.csv", folder / "lost.csv");
  const Answer lost = pawl("run lorenz --stop 1 --out " + (folder / "lost.csv").string());
  EXPECT_EQ(lost.code, 2);
  EXPECT_EQ(lost.out, "pawl: --out " + (folder / "lost.csv").string() + ": there is no folder '" +
                          (folder / "nowhere").string() + "'\n");
}

TEST_F(Command, NamesWhatAKilledRunHasLeft) {
  const std::string csv = folder / "out.csv";
  const std::string gone = shell(R"(bash -c "echo \$\$")").out;  // the number of a process that has ended
  const std::string left = csv + "." + gone.substr(0, gone.size() - 1) + ".partial";
  std::ofstream(left) << "t,x";
  const Answer answer = shell("$PAWL run lorenz --stop 1 --out " + csv + " > /dev/null");
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.out, "pawl: note: '" + left + "' was left unfinished by a run that was killed; it can be removed\n");
  EXPECT_TRUE(fs::exists(left) && fs::exists(csv));
}

TEST_F(Command, RefusesRunsAndStepsThatNoNumberCanMeasure) {
  const std::pair<const char*, const char*> cases[] = {
      {"run lorenz --start -1e308 --stop 1e308",
       "pawl: the run from t = -1e+308 to t = 1e+308 is too long: its length must be between 1e-150 and 1e+150\n"},
      {"run lorenz --stop 1e-300",
       "pawl: the run from t = 0 to t = 1e-300 is too short: its length must be between 1e-150 and 1e+150\n"},
      {"run lorenz --step inf", "pawl: step size inf: it must be finite\n"},
      {"advise lorenz --rtol -1",
       "pawl: relative tolerance -1: it must be 0, or at least 1e-15 (rounding) and below 1\n"},
      {"advise lorenz --rtol nan",
       "pawl: relative tolerance nan: it must be 0, or at least 1e-15 (rounding) and below 1\n"},
      {"advise lorenz --atol x=-1",
       "pawl: absolute tolerance -1 for 'x': it must be above 0, so that a state at zero has a scale\n"},
      {"advise kepler --step -1", "pawl: step size -1: it must be above 0\n"},
      {"advise lorenz --set x=1,5", "pawl: --set x=1,5: '1,5' is not a number\n"},
      {"run lorenz --set x=1e400", "pawl: system 'lorenz': the start value of 'x' is inf, it must be finite\n"},
      {"advise model.mo",
       "pawl: 'model.mo' looks like a file, and models are read from .graph files alone (docs/models-as-data.md): give "
       "one, a name of the catalogue (`pawl list`), or call the library from a program\n"},
  };
  for (const auto& [words, text] : cases) {
    const Answer answer = pawl(words);
    EXPECT_EQ(answer.code, 2) << words;
    EXPECT_EQ(answer.out, text) << words;
  }
}

// A pipe that nobody writes to is a set-up without an end, one that nobody reads an output without an end: no run asks
// there whether it was interrupted.
TEST_F(Command, CtrlCIsHeardWhereNoStepEnds) {
  const std::string fifo = folder / "pipe.csv", said = folder / "said.txt";
  ASSERT_EQ(shell("mkfifo " + fifo).code, 0);
  for (const std::string& words : {"run driven-rc --input u=" + fifo, "run lorenz --json --out " + fifo}) {
    const Answer answer = shell(fmt::format("set -m; $PAWL {} > /dev/null 2> {}", words, said) +
                                " & pid=$!; sleep 0.5; kill -INT $pid; for i in {1..100}; do kill -0 $pid || break; "
                                "sleep 0.1; done; kill -KILL $pid; wait $pid");
    EXPECT_EQ(answer.code, 1) << words;
    EXPECT_EQ(contents(said),
              "pawl: stopped by the user inside a set-up, a step or a search that takes long: what is not yet printed "
              "or written is lost\n")
        << words;
  }
}

TEST_F(Command, CtrlCEndsAnAdviceAtOnce) {
  const std::string fifo = folder / "pipe.csv";
  ASSERT_EQ(shell("mkfifo " + fifo).code, 0);
  const Answer answer =
      shell("set -m; $PAWL advise driven-rc --input u=" + fifo +
            " & pid=$!; sleep 0.3; kill -INT $pid; sleep 0.5; kill -KILL $pid 2> /dev/null; wait $pid");
  EXPECT_EQ(answer.code, 128 + SIGINT);
}

// The summary is there before the other runs begin, so that an interrupt cannot take it away.
TEST_F(Command, PrintsTheSummaryBeforeItVerifies) {
  const std::string out = folder / "out.txt";
  shell("set -m; $PAWL run kepler --stop 2e5 --step 0.5 --verify > " + out +
        " & pid=$!; sleep 3; kill -KILL $pid; wait $pid");
  EXPECT_TRUE(has(contents(out), "  outcome    finished at t = 200000\n")) << contents(out);
}

TEST_F(Command, AdvisesOnTheCourseOfAnInputFromAFile) {
  const std::string file = folder / "u.csv";
  std::ofstream(file) << "t,\"voltage, measured\"\n0,1\n1,1\n3,-1\n";
  const Answer answer = pawl("advise driven-rc --atol v=1e-8 --json --input u=steps:" + file);
  ASSERT_EQ(answer.code, 0) << answer.out;
  const Json advice = Json::parse(answer.out);
  EXPECT_EQ(advice["recommendation"]["tolerance"]["value"], "relative 1e-06, absolute per state");
  EXPECT_NEAR(advice["modes"][0]["declared"]["eigenvalues"][0][0].get<double>(), -2, 1e-12);
  const Answer missing = pawl("advise driven-rc --input u=missing.csv");
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.out, "pawl: missing.csv: this file cannot be read\n");
}

// 36000 states: a matrix of them would have 10 GB. Those of the reaction have one with a band.
TEST_F(Command, AdvisesOnManyStatesWithoutMatricesOfThem) {
#ifdef PAWL_SANITIZES_ADDRESSES  // whose own memory is reserved in terabytes
  const std::string limit;
#else
  const std::string limit = "ulimit -v 2000000; ";
#endif
  const Answer spheres = shell(limit + "$PAWL advise sphere-box --set n=3000 --json");
  ASSERT_EQ(spheres.code, 0) << spheres.out;
  const Json advice = Json::parse(spheres.out);
  EXPECT_EQ(advice["states"], 36000);
  EXPECT_EQ(advice["recommendation"]["method"]["value"], "flights");
  const Answer reaction = shell(limit + "$PAWL advise brusselator-1d --set n=36000 --json");
  ASSERT_EQ(reaction.code, 0) << reaction.out;
  EXPECT_EQ(Json::parse(reaction.out)["states"], 36000);
}

TEST_F(Command, SaysWhatAFamilyOfContactsDid) {
  const Answer answer = pawl("run sphere-box --set n=8 --set restitution=0 --stop 1 --explain");
  ASSERT_EQ(answer.code, 0) << answer.out;
  for (const char* part : {"flights (closed forms from one contact to the next)",
                           "family 'contacts': ", "of 8 spheres asleep", "times of contact, of pairs near each other",
                           "not            integration methods: there is no step that all spheres would take"})
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << " in " << answer.out;
  const Answer refused = pawl("run sphere-box --method radau");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out,
            "pawl: system 'sphere-box' has a family of contacts: its spheres fly in closed form, and no step is taken; "
            "the option 'method' does not apply\n");
}

TEST_F(Command, AdvisesOnEveryModelOfTheCatalogue) {
  std::istringstream names(pawl("list --names").out);
  for (std::string name; std::getline(names, name);) EXPECT_EQ(pawl("advise " + name).code, 0) << name;
}

TEST_F(Command, ReportsEventsInJson) {
  const Answer answer = pawl("run bouncing-ball --json");
  ASSERT_EQ(answer.code, 0);
  const Json run = Json::parse(answer.out);
  const Json& events = run["events"];
  ASSERT_GT(events.size(), 10U);
  EXPECT_NEAR(events[0]["t"].get<double>(), 0.4515236409857309, 1e-13);
  EXPECT_EQ(events[0]["kind"], "crossing");
  EXPECT_EQ(events[0]["guards"].size(), 1U);
  EXPECT_EQ(events[0]["mode_before"], events[0]["mode_after"]);
  EXPECT_EQ(events.back()["kind"], "accumulation");
  EXPECT_NE(events.back()["mode_before"], events.back()["mode_after"]);
  EXPECT_EQ(run["statistics"]["events"]["fired"].get<std::size_t>(), events.size());
  for (const Json& level : run["statistics"]["events"]["guarantees"]) EXPECT_EQ(level, "proved");
}

TEST_F(Command, ExplainsHowEventsWereFound) {
  const Answer answer = pawl("run carver-1 --explain");
  EXPECT_EQ(answer.code, 0);
  EXPECT_TRUE(has(answer.out, "3 fired, found by certified")) << answer.out;
  EXPECT_TRUE(has(answer.out, "located to")) << answer.out;
  for (const char* finder : {"compere", "daspke"})
    EXPECT_TRUE(
        has(pawl(std::string("run carver-1 --events ") + finder).out, std::string("3 fired, found by ") + finder));
}

TEST_F(Command, ATerminatedRunIsNoFailureUnlessAskedToBe) {
  const Answer stopped = pawl("run bok-3 --stop 1.4");
  EXPECT_EQ(stopped.code, 0);
  EXPECT_TRUE(has(stopped.out, "accumulate at t = 1.38629")) << stopped.out;
  EXPECT_EQ(pawl("run bok-3 --stop 1.4 --at-accumulation fail").code, 1);
  EXPECT_EQ(pawl("run square-wave --max-events 5 --json").code, 0);
}

TEST_F(Command, BuildsAModelOfTheSizeAsked) {
  const Answer answer = pawl("run marble-jar --set n=3 --set c=0 --stop 0.2 --json");
  ASSERT_EQ(answer.code, 0) << answer.out;
  EXPECT_EQ(Json::parse(answer.out)["final"].size(), 12U);
}

TEST_F(Command, SaysWhereTheBenchmarksWent) {
  for (const char* words : {"bench", "bench gauntlet --method dop853", "bench --help"}) {
    const Answer answer = pawl(words);
    EXPECT_EQ(answer.code, 2) << words;
    EXPECT_EQ(answer.out,
              "pawl: benchmarks are a program of their own, pawl-bench, which is built in the source folder\n"
              "  try: make gauntlet, make papers or make bench there\n");
  }
}

TEST_F(Command, ChoosesFormulationAndStabilization) {
  const Answer run =
      pawl("run rod-pendulum --formulation \"baumgarte(12,70)\" --stabilization \"s-both2(mass)\" --json");
  ASSERT_EQ(run.code, 0) << run.out;
  const Json object = Json::parse(run.out);
  EXPECT_EQ(object["invariants"]["formulation"], "baumgarte(12,70)");
  EXPECT_EQ(object["invariants"]["stabilization"], "s-both2(mass)");
  EXPECT_TRUE(has(pawl("methods").out, "s-both2"));
  EXPECT_TRUE(has(pawl("methods").out, "penalty(k,c)"));
  EXPECT_TRUE(has(pawl("run squeezer").out, "manifold   acceleration, projection: drift "));
  const Answer typo = pawl("run squeezer --stabilization projektion");
  EXPECT_EQ(typo.code, 2);
  EXPECT_TRUE(has(typo.out, "did you mean")) << typo.out;
  EXPECT_EQ(pawl("run lorenz --stabilization none").code, 2);
}

TEST_F(Command, TreatsAnInconsistentStartAsAsked) {
  const std::string start = "run rolling-spheres --set consistent=0 --stop 3 ";
  EXPECT_TRUE(has(pawl(start).out, "the start was not consistent")) << pawl(start).out;
  EXPECT_EQ(pawl(start + "--inconsistent refuse").code, 1);
  const Answer reached = pawl(start + "--inconsistent \"reach(0.5,0.03,0.02)\" --rtol 1e-9 --json");
  ASSERT_EQ(reached.code, 0) << reached.out;
  const Json times = Json::parse(reached.out)["invariants"]["reaching_times"];
  ASSERT_EQ(times.size(), 3u);
  EXPECT_NEAR(times[0]["t"].get<double>(), 2, 1e-8);
  EXPECT_NEAR(times[1]["t"].get<double>(), 0.98174770424681039, 1e-8);
  EXPECT_NEAR(times[2]["t"].get<double>(), 0.58904862254808623, 1e-8);
}

TEST_F(Command, VerifiesARun) {
  const Answer answer = pawl("run bouncing-ball --verify");
  EXPECT_EQ(answer.code, 0);
  EXPECT_TRUE(has(answer.out, "\nverified: 3 runs agree to ")) << answer.out;
  EXPECT_TRUE(has(answer.out, " events match to "));
  EXPECT_TRUE(has(answer.out, "  another family     radau, relative tolerance 1e-08: "));
  EXPECT_TRUE(has(answer.out, "  tighter tolerance  dop853, relative tolerance 1e-08: "));
  const Json quick = Json::parse(pawl("run --verify=quick kepler --json").out)["verification"];
  EXPECT_EQ(quick["verdict"], "verified");
  ASSERT_EQ(quick["runs"].size(), 1U);
  EXPECT_EQ(quick["runs"][0]["method"], "adams");
  for (const char* key : {"digits", "digits_at_end", "variables", "events", "observables", "statistics", "why"})
    EXPECT_TRUE(quick["runs"][0].contains(key)) << key;
  EXPECT_TRUE(quick["runs"][0]["observables"]["energy"]["other"].contains("variation"));
  EXPECT_FALSE(Json::parse(pawl("run kepler --json").out).contains("verification"));
}

TEST_F(Command, RunsThatDisagreeExitWithThree) {
  const Answer answer = pawl("run lorenz --stop 40 --verify --json");
  EXPECT_EQ(answer.code, 3);
  const Json object = Json::parse(answer.out);
  EXPECT_EQ(object["outcome"], "finished");
  EXPECT_EQ(object["verification"]["verdict"], "disagrees");
  EXPECT_EQ(object["verification"]["chaotic"], true);
  EXPECT_GT(object["verification"]["t_parts"].get<double>(), 10);
  EXPECT_EQ(pawl("run kepler --step 0.1 --verify").code, 3);
  EXPECT_EQ(pawl("run kepler --verify --verify-digits 5").code, 3);
  EXPECT_EQ(pawl("run kepler --rtol 1e-10 --verify --verify-digits 5 --verify-tighten 10").code, 0);
}

TEST_F(Command, VerifyRefusesWhatMakesNoSense) {
  for (const auto& [words, text] : {std::pair{"run kepler --verify=fast", "--verify=fast: expected all or quick"},
                                    std::pair{"run kepler --verify-digits 3", "belong to --verify"},
                                    std::pair{"run kepler --verify --verify-digits 20", "20 digits"},
                                    std::pair{"run kepler --verify --verify-tighten 1", "it must be above 1"}}) {
    const Answer answer = pawl(words);
    EXPECT_EQ(answer.code, 2) << words;
    EXPECT_TRUE(has(answer.out, text)) << answer.out;
  }
}

// Four hundred thousand steps of four evaluations, then millions of steps of another method: the interrupt meets these.
TEST_F(Command, CtrlCWhileVerifyingKeepsTheRun) {
  const Answer answer =
      shell("set -m; $PAWL run kepler --stop 2e5 --step 0.5 --verify --json > " + (folder / "out.json").string() +
            " 2>/dev/null & pid=$!; sleep 3; kill -INT $pid; wait $pid");
  EXPECT_EQ(answer.code, 3);  // that step is far too large, and this has been seen by then
  std::ifstream file(folder / "out.json");
  const Json object = Json::parse(file);
  EXPECT_EQ(object["outcome"], "finished");
  EXPECT_EQ(object["verification"]["verdict"], "disagrees");
  EXPECT_EQ(object["verification"]["stopped"], true);
  EXPECT_EQ(object["verification"]["runs"][0]["outcome"], "stopped");
  EXPECT_EQ(object["verification"]["runs"][1]["has_run"], false);
}

// Constant from 0 to 1, so that v = 1 - exp(-t / 0.5) there, and straight down to -1 at t = 3.
TEST_F(Command, TakesTheCourseOfAnInputFromAFile) {
  const std::string file = (folder / "u.csv").string();
  std::ofstream(file) << "t,u\n0,1\n1,1\n3,-1\n";
  const Json object = Json::parse(pawl("run driven-rc --rtol 1e-9 --stop 1 --json --input u=" + file).out);
  EXPECT_NEAR(object["final"]["v"].get<double>(), 1 - std::exp(-2.0), 1e-8);
  const Answer wrong = pawl("run driven-rc --input w=" + file);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.out, "system 'driven-rc' has no input 'w'; did you mean 'u'?")) << wrong.out;
  std::ofstream(file) << "t,u\n0,1\n0,2\n";
  const Answer back = pawl("run driven-rc --input u=steps:" + file);
  EXPECT_EQ(back.code, 2);
  EXPECT_TRUE(has(back.out, file + ", line 3: the time 0 is not after 0, the one before")) << back.out;
  const Answer words = pawl("run driven-rc --input u");
  EXPECT_TRUE(has(words.out, "--input u: expected name=file.csv, name=steps:file.csv or name=spline:file.csv"))
      << words.out;
}

TEST_F(Command, CompletesWordsInBash) {
  const auto complete = [](const std::string& words, int index) {
    const Answer answer = shell("source <($PAWL completion); COMP_WORDS=($PAWL " + words +
                                "); COMP_CWORD=" + std::to_string(index) + "; _pawl; echo ${COMPREPLY[@]}");
    return answer.out;
  };
  const std::string run = complete("ru", 1), model = complete("run ple", 2),
                    method = complete("run lorenz --method verner", 4);
  EXPECT_EQ(run, "run\n");
  EXPECT_EQ(model, "pleiades\n");
  EXPECT_EQ(method, "verner-6 verner-7 verner-9\n");
  EXPECT_TRUE(has(complete("run lorenz --", 3), "--samples"));
}

}  // namespace
