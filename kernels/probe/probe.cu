// Hardware probes: latencies, issue intervals, queue depths and bandwidths that a GPU configuration needs, measured on
// the GPU at hand and written as JSON. Usage: probe OUT.json [REPETITIONS [GROUP...]]
//
// Build: nvcc -O3 -std=c++17 -arch=sm_90 probe.cu -o probe
#include "probe.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lds_kernel {
#include "../lds_chain.cu"
}
namespace ffma_kernel {
#include "../ffma_chain.cu"
}
namespace bar_kernel {
#include "../bar_sync.cu"
}

using namespace probe;

namespace {

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

int repetitions = 5;
std::FILE* json = nullptr;
bool first_record = true;
char* device_memory = nullptr;
constexpr std::size_t kDeviceBytes = std::size_t{4} << 30;
std::size_t l2_bytes = 0;
int sms = 0;

void record(const std::string& name, const std::string& condition, std::vector<double> values, const char* unit) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
  };
  std::fprintf(json,
               "%s\n  {\"probe\": \"%s\", \"condition\": \"%s\", \"median\": %.6g, \"min\": %.6g, \"max\": %.6g, "
               "\"unit\": \"%s\", \"n\": %zu}",
               first_record ? "" : ",", name.c_str(), condition.c_str(), at(0.5), values.front(), values.back(), unit,
               values.size());
  first_record = false;
}

void record_list(const std::string& name, const std::string& condition, const std::vector<double>& values,
                 const char* unit) {
  std::fprintf(json, "%s\n  {\"probe\": \"%s\", \"condition\": \"%s\", \"unit\": \"%s\", \"values\": [",
               first_record ? "" : ",", name.c_str(), condition.c_str(), unit);
  for (std::size_t i = 0; i < values.size(); ++i) std::fprintf(json, "%s%.6g", i ? "," : "", values[i]);
  std::fprintf(json, "]}");
  first_record = false;
}

struct Span {
  double issued, done;  // cycles from the first start to the last issue, and to the last result
};

template <class Op, int kUnroll>
Span run_timed(const Args& args) {
  static Sample* samples = nullptr;
  if (!samples) {
    CHECK(cudaMalloc(&samples, 32 * sizeof(Sample)));
    CHECK(cudaFuncSetAttribute(timed<Op, kUnroll>, cudaFuncAttributeMaxDynamicSharedMemorySize, kScratch));
  }
  int warps = 0;
  for (int w = 0; w < 32; ++w)
    if (args.active >> w & 1) warps = w + 1;
  timed<Op, kUnroll><<<1, warps * 32, kScratch>>>(args, samples);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    std::fprintf(stderr, "%s with %d warps: %s\n", __PRETTY_FUNCTION__, warps, cudaGetErrorString(status));
    return {0, 0};
  }
  Sample host[32];
  CHECK(cudaMemcpy(host, samples, sizeof host, cudaMemcpyDeviceToHost));
  std::int64_t start = INT64_MAX, issued = 0, done = 0;
  for (int w = 0; w < warps; ++w) {
    if (!(args.active >> w & 1)) continue;
    start = std::min(start, host[w].start);
    issued = std::max(issued, host[w].issued);
    done = std::max(done, host[w].done);
  }
  return {static_cast<double>(issued - start), static_cast<double>(done - start)};
}

const std::pair<const char*, std::uint32_t> kWarpSets[] = {{"1 warp", 0x1},
                                                           {"2 warps on 2 schedulers", 0x3},
                                                           {"3 warps on 3 schedulers", 0x7},
                                                           {"4 warps on 4 schedulers", 0xF},
                                                           {"2 warps on 1 scheduler", 0x11},
                                                           {"4 warps on 1 scheduler", 0x1111},
                                                           {"8 warps", 0xFF},
                                                           {"16 warps", 0xFFFF},
                                                           {"32 warps", 0xFFFFFFFF}};

// Cycles for each instruction of a warp, from the first start to the last issue.
template <class Op, int kUnroll>
void rate(const std::string& name, Args args, std::vector<int> sets, const std::string& extra = "") {
  for (int set : sets) {
    args.active = kWarpSets[set].second;
    std::vector<double> values;
    for (int r = 0; r < repetitions; ++r)
      values.push_back(run_timed<Op, kUnroll>(args).done / (args.iterations * kUnroll));
    record(name, std::string(kWarpSets[set].first) + extra, values, "cycles per instruction of each warp");
  }
}

template <template <int> class Op>
void arithmetic(const char* name) {
  Args args;
  args.iterations = 16;
  rate<Op<1>, 64>(std::string(name) + " latency", args, {0});
  rate<Op<8>, 64>(std::string(name) + " issue", args, {0, 3, 7});
}

