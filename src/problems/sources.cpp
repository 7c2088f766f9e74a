#include "problems/sources.hpp"

namespace pawl {

namespace {

constexpr SourceText texts[] = {
#include "problems_texts.inc"
};

}  // namespace

SourceText source_of(const Problem& problem) {
  const std::string_view file = problem.file;
  const std::string_view name = file.substr(file.find_last_of('/') + 1);
  for (const SourceText& one : texts)
    if (one.name == name) return one;
  return {};
}

}  // namespace pawl
