// Single instructions against the same computation on the CPU.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/sass/floats.h"
#include "frontend/sass/sass_fixture.h"

namespace smpipe::test {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using In = std::array<u32, 8>;  // R4..R11

i32 s(u32 v) { return static_cast<i32>(v); }
float f(u32 v) { return std::bit_cast<float>(v); }
u32 bits(float v) { return std::bit_cast<u32>(v); }
u64 pair(u32 low, u32 high) { return low | u64{high} << 32; }

/// R12 after `text` must equal `expected` of R4..R11 for many inputs, on both architectures.
void check(const std::string& text, const std::function<u32(const In&)>& expected, u32 immediate = 0) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const std::vector<LaneWords> input = random_lanes(seed);
      const std::vector<LaneWords> output = run_lanes({text}, input, architecture, immediate);
      for (unsigned i = 0; i < 32; ++i) {
        const u32 want = expected(input[i].word);
        ASSERT_EQ(output[i].word[0], want)
            << text << " lane " << i << std::hex << " inputs " << input[i].word[0] << " " << input[i].word[1] << " "
            << input[i].word[2] << " got " << output[i].word[0] << " want " << want;
      }
    }
  }
}

/// The same for a 64-bit result in R12:R13.
void check_pair(const std::string& text, const std::function<u64(const In&)>& expected) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const std::vector<LaneWords> input = random_lanes(seed);
    const std::vector<LaneWords> output = run_lanes({text}, input);
    for (unsigned i = 0; i < 32; ++i) {
      ASSERT_EQ(pair(output[i].word[0], output[i].word[1]), expected(input[i].word)) << text << " lane " << i;
    }
  }
}

/// Predicates P0 and P1 after `text`, as bits 0 and 1.
void check_predicates(const std::vector<std::string>& text, const std::function<u32(const In&)>& expected) {
  std::vector<std::string> body = text;
  body.insert(body.end(), {"SEL R12, RZ, 0x1, !P0", "SEL R13, RZ, 0x2, !P1", "LOP3.LUT R12, R12, R13, RZ, 0xfc, !PT"});
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const std::vector<LaneWords> input = random_lanes(seed);
    const std::vector<LaneWords> output = run_lanes(body, input);
    for (unsigned i = 0; i < 32; ++i) {
      ASSERT_EQ(output[i].word[0], expected(input[i].word))
          << text[0] << " lane " << i << std::hex << " " << input[i].word[0] << " " << input[i].word[1];
    }
  }
}

TEST(SassOpcodes, Addition) {
  check("IADD3 R12, R4, R5, R6", [](const In& r) { return r[0] + r[1] + r[2]; });
  check("IADD3 R12, -R4, R5, -R6", [](const In& r) { return r[1] - r[0] - r[2]; });
  check("IADD3 R12, R4, -0x80, RZ", [](const In& r) { return r[0] - 0x80; });
  check("VIADD R12, R4, 0xffffffe0", [](const In& r) { return r[0] - 32; });
  check("IABS R12, R4", [](const In& r) { return s(r[0]) < 0 ? 0 - r[0] : r[0]; });
}

TEST(SassOpcodes, CarryChains) {
  check_predicates({"IADD3 R12, P0, R4, R5, RZ", "PLOP3.LUT P1, PT, PT, PT, PT, 0x8, 0x0"},
                   [](const In& r) { return u32((u64{r[0]} + r[1]) >> 32); });
  // 64-bit subtraction {R5:R4} - {R7:R6}.
  const std::vector<LaneWords> input = random_lanes(3);
  const auto out = run_lanes({"IADD3 R12, P0, R4, -R6, RZ", "IADD3.X R13, R5, ~R7, RZ, P0, !PT"}, input);
  for (unsigned i = 0; i < 32; ++i) {
    const In& r = input[i].word;
    EXPECT_EQ(pair(out[i].word[0], out[i].word[1]), pair(r[0], r[1]) - pair(r[2], r[3]));
  }
  // Three addends can carry two.
  const auto three = run_lanes({"IADD3 R12, P0, P1, R4, R5, R6", "IADD3.X R13, RZ, RZ, RZ, P0, P1"}, input);
  for (unsigned i = 0; i < 32; ++i) {
    const In& r = input[i].word;
    EXPECT_EQ(pair(three[i].word[0], three[i].word[1]), u64{r[0]} + r[1] + r[2]);
  }
  const auto x = run_lanes({"IADD3 R12, P0, R4, R6, RZ", "IMAD.X R13, R5, 0x1, R7, P0"}, input);
  for (unsigned i = 0; i < 32; ++i) {
    const In& r = input[i].word;
    EXPECT_EQ(pair(x[i].word[0], x[i].word[1]), pair(r[0], r[1]) + pair(r[2], r[3]));
  }
}

