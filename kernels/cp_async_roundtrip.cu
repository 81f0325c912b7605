// Isolates the time from issuing an asynchronous copy to seeing its group complete: copy, commit, wait for all, repeat.
//
// One warp, each lane copies kBytes; consecutive copies start `stride` bytes apart and wrap at `footprint` (a power of
// two). A warm pass over the whole footprint makes the source hit in L1 (.ca) or L2 (.cg); without it, caches cold,
// every timed copy comes from DRAM.
#include "common.cuh"

namespace {
template <int kBytes, bool kBypass>
__device__ __forceinline__ void round_trips(const char* source, std::int64_t* out, std::uint32_t* landed, int stride,
                                            int footprint, int warm_copies, int copies) {
  __shared__ alignas(16) std::uint32_t tile[32 * 4];
  const std::uint32_t to = shared_address(tile) + threadIdx.x * kBytes;
  const char* lane_source = source + threadIdx.x * kBytes;
  std::uint32_t offset = 0;
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const int todo = pass == 0 ? warm_copies : copies;
    const std::int64_t start = sm_clock();
#pragma unroll 4
    for (int i = 0; i < todo; ++i) {
      if constexpr (kBypass) {
        copy_async_cg(to, lane_source + offset);
      } else {
        copy_async_ca<kBytes>(to, lane_source + offset);
      }
      commit_group();
      offset = (offset + stride) & (footprint - 1);
      wait_group<0>();
    }
    cycles = sm_clock() - start;
  }
  __syncwarp();
  for (int i = threadIdx.x; i < 8 * kBytes; i += 32) landed[i] = tile[i];
  if (threadIdx.x == 0) {
    out[0] = cycles;
    out[1] = offset;
  }
}
}  // namespace

// out[0] = cycles of `copies` round trips; landed[] = what the last copy brought (32 * kBytes bytes).
#define ROUNDTRIP(NAME, BYTES, BYPASS)                                                                      \
  extern "C" __global__ void NAME(const char* source, std::int64_t* out, std::uint32_t* landed, int stride, \
                                  int footprint, int warm_copies, int copies) {                             \
    round_trips<BYTES, BYPASS>(source, out, landed, stride, footprint, warm_copies, copies);                \
  }

ROUNDTRIP(cp_async_roundtrip_ca4, 4, false)
ROUNDTRIP(cp_async_roundtrip_ca8, 8, false)
ROUNDTRIP(cp_async_roundtrip_ca16, 16, false)
ROUNDTRIP(cp_async_roundtrip_cg16, 16, true)
