// The page that reports are: the template of web/dist/report.html around a head in JSON and packed arrays.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/packing.hpp"

namespace pawl {

/// Strings that occur many times, by number.
class PageWords {
 public:
  std::size_t number(const std::string& word);
  nlohmann::ordered_json take() { return std::move(all_); }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> all_;
};

/// A head with everything that the page reads, and nothing in it.
nlohmann::ordered_json empty_page(const std::string& title, double t_start, double t_end);

/// The whole file.
std::string page_with(const nlohmann::ordered_json& head, const Packing& packing, bool is_in_space);

/// The same for a sweep, whose page is web/dist/sweep.html.
std::string sweep_page_with(const nlohmann::ordered_json& head, const Packing& packing);

}  // namespace pawl
