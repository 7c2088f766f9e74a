// What `auto` knows about a run, and what it makes of it: methods, formulation and stabilization, each with its reason.
// simulate() follows it where the options say auto; advise() (pawl/advise.hpp) measures more facts first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

enum class LinearSolver;

/// How a model was declared, which says what its equations look like before any index reduction.
enum class ModelKind {
  rates,             ///< x' = f(t, x)
  invariants,        ///< the same, with quantities the motion keeps
  mechanics,         ///< positions, speeds, constraints
  port_hamiltonian,  ///< an energy, a structure matrix, constraints on efforts
  equations,         ///< 0 = F(t, x, x') or M x' = f
};
std::string_view to_string(ModelKind kind);

/// What has been measured along a short run, for decisions that structure alone cannot make.
struct MeasuredFacts {
  double fastest_rate = 0;     ///< largest |λ| of the linearized motion
  double fastest_decay = 0;    ///< largest -Re λ
  double accurate_step = 0;    ///< that an L-stable method of order 5 takes: what accuracy allows; 0: not known
  double events_per_unit = 0;  ///< of time
};

/// What the analysis of a system of equations has found, in one mode.
struct EquationFacts {
  int index = 0, unknowns = 0;
  bool has_joints = false;   ///< constraints of a mechanism are among them
  bool may_cancel = false;   ///< they cancel in combinations that move with the state
  LinearSolver solver = {};  ///< what their pattern asks for
  std::string pattern = {};  ///< the same in words
};

struct Facts {
  std::string model = {};  ///< its name
  ModelKind kind = ModelKind::rates;
  int states = 0;
  int constraint_rows = 0;         ///< declared
  int contacts = 0;                ///< and places of dry friction
  bool has_events = false;         ///< guards, conditions, relays, time events or contacts are declared
  bool has_exact_rates = true;     ///< the rates take dual numbers
  bool allows_rosenbrock = false;  ///< equations: constant mass matrix, exact derivatives, index below 2
  std::optional<EquationFacts> equations = {};
  std::optional<MeasuredFacts> measured = {};
};

struct Choice {
  std::string value;  ///< empty: none is needed
  std::string why;    ///< empty: the user chose
};

struct Rejection {
  std::string what, why;
};

struct Recommendation {
  Choice method;
  Choice when_stiff;      ///< the method that takes over where stability, not accuracy, limits explicit steps
  Choice when_frequent;   ///< the methods that take over where events leave few steps between them
  bool is_stiff = false;  ///< by what was measured: the method is for stiff problems
  Choice field;           ///< of equations: who finds accelerations and multipliers; empty for other models
  Choice solver;          ///< of equations: of the linear equations of implicit steps
  Choice formulation;     ///< of constraints; empty for models without
  Choice stabilization;   ///< the same
  Choice tolerance;
  Choice events;  ///< how they are found, and what that means
  std::vector<Rejection> rejected = {};
};

}  // namespace pawl
