// A curve drawn with braille dots, two by four to a character: a plot for the terminal.
#pragma once

#include <string>
#include <vector>

namespace pawl {

struct Axis {
  std::string name;
  std::vector<double> values;
};

/// Joins the points by straight lines. Sizes are in characters, frame and labels not counted.
std::string draw(const Axis& horizontal, const Axis& vertical, int columns = 64, int rows = 18);

}  // namespace pawl
