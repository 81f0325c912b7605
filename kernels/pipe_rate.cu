// Isolates one execution pipe at a time: 1 dependent chain in a warp measures latency, 8 independent chains and more
// warps measure the issue rate.
#include "common.cuh"

namespace {
constexpr int kUnroll = 64;

// Storing the sum keeps the chains alive.
__device__ __forceinline__ void finish(std::int64_t* out, std::int64_t cycles, std::uint32_t sum) {
  __shared__ std::uint32_t sums[1024];
  wait_for(sum, shared_address(&sums[threadIdx.x]));
  if (threadIdx.x == 0) out[0] = cycles;
}

template <class T>
struct Ffma {
  static __device__ __forceinline__ void step(T& x, T a, T b) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
  }
};
template <class T>
struct Dfma {
  static __device__ __forceinline__ void step(T& x, T a, T b) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));
  }
};
template <class T>
struct Imad {
  static __device__ __forceinline__ void step(T& x, T a, T b) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
  }
};
template <class T>
struct Lop3 {
  static __device__ __forceinline__ void step(T& x, T a, T b) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(a), "r"(b));
  }
};
template <class T>
struct Mufu {
  static __device__ __forceinline__ void step(T& x, T, T) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); }
};
template <class T>
struct Shfl {
  static __device__ __forceinline__ void step(T& x, T, T) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(x));
  }
};

template <template <class> class Op, class T, int kChains>
__device__ __forceinline__ void rate(std::int64_t* out, int count, int a, int b) {
  T x[kChains];
  for (int k = 0; k < kChains; ++k) x[k] = static_cast<T>(threadIdx.x + k);
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < count; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) Op<T>::step(x[i % kChains], static_cast<T>(a), static_cast<T>(b));
    }
    __syncthreads();
    cycles = sm_clock() - start;
  }
  T sum = x[0];
  for (int k = 1; k < kChains; ++k) sum += x[k];
  finish(out, cycles, static_cast<std::uint32_t>(sum));
}

template <int kChains>
__device__ __forceinline__ void hmma_rate(std::int64_t* out, int count, int a, int b) {
  float d[kChains][4] = {};
  std::uint32_t fragment[4] = {threadIdx.x * a, threadIdx.x * b, 0, 0};
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < count; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) mma_bf16(d[i % kChains], fragment, fragment[0], fragment[1]);
    }
    __syncthreads();
    cycles = sm_clock() - start;
  }
  float sum = 0;
  for (auto& x : d) sum += x[0] + x[1] + x[2] + x[3];
  finish(out, cycles, __float_as_uint(sum));
}
}  // namespace

// out[0] = cycles until all warps have done `count` instructions each (a multiple of 64).
#define PIPE(NAME, OP, T)                                                                        \
  extern "C" __global__ void pipe_##NAME##_latency(std::int64_t* out, int count, int a, int b) { \
    rate<OP, T, 1>(out, count, a, b);                                                            \
  }                                                                                              \
  extern "C" __global__ void pipe_##NAME##_rate(std::int64_t* out, int count, int a, int b) {    \
    rate<OP, T, 8>(out, count, a, b);                                                            \
  }
PIPE(ffma, Ffma, float)
PIPE(dfma, Dfma, double)
PIPE(imad, Imad, std::uint32_t)
PIPE(lop3, Lop3, std::uint32_t)
PIPE(mufu, Mufu, float)
PIPE(shfl, Shfl, std::uint32_t)

extern "C" __global__ void pipe_hmma_latency(std::int64_t* out, int count, int a, int b) {
  hmma_rate<1>(out, count, a, b);
}
extern "C" __global__ void pipe_hmma_rate(std::int64_t* out, int count, int a, int b) {
  hmma_rate<8>(out, count, a, b);
}
