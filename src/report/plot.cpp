#include "report/plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pawl {

namespace {

/// Dots on a grid, read out as braille (U+2800 and the bits of the eight dots of a cell).
class Canvas {
 public:
  Canvas(int columns, int rows) : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns * rows)) {}

  int width() const { return 2 * columns_; }
  int height() const { return 4 * rows_; }

  void dot(int x, int y) {  // y upward
    static constexpr unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int down = height() - 1 - y;
    cells_[static_cast<std::size_t>(down / 4 * columns_ + x / 2)] |= bits[down % 4][x % 2];
  }

  void line(double x0, double y0, double x1, double y1) {
    const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0)))));
    for (int i = 0; i <= steps; ++i) {
      const double fraction = static_cast<double>(i) / steps;
      dot(static_cast<int>(std::lround(x0 + fraction * (x1 - x0))),
          static_cast<int>(std::lround(y0 + fraction * (y1 - y0))));
    }
  }

  std::string row(int r) const {
    std::string text;
    for (int c = 0; c < columns_; ++c) {
      const unsigned code = 0x2800U + cells_[static_cast<std::size_t>(r * columns_ + c)];
      text += static_cast<char>(0xE0U | (code >> 12U));
      text += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
      text += static_cast<char>(0x80U | (code & 0x3FU));
    }
    return text;
  }

 private:
  int columns_, rows_;
  std::vector<unsigned char> cells_;
};

struct CharacterScale {
  double low, high;
  int dots;

  CharacterScale(const std::vector<double>& values, int dot_count) : dots(dot_count) {
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    low = *min;
    high = *max;
    if (low == high) {  // a constant is drawn in the middle
      const double margin = std::max(std::abs(low), 1.0) * 0.5;
      low -= margin;
      high += margin;
    }
  }
  double operator()(double value) const { return (value - low) / (high - low) * (dots - 1); }
};

}  // namespace

std::string draw(const Axis& horizontal, const Axis& vertical, int columns, int rows) {
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < horizontal.values.size(); ++i) {
    if (!std::isfinite(horizontal.values[i]) || !std::isfinite(vertical.values[i])) continue;
    xs.push_back(horizontal.values[i]);
    ys.push_back(vertical.values[i]);
  }
  if (xs.empty()) return "nothing to plot\n";
  Canvas canvas(columns, rows);
  const CharacterScale across(xs, canvas.width()), up(ys, canvas.height());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : i - 1;
    canvas.line(across(xs[from]), up(ys[from]), across(xs[i]), up(ys[i]));
  }
  std::string text = fmt::format("{:>11} ┤ {}\n", fmt::format("{:.4g}", up.high), vertical.name);
  for (int r = 0; r < rows; ++r) text += fmt::format("{:>11} │{}\n", "", canvas.row(r));
  const std::string left = fmt::format("{:.4g}", across.low),
                    right = fmt::format("{:.4g} {}", across.high, horizontal.name);
  std::string rule;
  for (int c = 0; c < columns; ++c) rule += "─";
  text += fmt::format("{:>11} ┼{}\n", fmt::format("{:.4g}", up.low), rule);
  text += fmt::format("{:>13}{:<{}}{}\n", "", left, std::max(1, columns - static_cast<int>(right.size())), right);
  return text;
}

}  // namespace pawl
