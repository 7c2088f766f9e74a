#include "simulate/contradictions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "numerics/eigenvalues.hpp"
#include "numerics/index.hpp"
#include "pawl/jacobian.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/port_hamiltonian.hpp"

namespace pawl::detail {

namespace {

/// What several functions add up to in these entries; nothing where one of them throws or they are many.
std::map<std::pair<int, int>, double> sums_of(const Look& look, const std::vector<MatrixFunction>& functions,
                                              const EntryMap& map, const std::set<std::pair<int, int>>& entries) {
  std::vector<double> sums(map.width <= Look::largest_full ? at(map.width) * at(map.width) : 0, 0.0);
  std::map<std::pair<int, int>, double> values;
  if (sums.empty()) return values;
  bool is_whole = true;
  for (const MatrixFunction& f : functions) {
    bool is_done = false;
    look.safely({}, [&] {
      Entries<double> out(map, sums.data());
      f.check(look.point(), out);
      is_done = true;
    });
    is_whole = is_whole && is_done;
  }
  if (!is_whole) return values;
  for (const auto& [i, j] : entries) values[{i, j}] = sums[at(i * map.width + j)];
  return values;
}

/// The entries of a matrix that several functions write.
std::set<std::pair<int, int>> touched_by(const Look& look, const std::vector<MatrixFunction>& functions,
                                         std::string_view what) {
  const EntryMap map = state_map(look.model());
  std::set<std::pair<int, int>> all;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const Writing writing = look.writing_of(functions[k], map, numbered(what, k, functions.size()));
    all.insert(writing.touched.begin(), writing.touched.end());
  }
  return all;
}

/// Here partners are sign times each other.
std::string partner_fault(const Look& look, const std::vector<MatrixFunction>& functions, std::string_view letter,
                          std::string_view what, double sign) {
  const System::Declarations& model = look.model();
  const std::set<std::pair<int, int>> all = touched_by(look, functions, what);
  const auto entry = [&](int i, int j) {
    return fmt::format("{}({}, {})", letter, model.state_names[at(i)], model.state_names[at(j)]);
  };
  const std::string_view partner = sign < 0 ? "minus the first" : "the same number";
  for (const auto& [i, j] : all) {
    if (i != j && !all.contains({j, i}))
      return fmt::format("{} is written and its partner {} is not: write both, the second is {}", entry(i, j),
                         entry(j, i), partner);
  }
  const std::map<std::pair<int, int>, double> values = sums_of(look, functions, state_map(model), all);
  for (const auto& [place, first] : values) {
    const auto [i, j] = place;
    const double second = values.at({j, i});
    if (i > j || std::abs(second - sign * first) <= 1e-12 * std::abs(first)) continue;
    return i == j ? fmt::format(
                        "{} = {:g}, where a structure has zeros: what loses or gains energy is dissipation or "
                        "an input",
                        entry(i, j), first)
                  : fmt::format("{} = {:g} and {} = {:g}: the second has to be {}", entry(i, j), first, entry(j, i),
                                second, partner);
  }
  return {};
}

/// The states that entries of a matrix connect, group by group.
std::vector<std::vector<int>> groups_of(const std::map<std::pair<int, int>, double>& entries) {
  std::map<int, int> leader;
  const auto find = [&](int i) {
    leader.try_emplace(i, i);
    while (leader[i] != i) i = leader[i];
    return i;
  };
  for (const auto& [place, value] : entries) {
    const int a = find(place.first), b = find(place.second);
    if (value != 0) leader[std::max(a, b)] = std::min(a, b);
  }
  std::map<int, std::vector<int>> groups;
  for (const auto& [i, up] : leader) groups[find(i)].push_back(i);
  std::vector<std::vector<int>> all;
  for (auto& [first, group] : groups) all.push_back(std::move(group));
  return all;
}

/// The largest parts of a direction, by name.
std::string in_words(const System::Declarations& model, const std::vector<int>& group,
                     const Eigen::VectorXd& direction) {
  constexpr std::size_t most = 4;
  std::vector<std::size_t> order(group.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto part = [&](std::size_t k) { return direction(static_cast<Eigen::Index>(k)); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(part(a)) > std::abs(part(b)) * (1 + 1e-9); });
  std::string words;
  const double sign = part(order.front()) < 0 ? -1 : 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double size = sign * part(order[k]);
    if (std::abs(size) < 0.01) break;
    if (k == most) return words + ", ...";
    words += fmt::format("{}{:.3g} {}",
                         k == 0     ? ""
                         : size < 0 ? " - "
                                    : " + ",
                         k == 0 ? size : std::abs(size), model.state_names[at(group[order[k]])]);
  }
  return words;
}

