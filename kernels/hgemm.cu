// A whole kernel: a BF16 tensor-core GEMM fed by a 3-stage cp.async pipeline, with an XOR swizzle.
#include "hgemm.cuh"

namespace hgemm {
__device__ __forceinline__ void three_stages(const char* a, const char* b, float* c, int n_total, int k_total) {
  pipelined<3, Swizzled>(a, b, c, n_total, k_total);
}
}  // namespace hgemm

HGEMM(hgemm_3stage, three_stages)
