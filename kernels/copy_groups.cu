// Isolates the bookkeeping of asynchronous copies: groups that are empty, waits that need not wait, copies that are
// masked by a source size of zero, and many copies in flight.
#include "common.cuh"

namespace {
constexpr int kUnroll = 32;
}  // namespace

// out[0] = cycles of `count` empty groups, each committed and waited for (a multiple of 32).
extern "C" __global__ void empty_groups(std::int64_t* out, int count) {
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < count; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        commit_group();
        wait_group<0>();
      }
    }
    cycles = sm_clock() - start;
  }
  if (threadIdx.x == 0) out[0] = cycles;
}

// Eight groups of one copy each; out[k] = cycles from the first issue until at most k groups were pending. landed[]
// holds what the eight copies brought: 8 * 512 bytes.
extern "C" __global__ void wait_groups(const uint4* source, std::int64_t* out, uint4* landed) {
  __shared__ uint4 tile[8 * 32];
  std::int64_t seen[8] = {};
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const std::int64_t start = sm_clock();
#pragma unroll
    for (int g = 0; g < 8; ++g) {
      copy_async_cg(shared_address(&tile[g * 32 + threadIdx.x]), source + (pass * 8 + g) * 32 + threadIdx.x);
      commit_group();
    }
    wait_group<7>();
    seen[7] = sm_clock() - start;
    wait_group<6>();
    seen[6] = sm_clock() - start;
    wait_group<5>();
    seen[5] = sm_clock() - start;
    wait_group<4>();
    seen[4] = sm_clock() - start;
    wait_group<3>();
    seen[3] = sm_clock() - start;
    wait_group<2>();
    seen[2] = sm_clock() - start;
    wait_group<1>();
    seen[1] = sm_clock() - start;
    wait_group<0>();
    seen[0] = sm_clock() - start;
  }
  __syncwarp();
  for (int g = 0; g < 8; ++g) landed[g * 32 + threadIdx.x] = tile[g * 32 + threadIdx.x];
  if (threadIdx.x == 0)
    for (int k = 0; k < 8; ++k) out[k] = seen[k];
}

// Copies of 16 bytes of which only the first `source_bytes` are read; the rest is filled with zeros.
// out[0] = cycles of `copies` round trips; landed[] = what the last one left (512 bytes).
extern "C" __global__ void copy_source_size(const char* source, std::int64_t* out, uint4* landed, int source_bytes,
                                            int copies) {
  __shared__ uint4 tile[32];
  tile[threadIdx.x] = make_uint4(~0u, ~0u, ~0u, ~0u);
  __syncwarp();
  const std::uint32_t to = shared_address(&tile[threadIdx.x]);
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const std::int64_t start = sm_clock();
#pragma unroll 4
    for (int i = 0; i < copies; ++i) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source + threadIdx.x * 16),
                   "r"(source_bytes)
                   : "memory");
      commit_group();
      wait_group<0>();
    }
    cycles = sm_clock() - start;
  }
  __syncwarp();
  landed[threadIdx.x] = tile[threadIdx.x];
  if (threadIdx.x == 0) out[0] = cycles;
}

// Every warp keeps 16 copies in flight: groups of 8, of which one is always pending. Copies run over `footprint` bytes
// (a power of two). out[0] = cycles for `rounds` groups of each warp.
extern "C" __global__ void copies_in_flight(const char* source, std::int64_t* out, int footprint, int rounds) {
  extern __shared__ uint4 stage[];
  const std::uint32_t to = shared_address(&stage[threadIdx.x]);
  const int step = static_cast<int>(blockDim.x) * 16;
  int offset = static_cast<int>(threadIdx.x) * 16 + static_cast<int>(blockIdx.x) * 8192;
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        copy_async_cg(to + (r % 2 * 8 + i) * step, source + (offset & (footprint - 1)));
        offset += step;
      }
      commit_group();
      wait_group<1>();
    }
    wait_group<0>();
    __syncthreads();
    cycles = sm_clock() - start;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cycles;
}