constexpr int most_connected = 100;  // states of R whose eigenvalues are looked for

/// Numbers between 0.5 and 1.5, of either sign, that have nothing to do with each other.
double scattered(std::size_t i) {
  const double place = 0.618033988749895 * static_cast<double>(3 * i + 1);
  const double size = 0.5 + (place - std::floor(place));
  return i % 3 == 1 ? -size : size;
}

}  // namespace

std::string structure_fault(const Look& look) {
  if (!look.model().port_hamiltonian) return {};
  const PortHamiltonianInfo& info = *look.model().port_hamiltonian;
  std::string fault = partner_fault(look, info.structures, "J", "structure", -1);
  return fault.empty() ? partner_fault(look, info.dissipations, "R", "dissipation", 1) : fault;
}

std::optional<NegativeLoss> find_negative_loss(const Look& look) {
  constexpr double negligible = 1e-12;
  const PortHamiltonianInfo& info = *look.model().port_hamiltonian;
  const auto all = touched_by(look, info.dissipations, "dissipation");
  const auto entries = sums_of(look, info.dissipations, state_map(look.model()), all);
  std::optional<NegativeLoss> worst;
  for (const std::vector<int>& group : groups_of(entries)) {
    if (group.size() > most_connected) continue;
    const auto n = static_cast<Eigen::Index>(group.size());
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto found = entries.find({group[static_cast<std::size_t>(i)], group[static_cast<std::size_t>(j)]});
        if (found != entries.end()) R(i, j) = found->second;
      }
    }
    if (!R.allFinite()) continue;
    const linear::SymmetricEigenpairs eigen = linear::symmetric_eigenpairs(R);
    const double least = eigen.values[0];
    if (least >= -negligible * static_cast<double>(n) * R.cwiseAbs().maxCoeff() || (worst && worst->value <= least))
      continue;
    worst = NegativeLoss{least, in_words(look.model(), group, eigen.vectors.col(0))};
  }
  return worst;
}

std::string slip_fault(const Look& look) {
  constexpr double rounding = 1e-7;   // of terms that cancel
  constexpr double nothing = 1e-200;  // below which products of speeds have no digits left
  if (!look.model().mechanics) return {};
  const MechanicsInfo& info = *look.model().mechanics;
  const double* now = look.point().states().array;
  double scale = 0;
  for (const int state : info.speeds) scale = std::max(scale, std::abs(now[state]));
  if (scale < nothing) scale = 1;
  std::vector<double> x(now, now + look.size());
  for (const ContactInfo& contact : info.contacts) {
    if (contact.slip < 0) continue;
    const auto& constraint = info.constraints[at(contact.slip)];
    std::vector<double> slip[4];
    bool is_whole = true;
    for (int step = -1; step <= 2; ++step) {
      for (std::size_t i = 0; i < info.speeds.size(); ++i)
        x[at(info.speeds[i])] = now[info.speeds[i]] + step * scale * scattered(i);
      std::vector<double>& out = slip[step + 1];
      out.assign(at(constraint.rows), std::numeric_limits<double>::quiet_NaN());
      look.safely({}, [&] { constraint.g(look.point_at(x), out.data()); });
      for (const double value : out) is_whole = is_whole && std::isfinite(value);
    }
    for (std::size_t row = 0; is_whole && row < slip[0].size(); ++row) {
      for (const int first : {0, 1}) {
        const double a = -slip[first][row], b = -slip[first + 1][row], c = -slip[first + 2][row];
        if (std::abs(a - 2 * b + c) <= rounding * (std::abs(a) + 2 * std::abs(b) + std::abs(c))) continue;
        return fmt::format(
            "the slip speed of '{}' is not linear in the speeds: where these change in equal steps it is "
            "{:.6g}, {:.6g} and {:.6g}",
            contact.name, a + 0.0, b + 0.0, c + 0.0);
      }
    }
  }
  return {};
}

