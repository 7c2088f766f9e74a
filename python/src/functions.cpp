#include "functions.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "exit.hpp"

namespace pawl::python {

namespace {

std::size_t at_index(int i) {
  return static_cast<std::size_t>(i);
}

// Reads efforts where a graph reads rates.
class EffortSource : public detail::RateSource<double> {
 public:
  explicit EffortSource(const Efforts& e) : e_(e) {}
  double rate(const Point<double>& /*at*/, int index) const override { return e_[State{index}]; }

 private:
  const Efforts& e_;
};

// Runs a program with numbers alone; input(kind, index) and x(state) give what it reads.
template <class Input, class X>
std::vector<double> run_with_numbers(const model::Program& program, Input input, X x) {
  std::vector<double> h = program.held(), m(at_index(program.moving_size()) + 1), states;
  for (const model::Load& load : program.held_loads()) h[at_index(load.slot)] = input(load.kind, load.index);
  for (const model::Load& load : program.moving_loads()) m[at_index(load.slot)] = input(load.kind, load.index);
  if (!program.states().empty()) states.resize(at_index(program.states().back()) + 1);
  for (const int i : program.states()) states[at_index(i)] = x(i);
  std::vector<double> out(at_index(program.rows()));
  program.run_held(h.data());
  program.run(m.data(), h.data(), states.data(), out.data());
  return out;
}

py::array_t<double> numbers(const double* values, std::size_t count) {
  return py::array_t<double>(static_cast<py::ssize_t>(count), values);
}

// Calls into Python with the lock, and sends what is raised there on its way.
template <class F>
decltype(auto) with_python(F f) {
  const InsidePython inside;
  const py::gil_scoped_acquire lock;
  try {
    return f();
  } catch (py::error_already_set& error) {
    RunScope::pass_on(error);
  } catch (const py::builtin_exception& refused) {  // ours, about what a function returned
    refused.set_error();
    py::error_already_set error;
    RunScope::pass_on(error);
  }
}

double number_of(const py::object& returned, const char* what) {
  const double value = PyFloat_AsDouble(returned.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    double one = 0;
    to_numbers(returned, &one, 1, what);
    return one;
  }
  return value;
}

}  // namespace

void GraphResistance::operator()(const Point<double>& at, const Efforts& e, Terms<double>& d) const {
  const EffortSource source(e);
  detail::Surroundings<double> around = *at.around();
  around.rates = &source;
  const std::vector<double> rows = rows_of(f, Point<double>(at.t, at.states(), at.parameters(), &around));
  for (std::size_t i = 0; i < rows.size(); ++i) d[State{states[i]}] += rows[i];
}

Assigned::Assigned(const model::Graph& graph, const std::vector<int>& nodes, std::vector<Target> targets,
                   std::string stop)
    : program_(graph, nodes), targets_(std::move(targets)), stop_(std::move(stop)) {}

void Assigned::operator()(Jump& jump) const {
  const std::vector<double> values = run_with_numbers(
      program_, [&](Op kind, int index) { return read_before(jump, kind, index); },
      [&](int i) { return jump.pre(State{i}); });
  for (std::size_t i = 0; i < targets_.size(); ++i) write(jump, targets_[i].kind, targets_[i].index, values[i]);
  if (!stop_.empty()) jump.terminate(stop_);
}

AssignedStart::AssignedStart(const model::Graph& graph, const std::vector<int>& nodes, std::vector<int> of)
    : program(graph, nodes), states(std::move(of)) {}

void AssignedStart::operator()(Start& at) const {
  const std::vector<double> values = run_with_numbers(
      program, [&](Op, int index) { return at[Parameter{index}]; }, [&](int i) { return at[State{i}]; });
  for (std::size_t i = 0; i < states.size(); ++i) at[State{states[i]}] = values[i];
}

void write(Jump& jump, Op kind, int index, double value) {
  switch (kind) {
    case Op::state:
      jump[State{index}] = value;
      return;
    case Op::parameter:
      jump[Parameter{index}] = value;
      return;
    case Op::number:
      jump[Discrete<double>{index}] = value;
      return;
    case Op::mode:
      if (value != std::nearbyint(value) || std::abs(value) > 2e9)
        throw Misuse(fmt::format("t = {}: a discrete int or bool is given {}", jump.t, value));
      jump[Discrete<int>{index}] = static_cast<int>(value);
      return;
    case Op::input:
      jump[Input{index}] = value;
      return;
    default:
      throw Misuse("an event assigns states, parameters, discrete variables and inputs");
  }
}

double read(Jump& jump, Op kind, int index) {
  switch (kind) {
    case Op::time:
      return jump.t;
    case Op::state:
      return jump[State{index}];
    case Op::parameter:
      return jump[Parameter{index}];
    case Op::number:
      return jump[Discrete<double>{index}];
    case Op::mode:
      return jump[Discrete<int>{index}];
    case Op::truth:
      return jump[Relation{index}];
    case Op::input:
      return jump[Input{index}];
    case Op::relay:
      return static_cast<double>(jump[Relay{index}]);
    default:
      throw Misuse("an event reads states, parameters, discrete variables, conditions and inputs");
  }
}

double read_before(const Jump& jump, Op kind, int index) {
  switch (kind) {
    case Op::time:
      return jump.t;
    case Op::state:
      return jump.pre(State{index});
    case Op::parameter:
      return jump.pre(Parameter{index});
    case Op::number:
      return jump.pre(Discrete<double>{index});
    case Op::mode:
      return jump.pre(Discrete<int>{index});
    case Op::truth:
      return jump.pre(Relation{index});
    case Op::input:
      return jump.pre(Input{index});
    case Op::relay:
      return static_cast<double>(jump.pre(Relay{index}));
    default:
      throw Misuse("an event reads states, parameters, discrete variables, conditions and inputs");
  }
}

void to_numbers(const py::object& returned, double* out, std::size_t count, const char* what) {
  const auto refuse_count = [&](std::size_t size) {
    throw py::value_error(fmt::format("{} returned {} number{}, not {}", what, size, size == 1 ? "" : "s", count));
  };
  if (PyList_Check(returned.ptr()) || PyTuple_Check(returned.ptr())) {
    const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(returned.ptr()));
    PyObject** items = PySequence_Fast_ITEMS(returned.ptr());
    std::size_t i = 0;
    for (; i < size && i < count; ++i) {
      if (PyFloat_Check(items[i])) {
        out[i] = PyFloat_AS_DOUBLE(items[i]);
        continue;
      }
      if (PyUnicode_Check(items[i]) || PyList_Check(items[i]) || PyTuple_Check(items[i])) break;
      out[i] = PyFloat_AsDouble(items[i]);
      if (out[i] == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        break;
      }
    }
    if (i == count && size == count) return;
  }
  if (py::isinstance<py::array_t<double>>(returned)) {  // of doubles already
    const auto array = py::reinterpret_borrow<py::array_t<double>>(returned);
    if (array.ndim() == 1 && static_cast<std::size_t>(array.shape(0)) == count) {
      for (std::size_t i = 0; i < count; ++i) out[i] = *array.data(static_cast<py::ssize_t>(i));
      return;
    }
  }
  const auto array = py::array::ensure(returned);
  if (!array) PyErr_Clear();
  const char kind = array ? array.dtype().kind() : 'O';
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw py::type_error(fmt::format("{} returned {}, which is not a row of real numbers", what,
                                     std::string(py::str(py::repr(returned))).substr(0, 80)));
  const auto doubles = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  if (static_cast<std::size_t>(doubles.size()) != count) refuse_count(static_cast<std::size_t>(doubles.size()));
  for (std::size_t i = 0; i < count; ++i) out[i] = doubles.data()[i];
}

