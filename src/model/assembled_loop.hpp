// Loops as code of this processor.
#pragma once

#include <memory>
#include <vector>

#include <asmjit/asmjit.h>

#include "model/emitter.hpp"
#include "model/loop_code.hpp"

namespace pawl::model {

template <class T>
class AssembledLoop : public LoopCode<T> {
 public:
  void run(const LoopArguments<T>& arguments) const override { function_(&arguments); }
  std::size_t size() const override { return size_; }
  int moving_size() const override { return moving_size_; }

  asmjit::JitRuntime runtime_;
  void (*function_)(const LoopArguments<T>*) = nullptr;
  std::size_t size_ = 0;
  int moving_size_ = 0;
};

/// emit(code) writes the loop and returns how many temporaries it has. Null where the system refuses memory for code.
template <class T, class Emit>
std::unique_ptr<LoopCode<T>> assembled_loop(const Emit& emit) {
  auto made = std::make_unique<AssembledLoop<T>>();
  asmjit::CodeHolder code;
  EmitterFaults faults;
  code.init(made->runtime_.environment());
  code.setErrorHandler(&faults);
  made->moving_size_ = emit(code);
  if (made->runtime_.add(&made->function_, &code) != asmjit::kErrorOk) return nullptr;
  made->size_ = code.codeSize();
  return made;
}

/// Offsets in addresses have 32 bits.
inline bool addresses_fit(const Loop& loop, const std::vector<PlacedLeaf>& leaves) {
  constexpr long long most = 1 << 28;
  const auto is_small = [&](const Indices& index) {
    const long long last = static_cast<long long>(index.stride) * loop.count;
    return index.base < most && last < most && last > -most;
  };
  bool all = static_cast<long long>(leaves.size()) * loop.count < most;
  for (const PlacedLeaf& leaf : leaves) all = all && is_small(leaf.index);
  for (const Indices& row : loop.rows) all = all && is_small(row);
  return all;
}

}  // namespace pawl::model
