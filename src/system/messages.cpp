#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "pawl/message.hpp"

namespace pawl {

namespace {

using Code = MessageCode;
constexpr auto note = Message::Level::note;
constexpr auto warning = Message::Level::warning;
constexpr auto ending = Message::Level::ending;
constexpr bool once = false, every_time = true;

}  // namespace

const std::vector<MessageRow>& message_catalogue() {
  static const std::vector<MessageRow> rows{
      // What was chosen
      {Code::method_chosen, "method-chosen", note, once, "method auto: {method} ({title}), because: {why}",
       "The method was left to `auto`.", "Nothing; name a method to have another one."},
      {Code::method_changed, "method-changed", note, every_time,
       "method auto: {method} from here on, because: {why}{more}",
       "`auto` goes over to an implicit method where the problem turns stiff, or back; to one of lower order where "
       "events "
       "come every few steps.",
       "Nothing. Many changes in one run: name the implicit method."},
      {Code::stabilization_chosen, "stabilization-chosen", note, once,
       "stabilization auto: {stabilization}, because: {why}", "The stabilization was left to `auto`.",
       "Nothing; `pawl methods` lists the others."},
      {Code::field_chosen, "field-chosen", note, once, "rates and multipliers by {field}, because: {why}",
       "Equations of several kinds stand in one model: who finds what follows from all of them.",
       "Nothing; another method may have another way. `--explain` says the same."},
      {Code::solver_chosen, "solver-chosen", note, once, "linear equations of the steps: {solver}, because: {why}",
       "Equations of several kinds stand in one model, and the linear solver was left to `auto`.",
       "Nothing; `--linear-solver` names one."},
      // The run that was asked for
      {Code::empty_run, "empty-run", note, once, "the run ends where it starts: nothing to integrate",
       "Start and end are the same time.", "Check the end time."},
      {Code::step_beyond_run, "step-beyond-run", note, once,
       "the step size {step:g} is larger than the run, which is {span:g} long: one step of {span:g} is taken",
       "The fixed step does not fit into the run.", "A smaller step."},
      // Its start
      {Code::start_moved, "start-moved", warning, once, "{changes}",
       "The start values did not satisfy the equations, constraints or hidden constraints.",
       "Check that the values it was moved to are meant; hold some of them with `fixed`."},
      {Code::start_kept, "start-kept", warning, once, "the start is kept as it is: {off}",
       "The start is off the manifold, and the option `keep` says to leave it there.", "The start `project`."},
      // Constraints
      {Code::constraint_redundant, "constraint-redundant", warning, once,
       "constraint '{constraint}' is redundant{combination}: it is dropped, its residual watched, and the reaction "
       "forces "
       "are those of least norm",
       "The row of a constraint is a combination of others.",
       "Nothing, if reaction forces do not matter; else remove the constraint."},
      {Code::constraint_nearly_redundant, "constraint-nearly-redundant", warning, once,
       "constraint '{constraint}' {how}",
       "The mechanism begins near a singular position, or passes one, or a constraint is nearly repeated.",
       "Check the geometry; start elsewhere. A position that was passed: nothing, if the smooth branch is meant."},
      {Code::redundant_joint_shares, "redundant-joint-shares", warning, once,
       "constraint '{constraint}' is redundant{combination}: it is left out, and all of them share the load by least "
       "norm",
       "Beside equations of other kinds, joints that depend on each other share their load in a way that the equations "
       "leave open.",
       "Nothing, if the forces of these joints do not matter; else remove the constraint, or make a joint elastic."},
      {Code::multipliers_of_least_norm, "multipliers-of-least-norm", warning, once,
       "constraint '{constraint}' is redundant: the multipliers are those of least norm",
       "Constraints of a port-Hamiltonian system repeat each other.", "Remove the repeated one."},
      {Code::inertia_by_differences, "inertia-by-differences", warning, once,
       "the inertial terms of masses that take numbers only are central differences: {evaluations} evaluations of "
       "these "
       "masses for every one of the right-hand side.\n"
       "  try:    masses that take const auto& at",
       "A mass that depends on coordinates is a black box.", "Write it as a generic function."},
      {Code::surface_not_reached, "surface-not-reached", warning, once,
       "the surface of '{constraint}' was not reached by the end of the run",
       "The start `reach(...)` leads to the constraint, but slowly.", "A larger reaching rate, or a longer run."},
      {Code::large_correction, "large-correction", warning, once,
       "the correction of the step to t = {t:.10g} moved a state by {move:.2g}{row}: with error control "
       "({tolerance:g}) such "
       "a step would have been refused",
       "A fixed step leaves the manifold by more than the tolerance.", "A smaller step, or error control."},
      // What is declared, looked at again at the start and after events
      {Code::structure_is_one_sided, "structure-is-one-sided", ending, once,
       "t = {t:.10g}: {fault}.\n"
       "  likely: an entry depends on states or modes and its partner does not, or not in the same way\n"
       "  try:    write both from one expression, J(y, x) = -J(x, y) and R(y, x) = R(x, y)",
       "The structure of a port-Hamiltonian system is not skew-symmetric in the mode and state of an event, or its "
       "dissipation not symmetric: power would come from nowhere.",
       "Write both partners from one expression. What loses or gains energy is dissipation or an input."},
      {Code::slip_is_not_linear, "slip-is-not-linear", ending, once,
       "t = {t:.10g}: {fault}.\n"
       "  likely: the slip is a length, a power or a sign of speeds\n"
       "  try:    the speed of one surface along the other; in space, its two components",
       "The slip speed of a contact or of friction turns out not to be linear in the speeds in the mode and state of "
       "an "
       "event. Friction acts along its derivative, which then has no meaning.",
       "Declare the speed of one surface along the other; in space, its two components."},
      {Code::dissipation_is_negative, "dissipation-is-negative", warning, once,
       "t = {t:.10g}: the dissipation gives energy: R has the eigenvalue {value:.6g} along {direction}",
       "R of a port-Hamiltonian system is not positive semidefinite at the start or after an event: efforts in that "
       "direction gain power by it.",
       "Nothing, where it is meant (a negative resistance); else check the signs and the entries beside the diagonal."},
      {Code::jacobian_is_wrong, "jacobian-is-wrong", warning, once,
       "t = {t:.10g}: the declared Jacobian has J({row}, {column}) = {declared:.6g}, and {how} of the rates give "
       "{found:.6g}",
       "The Jacobian of the model does not fit its rates at the start or after an event. Results stay those of the "
       "rates; implicit steps converge slowly or not, and Rosenbrock methods lose their order.",
       "Check that entry; leave the Jacobian out, and differences take its place."},
      // The method
      {Code::order_lost_by_index, "order-lost-by-index", warning, once,
       "method '{method}' loses most of its order on systems of index 2 and 3: radau keeps it",
       "The method was named, and the index of the system is above what it is made for.",
       "The method `radau` or `auto`; of mechanisms also a formulation of lower index."},
      {Code::bdf_on_index_3, "bdf-on-index-3", warning, once,
       "BDF on equations of index 3 may fail or lose digits without a sign of it: radau is made for them, and "
       "'stabilized-index-2' for bdf",
       "The method `bdf` was named with a formulation of index 3.",
       "The method `radau`, or the formulation `stabilized-index-2`."},
      {Code::inexact_jacobian, "inexact-jacobian", warning, once,
       "method '{method}' has its order only with an exact Jacobian, and this one is by {kind}: expect smaller steps "
       "or "
       "larger errors (try 'radau')",
       "A Rosenbrock method runs with derivatives by differences.", "Generic model functions, or the method `radau`."},
      {Code::corrected_between_steps, "corrected-between-steps", note, once,
       "the ends of steps are corrected between steps, not inside their error test: {library} takes no pull inside a "
       "step",
       "A multistep method of SUNDIALS runs on a manifold.", "Nothing; one-step methods correct inside the test."},
      {Code::tolerance_below_rounding, "tolerance-below-rounding", warning, once,
       "the tolerance {tolerance:g} is below what rounding in the model allows here: the equations of a step are "
       "solved to "
       "about {factor:.1g} of it, and that is taken as the tolerance",
       "Cancellation in the model is larger than the tolerance.", "A looser tolerance, or a model written without it."},
      {Code::library_warning, "library-warning", warning, once, "{text}",
       "A multistep method of SUNDIALS could not go on from here; the words are the library's.",
       "Another method: `radau` or `auto`."},
      {Code::stiff, "stiff", warning, once,
       "t = {t:.10g}: the problem looks stiff: stability, not accuracy, limits the step ({fastest}). The result is "
       "still "
       "accurate, only slow. Try the method auto, which switches to an implicit one here, or radau",
       "An explicit method was named for a problem that is stiff.", "The method `auto` or `radau`."},
      {Code::lower_polynomial, "lower-polynomial", warning, once,
       "between t = {t:.10g} and {end:.10g} a rate is not finite: the trajectory inside this step is drawn through its "
       "ends "
       "alone, with lower accuracy",
       "A rate cannot be evaluated inside a step whose ends are fine.", "A smaller maximum step, or a guard there."},
      // Why a run ends early: steps
      {Code::step_too_small, "step-too-small", ending, once,
       "t = {t:.10g}: no step above {step:.1e} passes the error test; {attempts} attempts failed, worst in '{state}'.\n"
       "  likely: the solution grows without bound or the model jumps here, or a tolerance is below rounding\n"
       "  try:    end the run before this time, smooth the jump, or loosen the tolerance, which is "
       "{tolerance:.0e}{hint}",
       "The error estimate does not shrink with the step.",
       "Declare what jumps as a guard, condition or relay; end the run before a solution grows without bound; loosen a "
       "tolerance that is below rounding."},
      {Code::no_convergence, "no-convergence", ending, once,
       "t = {t:.10g}: the equations of a step cannot be solved: Newton's method does not converge, down to steps of "
       "{step:.1e} ({attempts} attempts); the last iterates moved '{state}' most.\n"
       "  likely: the model jumps or has a kink here that no guard declares, or its derivatives are wrong\n"
       "  try:    declare the switch as a guard or condition; a tolerance above {tolerance:.0e}; for black boxes, "
       "generic "
       "functions (const auto& at){hint}",
       "Newton's method of an implicit method fails however short the step.",
       "Declare what switches as a guard or condition; write black boxes as generic functions, whose derivatives are "
       "exact; loosen the tolerance."},
      {Code::singular_matrix, "singular-matrix", ending, once,
       "t = {t:.10g}: the matrix of a step is singular, down to steps of {step:.1e} ({attempts} "
       "attempts){undetermined}.\n"
       "  likely: an equation is missing or follows from others, or its index rises here\n"
       "  try:    check the equations of the unknowns named, and the start values{hint}",
       "The equations of a step do not determine its unknowns.",
       "Check the equations of the unknown that is named, and the start values: one equation for every unknown, none "
       "that follows from others."},
      {Code::rate_not_finite_at_start, "rate-not-finite-at-start", ending, once,
       "t = {t:.10g}: the rate of '{state}' is not finite.\n"
       "  likely: division by zero, a root or logarithm of a negative number, or d[{state}] is never assigned\n"
       "  try:    check the start values, the parameters and the rate of '{state}'{hint}",
       "A rate has no value where the run, or a smooth piece of it, begins: no step can be tried.",
       "Check that this rate is assigned, and its divisions, roots and logarithms at the start values and parameters."},
      {Code::rate_not_finite, "rate-not-finite", ending, once,
       "t = {t:.10g}: the rate of '{state}' is not finite, here or just after; {attempts} attempts with steps down to "
       "{step:.1e} failed.\n"
       "  likely: division by zero, or a root or logarithm of a negative number, at this state\n"
       "  try:    check the rate of '{state}' and the parameters it reads; a solution that ends here cannot be "
       "continued{hint}",
       "The motion runs into a place where the model has no value.",
       "A guard that ends or changes the motion before it; a rate that has a value there, if the motion is meant to go "
       "on."},
      {Code::state_not_finite, "state-not-finite", ending, once,
       "t = {t:.10g}: after a fixed step of {step:.3g} the state '{state}' is not finite.\n"
       "  likely: the step is too large for stability, the solution grows without bound, or the model divides by zero "
       "here\n"
       "  try:    a smaller step, or an adaptive method{hint}",
       "A step of fixed size ends with a state that is no number, and cannot be shortened.",
       "A smaller step, or an adaptive method."},
      {Code::cannot_step, "cannot-step", ending, once, "t = {t:.10g}: {why}",
       "The constraints or the equations cannot be met at the end of any step, however short: they contradict each "
       "other, or branches of the motion meet here. Or a state leaps in all of them.",
       "Another start, one constraint less, or an event that ends the run before it; the text names the constraint. "
       "Where a state leaps: an equation that determines it, or its size by `nominal`."},
      {Code::cannot_begin, "cannot-begin", ending, once, "t = {t:.10g}: {why}",
       "A smooth piece cannot begin: the method finds no rates or multipliers to begin with.",
       "The method `radau` or `auto`, or another formulation; else start values, or what a jump assigns, nearer to a "
       "solution. The text says which equations fail."},
      {Code::inconsistent_start, "inconsistent-start", ending, once, "{why}",
       "No values near the start satisfy the equations and constraints, or the option says not to look for them.",
       "Start values nearer to what equations and constraints allow; fewer states held `fixed`; `project` instead of "
       "`refuse`."},
      {Code::never_ends, "never-ends", ending, once,
       "t = {t:.10g}: the last {steps} steps have come only {advance:.2g} further, and at this pace the run would "
       "never end; "
       "'{state}' changes fastest.\n"
       "  likely: {likely}\n"
       "  try:    {advice}",
       "Ten thousand steps brought the run less than a millionth of the way that is left.",
       "Where the text says that the problem is stiff, the method `auto` or `radau`; else a guard, condition or relay "
       "for what switches, or an earlier end."},
      {Code::rates_jump, "rates-jump", ending, once,
       "t = {t:.10g}: the rate of '{state}' jumps back and forth between {low:.4g} and {high:.4g} from one step to the "
       "next, and the motion stays where it jumps: the last {steps} steps have come only {advance:.2g} further.\n"
       "  likely: a select or a comparison inside the rates switches here, and both sides push onto the switch\n"
       "  try:    declare the switch as a relay, which slides along its surface, or make it smooth",
       "A model that switches inside its rates, without a guard, is held where it switches.",
       "Declare the switch as a relay, which slides along its surface, or make it smooth."},
      // Events
      {Code::after_jump_not_finite, "after-jump-not-finite", ending, once,
       "t = {t:.10g}: after the transition{who} the {kind} '{name}' is {value}.\n"
       "  likely: the jump divides by zero or reads a value that is not finite\n"
       "  try:    check what the jump assigns to '{name}'",
       "A jump has assigned infinity or NaN.",
       "Check the divisions of the jump, and what it reads: the values before, all finite."},
      {Code::after_jump_inconsistent, "after-jump-inconsistent", ending, once,
       "t = {t:.10g}: after the transition {why}",
       "The state after a jump, or the mode it leads to, has no consistent values nearby; or the mode has an index "
       "that implicit steps cannot take.",
       "Let the jump assign values that equations and constraints allow in the new mode; for the index, an explicit "
       "method."},
      {Code::beyond_unilateral, "beyond-unilateral", ending, once,
       "t = {t:.10g}: the transition put the unilateral guard {guards} beyond zero, where it must never be.\n"
       "  try:    let the jump keep it on its side, or declare it bilateral",
       "A jump has moved the state beyond a unilateral guard.",
       "Let the jump keep the guard on its side, or declare it bilateral."},
      {Code::decisions_contradict, "decisions-contradict", ending, once,
       "t = {t:.10g}: {after}the decisions contradict each other and never settle:{cycle}\n"
       "  try:    remove the cycle, or let one of them read a condition instead",
       "Decisions of the model read each other in a circle.",
       "Remove the cycle, which is printed, or let one of them read a condition, which changes at events alone."},
      {Code::start_never_settles, "start-never-settles", ending, once,
       "t = {t:.10g}: the conditions at the start never settle",
       "Conditions change the motion so that they change again, without end.", "Give one of them hysteresis."},
      {Code::jump_does_not_turn_back, "jump-does-not-turn-back", ending, once,
       "t = {t:.10g}: after {rounds} transitions at this instant the unilateral guard {guards} still moves beyond "
       "zero.\n"
       "  likely: its jump does not turn the motion back\n"
       "  try:    reverse the speed in .then(...), end the run there, or declare it bilateral",
       "The jump of a unilateral guard leaves the motion towards the far side.",
       "Reverse the speed in `.then(...)`, end the run there, or declare the guard bilateral."},
      {Code::endless_transitions, "endless-transitions", ending, once,
       "t = {t:.10g}: {rounds} transitions at this instant and no end: {one} -> {other} -> ...{changes}\n"
       "  try:    break the cycle of jumps",
       "Jumps make each other fire at one instant.",
       "Break the cycle, whose last members and changes are printed: a hysteresis, or one jump in the place of both."},
      {Code::transition_threw, "transition-threw", ending, once, "t = {t:.10g}: the transition {name} threw{what}",
       "A jump or the transition function threw an exception.", "Mend the function."},
      {Code::cannot_resolve, "cannot-resolve", ending, once, "t = {t:.10g}: {why}",
       "Contacts or ideal switches find no admissible state.",
       "Contacts: less friction or restitution, `.sequential`, or `.compliance`. Ideal switches: a way on for a "
       "current that is cut, or a node that nothing connects; the combinations that were tried are printed."},
      {Code::wrong_schedule, "wrong-schedule", ending, once, "t = {t:.10g}: {why}",
       "A time event has been given an impossible time or period.",
       "`schedule(event, t)` with a later time, infinity for never; periods positive and finite."},
      {Code::accumulation, "accumulation", ending, once,
       "t = {t:.10g}: the events of '{guard}' accumulate at t = {at:.15g} ({how}; {events} so far, infinitely many "
       "follow).\n"
       "  try:    {advice}",
       "Infinitely many events in finite time, as of a ball that comes to rest.",
       "`.at_accumulation(...)` on the guard says what comes after them; relays want hysteresis. Where the run is to "
       "end there: nothing (`--at-accumulation`)."},
      {Code::chattering, "chattering", ending, once,
       "t = {t:.10g}: '{guard}' fires again and again within rounding of this time: the motion chatters.\n"
       "  likely: both sides push onto the surface where it is zero\n"
       "  try:    declare the switch as a relay, which slides along its surface, or give it hysteresis",
       "A switch is thrown back and forth.",
       "Declare the switch as a relay, which slides along its surface, or give it hysteresis."},
      {Code::guard_not_a_number, "guard-not-a-number", ending, once,
       "t = {t:.10g}: the guard '{guard}' is not a number.\n"
       "  likely: division by zero, or a root or logarithm of a negative number, at this state\n"
       "  try:    rewrite the guard without it: a product instead of a quotient, a square instead of a root",
       "A guard cannot be evaluated.", "Rewrite it: a product instead of a quotient, a square instead of a root."},
      {Code::guard_undecided, "guard-undecided", warning, once,
       "t = {t:.10g}: the sign of the guard '{guard}' cannot be proved here: {why}. Where that is so it is told by "
       "samples, which can miss a short excursion, and it is listed as sampled",
       "Ranges of a generic guard say nothing, or nothing in reasonable time.",
       "Rewrite the guard: terms that cancel exactly left out, angles kept small, no `select` on what is zero."},
      {Code::most_events, "most-events", ending, once,
       "t = {t:.10g}: {events} events have happened, which is the limit (max_events)",
       "The limit of events is reached.", "A larger limit, if so many are meant."},
      {Code::terminated_by_model, "terminated-by-model", ending, once, "t = {t:.10g}: {why}",
       "A jump of the model has ended the run.", "Nothing."},
      // The program around the run
      {Code::function_threw, "function-threw", ending, once, "t = {t:.10g}: a function of the model threw{what}",
       "Rates, equations, guards or another function of the model threw an exception.", "Mend the function."},
      {Code::callback_threw, "callback-threw", ending, once, "t = {t:.10g}: {what}",
       "The observer or the progress callback threw an exception.", "Mend the callback."},
      {Code::misuse_on_the_way, "misuse-on-the-way", ending, once, "t = {t:.10g}: {what}",
       "Something that cannot be meant was met after the run had begun, such as a mode that the method cannot treat.",
       "Mend the model, or choose another method: the text says which."},
      {Code::out_of_memory, "out-of-memory", ending, once,
       "t = {t:.10g}: out of memory.\n"
       "  try:    keep less (Keep::samples or Keep::end), a longer step, or fewer samples",
       "The machine has no memory left for the result.",
       "Keep less (`Keep::samples` or `Keep::end`), longer steps, or fewer samples."},
      {Code::stopped_by_user, "stopped-by-user", ending, once, "stopped by the user at t = {t:.10g}",
       "A callback returned false, or Ctrl-C was pressed.", "Nothing: the result has everything up to here."},
  };
  return rows;
}

const MessageRow& row_of(MessageCode code) {
  const auto& rows = message_catalogue();
  const auto found = std::find_if(rows.begin(), rows.end(), [code](const MessageRow& row) { return row.code == code; });
  if (found == rows.end()) throw std::logic_error("a message code without a row in the catalogue");
  return *found;
}

std::string_view to_string(MessageCode code) {
  return row_of(code).name;
}

std::string_view to_string(Message::Level level) {
  return level == note ? "note" : level == warning ? "warning" : "ending";
}

namespace {

/// The text with its places filled in, {name} or {name:format}. Runs say which method they take, so this is part of
/// what beginning one costs: words are appended as they are.
std::string filled(std::string_view text, double t, const std::vector<Message::Datum>& data) {
  std::string out;
  out.reserve(text.size() + 64);
  for (;;) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::string_view place = text.substr(open, text.find('}', open) + 1 - open);
    const auto colon = std::min(place.find(':'), place.size() - 1);
    const std::string_view name = place.substr(1, colon - 1), format = place.substr(colon);
    const auto fill_in = [&](const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
        out += value;
      } else {
        fmt::format_to(std::back_inserter(out), fmt::runtime(fmt::format("{{{}", format)), value);
      }
    };
    if (name == "t") {
      fill_in(t);
    } else {
      const auto one = std::find_if(data.begin(), data.end(), [&](const auto& datum) { return datum.name == name; });
      if (one == data.end()) throw std::logic_error("a message without the datum '" + std::string(name) + "'");
      std::visit(fill_in, one->value);
    }
    text.remove_prefix(open + place.size());
  }
}

}  // namespace

Message make_message(MessageCode code, double t, std::vector<Message::Datum> data) {
  const MessageRow& row = row_of(code);
  std::string text = filled(row.text, t, data);
  return {code, t, std::move(data), row.level, std::move(text)};
}

}  // namespace pawl
