// Sliding motion (Filippov): where both sides of a relay's surface push onto it, the motion stays on the surface.
//
//   f_0 = field with all sliding relays at `below`, f_i = with relay i at `above`
//   a_i = derivative of g_i along f_0,  A_ij = derivative of g_i along f_j - f_0
//   A λ = -a,   f_s = f_0 + Σ λ_i (f_i - f_0),   u_i = below_i + λ_i (above_i - below_i)
//
// For one surface this is Filippov's convex combination; for several it is the equivalent control u_eq of a field that
// is affine in the relays, u_eq = -(G B)^-1 (G f + g_t). The motion leaves where a λ_i reaches 0 or 1.
#pragma once

#include <optional>
#include <vector>

#include "event/step_states.hpp"
#include "numerics/elimination.hpp"
#include "pawl/stepper.hpp"
#include "system/dynamics.hpp"
#include "system/vector_field.hpp"

namespace pawl::event {

/// One way to leave: λ of this relay reaches 0 (below) or 1 (above).
struct Exit {
  int relay = -1;
  RelaySide to = RelaySide::below;
};

class Sliding {
 public:
  Sliding(const detail::Dynamics& dynamics, Held& held, int size);

  bool is_active() const { return !relays_.empty(); }
  /// The values of relays are unknowns of the model, whose equations keep the motion on the surfaces.
  bool is_solved_by_model() const { return model_.first_relay >= 0; }
  /// Whether ranges of the equivalent control can be had.
  bool has_ranges() const { return rates_.supports<Interval>(); }
  const std::vector<int>& relays() const { return relays_; }
  /// Follows Held::sides: which relays slide from now on.
  void refresh();
  std::vector<Exit> exits() const;

  /// The field of the sliding motion, for a stepper that counts one evaluation per call; the others are counted here.
  static void entry(const void* self, const Point<double>& at, double* out);
  long long extra_evaluations = 0;
  double direction = 1;  // of the integration

  /// Positive while the motion slides, zero where it leaves: λ or 1 - λ up to a positive factor. T: double or Interval.
  template <class T>
  T exit_value(const Exit& exit, const Point<T>& at);
  /// The values of all relays: levels, and the equivalent control of those that slide. T: double or Interval.
  template <class T>
  const T* relay_values(const Point<T>& at);

  /// Derivative of the relay's surface function along the field with this relay at `level` and the others as they are.
  double approach(int relay, double level, const Point<double>& at);
  /// Whether the field is affine in all sliding relays and this one, which several surfaces at once require.
  bool is_affine_with(int relay, const Point<double>& at);
  /// Whether every λ is within [0, 1] and the surfaces determine them.
  bool is_possible(const Point<double>& at);
  void carry(Memory& memory) { memory(relays_, extra_evaluations, direction); }

 private:
  template <class T>
  struct Workspace {
    std::vector<T> relays, f0, f, change, matrix, shares;
    std::vector<Jet<T>> jets;
  };
  template <class T>
  Workspace<T>& workspace() {
    if constexpr (std::is_same_v<T, double>)
      return numbers_;
    else
      return ranges_;
  }
  template <class T>
  void field(const Point<T>& at, const std::vector<T>& relays, std::vector<T>& out);
  template <class T>
  T along(int relay, const Point<T>& at, const std::vector<T>& f);
  template <class T>
  bool solve(const Point<T>& at);  // fills f0, change, shares
  /// The shares as numbers, NaN where the surfaces do not determine them. All exits of a motion on several surfaces
  /// read the same ones, exit by exit at the same instants of a step: the last places are kept.
  const std::vector<double>& shares_at(const Point<double>& at);

  const System::Declarations& model_;
  const Function& rates_;
  Held& held_;
  std::size_t n_;
  std::vector<int> relays_;
  Workspace<double> numbers_;
  Workspace<Interval> ranges_;

  struct Place {
    double t;
    std::vector<double> x;
    Held held;
    std::vector<double> shares;
  };
  std::vector<Place> places_;
  std::size_t oldest_place_ = 0;
};

/// Pulls the end of a step back onto the surfaces the motion slides on: Newton steps of least norm.
class SurfacePull final : public Correction {
 public:
  SurfacePull(const System::Declarations& model, Held& held, const Sliding& sliding, const StepControl& control,
              int size);
  double apply(double t, double* x) override;

 private:
  const System::Declarations& model_;
  Held& held_;
  const Sliding& sliding_;
  const StepControl& control_;
  std::vector<double> x0_;
  std::vector<Gradient> duals_;
  Eigen::MatrixXd G_, gram_;
  Eigen::VectorXd g_, move_;
  std::optional<linear::SymmetricFactors> factors_;
};

}  // namespace pawl::event
