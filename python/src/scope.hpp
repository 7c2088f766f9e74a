// What Python and the engine owe each other during a call: the interpreter's lock, the user's exceptions, Ctrl-C.
//
//   RunScope scope;
//   { py::gil_scoped_release without_lock; result = simulate(...); }      // callbacks take the lock themselves
//   scope.raise_if_interrupted(...)
//
// A user's exception cannot travel through the engine as itself, because the engine makes an outcome of it. It is kept
// in the scope of the call and raised again when the engine has returned, with its traceback.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "pawl/options.hpp"

namespace pawl::python {

namespace py = pybind11;

/// A Python object that C++ may copy and drop on any thread, with or without the lock.
class Shared {
 public:
  Shared() = default;
  explicit Shared(py::object object);

  const py::object& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  std::shared_ptr<const py::object> object_;
};

/// Goes through the engine in the place of a Python exception.
class PythonRaised : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One call of the engine. Scopes nest: a user's function may run another model.
class RunScope {
 public:
  RunScope();
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

  /// Keeps the exception and throws PythonRaised; outside any scope it is thrown on as it is. Requires the lock.
  [[noreturn]] static void pass_on(py::error_already_set& error);

  bool has_error() const { return static_cast<bool>(error_); }
  /// Whether the exception is what this text of the engine is about: it also asks functions at points where they may
  /// refuse, and goes on.
  bool has_caused(std::string_view text) const { return error_ && text.find(text_) != std::string_view::npos; }
  bool is_interrupt() const { return is_interrupt_; }
  /// None where there is none.
  py::object error() const { return error_ ? error_ : py::object(py::none()); }
  /// Throws the kept exception as itself.
  [[noreturn]] void rethrow() const;

  /// Asks for signals, at most every 50 ms; false where one raised. For Options::progress.
  static bool poll();

 private:
  void keep(const py::object& exception);

  RunScope* outer_;
  py::object error_;
  std::string text_;  // what goes through the engine in its place
  bool is_interrupt_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace pawl::python
