#include "report/json.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/advice_json.hpp"
#include "report/digits.hpp"

namespace pawl {

using Json = nlohmann::ordered_json;

namespace {

Json event_statistics_of(const EventStatistics& events) {
  Json guarantees = Json::object();
  for (const Guarantee& one : events.guarantees) guarantees[one.guard] = to_string(one.level);
  return {{"fired", events.events},
          {"guards", events.guards},
          {"guard_ranges", events.guard_ranges},
          {"guard_points", events.guard_points},
          {"iterations", events.iterations},
          {"rhs_for_location", events.rhs_for_location},
          {"micro_steps", events.micro_steps},
          {"wrong_order", events.wrong_order},
          {"false_roots", events.false_roots},
          {"guarantees", guarantees}};
}

Json statistics_of(const Statistics& statistics) {
  return {{"rhs", statistics.rhs},
          {"steps_accepted", statistics.steps_accepted},
          {"steps_rejected", statistics.steps_rejected},
          {"min_step", statistics.min_step},
          {"max_step", statistics.max_step},
          {"largest_error_estimate", statistics.largest_error_estimate},
          {"wall_seconds", statistics.wall_seconds},
          {"events", event_statistics_of(statistics.events)}};
}

Json events_of(const Result& run) {
  Json all = Json::array();
  for (const Event& event : run.events) {
    Json contacts = Json::array();
    for (const ContactFired& one : event.contacts)
      contacts.push_back({{"name", name_of(one, *run.declarations)}, {"kind", std::string(to_string(one.kind))}});
    all.push_back({{"t", event.t},
                   {"guards", run.names(event)},
                   {"kind", std::string(to_string(event.kind))},
                   {"mode_before", run.mode(*event.held_before)},
                   {"mode_after", run.mode(*event.held_after)},
                   {"uncertainty", event.uncertainty},
                   {"contacts", contacts},
                   {"notes", event.notes}});
  }
  return all;
}

Json observables_of(const Result& run) {
  Json all = Json::object();
  for (std::size_t i = 0; i < run.observable_names().size(); ++i) {
    const Range range = run.range(Observable{static_cast<int>(i)});
    all[run.observable_names()[i]] = {{"min", range.min}, {"max", range.max}, {"variation", range.variation()}};
  }
  return all;
}

Json data_of(const Message& message) {
  Json all = Json::object();
  for (const Message::Datum& one : message.data)
    std::visit([&](const auto& value) { all[one.name] = value; }, one.value);
  return all;
}

Json messages_of(const Result& run) {
  Json all = Json::array();
  for (const Message& message : run.messages) {
    all.push_back({{"code", to_string(message.code)},
                   {"level", to_string(message.level)},
                   {"t", message.t},
                   {"data", data_of(message)},
                   {"text", message.text}});
  }
  return all;
}

/// Of all constraints, at the end of the run.
Json multipliers_of(const Result& run) {
  Json all = Json::object();
  const Instant last = run.final();
  if (!run.statistics.constraints) return all;
  for (std::size_t i = 0; i < run.constraint_names().size(); ++i) {
    try {
      all[run.constraint_names()[i]] = last[Constraint{static_cast<int>(i)}];
    } catch (const std::exception&) {  // a function of the model throws there; the reason says so
      all[run.constraint_names()[i]] = nullptr;
    }
  }
  return all;
}

Json invariants_of(const Statistics& statistics) {
  if (!statistics.constraints) return Json::object();
  const ConstraintStatistics& c = *statistics.constraints;
  Json reached = Json::array();
  for (const auto& [constraint, t] : c.reached) reached.push_back({{"constraint", constraint}, {"t", t}});
  return {{"formulation", c.formulation},
          {"stabilization", c.stabilization},
          {"inertia", c.inertia},
          {"position_drift", c.position_drift},
          {"velocity_drift", c.velocity_drift},
          {"invariant_drift", c.invariant_drift},
          {"surface", c.surface},
          {"max_adjustment", c.max_adjustment},
          {"max_adjustment_in_tolerance", c.max_adjustment_in_tolerance},
          {"corrections", c.corrections},
          {"iterations", c.iterations},
          {"refactored", c.refactored},
          {"raised_polynomials", c.raised_polynomials},
          {"redundant", c.redundant},
          {"reaching_times", reached}};
}

Json implicit_of(const Statistics& statistics) {
  if (!statistics.implicit) return Json::object();
  const ImplicitStatistics& i = *statistics.implicit;
  Json steps = Json::object();
  for (const auto& [method, count] : i.steps) steps[method] = count;
  return {{"jacobians", i.jacobians},           {"dual_rhs", i.dual_rhs},
          {"factorizations", i.factorizations}, {"solves", i.solves},
          {"newton_iterations", i.iterations},  {"newton_failures", i.divergences},
          {"linear_solver", i.linear_solver},   {"jacobian", i.jacobian},
          {"structure", i.structure},           {"steps", steps}};
}

Json optional(const std::optional<double>& number) {
  return number ? Json(*number) : Json();
}

Json range_of(const Range& range) {
  return {{"min", range.min}, {"max", range.max}, {"variation", range.variation()}};
}

Json second_run_of(const SecondRun& run) {
  Json variables = Json::object(), events = Json::array(), observables = Json::object();
  for (const Agreement& one : run.variables)
    variables[one.variable] = {
        {"digits", one.digits}, {"digits_at_end", one.digits_at_end}, {"t_worst", one.t_worst}, {"scale", one.scale}};
  for (const EventPair& pair : run.events) {
    events.push_back({{"name", pair.name},
                      {"kind", pair.kind},
                      {"t_first", optional(pair.t_first)},
                      {"t_other", optional(pair.t_other)},
                      {"excused", pair.is_excused}});
  }
  for (const ObservablePair& one : run.observables)
    observables[one.name] = {{"first", range_of(one.first)}, {"other", range_of(one.other)}};
  return {{"what", run.what},
          {"how", run.how},
          {"why", run.why},
          {"method", run.method},
          {"formulation", run.formulation},
          {"has_run", run.has_run},
          {"outcome", std::string(to_string(run.outcome))},
          {"reason", run.reason},
          {"t_end", run.t_end},
          {"t_compared", run.t_compared},
          {"digits", run.digits},
          {"digits_at_end", run.digits_at_end},
          {"t_parts", optional(run.t_parts)},
          {"parting_event", run.parting_event},
          {"variables", variables},
          {"events", events},
          {"events_matched", run.matched},
          {"events_missing", run.missing},
          {"events_extra", run.extra},
          {"largest_time_difference", run.largest_time_difference},
          {"observables", observables},
          {"invariants", invariants_of(run.statistics)},
          {"statistics", statistics_of(run.statistics)}};
}

/// How many bytes from here on are one character of UTF-8 (RFC 3629); 0: none.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const bool is_overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool is_no_character = (lead == 0xED && byte(1) >= 0xA0) || (lead == 0xF4 && byte(1) >= 0x90);
  return is_overlong || is_no_character ? 0 : length;
}

/// A string of JSON for any bytes: those that are no UTF-8 are read as Latin-1, so that names stay apart.
void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte == '"' || byte == '\\')
      out.append({'\\', text.front()});
    else if (byte == '\n')
      out += "\\n";
    else if (byte == '\t')
      out += "\\t";
    else if (length == 0 || byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

void append_number(std::string& out, double number) {
  if (std::isfinite(number))
    append_digits(out, number);
  else
    out += "null";
}

void print_into(std::string& out, const Json& value, int depth) {
  const auto indent = [&out](int levels) { out.append("\n").append(static_cast<std::size_t>(2 * levels), ' '); };
  if (const double* number = value.get_ptr<const Json::number_float_t*>(); number != nullptr) {
    append_number(out, *number);
  } else if (value.is_string()) {
    append_string(out, value.get_ref<const std::string&>());
  } else if (value.is_array() && (value.empty() || value.front().is_primitive())) {
    out += '[';
    bool is_first = true;
    for (const Json& one : value.get_ref<const Json::array_t&>()) {  // its own iterators: there may be millions
      if (!is_first) out += ", ";
      is_first = false;
      print_into(out, one, depth);
    }
    out += ']';
  } else if (value.is_structured() && !value.empty()) {
    const bool is_object = value.is_object();
    out += is_object ? "{" : "[";
    bool is_first = true;
    for (const auto& item : value.items()) {
      if (!is_first) out += ",";
      is_first = false;
      indent(depth + 1);
      if (is_object) {
        append_string(out, item.key());
        out += ": ";
      }
      print_into(out, item.value(), depth + 1);
    }
    indent(depth);
    out += is_object ? "}" : "]";
  } else {
    out += value.dump();
  }
}

}  // namespace