void probe_arithmetic() {
  arithmetic<Ffma>("FFMA");
  arithmetic<Fadd>("FADD");
  arithmetic<Fmul>("FMUL");
  arithmetic<Dfma>("DFMA");
  arithmetic<MufuEx2>("MUFU.EX2");
  arithmetic<MufuRcp>("MUFU.RCP");
  arithmetic<Imad>("IMAD");
  arithmetic<ImadWide>("IMAD.WIDE");
  arithmetic<Iadd3>("IADD3");
  arithmetic<Lop3>("LOP3");
  arithmetic<Shf>("SHF");
  arithmetic<Prmt>("PRMT");
  arithmetic<Popc>("POPC");
  arithmetic<Hfma2>("HFMA2");
  arithmetic<ShflBfly>("SHFL.BFLY");
  arithmetic<ShflIdx>("SHFL.IDX");
  arithmetic<Vote>("ISETP + VOTE");
  arithmetic<I2F>("I2F");
  arithmetic<F2I>("F2I");
  arithmetic<SetpSel>("ISETP + SEL");
  arithmetic<HmmaBf16>("HMMA.16816.F32.BF16");
  arithmetic<HmmaBf16K8>("HMMA.1688.F32.BF16");
  Args args;
  rate<ClockRead, 64>("CS2R clock + 64-bit add", args, {0});
  rate<EmptyGroup, 64>("empty LDGDEPBAR + DEPBAR", args, {0, 3, 7});
}

void probe_loops() {
  Args args;
  args.iterations = 1024;
  const std::vector<int> sets = {0, 3, 7};
  rate<LoopBody<1>, 1>("loop of n LOP3, per iteration, n = 1", args, sets);
  rate<LoopBody<2>, 1>("loop of n LOP3, per iteration, n = 2", args, sets);
  rate<LoopBody<4>, 1>("loop of n LOP3, per iteration, n = 4", args, sets);
  rate<LoopBody<8>, 1>("loop of n LOP3, per iteration, n = 8", args, sets);
  rate<LoopBody<16>, 1>("loop of n LOP3, per iteration, n = 16", args, sets);
  rate<LoopBody<32>, 1>("loop of n LOP3, per iteration, n = 32", args, sets);
}

// Straight-line code of growing size, looped: which instruction cache still holds it.
template <int kInstructions>
void code_size() {
  Args args;
  args.iterations = 4;
  rate<LoopBody<16>, kInstructions / 16>(
      "instruction fetch, cycles for 16, loop of " + std::to_string(kInstructions) + " instructions", args, {0, 3, 7});
}

void probe_code_size() {
  code_size<64>();
  code_size<128>();
  code_size<256>();
  code_size<512>();
  code_size<1024>();
  code_size<1536>();
  code_size<2048>();
  code_size<4096>();
  code_size<8192>();
  code_size<12288>();
}

void probe_shared_latency() {
  Args args;
  args.iterations = 8;
  for (std::uint32_t words : {0u, 1u, 2u, 4u, 8u, 16u, 32u}) {
    args.stride = words * 4;
    const std::string at = ", lanes " + std::to_string(words * 4) + " bytes apart";
    rate<LdsChain<1>, 64>("LDS.32 latency", args, {0}, at);
    if (words == 0 || words >= 2) rate<LdsChain<2>, 64>("LDS.64 latency", args, {0}, at);
    if (words == 0 || words >= 4) rate<LdsChain<4>, 64>("LDS.128 latency", args, {0}, at);
  }
  args.stride = 4;
  rate<StsLds, 64>("STS + LDS same address, latency of the pair", args, {0});
  for (std::uint32_t pitch : {16u, 32u, 64u, 80u, 128u, 144u}) {
    args.stride = pitch;
    const std::string at = ", rows " + std::to_string(pitch) + " bytes apart";
    rate<LdsmChain<1>, 64>("LDSM.x1 latency", args, {0}, at);
    rate<LdsmChain<2>, 64>("LDSM.x2 latency", args, {0}, at);
    rate<LdsmChain<4>, 64>("LDSM.x4 latency", args, {0}, at);
  }
}

void probe_shared_rate() {
  Args args;
  args.iterations = 16;
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};  // 32 warps of the wide loads do not fit into the registers
  args.stride = 4;
  rate<LdsBurst<1, 32>, 64>("LDS.32 rate", args, all, ", no conflict");
  args.stride = 8;
  rate<LdsBurst<2, 32>, 64>("LDS.64 rate", args, all, ", no conflict");
  args.stride = 16;
  rate<LdsBurst<4, 16>, 16>("LDS.128 rate", args, all, ", no conflict");
  for (std::uint32_t words : {0u, 2u, 4u, 8u, 16u, 32u}) {
    args.stride = words * 4;
    rate<LdsBurst<1, 32>, 64>("LDS.32 rate", args, {0, 3, 7}, ", lanes " + std::to_string(words * 4) + " bytes apart");
  }
  args.stride = 4;
  rate<StsBurst<1>, 64>("STS.32 rate", args, all, ", no conflict");
  args.stride = 8;
  rate<StsBurst<2>, 64>("STS.64 rate", args, {0, 3, 7}, ", no conflict");
  args.stride = 16;
  rate<StsBurst<4>, 64>("STS.128 rate", args, {0, 3, 7}, ", no conflict");
  args.stride = 128;
  rate<StsBurst<1>, 64>("STS.32 rate", args, {0, 3, 7}, ", 32-way conflict");
  args.stride = 16;
  rate<LdsmBurst<1, 16>, 16>("LDSM.x1 rate", args, {0, 3, 7}, ", no conflict");
  rate<LdsmBurst<2, 16>, 16>("LDSM.x2 rate", args, {0, 3, 7}, ", no conflict");
  rate<LdsmBurst<4, 16>, 16>("LDSM.x4 rate", args, all, ", no conflict");
  args.stride = 128;
  rate<LdsmBurst<4, 16>, 16>("LDSM.x4 rate", args, {0, 3, 7}, ", 8-way conflict");
}

