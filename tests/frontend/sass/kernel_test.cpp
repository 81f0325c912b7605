// Whole compiled kernels on both architectures against CPU references.
#include <algorithm>
#include <cmath>

#include "frontend/sass/floats.h"
#include "frontend/sass/sass_fixture.h"

namespace smpipe::test {
namespace {

class SassKernels : public ::testing::TestWithParam<const char*> {
 protected:
  SassRun kernel(const std::string& name) const { return SassRun(name, GetParam()); }
};

template <class T>
void expect_equal(const std::vector<T>& got, const std::vector<T>& want, double tolerance = 0) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i]));
    ASSERT_LE(error, tolerance * (1 + std::fabs(static_cast<double>(want[i])))) << "element " << i;
  }
}

std::vector<std::uint16_t> random_halves(std::size_t count, bool bfloat, unsigned seed = 1) {
  std::vector<std::uint16_t> h;
  for (float v : random_values<float>(count, -1, 1, seed)) {
    h.push_back(bfloat ? sass::float_to_bfloat(v, sass::Rounding::kNearest)
                       : sass::float_to_half(v, sass::Rounding::kNearest));
  }
  return h;
}

float widen(std::uint16_t h, bool bfloat) { return bfloat ? sass::bfloat_to_float(h) : sass::half_to_float(h); }

TEST_P(SassKernels, VectorAddition) {
  const auto a = random_values<float>(1000, -1, 1, 1), b = random_values<float>(1000, -1, 1, 2);
  SassRun run = kernel("vadd");
  run.grid(8).block(128).buffer(a).buffer(b).output<float>(1000).argument(1000).run();
  std::vector<float> want(1000);
  for (int i = 0; i < 1000; ++i) want[i] = a[i] + b[i];
  expect_equal(run.values<float>(2), want);
}

TEST_P(SassKernels, ReductionByShuffles) {
  const auto a = random_values<float>(5000, 0, 1);
  SassRun run = kernel("reduce_shfl");
  run.block(256).shared(128).buffer(a).output<float>(1).argument(5000).run();
  double sum = 0;
  for (float v : a) sum += v;
  expect_equal(run.values<float>(1), {static_cast<float>(sum)}, 1e-5);
}

TEST_P(SassKernels, Softmax) {
  const auto a = random_values<float>(500, -4, 4);
  SassRun run = kernel("softmax");
  run.grid(5).buffer(a).output<float>(500).argument(100).run();
  std::vector<float> want(500);
  for (int b = 0; b < 5; ++b) {
    double sum = 0;
    for (int i = 0; i < 100; ++i) sum += std::exp(double{a[b * 100 + i]});
    for (int i = 0; i < 100; ++i) want[b * 100 + i] = static_cast<float>(std::exp(double{a[b * 100 + i]}) / sum);
  }
  expect_equal(run.values<float>(1), want, 1e-6);
}

TEST_P(SassKernels, Histogram) {
  const auto a = random_values<unsigned char>(5000, 0, 255.9);
  SassRun run = kernel("histo");
  run.grid(3).block(128).shared(1024).buffer(a).output<unsigned>(256).argument(5000).run();
  std::vector<unsigned> want(256);
  for (unsigned char v : a) ++want[v];
  expect_equal(run.values<unsigned>(1), want);
}

TEST_P(SassKernels, Transpose) {
  const auto a = random_values<float>(4000, -1, 1);
  SassRun run = kernel("transpose");
  run.grid(3, 2).block(32, 8).shared(4224).buffer(a).output<float>(4000).argument(80).argument(50).run();
  std::vector<float> want(4000);
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 80; ++x) want[x * 50 + y] = a[y * 80 + x];
  }
  expect_equal(run.values<float>(1), want);
}

TEST_P(SassKernels, Scan) {
  const auto a = random_values<int>(2048, -50, 50);
  SassRun run = kernel("scan");
  run.grid(2).block(1024).shared(128).buffer(a).output<int>(2048).run();
  std::vector<int> want(2048);
  for (int i = 0; i < 2048; ++i) want[i] = a[i] + (i % 1024 ? want[i - 1] : 0);
  expect_equal(run.values<int>(1), want);
}

