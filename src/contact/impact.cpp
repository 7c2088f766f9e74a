#include "contact/impact.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "contact/friction_problem.hpp"

namespace pawl::contact {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int most_rounds = 1000;

std::vector<Index> normal_rows(const ImpactProblem& p) {
  std::vector<Index> rows;
  Index row = 0;
  for (const ImpactContact& c : p.contacts) {
    rows.push_back(row);
    row += 1 + c.tangents;
  }
  return rows;
}

FrictionProblem friction_problem(const ImpactProblem& p, double size) {
  FrictionProblem f;
  for (const ImpactContact& c : p.contacts) {
    FrictionContact contact;
    contact.tangents = c.tangents;
    contact.friction = contact.stick_friction = c.friction;
    f.contacts.push_back(contact);
  }
  f.W = p.W;
  f.b = p.u;
  f.least_size = size;
  f.looks_for_others = false;
  return f;
}

double energy_change(const ImpactProblem& p, const VectorXd& P) {
  return P.dot(p.u) + 0.5 * P.dot(p.W * P);
}

// Size of the terms that cancel in it.
double energy_size(const ImpactProblem& p, const VectorXd& P) {
  return P.cwiseAbs().dot(p.u.cwiseAbs()) + 0.5 * P.dot(p.W * P);
}

ImpactOutcome failed(const ImpactProblem& p, const char* phase, const FrictionSolution& solution) {
  ImpactOutcome out;
  out.failure =
      fmt::format("impact of {} contact{}, {}: no impulses satisfy the conditions of contact and friction ({})",
                  p.contacts.size(), p.contacts.size() == 1 ? "" : "s", phase, solution.failure);
  out.impulse = VectorXd::Zero(p.u.size());
  out.speed = p.u;
  return out;
}

// Largest s in [0, 1] with dT(Pc + s E) <= 0, a quadratic in s that is not positive at 0.
double share_without_gain(const ImpactProblem& p, const VectorXd& compression, const VectorXd& expansion) {
  const VectorXd whole = compression + expansion;
  if (energy_change(p, whole) <= 1e-14 * energy_size(p, whole)) return 1;
  const double at_zero = std::min(0.0, energy_change(p, compression));
  const double slope = expansion.dot(p.u + p.W * compression), bend = 0.5 * expansion.dot(p.W * expansion);
  if (!(bend > 0)) return 1;  // nothing expands
  const double root = std::sqrt(std::max(0.0, slope * slope - 4 * bend * at_zero));
  const double s = slope > 0 ? -2 * at_zero / (slope + root) : (root - slope) / (2 * bend);
  return std::clamp(s, 0.0, 1.0);
}

// `size`: of the terms the speeds were summed from.
ImpactOutcome strike_together(const ImpactProblem& p, double size) {
  const std::vector<Index> normal = normal_rows(p);
  const FrictionSolution compression = solve(friction_problem(p, size));
  if (!compression.is_found) return failed(p, "compression", compression);
  const VectorXd& Pc = compression.force;

  FrictionProblem second = friction_problem(p, size);
  VectorXd P;
  if (p.law == ImpactLaw::poisson) {
    second.b += p.W * Pc;
    bool has_expansion = false;
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      second.contacts[i].least_normal = p.contacts[i].restitution * std::max(0.0, Pc[normal[i]]);
      has_expansion = has_expansion || second.contacts[i].least_normal > 0;
    }
    P = Pc;
    if (has_expansion) {
      const FrictionSolution expansion = solve(second);
      if (!expansion.is_found) return failed(p, "expansion", expansion);
      P += expansion.force;
    }
  } else {
    for (std::size_t i = 0; i < p.contacts.size(); ++i)
      second.b[normal[i]] += p.contacts[i].restitution * std::min(0.0, p.u[normal[i]]);
    const FrictionSolution whole = solve(second);
    if (!whole.is_found) return failed(p, "Newton's law", whole);
    P = whole.force;
  }

  ImpactOutcome out;
  out.share = share_without_gain(p, Pc, P - Pc);
  out.impulse = out.share == 1 ? P : VectorXd(Pc + out.share * (P - Pc));
  out.speed = p.u + p.W * out.impulse;
  out.energy_change = std::min(0.0, energy_change(p, out.impulse));
  return out;
}

// Those contacts alone.
ImpactProblem part_of(const ImpactProblem& p, const std::vector<std::size_t>& members, const VectorXd& u,
                      std::vector<Index>& rows) {
  const std::vector<Index> normal = normal_rows(p);
  ImpactProblem part;
  rows.clear();
  for (const std::size_t i : members) {
    part.contacts.push_back(p.contacts[i]);
    for (Index j = 0; j <= p.contacts[i].tangents; ++j) rows.push_back(normal[i] + j);
  }
  part.W = p.W(rows, rows);
  part.u = u(rows);
  part.law = p.law;
  return part;
}

ImpactOutcome strike_one_by_one(const ImpactProblem& p) {
  const std::vector<Index> normal = normal_rows(p);
  const auto fastest = [&](const VectorXd& u) {
    double approach = 0;
    for (const Index n : normal) approach = std::max(approach, -u[n]);
    return approach;
  };
  ImpactOutcome out;
  out.impulse = VectorXd::Zero(p.u.size());
  out.speed = p.u;
  out.rounds = 0;
  double size = p.u.cwiseAbs().maxCoeff();
  std::vector<std::size_t> members;
  std::vector<Index> rows;
  for (double approach = fastest(p.u); approach > 1e-12 * size; approach = fastest(out.speed)) {
    members.clear();
    out.closed_plastically = out.rounds == most_rounds;
    for (std::size_t i = 0; i < normal.size(); ++i) {
      if (out.closed_plastically || -out.speed[normal[i]] >= (1 - 1e-9) * approach) members.push_back(i);
    }
    ImpactProblem part = part_of(p, members, out.speed, rows);
    if (out.closed_plastically) {
      for (ImpactContact& c : part.contacts) c.restitution = 0;
    }
    const ImpactOutcome struck = strike_together(part, size);
    if (!struck.failure.empty()) {
      out.failure = struck.failure;
      return out;
    }
    out.impulse(rows) += struck.impulse;
    out.speed = p.u + p.W * out.impulse;
    size = std::max(size, (p.W * out.impulse).cwiseAbs().maxCoeff());
    out.energy_change += struck.energy_change;
    out.share = std::min(out.share, struck.share);
    if (out.closed_plastically) break;
    ++out.rounds;
  }
  return out;
}

}  // namespace

ImpactOutcome strike(const ImpactProblem& problem) {
  return problem.is_sequential ? strike_one_by_one(problem) : strike_together(problem, 0);
}

}  // namespace pawl::contact
