// x' = f(t, x) for implicit methods: the model's rates, or whatever field is active (a formulation's, a sliding one's).
#pragma once

#include <memory>

#include "formulate/implicit_form.hpp"
#include "system/vector_field.hpp"

namespace pawl::formulate {

/// The field must outlive the form; rates: the function behind it. Its Jacobian is exact (dual numbers, compressed by
/// colours where it is sparse) while the field is that of generic rates; else as given by the model, else by
/// differences. size: of the field; where it is not that of the model, something has been appended, and nothing is
/// known of it.
std::unique_ptr<ImplicitForm> make_ode_form(std::shared_ptr<const System::Declarations> model, Function rates,
                                            const ActiveField& field, int size);
/// The field of the declared rates.
inline std::unique_ptr<ImplicitForm> make_ode_form(const std::shared_ptr<const System::Declarations>& model,
                                                   const ActiveField& field, int size) {
  return make_ode_form(model, model->rates, field, size);
}

}  // namespace pawl::formulate