TEST(SassOpcodes, Multiplication) {
  check("IMAD R12, R4, R5, R6", [](const In& r) { return r[0] * r[1] + r[2]; });
  check("IMAD R12, R4, -0x3, -R6", [](const In& r) { return r[0] * u32(-3) - r[2]; });
  check("IMAD.MOV.U32 R12, RZ, RZ, R6", [](const In& r) { return r[2]; });
  check("IMAD.MOV R12, RZ, RZ, -R6", [](const In& r) { return 0 - r[2]; });
  check("IMAD.SHL.U32 R12, R4, 0x10, RZ", [](const In& r) { return r[0] << 4; });
  check("IMAD.HI.U32 R12, R4, R5, RZ", [](const In& r) { return u32(u64{r[0]} * r[1] >> 32); });
  check("IMAD.HI R12, R4, R5, RZ", [](const In& r) { return u32(u64(i64{s(r[0])} * s(r[1])) >> 32); });
  check("IMAD.HI.U32 R12, R4, R5, R6", [](const In& r) { return u32((u64{r[0]} * r[1] + pair(r[2], r[3])) >> 32); });
  check_pair("IMAD.WIDE R12, R4, R5, R6", [](const In& r) { return u64(i64{s(r[0])} * s(r[1])) + pair(r[2], r[3]); });
  check_pair("IMAD.WIDE.U32 R12, R4, R5, R6", [](const In& r) { return u64{r[0]} * r[1] + pair(r[2], r[3]); });
  check("IDP.4A.S8.S8 R12, R4, R5, R6", [](const In& r) {
    u32 sum = r[2];
    for (int k = 0; k < 32; k += 8) sum += u32(i32(std::int8_t(r[0] >> k)) * i32(std::int8_t(r[1] >> k)));
    return sum;
  });
}

TEST(SassOpcodes, Shifts) {
  check("SHF.L.U32 R12, R4, R5, RZ", [](const In& r) { return r[1] >= 32 ? 0 : r[0] << r[1]; });
  check("SHF.R.U32.HI R12, RZ, R5, R4", [](const In& r) { return r[1] >= 32 ? 0 : r[0] >> r[1]; });
  check("SHF.R.S32.HI R12, RZ, R5, R4", [](const In& r) { return u32(s(r[0]) >> std::min(r[1], 31u)); });
  check("SHF.R.W.U32 R12, R4, R5, R6", [](const In& r) { return u32(pair(r[0], r[2]) >> (r[1] & 31)); });
  check("SHF.L.W.U32.HI R12, R4, R5, R6", [](const In& r) { return u32(pair(r[0], r[2]) << (r[1] & 31) >> 32); });
  check("SHF.R.U64 R12, R4, R5, R6", [](const In& r) { return r[1] >= 64 ? 0 : u32(pair(r[0], r[2]) >> r[1]); });
  check("SHF.L.U64.HI R12, R4, R5, R6",
        [](const In& r) { return r[1] >= 64 ? 0 : u32(pair(r[0], r[2]) << r[1] >> 32); });
  check("LEA R12, R4, R5, 0x3", [](const In& r) { return (r[0] << 3) + r[1]; });
  check("LEA R12, -R4, R5, 0x3", [](const In& r) { return r[1] - (r[0] << 3); });
  check("LEA.HI R12, R4, R5, RZ, 0x5", [](const In& r) { return (r[0] >> 27) + r[1]; });
  check("LEA.HI R12, R4, -R5, R6, 0x5", [](const In& r) { return u32(pair(r[0], r[2]) << 5 >> 32) - r[1]; });
  check("SGXT R12, R4, 0x9", [](const In& r) { return u32(s(r[0] << 23) >> 23); });
  check("SGXT.U32 R12, R4, 0x9", [](const In& r) { return r[0] & 511; });
  check("BMSK R12, 0x4, 0x9", [](const In&) { return 511u << 4; });
}

