// Advice as one JSON object, described in docs/advice.md. Fields are added in later versions, never renamed or removed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pawl/advise.hpp"

namespace pawl {

nlohmann::ordered_json to_json(const Recommendation& plan);
nlohmann::ordered_json to_json(const analyze::Advice& advice);

}  // namespace pawl
