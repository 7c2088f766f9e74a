#include "numerics/nearest_name.hpp"

#include <algorithm>
#include <cctype>

namespace pawl {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(columns));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j < columns; ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j < columns; ++j) {
      const int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto lower = [](std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
  };
  const std::string wanted = lower(word);
  if (wanted.empty()) return {};
  const std::string* nearest = nullptr;
  int best = static_cast<int>(std::max<std::size_t>(2, word.size() / 3)) + 1;
  for (const std::string& candidate : known) {
    const bool is_start = wanted.size() >= 3 && lower(candidate).starts_with(wanted);
    const int distance = is_start ? 1 : edit_distance(wanted, lower(candidate));
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest ? "; did you mean '" + *nearest + "'?" : std::string();
}

}  // namespace pawl
