// Isolates the L2 hit latency of each line: which lines lie in the near partition, which in the far one.
//
// One lane loads one word of each 128-byte line, one at a time: the next address waits for the value before (which is
// zero). The first walk brings the lines into L2.
#include "common.cuh"

// out[0..2] = sum, least and greatest latency; histogram[c / 8] counts lines of c cycles. Data must be zero.
extern "C" __global__ void l2_lines(const std::uint32_t* data, std::int64_t* out, std::uint32_t* histogram, int lines) {
  __shared__ std::uint32_t scratch[32];
  __shared__ std::uint32_t bins[128];
  for (int i = 0; i < 128; ++i) bins[i] = 0;
  const std::uint32_t to = shared_address(scratch);
  std::int64_t sum = 0, least = 1 << 30, most = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const char* p = reinterpret_cast<const char*>(data);
#pragma unroll 1
    for (int i = 0; i < lines; ++i) {
      std::uint32_t value;
      const std::int64_t start = sm_clock();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
      wait_for(value, to);
      const std::int64_t cycles = sm_clock() - start;
      p += 128 + value;
      if (pass == 0) continue;
      sum += cycles;
      least = cycles < least ? cycles : least;
      most = cycles > most ? cycles : most;
      ++bins[cycles / 8 < 127 ? cycles / 8 : 127];
    }
  }
  out[0] = sum;
  out[1] = least;
  out[2] = most;
  for (int i = 0; i < 128; ++i) histogram[i] = bins[i];
}
