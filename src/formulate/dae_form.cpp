#include "formulate/dae_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "formulate/dae_start.hpp"
#include "numerics/assignment.hpp"

namespace pawl::formulate {

namespace {

constexpr int largest_dense = 32;       // unknowns; below it patterns do not pay
constexpr double fullest_sparse = 0.3;  // share of entries above which a matrix is treated as full
constexpr std::size_t most_modes = 64;  // whose analysis is kept

/// The same but for numbers: what chooses between branches of a model.
bool has_same_modes(const Held& a, const Held& b) {
  return a.modes == b.modes && a.truths == b.truths && a.members == b.members && a.levels == b.levels &&
         a.sides == b.sides;
}

}  // namespace

/// Here, and at other points where the model is defined; taken when they are asked for.
class DaeForm::Nearby final : public DaeSamples {
 public:
  Nearby(DaeForm& form, double t, const double* x) : form_(form), t_(t), x_(x) {}

  const DaeValues& here() override {
    if (samples_.empty()) {
      DaeValues one;
      form_.sample_values(t_, x_, nullptr, one);
      samples_.push_back(std::move(one));
    }
    return samples_.front();
  }
  const std::vector<DaeValues>& all() override {
    here();
    if (std::exchange(has_all_, true)) return samples_;
    const std::vector<DaePoint> points = form_.equations_.neighbours(t_, x_, nullptr);
    for (auto point = points.begin() + 1; point != points.end(); ++point) {
      try {
        DaeValues one;
        form_.sample_values(point->t, point->y.data(), point->dy.data(), one);
        if (all_finite(one.J) && all_finite(one.M)) samples_.push_back(std::move(one));
      } catch (const std::exception&) {
        // There it is not.
      }
    }
    return samples_;
  }
  DaeArray array() override {
    const int n = form_.size_;
    if (n > largest_array) return {};
    const std::shared_ptr<const DaeStructure> before = form_.structure_;
    DaeArray found;
    for (int order = 1; order <= highest_array && found.order == 0; ++order) {
      auto tried = std::make_shared<DaeStructure>();
      tried->roles.resize(at(n));
      take_whole_array(*tried, n, order);
      form_.structure_ = tried;
      for (const DaePoint& point : form_.equations_.neighbours(t_, x_, nullptr)) {
        try {
          found = judge_array(form_, point.t, point.y.data());
        } catch (const std::exception&) {
          // The model is not defined there.
        }
        if (found.order > 0) break;
      }
    }
    form_.structure_ = before;
    return found;
  }
  /// The one here, if anybody has asked for it.
  bool give(DaeValues& out) {
    if (samples_.empty()) return false;
    out = std::move(samples_.front());
    return true;
  }

