#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/text.h"

namespace smpipe::app {

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) != 0), begin_(Clock::now()), last_(begin_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::operator()(double fraction, Cycle now) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const Clock::time_point time = Clock::now();
  if (!on_terminal_ || time - begin_ < seconds(2) || time - last_ < milliseconds(200)) return;
  last_ = time;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{:.0f} % of the blocks, cycle {}", 100 * fraction, grouped(now));
  std::fflush(stderr);
}

}  // namespace smpipe::app
