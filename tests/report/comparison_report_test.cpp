#include "report/comparison_report.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "misuse_of.hpp"

namespace pawl {
namespace {

using testing::misuse_of;

StoredRun run_with(const std::string& name, const std::vector<double>& t, const std::vector<double>& x) {
  StoredRun run{name, {{"method", "rk4"}}, {{"t", "x"}, {}}};
  for (std::size_t i = 0; i < t.size(); ++i) run.samples.values.insert(run.samples.values.end(), {t[i], x[i]});
  return run;
}

TEST(Comparison, FindsTheLargestDifferenceBetweenSamplesOfEither) {
  // x = t against a line with a corner at t = 1.5, where the first has no sample.
  const auto all = compare({run_with("a", {0, 1, 2, 3}, {0, 1, 2, 3}), run_with("b", {0, 1.5, 3}, {0, 2.25, 3})});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].column, "x");
  EXPECT_EQ(all[0].run, "b");
  EXPECT_DOUBLE_EQ(all[0].largest, 0.75);
  EXPECT_EQ(all[0].at, 1.5);
  EXPECT_EQ(all[0].range, 3);
}

TEST(Comparison, TakesBothSidesOfAJump) {
  // Both jump from 1 to -1 at t = 1: no difference, on either side.
  const auto all =
      compare({run_with("a", {0, 1, 1, 2}, {1, 1, -1, -1}), run_with("b", {0, 0.5, 1, 1, 2}, {1, 1, 1, -1, -1})});
  EXPECT_EQ(all.at(0).largest, 0);
}

TEST(Comparison, TakesJumpsAtNearlyOneInstantForOne) {
  // 1 before the jump and -1 behind it, which comes 1e-9 later in the second run; 1e-3 apart it is a difference.
  const auto jump_at = [](const std::string& name, double t) {
    return run_with(name, {0, 0.5, t, t, 1.5, 2}, {1, 1, 1, -1, -1, -1});
  };
  EXPECT_EQ(compare({jump_at("a", 1), jump_at("b", 1 + 1e-9)}).at(0).largest, 0);
  EXPECT_EQ(jumps_in_words({jump_at("a", 1), jump_at("b", 1 + 1e-9)}),
            "Jumps of b are up to 1.0e-09 from those of a: between two such, values are not compared.");
  EXPECT_EQ(compare({jump_at("a", 1), jump_at("b", 1 + 1e-3)}).at(0).largest, 2);
  EXPECT_EQ(jumps_in_words({jump_at("a", 1), jump_at("b", 1)}), "");
}

TEST(Comparison, CoversTheTimeThatAllHave) {
  const auto all = compare({run_with("a", {0, 2, 4}, {0, 2, 4}), run_with("b", {1, 2, 3}, {1, 2, 3.5})});
  EXPECT_DOUBLE_EQ(all.at(0).largest, 0.5);
  EXPECT_EQ(all.at(0).at, 3);
}

/// sin t + `shift`, at `count` equal distances on [0, 10].
StoredRun sine(const std::string& name, int count, double shift) {
  std::vector<double> t, x;
  for (int i = 0; i <= count; ++i) t.push_back(10.0 * i / count), x.push_back(std::sin(t.back()) + shift);
  return run_with(name, t, x);
}

TEST(Comparison, TakesChordsForNoDifference) {
  // One motion, sampled at other times: with straight lines 97 samples would be off by 1.3e-3.
  const ColumnDifference same = compare({sine("a", 100, 0), sine("b", 97, 0)}).at(0);
  EXPECT_LE(same.largest, same.off + 1e-15);
  EXPECT_LT(same.off, 1e-3);
  EXPECT_FALSE(have_equal_times({sine("a", 100, 0), sine("b", 97, 0)}));
}