void CalledRates::operator()(const Point<double>& at, Rates<double>& d) const {
  with_python([&] {
    const py::object returned = (*f)(at.t, numbers(at.states().array, count));
    to_numbers(returned, &d[State{0}], count, "fun(t, y)");
  });
}

void CalledJacobian::operator()(const Point<double>& at, Entries<double>& out) const {
  with_python([&] {
    const py::object returned = (*f)(at.t, numbers(at.states().array, count));
    std::vector<double> values(count * count);
    to_numbers(returned, values.data(), values.size(), "jac(t, y)");
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        out(State{static_cast<int>(i)}, State{static_cast<int>(j)}) = values[i * count + j];
  });
}

void CalledEquations::operator()(const Point<double>& at, std::span<double>& out) const {
  std::vector<double> rates(count);
  for (std::size_t i = 0; i < count; ++i) rates[i] = at[Rate{static_cast<int>(i)}];
  with_python([&] {
    const py::object returned = (*f)(at.t, numbers(at.states().array, count), numbers(rates.data(), count));
    to_numbers(returned, out.data(), count, "fun(t, y, yp)");
  });
}

double CalledGuard::operator()(const Point<double>& at) const {
  return with_python([&] { return number_of((*f)(at.t, numbers(at.states().array, count)), "an event function"); });
}

namespace {

// The view a called function gets, which dies with the call.
template <class View, class F>
decltype(auto) with_view(View made, F f) {
  const py::object view = py::cast(std::move(made));
  struct End {
    const py::object& view;
    ~End() {
      if constexpr (std::is_same_v<View, At>)
        view.cast<At&>().point = nullptr;
      else
        view.cast<JumpView&>().jump = nullptr;
    }
  } const end{view};
  return f(view);
}

}  // namespace

