// Isolates the synchronous way to move a tile: LDG to registers, STS, barrier, compute, barrier. Nothing overlaps
// inside a block; only other blocks on the SM can hide the latency.
#include "tile_stream.cuh"

extern "C" __global__ void tile_stream_sync(const float4* source, float* result, int tile_bytes, int tiles, int work,
                                            float multiplier, float addend) {
  extern __shared__ float4 stage[];
  const TileStream s = open_stream(source, stage, tile_bytes, tiles, work, multiplier, addend);
  float sum[4] = {};
#pragma unroll 1
  for (int t = 0; t < s.tiles; ++t) {
    const float4* from = s.tile(t);
#pragma unroll 4
    for (int c = 0; c < s.chunks; ++c) {
      const int at = c * static_cast<int>(blockDim.x);
      s.shared[threadIdx.x + at] = from[at];
    }
    __syncthreads();
    consume(sum, s.shared, s);
    __syncthreads();
  }
  write_result(result, sum);
}
