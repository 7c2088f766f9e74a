// The derivative array of differential-algebraic equations: F, F', ..., F^(k) as equations for y, y', ..., y^(k + 1),
//
//   d F^(m) / d y^(j) = C(m, j) D^(m - j) F_y + C(m, j - 1) D^(m - j + 1) F_y',   D = d/dt along the motion.
//
// If it has full rank and determines y' from y, the equations are regular of index k at most, whatever their structure
// says (Campbell, Circuits Systems Signal Process. 5 (1986) 65; Kunkel and Mehrmann, Differential-Algebraic Equations,
// EMS 2006). It is asked where equations cancel that are not linear: the combination that is to be differentiated then
// has factors that move, and the array contains all of them.
#pragma once

#include <functional>
#include <vector>

#include "formulate/dae_equations.hpp"

namespace pawl::formulate {

inline constexpr int highest_array = 3;          ///< differentiations
inline constexpr int largest_array = 40;         ///< unknowns of a system for which it is made
inline constexpr double array_threshold = 1e-6;  ///< relative: its derivatives along the motion are by differences

/// J and M at a point.
using DaeSampler = std::function<void(double t, const double* y, const double* dy, DaeValues& out)>;

/// J and M here, then their first derivatives along the motion with these derivatives at t, up to the third: z holds y,
/// y', ..., `orders` of them.
std::vector<DaeValues> along_motion(const DaeEquations& equations, const DaeSampler& sample, double t, const double* z,
                                    int orders);

/// The least array that determines y', where it holds.
struct DaeArray {
  int order = 0;        ///< 0: there is none: the equations are singular, or their index is higher
  int constraints = 0;  ///< equations that it implies for y alone
};

}  // namespace pawl::formulate
