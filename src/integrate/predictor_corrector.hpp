// Predictor-corrector methods with a fixed step, as tables and one algorithm (Taylor, lecture notes 2002, eqs. 5 to
// 10).
//
//   predict   x_p = Σ α_i x_{k-i} + h Σ β_i f_{k-i}
//   evaluate  f_p = f(t_{k+1}, x_p)
//   correct   x_c = x_k + h (γ_p f_p + Σ γ_i f_{k-i})
//   estimate  error of x_c = ε (x_c - x_p)
//   mop up    x_{k+1} = x_c - μ (x_c - x_p), where the table asks for it
//   evaluate  f_{k+1} = f(t_{k+1}, x_{k+1}), with which the next step begins
//
// The first steps, and a last step of another size, are taken by the classical Runge-Kutta method.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "pawl/stepper.hpp"
#include "system/vector_field.hpp"

namespace pawl {

struct PredictorCorrectorTable {
  std::string_view name, title, source;
  int order;
  int past;  ///< how many of x_k, x_{k-1}, ... and their rates the formulas read
  std::array<double, 4> alpha, beta;
  double gamma_predicted;
  std::array<double, 4> gamma;
  double error_fraction;   // ε
  double mop_up_fraction;  // μ
};

std::span<const PredictorCorrectorTable> predictor_corrector_tables();

std::unique_ptr<Stepper> make_predictor_corrector(const PredictorCorrectorTable& table, const VectorField& field,
                                                  int size, const StepControl& control);

}  // namespace pawl
