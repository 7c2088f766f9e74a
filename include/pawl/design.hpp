// Design: which values the runs of a sweep have. A run is a number; its values follow from that number and the seed
// alone, so that any process can make any run, and nothing has to be remembered between them.
//
//   Design design;
//   design.vary("e", levels(0.5, 0.9, 41)).vary("gravity", {9.7, 9.81});     // 82 runs: every level with every other
//
//   Design draws;
//   draws.random("k", Distribution::normal(2e4, 1e3)).random("m", Distribution::uniform(900, 1100));
//   draws.sampling = Sampling::sobol;  draws.draws = 1024;  draws.seed = 7;  // 1024 runs
//
// Where there are both, every draw is made at every point of the grid: points are compared with the same numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// A distribution of one number, by its quantile function.
class Distribution {
 public:
  enum class Kind { uniform, loguniform, normal, lognormal, triangular, exponential };

  static Distribution uniform(double low, double high);
  static Distribution loguniform(double low, double high);  ///< its logarithm is uniform; 0 < low
  static Distribution normal(double mean, double deviation);
  /// Truncated: as normal, given that it lies between these.
  static Distribution normal(double mean, double deviation, double low, double high);
  static Distribution lognormal(double mean_of_log, double deviation_of_log);
  static Distribution triangular(double low, double mode, double high);
  static Distribution exponential(double mean);
  /// "normal(2e4,1e3)", as commands have it; throws Misuse.
  static Distribution read(std::string_view words);

  /// Where the probability of less is u, 0 < u < 1.
  double quantile(double u) const;
  /// As read() takes it, with every digit.
  std::string text() const;

 private:
  Distribution(Kind kind, std::vector<double> numbers);
  Kind kind_;
  std::vector<double> numbers_;  // as they were given
  double first_ = 0, last_ = 1;  // of a truncated one: the probabilities of less than its ends
};

/// How numbers are drawn. Errors of means fall with the number of draws n as n^-1/2 (random), faster where the result
/// is nearly a sum over the parameters (latin), nearly as 1/n where it is smooth (sobol).
enum class Sampling {
  random,  ///< independent: Philox 4x32-10
  sobol,   ///< Sobol's sequence with the direction numbers of Joe and Kuo, shifted by the seed
  latin,   ///< Latin hypercube: every parameter has one draw in each of n equal parts of its distribution
};
std::string_view to_string(Sampling sampling);

/// Levels at equal distances, or at equal ratios; both ends are among them.
std::vector<double> levels(double first, double last, int count);
std::vector<double> log_levels(double first, double last, int count);
/// "9.7,9.81", "0.5:0.9:41" or "1:1000:4:log"; throws Misuse.
std::vector<double> read_levels(std::string_view words);

class Design {
 public:
  struct Varied {
    std::string name;
    std::vector<double> levels;
  };
  struct Drawn {
    std::string name;
    Distribution distribution;
  };

  Design& vary(std::string name, std::vector<double> levels);
  Design& random(std::string name, Distribution distribution);

  Sampling sampling = Sampling::random;
  long long draws = 1;  ///< of what is random, at every point of the grid
  std::uint64_t seed = 0;
  /// For Sobol indices (Saltelli): draws come in d + 2 blocks, A, B, and A with each column in turn from B.
  bool for_indices = false;

  const std::vector<Varied>& varied() const { return varied_; }
  const std::vector<Drawn>& drawn() const { return drawn_; }
  /// Of what is varied and then of what is drawn.
  std::vector<std::string> names() const;
  std::size_t columns() const { return varied_.size() + drawn_.size(); }
  /// Throws Misuse for what cannot be meant: no level, a name twice, no draw, ...
  void check() const;
  /// Number of runs.
  long long size() const;
  /// The values of this run, 0 <= run < size(), in the order of names().
  void values(long long run, double* out) const;

 private:
  std::vector<Varied> varied_;
  std::vector<Drawn> drawn_;
};

}  // namespace pawl
