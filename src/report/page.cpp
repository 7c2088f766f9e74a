#include "report/page.hpp"

#include <stdexcept>

#include "report/json.hpp"
#include "report/svg_plot.hpp"
#include "report/templates.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

/// The template with what stands between the two words replaced; both words vanish.
std::string fill(std::string text, std::string_view begin, std::string_view end, std::string_view with) {
  const auto from = text.find(begin), to = text.find(end, from);
  if (from == std::string::npos || to == std::string::npos) throw std::logic_error("the template of reports is broken");
  return text.replace(from, to + end.size() - from, with);
}

std::string without(std::string text, std::string_view word) {
  const auto at = text.find(word);
  return at == std::string::npos ? text : text.erase(at, word.size());
}

}  // namespace

std::size_t PageWords::number(const std::string& word) {
  const auto [it, is_new] = numbers_.try_emplace(word, all_.size());
  if (is_new) all_.push_back(word);
  return it->second;
}

Json empty_page(const std::string& title, double t_start, double t_end) {
  const Json none = Json::array();
  return {{"title", title},
          {"model", title},
          {"summary", ""},
          {"method", ""},
          {"outcome", ""},
          {"reason", ""},
          {"command", ""},
          {"t_start", t_start},
          {"t_end", t_end},
          {"exact", false},
          {"remarks", none},
          {"plots", none},
          {"facts", none},
          {"texts", none},
          {"messages", none},
          {"events",
           {{"t", none},
            {"names", none},
            {"kind", none},
            {"before", none},
            {"after", none},
            {"notes", none},
            {"uncertainty", none}}},
          {"words", none},
          {"curves", none},
          {"held", none},
          {"modes", {{"t", none}, {"name", none}}},
          {"energies", none}};
}

std::string page_with(const Json& head, const Packing& packing, bool is_in_space) {
  std::string page(report_template);
  page = fill(std::move(page), "<!--title-->", "<!--/title-->", escaped_for_xml(head["title"].get<std::string>()));
  if (is_in_space) {
    page = without(std::move(page), "<!--space-->");
    page = without(std::move(page), "<!--/space-->");
  } else {
    page = fill(std::move(page), "<!--space-->", "<!--/space-->", "");
  }
  return fill(std::move(page), "<!--data-->", "<!--/data-->", packing.finish(print(head)));
}

std::string sweep_page_with(const Json& head, const Packing& packing) {
  std::string page(sweep_template);
  page = fill(std::move(page), "<!--title-->", "<!--/title-->", escaped_for_xml(head["title"].get<std::string>()));
  return fill(std::move(page), "<!--data-->", "<!--/data-->", packing.finish(print(head)));
}

}  // namespace pawl
