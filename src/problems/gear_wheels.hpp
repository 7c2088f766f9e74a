// Eigenvalues of the gear wheels as their formulation makes them: Table 1 of Koenders (2002).
#pragma once

#include <complex>
#include <vector>

namespace pawl::problems {

/// The parameter `formulation` of the problem.
enum class GearWheels { spring_damper = 0, index_1 = 1, index_2 = 2, reduced = 3 };

struct Spectrum {
  std::vector<std::complex<double>> eigenvalues;  ///< infinite ones first: -infinity, as the source has them
  double stiffness_ratio;                         ///< max |Re λ| / min |Re λ|
};

/// Of the pencil E x' = A x with the declared numbers.
Spectrum spectrum_of(GearWheels formulation);

}  // namespace pawl::problems
