// IdealSwitches: diodes and thyristors of a differential-algebraic system, decided together.
//
//   conducting: voltage = 0, current >= 0       blocking: current = 0, voltage <= 0 (a thyristor without gate: any)
//
// Between events the equations of one combination hold, and each switch watches what would end its part of it: its
// current falling, or its voltage rising, through zero. At an event the combination that holds from there on is looked
// for: what fired is flipped, then whatever contradicts its own mode, again and again; where that turns in circles or
// meets equations without a solution, all combinations are tried, those with the fewest changes first. Values of a
// combination are its consistent values (dae_start.hpp); a zero is decided by the way it leaves.
//
// Where consistent values ask for a jump of differential states, impulses are part of the complementarity: charge may
// go through a conducting switch, forward; a blocking one cannot take the impulse of a voltage, which is what a
// current that is cut off would be (Heemels, Schumacher and Weiland, IEEE Trans. Circuits Syst. I 46 (1999) 1443).
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulate/dae_form.hpp"
#include "formulate/dae_start.hpp"
#include "system/dynamics.hpp"

namespace pawl::detail {

/// Appends the guards of the switches, and for each switch a discrete variable "... idles": what it watches is zero
/// whatever the state is, so it is not watched.
void declare_switch_guards(System::Declarations& model);

class IdealSwitches {
 public:
  /// Moves y and dy to consistent values in the mode `held`, which the form then has entered.
  using Settler = std::function<formulate::StartReport(double t, std::vector<double>& y, std::vector<double>& dy,
                                                       const Held& held, Settle why)>;
  /// How exactly states are known, |error_i| <= absolute_i + relative |x_i|, and which way time goes.
  struct Accuracy {
    double relative, direction;
    std::vector<double> absolute;
  };
  IdealSwitches(std::shared_ptr<const System::Declarations> model, formulate::DaeForm& form, Settler settle,
                Accuracy accuracy);

  /// Writes the modes from this instant on into `held`, and their consistent values into x; at the start of a run the
  /// modes alone.
  Resolution resolve(double t, double* x, Held& held, std::span<const int> fired, Settle why);
  /// Conducting diodes and thyristors through which charge would have to go backwards where states jump to y, in a mode
  /// that the form is in; dy: rates there. Rows from `first_open` to `end_open` say nothing of impulses: those of
  /// constraints, whose multipliers are impulses of unknown size.
  std::vector<int> against_jump(double t, const std::vector<double>& from, const std::vector<double>& y,
                                const std::vector<double>& dy, const Held& held, int first_open, int end_open);
  /// As if a switch had been blocking.
  void block(int k, Held& held) const;
  bool conducts_freely(const Held& held) const;

  /// What it remembers; the form is carried by whoever owns it.
  void carry(Memory& memory) { memory(doubt_, largest_, largest_voltage_, largest_current_, last_); }

 private:
  using Modes = std::vector<char>;  // per switch: it conducts

  // Values in the mode of a trial, later or at another state.
  struct Elsewhere {
    double t;
    std::vector<double> y, dy;
    bool is_found;  // there are consistent values
  };
  struct Trial {
    Modes modes;
    std::string trouble = {};            // why it cannot be; empty: it can, but for `contradicted`
    std::string jump = {};               // differential states that change: "'i' from 2 to 0"
    bool interrupts = false;             // it would cut off a current
    bool passes_impulses = false;        // states jump, and every switch is able to do its part of it
    std::vector<int> contradicted = {};  // switches whose sign is wrong in their own mode
    std::vector<int> undecided = {};     // zero, and without a way to leave
    bool is_weighed = false;             // by the signs of what is watched, with the doubt of then
    std::vector<double> y = {}, dy = {};
    std::optional<Elsewhere> later = {};  // once it was asked for
    bool is_tried() const { return is_weighed || !trouble.empty() || !contradicted.empty(); }
    bool is_consistent() const { return trouble.empty() && contradicted.empty(); }
  };
  struct Search {
    double t;
    Settle why;
    const Held& held;  // with the modes before
    std::vector<double> x;
    Modes before;
    std::vector<char> may_conduct;
    std::deque<Trial> tried = {};
    std::vector<std::string> notes = {};
    void forget_signs();
  };

  void take_sizes(double t, std::vector<double>& x, const Held& held);
  Held held_with(const Search& search, const Modes& modes) const;
  const Trial& attempt(Search& search, const Modes& modes);
  Trial settle(const Search& search, const Modes& modes);
  const Elsewhere& look_later(const Search& search, const Held& held, Trial& trial);
  bool is_near(std::size_t j, double was, double is) const;
  void compare_states(const Search& search, Trial& trial) const;
  void weigh_impulses(const Search& search, const Held& held, Trial& trial);
  std::vector<double> impulses(double t, const std::vector<double>& change, const std::vector<double>& y,
                               const std::vector<double>& dy, int first_open, int end_open);
  void weigh_signs(const Search& search, const Held& held, Trial& trial);
  int sign_ahead(const Search& search, const Held& held, Trial& trial, int k);
  std::vector<Elsewhere> look_elsewhere(const Search& search, const Held& held, const Trial& trial);
  bool is_always_zero(const Held& held, const Trial& trial, const std::vector<Elsewhere>& elsewhere, int k) const;
  const Trial* look_for(Search& search, const Modes& modes);
  const Trial* follow_contradictions(Search& search, Modes modes);
  const Trial* enumerate(Search& search);
  std::string describe(const Modes& modes) const;
  std::string describe_failure(const Search& search) const;

  const Function& watched(int k, bool conducts) const;
  /// Its unit: voltages, and currents, of different switches are compared in these.
  double unit(int k, bool conducts) const { return units_[static_cast<std::size_t>(k)][conducts ? 1 : 0]; }
  double value(const Function& f, const Held& held, double t, const std::vector<double>& y,
               const std::vector<double>& dy) const;
  double slope(const Function& f, const Held& held, double t, const std::vector<double>& y,
               const std::vector<double>& dy, double dt, const std::vector<double>& along,
               const std::vector<double>& rates_along) const;
  double slope_terms(const Function& f, const Held& held, double t, const std::vector<double>& y,
                     const std::vector<double>& dy, double dt, const std::vector<double>& along) const;
  double fastest_rate(const std::vector<double>& y, const std::vector<double>& dy) const;
  double slope_rounding(const Held& held, double t, const std::vector<double>& y, const std::vector<double>& dy, int k,
                        bool conducts) const;
  double rounding(const Function& f, const Held& held, double t, const std::vector<double>& y) const;
  bool is_free(int k) const { return switches_[static_cast<std::size_t>(k)].kind != SwitchInfo::Kind::given; }
  int count() const { return static_cast<int>(switches_.size()); }

  std::shared_ptr<const System::Declarations> model_;
  const std::vector<SwitchInfo>& switches_;
  formulate::DaeForm& form_;
  Settler settle_;
  Accuracy accuracy_;
  double doubt_ = 1;                                  // factor of what is taken as zero
  std::vector<double> largest_;                       // |x_i| seen
  double largest_voltage_ = 0, largest_current_ = 0;  // of any switch, in its unit
  std::vector<std::array<double, 2>> units_;          // of voltage and current
  double last_ = 0;                                   // time at which they were decided
};

}  // namespace pawl::detail