Contradictions::Contradictions(std::shared_ptr<const System::Declarations> model)
    : model_(std::move(model)), parts_(model_->parts ? *model_->parts : *model_) {
  has_structure_ = parts_.port_hamiltonian != nullptr;
  has_jacobian_ = model_->jacobian && model_->rates && !model_->is_implicit() &&
                  static_cast<int>(model_->state_names.size()) <= Look::largest_full;
  if (!parts_.mechanics) return;
  has_slip_ = std::any_of(parts_.mechanics->contacts.begin(), parts_.mechanics->contacts.end(),
                          [](const ContactInfo& one) { return one.slip >= 0; });
}

bool Contradictions::is_due(const Held& held) {
  constexpr std::size_t most_modes = 64;
  const long long event = events_++;
  if (seen_.size() < most_modes) {
    Mode mode{held.modes, held.truths};
    if (std::find(seen_.begin(), seen_.end(), mode) == seen_.end()) {
      seen_.push_back(std::move(mode));
      return true;
    }
  }
  return (event & (event - 1)) == 0;
}

std::vector<Message> Contradictions::look(double t, const std::vector<double>& x, const Held& held) {
  std::vector<Message> found;
  if ((!has_structure_ && !has_slip_ && !has_jacobian_) || !is_due(held)) return found;
  const Look here(parts_, held, x, t);
  if (has_structure_ && !has_said_loss_) {
    if (const auto loss = find_negative_loss(here)) {
      has_said_loss_ = true;
      found.push_back(make_message(MessageCode::dissipation_is_negative, t,
                                   {{"value", loss->value}, {"direction", loss->direction}}));
    }
  }
  if (has_jacobian_ && !has_said_jacobian_) {
    if (const auto entry = wrong_entry(t, x, held)) {
      has_said_jacobian_ = true;
      found.push_back(make_message(MessageCode::jacobian_is_wrong, t,
                                   {{"row", model_->state_names[at(entry->row)]},
                                    {"column", model_->state_names[at(entry->column)]},
                                    {"declared", entry->declared},
                                    {"how", model_->rates.supports<Gradient>() ? "derivatives" : "differences"},
                                    {"found", entry->found}}));
    }
  }
  std::string fault = has_structure_ ? structure_fault(here) : std::string();
  if (!fault.empty()) {
    found.push_back(make_message(MessageCode::structure_is_one_sided, t, {{"fault", std::move(fault)}}));
  } else if (has_slip_) {
    fault = slip_fault(here);
    if (!fault.empty())
      found.push_back(make_message(MessageCode::slip_is_not_linear, t, {{"fault", std::move(fault)}}));
  }
  return found;
}

