// Frame of the hardware probes: a timed kernel template and the device side of every probed operation.
//
// An operation is a struct with init(args), step(i) - one instruction under test, i known at compile time -, next(args)
// between rounds of steps, and finish(), which folds everything it produced into one word so that nothing is optimised
// away and the clock read behind it waits for all results.
#pragma once

#include "../common.cuh"

namespace probe {

struct Args {
  char* global = nullptr;    // buffer for global operations
  std::uint32_t stride = 4;  // bytes from lane to lane
  std::uint32_t active = 1;  // bit w: warp w takes part; warp w runs on scheduler w % 4
  int iterations = 8;
  std::uint32_t offset = 0;  // bytes from warp to warp
  std::uint32_t zero = 0;    // added to addresses between rounds: the compiler must not merge the rounds' accesses
};

struct Sample {  // of one warp
  std::int64_t start, issued, done;
};

extern __shared__ __align__(16) char probe_shared[];
constexpr int kScratch =
    68 * 1024;  // bytes of dynamic shared memory; the last 4 KiB hold the results that were waited for

__device__ __forceinline__ void consume(std::uint32_t value) {
  wait_for(value, shared_address(probe_shared) + kScratch - 4096 + threadIdx.x % 1024 * 4);
}

template <class Op, int kUnroll>
__global__ void timed(Args args, Sample* out) {
  Op op;
  op.init(args);
  const bool active = args.active >> (threadIdx.x / 32) & 1;
  Sample s{};
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    if (!active) continue;
    s.start = sm_clock();
#pragma unroll 1
    for (int k = 0; k < args.iterations; ++k) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) op.step(i);
      op.next(args);
    }
    s.issued = sm_clock();
    consume(op.finish());
    s.done = sm_clock();
  }
  if (active && threadIdx.x % 32 == 0) out[threadIdx.x / 32] = s;
}

// --- arithmetic: kChains independent chains; 1 measures latency, 8 the issue rate ---------------------------------

#define PROBE_OP(NAME, TYPE, CONSTRAINT, TEXT)                                            \
  template <int kChains>                                                                  \
  struct NAME {                                                                           \
    TYPE x[kChains], a, b;                                                                \
    __device__ void init(const Args& args) {                                              \
      for (int i = 0; i < kChains; ++i) x[i] = static_cast<TYPE>(threadIdx.x + i);        \
      a = static_cast<TYPE>(args.stride);                                                 \
      b = static_cast<TYPE>(args.iterations);                                             \
    }                                                                                     \
    __device__ void step(int i) {                                                         \
      asm volatile(TEXT : "+" CONSTRAINT(x[i % kChains]) : CONSTRAINT(a), CONSTRAINT(b)); \
    }                                                                                     \
    __device__ void next(const Args&) {}                                                  \
    __device__ std::uint32_t finish() {                                                   \
      TYPE sum = x[0];                                                                    \
      for (int i = 1; i < kChains; ++i) sum += x[i];                                      \
      return static_cast<std::uint32_t>(sum);                                             \
    }                                                                                     \
  };

