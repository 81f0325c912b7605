// Isolates the latency of wide shared-memory loads - LDS.64, LDS.128 and ldmatrix - by the lanes' distance: how many
// wavefronts an access needs, and what each adds.
//
// As in lds_chain every load's address is what the load before it returned. Every word holds its own address, so a lane
// stays where it is.
#include "common.cuh"

namespace {
constexpr int kWords = 32 * 32 + 32;
constexpr int kUnroll = 64;

struct Chain {
  std::int64_t cycles = 0;
  std::uint32_t address;
};

// Runs load(address) `loads` times, untimed and then timed.
template <class Load>
__device__ __forceinline__ Chain run(std::uint32_t address, std::uint32_t scratch, int loads, Load load) {
  Chain chain{0, address};
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const std::int64_t start = sm_clock();
#pragma unroll 1
    for (int done = 0; done < loads; done += kUnroll) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) load(chain.address);
    }
    wait_for(chain.address, scratch);
    chain.cycles = sm_clock() - start;
  }
  return chain;
}

// Volatile: a load of which only one word is used would be narrowed.
__device__ __forceinline__ void load_64(std::uint32_t& a) {
  [[maybe_unused]] std::uint32_t b;
  asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%0];" : "+r"(a), "=r"(b)::"memory");
}
__device__ __forceinline__ void load_128(std::uint32_t& a) {
  [[maybe_unused]] std::uint32_t b, c, d;
  asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%0];" : "+r"(a), "=r"(b), "=r"(c), "=r"(d)::"memory");
}
template <int kMatrices>
__device__ __forceinline__ void load_matrices(std::uint32_t& a) {
  [[maybe_unused]] std::uint32_t b, c, d;
  if constexpr (kMatrices == 1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(a)::"memory");
  else if constexpr (kMatrices == 2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%0];" : "+r"(a), "=r"(b)::"memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%0];"
                 : "+r"(a), "=r"(b), "=r"(c), "=r"(d)::"memory");
}

__device__ __forceinline__ void finish(std::int64_t* out, const Chain& chain, const void* ring) {
  if (threadIdx.x == 31) {
    out[0] = chain.cycles;
    out[1] = chain.address - shared_address(ring);
  }
}

template <class Load>
__device__ __forceinline__ void wide_chain(std::int64_t* out, int stride_bytes, int loads, Load load) {
  __shared__ alignas(16) std::uint32_t ring[kWords + 32];
  for (int i = threadIdx.x; i < kWords; i += 32) ring[i] = shared_address(&ring[i]);
  __syncwarp();
  finish(
      out,
      run(shared_address(ring) + threadIdx.x * stride_bytes, shared_address(&ring[kWords + threadIdx.x]), loads, load),
      ring);
}

// Lane t receives word t % 4 of row t / 4 of the first matrix, and names row t: that word holds the address of row t.
template <int kMatrices>
__device__ __forceinline__ void matrix_chain(std::int64_t* out, int pitch_bytes, int loads) {
  __shared__ alignas(16) std::uint32_t rows[32 * 36];
  __shared__ std::uint32_t scratch[32];
  const int t = static_cast<int>(threadIdx.x);
  rows[(t / 4) * (pitch_bytes / 4) + t % 4] = shared_address(rows) + t * pitch_bytes;
  __syncwarp();
  finish(out, run(shared_address(rows) + t * pitch_bytes, shared_address(&scratch[t]), loads, load_matrices<kMatrices>),
         rows);
}
}  // namespace

// out[0] = cycles of `loads` dependent loads (a multiple of 64); out[1] = where lane 31 ended: 31 * stride.
extern "C" __global__ void lds_chain_64(std::int64_t* out, int stride_bytes, int loads) {
  wide_chain(out, stride_bytes, loads, load_64);
}
extern "C" __global__ void lds_chain_128(std::int64_t* out, int stride_bytes, int loads) {
  wide_chain(out, stride_bytes, loads, load_128);
}
extern "C" __global__ void ldsm_chain_x1(std::int64_t* out, int pitch_bytes, int loads) {
  matrix_chain<1>(out, pitch_bytes, loads);
}
extern "C" __global__ void ldsm_chain_x2(std::int64_t* out, int pitch_bytes, int loads) {
  matrix_chain<2>(out, pitch_bytes, loads);
}
extern "C" __global__ void ldsm_chain_x4(std::int64_t* out, int pitch_bytes, int loads) {
  matrix_chain<4>(out, pitch_bytes, loads);
}
