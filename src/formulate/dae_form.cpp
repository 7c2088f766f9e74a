#include "formulate/dae_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "formulate/dae_start.hpp"

namespace pawl::formulate {

namespace {

constexpr int largest_dense = 32;       // unknowns; below it patterns do not pay
constexpr double fullest_sparse = 0.3;  // share of entries above which a matrix is treated as full
constexpr std::size_t most_modes = 16;  // whose analysis is kept

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The same but for numbers: what chooses between branches of a model.
bool has_same_modes(const Held& a, const Held& b) {
  return a.modes == b.modes && a.truths == b.truths && a.members == b.members && a.levels == b.levels &&
         a.sides == b.sides;
}

bool all_finite(const Eigen::SparseMatrix<double, Eigen::RowMajor>& A) {
  return std::all_of(A.valuePtr(), A.valuePtr() + A.nonZeros(), [](double value) { return std::isfinite(value); });
}

}  // namespace

DaeForm::DaeForm(std::shared_ptr<const System::Declarations> model, const ActiveField& field)
    : field_(field), equations_(std::move(model)) {
  size_ = states_ = equations_.size();
  matrices_.size = size_;
  roles_.resize(at(size_));
  row_scale_.assign(at(size_), 1.0);
  slope_.assign(at(size_), 0.0);
}

void DaeForm::restart(double t, const double* x) {
  const Held& held = *field_.around->held;
  equations_.lock(held, field_.parameters);
  enter(held, t, x);
}

void DaeForm::follow(double t, const double* x) {
  if (!has_entered_ || !(*field_.around->held == seen_)) restart(t, x);
}

void DaeForm::enter(const Held& held, double t, const double* x) {
  has_exact_jacobian_ = equations_.is_exact() && !wants_differences;
  bool pattern_changed = false;
  const MassKind kind = mass_kind_;
  const int version = version_;
  if (!has_entered_ || !(held == seen_)) {
    pattern_changed = equations_.observe(t, x) || !has_entered_;
    J_.resize(equations_.row().size());
    M_.resize(equations_.row().size());
    seen_ = held;
    has_entered_ = true;
    analyze(held, t, x);
  }
  arrange_matrices(t, x, pattern_changed);
  if (mass_kind_ != kind && version_ == version) ++version_;
  if (!has_exact_jacobian_)
    jacobian_kind_ = "differences";
  else if (equations_.is_given())
    jacobian_kind_ = "given by the model";
  else if (equations_.colors() < size_)
    jacobian_kind_ = fmt::format("exact (dual numbers, {} colours)", equations_.colors());
  else
    jacobian_kind_ = "exact (dual numbers)";
}

void DaeForm::analyze(const Held& held, double t, const double* x) {
  const double threshold = equations_.is_exact() ? 1e-10 : 1e-6;  // the noise of differences is not rank
  auto known = std::find_if(modes_.begin(), modes_.end(), [&](const Mode& mode) { return mode.held == held; });
  if (known == modes_.end()) {
    known = std::find_if(modes_.begin(), modes_.end(), [&](const Mode& mode) {
      return has_same_modes(mode.held, held) && mode.structure.reads == equations_.reads();
    });
    // Other numbers in the same equations: what holds for the structure is easily seen.
    if (known != modes_.end() && !still_holds(known->structure, sample(t, x, nullptr), threshold)) known = modes_.end();
    if (known != modes_.end()) known->held = held;
  }
  if (known == modes_.end()) {
    const std::vector<DaeSample> samples = nearby(t, x);
    if (modes_.size() == most_modes) modes_.erase(modes_.begin());
    const bool is_constant = mass_is_constant(samples);
    modes_.push_back({held, analyze_structure(equations_, samples, threshold), is_constant,
                      is_constant && equations_.mass_is_proved_constant()});
    known = modes_.end() - 1;
  }
  structure_ = known->structure;
  const auto sliding = std::find(held.sides.begin(), held.sides.end(), RelaySide::sliding);
  if (sliding != held.sides.end())
    structure_.failure = fmt::format(
        "t = {:.10g}: relay '{}' slides, and a sliding motion is only found for models in explicit form.\n"
        "  try:    a hysteresis, or rates d[x] for all states in the place of equations and a mass matrix",
        t, equations_.model().relays[static_cast<std::size_t>(sliding - held.sides.begin())].name);
  roles_ = structure_.roles;
  mass_is_proved_ = known->is_proved;
  const bool is_constant = known->has_constant_mass && (mass_is_proved_ || !has_seen_mass_vary_);
  mass_kind_ = is_constant ? MassKind::constant : MassKind::varying;
}

/// Here, and at other points where the model is defined.
std::vector<DaeSample> DaeForm::nearby(double t, const double* x) {
  std::vector<DaeSample> samples;
  for (const DaePoint& point : equations_.neighbours(t, x, nullptr)) {
    if (samples.empty()) {
      samples.push_back(sample(point.t, point.y.data(), point.dy.data()));
      continue;
    }
    try {
      DaeSample one = sample(point.t, point.y.data(), point.dy.data());
      if (all_finite(one.J) && all_finite(one.M)) samples.push_back(std::move(one));
    } catch (const std::exception&) {
      // There it is not.
    }
  }
  return samples;
}

// The same at every point looked at, and linear in y' by that. Differences are too coarse for it.
bool DaeForm::mass_is_constant(const std::vector<DaeSample>& samples) const {
  if (!equations_.is_exact()) return false;
  const auto& M = samples.front().M;
  if (!all_finite(M)) return false;
  int compared = 0;
  for (std::size_t s = 1; s < samples.size(); ++s) {
    const auto& other = samples[s].M;
    ++compared;
    for (Eigen::Index e = 0; e < M.nonZeros(); ++e) {
      const double a = M.valuePtr()[e], b = other.valuePtr()[e];
      if (std::abs(a - b) > 4 * std::numeric_limits<double>::epsilon() * std::abs(a)) return false;
    }
  }
  return compared > 0;
}

DaeSample DaeForm::sample(double t, const double* y, const double* dy) {
  equations_.linearize(t, y, dy, J_.data(), M_.data(), nullptr, false);
  DaeSample result{{size_, size_}, {size_, size_}};
  std::vector<Eigen::Triplet<double>> J, M;
  for (int j = 0; j < size_; ++j) {
    for (int e = equations_.first()[at(j)]; e < equations_.first()[at(j) + 1]; ++e) {
      J.emplace_back(equations_.row()[at(e)], j, J_[at(e)]);
      M.emplace_back(equations_.row()[at(e)], j, M_[at(e)]);
    }
  }
  result.J.setFromTriplets(J.begin(), J.end());
  result.M.setFromTriplets(M.begin(), M.end());
  return result;
}

void DaeForm::arrange_matrices(double t, const double* x, bool pattern_changed) {
  if (pattern_changed) {
    const double fill = static_cast<double>(equations_.row().size()) / (static_cast<double>(size_) * size_);
    const bool was_sparse = std::exchange(matrices_.is_sparse, size_ > largest_dense && fill <= fullest_sparse);
    matrices_.first = matrices_.is_sparse ? equations_.first() : std::vector<int>();
    matrices_.row = matrices_.is_sparse ? equations_.row() : std::vector<int>();
    matrices_.J.assign(matrices_.is_sparse ? matrices_.row.size() : at(size_) * at(size_), 0.0);
    if (matrices_.is_sparse || was_sparse || version_ == 0) ++version_;
  }
  equations_.linearize(t, x, nullptr, J_.data(), M_.data(), nullptr, false);
  if (mass_kind_ != MassKind::varying && !mass_is_proved_) {
    equations_.assume_mass(M_.data());
    equations_.residual(t, x, nullptr, slope_.data());  // leaves M behind, for evaluations with jets
  } else {
    equations_.forget_mass();
  }
  find_scales(x);
  const bool had_mass = !matrices_.M.empty();
  if (mass_kind_ == MassKind::identity) {
    matrices_.M.clear();
  } else {
    matrices_.M.assign(matrices_.J.size(), 0.0);
    scatter(M_, matrices_.M);
  }
  if (had_mass == matrices_.M.empty()) ++version_;
}

// A diagonal of M without a zero is divided out if it is surely constant. Else every row is scaled so that its largest
// term, for unknowns of their nominal size, is about one: the rows of a circuit of charges may be 1e-12 of the others.
void DaeForm::find_scales(const double* x) {
  std::vector<double> largest(at(size_), 0.0), diagonal(at(size_), 0.0);
  bool is_diagonal = mass_kind_ != MassKind::varying && mass_is_proved_;
  for (int j = 0; j < size_; ++j) {
    const double nominal = equations_.nominal(j, x[j]);
    for (int e = equations_.first()[at(j)]; e < equations_.first()[at(j) + 1]; ++e) {
      const int i = equations_.row()[at(e)];
      if (i == j) diagonal[at(i)] = M_[at(e)];
      is_diagonal = is_diagonal && (i == j || M_[at(e)] == 0);
      largest[at(i)] = std::max({largest[at(i)], std::abs(J_[at(e)]) * nominal, std::abs(M_[at(e)]) * nominal});
    }
  }
  is_diagonal = is_diagonal && std::find(diagonal.begin(), diagonal.end(), 0.0) == diagonal.end();
  if (mass_kind_ != MassKind::varying) mass_kind_ = is_diagonal ? MassKind::identity : MassKind::constant;
  for (int i = 0; i < size_; ++i) {
    const bool is_usable = largest[at(i)] > 1e-200 && largest[at(i)] < 1e200;
    row_scale_[at(i)] = is_diagonal ? 1 / diagonal[at(i)] : is_usable ? std::exp2(-std::ilogb(largest[at(i)])) : 1.0;
  }
}

void DaeForm::scatter(const std::vector<double>& values, std::vector<double>& out) const {
  const std::vector<int>&first = equations_.first(), &row = equations_.row();
  for (int j = 0; j < size_; ++j) {
    for (int e = first[at(j)]; e < first[at(j) + 1]; ++e) {
      const int i = row[at(e)];
      out[matrices_.is_sparse ? at(e) : at(j) * at(size_) + at(i)] = row_scale_[at(i)] * values[at(e)];
    }
  }
}

std::string DaeForm::complete(double t, double* y, double* dy) {
  return find_rates(*this, t, y, dy);
}

bool DaeForm::rate(double t, const double* y, double* dy) {
  return find_rates(*this, t, y, dy).empty();
}

void DaeForm::residual(double t, const double* y, const double* dy, double* r) {
  equations_.residual(t, y, dy, r);
  ++own_rhs_;
  if (dy == nullptr && equations_.mass_function_has_changed()) {
    take_mass_as_varying();
    std::fill(r, r + size_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (int i = 0; i < size_; ++i) r[i] *= row_scale_[at(i)];
}

void DaeForm::take_mass_as_varying() {
  mass_kind_ = MassKind::varying;
  has_seen_mass_vary_ = true;
  equations_.forget_mass();
  ++version_;
}

void DaeForm::linearize(double t, const double* y, const double* dy) {
  const long long duals = equations_.dual_evaluations, differences = equations_.difference_evaluations;
  const long long all = equations_.all_evaluations, all_duals = equations_.all_dual_evaluations;
  double* slope = equations_.reads_time() ? slope_.data() : nullptr;
  const auto evaluate = [&] {
    equations_.linearize(t, y, dy, J_.data(), mass_kind_ == MassKind::varying ? M_.data() : nullptr, slope,
                         wants_differences);
  };
  evaluate();
  if (equations_.mass_has_changed()) {
    take_mass_as_varying();
    evaluate();
  }
  scatter(J_, matrices_.J);
  if (mass_kind_ == MassKind::varying) scatter(M_, matrices_.M);
  for (int i = 0; i < size_; ++i) slope_[at(i)] = slope != nullptr ? row_scale_[at(i)] * slope_[at(i)] : 0.0;
  dual_evaluations += equations_.dual_evaluations - duals;
  difference_evaluations += equations_.difference_evaluations - differences;
  own_rhs_ += equations_.all_evaluations - all;
  own_dual_rhs_ += equations_.all_dual_evaluations - all_duals;
}

void DaeForm::time_slope(double /*t*/, const double* /*y*/, const double* /*dy*/, double* slope) {
  std::copy(slope_.begin(), slope_.end(), slope);  // found with the Jacobian
}

std::unique_ptr<DaeForm> make_dae_form(std::shared_ptr<const System::Declarations> model, const ActiveField& field) {
  return std::make_unique<DaeForm>(std::move(model), field);
}

}  // namespace pawl::formulate
