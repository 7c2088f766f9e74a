// The polynomial of a step of which only the ends are known.
#pragma once

#include "pawl/step.hpp"

namespace pawl {

inline void write_line(Step& step) {
  double* c = step.make_polynomial(1);
  for (int i = 0; i < step.size(); ++i, c += 2) {
    c[0] = step.start()[i];
    c[1] = step.end()[i] - step.start()[i];
  }
}

}  // namespace pawl
