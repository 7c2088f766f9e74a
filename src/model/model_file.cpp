#include "pawl/model/model_file.hpp"

#include <cmath>
#include <fstream>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "model/line_reader.hpp"
#include "numerics/index.hpp"

namespace pawl::model {

namespace {

constexpr int highest_derivative = 32;
constexpr const char* no_place = "-";

using Action = ModelData::Action;

class ModelWriter {
 public:
  explicit ModelWriter(const ModelData& model) : model_(model) {}

  std::string write() {
    text_ = fmt::format("pawl model {}\nname {}\n", model_file_version, one_line(model_.name));
    begin("unknowns", model_.unknowns.size());
    for (const auto& one : model_.unknowns)
      line("{} {} {} {}", one.is_wanted ? "state" : "variable", output(one.start), number_text(one.nominal),
           one_line(one.name));
    begin("parameters", model_.parameters.size());
    for (const auto& one : model_.parameters) line("{} {}", number_text(one.value), one_line(one.name));
    begin("numbers", model_.numbers.size());
    for (const auto& one : model_.numbers) line("{} {}", number_text(one.start), one_line(one.name));
    begin("modes", model_.modes.size());
    for (const auto& one : model_.modes) line("{} {} {}", one.is_bool ? "bool" : "int", one.start, one_line(one.name));
    begin("events", model_.time_events.size());
    for (const auto& one : model_.time_events)
      line("{} {} {}", one.is_periodic ? "every" : "at", output(one.time), output(one.phase));
    write_named("relations", model_.relations);
    write_named("observables", model_.observables);
    write_equations("equations", model_.equations);
    write_equations("initial", model_.initial_equations);
    begin("always", model_.always.size());
    for (const Action& one : model_.always) write_action(one);
    begin("whens", model_.whens.size());
    for (const auto& one : model_.whens) {
      line("{} {} {}", output(one.condition), one.actions.size(), place_text(one.place));
      for (const Action& action : one.actions) write_action(action);
    }
    write_graph(text_, *model_.graph, outputs_);
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += fmt::format(format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }
  void begin(const char* section, std::size_t count) { line("{} {}", section, count); }
  int output(int node) {
    outputs_.push_back(node);
    return static_cast<int>(outputs_.size()) - 1;
  }
  static std::string place_text(const Place& place) {
    return fmt::format("{} {}", place.line, place.file.empty() ? no_place : one_line(place.file));
  }
  void write_named(const char* section, const std::vector<ModelData::Named>& all) {
    begin(section, all.size());
    for (const auto& one : all) line("{} {}", output(one.node), one_line(one.name));
  }
  void write_equations(const char* section, const std::vector<ModelData::Equation>& all) {
    begin(section, all.size());
    for (const auto& one : all) {
      const int left = output(one.left);
      line("{} {} {}", left, output(one.right), place_text(one.place));
    }
  }
  void write_action(const Action& one) {
    static constexpr const char* words[] = {"number", "mode", "reinit", "terminate"};
    line("{} {} {} {}", words[static_cast<int>(one.kind)], one.target, output(one.node),
         one.reason.empty() ? no_place : one_line(one.reason));
  }

  const ModelData& model_;
  std::string text_;
  std::vector<int> outputs_;
};

class ModelReader {
 public:
  explicit ModelReader(std::istream& in) : lines_(in) {}

  Model read() {
    read_head();
    read_declarations();
    read_sentences();
    GraphFile file = read_graph(lines_);
    outputs_ = std::move(file.outputs);
    check_inputs(file.graph);
    *model_.graph = std::move(file.graph);
    name_inputs();
    resolve();
    return Model::of(std::move(model_));
  }

 private:
  void read_head() {
    lines_.next();
    if (lines_.word() != "pawl" || lines_.word() != "model")
      lines_.refuse("this is no model: it begins with 'pawl model <version>'");
    if (const int version = lines_.integer(); version != model_file_version)
      lines_.refuse(fmt::format("version {} is not known; this program reads version {}", version, model_file_version));
    lines_.close();
    lines_.next();
    if (lines_.word() != "name") lines_.refuse("expected 'name <name of the model>'");
    model_.name = lines_.rest("the name of the model");
  }