void probe_barrier() {
  Args args;
  args.iterations = 8;
  for (int warps = 1; warps <= 32; warps = warps < 4 ? warps + 1 : warps * 2) {
    args.active = warps == 32 ? ~0u : (1u << warps) - 1;
    std::vector<double> values;
    for (int r = 0; r < repetitions; ++r) values.push_back(run_timed<BarSync, 32>(args).done / (32 * args.iterations));
    record("BAR.SYNC", std::to_string(warps) + " warps", values, "cycles");
  }
}

// --- bursts: how long a warp takes to hand n instructions over, and until the last result -------------------------

template <class Op, int kCount>
void burst_of(const std::string& name, Args args, const std::string& extra) {
  args.iterations = 1;
  for (int set : {0, 4, 1, 3, 6}) {
    args.active = kWarpSets[set].second;
    std::vector<double> issued, done;
    for (int r = 0; r < repetitions; ++r) {
      const Span s = run_timed<Op, kCount>(args);
      issued.push_back(s.issued);
      done.push_back(s.done);
    }
    const std::string condition = std::to_string(kCount) + " instructions, " + kWarpSets[set].first + extra;
    record("burst of " + name + ", handed over", condition, issued, "cycles");
    record("burst of " + name + ", complete", condition, done, "cycles");
  }
}

template <template <int> class Op, int... kCounts>
void bursts(const std::string& name, const Args& args, const std::string& extra,
            std::integer_sequence<int, kCounts...>) {
  (burst_of<Op<kCounts>, kCounts>(name, args, extra), ...);
}

using Counts = std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32>;
template <int n>
using Lds32 = LdsBurst<1, n>;
template <int n>
using Lds128 = LdsBurst<4, n>;
template <int n>
using Sts32 = StsBurst<1>;
template <int n>
using Ldsm4 = LdsmBurst<4, n>;
template <int n>
using Ldg32 = LdgBurst<1, n, true>;
template <int n>
using Ldg32Lines = LdgBurst<1, n, true, 4>;
template <int n>
using Ldg128 = LdgBurst<4, n, true>;
template <int n>
using Ldg32Cg = LdgBurst<1, n, false>;
template <int n>
using CopyCa4 = CopyBurst<4, false>;
template <int n>
using CopyCa16 = CopyBurst<16, false>;
template <int n>
using CopyCg16 = CopyBurst<16, true>;
template <int n>
using Shfl = ShflBfly<n>;
template <int n>
using Mufu = MufuEx2<n>;
template <int n>
using Stg32 = StgBurst<1>;

void probe_bursts() {
  Args args;
  args.global = device_memory;
  args.offset = 0;
  args.stride = 4;
  bursts<Lds32>("LDS.32", args, "", Counts{});
  bursts<Sts32>("STS.32", args, "", Counts{});
  bursts<Ldg32>("LDG.32 hitting L1", args, "", Counts{});
  bursts<Ldg32Cg>("LDG.32 .cg hitting L2", args, "", Counts{});
  bursts<CopyCa4>("LDGSTS.32 .ca hitting L1", args, "", Counts{});
  bursts<Stg32>("STG.32", args, "", Counts{});
  bursts<Shfl>("SHFL", args, "", Counts{});
  bursts<Mufu>("MUFU", args, "", Counts{});
  args.stride = 16;
  bursts<Lds128>("LDS.128", args, "", Counts{});
  bursts<Ldsm4>("LDSM.x4", args, "", Counts{});
  bursts<Ldg128>("LDG.128 hitting L1", args, "", Counts{});
  bursts<CopyCa16>("LDGSTS.128 .ca hitting L1", args, "", Counts{});
  bursts<CopyCg16>("LDGSTS.128 .cg hitting L2", args, "", Counts{});
  args.stride = 128;
  bursts<Lds32>("LDS.32 with 32-way conflict", args, "", Counts{});
  bursts<Ldg32Lines>("LDG.32 of 32 lines hitting L1", args, "", Counts{});
}

// --- global memory --------------------------------------------------------------------------------------------------