 private:
  DaeForm& form_;
  double t_;
  const double* x_;
  std::vector<DaeValues> samples_;
  bool has_all_ = false;
};

DaeForm::DaeForm(std::shared_ptr<const System::Declarations> model, const ActiveField& field)
    : field_(field), equations_(std::move(model)), structure_(std::make_shared<const DaeStructure>()) {
  size_ = states_ = equations_.size();
  matrices_.size = size_;
  roles_.resize(at(size_));
  row_scale_.assign(at(size_), 1.0);
  place_of_row_.resize(at(size_));
  std::iota(place_of_row_.begin(), place_of_row_.end(), 0);
  for (std::vector<double>* one : {&slope_, &largest_, &diagonal_, &by_equation_}) one->assign(at(size_), 0.0);
}

void DaeForm::learn_from(const DaeForm& other) {
  modes_ = other.modes_;
  if (has_entered_ || !other.has_entered_) return;
  equations_.learn_from(other.equations_);
  structure_ = other.structure_;
  roles_ = other.roles_;
  mass_kind_ = other.mass_kind_;
  mass_is_proved_ = other.mass_is_proved_;
  has_seen_mass_vary_ = other.has_seen_mass_vary_;
  seen_ = other.seen_;
  has_entered_ = true;
}

void DaeForm::restart(double t, const double* x) {
  const Held& held = *field_.around->held;
  equations_.lock(held, field_.parameters);
  enter(held, t, x);
}

void DaeForm::carry(Memory& memory) {
  carry_common(memory);
  equations_.carry(memory);
  memory(structure_, seen_, has_entered_, has_shape_, mass_is_proved_, has_seen_mass_vary_, own_rhs_, own_dual_rhs_,
         modes_, row_scale_, place_of_row_, place_of_entry_, slope_, largest_, diagonal_, now_, is_evaluated_,
         is_arranged_, arranged_t_, arranged_x_, last_motion);
  if (!memory.is_saving() && field_.around->held != nullptr) equations_.lock(*field_.around->held, field_.parameters);
}

void DaeForm::follow(double t, const double* x) {
  if (!has_entered_ || !(*field_.around->held == seen_)) restart(t, x);
}

void DaeForm::enter(const Held& held, double t, const double* x) {
  const bool was_exact = std::exchange(has_exact_jacobian_, equations_.is_exact() && !wants_differences);
  const MassKind kind = mass_kind_;
  const int version = version_;
  is_evaluated_ = false;
  if (!has_entered_ || !(held == seen_)) {
    has_entered_ = is_arranged_ = false;  // until all of it is done: the model may throw
    if (equations_.observe(t, x)) has_shape_ = false;
    analyze(held, t, x);
    last_motion.clear();
    seen_ = held;
    has_entered_ = true;
  }
  const bool had_shape = std::exchange(has_shape_, true);
  if (!had_shape) shape_matrices();
  arrange_matrices(t, x);
  if (mass_kind_ != kind && version_ == version) ++version_;
  if (!had_shape || was_exact != has_exact_jacobian_) name_jacobian();
}

void DaeForm::name_jacobian() {
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
  Nearby samples(*this, t, x);
  const Mode& mode = find_mode(held, samples);
  is_evaluated_ = samples.give(now_);
  structure_ = mode.structure;
  roles_ = structure_->roles;
  mass_is_proved_ = mode.is_proved;
  const bool is_constant = mode.has_constant_mass && (mass_is_proved_ || !has_seen_mass_vary_);
  mass_kind_ = is_constant ? MassKind::constant : MassKind::varying;
}

/// As it was analyzed before, or is now.
const DaeForm::Mode& DaeForm::find_mode(const Held& held, Nearby& samples) {
  const double threshold = equations_.is_exact() ? 1e-10 : 1e-6;  // the noise of differences is not rank
  auto known = std::find_if(modes_.begin(), modes_.end(), [&](const Mode& mode) { return mode.held == held; });
  if (known != modes_.end()) return *known;
  known = std::find_if(modes_.begin(), modes_.end(), [&](const Mode& mode) {
    return has_same_modes(mode.held, held) && *mode.structure->reads == equations_.reads();
  });
  // Other numbers in the same equations: what holds for the structure is easily seen.
  if (known != modes_.end() && still_holds(*known->structure, equations_, samples.here(), threshold)) {
    known->held = held;
    return *known;
  }
  auto found = std::make_shared<const DaeStructure>(analyze_structure(equations_, samples, threshold));
  if (modes_.size() == most_modes) modes_.erase(modes_.begin());
  const bool is_constant = mass_is_constant(samples);
  modes_.push_back({held, std::move(found), is_constant, is_constant && equations_.mass_is_proved_constant()});
  return modes_.back();
}

// The same at every point looked at, and linear in y' by that. Differences are too coarse for it.
bool DaeForm::mass_is_constant(Nearby& samples) const {
  if (!equations_.is_exact() || !all_finite(samples.here().M)) return false;
  if (equations_.mass_is_proved_constant()) return true;
  const std::vector<DaeValues>& all = samples.all();
  const std::vector<double>& M = all.front().M;
  for (std::size_t s = 1; s < all.size(); ++s) {
    for (std::size_t e = 0; e < M.size(); ++e)
      if (std::abs(M[e] - all[s].M[e]) > 4 * std::numeric_limits<double>::epsilon() * std::abs(M[e])) return false;
  }
  return all.size() > 1;
}

DaeSample DaeForm::sample(double t, const double* y, const double* dy) {
  DaeValues values;
  sample_values(t, y, dy, values);
  DaeSample result{{size_, size_}, {size_, size_}};
  const RowPattern& pattern = equations_.by_row();
  for (const auto& [from, to] : {std::pair{&values.J, &result.J}, std::pair{&values.M, &result.M}}) {
    to->reserve(static_cast<Eigen::Index>(from->size()));
    for (int i = 0; i < size_; ++i) {
      to->startVec(i);
      for (const auto& [j, place] : pattern.row(i)) to->insertBack(i, j) = (*from)[at(place)];
    }
    to->finalize();
  }
  return result;
}

void DaeForm::sample_values(double t, const double* y, const double* dy, DaeValues& out) {
  out.J.resize(equations_.row().size());
  out.M.resize(equations_.row().size());
  equations_.linearize(t, y, dy, out.J.data(), out.M.data(), nullptr, false);
}

void DaeForm::shape_matrices() {
  const double fill = static_cast<double>(equations_.row().size()) / (static_cast<double>(size_) * size_);
  const bool was_sparse = std::exchange(matrices_.is_sparse, size_ > largest_dense && fill <= fullest_sparse);
  matrices_.first.clear();
  matrices_.row.clear();
  std::iota(place_of_row_.begin(), place_of_row_.end(), 0);
  if (matrices_.is_sparse) assign_rows();
  matrices_.J.assign(matrices_.is_sparse ? matrices_.row.size() : at(size_) * at(size_), 0.0);
  if (matrices_.is_sparse || was_sparse || version_ == 0) ++version_;
  is_arranged_ = false;
}

/// Each row to the place of an unknown whose rate it contains, if it can be; else of one it reads, now rather than in
/// another mode. And the pattern that follows.
void DaeForm::assign_rows() {
  enum { in_other_modes, read, read_as_rate };
  const RowPattern& pattern = equations_.by_row();
  Signature sigma;
  for (int i = 0; i < size_; ++i) {
    const RowReads& reads = equations_.reads()[at(i)];
    for (const auto& [j, place] : pattern.row(i)) {
      const bool is_rate = std::binary_search(reads.rates.begin(), reads.rates.end(), j);
      const bool is_read = is_rate || std::binary_search(reads.values.begin(), reads.values.end(), j);
      sigma.entries.push_back({j, is_rate ? read_as_rate : is_read ? read : in_other_modes});
    }
    sigma.end_row();
  }
  if (const Assignment assignment(sigma); assignment.is_complete()) place_of_row_ = assignment.of_row;
  matrices_.first = equations_.first();
  place_of_entry_.resize(equations_.row().size());
  matrices_.row.resize(place_of_entry_.size());
  std::vector<std::pair<int, int>> column;  // place of the row, entry of the pattern
  for (int j = 0; j < size_; ++j) {
    column.clear();
    for (int e = matrices_.first[at(j)]; e < matrices_.first[at(j) + 1]; ++e)
      column.emplace_back(place_of_row_[at(equations_.row()[at(e)])], e);
    std::sort(column.begin(), column.end());
    for (int k = matrices_.first[at(j)]; const auto& [row, entry] : column) {
      matrices_.row[at(k)] = row;
      place_of_entry_[at(entry)] = k++;
    }
  }
}

void DaeForm::arrange_matrices(double t, const double* x) {
  if (is_arranged_ && t == arranged_t_ && std::equal(arranged_x_.begin(), arranged_x_.end(), x)) return;
  if (!is_evaluated_) sample_values(t, x, nullptr, now_);
  if (mass_kind_ != MassKind::varying && !mass_is_proved_) {
    equations_.assume_mass(now_.M.data());
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
    scatter(now_.M, matrices_.M);
  }
  if (had_mass == matrices_.M.empty()) ++version_;
  is_arranged_ = true;
  arranged_t_ = t;
  arranged_x_.assign(x, x + size_);
}

// A diagonal of M without a zero is divided out if it is surely constant. Else every row is scaled so that its largest
// term, for unknowns of their nominal size, is about one: the rows of a circuit of charges may be 1e-12 of the others.
void DaeForm::find_scales(const double* x) {
  std::fill(largest_.begin(), largest_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  bool is_diagonal = mass_kind_ != MassKind::varying && mass_is_proved_;
  for (int j = 0; j < size_; ++j) {
    const double nominal = equations_.nominal(j, x[j]);
    for (int e = equations_.first()[at(j)]; e < equations_.first()[at(j) + 1]; ++e) {
      const int i = equations_.row()[at(e)];
      if (i == j) diagonal_[at(i)] = now_.M[at(e)];
      is_diagonal = is_diagonal && (i == j || now_.M[at(e)] == 0);
      largest_[at(i)] =
          std::max({largest_[at(i)], std::abs(now_.J[at(e)]) * nominal, std::abs(now_.M[at(e)]) * nominal});
    }
  }
  is_diagonal = is_diagonal && std::find(diagonal_.begin(), diagonal_.end(), 0.0) == diagonal_.end();
  if (mass_kind_ != MassKind::varying) mass_kind_ = is_diagonal ? MassKind::identity : MassKind::constant;
  for (int i = 0; i < size_; ++i) {
    const bool is_usable = largest_[at(i)] > 1e-200 && largest_[at(i)] < 1e200;
    row_scale_[at(i)] = is_diagonal ? 1 / diagonal_[at(i)] : is_usable ? std::exp2(-std::ilogb(largest_[at(i)])) : 1.0;
  }
}

void DaeForm::scatter(const std::vector<double>& values, std::vector<double>& out) const {
  const std::vector<int>&first = equations_.first(), &row = equations_.row();
  for (int j = 0; j < size_; ++j) {
    for (int e = first[at(j)]; e < first[at(j) + 1]; ++e) {
      const int i = row[at(e)];
      out[matrices_.is_sparse ? at(place_of_entry_[at(e)]) : at(j) * at(size_) + at(i)] =
          row_scale_[at(i)] * values[at(e)];
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
  equations_.residual(t, y, dy, by_equation_.data());
  ++own_rhs_;
  if (dy == nullptr && equations_.mass_function_has_changed()) {
    take_mass_as_varying();
    std::fill(r, r + size_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (int i = 0; i < size_; ++i) r[place_of_row_[at(i)]] = row_scale_[at(i)] * by_equation_[at(i)];
}

void DaeForm::take_mass_as_varying() {
  mass_kind_ = MassKind::varying;
  has_seen_mass_vary_ = true;
  is_arranged_ = false;
  equations_.forget_mass();
  ++version_;
}

void DaeForm::linearize(double t, const double* y, const double* dy) {
  const long long duals = equations_.dual_evaluations, differences = equations_.difference_evaluations;
  const long long all = equations_.all_evaluations, all_duals = equations_.all_dual_evaluations;
  double* slope = equations_.reads_time() ? by_equation_.data() : nullptr;
  const auto evaluate = [&] {
    equations_.linearize(t, y, dy, now_.J.data(), mass_kind_ == MassKind::varying ? now_.M.data() : nullptr, slope,
                         wants_differences);
  };
  evaluate();
  if (equations_.mass_has_changed()) {
    take_mass_as_varying();
    evaluate();
  }
  scatter(now_.J, matrices_.J);
  if (mass_kind_ == MassKind::varying) {
    scatter(now_.M, matrices_.M);
    is_arranged_ = false;
  }
  for (int i = 0; i < size_; ++i)
    slope_[at(place_of_row_[at(i)])] = slope != nullptr ? row_scale_[at(i)] * slope[i] : 0.0;
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
