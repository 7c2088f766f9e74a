#include "contact/friction_problem.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "contact/scaled_problem.hpp"
#include "numerics/eigenvalues.hpp"

namespace pawl::contact {

namespace {

using detail::nothing;
using detail::Part;
using detail::ScaledProblem;
using detail::verified;
using Eigen::Index;
using Eigen::VectorXd;
using Link = bool(const ScaledProblem&, VectorXd&);

constexpr std::size_t enumerable = 4;  // contacts
constexpr int most_answers = 4096;

VectorXd unscaled(const ScaledProblem& p, const VectorXd& y) {
  VectorXd force = y;
  for (const Part& c : p.parts) {
    if (c.normal >= 0) force[c.normal] *= c.factor;
    force.segment(c.tangent, c.tangents) *= c.factor;
  }
  return force;
}

// Contacts hold with their static coefficient; those that slip nevertheless do it with the other one. `decided` has one
// coefficient per contact, the one that came to act.
bool solve_with(Link& link, const ScaledProblem& p, ScaledProblem& decided, VectorXd& y) {
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    Part& c = decided.parts[i];
    if (c.has_choice()) c.friction = c.holding = p.parts[i].holding;
  }
  for (;;) {
    if (!link(decided, y)) return false;
    const VectorXd a = p.W * y + p.b;
    bool has_changed = false;
    for (std::size_t i = 0; i < p.parts.size(); ++i) {
      Part& c = decided.parts[i];
      if (!c.has_choice() || c.friction == p.parts[i].friction) continue;
      if (a.segment(c.tangent, c.tangents).norm() <= nothing * p.size) continue;
      c.friction = c.holding = p.parts[i].friction;
      has_changed = true;
    }
    if (!has_changed) return true;
  }
}

// Of two answers, Δλ.W Δλ = Δλ.Δa <= Σ μ |ΔλN| |ΔaT|: there is one alone where the smallest eigenvalue of W is above
// the norm of its tangential rows, each times its μ.
bool is_surely_unique(const ScaledProblem& p) {
  double squares = 0;
  for (const Part& c : p.parts) squares += c.holding * c.holding * p.W.middleRows(c.tangent, c.tangents).squaredNorm();
  if (squares == 0) return true;
  return linear::symmetric_eigenvalues(p.W)[0] > std::sqrt(squares);
}

// Of two numbers one of which is zero the larger one is not, however well an answer has settled.
bool is_open(const ScaledProblem& p, const Part& c, const VectorXd& a, const VectorXd& y) {
  return c.normal >= 0 && a[c.normal] > std::max(nothing * p.size, y[c.normal] - c.least);
}
bool slips(const ScaledProblem& p, const Part& c, const VectorXd& a, const VectorXd& y) {
  const double left = c.friction * c.pressed(y) - y.segment(c.tangent, c.tangents).norm();
  return a.segment(c.tangent, c.tangents).norm() > std::max(nothing * p.size, left);
}

// Open contacts count 0, slipping ones 1, sticking ones 1 and a little: of several answers the most closed one.
double closedness(const ScaledProblem& p, const VectorXd& y) {
  const VectorXd a = p.W * y + p.b;
  double closed = 0;
  for (const Part& c : p.parts)
    if (!is_open(p, c, a, y)) closed += c.tangents == 0 || !slips(p, c, a, y) ? 1.01 : 1;
  return closed;
}

const VectorXd& most_closed(const ScaledProblem& p, const std::vector<VectorXd>& all) {
  return *std::max_element(all.begin(), all.end(), [&](const VectorXd& x, const VectorXd& y) {
    const double a = closedness(p, x), b = closedness(p, y);
    return a != b ? a < b : x.squaredNorm() > y.squaredNorm();
  });
}

bool newton(const ScaledProblem& p, VectorXd& y) {
  return detail::solve_by_newton(p, y);
}

bool lemke_and_newton(const ScaledProblem& p, VectorXd& y) {
  if (!detail::solve_by_lemke(p, y)) return false;
  VectorXd polished = y;
  if (detail::polish(p, polished)) y = polished;
  return true;
}

struct IslandAnswer {
  bool is_found = false, is_ambiguous = false;
  VectorXd y;
  ContactSolver solver = ContactSolver::newton;
  std::string failure;
};

IslandAnswer solve_island(const ScaledProblem& p, bool looks_for_others) {
  IslandAnswer answer;
  answer.y = VectorXd::Zero(p.b.size());
  if (p.size == 0) {
    answer.is_found = true;
    return answer;
  }
  const auto accept = [&](bool is_solved, ContactSolver solver, double limit = verified) {
    std::string what;
    const double by = is_solved ? detail::violation(p, answer.y, &what) : 0;
    answer.is_found = is_solved && by <= limit;
    if (answer.is_found)
      answer.solver = solver;
    else
      answer.failure += fmt::format("{}{}: {}", answer.failure.empty() ? "" : "; ", to_string(solver),
                                    is_solved ? fmt::format("{}, by {:.1e}", what, by) : "no answer");
    return answer.is_found;
  };
  const bool is_enumerable = p.is_plane() && p.parts.size() <= enumerable;
  ScaledProblem decided = p;
  if (!accept(solve_with(newton, p, decided, answer.y), ContactSolver::newton))
    accept(solve_with(lemke_and_newton, p, decided, answer.y), ContactSolver::lemke);
  std::vector<VectorXd> all;
  if (answer.is_found && is_enumerable && looks_for_others && !is_surely_unique(decided))
    all = detail::enumerate(decided, most_answers);
  if (!answer.is_found && is_enumerable) {
    all = detail::enumerate(p, most_answers);
    if (!all.empty()) answer.y = most_closed(p, all);
    accept(!all.empty(), ContactSolver::enumeration);
  }
  if (!answer.is_found && !is_enumerable)
    accept(solve_with(detail::solve_by_sweeps, p, decided, answer.y), ContactSolver::sweeps, detail::settled);
  if (!answer.is_found) return answer;
  const VectorXd a = p.W * answer.y;
  for (const VectorXd& other : all)
    answer.is_ambiguous = answer.is_ambiguous || (p.W * other - a).cwiseAbs().maxCoeff() > 10 * nothing * p.size;
  if (answer.is_ambiguous) answer.y = most_closed(p, all);
  detail::take_least_norm(p, answer.y);
  return answer;
}

void write_standing(const ScaledProblem& p, const VectorXd& y, FrictionSolution& out) {
  const VectorXd a = p.W * y + p.b;
  const double zero = nothing * p.size;
  for (const Part& c : p.parts) {
    const auto i = static_cast<std::size_t>(c.contact);
    if (is_open(p, c, a, y)) {
      out.standing[i] = Standing::open;
      continue;
    }
    out.is_degenerate[i] = c.normal >= 0 && y[c.normal] <= zero;
    out.standing[i] = Standing::stick;
    if (c.tangents == 0) continue;
    if (c.is_given || c.holding == 0 || slips(p, c, a, y)) {
      out.standing[i] = Standing::slip;
    } else if (y.segment(c.tangent, c.tangents).norm() >= c.holding * c.pressed(y) - zero) {
      out.is_degenerate[i] = true;
    }
  }
}

}  // namespace

