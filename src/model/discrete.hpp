// The discrete part of a model as the transition function of its System: one program over time, states, truths and
// discrete variables, now and before.
//
// A round: what follows always is computed until it no longer changes; then every `when` in its order: where its
// condition has become true since it was last looked at, its assignments are made. That is repeated, with `pre` the
// values of before the repetition, until nothing changes; so neither the order of sentences nor chains of them matter.
// States that are reinitialized change when the round ends.
#pragma once

#include <memory>
#include <vector>

#include "pawl/jump.hpp"
#include "pawl/model/model.hpp"
#include "pawl/model/program.hpp"

namespace pawl::model {

/// Where a reinitialized unknown is a state of the System: its number and sign.
struct Reinit {
  int state = 0, sign = 1;
};

class DiscretePart {
 public:
  /// nodes: of always, then of every `when` its condition and its actions, in the graph of the System; reinits: of the
  /// actions of that kind, in their order.
  DiscretePart(const ModelData& model, const Graph& graph, const std::vector<int>& nodes, std::vector<Reinit> reinits,
               std::vector<TimeEvent> ticks);

  void operator()(Jump& jump) const;

 private:
  struct Values {
    std::vector<double> numbers, modes, truths;
    bool operator==(const Values&) const = default;
  };
  struct Round;

  Program program_;
  std::vector<ModelData::Number> numbers_;
  std::vector<ModelData::Mode> modes_;
  std::size_t relations_;
  std::vector<ModelData::Action> always_;
  struct When {
    std::vector<ModelData::Action> actions;
    std::size_t condition;  // its output; those of the actions follow
  };
  std::vector<When> whens_;
  std::vector<Reinit> reinits_;
  std::vector<TimeEvent> ticks_;
  std::string name_;
};

}  // namespace pawl::model
