// FactTable: a table of a report: a heading, and rows of a label and words.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pawl {

class FactTable {
 public:
  explicit FactTable(std::string heading) : heading_(std::move(heading)) {}

  template <class... Arguments>
  void add(const std::string& label, fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    put(label, fmt::format(words, std::forward<Arguments>(arguments)...));
  }
  void put(const std::string& label, std::string words) { rows_.push_back({label, std::move(words)}); }
  bool is_empty() const { return rows_.empty(); }

  /// Behind the others, shortened where it is long; nothing where it is empty.
  void into(nlohmann::ordered_json& tables) {
    constexpr std::size_t most_rows = 300;
    if (rows_.empty()) return;
    if (rows_.size() > most_rows) {
      const std::size_t left_out = rows_.size() - most_rows;
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(most_rows), rows_.end());
      add("...", "and {} more", left_out);
    }
    tables.push_back({heading_, rows_});
  }

 private:
  std::string heading_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

}  // namespace pawl
