#include "pawl/model/native.hpp"

#include "model/emitter.hpp"
#include "pawl/system.hpp"

namespace pawl::model {

// One allocator each, so that code is made and given back without a lock that others hold.
struct Native::Memory {
  asmjit::JitRuntime runtime;
};

Native::Native() : memory_(std::make_unique<Memory>()) {}
Native::~Native() = default;

bool Native::is_possible() {
  const asmjit::CpuFeatures& features = asmjit::CpuInfo::host().features();
  return features.x86().hasAVX() && features.x86().hasAVX2();
}

namespace {

// False where the system refuses memory for code.
template <class F, class Emit>
bool add(asmjit::JitRuntime& runtime, F*& function, std::size_t& size, const Emit& emit) {
  asmjit::CodeHolder code;
  EmitterFaults faults;
  code.init(runtime.environment());
  code.setErrorHandler(&faults);
  emit(code);
  if (runtime.add(&function, &code) != asmjit::kErrorOk) return false;
  size += code.codeSize();
  return true;
}

}  // namespace

std::shared_ptr<const Native> Native::make(const Graph& graph, const std::vector<int>& outputs,
                                           const std::vector<int>& wanted) {
  if (!is_possible()) return nullptr;
  const Layout layout(graph, outputs);
  const std::vector<Instruction> list = moving_instructions(graph, outputs, /*fuses=*/false),
                                 some = wanted == outputs ? std::vector<Instruction>()
                                                          : moving_instructions(graph, wanted, /*fuses=*/false);
  std::shared_ptr<Native> native(new Native);
  asmjit::JitRuntime& runtime = native->memory_->runtime;
  const bool is_made = add(runtime, native->numbers_, native->size_,
                           [&](asmjit::CodeHolder& code) {
                             native->numbers_size_ = emit_numbers(code, graph, layout, wanted == outputs ? list : some);
                           }) &&
                       add(runtime, native->duals_, native->size_, [&](asmjit::CodeHolder& code) {
                         native->duals_size_ = emit_duals(code, graph, layout, list);
                       });
  return is_made ? native : nullptr;
}

}  // namespace pawl::model
