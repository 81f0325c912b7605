// Kernels whose disassembly the executor's tests run. The listings beside this file are made by make_listings.sh.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using namespace nvcuda;
#define K extern "C" __global__ void

K vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
K reduce_shfl(const float* a, float* o, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += a[i];
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  __shared__ float w[32];
  if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? w[threadIdx.x] : 0;
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0) *o = v;
  }
}
K histo(const unsigned char* a, unsigned* h, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[a[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]);
}
K transpose(const float* a, float* o, int w, int h) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w) o[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}
K scan(const int* a, int* o) {
  __shared__ int s[32];
  int v = a[blockIdx.x * blockDim.x + threadIdx.x];
  int l = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    int t = __shfl_up_sync(~0u, v, d);
    if (l >= d) v += t;
  }
  if (l == 31) s[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    int w = s[l];
    for (int d = 1; d < 32; d <<= 1) {
      int t = __shfl_up_sync(~0u, w, d);
      if (l >= d) w += t;
    }
    s[l] = w;
  }
  __syncthreads();
  if (threadIdx.x >= 32) v += s[(threadIdx.x >> 5) - 1];
  o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
K stencil(const float* a, float* o, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
    o[y * w + x] =
        0.2f * (a[y * w + x] + a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]);
}
K intmath(const int* a, const unsigned* b, int* o, int m) {
  int i = threadIdx.x;
  int x = a[i];
  unsigned y = b[i];
  o[i * 20 + 0] = x / m;
  o[i * 20 + 1] = x % m;
  o[i * 20 + 2] = y / (unsigned)m;
  o[i * 20 + 3] = y % 17u;
  o[i * 20 + 4] = __popc(x);
  o[i * 20 + 5] = __clz(x);
  o[i * 20 + 6] = __ffs(x);
  o[i * 20 + 7] = __brev(y);
  o[i * 20 + 8] = __byte_perm(x, y, m);
  o[i * 20 + 9] = abs(x);
  o[i * 20 + 10] = max(x, (int)y);
  o[i * 20 + 11] = min(y, 77u);
  o[i * 20 + 12] = __mulhi(x, (int)y);
  o[i * 20 + 13] = __umulhi(x, y);
  o[i * 20 + 14] = __sad(x, (int)y, m);
  o[i * 20 + 15] = __funnelshift_l(x, y, m);
  o[i * 20 + 16] = __funnelshift_r(x, y, m);
  o[i * 20 + 17] = x >> (m & 31);
  o[i * 20 + 18] = __dp4a(x, (int)y, m);
  o[i * 20 + 19] = __vabsdiffu4(x, y) + __vadd2(x, y) + __vmaxs4(x, y);
}
K int64math(const long long* a, const unsigned long long* b, long long* o, long long m, int s) {
  int i = threadIdx.x;
  long long x = a[i];
  unsigned long long y = b[i];
  o[i * 14 + 0] = x / m;
  o[i * 14 + 1] = x % m;
  o[i * 14 + 2] = y / (unsigned long long)m;
  o[i * 14 + 3] = x * y;
  o[i * 14 + 4] = x << s;
  o[i * 14 + 5] = x >> s;
  o[i * 14 + 6] = y >> s;
  o[i * 14 + 7] = x < (long long)y ? x : y;
  o[i * 14 + 8] = __mul64hi(x, y);
  o[i * 14 + 9] = __umul64hi(x, y);
  o[i * 14 + 10] = __clzll(x) + __popcll(y) + __ffsll(x);
  o[i * 14 + 11] = (long long)(double)x + (long long)(float)y;
  o[i * 14 + 12] = max(x, m) + min(y, (unsigned long long)m);
  o[i * 14 + 13] = llabs(x) - __brevll(y);
}
K halfmath(const __half2* a, const __half2* b, __half2* o, float* f) {
  int i = threadIdx.x;
  __half2 x = a[i], y = b[i];
  __half2* p = o + i * 16;
  p[0] = x + y;
  p[1] = x * y;
  p[2] = __hfma2(x, y, x);
  p[3] = __hmax2(x, y);
  p[4] = __hmin2(x, y);
  p[5] = h2exp(x);
  p[6] = h2sqrt(x);
  p[7] = __hbgt2(x, y) ? x : y;
  p[8] = __hgt2(x, y);
  p[9] = x - y;
  p[10] = __hneg2(x);
  p[11] = __habs2(y);
  p[12] = h2rcp(x);
  p[13] = __floats2half2_rn(f[i], f[i + 1]);
  p[14] = __half2half2(__low2half(x) * __high2half(y));
  p[15] = h2log(x);
  float2 g = __half22float2(x);
  f[i * 3] = g.x + g.y;
  f[i * 3 + 1] = __half2float(__hadd(x.x, y.y));
  f[i * 3 + 2] = __hfma2_sat(x, y, x).x;
}
K bfmath(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* o, float* f) {
  int i = threadIdx.x;
  __nv_bfloat162 x = a[i], y = b[i];
  __nv_bfloat162* p = o + i * 12;
  p[0] = __hadd2(x, y);
  p[1] = __hmul2(x, y);
  p[2] = __hfma2(x, y, x);
  p[3] = __hmax2(x, y);
  p[4] = __hmin2(x, y);
  p[5] = __hgt2(x, y);
  p[6] = __floats2bfloat162_rn(f[i], f[i + 1]);
  p[7] = __hneg2(x);
  p[8] = h2exp(x);
  p[9] = __habs2(x);
  p[10] = __hsub2(x, y);
  p[11] = __hmul2_sat(x, y);
  f[i * 3] = __bfloat162float(x.x) + __bfloat162float(y.y);
  f[i * 3 + 1] = __bfloat162float(__float2bfloat16(f[i]));
  f[i * 3 + 2] = __hlt(x.x, y.x) ? 1.f : 2.f;
}
K votes(const int* a, unsigned* o) {
  int i = threadIdx.x;
  int v = a[i];
  unsigned* p = o + i * 14;
  p[0] = __ballot_sync(~0u, v > 3);
  p[1] = __any_sync(~0u, v > 3);
  p[2] = __all_sync(~0u, v > 3);
  p[3] = __match_any_sync(~0u, v);
  int pr;
  p[4] = __match_all_sync(~0u, v, &pr);
  p[5] = pr;
  p[6] = __reduce_add_sync(~0u, v);
  p[7] = __reduce_max_sync(~0u, v);
  p[8] = __reduce_or_sync(~0u, (unsigned)v);
  p[9] = __activemask();
  p[10] = __syncthreads_count(v > 3);
  p[11] = __syncthreads_or(v > 3);
  p[12] = __syncthreads_and(v > 3);
  p[13] = __shfl_sync(~0u, v, v, 8);
  if (v & 1) {
    p[9] = __activemask();
    p[0] = __shfl_sync(__activemask(), v, 0);
  }
  __syncwarp();
}
K coop(const int* a, int* o) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<8>(b);
  int v = a[b.thread_rank()];
  int s = cg::reduce(t, v, cg::plus<int>());
  if (v & 1) {
    auto c = cg::coalesced_threads();
    s += c.shfl(v, 0) + c.size();
    s += cg::reduce(c, v, cg::plus<int>());
  }
  b.sync();
  o[b.thread_rank()] = s + t.any(v > 2) + t.ballot(v > 1);
}
K divergent(const int* a, int* o, int n) {
  int i = threadIdx.x;
  int v = a[i], s = 0;
  for (int k = 0; k < v; k++) {
    if (k % 3 == 0)
      s += k;
    else if (k % 5 == 0) {
      s ^= k;
      if (s > 1000) break;
    } else {
      for (int j = 0; j < (k & 3); j++) s += j * n;
      if (s & 64) continue;
    }
    s += 2;
  }
  o[i] = s;
}
K switches(const int* a, int* o, int n) {
  int i = threadIdx.x, v = a[i];
  int r = 0;
  switch (v) {
    case 0:
      r = n * 3;
      break;
    case 1:
      r = n / 7;
      break;
    case 2:
      r = n ^ 55;
      break;
    case 3:
      r = __popc(n);
      break;
    case 4:
      r = n << 3;
      break;
    case 5:
      r = -n;
      break;
    case 6:
      r = n % 9;
      break;
    case 7:
      r = n * n;
      break;
    case 8:
      o[i + 32] = 5;
      r = 8;
      break;
    case 9:
      r = __clz(n);
      break;
    case 10:
      r = n & 0xf0;
      break;
    default:
      r = -1;
  }
  o[i] = r;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
K recurse(int* o) { o[threadIdx.x] = fib(threadIdx.x % 10); }
__device__ __noinline__ float helper(float x, float y) { return x * y + sqrtf(x); }
K calls(const float* a, float* o) {
  float v = a[threadIdx.x];
  if (v > 1)
    v = helper(v, 2);
  else
    v = helper(v, 3) + 1;
  o[threadIdx.x] = v;
}
__device__ int fa(int x) { return x + 1; }
__device__ int fb(int x) { return x * 2; }
__device__ int fc(int x) { return x - 9; }
K indirect(int* o, int k) {
  int (*t[3])(int) = {fa, fb, fc};
  o[threadIdx.x] = t[(threadIdx.x + k) % 3](threadIdx.x);
}
K spin(int* l, int* o) {
  for (int i = 0; i < 32; i++)
    if ((threadIdx.x & 31) == i) {
      while (atomicCAS(l, 0, 1) != 0) __nanosleep(20);
      __threadfence();
      o[0] = o[0] + 1;
      __threadfence();
      atomicExch(l, 0);
    }
}
K spin2(int* l, volatile int* o) {
  bool done = false;
  while (!done) {
    if (atomicCAS(l, 0, 1) == 0) {
      o[0] = o[0] + 1;
      __threadfence();
      atomicExch(l, 0);
      done = true;
    }
  }
}
K atomics(int* o, unsigned* u, float* f, double* d, unsigned long long* q, __half2* h, __nv_bfloat162* bh,
          const int* a) {
  int i = threadIdx.x;
  int v = a[i];
  atomicAdd(&o[0], v);
  atomicMin(&o[1], v);
  atomicMax(&o[2], v);
  atomicAnd(&o[3], v);
  atomicOr(&o[4], v);
  atomicXor(&o[5], v);
  o[16 + i] = atomicExch(&o[6], v);
  atomicInc(&u[0], 7);
  atomicDec(&u[1], 9);
  u[32 + i] = atomicInc(&u[2], 20);
  atomicAdd(f, 1.f);
  f[32 + i] = atomicAdd(f + 1, 2.f);
  atomicAdd(d, 1.0);
  atomicAdd(q, (unsigned long long)v);
  atomicMax(q + 1, (unsigned long long)v);
  atomicMin((long long*)q + 2, (long long)v);
  q[8] = atomicCAS(q + 3, 0ull, 1ull);
  q[32 + i] = atomicExch(q + 4, 5ull);
  atomicAdd(h, __floats2half2_rn(1, 2));
  atomicAdd(bh, __floats2bfloat162_rn(1, 2));
  __shared__ int s[8];
  __shared__ unsigned long long sq[4];
  __shared__ float sf[2];
  __shared__ double sd;
  if (i < 8) {
    s[i] = 0;
    sq[i & 3] = 0;
    sf[i & 1] = 0;
    sd = 0;
  }
  __syncthreads();
  atomicAdd(&s[0], v);
  atomicMax(&s[1], v);
  atomicCAS(&s[2], 0, v);
  atomicExch(&s[3], v);
  atomicAdd(&sq[0], (unsigned long long)v);
  atomicCAS(&sq[1], 0ull, (unsigned long long)v);
  atomicMax(&sq[2], (unsigned long long)v);
  atomicAdd(&sf[0], 1.5f);
  atomicAdd(&sd, 2.5);
  atomicOr(&s[4], v);
  atomicInc((unsigned*)&s[5], 10);
  __syncthreads();
  if (i < 8) o[100 + i] = s[i];
  if (i < 4) q[100 + i] = sq[i];
  if (i < 2) f[100 + i] = sf[i];
  if (i == 0) d[1] = sd;
}
K narrow(const unsigned char* a, const short* b, signed char* c, unsigned short* d, char4* e, short2* f, longlong2* g) {
  int i = threadIdx.x;
  c[i] = a[i] + b[i];
  d[i] = a[i] * b[i];
  char4 v = e[i];
  v.x += v.y;
  v.z -= v.w;
  e[i] = v;
  short2 q = f[i];
  q.x *= q.y;
  f[i] = q;
  longlong2 l = g[i];
  l.x ^= l.y;
  g[i] = l;
}
K generic(int* g, int sel, int n) {
  __shared__ int s[64];
  int loc[8];
  for (int i = 0; i < 8; i++) loc[i] = i * n;
  s[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  int* p = sel == 0 ? g : sel == 1 ? s : loc;
  int v = p[threadIdx.x & 7];
  p[(threadIdx.x + 1) & 7] = v + 1;
  __syncthreads();
  g[100 + threadIdx.x] = p[threadIdx.x & 7] + loc[n & 7];
  if (sel < 2) atomicAdd(p, 1);
  g[64] = __isShared(p);
}
__constant__ float cc[64];
__device__ int dg[16];
K constmem(float* o, int k) {
  o[threadIdx.x] = cc[threadIdx.x & 63] * cc[k];
  dg[threadIdx.x & 15] = k;
}
struct P {
  int a[10];
  float f;
  double d;
};
K bigparam(P p, int* o, int k) {
  o[threadIdx.x] = p.a[k] + p.a[threadIdx.x % 10];
  o[32] = (int)(p.f * p.d);
}
K localarr(int* o, int n) {
  int a[16];
  for (int i = 0; i < 16; i++) a[i] = i * i;
  for (int i = 0; i < n; i++) a[(i * 7 + threadIdx.x) & 15] += a[i & 15];
  int s = 0;
  for (int i = 0; i < 16; i++) s = s * 3 + a[i];
  o[threadIdx.x] = s;
}
K clocks(long long* o, unsigned* u) {
  long long t = clock64();
  unsigned c = clock();
  unsigned long long g;
  asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(g));
  unsigned s, w, l, e;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(s));
  asm volatile("mov.u32 %0,%%warpid;" : "=r"(w));
  asm volatile("mov.u32 %0,%%laneid;" : "=r"(l));
  asm volatile("mov.u32 %0,%%lanemask_lt;" : "=r"(e));
  unsigned ns;
  asm volatile("mov.u32 %0,%%nsmid;" : "=r"(ns));
  unsigned nw;
  asm volatile("mov.u32 %0,%%nwarpid;" : "=r"(nw));
  unsigned ds;
  asm volatile("mov.u32 %0,%%dynamic_smem_size;" : "=r"(ds));
  unsigned ts;
  asm volatile("mov.u32 %0,%%total_smem_size;" : "=r"(ts));
  unsigned gi;
  asm volatile("mov.u32 %0,%%gridid;" : "=r"(gi));
  unsigned ge;
  asm volatile("mov.u32 %0,%%lanemask_ge;" : "=r"(ge));
  u[0] = s;
  u[1] = w;
  u[2] = l;
  u[3] = e;
  u[4] = c;
  u[5] = ns;
  u[6] = nw;
  u[7] = ds;
  u[8] = ts;
  u[9] = gi;
  u[10] = ge;
  o[0] = clock64() - t;
  o[1] = g;
  __nanosleep(100);
}
K trapper(int* o, int n) {
  if (n > 3) __trap();
  o[0] = 1;
}
K packed(const unsigned* a, unsigned* o) {
  int i = threadIdx.x;
  unsigned x = a[i], y = a[i + 32];
  o[i] = __vaddss2(x, y) ^ __vcmpeq4(x, y) ^ __vavgu4(x, y) ^ __vmins2(x, y) ^ __viaddmax_s32(x, y, 7) ^
         __vimax3_s32(x, y, 9) ^ __vimin_s32_relu(x, y) ^ __viaddmin_s16x2(x, y, 5);
}