TEST_P(SassKernels, TiledGemm) {
  const auto a = random_values<float>(4096, -1, 1, 1), b = random_values<float>(4096, -1, 1, 2);
  SassRun run = kernel("sgemm");
  run.grid(4, 4).block(16, 16).shared(2048).buffer(a).buffer(b).output<float>(4096).argument(64).run();
  std::vector<float> want(4096);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      double sum = 0;
      for (int k = 0; k < 64; ++k) sum += double{a[i * 64 + k]} * b[k * 64 + j];
      want[i * 64 + j] = static_cast<float>(sum);
    }
  }
  expect_equal(run.values<float>(2), want, 1e-5);
}

TEST_P(SassKernels, IntegerFunctions) {
  auto a = random_values<int>(32, -2e9, 2e9);
  auto b = random_values<unsigned>(32, 0, 4e9, 2);
  a[0] = 0;
  a[1] = -1;
  b[3] = 0;
  const int m = -37;
  SassRun run = kernel("intmath");
  run.buffer(a).buffer(b).output<int>(640).argument(m).run();
  const auto got = run.values<int>(2);
  for (int i = 0; i < 32; ++i) {
    const int x = a[i];
    const unsigned y = b[i], ux = static_cast<unsigned>(x), um = static_cast<unsigned>(m);
    const std::uint64_t joined = std::uint64_t{y} << 32 | ux;
    const int* o = &got[i * 20];
    EXPECT_EQ(o[0], x / m);
    EXPECT_EQ(o[1], x % m);
    EXPECT_EQ(static_cast<unsigned>(o[2]), y / um);
    EXPECT_EQ(static_cast<unsigned>(o[3]), y % 17);
    EXPECT_EQ(o[4], std::popcount(ux));
    EXPECT_EQ(o[5], std::countl_zero(ux));
    EXPECT_EQ(o[6], x ? std::countr_zero(ux) + 1 : 0);
    EXPECT_EQ(o[9], std::abs(x));
    EXPECT_EQ(o[10], std::max(x, static_cast<int>(y)));
    EXPECT_EQ(static_cast<unsigned>(o[11]), std::min(y, 77u));
    EXPECT_EQ(o[12], static_cast<int>((std::int64_t{x} * static_cast<int>(y)) >> 32));
    EXPECT_EQ(static_cast<unsigned>(o[13]), static_cast<unsigned>(std::uint64_t{ux} * y >> 32));
    EXPECT_EQ(static_cast<unsigned>(o[15]), static_cast<unsigned>(joined << (um & 31) >> 32));
    EXPECT_EQ(static_cast<unsigned>(o[16]), static_cast<unsigned>(joined >> (um & 31)));
    EXPECT_EQ(o[17], x >> (m & 31));
  }
}

TEST_P(SassKernels, LongIntegerFunctions) {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> a(32);
  std::vector<std::uint64_t> b(32);
  for (int i = 0; i < 32; ++i) {
    a[i] = static_cast<std::int64_t>(random()) >> i;
    b[i] = random() >> (i * 2 % 60);
  }
  const std::int64_t m = -123456789012;
  const int s = 37;
  SassRun run = kernel("int64math");
  run.buffer(a).buffer(b).output<std::int64_t>(32 * 14).argument(m).argument(s).run();
  const auto got = run.values<std::int64_t>(2);
  for (int i = 0; i < 32; ++i) {
    const std::int64_t x = a[i];
    const std::uint64_t y = b[i];
    const std::int64_t* o = &got[i * 14];
    EXPECT_EQ(o[0], x / m);
    EXPECT_EQ(o[1], x % m);
    EXPECT_EQ(static_cast<std::uint64_t>(o[2]), y / static_cast<std::uint64_t>(m));
    EXPECT_EQ(static_cast<std::uint64_t>(o[3]), static_cast<std::uint64_t>(x) * y);
    EXPECT_EQ(static_cast<std::uint64_t>(o[4]), static_cast<std::uint64_t>(x) << s);
    EXPECT_EQ(o[5], x >> s);
    EXPECT_EQ(static_cast<std::uint64_t>(o[6]), y >> s);
    EXPECT_EQ(o[7], std::min(x, static_cast<std::int64_t>(y)));
    EXPECT_EQ(o[10], std::countl_zero(static_cast<std::uint64_t>(x)) + std::popcount(y) +
                         (x ? std::countr_zero(static_cast<std::uint64_t>(x)) + 1 : 0));
  }
}

