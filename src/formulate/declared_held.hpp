// What is held before a run has decided anything: values as they were declared, relays below.
#pragma once

#include "pawl/system.hpp"

namespace pawl::formulate {

inline Held declared_held(const System::Declarations& model) {
  Held held{.parameters = model.parameters,
            .modes = model.modes,
            .numbers = model.numbers,
            .objects = model.objects,
            .truths = std::vector<signed char>(model.condition_names.size(), 0),
            .members = std::vector<std::vector<Pair>>(model.condition_family_names.size()),
            .levels = {},
            .sides = std::vector<RelaySide>(model.relays.size(), RelaySide::below),
            .inputs = {},
            .margins = {},
            .model = model.model,
            .states = model.state_names.size(),
            .first_multiplier = model.first_multiplier,
            .first_relay = model.first_relay};
  for (const RelayInfo& relay : model.relays) held.levels.push_back(relay.below);
  for (const auto& signal : model.inputs) held.inputs.push_back({signal});
  return held;
}

}  // namespace pawl::formulate