  // One of two words.
  bool is_first(const char* first, const char* second) {
    const std::string_view word = lines_.word();
    if (word != first && word != second)
      lines_.refuse(fmt::format("expected '{}' or '{}', found '{}'", first, second, word));
    return word == first;
  }
  int output() {
    const int index = lines_.integer();
    if (index < 0) lines_.refuse(fmt::format("output {}: it is 0 or more", index));
    return index;
  }
  template <class Read>
  void read_section(const char* name, const Read& read) {
    const int count = lines_.section(name);
    for (int i = 0; i < count; ++i) {
      lines_.next();
      read();
    }
  }

  void read_declarations() {
    read_section("unknowns", [&] {
      const bool is_wanted = is_first("state", "variable");
      const int start = output();
      const double nominal = lines_.number();
      if (!(nominal >= 0) || !std::isfinite(nominal)) lines_.refuse("a nominal size is above zero, or 0 for none");
      model_.unknowns.push_back({lines_.rest("the name"), start, is_wanted, nominal});
    });
    read_section("parameters", [&] {
      const double value = lines_.number();
      model_.parameters.push_back({lines_.rest("the name"), value});
    });
    read_section("numbers", [&] {
      const double start = lines_.number();
      model_.numbers.push_back({lines_.rest("the name"), start});
    });
    read_section("modes", [&] {
      const bool is_bool = is_first("bool", "int");
      const int start = lines_.integer();
      model_.modes.push_back({lines_.rest("the name"), start, is_bool});
    });
    read_section("events", [&] {
      const bool is_periodic = is_first("every", "at");
      const int time = output(), phase = output();
      lines_.close();
      model_.time_events.push_back({is_periodic, time, phase});
    });
  }

  void read_named(const char* section, std::vector<ModelData::Named>& all) {
    read_section(section, [&] {
      const int node = output();
      all.push_back({lines_.rest("the name"), node});
    });
  }
  Place read_place() {
    const int line = lines_.integer();
    if (line < 0) lines_.refuse("a line is 0 or more");
    std::string file = lines_.rest("the name of the file");
    return line == 0 ? Place() : Place{std::move(file), line};
  }
  void read_equations(const char* section, std::vector<ModelData::Equation>& all) {
    read_section(section, [&] {
      const int left = output(), right = output();
      all.push_back({left, right, read_place()});
    });
  }
  Action read_action() {
    using Kind = Action::Kind;
    const std::string_view word = lines_.word();
    const bool is_number = word == "number", is_mode = word == "mode", is_reinit = word == "reinit";
    if (!is_number && !is_mode && !is_reinit && word != "terminate")
      lines_.refuse(fmt::format("'{}' is no action", word));
    const Kind kind = is_number   ? Kind::assign_number
                      : is_mode   ? Kind::assign_mode
                      : is_reinit ? Kind::reinit
                                  : Kind::terminate;
    const std::size_t count = is_number   ? model_.numbers.size()
                              : is_mode   ? model_.modes.size()
                              : is_reinit ? model_.unknowns.size()
                                          : 1;
    const int target = lines_.integer();
    if (target < 0 || at(target) >= count) lines_.refuse(fmt::format("there is no number {} to change", target));
    const int node = output();
    std::string reason = lines_.rest("the reason");
    return {kind, target, node, kind == Kind::terminate ? std::move(reason) : std::string()};
  }
  void read_sentences() {
    read_named("relations", model_.relations);
    read_named("observables", model_.observables);
    read_equations("equations", model_.equations);
    read_equations("initial", model_.initial_equations);
    read_section("always", [&] {
      model_.always.push_back(read_action());
      const Action::Kind kind = model_.always.back().kind;
      if (kind != Action::Kind::assign_number && kind != Action::Kind::assign_mode)
        lines_.refuse("what follows always is a discrete variable");
    });
    read_section("whens", [&] {
      const int condition = output(), actions = lines_.integer();
      if (actions < 0) lines_.refuse("a count is 0 or more");
      ModelData::When when{condition, {}, read_place()};
      for (int k = 0; k < actions; ++k) {
        lines_.next();
        when.actions.push_back(read_action());
      }
      model_.whens.push_back(std::move(when));
    });
  }

