// Native code: the outputs of a graph as machine code of this processor, for numbers and for Dual<8>.
//
//   if (const auto native = Native::make(graph, outputs)) native->run(m, h, x, out);      // as Program::run
//
// Every operation is done as the interpreter does it: nothing is contracted or reassociated, and functions of the
// library are called by address. So both give the same bits, and one may replace the other at any moment. Where the
// processor has no AVX2, the architecture is another one, or the system gives no memory that may be executed, there is
// no native code, and the program is interpreted.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pawl/dual.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::model {

class Native {
 public:
  /// Null where there is none; never for another reason.
  static std::shared_ptr<const Native> make(const Graph& graph, const std::vector<int>& outputs) {
    return make(graph, outputs, outputs, outputs);
  }
  /// The same, but code for numbers and code for duals write only the rows that are not -1 there.
  static std::shared_ptr<const Native> make(const Graph& graph, const std::vector<int>& outputs,
                                            const std::vector<int>& of_numbers, const std::vector<int>& of_duals);
  /// Whether this processor, and this build, can have native code.
  static bool is_possible();

  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;
  ~Native();

  /// Temporaries in m, with the inputs at its beginning where Program::moving_loads() has them.
  int moving_size(const double*) const { return numbers_size_; }
  int moving_size(const Dual<8>*) const { return duals_size_; }
  void run(double* m, const double* h, const double* x, double* out) const { numbers_(m, h, x, out); }
  void run(Dual<8>* m, const double* h, const Dual<8>* x, Dual<8>* out) const { duals_(m, h, x, out); }
  /// The code itself, for those who call it often. It lives as long as this does.
  template <class T>
  using Code = void (*)(T* m, const double* h, const T* x, T* out);
  Code<double> code(const double*) const { return numbers_; }
  Code<Dual<8>> code(const Dual<8>*) const { return duals_; }
  /// Bytes of code for numbers and for duals.
  std::size_t size() const { return size_; }

 private:
  struct Memory;
  Native();

  std::unique_ptr<Memory> memory_;
  Code<double> numbers_ = nullptr;
  Code<Dual<8>> duals_ = nullptr;
  int numbers_size_ = 0, duals_size_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pawl::model
