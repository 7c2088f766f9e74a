#include "pawl/model/native.hpp"

#include <cstdlib>
#include <string_view>

#include "model/emitter.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

bool native_is_possible() {
  static const bool is_possible = [] {
    const char* interpreted = std::getenv("PAWL_INTERPRETED");
    if (interpreted != nullptr && std::string_view(interpreted) == "1") return false;
    const asmjit::CpuFeatures& features = asmjit::CpuInfo::host().features();
    return features.x86().hasAVX() && features.x86().hasAVX2();
  }();
  return is_possible;
}

// One allocator each, so that code is made and given back without a lock that others hold.
template <class T>
struct Native<T>::Memory {
  asmjit::JitRuntime runtime;
};

template <class T>
Native<T>::Native() : memory_(std::make_unique<Memory>()) {}
template <class T>
Native<T>::~Native() = default;

template <class T>
std::unique_ptr<const Native<T>> Native<T>::make(const Graph& graph, const std::vector<int>& outputs,
                                                 const std::vector<int>& wanted) {
  if (!native_is_possible()) return nullptr;
  std::unique_ptr<Native> native(new Native);
  asmjit::JitRuntime& runtime = native->memory_->runtime;
  asmjit::CodeHolder code;
  EmitterFaults faults;
  code.init(runtime.environment());
  code.setErrorHandler(&faults);
  const std::vector<Instruction> list = moving_instructions(graph, wanted, /*fuses=*/false);
  const Layout layout(graph, outputs);
  if constexpr (std::is_same_v<T, double>)
    native->moving_size_ = emit_numbers(code, graph, layout, list);
  else
    native->moving_size_ = emit_duals(code, graph, layout, list);
  if (runtime.add(&native->code_, &code) != asmjit::kErrorOk) return nullptr;  // no memory for code
  native->size_ = code.codeSize();
  return native;
}

template class Native<double>;
template class Native<Dual<8>>;

}  // namespace pawl::model