PROBE_OP(Ffma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
PROBE_OP(Fadd, float, "f", "add.rn.f32 %0, %0, %1;")
PROBE_OP(Fmul, float, "f", "mul.rn.f32 %0, %0, %1;")
PROBE_OP(Dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
PROBE_OP(MufuEx2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
PROBE_OP(MufuRcp, float, "f", "rcp.approx.ftz.f32 %0, %0;")
PROBE_OP(Imad, std::uint32_t, "r", "mad.lo.u32 %0, %0, %1, %2;")
PROBE_OP(Iadd3, std::uint32_t, "r", "{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }")
PROBE_OP(Lop3, std::uint32_t, "r", "lop3.b32 %0, %0, %1, %2, 0x96;")
PROBE_OP(Shf, std::uint32_t, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
PROBE_OP(Prmt, std::uint32_t, "r", "prmt.b32 %0, %0, %1, %2;")
PROBE_OP(Popc, std::uint32_t, "r", "popc.b32 %0, %0;")
PROBE_OP(Hfma2, std::uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
PROBE_OP(ShflBfly, std::uint32_t, "r", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;")
PROBE_OP(ShflIdx, std::uint32_t, "r", "shfl.sync.idx.b32 %0, %0, %1, 0x1f, 0xffffffff;")
PROBE_OP(ImadWide, std::uint64_t, "l", "{ .reg .u32 t; cvt.u32.u64 t, %0; mad.wide.u32 %0, t, 3, %0; }")
PROBE_OP(Vote, std::uint32_t, "r", "{ .reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }")
PROBE_OP(I2F, std::uint32_t, "r", "{ .reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t; }")
PROBE_OP(F2I, std::uint32_t, "r", "{ .reg .f32 t; mov.b32 t, %0; cvt.rzi.s32.f32 %0, t; }")
PROBE_OP(SetpSel, std::uint32_t, "r", "{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %0, %2, p; }")

template <int kChains>
struct HmmaBf16 {  // m16n8k16, FP32 accumulation; a chain runs through the accumulator
  float d[kChains][4];
  std::uint32_t a[4], b[2];
  __device__ void init(const Args& args) {
    for (int i = 0; i < kChains; ++i)
      for (int k = 0; k < 4; ++k) d[i][k] = static_cast<float>(threadIdx.x + i + k);
    for (int k = 0; k < 4; ++k) a[k] = threadIdx.x * args.stride + k;
    b[0] = a[0] + 1;
    b[1] = a[1] + 1;
  }
  __device__ void step(int i) { mma_bf16(d[i % kChains], a, b[0], b[1]); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() {
    float sum = 0;
    for (int i = 0; i < kChains; ++i)
      for (int k = 0; k < 4; ++k) sum += d[i][k];
    return __float_as_uint(sum);
  }
};

template <int kChains>
struct HmmaBf16K8 {  // m16n8k8
  float d[kChains][4];
  std::uint32_t a[2], b;
  __device__ void init(const Args& args) {
    for (int i = 0; i < kChains; ++i)
      for (int k = 0; k < 4; ++k) d[i][k] = static_cast<float>(threadIdx.x + i + k);
    a[0] = threadIdx.x * args.stride;
    a[1] = a[0] + 1;
    b = a[0] + 2;
  }
  __device__ void step(int i) {
    float(&x)[4] = d[i % kChains];
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b));
  }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() {
    float sum = 0;
    for (int i = 0; i < kChains; ++i)
      for (int k = 0; k < 4; ++k) sum += d[i][k];
    return __float_as_uint(sum);
  }
};

struct BarSync {
  __device__ void init(const Args&) {}
  __device__ void step(int) { asm volatile("bar.sync 0;" ::: "memory"); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return 0; }
};

struct EmptyGroup {  // commit and wait with nothing copied
  __device__ void init(const Args&) {}
  __device__ void step(int) {
    commit_group();
    wait_group<0>();
  }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return 0; }
};

struct ClockRead {
  std::int64_t sum = 0;
  __device__ void init(const Args&) {}
  __device__ void step(int) { sum += sm_clock(); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return static_cast<std::uint32_t>(sum); }
};

// --- shared memory --------------------------------------------------------------------------------------------------

__device__ __forceinline__ std::uint32_t lane_address(const Args& args) {
  return shared_address(probe_shared) + threadIdx.x % 32 * args.stride;
}

// Every word of the scratch area holds its own address, so a load returns the address that it loaded from.
__device__ __forceinline__ void fill_with_addresses() {
  auto* words = reinterpret_cast<std::uint32_t*>(probe_shared);
  for (int i = threadIdx.x; i < kScratch / 4; i += blockDim.x) words[i] = shared_address(words + i);
  __syncthreads();
}

template <int kWords>
__device__ __forceinline__ void load_shared(std::uint32_t* r, std::uint32_t address) {
  if constexpr (kWords == 1) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r[0]) : "r"(address) : "memory");
  } else if constexpr (kWords == 2) {
    asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(address) : "memory");
  } else {
    asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  }
}

