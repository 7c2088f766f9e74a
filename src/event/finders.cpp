#include <fmt/format.h>

#include "event/finder.hpp"
#include "numerics/nearest_name.hpp"

namespace pawl::event {

const std::vector<FinderInfo>& finders() {
  static const std::vector<FinderInfo> list{
      {"certified", "a proved sign chart of every guard over the step's polynomial (default)", make_certified},
      {"compere", "cubic interpolants of the guards, then Newton's method with a full step for every iterate",
       make_compere},
      {"compere-quintic", "the same, with one quintic instead of two cubics for the second look at suspects",
       [](GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
         FinderOptions quintic = options;
         quintic.uses_quintic = true;
         return make_compere(guards, arming, size, quintic);
       }},
      {"daspke", "Illinois on the dense output, with the guards appended to the error control", make_daspke},
      {"daspke-plain", "the same, with the guards left out of the error control",
       [](GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
         FinderOptions plain = options;
         plain.appends_guards = false;
         return make_daspke(guards, arming, size, plain);
       }},
  };
  return list;
}

const FinderInfo& find_finder(std::string_view name) {
  std::vector<std::string> names;
  for (const FinderInfo& finder : finders()) {
    if (finder.name == name) return finder;
    names.push_back(finder.name);
  }
  throw Misuse(fmt::format("unknown way to find events '{}'{} (there are {})", name, did_you_mean(name, names),
                           fmt::join(names, ", ")));
}

}  // namespace pawl::event
