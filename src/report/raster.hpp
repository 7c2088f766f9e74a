// A picture of pixels: lines with smooth edges and plain letters, as PNG. For plots that documents and mails can show.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

using Color = std::array<std::uint8_t, 3>;

class Raster {
 public:
  Raster(int width, int height);  ///< white

  void line(double x0, double y0, double x1, double y1, Color color, double width = 1);
  enum class Align { left, middle, right };
  /// Letters of ASCII, ten pixels wide and fourteen high; other characters are shown as boxes. y: their base.
  void text(double x, double y, std::string_view words, Color color, Align align = Align::left);

  int width() const { return width_; }
  int height() const { return height_; }
  Color at(int x, int y) const;
  std::string to_png() const;

 private:
  void blend(int x, int y, Color color, double share);

  int width_, height_;
  std::vector<std::uint8_t> pixels_;  // red, green, blue, row after row
};

}  // namespace pawl
