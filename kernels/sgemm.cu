// A whole kernel: FP32 GEMM on the FMA pipe, fed synchronously or by 2 or 3 stages of cp.async.
//
// A is [M][K], B is [K][N], C is [M][N], all row-major; M and N are multiples of 64, K of 16. A block of 256 threads
// computes 64 x 64; each thread 4 x 4. A's tile is 64 x 16, B's 16 x 64: one 16-byte chunk of each for a thread.
#include "common.cuh"

namespace {
constexpr int kTile = 64, kTileK = 16;
constexpr int kFloats = kTile * kTileK;  // of one operand

struct Tiles {
  const float *a, *b;  // this thread's chunk of the first tiles
  int b_step;          // floats from tile to tile of B; A's are kTileK apart

  __device__ __forceinline__ void issue(int k, float* stage) const {
    copy_async_cg(shared_address(stage + threadIdx.x * 4), a + k * kTileK);
    copy_async_cg(shared_address(stage + kFloats + threadIdx.x * 4), b + static_cast<std::int64_t>(k) * b_step);
  }
  __device__ __forceinline__ void move(int k, float* stage) const {
    const float4 va = *reinterpret_cast<const float4*>(a + k * kTileK);
    const float4 vb = *reinterpret_cast<const float4*>(b + static_cast<std::int64_t>(k) * b_step);
    *reinterpret_cast<float4*>(stage + threadIdx.x * 4) = va;
    *reinterpret_cast<float4*>(stage + kFloats + threadIdx.x * 4) = vb;
  }
};

__device__ __forceinline__ Tiles tiles(const float* a, const float* b, int n_total, int k_total) {
  const int t = static_cast<int>(threadIdx.x);
  return {a + static_cast<std::int64_t>(blockIdx.y * kTile + t / 4) * k_total + t % 4 * 4,
          b + static_cast<std::int64_t>(t / 16) * n_total + blockIdx.x * kTile + t % 16 * 4, kTileK * n_total};
}

__device__ __forceinline__ void multiply(float (&acc)[4][4], const float* stage) {
  const int row = static_cast<int>(threadIdx.x) / 16 * 4, column = static_cast<int>(threadIdx.x) % 16 * 4;
#pragma unroll
  for (int k4 = 0; k4 < kTileK; k4 += 4) {
    float4 a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] = *reinterpret_cast<const float4*>(stage + (row + i) * kTileK + k4);
#pragma unroll
    for (int i = 0; i < 4; ++i) b[i] = *reinterpret_cast<const float4*>(stage + kFloats + (k4 + i) * kTile + column);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float x[4] = {a[i].x, a[i].y, a[i].z, a[i].w};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        acc[i][0] = fmaf(x[k], b[k].x, acc[i][0]);
        acc[i][1] = fmaf(x[k], b[k].y, acc[i][1]);
        acc[i][2] = fmaf(x[k], b[k].z, acc[i][2]);
        acc[i][3] = fmaf(x[k], b[k].w, acc[i][3]);
      }
    }
  }
}

__device__ __forceinline__ void store(float* c, int n_total, const float (&acc)[4][4]) {
  c += static_cast<std::int64_t>(blockIdx.y * kTile + threadIdx.x / 16 * 4) * n_total + blockIdx.x * kTile +
       threadIdx.x % 16 * 4;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(c + static_cast<std::int64_t>(i) * n_total) =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

template <int kStages>
__device__ __forceinline__ void pipelined(const float* a, const float* b, float* c, int n_total, int k_total) {
  __shared__ alignas(16) float stages[kStages][2 * kFloats];
  const Tiles from = tiles(a, b, n_total, k_total);
  const int k_tiles = k_total / kTileK;
#pragma unroll
  for (int k = 0; k < kStages - 1; ++k) {
    if (k < k_tiles) from.issue(k, stages[k]);
    commit_group();
  }
  float acc[4][4] = {};
  int slot = 0, refill = kStages - 1;
#pragma unroll 1
  for (int k = 0; k < k_tiles; ++k) {
    wait_group<kStages - 2>();
    __syncthreads();
    if (k + kStages - 1 < k_tiles) from.issue(k + kStages - 1, stages[refill]);
    commit_group();
    multiply(acc, stages[slot]);
    slot = slot == kStages - 1 ? 0 : slot + 1;
    refill = refill == kStages - 1 ? 0 : refill + 1;
  }
  store(c, n_total, acc);
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    sgemm_sync(const float* a, const float* b, float* c, int n_total, int k_total) {
  __shared__ alignas(16) float stage[2 * kFloats];
  const Tiles from = tiles(a, b, n_total, k_total);
  float acc[4][4] = {};
#pragma unroll 1
  for (int k = 0; k < k_total / kTileK; ++k) {
    from.move(k, stage);
    __syncthreads();
    multiply(acc, stage);
    __syncthreads();
  }
  store(c, n_total, acc);
}
extern "C" __global__ void __launch_bounds__(256)
    sgemm_2stage(const float* a, const float* b, float* c, int n_total, int k_total) {
  pipelined<2>(a, b, c, n_total, k_total);
}
extern "C" __global__ void __launch_bounds__(256)
    sgemm_3stage(const float* a, const float* b, float* c, int n_total, int k_total) {
  pipelined<3>(a, b, c, n_total, k_total);
}
