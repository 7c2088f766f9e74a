// LoopCode: native code of one loop. With numbers, iterations are done four at a time, and the last four may be done
// twice; duals are done one by one.
#pragma once

#include <cstddef>
#include <memory>

#include "model/layout.hpp"
#include "pawl/function.hpp"
#include "pawl/model/roll.hpp"

namespace pawl::model {

template <class T>
struct LoopArguments {
  T* m;                  ///< temporaries; with numbers, four each
  const double* h;       ///< held values of the body
  const T* x;            ///< states of the model
  T* out;                ///< outputs of the model
  const T* inputs;       ///< moving inputs of the model
  const double* arrays;  ///< held values that differ between iterations: one after the other, `count` each
  long long count;
};

template <class T>
class LoopCode {
 public:
  virtual ~LoopCode() = default;
  virtual void run(const LoopArguments<T>& arguments) const = 0;
  virtual std::size_t size() const = 0;
  /// Temporaries.
  virtual int moving_size() const = 0;
};

/// What the leaves of a body are for the code: where they come from, in places of the model.
struct PlacedLeaf {
  LoopLeaf::From from;
  Indices index;  ///< of a state or an input; for held values, the number of their array
};

/// Null where there is no native code, or an iteration reads a table of more than 2^28 entries.
std::unique_ptr<LoopCode<double>> make_loop_code(const Loop& loop, const Layout& layout,
                                                 const std::vector<PlacedLeaf>& leaves);
/// Null also where iterations do not read and write at one distance: states and outputs of the next are as many places
/// further on as those of the last, or the same.
std::unique_ptr<LoopCode<Gradient>> make_dual_loop_code(const Loop& loop, const Layout& layout,
                                                        const std::vector<PlacedLeaf>& leaves);

}  // namespace pawl::model