TEST_P(SassKernels, BigIntegersCarry) {
  const auto a = random_values<unsigned>(4, 1e9, 4e9, 1), b = random_values<unsigned>(4, 1e9, 4e9, 2);
  SassRun run = kernel("bigint");
  run.block(1).local(128).buffer(a).buffer(b).output<unsigned>(32).run();
  const auto o = run.values<unsigned>(2);
  std::uint64_t carry = 0, borrow = 0;
  for (int i = 0; i < 4; ++i) {
    carry += std::uint64_t{a[i]} + b[i];
    EXPECT_EQ(o[i], static_cast<unsigned>(carry));
    carry >>= 32;
    const std::uint64_t difference = std::uint64_t{a[i]} - b[i] - borrow;
    EXPECT_EQ(o[4 + i], static_cast<unsigned>(difference));
    borrow = difference >> 63;
  }
}

TEST_P(SassKernels, DivergentLoops) {
  const auto a = random_values<int>(64, 0, 50);
  SassRun run = kernel("divergent");
  run.block(64).buffer(a).output<int>(64).argument(3).run();
  std::vector<int> want;
  for (int v : a) {
    int s = 0;
    for (int k = 0; k < v; ++k) {
      if (k % 3 == 0) {
        s += k;
      } else if (k % 5 == 0) {
        s ^= k;
        if (s > 1000) break;
      } else {
        for (int j = 0; j < (k & 3); ++j) s += j * 3;
        if (s & 64) continue;
      }
      s += 2;
    }
    want.push_back(s);
  }
  expect_equal(run.values<int>(1), want);
}

TEST_P(SassKernels, SwitchesUseJumpTables) {
  std::vector<int> a(32);
  for (int i = 0; i < 32; ++i) a[i] = i % 14 - 1;
  const int n = 1000;
  SassRun run = kernel("switches");
  run.buffer(a).output<int>(64).argument(n).run();
  const auto got = run.values<int>(1);
  const int want[] = {-1, n * 3, n / 7, n ^ 55, std::popcount(1000u),    n << 3,
                      -n, n % 9, n * n, 8,      std::countl_zero(1000u), n & 0xf0,
                      -1, -1};
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], want[i % 14]) << a[i];
}

TEST_P(SassKernels, RecursionAndCalls) {
  SassRun run = kernel("recurse");
  run.local(1024).output<int>(32).run();
  const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  const auto got = run.values<int>(0);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], fibonacci[i % 10]);

  const auto a = random_values<float>(32, 0, 2);
  SassRun calls = kernel("calls");
  calls.local(64).buffer(a).output<float>(32).run();
  std::vector<float> want;
  for (float v : a) want.push_back(v > 1 ? v * 2 + std::sqrt(v) : v * 3 + std::sqrt(v) + 1);
  expect_equal(calls.values<float>(1), want, 1e-6);
}

TEST_P(SassKernels, FunctionPointersAndVirtualCalls) {
  SassRun run = kernel("indirect");
  run.local(64).output<int>(32).argument(1).run();
  const auto got = run.values<int>(0);
  for (int i = 0; i < 32; ++i) {
    const int which = (i + 1) % 3;
    EXPECT_EQ(got[i], which == 0 ? i + 1 : which == 1 ? i * 2 : i - 9);
  }
  SassRun virtual_call = kernel("virt");
  virtual_call.local(64).output<float>(32).argument(0).run();
  EXPECT_EQ(virtual_call.values<float>(0)[5], 10.0f);
}

TEST_P(SassKernels, SpinLocksMakeProgress) {
  for (const char* name : {"spin", "spin2"}) {
    SassRun run = kernel(name);
    run.grid(2).block(64).output<int>(1).output<int>(1).run();
    EXPECT_EQ(run.values<int>(1)[0], 128) << name;
  }
}

TEST_P(SassKernels, VotesAndGroups) {
  const auto a = random_values<int>(64, 0, 8);
  SassRun run = kernel("votes");
  run.block(64).buffer(a).output<unsigned>(64 * 14).run();
  const auto got = run.values<unsigned>(1);
  int above = 0;
  for (int v : a) above += v > 3;
  for (int i = 0; i < 64; ++i) {
    unsigned same = 0, sum = 0, largest = 0, all = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
      same |= static_cast<unsigned>(a[k] == a[i]) << (k % 32);
      sum += static_cast<unsigned>(a[k]);
      largest = std::max(largest, static_cast<unsigned>(a[k]));
      all |= static_cast<unsigned>(a[k]);
    }
    EXPECT_EQ(got[i * 14 + 3], same);
    EXPECT_EQ(got[i * 14 + 6], sum);
    EXPECT_EQ(got[i * 14 + 7], largest);
    EXPECT_EQ(got[i * 14 + 8], all);
    EXPECT_EQ(got[i * 14 + 10], static_cast<unsigned>(above));
  }
  SassRun lanes = kernel("lanes");
  lanes.block(64).output<unsigned>(256).run();
  const auto sizes = lanes.values<unsigned>(0);
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(sizes[64 + i], 800 + i % 32 / 4);
    EXPECT_EQ(sizes[128 + i], 1600 + i % 32 / 2);
  }
}

