// Rolled: the evaluation of outputs with numbers and duals, repeated rows in loops and the others one by one.
//
//   const Rolled rolled(graph, outputs, program, Execution...);
//   rolled.prepare(h, work);                 // after the held part of the program has run
//   rolled.run(m, h, x, out, work);          // rows in loops; Program or Native for the rest
//
// With numbers, a loop is native code for four iterations at once, or the interpreter with 64 of them; with duals it is
// native code for one, where the iterations read and write at one distance.
#pragma once

#include <memory>
#include <vector>

#include "pawl/function.hpp"
#include "pawl/model/program.hpp"
#include "pawl/model/roll.hpp"

namespace pawl::model {

class Rolled {
 public:
  /// Of one thread.
  struct Work {
    std::vector<double> values;   ///< per loop: numbers its body reads from h, arrays, temporaries
    std::vector<Gradient> duals;  ///< temporaries
  };

  Rolled(const Graph& graph, const std::vector<int>& outputs, std::vector<Loop> loops, bool is_native);
  ~Rolled();

  void prepare(const double* h, Work& work) const;
  /// m: the inputs of the program; h: its held values.
  void run(const double* m, const double* x, double* out, Work& work) const;
  /// Requires has_duals().
  void run(const Gradient* m, const Gradient* x, Gradient* out, Work& work) const;
  /// Whether all loops have native code for duals.
  bool has_duals() const;

  int loops() const { return static_cast<int>(parts_.size()); }
  bool is_native() const;
  /// Bytes of native code.
  std::size_t size() const;

 private:
  struct Part;

  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t work_size_ = 0;
};

}  // namespace pawl::model
