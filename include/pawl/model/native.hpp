// Native code: the outputs of a graph as machine code of this processor, for numbers or for Dual<8>.
//
//   if (const auto native = Native<double>::make(graph, outputs)) native->run(m, h, x, out);      // as Program::run
//
// Every operation is done as the interpreter does it: nothing is contracted or reassociated, and functions of the
// library are called by address. So both give the same bits, and one may replace the other at any moment. Where the
// processor has no AVX2, the architecture is another one, the system gives no memory that may be executed, or
// PAWL_INTERPRETED is 1 in the environment, there is no native code, and the program is interpreted.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pawl/dual.hpp"
#include "pawl/model/graph.hpp"

namespace pawl::model {

/// Whether this processor, and this build, can have native code, and the environment wants it.
bool native_is_possible();

/// T: double or Dual<8>.
template <class T>
class Native {
 public:
  /// Null where there is none; never for another reason.
  static std::unique_ptr<const Native> make(const Graph& graph, const std::vector<int>& outputs) {
    return make(graph, outputs, outputs);
  }
  /// The same, but only the rows that are not -1 in `wanted` are written.
  static std::unique_ptr<const Native> make(const Graph& graph, const std::vector<int>& outputs,
                                            const std::vector<int>& wanted);

  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;
  ~Native();

  /// Temporaries in m, with the inputs at its beginning where Program::moving_loads() has them.
  int moving_size() const { return moving_size_; }
  void run(T* m, const double* h, const T* x, T* out) const { code_(m, h, x, out); }
  /// The code itself, for those who call it often. It lives as long as this does.
  using Code = void (*)(T* m, const double* h, const T* x, T* out);
  Code code() const { return code_; }
  /// Bytes of code.
  std::size_t size() const { return size_; }

 private:
  struct Memory;
  Native();

  std::unique_ptr<Memory> memory_;
  Code code_ = nullptr;
  int moving_size_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pawl::model