template <int kWords>
struct LdsChain {
  std::uint32_t r[4];
  __device__ void init(const Args& args) {
    fill_with_addresses();
    r[0] = lane_address(args);
  }
  __device__ void step(int) { load_shared<kWords>(r, r[0]); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return r[0]; }
};

template <int kWords, int kRegisters>
struct LdsBurst {  // independent loads
  std::uint32_t r[kRegisters][kWords], address;
  __device__ void init(const Args& args) {
    fill_with_addresses();
    address = lane_address(args);
    for (auto& x : r)
      for (auto& y : x) y = 0;
  }
  __device__ void step(int i) { load_shared<kWords>(r[i % kRegisters], address); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() {
    std::uint32_t sum = 0;
    for (auto& x : r)
      for (auto& y : x) sum += y;
    return sum;
  }
};

template <int kWords>
struct StsBurst {
  std::uint32_t v, address;
  __device__ void init(const Args& args) {
    v = threadIdx.x;
    address = lane_address(args);
  }
  __device__ void step(int) {
    if constexpr (kWords == 1) {
      asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
    } else if constexpr (kWords == 2) {
      asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%1};" ::"r"(address), "r"(v) : "memory");
    } else {
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(v) : "memory");
    }
  }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() {
    std::uint32_t r;
    load_shared<1>(&r, address);
    return r;
  }
};

struct StsLds {  // store, load it back, store that
  std::uint32_t v, address;
  __device__ void init(const Args& args) {
    v = threadIdx.x;
    address = lane_address(args);
  }
  __device__ void step(int) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
    load_shared<1>(&v, address);
  }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return v; }
};

template <int kMatrices>
__device__ __forceinline__ void load_matrices(std::uint32_t* r, std::uint32_t address) {
  if constexpr (kMatrices == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(address) : "memory");
  } else if constexpr (kMatrices == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  }
}

// Lane t receives word t % 4 of row t / 4 of matrix 0; that word holds the address of the row that lane t names.
template <int kMatrices>
struct LdsmChain {
  std::uint32_t r[4];
  __device__ void init(const Args& args) {
    const std::uint32_t base = shared_address(probe_shared);
    const std::uint32_t pitch = args.stride;
    if (threadIdx.x < 32) {
      const std::uint32_t t = threadIdx.x;
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + t / 4 * pitch + t % 4 * 4), "r"(base + t * pitch) : "memory");
    }
    __syncthreads();
    r[0] = base + threadIdx.x % 32 * pitch;
  }
  __device__ void step(int) { load_matrices<kMatrices>(r, r[0]); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return r[0]; }
};

template <int kMatrices, int kRegisters>
struct LdsmBurst {
  std::uint32_t r[kRegisters][4], address;
  __device__ void init(const Args& args) {
    address = lane_address(args);
    for (auto& x : r)
      for (auto& y : x) y = 0;
  }
  __device__ void step(int i) { load_matrices<kMatrices>(r[i % kRegisters], address + i * 512); }
  __device__ void next(const Args& args) { address += args.zero; }
  __device__ std::uint32_t finish() {
    std::uint32_t sum = 0;
    for (auto& x : r)
      for (int k = 0; k < kMatrices; ++k) sum += x[k];
    return sum;
  }
};

// --- global memory --------------------------------------------------------------------------------------------------

enum class Operator { kDefault, kCa, kCg, kVolatile };

template <Operator kOperator, int kWords>
__device__ __forceinline__ void load_pointer(std::uint64_t& p, std::uint64_t& sum) {
  std::uint64_t other = 0;
  if constexpr (kWords == 4) {
    if constexpr (kOperator == Operator::kCg)
      asm volatile("ld.global.cg.v2.u64 {%0,%1}, [%0];" : "+l"(p), "=l"(other)::"memory");
    else
      asm volatile("ld.global.v2.u64 {%0,%1}, [%0];" : "+l"(p), "=l"(other)::"memory");
  } else if constexpr (kOperator == Operator::kDefault) {
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
  } else if constexpr (kOperator == Operator::kCa) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
  } else if constexpr (kOperator == Operator::kCg) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  } else {
    asm volatile("ld.volatile.global.u64 %0, [%0];" : "+l"(p)::"memory");
  }
  if constexpr (kWords == 4) sum ^= other;  // off the critical path; without it the load would shrink to 8 bytes
}

