#include "run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "exit.hpp"
#include "pawl/advise.hpp"
#include "pawl/report.hpp"
#include "pawl/simulate.hpp"
#include "pawl/verify.hpp"

namespace pawl::python {

Options options_of(const py::dict& words) {
  Options made;
  for (const auto& entry : words) {
    const auto word = entry.first.cast<std::string>();
    const py::handle value = entry.second;
    const auto number = [&] { return value.cast<double>(); };
    const auto text = [&] { return value.cast<std::string>(); };
    if (word == "start") {
      made.start = number();
    } else if (word == "end") {
      made.end = number();
    } else if (word == "rtol") {
      made.tolerance.relative = number();
    } else if (word == "atol") {
      if (py::isinstance<py::list>(value))
        made.tolerance.absolute_each = value.cast<std::vector<double>>();
      else
        made.tolerance.absolute = number();
    } else if (word == "method") {
      made.method = text();
    } else if (word == "step") {
      made.step = number();
    } else if (word == "first_step") {
      made.first_step = number();
    } else if (word == "max_step") {
      made.max_step = number();
    } else if (word == "keep") {
      const std::string what = text();
      if (what != "everything" && what != "samples" && what != "end")
        throw Misuse(fmt::format("keep is 'everything', 'samples' or 'end', not '{}'", what));
      made.keep = what == "everything" ? Keep::everything : what == "samples" ? Keep::samples : Keep::end;
    } else if (word == "history") {
      made.keeps_history = value.cast<bool>();
    } else if (word == "samples") {
      made.samples = value.cast<int>();
    } else if (word == "times") {
      made.times = value.cast<std::vector<double>>();
    } else if (word == "events") {
      made.events = text();
    } else if (word == "event_tolerance") {
      made.event_tolerance = number();
    } else if (word == "concurrency_window") {
      made.concurrency_window = number();
    } else if (word == "max_events") {
      made.max_events = value.cast<long long>();
    } else if (word == "at_accumulation") {
      const std::string what = text();
      if (what != "stop" && what != "fail")
        throw Misuse(fmt::format("at_accumulation is 'stop' or 'fail', not '{}'", what));
      made.at_accumulation = what == "fail" ? AtAccumulation::fail : AtAccumulation::stop;
    } else if (word == "formulation") {
      made.constraints.formulation = text();
    } else if (word == "stabilization") {
      made.constraints.stabilization = text();
    } else if (word == "start_by") {
      made.constraints.start = text();
    } else if (word == "fixed") {
      made.constraints.fixed = value.cast<std::vector<std::string>>();
    } else if (word == "linear_solver") {
      made.implicit.linear_solver = text();
    } else {
      throw Misuse(fmt::format("there is no option '{}'", word));
    }
  }
  made.progress = [](const Progress&) { return RunScope::poll(); };
  return made;
}

Values values_of(const System& system, const py::list& given) {
  Values values(system);
  for (const py::handle& one : given) {
    const auto entry = one.cast<py::tuple>();
    const bool is_signal = py::isinstance<Signal>(entry[entry.size() - 1]);
    if (entry.size() == 2) {
      const auto name = entry[0].cast<std::string>();
      if (is_signal)
        values.set(name, entry[1].cast<Signal>());
      else
        values.set(name, entry[1].cast<double>());
      continue;
    }
    const auto kind = static_cast<Op>(entry[0].cast<int>());
    const int index = entry[1].cast<int>();
    if (kind == Op::input) {
      if (is_signal)
        values[Input{index}] = entry[2].cast<Signal>();
      else
        values[Input{index}] = Signal(entry[2].cast<double>());
      continue;
    }
    const auto value = entry[2].cast<double>();
    if (kind == Op::state) values[State{index}] = value;
    if (kind == Op::parameter) values[Parameter{index}] = value;
    if (kind == Op::number) values[Discrete<double>{index}] = value;
    if (kind == Op::mode) values[Discrete<int>{index}] = static_cast<int>(value);
  }
  return values;
}

double read(const Instant& at, int kind, int index) {
  const auto i = static_cast<std::size_t>(index);
  switch (static_cast<Op>(kind)) {
    case Op::time:
      return at.t;
    case Op::state:
      return at.states()[i];
    case Op::parameter:
      return at.held().parameters[i];
    case Op::number:
      return at.held().numbers[i];
    case Op::mode:
      return at.held().modes[i];
    case Op::truth:
      return at.held().truths[i];
    case Op::relay:
      return at[Relay{index}];
    case Op::input:
      return at[Input{index}];
    default:
      break;
  }
  if (kind == kind_observable) return at[Observable{index}];
  if (kind == kind_constraint) return at[Constraint{index}];
  throw Misuse(
      "a result has states, parameters, inputs, discrete variables, conditions, relays, observables and "
      "multipliers of constraints");
}

namespace {

using Results = std::shared_ptr<Result>;

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

// Runs the engine without the lock. A user's exception that ended the run comes second, else None; where the engine
// threw because of one, it is thrown as itself.
template <class Run>
py::tuple run_in_scope(Run run) {
  RunScope scope;
  Results result;
  try {
    const WithoutLock without_lock;
    result = std::make_shared<Result>(run());
  } catch (const std::exception& error) {
    if (scope.is_interrupt() || scope.has_caused(error.what())) scope.rethrow();
    throw;
  }
  const bool is_due = scope.is_interrupt() || scope.has_caused(result->reason);
  return py::make_tuple(result, is_due ? scope.error() : py::object(py::none()));
}

std::vector<int> sample_numbers(const Result& run) {
  const std::vector<char>& asked = run.trajectory.sample_was_requested;
  const bool is_asked_for = std::find(asked.begin(), asked.end(), 1) != asked.end();
  std::vector<int> numbers;
  for (int i = 0; i < run.sample_count(); ++i)
    if (!is_asked_for || run.was_requested(i)) numbers.push_back(i);
  return numbers;
}

py::array_t<double> read_samples(const Result& run, int kind, int index) {
  std::vector<double> values;
  const auto n = static_cast<std::size_t>(run.trajectory.size);
  for (const int i : sample_numbers(run)) {
    const auto k = static_cast<std::size_t>(i);
    if (kind == static_cast<int>(Op::time))
      values.push_back(run.trajectory.sample_times[k]);
    else if (kind == static_cast<int>(Op::state))
      values.push_back(run.trajectory.sample_states[k * n + static_cast<std::size_t>(index)]);
    else
      values.push_back(read(run.sample(i), kind, index));
  }
  return array_of(values);
}

// One row per quantity, one column per instant.
py::array_t<double> read_at(const Result& run, const std::vector<double>& times,
                            const std::vector<std::pair<int, int>>& quantities, bool before) {
  py::array_t<double> values({static_cast<py::ssize_t>(quantities.size()), static_cast<py::ssize_t>(times.size())});
  auto out = values.mutable_unchecked<2>();
  for (std::size_t j = 0; j < times.size(); ++j) {
    const Instant at = before ? run.before(times[j]) : run.at(times[j]);
    for (std::size_t i = 0; i < quantities.size(); ++i)
      out(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(j)) =
          read(at, quantities[i].first, quantities[i].second);
  }
  return values;
}

py::array_t<double> states_of_samples(const Result& run) {
  const std::vector<int> numbers = sample_numbers(run);
  const auto n = static_cast<std::size_t>(run.trajectory.size);
  py::array_t<double> values({static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(numbers.size())});
  auto out = values.mutable_unchecked<2>();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i)
      out(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(k)) =
          run.trajectory.sample_states[static_cast<std::size_t>(numbers[k]) * n + i];
  }
  return values;
}

