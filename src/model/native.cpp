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
                                           const std::vector<int>& of_numbers, const std::vector<int>& of_duals) {
  if (!is_possible()) return nullptr;
  const Layout layout(graph, outputs);
  std::shared_ptr<Native> native(new Native);
  asmjit::JitRuntime& runtime = native->memory_->runtime;
  const std::vector<Instruction> numbers = moving_instructions(graph, of_numbers, /*fuses=*/false);
  const bool has_numbers = add(runtime, native->numbers_, native->size_, [&](asmjit::CodeHolder& code) {
    native->numbers_size_ = emit_numbers(code, graph, layout, numbers);
  });
  const std::vector<Instruction> others =
      of_duals == of_numbers ? std::vector<Instruction>() : moving_instructions(graph, of_duals, /*fuses=*/false);
  const bool has_duals = add(runtime, native->duals_, native->size_, [&](asmjit::CodeHolder& code) {
    native->duals_size_ = emit_duals(code, graph, layout, of_duals == of_numbers ? numbers : others);
  });
  return has_numbers && has_duals ? native : nullptr;
}

}  // namespace pawl::model
