#include "pawl/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pawl/contact_family.hpp"
#include "report/curves.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "report/picture_data.hpp"
#include "report/report_facts.hpp"
#include "report/sampled_path.hpp"
#include "report/whole_file.hpp"
#include "simulate/quantity.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t most_followers = 200;  // curves that take a call of the model per point
constexpr std::size_t most_held = 200;

/// Column by column; backward runs are shown in ascending order of time too.
Json events_of(const Result& run, PageWords& words) {
  Json t = Json::array(), names = Json::array(), kind = Json::array(), before = Json::array(), after = Json::array(),
       notes = Json::array(), uncertainty = Json::array();
  for (const Event& event : run.events) {
    Json own_names = Json::array(), own_notes = Json::array();
    for (const std::string& name : run.names(event)) own_names.push_back(words.number(name));
    for (const std::string& note : event.notes) own_notes.push_back(words.number(note));
    t.push_back(event.t);
    names.push_back(std::move(own_names));
    kind.push_back(words.number(std::string(to_string(event.kind))));
    before.push_back(words.number(run.mode(*event.held_before)));
    after.push_back(words.number(run.mode(*event.held_after)));
    notes.push_back(std::move(own_notes));
    uncertainty.push_back(event.uncertainty);
  }
  return {{"t", t},
          {"names", names},
          {"kind", kind},
          {"before", before},
          {"after", after},
          {"notes", notes},
          {"uncertainty", uncertainty}};
}

/// What is held, in words, from each of these times on.
Json modes_of(const Result& run, PageWords& words) {
  Json t = Json::array(), name = Json::array();
  std::size_t last = 0;
  for (std::size_t i = 0; i < run.eras.size(); ++i) {
    const std::size_t number = words.number(run.mode(*run.eras[i].held));
    if (i > 0 && number == last) continue;
    t.push_back(run.eras[i].t);
    name.push_back(number);
    last = number;
  }
  return {{"t", t}, {"name", name}};
}

/// Discrete variables and parameters that change during the run, as steps.
Json held_of(const Result& run, std::vector<std::string>& remarks) {
  const System::Declarations& model = *run.declarations;
  Json all = Json::array();
  std::size_t left_out = 0;
  const auto add = [&](const std::vector<std::string>& names, bool is_always, auto values_of) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::vector<std::pair<double, double>> steps;
      for (const Result::Era& era : run.eras) {
        const auto value = static_cast<double>(values_of(*era.held)[i]);
        if (steps.empty() || steps.back().second != value) steps.emplace_back(era.t, value);
      }
      if (!is_always && steps.size() < 2) continue;
      if (all.size() == most_held) {
        ++left_out;
        continue;
      }
      if (run.t_end < run.t_start) {  // ascending: each value from where it ends, backward in time
        std::reverse(steps.begin(), steps.end());
        for (std::size_t k = steps.size() - 1; k > 0; --k) steps[k].first = steps[k - 1].first;
        steps.front().first = run.t_end;
      }
      Json t = Json::array(), values = Json::array();
      for (const auto& [time, value] : steps) {
        t.push_back(time);
        values.push_back(value);
      }
      all.push_back({{"name", names[i]}, {"t", t}, {"values", values}});
    }
  };
  add(
      model.mode_names, true, [](const Held& held) -> const auto& { return held.modes; });
  add(
      model.number_names, true, [](const Held& held) -> const auto& { return held.numbers; });
  add(
      model.parameter_names, false, [](const Held& held) -> const auto& { return held.parameters; });
  if (left_out > 0) remarks.push_back(fmt::format("{} more discrete variables are not in this file", left_out));
  return all;
}

std::vector<Follower> followers_of(const Result& run, std::vector<std::string>& remarks) {
  const System::Declarations& model = *run.declarations;
  std::vector<Follower> all;
  for (std::size_t i = 0; i < model.observable_names.size(); ++i)
    all.push_back({model.observable_names[i], "observable",
                   [i](const event::Scene& scene, const Instant&) { return scene.observable(static_cast<int>(i)); }});
  for (std::size_t i = 0; i < model.input_names.size(); ++i)
    all.push_back({model.input_names[i], "input",
                   [i](const event::Scene&, const Instant& at) { return at[Input{static_cast<int>(i)}]; }});
  for (std::size_t i = 0; i < model.relays.size(); ++i) {
    all.push_back({model.relays[i].name, "relay", [i](const event::Scene& scene, const Instant&) {
                     return scene.point()[Relay{static_cast<int>(i)}];
                   }});
  }
  if (model.first_multiplier < 0) {  // else they are states
    for (std::size_t i = 0; i < model.constraint_names.size(); ++i)
      all.push_back({model.constraint_names[i], "multiplier",
                     [i](const event::Scene& scene, const Instant&) { return scene.multiplier(static_cast<int>(i)); }});
  }
  if (all.size() > most_followers) {
    remarks.push_back(
        fmt::format("{} of {} observables, inputs and multipliers are in this file", most_followers, all.size()));
    all.resize(most_followers);
  }
  return all;
}

