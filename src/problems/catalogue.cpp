#include "problems/catalogue.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"
#include "problems/smooth.hpp"

namespace pawl {

const std::vector<Problem>& catalogue() {
  static const std::vector<Problem> list{
      problems::compere_pendulum(), problems::lorenz(),      problems::pleiades(), problems::arenstorf(),
      problems::rigid_body(),       problems::brusselator(), problems::kepler(),
  };
  return list;
}

const Problem& find_problem(std::string_view name) {
  std::vector<std::string> names;
  for (const Problem& problem : catalogue()) {
    if (problem.name() == name) return problem;
    names.push_back(problem.name());
  }
  throw Misuse(fmt::format("unknown model '{}'{} (`pawl list` shows the catalogue)", name, did_you_mean(name, names)));
}

std::optional<double> error_against_reference(const Problem& problem, const Values& values, double t,
                                              const std::vector<double>& state) {
  const auto exact = problem.reference(values, t);
  if (!exact) return std::nullopt;
  double worst = 0;
  for (std::size_t i = 0; i < state.size(); ++i) worst = std::max(worst, std::abs(state[i] - (*exact)[i]));
  return worst;
}

Reference known_at(const System& system, double end, const std::vector<double>& state) {
  const Values declared(system);
  return [=](const Values& values, double t) -> std::optional<std::vector<double>> {
    const bool is_known =
        t == end && values.parameters() == declared.parameters() && values.start() == declared.start();
    if (!is_known) return std::nullopt;
    return state;
  };
}

}  // namespace pawl
