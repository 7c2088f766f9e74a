#include "report/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace pawl {

std::string escaped_for_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

namespace {

// In units of the picture. The legend stands to the right of the frame.
constexpr double left = 64, top = 40, frame_width = 520, frame_height = 380, legend = 205, bottom = 52;
constexpr double line_height = 19;
constexpr std::array<const char*, 16> colors{"#1b6ca8", "#d1495b", "#2e8b57", "#e08e0b", "#7b4fa3", "#20a4a4",
                                             "#8a5a2b", "#e377c2", "#6b7a0f", "#0b2f6b", "#ff6f3c", "#9aa0a6",
                                             "#000000", "#b00000", "#00a000", "#4060ff"};

bool is_drawn(double x, double y) {
  return x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y);
}

/// Whole decades around what is drawn.
struct Decades {
  int first = 0, last = 0;
  bool is_empty = true;

  void take(double value) {
    const double exponent = std::log10(value);
    const int below = static_cast<int>(std::floor(exponent)), above = static_cast<int>(std::ceil(exponent));
    first = is_empty ? below : std::min(first, below);
    last = is_empty ? above : std::max(last, above);
    is_empty = false;
  }
  void finish() {
    if (last <= first) last = first + 1;
  }
  int count() const { return last - first; }
  double share(double value) const { return (std::log10(value) - first) / count(); }
};

struct Frame {
  Decades x, y;
  bool is_x_reversed;

  double across(double value) const {
    const double share = x.share(value);
    return left + frame_width * (is_x_reversed ? 1 - share : share);
  }
  double down(double value) const { return top + frame_height * (1 - y.share(value)); }
};

void draw_axes(std::string& svg, const Frame& frame, const LogLogPlot& plot) {
  const auto out = std::back_inserter(svg);
  const double right = left + frame_width, base = top + frame_height;
  const auto line = [&](double x1, double y1, double x2, double y2, const char* color) {
    fmt::format_to(out, "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                   y2, color);
  };
  const auto every = [](int decades) { return decades > 10 ? 2 : 1; };  // labels must not touch
  for (int k = frame.x.first; k <= frame.x.last; ++k) {
    const double x = frame.across(std::pow(10, k));
    line(x, top, x, base, "#dddddd");
    if (k % every(frame.x.count()) != 0) continue;
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">1e{}</text>\n", x, base + 18, k);
  }
  for (int k = frame.y.first; k <= frame.y.last; ++k) {
    const double y = frame.down(std::pow(10, k));
    line(left, y, right, y, "#dddddd");
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", left - 6, y + 4,
                   std::pow(10, k));
  }
  fmt::format_to(out,
                 "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>\n"
                 "<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n"
                 "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
                 "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                 left, top, frame_width, frame_height, left, escaped_for_xml(plot.title), left + frame_width / 2,
                 base + 40, escaped_for_xml(plot.x_name), top + frame_height / 2, escaped_for_xml(plot.y_name));
}

void draw_line(std::string& svg, const Frame& frame, const PlotLine& line, const char* color, double legend_y) {
  const auto out = std::back_inserter(svg);
  const std::string stroke = fmt::format(R"(stroke="{}" stroke-width="1.6" fill="none"{})", color,
                                         line.is_dashed ? R"( stroke-dasharray="6 4")" : "");
  std::string points, dots;
  const auto dot = [&](double x, double y) {
    fmt::format_to(std::back_inserter(dots), R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.4" fill="{}"/>)", x, y, color);
  };
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    if (!is_drawn(line.x[i], line.y[i])) continue;
    const double x = frame.across(line.x[i]), y = frame.down(line.y[i]);
    fmt::format_to(std::back_inserter(points), "{:.1f},{:.1f} ", x, y);
    dot(x, y);
  }
  const double start = left + frame_width + 14;
  if (!points.empty()) points.pop_back();
  dot(start + 13, legend_y);
  fmt::format_to(out,
                 "<polyline points=\"{}\" {}/>\n"
                 "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n"
                 "{}\n<text x=\"{}\" y=\"{}\">{}</text>\n",
                 points, stroke, start, legend_y, start + 26, legend_y, stroke, dots, start + 33, legend_y + 4,
                 escaped_for_xml(line.name));
}

}  // namespace

std::string draw_svg(const LogLogPlot& plot) {
  Frame frame{{}, {}, plot.is_x_reversed};
  for (const PlotLine& line : plot.lines) {
    for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
      if (!is_drawn(line.x[i], line.y[i])) continue;
      frame.x.take(line.x[i]);
      frame.y.take(line.y[i]);
    }
  }
  const bool is_empty = frame.x.is_empty;
  frame.x.finish();
  frame.y.finish();
  const double height =
      std::max(top + frame_height + bottom, top + line_height * (static_cast<double>(plot.lines.size()) + 1));
  const double width = left + frame_width + 14 + legend;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
      "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n",
      width, height);
  draw_axes(svg, frame, plot);
  if (is_empty) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">nothing to draw</text>\n",
                       left + frame_width / 2, top + frame_height / 2);
  }
  std::size_t color = 0;
  double legend_y = top + line_height / 2;
  for (const PlotLine& line : plot.lines) {
    draw_line(svg, frame, line, colors[color++ % colors.size()], legend_y);
    legend_y += line_height;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace pawl
