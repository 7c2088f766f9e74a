#include "sweep/kept.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "numerics/nearest_name.hpp"

namespace pawl::sweeping {

namespace {

using Declarations = System::Declarations;
using Value = std::function<double(const Result&)>;

/// Which of these names is meant: the one that is equal, or the only one that has the word in it; -1: none.
int find_name(std::string_view word, const std::vector<std::string>& names, std::string_view where) {
  const auto equal = std::find(names.begin(), names.end(), word);
  if (equal != names.end()) return static_cast<int>(equal - names.begin());
  int found = -1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].find(word) == std::string::npos || word.empty()) continue;
    if (found >= 0)
      throw Misuse(
          fmt::format("{}: '{}' may be '{}' or '{}'", where, word, names[static_cast<std::size_t>(found)], names[i]));
    found = static_cast<int>(i);
  }
  return found;
}

int index_in(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

/// A state by its place, anything else by its name, which is slower.
Value final_value(const std::string& name, const Declarations& model, const std::string& word) {
  if (const int i = index_in(model.state_names, name); i >= 0)
    return [i](const Result& run) { return run.final_state[static_cast<std::size_t>(i)]; };
  std::vector<std::string> known = model.state_names;
  for (const auto* names :
       {&model.observable_names, &model.parameter_names, &model.input_names, &model.mode_names, &model.number_names})
    known.insert(known.end(), names->begin(), names->end());
  if (index_in(known, name) < 0)
    throw Misuse(
        fmt::format("--keep {}: '{}' has no quantity '{}'{}", word, model.name, name, did_you_mean(name, known)));
  return [name](const Result& run) { return run.final()[name]; };
}

void keep_range(const std::string& name, const Declarations& model, const std::string& word, Kept& kept) {
  Callback<Range(const Result&)> range;
  if (const int i = index_in(model.observable_names, name); i >= 0) {
    kept.needs_ranges = true;
    range = [i](const Result& run) { return run.range(Observable{i}); };
  } else if (const int j = index_in(model.state_names, name); j >= 0) {
    kept.needs_samples = true;
    range = [j](const Result& run) { return run.range(State{j}); };
  } else {
    std::vector<std::string> known = model.observable_names;
    known.insert(known.end(), model.state_names.begin(), model.state_names.end());
    throw Misuse(fmt::format("--keep {}: '{}' has no observable or state '{}'{}", word, model.name, name,
                             did_you_mean(name, known)));
  }
  kept.columns.push_back({"min " + name, [range](const Result& run) { return range(run).min; }});
  kept.columns.push_back({"max " + name, [range](const Result& run) { return range(run).max; }});
}

/// Everything that can fire, by name.
std::vector<std::string> names_of_events(const Declarations& model) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const GuardInfo& guard : model.guards) add(guard.name);
  for (const TimeEventInfo& event : model.time_events) add(event.name);
  for (const RelayInfo& relay : model.relays) add(relay.name);
  for (const std::string& input : model.input_names) add(input);
  return names;
}

bool is_by(const Event& event, const std::string& name, const Declarations& model) {
  if (!fires(event.kind)) return false;
  return std::any_of(event.sources.begin(), event.sources.end(), [&](const EventSource& source) {
    const auto i = static_cast<std::size_t>(source.index);
    return source.kind == EventSource::Kind::guard ? model.guards[i].name == name : name_of(source, model) == name;
  });
}

enum class Which { first, last, count };

void keep_events_of(const std::string& word, const std::string& part, Which which, const Declarations& model,
                    Kept& kept) {
  const std::vector<std::string> names = names_of_events(model);
  const int found = find_name(part, names, "--keep " + word);
  if (found < 0)
    throw Misuse(fmt::format("--keep {}: nothing in '{}' that can fire is called '{}'{}", word, model.name, part,
                             did_you_mean(part, names)));
  kept.columns.push_back({word, [name = names[static_cast<std::size_t>(found)], which](const Result& run) {
                            double t = which == Which::count ? 0 : std::nan("");
                            for (const Event& event : run.events) {
                              if (!is_by(event, name, *run.declarations)) continue;
                              if (which == Which::first) return event.t;
                              t = which == Which::count ? t + 1 : event.t;
                            }
                            return t;
                          }});
}

void keep(const std::string& word, const System& system, Kept& kept) {
  const Declarations& model = system.declarations();
  const auto colon = word.find(':');
  const std::string kind = word.substr(0, colon), name = colon == std::string::npos ? "" : word.substr(colon + 1);
  if (colon == std::string::npos) {
    if (word == "final") {
      for (const std::string& state : model.state_names)
        kept.columns.push_back({state, final_value(state, model, word)});
      return;
    }
    const std::vector<Column> plain{
        {"events", [](const Result& run) { return static_cast<double>(run.statistics.events.events); }},
        {"t_end", [](const Result& run) { return run.t_end; }},
        {"steps", [](const Result& run) { return static_cast<double>(run.statistics.steps_accepted); }},
        {"rhs", [](const Result& run) { return static_cast<double>(run.statistics.rhs); }}};
    for (const Column& column : plain) {
      if (column.name != word) continue;
      kept.columns.push_back(column);
      return;
    }
  } else if (kind == "final") {
    kept.columns.push_back({name, final_value(name, model, word)});
    return;
  } else if (kind == "range") {
    keep_range(name, model, word, kept);
    return;
  } else if (kind == "time_of" || kind == "last_time_of" || kind == "count_of") {
    keep_events_of(word, name,
                   kind == "time_of"    ? Which::first
                   : kind == "count_of" ? Which::count
                                        : Which::last,
                   model, kept);
    return;
  }
  throw Misuse(fmt::format(
      "--keep {}: unknown{} (there are final, final:NAME, events, range:NAME, time_of:EVENT, "
      "last_time_of:EVENT, count_of:EVENT, t_end, steps, rhs)",
      word,
      did_you_mean(kind,
                   {"final", "events", "range", "time_of", "last_time_of", "count_of", "t_end", "steps", "rhs"})));
}

}  // namespace

Kept read_kept(const std::vector<std::string>& words, const System& system) {
  Kept kept;
  for (const std::string& word : words) keep(word, system, kept);
  return kept;
}

}  // namespace pawl::sweeping
