#include "stabilize/rank_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/eigenvalues.hpp"
#include "numerics/elimination.hpp"
#include "numerics/orthogonal.hpp"

namespace pawl::stabilize {

namespace {

constexpr double lost = 1e-9;  // of rows of length one: a singular value without a sign

}  // namespace

double least_overlap(const Eigen::MatrixXd& before, const Eigen::MatrixXd& after, double enough) {
  Eigen::MatrixXd G0 = before, G1 = after;
  for (Eigen::Index r = 0; r < G0.rows(); ++r) {
    const double length = G0.row(r).norm();
    if (length > 0) G0.row(r) /= length, G1.row(r) /= length;
  }
  const linear::Cholesky factors(G0 * G0.transpose());
  if (!factors.is_positive_definite() || factors.least_pivot() < lost) return 0;
  const Eigen::MatrixXd half = factors.solve_lower(G0 * G1.transpose());
  const Eigen::MatrixXd all = factors.solve_lower(half.transpose());  // similar to the transposed, same eigenvalues
  // No real part is below the least eigenvalue of the symmetric part.
  Eigen::MatrixXd symmetric = 0.5 * (all + all.transpose());
  symmetric.diagonal().array() -= enough;
  if (linear::Cholesky(symmetric).is_positive_definite()) return 2 * enough + 1;
  return linear::eigenvalues(all).real().minCoeff();
}

bool RankWatch::turns(double t0, const double* x0, double t1, const double* x1) {
  return overlap(t0, x0, t1, x1) <= 0;
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

std::optional<std::pair<double, double>> RankWatch::find(const Step& step) {
  return find_turn(step, [&](double t0, double t1) {
    step.at(t0, x_.data());
    step.at(t1, y_.data());
    return turns(t0, x_.data(), t1, y_.data());
  });
}

double RankWatch::zero_between(const Step& step, double from, double to) {
  step.at(from, x_.data());
  step.at(to, y_.data());
  return from + (to - from) / (1 - overlap(from, x_.data(), to, y_.data()));
}

// The eigenvalue that changes its sign is nearly linear in time, 1 here and 0 there.
std::optional<double> RankWatch::expect(double t, const double* x, const double* rate, double reach) {
  constexpr int most_rows_ahead = 80;  // eigenvalues in every step near such a configuration
  if (form_.terms().rows() > most_rows_ahead) return std::nullopt;
  // Beyond four times the reach nothing is expected; near such a configuration, where steps may be short because of it,
  // farther.
  const double pivot = form_.weakest_pivot(), most = pivot < 0.03 ? 1000 : pivot < 0.1 ? 100 : 4, far = 1 - 1 / most;
  const Eigen::VectorXd roots = form_.mass_roots(t, x);
  const Eigen::MatrixXd here = jacobian(t, x, roots);
  const auto overlap_after = [&](double span, double enough) {
    std::copy(x, x + x_.size(), x_.begin());
    go_on(form_, span, rate, x_.data(), static_cast<int>(x_.size()));
    return least_overlap(here, jacobian(t + span, x_.data(), roots), enough);
  };
  double low = 0, at_low = 1, span = reach, value = overlap_after(span, far);
  if (!(value < far)) return std::nullopt;
  for (int round = 0; round < 20; ++round) {
    const double next = low + (span - low) * at_low / (at_low - value);
    if (!(std::abs(next) <= 1.25 * most * std::abs(reach)) || next * reach <= 0) return std::nullopt;
    if (std::abs(next - span) <= 1e-3 * std::abs(next)) {
      // One that vanishes only because the motion turns far does not change its sign between near points.
      const auto state = [&](double time, std::vector<double>& out) {
        std::copy(x, x + out.size(), out.begin());
        go_on(form_, time, rate, out.data(), static_cast<int>(out.size()));
      };
      state(0.9 * next, x_);
      state(1.1 * next, y_);
      return turns(t + 0.9 * next, x_.data(), t + 1.1 * next, y_.data()) ? std::optional(next) : std::nullopt;
    }
    if (value > 0) low = span, at_low = value;
    span = next;
    value = overlap_after(span, 1);
    if (!(value < at_low)) return std::nullopt;
  }
  return std::nullopt;
}

// Where w^T G = 0, speeds v are possible of which G v = 0 and, one derivative higher, w^T (dG/dq v) v = 0: in the plane
// of the former a quadratic form, which vanishes along two lines or along none.
std::vector<Eigen::VectorXd> RankWatch::branches(double t, const double* x) {
  constexpr double small = 1e-3;
  const MechanicsInfo& info = form_.terms().info();
  const Eigen::VectorXd roots = form_.mass_roots(t, x);
  Eigen::MatrixXd G = jacobian(t, x, roots);
  const Eigen::Index m = G.rows(), n = G.cols();
  // Rows are measured by what they were, not by what is left of them here.
  const std::vector<double>& pivots = form_.largest_pivots();
  if (static_cast<Eigen::Index>(pivots.size()) != m || *std::min_element(pivots.begin(), pivots.end()) <= 0) return {};
  const Eigen::VectorXd lengths = Eigen::Map<const Eigen::VectorXd>(pivots.data(), m).cwiseSqrt();
  const auto unit_rows = [&](const Eigen::MatrixXd& J) -> Eigen::MatrixXd {
    return lengths.cwiseInverse().asDiagonal() * J;
  };
  G = unit_rows(G);
  if (n != m + 1) return {};  // one degree of freedom, and the one of the rank that is lost
  const linear::SingularValues left = linear::singular_values(G), right = linear::singular_values(G.transpose());
  if (m > 1 && !(left.values[m - 1] < small * left.values[m - 2])) return {};
  const Eigen::VectorXd w = left.U.col(m - 1);
  const Eigen::MatrixXd plane = right.U.rightCols(2);
  Eigen::VectorXd speeds(n);
  for (Eigen::Index k = 0; k < n; ++k) speeds[k] = x[info.speeds[static_cast<std::size_t>(k)]];
  const auto jacobian_along = [&](double span, Eigen::Index k) {
    const Eigen::VectorXd move = span * plane.col(k).cwiseQuotient(roots);
    std::copy(x, x + x_.size(), x_.begin());
    form_.terms().move_positions(move.data(), x_.data());
    return unit_rows(jacobian(t, x_.data(), roots));
  };
  double distance = roots.maxCoeff();
  std::array<Eigen::MatrixXd, 2> change;
  for (int round = 0; round < 4; ++round) {  // so far that G, whose rows are of length one, changes by so little
    for (const std::size_t k : {0, 1}) {
      const auto column = static_cast<Eigen::Index>(k);
      change[k] = jacobian_along(distance, column) - jacobian_along(-distance, column);
    }
    if (const double much = change[0].norm() + change[1].norm(); round < 3) distance *= 1e-4 / much;
    if (!(distance > 0 && std::isfinite(distance))) return {};
  }
  Eigen::Matrix2d q;
  for (const Eigen::Index k : {0, 1}) q.row(k) = w.transpose() * change[static_cast<std::size_t>(k)] * plane;
  const double mixed = 0.5 * (q(0, 1) + q(1, 0)), squared = mixed * mixed - q(0, 0) * q(1, 1);
  if (!(squared > small * q.squaredNorm())) return {};
  std::vector<Eigen::VectorXd> lines;
  std::vector<double> shared;  // with the motion so far
  for (const double sign : {1, -1}) {
    const double root = sign * std::sqrt(squared);
    const bool is_first = std::abs(q(0, 0)) >= std::abs(q(1, 1));
    Eigen::VectorXd line = is_first ? Eigen::VectorXd((root - mixed) * plane.col(0) + q(0, 0) * plane.col(1))
                                    : Eigen::VectorXd(q(1, 1) * plane.col(0) + (root - mixed) * plane.col(1));
    if (line.norm() == 0) line = is_first ? plane.col(1) : plane.col(0);
    line.normalize();
    shared.push_back(std::abs(line.dot(speeds.cwiseProduct(roots))));
    line = line.cwiseQuotient(roots).normalized();
    Eigen::Index largest = 0;
    line.cwiseAbs().maxCoeff(&largest);
    lines.push_back(line[largest] < 0 ? Eigen::VectorXd(-line) : line);
  }
  if (shared[1] > shared[0]) std::swap(lines[0], lines[1]);
  return lines;
}

void go_on(const formulate::MechanicsForm& form, double span, const double* rate, double* x, int size) {
  const MechanicsInfo& info = form.terms().info();
  std::vector<double> move(info.speeds.size());
  for (std::size_t k = 0; k < info.speeds.size(); ++k) {
    const auto speed = static_cast<std::size_t>(info.speeds[k]);
    move[k] = span * (x[speed] + 0.5 * span * rate[speed]);
  }
  std::vector<bool> is_position(static_cast<std::size_t>(size));
  for (const int state : info.positions) is_position[static_cast<std::size_t>(state)] = true;
  for (std::size_t i = 0; i < is_position.size(); ++i) {
    if (!is_position[i]) x[i] += span * rate[i];
  }
  form.terms().move_positions(move.data(), x);
}

}  // namespace pawl::stabilize