K sgemm(const float* A, const float* B, float* C, int n) {
  __shared__ float a[16][16], b[16][16];
  int ty = threadIdx.y, tx = threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    a[ty][tx] = A[(blockIdx.y * 16 + ty) * n + k + tx];
    b[ty][tx] = B[(k + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    for (int i = 0; i < 16; i++) s += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  C[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = s;
}
K softmax(const float* a, float* o, int n) {
  const float* r = a + blockIdx.x * n;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) m = fmaxf(m, r[i]);
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32) s += expf(r[i] - m);
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  for (int i = threadIdx.x; i < n; i += 32) o[blockIdx.x * n + i] = expf(r[i] - m) / s;
}
K floatround(const float* a, const float* b, float* o, int* q) {
  int i = threadIdx.x;
  float x = a[i], y = b[i];
  float* p = o + i * 16;
  p[0] = __fadd_rz(x, y);
  p[1] = __fadd_ru(x, y);
  p[2] = __fadd_rd(x, y);
  p[3] = __fmul_rz(x, y);
  p[4] = __fmul_ru(x, y);
  p[5] = __fmaf_rz(x, y, x);
  p[6] = __fmaf_ru(x, y, x);
  p[7] = __fmaf_rd(x, y, x);
  p[8] = __fdiv_rz(x, y);
  p[9] = __fsqrt_ru(x);
  p[10] = __int2float_rz(q[i]);
  p[11] = __uint2float_ru(q[i]);
  p[12] = __ll2float_rd(q[i] * 1234567ll);
  p[13] = __double2float_rz(x * 3.0);
  p[14] = __half2float(__float2half_rz(x));
  p[15] = __frcp_rz(x);
  q[i * 10] = __float2int_rz(x);
  q[i * 10 + 1] = __float2int_ru(x);
  q[i * 10 + 2] = __float2uint_rd(x);
  q[i * 10 + 3] = __float2int_rn(x);
  q[i * 10 + 4] = (int)__float2ll_rz(x);
  q[i * 10 + 5] = (int)__float2ull_rn(y);
  q[i * 10 + 6] = (unsigned char)x;
  q[i * 10 + 7] = (short)y;
  q[i * 10 + 8] = (signed char)x;
  q[i * 10 + 9] = isnan(x) + 2 * isinf(y) + 4 * signbit(x);
}
K cpasync(const char* g, int* o, int n) {
  extern __shared__ char s[];
  unsigned a = __cvta_generic_to_shared(s) + threadIdx.x * 16;
  int z = threadIdx.x < n ? 16 : threadIdx.x & 15;
  asm volatile("cp.async.cg.shared.global [%0],[%1],16,%2;" ::"r"(a), "l"(g + threadIdx.x * 16), "r"(z));
  asm volatile("cp.async.ca.shared.global [%0],[%1],4,%2;" ::"r"(a + 4096), "l"(g + threadIdx.x * 16), "r"(z & 3));
  asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(a + 8192), "l"(g + threadIdx.x * 16));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0],[%1],16;" ::"r"(a + 12288), "l"(g + threadIdx.x * 16));
  int p = n > 3;
  asm volatile("{.reg .pred p; setp.ne.b32 p,%2,0; cp.async.ca.shared.global [%0],[%1],4,p;}" ::"r"(a + 16384),
               "l"(g + threadIdx.x * 16), "r"(p));
  asm volatile("cp.async.commit_group;cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  o[threadIdx.x] = ((int*)s)[threadIdx.x * 4] + ((int*)s)[1024 + threadIdx.x * 4] + ((int*)s)[2048 + threadIdx.x * 4];
  asm volatile("cp.async.wait_all;");
}
K cgcopy(const int* g, int* o, int n) {
  extern __shared__ int t[];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, t, g, sizeof(int) * n);
  cg::wait(b);
  o[threadIdx.x] = t[n - 1 - threadIdx.x];
}
K bar(const float* g, float* o, int n) {
  __shared__ float s[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  float acc = 0;
  for (int i = 0; i < n; i++) {
    cuda::memcpy_async(&s[threadIdx.x], g + i * 128 + threadIdx.x, cuda::aligned_size_t<4>(4), b);
    b.arrive_and_wait();
    acc += s[127 - threadIdx.x];
    b.arrive_and_wait();
  }
  o[threadIdx.x] = acc;
}
K pipe(const float* g, float* o, int n) {
  __shared__ float s[2][128];
  auto p = cuda::make_pipeline();
  p.producer_acquire();
  cuda::memcpy_async(&s[0][threadIdx.x], g + threadIdx.x, cuda::aligned_size_t<4>(4), p);
  p.producer_commit();
  float acc = 0;
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) {
      p.producer_acquire();
      cuda::memcpy_async(&s[(i + 1) & 1][threadIdx.x], g + (i + 1) * 128 + threadIdx.x, cuda::aligned_size_t<4>(4), p);
      p.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(p);
    } else
      cuda::pipeline_consumer_wait_prior<0>(p);
    __syncthreads();
    acc += s[i & 1][127 - threadIdx.x];
    p.consumer_release();
    __syncthreads();
  }
  o[threadIdx.x] = acc;
}
K blockpipe(const float* g, float* o, int n) {
  __shared__ float s[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto b = cg::this_thread_block();
  auto p = cuda::make_pipeline(b, &st);
  float acc = 0;
  int f = 0;
  for (int i = 0; i < n; i++) {
    for (; f < n && f < i + 2; f++) {
      p.producer_acquire();
      cuda::memcpy_async(b, s[f & 1], g + f * 128, cuda::aligned_size_t<16>(512), p);
      p.producer_commit();
    }
    p.consumer_wait();
    acc += s[i & 1][127 - threadIdx.x];
    p.consumer_release();
  }
  o[threadIdx.x] = acc;
}
K wmmabf(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(b, B + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 16 * n + blockIdx.x * 16, c, n, wmma::mem_row_major);
}
K wmmah(const half* A, const half* B, half* C, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
  wmma::fill_fragment(c, __float2half(0));
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(b, B + k * n + blockIdx.x * 16, n);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 16 * n + blockIdx.x * 16, c, n, wmma::mem_row_major);
}
K wmma8(const signed char* A, const signed char* B, int* C, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(b, B + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 16 * n + blockIdx.x * 16, c, n, wmma::mem_row_major);
}
K wmmatf(const float* A, const float* B, float* C, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(c, 0);
  for (int k = 0; k < n; k += 8) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(b, B + blockIdx.x * 16 * n + k, n);
    for (int t = 0; t < a.num_elements; t++) a.x[t] = wmma::__float_to_tf32(a.x[t]);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 16 * n + blockIdx.x * 16, c, n, wmma::mem_row_major);
}
K wmmad(const double* A, const double* B, double* C, int n) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
  wmma::fill_fragment(c, 0);
  for (int k = 0; k < n; k += 4) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 8 * n + k, n);
    wmma::load_matrix_sync(b, B + blockIdx.x * 8 * n + k, n);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 8 * n + blockIdx.x * 8, c, n, wmma::mem_row_major);
}
#define M3(name, typ, na, nb, nc, ct, cc)                        \
  K name(const unsigned* A, const unsigned* B, ct* C) {          \
    unsigned a[4], b[2];                                         \
    ct c[nc];                                                    \
    for (int i = 0; i < na; i++) a[i] = A[i * 32 + threadIdx.x]; \
    for (int i = 0; i < nb; i++) b[i] = B[i * 32 + threadIdx.x]; \
    for (int i = 0; i < nc; i++) c[i] = C[i * 32 + threadIdx.x];
#define E3               \
  C[threadIdx.x] = c[0]; \
  C[32 + threadIdx.x] = c[1];
K mma1688(const unsigned* A, const unsigned* B, float* C) {
  int t = threadIdx.x;
  float c0 = C[t], c1 = C[t + 32], c2 = C[t + 64], c3 = C[t + 96];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(A[t]), "r"(A[t + 32]), "r"(B[t]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(A[t]), "r"(A[t + 32]), "r"(B[t]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(A[t]), "r"(A[t + 32]), "r"(A[t + 64]), "r"(A[t + 96]), "r"(B[t]), "r"(B[t + 32]));
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(A[t]), "r"(A[t + 32]), "r"(B[t]));
  C[t] = c0;
  C[t + 32] = c1;
  C[t + 64] = c2;
  C[t + 96] = c3;
}
K ldsm(const unsigned* g, unsigned* o) {
  __shared__ __align__(16) unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = g[i];
  __syncwarp();
  unsigned a = __cvta_generic_to_shared(s) + threadIdx.x * 16;
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(a));
  for (int i = 0; i < 4; i++) o[i * 32 + threadIdx.x] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(a + 512));
  for (int i = 0; i < 4; i++) o[128 + i * 32 + threadIdx.x] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(r[0]) : "r"(a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(r[1]), "=r"(r[2]) : "r"(a));
  o[256 + threadIdx.x] = r[0] ^ r[1] ^ r[2];
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;" : "=r"(r[0]) : "r"(r[3]));
  o[300 + threadIdx.x] = r[0];
}

