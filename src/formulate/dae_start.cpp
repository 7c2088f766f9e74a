#include "formulate/dae_start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/dae_stages.hpp"
#include "formulate/told_apart.hpp"

namespace pawl::formulate {

namespace {

/// Equations without rates that do not hold at this point: "'circle', 'node 3'".
std::string violated(DaeForm& form, double t, const std::vector<double>& y) {
  constexpr int most = 3;
  constexpr double holds = 1e-10;  // relative to the terms
  std::vector<double> r(y.size());
  form.equations().residual(t, y.data(), nullptr, r.data());
  DaeValues sample;
  form.sample_values(t, y.data(), nullptr, sample);
  std::string names;
  int count = 0;
  for (int i = 0; i < form.size(); ++i) {
    if (!form.equations().reads()[at(i)].rates.empty()) continue;
    double size = 0;
    for (const auto& [j, place] : form.equations().by_row().row(i))
      size += std::abs(sample.J[at(place)]) * form.equations().nominal(j, y[at(j)]);
    if (std::abs(r[at(i)]) <= holds * size || ++count > most) continue;
    names += (count == 1 ? "" : ", ") + form.equations().row_name(i);
  }
  if (count > most) names += fmt::format(" and {} more", count - most);
  return names;
}

}  // namespace

StartReport find_consistent(DaeForm& form, double t, double* y, double* dy, const std::vector<bool>& fixed,
                            bool after_jump, StageMatrices* matrices) {
  form.follow(t, y);
  Stages stages(form, t, y, dy, fixed, after_jump ? StagePurpose::jump : StagePurpose::start);
  if (matrices != nullptr) matrices->clear();
  StartReport report{stages.run(matrices), {}};
  if (!report.failure.empty()) return report;
  int changes = 0;
  const std::vector<double> guess(y, y + form.size());
  for (int j = 0; j < form.size(); ++j) {
    const double now = stages.y()[j];
    const bool is_guess =
        form.structure().array > 0 ? form.structure().roles[at(j)].is_differential : form.structure().d[at(j)] > 0;
    const bool is_kept = !is_guess || std::abs(now - y[j]) <=
                                          1e-10 * form.equations().nominal(j, std::max(std::abs(y[j]), std::abs(now)));
    if (!is_kept && ++changes <= 6) {
      const auto [from, to] = told_apart(y[j], now);
      report.changes += fmt::format("{}'{}' from {} to {}", changes == 1 ? "" : ", ", form.name(j), from, to);
    }
    y[j] = now;
    dy[j] = stages.dy()[j];
  }
  if (changes > 6) report.changes += fmt::format(" and {} more", changes - 6);
  if (changes > 0 && !after_jump) {
    const std::string names = violated(form, t, guess);
    report.changes += names.empty() ? " (for derivatives of equations)" : fmt::format(" (for {})", names);
  }
  return report;
}

StageMatrices stage_matrices(DaeForm& form, double t, const double* y, const double* dy) {
  form.follow(t, y);
  return Stages(form, t, y, dy, {}, StagePurpose::jump).all_matrices();
}

std::string weakest_row(DaeForm& form, double t, const double* y, const double* dy) {
  form.follow(t, y);
  return Stages(form, t, y, dy, {}, StagePurpose::jump).weakest_row();
}

std::string find_field(DaeForm& form, double t, const double* y, double* dy) {
  form.follow(t, y);
  Stages stages(form, t, y, nullptr, {}, StagePurpose::field);
  std::string failure = stages.run();
  if (failure.empty()) std::copy_n(stages.dy(), form.size(), dy);
  return failure;
}

std::string find_rates(DaeForm& form, double t, const double* y, double* dy) {
  form.follow(t, y);
  Stages stages(form, t, y, nullptr, {}, StagePurpose::rates);
  std::string failure = stages.run();
  if (failure.empty()) std::copy_n(stages.dy(), form.size(), dy);
  return failure;
}

std::string find_impulses(DaeForm& form, double t, const double* y, const double* dy, const Eigen::MatrixXd& on_rows,
                          ImpulseResponse& out) {
  form.follow(t, y);
  return Stages(form, t, y, dy, {}, StagePurpose::start).respond(on_rows, out);
}

DaeArray judge_array(DaeForm& form, double t, const double* y) {
  return Stages(form, t, y, nullptr, {}, StagePurpose::start).judge_array();
}

}  // namespace pawl::formulate