TEST_P(SassKernels, CooperativeGroups) {
  const auto a = random_values<int>(64, 0, 8);
  SassRun run = kernel("coop");
  run.block(64).buffer(a).output<int>(64).run();
  const auto got = run.values<int>(1);
  for (int i = 0; i < 64; ++i) {
    const int warp = i / 32 * 32, tile = i / 8 * 8;
    int s = 0, any = 0, ballot = 0;
    for (int k = 0; k < 8; ++k) {
      s += a[tile + k];
      any |= a[tile + k] > 2;
      ballot |= (a[tile + k] > 1) << k;
    }
    if (a[i] & 1) {
      int first = -1, count = 0, sum = 0;
      for (int k = warp; k < warp + 32; ++k) {
        if (!(a[k] & 1)) continue;
        if (first < 0) first = a[k];
        ++count;
        sum += a[k];
      }
      s += first + count + sum;
    }
    EXPECT_EQ(got[i], s + any + ballot) << i;
  }
}

TEST_P(SassKernels, AtomicsOfEveryType) {
  const auto a = random_values<int>(32, -100, 100);
  SassRun run = kernel("atomics");
  run.shared(128).output<int>(256).output<unsigned>(128).output<float>(128).output<double>(4);
  run.output<std::uint64_t>(128).output<unsigned>(1).output<unsigned>(1).buffer(a).run();
  const auto o = run.values<int>(0);
  int sum = 0, low = 0, high = 0, parity = 0, any = 0;
  std::int64_t shared_sum = 0;
  for (int v : a) {
    sum += v;
    low = std::min(low, v);
    high = std::max(high, v);
    parity ^= v;
    any |= v;
    shared_sum += v;
  }
  EXPECT_EQ(o[0], sum);
  EXPECT_EQ(o[1], low);
  EXPECT_EQ(o[2], high);
  EXPECT_EQ(o[3], 0);
  EXPECT_EQ(o[4], any);
  EXPECT_EQ(o[5], parity);
  EXPECT_EQ(o[100], sum);
  EXPECT_EQ(o[101], high);
  EXPECT_EQ(run.values<unsigned>(1)[0], 0u);  // 32 wrapping increments at 7
  EXPECT_EQ(run.values<float>(2)[0], 32.0f);
  EXPECT_EQ(run.values<float>(2)[100], 48.0f - 0.0f);
  EXPECT_EQ(run.values<double>(3)[0], 32.0);
  EXPECT_EQ(run.values<double>(3)[1], 80.0);
  EXPECT_EQ(run.values<std::uint64_t>(4)[100], static_cast<std::uint64_t>(shared_sum));
  EXPECT_EQ(run.values<unsigned>(5)[0], 0x54005000u);  // half2 {32, 64}
  EXPECT_EQ(run.values<unsigned>(6)[0], 0x42804200u);  // bfloat162 {32, 64}
}

TEST_P(SassKernels, GenericAddressesReachEverySpace) {
  for (int space = 0; space < 3; ++space) {
    SassRun run = kernel("generic");
    run.shared(256).local(32).output<int>(200).argument(space).argument(5).run();
    const auto g = run.values<int>(0);
    EXPECT_EQ(g[64], space == 1 ? 1 : 0);
    // Local memory belongs to each thread: p[(t + 1) & 7] = p[t & 7] + 1 leaves p[t & 7] = 5 (t & 7).
    if (space == 2) {
      EXPECT_EQ(g[100 + 3], 15 + 25);
    }
  }
}

