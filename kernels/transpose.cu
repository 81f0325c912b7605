// A whole kernel whose time is decided by shared-memory layout: transpose of a square FP32 matrix in tiles of 32 x 32.
// The tile's columns are read with a 32-way conflict, or with none when each row is one word longer.
#include "common.cuh"

namespace {
template <int kPitch>
__device__ __forceinline__ void transpose(const float* from, float* to, int n) {
  __shared__ float tile[32 * kPitch];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * 32, row = static_cast<int>(blockIdx.y) * 32;
#pragma unroll
  for (int i = 0; i < 32; i += 8) tile[(y + i) * kPitch + x] = from[(row + y + i) * n + column + x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) to[(column + y + i) * n + row + x] = tile[x * kPitch + y + i];
}
}  // namespace

extern "C" __global__ void transpose_conflicts(const float* from, float* to, int n) { transpose<32>(from, to, n); }
extern "C" __global__ void transpose_padded(const float* from, float* to, int n) { transpose<33>(from, to, n); }