void probe_l1() {
  Args args;
  args.global = device_memory;
  args.iterations = 8;
  for (std::uint32_t stride : {0u, 8u, 16u, 32u, 128u}) {
    args.stride = stride;
    const std::string at = ", lanes " + std::to_string(stride) + " bytes apart";
    rate<LdgChain<Operator::kDefault, 2>, 32>("LDG.64 latency, L1 hit", args, {0}, at);
    if (stride == 0) {
      rate<LdgChain<Operator::kCa, 2>, 32>("LDG.64 .ca latency, L1 hit", args, {0}, at);
      rate<LdgChain<Operator::kCg, 2>, 32>("LDG.64 .cg latency, L2 hit, one line", args, {0}, at);
      rate<LdgChain<Operator::kVolatile, 2>, 32>("LDG.64 volatile latency", args, {0}, at);
    }
    if (stride % 16 == 0) rate<LdgChain<Operator::kDefault, 4>, 32>("LDG.128 latency, L1 hit", args, {0}, at);
  }
  args.offset = 512;
  const std::vector<int> sets = {0, 3, 6, 7};
  args.offset = 0;  // all warps read the same lines, which fit into L1
  for (std::uint32_t stride : {4u, 8u, 16u, 32u, 64u, 128u}) {
    args.stride = stride;
    const std::string at = ", L1 hit, lanes " + std::to_string(stride) + " bytes apart";
    if (stride <= 16) {
      rate<LdgBurst<1, 32, true>, 32>("LDG.32 rate", args, sets, at);
      if (stride >= 8) rate<LdgBurst<2, 32, true>, 32>("LDG.64 rate", args, sets, at);
      if (stride >= 16) rate<LdgBurst<4, 16, true>, 16>("LDG.128 rate", args, sets, at);
    } else {
      rate<LdgBurst<1, 32, true, 4>, 32>("LDG.32 rate", args, sets, at);
      rate<LdgBurst<2, 32, true, 8>, 32>("LDG.64 rate", args, sets, at);
      rate<LdgBurst<4, 16, true, 16>, 16>("LDG.128 rate", args, sets, at);
    }
  }
  args.stride = 4;
  args.offset = 32 * 512;
  rate<LdgBurst<1, 32, false>, 32>("LDG.32 .cg rate", args, sets, ", L2 hit");
  args.offset = 0;
  rate<CopyBurst<4, false>, 32>("LDGSTS.32 .ca rate", args, sets, ", L1 hit");
  args.offset = 32 * 512;
  rate<StgBurst<1>, 32>("STG.32 rate", args, sets);
  args.stride = 8;
  args.offset = 0;
  rate<CopyBurst<8, false>, 32>("LDGSTS.64 .ca rate", args, sets, ", L1 hit");
  args.stride = 16;
  rate<CopyBurst<16, false>, 32>("LDGSTS.128 .ca rate", args, sets, ", L1 hit");
  args.offset = 32 * 512;
  rate<LdgBurst<4, 16, false>, 16>("LDG.128 .cg rate", args, sets, ", L2 hit");
  rate<CopyBurst<16, true>, 32>("LDGSTS.128 .cg rate", args, sets, ", L2 hit");
  rate<StgBurst<4>, 32>("STG.128 rate", args, sets);
}

__global__ void write_ring(char* base, const std::uint32_t* next, std::uint64_t stride, std::uint32_t nodes) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < nodes; i += gridDim.x * blockDim.x)
    *reinterpret_cast<std::uint64_t*>(base + i * stride) = reinterpret_cast<std::uint64_t>(base + next[i] * stride);
}

template <bool kCg>
__global__ void walk(char* start, std::int64_t* out, std::uint32_t warm, std::uint32_t hops) {
  auto p = reinterpret_cast<std::uint64_t>(start);
  std::uint64_t unused = 0;
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const std::uint32_t todo = pass ? hops : warm;
    const std::int64_t begin = sm_clock();
#pragma unroll 1
    for (std::uint32_t i = 0; i < todo; i += 16) {
#pragma unroll
      for (int k = 0; k < 16; ++k) load_pointer<kCg ? Operator::kCg : Operator::kDefault, 2>(p, unused);
    }
    consume(static_cast<std::uint32_t>(p));
    cycles = sm_clock() - begin;
  }
  out[0] = cycles;
}

void make_ring(std::uint64_t bytes, std::uint64_t stride, unsigned seed) {
  const auto nodes = static_cast<std::uint32_t>(bytes / stride);
  std::vector<std::uint32_t> order(nodes), next(nodes);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(seed));
  for (std::uint32_t i = 0; i < nodes; ++i) next[order[i]] = order[(i + 1) % nodes];
  std::uint32_t* on_device;
  CHECK(cudaMalloc(&on_device, nodes * 4ull));
  CHECK(cudaMemcpy(on_device, next.data(), nodes * 4ull, cudaMemcpyHostToDevice));
  write_ring<<<256, 256>>>(device_memory, on_device, stride, nodes);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(on_device));
}

void flush_l2() { CHECK(cudaMemset(device_memory + (kDeviceBytes / 2), 0, 4 * l2_bytes)); }

std::int64_t* device_words() {
  static std::int64_t* words = nullptr;
  if (!words) CHECK(cudaMalloc(&words, 1 << 20));
  return words;
}