TEST_P(SassKernels, ConstantsGlobalsAndLargeParameters) {
  SassRun run = kernel("constmem");
  run.output<float>(32).argument(3).run();
  EXPECT_EQ(run.values<float>(0)[7], 0.0f);

  struct Parameter {
    int a[10];
    float f;
    double d;
  } p{};
  for (int i = 0; i < 10; ++i) p.a[i] = i * i;
  p.f = 3;
  p.d = 4;
  SassRun big = kernel("bigparam");
  big.argument(p).output<int>(33).argument(3).run();
  const auto got = big.values<int>(0);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], 9 + (i % 10) * (i % 10));
  EXPECT_EQ(got[32], 12);
}

TEST_P(SassKernels, LocalArraysAndNarrowTypes) {
  SassRun run = kernel("localarr");
  run.local(64).output<int>(32).argument(20).run();
  const auto got = run.values<unsigned>(0);
  for (int t = 0; t < 32; ++t) {
    int a[16];
    for (int i = 0; i < 16; ++i) a[i] = i * i;
    for (int i = 0; i < 20; ++i) a[(i * 7 + t) & 15] += a[i & 15];
    unsigned s = 0;
    for (int v : a) s = s * 3 + static_cast<unsigned>(v);
    EXPECT_EQ(got[t], s);
  }
  const auto bytes = random_values<unsigned char>(32, 0, 255);
  const auto shorts = random_values<short>(32, -30000, 30000);
  SassRun narrow = kernel("narrow");
  narrow.buffer(bytes).buffer(shorts).output<signed char>(32).output<unsigned short>(32);
  narrow.output<unsigned char>(128).output<short>(64).output<std::int64_t>(64).run();
  const auto sums = narrow.values<signed char>(2);
  const auto products = narrow.values<unsigned short>(3);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(sums[i], static_cast<signed char>(bytes[i] + shorts[i]));
    EXPECT_EQ(products[i], static_cast<unsigned short>(bytes[i] * shorts[i]));
  }
}

TEST_P(SassKernels, NamedBarriers) {
  SassRun run = kernel("namedbar");
  run.block(128).shared(512).output<int>(128).run();
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i) want[i] = i < 64 ? 63 - i : 127 - i;
  expect_equal(run.values<int>(0), want);
}

TEST_P(SassKernels, PackingAndQuantisation) {
  const auto v = random_values<float>(128, -20, 20);
  const auto b = random_values<int>(40, -100, 400);
  SassRun run = kernel("quant");
  run.buffer(v).output<signed char>(128).buffer(b).output<unsigned char>(128).run();
  const auto q = run.values<signed char>(1);
  const auto u = run.values<unsigned char>(3);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(q[i], std::clamp(static_cast<int>(std::nearbyintf(v[i] * 10)), -128, 127));
    EXPECT_EQ(u[i], std::clamp(b[i / 4 + i % 4], 0, 255));
  }
  const auto x = random_values<int>(64, -2e5, 2e5);
  SassRun pack = kernel("packsat");
  pack.buffer(x).output<unsigned>(1000).run();
  const auto o = pack.values<unsigned>(1);
  for (int i = 0; i < 32; ++i) {
    const unsigned low = static_cast<unsigned>(std::clamp(x[i + 32], -32768, 32767)) & 0xffff;
    EXPECT_EQ(o[32 + i], static_cast<unsigned>(std::clamp(x[i], -32768, 32767)) << 16 | low);
    const unsigned magnitude = static_cast<unsigned>(x[i] < 0 ? ~x[i] : x[i]);
    EXPECT_EQ(o[224 + i], magnitude ? 31u - static_cast<unsigned>(std::countl_zero(magnitude)) : ~0u);
  }
}

TEST_P(SassKernels, RadixSort) {
  const auto keys = random_values<unsigned>(1024, 0, 4e9);
  SassRun run = kernel("radixsort");
  run.grid(2).block(128).shared(16384).buffer(keys).run();
  std::vector<unsigned> want = keys;
  std::sort(want.begin(), want.begin() + 512);
  std::sort(want.begin() + 512, want.end());
  EXPECT_EQ(run.values<unsigned>(0), want);
}

TEST_P(SassKernels, CopiesWithSourceSize) {
  const auto data = random_values<int>(256, 1, 2e9);
  const int n = 20;
  SassRun run = kernel("cpasync");
  run.block(64).shared(0, 20480).buffer(data).output<int>(64).argument(n).run();
  const auto got = run.values<int>(1);
  const auto low_bytes = [](int v, int bytes) {
    return bytes >= 4 ? v : static_cast<int>(static_cast<unsigned>(v) & ((1u << (8 * bytes)) - 1));
  };
  // Three copies of different sizes lie 4 KiB apart; each thread adds the first word of each.
  for (int t = 0; t < 64; ++t) {
    const int size = t < n ? 16 : t & 15;
    const int word = data[4 * t];
    EXPECT_EQ(got[t], static_cast<int>(static_cast<unsigned>(low_bytes(word, size)) +
                                       static_cast<unsigned>(low_bytes(word, size & 3)) + static_cast<unsigned>(word)))
        << t;
  }
}