/// One direction first, in which every state takes part; all of them only where it does not fit.
std::optional<WrongEntry> Contradictions::wrong_entry(double t, const std::vector<double>& x, const Held& held) {
  constexpr int most_suspicions = 2;
  const std::size_t n = x.size();
  const bool slides =
      std::any_of(held.sides.begin(), held.sides.end(), [](RelaySide side) { return side == RelaySide::sliding; });
  if (slides || suspicions_ >= most_suspicions || n != model_->state_names.size()) return {};
  std::vector<double> declared(n * n, 0.0);
  const Surroundings<double> around{&held};
  const auto rates_at = [&](const std::vector<double>& point, std::vector<double>& out) {
    ++evaluations;
    model_->rates(Point<double>(t, point.data(), held.parameters.data(), &around), out.data());
  };
  try {
    const EntryMap map = state_map(*model_);
    Entries<double> entries(map, declared.data());
    model_->jacobian(Point<double>(t, x.data(), held.parameters.data(), &around), entries);
    if (!model_->rates.supports<Gradient>()) {
      std::vector<double> base(n), moved(n), step(n), point = x;
      for (std::size_t j = 0; j < n; ++j) {
        point[j] += 1e-6 * size_of(j, x[j]) * scattered(j);
        step[j] = point[j] - x[j];
      }
      rates_at(x, base);
      rates_at(point, moved);
      bool fits = true;
      for (std::size_t i = 0; i < n; ++i) {
        double change = 0, sum = std::abs(moved[i] - base[i]);
        for (std::size_t j = 0; j < n; ++j) {
          change += declared[i * n + j] * step[j];
          sum += std::abs(declared[i * n + j] * step[j]);
        }
        const double noise = 100 * std::numeric_limits<double>::epsilon() * std::abs(base[i]);
        fits = fits && !(std::abs(moved[i] - base[i] - change) > 1e-3 * sum + noise);
      }
      if (fits) return {};
    }
    auto worst = worst_entry(t, x, held, declared);
    if (!worst) ++suspicions_;
    return worst;
  } catch (const std::exception&) {  // the run meets it again, and makes it an outcome
    return {};
  }
}

/// The size of a state that differences go by.
double Contradictions::size_of(std::size_t j, double value) const {
  const double nominal = j < model_->nominals.size() ? model_->nominals[j] : 0;
  return std::max(std::abs(value), nominal > 0 ? nominal : 1e-3);
}

/// Differences count where those of another length agree with them.
std::optional<WrongEntry> Contradictions::worst_entry(double t, const std::vector<double>& x, const Held& held,
                                                      const std::vector<double>& declared) {
  const std::size_t n = x.size();
  std::vector<double> found(n * n), doubt(n * n, 0.0);
  if (model_->rates.supports<Gradient>()) {
    const Jacobian exact = jacobian(model_->rates, held, t, x);
    evaluations += exact.evaluations;
    found = exact.values;
  } else {
    const Surroundings<double> around{&held};
    std::vector<double> point = x, up(n), down(n);
    const auto slope = [&](double length, std::size_t i) { return (up[i] - down[i]) / (2 * length); };
    for (std::size_t j = 0; j < n; ++j) {
      for (const double length : {1e-5 * size_of(j, x[j]), 5e-6 * size_of(j, x[j])}) {
        for (std::vector<double>* side : {&up, &down}) {
          point[j] = x[j] + (side == &up ? length : -length);
          ++evaluations;
          model_->rates(Point<double>(t, point.data(), held.parameters.data(), &around), side->data());
        }
        for (std::size_t i = 0; i < n; ++i) {
          doubt[i * n + j] = std::abs(slope(length, i) - found[i * n + j]);
          found[i * n + j] = slope(length, i);
        }
      }
      point[j] = x[j];
    }
  }
  std::optional<WrongEntry> worst;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) row += std::abs(found[i * n + j]) * size_of(j, x[j]);
    for (std::size_t j = 0; j < n; ++j) {
      const double is = declared[i * n + j], should = found[i * n + j], off = std::abs(is - should);
      const double share = row > 0 ? off * size_of(j, x[j]) / row : off > 0 ? 1 : 0;
      if (!(off > 1e-3 * std::max(std::abs(is), std::abs(should))) || !(off > 10 * doubt[i * n + j])) continue;
      if (!(share > 1e-6 && share > largest)) continue;
      largest = share;
      worst = WrongEntry{static_cast<int>(i), static_cast<int>(j), is, should};
    }
  }
  return worst;
}

}  // namespace pawl::detail
