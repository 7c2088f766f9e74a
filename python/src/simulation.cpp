// A run in the user's hands, and the catalogue.
#include <map>

#include <pybind11/stl.h>

#include "exit.hpp"
#include "pawl/simulation.hpp"
#include "problems/catalogue.hpp"
#include "run.hpp"

namespace pawl::python {

namespace {

// Calls the engine without the lock. What a user's function raised is raised here where the call threw because of it,
// or where `has_ended` says that it ended the run; the engine also asks functions at points where they may refuse.
template <class F, class Ended>
auto in_scope(F f, Ended has_ended) {
  RunScope scope;
  try {
    auto made = [&] {
      const WithoutLock without_lock;
      return f();
    }();
    if (scope.is_interrupt() || (scope.has_error() && has_ended(made))) scope.rethrow();
    return made;
  } catch (const py::error_already_set&) {
    throw;
  } catch (const std::exception& error) {
    if (scope.is_interrupt() || scope.has_caused(error.what())) scope.rethrow();
    throw;
  }
}
template <class F>
auto in_scope(F f) {
  return in_scope(f, [](const auto&) { return false; });
}
// Of a step: the run is over, and not because it came to its end.
template <class F>
bool goes_on(Simulation& run, F f) {
  return in_scope(f, [&](bool) { return run.has_ended(); });
}

py::dict entry_of(const Problem& problem) {
  py::dict made;
  made["name"] = problem.name();
  made["summary"] = problem.summary;
  made["kind"] = problem.kind;
  made["source"] = problem.source;
  made["start"] = problem.start;
  made["end"] = problem.end;
  made["plot"] = problem.plot;
  return made;
}

}  // namespace

void bind_simulation(py::module_& m) {
  py::class_<Snapshot>(m, "Snapshot").def_property_readonly("t", &Snapshot::t);
  py::class_<Simulation>(m, "Simulation")
      .def(py::init([](const System& system, const py::list& given, const py::dict& words) {
        const Values values = values_of(system, given);
        const Options options = options_of(words);
        const System shared = system;
        return in_scope([&] { return std::make_unique<Simulation>(shared, values, options); },
                        [](const auto& made) { return made->has_ended(); });
      }))
      .def("step", [](Simulation& self) { return goes_on(self, [&] { return self.step(); }); })
      .def("advance_to", [](Simulation& self, double t) { return goes_on(self, [&] { return self.advance_to(t); }); })
      .def_property_readonly("has_ended", &Simulation::has_ended)
      .def_property_readonly("t", &Simulation::t)
      .def("now", [](Simulation& self) { return in_scope([&] { return self.now(); }); })
      .def("change",
           [](Simulation& self, const std::vector<std::tuple<int, int, double>>& changes) {
             in_scope([&] {
               self.change([&](Jump& jump) {
                 for (const auto& [kind, index, value] : changes) write(jump, static_cast<Op>(kind), index, value);
               });
               return 0;
             });
           })
      .def("give",
           [](Simulation& self, int input, const Signal& signal) {
             in_scope([&] {
               self.change([&](Jump& jump) { jump[Input{input}] = signal; });
               return 0;
             });
           })
      .def("snapshot", [](Simulation& self) { return in_scope([&] { return self.snapshot(); }); })
      .def("restore",
           [](Simulation& self, const Snapshot& snapshot) {
             in_scope([&] {
               self.restore(snapshot);
               return 0;
             });
           })
      .def("finish", [](Simulation& self) {
        return in_scope(
            [&] { return std::make_shared<Result>(self.finish()); },
            [](const auto& run) { return run->outcome == Outcome::failed || run->outcome == Outcome::stopped; });
      });
}

void bind_catalogue(py::module_& m) {
  m.def("catalogue", [] {
    py::list all;
    for (const Problem& problem : catalogue()) all.append(entry_of(problem));
    return all;
  });
  m.def("problem", [](const std::string& name, const std::map<std::string, double>& assignments) {
    const Problem& problem = find_problem(name);
    const Assignments made(assignments.begin(), assignments.end());
    return py::make_tuple(std::make_shared<System>(system_of(problem, made)), entry_of(problem));
  });
  m.def("reference", [](const std::string& name, double t) -> py::object {
    const Problem& problem = find_problem(name);
    if (!problem.reference) return py::none();
    const auto known = problem.reference(Values(problem.system), t);
    if (!known) return py::none();
    return py::cast(*known);
  });
}

}  // namespace pawl::python
