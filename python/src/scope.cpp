#include "scope.hpp"

#include "exit.hpp"

namespace pawl::python {

namespace {

thread_local RunScope* current = nullptr;

}  // namespace

Shared::Shared(py::object object) {
  object_ = std::shared_ptr<const py::object>(new py::object(std::move(object)), [](const py::object* held) {
    if (Py_IsInitialized() == 0) return;  // the interpreter is gone, and the object with it
    const InsidePython inside;
    const py::gil_scoped_acquire lock;
    delete held;
  });
}

RunScope::RunScope() : outer_(current), last_(std::chrono::steady_clock::now()) {
  current = this;
}
RunScope::~RunScope() {
  current = outer_;
}

void RunScope::keep(const py::object& exception) {
  error_ = exception;
  is_interrupt_ = is_interrupt_ || PyErr_GivenExceptionMatches(exception.ptr(), PyExc_KeyboardInterrupt) != 0;
}

void RunScope::pass_on(py::error_already_set& error) {
  if (current == nullptr) throw error;
  py::object value = error.value();
  if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
  current->keep(value);
  const std::string text = error.what();
  current->text_ = text.substr(0, text.find('\n'));
  throw PythonRaised(current->text_);
}

void RunScope::rethrow() const {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_.ptr())), error_.ptr());
  throw py::error_already_set();
}

bool RunScope::poll() {
  RunScope* scope = current;
  if (scope == nullptr) return true;
  if (scope->is_interrupt_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - scope->last_ < std::chrono::milliseconds(50)) return true;
  scope->last_ = now;
  const InsidePython inside;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return true;
  py::error_already_set raised;
  scope->keep(raised.value());
  return false;
}

}  // namespace pawl::python
