// Isolates the throughput of shared memory: independent loads or stores from 1 to 32 warps, by width and by the lanes'
// distance. The SM serves one wavefront a cycle; one scheduler takes its share of that.
#include "common.cuh"

namespace {
constexpr int kUnroll = 16;
constexpr int kBytes = 32 * 128;

template <int kWidth>
struct Load {
  std::uint32_t r[kUnroll][kWidth / 4];
  __device__ __forceinline__ void step(int i, std::uint32_t address) {
    if constexpr (kWidth == 4)
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r[i][0]) : "r"(address) : "memory");
    else if constexpr (kWidth == 8)
      asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r[i][0]), "=r"(r[i][1]) : "r"(address) : "memory");
    else
      asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(r[i][0]), "=r"(r[i][1]), "=r"(r[i][2]), "=r"(r[i][3])
                   : "r"(address)
                   : "memory");
  }
  __device__ __forceinline__ std::uint32_t sum() const {
    std::uint32_t s = 0;
    for (auto& x : r)
      for (auto& y : x) s += y;
    return s;
  }
};

template <int kWidth>
struct Store {
  __device__ __forceinline__ void step(int, std::uint32_t address) {
    const std::uint32_t v = threadIdx.x;
    if constexpr (kWidth == 4)
      asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
    else if constexpr (kWidth == 8)
      asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%1};" ::"r"(address), "r"(v) : "memory");
    else
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(v) : "memory");
  }
  __device__ __forceinline__ std::uint32_t sum() const { return 0; }
};

template <class Access>
__device__ __forceinline__ void rate(std::int64_t* out, int stride_bytes, int count) {
  __shared__ alignas(16) std::uint32_t data[kBytes / 4 + 1024];
  for (int i = threadIdx.x; i < kBytes / 4; i += blockDim.x) data[i] = i;
  const std::uint32_t address = shared_address(data) + threadIdx.x % 32 * stride_bytes;
  Access access;
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < count; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) access.step(i, address);
    }
    wait_for(access.sum(), shared_address(&data[kBytes / 4 + threadIdx.x]));
    __syncthreads();
    cycles = sm_clock() - start;
  }
  if (threadIdx.x == 0) out[0] = cycles;
}
}  // namespace

// out[0] = cycles until all warps have done `count` accesses each (a multiple of 16).
#define SHARED_RATE(NAME, ACCESS)                                                   \
  extern "C" __global__ void NAME(std::int64_t* out, int stride_bytes, int count) { \
    rate<ACCESS>(out, stride_bytes, count);                                         \
  }
SHARED_RATE(lds_rate_32, Load<4>)
SHARED_RATE(lds_rate_64, Load<8>)
SHARED_RATE(lds_rate_128, Load<16>)
SHARED_RATE(sts_rate_32, Store<4>)
SHARED_RATE(sts_rate_64, Store<8>)
SHARED_RATE(sts_rate_128, Store<16>)
