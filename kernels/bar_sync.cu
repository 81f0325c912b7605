// Isolates the cost of a block-wide barrier by number of warps: bar.sync back to back, nothing between.
#include "common.cuh"

namespace {
constexpr int kUnroll = 32;
}  // namespace

// out[0] = cycles that warp 0 spent in `count` barriers (a multiple of 32).
extern "C" __global__ void bar_sync(std::int64_t* out, int count) {
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first pass brings the code into the instruction caches
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < count; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) asm volatile("bar.sync 0;" ::: "memory");
    }
    cycles = sm_clock() - start;
  }
  if (threadIdx.x == 0) out[0] = cycles;
}
