#include "stabilize/manifold_keeper.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pawl::stabilize {

ManifoldKeeper::ManifoldKeeper(Stabilizer& stabilizer, Form& form, const KeptMotion& motion, bool draws_on_manifold,
                               FollowerLevels* followers)
    : Keeper(stabilizer), stabilizer_(stabilizer), followers_(followers) {
  mechanics_ = dynamic_cast<formulate::MechanicsForm*>(&form);
  if (mechanics_ == nullptr) return;
  watch_.emplace(*mechanics_, motion.size);
  x_.resize(static_cast<std::size_t>(motion.size));
  slope_.resize(x_.size());
  if (!draws_on_manifold) return;
  speed_roots_.resize(mechanics_->terms().info().speeds.size());
  position_roots_.resize(mechanics_->terms().info().positions.size());
  newton_.emplace(form, motion.size);
  passage_.emplace(motion_of(motion));
  hermite_.emplace(*mechanics_, motion.field, motion.control, motion.size);
  if (followers == nullptr) return;
  hermite_->observer = [followers](double s, double t, const double* x) { followers->see_inside(s, t, x); };
  followers->pull = [this](double t, double* x) { hermite_->pull(t, x); };
}

Passage::Motion ManifoldKeeper::motion_of(const KeptMotion& motion) {
  const MechanicsInfo& info = mechanics_->terms().info();
  const int size = motion.size;
  return {.field = motion.field,
          .control = motion.control,
          .pull = [this](double t, double* x) { return pull_to_rounding(t, x); },
          .go_on = [this, size](double span, const double* rate,
                                double* x) { stabilize::go_on(*mechanics_, span, rate, x, size); },
          .speed =
              [this, &info](const double* x) {
                double sum = 0;
                for (std::size_t k = 0; k < info.speeds.size(); ++k) sum += sqr(speed_roots_[k] * x[info.speeds[k]]);
                return std::sqrt(sum);
              },
          .distance =
              [this, &info](const double* x, const double* y) {
                double sum = 0;
                for (std::size_t i = 0; i < info.positions.size(); ++i)
                  sum += sqr(position_roots_[i] * (x[info.positions[i]] - y[info.positions[i]]));
                return std::sqrt(sum);
              },
          .sizes = [this](double t, const double* x, double span, double* sizes) { find_sizes(t, x, span, sizes); },
          .size = size};
}

void ManifoldKeeper::find_sizes(double t, const double* x, double span, double* sizes) {
  const MechanicsInfo& info = mechanics_->terms().info();
  const Eigen::MatrixXd M = mechanics_->dense_mass(t, x);
  Eigen::VectorXd v(M.rows());
  for (std::size_t i = 0; i < info.speeds.size(); ++i) v[static_cast<Eigen::Index>(i)] = x[info.speeds[i]];
  const double twice_energy = v.dot(M * v);
  for (std::size_t i = 0; i < x_.size(); ++i) sizes[i] = std::abs(x[i]);
  for (std::size_t i = 0; i < info.speeds.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    speed_roots_[i] = std::sqrt(M(k, k));
    sizes[info.speeds[i]] = std::sqrt(twice_energy) / speed_roots_[i];
  }
  for (std::size_t i = 0; i < info.positions.size(); ++i) {
    const double speed = info.speed_of[i] < 0 ? 1 : sizes[info.speeds[static_cast<std::size_t>(info.speed_of[i])]];
    sizes[info.positions[i]] += std::abs(span) * speed;
    if (info.speed_of[i] >= 0) position_roots_[i] = speed_roots_[static_cast<std::size_t>(info.speed_of[i])];
  }
  for (const auto& attitude : info.attitudes) {  // a quaternion turns at half of the angular velocity
    const auto first = speed_roots_.begin() + attitude.first_speed;
    std::fill_n(position_roots_.begin() + attitude.first_position, 4, 2 * *std::max_element(first, first + 3));
  }
}

