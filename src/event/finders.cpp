#include <fmt/format.h>

#include "event/finder.hpp"
#include "event/unlocked.hpp"
#include "numerics/nearest_name.hpp"

namespace pawl::event {

const std::vector<FinderInfo>& finders() {
  using Kind = FinderInfo::Kind;
  using formulate::GuardRows;
  static const std::vector<FinderInfo> list{
      {"certified", "a proved sign chart of every guard over the step's polynomial (default)", Kind::certified,
       make_certified},
      {"compere", "cubic interpolants of the guards, then Newton's method with a full step for every iterate",
       Kind::compere, make_compere},
      {"compere-quintic", "the same, with one quintic instead of two cubics for the second look at suspects",
       Kind::compere,
       [](GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
         FinderOptions quintic = options;
         quintic.uses_quintic = true;
         return make_compere(guards, arming, size, quintic);
       }},
      {"daspke",
       "Illinois on the dense output, with the guards appended to the error control: as quadratures, or in equations "
       "as "
       "algebraic variables",
       Kind::daspke, make_daspke, GuardRows::algebraic},
      {"daspke-differential", "the same, with the guards of equations as differential variables", Kind::daspke,
       make_daspke, GuardRows::differential},
      {"daspke-plain", "the same, with the guards left out of the error control", Kind::daspke,
       [](GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
         FinderOptions plain = options;
         plain.appends_guards = false;
         return make_daspke(guards, arming, size, plain);
       }},
      {"dasrt", "signs of the guards at both ends of a step and nothing else: what the others are measured by",
       Kind::daspke,
       [](GuardSet& guards, Arming& arming, int size, const FinderOptions& options) {
         FinderOptions signs = options;
         signs.appends_guards = false;
         signs.looks_at_signs_only = true;
         return make_daspke(guards, arming, size, signs);
       }},
      {"none", "no events: conditions follow the state at every evaluation, as in a solver for smooth equations",
       Kind::none, make_no_finder},
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
