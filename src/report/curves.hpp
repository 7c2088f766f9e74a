// The quantities of a run as polynomials piece by piece, for reports. A piece is one recorded step, in ascending order
// of time. States are the recorded polynomials; whatever follows from them (observables, multipliers, numbers of the
// picture) is interpolated between Chebyshev nodes of every step, which are inside it, so that both sides of an event
// are there.
//
//   value(t) = middle + quantum / n  Σ_k c_k T_k(s),  -1 <= s <= 1 over the piece, n integers c_k
//
// Rounding moves a sum of n coefficients by at most quantum / 2, what is left out by a quarter of the accuracy:
// together less than 1e-6 of the range of the quantity.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "event/observe.hpp"
#include "pawl/result.hpp"
#include "report/packing.hpp"

namespace pawl {

/// Chebyshev coefficients, piece by piece; empty: no number there.
using PieceSeries = std::vector<std::vector<double>>;

/// What the head says of one curve. Exact: numbers as they are, instead of integers.
nlohmann::ordered_json pack_curve(Packing& packing, const std::string& name, const std::string& kind,
                                  PieceSeries values, bool is_exact);

/// The largest share of its range by which a curve may differ from what was recorded.
inline constexpr double curve_accuracy = 1e-6;

/// A quantity that follows from the states.
struct Follower {
  std::string name, kind;
  std::function<double(const event::Scene& scene, const Instant& at)> read;
};

class Curves {
 public:
  Curves(const Result& run, Packing& packing, bool is_exact);

  /// What the head says of the pieces and of every curve.
  nlohmann::ordered_json pieces();
  nlohmann::ordered_json states(const std::vector<std::size_t>& which);
  nlohmann::ordered_json followers(const std::vector<Follower>& all);
  /// The largest residual of each level at the end of every piece; of equations, how far the nearest consistent values
  /// are, in units of the sizes of the unknowns, at some ends where there are very many; null: there is no manifold.
  nlohmann::ordered_json drift();
  /// States as another run has them, given what that run is off at these times (a number per state each), which is
  /// joined by straight lines: the curve itself, and beside it the difference. Nothing where the times do not reach.
  nlohmann::ordered_json beside(const std::string& other, const std::vector<std::size_t>& states,
                                const std::vector<double>& times, const std::vector<double>& differences);
  nlohmann::ordered_json history();

  /// Followers whose value did not change, by name: the page needs no curve for them.
  std::vector<std::pair<std::string, double>> constants;

 private:
  std::size_t count() const { return run_.trajectory.t1.size(); }
  /// The step that is piece i.
  std::size_t step(std::size_t piece) const { return is_backward_ ? count() - 1 - piece : piece; }
  PieceSeries state(std::size_t i) const;
  nlohmann::ordered_json distance();
  std::shared_ptr<const Held> held_in(std::size_t step);

  const Result& run_;
  Packing& packing_;
  bool is_exact_, is_backward_;
  std::size_t era_ = 0;  // of the step asked for last
};

}  // namespace pawl