py::list events_of(const Result& run) {
  py::list events;
  for (const Event& event : run.events) {
    py::dict one;
    one["t"] = event.t;
    one["kind"] = std::string(to_string(event.kind));
    one["fires"] = fires(event.kind);
    one["names"] = run.names(event);
    one["notes"] = event.notes;
    py::list contacts;
    for (const ContactFired& fired : event.contacts)
      contacts.append(py::make_tuple(name_of(fired, *run.declarations), std::string(to_string(fired.kind))));
    one["contacts"] = contacts;
    one["mode"] = run.mode(*event.held_after);
    one["uncertainty"] = event.uncertainty;
    events.append(one);
  }
  return events;
}

std::vector<double> times_of(const Result& run, int kind, int index) {
  if (kind == kind_guard) return run.times_of(Guard{index});
  if (kind == kind_time_event) return run.times_of(TimeEvent{index});
  if (kind == static_cast<int>(Op::relay)) return run.times_of(Relay{index});
  if (kind == static_cast<int>(Op::mode)) return run.times_of(Discrete<int>{index});
  if (kind == static_cast<int>(Op::number)) return run.times_of(Discrete<double>{index});
  if (kind == static_cast<int>(Op::truth)) {
    const bool is_relation = run.declarations->condition_is_relation.at(static_cast<std::size_t>(index)) != 0;
    return is_relation ? run.times_of(Relation{index}) : run.times_of(Condition{index});
  }
  throw Misuse("times_of(...) takes guards, conditions, relations, relays, time events and discrete variables");
}

