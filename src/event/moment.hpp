// An instant between two smooth pieces, as guards are judged there.
#pragma once

#include <functional>

namespace pawl::event {

/// The instant at which guards are judged.
struct Moment {
  double t;
  const double* x;
  const double* rate;                       // of the new mode
  const double* scale;                      // largest |x_i| over the step just ended and after the reset
  double step_size;                         // typical, for difference quotients
  double direction;                         // of the integration
  std::function<bool(int)> has_moved = {};  // whether the transition changed the value of a guard; empty: at a start
  bool is_in_cluster =
      false;  // nothing was reset and the last piece was tiny: forecasts of untouched guards still serve
  bool is_new_motion = true;  // a state or something held has changed: what crosses goes on crossing otherwise
};

}  // namespace pawl::event
