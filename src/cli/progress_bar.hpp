// A progress bar on standard error, for people: only on a terminal, and only once a run has taken a second.
#pragma once

#include <chrono>

#include "pawl/options.hpp"

namespace pawl::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // wipes what it drew
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_terminal_;
  bool is_drawn_ = false;
  Clock::time_point began_ = Clock::now(), last_ = began_;
  long long steps_since_look_ = 0;
};

}  // namespace pawl::cli
