// advise(): what a model consists of, mode by mode, how stiff it is, and what to integrate it with.
//
//   const analyze::Advice advice = analyze::advise(model, Values(model), {.end = 10});
//   fmt::print("{}", analyze::to_text(advice));
//
// A short pilot run with a loose tolerance visits modes; at one instant of each the equations are linearized,
// E x' = A x, and taken apart. Such numbers hold for that instant: "frozen at t". docs/advice.md gives the rules.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "pawl/options.hpp"
#include "pawl/recommendation.hpp"
#include "pawl/system.hpp"

namespace pawl::analyze {

/// What one set of equations consists of, frozen at one instant.
struct Anatomy {
  std::string equations = {};  ///< "as declared", or the formulation: "index-2"
  std::string failure = {};    ///< why nothing is known; empty: everything below is
  int unknowns = 0;
  int differential = 0, algebraic = 0;  ///< combinations of unknowns with and without a rate
  int index = 0;                        ///< differential index
  bool index_is_certain = true;         ///< every rank was decided by a gap of 1e4 or more
  double rank_gap = 0;                  ///< the smallest
  int hidden_constraints = 0;           ///< conditions on the unknowns that only derivatives of the equations show
  int degrees_of_freedom = 0;           ///< start values that may be chosen
  int dependent_states = 0;             ///< states that follow from others
  std::vector<std::complex<double>> eigenvalues = {};  ///< finite ones, by falling absolute value
  int infinite = 0, undetermined = 0;                  ///< infinite eigenvalues; unknowns without an equation
  std::vector<std::string> redundant = {};             ///< equations that follow from others
  bool has_eigenvalues = false;                        ///< false: too large, only the spectral radius was estimated
  bool is_exact = true;                                ///< derivatives by dual numbers, not by differences
};

struct Stiffness {
  double fastest_rate = 0;   ///< largest |λ|
  double fastest_decay = 0;  ///< largest -Re λ
  double lambert = 1;        ///< max |Re λ| / min |Re λ| over eigenvalues with a real part
  bool is_damped = true;     ///< false: no eigenvalue has a real part, and Lambert's ratio has no meaning
  bool is_infinite = false;  ///< as printed tables have it: algebraic unknowns count as infinitely fast
  double accurate_step = 0;  ///< what accuracy allows an L-stable method of order 5; 0: not measured
  double van_dijk = 0;       ///< accurate_step * fastest_rate
  /// The accurate step was not looked for: more than 300 states and no zeros known in the Jacobian, so that the
  /// matrices of a few implicit steps may cost more than the run.
  bool is_too_costly = false;
};

struct ModeAdvice {
  std::string mode = {};  ///< what is held, in words; empty: there is nothing to hold
  double entered = 0, frozen_at = 0;
  double share = 0;  ///< of the time of the pilot run
  Anatomy declared = {};
  std::optional<Anatomy> integrated = {};  ///< as the recommended formulation writes it, where that differs
  Stiffness stiffness = {};
  Recommendation recommendation = {};
};

struct EventForecast {
  long long seen = 0;  ///< in the pilot run
  double per_unit_time = 0;
  bool accumulates = false, slides = false;
};

struct Advice {
  std::string model = {};
  ModelKind kind = ModelKind::rates;
  int states = 0, constraint_rows = 0, contacts = 0;
  double pilot_start = 0, pilot_end = 0;
  long long pilot_steps = 0;
  std::string pilot_failure = {};  ///< of the pilot run; empty: none
  std::vector<ModeAdvice> modes = {};
  int modes_left_out = 0;
  EventForecast events = {};
  Recommendation recommendation = {};  ///< for the whole run: what `auto` does
  std::vector<std::string> notes = {};
};

/// Throws Misuse as simulate() does, for the options as they are wanted.
Advice advise(const System& system, const Values& values, const Options& options);

/// A page to read.
std::string to_text(const Advice& advice);

}  // namespace pawl::analyze