TEST(SassOpcodes, WideLeaAddsWithCarry) {
  const std::vector<LaneWords> input = random_lanes(5);
  const auto out = run_lanes({"LEA R12, P0, R4, R6, 0x2", "LEA.HI.X R13, R4, R7, R5, 0x2, P0",
                              "LEA R14, P1, R4, R6, 0x2", "LEA.HI.X.SX32 R15, R4, R7, 0x2, P1"},
                             input);
  for (unsigned i = 0; i < 32; ++i) {
    const In& r = input[i].word;
    EXPECT_EQ(pair(out[i].word[0], out[i].word[1]), (pair(r[0], r[1]) << 2) + pair(r[2], r[3]));
    EXPECT_EQ(pair(out[i].word[2], out[i].word[3]), u64(i64{s(r[0])} << 2) + pair(r[2], r[3]));
  }
}

TEST(SassOpcodes, Logic) {
  for (const u32 table : {0x00u, 0x1bu, 0x3cu, 0x96u, 0xc0u, 0xe8u, 0xf8u, 0xfeu, 0xffu}) {
    check(fmt::format("LOP3.LUT R12, R4, R5, R6, {:#x}, !PT", table), [table](const In& r) {
      u32 result = 0;
      for (int k = 0; k < 32; ++k) {
        const u32 index = (r[0] >> k & 1) << 2 | (r[1] >> k & 1) << 1 | (r[2] >> k & 1);
        result |= (table >> index & 1) << k;
      }
      return result;
    });
  }
  check_predicates({"LOP3.LUT P0, RZ, R4, 0x1f, RZ, 0xc0, !PT", "LOP3.LUT P1, RZ, R4, 0x2, RZ, 0xc0, !PT"},
                   [](const In& r) { return u32((r[0] & 31) != 0) | u32((r[0] & 2) != 0) << 1; });
  check_predicates({"ISETP.LT.AND P0, PT, R4, R5, PT", "PLOP3.LUT P1, PT, P0, PT, PT, 0x8, 0x0",
                    "PLOP3.LUT P1, P0, P0, P1, PT, 0x28, 0x80"},
                   [](const In&) { return 2u; });
}

