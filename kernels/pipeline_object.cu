// The double-buffered pattern as CUDA's documentation writes it: cuda::memcpy_async and a thread-scope cuda::pipeline.
// What it compiles to is the same LDGSTS, LDGDEPBAR and DEPBAR; the question is what the library adds around them.
#include <cuda/pipeline>

#include "tile_stream.cuh"

namespace {
__device__ __forceinline__ void issue(cuda::pipeline<cuda::thread_scope_thread>& pipeline, const TileStream& s,
                                      int tile) {
  pipeline.producer_acquire();
  float4* to = s.shared + tile % 2 * s.tile_chunks() + threadIdx.x;
  for (int c = 0; c < s.chunks; ++c) {
    const int at = c * static_cast<int>(blockDim.x);
    cuda::memcpy_async(to + at, s.tile(tile) + at, cuda::aligned_size_t<16>(16), pipeline);
  }
  pipeline.producer_commit();
}
}  // namespace

// Arguments and result are those of tile_stream_async_s2.
extern "C" __global__ void pipeline_object(const float4* source, float* result, int tile_bytes, int tiles, int work,
                                           float multiplier, float addend) {
  extern __shared__ float4 stages[];
  const TileStream s = open_stream(source, stages, tile_bytes, tiles, work, multiplier, addend);
  float sum[4] = {};
  auto pipeline = cuda::make_pipeline();
  issue(pipeline, s, 0);
#pragma unroll 1
  for (int t = 0; t < s.tiles; ++t) {
    if (t + 1 < s.tiles) {
      issue(pipeline, s, t + 1);
      cuda::pipeline_consumer_wait_prior<1>(pipeline);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipeline);
    }
    __syncthreads();
    consume(sum, s.shared + t % 2 * s.tile_chunks(), s);
    pipeline.consumer_release();
    __syncthreads();
  }
  write_result(result, sum);
}
