// The sentences of System as Python's front end says them: functions are rows of a graph, or Python functions.
#include <optional>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "functions.hpp"
#include "pawl/picture.hpp"
#include "pawl/signal.hpp"
#include "pawl/system.hpp"

namespace pawl::python {

namespace {

Transition transition_of(const py::object& what) {
  if (py::isinstance<Assigned>(what)) return GuardDeclaration::transition(what.cast<Assigned>());
  return GuardDeclaration::transition(CalledJump{Shared(what)});
}
Callback<void(Jump&)> jump_of(const py::object& what) {
  if (py::isinstance<Assigned>(what)) return what.cast<Assigned>();
  return CalledJump{Shared(what)};
}

// use(functor): a graph, a Python function of (t, y), or one of (at).
template <class Use>
auto with_function(const py::object& f, Use use) {
  if (py::isinstance<GraphFunction>(f)) return use(f.cast<GraphFunction>());
  if (py::isinstance<CalledGuard>(f)) return use(f.cast<CalledGuard>());
  return use(CalledValue{Shared(f)});
}

TimeValue time_value(const py::object& value) {
  if (py::isinstance<py::tuple>(value)) {
    const auto [kind, index] = value.cast<std::pair<int, int>>();
    if (static_cast<Op>(kind) == Op::parameter) return Parameter{index};
    return Discrete<double>{index};
  }
  return value.cast<double>();
}

void complete(GuardDeclaration& guard, int direction, bool unilateral, bool touching, bool reports_departure,
              const Logic& only_when, const py::object& then, const py::object& at_accumulation, double min_width,
              double rate_bound) {
  if (direction > 0) guard.rising();
  if (direction < 0) guard.falling();
  if (unilateral) guard.unilateral();
  if (touching) guard.touching();
  if (reports_departure) guard.reporting_departure();
  if (!only_when.is_always_true()) guard.only_when(only_when);
  if (min_width > 0) guard.min_width(min_width);
  if (rate_bound > 0) guard.rate_bound(rate_bound);
  const auto jump = [](const py::object& what) {
    return [made = transition_of(what)](Jump& one) { made(one, Pair{}); };
  };
  if (!then.is_none()) guard.then(jump(then));
  if (!at_accumulation.is_none()) guard.at_accumulation(jump(at_accumulation));
}

void bind_signal(py::module_& m) {
  const auto points = [](const std::vector<std::pair<double, double>>& pairs) {
    std::vector<Signal::Point> made;
    for (const auto& [t, value] : pairs) made.push_back({t, value});
    return made;
  };
  using Pairs = std::vector<std::pair<double, double>>;
  py::class_<Signal, std::shared_ptr<Signal>>(m, "Signal")
      .def(py::init<double>())
      .def_static("steps", [=](const Pairs& pairs) { return Signal::steps(points(pairs)); })
      .def_static("polyline", [=](const Pairs& pairs) { return Signal::polyline(points(pairs)); })
      .def_static("spline", [=](const Pairs& pairs) { return Signal::spline(points(pairs)); })
      .def_static("function", [](const GraphFunction& f, const std::vector<double>& corners) {
        return Signal::function(
            [f](const auto& t) {
              using T = std::decay_t<decltype(t)>;
              T out{};
              std::span<T> rows(&out, 1);
              const detail::Surroundings<T> around{};
              f(Point<T>(t, detail::StateAccess<T>{}, nullptr, &around), rows);
              return out;
            },
            corners);
      });
}

void bind_logic(py::module_& m) {
  py::class_<Logic>(m, "Logic")
      .def(py::init<>())
      .def_static("condition", [](int i) { return Logic(Condition{i}); })
      .def_static("mode", [](int i, int value) { return Logic::equals(i, value); })
      .def_static("sign", [](int i, int sign) { return Logic::has_sign(Relation{i}, sign); })
      .def("__invert__", [](const Logic& x) { return Logic::negation(x); })
      .def("__and__", [](const Logic& x, const Logic& y) { return Logic::both(x, y); })
      .def("__or__", [](const Logic& x, const Logic& y) { return Logic::either(x, y); });
}

void bind_called(py::module_& m) {
  py::class_<Assigned>(m, "Assigned")
      .def(py::init([](const model::Graph& graph, const std::vector<int>& nodes,
                       const std::vector<std::pair<int, int>>& targets, std::string stop) {
        std::vector<Target> made;
        for (const auto& [kind, index] : targets) made.push_back({static_cast<Op>(kind), index});
        return Assigned(graph, nodes, std::move(made), std::move(stop));
      }));
  py::class_<CalledGuard>(m, "CalledGuard").def(py::init([](py::object f, std::size_t count) {
    return CalledGuard{Shared(std::move(f)), count};
  }));
}

}  // namespace

void bind_system(py::module_& m) {
  bind_signal(m);
  bind_logic(m);
  bind_called(m);

  py::class_<System, std::shared_ptr<System>>(m, "System")
      .def(py::init<std::string>())
      .def_property_readonly("name", [](const System& self) { return self.name(); })
      .def_property_readonly("size", &System::size)
      .def("copy", [](const System& self) { return std::make_shared<System>(self); })
      .def("names",
           [](const System& self) {
             const System::Declarations& all = self.declarations();
             py::dict names;
             names["state"] = all.state_names;
             names["parameter"] = all.parameter_names;
             names["observable"] = all.observable_names;
             names["input"] = all.input_names;
             names["mode"] = all.mode_names;
             names["number"] = all.number_names;
             names["truth"] = all.condition_names;
             names["constraint"] = all.constraint_names;
             py::list relays, guards, times;
             for (const RelayInfo& one : all.relays) relays.append(one.name);
             for (const GuardInfo& one : all.guards) guards.append(one.name);
             for (const TimeEventInfo& one : all.time_events) times.append(one.name);
             names["relay"] = relays;
             names["guard"] = guards;
             names["time_event"] = times;
             return names;
           })
      .def("mode_is_bool", [](const System& self,
                              int i) { return self.declarations().mode_is_bool.at(static_cast<std::size_t>(i)) != 0; })
      .def_property_readonly("starts", [](const System& self) { return self.declarations().starts; })
      .def_property_readonly("parameters", [](const System& self) { return self.declarations().parameters; })
      .def("state",
           [](System& self, std::string name, double start) { return self.state(std::move(name), start).index; })
      .def("parameter",
           [](System& self, std::string name, double value) { return self.parameter(std::move(name), value).index; })
      .def("input", [](System& self, std::string name,
                       const Signal& signal) { return self.input(std::move(name), signal).index; })
      .def("discrete_bool",
           [](System& self, std::string name, bool start) { return self.discrete(std::move(name), start).index; })
      .def("discrete_int",
           [](System& self, std::string name, int start) { return self.discrete(std::move(name), start).index; })
      .def("discrete_number",
           [](System& self, std::string name, double start) { return self.discrete(std::move(name), start).index; })
      .def("rates",
           [](System& self, const GraphFunction& f, const std::vector<int>& states) {
             bool is_whole = static_cast<int>(states.size()) == self.size();
             for (std::size_t i = 0; i < states.size(); ++i) is_whole = is_whole && states[i] == static_cast<int>(i);
             if (is_whole)
               self.rates(f);
             else
               self.rates(SomeRates{f, states});
           })
      .def("rates_called",
           [](System& self, py::object f, std::size_t count) {
             self.rates(CalledRates{Shared(std::move(f)), count});
           })
      .def("rates_called_at",
           [](System& self, py::object f, std::vector<int> states) {
             self.rates(CalledStateRates{Shared(std::move(f)), std::move(states)});
           })
      .def("jacobian_called",
           [](System& self, py::object f, std::size_t count) {
             self.jacobian(CalledJacobian{Shared(std::move(f)), count});
           })
      .def("mass_matrix",
           [](System& self, const GraphFunction& f, std::vector<std::pair<int, int>> places) {
             self.System::mass(GraphEntries{f, std::move(places)});
           })
      .def("equation",
           [](System& self, std::string name, const GraphFunction& f) { self.equation(std::move(name), f); })
      .def("equations",
           [](System& self, std::string name, const GraphFunction& f) { self.equations(std::move(name), f.rows(), f); })
      .def("equations_called",
           [](System& self, std::string name, py::object f, std::size_t count) {
             self.equations(std::move(name), static_cast<int>(count), CalledEquations{Shared(std::move(f)), count});
           })
      .def("nominal", [](System& self, int x, double size) { self.nominal(State{x}, size); })
      .def("start", [](System& self, const model::Graph& graph, const std::vector<int>& nodes,
                       std::vector<int> states) { self.start(AssignedStart(graph, nodes, std::move(states))); })
      .def("guard",
           [](System& self, const std::string& name, const py::object& g, int direction, bool unilateral, bool touching,
              bool reports_departure, const Logic& only_when, const py::object& then, const py::object& at_accumulation,
              double min_width, double rate_bound) {
             GuardDeclaration made = with_function(g, [&](auto f) { return self.guard(name, std::move(f)); });
             complete(made, direction, unilateral, touching, reports_departure, only_when, then, at_accumulation,
                      min_width, rate_bound);
             return Guard(made).index;
           })
      .def("guards",
           [](System& self, const std::vector<std::string>& names, const GraphFunction& g, int direction,
              bool unilateral, bool touching, bool reports_departure, const Logic& only_when, const py::list& then,
              double min_width, double rate_bound) {
             GuardDeclaration made = self.guards(names, g);
             complete(made, direction, unilateral, touching, reports_departure, only_when, py::none(), py::none(),
                      min_width, rate_bound);
             for (std::size_t i = 0; i < then.size(); ++i) {
               GuardDeclaration one = made[static_cast<int>(i)];
               complete(one, 0, false, false, false, Logic(), then[i], py::none(), 0, 0);
             }
             return Block<Guard>(made).first;
           })
      .def("condition",
           [](System& self, const std::string& name, const py::object& g) {
             return with_function(g, [&](auto f) { return self.condition(name, std::move(f)).index; });
           })
      .def("relation",
           [](System& self, const std::string& name, const py::object& g) {
             return with_function(g, [&](auto f) { return self.relation(name, std::move(f)).index; });
           })
      .def("relay",
           [](System& self, const std::string& name, double below, double above, double hysteresis,
              const py::object& g) {
             const System::Levels levels{below, above, hysteresis};
             return with_function(g, [&](auto f) { return self.relay(name, levels, std::move(f)).index; });
           })
      .def("decide", [](System& self, int mode, const Logic& logic) { self.decide(Discrete<bool>{mode}, logic); })
      .def("transition",
           [](System& self, const py::object& f) { self.transition([jump = jump_of(f)](Jump& one) { jump(one); }); })
      .def("at",
           [](System& self, const py::object& time, const py::object& then, bool including_start) {
             TimeEventDeclaration made = self.at(time_value(time), [jump = jump_of(then)](Jump& one) { jump(one); });
             if (including_start) made.including_start();
             return TimeEvent(made).index;
           })
      .def("every",
           [](System& self, const py::object& period, const py::object& then, const py::object& phase,
              bool including_start) {
             TimeEventDeclaration made =
                 self.every(time_value(period), [jump = jump_of(then)](Jump& one) { jump(one); });
             if (!phase.is_none()) made.phase(time_value(phase));
             if (including_start) made.including_start();
             return TimeEvent(made).index;
           })
      .def("time_event",
           [](System& self, std::string name, const py::object& time, const py::object& then) {
             TimeEventDeclaration made =
                 time.is_none() ? self.time_event(std::move(name)) : self.time_event(std::move(name), time_value(time));
             if (!then.is_none()) made.then([jump = jump_of(then)](Jump& one) { jump(one); });
             return TimeEvent(made).index;
           })
      .def("invariant",
           [](System& self, std::string name, const GraphFunction& h) { self.invariant(std::move(name), h); })
      .def("conserved",
           [](System& self, std::string name, const GraphFunction& h) { self.conserved(std::move(name), h); })
      .def("observable",
           [](System& self, const std::string& name, const py::object& f) {
             return with_function(f, [&](auto made) { return self.observable(name, std::move(made)).index; });
           })
      .def("picture", [](System& self, const py::list& rows) { self.picture(picture_of(rows)); })
      .def("multiplier",
           [](System& self, std::string name, int row) {
             return self.observable(std::move(name), [row](const auto& at) { return at[Constraint{row}]; }).index;
           })
      .def("diode", [](System& self, std::string name, const GraphFunction& voltage,
                       const GraphFunction& current) { return self.diode(std::move(name), voltage, current).index; })
      .def("thyristor", [](System& self, std::string name, const GraphFunction& voltage, const GraphFunction& current,
                           const Logic& gate) { return self.thyristor(std::move(name), voltage, current, gate).index; })
      .def("ideal_switch",
           [](System& self, std::string name, int closed, const GraphFunction& voltage, const GraphFunction& current) {
             self.ideal_switch(std::move(name), Discrete<bool>{closed}, voltage, current);
           });
}

}  // namespace pawl::python
