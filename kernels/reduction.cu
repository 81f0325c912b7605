// A whole kernel bound by DRAM with a tail of shuffles and barriers: block-wise sums of 32-bit words.
#include "common.cuh"

// result[block] = sum of `chunks_per_thread` * blockDim 16-byte chunks, modulo 2^32.
extern "C" __global__ void reduction(const uint4* from, std::uint32_t* result, int chunks_per_thread) {
  __shared__ std::uint32_t partial[32];
  from += static_cast<std::int64_t>(blockIdx.x) * blockDim.x * chunks_per_thread + threadIdx.x;
  std::uint32_t sum = 0;
#pragma unroll 8
  for (int i = 0; i < chunks_per_thread; ++i) {
    const uint4 v = from[i * static_cast<int>(blockDim.x)];
    sum += v.x + v.y + v.z + v.w;
  }
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffff, sum, lane);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffff, sum, lane);
  if (threadIdx.x == 0) result[blockIdx.x] = sum;
}
