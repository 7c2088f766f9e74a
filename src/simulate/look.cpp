#include "simulate/look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "numerics/index.hpp"
#include "pawl/mechanics.hpp"
#include "pawl/port_hamiltonian.hpp"
#include "system/foreign_handle.hpp"

namespace pawl::detail {

namespace {

/// Rates that nobody needs to know.
template <class T>
class AnyRate final : public RateSource<T> {
 public:
  T rate(const Point<T>&, int) const override { return T(); }
};

/// What entries hold at the end, those that had a value before among them.
template <class Value>
void end(Writing& writing, const Writing::Seen& had, bool is_symmetric, const Value& value) {
  writing.assigned.insert(had.begin(), had.end());
  writing.assigned_again = writing.assigned;
  std::erase_if(writing.assigned_again,
                [&](const auto& entry) { return std::isnan(value(entry.first, entry.second)); });
  for (auto [i, j] : writing.touched) {
    if (is_symmetric && i < j) std::swap(i, j);
    if (!std::isnan(value(i, j))) writing.assigned.emplace(i, j);
  }
}

}  // namespace

void Look::pass_on_misuse(const std::string& owner) const {
  try {
    throw;
  } catch (const ForeignHandle& error) {
    throw error.used_by(owner);
  } catch (const NoRow& error) {
    throw Misuse(fmt::format("system '{}', {}: {}, which are numbered from 0", model_.name, owner, error.what()));
  } catch (const NoRate& error) {
    refuse_sliced_coordinate(error.state, owner);
  } catch (...) {
    return;
  }
}

void Look::refuse_sliced_coordinate(int state, const std::string& owner) const {
  if (!model_.mechanics) return;
  const std::vector<int>& positions = model_.mechanics->positions;
  if (std::find(positions.begin(), positions.end(), state) == positions.end()) return;
  const std::string& name = model_.state_names[at(state)];
  throw Misuse(fmt::format(
      "system '{}', {}: at[dot({})] asks for a rate that is not known there. The coordinate '{}' was stored "
      "as a State, which forgets its speed: keep it as a Coordinate, whose dot is the speed itself",
      model_.name, owner, name, name));
}

void Look::refuse_multipliers(const std::string& owner) const {
  if (!multipliers_.is_asked) return;
  throw Misuse(
      fmt::format("system '{}', {}: at[constraint] reads a multiplier. Those follow from constraints, masses and "
                  "energies, which cannot depend on them: forces, rates, equations, guards and observables may",
                  model_.name, owner));
}

void Look::look(const Function& f, int results, const std::string& owner, bool assigns_all, bool may_read_rates,
                Pair member) const {
  multipliers_.is_asked = false;
  if (!f || !f.supports<Pattern>() || f.rows() > results) return;  // too many rows are refused by their number
  const AnyRate<Pattern> rates;
  const Surroundings<Pattern> around{.held = &held_, .member = member, .rates = may_read_rates ? &rates : nullptr};
  std::vector<Pattern> out(at(results), Pattern::unassigned());
  bool is_done = false;
  safely(owner, [&] {
    f(Point<Pattern>(Pattern(), patterns_.data(), held_.parameters.data(), &around), out.data());
    is_done = true;
  });
  multipliers_.is_asked = around.reads_multipliers;
  if (!is_done || !assigns_all) return;
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (!out[row].is_assigned())
      throw Misuse(fmt::format("system '{}', {}: out[{}] is not assigned", model_.name, owner, row));
  }
}

void Look::look_with_numbers(const Function& f, int results, const std::string& owner, Pair member) const {
  multipliers_.is_asked = false;
  if (!f || f.supports<Pattern>() || f.rows() > results) return;
  const AnyRate<double> rates;
  const Surroundings<double> around{.held = &held_, .member = member, .rates = &rates, .multipliers = &multipliers_};
  std::vector<double> out(at(results));
  safely(owner, [&] { f(Point<double>(t_, start_.data(), held_.parameters.data(), &around), out.data()); });
}

void Look::ask(const Callback<double(const Point<double>&)>& read, const std::string& owner) const {
  const AnyRate<double> rates;
  const Surroundings<double> around{.held = &held_, .rates = &rates, .multipliers = &multipliers_};
  safely(owner, [&] { read(Point<double>(t_, start_.data(), held_.parameters.data(), &around)); });
}

/// Entries start as NaN, which adding to them does not change.
template <class F>
Writing Look::writing_into(const F& f, const EntryMap& map, const std::string& owner) const {
  const int n = map.width;
  std::vector<double> values;
  if (n <= largest_full) values.assign(at(n) * at(n), std::numeric_limits<double>::quiet_NaN());
  Writing writing;
  Writing::Seen had;
  multipliers_.is_asked = false;
  safely(owner, [&] {
    Entries<double> entries(map, writing.touched, values.empty() ? nullptr : values.data(), &had);
    f.check(point(), entries);
  });
  if (!values.empty()) end(writing, had, map.is_symmetric, [&](int i, int j) { return values[at(i * n + j)]; });
  return writing;
}

Writing Look::writing_of(const MassFunction& f, const EntryMap& map, const std::string& owner) const {
  return writing_into(f, map, owner);
}
Writing Look::writing_of(const MatrixFunction& f, const EntryMap& map, const std::string& owner) const {
  return writing_into(f, map, owner);
}
Writing Look::writing_of(const VectorFunction& f, const EntryMap& map, const std::string& owner) const {
  std::vector<double> values(at(map.width), std::numeric_limits<double>::quiet_NaN());
  Writing writing;
  Writing::Seen had;
  safely(owner, [&] {
    Terms<double> terms(map, values.data(), &writing.touched, &had);
    f.check(point(), terms);
  });
  end(writing, had, false, [&](int i, int) { return values[at(i)]; });
  return writing;
}

EntryMap mechanics_map(const System::Declarations& model, bool is_symmetric) {
  EntryMap map = model.mechanics->speed_map(static_cast<int>(model.state_names.size()));
  map.is_symmetric = is_symmetric;
  map.model = model.model;
  return map;
}

EntryMap state_map(const System::Declarations& model) {
  EntryMap map = PortHamiltonianInfo::map(static_cast<int>(model.state_names.size()));
  map.model = model.model;
  return map;
}

std::string numbered(std::string_view what, std::size_t i, std::size_t count) {
  return count == 1 ? fmt::format("the {} function", what) : fmt::format("{} function number {}", what, i + 1);
}

}  // namespace pawl::detail