py::dict statistics_of(const Result& run) {
  const Statistics& all = run.statistics;
  py::dict made;
  made["rhs"] = all.rhs;
  made["steps"] = all.steps_accepted;
  made["rejected"] = all.steps_rejected;
  made["min_step"] = all.min_step;
  made["max_step"] = all.max_step;
  made["seconds"] = all.wall_seconds;
  made["events"] = all.events.events;
  py::dict guarantees;
  for (const Guarantee& one : all.events.guarantees) guarantees[py::str(one.guard)] = std::string(to_string(one.level));
  made["guarantees"] = guarantees;
  if (all.constraints) {
    made["position_drift"] = all.constraints->position_drift;
    made["velocity_drift"] = all.constraints->velocity_drift;
    made["invariant_drift"] = all.constraints->invariant_drift;
    made["formulation"] = all.constraints->formulation;
    made["stabilization"] = all.constraints->stabilization;
  }
  if (all.implicit) {
    made["jacobians"] = all.implicit->jacobians;
    made["dual_rhs"] = all.implicit->dual_rhs;
    made["factorizations"] = all.implicit->factorizations;
    made["structure"] = all.implicit->structure;
  }
  return made;
}

py::list messages_of(const Result& run) {
  py::list made;
  for (const Message& one : run.messages)
    made.append(py::make_tuple(one.t, std::string(to_string(one.level)), std::string(to_string(one.code)), one.text));
  return made;
}

py::dict verify_run(const System& system, const py::list& given, const py::dict& words, const Result& first,
                    bool quick) {
  RunScope scope;
  const Values values = values_of(system, given);
  const Options options = options_of(words);
  Verification made;
  std::string text;
  try {
    const WithoutLock without_lock;
    made = pawl::verify(system, values, options, first, quick ? VerifyOptions::quick() : VerifyOptions());
    text = describe(made, first);
  } catch (const std::exception& error) {
    if (scope.is_interrupt() || scope.has_caused(error.what())) scope.rethrow();
    throw;
  }
  if (scope.is_interrupt()) scope.rethrow();
  py::dict out;
  out["verdict"] = std::string(to_string(made.verdict));
  out["summary"] = made.summary;
  out["advice"] = made.advice;
  out["digits"] = made.digits;
  out["wanted_digits"] = made.wanted_digits;
  out["text"] = text;
  out["made"] = py::cast(std::move(made));  // for reports
  return out;
}

