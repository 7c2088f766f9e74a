// What `auto` chooses, as one function of facts. simulate() and the advisor call it; nobody else decides.
#pragma once

#include "integrate/methods.hpp"
#include "pawl/options.hpp"
#include "pawl/recommendation.hpp"
#include "pawl/system.hpp"

namespace pawl::detail {

/// What is known before anything has been evaluated.
Facts facts_of(const System::Declarations& model);

/// Methods, formulation and stabilization for these facts; what the options ask for by name stays.
/// Throws Misuse for unknown names.
Recommendation recommend(const Facts& facts, const Options& options);

/// Throws Misuse where the method cannot serve the model, and for solvers that do not exist.
void check_choice(const Method& method, const Options& options);

}  // namespace pawl::detail
