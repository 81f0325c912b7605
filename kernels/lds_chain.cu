// Isolates the latency of a shared-memory load and what an n-way bank conflict adds to it.
//
// One warp; every load's address is the value that the load before it returned, so nothing but LDS lies on the
// critical path. Lane l starts at word l * stride: gcd(stride, 32) lanes share a bank, and the ring that each lane
// walks (its word, the word 1024 further on, back) keeps that pattern for every load.
#include "common.cuh"

namespace {
constexpr int kWords = 2048;
constexpr int kUnroll = 64;
}  // namespace

// out[0] = cycles of `loads` dependent loads (a multiple of 64); out[1] = where lane 0 ended, as a check.
extern "C" __global__ void lds_chain(std::int64_t* out, int stride_words, int loads) {
  __shared__ std::uint32_t ring[kWords + 32];
  for (int i = threadIdx.x; i < kWords; i += 32) ring[i] = shared_address(&ring[(i + kWords / 2) % kWords]);
  __syncwarp();
  const std::uint32_t scratch = shared_address(&ring[kWords + threadIdx.x]);
  std::uint32_t address = shared_address(&ring[threadIdx.x * stride_words]);
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first pass brings the code into the instruction caches
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < loads; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address)::"memory");
    }
    wait_for(address, scratch);
    cycles = sm_clock() - start;
  }
  if (threadIdx.x == 0) {
    out[0] = cycles;
    out[1] = address - shared_address(ring);
  }
}
