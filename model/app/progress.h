// A progress line on stderr for people who watch: only on a terminal, only when the run takes longer than two seconds.
#pragma once

#include <chrono>

#include "core/types.h"

namespace smpipe::app {

class Progress {
 public:
  Progress();
  ~Progress();  ///< clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the blocks is done at SM cycle `now`.
  void operator()(double fraction, Cycle now);

 private:
  using Clock = std::chrono::steady_clock;
  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point begin_, last_;
};

}  // namespace smpipe::app