template <bool kCg>
double walk_once(std::uint32_t warm, std::uint32_t hops) {
  CHECK(cudaFuncSetAttribute(walk<kCg>, cudaFuncAttributeMaxDynamicSharedMemorySize, kScratch));
  walk<kCg><<<1, 1, kScratch>>>(device_memory, device_words(), warm, hops);
  CHECK(cudaGetLastError());
  std::int64_t cycles;
  CHECK(cudaMemcpy(&cycles, device_words(), 8, cudaMemcpyDeviceToHost));
  return static_cast<double>(cycles) / hops;
}

void probe_chase() {
  for (std::uint64_t kib : {16, 64, 128, 160, 192, 208, 256, 512}) {
    make_ring(kib * 1024, 128, 1);
    std::vector<double> values;
    for (int r = 0; r < repetitions; ++r) values.push_back(walk_once<false>(2 * kib * 8, 4096));
    record("chase, default operator, 64 KiB shared memory taken", std::to_string(kib) + " KiB, 128-byte nodes, random",
           values, "cycles");
  }
  for (std::uint64_t mib : {1, 4, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128}) {
    make_ring(mib << 20, 256, 2);
    std::vector<double> values;
    for (int r = 0; r < 3; ++r) values.push_back(walk_once<true>(static_cast<std::uint32_t>(mib << 12), 16384));
    record("chase, .cg, warm", std::to_string(mib) + " MiB, 256-byte nodes, random", values, "cycles");
  }
  for (std::uint64_t mib : {64, 256, 1024, 2048}) {
    for (std::uint64_t stride : {4096, 65536}) {
      if ((mib << 20) / stride < 4096) continue;
      make_ring(mib << 20, stride, 3);
      std::vector<double> values;
      for (int r = 0; r < repetitions; ++r) {
        flush_l2();
        values.push_back(walk_once<true>(64, 2048));
      }
      record("chase, .cg, cold", std::to_string(mib) + " MiB, " + std::to_string(stride) + "-byte nodes, random",
             values, "cycles");
    }
  }
}

// Latency of every line of a footprint, one at a time, from one SM.
__global__ void line_latency(char* base, std::uint16_t* out, std::uint32_t lines, int wanted_block, std::uint32_t* sm) {
  if (blockIdx.x != static_cast<unsigned>(wanted_block)) return;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(*sm));
  for (int pass = 0; pass < 3; ++pass) {
    for (std::uint32_t i = 0; i < lines; ++i) {
      std::uint32_t value;
      const std::int64_t begin = sm_clock();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(base + i * 128ull) : "memory");
      consume(value);
      const std::int64_t end = sm_clock();
      out[i] = static_cast<std::uint16_t>(end - begin);
    }
  }
}

void probe_lines() {
  std::uint16_t* out;
  constexpr std::uint32_t kMost = 40u << 13;
  CHECK(cudaMalloc(&out, kMost * 2));
  CHECK(cudaFuncSetAttribute(line_latency, cudaFuncAttributeMaxDynamicSharedMemorySize, kScratch));
  std::vector<std::vector<std::uint16_t>> seen;
  for (std::uint32_t mib : {1u, 16u, 40u}) {
    for (int block : {0, 1, 2, 16, 70, 131}) {
      if (mib != 1 && block != 0) continue;
      const std::uint32_t lines = mib << 13;
      auto* sm = reinterpret_cast<std::uint32_t*>(device_words());
      line_latency<<<sms, 1, kScratch>>>(device_memory, out, lines, block, sm);
      CHECK(cudaDeviceSynchronize());
      std::uint32_t sm_id;
      CHECK(cudaMemcpy(&sm_id, sm, 4, cudaMemcpyDeviceToHost));
      std::vector<std::uint16_t> host(lines);
      CHECK(cudaMemcpy(host.data(), out, lines * 2, cudaMemcpyDeviceToHost));
      std::vector<double> bins(128, 0.0);
      for (auto v : host) ++bins[std::min(127, v / 8)];
      record_list("L2 hit latency by line, histogram",
                  std::to_string(mib) + " MiB, SM " + std::to_string(sm_id) +
                      ", bins of 8 cycles from 0; includes the two clock reads",
                  bins, "lines");
      std::vector<double> head(host.begin(), host.begin() + 256);
      if (mib == 1)
        record_list("L2 hit latency by line, first 256 lines", "1 MiB, SM " + std::to_string(sm_id), head, "cycles");
    }
  }
  CHECK(cudaFree(out));
}

