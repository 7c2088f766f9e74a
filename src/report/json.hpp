// A run as one JSON object, described in docs/json.md. Fields are added in later versions, never renamed or removed.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "pawl/result.hpp"
#include "pawl/verify.hpp"

namespace pawl {

nlohmann::ordered_json to_json(const Result& run);

/// The object "verification": the verdict, and every second run.
nlohmann::ordered_json to_json(const Verification& verification);

/// JSON text with 17 significant digits in every number; a number that is not finite becomes null. Names may have any
/// bytes: what is no UTF-8 is read as Latin-1, control characters are written as \u00XX.
std::string print(const nlohmann::ordered_json& value);

/// An object with one more member behind the others, "samples": {"t": [...], name: [...], ...}, an array per column.
/// They may be millions of numbers, so they are written as they stand in the table.
std::string print(const nlohmann::ordered_json& object, const Table& samples);

}  // namespace pawl