// Every lane's pointer points to itself.
template <Operator kOperator, int kWords>
struct LdgChain {
  std::uint64_t p, sum = 0;
  __device__ void init(const Args& args) {
    p = reinterpret_cast<std::uint64_t>(args.global) + threadIdx.x % 32 * args.stride;
    *reinterpret_cast<std::uint64_t*>(p) = p;
    __threadfence();
    __syncthreads();
  }
  __device__ void step(int) { load_pointer<kOperator, kWords>(p, sum); }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() { return static_cast<std::uint32_t>(p ^ sum); }
};

// Instruction i reads kStep * i bytes further on, so that no two loads are the same and none needs address arithmetic.
template <int kWords, int kRegisters, bool kThroughL1, int kStep = 512>
struct LdgBurst {
  std::uint32_t r[kRegisters][kWords];
  const char* p;
  __device__ void init(const Args& args) {
    p = args.global + threadIdx.x % 32 * args.stride + threadIdx.x / 32 * args.offset;
    for (auto& x : r)
      for (auto& y : x) y = 0;
  }
  __device__ void step(int i) {
    std::uint32_t* x = r[i % kRegisters];
    const char* from = p + i * kStep;
    if constexpr (kWords == 1 && kThroughL1)
      asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[0]) : "l"(from) : "memory");
    else if constexpr (kWords == 2 && kThroughL1)
      asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "l"(from) : "memory");
    else if constexpr (kThroughL1)
      asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "l"(from)
                   : "memory");
    else if constexpr (kWords == 1)
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x[0]) : "l"(from) : "memory");
    else
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "l"(from)
                   : "memory");
  }
  __device__ void next(const Args& args) { p += args.zero; }
  __device__ std::uint32_t finish() {
    std::uint32_t sum = 0;
    for (auto& x : r)
      for (auto& y : x) sum += y;
    return sum;
  }
};

template <int kBytes, bool kBypass>
struct CopyBurst {  // finish() waits for everything
  const char* from;
  std::uint32_t to;
  __device__ void init(const Args& args) {
    from = args.global + threadIdx.x % 32 * args.stride + threadIdx.x / 32 * args.offset;
    to = shared_address(probe_shared) + threadIdx.x * kBytes;
  }
  __device__ void step(int i) {
    if constexpr (kBypass)
      copy_async_cg(to + i % 4 * 16384, from + i * 512);
    else
      copy_async_ca<kBytes>(to + i % 4 * 16384, from + i * 512);
  }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() {
    commit_group();
    wait_group<0>();
    return to;
  }
};

template <int kWords>
struct StgBurst {
  char* p;
  __device__ void init(const Args& args) {
    p = args.global + threadIdx.x % 32 * args.stride + threadIdx.x / 32 * args.offset;
  }
  __device__ void step(int i) {
    if constexpr (kWords == 1)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(p + i * 512), "r"(threadIdx.x) : "memory");
    else
      asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p + i * 512), "r"(threadIdx.x) : "memory");
  }
  __device__ void next(const Args& args) { p += args.zero; }
  __device__ std::uint32_t finish() { return 0; }
};

// Loop whose body is kBody independent single-cycle instructions: what the loop itself costs.
template <int kBody>
struct LoopBody {
  std::uint32_t x[16] = {}, a;
  __device__ void init(const Args& args) { a = args.stride; }
  __device__ void step(int) {
#pragma unroll
    for (int i = 0; i < kBody; ++i) asm volatile("lop3.b32 %0, %0, %1, %1, 0x96;" : "+r"(x[i % 16]) : "r"(a));
  }
  __device__ void next(const Args&) {}
  __device__ std::uint32_t finish() {
    std::uint32_t sum = 0;
    for (auto& y : x) sum += y;
    return sum;
  }
};

}  // namespace probe
