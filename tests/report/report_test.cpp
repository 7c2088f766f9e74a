#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/plot.hpp"
#include "report/whole_file.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder of its own for each test, gone afterwards.
class WholeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("pawl-test-" + std::to_string(::getpid()) + "-" +
                                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string failure_of(const std::string& path, const std::string& text) {
    try {
      write_whole_file(path, text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no failure";
  }
  fs::path folder;
};

TEST_F(WholeFile, ReplacesTheOldOneAtOnce) {
  const fs::path path = folder / "out.csv";
  write_whole_file(path, "old");
  write_whole_file(path, "new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);  // nothing left beside it
}

TEST_F(WholeFile, AMissingFolderIsNamed) {
  const std::string path = folder / "missing" / "out.csv";
  EXPECT_EQ(failure_of(path, "text"), "cannot write '" + path + "': No such file or directory");
}

TEST_F(WholeFile, AFullDeviceIsAnError) {
  EXPECT_EQ(failure_of("/dev/full", "text"), "cannot write '/dev/full': No space left on device");
}

TEST_F(WholeFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  const fs::path path = folder / "out.csv";
  write_whole_file(path, "old");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string failure = failure_of(path, std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(failure, "cannot write '" + path.string() + "': File too large");
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(WholeFile, WritesThroughLinksAlsoToFilesThatAreNotThereYet) {
  fs::create_directories(folder / "far");
  fs::create_symlink("far/target.csv", folder / "near.csv");  // relative to the folder of the link
  fs::create_symlink(folder / "near.csv", folder / "far" / "link.csv");
  for (const char* text : {"first", "second"}) {
    write_whole_file(folder / "far" / "link.csv", text);
    EXPECT_TRUE(fs::is_symlink(folder / "far" / "link.csv") && fs::is_symlink(folder / "near.csv"));
    EXPECT_FALSE(fs::is_symlink(folder / "far" / "target.csv"));
    EXPECT_EQ(contents(folder / "far" / "target.csv"), text);
  }
  fs::create_symlink("missing/target.csv", folder / "lost.csv");
  const std::string lost = folder / "lost.csv", circle = folder / "circle.csv";
  EXPECT_EQ(failure_of(lost, "text"), "cannot write '" + lost + "': No such file or directory");
  EXPECT_TRUE(fs::is_symlink(lost));
  fs::create_symlink("circle.csv", circle);
  EXPECT_EQ(failure_of(circle, "text"), "cannot write '" + circle + "': Too many levels of symbolic links");
}

TEST_F(WholeFile, WritesIntoOpenFilesThatALinkLeadsTo) {
  const fs::path path = folder / "open.csv";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0666);
  fs::remove(path);  // the text of the link is then no path
  write_whole_file("/proc/self/fd/" + std::to_string(file), "text");
  std::string text(4, ' ');
  EXPECT_EQ(::pread(file, text.data(), text.size(), 0), 4);
  EXPECT_EQ(text, "text");
  ::close(file);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(WholeFile, LeavesAReadOnlyFileAlone) {
  const fs::path path = folder / "kept.csv";
  write_whole_file(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read);
  fs::create_symlink(path, folder / "link.csv");
  for (const std::string name : {path, folder / "link.csv"}) {
    EXPECT_TRUE(is_read_only(name));
    EXPECT_EQ(failure_of(name, "new"), "cannot write '" + name + "': this file is read-only");
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_FALSE(is_read_only(folder / "not there"));
}

TEST_F(WholeFile, HandsOnThePermissionsOfTheOldOne) {
  const fs::path path = folder / "private.csv";
  write_whole_file(path, "old");
  const fs::perms mine = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(path, mine);
  write_whole_file(path, "new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), mine);
}

TEST_F(WholeFile, FindsWhatKilledProgramsHaveLeft) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string path = folder / "out.csv", gone = std::to_string(child), mine = std::to_string(::getpid());
  // Of a process that has gone; of one with our number before us; of one that runs; and files of the user's own.
  for (const std::string& middle :
       {gone, gone + "-2", mine, std::to_string(::getppid()), gone + "x", std::string("my")})
    std::ofstream(fmt::format("{}.{}.partial", path, middle)) << "half";
  std::ofstream(folder / ("other.csv." + gone + ".partial")) << "half";
  std::vector<std::string> expected{path + "." + gone + ".partial", path + "." + gone + "-2.partial",
                                    path + "." + mine + ".partial"};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(files_left_behind(path), expected);
  fs::create_symlink("out.csv", folder / "link.csv");
  EXPECT_EQ(files_left_behind(folder / "link.csv"), expected);
  write_whole_file(path, "whole");  // beside the one that has our name
  EXPECT_EQ(contents(path), "whole");
  EXPECT_EQ(contents(path + "." + mine + ".partial"), "half");
}

TEST(Json, IsValidForAnyBytesInNames) {
  const std::string name =
      std::string("a\"\\\n\t\x01\x7f", 7) + std::string(1, '\0') + "é€😀\xe9\xc0\xaf\xed\xa0\x80\xf5";
  EXPECT_EQ(print(Json{{name, name}}),
            "{\n  \"a\\\"\\\\\\n\\t\\u0001\\u007f\\u0000é€😀\\u00e9\\u00c0\\u00af\\u00ed\\u00a0\\u0080\\u00f5\": "
            "\"a\\\"\\\\\\n\\t\\u0001\\u007f\\u0000é€😀\\u00e9\\u00c0\\u00af\\u00ed\\u00a0\\u0080\\u00f5\"\n}\n");
  for (int byte = 0; byte < 256; ++byte) {  // alone, as a beginning and as a continuation
    const char c = static_cast<char>(byte);
    for (const std::string& text : {std::string(1, c), std::string{c, 'x'}, std::string{'\xe2', c, '\xac'},
                                    std::string{'\xf0', c, '\x80', '\x80'}, std::string{'\xf4', c, '\x80', '\x80'}}) {
      const std::string printed = print(Json(text));
      EXPECT_TRUE(Json::accept(printed)) << byte << ": " << printed;
    }
  }
}

TEST(Json, OfAModelWithAnyBytesInItsNamesIsValid) {
  System system("m\xff");
  const auto x = system.state("x\x80\"", 1);
  system.rates([=](const auto& at, auto& d) { d[x] = -at[x]; });
  const Result run = simulate(system, {.end = 1, .samples = 1});
  const Json object = Json::parse(print(to_json(run)));
  EXPECT_EQ(object["model"], "m\u00ff");
  EXPECT_EQ(object["final"]["x\u0080\""].get<double>(), run.final()[x]);
  EXPECT_TRUE(Json::accept(print(to_json(run), run.table_of_samples(run.quantity_names()))));
}

TEST(Json, NumbersSurviveToTheLastBit) {
  const Json parsed = Json::parse(print(Json{{"a", 0.1}, {"b", {1.0 / 3, 1e-300, -2.5}}, {"n", 42}}));
  EXPECT_EQ(parsed["a"].get<double>(), 0.1);
  EXPECT_EQ(parsed["b"][0].get<double>(), 1.0 / 3);
  EXPECT_EQ(parsed["b"][1].get<double>(), 1e-300);
  EXPECT_EQ(parsed["n"], 42);
  EXPECT_EQ(print(Json(0.1)), "0.10000000000000001\n");  // 17 digits
  EXPECT_EQ(print(Json(std::nan(""))), "null\n");
}

TEST(Json, HasTheDocumentedFields) {
  const Problem& problem = find_problem("rigid-body");
  const Result run = simulate(problem.system, {.end = 1, .samples = 4});
  const Json object = to_json(run);
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"model", "method", "t_start", "t_end", "outcome", "reason", "plan",
                                            "reason_code", "final", "multipliers", "statistics", "observables",
                                            "events", "invariants", "implicit", "messages"}));
  EXPECT_TRUE(object["multipliers"].empty() && object["invariants"].empty());
  EXPECT_EQ(object["final"]["w1"], run.final()["w1"]);
  EXPECT_EQ(object["statistics"]["rhs"], run.statistics.rhs);
  EXPECT_EQ(object["observables"]["energy"]["variation"], run.range(Observable{0}).variation());
  EXPECT_TRUE(object["events"].is_array() && object["invariants"].is_object());
  const Json samples = Json::parse(print(object, run.table_of_samples(run.quantity_names())))["samples"];
  EXPECT_EQ(samples["t"].size(), 5u);
  EXPECT_EQ(samples["w2"][4], run.final()["w2"]);
  EXPECT_EQ(samples["energy"].size(), 5u);
}

TEST(Json, OfAMechanismHasMultipliersAndDrift) {
  const Problem& problem = find_problem("cartesian-pendulum");
  const Result run = simulate(problem.system, {.end = 1, .samples = 4});
  const Json object = to_json(run);
  const Table table = run.table_of_samples(run.quantity_names());
  const Json samples = Json::parse(print(Json::object(), table))["samples"];
  EXPECT_EQ(object["multipliers"]["rod"], run.final()[Constraint{0}]);
  EXPECT_EQ(samples["rod"].size(), 5u);
  EXPECT_EQ(samples["rod"][4], run.final()["rod"]);
  const Json& invariants = object["invariants"];
  EXPECT_EQ(invariants["stabilization"], "projection");
  EXPECT_LT(invariants["position_drift"].get<double>(), 4e-16);
  EXPECT_GT(invariants["max_adjustment"].get<double>(), 0);
  for (const char* field : {"velocity_drift", "invariant_drift", "surface", "redundant", "reaching_times"})
    EXPECT_TRUE(invariants.contains(field)) << field;
  EXPECT_EQ(to_csv(table).substr(0, to_csv(table).find('\n')), "t,x,x',y,y',energy,rod");
}

TEST(Csv, HasOneRowPerRequestedSampleOrElsePerStep) {
  const Problem& problem = find_problem("compere-pendulum");
  const Result run = simulate(problem.system, {.end = 1, .keep = Keep::samples, .samples = 2});
  std::istringstream rows(to_csv(run.table_of_samples(run.quantity_names())));
  std::string line;
  std::getline(rows, line);
  EXPECT_EQ(line, "t,theta,omega,energy");
  std::getline(rows, line);
  EXPECT_EQ(line.substr(0, 22), "0,0.3490658503988659,1");
  int count = 1;
  while (std::getline(rows, line)) ++count;
  EXPECT_EQ(count, 3);
  const Result steps = simulate(problem.system, {.end = 1, .keep = Keep::samples});
  EXPECT_EQ(steps.table_of_samples({"t"}).rows(), static_cast<std::size_t>(steps.statistics.steps_accepted) + 1);
}

TEST(Csv, QuotesNamesAsRfc4180Says) {
  System system("names");
  const auto a = system.state("force, left", 1), b = system.state("the \"gap\"", 2), c = system.state("two\nlines", 3);
  const auto d = system.state("plain name", 4);
  system.rates([=](const auto&, auto& rate) { rate[a] = rate[b] = rate[c] = rate[d] = 0.0; });
  const Result run = simulate(system, {.end = 1, .samples = 1});
  EXPECT_EQ(to_csv(run.table_of_samples(run.quantity_names())),
            "t,\"force, left\",\"the \"\"gap\"\"\",\"two\nlines\",plain name\n0,1,2,3,4\n1,1,2,3,4\n");
}

TEST(Plot, PutsTheExtremesInTheCorners) {
  const std::string text = draw({"t", {0, 1}}, {"x", {0, 1}}, 10, 4);
  std::istringstream lines(text);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 7u);
  const std::string blank = "\u2800";
  EXPECT_NE(rows[1].substr(rows[1].size() - 3), blank);   // rising line: the top right cell is drawn
  EXPECT_NE(rows[4].find("│") + 3, rows[4].find(blank));  // and the bottom left one
  EXPECT_EQ(rows[4].substr(rows[4].size() - 3), blank);
}

TEST(Plot, SurvivesConstantsAndNumbersThatAreNone) {
  EXPECT_EQ(draw({"t", {std::nan("")}}, {"x", {1}}), "nothing to plot\n");
  EXPECT_NE(draw({"t", {0, 1}}, {"x", {2, 2}}).find("3 ┤"), std::string::npos);
}

}  // namespace
}  // namespace pawl
