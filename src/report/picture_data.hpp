// The picture of a model as a report stores it: shapes whose numbers are constants or names of curves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "pawl/picture.hpp"
#include "report/curves.hpp"

namespace pawl {

struct PictureData {
  nlohmann::ordered_json shapes;    ///< null: there is nothing to draw
  std::vector<Follower> followers;  ///< curves that the picture alone needs
  bool is_in_space = false;
};

/// As it was declared; without a declaration, dots at the coordinates that are named x and y (and z) of a mechanism.
PictureData picture_of(const Result& run);

/// The channels of the picture: a number, or the name of a curve. `constants`: followers that did not change.
nlohmann::ordered_json channels_of(const PictureData& picture,
                                   const std::vector<std::pair<std::string, double>>& constants);

}  // namespace pawl
