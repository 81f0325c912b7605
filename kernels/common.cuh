// Small building blocks shared by the validation kernels: clock reads, asynchronous copies, matrix loads.
#pragma once

#include <cstdint>

// Clock of the SM, as CS2R reads it.
__device__ __forceinline__ std::int64_t sm_clock() {
  std::int64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// The scoreboard lets a warp run past a load until its result is read. Storing the result makes the warp wait for it,
// so that a clock read placed behind this call comes after the load's return.
__device__ __forceinline__ void wait_for(std::uint32_t value, std::uint32_t shared_word) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_word), "r"(value) : "memory");
}

template <int kBytes>
__device__ __forceinline__ void copy_async_ca(std::uint32_t to_shared, const void* from_global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to_shared), "l"(from_global), "n"(kBytes) : "memory");
}

__device__ __forceinline__ void copy_async_cg(std::uint32_t to_shared, const void* from_global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to_shared), "l"(from_global) : "memory");
}

__device__ __forceinline__ void commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int kPending>
__device__ __forceinline__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ __forceinline__ void load_matrix_x4(std::uint32_t (&r)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address)
               : "memory");
}

// d += a * b for a 16x8 tile, k = 16, BF16 inputs, FP32 accumulation.
__device__ __forceinline__ void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