TEST(SassOpcodes, BitsAndBytes) {
  check("POPC R12, R4", [](const In& r) { return u32(std::popcount(r[0])); });
  check("FLO.U32 R12, R4", [](const In& r) { return r[0] ? 31u - u32(std::countl_zero(r[0])) : ~0u; });
  check("FLO.U32.SH R12, R4", [](const In& r) { return r[0] ? u32(std::countl_zero(r[0])) : ~0u; });
  check("FLO R12, R4", [](const In& r) {
    const u32 v = s(r[0]) < 0 ? ~r[0] : r[0];
    return v ? 31u - u32(std::countl_zero(v)) : ~0u;
  });
  check("BREV R12, R4", [](const In& r) {
    u32 v = 0;
    for (int k = 0; k < 32; ++k) v |= (r[0] >> k & 1) << (31 - k);
    return v;
  });
  for (const u32 selector : {0x7054u, 0x3210u, 0x7632u, 0xbb99u, 0x8f07u}) {
    check(fmt::format("PRMT R12, R4, {:#x}, R5", selector), [selector](const In& r) {
      u32 v = 0;
      for (int k = 0; k < 4; ++k) {
        const u32 n = selector >> (4 * k) & 15;
        const u32 byte = u32(pair(r[0], r[1]) >> (8 * (n & 7))) & 255;
        v |= (n & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
      }
      return v;
    });
  }
}

TEST(SassOpcodes, Comparison) {
  check_predicates({"ISETP.LT.AND P0, P1, R4, R5, PT"}, [](const In& r) { return s(r[0]) < s(r[1]) ? 1u : 2u; });
  check_predicates({"ISETP.GE.U32.AND P0, P1, R4, R5, PT"}, [](const In& r) { return r[0] >= r[1] ? 1u : 2u; });
  check_predicates({"ISETP.NE.AND P1, PT, R6, RZ, PT", "ISETP.EQ.OR P0, PT, R4, R5, P1"},
                   [](const In& r) { return u32(r[0] == r[1] || r[2] != 0) | u32(r[2] != 0) << 1; });
  // 64-bit comparison in two steps.
  check_predicates({"ISETP.LT.U32.AND P0, PT, R4, R6, PT", "ISETP.LT.AND.EX P0, PT, R5, R7, PT, P0",
                    "ISETP.EQ.U32.AND P1, PT, R4, R6, PT", "ISETP.EQ.AND.EX P1, PT, R5, R7, PT, P1"},
                   [](const In& r) {
                     const i64 a = i64(pair(r[0], r[1])), b = i64(pair(r[2], r[3]));
                     return u32(a < b) | u32(a == b) << 1;
                   });
  check("IMNMX R12, R4, R5, PT", [](const In& r) { return u32(std::min(s(r[0]), s(r[1]))); });
  check("IMNMX.U32 R12, R4, R5, !PT", [](const In& r) { return std::max(r[0], r[1]); });
  check("VIMNMX.S16x2 R12, R4, R5, PT", [](const In& r) {
    const auto low = std::min(std::int16_t(r[0]), std::int16_t(r[1]));
    const auto high = std::min(std::int16_t(r[0] >> 16), std::int16_t(r[1] >> 16));
    return u32(std::uint16_t(low)) | u32(std::uint16_t(high)) << 16;
  });
}

u32 canonical_bits(float v) { return std::isnan(v) ? 0x7fffffffu : bits(v); }

TEST(SassOpcodes, SinglePrecision) {
  check("FADD R12, R4, -R5", [](const In& r) { return canonical_bits(f(r[0]) - f(r[1])); });
  check("FMUL R12, |R4|, R5", [](const In& r) { return canonical_bits(std::fabs(f(r[0])) * f(r[1])); });
  check("FFMA R12, R4, R5, -R6", [](const In& r) { return canonical_bits(std::fma(f(r[0]), f(r[1]), -f(r[2]))); });
  check(
      "FFMA R12, R4, 1.5, R6", [](const In& r) { return canonical_bits(std::fma(f(r[0]), 1.5f, f(r[2]))); },
      bits(1.5f));
  check("FADD.SAT R12, R4, R5", [](const In& r) {
    const float v = f(r[0]) + f(r[1]);
    return std::isnan(v) || v <= 0 ? 0u : v > 1 ? bits(1.0f) : bits(v);
  });
  check("FMUL.FTZ R12, R4, R5", [](const In& r) {
    return canonical_bits(f(sass::flush(canonical_bits(f(sass::flush(r[0])) * f(sass::flush(r[1]))))));
  });
  check("FSEL R12, R4, R5, PT", [](const In& r) { return r[0]; });
  check("I2F R12, R4", [](const In& r) { return bits(float(s(r[0]))); });
  check("I2FP.F32.S32 R12, R4", [](const In& r) { return bits(float(s(r[0]))); });
  check("I2F.U32 R12, R4", [](const In& r) { return bits(float(r[0])); });
}

TEST(SassOpcodes, DirectedRounding) {
  // The exact sum lies between the two directed results, which differ by at most one unit in the last place.
  const std::vector<LaneWords> input = [] {
    std::vector<LaneWords> lanes(32);
    const auto values = random_values<float>(96, -1000, 1000, 5);
    for (unsigned i = 0; i < 32; ++i) {
      for (unsigned k = 0; k < 3; ++k) lanes[i].word[k] = bits(values[3 * i + k]);
    }
    return lanes;
  }();
  const auto out =
      run_lanes({"FADD.RM R12, R4, R5", "FADD.RP R13, R4, R5", "FMUL.RM R14, R4, R5", "FMUL.RP R15, R4, R5",
                 "FFMA.RM R16, R4, R5, R6", "FFMA.RP R17, R4, R5, R6", "FADD.RZ R18, R4, R5"},
                input);
  for (unsigned i = 0; i < 32; ++i) {
    const double a = f(input[i].word[0]), b = f(input[i].word[1]), c = f(input[i].word[2]);
    const double exact[3] = {a + b, a * b, a * b + c};
    for (unsigned k = 0; k < 3; ++k) {
      const float down = f(out[i].word[2 * k]), up = f(out[i].word[2 * k + 1]);
      EXPECT_LE(double{down}, exact[k]);
      EXPECT_GE(double{up}, exact[k]);
      EXPECT_TRUE(down == up || std::nextafterf(down, up) == up);
    }
    EXPECT_LE(std::fabs(double{f(out[i].word[6])}), std::fabs(a + b));
  }
}

TEST(SassOpcodes, FloatComparison) {
  std::vector<LaneWords> input(32);
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, std::numeric_limits<float>::infinity(), std::nanf("")};
  for (unsigned i = 0; i < 32; ++i) {
    input[i].word[0] = bits(values[i % 6]);
    input[i].word[1] = bits(values[i / 6]);
  }
  const struct {
    const char* name;
    bool (*holds)(float, float);
  } cases[] = {{"LT", [](float a, float b) { return a < b; }},
               {"GEU", [](float a, float b) { return !(a < b); }},
               {"NEU", [](float a, float b) { return !(a == b); }},
               {"NE", [](float a, float b) { return a < b || a > b; }},
               {"GTU", [](float a, float b) { return !(a <= b); }},
               {"NAN", [](float a, float b) { return std::isnan(a) || std::isnan(b); }},
               {"NUM", [](float a, float b) { return !std::isnan(a) && !std::isnan(b); }}};
  for (const auto& c : cases) {
    const auto out =
        run_lanes({fmt::format("FSETP.{}.AND P0, PT, R4, R5, PT", c.name), "SEL R12, RZ, 0x1, !P0"}, input);
    for (unsigned i = 0; i < 32; ++i) {
      EXPECT_EQ(out[i].word[0] != 0, c.holds(f(input[i].word[0]), f(input[i].word[1]))) << c.name << " " << i;
    }
  }
  const auto out = run_lanes({"FMNMX R12, R4, R5, PT", "FMNMX R13, R4, R5, !PT"}, input);
  for (unsigned i = 0; i < 32; ++i) {
    const float a = f(input[i].word[0]), b = f(input[i].word[1]);
    if (std::isnan(a) && std::isnan(b)) {
      EXPECT_EQ(out[i].word[0], 0x7fffffffu);
    } else {
      EXPECT_EQ(f(out[i].word[0]), std::fmin(a, b));
      EXPECT_EQ(f(out[i].word[1]), std::fmax(a, b));
    }
  }
}

