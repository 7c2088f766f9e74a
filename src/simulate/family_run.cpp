#include "simulate/family_run.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "numerics/call_words.hpp"
#include "pawl/run.hpp"
#include "simulate/callback_failure.hpp"
#include "simulate/check_declarations.hpp"
#include "simulate/loop.hpp"
#include "simulate/recorder.hpp"

namespace pawl::detail {

namespace {

using contact::Flight;
using contact::SphereCrowd;
using contact::Vector3;

constexpr int samples_unless_said = 100;

/// What moves or decides in a model beside its family; empty: nothing.
std::string what_else(const System::Declarations& model, const ContactFamilyInfo& family) {
  const MechanicsInfo& mechanics = *model.mechanics;
  const auto spheres = static_cast<std::size_t>(family.spheres.size());
  const bool has_weight =
      std::any_of(family.spheres.gravity.begin(), family.spheres.gravity.end(), [](double g) { return g != 0; });
  if (model.is_implicit()) return "equations";
  if (model.port_hamiltonian) return "a port-Hamiltonian part";
  if (!mechanics.contacts.empty()) return fmt::format("the single contact '{}'", mechanics.contacts.front().name);
  if (!mechanics.constraints.empty()) return fmt::format("the constraint '{}'", mechanics.constraints.front().name);
  if (!mechanics.forces.empty()) return "forces";
  if (!mechanics.masses.empty() || !mechanics.kinetic_energies.empty() ||
      mechanics.constant_masses.size() != 6 * spheres)
    return "masses of its own";
  if (mechanics.potentials.size() != (has_weight ? 1U : 0U)) return "a potential beside the weight of the spheres";
  if (model.state_names.size() != 12 * spheres) {
    const auto first = static_cast<std::size_t>(family.spheres.first);
    return fmt::format("the state '{}', which no sphere of the family has",
                       first > 0 ? model.state_names.front() : model.state_names[12 * spheres]);
  }
  if (model.rates) return "rates";
  if (!model.invariants.empty()) return fmt::format("the invariant '{}'", model.invariants.front().name);
  if (!model.guards.empty()) return fmt::format("the guard '{}'", model.guards.front().name);
  if (!model.time_events.empty()) return "time events";
  if (model.transition) return "a transition function";
  return {};
}

/// An option that a run without steps has no use for; empty: there is none.
std::string_view meaningless_option(const Options& options) {
  const ConstraintOptions& constraints = options.constraints;
  const ConstraintOptions usual;
  if (!is_auto(options.method)) return "method";
  if (options.step) return "step";
  if (options.first_step) return "first_step";
  if (std::isfinite(options.max_step)) return "max_step";
  if (options.events != "certified") return "events";
  if (options.event_tolerance != 0) return "event_tolerance";
  if (options.concurrency_window != 0) return "concurrency_window";
  if (constraints.formulation != usual.formulation || constraints.stabilization != usual.stabilization ||
      constraints.start != usual.start || !constraints.fixed.empty() || constraints.pulls_samples)
    return "constraints";
  if (!is_auto(options.implicit.linear_solver) || !is_auto(options.implicit.jacobian)) return "implicit";
  return {};
}

std::vector<double> instants_of(const Options& options) {
  std::vector<double> times = options.times;
  for (int i = 0; i <= options.samples && options.samples > 0; ++i) {
    times.push_back(i == options.samples
                        ? options.end
                        : options.start + static_cast<double>(i) / options.samples * (options.end - options.start));
  }
  times.push_back(options.end);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::vector<Flight> flights_of(const Spheres& spheres, const std::vector<double>& x) {
  std::vector<Flight> flights(static_cast<std::size_t>(spheres.size()));
  const double* state = x.data() + spheres.first;
  for (Flight& one : flights) {
    one.position = {state[0], state[2], state[4]};
    one.velocity = {state[1], state[3], state[5]};
    one.turn = {state[6], state[8], state[10]};
    one.spin = {state[7], state[9], state[11]};
    state += 12;
  }
  return flights;
}

void write(const SphereCrowd& crowd, const Spheres& spheres, double* x) {
  double* state = x + spheres.first;
  for (int i = 0; i < crowd.size(); ++i) {
    const Flight one = crowd.at_now(i);
    const auto put = [&](Vector3 where, Vector3 rate) {
      for (const auto& [a, b] : {std::pair{where.x, rate.x}, {where.y, rate.y}, {where.z, rate.z}}) {
        *state++ = a;
        *state++ = b;
      }
    };
    put(one.position, one.velocity);
    put(one.turn, one.spin);
  }
}

std::string name_of_sphere(const System::Declarations& model, const Spheres& spheres, int i) {
  const std::string& name = model.state_names[static_cast<std::size_t>(spheres.first + 12 * i)];
  return name.substr(0, name.size() - 2);  // without _x
}

/// Why spheres cannot begin where they are; empty: they can.
std::string overlap_at_start(const System::Declarations& model, const ContactFamilyInfo& family,
                             const SphereCrowd& crowd) {
  const auto [i, other, depth] = crowd.deepest_overlap();
  if (depth <= 1e-9 * family.spheres.radii[static_cast<std::size_t>(i)]) return {};
  const std::string first = name_of_sphere(model, family.spheres, i);
  if (other >= crowd.size())
    return fmt::format("'{}' begins {:.3g} behind the wall '{}': spheres do not pass it", first, depth,
                       family.walls[static_cast<std::size_t>(other - crowd.size())].name);
  return fmt::format("'{}' and '{}' begin {:.3g} inside each other: spheres are rigid", first,
                     name_of_sphere(model, family.spheres, other), depth);
}

Message too_dense(const SphereCrowd& crowd, const ContactFamilyInfo& family, double advance, double t,
                  const System::Declarations& model) {
  return make_message(
      MessageCode::never_ends, t,
      {{"steps", crowd.work().foreseen},
       {"advance", advance},
       {"state", model.state_names[static_cast<std::size_t>(family.spheres.first)]},
       {"likely", fmt::format("impacts of family '{}' come so densely that they have no end", family.name)},
       {"advice", fmt::format("a longer contact_time than {:.3g}", family.contact_time)}});
}

}  // namespace

FamilyPlan plan_family(const System::Declarations& model, const std::vector<double>& parameters,
                       const Options& options) {
  FamilyPlan plan{.family = {}, .object = family_of(model), .laws = {}, .options = options};
  plan.family = model.objects[static_cast<std::size_t>(plan.object)].as<FamilyState>().family;
  const ContactFamilyInfo& family = *plan.family;
  if (const std::string other = what_else(model, family); !other.empty()) {
    throw Misuse(fmt::format(
        "system '{}' has a family of contacts, '{}', whose spheres fly freely from one contact to the next, "
        "and {}: a model with a family has nothing else that moves or decides",
        model.name, family.name, other));
  }
  if (const std::string_view option = meaningless_option(options); !option.empty()) {
    throw Misuse(
        fmt::format("system '{}' has a family of contacts: its spheres fly in closed form, and no step is taken; the "
                    "option '{}' does not apply",
                    model.name, option));
  }
  if (options.end < options.start) {
    throw Misuse(
        fmt::format("system '{}' has a family of contacts, and impacts cannot be undone: end = {:g} lies "
                    "before start = {:g}",
                    model.name, options.end, options.start));
  }
  plan.laws.restitution = value_of(family.restitution, parameters.data());
  plan.laws.friction = value_of(family.friction, parameters.data());
  plan.laws.rolling_friction = value_of(family.rolling_friction, parameters.data());
  plan.laws.contact_time = family.contact_time;
  plan.laws.still = family.still;
  const auto check = [&](double value, std::string_view what, double most) {
    if (!(value >= 0 && value <= most))
      throw Misuse(fmt::format("contacts '{}': {} is {:g}: it must be {}", family.name, what, value,
                               most == 1 ? "between 0 and 1" : "a number from 0 on"));
  };
  constexpr double any = std::numeric_limits<double>::max();
  check(plan.laws.restitution, "restitution", 1);
  check(plan.laws.friction, "friction", any);
  check(plan.laws.rolling_friction, "rolling friction", any);
  plan.keeps_fewer = options.keep == Keep::everything;
  if (plan.keeps_fewer) plan.options.keep = Keep::samples;
  if (options.keep != Keep::end && options.samples == 0 && options.times.empty())
    plan.options.samples = samples_unless_said;
  return plan;
}

Recommendation in_words(const FamilyPlan& plan) {
  const ContactFamilyInfo& family = *plan.family;
  Recommendation words{
      .method = {"flights", fmt::format("{} spheres of family '{}' fly in closed form from one contact to the next, "
                                        "each with a time of its own",
                                        family.spheres.size(), family.name)},
      .when_stiff = {},
      .when_frequent = {},
      .field = {},
      .solver = {},
      .formulation = {},
      .stabilization = {},
      .tolerance = {"none",
                    "nothing is integrated: times of contact are roots of quadratics and quartics, to rounding"},
      .events = {"closed form",
                 "pairs whose motion cannot bring them together before they are looked at again are left "
                 "out; no contact can be missed"},
      .rejected = {}};
  words.rejected.push_back({"integration methods", "there is no step that all spheres would take"});
  if (plan.keeps_fewer)
    words.rejected.push_back({"the path at every instant", "spheres have no common steps: samples are kept"});
  return words;
}

namespace {

Setup make_setup(const System& system, const Values& values, const FamilyPlan& plan) {
  Setup setup = check(system.share(), values.held(), values.start(), plan.options);
  setup.method = "flights";
  return setup;
}

class FamilyRun {
 public:
  FamilyRun(const System& system, const Values& values, const Options& options)
      : plan_(plan_family(system.declarations(), values.parameters(), options)),
        family_(*plan_.family),
        setup_(make_setup(system, values, plan_)),
        recorder_(setup_),
        crowd_(family_, plan_.laws, options.start, flights_of(family_.spheres, setup_.start_state)),
        step_(setup_.size()) {
    std::copy(setup_.start_state.begin(), setup_.start_state.end(), step_.end());
    step_.t1 = options.start;
  }

