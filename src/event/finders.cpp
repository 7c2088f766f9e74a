#include <fmt/format.h>

#include "event/finder.hpp"
#include "numerics/nearest_name.hpp"

namespace pawl::event {

const std::vector<FinderInfo>& finders() {
  static const std::vector<FinderInfo> list{
      {"certified", "a proved sign chart of every guard over the step's polynomial (default)", make_certified},
  };
  return list;
}

const FinderInfo& find_finder(std::string_view name) {
  std::vector<std::string> names;
  for (const FinderInfo& finder : finders()) {
    if (finder.name == name) return finder;
    names.push_back(finder.name);
  }
  throw Misuse(fmt::format("unknown way to find events '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace pawl::event
