// Where there is no asmjit, or no emitter for the processor: everything is interpreted.
#include "pawl/model/native.hpp"

#include "model/loop_code.hpp"

namespace pawl::model {

bool native_is_possible() {
  return false;
}

template <class T>
struct Native<T>::Memory {};

template <class T>
Native<T>::~Native() = default;

template <class T>
std::unique_ptr<const Native<T>> Native<T>::make(const Graph&, const std::vector<int>&, const std::vector<int>&) {
  return nullptr;
}

template class Native<double>;
template class Native<Dual<8>>;

std::unique_ptr<LoopCode<double>> make_loop_code(const Loop&, const Layout&, const std::vector<PlacedLeaf>&) {
  return nullptr;
}
std::unique_ptr<LoopCode<Gradient>> make_dual_loop_code(const Loop&, const Layout&, const std::vector<PlacedLeaf>&) {
  return nullptr;
}

}  // namespace pawl::model
