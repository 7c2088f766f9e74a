#include "formulate/dae_equations.hpp"

#include <limits>

#include <fmt/format.h>

#include "formulate/dae_bench.hpp"
#include "formulate/dae_scatter.hpp"
#include "formulate/declared_held.hpp"

namespace pawl::formulate {

namespace {

constexpr double small = 1e-3;  // of a state that is zero and has no nominal size

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  if (names.size() > 8) text += fmt::format(" and {} more", names.size() - 8);
  return text.empty() ? "none" : text;
}

}  // namespace

DaeEquations::DaeEquations(std::shared_ptr<const System::Declarations> model)
    : model_(std::move(model)), observed_(std::make_shared<const Observed>()) {
  size_ = static_cast<int>(model_->state_names.size());
  declared_ = declared_held(*model_);
  lock(declared_, declared_.parameters.data());
  numbers_ = std::make_unique<Bench<double>>(size_);
  duals_ = std::make_unique<Bench<Gradient>>(size_);
  for (std::vector<double>* one : {&zero_, &scale_, &point_, &rates_, &base_, &moved_}) one->assign(at(size_), 0.0);
  for (std::size_t i = 0; i < model_->nominals.size(); ++i) scale_[i] = model_->nominals[i];

  find_assigned_rates();
  int equations = 0;
  for (const EquationInfo& one : model_->equations) equations += one.rows;
  if (rate_rows_ + equations != size_) refuse_counts(equations);

  const bool mass_is_exact = !model_->mass || model_->mass.supports<Gradient>();
  is_given_ = model_->rates && !model_->rates.supports<Gradient>() && model_->jacobian && mass_is_exact;
  unit_is_exact_.push_back(!model_->rates || (model_->rates.supports<Gradient>() && mass_is_exact) || is_given_);
  unit_of_row_.assign(at(rate_rows_), 0);
  for (const EquationInfo& one : model_->equations) {
    first_row_.push_back(static_cast<int>(unit_of_row_.size()));
    unit_of_row_.insert(unit_of_row_.end(), at(one.rows), unit_is_exact_.size());
    unit_is_exact_.push_back(one.f.supports<Gradient>());
  }
  all_inexact_.assign(unit_is_exact_.size(), false);
  Scatter scatter(5);
  for (int j = 0; j < size_; ++j) direction_.push_back(0.5 + scatter.part());
}

DaeEquations::~DaeEquations() = default;

void DaeEquations::carry(Memory& memory) {
  memory(observed_, earliest_, direction_, assumed_mass_, assumed_size_, seen_mass_, mass_has_changed_, looks_back_,
         skips_rates_, scale_, dual_evaluations, difference_evaluations, all_evaluations, all_dual_evaluations);
  if (!memory.is_saving()) size_memory();
}

void DaeEquations::lock(const Held& held, const double* parameters) {
  held_ = &held;
  parameters_ = parameters != nullptr ? parameters : held.parameters.data();
}

bool DaeEquations::is_exact() const {
  return std::all_of(unit_is_exact_.begin(), unit_is_exact_.end(), [](bool exact) { return exact; });
}

// A generic function shows what it assigns; of any other, what is still NaN after a call was not assigned.
void DaeEquations::find_assigned_rates() {
  row_of_state_.assign(at(size_), -1);
  if (!model_->rates) return;
  std::vector<bool> is_assigned(at(size_), false);
  if (model_->rates.supports<Pattern>()) {
    PatternTape tape;
    const detail::Surroundings<Pattern> around{held_};
    const std::vector<Pattern> states(at(size_));
    std::vector<Pattern> out(at(size_), Pattern::unassigned());
    model_->rates(Point<Pattern>(Pattern(), states.data(), parameters_, &around), out.data());
    for (int i = 0; i < size_; ++i) is_assigned[at(i)] = out[at(i)].is_assigned();
  } else {
    std::vector<double> states = model_->starts, out(at(size_), std::numeric_limits<double>::quiet_NaN());
    Start start(states, {parameters_, model_->parameters.size()}, model_->model);
    if (model_->start) model_->start(start);
    const detail::Surroundings<double> around{held_};
    model_->rates(Point<double>(0, states.data(), parameters_, &around), out.data());
    for (int i = 0; i < size_; ++i) is_assigned[at(i)] = !std::isnan(out[at(i)]);
  }
  for (int i = 0; i < size_; ++i) {
    if (!is_assigned[at(i)]) continue;
    row_of_state_[at(i)] = rate_rows_++;
    assigned_.push_back(i);
  }
}

