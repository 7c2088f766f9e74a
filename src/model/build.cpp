// From a model to a System: equations are reduced, what is left is handed over as functions of one graph.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "model/copy.hpp"
#include "model/discrete.hpp"
#include "model/reduction.hpp"
#include "numerics/index.hpp"
#include "pawl/model/model.hpp"

namespace pawl::model {

namespace {

constexpr int most_single_conditions = 64;  // beyond, one function computes all of them

// Quantities that can be read by name, and are evaluated when somebody does: a program is made for those alone.
class Quantities {
 public:
  explicit Quantities(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}

  double value(int node, const Point<double>& at) const {
    const GraphFunction* function = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::unique_ptr<const GraphFunction>& made = functions_[node];
      if (!made) made = std::make_unique<const GraphFunction>(graph_, std::vector{node}, Execution::interpreted);
      function = made.get();
    }
    return (*function)(at);
  }

 private:
  std::shared_ptr<const Graph> graph_;
  mutable std::mutex mutex_;
  mutable std::map<int, std::unique_ptr<const GraphFunction>> functions_;
};

struct Quantity {
  std::shared_ptr<const Quantities> all;
  int node;
  double operator()(const Point<double>& at) const { return all->value(node, at); }
};

class SystemBuilder {
 public:
  SystemBuilder(const ModelData& model, const BuildOptions& options)
      : model_(model), options_(options), system_(model.name) {}

  System build(BuildReport* report) {
    check();
    Reduced reduced = reduce(flat());
    if (report != nullptr) *report = report_of(reduced);
    name_inputs(reduced);
    reduced_ = &reduced;
    graph_ = std::make_shared<const Graph>(std::move(reduced.graph));
    declare_held();
    declare_states();
    declare_equations();
    declare_conditions();
    declare_discrete_part();
    declare_quantities();
    return std::move(system_);
  }

 private:
  void check() const {
    if (model_.equations.empty() && model_.unknowns.empty())
      throw Misuse(fmt::format("model '{}' has no unknowns and no equations", model_.name));
  }

  // ---- What is reduced ----
  // In equations nothing is before an event, and no event happens.
  static int between_events(Graph& graph, int number, const Node& n) {
    if (n.op == Op::truth && n.a >= ModelData::ticks && n.a < ModelData::before) return graph.constant(0);
    if (n.op == Op::number || n.op == Op::mode || n.op == Op::truth)
      return n.a >= ModelData::before ? graph.input(n.op, n.a - ModelData::before) : number;
    return number;
  }

  FlatEquations flat() {
    Graph& graph = *model_.graph;
    Copy smooth(graph, graph, [&](int number, const Node& n) { return between_events(graph, number, n); });
    FlatEquations flat;
    flat.name = model_.name;
    flat.graph = model_.graph.get();
    flat.unknowns = static_cast<int>(model_.unknowns.size());
    flat.rows.reserve(model_.equations.size());
    for (const auto& one : model_.equations) flat.rows.push_back(smooth(graph.binary(Op::sub, one.left, one.right)));
    for (const auto& one : model_.unknowns) flat.rank.push_back(one.is_wanted ? 1 : 0);
    for (const auto& when : model_.whens)
      for (const auto& action : when.actions)
        if (action.kind == ModelData::Action::Kind::reinit) flat.rank[at(action.target)] = 2;
    for (const auto& one : model_.parameters) flat.parameters.push_back(one.value);
    for (const auto& one : model_.relations) flat.extras.push_back(smooth(one.node));
    for (const auto& one : model_.observables) flat.extras.push_back(smooth(one.node));
    for (const auto& one : model_.initial_equations)
      flat.extras.push_back(smooth(graph.binary(Op::sub, one.left, one.right)));
    for (const auto& one : model_.always) flat.extras.push_back(one.node);
    for (const auto& when : model_.whens) {
      flat.extras.push_back(when.condition);
      for (const auto& action : when.actions) flat.extras.push_back(action.node);
    }
    flat.row_name = [this](int row) { return model_.text(model_.equations[at(row)]); };
    flat.unknown_name = [this](int unknown) { return model_.unknowns[at(unknown)].name; };
    return flat;
  }