std::string_view to_string(ContactSolver solver) {
  switch (solver) {
    case ContactSolver::newton:
      return "newton";
    case ContactSolver::lemke:
      return "lemke";
    case ContactSolver::enumeration:
      return "enumeration";
    case ContactSolver::sweeps:
      return "sweeps";
  }
  return "?";
}

FrictionSolution solve(const FrictionProblem& problem) {
  FrictionSolution out;
  const ScaledProblem all = detail::scaled(problem);
  const std::size_t k = problem.contacts.size();
  out.force = VectorXd::Zero(problem.b.size());
  out.standing.assign(k, Standing::open);
  out.is_degenerate.assign(k, false);
  out.is_found = true;
  for (const ScaledProblem& island : detail::islands(all)) {
    const IslandAnswer answer = solve_island(island, problem.looks_for_others);
    if (!answer.is_found) {
      out.is_found = false;
      out.failure = answer.failure;
      return out;
    }
    out.is_ambiguous = out.is_ambiguous || answer.is_ambiguous;
    out.solver = std::max(out.solver, answer.solver);
    out.violation = std::max(out.violation, detail::violation(island, answer.y));
    write_standing(island, answer.y, out);
    out.force(island.rows) = unscaled(island, answer.y);
  }
  out.acceleration = problem.W * out.force + problem.b;
  return out;
}

double violation(const FrictionProblem& problem, const VectorXd& force, std::string* what) {
  const ScaledProblem p = detail::scaled(problem);
  VectorXd y = force;
  for (const Part& c : p.parts) {
    if (c.normal >= 0) y[c.normal] /= c.factor;
    y.segment(c.tangent, c.tangents) /= c.factor;
  }
  return detail::violation(p, y, what);
}

bool solve_by_newton(const FrictionProblem& problem, VectorXd& force) {
  const ScaledProblem p = detail::scaled(problem);
  ScaledProblem decided = p;
  VectorXd y = VectorXd::Zero(p.b.size());
  if (p.size > 0 && !solve_with(newton, p, decided, y)) return false;
  force = unscaled(p, y);
  return true;
}

bool solve_by_lemke(const FrictionProblem& problem, VectorXd& force) {
  const ScaledProblem p = detail::scaled(problem);
  if (!p.is_plane()) return false;
  ScaledProblem decided = p;
  VectorXd y = VectorXd::Zero(p.b.size());
  if (p.size > 0 && !solve_with(detail::solve_by_lemke, p, decided, y)) return false;
  force = unscaled(p, y);
  return true;
}

std::vector<VectorXd> enumerate(const FrictionProblem& problem, int most) {
  const ScaledProblem p = detail::scaled(problem);
  std::vector<VectorXd> all = detail::enumerate(p, most);
  for (VectorXd& y : all) y = unscaled(p, y);
  return all;
}

}  // namespace pawl::contact