void DaeEquations::refuse_counts(int equations) const {
  std::vector<std::string> without, names;
  for (int i = 0; i < size_; ++i) {
    if (rate_row(i) < 0) without.push_back(state_name(i));
  }
  for (const EquationInfo& one : model_->equations)
    names.push_back(one.rows == 1 ? one.name : fmt::format("{}[1..{}]", one.name, one.rows));
  throw Misuse(fmt::format(
      "system '{}' has {} unknowns but {} equations: rates are assigned to {} states, not to {}; equations: {}.\n"
      "  try:    {}",
      model_->name, size_, rate_rows_ + equations, rate_rows_, list(without), list(names),
      rate_rows_ + equations < size_
          ? "one equation(...) more for every state that has neither a rate nor an equation of its own"
          : "without the equations that repeat others, or without the rates d[x] of states that equations determine"));
}

std::string DaeEquations::row_name(int row) const {
  if (row < rate_rows_) return fmt::format("rate of '{}'", state_name(assigned_[at(row)]));
  const std::size_t equation = unit_of_row_[at(row)] - 1;
  const EquationInfo& one = model_->equations[equation];
  if (!one.row_names.empty()) return one.row_names[at(row - first_row_[equation])];
  return one.rows == 1 ? fmt::format("'{}'", one.name)
                       : fmt::format("'{}[{}]'", one.name, row - first_row_[equation] + 1);
}

std::vector<DaePoint> DaeEquations::neighbours(double t, const double* y, const double* dy) const {
  if (dy == nullptr) dy = zero_.data();
  std::vector<DaePoint> points{{t, {y, y + size_}, {dy, dy + size_}}};
  points.reserve(4);
  Scatter scatter(20010401);
  const auto some = [&] {  // between a fifth and one, of either sign
    const double u = scatter.part();
    return u < 0.5 ? -0.2 - 1.6 * u : 0.2 + 1.6 * (u - 0.5);
  };
  for (const double size : {1e-3, 0.03, 0.5}) {
    DaePoint moved = points.front();
    moved.t += size * std::abs(some()) * std::max(std::abs(t), 1.0);
    for (int j = 0; j < size_; ++j) {
      const double declared = model_->nominals.empty() ? 0.0 : model_->nominals[at(j)];
      const double own = std::isfinite(y[j]) ? std::abs(y[j]) : 0.0;
      const double scale = declared > 0 ? std::max(declared, own) : own > 0 ? own : small;
      moved.y[at(j)] += size * some() * scale;
      moved.dy[at(j)] += size * some() * std::max(std::abs(dy[j]), scale);
    }
    points.push_back(std::move(moved));
  }
  return points;
}