TEST_P(SassKernels, PipelinesAndBarriersDeliverTheirTiles) {
  const auto data = random_values<float>(1280, -1, 1);
  std::vector<float> want(128);
  for (int t = 0; t < 128; ++t) {
    for (int i = 0; i < 10; ++i) want[t] += data[i * 128 + 127 - t];
  }
  for (const char* name : {"pipe", "blockpipe", "bar"}) {
    SassRun run = kernel(name);
    run.block(128).shared(1280).local(64).buffer(data).output<float>(128).argument(10).run();
    expect_equal(run.values<float>(1), want);
  }
}

TEST_P(SassKernels, TransactionBarriers) {
  const auto data = random_values<int>(128, 0, 1000);
  std::vector<int> want(data.rbegin(), data.rend());
  SassRun run = kernel("mbar");
  run.block(128).shared(1040).output<int>(128).buffer(data).run();
  EXPECT_EQ(run.values<int>(0), want);
  SassRun copy = kernel("cgcopy");
  copy.block(128).shared(0, 1024).local(64).buffer(data).output<int>(128).argument(128).run();
  EXPECT_EQ(copy.values<int>(1), want);
}

/// C[32x32] (row stride 64) = A[32x64] B, B given by columns or rows.
template <class A, class C, class Widen>
std::vector<C> product(const std::vector<A>& a, const std::vector<A>& b, bool columns, int size, int k_total,
                       Widen widen_) {
  std::vector<C> c(static_cast<std::size_t>(size) * 64);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int k = 0; k < k_total; ++k) {
        sum +=
            static_cast<double>(widen_(a[i * k_total + k])) * widen_(columns ? b[j * k_total + k] : b[k * k_total + j]);
      }
      c[i * 64 + j] = static_cast<C>(sum);
    }
  }
  return c;
}

TEST_P(SassKernels, TensorCores) {
  const auto run_matrix = [&](const char* name, int size, auto a, auto b, auto zero) {
    SassRun run = kernel(name);
    run.grid(2, 2)
        .buffer(a)
        .buffer(b)
        .template output<decltype(zero)>(static_cast<std::size_t>(size) * 64)
        .argument(64);
    run.run();
    return run.template values<decltype(zero)>(2);
  };
  const auto a16 = random_halves(2048, true, 1), b16 = random_halves(2048, true, 2);
  const auto from_bfloat = [](std::uint16_t h) { return widen(h, true); };
  expect_equal(run_matrix("wmmabf", 32, a16, b16, 0.0f),
               product<std::uint16_t, float>(a16, b16, true, 32, 64, from_bfloat), 1e-5);

  const auto a8 = random_values<signed char>(2048, -128, 127, 1), b8 = random_values<signed char>(2048, -128, 127, 2);
  const auto same = [](auto v) { return v; };
  expect_equal(run_matrix("wmma8", 32, a8, b8, 0), product<signed char, int>(a8, b8, true, 32, 64, same));

  const auto a32 = random_values<float>(2048, -1, 1, 1), b32 = random_values<float>(2048, -1, 1, 2);
  expect_equal(run_matrix("wmmatf", 32, a32, b32, 0.0f), product<float, float>(a32, b32, true, 32, 64, same), 1e-2);

  const auto a64 = random_values<double>(1024, -1, 1, 1), b64 = random_values<double>(1024, -1, 1, 2);
  expect_equal(run_matrix("wmmad", 16, a64, b64, 0.0), product<double, double>(a64, b64, true, 16, 64, same), 1e-12);

  const auto ah = random_halves(2048, false, 1), bh = random_halves(4096, false, 2);
  const auto from_half = [](std::uint16_t h) { return widen(h, false); };
  const auto got = run_matrix("wmmah", 32, ah, bh, std::uint16_t{0});
  const auto want = product<std::uint16_t, float>(ah, bh, false, 32, 64, from_half);
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 32; ++j) EXPECT_NEAR(widen(got[i * 64 + j], false), want[i * 64 + j], 0.02);
  }
}

