#include "stabilize/equation_keeper.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "stabilize/rank_watch.hpp"

namespace pawl::stabilize {

namespace {

constexpr int most_rows = 200;       // of a stage that is watched
constexpr double near_enough = 0.1;  // of the polynomial to the manifold, in units of the tolerance

/// Whether a stage turns over between the two points.
bool turns(const formulate::StageMatrices& before, const formulate::StageMatrices& after) {
  if (before.size() != after.size()) return false;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Eigen::MatrixXd &a = before[k], &b = after[k];
    if (a.rows() != b.rows() || a.cols() != b.cols() || a.rows() > most_rows) continue;
    if (least_overlap(a, b) < 0) return true;
  }
  return false;
}

}  // namespace

EquationKeeper::EquationKeeper(EquationPull& equations, const StepControl& control)
    : Keeper(equations), equations_(equations), control_(control) {
  for (std::vector<double>* one : {&x_, &next_, &rates_, &moves_[0], &moves_[1], &moves_[2]})
    one->resize(control.absolute.size());
}

void EquationKeeper::restart(double t, const double* x) {
  has_hidden_ = equations_.form(t, x).structure().index >= 2;
  singular_.clear();
  matrices_.clear();
}

void EquationKeeper::accept(const Step& /*step*/) {
  matrices_ = equations_.matrices();
}

std::optional<double> EquationKeeper::branching_in(Step& step, Stepper& method) {
  if (equations_.matrices().empty()) return std::nullopt;
  if (matrices_.empty()) matrices_ = matrices_at(step, step.t0);
  if (!turns(matrices_, equations_.matrices())) return std::nullopt;
  method.interpolate(step);
  found_ = find_singular(step);
  step.forget_polynomial();
  return found_.text.empty() ? std::nullopt : std::optional(found_.before);
}

double EquationKeeper::come_nearer(double /*branching*/) {
  singular_ = found_.text;
  return found_.before;
}

formulate::StageMatrices EquationKeeper::matrices_at(const Step& step, double t) {
  const double h = step.t1 - step.t0;
  step.at(t, x_.data());
  for (std::size_t i = 0; i < x_.size(); ++i) rates_[i] = (step.end()[i] - step.start()[i]) / h;
  return formulate::stage_matrices(equations_.form(t, x_.data()), t, x_.data(), rates_.data());
}

EquationKeeper::Singular EquationKeeper::find_singular(const Step& step) {
  double known_at = step.t0;
  formulate::StageMatrices known = matrices_at(step, known_at);
  const auto part = find_turn(step, [&](double t0, double t1) {
    if (t0 != known_at) known = matrices_at(step, t0);
    formulate::StageMatrices after = matrices_at(step, t1);
    const bool is_found = turns(known, after);
    known = std::move(after);
    known_at = t1;
    return is_found;
  });
  if (!part) return {};
  const auto [from, to] = *part;
  const double t = 0.5 * (from + to);
  matrices_at(step, t);
  return {from,
          fmt::format("at t = {:.10g} the motion passes a position in which {} depends on other equations: it may "
                      "branch there, and no method can say which way.\n"
                      "  try:    another start, one constraint less, or an event that ends the run before it",
                      t, formulate::weakest_row(equations_.form(t, x_.data()), t, x_.data(), rates_.data()))};
}

/// From the polynomial to consistent values.
bool EquationKeeper::find_move(const Step& step, double s, std::vector<double>& move) {
  const double t = step.t0 + s * step.span;
  step.at(t, x_.data());
  next_ = x_;
  if (!equations_.settle(t, next_.data()).empty()) return false;
  for (std::size_t i = 0; i < x_.size(); ++i) move[i] = next_[i] - x_[i];
  return true;
}

/// Of what is differentiated, in units of the tolerance.
double EquationKeeper::size_of(const std::vector<double>& move, const Step& step) const {
  const std::vector<int>& orders = equations_.form(step.t0, step.start()).structure().d;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < move.size(); ++i) {
    if (orders[i] == 0) continue;
    const double part = move[i] / (control_.absolute[i] + control_.relative * std::abs(step.end()[i]));
    sum += part * part;
    count += 1;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

bool EquationKeeper::draw(Step& step, Stepper& method) {
  if (!method.interpolate(step)) return false;
  if (!equations_.has_work(step.t0, step.start()) || !find_move(step, 0.5, moves_[1])) return true;
  if (size_of(moves_[1], step) <= near_enough) return true;
  if (!find_move(step, 0.25, moves_[0]) || !find_move(step, 0.75, moves_[2])) return true;
  ++raised_;
  const int old = step.degree(), degree = std::max(old, 6);
  kept_.assign(step.coefficients(), step.coefficients() + static_cast<std::ptrdiff_t>(step.size()) * (old + 1));
  double* all = step.make_polynomial(degree);
  for (int i = 0; i < step.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    // a + b x + c x² through the moves over s² (1 - s)² at x = -1/4, 0, 1/4; then in powers of s.
    const double low = moves_[0][k] * (256.0 / 9), middle = moves_[1][k] * 16, high = moves_[2][k] * (256.0 / 9);
    const double b = 2 * (high - low), c = 8 * (high - 2 * middle + low);
    const std::array<double, 3> q{middle - b / 2 + c / 4, b - c, c};
    const std::array<double, 7> moved{0, 0, q[0], q[1] - 2 * q[0], q[2] - 2 * q[1] + q[0], q[1] - 2 * q[2], q[2]};
    const double* kept = kept_.data() + static_cast<std::ptrdiff_t>(i) * (old + 1);
    double* now = all + static_cast<std::ptrdiff_t>(i) * (degree + 1);
    for (int power = 0; power <= degree; ++power) now[power] = power <= old ? kept[power] : 0;
    for (std::size_t power = 2; power < moved.size(); ++power) now[power] += moved[power];
  }
  return true;
}

}  // namespace pawl::stabilize
