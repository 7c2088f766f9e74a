#include "formulate/not_finite.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "formulate/dae_bench.hpp"

namespace pawl::formulate {

namespace {

constexpr int most_tries = 60;  // doublings of the step

}  // namespace

std::string operation_not_finite(const System::Declarations& model, const Held& held, double t, const double* y,
                                 const double* dy) {
  GivenRates<double> given;
  given.values = dy;
  detail::Surroundings<double> around{&held};
  around.rates = &given;
  const Point<double> here(t, y, held.parameters.data(), &around);
  if (std::string why = model.rates.why_not_finite(here); !why.empty()) return why;
  for (const EquationInfo& one : model.equations) {
    if (std::string why = one.f.why_not_finite(here); !why.empty()) return why;
  }
  return {};
}

std::string operation_not_finite_near(const System::Declarations& model, const Function& rates, const Held& held,
                                      double t, const double* x, double step) {
  const std::size_t n = model.state_names.size();
  std::vector<double> dx(n, 0.0), moved(x, x + n);
  try {
    const detail::Surroundings<double> around{&held};
    rates(Point<double>(t, x, held.parameters.data(), &around), dx.data());
    for (double& rate : dx)
      if (!std::isfinite(rate)) rate = 0;
    std::string why = operation_not_finite(model, held, t, x, dx.data());
    for (int k = 0; k < most_tries && why.empty() && step != 0; ++k, step *= 2) {
      for (std::size_t i = 0; i < n; ++i) moved[i] = x[i] + step * dx[i];
      why = operation_not_finite(model, held, t + step, moved.data(), dx.data());
    }
    return why;
  } catch (...) {
    return {};  // a function that throws says so where a run evaluates it
  }
}

std::string line_of_operation(const std::string& operation) {
  return operation.empty() ? std::string() : fmt::format("\n  first:  {}", operation);
}

}  // namespace pawl::formulate
