#include "pawl/stepper.hpp"

namespace pawl {

void Stepper::carry_common(Memory& memory) {
  memory(work_, failure_, stiffness_, notes_);
}
std::vector<Message> Stepper::take_notes() {
  return std::exchange(notes_, {});
}
std::string Stepper::solver() const {
  return {};
}
std::string Stepper::jacobian_kind() const {
  return {};
}
std::vector<std::pair<std::string, long long>> Stepper::steps_by_method() const {
  return {};
}

}  // namespace pawl
