#include "stabilize/consistent_start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/told_apart.hpp"
#include "numerics/elimination.hpp"
#include "numerics/nearest_name.hpp"
#include "numerics/orthogonal.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

const char* level_name(Manifold::Kind kind) {
  return kind == Manifold::Kind::position ? "position" : kind == Manifold::Kind::velocity ? "velocity" : "invariant";
}

struct Excess {
  double residual = 0, in_rounding = 0;
  int level = 0, row = 0;
};

/// The row that is farthest off, measured by rounding.
Excess worst_row(Form& form, double t, const double* x) {
  Manifold& manifold = form.manifold();
  Excess worst;
  for (int level = 0; level < manifold.levels(); ++level) {
    const auto rows = static_cast<std::size_t>(manifold.rows(level));
    std::vector<double> r(rows), floor(rows);
    manifold.residual(level, t, x, r.data());
    manifold.rounding(level, t, x, floor.data());
    for (std::size_t i = 0; i < rows; ++i) {
      const double size = std::abs(r[i]) / std::max(floor[i], 1e-300);
      if (r[i] != 0 && !(size <= worst.in_rounding)) worst = {r[i], size, level, static_cast<int>(i)};
    }
  }
  return worst;
}

/// Newton steps with some coordinates left out: least change of the others in their mass metric.
class PartialPull {
 public:
  PartialPull(formulate::MechanicsForm& form, std::vector<bool> is_fixed)
      : form_(form), is_fixed_(std::move(is_fixed)) {}

  std::string pull(double t, double* x, const System::Declarations& model) {
    auto& terms = form_.terms();
    for (const int level : {0, 1}) {
      double last = std::numeric_limits<double>::infinity();
      for (int iteration = 0; iteration < 50; ++iteration) {
        Eigen::VectorXd r = Eigen::VectorXd::Zero(form_.rows(level)), floor(form_.rows(level));
        if (r.size() == 0) break;
        form_.residual(level, t, x, r.data());
        form_.rounding(level, t, x, floor.data());
        const double size = (r.cwiseAbs().array() / floor.array().max(1e-300)).maxCoeff();
        if (size <= 1 || (size < 64 && size > last / 2)) break;
        if (iteration == 49 || !std::isfinite(size)) return failure(r, level, model);
        last = size;
        const Eigen::MatrixXd G = form_.dense_jacobian(t, x).topRows(form_.rows(level)), M = form_.dense_mass(t, x);
        const std::vector<int> free = free_speeds(level);
        Eigen::MatrixXd Gf(G.rows(), static_cast<Eigen::Index>(free.size()));
        Eigen::MatrixXd Mf(Gf.cols(), Gf.cols());
        for (std::size_t i = 0; i < free.size(); ++i) {
          Gf.col(static_cast<Eigen::Index>(i)) = G.col(free[i]);
          for (std::size_t j = 0; j < free.size(); ++j)
            Mf(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = M(free[i], free[j]);
        }
        const Eigen::MatrixXd Y = linear::Cholesky(Mf).solve_columns(Gf.transpose());
        const linear::PivotedQr qr(Gf * Y, 1e-11);
        if (Gf.cols() == 0 || qr.rank() < Gf.rows()) return failure(r, level, model);
        const Eigen::VectorXd d = -Y * qr.solve(r);
        Eigen::VectorXd move = Eigen::VectorXd::Zero(terms.size());
        for (std::size_t i = 0; i < free.size(); ++i) move(free[i]) = d(static_cast<Eigen::Index>(i));
        if (level == 0) {
          terms.move_positions(move.data(), x);
        } else {
          for (int i = 0; i < terms.size(); ++i) x[terms.info().speeds[static_cast<std::size_t>(i)]] += move(i);
        }
      }
    }
    return {};
  }

 private:
  std::vector<int> free_speeds(int level) const {
    const MechanicsInfo& info = form_.terms().info();
    std::vector<bool> is_free(info.speeds.size(), true);
    for (std::size_t i = 0; i < info.speeds.size(); ++i) {
      if (level == 1 && is_fixed_[static_cast<std::size_t>(info.speeds[i])]) is_free[i] = false;
    }
    for (std::size_t i = 0; i < info.positions.size() && level == 0; ++i) {
      if (is_fixed_[static_cast<std::size_t>(info.positions[i])] && info.speed_of[i] >= 0)
        is_free[static_cast<std::size_t>(info.speed_of[i])] = false;
    }
    std::vector<int> list;
    for (std::size_t i = 0; i < is_free.size(); ++i) {
      if (is_free[i]) list.push_back(static_cast<int>(i));
    }
    return list;
  }
  std::string failure(const Eigen::VectorXd& r, int level, const System::Declarations& model) const {
    Eigen::Index row = 0;
    r.cwiseAbs().maxCoeff(&row);
    std::string names;
    for (std::size_t i = 0; i < is_fixed_.size(); ++i) {
      if (is_fixed_[i]) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", model.state_names[i]);
    }
    return fmt::format(
        "with {} held fixed the start cannot satisfy '{}' at the {} level: they over-determine it.\n"
        "  try:    hold fewer states fixed, or values nearer to consistent ones",
        names, form_.row_name(level, static_cast<int>(row)), level == 0 ? "position" : "velocity");
  }

  formulate::MechanicsForm& form_;
  std::vector<bool> is_fixed_;
};

std::string list_changes(const System::Declarations& model, const std::vector<double>& before,
                         const std::vector<double>& after) {
  std::vector<std::pair<double, std::size_t>> moved;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!(std::abs(after[i] - before[i]) <= 1e-14 * std::max(1.0, std::abs(after[i]))))
      moved.emplace_back(-std::abs(after[i] - before[i]), i);
  }
  std::sort(moved.begin(), moved.end());
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(moved.size(), 8); ++k) {
    const std::size_t i = moved[k].second;
    const auto [from, to] = formulate::told_apart(before[i], after[i]);
    text += fmt::format("{}{} {} -> {}", k == 0 ? "" : ", ", model.state_names[i], from, to);
  }
  if (moved.size() > 8) text += fmt::format(", and {} more", moved.size() - 8);
  return text;
}

}  // namespace

