// One quantity of a run over another, or over time, as a picture in a file: SVG or PNG. Both values at an event are
// among the points, so that a jump is drawn where it happens.
#pragma once

#include <string>
#include <vector>

#include "pawl/result.hpp"

namespace pawl {

struct CurvePlot {
  std::string title, x_name, y_name;
  std::vector<double> x, y;
};

/// "x" for x over time, "x,y" for y over x.
struct PlotNames {
  std::string horizontal, vertical;
};
PlotNames plot_names(const std::string& words);

/// So many instants of the run, evenly spread, every end of a step and both sides of every event; where that is much
/// more, the extremes of so many groups of it. Needs Keep::everything.
CurvePlot plot_of(const Result& run, const PlotNames& names, int points = 2000);

std::string to_svg(const CurvePlot& plot);
std::string to_png(const CurvePlot& plot);

}  // namespace pawl
