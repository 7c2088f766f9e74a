#include "formulate/implicit_form.hpp"

#include <algorithm>

namespace pawl::formulate {

void ImplicitForm::times_mass(const double* x, double* out) const {
  const auto n = static_cast<std::size_t>(size_);
  if (matrices_.M.empty()) {
    std::copy(x, x + n, out);
    return;
  }
  std::fill(out, out + n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    if (matrices_.is_sparse) {
      for (int e = matrices_.first[j]; e < matrices_.first[j + 1]; ++e)
        out[matrices_.row[static_cast<std::size_t>(e)]] += matrices_.M[static_cast<std::size_t>(e)] * x[j];
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] += matrices_.M[j * n + i] * x[j];
    }
  }
}

std::unique_ptr<ShiftedSystem> ImplicitForm::make_solver(int real_slots, int complex_slots) const {
  return make_shifted_system(matrices_, real_slots, complex_slots, linear_solver);
}

}  // namespace pawl::formulate