py::dict advise_model(const System& system, const py::list& given, const py::dict& words) {
  RunScope scope;
  const Values values = values_of(system, given);
  const Options options = options_of(words);
  analyze::Advice made;
  try {
    const WithoutLock without_lock;
    made = analyze::advise(system, values, options);
  } catch (const std::exception& error) {
    if (scope.is_interrupt() || scope.has_caused(error.what())) scope.rethrow();
    throw;
  }
  if (scope.is_interrupt()) scope.rethrow();
  py::dict out;
  out["text"] = analyze::to_text(made);
  out["method"] = made.recommendation.method.value;
  out["why"] = made.recommendation.method.why;
  out["is_stiff"] = made.recommendation.is_stiff;
  if (!made.modes.empty()) {
    out["index"] = made.modes.front().declared.index;
    out["degrees_of_freedom"] = made.modes.front().declared.degrees_of_freedom;
    out["eigenvalues"] = made.modes.front().declared.eigenvalues;
  }
  return out;
}

}  // namespace

void bind_run(py::module_& m) {
  m.def("simulate", [](const System& system, const py::list& given, const py::dict& words) {
    const Values values = values_of(system, given);
    const Options options = options_of(words);
    const System shared = system;  // its declarations as they are now, whatever is declared meanwhile
    return run_in_scope([&] { return pawl::simulate(shared, values, options); });
  });
  py::class_<Verification>(m, "MadeVerification");  // NOLINT(bugprone-unused-raii): it declares
  m.def("verify", &verify_run);
  m.def("report", [](const Result& run, const std::string& path, const py::dict& words, const std::string& title,
                     const std::string& command, const std::vector<std::string>& plots,
                     const std::vector<std::pair<std::string, std::string>>& texts, bool is_exact,
                     const Verification* verification) {
    const Options options = options_of(words);
    const WithoutLock without_lock;
    report(run, path,
           {.exact = is_exact,
            .title = title,
            .command = command,
            .plots = plots,
            .run_options = &options,
            .verification = verification,
            .texts = texts});
  });
  m.def("advise", &advise_model);
  m.def("restored", &restored);

  py::class_<Instant>(m, "Instant")
      .def_readonly("t", &Instant::t)
      .def("read", [](const Instant& self, int kind, int index) { return read(self, kind, index); });

  py::class_<Result, Results>(m, "Result")
      .def_property_readonly("outcome", [](const Result& self) { return std::string(to_string(self.outcome)); })
      .def_readonly("reason", &Result::reason)
      .def_property_readonly(
          "code",
          [](const Result& self) { return self.ending ? std::string(to_string(self.ending->code)) : std::string(); })
      .def_readonly("model", &Result::model)
      .def_readonly("method", &Result::method)
      .def_readonly("t_start", &Result::t_start)
      .def_readonly("t_end", &Result::t_end)
      .def_property_readonly("sample_count",
                             [](const Result& self) { return static_cast<int>(sample_numbers(self).size()); })
      .def("statistics", &statistics_of)
      .def("messages", &messages_of)
      .def("events", &events_of)
      .def("times_of", [](const Result& self, int kind, int index) { return array_of(times_of(self, kind, index)); })
      .def("times_of_contact",
           [](const Result& self, int index, int normal, int slip, int mode, const std::optional<std::string>& kind) {
             const Contact contact{{normal}, {slip}, {mode}, index};
             return array_of(kind ? self.times_of(contact, contact_event(*kind)) : self.times_of(contact));
           })
      .def("at", &Result::at)
      .def("before", &Result::before)
      .def("final", &Result::final)
      .def("begin", &Result::start)
      .def("read_samples", &read_samples)
      .def("states_of_samples", &states_of_samples)
      .def("read_at", &read_at)
      .def("range",
           [](const Result& self, int kind, int index) {
             const Range range = kind == kind_observable ? self.range(Observable{index}) : self.range(State{index});
             return py::make_tuple(range.min, range.max);
           })
      .def("names", [](const Result& self) { return self.quantity_names(); })
      .def("state", &state_of);

  bind_simulation(m);
}

}  // namespace pawl::python