// Completion of one asynchronous copy, the next one issued when it is done.
template <int kBytes, bool kBypass, bool kZeroFill>
__global__ void copy_round_trip(const char* from, std::int64_t* out, std::uint32_t stride, std::uint32_t footprint,
                                int warm, int copies) {
  const std::uint32_t to = shared_address(probe_shared) + threadIdx.x * kBytes;
  from += threadIdx.x * kBytes;
  std::uint32_t offset = 0;
  std::int64_t cycles = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const int todo = pass ? copies : warm;
    const std::int64_t begin = sm_clock();
#pragma unroll 4
    for (int i = 0; i < todo; ++i) {
      if constexpr (kZeroFill)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from + offset), "n"(kBytes), "r"(0)
                     : "memory");
      else if constexpr (kBypass)
        copy_async_cg(to, from + offset);
      else
        copy_async_ca<kBytes>(to, from + offset);
      commit_group();
      offset = (offset + stride) & (footprint - 1);
      wait_group<0>();
    }
    cycles = sm_clock() - begin;
  }
  if (threadIdx.x == 0) out[0] = cycles;
}

template <int kBytes, bool kBypass, bool kZeroFill = false>
void copy_latency(const std::string& name, int threads, std::uint32_t stride, std::uint32_t footprint, int warm,
                  int copies, bool cold, const std::string& level) {
  auto* kernel = copy_round_trip<kBytes, kBypass, kZeroFill>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kScratch));
  std::vector<double> values;
  for (int r = 0; r < repetitions; ++r) {
    if (cold) flush_l2();
    kernel<<<1, threads, kScratch>>>(device_memory, device_words(), stride, footprint, warm, copies);
    CHECK(cudaGetLastError());
    std::int64_t cycles;
    CHECK(cudaMemcpy(&cycles, device_words(), 8, cudaMemcpyDeviceToHost));
    values.push_back(static_cast<double>(cycles) / copies);
  }
  record("copy round trip " + name, level + ", " + std::to_string(threads) + " lanes", values, "cycles");
}

void probe_copies() {
  constexpr std::uint32_t kMiB = 1 << 20;
  for (int threads : {1, 32}) {
    copy_latency<4, false>("LDGSTS.32 .ca", threads, 512, 4096, 8, 512, false, "L1");
    copy_latency<8, false>("LDGSTS.64 .ca", threads, 512, 4096, 8, 512, false, "L1");
    copy_latency<16, false>("LDGSTS.128 .ca", threads, 512, 4096, 8, 512, false, "L1");
    copy_latency<4, false>("LDGSTS.32 .ca", threads, 512, kMiB, 2048, 1024, false, "L2");
    copy_latency<16, false>("LDGSTS.128 .ca", threads, 512, kMiB, 2048, 1024, false, "L2");
    copy_latency<16, true>("LDGSTS.128 .cg", threads, 512, kMiB, 2048, 1024, false, "L2");
    copy_latency<4, false>("LDGSTS.32 .ca", threads, 8704, 16 * kMiB, 32, 1024, true, "DRAM");
    copy_latency<16, false>("LDGSTS.128 .ca", threads, 8704, 16 * kMiB, 32, 1024, true, "DRAM");
    copy_latency<16, true>("LDGSTS.128 .cg", threads, 8704, 16 * kMiB, 32, 1024, true, "DRAM");
    copy_latency<16, false, true>("LDGSTS.128 source size 0", threads, 512, 4096, 8, 512, false, "none");
  }
}

// --- bandwidth ------------------------------------------------------------------------------------------------------

enum class Stream { kRead, kWrite, kCopy };

template <Stream kStream, bool kThroughL1>
__global__ void stream(const uint4* from, uint4* to, std::size_t chunks, int rounds, std::int64_t* cycles) {
  const std::int64_t begin = sm_clock();
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  uint4 sum = make_uint4(0, 0, 0, 0);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll 8
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < chunks; i += step) {
      uint4 v = make_uint4(1, 2, 3, 4);
      if constexpr (kStream != Stream::kWrite) v = kThroughL1 ? __ldca(from + i) : __ldcg(from + i);
      if constexpr (kStream != Stream::kRead) {
        to[i] = v;
      } else {
        sum.x ^= v.x;
        sum.y ^= v.y;
        sum.z ^= v.z;
        sum.w ^= v.w;
      }
    }
  }
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x12345678u) to[0] = sum;
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = sm_clock() - begin;
}

template <Stream kStream, bool kThroughL1 = false>
void bandwidth(const std::string& name, const std::string& condition, std::size_t bytes, int rounds, int blocks,
               int threads) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  auto* source = reinterpret_cast<const uint4*>(device_memory);
  auto* target = reinterpret_cast<uint4*>(device_memory + kDeviceBytes / 2);
  std::vector<double> rates, per_cycle, clocks;
  for (int r = 0; r <= repetitions; ++r) {
    CHECK(cudaEventRecord(from));
    stream<kStream, kThroughL1><<<blocks, threads>>>(source, target, bytes / 16, rounds, device_words());
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    if (r == 0) continue;
    float ms;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    std::vector<std::int64_t> cycles(blocks);
    CHECK(cudaMemcpy(cycles.data(), device_words(), blocks * 8, cudaMemcpyDeviceToHost));
    const double moved = static_cast<double>(bytes) * rounds * (kStream == Stream::kCopy ? 2 : 1);
    const double longest = static_cast<double>(*std::max_element(cycles.begin(), cycles.end()));
    rates.push_back(moved / ms / 1e6);
    per_cycle.push_back(moved / longest);
    clocks.push_back(longest / ms / 1e3);
  }
  record(name, condition, rates, "GB/s by events");
  record(name, condition, per_cycle, "bytes per SM cycle");
  record(name, condition, clocks, "MHz: longest block's cycles by event time");
}

