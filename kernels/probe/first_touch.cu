// What the first access of an SM to a page costs beyond the next one: address translation.
//
// One warp an SM, one lane, dependent loads that bypass L1: a page's first line, then another line of the same page,
// page after page. The lines were brought to L2 by a kernel before (warm) or not (cold). Median and quartiles over SMs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int kPages = 8;

__global__ void touch(const unsigned* data, size_t page_words, long long* times, int offset) {
  if (threadIdx.x != 0) return;
  unsigned chain = 0;
  long long* mine = times + blockIdx.x * kPages * 2;
  for (int page = 0; page < kPages; ++page) {
    for (int line = 0; line < 2; ++line) {
      const unsigned* p = data + page * page_words + offset + line * 4096 + chain;
      const long long before = clock64();
      unsigned value;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(p));
      chain = value & 1;  // the buffer is zero: the next address waits for this value and does not change
      const long long after = clock64() + chain;
      mine[page * 2 + line] = after - before;
    }
  }
}

__global__ void sweep(const unsigned* data, size_t words, unsigned* sink) {
  unsigned sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += size_t(gridDim.x) * blockDim.x) sum += data[i];
  if (sum == 1) *sink = sum;
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const int sms = device.multiProcessorCount;
  const size_t flush_bytes = size_t(512) << 20;
  unsigned *data, *flush, *sink;
  long long* times;
  const size_t bytes = size_t(64) << 20;
  cudaMalloc(&data, bytes);
  cudaMalloc(&flush, flush_bytes);
  cudaMalloc(&sink, 4);
  cudaMalloc(&times, sizeof(long long) * sms * kPages * 2);
  cudaMemset(data, 0, bytes);
  std::vector<long long> host(sms * kPages * 2);
  for (const size_t page : {size_t(64) << 10, size_t(2) << 20, size_t(4) << 20}) {
    for (const int blocks : {1, sms}) {
      for (const int mode : {0, 1, 2}) {
        std::vector<std::vector<long long>> by(kPages * 2);
        for (int repetition = 0; repetition < 12; ++repetition) {
          if (mode == 0) cudaMemset(flush, repetition, flush_bytes);   // L2 and translation cold
          if (mode == 1) sweep<<<sms, 1024>>>(data, bytes / 4, sink);  // L2 warm, pages used just now
          if (mode == 2) {                                             // L2 warm, 512 MiB touched before
            sweep<<<sms, 1024>>>(flush, flush_bytes / 4, sink);
            sweep<<<sms, 1024>>>(data, bytes / 2 / 4, sink);
          }
          touch<<<blocks, 32>>>(data, page / 4, times, repetition % 4 * 64);
          if (cudaDeviceSynchronize() != cudaSuccess) return 1;
          cudaMemcpy(host.data(), times, host.size() * 8, cudaMemcpyDeviceToHost);
          if (repetition < 2) continue;
          for (int b = 0; b < blocks; ++b) {
            for (int i = 0; i < kPages * 2; ++i) by[i].push_back(host[b * kPages * 2 + i]);
          }
        }
        std::printf("page %4zu KiB, %3d blocks, %s: first / second access by page:", page >> 10, blocks,
                    mode == 0   ? "cold"
                    : mode == 1 ? "warm"
                                : "warm after 512 MiB");
        for (auto& v : by) std::sort(v.begin(), v.end());
        for (int p = 0; p < kPages; ++p) {
          auto q = [&](int i, double f) { return by[i][size_t(f * (by[i].size() - 1))]; };
          std::printf(" %lld(%lld-%lld)/%lld", q(2 * p, .5), q(2 * p, .25), q(2 * p, .75), q(2 * p + 1, .5));
        }
        std::printf("\n");
      }
    }
  }
  return 0;
}
