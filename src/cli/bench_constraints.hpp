// What `pawl bench constraints` is made of: tables that know how they are printed, and what a printed number and ours
// have to say to each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pawl/simulate.hpp"
#include "problems/catalogue.hpp"

namespace pawl::cli {

/// Takes tables row by row: Markdown as they come, or one JSON object at the end.
class TableReport {
 public:
  explicit TableReport(bool is_json) : is_json_(is_json) {}
  void begin(std::string name, std::string title, std::string text, std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  void finish() const;

 private:
  struct Table {
    std::string name, title, text;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
  };
  bool is_json_;
  std::vector<Table> tables_;
};

/// `quick`: fewer repetitions, shorter runs.
using Bench = void (*)(TableReport& report, bool quick);

/// The value of a number as the papers print it, ".33e-2", "42e-3"; "*" is not a number: a blow-up.
double value_of(std::string_view printed);

/// "same digits" where ours rounds to the printed one, "last digit" where it is one unit of the last digit off,
/// "rounding" where both are below `floor`, "factor 1.7" else; "both blow up" for a "*" and a NaN.
std::string verdict(std::string_view printed, double ours, double floor = 0);

/// Two verdicts of one row: one word if they agree.
std::string both(const std::string& first, const std::string& second);

/// 1.23e-05, and * for what is not finite.
std::string number(double value, int digits = 2);

/// Steps, rejected ones included.
long long trial_steps(const Result& run);

/// Half of the sorted values lie below it.
double median(std::vector<double> values);

/// Slope of log y over log x by least squares; NaN with fewer than two pairs of finite, positive numbers.
double log_slope(const std::vector<double>& x, const std::vector<double>& y);

// bench_constraints_compere.cpp
void bench_rod_pendulum(TableReport& report, bool quick);
void bench_rolling_spheres(TableReport& report, bool quick);
void bench_held_multipliers(TableReport& report, bool quick);
void bench_reaching(TableReport& report, bool quick);
// bench_constraints_ascher.cpp
void bench_arm_drift(TableReport& report, bool quick);
void bench_arm_ensemble(TableReport& report, bool quick);
void bench_squeezer(TableReport& report, bool quick);
// bench_constraints_koenders.cpp
void bench_gear_wheels(TableReport& report, bool quick);
void bench_flyball(TableReport& report, bool quick);
// bench_constraints_peers.cpp
void bench_andrews(TableReport& report, bool quick);
void bench_long_pendulum(TableReport& report, bool quick);
void bench_period2(TableReport& report, bool quick);
// bench_constraints_cost.cpp
void bench_chain(TableReport& report, bool quick);
void bench_share(TableReport& report, bool quick);

}  // namespace pawl::cli
