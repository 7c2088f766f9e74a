#include "report/curve_plot.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "misuse_of.hpp"
#include "pawl/pawl.hpp"
#include "pawl/report.hpp"
#include "problems/catalogue.hpp"
#include "report/raster.hpp"

namespace pawl {
namespace {

TEST(CurvePlot, HasBothValuesAtAnEvent) {
  const Problem& ball = find_problem("bouncing-ball");
  const Result run = simulate(ball.system, {.end = 1});
  ASSERT_EQ(run.events.size(), 1u);
  const CurvePlot plot = plot_of(run, plot_names("speed"), 10);
  const auto at = std::find(plot.x.begin(), plot.x.end(), run.events[0].t);
  ASSERT_NE(at, plot.x.end());
  const auto i = static_cast<std::size_t>(at - plot.x.begin());
  EXPECT_EQ(plot.x[i + 1], run.events[0].t);
  EXPECT_EQ(plot.y[i], run.before(run.events[0].t)["speed"]);
  EXPECT_EQ(plot.y[i + 1], run.at(run.events[0].t)["speed"]);
  EXPECT_TRUE(std::is_sorted(plot.x.begin(), plot.x.end()));
}

// The speed of van der Pol's oscillator is above 1000 for a thousandth of a second in a run of 2000.
TEST(CurvePlot, SeesWhatAFewStepsTake) {
  const Problem& problem = find_problem("vdpol");
  const Result run = simulate(problem.system, {.end = problem.end});
  const CurvePlot plot = plot_of(run, plot_names("y,v"), 100);
  const Range v = run.range(State{1});
  EXPECT_GT(v.max, 1000);
  EXPECT_GE(*std::max_element(plot.y.begin(), plot.y.end()), v.max);
  EXPECT_LE(*std::min_element(plot.y.begin(), plot.y.end()), v.min);
}

TEST(CurvePlot, OfManyStepsKeepsTheExtremes) {
  System wave("wave");
  const auto x = wave.state("x", 0), y = wave.state("y", 1);
  wave.rates([=](const auto& at, auto& d) {
    d[x] = at[y];
    d[y] = -at[x];
  });
  const Result run = simulate(wave, {.end = 1000, .method = "rk4", .step = 0.1});
  const CurvePlot plot = plot_of(run, plot_names("x"), 50);
  EXPECT_LE(plot.x.size(), 301u);
  EXPECT_EQ(plot.x.front(), 0);
  EXPECT_EQ(plot.x.back(), 1000);
  EXPECT_TRUE(std::is_sorted(plot.x.begin(), plot.x.end()));
  EXPECT_EQ(*std::max_element(plot.y.begin(), plot.y.end()), run.range(x).max);
  EXPECT_EQ(*std::min_element(plot.y.begin(), plot.y.end()), run.range(x).min);
}

TEST(CurvePlot, WritesNumbersOfItsAxesWithoutAnExponentWhereThatIsShort) {
  const std::string svg = to_svg({"a", "x", "y", {0, 2000}, {0, 0.003}});
  for (const char* text : {">a: y over x<", ">0<", ">500<", ">1500<", ">0.001<", ">0.003<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_NE(to_svg({"a", "t", "y", {0, 2e9}, {0, 1}}).find(">5e+08<"), std::string::npos);
}

TEST(CurvePlot, AsSvgHasAllPointsAndNoNameAsMarkup) {
  const CurvePlot plot{"a<b", "t", "x&y", {0, 1, 2}, {0, 2, 1}};
  const std::string svg = to_svg(plot);
  const auto from = svg.find("<polyline points=\"") + 18;
  const std::string points = svg.substr(from, svg.find('"', from) - from);
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), 3);
  EXPECT_NE(svg.find("a&lt;b: x&amp;y"), std::string::npos);
}

TEST(CurvePlot, LeavesAGapWhereThereIsNoNumber) {
  const std::string svg = to_svg({"a", "t", "x", {0, 1, 2, 3, 4}, {0, 1, NAN, 1, 0}});
  std::size_t lines = 0;
  for (auto at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) ++lines;
  EXPECT_EQ(lines, 2u);
}

TEST(CurvePlot, AsPngIsAPngOfItsSize) {
  const std::string png = to_png({"a", "t", "x", {0, 1}, {0, 1}});
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x03\x5c\0\0\x01\xe0", 8));    // 860 by 480
  EXPECT_EQ(png.substr(png.size() - 8), std::string("IEND\xae\x42\x60\x82"));  // with its checksum
}

TEST(Raster, CoversPixelsByTheirDistanceFromALine) {
  Raster picture(20, 20);
  picture.line(2, 10, 17, 10, {0, 0, 0}, 2);
  EXPECT_EQ(picture.at(10, 10), (Color{0, 0, 0}));
  EXPECT_EQ(picture.at(10, 11), (Color{128, 128, 128}));  // half inside
  EXPECT_EQ(picture.at(10, 12), (Color{255, 255, 255}));
  EXPECT_EQ(picture.at(10, 9), picture.at(10, 11));
}

TEST(Raster, ShowsWhatIsNoAsciiAsOneBox) {
  Raster plain(40, 20), other(40, 20);
  plain.text(0, 15, "\x01", {0, 0, 0});
  other.text(0, 15, "\u03a8", {0, 0, 0});
  for (int x = 0; x < 40; ++x)
    for (int y = 0; y < 20; ++y) EXPECT_EQ(plain.at(x, y), other.at(x, y));
}

TEST(Plot, WritesTheCurveIntoAFileAndRefusesOtherEndings) {
  const Result run = simulate(find_problem("bouncing-ball").system, {.end = 1});
  const std::string path = ::testing::TempDir() + "plot_of_a_ball.svg";
  plot(run, "height", path, 10);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, to_svg(plot_of(run, plot_names("height"), 10)));
  EXPECT_EQ(testing::misuse_of([&] { plot(run, "height", "ball.gif"); }),
            "plot: ball.gif: a picture ends in .svg or .png");
  EXPECT_EQ(testing::misuse_of([&] { plot(run, "height", path, 0); }), "plot: 0 points: at least 1");
}

}  // namespace
}  // namespace pawl
