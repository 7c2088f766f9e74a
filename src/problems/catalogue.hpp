// The catalogue: published problems with their sources and reference solutions. Tests sweep every method over it, the
// command runs it by name. Adding one: a file with a function `Problem name()`, its declaration in smooth.hpp,
// hybrid.hpp, constrained.hpp, port_hamiltonian.hpp or stiff.hpp, and its entry in catalogue.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/system.hpp"

namespace pawl {

/// The state at time t with these values, to 16 digits, where it is known.
using Reference = std::function<std::optional<std::vector<double>>(const Values& values, double t)>;

/// Exact times, after the start and up to `end`, at which something fires in a run with these values, in order; one
/// entry per transition. Where infinitely many accumulate, those that are more than 1e-6 apart.
using EventTimes = std::function<std::optional<std::vector<double>>(const Values& values, double end)>;

/// Names and numbers, as in `--set n=16 --set c=0`.
using Assignments = std::map<std::string, double, std::less<>>;

struct Problem {
  std::string summary;  ///< one line
  std::string kind;     ///< its class: "smooth ODE", ...
  std::string source;
  System system;
  double end;            ///< the run goes from `start` to here unless told otherwise
  std::string plot;      ///< what shows the problem best: "x,y"
  std::string known_by;  ///< how the reference was obtained
  Reference reference;
  double start = 0;
  EventTimes event_times = {};  ///< empty where they are not known, or where there are none
  /// Where a parameter shapes the model (the number of balls): builds the System for these assignments, ignoring names
  /// that do not shape it. Use system_of.
  std::function<System(const Assignments&)> build = {};
  std::string shaped_by = {};  ///< the parameter that does; empty: none, and every run can share one compiled model
  const char* file = __builtin_FILE();  ///< that declares it

  const std::string& name() const { return system.name(); }
  bool has_events() const { return system.declarations().has_events(); }
  bool is_constrained() const { return system.declarations().has_manifold(); }
  bool is_implicit() const { return system.declarations().is_implicit(); }
  bool is_stiff() const { return kind.find("stiff") != std::string::npos; }
  /// An ordinary differential equation and nothing else, for explicit methods.
  bool is_smooth() const { return !has_events() && !is_constrained() && !is_implicit() && !is_stiff(); }
};

const std::vector<Problem>& catalogue();

/// The problem of that name; throws Misuse, with the nearest name, if there is none.
const Problem& find_problem(std::string_view name);

/// The System of the problem with these assignments made: `problem.system`, unless one of them shapes the model. All of
/// them still have to be set in its Values:
///
///   const System jar = system_of(problem, {{"n", 16}, {"c", 0}});
///   Values values(jar);
///   values.set("n", 16), values.set("c", 0);
System system_of(const Problem& problem, const Assignments& assignments);

/// The largest difference from the reference over all states, where a reference is known.
std::optional<double> error_against_reference(const Problem& problem, const Values& values, double t,
                                              const std::vector<double>& state);

/// Whether these are the declared parameters, start values and discrete variables of the system.
bool are_declared(const Values& values, const System& system);

/// A reference known at the end time only, for the declared parameters and start values.
Reference known_at(const System& system, double end, const std::vector<double>& state);

}  // namespace pawl
