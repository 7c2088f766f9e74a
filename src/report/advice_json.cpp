#include "report/advice_json.hpp"

#include <nlohmann/json.hpp>

namespace pawl {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Choice& choice) {
  if (choice.value.empty()) return nullptr;
  return {{"value", choice.value}, {"why", choice.why}};
}

Json json_of(const analyze::Anatomy& anatomy) {
  if (!anatomy.failure.empty()) return {{"equations", anatomy.equations}, {"failure", anatomy.failure}};
  Json eigenvalues = Json::array();
  for (const auto& value : anatomy.eigenvalues) eigenvalues.push_back({value.real(), value.imag()});
  return {{"equations", anatomy.equations},
          {"unknowns", anatomy.unknowns},
          {"differential", anatomy.differential},
          {"algebraic", anatomy.algebraic},
          {"index", anatomy.index},
          {"index_is_certain", anatomy.index_is_certain},
          {"rank_gap", anatomy.has_eigenvalues ? Json(anatomy.rank_gap) : Json()},
          {"degrees_of_freedom", anatomy.degrees_of_freedom},
          {"dependent_states", anatomy.dependent_states},
          {"hidden_constraints", anatomy.hidden_constraints},
          {"eigenvalues", anatomy.has_eigenvalues ? eigenvalues : Json()},
          {"infinite_eigenvalues", anatomy.infinite},
          {"undetermined", anatomy.undetermined},
          {"redundant", anatomy.redundant},
          {"exact_derivatives", anatomy.is_exact}};
}

Json json_of(const analyze::Stiffness& stiffness, bool has_eigenvalues) {
  return {{"fastest_rate", stiffness.fastest_rate},
          {"fastest_decay", has_eigenvalues ? Json(stiffness.fastest_decay) : Json()},
          {"lambert", has_eigenvalues && stiffness.is_damped ? Json(stiffness.lambert) : Json()},
          {"infinite_with_algebraic_unknowns", stiffness.is_infinite},
          {"accurate_step", stiffness.is_too_costly ? Json() : Json(stiffness.accurate_step)},
          {"van_dijk", stiffness.is_too_costly ? Json() : Json(stiffness.van_dijk)}};
}

}  // namespace

Json to_json(const Recommendation& advice) {
  Json rejected = Json::array();
  for (const Rejection& one : advice.rejected) rejected.push_back({{"what", one.what}, {"why", one.why}});
  return {{"method", json_of(advice.method)},
          {"when_stiff", json_of(advice.when_stiff)},
          {"when_frequent", json_of(advice.when_frequent)},
          {"field", json_of(advice.field)},
          {"solver", json_of(advice.solver)},
          {"formulation", json_of(advice.formulation)},
          {"stabilization", json_of(advice.stabilization)},
          {"tolerance", json_of(advice.tolerance)},
          {"events", json_of(advice.events)},
          {"rejected", rejected}};
}

Json to_json(const analyze::Advice& advice) {
  Json modes = Json::array();
  for (const analyze::ModeAdvice& mode : advice.modes) {
    modes.push_back({{"mode", mode.mode},
                     {"entered", mode.entered},
                     {"share_of_time", mode.share},
                     {"frozen_at", mode.frozen_at},
                     {"declared", json_of(mode.declared)},
                     {"integrated", mode.integrated ? json_of(*mode.integrated) : Json()},
                     {"stiffness", json_of(mode.stiffness, mode.declared.has_eigenvalues)},
                     {"recommendation", to_json(mode.recommendation)}});
  }
  return {{"model", advice.model},
          {"kind", to_string(advice.kind)},
          {"states", advice.states},
          {"constraint_rows", advice.constraint_rows},
          {"contacts", advice.contacts},
          {"pilot",
           {{"start", advice.pilot_start},
            {"end", advice.pilot_end},
            {"steps", advice.pilot_steps},
            {"failure", advice.pilot_failure}}},
          {"events",
           {{"seen", advice.events.seen},
            {"per_unit_time", advice.events.per_unit_time},
            {"accumulate", advice.events.accumulates},
            {"slide", advice.events.slides}}},
          {"modes", modes},
          {"modes_left_out", advice.modes_left_out},
          {"recommendation", to_json(advice.recommendation)},
          {"notes", advice.notes}};
}

}  // namespace pawl
