// Single precision arithmetic, comparison and the multi-function unit.
#include <bit>
#include <cmath>
#include <limits>

#include "frontend/sass/decode.h"
#include "frontend/sass/floats.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;

struct Add {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b, u32) const { return as_bits(as_float(a) + as_float(b)); }
};
struct Multiply {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b, u32) const { return as_bits(as_float(a) * as_float(b)); }
};
struct Fused {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b, u32 c) const {
    return as_bits(__builtin_fmaf(as_float(a), as_float(b), as_float(c)));
  }
};

/// One of the operations above with flush to zero and saturation. N is the number of sources.
template <unsigned N, class F, bool Flush, bool Saturate>
struct Arithmetic {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* c = N == 3 ? fetch(warp, op, op.src[2], active, scratch[2]) : a;
    for (unsigned i = 0; i < kLanes; ++i) {
      u32 r = Flush ? flush(F{}(flush(a[i]), flush(b[i]), flush(c[i]))) : F{}(a[i], b[i], c[i]);
      r = Saturate ? saturate(r) : canonical(r);
      result[i] = r;
    }
    store_lanes(warp.row(op.dst), result, active);
  }
};

/// Directed rounding: rare, so one lane at a time under the host's rounding mode.
template <unsigned N, class F>
void run_directed(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[3][kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const u32* c = N == 3 ? fetch(warp, op, op.src[2], active, scratch[2]) : a;
  const bool flushes = op.extra[0] & 1, saturates = op.extra[0] & 2;
  RoundingScope scope(static_cast<Rounding>(op.kind));
  for (unsigned i = 0; i < kLanes; ++i) {
    volatile u32 x = flushes ? flush(a[i]) : a[i], y = flushes ? flush(b[i]) : b[i], z = flushes ? flush(c[i]) : c[i];
    volatile u32 r = F{}(x, y, z);
    u32 v = flushes ? flush(r) : u32{r};
    result[i] = saturates ? saturate(v) : canonical(v);
  }
  store_lanes(warp.row(op.dst), result, active);
}

template <unsigned N, class F>
void decode_arithmetic(Decoder& d) {
  const bool ftz = d.modifier("FTZ"), sat = d.modifier("SAT");
  const Rounding mode = rounding_of(d);
  d.dst();
  for (unsigned k = 0; k < N; ++k) d.source(k, ValueType::kFloat);
  if (mode != Rounding::kNearest) {
    d.op.kind = static_cast<std::uint8_t>(mode);
    d.op.extra[0] = (ftz ? 1 : 0) | (sat ? 2 : 0);
    d.op.run = run_directed<N, F>;
  } else if (ftz) {
    d.op.run = sat ? body(Arithmetic<N, F, true, true>{}) : body(Arithmetic<N, F, true, false>{});
  } else {
    d.op.run = sat ? body(Arithmetic<N, F, false, true>{}) : body(Arithmetic<N, F, false, false>{});
  }
}

// --- comparison
// ---------------------------------------------------------------------------------------------------------

/// Bit set over the four outcomes: 1 less, 2 equal, 4 greater, 8 unordered.
int comparison_of(Decoder& d) {
  static constexpr int sets[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const int k = d.modifier_of(
      {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"});
  if (k < 0) d.refuse("it has no comparison");
  return sets[k];
}

template <bool Flush>
SMPIPE_INLINE LaneMask compare_floats(Warp& warp, const Op& op, LaneMask active) {
  alignas(64) u32 scratch[2][kLanes];
  alignas(64) u32 truth[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const u32 set = op.extra[0];
  const u32 less = 0 - (set & 1), equal = 0 - (set >> 1 & 1), greater = 0 - (set >> 2 & 1), none = 0 - (set >> 3 & 1);
  for (unsigned i = 0; i < kLanes; ++i) {
    const float x = as_float(Flush ? flush(a[i]) : a[i]), y = as_float(Flush ? flush(b[i]) : b[i]);
    const u32 l = 0u - u32{x < y}, e = 0u - u32{x == y}, g = 0u - u32{x > y};
    truth[i] = ((l & less) | (e & equal) | (g & greater) | (~(l | e | g) & none)) & 1;
  }
  return gather_bits(truth);
}

template <bool Flush>
struct SetPredicate {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    set_compare(warp, op, compare_floats<Flush>(warp, op, active), active);
  }
};
template <bool Flush>
struct SetRegister {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    const LaneMask t = combine(static_cast<Combine>(op.kind), compare_floats<Flush>(warp, op, active),
                               warp.guard_mask(op.predicate[0]));
    u32 result[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) result[i] = t >> i & 1 ? op.extra[1] : 0;
    store_lanes(warp.row(op.dst), result, active);
  }
};

void decode_fsetp(Decoder& d) {
  d.op.extra[0] = static_cast<u32>(comparison_of(d));
  const bool ftz = d.modifier("FTZ");
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"AND", "OR", "XOR"}), 0));
  d.dst_predicate(0);
  d.dst_predicate(1);
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  d.optional_predicate(0);
  d.op.run = ftz ? body(SetPredicate<true>{}) : body(SetPredicate<false>{});
}

