// Quantities of one instant of a run: observables, with the equivalent control where the motion slides and at[dot(x)]
// where it is read; multipliers; relays.
#pragma once

#include <vector>

#include "event/model_rates.hpp"
#include "system/dynamics.hpp"

namespace pawl::event {

/// One instant as the functions of the model see it. What its quantities share (the mode that is taken up, the relays
/// of a sliding motion, the multipliers) is found once, so many of them are read from one scene. Dynamics, held and x
/// must outlive it.
class Scene {
 public:
  Scene(detail::Dynamics& dynamics, const Held& held, double t, const double* x);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  double observable(int index) const;
  const Point<double>& point() const { return point_; }                 ///< what functions of the model are called with
  double multiplier(int row) const { return point_[Constraint{row}]; }  ///< of a row of the constraints
  double equivalent_control(int relay) const { return relays_[static_cast<std::size_t>(relay)]; }  ///< while it slides

 private:
  const System::Declarations& model_;
  ModelRates<double> rates_;
  std::vector<double> relays_;  // empty: none slides
  detail::Surroundings<double> around_;
  Point<double> point_;
};

double observe(detail::Dynamics& dynamics, const Held& held, int observable, double t, const double* x);

}  // namespace pawl::event
