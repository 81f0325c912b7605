// Isolates the latency of FFMA: every instruction needs the result of the one before it.
#include "common.cuh"

namespace {
constexpr int kUnroll = 128;
}  // namespace

// out[0] = cycles of `count` dependent FFMAs (a multiple of 128); value[lane] = the chain's end. With multiplier 1 and
// addend 1 the chain counts, so value[lane] = lane + 2 * count (the untimed pass counts too).
extern "C" __global__ void ffma_chain(std::int64_t* out, float* value, float multiplier, float addend, int count) {
  float x = static_cast<float>(threadIdx.x);
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first pass brings the code into the instruction caches
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < count; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(multiplier), "f"(addend));
    }
    cycles = sm_clock() - start;
  }
  value[threadIdx.x] = x;
  if (threadIdx.x == 0) out[0] = cycles;
}
