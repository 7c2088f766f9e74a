// Charts of guards that can only be evaluated with numbers. The guard along the step is replaced by polynomial pieces
// through Chebyshev points, refined until they agree with it between those points; the pieces are charted by their
// Bernstein coefficients. Two declarations turn "sampled" into "bounded": min_width (no excursion is shorter, so pieces
// are not longer than four times that) and rate_bound (|dg/dt| <= L, so g at one instant excludes a zero for |g|/L
// around it).
#pragma once

#include <array>
#include <vector>

#include "event/sign_chart.hpp"

namespace pawl::event {

class BlackBoxChart {
 public:
  BlackBoxChart(GuardSet& guards, int size);

  void read(const Step& step);
  /// Covers [from, to]. False: the budget of pieces is spent; the chart reaches frontier(). has_ranges: the guard is
  /// generic, and its ranges at single instants tell its rounding.
  bool cover(int guard, double from, double to, ChartReader& reader, bool has_ranges = false);
  double frontier() const { return frontier_; }

  /// Sign at stored numbers, 0 where it cannot be told from the guard's rounding.
  int sign_at(int guard, double t, const double* x);
  double value_at(int guard, double theta);

  double location_tolerance = 0;
  int iterations = 0;

 private:
  static constexpr int degree = 12;
  using Coefficients = std::array<double, degree + 1>;
  struct Piece {
    double a, b;
    Coefficients bernstein;
    double band;  // what the piece may differ from the guard, rounding included
    double largest, noise;
    bool is_resolved;
  };

  Piece sample(double a, double b);
  double noise_near(double theta, double value);
  bool emit_zero(double a, double b);
  bool resolve(double a, double b, int depth);
  bool chart(const Piece& piece, const Coefficients& c, double a, double b, int depth);
  bool zero_within(double a, double b, double noise);
  bool locate(double a, double b, double ga, double gb, double noise);
  bool walk(double from, double to, double bound);
  double ulp_at(double theta) const;

  GuardSet& guards_;
  const Step* step_ = nullptr;
  std::vector<double> x_;
  StepStates<Interval> ranges_;
  bool has_ranges_ = false;
  int guard_ = 0, pieces_ = 0;
  ChartReader* reader_ = nullptr;
  double from_ = 0, to_ = 0, frontier_ = 0;
  double largest_ = 0;  // over what has been covered so far
  bool is_spent_ = false;
};

}  // namespace pawl::event
