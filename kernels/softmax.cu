// A whole kernel with two reductions between three passes: softmax of each row, a block for a row, data in registers.
#include "common.cuh"

namespace {
constexpr int kThreads = 256;

template <class Combine>
__device__ __forceinline__ float across_block(float value, float* partial, Combine combine) {
#pragma unroll
  for (int lane = 16; lane > 0; lane /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, lane));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[threadIdx.x % (kThreads / 32)];
#pragma unroll
  for (int lane = kThreads / 64; lane > 0; lane /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, lane));
  __syncthreads();
  return value;
}
}  // namespace

// Rows of 1024 values, 4 for each thread. row_sum[row] = sum of the row's results, about 1.
extern "C" __global__ void __launch_bounds__(kThreads) softmax_rows(const float4* from, float4* to, float* row_sum) {
  __shared__ float partial[kThreads / 32];
  float4 v = from[blockIdx.x * kThreads + threadIdx.x];
  const float most =
      across_block(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), partial, [](float a, float b) { return fmaxf(a, b); });
  v = make_float4(__expf(v.x - most), __expf(v.y - most), __expf(v.z - most), __expf(v.w - most));
  const auto add = [](float a, float b) { return a + b; };
  const float share = 1.0f / across_block(v.x + v.y + v.z + v.w, partial, add);
  v = make_float4(v.x * share, v.y * share, v.z * share, v.w * share);
  to[blockIdx.x * kThreads + threadIdx.x] = v;
  const float total = across_block(v.x + v.y + v.z + v.w, partial, add);
  if (threadIdx.x == 0) row_sum[blockIdx.x] = total;
}