void decode_fset(Decoder& d) {
  d.op.extra[0] = static_cast<u32>(comparison_of(d));
  d.op.extra[1] = d.modifier("BF") ? 0x3f800000u : ~0u;
  const bool ftz = d.modifier("FTZ");
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"AND", "OR", "XOR"}), 0));
  d.dst();
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  d.optional_predicate(0);
  d.op.run = ftz ? body(SetRegister<true>{}) : body(SetRegister<false>{});
}

/// FMNMX: a number wins over a NaN unless .NAN; -0 is less than +0.
SMPIPE_INLINE u32 float_min_max(u32 a, u32 b, bool minimum, bool propagate) {
  if (is_nan_bits(a)) return propagate || is_nan_bits(b) ? 0x7fffffffu : b;
  if (is_nan_bits(b)) return propagate ? 0x7fffffffu : a;
  const std::int32_t x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  // Order of the bits as signed magnitude.
  const std::int32_t kx = x < 0 ? x ^ 0x7fffffff : x, ky = y < 0 ? y ^ 0x7fffffff : y;
  return (kx < ky) == minimum ? a : b;
}

void run_fmnmx(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[3][kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const u32* c = op.extra[1] ? fetch(warp, op, op.src[2], active, scratch[2]) : nullptr;
  const LaneMask p = warp.guard_mask(op.predicate[0]);
  const bool flushes = op.extra[0] & 1, propagate = op.extra[0] & 2, absolute = op.extra[0] & 4;
  for (unsigned i = 0; i < kLanes; ++i) {
    u32 x = flushes ? flush(a[i]) : a[i], y = flushes ? flush(b[i]) : b[i];
    u32 r = float_min_max(x, y, p >> i & 1, propagate);
    if (c) r = float_min_max(r, flushes ? flush(c[i]) : c[i], p >> i & 1, propagate);
    if (absolute) r = ((x ^ y) & 0x80000000) ? r | 0x80000000 : r & 0x7fffffff;
    result[i] = r;
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_fmnmx(Decoder& d) {
  d.op.extra[0] = (d.modifier("FTZ") ? 1 : 0) | (d.modifier("NAN") ? 2 : 0) | (d.modifier("XORSIGN") ? 4 : 0);
  const bool three = d.text.mnemonic == "FMNMX3";
  d.dst();
  for (unsigned k = 0; k < (three ? 3u : 2u); ++k) d.source(k, ValueType::kFloat);
  d.op.extra[1] = three;
  d.predicate(0);
  d.op.run = run_fmnmx;
}

/// FCHK: whether a / b needs the slow path of division.
void run_fchk(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[2][kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  LaneMask slow = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const int ea = static_cast<int>(a[i] >> 23 & 255), eb = static_cast<int>(b[i] >> 23 & 255);
    const int difference = ea - eb;
    const bool divisor_fine = eb > 2 && eb < 252;
    const bool zero = (a[i] & 0x7fffffff) == 0;
    // Quotients and residuals near the ends of the range go the slow way; it is always right.
    const bool fast = divisor_fine && (zero || (ea > 24 && ea < 255 && difference < 125 && difference > -124));
    if (!fast) slow |= 1u << i;
  }
  warp.set_predicate(op.dst_predicate[0], slow, active);
}

void decode_fchk(Decoder& d) {
  d.ignore({"DIVIDE"});
  d.dst_predicate(0);
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  d.op.run = run_fchk;
}

// --- MUFU
// ---------------------------------------------------------------------------------------------------------------

enum Function { kRcp, kRsq, kSqrt, kEx2, kLg2, kSin, kCos, kTanh, kRcp64, kRsq64 };

/// sin or cos of 2 pi v with exact reduction of the period.
double turns(double v, bool cosine) {
  v -= std::floor(v);
  const double x = v * 6.283185307179586476925;
  return cosine ? std::cos(x) : std::sin(x);
}

u32 evaluate(int function, u32 bits) {
  const float v = as_float(flush(bits));
  double r = 0;
  switch (function) {
    case kRcp:
      r = 1.0 / double{v};
      break;
    case kRsq:
      r = v == 0 ? std::copysign(std::numeric_limits<double>::infinity(), double{v}) : 1.0 / std::sqrt(double{v});
      break;
    case kSqrt:
      r = std::sqrt(double{v});
      break;
    case kEx2:
      r = std::exp2(double{v});
      break;
    case kLg2:
      r = std::log2(double{v});
      break;
    case kSin:
      r = std::isfinite(v) ? turns(double{v}, false) : std::numeric_limits<double>::quiet_NaN();
      break;
    case kCos:
      r = std::isfinite(v) ? turns(double{v}, true) : std::numeric_limits<double>::quiet_NaN();
      break;
    default:
      r = std::tanh(double{v});
      break;
  }
  return canonical(flush(as_bits(static_cast<float>(r))));
}

/// Upper word of the reciprocal (square root) of the double whose upper word is given.
u32 evaluate64(int function, u32 high) {
  double v = as_double(0, high);
  if ((high & 0x7ff00000) == 0) v = std::copysign(0.0, v);
  const double r = function == kRcp64 ? 1.0 / v
                   : v == 0           ? std::copysign(std::numeric_limits<double>::infinity(), v)
                                      : 1.0 / std::sqrt(v);
  u32 out = static_cast<u32>(std::bit_cast<std::uint64_t>(r) >> 32);
  if (std::isnan(r)) return 0x7fffffff;
  if ((out & 0x7ff00000) == 0) out &= 0x80000000;
  return out;
}

/// Functions of 16-bit floats: Op::extra[0] is the operand's bit offset, Op::extra[1] says bfloat16.
void run_mufu_half(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    const u32 h = a[i] >> op.extra[0] & 0xffff;
    const u32 r = evaluate(op.kind, as_bits(op.extra[1] ? bfloat_to_float(h) : half_to_float(h)));
    result[i] = op.extra[1] ? nearest_bfloat(r) : nearest_half(r);
  }
  store_lanes(warp.row(op.dst), result, active);
}

void run_mufu(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    if (active >> i & 1)
      result[i] = op.kind >= kRcp64 ? evaluate64(op.kind, a[i]) : evaluate(op.kind, a[i]);
    else
      result[i] = 0;
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_mufu(Decoder& d) {
  const int f = d.modifier_of({"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H"});
  if (f < 0) d.refuse("this function is not supported");
  d.op.kind = static_cast<std::uint8_t>(f);
  const bool half = d.modifier("F16"), bfloat = d.modifier("BF16") || d.modifier("BF16_V2");
  d.dst();
  if (half || bfloat) {
    const TextOperand& operand = d.peek();
    d.op.extra[0] = operand.has("H1") || operand.has("H1_H1") ? 16 : 0;
    d.op.extra[1] = bfloat;
    d.source(0, ValueType::kHalf2);
    d.op.run = run_mufu_half;
    return;
  }
  d.source(0, ValueType::kFloat);
  d.op.run = run_mufu;
}

/// FSWZADD: per lane of a quad, +-a +- b as two bits of the pattern say.
void run_fswzadd(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[2][kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  for (unsigned i = 0; i < kLanes; ++i) {
    const unsigned code = op.extra[0] >> (2 * (3 - (i & 3))) & 3;
    const float x = as_float(a[i]), y = as_float(b[i]);
    const float r = code == 0 ? x + y : code == 1 ? x - y : code == 2 ? y - x : 0.0f;
    result[i] = canonical(as_bits(r));
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_fswzadd(Decoder& d) {
  d.ignore({"NDV", "FTZ", "RN"});
  d.dst();
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  const std::string pattern = d.take().name;
  // One letter per lane of a quad: P plus, N minus second, M minus first, Z zero.
  if (pattern.size() != 4) d.refuse("its pattern is not understood");
  for (char c : pattern) {
    d.op.extra[0] = d.op.extra[0] << 2 | (c == 'P' ? 0u : c == 'N' ? 1u : c == 'M' ? 2u : 3u);
  }
  d.op.run = run_fswzadd;
}

}  // namespace

void register_float(DecodeTable& t) {
  t["FADD"] = decode_arithmetic<2, Add>;
  t["FMUL"] = decode_arithmetic<2, Multiply>;
  t["FFMA"] = decode_arithmetic<3, Fused>;
  t["FSETP"] = decode_fsetp;
  t["FSET"] = decode_fset;
  t["FMNMX"] = t["FMNMX3"] = decode_fmnmx;
  t["FCHK"] = decode_fchk;
  t["MUFU"] = decode_mufu;
  t["FSWZADD"] = decode_fswzadd;
}

}  // namespace smpipe::sass