TEST(Comparison, SaysHowFarADifferenceBetweenSamplesMayBeOff) {
  const ColumnDifference shifted = compare({sine("a", 100, 0), sine("b", 97, 0.01)}).at(0);
  EXPECT_NEAR(shifted.largest, 0.01, shifted.off + 1e-15);
  EXPECT_LT(shifted.off, 1e-3);
  // Cubics through neighbours: (h/2)^2 (3h/2)^2 / 4! = 2.5e-6 at most for h = 10/97, beside nothing that is off at 0.
  EXPECT_NEAR(shifted.largest, 0.01, 1e-5);
}

TEST(Comparison, OfEqualTimesIsOfTheSamplesThemselves) {
  const std::vector<StoredRun> runs{sine("a", 5, 0), sine("b", 5, 0.25)};
  EXPECT_TRUE(have_equal_times(runs));
  EXPECT_NEAR(compare(runs).at(0).largest, 0.25, 1e-15);
  EXPECT_EQ(compare(runs).at(0).off, 0);
}

TEST(Comparison, KnowsNothingOfAFlightBetweenTwoJumpsWithoutASample) {
  // The first goes up and down between its jumps at 1 and 3 in a single step; a line from 0 to 0 would say otherwise.
  const std::vector<StoredRun> runs{run_with("a", {0, 0.5, 1, 1, 3, 3, 4}, {1, 0.5, 0, 0, 0, 0, 1}),
                                    run_with("b", {0, 0.5, 1, 1, 2, 3, 3, 4}, {1, 0.5, 0, 0, 7, 0, 0, 1})};
  EXPECT_EQ(compare(runs).at(0).largest, 0);
  EXPECT_EQ(compare({runs[1], runs[1]}).at(0).range, 7);
}

TEST(Comparison, DrawsNoCubicAcrossAnEvent) {
  // A jump from 1 to -1 at t = 1.5, between samples: at 0.5 and 2.5 both are constant, and a cubic would overshoot.
  StoredRun coarse = run_with("a", {0, 1, 2, 3, 4}, {1, 1, -1, -1, -1});
  const StoredRun fine = run_with("b", {0, 0.5, 1, 2, 2.5, 3, 4}, {1, 1, 1, -1, -1, -1, -1});
  EXPECT_GT(compare({coarse, fine}).at(0).largest, 0);
  coarse.json["events"] = {{{"t", 1.5}}};
  EXPECT_EQ(compare({coarse, fine}).at(0).largest, 0);
}

TEST(Comparison, SeesThatARunHasNoNumberWhereTheOtherHasOne) {
  const auto all = compare({run_with("a", {0, 1, 2}, {0, 1, 2}), run_with("b", {0, 1, 2}, {0, std::nan(""), 2})});
  EXPECT_TRUE(std::isinf(all.at(0).largest));
  EXPECT_EQ(all.at(0).at, 1);
}

TEST(Comparison, OfRunsThatShareNoTimeIsRefused) {
  EXPECT_EQ(misuse_of([] {
              comparison_to_html({run_with("a", {0, 1}, {0, 1}), run_with("b", {2, 3}, {0, 1})}, "");
            }),
            "these runs share no time that could be compared");
}

TEST(StoredRun, NamesTheFileThatIsNone) {
  const std::string path = (std::filesystem::temp_directory_path() / "pawl_no_run.json").string();
  const auto said_of = [&](const std::string& text) {
    std::ofstream(path) << text;
    return misuse_of([&] { read_run(path); });
  };
  const std::string hint = "; pawl run NAME --out FILE.json writes such a file";
  EXPECT_EQ(said_of("{"), path + ": this is no JSON" + hint);
  EXPECT_EQ(said_of("{}"), path + ": there are no samples in it" + hint);
  EXPECT_EQ(said_of(R"({"samples": {"t": [0, 1], "x": [0]}})"),
            path + ": the column 'x' has not as many numbers as 't'");
  std::filesystem::remove(path);
  EXPECT_EQ(misuse_of([&] { read_run(path); }), path + ": there is no such file, or it cannot be read");
}

}  // namespace
}  // namespace pawl
