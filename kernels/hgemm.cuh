// C = A * B in BF16 on tensor cores with FP32 accumulation, fed by cp.async through any number of stages, with a choice
// of shared-memory layouts.
//
// A is [M][K] and B is [N][K], both row-major (B is stored by columns); C is [M][N] in FP32. M and N are multiples of
// 128, K of 32. A block of 8 warps (2 x 4) computes 128 x 128; each warp 64 x 32.
#pragma once

#include "common.cuh"

namespace hgemm {
constexpr int kTileM = 128, kTileN = 128, kTileK = 32;
constexpr int kThreads = 256;

// Rows of a tile are 64 bytes, so two share a 128-byte wavefront. The 16-byte chunk index is XORed with bits 1..2 of
// the row, which makes the 8 rows of an ldmatrix phase and the 8 lanes of a 16-byte copy phase fall on 8 different
// groups of banks.
struct Swizzled {
  static constexpr int kRowBytes = 64;
  static __device__ __forceinline__ int at(int row, int chunk) {
    return row * kRowBytes + ((chunk ^ (row >> 1 & 3)) << 4);
  }
};

// As the matrix lies in memory: the 8 rows of an ldmatrix phase fall on 2 groups of banks, 4 on each.
struct Linear {
  static constexpr int kRowBytes = 64;
  static __device__ __forceinline__ int at(int row, int chunk) { return row * kRowBytes + (chunk << 4); }
};

// 16 bytes of padding behind each row: no conflicts either, for a quarter more shared memory.
struct Padded {
  static constexpr int kRowBytes = 80;
  static __device__ __forceinline__ int at(int row, int chunk) { return row * kRowBytes + (chunk << 4); }
};

template <class Layout>
constexpr int kOperandBytes = kTileM* Layout::kRowBytes;
template <class Layout>
constexpr int kStageBytes = 2 * kOperandBytes<Layout>;

// A 128 x 32 tile is 512 chunks of 16 bytes, two for each thread.
template <class Layout>
struct Operands {
  const char *a, *b;
  std::int64_t pitch;  // bytes from row to row

  template <class Move>
  static __device__ __forceinline__ void each_chunk(const char* from, std::int64_t pitch, Move move) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = static_cast<int>(threadIdx.x) / 4 + i * (kThreads / 4), chunk = static_cast<int>(threadIdx.x) % 4;
      move(Layout::at(row, chunk), from + row * pitch + chunk * 16, i);
    }
  }

  __device__ __forceinline__ void issue(int k_tile, std::uint32_t stage) const {
    const std::int64_t along = static_cast<std::int64_t>(k_tile) * kTileK * 2;
    each_chunk(a + along, pitch, [&](int at, const char* from, int) { copy_async_cg(stage + at, from); });
    each_chunk(b + along, pitch,
               [&](int at, const char* from, int) { copy_async_cg(stage + kOperandBytes<Layout> + at, from); });
  }

  // The synchronous way: through registers.
  __device__ __forceinline__ void move(int k_tile, char* stage) const {
    const std::int64_t along = static_cast<std::int64_t>(k_tile) * kTileK * 2;
    uint4 va[2], vb[2];
    each_chunk(a + along, pitch, [&](int, const char* from, int i) { va[i] = *reinterpret_cast<const uint4*>(from); });
    each_chunk(b + along, pitch, [&](int, const char* from, int i) { vb[i] = *reinterpret_cast<const uint4*>(from); });
    each_chunk(a, 0, [&](int at, const char*, int i) { *reinterpret_cast<uint4*>(stage + at) = va[i]; });
    each_chunk(b, 0, [&](int at, const char*, int i) {
      *reinterpret_cast<uint4*>(stage + kOperandBytes<Layout> + at) = vb[i];
    });
  }
};

// Address that this lane hands to ldmatrix.x4 for the 16 x 16 block at (row, k16).
template <class Layout>
__device__ __forceinline__ std::uint32_t fragment_row(std::uint32_t tile, int row, int k16) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return tile + Layout::at(row + lane % 16, k16 * 2 + lane / 16);
}

