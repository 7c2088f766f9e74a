// The loop behind simulate() and integrate(): a checked set-up and a stepper in, a Result out.
#pragma once

#include <memory>
#include <vector>

#include "pawl/options.hpp"
#include "pawl/result.hpp"
#include "pawl/stepper.hpp"

namespace pawl::detail {

/// One run, checked and ready: what is simulated, from where, and how.
struct Setup {
  std::shared_ptr<const System::Declarations> declarations;
  std::shared_ptr<Dynamics> dynamics;  ///< what follows from them, with the working memory of this run
  std::shared_ptr<const Held> held;    ///< parameters and modes at the start
  std::vector<double> start_state;
  Options options;
  std::string method;
  std::vector<Message> messages;
  std::vector<double> start_rate = {};   ///< at the start state, where it is known
  std::string start_failure = {};        ///< not empty: the run fails before its first step, for this reason
  Callback<std::string()> hint = {};     ///< one more line for that reason
  Callback<std::string()> explain = {};  ///< why a step cannot be taken, where something beside the method knows

  int size() const { return static_cast<int>(start_state.size()); }
};

/// Throws Misuse for whatever cannot be run: see docs/guide.md for the rules.
Setup check(std::shared_ptr<const System::Declarations> declarations, Held held, std::vector<double> start_state,
            const Options& options);

/// A method without an error estimate needs a fixed step.
void check_method(const Setup& setup, std::string_view method, bool is_adaptive);

StepControl step_control(const Setup& setup);

/// A smooth model from start to end.
Result run(const Setup& setup, Stepper& stepper);

}  // namespace pawl::detail
