#include "system/foreign_handle.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include <fmt/format.h>

namespace pawl {

namespace detail {

namespace {

/// The names of all Systems alive, by the number of their handles.
struct Names {
  std::mutex lock;
  std::map<int, std::string> of;
};
Names& names() {
  static auto* all = new Names;  // never destroyed: a System may be, after everything else
  return *all;
}

std::string name_of(int model) {
  const std::lock_guard hold(names().lock);
  const auto found = names().of.find(model);
  return found == names().of.end() ? std::string() : found->second;
}

int next_number() {
  static std::atomic<int> last = 0;
  return ++last;
}

std::string describe(std::string_view kind, int index, int model, std::size_t count, int own, std::string_view owner) {
  const std::string name = name_of(own), other = model == 0 ? std::string() : name_of(model);
  const std::string where = fmt::format("system '{}'{}{}", name, owner.empty() ? "" : ", ", owner);
  if (model == 0 || model == own)
    return fmt::format("{}: there is no {} number {}, it has {}: the handle belongs to another system", where, kind,
                       index, count);
  return fmt::format("{}: the handle of {} number {} belongs to {}: use the one that '{}' has given", where, kind,
                     index, other.empty() ? std::string("another system") : fmt::format("system '{}'", other), name);
}

}  // namespace

ModelTag::ModelTag(const std::string& name) : number(next_number()) {
  const std::lock_guard hold(names().lock);
  names().of.emplace(number, name);
}

ModelTag::~ModelTag() {
  const std::lock_guard hold(names().lock);
  names().of.erase(number);
}

ForeignHandle::ForeignHandle(std::string_view kind, int index, int model, std::size_t count, int own,
                             std::string_view owner)
    : Misuse(describe(kind, index, model, count, own, owner)),
      kind_(kind),
      index_(index),
      model_(model),
      count_(count),
      own_(own) {}

void refuse_handle(const char* kind, int index, int model, std::size_t count, int own) {
  throw ForeignHandle(kind, index, model, count, own, {});
}

NoRate::NoRate(int index)
    : std::logic_error(
          "at[dot(x)] is read where there are no rates: in the rates, a relay's surface or a smooth model"),
      state(index) {}

void refuse_rate(int state) {
  throw NoRate(state);
}

NoRow::NoRow(std::size_t which, std::size_t how_many)
    : std::out_of_range("out[" + std::to_string(which) + "] is assigned by a function of " + std::to_string(how_many) +
                        (how_many == 1 ? " row" : " rows")),
      row(which),
      count(how_many) {}

void refuse_multiplier() {
  throw std::logic_error(
      "at[constraint] is read where there are no multipliers: in a function that does not read them at the start");
}

}  // namespace detail

void check_logic(const Logic& logic, const System::Declarations& model, std::string_view owner) {
  Held held;
  held.modes.resize(model.modes.size());
  held.truths.resize(model.condition_names.size());
  held.model = model.model;
  try {
    logic.check(held);
  } catch (const detail::ForeignHandle& error) {
    throw error.used_by(owner);
  }
}

void check_parameter(const std::variant<double, Parameter>& value, const System::Declarations& model,
                     std::string_view owner) {
  const auto* parameter = std::get_if<Parameter>(&value);
  if (parameter == nullptr) return;
  try {
    detail::own_index(*parameter, model.parameters.size(), "parameter", model.model);
  } catch (const detail::ForeignHandle& error) {
    throw error.used_by(owner);
  }
}

void HeldObject::refuse_type() {
  throw Misuse("a discrete variable is read as another type than it was declared with: use the handle that was given");
}

}  // namespace pawl
