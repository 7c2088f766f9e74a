#include "formulate/dae_start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/dae_stages.hpp"

namespace pawl::formulate {

StartReport find_consistent(DaeForm& form, double t, double* y, double* dy, const std::vector<bool>& fixed,
                            bool after_jump, StageMatrices* matrices) {
  form.follow(t, y);
  Stages stages(form, t, y, dy, fixed, after_jump ? StagePurpose::jump : StagePurpose::start);
  if (matrices != nullptr) matrices->clear();
  StartReport report{stages.run(matrices), {}};
  if (!report.failure.empty()) return report;
  int changes = 0;
  for (int j = 0; j < form.size(); ++j) {
    const double now = stages.y()[j];
    const bool is_kept =
        form.structure().d[at(j)] == 0 ||
        std::abs(now - y[j]) <= 1e-10 * form.equations().nominal(j, std::max(std::abs(y[j]), std::abs(now)));
    if (!is_kept && ++changes <= 6)
      report.changes += fmt::format("{}'{}' from {:.6g} to {:.6g}", changes == 1 ? "" : ", ", form.name(j), y[j], now);
    y[j] = now;
    dy[j] = stages.dy()[j];
  }
  if (changes > 6) report.changes += fmt::format(" and {} more", changes - 6);
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

}  // namespace pawl::formulate
