#include "formulate/implicit_mechanics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulate/eliminated_system.hpp"

namespace pawl::formulate {

Level level_of(Scheme scheme) {
  return scheme == Scheme::index_3              ? Level::index_3
         : scheme == Scheme::index_2            ? Level::index_2
         : scheme == Scheme::stabilized_index_2 ? Level::stabilized_index_2
                                                : Level::index_1;
}

namespace {

constexpr int dense_limit = 200;  // unknowns; beyond, entries outside the pattern cost more than its bookkeeping

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

std::unique_ptr<ImplicitForm> make_implicit_mechanics(std::shared_ptr<const System::Declarations> model,
                                                      MechanicsForm& form, Level level) {
  return std::make_unique<ImplicitMechanics>(std::move(model), form, level);
}

ImplicitMechanics::ImplicitMechanics(std::shared_ptr<const System::Declarations> model, MechanicsForm& form,
                                     Level level)
    : model_(std::move(model)), form_(form), level_(level), terms_(*model_) {
  const MechanicsInfo& info = terms_.info();
  states_ = static_cast<int>(model_->state_names.size());
  std::vector<bool> is_other(at(states_), true);
  for (const auto* list : {&info.positions, &info.speeds}) {
    for (const int state : *list) is_other[at(state)] = false;
  }
  for (int i = 0; i < states_; ++i) {
    if (is_other[at(i)]) others_.push_back(i);
  }
  for (int i = 0; i < terms_.size(); ++i) all_speeds_.push_back(i);
  if (!info.attitudes.empty()) {
    std::vector<double> x(at(states_), 0);
    for (int part = 0; part < 4; ++part) {
      const auto state = at(info.positions[at(info.attitudes[0].first_position + part)]);
      double map[4][3];
      x[state] = 1;
      terms_.attitude_map(0, x.data(), map);
      x[state] = 0;
      for (int i = 0; i < 4; ++i) std::copy(map[i], map[i] + 3, unit_maps_[at(part)][at(i)].begin());
    }
  }
  force_map_ = info.speed_map(states_);
  maps_.resize(info.attitudes.size());
  for (auto* vector : {&w_, &u_}) vector->assign(info.speeds.size(), 0);
  for (auto* vector : {&rates_, &x_moved_}) vector->assign(at(states_), 0);
  duals_.resize(at(states_));
  curvatures_.resize(at(states_));
  motion_.jets.resize(at(states_));
  kinds_.assign(at(states_), Variable{});
  speed_by_state_.assign(at(states_), -1);
  own_speed_.assign(at(states_), -1);
  for (int i = 0; i < states_; ++i) kinds_[at(i)].state = i;
  for (std::size_t i = 0; i < info.speeds.size(); ++i) own_speed_[at(info.speeds[i])] = static_cast<int>(i);
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    kinds_[at(info.positions[i])].position = static_cast<int>(i);
    speed_by_state_[at(info.positions[i])] = info.speed_of[i];
  }
  for (std::size_t a = 0; a < info.attitudes.size(); ++a) {
    for (int part = 0; part < 4; ++part) {
      const int state = info.positions[at(info.attitudes[a].first_position + part)];
      kinds_[at(state)].attitude = static_cast<int>(a);
      kinds_[at(state)].part = part;
      speed_by_state_[at(state)] = info.attitudes[a].first_speed;
    }
  }
  relays_.resize(model_->relays.size());
  int most = 1;
  for (const auto& constraint : info.constraints) most = std::max(most, constraint.rows);
  rows_dual_.resize(at(most));
  rows_curvature_.resize(at(most));
  rows_jet_.resize(at(most));
  rows_value_.resize(at(most));
  unit_.assign(at(most), 0);
  gamma_.resize(at(most));
  gamma_back_.resize(at(most));
  size_ = states_;  // until the constraints in force are known
  set_roles();
}

void ImplicitMechanics::carry(Memory& memory) {
  carry_common(memory);
  terms_.carry(memory);
  memory(held_, rows_, all_speeds_, others_, is_arranged_, had_differences_, mass_is_constant_, has_exact_force_,
         has_other_force_, has_exact_mass_, has_other_mass_, unit_maps_, kinds_, speed_by_state_, own_speed_, curves_,
         force_reads_, mass_reads_, inertia_reads_, rate_reads_, has_exact_inertia_, force_map_, mass_map_,
         mass_entries_);
  memory(seen_, maps_, w_, u_, rates_, y_, first_, second_, z_, unit_, gamma_, gamma_back_, duals_, outputs_, relays_,
         rows_dual_, curvatures_, rows_curvature_, numbers_, numbers_moved_, x_moved_, rows_value_, rows_jet_, motion_,
         q_rate_dual_, rates_dual_, mass_dual_, inertial_ahead_, inertial_behind_);
  if (!memory.is_saving()) terms_.lock(held_);
}

void ImplicitMechanics::restart(double t, const double* x) {
  form_.refactor(t, x);  // so that it has chosen its rows
  const MechanicsTerms& chosen = form_.terms();
  std::vector<int> rows;
  for (int r = 0; r < chosen.rows(); ++r) rows.push_back(chosen.declared_row(r));
  if (is_arranged_ && rows == rows_ && held_ == form_.held() && wants_differences == had_differences_) return;
  is_arranged_ = false;
  had_differences_ = wants_differences;
  held_ = form_.held();
  terms_.lock(held_);
  arrange(t, x, rows);
  is_arranged_ = true;
}

void ImplicitMechanics::arrange(double t, const double* x, const std::vector<int>& rows) {
  const MechanicsInfo& info = terms_.info();
  rows_ = rows;
  terms_.arrange(t, x, rows_);
  const bool is_stabilized = level_ == Level::stabilized_index_2;
  size_ = states_ + terms_.rows() + (is_stabilized ? terms_.holonomic() : 0);
  y_.assign(at(size_), 0);
  std::copy(x, x + states_, y_.begin());

  curves_.clear();
  for (std::size_t i = 0; i < motion_.jets.size(); ++i) motion_.jets[i] = x[i];
  for (const Function& v : info.potentials) curves_.push_back(curve_of(v, 1, false, t));
  for (int r = 0; r < terms_.rows();) {
    const MechanicsInfo::ConstraintInfo& constraint = info.constraint_of(rows_[at(r)]);
    Curve curve = curve_of(constraint.g, constraint.rows, constraint.is_on_speeds, t);
    curve.first_row = r;
    curve.kept.clear();
    for (; r < terms_.rows() && constraint.has_row(rows_[at(r)]); ++r)
      curve.kept.push_back(rows_[at(r)] - constraint.first_row);
    curves_.push_back(std::move(curve));
  }
  std::size_t firsts = 0, seconds = 0, slopes = 0;
  for (const Curve& curve : curves_) {
    const auto width = at(curve.width());
    firsts = std::max(firsts, curve.kept.size() * width);
    seconds = std::max(seconds, curve.kept.size() * width * width);
    slopes = std::max(slopes, curve.speeds.size() * width);
  }
  first_.assign(firsts, 0);
  second_.assign(seconds, 0);
  z_.assign(slopes, 0);

  observe_functions(t, x);
  terms_.evaluate_mass(t, x);
  mass_kind_ = mass_is_constant_ && level_ != Level::index_1 ? MassKind::constant : MassKind::varying;
  set_roles();
  make_pattern(t);
}

// Weights of Newton's method and of the error test follow from these (Hairer, Lubich, Roche, The Numerical Solution of
// Differential-Algebraic Systems by Runge-Kutta Methods (1989)). At level index_1 λ counts as of index 2: it is no
// smoother than the accelerations.
void ImplicitMechanics::set_roles() {
  roles_.assign(at(size_), {true, 1});
  const bool is_third = level_ == Level::index_3 && size_ > states_ && terms_.holonomic() > 0;
  for (int i = states_; i < size_; ++i) roles_[at(i)] = {false, is_third ? 3 : 2};
  if (!is_third) return;
  for (const int state : terms_.info().speeds) roles_[at(state)].index = 2;
}

bool ImplicitMechanics::is_sparse_wanted() const {
  if (linear_solver == LinearSolver::automatic) return size_ > dense_limit;
  return linear_solver != LinearSolver::dense;
}

// The derivatives are run once into a list of places.
void ImplicitMechanics::make_pattern(double t) {
  MatrixPair& pair = matrices_;
  pair.size = size_;
  pair.is_sparse = is_sparse_wanted();
  pair.first.clear();
  pair.row.clear();
  std::size_t entries = at(size_) * at(size_);
  const long long duals = dual_evaluations, numbers = difference_evaluations;
  if (pair.is_sparse) {
    seen_.clear();
    for (int i = 0; i < size_; ++i) seen_.emplace_back(i, i);
    target_ = Target::pattern;
    differentiate(t, y_.data(), nullptr);
    target_ = Target::matrices;
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    pair.first.assign(at(size_) + 1, 0);
    for (const auto& [column, row] : seen_) {
      pair.row.push_back(row);
      ++pair.first[at(column) + 1];
    }
    for (std::size_t j = 0; j < at(size_); ++j) pair.first[j + 1] += pair.first[j];
    entries = pair.row.size();
    seen_ = {};
  }
  pair.J.assign(entries, 0);
  pair.M.assign(entries, 0);
  ++version_;
  linearize(t, y_.data(), nullptr);  // a mass matrix that is constant is known from now on
  dual_evaluations = duals;
  difference_evaluations = numbers;
}

std::string ImplicitMechanics::complete(double t, double* y, double* dy) {
  form_.rate(t, y, dy);
  for (int i = 0; i < states_; ++i) {
    if (std::isfinite(dy[i])) continue;
    const std::string why = form_.why();
    return !why.empty() ? why
                        : fmt::format("at t = {:.10g} the rate of '{}' is not finite", t, model_->state_names[at(i)]);
  }
  std::fill(y + states_, y + size_, 0.0);
  std::fill(dy + states_, dy + size_, 0.0);
  const std::vector<double>& lambda = form_.last_multipliers();
  std::copy(lambda.begin(), lambda.begin() + terms_.rows(), y + states_);
  return {};
}

void ImplicitMechanics::residual(double t, const double* y, const double* dy, double* r) {
  const MechanicsInfo& info = terms_.info();
  const int n = terms_.size(), rows = terms_.rows(), holonomic = terms_.holonomic();
  const SparseRows& G = terms_.pattern();
  const double* lambda = y + states_;
  double* constraint = r + states_;

  if (!others_.empty()) {
    std::fill(rates_.begin(), rates_.end(), 0.0);
    if (model_->rates) {
      const detail::Surroundings<double> around{&held_, {}, form_.relays};
      model_->rates(Point<double>(t, y, held_.parameters.data(), &around), rates_.data());
    }
    for (const int i : others_) r[i] = rates_[at(i)] - (dy != nullptr ? dy[i] : 0);
  }

  // f + Q - G^T λ - M v'
  terms_.rate_of_positions(y);
  if (!terms_.inertia().is_zero()) terms_.evaluate_inertia(t, y, rates_.data());
  terms_.evaluate_force(t, y, form_.relays);
  terms_.add_inertial();
  terms_.evaluate_jacobian(t, y);
  std::vector<double>& f = terms_.force;
  for (int k = 0; k < rows; ++k) {
    for (int e = G.first[at(k)]; e < G.first[at(k + 1)]; ++e)
      f[at(G.column[at(e)])] -= terms_.jacobian[at(e)] * lambda[k];
  }
  if (dy != nullptr) {
    for (int i = 0; i < n; ++i) w_[at(i)] = dy[info.speeds[at(i)]];
    const SparseRows& M = terms_.mass_pattern();
    for (int i = 0; i < n; ++i) {
      const int begin = terms_.is_sparse() ? M.first[at(i)] : i * n,
                end = terms_.is_sparse() ? M.first[at(i + 1)] : begin + i + 1;
      for (int e = begin; e < end; ++e) {
        const int j = terms_.is_sparse() ? M.column[at(e)] : e - begin;
        f[at(i)] -= terms_.mass[at(e)] * w_[at(j)];
        if (i != j) f[at(j)] -= terms_.mass[at(e)] * w_[at(i)];
      }
    }
  }
  for (int i = 0; i < n; ++i) r[info.speeds[at(i)]] = f[at(i)];

  // The constraints, at their level.
  if (level_ == Level::index_3 && rows == holonomic) {
    terms_.evaluate_values(t, y, constraint);
  } else {
    terms_.evaluate_motion(t, y);
    for (int k = 0; k < rows; ++k) {
      switch (level_) {
        case Level::index_3:
          constraint[k] = k < holonomic ? terms_.value[at(k)] : terms_.slope[at(k)];
          break;
        case Level::index_2:
        case Level::stabilized_index_2:
          constraint[k] = terms_.slope[at(k)];
          break;
        case Level::index_1:
          constraint[k] = -terms_.gamma[at(k)];
          if (dy == nullptr) break;
          for (int e = G.first[at(k)]; e < G.first[at(k + 1)]; ++e)
            constraint[k] -= terms_.jacobian[at(e)] * w_[at(G.column[at(e)])];
          break;
      }
    }
  }

  // S (v - G^T μ) - q'; evaluate_motion() has read the rate of positions, so it may be overwritten now.
  if (level_ == Level::stabilized_index_2) {
    const double* mu = lambda + rows;
    std::copy(y, y + states_, x_moved_.begin());
    for (int k = 0; k < holonomic; ++k) {
      constraint[rows + k] = terms_.value[at(k)];
      for (int e = G.first[at(k)]; e < G.first[at(k + 1)]; ++e)
        x_moved_[at(speed_state(G.column[at(e)]))] -= terms_.jacobian[at(e)] * mu[k];
    }
    terms_.rate_of_positions(x_moved_.data());
  }
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    const int state = info.positions[i];
    r[state] = terms_.q_rate[i] - (dy != nullptr ? dy[state] : 0);
  }
}