void probe_bandwidth() {
  constexpr std::size_t kMiB = 1 << 20, kGiB = 1 << 30;
  for (std::size_t mib : {4, 8, 16, 24, 32, 40, 48, 64, 96})
    bandwidth<Stream::kRead>("read .cg LDG.128, all SMs", std::to_string(mib) + " MiB footprint", mib * kMiB, 40,
                             sms * 2, 1024);
  bandwidth<Stream::kRead>("read .cg LDG.128, all SMs", "2 GiB", 2 * kGiB, 1, sms * 2, 1024);
  bandwidth<Stream::kWrite>("write STG.128, all SMs", "2 GiB", 2 * kGiB, 1, sms * 2, 1024);
  bandwidth<Stream::kWrite>("write STG.128, all SMs", "16 MiB footprint", 16 * kMiB, 40, sms * 2, 1024);
  bandwidth<Stream::kCopy>("copy LDG.128 + STG.128, all SMs (both directions counted)", "2 GiB", 2 * kGiB, 1, sms * 2,
                           1024);
  for (int blocks : {1, 2, 4, 8, 16, 32, 66, 132}) {
    bandwidth<Stream::kRead>("read .cg LDG.128, some SMs",
                             std::to_string(blocks) + " blocks of 1024 threads, 8 MiB footprint", 8 * kMiB,
                             blocks < 8 ? 4 : 16, blocks, 1024);
  }
  for (int threads : {32, 64, 128, 256, 512})
    bandwidth<Stream::kRead>("read .cg LDG.128, one SM", std::to_string(threads) + " threads, 1 MiB footprint", kMiB, 8,
                             1, threads);
  bandwidth<Stream::kWrite>("write STG.128, one SM", "1024 threads, 1 MiB footprint", kMiB, 16, 1, 1024);
  bandwidth<Stream::kRead, true>("read .ca LDG.128 hitting L1, one SM", "1024 threads, 32 KiB", 32 * 1024, 256, 1,
                                 1024);
}

// --- blocks ---------------------------------------------------------------------------------------------------------

struct BlockTimes {
  std::int64_t start, end;
  std::uint64_t global_start, global_end;
  std::uint32_t sm, pad;
};

__device__ std::uint64_t global_timer() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__global__ void block_times(BlockTimes* out, int work) {
  BlockTimes t{};
  t.start = sm_clock();
  t.global_start = global_timer();
  while (sm_clock() - t.start < work) {
  }
  asm volatile("mov.u32 %0, %%smid;" : "=r"(t.sm));
  t.global_end = global_timer();
  t.end = sm_clock();
  if (threadIdx.x == 0) out[blockIdx.x] = t;
}

