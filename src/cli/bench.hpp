// What `pawl bench` prints: Markdown, so that docs/benchmarks.md can take it as it is.
#pragma once

#include <string>

namespace pawl::cli {

void bench_events(bool with_marbles);
/// One table by its name, or "all". Throws Misuse for a name there is none of.
void bench_constraints(const std::string& table, bool is_quick, bool is_json);
std::string table_names();
/// One table by its name, or "all". plots: a folder for pictures of work and precision; empty: none. Throws Misuse for
/// a name there is none of.
void bench_stiff(const std::string& table, const std::string& problem, const std::string& plots, bool is_quick,
                 bool is_json);
std::string stiff_table_names();
/// Of one problem of the catalogue, or "all". lists_all: every method that was tried.
void bench_auto(const std::string& problem, bool is_quick, bool lists_all);
/// plots: a folder for spheres.svg; empty: none.
void bench_spheres(const std::string& plots, bool is_quick, bool is_json);
/// peers: the folder bench/build_contact_peers has filled; those that are not there are left out.
void bench_contact(const std::string& peers, bool is_quick, bool is_json);
/// Every case with every adaptive method, or with one; returns whether all was right.
bool bench_gauntlet(const std::string& method, bool as_black_boxes, bool lists_cases);

}  // namespace pawl::cli
