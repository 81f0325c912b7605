// Runs a whole launch without timing: the reference for results and the check that a kernel executes at all.
#pragma once

#include <cstdint>

#include "program/warp_stream.h"

namespace smpipe {

struct UntimedResult {
  std::uint64_t warp_instructions = 0;
  std::uint64_t blocks = 0;
};

/// Executes every block of `source`, one after the other; the warps of a block take turns. The clock advances by one
/// per warp instruction. Throws InputError when a block cannot finish (deadlock) or `limit` warp instructions are
/// exceeded.
UntimedResult run_untimed(KernelSource& source, std::uint64_t limit = ~std::uint64_t{0});

}  // namespace smpipe
