// Instruction and constant fetch of an SM: what has been there once is there; the first want of a line waits for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/gpu_config.h"
#include "core/types.h"
#include "program/instruction.h"

namespace smpipe {

class FetchUnit {
 public:
  explicit FetchUnit(const FetchConfig& config) : config_(config) {}

  /// Takes up a program of `bytes` bytes of code, of which nothing is there.
  void load_program(std::uint64_t bytes) { lines_.assign(bytes / config_.line_bytes + 1, kNever); }
  /// The parameters of every launch are new, whatever ran before.
  void new_constants() { constants_ = kNever; }

  /// Cycle at which `in` can issue, as far as its code is concerned; `now` or earlier if it is there.
  Cycle code_ready(Cycle now, const Instruction& in) {
    const std::size_t line = in.address / config_.line_bytes;
    if (lines_[line] == kNever) {
      const std::size_t end = std::min<std::size_t>(lines_.size(), line + 1 + config_.prefetch_lines);
      for (std::size_t i = line; i < end; ++i) {
        if (lines_[i] == kNever) lines_[i] = now + config_.miss_latency + (i - line) * config_.line_interval;
      }
    }
    return lines_[line];
  }

  /// Likewise for its constant operand.
  Cycle constants_ready(Cycle now, const Instruction& in) {
    if (!in.reads_constants) return 0;
    if (constants_ == kNever) constants_ = now + config_.constant_latency;
    return constants_;
  }

 private:
  const FetchConfig config_;
  std::vector<Cycle> lines_;  ///< by code line: there from this cycle on; kNever: not asked for
  Cycle constants_ = kNever;
};

}  // namespace smpipe
