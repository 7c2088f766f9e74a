#include "pawl/event.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace pawl {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::crossing:
      return "crossing";
    case EventKind::jump:
      return "jump";
    case EventKind::time:
      return "time";
    case EventKind::change:
      return "change";
    case EventKind::slide:
      return "slide";
    case EventKind::leave:
      return "leave";
    case EventKind::accumulation:
      return "accumulation";
    case EventKind::initial:
      return "initial";
    case EventKind::touch:
      return "touch";
    case EventKind::near_touch:
      return "near_touch";
    case EventKind::departure:
      return "departure";
  }
  return "unknown";
}

bool fires(EventKind kind) {
  return kind < EventKind::initial;
}

bool Event::fired(Guard guard) const {
  return fires(kind) && kind != EventKind::accumulation &&
         std::any_of(sources.begin(), sources.end(), [guard](const EventSource& source) {
           return source.kind == EventSource::Kind::guard && source.index == guard.index;
         });
}

bool Event::fired(const Contact& contact, ContactEvent of_kind) const {
  return std::find(contacts.begin(), contacts.end(), ContactFired{contact.index, of_kind}) != contacts.end();
}

const std::string& name_of(const ContactFired& one, const System::Declarations& model) {
  const auto& mechanism = (model.parts ? *model.parts : model).mechanics;
  return mechanism->contacts[static_cast<std::size_t>(one.contact)].name;
}

std::string name_of(const EventSource& source, const System::Declarations& model) {
  const auto i = static_cast<std::size_t>(source.index);
  switch (source.kind) {
    case EventSource::Kind::time:
      return model.time_events[i].name;
    case EventSource::Kind::exit:
      return model.relays[i].name;
    case EventSource::Kind::input:
      return model.input_names[i];
    case EventSource::Kind::guard:
      break;
  }
  const GuardInfo& guard = model.guards[i];
  return guard.is_family ? fmt::format("{}({},{})", guard.name, source.member.i, source.member.j) : guard.name;
}

namespace {

/// What a contact does, by its mode, and nothing for its other discrete variables; empty for those of the model.
std::optional<std::string> contact_words(const System::Declarations& model, int discrete, int value) {
  if (!model.mechanics) return std::nullopt;
  for (const ContactInfo& contact : model.mechanics->contacts) {
    if (contact.side == discrete) return "";
    if (contact.mode != discrete) continue;
    constexpr std::array words{"open", "closed", "sticks", "slips", "slips back"};
    return fmt::format("{} {}", contact.name, words[static_cast<std::size_t>(value)]);
  }
  return std::nullopt;
}

}  // namespace

std::string describe_mode(const Held& held, const System::Declarations& model) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    if (!text.empty()) text += ", ";
    text += words;
  };
  for (std::size_t i = 0; i < held.modes.size(); ++i) {
    const bool is_bool = model.mode_is_bool[i];
    if (model.first_own_mode >= 0 && static_cast<int>(i) >= model.first_own_mode && held.modes[i] == 0) continue;
    if (const auto words = contact_words(model, static_cast<int>(i), held.modes[i])) {
      if (!words->empty()) add(*words);
      continue;
    }
    add(is_bool ? fmt::format("{}{}", held.modes[i] != 0 ? "" : "not ", model.mode_names[i])
                : fmt::format("{} = {}", model.mode_names[i], held.modes[i]));
  }
  for (std::size_t i = 0; i < held.objects.size(); ++i) {
    if (const std::string value = held.objects[i].text(); !value.empty())
      add(fmt::format("{} = {}", model.object_names[i], value));
  }
  for (std::size_t i = 0; i < held.truths.size(); ++i) {
    const int sign = held.truths[i];
    add(model.condition_is_relation[i] ? fmt::format("{} {} 0", model.condition_names[i],
                                                     sign > 0   ? ">"
                                                     : sign < 0 ? "<"
                                                                : "==")
                                       : fmt::format("{}{}", sign != 0 ? "" : "not ", model.condition_names[i]));
  }
  for (std::size_t i = 0; i < held.members.size(); ++i) {
    std::string list = fmt::format("{} of {} hold", held.members[i].size(), model.condition_family_names[i]);
    for (std::size_t k = 0; k < held.members[i].size() && k < 8; ++k)
      list += fmt::format("{}({},{})", k == 0 ? ": " : " ", held.members[i][k].i, held.members[i][k].j);
    add(list + (held.members[i].size() > 8 ? " ..." : ""));
  }
  for (std::size_t i = 0; i < held.sides.size(); ++i) {
    const char* side = held.sides[i] == RelaySide::sliding ? "sliding"
                       : held.sides[i] == RelaySide::above ? "above"
                                                           : "below";
    add(fmt::format("{} {}", model.relays[i].name, side));
  }
  return text;
}

std::string_view to_string(Assurance assurance) {
  switch (assurance) {
    case Assurance::proved:
      return "proved";
    case Assurance::bounded:
      return "bounded";
    case Assurance::sampled:
      return "sampled";
  }
  return "?";
}

}  // namespace pawl
