#include "stabilize/rank_watch.hpp"

#include <fmt/format.h>

#include "numerics/elimination.hpp"

namespace pawl::stabilize {

bool RankWatch::changes_sign(double t0, const double* x0, double t1, const double* x1) {
  const Eigen::MatrixXd before = form_.dense_jacobian(t0, x0), after = form_.dense_jacobian(t1, x1);
  return linear::determinant(before * after.transpose()) < 0;
}

bool RankWatch::turns(const Step& step) {
  return changes_sign(step.t0, step.start(), step.t1, step.end());
}

std::optional<std::pair<double, double>> find_turn(const Step& step, const std::function<bool(double, double)>& turns) {
  constexpr int parts = 16;
  double from = step.t0, to = step.t1;
  for (int depth = 0; depth < 3; ++depth) {
    const double begin = from, width = (to - from) / parts;
    bool is_found = false;
    for (int i = 0; i < parts && !is_found; ++i) {
      const double t0 = begin + i * width, t1 = i + 1 == parts ? to : begin + (i + 1) * width;
      is_found = turns(t0, t1);
      if (!is_found) continue;
      from = t0;
      to = t1;
    }
    if (!is_found) return std::nullopt;
  }
  return std::pair{from, to};
}

RankWatch::Singular RankWatch::find(const Step& step) {
  const auto part = find_turn(step, [&](double t0, double t1) {
    step.at(t0, x_.data());
    step.at(t1, y_.data());
    return changes_sign(t0, x_.data(), t1, y_.data());
  });
  if (!part) return {};
  const auto [from, to] = *part;
  std::string text = fmt::format(
      "at t = {:.10g} the motion passes a configuration in which constraint '{}' depends on the others: it may branch "
      "there, and no method can say which way.\n"
      "  try:    another start, one constraint less, or an event that ends the run before it",
      0.5 * (from + to), form_.weakest_row_name());
  return {from, std::move(text)};
}

}  // namespace pawl::stabilize