Json to_json(const Result& run) {
  Json final = Json::object();
  const Instant last = run.final();
  for (std::size_t i = 0; i < run.state_names().size(); ++i) final[run.state_names()[i]] = last.states()[i];
  return {{"model", run.model},
          {"method", run.method},
          {"t_start", run.t_start},
          {"t_end", run.t_end},
          {"outcome", std::string(to_string(run.outcome))},
          {"reason", run.reason},
          {"plan", to_json(run.plan)},
          {"reason_code", run.ending ? Json(to_string(run.ending->code)) : Json()},
          {"final", final},
          {"multipliers", multipliers_of(run)},
          {"statistics", statistics_of(run.statistics)},
          {"observables", observables_of(run)},
          {"events", events_of(run)},
          {"invariants", invariants_of(run.statistics)},
          {"implicit", implicit_of(run.statistics)},
          {"messages", messages_of(run)}};
}

Json to_json(const Verification& verification) {
  Json runs = Json::array(), growth;
  for (const SecondRun& run : verification.runs) runs.push_back(second_run_of(run));
  if (verification.growth) {
    growth = {{"rate", verification.growth->rate},
              {"e_foldings", verification.growth->e_foldings},
              {"power", verification.growth->power},
              {"is_exponential", verification.growth->is_exponential}};
  }
  return {{"verdict", std::string(to_string(verification.verdict))},
          {"summary", verification.summary},
          {"advice", verification.advice},
          {"digits", verification.digits},
          {"wanted_digits", verification.wanted_digits},
          {"t_parts", optional(verification.t_parts)},
          {"parting_event", verification.parting_event},
          {"growth", growth},
          {"chaotic", verification.is_chaotic},
          {"stopped", verification.was_stopped},
          {"rhs", verification.rhs},
          {"wall_seconds", verification.wall_seconds},
          {"runs", runs}};
}

std::string print(const Json& value) {
  std::string out;
  print_into(out, value, 0);
  out += '\n';
  return out;
}

std::string print(const Json& object, const Table& samples) {
  std::string out;
  out.reserve(24 * samples.values.size() + 65536);
  print_into(out, object, 0);
  out.resize(out.find_last_not_of('\n', out.size() - 2) + 1);  // without its last brace
  out += object.empty() ? "\n" : ",\n";
  out += "  \"samples\": {";
  for (std::size_t c = 0; c < samples.columns(); ++c) {
    out += c == 0 ? "\n    " : ",\n    ";
    append_string(out, samples.names[c]);
    out += ": [";
    for (std::size_t r = 0; r < samples.rows(); ++r) {
      if (r > 0) out += ", ";
      append_number(out, samples(r, c));
    }
    out += ']';
  }
  out += "\n  }\n}\n";
  return out;
}

}  // namespace pawl