void probe_blocks() {
  CHECK(cudaFuncSetAttribute(block_times, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  BlockTimes* out;
  const int blocks = sms * 4;
  CHECK(cudaMalloc(&out, blocks * sizeof(BlockTimes)));
  struct Case {
    const char* name;
    int threads, shared;
  };
  for (const Case c : {Case{"one block of 32 threads on an SM (200 KiB)", 32, 200 * 1024},
                       Case{"one block of 256 threads on an SM (200 KiB)", 256, 200 * 1024},
                       Case{"one block of 1024 threads on an SM (200 KiB)", 1024, 200 * 1024},
                       Case{"two blocks of 1024 threads on an SM", 1024, 16 * 1024},
                       Case{"blocks of 128 threads, 16 on an SM", 128, 0}}) {
    std::vector<BlockTimes> host(blocks);
    for (int r = 0; r < 2; ++r) {
      block_times<<<blocks, c.threads, c.shared>>>(out, 3000);
      CHECK(cudaGetLastError());
      CHECK(cudaMemcpy(host.data(), out, blocks * sizeof(BlockTimes), cudaMemcpyDeviceToHost));
    }
    std::vector<double> gaps, sm_of_block, start_ns;
    std::uint64_t first = ~0ull;
    for (const auto& t : host) first = std::min(first, t.global_start);
    for (int b = 0; b < blocks; ++b) {
      sm_of_block.push_back(host[b].sm);
      start_ns.push_back(static_cast<double>(host[b].global_start - first));
      std::int64_t before = INT64_MIN;
      for (int e = 0; e < blocks; ++e)
        if (host[e].sm == host[b].sm && host[e].end <= host[b].start) before = std::max(before, host[e].end);
      if (before != INT64_MIN) gaps.push_back(static_cast<double>(host[b].start - before));
    }
    if (!gaps.empty()) record("block exit to next block's first instruction on the same SM", c.name, gaps, "cycles");
    record_list("SM of each block, in block order", c.name, sm_of_block, "SM id");
    record_list("start of each block by globaltimer, in block order", c.name, start_ns, "ns");
  }
  CHECK(cudaFree(out));
}

__global__ void empty() {}

void probe_launch() {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  for (int blocks : {1, sms, sms * 16}) {
    std::vector<double> values;
    for (int r = 0; r < 20; ++r) {
      CHECK(cudaEventRecord(from));
      empty<<<blocks, 128>>>();
      CHECK(cudaEventRecord(to));
      CHECK(cudaEventSynchronize(to));
      float ms;
      CHECK(cudaEventElapsedTime(&ms, from, to));
      values.push_back(ms * 1e3);
    }
    record("empty kernel between two events", std::to_string(blocks) + " blocks", values, "us");
  }
}

void probe_clock() {  // the clock while one warp spins
  BlockTimes* out;
  CHECK(cudaMalloc(&out, sizeof(BlockTimes)));
  std::vector<double> values;
  for (int r = 0; r < repetitions; ++r) {
    block_times<<<1, 32>>>(out, 20'000'000);
    BlockTimes t;
    CHECK(cudaMemcpy(&t, out, sizeof t, cudaMemcpyDeviceToHost));
    values.push_back(static_cast<double>(t.end - t.start) / static_cast<double>(t.global_end - t.global_start) * 1e3);
  }
  record("SM clock, one warp spinning", "clock64 by globaltimer", values, "MHz");
  CHECK(cudaFree(out));
}

// The shipped kernels themselves, with their launch files' arguments.
void probe_shipped() {
  float* values;
  CHECK(cudaMalloc(&values, 128));
  const auto cycles = [] {
    std::int64_t c;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&c, device_words(), 8, cudaMemcpyDeviceToHost));
    return static_cast<double>(c) / 1024;
  };
  const auto repeat = [&](const std::string& name, const std::string& condition, const std::function<void()>& launch) {
    std::vector<double> seen;
    for (int r = 0; r < repetitions; ++r) {
      launch();
      seen.push_back(cycles());
    }
    record(name, condition, seen, "cycles");
  };
  for (int ways : {1, 2, 4, 8, 16, 32})
    repeat("kernel lds_chain", std::to_string(ways) + "-way",
           [&] { lds_kernel::lds_chain<<<1, 32>>>(device_words(), ways, 1024); });
  repeat("kernel ffma_chain", "", [&] { ffma_kernel::ffma_chain<<<1, 32>>>(device_words(), values, 1.f, 1.f, 1024); });
  for (int warps = 1; warps <= 32; warps *= 2)
    repeat("kernel bar_sync", std::to_string(warps) + " warps",
           [&] { bar_kernel::bar_sync<<<1, 32 * warps>>>(device_words(), 1024); });
  CHECK(cudaFree(values));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: probe OUT.json [REPETITIONS]\n");
    return 2;
  }
  if (argc > 2) repetitions = std::max(1, std::atoi(argv[2]));
  json = std::fopen(argv[1], "w");
  if (!json) {
    std::perror(argv[1]);
    return 2;
  }
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, clock_khz = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
  l2_bytes = properties.l2CacheSize;
  sms = properties.multiProcessorCount;
  CHECK(cudaMalloc(&device_memory, kDeviceBytes));
  CHECK(cudaMemset(device_memory, 0, kDeviceBytes));
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::fprintf(json,
               "{\"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"sms\": %d, \"l2_bytes\": %zu, "
               "\"max_clock_mhz\": %d, \"driver_api\": %d, \"date\": \"%s\", \"repetitions\": %d,\n\"probes\": [",
               properties.name, properties.major, properties.minor, sms, l2_bytes, clock_khz / 1000, driver, date,
               repetitions);
  const std::pair<const char*, void (*)()> groups[] = {{"clock", probe_clock},
                                                       {"shipped", probe_shipped},
                                                       {"arithmetic", probe_arithmetic},
                                                       {"loops", probe_loops},
                                                       {"shared latency", probe_shared_latency},
                                                       {"shared rate", probe_shared_rate},
                                                       {"barrier", probe_barrier},
                                                       {"L1", probe_l1},
                                                       {"copies", probe_copies},
                                                       {"bursts", probe_bursts},
                                                       {"chase", probe_chase},
                                                       {"lines", probe_lines},
                                                       {"bandwidth", probe_bandwidth},
                                                       {"blocks", probe_blocks},
                                                       {"launch", probe_launch},
                                                       {"code size", probe_code_size},
                                                       {"clock", probe_clock}};
  for (const auto& [name, group] : groups) {
    const bool wanted =
        argc < 4 || std::any_of(argv + 3, argv + argc, [&, n = name](const char* a) { return std::string(a) == n; });
    if (!wanted) continue;
    const std::clock_t begin = std::clock();
    group();
    CHECK(cudaDeviceSynchronize());
    std::fflush(json);
    std::fprintf(stderr, "%s: %.1f s\n", name, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::fprintf(json, "\n]}\n");
  std::fclose(json);
  return 0;
}
