// Where there is no asmjit, or no emitter for the processor: everything is interpreted.
#include "pawl/model/native.hpp"

namespace pawl::model {

struct Native::Memory {};

Native::Native() = default;
Native::~Native() = default;

bool Native::is_possible() {
  return false;
}
std::shared_ptr<const Native> Native::make(const Graph&, const std::vector<int>&) {
  return nullptr;
}

}  // namespace pawl::model
