// verify: a result is believed when other ways to compute it agree. The model is run again, with an algorithm of
// another family, with a tighter tolerance, and where there is one with another formulation of its constraints;
// states, events and observables are compared with those of the first run. docs/verify.md says how.
//
//   const Options options{.end = 10};
//   const Result run = simulate(ball, options);
//   const Verification check = verify(ball, options, run);
//   if (!check.is_verified()) std::cerr << check.summary << check.advice;
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/options.hpp"
#include "pawl/result.hpp"

namespace pawl {

struct VerifyOptions {
  bool another_family = true;
  bool tighter = true;
  bool other_formulation = true;  ///< of mechanisms and port-Hamiltonian systems; others have one only
  double tighten = 100;           ///< tolerances of the second runs are divided by this
  /// Digits that count as agreement. Default: a third of those the relative tolerance asks for; 3 with a fixed step.
  std::optional<double> digits = {};
  int instants = 1000;  ///< compared at the ends of so many equal intervals, inside as many steps, and between events
  /// Told before each run: which check, and how many there are.
  std::function<void(std::string_view what, int index, int count)> begins = {};

  /// One run alone: the one by another family.
  static VerifyOptions quick() {
    VerifyOptions options;
    options.tighter = options.other_formulation = false;
    return options;
  }
};

/// How far one variable agrees with the first run. Differences are relative to its range over the run, and at least to
/// a thousandth of its largest value.
struct Agreement {
  std::string variable;
  double scale = 0;    ///< what differences are divided by
  double digits = 16;  ///< -log10 of the largest difference over all instants compared; at most 16
  double digits_at_end = 16;
  double t_worst = 0;  ///< where the largest is
};

/// One event of the first run beside that of the other: the same guard at nearly the same time.
struct EventPair {
  std::string name;
  std::string kind;
  std::optional<double> t_first = {}, t_other = {};  ///< empty: not there
  bool is_excused = false;  ///< it lacks beside an accumulation point, at the end of a run, or there and back at once
  double t() const { return t_first ? *t_first : *t_other; }
  double difference() const { return t_first && t_other ? *t_other - *t_first : 0; }
  bool is_matched() const { return t_first && t_other; }
};

struct ObservablePair {
  std::string name;
  Range first, other;
};

/// One more run of the model, and how it compares.
struct SecondRun {
  std::string what;         ///< "another family", "tighter tolerance", "smaller step", "other formulation"
  std::string how;          ///< "adams, relative tolerance 1e-08"
  std::string why;          ///< why this algorithm
  std::string method;       ///< as it ran
  std::string formulation;  ///< of constraints, where there are any
  bool has_run = false;     ///< false: it was not even begun; `reason` says why
  Outcome outcome = Outcome::finished;
  std::string reason;  ///< where it failed or was stopped
  double t_end = 0;
  double t_compared = 0;             ///< states were compared up to here
  std::vector<Agreement> variables;  ///< in the order of the states
  /// Where states were compared, and this run minus the first there: a number per state for every time.
  std::vector<double> times, differences;
  double digits = 16, digits_at_end = 16;   ///< the least of them
  std::vector<EventPair> events;            ///< in the order of time
  int matched = 0, missing = 0, extra = 0;  ///< events; missing: only the first run has them; extra: only this one
  double largest_time_difference = 0;       ///< of matched events
  std::vector<ObservablePair> observables;
  Statistics statistics;
  std::optional<double> t_parts;  ///< where it no longer agrees with the first run
  std::string parting_event;      ///< the event that only one of them has, or has at another time; empty: none

  /// Whether it came as far as the first run did.
  bool is_whole() const { return has_run && (outcome == Outcome::finished || outcome == Outcome::terminated); }
};

/// How differences grow, where runs part.
struct Growth {
  double rate = 0;              ///< of exp(rate t)
  double e_foldings = 0;        ///< over the stretch it was fitted on
  double power = 0;             ///< of (t - start)^power, the other fit
  bool is_exponential = false;  ///< and that fits better, over five e-foldings or more
};

enum class Verdict {
  verified,   ///< every run that came through agrees
  disagrees,  ///< one does not
  unknown,    ///< none came through, or the first run failed
};
std::string_view to_string(Verdict verdict);

struct Verification {
  Verdict verdict = Verdict::unknown;
  std::string summary;  ///< one line
  std::string advice;   ///< what to try; empty if verified
  double digits = 16;   ///< the least agreement of all runs, up to where they part
  double wanted_digits = 3;
  std::vector<SecondRun> runs;
  std::optional<double> t_parts;  ///< the first time at which a run no longer agrees
  std::string parting_event;
  std::optional<Growth> growth;  ///< where they part
  bool is_chaotic = false;       ///< differences between any two runs grow exponentially, at one rate
  bool was_stopped = false;      ///< by the progress callback
  long long rhs = 0;             ///< evaluations by all second runs
  double wall_seconds = 0;

  bool is_verified() const { return verdict == Verdict::verified; }
};

/// Throws Misuse for numbers that make no sense; verify() does so too.
void check(const VerifyOptions& how);

/// Runs the model again and compares. `first` is the result of simulate(system, values, options); where it kept its
/// polynomials it is compared all along the run, else at its samples or, without any, at its end. What goes wrong in a
/// second run is reported with it; nothing is thrown but Misuse of the arguments.
Verification verify(const System& system, const Values& values, const Options& options, const Result& first,
                    const VerifyOptions& how = {});
Verification verify(const System& system, const Options& options, const Result& first, const VerifyOptions& how = {});

/// For people: the verdict, the runs, the variables that agree least, the events side by side (as many as fit a screen,
/// or all), observables, cost.
std::string describe(const Verification& verification, const Result& first, bool all_events = false);

}  // namespace pawl
