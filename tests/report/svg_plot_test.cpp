#include "report/svg_plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace pawl {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct Dot {
  double x, y;
};

/// The points of the first line that is drawn.
std::vector<Dot> first_line_of(const std::string& svg) {
  const std::size_t begin = svg.find("<polyline points=\"") + 18;
  std::istringstream words(svg.substr(begin, svg.find('"', begin) - begin));
  std::vector<Dot> dots;
  char comma = 0;
  for (Dot dot{}; words >> dot.x >> comma >> dot.y;) dots.push_back(dot);
  return dots;
}

TEST(SvgPlot, APowerLawIsAStraightLine) {
  LogLogPlot plot{.title = "work", .x_name = "error", .y_name = "ms", .lines = {{"method", {}, {}}}};
  for (double x = 1e-8; x < 2; x *= 10) {
    plot.lines[0].x.push_back(x);
    plot.lines[0].y.push_back(3 / std::sqrt(x));
  }
  const std::vector<Dot> dots = first_line_of(draw_svg(plot));
  ASSERT_EQ(dots.size(), 9u);
  const double slope = (dots.back().y - dots.front().y) / (dots.back().x - dots.front().x);
  for (const Dot& dot : dots) EXPECT_NEAR(dot.y - dots.front().y, slope * (dot.x - dots.front().x), 0.11);
  EXPECT_GT(dots.back().x, dots.front().x);
  EXPECT_GT(dots.back().y, dots.front().y);  // smaller values lie lower, and down is positive

  plot.is_x_reversed = true;
  const std::vector<Dot> mirrored = first_line_of(draw_svg(plot));
  EXPECT_LT(mirrored.back().x, mirrored.front().x);
  EXPECT_EQ(mirrored.back().y, dots.back().y);
}

TEST(SvgPlot, LeavesOutWhatHasNoLogarithm) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const LogLogPlot plot{.title = "",
                        .x_name = "",
                        .y_name = "",
                        .lines = {{"some", {1e-3, 0, -1, nan, 1e-5, 1e-4}, {1, 1, 1, 1, inf, 10}}}};
  const std::string svg = draw_svg(plot);
  EXPECT_EQ(first_line_of(svg).size(), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SvgPlot, NamesEveryLineAndEscapesNames) {
  const LogLogPlot plot{.title = "a < b & c",
                        .x_name = "",
                        .y_name = "",
                        .lines = {{"ours", {1, 10}, {1, 10}}, {"theirs", {1, 10}, {2, 20}, true}}};
  const std::string svg = draw_svg(plot);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find(">ours<"), std::string::npos);
  EXPECT_NE(svg.find(">theirs<"), std::string::npos);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 2);  // the second line, in the frame and in the legend
  EXPECT_EQ(count(svg, "<svg"), 1);
  EXPECT_EQ(count(svg, "</svg>"), 1);
}

TEST(SvgPlot, SaysThatThereIsNothing) {
  EXPECT_NE(draw_svg({}).find("nothing to draw"), std::string::npos);
}

}  // namespace
}  // namespace pawl
