// Isolates coalescing: what strided, misaligned and random 4-byte reads cost in sectors and in time.
#include "common.cuh"

// result[thread] = sum of `count` words; lane distance `stride` words, first word `offset`; a block's reads of one
// round cover blockDim * stride words, rounds follow each other.
extern "C" __global__ void strided_read(const std::uint32_t* from, std::uint32_t* result, int stride, int offset,
                                        int count) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  std::uint32_t sum = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) sum += from[(i * threads + thread) * stride + offset];
  result[thread] = sum;
}

// result[thread] = sum of `count` words, each from a random sector: from[(index[...] & mask) * 8].
extern "C" __global__ void random_sectors(const std::uint32_t* from, const std::uint32_t* index, std::uint32_t* result,
                                          std::uint32_t mask, int count) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  std::uint32_t sum = 0;
#pragma unroll 4
  for (int i = 0; i < count; ++i) sum += from[(index[i * threads + thread] & mask) * 8];
  result[thread] = sum;
}