std::string describe_inconsistency(Form& form, double t, const std::vector<double>& x) {
  form.manifold().refactor(t, x.data());
  const Excess worst = worst_row(form, t, x.data());
  if (!(worst.in_rounding > 1e3)) return {};
  return fmt::format("'{}' is off by {:.3g} at the {} level", form.manifold().row_name(worst.level, worst.row),
                     worst.residual, level_name(form.manifold().kind(worst.level)));
}

StartReport project_start(Form& form, const System::Declarations& model, double t, std::vector<double>& x,
                          const std::vector<std::string>& fixed) {
  StartReport report;
  const std::vector<double> given = x;
  form.manifold().normalize(x.data());
  bool was_stretched = false;
  for (std::size_t i = 0; i < x.size(); ++i) was_stretched |= !(std::abs(x[i] - given[i]) <= 1e-12);
  if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); })) {
    x = given;
    report.failure = "an attitude starts as the zero quaternion, which is no orientation: start from {1, 0, 0, 0}";
    return report;
  }
  const std::string off = describe_inconsistency(form, t, x);
  if (!fixed.empty()) {
    auto* mechanics = dynamic_cast<formulate::MechanicsForm*>(&form);
    if (mechanics == nullptr) throw Misuse("states can be held fixed at the start of constrained mechanics only");
    std::vector<bool> is_fixed(x.size(), false);
    for (const std::string& name : fixed) {
      const auto found = std::find(model.state_names.begin(), model.state_names.end(), name);
      if (found == model.state_names.end())
        throw Misuse(fmt::format("a start with '{}' held fixed: there is no such state{}", name,
                                 did_you_mean(name, model.state_names)));
      const auto state = static_cast<int>(found - model.state_names.begin());
      const MechanicsInfo& info = mechanics->terms().info();
      const auto position = std::find(info.positions.begin(), info.positions.end(), state);
      if (position != info.positions.end() &&
          info.speed_of[static_cast<std::size_t>(position - info.positions.begin())] < 0)
        throw Misuse(
            fmt::format("'{}' is part of an attitude, which cannot be held fixed component by component", name));
      is_fixed[static_cast<std::size_t>(state)] = true;
    }
    report.failure = PartialPull(*mechanics, std::move(is_fixed)).pull(t, x.data(), model);
  } else if (!off.empty()) {
    std::string why;
    if (!settle(form, static_cast<int>(x.size()), t, x.data(), {}, why)) {
      x = given;
      report.failure = fmt::format(
          "no consistent start was found from the given one: {} (there, {}).\n"
          "  try:    start values nearer to what the constraints allow",
          why, off);
    }
  } else {
    std::string why;  // the last digits, silently
    settle(form, static_cast<int>(x.size()), t, x.data(), {}, why);
  }
  if (report.failure.empty() && (was_stretched || !off.empty()))
    report.changes = fmt::format("the start was not consistent: {}. Moved as little as possible: {}",
                                 off.empty() ? "an attitude is not of length one" : off, list_changes(model, given, x));
  return report;
}

}  // namespace pawl::stabilize