TEST(SassOpcodes, MultiFunctionUnit) {
  std::vector<LaneWords> input(32);
  const auto values = random_values<float>(32, 0.1, 8);
  for (unsigned i = 0; i < 32; ++i) input[i].word[0] = bits(values[i]);
  const auto out = run_lanes({"MUFU.RCP R12, R4", "MUFU.RSQ R13, R4", "MUFU.EX2 R14, -R4", "MUFU.LG2 R15, R4",
                              "MUFU.SQRT R16, R4", "MUFU.SIN R17, R4", "MUFU.COS R18, R4", "MUFU.TANH R19, R4"},
                             input);
  for (unsigned i = 0; i < 32; ++i) {
    const double x = values[i], turn = 6.283185307179586;
    const double want[8] = {1 / x,        1 / std::sqrt(x),   std::exp2(-x),      std::log2(x),
                            std::sqrt(x), std::sin(turn * x), std::cos(turn * x), std::tanh(x)};
    for (unsigned k = 0; k < 8; ++k) EXPECT_NEAR(f(out[i].word[k]), want[k], 2e-6 * std::max(1.0, std::fabs(want[k])));
  }
}

TEST(SassOpcodes, FloatToInteger) {
  std::vector<LaneWords> input(32);
  const float values[] = {0, 1.5f, 2.5f, -1.5f, -0.5f, 1e10f, -1e10f, std::nanf(""), 3e9f, 0.49f};
  for (unsigned i = 0; i < 32; ++i) input[i].word[0] = bits(values[i % 10]);
  const auto out = run_lanes({"F2I.NTZ R12, R4", "F2I.TRUNC.NTZ R13, R4", "F2I.FLOOR.NTZ R14, R4",
                              "F2I.CEIL.NTZ R15, R4", "F2I.U32.TRUNC.NTZ R16, R4", "FRND R17, R4"},
                             input);
  const i32 nearest[] = {0, 2, 2, -2, 0, INT32_MAX, INT32_MIN, 0, INT32_MAX, 0};
  const i32 toward_zero[] = {0, 1, 2, -1, 0, INT32_MAX, INT32_MIN, 0, INT32_MAX, 0};
  const i32 down[] = {0, 1, 2, -2, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, 0};
  const i32 up[] = {0, 2, 3, -1, 0, INT32_MAX, INT32_MIN, 0, INT32_MAX, 1};
  const u32 positive[] = {0, 1, 2, 0, 0, ~0u, 0, 0, 3000000000u, 0};
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_EQ(s(out[i].word[0]), nearest[i]) << i;
    EXPECT_EQ(s(out[i].word[1]), toward_zero[i]) << i;
    EXPECT_EQ(s(out[i].word[2]), down[i]) << i;
    EXPECT_EQ(s(out[i].word[3]), up[i]) << i;
    EXPECT_EQ(out[i].word[4], positive[i]) << i;
  }
}

