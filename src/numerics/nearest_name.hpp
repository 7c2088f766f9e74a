// "Did you mean": the known word closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// The number of letters to insert, delete, replace or swap with a neighbour (Damerau-Levenshtein, restricted form).
int edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'lorenz'?" for the nearest known word, or nothing when none is near enough to be a likely meaning.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace pawl
