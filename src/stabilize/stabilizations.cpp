#include <algorithm>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

using Make = std::unique_ptr<Stabilizer> (*)(const Stabilization&, Form&, const StepControl&, int);

struct Row {
  StabilizationInfo info;
  std::vector<std::string> arguments;
  Make make;
};

const char* const ascher = "Ascher, Chin, Petzold, Reich 1995";

const std::vector<Row>& rows() {
  static const std::vector<std::string> family{"mass", "euclidean", "last-stage"};
  static const std::vector<Row> list{
      {{"none", "the end of a step stays where the method puts it", ascher}, {}, make_none},
      {{"projection",
        "Newton to rounding on positions, then speeds, then invariants, with the factors of the last stage "
        "(the default); (position) or (velocity) leaves a level free, (fresh) makes factors at every "
        "iterate, (euclidean) leaves the mass metric",
        ascher},
       {"position", "velocity", "both", "fresh", "euclidean"},
       make_projection},
      {{"s-full", "one step with the derivative of all levels by all states", ascher}, {}, make_post_stabilization},
      {{"s-both", "one step for positions and speeds at once; (mass) uses (5.5), (last-stage) its matrices", ascher},
       family,
       make_post_stabilization},
      {{"s-both2", "the same twice, factors kept; (kept) keeps the directions too", ascher},
       {"mass", "euclidean", "last-stage", "kept"},
       make_post_stabilization},
      {{"s-vel", "one step for speeds alone", ascher}, family, make_post_stabilization},
      {{"s-pos", "one step for positions alone", ascher}, family, make_post_stabilization},
      {{"sweeps",
        "positions and speeds by turns, twice, as printed; (holonomic) keeps nonholonomic residuals out of "
        "the positions",
        "Compere 2001, (3.27)-(3.30)"},
       {"holonomic"},
       make_sweeps},
      {{"koenders", "one projection by the whole derivative; (momenta) moves momenta only", "Koenders 2002, (4.58)"},
       {"momenta"},
       make_koenders},
  };
  return list;
}

}  // namespace

const std::vector<StabilizationInfo>& stabilizations() {
  static const std::vector<StabilizationInfo> list = [] {
    std::vector<StabilizationInfo> infos;
    for (const Row& row : rows()) infos.push_back(row.info);
    return infos;
  }();
  return list;
}

StabilizationChoice choose_stabilization(std::string_view words, const formulate::Formulation& formulation) {
  using formulate::Scheme;
  const bool is_penalty = formulation.scheme == Scheme::penalty;
  if (words == "auto") {
    if (is_penalty) return {{.name = "none"}, "springs and dampers give way, so there is no manifold to keep to"};
    if (formulation.scheme == Scheme::state_space)
      return {{.name = "state-space"}, "the dependent coordinates follow from the others"};
    if (formulation.scheme == Scheme::sliding || formulation.scheme == Scheme::held_multipliers)
      return {{.name = "sweeps"}, "the stabilization that belongs to switching surfaces"};
    if (formulation.scheme == Scheme::baumgarte) return {{.name = "none"}, "the formulation has feedback of its own"};
    if (formulation.scheme == Scheme::index_3)
      return {{.name = "none"},
              "index 3 as it stands has its speeds to a lower order, and pulling them would stall it"};
    return {{.name = "projection"},
            "it holds every level at rounding with the factors of the last stage and keeps the order of the method"};
  }
  CallWords call;
  if (!read_call(words, call)) throw Misuse(fmt::format("stabilization '{}': the parentheses do not match", words));
  std::vector<std::string> names;
  for (const Row& row : rows()) names.push_back(row.info.name);
  const auto row =
      std::find_if(rows().begin(), rows().end(), [&](const Row& one) { return one.info.name == call.name; });
  if (row == rows().end())
    throw Misuse(
        fmt::format("unknown stabilization '{}'{} (`pawl methods` lists them)", words, did_you_mean(call.name, names)));
  if (is_penalty && call.name != "none")
    throw Misuse(
        fmt::format("stabilization '{}' with formulation '{}': springs and dampers give way, so there is no "
                    "manifold to keep to",
                    words, formulation.name));
  Stabilization how{.name = call.name, .words = std::string(words)};
  how.is_euclidean = call.name.starts_with("s-");  // as in the published tables; (mass) says otherwise
  if (call.name == "s-vel") how.positions = false;
  if (call.name == "s-pos") how.velocities = false;
  if (call.name.starts_with("s-") && call.name != "s-both2") how.sweeps = 1;
  for (const std::string& word : call.arguments) {
    if (std::find(row->arguments.begin(), row->arguments.end(), word) == row->arguments.end())
      throw Misuse(
          fmt::format("stabilization '{}': '{}' is none of its choices ({})", words, word,
                      row->arguments.empty() ? "it has none" : fmt::format("{}", fmt::join(row->arguments, ", "))));
    if (word == "mass") how.is_euclidean = false;
    if (word == "euclidean") how.is_euclidean = true;
    if (word == "fresh") how.is_fresh = true;
    if (word == "last-stage") how.uses_last_stage = true;
    if (word == "kept") how.keeps_transpose = true;
    if (word == "position") how.velocities = false;
    if (word == "velocity") how.positions = false;
    if (word == "momenta") how.holds_displacements = true;
    if (word == "holonomic") how.mixes_levels = false;
  }
  return {how, {}};
}

std::unique_ptr<Stabilizer> make_stabilizer(const Stabilization& how, Form& form, const StepControl& control,
                                            int size) {
  if (how.name == "state-space") return make_dependent(how, form, control, size);
  for (const Row& row : rows()) {
    if (row.info.name == how.name) return row.make(how, form, control, size);
  }
  throw Misuse("unknown stabilization '" + how.name + "'");
}

}  // namespace pawl::stabilize