// The rows with any scalar. Mass matrices are only evaluated with numbers and duals: for the others M is what it was at
// the last evaluation with numbers.
template <class T>
void DaeEquations::evaluate(Bench<T>& bench, const T& t, const typename Point<T>::States& states, const T* dy, T* r,
                            Units units) {
  ++(std::is_same_v<T, double> ? all_evaluations : all_dual_evaluations);
  detail::Surroundings<T> around{held_};
  const Point<T> point(t, states, parameters_, &around);
  if (rate_rows_ > 0 && takes(0, units)) {
    if (std::is_same_v<T, Gradient> && skips_rates_) {
      std::fill(bench.f.begin(), bench.f.end(), T(0.0));
    } else {
      model_->rates(point, bench.f.data());
    }
    for (int row = 0; row < rate_rows_; ++row) r[row] = bench.f[at(assigned_[at(row)])];
    if (model_->mass) {
      subtract_mass(bench, point, dy, r);
    } else {
      for (int row = 0; row < rate_rows_; ++row) r[row] -= dy[assigned_[at(row)]];
    }
  }
  bench.rates.values = dy;
  around.rates = &bench.rates;
  int row = rate_rows_;
  for (std::size_t e = 0; e < model_->equations.size(); ++e) {
    if (takes(e + 1, units)) model_->equations[e].f(point, r + row);
    row += model_->equations[e].rows;
  }
}

template <class T>
void DaeEquations::subtract_mass(Bench<T>& bench, const Point<T>& point, const T* dy, T* r) {
  const Written& mass = observed_->mass;
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Gradient>) {
    bench.mass.assign(mass.slots, T(0.0));
    Entries<T> entries(mass.map, bench.mass.data());
    model_->mass(point, entries);
    for (const Written::Entry& one : mass.entries) r[one.row] -= bench.mass[at(one.slot)] * dy[one.column];
    return;
  }
  for (const Written::Entry& one : mass.entries) r[one.row] -= numbers_->mass[at(one.slot)] * dy[one.column];
}

template void DaeEquations::evaluate(Bench<double>&, const double&, const Point<double>::States&, const double*,
                                     double*, Units);
template void DaeEquations::evaluate(Bench<Gradient>&, const Gradient&, const Point<Gradient>::States&, const Gradient*,
                                     Gradient*, Units);
template void DaeEquations::evaluate(Bench<Jet<double>>&, const Jet<double>&, const Point<Jet<double>>::States&,
                                     const Jet<double>*, Jet<double>*, Units);
template void DaeEquations::evaluate(Bench<Series>&, const Series&, const Point<Series>::States&, const Series*,
                                     Series*, Units);

void DaeEquations::residual(double t, const double* y, const double* dy, double* r) {
  evaluate<double>(*numbers_, t, {y}, dy == nullptr ? zero_.data() : dy, r, Units::all);
}

bool DaeEquations::mass_is_proved_constant() const {
  if (model_->mass) return false;
  return std::all_of(reads().begin() + rate_rows_, reads().end(),
                     [](const RowReads& row) { return row.rates.empty(); });
}

void DaeEquations::assume_mass(const double* M) {
  for (std::vector<double>* one : {&assumed_mass_, &assumed_size_}) one->assign(at(size_), 0.0);
  seen_mass_.assign(at(size_), 0.0);
  for (int j = 0; j < size_; ++j) {
    for (int e = first()[at(j)]; e < first()[at(j) + 1]; ++e) {
      assumed_mass_[at(row()[at(e)])] += M[e] * direction_[at(j)];
      assumed_size_[at(row()[at(e)])] += std::abs(M[e] * direction_[at(j)]);
    }
  }
}

bool DaeEquations::compare_mass(const double* Mw) const {
  for (int i = 0; i < size_; ++i)
    if (std::abs(Mw[i] - assumed_mass_[at(i)]) > 1e-13 * assumed_size_[at(i)])
      return true;  // what is no number says nothing
  return false;
}

bool DaeEquations::mass_function_has_changed() {
  if (assumed_mass_.empty() || !model_->mass) return false;
  seen_mass_ = assumed_mass_;
  std::fill(seen_mass_.begin(), seen_mass_.begin() + rate_rows_, 0.0);
  for (const Written::Entry& one : observed_->mass.entries)
    seen_mass_[at(one.row)] += numbers_->mass[at(one.slot)] * direction_[at(one.column)];
  return compare_mass(seen_mass_.data());
}

}  // namespace pawl::formulate