  Result finish() {
    recorder_.begin(step_.t1, setup_.start_state, held_now());
    if (std::string overlap = overlap_at_start(*setup_.declarations, family_, crowd_); !overlap.empty())
      end(Outcome::failed, make_message(MessageCode::inconsistent_start, step_.t1, {{"why", std::move(overlap)}}));
    for (const double t : instants_of(plan_.options))
      if (!why_ && t > plan_.options.start) go_on_to(t);
    recorder_.take(statistics());
    Result result = recorder_.finish(outcome_, std::move(why_), step_, Work{.accepted = pieces_}, watch_.seconds());
    result.plan = in_words(plan_);
    return result;
  }

 private:
  void end(Outcome outcome, Message why) {
    outcome_ = outcome;
    why_ = std::move(why);
  }

  /// All spheres to one instant, which is recorded.
  void go_on_to(double t) {
    try {
      const double from = crowd_.now();
      const auto advance = crowd_.advance_to(t, plan_.options.end, [this](double now) { return is_wanted_at(now); });
      record();
      if (advance == SphereCrowd::Advance::too_dense)
        end(Outcome::failed, too_dense(crowd_, family_, crowd_.now() - from, crowd_.now(), *setup_.declarations));
      else if (advance == SphereCrowd::Advance::stopped || (!goes_on() && t != plan_.options.end))
        end(Outcome::stopped, make_message(MessageCode::stopped_by_user, step_.t1));
    } catch (const CallbackFailure& failure) {
      end(Outcome::failed, make_message(MessageCode::callback_threw, recorder_.time(), {{"what", failure.what()}}));
    } catch (const std::bad_alloc&) {
      end(Outcome::failed, make_message(MessageCode::out_of_memory, recorder_.time()));
    } catch (const std::exception& error) {
      end(Outcome::failed,
          make_message(MessageCode::function_threw, recorder_.time(), {{"what", fmt::format(": {}", error.what())}}));
    }
  }