  BuildReport report_of(const Reduced& reduced) const {
    return {.equations = static_cast<int>(model_.equations.size()),
            .aliases = reduced.aliases,
            .constraints = reduced.constraints,
            .solved = reduced.solved,
            .states = static_cast<int>(reduced.rates.size()),
            .algebraic = static_cast<int>(reduced.kept.size() - reduced.rates.size()),
            .index = reduced.index};
  }

  // ---- Names ----
  std::string name_of(int unknown) const {
    const int count = static_cast<int>(model_.unknowns.size());
    if (unknown < count) return model_.unknowns[at(unknown)].name;
    return fmt::format("der({})", name_of(reduced_->derivative_of[at(unknown - count)]));
  }
  void name_inputs(Reduced& reduced) {
    reduced_ = &reduced;
    for (std::size_t k = 0; k < reduced.kept.size(); ++k)
      reduced.graph.name(Op::state, static_cast<int>(k), name_of(reduced.kept[k]));
    const auto name_all = [&](const auto& all, Op kind) {
      for (std::size_t i = 0; i < all.size(); ++i) reduced.graph.name(kind, static_cast<int>(i), all[i].name);
    };
    name_all(model_.parameters, Op::parameter);
    name_all(model_.numbers, Op::number);
    name_all(model_.modes, Op::mode);
    name_all(model_.relations, Op::truth);
  }

  // ---- Declarations ----
  void declare_held() {
    for (const auto& one : model_.parameters) system_.parameter(one.name, one.value);
    for (const auto& one : model_.numbers) system_.discrete(one.name, one.start);
    for (const auto& one : model_.modes) {
      if (one.is_bool)
        system_.discrete(one.name, one.start != 0);
      else
        system_.discrete(one.name, one.start);
    }
  }

  void declare_states() {
    std::vector<int> starts;
    bool follows = false;
    const int count = static_cast<int>(model_.unknowns.size());
    for (const int unknown : reduced_->kept) {
      const int start = unknown < count ? model_.unknowns[at(unknown)].start : model_.graph->constant(0);
      const bool is_number = model_.graph->is_constant(start);
      const State x = system_.state(name_of(unknown), is_number ? model_.graph->value_of(start) : 0.0);
      if (unknown < count && model_.unknowns[at(unknown)].nominal > 0)
        system_.nominal(x, model_.unknowns[at(unknown)].nominal);
      starts.push_back(start);
      follows = follows || !is_number;
    }
    if (reduced_->kept.empty()) declare_clock();
    if (follows) declare_starts(starts);
  }

  // A System has a state; where everything follows from the time, that is the one.
  void declare_clock() {
    system_.state("time", 0.0);
    system_.rates([](const auto&, auto& d) { d[State{0}] = 1; });
  }

  void declare_starts(const std::vector<int>& starts) {
    for (const int node : model_.graph->order(starts)) {
      const Node& n = (*model_.graph)[node];
      if (is_input(n.op) && n.op != Op::parameter)
        throw Misuse(fmt::format("model '{}': a start value reads '{}'; parameters are allowed", model_.name,
                                 model_.graph->name_of(n)));
    }
    system_.start([program = std::make_shared<const Program>(*model_.graph, starts)](Start& start) {
      std::vector<double> h = program->held(), out(at(program->rows()));
      for (const Load& load : program->held_loads()) h[at(load.slot)] = start[Parameter{load.index}];
      program->run_held(h.data());
      double m = 0;
      program->run(&m, h.data(), static_cast<const double*>(nullptr), out.data());
      for (std::size_t i = 0; i < out.size(); ++i) start[State{static_cast<int>(i)}] = out[i];
    });
  }

  void declare_equations() {
    if (!reduced_->rates.empty()) system_.rates(GraphFunction(graph_, reduced_->rates, options_.execution));
    if (!reduced_->equations.empty()) {
      std::vector<std::string> names;
      const auto count = static_cast<int>(model_.equations.size());
      for (const int row : reduced_->equation_rows)
        names.push_back(row < count ? model_.text(model_.equations[at(row)]) : "the definition of a derivative");
      system_.equations("equations", std::move(names), GraphFunction(graph_, reduced_->equations, options_.execution));
    }
    if (model_.initial_equations.empty()) return;
    std::vector<std::string> names;
    for (const auto& one : model_.initial_equations) names.push_back(model_.text(one));
    system_.initial(
        "initial equations", std::move(names),
        GraphFunction(graph_, extras(first_initial(), model_.initial_equations.size()), options_.execution));
  }

