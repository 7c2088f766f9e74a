// What a model declares, in tables for people: states with start and role, parameters, equations, constraints,
// contacts, events, inputs, the picture; and what each of its functions reads, as far as it says so.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pawl/result.hpp"

namespace pawl {

/// [[heading, [[label, words], ...]], ...], as declared: what a run has changed is in its own tables.
nlohmann::ordered_json model_facts(const Result& run);

}  // namespace pawl
