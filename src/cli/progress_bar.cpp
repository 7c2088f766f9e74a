#include "cli/progress_bar.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

namespace pawl::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;
timespec first_interrupt{};

/// The first signal raises a flag. One that comes a quarter of a second later or more means it: sooner ones may be
/// copies of the first (timeout, for instance, signals a process and its group).
extern "C" void on_interrupt(int signal) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (interrupted == 0) {
    first_interrupt = now;
    interrupted = 1;
    return;
  }
  const double elapsed = static_cast<double>(now.tv_sec - first_interrupt.tv_sec) +
                         1e-9 * static_cast<double>(now.tv_nsec - first_interrupt.tv_nsec);
  if (elapsed < 0.25) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

ProgressBar::ProgressBar() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(const Progress& progress) {
  if (!is_terminal_ || ++steps_since_look_ < 64) return;  // looking at the clock costs more than a small step
  steps_since_look_ = 0;
  const auto now = Clock::now();
  if (now - began_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  is_drawn_ = true;
  constexpr int width = 40;
  const double done = (progress.t - progress.start) / (progress.end - progress.start);
  const int filled = static_cast<int>(done * width);
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  fmt::print(stderr, "\r[{:=<{}}{:<{}}] {:3.0f} %  t = {:.4g}  {} steps  {:.0f} s left \x1b[K", "", filled, "",
             width - filled, 100 * done, progress.t, progress.steps, done > 0 ? elapsed / done - elapsed : 0);
  std::fflush(stderr);
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of write(), with a message
}

bool was_interrupted() {
  return interrupted != 0;
}

}  // namespace pawl::cli
