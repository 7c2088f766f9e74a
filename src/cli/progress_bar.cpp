#include "cli/progress_bar.hpp"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace pawl::cli {

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

}  // namespace pawl::cli
