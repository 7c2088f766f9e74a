// Eigen's orthogonal decompositions themselves. Sources use numerics/orthogonal.hpp, which is compiled once.
#pragma once

#include <Eigen/QR>
