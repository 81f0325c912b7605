// The counterpart of spill_32_registers: the same kernel with all the registers that it wants, hence without spills.

#include "common.cuh"

namespace {
constexpr int kValues = 40;
}  // namespace

// result[thread] = sum over i of value i after `rounds` of x = x * multiplier + addend on all of them. With multiplier
// 1 and addend 1 value i, which starts as thread + i, ends as thread + i + rounds.
extern "C" __global__ void spill_none(float* result, float multiplier, float addend, int rounds) {
  float x[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) x[i] = static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x + i);
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kValues; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i]) : "f"(multiplier), "f"(addend));
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kValues; ++i) sum += x[i];
  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