TEST(SassOpcodes, HalfRoundTripsExactly) {
  for (u32 h = 0; h < 0x10000; ++h) {
    const bool nan = (h & 0x7fff) > 0x7c00;
    const u32 again = sass::nearest_half(bits(sass::half_to_float(h)));
    EXPECT_EQ(again, nan ? 0x7fffu : h);
    EXPECT_EQ(u32{sass::float_to_half(sass::half_to_float(h), sass::Rounding::kNearest)}, nan ? 0x7fffu : h);
    const bool bf_nan = (h & 0x7fff) > 0x7f80;
    EXPECT_EQ(sass::nearest_bfloat(bits(sass::bfloat_to_float(h))), bf_nan ? 0x7fffu : h);
  }
  Random random(1);
  for (int k = 0; k < 200000; ++k) {
    const u32 v = random();
    if (std::isnan(f(v))) continue;
    EXPECT_EQ(sass::nearest_half(v), u32{sass::float_to_half(f(v), sass::Rounding::kNearest)}) << std::hex << v;
    EXPECT_EQ(sass::nearest_bfloat(v), u32{sass::float_to_bfloat(f(v), sass::Rounding::kNearest)}) << std::hex << v;
  }
}

TEST(SassOpcodes, HalfFusedMultiplyAddRoundsOnce) {
  // Reference: exact in long double (64-bit significand), rounded once.
  for (const bool bfloat : {false, true}) {
    const std::string type = bfloat ? ".BF16_V2" : "";
    const auto widen = [&](u32 h) {
      return bfloat ? sass::bfloat_to_float(h & 0xffff) : sass::half_to_float(h & 0xffff);
    };
    for (unsigned seed = 1; seed < 20; ++seed) {
      const auto input = random_lanes(seed);
      const auto out = run_lanes({"HFMA2.MMA" + type + " R12, R4, R5, R6", "HADD2" + type + " R13, R4, -R5",
                                  "HMUL2" + type + " R14, R4.H0_H0, R5.H1_H1"},
                                 input);
      for (unsigned i = 0; i < 32; ++i) {
        const In& r = input[i].word;
        const auto expect = [&](long double x, long double y, u32 got, const char* what) {
          const long double exact = x + y;
          const double once = static_cast<double>(exact);
          // Skip sums that the reference cannot hold: it would round twice.
          if (exact - x != y || exact - y != x || static_cast<long double>(once) != exact) return;
          const u32 want = bfloat ? sass::double_to_bfloat(once, sass::Rounding::kNearest)
                                  : sass::double_to_half(once, sass::Rounding::kNearest);
          EXPECT_EQ(got & 0xffff, want) << what << type << " lane " << i;
        };
        const long double a = widen(r[0]), b = widen(r[1]), c = widen(r[2]);
        if (std::isnan(a * b + c)) continue;
        expect(a * b, c, out[i].word[0], "HFMA2");
        expect(a, -b, out[i].word[1], "HADD2");
        expect(a * static_cast<long double>(widen(r[1] >> 16)), -0.0L, out[i].word[2], "HMUL2");
      }
    }
  }
}

