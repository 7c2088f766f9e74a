// pawl-bench: printed numbers and ours, expectations and exit codes, pages from rows.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "numbers.hpp"
#include "report.hpp"

namespace pawl::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Kind = Comparison::Kind;

struct Answer {
  int code;
  std::string out;
};

Answer run(const std::string& words) {
  FILE* pipe = ::popen((PAWL_BENCH " " + words + " 2>&1").c_str(), "r");
  Answer answer{-1, {}};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    answer.out.append(buffer.data(), count);
  answer.code = WEXITSTATUS(::pclose(pipe));
  return answer;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A file of its own for each test, gone afterwards.
class File : public ::testing::Test {
 protected:
  void SetUp() override {
    path = fs::temp_directory_path() / ("pawl-bench-" + std::to_string(::getpid()) + "-" +
                                        ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override { fs::remove(path); }
  fs::path path;
};

TEST(Comparison, ReadsNumbersAsPapersPrintThem) {
  EXPECT_DOUBLE_EQ(read_printed(".33e-2").value, 0.0033);
  EXPECT_DOUBLE_EQ(read_printed(".33e-2").unit, 1e-4);
  EXPECT_DOUBLE_EQ(read_printed("42e-3").unit, 1e-3);
  EXPECT_TRUE(std::isnan(read_printed("*").value));
}

TEST(Comparison, SeesDigitsRoundingAndBlowUps) {
  const double none = std::nan("");
  EXPECT_EQ(compare(".33e-2", 0.00328).kind, Kind::same_digits);
  EXPECT_EQ(compare("9.7e-13", 8.5e-13, 1e-12).kind, Kind::rounding);
  EXPECT_EQ(compare("1.1e-5", 1.2e-5).kind, Kind::last_digit);
  EXPECT_EQ(compare("1e-5", 2e-5).kind, Kind::factor);  // of a single digit, the last one is the first one
  EXPECT_EQ(compare("*", none).kind, Kind::both_blow_up);
  EXPECT_EQ(compare("*", 1).kind, Kind::only_theirs);
  EXPECT_EQ(compare("1", none).kind, Kind::only_ours);
  EXPECT_FALSE(compare("*", 1).agrees_within(100));
  EXPECT_TRUE(compare("1.0e-5", 2.4e-5).agrees_within(2.5) && compare("2.4e-5", 1.0e-5).agrees_within(2.5));
  EXPECT_FALSE(compare("1.0e-5", 2.6e-5).agrees_within(2.5) || compare("2.6e-5", 1.0e-5).agrees_within(2.5));
}

TEST(Report, AnExpectationThatDoesNotHoldIsAFault) {
  Report report(true);
  report.begin("1", "Table 1", {}, {"step"});
  EXPECT_EQ(report.same("step 0.1", "1.0e-3", 1.02e-3), "same digits");
  EXPECT_TRUE(report.faults().empty());
  EXPECT_EQ(report.same("step 0.2", "1.0e-3", 3e-3), "factor 3");
  EXPECT_EQ(report.within(4, "step 0.2", "1.0e-3", 3e-3), "factor 3");
  EXPECT_EQ(report.expectations(), 3);
  EXPECT_EQ(report.faults(), std::vector<std::string>{"Table 1: step 0.2: printed 1.0e-3, ours 3.000e-03, factor 3"});
}

TEST_F(File, APageIsWrittenFromRows) {
  const Answer printed = run("papers --table 3.1");
  ASSERT_EQ(printed.code, 0) << printed.out;
  EXPECT_TRUE(has(printed.out, "| 0.05 | 1.8e-1 | 1.75e-01 | 1.4e-4 | 1.39e-04 | 5.3e-11 | 5.30e-11 |\n"))
      << printed.out;
  EXPECT_TRUE(printed.out.ends_with("\n12 of 12 expectations hold.\n")) << printed.out;
  ASSERT_EQ(run("papers --table 3.1 --json > " + path.string()).code, 0);
  std::ifstream file(path);
  const Json rows = Json::parse(file);
  EXPECT_EQ(rows["tables"][0]["rows"][0][0], 0.05);       // numbers for those who calculate
  EXPECT_EQ(rows["tables"][0]["cells"][0][1], "1.8e-1");  // and as they are printed
  EXPECT_EQ(rows["expectations"], 12);
  EXPECT_EQ(run("--page " + path.string()).out + "\n12 of 12 expectations hold.\n", printed.out);
}

TEST_F(File, MoreRightHandSidesThanBeforeAreAFault) {
  const std::string words = "catalogue --quick --problem lorenz --method dop853 --rtol 1e-4,1e-8";
  ASSERT_EQ(run(words + " --json > " + path.string()).code, 0);
  EXPECT_EQ(run(words + " --against " + path.string()).code, 0);
  std::ifstream file(path);
  Json rows = Json::parse(file);
  auto& count = rows["tables"][0]["cells"][1][8].get_ref<std::string&>();
  count = std::to_string(std::stoll(count) * 95 / 100);
  std::ofstream(path) << rows;
  const Answer answer = run(words + " --against " + path.string());
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(has(answer.out, "\n1 of 2 expectations hold.\n")) << answer.out;
  EXPECT_TRUE(has(answer.out, "- Runs of the catalogue: lorenz, dop853, 1e-08: ")) << answer.out;
}

TEST(Suites, TheGauntletIsPassed) {
  const Answer answer = run("gauntlet --table generic --method dop853");
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_TRUE(has(answer.out, "\n1 of 1 expectations hold.\n")) << answer.out;
  const Answer random = run("gauntlet --table random --quick");
  EXPECT_EQ(random.code, 0) << random.out;
}

TEST(Suites, PublishedTablesAreReproduced) {
  const Answer events = run("events --quick --table 5.3-5.5");
  EXPECT_EQ(events.code, 0) << events.out;
  EXPECT_TRUE(has(events.out, "| BOK 1, A = 0.35 | 3, 307, 42, 3, 5 | 3, ")) << events.out;
  const Answer drift = run("constraints --quick --table 6.1-6.2");
  EXPECT_EQ(drift.code, 0) << drift.out;
  EXPECT_TRUE(has(drift.out, "\n56 of 56 expectations hold.\n")) << drift.out;
}

TEST(Suites, UnknownNamesAreMisuse) {
  EXPECT_EQ(run("papers --table 9.9").code, 2);
  EXPECT_EQ(run("").out, "pawl-bench: a suite is needed: pawl-bench --list says which there are\n");
  const Answer typo = run("gaunlet");
  EXPECT_EQ(typo.code, 2);
  EXPECT_TRUE(has(typo.out, "pawl-bench: unknown suite 'gaunlet'; did you mean 'gauntlet'?: there are papers, "))
      << typo.out;
  EXPECT_EQ(run("gauntlet --method dop852").code, 2);
}

}  // namespace
}  // namespace pawl::bench