  void check_inputs(const Graph& graph) const {
    for (int node = 0; node < graph.size(); ++node) {
      const Node& n = graph[node];
      if (is_input(n.op) && !is_declared(n))
        lines_.refuse(fmt::format("node {} reads {} {}, which the model does not have", node, word_of(n.op), n.a));
      if (n.op == Op::rate && n.b > highest_derivative)
        lines_.refuse(fmt::format("node {} is derivative {}; up to {} are read", node, n.b, highest_derivative));
    }
  }
  bool is_declared(const Node& n) const {
    const int index = n.a >= ModelData::before ? n.a - ModelData::before : n.a;
    const auto is_in = [&](std::size_t count) { return at(index) < count; };
    switch (n.op) {
      case Op::time:
        return true;
      case Op::state:
      case Op::rate:
        return at(n.a) < model_.unknowns.size();
      case Op::parameter:
        return at(n.a) < model_.parameters.size();
      case Op::number:
        return is_in(model_.numbers.size());
      case Op::mode:
        return is_in(model_.modes.size());
      case Op::truth:
        if (n.a == ModelData::initial) return true;
        if (n.a >= ModelData::ticks && n.a < ModelData::initial)
          return at(n.a - ModelData::ticks) < model_.time_events.size();
        return is_in(model_.relations.size());
      default:
        return false;
    }
  }

  // Outputs become nodes.
  void take(int& place, bool has_to_be_held = false) const {
    if (at(place) >= outputs_.size())
      lines_.refuse(fmt::format("output {} is used, and there are {}", place, outputs_.size()));
    place = outputs_[at(place)];
    if (has_to_be_held && model_.graph->is_moving(place))
      lines_.refuse(fmt::format("'{}' moves where only held values are allowed", model_.graph->text(place)));
  }
  void resolve() {
    for (auto& one : model_.unknowns) take(one.start, true);
    for (auto& one : model_.time_events) take(one.time, true), take(one.phase, true);
    for (auto* all : {&model_.relations, &model_.observables})
      for (auto& one : *all) take(one.node);
    for (auto* all : {&model_.equations, &model_.initial_equations})
      for (auto& one : *all) take(one.left), take(one.right);
    for (Action& one : model_.always) take(one.node);
    for (auto& when : model_.whens) {
      take(when.condition, true);
      for (Action& one : when.actions) take(one.node);
    }
  }
  void name_inputs() {
    Graph& graph = *model_.graph;
    const auto name_all = [&](const auto& all, Op kind, bool has_before) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        graph.name(kind, static_cast<int>(i), all[i].name);
        if (has_before) graph.name(kind, static_cast<int>(i) + ModelData::before, fmt::format("pre({})", all[i].name));
      }
    };
    name_all(model_.unknowns, Op::state, false);
    name_all(model_.parameters, Op::parameter, false);
    name_all(model_.numbers, Op::number, true);
    name_all(model_.modes, Op::mode, true);
    name_all(model_.relations, Op::truth, true);
  }

  LineReader lines_;
  ModelData model_;
  std::vector<int> outputs_;
};

}  // namespace

void write(std::ostream& out, const Model& model) {
  out << ModelWriter(model.data()).write();
}

Model read_model(std::istream& in) {
  return ModelReader(in).read();
}

void write_file(const std::string& name, const Model& model) {
  std::ofstream out(name);
  write(out, model);
  out.close();
  if (!out) throw Misuse(fmt::format("'{}' cannot be written", name));
}

Model read_model_file(const std::string& name) {
  std::ifstream in(name);
  if (!in) throw Misuse(fmt::format("'{}' cannot be read", name));
  try {
    return read_model(in);
  } catch (const Misuse& fault) {
    throw Misuse(fmt::format("'{}', {}", name, fault.what()));
  }
}

}  // namespace pawl::model
