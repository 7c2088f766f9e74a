#include "exit.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace pawl::python {

namespace {

std::atomic<bool> is_exiting{false};
std::atomic<int> inside{0};
std::thread::id ending_thread;

/// Does not return in a thread that runs on, without the lock, while the interpreter ends.
void wait_if_exiting() {
  if (!is_exiting || std::this_thread::get_id() == ending_thread || PyGILState_Check() != 0) return;
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

InsidePython::InsidePython() {
  if (is_exiting) wait_if_exiting();
  ++inside;
  if (!is_exiting) return;
  --inside;  // it began in between
  wait_if_exiting();
  ++inside;
}
InsidePython::~InsidePython() {
  --inside;
}

// Whoever ends the interpreter waits for those who are inside: one who has just asked gets the lock before.
WithoutLock::~WithoutLock() {
  const InsidePython inside_now;
  released_.reset();
}

void begin_exit() {
  ending_thread = std::this_thread::get_id();
  is_exiting = true;
  const pybind11::gil_scoped_release without_lock;
  for (int i = 0; i < 2000 && inside > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace pawl::python
