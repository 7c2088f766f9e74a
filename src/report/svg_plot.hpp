// Curves over two logarithmic axes as an SVG file, for documents: work against error, one line per method.
#pragma once

#include <string>
#include <vector>

namespace pawl {

struct PlotLine {
  std::string name;
  std::vector<double> x, y;  ///< joined in this order; pairs that are not finite and positive are left out
  bool is_dashed = false;
};

struct LogLogPlot {
  std::string title, x_name, y_name;
  std::vector<PlotLine> lines;
  bool is_x_reversed = false;  ///< large values on the left
};

/// Text as it stands in XML and HTML.
std::string escaped_for_xml(const std::string& text);

/// The axes span the decades of what is drawn. Nothing to draw: the frame and a word in it.
std::string draw_svg(const LogLogPlot& plot);

}  // namespace pawl
