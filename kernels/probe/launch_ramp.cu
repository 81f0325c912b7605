// How fast blocks become resident: every block notes its SM, the SM's clock and the global timer at its start and end.
//
// One figure a line: the start of the k-th block of an SM after the first one of that SM, and the spread over SMs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

struct Start {
  unsigned sm;
  long long clock;
  unsigned long long timer, end_timer;
};

__global__ void note_starts(Start* starts, int spin) {
  if (threadIdx.x == 0) {
    Start& s = starts[blockIdx.x];
    const long long now = clock64();
    unsigned long long timer;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    while (clock64() - now < spin) {
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.end_timer));
    s.sm = sm;
    s.clock = now;
    s.timer = timer;
  }
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const int sms = device.multiProcessorCount;
  Start* starts;
  cudaMalloc(&starts, sizeof(Start) * 64 * sms);
  for (const int threads : {32, 128, 256, 512, 1024}) {
    for (const int shared : {0, 24 * 1024}) {
      const int by_shared = shared ? 8 : 32;
      const int per_sm = std::min({2048 / threads, by_shared, 32});
      const int blocks = per_sm * sms;
      cudaFuncSetAttribute(note_starts, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
      std::vector<Start> host(blocks);
      std::vector<std::vector<long long>> by_order(per_sm);
      std::vector<long long> timer_spread;
      for (int repetition = 0; repetition < 20; ++repetition) {
        note_starts<<<blocks, threads, shared>>>(starts, 40000);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        cudaMemcpy(host.data(), starts, sizeof(Start) * blocks, cudaMemcpyDeviceToHost);
        if (repetition < 3) continue;
        std::map<unsigned, std::vector<long long>> of_sm;
        unsigned long long first = ~0ull, last = 0;
        for (const Start& s : host) {
          of_sm[s.sm].push_back(s.clock);
          first = std::min(first, s.timer);
          last = std::max(last, s.timer);
        }
        timer_spread.push_back(static_cast<long long>(last - first));
        for (auto& [sm, clocks] : of_sm) {
          std::sort(clocks.begin(), clocks.end());
          for (size_t k = 0; k < clocks.size() && k < by_order.size(); ++k)
            by_order[k].push_back(clocks[k] - clocks[0]);
        }
      }
      std::sort(timer_spread.begin(), timer_spread.end());
      std::printf("threads %4d shared %6d blocks/SM %2d timer spread ns median %lld:", threads, shared, per_sm,
                  timer_spread[timer_spread.size() / 2]);
      for (auto& starts_k : by_order) {
        if (starts_k.empty()) continue;
        std::sort(starts_k.begin(), starts_k.end());
        std::printf(" %lld", starts_k[starts_k.size() / 2]);
      }
      std::printf("\n");
    }
  }
  return 0;
}
