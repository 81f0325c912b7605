// Isolates what an N-stage cp.async pipeline hides: the same stream as tile_stream_sync, with up to N - 1 tiles in
// flight while one is computed. Prologue, steady state and epilogue are those of any software pipeline: every
// iteration commits one group, an empty one at the end, so that one wait count serves all of them.
#include "tile_stream.cuh"

namespace {
__device__ __forceinline__ void issue_tile(const TileStream& s, int tile, int slot) {
  const float4* from = s.tile(tile);
  const std::uint32_t to = shared_address(s.shared + slot * s.tile_chunks() + threadIdx.x);
#pragma unroll 4
  for (int c = 0; c < s.chunks; ++c) {
    const int at = c * static_cast<int>(blockDim.x);
    copy_async_cg(to + at * 16, from + at);
  }
}

// One stage cannot overlap: the second barrier keeps the next copy from overwriting what is still read.
__device__ __forceinline__ void one_stage(float (&sum)[4], const TileStream& s) {
#pragma unroll 1
  for (int t = 0; t < s.tiles; ++t) {
    issue_tile(s, t, 0);
    commit_group();
    wait_group<0>();
    __syncthreads();
    consume(sum, s.shared, s);
    __syncthreads();
  }
}

// The barrier that publishes tile t also says that everyone is done with tile t - 1, whose slot is refilled next.
template <int kStages>
__device__ __forceinline__ void many_stages(float (&sum)[4], const TileStream& s) {
#pragma unroll
  for (int t = 0; t < kStages - 1; ++t) {
    if (t < s.tiles) issue_tile(s, t, t);
    commit_group();
  }
  int slot = 0, refill = kStages - 1;
#pragma unroll 1
  for (int t = 0; t < s.tiles; ++t) {
    wait_group<kStages - 2>();
    __syncthreads();
    if (t + kStages - 1 < s.tiles) issue_tile(s, t + kStages - 1, refill);
    commit_group();
    consume(sum, s.shared + slot * s.tile_chunks(), s);
    slot = slot == kStages - 1 ? 0 : slot + 1;
    refill = refill == kStages - 1 ? 0 : refill + 1;
  }
}
}  // namespace

#define TILE_STREAM(STAGES)                                                                                     \
  extern "C" __global__ void tile_stream_async_s##STAGES(const float4* source, float* result, int tile_bytes,   \
                                                         int tiles, int work, float multiplier, float addend) { \
    extern __shared__ float4 stages[];                                                                          \
    const TileStream s = open_stream(source, stages, tile_bytes, tiles, work, multiplier, addend);              \
    float sum[4] = {};                                                                                          \
    if constexpr (STAGES == 1) {                                                                                \
      one_stage(sum, s);                                                                                        \
    } else {                                                                                                    \
      many_stages < STAGES<2 ? 2 : STAGES>(sum, s);                                                             \
    }                                                                                                           \
    write_result(result, sum);                                                                                  \
  }

TILE_STREAM(1)
TILE_STREAM(2)
TILE_STREAM(3)
TILE_STREAM(4)
TILE_STREAM(5)
TILE_STREAM(6)
