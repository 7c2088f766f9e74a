#include "pawl/model/model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/copy.hpp"

namespace pawl::model {

namespace {

constexpr int text_depth = 4;

std::size_t index_of(int i) {
  return static_cast<std::size_t>(i);
}

std::string place_text(const Place& place) {
  if (place.line == 0) return {};
  const auto slash = place.file.find_last_of('/');
  return fmt::format(" ({}:{})", slash == std::string::npos ? place.file : place.file.substr(slash + 1), place.line);
}

}  // namespace

std::string ModelData::text(const Equation& equation) const {
  return fmt::format("{} = {}{}", graph->text(equation.left, text_depth), graph->text(equation.right, text_depth),
                     place_text(equation.place));
}

Model::Model(std::string name) : data_(std::make_shared<ModelData>()), names_(std::make_shared<detail::NameSet>()) {
  data_->name = std::move(name);
}

void Model::take_name(const std::string& name) {
  if (name.empty()) throw Misuse(fmt::format("model '{}': a name is empty", data_->name));
  if (!names_->insert(name)) throw Misuse(fmt::format("model '{}': the name '{}' is taken", data_->name, name));
}

int Model::node_of(const Expr& value) const {
  if (value.graph() != nullptr && value.graph() != data_->graph.get())
    throw Misuse(fmt::format("model '{}' is given an expression of another model: '{}'", data_->name,
                             value.graph()->text(value.node())));
  return value.node_in(*data_->graph);
}

int Model::held_node(const Expr& value, const char* what) const {
  const int node = node_of(value);
  if (data_->graph->is_moving(node))
    throw Misuse(fmt::format("model '{}': {} is '{}', which moves; parameters and numbers are allowed", data_->name,
                             what, data_->graph->text(node)));
  return node;
}

Expr Model::unknown(const std::string& name, const Expr& start, bool is_wanted) {
  take_name(name);
  const int node = held_node(start, "the start of an unknown");
  const int index = static_cast<int>(data_->unknowns.size());
  data_->unknowns.push_back({name, node, is_wanted});
  return model::state(*data_->graph, index, name);
}
Expr Model::state(const std::string& name, const Expr& start) {
  return unknown(name, start, true);
}
Expr Model::variable(const std::string& name, const Expr& start) {
  return unknown(name, start, false);
}

Expr Model::parameter(const std::string& name, double value) {
  take_name(name);
  const int index = static_cast<int>(data_->parameters.size());
  data_->parameters.push_back({name, value});
  return model::parameter(*data_->graph, index, name);
}

Expr Model::discrete(const std::string& name, double start) {
  take_name(name);
  const int index = static_cast<int>(data_->numbers.size());
  data_->numbers.push_back({name, start});
  data_->graph->name(Op::number, index + ModelData::before, fmt::format("pre({})", name));
  return model::number(*data_->graph, index, name);
}
Expr Model::discrete(const std::string& name, int start) {
  take_name(name);
  const int index = static_cast<int>(data_->modes.size());
  data_->modes.push_back({name, start, false});
  data_->graph->name(Op::mode, index + ModelData::before, fmt::format("pre({})", name));
  return model::mode(*data_->graph, index, name);
}
Expr Model::discrete(const std::string& name, bool start) {
  const Expr made = discrete(name, start ? 1 : 0);
  data_->modes.back().is_bool = true;
  return made;
}

void Model::nominal(const Expr& unknown, double size) {
  const Node n = (*data_->graph)[node_of(unknown)];
  if (n.op != Op::state) throw Misuse(fmt::format("model '{}': only an unknown has a nominal size", data_->name));
  if (!(size > 0) || !std::isfinite(size))
    throw Misuse(fmt::format("model '{}': the nominal size {:g} of '{}' must be above zero", data_->name, size,
                             data_->unknowns[index_of(n.a)].name));
  data_->unknowns[index_of(n.a)].nominal = size;
}

// What was written since the last sentence belongs to this one.
void Model::mark(const Place& place) {
  Graph& graph = *data_->graph;
  if (place.line > 0) {
    for (int node = marked_; node < graph.size(); ++node)
      if (!is_leaf(graph[node].op)) graph.set_place(node, place);
  }
  marked_ = graph.size();
}

void Model::equation(const Place& place, const Expr& left, const Expr& right) {
  const int a = node_of(left), b = node_of(right);
  mark(place);
  data_->equations.push_back({a, b, place});
}
void Model::initial_equation(const Place& place, const Expr& left, const Expr& right) {
  const int a = node_of(left), b = node_of(right);
  mark(place);
  data_->initial_equations.push_back({a, b, place});
}

Expr Model::relation(const std::string& name, const Expr& g) {
  take_name(name);
  const int node = node_of(g), index = static_cast<int>(data_->relations.size());
  data_->relations.push_back({name, node});
  data_->graph->name(Op::truth, index + ModelData::before, fmt::format("pre({})", name));
  return truth(*data_->graph, index, name);
}

Expr Model::tick(ModelData::Tick tick) {
  const int index = ModelData::ticks + static_cast<int>(data_->time_events.size());
  data_->time_events.push_back(tick);
  return truth(*data_->graph, index, fmt::format("time event {}", data_->time_events.size()));
}
Expr Model::at(const Expr& time) {
  return tick({false, held_node(time, "the time of an event"), data_->graph->constant(0)});
}
Expr Model::every(const Expr& period, const Expr& first) {
  const int node = held_node(period, "a period");
  return tick({true, node, held_node(first, "the first time of an event")});
}
Expr Model::is_initial() {
  return truth(*data_->graph, ModelData::initial, "initial()");
}

void Model::when(const Expr& condition, const std::function<void(When&)>& body, const Place& here) {
  const int node = node_of(condition);
  if (data_->graph->is_moving(node)) {
    throw Misuse(
        fmt::format("model '{}': when ({}) reads something that moves: declare it as a relation, whose truth is "
                    "held, and write when (relation)",
                    data_->name, data_->graph->text(node)));
  }
  ModelData::When made{node, {}, here};
  When scope(*data_, made);
  body(scope);
  mark(made.place);
  data_->whens.push_back(std::move(made));
}

namespace {

ModelData::Action assignment(const ModelData& model, const Expr& discrete, const Expr& value) {
  using Kind = ModelData::Action::Kind;
  Graph& graph = *model.graph;
  const int target = discrete.node_in(graph), node = value.node_in(graph);
  const Node n = graph[target];
  if ((n.op != Op::number && n.op != Op::mode) || n.a >= ModelData::before)
    throw Misuse(
        fmt::format("model '{}': '{}' is assigned, and it is no discrete variable", model.name, graph.text(target)));
  return {n.op == Op::number ? Kind::assign_number : Kind::assign_mode, n.a, node};
}

}  // namespace

void When::assign(const Expr& discrete, const Expr& value) {
  when_.actions.push_back(assignment(model_, discrete, value));
}
void Model::always(const Expr& discrete, const Expr& value) {
  node_of(discrete);
  node_of(value);
  data_->always.push_back(assignment(*data_, discrete, value));
}

void When::reinit(const Expr& state, const Expr& value) {
  Graph& graph = *model_.graph;
  const int target = state.node_in(graph);
  if (graph[target].op != Op::state)
    throw Misuse(
        fmt::format("model '{}': '{}' is reinitialized, and it is no unknown", model_.name, graph.text(target)));
  when_.actions.push_back({ModelData::Action::Kind::reinit, graph[target].a, value.node_in(graph)});
}
void When::terminate(std::string reason) {
  when_.actions.push_back({ModelData::Action::Kind::terminate, 0, model_.graph->constant(0), std::move(reason)});
}

void Model::observable(const std::string& name, const Expr& value) {
  take_name(name);
  data_->observables.push_back({name, node_of(value)});
}

Model Model::of(ModelData data) {
  Model model(data.name);
  for (const auto& one : data.unknowns) model.take_name(one.name);
  for (const auto& one : data.parameters) model.take_name(one.name);
  for (const auto& one : data.numbers) model.take_name(one.name);
  for (const auto& one : data.modes) model.take_name(one.name);
  for (const auto& one : data.relations) model.take_name(one.name);
  for (const auto& one : data.observables) model.take_name(one.name);
  *model.data_ = std::move(data);
  model.marked_ = model.data_->graph->size();
  return model;
}

Expr der(const Expr& value) {
  Graph* graph = value.graph();
  if (graph == nullptr) return 0.0;
  return {*graph, graph->differentiated({value.node()}).front()};
}

Expr pre(const Expr& value) {
  Graph* graph = value.graph();
  if (graph == nullptr) return value;
  Copy copy(*graph, *graph, [graph](int number, const Node& n) {
    if (n.op != Op::number && n.op != Op::mode && n.op != Op::truth) return number;
    if (n.op == Op::truth && n.a >= ModelData::ticks) return graph->constant(0);
    return n.a >= ModelData::before ? number : graph->input(n.op, n.a + ModelData::before);
  });
  return {*graph, copy(value.node())};
}

}  // namespace pawl::model
