// What `pawl bench` prints: Markdown, so that docs/benchmarks.md can take it as it is.
#pragma once

#include <string>

namespace pawl::cli {

void bench_events(bool with_marbles);
/// Every case with every adaptive method, or with one; returns whether all was right.
bool bench_gauntlet(const std::string& method, bool as_black_boxes, bool lists_cases);

}  // namespace pawl::cli