double CalledValue::operator()(const Point<double>& at) const {
  return with_python([&] {
    return with_view(At{&at}, [&](const py::object& view) { return number_of((*f)(view), "a function of the model"); });
  });
}

void CalledStateRates::operator()(const Point<double>& at, Rates<double>& d) const {
  with_python([&] {
    with_view(At{&at}, [&](const py::object& view) {
      std::vector<double> values(states.size());
      to_numbers((*f)(view), values.data(), values.size(), "the function of the rates");
      for (std::size_t i = 0; i < states.size(); ++i) d[State{states[i]}] = values[i];
    });
  });
}

void CalledJump::operator()(Jump& jump) const {
  with_python([&] { with_view(JumpView{&jump}, [&](const py::object& view) { (*f)(view); }); });
}

double At::read(int kind, int index) const {
  if (point == nullptr) throw Misuse("`at` is read after the function it was given to has returned");
  switch (static_cast<Op>(kind)) {
    case Op::time:
      return point->t;
    case Op::state:
      return (*point)[State{index}];
    case Op::rate:
      return (*point)[Rate{index}];
    case Op::parameter:
      return (*point)[Parameter{index}];
    case Op::number:
      return (*point)[Discrete<double>{index}];
    case Op::mode:
      return (*point)[Discrete<int>{index}];
    case Op::truth:
      return (*point)[Relation{index}];
    case Op::relay:
      return (*point)[Relay{index}];
    case Op::input:
      return (*point)[Input{index}];
    default:
      break;
  }
  if (kind == kind_constraint) return (*point)[Constraint{index}];
  throw Misuse(
      "at[...] takes states, rates, parameters, inputs, discrete variables, conditions, relays and constraints");
}

double At::t() const {
  return read(static_cast<int>(Op::time), 0);
}

Jump& JumpView::alive() const {
  if (jump == nullptr) throw Misuse("a jump is used after the function it was given to has returned");
  return *jump;
}

ContactEvent contact_event(const std::string& word) {
  for (const ContactEvent kind :
       {ContactEvent::impact, ContactEvent::rest, ContactEvent::stick, ContactEvent::slip, ContactEvent::release})
    if (to_string(kind) == word) return kind;
  throw Misuse(fmt::format("'{}' is no event of a contact: those are impact, rest, stick, slip and release", word));
}

void bind_functions(py::module_& m) {
  py::class_<At>(m, "At").def_property_readonly("t", &At::t).def("read", &At::read);
  py::class_<JumpView>(m, "JumpView")
      .def_property_readonly("t", [](const JumpView& self) { return self.alive().t; })
      .def_property_readonly("is_start", [](const JumpView& self) { return self.alive().is_start(); })
      .def_property_readonly("is_accumulation", [](const JumpView& self) { return self.alive().is_accumulation(); })
      .def("read", [](const JumpView& self, int kind, int i) { return read(self.alive(), static_cast<Op>(kind), i); })
      .def("pre",
           [](const JumpView& self, int kind, int i) { return read_before(self.alive(), static_cast<Op>(kind), i); })
      .def("write", [](const JumpView& self, int kind, int i,
                       double value) { write(self.alive(), static_cast<Op>(kind), i, value); })
      .def("give", [](const JumpView& self, int i, const Signal& signal) { self.alive()[Input{i}] = signal; })
      .def("fired",
           [](const JumpView& self, int kind, int i) {
             const Jump& jump = self.alive();
             if (kind == kind_guard) return jump.fired(Guard{i});
             if (kind == kind_time_event) return jump.fired(TimeEvent{i});
             if (kind == static_cast<int>(Op::truth)) return jump.fired(Condition{i}) || jump.fired(Relation{i});
             if (kind == static_cast<int>(Op::relay)) return jump.fired(Relay{i});
             throw Misuse("fired(...) takes guards, conditions, relations, relays, contacts and time events");
           })
      .def("fired_contact",
           [](const JumpView& self, int index, int normal, int slip, int mode, const std::optional<std::string>& kind) {
             const Contact contact{{normal}, {slip}, {mode}, index};
             return kind ? self.alive().fired(contact, contact_event(*kind)) : self.alive().fired(contact);
           })
      .def("schedule", [](const JumpView& self, int i, double t) { self.alive().schedule(TimeEvent{i}, t); })
      .def("schedule_again", [](const JumpView& self, double t) { self.alive().schedule_again(t); })
      .def("terminate", [](const JumpView& self, std::string why) { self.alive().terminate(std::move(why)); });
}

}  // namespace pawl::python
