#include "pawl/model/trace.hpp"

namespace pawl::model {

std::shared_ptr<Graph> graph_for(const System& system) {
  auto graph = std::make_shared<Graph>();
  const System::Declarations& model = system.declarations();
  const auto name_all = [&](Op kind, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) graph->name(kind, static_cast<int>(i), names[i]);
  };
  name_all(Op::state, model.state_names);
  name_all(Op::parameter, model.parameter_names);
  name_all(Op::number, model.number_names);
  name_all(Op::mode, model.mode_names);
  name_all(Op::truth, model.condition_names);
  name_all(Op::input, model.input_names);
  for (std::size_t i = 0; i < model.relays.size(); ++i)
    graph->name(Op::relay, static_cast<int>(i), model.relays[i].name);
  return graph;
}

}  // namespace pawl::model
