// Isolates the queues between scheduler and memory pipe: how long a warp needs to hand over n memory instructions, and
// until the last one is done. The lanes' distance, in words, sets the conflict degree of LDS and STS and the number of
// lines of LDG: how fast the pipe drains. While the queue has room the hand-over is quick; then it goes at the rate of
// the pipe.
#include "common.cuh"

namespace {

template <int kCount>
struct Lds {
  std::uint32_t r[kCount];
  __device__ __forceinline__ void step(int i, std::uint32_t shared, const char*) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r[i]) : "r"(shared) : "memory");
  }
  __device__ __forceinline__ std::uint32_t finish() const {
    std::uint32_t sum = 0;
    for (auto& x : r) sum += x;
    return sum;
  }
};

template <int kCount>
struct Sts {
  __device__ __forceinline__ void step(int i, std::uint32_t shared, const char*) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(shared), "r"(i) : "memory");
  }
  __device__ __forceinline__ std::uint32_t finish() const { return 0; }
};

template <int kCount>
struct Ldg {  // 128 bytes further on each time: the same lines for all warps, in L1 after the first pass
  std::uint32_t r[kCount];
  __device__ __forceinline__ void step(int i, std::uint32_t, const char* global) {
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(r[i]) : "l"(global + i * 128) : "memory");
  }
  __device__ __forceinline__ std::uint32_t finish() const {
    std::uint32_t sum = 0;
    for (auto& x : r) sum += x;
    return sum;
  }
};

template <int kCount>
struct Ldgsts {
  __device__ __forceinline__ void step(int i, std::uint32_t shared, const char* global) {
    copy_async_ca<4>(shared, global + i * 128);
  }
  __device__ __forceinline__ std::uint32_t finish() const {
    commit_group();
    wait_group<0>();
    return 0;
  }
};

template <template <int> class Op, int kCount>
__device__ __forceinline__ void burst(std::int64_t* out, const char* data, int stride_words) {
  __shared__ std::uint32_t area[32 * 32 + 32];
  __shared__ std::uint32_t scratch[1024];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) area[i] = i;
  const std::uint32_t shared = shared_address(area) + threadIdx.x % 32 * stride_words * 4;
  const char* global = data + threadIdx.x % 32 * stride_words * 4;
  const std::uint32_t done = shared_address(&scratch[threadIdx.x]);
  Op<kCount> op;
  std::int64_t start = 0, issued = 0, complete = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = sm_clock();
#pragma unroll
    for (int i = 0; i < kCount; ++i) op.step(i, shared, global);
    issued = sm_clock();
    wait_for(op.finish(), done);
    complete = sm_clock();
  }
  if (threadIdx.x == 0) {
    out[0] = issued - start;
    out[1] = complete - start;
  }
}
}  // namespace

// out[0], out[1] = cycles of warp 0 until its n instructions are handed over, and until they are done.
#define BURST(N)                                                                                       \
  extern "C" __global__ void burst_lds_##N(std::int64_t* out, const char* data, int stride_words) {    \
    burst<Lds, N>(out, data, stride_words);                                                            \
  }                                                                                                    \
  extern "C" __global__ void burst_sts_##N(std::int64_t* out, const char* data, int stride_words) {    \
    burst<Sts, N>(out, data, stride_words);                                                            \
  }                                                                                                    \
  extern "C" __global__ void burst_ldg_##N(std::int64_t* out, const char* data, int stride_words) {    \
    burst<Ldg, N>(out, data, stride_words);                                                            \
  }                                                                                                    \
  extern "C" __global__ void burst_ldgsts_##N(std::int64_t* out, const char* data, int stride_words) { \
    burst<Ldgsts, N>(out, data, stride_words);                                                         \
  }
BURST(1)
BURST(4)
BURST(8)
BURST(12)
BURST(16)
BURST(24)
BURST(32)
BURST(48)