std::unique_ptr<ShiftedSystem> ImplicitMechanics::make_solver(int real_slots, int complex_slots) const {
  // With μ the equations of positions couple with each other, and nothing is gained.
  if (matrices_.is_sparse || level_ == Level::stabilized_index_2)
    return ImplicitForm::make_solver(real_slots, complex_slots);
  const MechanicsInfo& info = terms_.info();
  EliminatedUnknowns unknowns;
  unknowns.first_multiplier = states_;
  std::vector<bool> is_position(at(size_), false);
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    is_position[at(info.positions[i])] = true;
    if (info.speed_of[i] >= 0) unknowns.coordinates.push_back({info.positions[i], speed_state(info.speed_of[i])});
  }
  for (const auto& [first, first_speed] : info.attitudes) {
    EliminatedUnknowns::Attitude attitude{};
    for (int i = 0; i < 4; ++i) attitude.position[at(i)] = info.positions[at(first + i)];
    for (int i = 0; i < 3; ++i) attitude.speed[at(i)] = speed_state(first_speed + i);
    unknowns.attitudes.push_back(attitude);
  }
  for (int i = 0; i < size_; ++i) {
    if (!is_position[at(i)]) unknowns.kept.push_back(i);
  }
  return make_eliminated_system(matrices_, std::move(unknowns), real_slots, complex_slots);
}

std::string ImplicitMechanics::name(int unknown) const {
  if (unknown < states_) return model_->state_names[at(unknown)];
  const int row = unknown - states_;
  if (row < terms_.rows()) return fmt::format("multiplier of '{}'", terms_.row_name(row));
  return fmt::format("stabilizing multiplier of '{}'", terms_.row_name(row - terms_.rows()));
}

}  // namespace pawl::formulate
