// The end of the interpreter, while threads still run models. Python ends a thread that then asks for its lock by
// unwinding it, which the engine's handlers would take for an exception; such a thread waits instead, without the lock,
// until the process is gone.
#pragma once

#include <optional>

#include <pybind11/pybind11.h>

namespace pawl::python {

/// Around code that takes or holds the lock below the engine.
class InsidePython {
 public:
  InsidePython();
  ~InsidePython();
  InsidePython(const InsidePython&) = delete;
  InsidePython& operator=(const InsidePython&) = delete;
};

/// Gives the lock away and takes it again, unless the interpreter ends meanwhile: then the thread waits.
class WithoutLock {
 public:
  WithoutLock() : released_(std::in_place) {}
  ~WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  std::optional<pybind11::gil_scoped_release> released_;
};

/// For atexit: from here on other threads wait, and those that are inside Python have left it, or two seconds are over.
void begin_exit();

}  // namespace pawl::python
