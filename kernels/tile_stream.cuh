// What the synchronous and the asynchronous tile streams share: where a tile lies and the work done on it.
//
// A block streams `tiles` tiles of `tile_bytes` (a multiple of 16 bytes per thread) from global through shared memory.
// On each tile every thread reads 16-byte chunks that another thread brought in, and does `work` rounds of FFMA.
#pragma once

#include "common.cuh"

struct TileStream {
  const float4* source;  // tiles of this block, one behind the other
  float4* shared;
  int chunks;  // 16-byte chunks of a tile for each thread
  int tiles;
  int work;
  float multiplier, addend;  // 1 and 0: the result stays the plain sum, but the compiler cannot know

  __device__ __forceinline__ int tile_chunks() const { return chunks * static_cast<int>(blockDim.x); }
  __device__ __forceinline__ const float4* tile(int t) const {
    return source + static_cast<std::int64_t>(t) * tile_chunks() + threadIdx.x;
  }
};

__device__ __forceinline__ TileStream open_stream(const float4* source, float4* shared, int tile_bytes, int tiles,
                                                  int work, float multiplier, float addend) {
  const int tile_chunks = tile_bytes / 16;
  return {source + static_cast<std::int64_t>(blockIdx.x) * tiles * tile_chunks,
          shared,
          tile_chunks / static_cast<int>(blockDim.x),
          tiles,
          work,
          multiplier,
          addend};
}

// Four independent chains: enough to keep the FMA pipe busy from one warp per scheduler.
__device__ __forceinline__ void arithmetic(float (&x)[4], const TileStream& s) {
#pragma unroll 4
  for (int i = 0; i < s.work; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = fmaf(x[k], s.multiplier, s.addend);
  }
}

// Adds a tile that lies in shared memory to the sums. The reversed order reads what other warps wrote.
__device__ __forceinline__ void consume(float (&sum)[4], const float4* tile, const TileStream& s) {
  const int mirrored = static_cast<int>(blockDim.x - 1 - threadIdx.x);
#pragma unroll 4
  for (int c = 0; c < s.chunks; ++c) {
    const float4 v = tile[mirrored + c * static_cast<int>(blockDim.x)];
    sum[0] += v.x;
    sum[1] += v.y;
    sum[2] += v.z;
    sum[3] += v.w;
  }
  arithmetic(sum, s);
}

// result[thread of the grid] = sum over all floats that the thread consumed.
__device__ __forceinline__ void write_result(float* result, const float (&sum)[4]) {
  result[blockIdx.x * blockDim.x + threadIdx.x] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
