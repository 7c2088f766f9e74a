// What a report says in tables: outcome, work, the plan with its reasons, how constraints were kept, what was promised
// of events, parameters, options, the verdict of second runs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pawl/report.hpp"

namespace pawl {

/// [[heading, [[label, words], ...]], ...]
nlohmann::ordered_json report_facts(const Result& run, const ReportOptions& options);

}  // namespace pawl
