// The end of the interpreter, while threads still run models. Python ends a thread that then asks for its lock by
// unwinding it, which the engine's handlers would take for an exception; such a thread waits instead, without the lock,
// until the process is gone.
#pragma once

namespace pawl::python {

/// Around code that takes or holds the lock below the engine.
class InsidePython {
 public:
  InsidePython();
  ~InsidePython();
  InsidePython(const InsidePython&) = delete;
  InsidePython& operator=(const InsidePython&) = delete;
};

/// Does not return in a thread that runs on, without the lock, while the interpreter ends.
void wait_if_exiting();

/// For atexit: from here on other threads wait, and those that are inside Python have left it, or two seconds are over.
void begin_exit();

}  // namespace pawl::python