TEST(SassOpcodes, DoublePrecision) {
  std::vector<LaneWords> input(32);
  const auto values = random_values<double>(96, -5, 5);
  for (unsigned i = 0; i < 32; ++i) std::memcpy(input[i].word.data(), &values[3 * i], 24);
  const auto out = run_lanes({"DADD R12, R4, -R6", "DMUL R14, |R4|, R6", "DFMA R16, R4, R6, -R8", "F2F.F32.F64 R18, R4",
                              "DSETP.LT.AND P0, PT, R4, R6, PT", "SEL R19, RZ, 0x1, !P0"},
                             input);
  for (unsigned i = 0; i < 32; ++i) {
    const double a = values[3 * i], b = values[3 * i + 1], c = values[3 * i + 2];
    double got[3];
    std::memcpy(got, out[i].word.data(), 24);
    EXPECT_EQ(got[0], a - b);
    EXPECT_EQ(got[1], std::fabs(a) * b);
    EXPECT_EQ(got[2], std::fma(a, b, -c));
    EXPECT_EQ(f(out[i].word[6]), static_cast<float>(a));
    EXPECT_EQ(out[i].word[7], a < b ? 1u : 0u);
  }
}

TEST(SassOpcodes, Shuffles) {
  std::vector<LaneWords> input(32);
  for (unsigned i = 0; i < 32; ++i) input[i].word[0] = 100 + i;
  const auto out = run_lanes({"SHFL.BFLY PT, R12, R4, 0x3, 0x1f", "SHFL.UP P0, R13, R4, 0x2, RZ",
                              "SHFL.DOWN P1, R14, R4, 0x4, 0x1f", "SHFL.IDX PT, R15, R4, 0x5, 0x1f",
                              "SHFL.IDX PT, R16, R4, 0x1, 0x181f", "SEL R17, RZ, 0x1, !P0", "SEL R18, RZ, 0x1, !P1"},
                             input);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].word[0], 100 + (i ^ 3));
    EXPECT_EQ(out[i].word[1], 100 + (i >= 2 ? i - 2 : i));
    EXPECT_EQ(out[i].word[2], 100 + (i + 4 < 32 ? i + 4 : i));
    EXPECT_EQ(out[i].word[3], 105u);
    EXPECT_EQ(out[i].word[4], 100 + (i & 24) + 1);
    EXPECT_EQ(out[i].word[5], i >= 2 ? 1u : 0u);
    EXPECT_EQ(out[i].word[6], i + 4 < 32 ? 1u : 0u);
  }
}