TEST_P(SassKernels, MatrixLoads) {
  const auto data = random_values<unsigned>(1024, 0, 4e9);
  SassRun run = kernel("ldsm");
  run.shared(4096).buffer(data).output<unsigned>(400).run();
  const auto got = run.values<unsigned>(1);
  for (unsigned m = 0; m < 4; ++m) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      // Row r of matrix m is the 16 bytes at lane 8 m + r's address.
      EXPECT_EQ(got[m * 32 + lane], data[(8 * m + lane / 4) * 4 + lane % 4]);
      const auto element = [&](unsigned row, unsigned column) {
        return data[128 + (8 * m + row) * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
      };
      const unsigned low = element(2 * (lane % 4), lane / 4), high = element(2 * (lane % 4) + 1, lane / 4);
      EXPECT_EQ(got[128 + m * 32 + lane], low | high << 16);
    }
  }
}

TEST_P(SassKernels, Simulations) {
  SassRun run = kernel("mandel");
  run.grid(4, 4).block(16, 16).output<int>(4096).argument(64).argument(64).argument(100).run();
  const auto got = run.values<int>(0);
  EXPECT_EQ(got[32 * 64 + 43], 100);  // c = 0
  EXPECT_LT(got[0], 5);               // far outside

  const auto bodies = random_values<float>(1024, -1, 1);
  SassRun nbody = kernel("nbody");
  nbody.grid(2).block(128).shared(2048).buffer(bodies).output<float>(1024).argument(256).run();
  std::vector<float> want(1024);
  for (int i = 0; i < 256; ++i) {
    double acceleration[3] = {};
    for (int j = 0; j < 256; ++j) {
      double d[3], square = 1e-3;
      for (int k = 0; k < 3; ++k) {
        d[k] = double{bodies[j * 4 + k]} - bodies[i * 4 + k];
        square += d[k] * d[k];
      }
      for (int k = 0; k < 3; ++k) acceleration[k] += d[k] * bodies[j * 4 + 3] / (square * std::sqrt(square));
    }
    for (int k = 0; k < 3; ++k) want[i * 4 + k] = static_cast<float>(acceleration[k]);
  }
  expect_equal(nbody.values<float>(1), want, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Architectures, SassKernels, ::testing::Values("sm_80", "sm_90"));

/// Two independent compilations of the same source must agree bit for bit where the source defines the result.
TEST(SassKernelsAgree, BothArchitectures) {
  const struct {
    const char* name;
    std::function<void(SassRun&)> set_up;
  } cases[] = {
      {"halfmath",
       [](SassRun& r) {
         r.buffer(random_halves(64, false, 1)).buffer(random_halves(64, false, 2)).output<unsigned>(512);
         r.buffer(random_values<float>(99, -3, 3));
       }},
      {"bfmath",
       [](SassRun& r) {
         r.buffer(random_halves(64, true, 1)).buffer(random_halves(64, true, 2)).output<unsigned>(384);
         r.buffer(random_values<float>(99, -3, 3));
       }},
      {"floatround",
       [](SassRun& r) {
         r.buffer(random_values<float>(32, -300, 300)).buffer(random_values<float>(32, -3, 3)).output<float>(512);
         r.buffer(random_values<int>(320, -2e9, 2e9));
       }},
      {"packed", [](SassRun& r) { r.buffer(random_values<unsigned>(64, 0, 4e9)).output<unsigned>(64); }},
      {"mma1688",
       [](SassRun& r) {
         r.buffer(random_halves(256, true, 1)).buffer(random_halves(256, true, 2)).output<float>(128);
       }},
      {"stencil",
       [](SassRun& r) {
         r.grid(3, 5)
             .block(32, 8)
             .buffer(random_values<float>(3840, -1, 1))
             .output<float>(3840)
             .argument(96)
             .argument(40);
       }},
  };
  for (const auto& c : cases) {
    std::vector<std::vector<std::uint8_t>> results[2];
    for (int k = 0; k < 2; ++k) {
      SassRun run(c.name, k ? "sm_90" : "sm_80");
      c.set_up(run);
      run.run();
      for (const Buffer& b : run.launch().buffers) results[k].push_back(b.data);
    }
    EXPECT_EQ(results[0], results[1]) << c.name;
  }
}

}  // namespace
}  // namespace smpipe::test
