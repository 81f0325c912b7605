// The BF16 GEMM of hgemm.cu with other pipelines and layouts: what each stage hides, and what bank conflicts cost a
// tensor-core kernel.
#include "hgemm.cuh"

namespace hgemm {
template <int kStages>
__device__ __forceinline__ void swizzled(const char* a, const char* b, float* c, int n_total, int k_total) {
  pipelined<kStages, Swizzled>(a, b, c, n_total, k_total);
}
template <class Layout>
__device__ __forceinline__ void three_stages(const char* a, const char* b, float* c, int n_total, int k_total) {
  pipelined<3, Layout>(a, b, c, n_total, k_total);
}
}  // namespace hgemm

HGEMM(hgemm_sync, synchronous<hgemm::Swizzled>)
HGEMM(hgemm_2stage, swizzled<2>)
HGEMM(hgemm_4stage, swizzled<4>)
HGEMM(hgemm_5stage, swizzled<5>)
HGEMM(hgemm_3stage_linear, three_stages<hgemm::Linear>)
HGEMM(hgemm_3stage_padded, three_stages<hgemm::Padded>)
