#include "contact/scaled_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace pawl::contact::detail {

namespace {

double size_of(const ScaledProblem& p) {
  double size = p.b.size() > 0 ? p.b.cwiseAbs().maxCoeff() : 0;
  for (const Part& c : p.parts)
    size = std::max({size, c.normal >= 0 ? c.least : c.holding * c.least, p.least_size * c.factor});
  return size;
}

}  // namespace

bool ScaledProblem::is_plane() const {
  return std::all_of(parts.begin(), parts.end(), [](const Part& c) { return !c.has_choice() || c.tangents < 2; });
}

ScaledProblem scaled(const FrictionProblem& problem) {
  ScaledProblem p;
  const int n = static_cast<int>(problem.b.size());
  Eigen::VectorXd d = Eigen::VectorXd::Ones(n);
  const double largest = n > 0 ? problem.W.diagonal().maxCoeff() : 1;
  int row = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const FrictionContact& from = problem.contacts[i];
    Part c;
    c.contact = static_cast<int>(i);
    const int first = row;
    if (!from.has_fixed_normal) c.normal = row++;
    c.tangent = row;
    c.tangents = from.tangents;
    row += from.tangents;
    c.friction = std::max(from.friction, 0.0);
    c.holding = std::max(c.friction, from.stick_friction);
    c.is_given = from.is_slipping && from.tangents > 0;
    c.direction = from.direction;
    double diagonal = 0;
    for (int r = first; r < row; ++r) diagonal = std::max(diagonal, problem.W(r, r));
    if (!(diagonal > 0)) diagonal = largest > 0 ? largest : 1;
    c.factor = 1 / std::sqrt(diagonal);
    c.least = std::max(0.0, from.has_fixed_normal ? from.normal_force : from.least_normal) / c.factor;
    d.segment(first, row - first).setConstant(c.factor);
    p.parts.push_back(c);
  }
  p.W = d.asDiagonal() * problem.W * d.asDiagonal();
  p.b = d.cwiseProduct(problem.b);
  p.rows.resize(static_cast<std::size_t>(n));
  std::iota(p.rows.begin(), p.rows.end(), 0);
  p.least_size = problem.least_size;
  p.size = size_of(p);
  return p;
}

std::vector<ScaledProblem> islands(const ScaledProblem& all) {
  const std::size_t k = all.parts.size();
  std::vector<int> contact_of;
  for (std::size_t i = 0; i < k; ++i)
    contact_of.insert(contact_of.end(), static_cast<std::size_t>(all.parts[i].tangents + (all.parts[i].normal >= 0)),
                      static_cast<int>(i));
  std::vector<int> group(k);
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int i) {
    while (group[static_cast<std::size_t>(i)] != i) i = group[static_cast<std::size_t>(i)];
    return i;
  };
  for (Eigen::Index i = 0; i < all.W.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (all.W(i, j) == 0 && all.W(j, i) == 0) continue;
      const int a = root(contact_of[static_cast<std::size_t>(i)]), b = root(contact_of[static_cast<std::size_t>(j)]);
      group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }

  std::vector<ScaledProblem> found;
  std::vector<int> number(k, -1);
  for (std::size_t i = 0; i < k; ++i) {
    const auto r = static_cast<std::size_t>(root(static_cast<int>(i)));
    if (number[r] < 0) {
      number[r] = static_cast<int>(found.size());
      found.emplace_back();
    }
    ScaledProblem& island = found[static_cast<std::size_t>(number[r])];
    Part c = all.parts[i];
    const int shift = static_cast<int>(island.rows.size()) - (c.normal >= 0 ? c.normal : c.tangent);
    const int rows = c.tangents + (c.normal >= 0), first = c.normal >= 0 ? c.normal : c.tangent;
    for (int j = 0; j < rows; ++j) island.rows.push_back(all.rows[static_cast<std::size_t>(first + j)]);
    if (c.normal >= 0) c.normal += shift;
    c.tangent += shift;
    island.parts.push_back(c);
  }
  for (ScaledProblem& island : found) {
    island.W = all.W(island.rows, island.rows);
    island.b = all.b(island.rows);
    island.least_size = all.least_size;
    island.size = size_of(island);
  }
  return found;
}

double violation(const ScaledProblem& p, const Eigen::VectorXd& y, std::string* what) {
  const Eigen::VectorXd a = p.W * y + p.b;
  double worst = 0;
  const auto judge = [&](double by, const Part& c, const char* condition) {
    if (std::isnan(by)) by = HUGE_VAL;
    if (by <= worst) return;
    worst = by;
    if (what != nullptr) *what = fmt::format("contact {}: {}", c.contact, condition);
  };
  for (const Part& c : p.parts) {
    if (c.normal >= 0) {
      const double force = y[c.normal] - c.least, away = a[c.normal];
      if (force < 0) judge(-force, c, "it draws");
      if (away < 0) judge(-away, c, "it is penetrated");
      judge(std::min(std::abs(force), std::abs(away)), c, "it separates under force");
      if (std::isnan(force + away)) judge(HUGE_VAL, c, "not a number");
    }
    if (c.tangents == 0) continue;
    const double pressed = c.pressed(y);
    const auto t = y.segment(c.tangent, c.tangents);
    const auto slip = a.segment(c.tangent, c.tangents);
    if (c.is_given) {
      judge((t + c.friction * pressed * c.direction.head(c.tangents)).norm(), c,
            "friction is not that of its direction of slip");
      continue;
    }
    const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 2, 1> towards = t - slip;
    const double length = towards.norm(), radius = std::max(0.0, c.friction * pressed);
    const double slips = length > radius ? (t - radius / length * towards).norm() : slip.norm();
    const double sticks = std::max(slip.norm(), t.norm() - std::max(0.0, c.holding * pressed));
    judge(std::min(slips, sticks), c, "it neither sticks within its cone nor slips against friction");
  }
  return worst > 0 ? worst / p.size : 0;
}

}  // namespace pawl::contact::detail
