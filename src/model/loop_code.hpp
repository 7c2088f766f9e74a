// LoopCode: native code of one loop. Iterations are done four at a time; the last four may be done twice.
#pragma once

#include <cstddef>
#include <memory>

#include "model/layout.hpp"
#include "pawl/model/roll.hpp"

namespace pawl::model {

struct LoopArguments {
  double* m;             ///< temporaries, four numbers each
  const double* h;       ///< held values of the body
  const double* x;       ///< states of the model
  double* out;           ///< outputs of the model
  const double* inputs;  ///< moving inputs of the model
  const double* arrays;  ///< held values that differ between iterations: one after the other, `count` each
  long long count;
};

class LoopCode {
 public:
  virtual ~LoopCode() = default;
  virtual void run(const LoopArguments& arguments) const = 0;
  virtual std::size_t size() const = 0;
  /// Temporaries, of four numbers each.
  virtual int moving_size() const = 0;
};

/// What the leaves of a body are for the code: where they come from, in places of the model.
struct PlacedLeaf {
  LoopLeaf::From from;
  Indices index;  ///< of a state or an input; for held values, the number of their array
};

/// Null where there is no native code, or an iteration reads a table of more than 2^28 entries.
std::unique_ptr<LoopCode> make_loop_code(const Loop& loop, const Layout& layout, const std::vector<PlacedLeaf>& leaves);

}  // namespace pawl::model
