// Dynamics: the equations of a model as a run evaluates them. The model is const and shared; what follows from it, the
// rates and multipliers, states put where they belong, modes decided by the state, takes working memory, which is here:
// every run has its own, and every thread that reads a result.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pawl/system.hpp"

namespace pawl {

/// Why a state is put onto the manifold.
enum class Settle {
  start,  ///< conditions have been decided: the constraints in force at the start are known
  jump,   ///< state or mode has jumped; what is conserved keeps the value it has then
  pass,   ///< an event has changed nothing; a state off hidden constraints by the tolerance may still have to move
  drawn,  ///< a state read from dense output; constraints alone
};

/// What became of a transition whose outcome follows from the state: contacts, ideal switches.
struct Resolution {
  std::string failure = {};             ///< why no outcome exists; empty: there is one
  std::vector<std::string> notes = {};  ///< what happened, one line each
  std::vector<ContactFired> contacts = {};
};

/// How far a state is off what a model keeps: the largest residual of each level.
struct LevelDrift {
  double position = 0, velocity = 0, invariant = 0;
};

namespace detail {

/// As it is, for a model whose rates are declared and have nothing to keep.
class Dynamics {
 public:
  explicit Dynamics(std::shared_ptr<const System::Declarations> model)
      : model_(std::move(model)), rates_(model_->rates) {}
  virtual ~Dynamics() = default;
  Dynamics(const Dynamics&) = delete;
  Dynamics& operator=(const Dynamics&) = delete;

  const System::Declarations& model() const { return *model_; }
  const Function& rates() const { return rates_; }
  /// What reads at[constraint]; null: nothing does.
  virtual const MultiplierSource* multipliers() const { return nullptr; }
  /// What is held at a state: that of the last event, unless nothing is locked.
  virtual const Held& held_at(const Held& held, double /*t*/, const double* /*x*/) const { return held; }
  /// What is held has changed.
  virtual void follow(const Held& /*held*/) {}

  /// Whether states have to be put anywhere.
  virtual bool settles() const { return false; }
  /// Puts a state onto the manifold of the mode, or says why it cannot be.
  virtual std::string settle(double /*t*/, double* /*x*/, const Held& /*held*/, Settle /*why*/) { return {}; }
  /// How far a state is off the manifold of the mode, level by level; false: there is none, or it has no levels.
  /// takes_levels: what is conserved is measured from here on.
  virtual bool measure(double /*t*/, const double* /*x*/, const Held& /*held*/, bool /*takes_levels*/,
                       LevelDrift& /*out*/) {
    return false;
  }
  /// Whether modes follow from the state.
  virtual bool resolves() const { return false; }
  /// Whether contacts or ideal switches are among them, which decide by values an event leaves.
  virtual bool decides() const { return resolves(); }
  /// Decides them, after the jumps of the model and before settle(). fired: declarations of guards; accumulating: the
  /// one whose events accumulate here, or -1.
  virtual Resolution resolve(double /*t*/, double* /*x*/, Held& /*held*/, std::span<const int> /*fired*/,
                             int /*accumulating*/, Settle /*why*/) {
    return {};
  }

  /// The same with working memory of its own, for whoever reads a result: it decides nothing.
  virtual std::shared_ptr<Dynamics> make_reader() const { return std::make_shared<Dynamics>(model_); }

 protected:
  Dynamics(std::shared_ptr<const System::Declarations> model, Function rates)
      : model_(std::move(model)), rates_(std::move(rates)) {}

  std::shared_ptr<const System::Declarations> model_;

 private:
  Function rates_;
};

}  // namespace detail
}  // namespace pawl