Json plots_of(const Result& run, const ReportOptions& options) {
  Json all = Json::array();
  for (const std::string& words : options.plots) {
    if (words.empty()) continue;
    const auto comma = words.find(',');
    const bool is_known =
        std::find(run.state_names().begin(), run.state_names().end(), words) != run.state_names().end();
    const std::string over = comma == std::string::npos || is_known ? "t" : words.substr(0, comma);
    if (over == "t")
      all.push_back({is_known ? words : words.substr(comma + 1)});  // npos + 1 is 0
    else
      all.push_back({words.substr(comma + 1), over});
  }
  return all;
}

/// How many curves fit into a file of this size: a coefficient takes about 0.8 bytes, or 9 as it was recorded.
std::size_t room_for_curves(const Result& run, const ReportOptions& options) {
  const auto states = static_cast<double>(run.state_names().size());
  const double bytes = static_cast<double>(run.trajectory.coefficients.size()) / states * (options.exact ? 9 : 0.8);
  return static_cast<std::size_t>(std::max(1.0, 1e6 * options.most_megabytes / std::max(bytes, 1.0)));
}

/// So many states as there is room for, those that are plotted first; all of them in their own order.
std::vector<std::size_t> chosen_states(const Result& run, const Json& plots, std::size_t room) {
  const std::vector<std::string>& names = run.state_names();
  std::vector<std::size_t> chosen;
  const auto add = [&](std::size_t i) {
    if (chosen.size() < room && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  };
  if (room < names.size()) {
    for (const Json& plot : plots) {
      for (const Json& name : plot)
        if (const auto at = std::find(names.begin(), names.end(), name.get<std::string>()); at != names.end())
          add(static_cast<std::size_t>(at - names.begin()));
    }
  }
  if (chosen.empty() && room >= names.size()) {
    chosen.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) chosen[i] = i;
  }
  for (std::size_t i = 0; i < names.size() && chosen.size() < std::min(room, names.size()); ++i) add(i);
  return chosen;
}

/// States of the second runs over those of this one, and their differences, in plots of their own: those that are
/// plotted, and a few more to choose from.
void add_second_runs(Json& head, Curves& curves, const Result& run, const Verification& verification) {
  constexpr std::size_t most = 20, most_plots = 3;
  std::vector<std::size_t> states;
  const auto add = [&](std::size_t i) {
    if (states.size() < most && std::find(states.begin(), states.end(), i) == states.end()) states.push_back(i);
  };
  const std::vector<std::string>& names = run.state_names();
  for (const Json& plot : head["plots"]) {
    for (const Json& name : plot)
      if (const auto at = std::find(names.begin(), names.end(), name.get<std::string>()); at != names.end())
        add(static_cast<std::size_t>(at - names.begin()));
  }
  const std::size_t plotted = std::clamp<std::size_t>(states.size(), 1, most_plots);
  for (std::size_t i = 0; i < names.size(); ++i) add(i);
  std::vector<Json> together, apart;
  for (const std::size_t i : states) {
    together.push_back(Json::array({names[i]}));
    apart.push_back(Json::array());
  }
  for (const SecondRun& other : verification.runs) {
    if (other.times.size() < 2) continue;
    const Json made =
        curves.beside(fmt::format("{} ({})", other.what, other.method), states, other.times, other.differences);
    for (std::size_t k = 0; k < states.size(); ++k) {
      together[k].push_back(made[2 * k]["name"]);
      apart[k].push_back(made[2 * k + 1]["name"]);
    }
    for (const Json& one : made) head["curves"].push_back(one);
  }
  Json stacked = Json::array();
  for (std::size_t k = 0; k < std::min(plotted, states.size()); ++k) {
    if (apart[k].empty()) continue;
    stacked.push_back(together[k]);
    stacked.push_back(apart[k]);
  }
  if (!stacked.empty()) head["stacked"] = std::move(stacked);
}

