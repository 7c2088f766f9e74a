#include "formulate/make_form.hpp"

#include <fmt/format.h>

#include "formulate/mechanics_form.hpp"
#include "formulate/port_hamiltonian_form.hpp"

namespace pawl::formulate {

std::unique_ptr<Form> make_form(std::shared_ptr<const System::Declarations> model, const Formulation& formulation) {
  if (model->mechanics) return std::make_unique<MechanicsForm>(std::move(model), formulation);
  if (formulation.scheme != Scheme::acceleration)
    throw Misuse(fmt::format("formulation '{}' is for constrained mechanics, which system '{}' is not",
                             formulation.name, model->name));
  if (model->port_hamiltonian) return make_port_hamiltonian_form(std::move(model));
  if (!model->invariants.empty()) return make_invariant_form(std::move(model));
  return nullptr;
}

}  // namespace pawl::formulate