  void record() {
    step_.t0 = step_.t1;
    step_.t1 = crowd_.now();
    step_.h = step_.span = step_.t1 - step_.t0;
    std::copy(step_.end(), step_.end() + setup_.size(), step_.start());
    write(crowd_, family_.spheres, step_.end());
    recorder_.jump(step_.t1, {step_.end(), step_.end() + setup_.size()}, held_now());
    recorder_.record(step_);
    ++pieces_;
  }

  bool is_wanted_at(double t) const {
    const Options& options = plan_.options;
    return !options.progress || asks("the progress callback", [&] {
      return options.progress({t, options.start, options.end, pieces_});
    });
  }
  bool goes_on() const {
    const Options& options = plan_.options;
    const bool is_seen = !options.observer || asks("the observer", [&] {
      return options.observer(
          Instant{step_.t1, {step_.end(), step_.end() + setup_.size()}, recorder_.held(), setup_.dynamics});
    });
    return is_seen && is_wanted_at(step_.t1);
  }

  std::shared_ptr<const Held> held_now() const {
    auto held = std::make_shared<Held>(*setup_.held);
    FamilyState state;
    static_cast<FamilyWork&>(state) = crowd_.work();
    state.family = plan_.family;
    held->objects[static_cast<std::size_t>(plan_.object)] = HeldObject(std::move(state));
    return held;
  }

  EventStatistics statistics() const {
    const FamilyWork work = crowd_.work();
    EventStatistics events;
    events.events = work.impacts;
    events.guard_points = work.foreseen;
    events.guards = 1;
    events.guarantees.push_back({family_.name, Assurance::proved});
    return events;
  }

  const Stopwatch watch_;
  FamilyPlan plan_;
  const ContactFamilyInfo& family_;
  Setup setup_;
  Recorder recorder_;
  SphereCrowd crowd_;
  Step step_;
  Outcome outcome_ = Outcome::finished;
  std::optional<Message> why_;
  long long pieces_ = 0;
};

}  // namespace

Result run_family(const System& system, const Values& values, const Options& options) {
  check_values(values, system);
  return FamilyRun(system, values, options).finish();
}

}  // namespace pawl::detail