  std::size_t first_initial() const { return model_.relations.size() + model_.observables.size(); }
  std::vector<int> extras(std::size_t first, std::size_t count) const {
    const auto begin = reduced_->extras.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  void declare_conditions() {
    const auto count = static_cast<int>(model_.relations.size());
    if (count <= most_single_conditions) {
      for (int i = 0; i < count; ++i)
        system_.condition(model_.relations[at(i)].name,
                          GraphFunction(graph_, {reduced_->extras[at(i)]}, options_.execution));
      return;
    }
    std::vector<std::string> names;
    for (const auto& one : model_.relations) names.push_back(one.name);
    system_.conditions(names, GraphFunction(graph_, extras(0, model_.relations.size()), options_.execution));
  }

  TimeValue time_value(int node) const {
    const Node& n = (*model_.graph)[node];
    if (n.op == Op::constant) return model_.graph->value_of(node);
    if (n.op == Op::parameter) return Parameter{n.a};
    if (n.op == Op::number && n.a < ModelData::before) return Discrete<double>{n.a};
    throw Misuse(
        fmt::format("model '{}': the time of an event is '{}'; a number, a parameter or a discrete number is allowed",
                    model_.name, model_.graph->text(node)));
  }

  void declare_discrete_part() {
    std::vector<TimeEvent> ticks;
    for (const auto& one : model_.time_events) {
      if (one.is_periodic)
        ticks.push_back(system_.every(time_value(one.time), [](Jump&) {}).phase(time_value(one.phase)));
      else
        ticks.push_back(system_.time_event(fmt::format("time event {}", ticks.size() + 1), time_value(one.time)));
    }
    if (model_.always.empty() && model_.whens.empty()) return;
    std::vector<Reinit> reinits;
    for (const auto& when : model_.whens)
      for (const auto& action : when.actions)
        if (action.kind == ModelData::Action::Kind::reinit) reinits.push_back(reinit_of(action.target));
    const std::size_t first = first_initial() + model_.initial_equations.size();
    system_.transition([part = std::make_shared<const DiscretePart>(
                            model_, *graph_, extras(first, reduced_->extras.size() - first), std::move(reinits),
                            std::move(ticks))](Jump& jump) { (*part)(jump); });
  }

  Reinit reinit_of(int unknown) const {
    const Node n = (*graph_)[reduced_->value[at(unknown)]];
    if (n.op == Op::state) return {n.a, 1};
    if (n.op == Op::neg && (*graph_)[n.a].op == Op::state) return {(*graph_)[n.a].a, -1};
    throw Misuse(fmt::format("model '{}': '{}' is reinitialized, and it is no state: it follows from others, as {}",
                             model_.name, model_.unknowns[at(unknown)].name,
                             graph_->text(reduced_->value[at(unknown)])));
  }

  void declare_quantities() {
    const auto all = std::make_shared<const Quantities>(graph_);
    std::vector<char> is_kept(model_.unknowns.size(), 0);
    for (const int unknown : reduced_->kept)
      if (at(unknown) < is_kept.size()) is_kept[at(unknown)] = 1;
    for (std::size_t i = 0; i < is_kept.size(); ++i)
      if (is_kept[i] == 0) system_.observable(model_.unknowns[i].name, Quantity{all, reduced_->value[i]});
    for (std::size_t i = 0; i < model_.observables.size(); ++i)
      system_.observable(model_.observables[i].name, Quantity{all, reduced_->extras[model_.relations.size() + i]});
  }

  const ModelData& model_;
  const BuildOptions& options_;
  System system_;
  const Reduced* reduced_ = nullptr;
  std::shared_ptr<const Graph> graph_;
};

}  // namespace

System Model::build(const BuildOptions& options, BuildReport* report) const {
  const std::lock_guard lock(*builds_);
  return SystemBuilder(*data_, options).build(report);
}

}  // namespace pawl::model