std::string page_of(const Result& run, const ReportOptions& options) {
  if (run.statistics.steps_accepted > 0 && run.trajectory.coefficients.empty())
    throw Misuse("a report draws the polynomials of the run: ask for Options::keep = Keep::everything");
  Packing packing;
  PageWords words;
  std::vector<std::string> remarks;
  std::string counts;  // where steps and events are not what there is to count
  if (const int family = family_of(*run.declarations); family >= 0) {
    const std::size_t samples = run.trajectory.sample_times.size();
    remarks.push_back(fmt::format(
        "The spheres of a family of contacts have no common steps: between its {} samples this file draws cubics "
        "through positions and speeds. More samples show impacts sharper.",
        samples));
    counts = fmt::format("{} samples, {} impacts of the family, counted, not listed", samples,
                         run.final()[ContactFamily{family}].impacts);
  }
  Curves curves(run, packing, options.exact);
  PictureData picture = picture_of(run);
  Json head = empty_page(options.title.empty() ? run.model : options.title, run.t_start, run.t_end);
  head["model"] = run.model;
  head["summary"] = options.summary;
  head["method"] = run.method;
  head["outcome"] = std::string(to_string(run.outcome));
  head["reason"] = run.reason;
  if (!counts.empty()) head["counts"] = counts;
  head["command"] = options.command;
  head["exact"] = options.exact;
  head["plots"] = plots_of(run, options);
  head["pieces"] = curves.pieces();
  const std::size_t room = room_for_curves(run, options);
  const std::vector<std::size_t> states = chosen_states(run, head["plots"], room);
  head["curves"] = curves.states(states);
  std::vector<Follower> followers = followers_of(run, remarks);
  const std::size_t left = room - states.size();
  const bool is_thinned =
      states.size() < run.state_names().size() || followers.size() + picture.followers.size() > left;
  if (is_thinned) {
    const bool has_picture = !picture.shapes.is_null();
    if (states.size() < run.state_names().size() || picture.followers.size() > left) picture = {};
    const std::size_t kept = std::min(followers.size(), left - picture.followers.size());
    remarks.push_back(fmt::format(
        "This file is thinned: {} of {} states are in it, {} of {} observables, inputs and multipliers{}{}. With all "
        "of "
        "them it would be larger than {:g} MB; name those that matter in the plots, or ask for a larger file.",
        states.size(), run.state_names().size(), kept, followers.size(),
        has_picture && picture.shapes.is_null() ? ", no picture" : "",
        options.verification != nullptr ? ", no second runs" : "", options.most_megabytes));
    followers.resize(kept);
  }
  followers.insert(followers.end(), picture.followers.begin(), picture.followers.end());
  for (Json& one : curves.followers(followers)) head["curves"].push_back(std::move(one));
  if (options.verification != nullptr && !run.trajectory.t1.empty() && !is_thinned)
    add_second_runs(head, curves, run, *options.verification);
  head["held"] = held_of(run, remarks);
  if (Json drift = curves.drift(); !drift.is_null()) head["drift"] = std::move(drift);
  if (Json history = curves.history(); !history.is_null()) head["history"] = std::move(history);
  Json energies = Json::array();
  for (const int i : run.declarations->energies)
    energies.push_back(run.declarations->observable_names[static_cast<std::size_t>(i)]);
  head["energies"] = energies;
  if (!picture.shapes.is_null() && !run.trajectory.t1.empty()) {
    picture.shapes["channels"] = channels_of(picture, curves.constants);
    head["picture"] = picture.shapes;
  }
  head["events"] = events_of(run, words);
  head["modes"] = modes_of(run, words);
  head["words"] = words.take();
  head["messages"] = to_json(run)["messages"];
  head["facts"] = report_facts(run, options);
  Json texts = Json::array();
  for (const auto& [heading, text] : options.texts) texts.push_back({heading, text});
  head["texts"] = texts;
  head["remarks"] = remarks;

  return page_with(head, packing, head.contains("picture") && picture.is_in_space);
}

}  // namespace

std::string to_html(const Result& run, const ReportOptions& options) {
  return family_of(*run.declarations) >= 0 ? page_of(with_cubics_between_samples(run), options) : page_of(run, options);
}

void report(const Result& run, const std::string& path, const ReportOptions& options) {
  write_whole_file(path, to_html(run, options));
}

}  // namespace pawl