K quant(const float* a, char4* o, const int* b, uchar4* u) {
  int i = threadIdx.x;
  float4 v = ((const float4*)a)[i];
  char4 c;
  c.x = max(-128, min(127, __float2int_rn(v.x * 10)));
  c.y = max(-128, min(127, __float2int_rn(v.y * 10)));
  c.z = max(-128, min(127, __float2int_rn(v.z * 10)));
  c.w = max(-128, min(127, __float2int_rn(v.w * 10)));
  o[i] = c;
  uchar4 q;
  q.x = max(0, min(255, b[i]));
  q.y = max(0, min(255, b[i + 1]));
  q.z = max(0, min(255, b[i + 2]));
  q.w = max(0, min(255, b[i + 3]));
  u[i] = q;
}
struct Base {
  __device__ virtual float f(float x) { return x; }
};
struct D1 : Base {
  __device__ float f(float x) override { return x * 2; }
};
K virt(float* o, int k) {
  Base b;
  D1 d;
  Base* p = k & 1 ? &b : (Base*)&d;
  o[threadIdx.x] = p->f(threadIdx.x);
}
K lanes(unsigned* o) {
  cg::thread_block b = cg::this_thread_block();
  auto w = cg::tiled_partition<32>(b);
  int v = threadIdx.x;
  o[threadIdx.x] =
      w.shfl_up(v, 1) + w.shfl_down(v, 2) + w.shfl_xor(v, 3) + w.match_any(v & 3) + w.all(v < 99) + w.meta_group_rank();
  auto l = cg::labeled_partition(w, v & 3);
  o[64 + threadIdx.x] = l.size() * 100 + l.thread_rank();
  auto bp = cg::binary_partition(w, v & 1);
  o[128 + threadIdx.x] = bp.size() * 100 + bp.thread_rank();
}

