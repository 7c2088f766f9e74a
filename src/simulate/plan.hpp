// Plan: every decision about a run, made once from facts and options. The engine executes it literally, --explain and
// advise() print it, verify() chooses its second runs by it. Words are read here and nowhere behind.
#pragma once

#include <optional>
#include <string_view>

#include "event/finder.hpp"
#include "formulate/formulation.hpp"
#include "integrate/methods.hpp"
#include "numerics/shifted_system.hpp"
#include "pawl/options.hpp"
#include "pawl/recommendation.hpp"
#include "pawl/system.hpp"
#include "stabilize/stabilizer.hpp"

namespace pawl::formulate {
class DaeForm;
}

namespace pawl::detail {

/// What happens to a start that is not consistent.
enum class AtStart { project, reach, keep, refuse };

template <class T>
struct Decision {
  T value = {};
  std::string why = {};  ///< empty: the user chose
};

/// Who finds the rates of a system of equations, its accelerations, and its multipliers.
enum class Field {
  steps,     ///< the steps: equations as they stand, with all of these among their unknowns
  implied,   ///< all equations with their derivatives, solved for the rates they imply at every evaluation
  by_index,  ///< the steps where the index of a mode is below 2, else all equations with their derivatives
};
std::string_view to_string(Field field);

/// How implicit methods solve their equations.
struct SolverPlan {
  LinearSolver kind = LinearSolver::automatic;  ///< automatic: by the pattern, looked at anew in every mode
  bool is_krylov = false;
  bool wants_differences = false;  ///< instead of exact Jacobians
};

struct Plan {
  Decision<const Method*> method;
  Decision<const Method*> when_stiff;  ///< takes over where stability, not accuracy, limits explicit steps; null: none
  /// Of lower order, from the higher to the lower: take over where events leave few steps between them.
  Decision<std::vector<const Method*>> when_frequent;
  bool is_stiff = false;      ///< by what was measured
  bool has_manifold = false;  ///< what follows applies
  Decision<formulate::Formulation> formulation;
  Decision<stabilize::Stabilization> stabilization;
  AtStart start = AtStart::project;
  const event::FinderInfo* finder = nullptr;
  SolverPlan solver;
  Decision<std::optional<Field>> field;            ///< of equations that have been analyzed
  Decision<std::optional<LinearSolver>> matrices;  ///< of their implicit steps, as they begin
  std::vector<Rejection> rejected;

  bool is_certified() const { return finder->kind == event::FinderInfo::Kind::certified; }
};

/// What is known before anything has been evaluated.
Facts facts_of(const System::Declarations& model);
/// What the mode shows that a form of equations is in.
EquationFacts facts_of(const System::Declarations& model, const formulate::DaeForm& form);

struct StartWords {
  AtStart policy;
  std::vector<double> reaching = {};  ///< rates, for `reach`
};

/// Throws Misuse for unknown names, as all of these.
StartWords read_start(const std::string& words);
SolverPlan read_solver(const ImplicitOptions& wanted);

/// What the options ask for by name stays. Throws Misuse for unknown names, and for what does not go together.
Plan make_plan(const Facts& facts, const Options& options);

/// The same to read.
Recommendation in_words(const Plan& plan, const Options& options);

}  // namespace pawl::detail
