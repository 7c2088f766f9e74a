// Formulations: how the accelerations of a constrained mechanism are computed. One row each in formulations().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl::formulate {

enum class Scheme {
  acceleration,  ///< G a = -γ: plain index reduction
  baumgarte,     ///< G a = -γ - α1 g' - α0 g
  penalty,       ///< λ = k g + c g': springs and dampers instead of constraints
  sliding,       ///< s = g' + σ g as a switching surface: G a = -γ - σ g', and -η sgn(s) while it is being reached
  held_multipliers,  ///< as sliding, but λ of the first stage is held over the step: the counter-example of Fig. 3.8
  state_space,       ///< dependent coordinates solved for at every stage
  // with multipliers as unknowns, for implicit methods:
  index_3,             ///< g = 0 as it stands
  index_2,             ///< g' = 0
  stabilized_index_2,  ///< g' = 0 and g = 0, with further multipliers (Gear, Gupta, Leimkuhler)
  index_1,             ///< g'' = 0
};

struct Formulation {
  Scheme scheme = Scheme::acceleration;
  double first = 0, second = 0;       ///< α1 and α0; k and c; σ
  bool follows_step = false;          ///< baumgarte with γ = 1/h: α1 = 2/h, α0 = 1/h²
  std::vector<double> reaching = {};  ///< sliding: η per row of the constraints, the last one for all further rows
  std::string name = "acceleration";  ///< as it was asked for

  bool is_implicit() const { return scheme >= Scheme::index_3; }
};

struct FormulationInfo {
  std::string name;     ///< with its arguments
  std::string summary;  ///< one sentence
  std::string source;
};
const std::vector<FormulationInfo>& formulations();

/// From words such as "baumgarte(12,70)", "baumgarte(1/h)", "penalty(1e5,1e3)"; "auto" is acceleration. Throws Misuse.
Formulation parse_formulation(std::string_view words);

}  // namespace pawl::formulate
