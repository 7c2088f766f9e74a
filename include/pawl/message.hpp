// Message: something a user should know about a run, or why one ended early. It is a code, an instant and data; the
// words come from one catalogue, message_catalogue(), which docs/messages.md lists.
//
//   for (const Message& message : run.messages)
//     if (message.code == MessageCode::stiff) fmt::print("stiff from t = {} on\n", message.t);
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl {

enum class MessageCode {
  // what was chosen
  method_chosen,
  method_changed,
  stabilization_chosen,
  field_chosen,
  solver_chosen,
  // the run that was asked for
  empty_run,
  step_beyond_run,
  // its start
  start_moved,
  start_kept,
  // constraints
  constraint_redundant,
  constraint_nearly_redundant,
  redundant_joint_shares,
  multipliers_of_least_norm,
  inertia_by_differences,
  surface_not_reached,
  large_correction,
  // what is declared
  structure_is_one_sided,
  slip_is_not_linear,
  dissipation_is_negative,
  jacobian_is_wrong,
  // the method
  order_lost_by_index,
  bdf_on_index_3,
  inexact_jacobian,
  corrected_between_steps,
  tolerance_below_rounding,
  library_warning,
  stiff,
  lower_polynomial,
  // why a run ends early: steps
  step_too_small,
  no_convergence,
  singular_matrix,
  rate_not_finite_at_start,
  rate_not_finite,
  state_not_finite,
  cannot_step,
  cannot_begin,
  inconsistent_start,
  never_ends,
  rates_jump,
  // events
  after_jump_not_finite,
  after_jump_inconsistent,
  beyond_unilateral,
  decisions_contradict,
  start_never_settles,
  jump_does_not_turn_back,
  endless_transitions,
  transition_threw,
  cannot_resolve,
  wrong_schedule,
  accumulation,
  chattering,
  guard_not_a_number,
  guard_undecided,
  most_events,
  terminated_by_model,
  // the program around the run
  function_threw,
  callback_threw,
  misuse_on_the_way,
  out_of_memory,
  stopped_by_user,
};

struct Message {
  enum class Level { note, warning, ending };
  using Value = std::variant<double, long long, std::string>;
  struct Datum {
    std::string name;
    Value value;
  };

  MessageCode code;
  double t;  ///< time of the model it refers to
  std::vector<Datum> data;
  Level level;
  std::string text;  ///< made from the row of the code and the data
};

/// One row of the catalogue.
struct MessageRow {
  MessageCode code;
  std::string_view name;  ///< of the code, in JSON and in docs/messages.md
  Message::Level level;
  bool is_repeated;           ///< said every time, not once per run
  std::string_view text;      ///< with {t} and the names of the data, as fmt writes them
  std::string_view meaning;   ///< when it is said
  std::string_view response;  ///< what to do about it
};

const std::vector<MessageRow>& message_catalogue();
const MessageRow& row_of(MessageCode code);
std::string_view to_string(MessageCode code);
std::string_view to_string(Message::Level level);

/// Level and text come from the catalogue. Data that its text does not read are data all the same.
Message make_message(MessageCode code, double t, std::vector<Message::Datum> data = {});

}  // namespace pawl
