// Reads: what functions of a model read, in words. They are evaluated once with patterns; functions that take numbers
// alone do not say.
#pragma once

#include <string>
#include <vector>

#include "pawl/system.hpp"

namespace pawl {

class Reads {
 public:
  /// Both must outlive it. Models of more states than a table shows are not looked at.
  Reads(const System::Declarations& model, const Held& held) : model_(model), held_(held) {}

  /// Per result: "x, dot(y), t"; "constants" where nothing moves; empty where it is not known.
  std::vector<std::string> of_each(const Function& f, int results, Pair member = {}) const;
  /// Of all results together.
  std::string of(const Function& f, int results, Pair member = {}) const;

 private:
  std::vector<std::vector<int>> inputs_of(const Function& f, int results, Pair member, bool& reads_multipliers) const;
  std::string words(const std::vector<int>& inputs, bool reads_multipliers) const;

  const System::Declarations& model_;
  const Held& held_;
};

}  // namespace pawl
