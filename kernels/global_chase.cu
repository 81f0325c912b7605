// Isolates the latency of one level of the global-memory hierarchy.
//
// Each element of the ring holds the address of the next one, so a hop is a single LDG whose address is the value of
// the LDG before it. The ring's footprint and stride choose the level that answers; `.ca` may hit in L1, `.cg` never
// does. A walk over the whole ring before the timed one warms the caches; with caches cold and a ring that is longer
// than warm-up plus timed hops together, every timed hop goes to DRAM.
#include "common.cuh"

namespace {
constexpr int kUnroll = 32;

template <bool kThroughL1>
__device__ __forceinline__ void hop(std::uint64_t& p) {
  if constexpr (kThroughL1) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
  } else {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  }
}

template <bool kThroughL1>
__device__ __forceinline__ void chase(const std::uint64_t* ring, std::int64_t* out, int warm_hops, int hops) {
  __shared__ std::uint32_t scratch[32];
  std::uint64_t p = reinterpret_cast<std::uint64_t>(ring);
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const int todo = pass == 0 ? warm_hops : hops;
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < todo; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) hop<kThroughL1>(p);
    }
    wait_for(static_cast<std::uint32_t>(p), shared_address(&scratch[threadIdx.x]));
    cycles = sm_clock() - start;
  }
  if (threadIdx.x == 0) {
    out[0] = cycles;
    out[1] = static_cast<std::int64_t>(p - reinterpret_cast<std::uint64_t>(ring));
  }
}
}  // namespace

// out[0] = cycles of `hops` loads; out[1] = byte offset where the walk ended. Both counts are multiples of 32.
extern "C" __global__ void global_chase_ca(const std::uint64_t* ring, std::int64_t* out, int warm_hops, int hops) {
  chase<true>(ring, out, warm_hops, hops);
}

extern "C" __global__ void global_chase_cg(const std::uint64_t* ring, std::int64_t* out, int warm_hops, int hops) {
  chase<false>(ring, out, warm_hops, hops);
}