template <class Layout>
__device__ __forceinline__ void multiply_stage(float (&acc)[4][4][4], std::uint32_t stage, int warp_m, int warp_n) {
#pragma unroll
  for (int k16 = 0; k16 < kTileK / 16; ++k16) {
    std::uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int m = 0; m < 4; ++m) load_matrix_x4(a[m], fragment_row<Layout>(stage, warp_m + m * 16, k16));
#pragma unroll
    for (int n = 0; n < 2; ++n)
      load_matrix_x4(b[n], fragment_row<Layout>(stage + kOperandBytes<Layout>, warp_n + n * 16, k16));
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int n = 0; n < 4; ++n) mma_bf16(acc[m][n], a[m], b[n / 2][n % 2], b[n / 2][n % 2 + 2]);
  }
}

__device__ __forceinline__ void store_tile(float* c, std::int64_t pitch, const float (&acc)[4][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  c += (lane / 4) * pitch + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < 4; ++m)
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      float* at = c + m * 16 * pitch + n * 8;
      *reinterpret_cast<float2*>(at) = make_float2(acc[m][n][0], acc[m][n][1]);
      *reinterpret_cast<float2*>(at + 8 * pitch) = make_float2(acc[m][n][2], acc[m][n][3]);
    }
}

struct Place {  // of this block's and this warp's part of C
  int first_m, first_n, warp_m, warp_n;
};

__device__ __forceinline__ Place place() {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return {static_cast<int>(blockIdx.y) * kTileM, static_cast<int>(blockIdx.x) * kTileN, warp / 4 * 64, warp % 4 * 32};
}

template <class Layout>
__device__ __forceinline__ Operands<Layout> operands(const char* a, const char* b, int k_total, const Place& p) {
  const std::int64_t pitch = static_cast<std::int64_t>(k_total) * 2;
  return {a + p.first_m * pitch, b + p.first_n * pitch, pitch};
}

__device__ __forceinline__ void store(float* c, int n_total, const Place& p, const float (&acc)[4][4][4]) {
  store_tile(c + static_cast<std::int64_t>(p.first_m + p.warp_m) * n_total + p.first_n + p.warp_n, n_total, acc);
}

template <int kStages, class Layout>
__device__ __forceinline__ void pipelined(const char* a, const char* b, float* c, int n_total, int k_total) {
  extern __shared__ __align__(128) char stages[];
  const std::uint32_t base = shared_address(stages);
  const Place p = place();
  const auto from = operands<Layout>(a, b, k_total, p);
  const int k_tiles = k_total / kTileK;

#pragma unroll
  for (int k = 0; k < kStages - 1; ++k) {
    if (k < k_tiles) from.issue(k, base + k * kStageBytes<Layout>);
    commit_group();
  }
  float acc[4][4][4] = {};
  int slot = 0, refill = kStages - 1;
#pragma unroll 1
  for (int k = 0; k < k_tiles; ++k) {
    wait_group<kStages - 2>();
    __syncthreads();
    if (k + kStages - 1 < k_tiles) from.issue(k + kStages - 1, base + refill * kStageBytes<Layout>);
    commit_group();
    multiply_stage<Layout>(acc, base + slot * kStageBytes<Layout>, p.warp_m, p.warp_n);
    slot = slot == kStages - 1 ? 0 : slot + 1;
    refill = refill == kStages - 1 ? 0 : refill + 1;
  }
  store(c, n_total, p, acc);
}

// LDG, STS, barrier, multiply, barrier.
template <class Layout>
__device__ __forceinline__ void synchronous(const char* a, const char* b, float* c, int n_total, int k_total) {
  extern __shared__ __align__(128) char stages[];
  const Place p = place();
  const auto from = operands<Layout>(a, b, k_total, p);
  float acc[4][4][4] = {};
#pragma unroll 1
  for (int k = 0; k < k_total / kTileK; ++k) {
    from.move(k, stages);
    __syncthreads();
    multiply_stage<Layout>(acc, shared_address(stages), p.warp_m, p.warp_n);
    __syncthreads();
  }
  store(c, n_total, p, acc);
}
}  // namespace hgemm

#define HGEMM(NAME, CALL)                                                                   \
  extern "C" __global__ void __launch_bounds__(hgemm::kThreads, 2)                          \
      NAME(const char* a, const char* b, float* c, int m_total, int n_total, int k_total) { \
    (void)m_total; /* the grid says how many rows there are */                              \
    hgemm::CALL(a, b, c, n_total, k_total);                                                 \
  }
