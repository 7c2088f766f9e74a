// The catalogue: published problems with their sources and reference solutions. Tests sweep every method over it, the
// command runs it by name. Adding one: a file with a function `Problem name()`, and its entry in catalogue.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/system.hpp"

namespace pawl {

/// The state at time t with these values, to 16 digits, where it is known.
using Reference = std::function<std::optional<std::vector<double>>(const Values& values, double t)>;

struct Problem {
  std::string summary;  ///< one line
  std::string kind;     ///< its class: "smooth ODE", ...
  std::string source;
  System system;
  double end;            ///< the run goes from 0 to here unless told otherwise
  std::string plot;      ///< what shows the problem best: "x,y"
  std::string known_by;  ///< how the reference was obtained
  Reference reference;

  const std::string& name() const { return system.name(); }
};

const std::vector<Problem>& catalogue();

/// The problem of that name; throws Misuse, with the nearest name, if there is none.
const Problem& find_problem(std::string_view name);

/// The largest difference from the reference over all states, where a reference is known.
std::optional<double> error_against_reference(const Problem& problem, const Values& values, double t,
                                              const std::vector<double>& state);

/// A reference known at the end time only, for the declared parameters and start values.
Reference known_at(const System& system, double end, const std::vector<double>& state);

}  // namespace pawl