TEST(SassOpcodes, VotesMatchesReductions) {
  std::vector<LaneWords> input(32);
  for (unsigned i = 0; i < 32; ++i) input[i].word[0] = i % 3;
  const auto out = run_lanes({"ISETP.EQ.AND P0, PT, R4, 0x1, PT", "VOTE.ANY R12, P1, P0", "MATCH.ANY R13, R4",
                              "REDUX.SUM UR4, R4", "MOV R14, UR4", "REDUX.MAX.S32 UR5, R4", "MOV R15, UR5",
                              "VOTEU.ANY UR6, UPT, P0", "UPOPC UR7, UR6", "MOV R16, UR7", "MATCH.ALL P0, R17, R4"},
                             input);
  u32 ones = 0, groups[3] = {};
  for (unsigned i = 0; i < 32; ++i) groups[i % 3] |= 1u << i;
  ones = groups[1];
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].word[0], ones);
    EXPECT_EQ(out[i].word[1], groups[i % 3]);
    EXPECT_EQ(out[i].word[2], 31u);
    EXPECT_EQ(out[i].word[3], 2u);
    EXPECT_EQ(out[i].word[4], u32(std::popcount(ones)));
    EXPECT_EQ(out[i].word[5], 0u);
  }
}

TEST(SassOpcodes, PredicatesAsBits) {
  check("MOV R12, R4", [](const In& r) { return r[0]; });
  const auto input = random_lanes(9);
  const auto out =
      run_lanes({"R2P PR, R4, 0x7f", "P2R R12, PR, RZ, 0x7f", "@P3 MOV R13, 0x5", "@!P3 MOV R13, 0x6"}, input);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].word[0], input[i].word[0] & 0x7f);
    EXPECT_EQ(out[i].word[1], input[i].word[0] & 8 ? 5u : 6u);
  }
}

TEST(SassOpcodes, UniformDatapath) {
  const auto out =
      run_lanes({"UMOV UR4, 0x12345678", "UIADD3 UR5, UP0, UR4, -0x1, URZ", "USHF.R.U32.HI UR6, URZ, 0x8, UR4",
                 "ULOP3.LUT UR7, UR4, 0xff, URZ, 0xc0, !UPT", "UISETP.GT.AND UP1, UPT, UR4, UR5, UPT",
                 "USEL UR8, UR6, UR7, UP1", "ULEA UR9, UR7, UR4, 0x2", "UIMAD UR10, UR7, 0x3, UR4", "MOV R12, UR5",
                 "MOV R13, UR6", "MOV R14, UR7", "MOV R15, UR8", "MOV R16, UR9", "MOV R17, UR10",
                 "UIMAD.WIDE.U32 UR12, UR4, UR4, URZ", "MOV R18, UR12", "MOV R19, UR13"},
                {});
  const u32 v = 0x12345678;
  const u64 square = u64{v} * v;
  const u32 want[8] = {v - 1,       v >> 8,           v & 255, v >> 8, v + (v & 255) * 4, (v & 255) * 3 + v,
                       u32(square), u32(square >> 32)};
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(out[7].word[k], want[k]) << k;
}

TEST(SassOpcodes, SpecialRegisters) {
  const auto out = run_lanes({"S2R R12, SR_LANEID", "S2R R13, SR_LTMASK", "S2R R14, SR_GEMASK", "CS2R R16, SR_CLOCKLO",
                              "CS2R R18, SR_CLOCKLO", "IADD3 R15, R18, -R16, RZ"},
                             {});
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].word[0], i);
    EXPECT_EQ(out[i].word[1], (1u << i) - 1);
    EXPECT_EQ(out[i].word[2], ~((1u << i) - 1));
    EXPECT_EQ(out[i].word[3], 1u);  // the untimed clock counts instructions
  }
}

TEST(SassOpcodes, ZeroRegisterIsNeverWritten) {
  const auto out = run_lanes({"MOV RZ, 0x7", "IMAD.WIDE RZ, R4, R5, R6", "LDG.E.128 RZ, [R2.64]", "MOV R12, RZ",
                              "UMOV URZ, 0x9", "MOV R13, URZ", "ISETP.EQ.AND PT, PT, R4, R5, !PT", "@!PT MOV R14, 0x1"},
                             random_lanes(2));
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].word[0], 0u);
    EXPECT_EQ(out[i].word[1], 0u);
    EXPECT_EQ(out[i].word[2], 0u);
  }
}

}  // namespace
}  // namespace smpipe::test
