// A handle of one System used in another: what is thrown, and how it is put into words.
#pragma once

#include <string>
#include <string_view>

#include "pawl/system.hpp"

namespace pawl {

namespace detail {

/// The number that the handles of a System carry. Its name is known as long as it lives.
class ModelTag {
 public:
  explicit ModelTag(const std::string& name);
  ~ModelTag();
  ModelTag(const ModelTag&) = delete;
  ModelTag& operator=(const ModelTag&) = delete;

  const int number;
};

class ForeignHandle : public Misuse {
 public:
  /// owner: whose function or declaration used it, "guard 'g'"; empty: not known.
  ForeignHandle(std::string_view kind, int index, int model, std::size_t count, int own, std::string_view owner);

  ForeignHandle used_by(std::string_view owner) const { return {kind_, index_, model_, count_, own_, owner}; }

 private:
  std::string kind_;
  int index_, model_;
  std::size_t count_;
  int own_;
};

/// at[dot(x)] is read where there are no rates.
class NoRate : public std::logic_error {
 public:
  explicit NoRate(int index);
  int state;
};

}  // namespace detail

/// Throws Misuse where the proposition asks for conditions or variables of another system.
void check_logic(const Logic& logic, const System::Declarations& model, std::string_view owner);
/// The same for a number that may be a parameter.
void check_parameter(const std::variant<double, Parameter>& value, const System::Declarations& model,
                     std::string_view owner);

}  // namespace pawl
