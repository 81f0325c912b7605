// Isolates bandwidth: a grid-stride pass over a footprint, 16 bytes a thread, several in flight. The footprint decides
// whether L2 or DRAM delivers, the grid how many SMs ask.
#include "common.cuh"

namespace {
constexpr int kUnroll = 4;

enum class Policy { kCg, kCa, kCs };

template <Policy kPolicy>
__device__ __forceinline__ uint4 load(const uint4* p) {
  if constexpr (kPolicy == Policy::kCa) return __ldca(p);
  if constexpr (kPolicy == Policy::kCs) return __ldcs(p);
  return __ldcg(p);
}

template <Policy kPolicy>
__device__ __forceinline__ void read(const uint4* from, std::uint32_t* result, int chunks, int rounds) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll 1
    for (int i = first; i < chunks; i += step * kUnroll) {
      uint4 v[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) v[k] = load<kPolicy>(from + i + k * step);
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
  }
  result[first] = sum;
}
}  // namespace

// result[thread] = sum of the words that the thread read. `chunks` (16 bytes each) is a multiple of 4 * all threads.
extern "C" __global__ void stream_read_cg(const uint4* from, std::uint32_t* result, int chunks, int rounds) {
  read<Policy::kCg>(from, result, chunks, rounds);
}
extern "C" __global__ void stream_read_ca(const uint4* from, std::uint32_t* result, int chunks, int rounds) {
  read<Policy::kCa>(from, result, chunks, rounds);
}
extern "C" __global__ void stream_read_cs(const uint4* from, std::uint32_t* result, int chunks, int rounds) {
  read<Policy::kCs>(from, result, chunks, rounds);
}

extern "C" __global__ void stream_copy(const uint4* from, uint4* to, int chunks) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * blockDim.x);
#pragma unroll 1
  for (int i = first; i < chunks; i += step * kUnroll) {
    uint4 v[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) v[k] = __ldcg(from + i + k * step);
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) to[i + k * step] = v[k];
  }
}

// to[i] = words 4i .. 4i + 3 of a ramp.
extern "C" __global__ void stream_write(uint4* to, int chunks) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * blockDim.x);
#pragma unroll 4
  for (int i = first; i < chunks; i += step) to[i] = make_uint4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
}
