// Where there is no asmjit, or no emitter for the processor: everything is interpreted.
#include "pawl/model/native.hpp"

#include "model/loop_code.hpp"

namespace pawl::model {

struct Native::Memory {};

Native::Native() = default;
Native::~Native() = default;

bool Native::is_possible() {
  return false;
}
std::shared_ptr<const Native> Native::make(const Graph&, const std::vector<int>&, const std::vector<int>&,
                                           const std::vector<int>&) {
  return nullptr;
}
std::unique_ptr<LoopCode<double>> make_loop_code(const Loop&, const Layout&, const std::vector<PlacedLeaf>&) {
  return nullptr;
}
std::unique_ptr<LoopCode<Gradient>> make_dual_loop_code(const Loop&, const Layout&, const std::vector<PlacedLeaf>&) {
  return nullptr;
}

}  // namespace pawl::model
