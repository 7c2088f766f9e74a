#include "model/discrete.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "numerics/index.hpp"

namespace pawl::model {

namespace {

constexpr int most_repetitions = 100;

}  // namespace

DiscretePart::DiscretePart(const ModelData& model, const Graph& graph, const std::vector<int>& nodes,
                           std::vector<Reinit> reinits, std::vector<TimeEvent> ticks)
    : program_(graph, nodes),
      numbers_(model.numbers),
      modes_(model.modes),
      relations_(model.relations.size()),
      always_(model.always),
      reinits_(std::move(reinits)),
      ticks_(std::move(ticks)),
      name_(model.name) {
  for (const Load& load : program_.moving_loads()) {
    if (load.kind != Op::time) {
      throw Misuse(fmt::format(
          "model '{}': what happens at an event reads {}, which is not known there: states, parameters, truths and "
          "discrete variables are",
          name_, graph.name_of({load.kind, load.index, 1})));
    }
  }
  std::size_t next = always_.size();
  for (const ModelData::When& when : model.whens) {
    whens_.push_back({when.actions, next});
    next += 1 + when.actions.size();
  }
}

// One call of the transition function.
struct DiscretePart::Round {
  const DiscretePart& part;
  Jump& jump;
  Values now, before;
  bool is_first = true;  // of the repetitions: ticks are seen
  std::vector<double> x, m, out;

  Round(const DiscretePart& of, Jump& at_event) : part(of), jump(at_event) {
    for (std::size_t i = 0; i < part.numbers_.size(); ++i) {
      const Discrete<double> d{static_cast<int>(i)};
      now.numbers.push_back(jump[d]);
      before.numbers.push_back(jump.pre(d));
    }
    for (std::size_t i = 0; i < part.modes_.size(); ++i) {
      const Discrete<int> d{static_cast<int>(i)};
      now.modes.push_back(static_cast<int>(jump[d]));
      before.modes.push_back(jump.pre(d));
    }
    for (std::size_t i = 0; i < part.relations_; ++i) {
      const Condition c{static_cast<int>(i)};
      now.truths.push_back(jump[c] ? 1 : 0);
      before.truths.push_back(jump.pre(c) ? 1 : 0);
    }
    const std::vector<int>& states = part.program_.states();
    x.assign(states.empty() ? 0 : at(states.back()) + 1, 0.0);
    for (const int i : states) x[at(i)] = jump[State{i}];
    m.resize(at(part.program_.moving_size()) + 1);
    out.resize(at(part.program_.rows()) + 1);
  }

  double truth_of(int index, const Values& values) const {
    if (index == ModelData::initial) return is_first && &values == &now && jump.is_start() ? 1 : 0;
    if (index >= ModelData::ticks)
      return is_first && &values == &now && jump.fired(part.ticks_[at(index - ModelData::ticks)]) ? 1 : 0;
    return values.truths[at(index)];
  }
  double value_of(const Load& load, const Values& values) {
    const bool is_pre = load.index >= ModelData::before;
    const Values& from = is_pre ? before : values;
    const int index = is_pre ? load.index - ModelData::before : load.index;
    switch (load.kind) {
      case Op::parameter:
        return jump[Parameter{load.index}];
      case Op::number:
        return from.numbers[at(index)];
      case Op::mode:
        return from.modes[at(index)];
      default:
        return truth_of(index, from);
    }
  }
  // All outputs, with these values of what is held.
  void run(const Values& values) {
    std::vector<double> h = part.program_.held();
    for (const Load& load : part.program_.held_loads()) h[at(load.slot)] = value_of(load, values);
    part.program_.run_held(h.data());
    for (const Load& load : part.program_.moving_loads()) m[at(load.slot)] = jump.t;  // nothing else is left to move
    part.program_.run(m.data(), h.data(), x.data(), out.data());
  }

  void assign(const ModelData::Action& action, double value) {
    if (action.kind == ModelData::Action::Kind::assign_number) {
      now.numbers[at(action.target)] = value;
    } else {
      const ModelData::Mode& mode = part.modes_[at(action.target)];
      if (!std::isfinite(value) || std::abs(value) > 2e9)
        throw std::runtime_error(
            fmt::format("model '{}': '{}' is assigned {:g}, which is no whole number", part.name_, mode.name, value));
      now.modes[at(action.target)] = mode.is_bool ? (value != 0 ? 1 : 0) : std::round(value);
    }
  }

  void settle() {
    for (int k = 0; k < most_repetitions; ++k) {
      const Values start = now;
      for (std::size_t i = 0; i < part.always_.size(); ++i) {
        run(now);
        assign(part.always_[i], out[i]);
      }
      if (now == start) return;
    }
    refuse_to_settle();
  }
  [[noreturn]] void refuse_to_settle() const {
    throw std::runtime_error(
        fmt::format("model '{}': the discrete variables do not come to rest: after {} repetitions they still change",
                    part.name_, most_repetitions));
  }

  void act(const When& when, std::size_t& reinit) {
    for (std::size_t k = 0; k < when.actions.size(); ++k) {
      const ModelData::Action& action = when.actions[k];
      const double value = out[when.condition + 1 + k];
      if (action.kind == ModelData::Action::Kind::reinit) {
        const Reinit target = part.reinits_[reinit++];
        jump[State{target.state}] = target.sign * value;
      } else if (action.kind == ModelData::Action::Kind::terminate) {
        jump.terminate(action.reason);
      } else {
        assign(action, value);
        run(now);
      }
    }
  }

  void repeat() {
    std::vector<char> was(part.whens_.size());
    run(before);
    for (std::size_t k = 0; k < was.size(); ++k) was[k] = out[part.whens_[k].condition] != 0 ? 1 : 0;
    for (int repetition = 0; repetition < most_repetitions; ++repetition) {
      const Values start = now;
      settle();
      std::size_t reinit = 0;
      for (std::size_t k = 0; k < part.whens_.size(); ++k) {
        const When& when = part.whens_[k];
        run(now);
        const bool holds = out[when.condition] != 0, is_edge = holds && was[k] == 0;
        was[k] = holds ? 1 : 0;
        std::size_t own = reinit;
        for (const ModelData::Action& action : when.actions)
          reinit += action.kind == ModelData::Action::Kind::reinit ? 1 : 0;
        if (is_edge) act(when, own);
      }
      const bool is_done = !is_first && now == start;
      before = now;
      is_first = false;
      if (is_done) return;
    }
    refuse_to_settle();
  }

  void write_back() {
    for (std::size_t i = 0; i < now.numbers.size(); ++i) jump[Discrete<double>{static_cast<int>(i)}] = now.numbers[i];
    for (std::size_t i = 0; i < now.modes.size(); ++i)
      jump[Discrete<int>{static_cast<int>(i)}] = static_cast<int>(now.modes[i]);
  }
};

void DiscretePart::operator()(Jump& jump) const {
  Round round(*this, jump);
  round.repeat();
  round.write_back();
}

}  // namespace pawl::model