/// Factors from the other side of a singular position lead away from the manifold; and what is left of a residual there
/// is a long way across it.
bool ManifoldKeeper::pull_to_rounding(double t, double* x) {
  if (!mechanics_->refactor(t, x) || !newton_->pull(t, x, true, true) || !mechanics_->refactor(t, x)) return false;
  for (const int level : {0, 0, 1, 1}) {
    residual_.resize(static_cast<std::size_t>(mechanics_->rows(level)));
    mechanics_->residual(level, t, x, residual_.data());
    mechanics_->correct(level, residual_.data(), x);
  }
  return true;
}

void ManifoldKeeper::restart(double t, const double* x) {
  singular_.clear();
  tries_ = 0;
  if (watch_) {
    t_ = t;
    std::copy(x, x + x_.size(), x_.begin());
    std::fill(slope_.begin(), slope_.end(), 0.0);
  }
  if (followers_ != nullptr) followers_->see(t, x);
}

void ManifoldKeeper::accept(const Step& step) {
  stabilizer_.accept(step.t1, step.end());
  if (!watch_) return;
  const double span = step.t1 - step.t0;
  t_ = step.t1;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] = step.end()[i];
    slope_[i] = (x_[i] - step.start()[i]) / span;
  }
}

std::optional<double> ManifoldKeeper::branching_in(Step& step, Stepper& method) {
  if (!watch_) return std::nullopt;
  // A method that has equations of its own to solve does not evaluate the form inside its steps.
  const bool is_blind = method.start_rate() == nullptr;
  if (is_blind && !mechanics_->refactor(step.t1, step.end())) return step.t1;
  if (!watch_->can_look() || !(is_blind || watch_->is_suspicious()) || !watch_->turns(step)) return std::nullopt;
  draw(step, method);
  const auto part = watch_->find(step);
  step.forget_polynomial();
  if (!part) return std::nullopt;
  return 0.5 * (part->first + part->second);
}

std::optional<double> ManifoldKeeper::branching_ahead(double reach) {
  if (!passage_ || reach == 0 || !watch_->can_look() || !watch_->is_suspicious()) return std::nullopt;
  const auto span = watch_->expect(t_, x_.data(), slope_.data(), reach);
  if (!span) {
    tries_ = 0;
    return std::nullopt;
  }
  return t_ + *span;
}

/// Between which points of the passage a singular value changes its sign.
ManifoldKeeper::Turn ManifoldKeeper::find_turn_of_passage(const Step& step, double& where) {
  double t = t_;
  const double* x = x_.data();
  int turns = 0, place = -1;
  for (int i = 0; i <= Passage::points; ++i) {
    const bool is_end = i == Passage::points;
    const double next = is_end ? step.t1 : passage_->time(i);
    const double* y = is_end ? step.end() : passage_->state(i);
    if (watch_->turns(t, x, next, y)) {
      ++turns;
      place = i;
      where = 0.5 * (t + next);
    }
    t = next;
    x = y;
  }
  if (turns == 0) return Turn::none;
  if (turns > 1) return Turn::several;
  return place == Passage::points / 2 ? Turn::in_the_middle : Turn::elsewhere;
}

bool ManifoldKeeper::pass(double branching, Step& out) {
  if (!passage_) return false;
  // Not from much the same place again.
  if (tries_ > 0 && std::abs(branching - t_) > 0.6 * last_distance_) return false;
  ++tries_;
  last_distance_ = std::abs(branching - t_);
  Turn turn = Turn::several;
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (branching == t_ || !passage_->take(t_, x_.data(), branching, out)) return false;
    turn = find_turn_of_passage(out, branching);
    if (turn != Turn::elsewhere) break;
  }
  if (turn != Turn::none && turn != Turn::in_the_middle) return false;
  next_.assign(out.end(), out.end() + out.size());
  if (!(stabilizer_.apply(out.t1, next_.data()) <= 1)) return false;  // it is there: this measures how well
  if (turn == Turn::in_the_middle) {
    const double t = locate(out);
    notes_.push_back(make_message(
        MessageCode::constraint_nearly_redundant, t,
        {{"constraint", mechanics_->weakest_row_name()},
         {"distance", 0.0},
         {"how", fmt::format("depends on the others at t = {:.10g}, where branches of the motion meet: passed on the "
                             "one that goes on smoothly; reaction forces are not determined there",
                             t)}}));
  }
  tries_ = 0;
  return true;
}

