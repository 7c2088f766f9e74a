#include "cli/interrupts.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <string_view>

#include "report/whole_file.hpp"

namespace pawl::cli {

namespace {

using Nanoseconds = long long;
constexpr Nanoseconds second = 1'000'000'000, patience = second * 3 / 4, copies = second / 4;

std::atomic<Nanoseconds> interrupted_at{0}, asked_at{0}, slowest{0};  // 0: not yet
std::atomic<bool> was_heard{false};
timer_t watch;

Nanoseconds now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return second * time.tv_sec + time.tv_nsec;
}

void wake_after(Nanoseconds delay) {
  itimerspec when{};
  when.it_value.tv_sec = delay / second;
  when.it_value.tv_nsec = delay % second;
  ::timer_settime(watch, 0, &when, nullptr);
}

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// One that comes a quarter of a second after the first or later means it: sooner ones may be copies of the first
/// (timeout, for instance, signals a process and its group).
extern "C" void on_interrupt(int signal) {
  const Nanoseconds time = now();
  Nanoseconds first = 0;
  if (interrupted_at.compare_exchange_strong(first, time)) {
    wake_after(patience);
    return;
  }
  if (time - first < copies) return;
  remove_unfinished_file();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

extern "C" void on_alarm(int) {
  if (was_heard) return;
  const Nanoseconds waited = now() - interrupted_at, longest = std::max(patience, 2 * slowest.load());
  if (waited < longest) {
    say("pawl: interrupted: the step under way is waited for, steps of this run are slow; once more ends it at once\n");
    wake_after(longest - waited);
    return;
  }
  remove_unfinished_file();
  say("pawl: stopped by the user inside a set-up, a step or a search that takes long: "
      "what is not yet printed or written is lost\n");
  ::_exit(1);
}

}  // namespace

void catch_interrupts() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  ::timer_create(CLOCK_MONOTONIC, &event, &watch);
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = on_interrupt;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is then an error of write(), with a message
}

void begin_steps() {
  asked_at = 0;
}

bool goes_on() {
  const Nanoseconds time = now(CLOCK_MONOTONIC_COARSE);  // a few nanoseconds, and good to milliseconds
  const Nanoseconds before = asked_at.load(std::memory_order_relaxed);
  if (before != 0 && time - before > slowest.load(std::memory_order_relaxed)) slowest = time - before;
  asked_at.store(time, std::memory_order_relaxed);
  if (interrupted_at.load(std::memory_order_relaxed) == 0) return true;
  was_heard = true;
  return false;
}

}  // namespace pawl::cli
