#include <algorithm>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "numerics/nearest_name.hpp"
#include "stabilize/parts.hpp"

namespace pawl::stabilize {

namespace {

using Make = std::unique_ptr<Stabilizer> (*)(const Stabilization&, Form&, const StepControl&, int);

/// A word in the parentheses, and what it changes.
struct Argument {
  std::string word;
  void (*apply)(Stabilization&);
};

struct Row {
  StabilizationInfo info;
  Stabilization how;  // without arguments
  Make make;
  std::vector<Argument> arguments = {};
};

const char* const ascher = "Ascher, Chin, Petzold, Reich 1995";

const std::vector<Row>& rows() {
  using How = Stabilization;
  static const Argument mass{"mass", [](How& how) { how.is_euclidean = false; }};
  static const Argument euclidean{"euclidean", [](How& how) { how.is_euclidean = true; }};
  static const Argument last_stage{"last-stage", [](How& how) { how.uses_last_stage = true; }};
  // Of the published tables: directions from G^T unless (mass) says otherwise, one sweep but for s-both2.
  const auto published = [](Strategy strategy, int sweeps, bool positions, bool velocities) {
    return How{
        .strategy = strategy, .positions = positions, .velocities = velocities, .is_euclidean = true, .sweeps = sweeps};
  };
  static const std::vector<Row> list{
      {{"none", "the end of a step stays where the method puts it", ascher}, {.strategy = Strategy::none}, make_none},
      {{"projection",
        "Newton to rounding on positions, then speeds, then invariants, with the factors of the last stage "
        "(the default); (position) or (velocity) leaves a level free, (fresh) makes factors at every "
        "iterate, (euclidean) leaves the mass metric",
        ascher},
       {.strategy = Strategy::projection},
       make_projection,
       {{"position", [](How& how) { how.velocities = false; }},
        {"velocity", [](How& how) { how.positions = false; }},
        {"both", [](How&) {}},
        {"fresh", [](How& how) { how.is_fresh = true; }},
        euclidean}},
      {{"s-full", "one step with the derivative of all levels by all states", ascher},
       published(Strategy::s_full, 1, true, true),
       make_post_stabilization},
      {{"s-both", "one step for positions and speeds at once; (mass) uses (5.5), (last-stage) its matrices", ascher},
       published(Strategy::s_both, 1, true, true),
       make_post_stabilization,
       {mass, euclidean, last_stage}},
      {{"s-both2", "the same twice, factors kept; (kept) keeps the directions too", ascher},
       published(Strategy::s_both2, 2, true, true),
       make_post_stabilization,
       {mass, euclidean, last_stage, {"kept", [](How& how) { how.keeps_transpose = true; }}}},
      {{"s-vel", "one step for speeds alone", ascher},
       published(Strategy::s_vel, 1, false, true),
       make_post_stabilization,
       {mass, euclidean, last_stage}},
      {{"s-pos", "one step for positions alone", ascher},
       published(Strategy::s_pos, 1, true, false),
       make_post_stabilization,
       {mass, euclidean, last_stage}},
      {{"sweeps",
        "positions and speeds by turns, twice, as printed; (holonomic) keeps nonholonomic residuals out of "
        "the positions",
        "Compere 2001, (3.27)-(3.30)"},
       {.strategy = Strategy::sweeps},
       make_sweeps,
       {{"holonomic", [](How& how) { how.mixes_levels = false; }}}},
      {{"koenders", "one projection by the whole derivative; (momenta) moves momenta only", "Koenders 2002, (4.58)"},
       {.strategy = Strategy::koenders},
       make_koenders,
       {{"momenta", [](How& how) { how.holds_displacements = true; }}}},
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

namespace {

StabilizationChoice default_of(const formulate::Formulation& formulation) {
  using formulate::Scheme;
  const Stabilization none{.strategy = Strategy::none, .name = "none"};
  switch (formulation.scheme) {
    case Scheme::penalty:
      return {none, "springs and dampers give way, so there is no manifold to keep to"};
    case Scheme::state_space:
      return {{.strategy = Strategy::state_space, .name = "state-space"},
              "the dependent coordinates follow from the others"};
    case Scheme::sliding:
    case Scheme::held_multipliers:
      return {{.strategy = Strategy::sweeps, .name = "sweeps"}, "the stabilization that belongs to switching surfaces"};
    case Scheme::baumgarte:
      return {none, "the formulation has feedback of its own"};
    case Scheme::index_3:
      return {none, "index 3 as it stands has its speeds to a lower order, and pulling them would stall it"};
    default:
      return {{},
              "it holds every level at rounding with the factors of the last stage and keeps the order of the method"};
  }
}

}  // namespace

StabilizationChoice choose_stabilization(std::string_view words, const formulate::Formulation& formulation) {
  if (is_auto(words)) return default_of(formulation);
  CallWords call;
  if (!read_call(words, call)) throw Misuse(fmt::format("stabilization '{}': the parentheses do not match", words));
  const auto row =
      std::find_if(rows().begin(), rows().end(), [&](const Row& one) { return one.info.name == call.name; });
  if (row == rows().end()) {
    std::vector<std::string> names;
    for (const Row& one : rows()) names.push_back(one.info.name);
    throw Misuse(
        fmt::format("unknown stabilization '{}'{} (`pawl methods` lists them)", words, did_you_mean(call.name, names)));
  }
  Stabilization how = row->how;
  how.name = row->info.name;
  how.words = std::string(words);
  if (formulation.scheme == formulate::Scheme::penalty && how.strategy != Strategy::none) {
    throw Misuse(
        fmt::format("stabilization '{}' with formulation '{}': springs and dampers give way, so there is no "
                    "manifold to keep to",
                    words, formulation.name));
  }
  for (const std::string& word : call.arguments) {
    const auto argument = std::find_if(row->arguments.begin(), row->arguments.end(),
                                       [&](const Argument& one) { return one.word == word; });
    if (argument == row->arguments.end()) {
      std::vector<std::string> choices;
      for (const Argument& one : row->arguments) choices.push_back(one.word);
      throw Misuse(fmt::format("stabilization '{}': '{}' is none of its choices ({})", words, word,
                               choices.empty() ? "it has none" : fmt::format("{}", fmt::join(choices, ", "))));
    }
    argument->apply(how);
  }
  return {how, {}};
}

std::unique_ptr<Stabilizer> make_stabilizer(const Stabilization& how, Form& form, const StepControl& control,
                                            int size) {
  if (how.strategy == Strategy::state_space) return make_dependent(how, form, control, size);
  const auto row =
      std::find_if(rows().begin(), rows().end(), [&](const Row& one) { return one.how.strategy == how.strategy; });
  return row->make(how, form, control, size);
}

}  // namespace pawl::stabilize