/// Where the singular value vanishes, on the polynomial of the passage.
double ManifoldKeeper::locate(const Step& step) {
  const auto part = watch_->find(step);
  return part ? watch_->zero_between(step, part->first, part->second) : step.t0 + 0.5 * step.span;
}

/// Which ways go on from a singular position, the one the motion comes on first: "x, y along (0.7071, 0.7071) or
/// (0.7071, -0.7071)"; empty: not known.
std::string ManifoldKeeper::choices(double branching) {
  if (!watch_->can_look()) return {};
  std::vector<double> there = x_;
  go_on(*mechanics_, branching - t_, slope_.data(), there.data(), static_cast<int>(there.size()));
  const std::vector<Eigen::VectorXd> branches = watch_->branches(branching, there.data());
  if (branches.empty()) return {};
  std::vector<std::string> names, ways(branches.size());
  for (Eigen::Index k = 0; k < branches.front().size(); ++k) {
    const auto is_moved = [k](const Eigen::VectorXd& branch) { return std::abs(branch[k]) > 1e-3; };
    if (std::none_of(branches.begin(), branches.end(), is_moved)) continue;
    names.push_back(fmt::format("'{}'", mechanics_->coordinate_name(static_cast<int>(k))));
    for (std::size_t way = 0; way < branches.size(); ++way)
      ways[way] +=
          fmt::format("{}{:.3f}", ways[way].empty() ? "" : ", ", std::round(1e3 * branches[way][k]) / 1e3 + 0.0);
  }
  constexpr std::size_t most_names = 12;
  if (names.size() > most_names) return {};
  return fmt::format("{} along ({})", fmt::join(names, ", "), fmt::join(ways, ") or ("));
}

double ManifoldKeeper::come_nearer(double branching) {
  constexpr int most_tries = 12;
  if (passage_ && tries_ < most_tries) return t_ + 0.5 * (branching - t_);
  const std::string branches = choices(branching);
  singular_ = fmt::format(
      "at t = {:.10g} the motion comes to a configuration in which constraint '{}' depends on the others: branches of "
      "the motion meet there, and none goes on more smoothly than the others.\n"
      "{}"
      "  try:    {}, one constraint less, or an event that ends the run before it",
      branching, mechanics_->weakest_row_name(),
      branches.empty() ? std::string() : fmt::format("  choice: {}\n", branches),
      branches.empty() ? "another start, a start behind it on the branch that is meant"
                       : "a start behind it, from there along the branch that is meant, another start");
  return t_;
}

bool ManifoldKeeper::draw(Step& step, Stepper& method) {
  const double *start = method.start_rate(), *end = hermite_ && hermite_->has_work() ? method.end_rate() : nullptr;
  if (followers_ != nullptr) {
    followers_->see(step.t1, step.end());
    followers_->begin(step);
  }
  bool is_full = true;
  if (start == nullptr || end == nullptr || !hermite_->covers_all()) is_full = method.interpolate(step);
  if (is_full && start != nullptr && end != nullptr) hermite_->write(step, start, end, method.order());
  return is_full;
}

void ManifoldKeeper::carry(Memory& memory) {
  memory(singular_, notes_, t_, x_, slope_, tries_, last_distance_);
  stabilizer_.carry(memory);
  if (newton_) newton_->carry(memory);
  if (passage_) passage_->carry(memory);
  if (hermite_) hermite_->carry(memory);
}

}  // namespace pawl::stabilize