K packsat(const int* a, unsigned* o) {
  int i = threadIdx.x;
  unsigned d;
  asm("cvt.pack.sat.s8.s32.b32 %0,%1,%2,%3;" : "=r"(d) : "r"(a[i]), "r"(a[i + 32]), "r"(0));
  unsigned e;
  asm("cvt.pack.sat.u8.s32.b32 %0,%1,%2,%3;" : "=r"(e) : "r"(a[i]), "r"(a[i + 32]), "r"(d));
  o[i] = e;
  unsigned f;
  asm("cvt.pack.sat.s16.s32 %0,%1,%2;" : "=r"(f) : "r"(a[i]), "r"(a[i + 32]));
  o[i + 32] = f;
  short s;
  asm("cvt.sat.s16.s32 %0,%1;" : "=h"(s) : "r"(a[i]));
  o[i + 64] = s;
  unsigned g;
  asm("cvt.sat.u8.s32 %0,%1;" : "=r"(g) : "r"(a[i]));
  o[i + 96] = g;
  int h;
  asm("bfe.s32 %0,%1,5,9;" : "=r"(h) : "r"(a[i]));
  o[i + 128] = h;
  asm("bfe.u32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(i), "r"(i / 2));
  o[i + 160] = h;
  asm("bfi.b32 %0,%1,%2,%3,%4;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i), "r"(7));
  o[i + 192] = h;
  asm("bfind.s32 %0,%1;" : "=r"(h) : "r"(a[i]));
  o[i + 224] = h;
  asm("fns.b32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(0), "r"(2));
  o[i + 256] = h;
  asm("szext.wrap.s32 %0,%1,%2;" : "=r"(h) : "r"(a[i]), "r"(i));
  o[i + 288] = h;
  asm("bmsk.clamp.b32 %0,%1,%2;" : "=r"(h) : "r"(i), "r"(9));
  o[i + 320] = h;
  asm("lop3.b32 %0,%1,%2,%3,0x1b;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 352] = h;
  asm("dp2a.lo.s32.s32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 384] = h;
  asm("dp2a.hi.u32.s32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 416] = h;
  asm("dp4a.u32.s32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 448] = h;
  asm("prmt.b32.f4e %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 480] = h;
  asm("prmt.b32.b4e %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 512] = h;
  asm("prmt.b32.rc8 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 544] = h;
  asm("prmt.b32.ecl %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 576] = h;
  asm("prmt.b32.ecr %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 608] = h;
  asm("prmt.b32.rc16 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 640] = h;
  asm("mul24.hi.s32 %0,%1,%2;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]));
  o[i + 672] = h;
  asm("mad.hi.cc.u32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 704] = h;
  asm("shf.r.clamp.b32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i * 2));
  o[i + 736] = h;
  asm("shf.l.clamp.b32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i * 2));
  o[i + 768] = h;
  asm("slct.s32.s32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i - 9));
  o[i + 800] = h;
  asm("sad.u32 %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 832] = h;
  asm("vset4.u32.u32.lt %0,%1,%2,%3;" : "=r"(h) : "r"(a[i]), "r"(a[i + 32]), "r"(0));
  o[i + 864] = h;
  asm("{.reg .pred p,q; setp.lt.xor.u32 p|q,%1,%2,1; selp.s32 %0,%1,%3,q;}"
      : "=r"(h)
      : "r"(a[i]), "r"(a[i + 32]), "r"(i));
  o[i + 896] = h;
}
K bigint(const unsigned* a, const unsigned* b, unsigned* o) {
  unsigned r[8];
  asm("add.cc.u32 %0,%4,%8; addc.cc.u32 %1,%5,%9; addc.cc.u32 %2,%6,%10; addc.u32 %3,%7,%11;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  asm("sub.cc.u32 %0,%4,%8; subc.cc.u32 %1,%5,%9; subc.cc.u32 %2,%6,%10; subc.u32 %3,%7,%11;"
      : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  for (int i = 0; i < 8; i++) o[i] = r[i];
  unsigned long long c = 0;
  for (int i = 0; i < 4; i++) {
    c = 0;
    for (int j = 0; j < 4; j++) {
      c += (unsigned long long)a[i] * b[j] + o[8 + i + j];
      o[8 + i + j] = (unsigned)c;
      c >>= 32;
    }
    o[8 + i + 4] = (unsigned)c;
  }
  asm("mad.lo.cc.u32 %0,%2,%3,%4; madc.hi.u32 %1,%2,%3,%5;"
      : "=r"(r[0]), "=r"(r[1])
      : "r"(a[0]), "r"(b[0]), "r"(a[1]), "r"(b[1]));
  o[16] = r[0];
  o[17] = r[1];
  unsigned long long x = ((unsigned long long)a[1] << 32) | a[0], y = ((unsigned long long)b[1] << 32) | b[0];
  unsigned __int128 z = (unsigned __int128)x * y;
  o[18] = (unsigned)(z >> 64);
  o[19] = (unsigned)(z >> 96);
  z /= (y | 1);
  o[20] = (unsigned)z;
}
K mandel(int* o, int w, int h, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float a = 0, b = 0, cx = 3.f * x / w - 2, cy = 2.f * y / h - 1;
  int i = 0;
  while (i < n && a * a + b * b < 4) {
    float t = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = t;
    i++;
  }
  o[y * w + x] = i;
}
K nbody(const float4* p, float4* o, int n) {
  __shared__ float4 s[128];
  float4 q = p[blockIdx.x * 128 + threadIdx.x];
  float3 a = {0, 0, 0};
  for (int t = 0; t < n; t += 128) {
    s[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; j++) {
      float dx = s[j].x - q.x, dy = s[j].y - q.y, dz = s[j].z - q.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      float k = s[j].w * r * r * r;
      a.x += dx * k;
      a.y += dy * k;
      a.z += dz * k;
    }
    __syncthreads();
  }
  o[blockIdx.x * 128 + threadIdx.x] = make_float4(a.x, a.y, a.z, 0);
}
K radixsort(unsigned* d) {
  typedef cub::BlockRadixSort<unsigned, 128, 4> S;
  __shared__ typename S::TempStorage t;
  unsigned k[4];
  cub::LoadDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k);
  S(t).Sort(k);
  cub::StoreDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k);
}

// Barriers 1 and 2 order each half of the block, barrier 3 lets the lower half release the upper one.
K namedbar(int* o) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1,64;" ::: "memory");
  else
    asm volatile("bar.sync 2,64;" ::: "memory");
  if (threadIdx.x < 64) {
    o[threadIdx.x] = s[63 - threadIdx.x];
    asm volatile("bar.arrive 3,128;" ::: "memory");
  } else {
    asm volatile("bar.sync 3,128;" ::: "memory");
    o[threadIdx.x] = s[127 - threadIdx.x];
  }
  int b = threadIdx.x / 64 + 4;
  asm volatile("bar.sync %0,64;" ::"r"(b) : "memory");
  asm volatile("barrier.sync 6;" ::: "memory");
}
// Both forms of arrival by asynchronous copies, and ordinary arrivals.
K mbar(int* o, const int* g) {
  __shared__ __align__(8) unsigned long long b[2];
  __shared__ int s[256];
  unsigned a = __cvta_generic_to_shared(b), sa = __cvta_generic_to_shared(s + threadIdx.x);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(a), "r"(blockDim.x));
    asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(a + 8), "r"(2 * blockDim.x));
  }
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(sa), "l"(g + threadIdx.x));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(a));
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(a + 8));
  unsigned long long st;
  asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(st) : "r"(a + 8));
  asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(st) : "r"(a + 8));
  asm volatile("{.reg .pred p; L1: mbarrier.test_wait.parity.shared.b64 p,[%0],0; @!p bra L1; }" ::"r"(a));
  asm volatile("{.reg .pred p; L2: mbarrier.test_wait.shared.b64 p,[%0],%1; @!p bra L2; }" ::"r"(a + 8), "l"(st));
  o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(a));
}
