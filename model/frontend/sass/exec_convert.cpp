// Conversions between number formats.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "frontend/sass/decode.h"
#include "frontend/sass/floats.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

enum Format : std::uint8_t { kF16, kBf16, kF32, kF64, kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64 };

bool is_float(Format f) { return f <= kF64; }
unsigned bits_of(Format f) {
  switch (f) {
    case kU8:
    case kS8:
      return 8;
    case kF16:
    case kBf16:
    case kU16:
    case kS16:
      return 16;
    case kF64:
    case kU64:
    case kS64:
      return 64;
    default:
      return 32;
  }
}
bool is_signed(Format f) { return f == kS8 || f == kS16 || f == kS32 || f == kS64; }

/// The formats named by the modifiers, in order of appearance.
std::vector<Format> formats(Decoder& d) {
  static constexpr std::pair<std::string_view, Format> names[] = {
      {"F16", kF16}, {"BF16", kBf16}, {"F32", kF32}, {"F64", kF64}, {"U8", kU8},   {"S8", kS8},
      {"U16", kU16}, {"S16", kS16},   {"U32", kU32}, {"S32", kS32}, {"U64", kU64}, {"S64", kS64}};
  std::vector<Format> found;
  for (const std::string& m : d.text.modifiers) {
    for (const auto& [name, format] : names) {
      if (m == name) {
        d.modifier(m);
        found.push_back(format);
      }
    }
  }
  return found;
}

double round_to_integer(double v, Rounding mode) {
  switch (mode) {
    case Rounding::kDown:
      return std::floor(v);
    case Rounding::kUp:
      return std::ceil(v);
    case Rounding::kZero:
      return std::trunc(v);
    default:
      return std::nearbyint(v);
  }
}

Rounding integer_rounding(Decoder& d) {
  switch (d.modifier_of({"ROUND", "FLOOR", "CEIL", "TRUNC"})) {
    case 1:
      return Rounding::kDown;
    case 2:
      return Rounding::kUp;
    case 3:
      return Rounding::kZero;
    default:
      return Rounding::kNearest;
  }
}

/// Value of one lane as a double; exact for every floating-point format.
double float_value(Format f, u32 low, u32 high) {
  switch (f) {
    case kF16:
      return double{half_to_float(low & 0xffff)};
    case kBf16:
      return double{bfloat_to_float(low & 0xffff)};
    case kF64:
      return as_double(low, high);
    default:
      return double{as_float(low)};
  }
}

/// Saturating conversion of an integral double.
u64 to_integer(double v, Format f, bool nan_to_zero) {
  const unsigned bits = bits_of(f);
  if (std::isnan(v)) return nan_to_zero || bits < 32 ? 0 : u64{1} << (bits - 1);
  if (is_signed(f)) {
    const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
    if (v >= limit) return (u64{1} << (bits - 1)) - 1;
    if (v < -limit) return ~u64{0} << (bits - 1);
    return static_cast<u64>(static_cast<i64>(v));
  }
  if (v <= 0) return 0;
  if (v >= std::ldexp(1.0, static_cast<int>(bits))) return bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  return static_cast<u64>(v);
}

/// Op::extra[0]: source format | destination << 8 | flush << 16 | NaN to zero << 17.
void run_f2i(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Format from = static_cast<Format>(op.extra[0] & 255), to = static_cast<Format>(op.extra[0] >> 8 & 255);
  const bool flushes = op.extra[0] >> 16 & 1, nan_to_zero = op.extra[0] >> 17 & 1;
  u32 scratch[2][kLanes], low[kLanes], high[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = from == kF64 ? fetch(warp, op, op.src[1], active, scratch[1]) : a;
  for (unsigned i = 0; i < kLanes; ++i) {
    const u32 raw = flushes && from == kF32 ? flush(a[i]) : a[i] >> op.extra[1];
    const double v = float_value(from, raw, b[i]);
    const u64 r = to_integer(round_to_integer(v, static_cast<Rounding>(op.kind)), to, nan_to_zero);
    low[i] = static_cast<u32>(r);
    high[i] = static_cast<u32>(r >> 32);
  }
  if (bits_of(to) == 64)
    store_pair(warp, op.dst, low, high, active);
  else
    store_lanes(warp.row(op.dst), low, active);
}

unsigned half_shift(const TextOperand& operand) { return operand.has("H1") || operand.has("H1_H1") ? 16 : 0; }

void decode_f2i(Decoder& d) {
  // F2I[.destination][.source]: integer formats are destinations, others sources; defaults S32 and F32.
  Format to = kS32, from = kF32;
  for (Format f : formats(d)) (is_float(f) ? from : to) = f;
  const bool ftz = d.modifier("FTZ"), ntz = d.modifier("NTZ");
  d.op.kind = static_cast<std::uint8_t>(integer_rounding(d));
  d.op.extra[0] = u32{from} | u32{to} << 8 | u32{ftz} << 16 | u32{ntz} << 17;
  d.dst(bits_of(to) == 64 ? 2 : 1);
  if (from == kF64) {
    d.source_pair(0, ValueType::kDoubleHigh);
  } else {
    d.op.extra[1] = from == kF16 ? half_shift(d.peek()) : 0;
    d.source(0, from == kF32 ? ValueType::kFloat : ValueType::kHalf2);
  }
  d.op.run = run_f2i;
}

/// Converts an integer with the rounding of Op::kind. The host's own conversion honours its rounding mode.
template <class T>
T convert_integer(u64 value, bool negative_possible) {
  volatile T r = 0;
  if (negative_possible) {
    volatile i64 v = static_cast<i64>(value);
    r = static_cast<T>(v);
  } else {
    // Unsigned 64-bit conversion on the host may go through two steps; split it into exact parts instead.
    if (value >> 63) {
      volatile i64 half = static_cast<i64>(value >> 1 | (value & 1));
      volatile T t = static_cast<T>(half);
      r = t * 2;
    } else {
      volatile i64 v = static_cast<i64>(value);
      r = static_cast<T>(v);
    }
  }
  return r;
}

/// Op::extra[0]: source | destination << 8; Op::extra[1]: bit offset of the source in its register.
void run_i2f(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Format from = static_cast<Format>(op.extra[0] & 255), to = static_cast<Format>(op.extra[0] >> 8 & 255);
  u32 scratch[2][kLanes], low[kLanes], high[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = bits_of(from) == 64 ? fetch(warp, op, op.src[1], active, scratch[1]) : a;
  const Rounding mode = static_cast<Rounding>(op.kind);
  RoundingScope scope(mode);
  for (unsigned i = 0; i < kLanes; ++i) {
    u64 v = a[i];
    if (bits_of(from) == 64)
      v = join64(a[i], b[i]);
    else {
      const unsigned unused = 64 - bits_of(from);
      v = v >> op.extra[1] << unused;
      v = is_signed(from) ? static_cast<u64>(static_cast<i64>(v) >> unused) : v >> unused;
    }
    if (to == kF64) {
      const u64 r = std::bit_cast<u64>(convert_integer<double>(v, is_signed(from)));
      low[i] = static_cast<u32>(r);
      high[i] = static_cast<u32>(r >> 32);
    } else if (to == kF32) {
      low[i] = as_bits(convert_integer<float>(v, is_signed(from)));
    } else {
      const double exact = is_signed(from) ? static_cast<double>(static_cast<i64>(v)) : static_cast<double>(v);
      low[i] = to == kF16 ? double_to_half(exact, mode) : float_to_bfloat(static_cast<float>(exact), mode);
    }
  }
  if (to == kF64)
    store_pair(warp, op.dst, low, high, active);
  else
    store_lanes(warp.row(op.dst), low, active);
}

unsigned byte_offset(const TextOperand& operand) {
  for (unsigned k = 0; k < 4; ++k) {
    const char name[3] = {'B', static_cast<char>('0' + k), 0};
    if (operand.has(name)) return 8 * k;
  }
  return half_shift(operand);
}

void decode_i2f(Decoder& d) {
  Format to = kF32, from = kS32;
  for (Format f : formats(d)) (is_float(f) ? to : from) = f;
  d.op.kind = static_cast<std::uint8_t>(rounding_of(d));
  d.op.extra[0] = u32{from} | u32{to} << 8;
  d.dst(to == kF64 ? 2 : 1);
  d.op.extra[1] = byte_offset(d.peek());
  if (bits_of(from) == 64)
    d.source_pair(0);
  else
    d.source(0, ValueType::kInteger);
  d.op.run = run_i2f;
}

struct SignedToFloat {
  SMPIPE_INLINE u32 operator()(u32 a) const { return as_bits(static_cast<float>(static_cast<std::int32_t>(a))); }
};

void decode_i2fp(Decoder& d) {
  const bool is_unsigned = d.modifier("U32");
  d.ignore({"F32", "S32"});
  const Rounding mode = rounding_of(d);
  d.dst();
  d.source(0, ValueType::kInteger);
  if (mode == Rounding::kNearest && !is_unsigned) {
    d.op.run = map<1>(SignedToFloat{});
    return;
  }
  d.op.kind = static_cast<std::uint8_t>(mode);
  d.op.extra[0] = u32{is_unsigned ? kU32 : kS32} | u32{kF32} << 8;
  d.op.run = run_i2f;
}

u32 narrow_double(double v, Rounding mode) {
  RoundingScope scope(mode);
  volatile double x = v;
  volatile float r = static_cast<float>(x);
  return canonical(as_bits(r));
}

/// Op::extra[0]: source | destination << 8 | flush << 16; Op::extra[1]: bit offset; rounding in kind.
void run_f2f(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Format from = static_cast<Format>(op.extra[0] & 255), to = static_cast<Format>(op.extra[0] >> 8 & 255);
  const bool flushes = op.extra[0] >> 16 & 1;
  const Rounding mode = static_cast<Rounding>(op.kind);
  u32 scratch[2][kLanes], low[kLanes], high[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = from == kF64 ? fetch(warp, op, op.src[1], active, scratch[1]) : a;
  for (unsigned i = 0; i < kLanes; ++i) {
    const u32 raw = flushes && from == kF32 ? flush(a[i]) : a[i] >> op.extra[1];
    const double v = float_value(from, raw, b[i]);
    if (to == kF64) {
      u64 r = std::bit_cast<u64>(v);
      if (std::isnan(v)) r |= u64{0x0008000000000000};  // quiet, payload kept
      low[i] = static_cast<u32>(r);
      high[i] = static_cast<u32>(r >> 32);
    } else if (to == kF32) {
      low[i] = narrow_double(v, mode);
      if (flushes) low[i] = flush(low[i]);
    } else {
      low[i] = to == kF16 ? double_to_half(v, mode) : double_to_bfloat(v, mode);
    }
  }
  if (to == kF64)
    store_pair(warp, op.dst, low, high, active);
  else
    store_lanes(warp.row(op.dst), low, active);
}

void decode_f2f(Decoder& d) {
  const std::vector<Format> f = formats(d);
  if (f.size() != 2 || !is_float(f[0]) || !is_float(f[1])) d.refuse("its formats are not understood");
  const bool ftz = d.modifier("FTZ");
  d.op.kind = static_cast<std::uint8_t>(rounding_of(d));
  d.op.extra[0] = u32{f[1]} | u32{f[0]} << 8 | u32{ftz} << 16;
  d.dst(f[0] == kF64 ? 2 : 1);
  if (f[1] == kF64) {
    d.source_pair(0, ValueType::kDoubleHigh);
  } else {
    d.op.extra[1] = f[1] == kF32 ? 0 : half_shift(d.peek());
    d.source(0, f[1] == kF32 ? ValueType::kFloat : ValueType::kHalf2);
  }
  d.op.run = run_f2f;
}

/// FRND: rounds to an integer and keeps the format.
void run_frnd(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Format format = static_cast<Format>(op.extra[0] & 255);
  const bool flushes = op.extra[0] >> 16 & 1;
  u32 scratch[2][kLanes], low[kLanes], high[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = format == kF64 ? fetch(warp, op, op.src[1], active, scratch[1]) : a;
  for (unsigned i = 0; i < kLanes; ++i) {
    const u32 raw = flushes && format == kF32 ? flush(a[i]) : a[i] >> op.extra[1];
    const double v = round_to_integer(float_value(format, raw, b[i]), static_cast<Rounding>(op.kind));
    if (format == kF64) {
      const u64 r = std::bit_cast<u64>(v);
      low[i] = static_cast<u32>(r);
      high[i] = static_cast<u32>(r >> 32);
    } else if (format == kF32) {
      low[i] = canonical(as_bits(static_cast<float>(v)));
    } else {
      low[i] = format == kF16 ? double_to_half(v, Rounding::kNearest) : double_to_bfloat(v, Rounding::kNearest);
    }
  }
  if (format == kF64)
    store_pair(warp, op.dst, low, high, active);
  else
    store_lanes(warp.row(op.dst), low, active);
}

void decode_frnd(Decoder& d) {
  Format format = kF32;
  for (Format f : formats(d)) format = f;
  const bool ftz = d.modifier("FTZ");
  d.op.kind = static_cast<std::uint8_t>(integer_rounding(d));
  d.op.extra[0] = u32{format} | u32{ftz} << 16;
  d.dst(format == kF64 ? 2 : 1);
  if (format == kF64) {
    d.source_pair(0, ValueType::kDoubleHigh);
  } else {
    d.op.extra[1] = format == kF32 ? 0 : half_shift(d.peek());
    d.source(0, format == kF32 ? ValueType::kFloat : ValueType::kHalf2);
  }
  d.op.run = run_frnd;
}

template <bool Bfloat>
struct PackNearest {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const {
    return Bfloat ? nearest_bfloat(a) << 16 | nearest_bfloat(b) : nearest_half(a) << 16 | nearest_half(b);
  }
};

/// F2FP: packs two single-precision values into one register of 16-bit floats, the first operand on top.
void run_f2fp(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[2][kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const Rounding mode = static_cast<Rounding>(op.kind);
  const bool bfloat = op.extra[0] & 1, relu = op.extra[0] & 2;
  const auto convert = [&](u32 v) {
    if (relu && (v >> 31) && !is_nan_bits(v)) return u32{0};
    return u32{bfloat ? float_to_bfloat(as_float(v), mode) : float_to_half(as_float(v), mode)};
  };
  for (unsigned i = 0; i < kLanes; ++i) result[i] = convert(a[i]) << 16 | convert(b[i]);
  store_lanes(warp.row(op.dst), result, active);
}

/// 8-bit floats: bits of the exponent and of the fraction, bias, and whether the top exponent holds ordinary numbers.
struct Float8 {
  int exponent_bits, fraction_bits, bias;
  bool finite_top;
};
constexpr Float8 kE4M3{4, 3, 7, true}, kE5M2{5, 2, 15, false};

float widen8(u32 v, const Float8& f) {
  const u32 magnitude = v & 127;
  const int exponent = static_cast<int>(magnitude >> f.fraction_bits);
  const u32 fraction = magnitude & ((1u << f.fraction_bits) - 1);
  const int top = (1 << f.exponent_bits) - 1;
  float r = 0;
  if (f.finite_top ? magnitude == 127 : exponent == top && fraction) return as_float(0x7fffffff);
  if (!f.finite_top && exponent == top)
    r = std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    r = std::ldexp(static_cast<float>(fraction), 1 - f.bias - f.fraction_bits);
  else
    r = std::ldexp(static_cast<float>(fraction + (1u << f.fraction_bits)), exponent - f.bias - f.fraction_bits);
  return v & 128 ? -r : r;
}

/// Nearest 8-bit float, limited to the largest finite value.
u32 narrow8(float v, const Float8& f) {
  const u32 sign = as_bits(v) >> 31 << 7;
  if (std::isnan(v)) return 127;
  const u32 largest = f.finite_top ? 126 : (((1u << f.exponent_bits) - 1) << f.fraction_bits) - 1;
  const float a = std::fabs(v);
  if (a >= widen8(largest, f)) return sign | largest;
  // The codes of positive values ascend: search for the two neighbours.
  u32 low = 0, high = largest;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    (widen8(middle, f) <= a ? low : high) = middle;
  }
  const double below = double{a} - double{widen8(low, f)}, above = double{widen8(high, f)} - double{a};
  const bool up = above < below || (above == below && (low & 1));
  return sign | (up ? high : low);
}

/// PACK_AB_MERGE_C: two 8-bit floats below the low half of the third operand.
template <bool E4M3>
struct Pack8 {
  u32 operator()(u32 a, u32 b, u32 c) const {
    constexpr Float8 f = E4M3 ? kE4M3 : kE5M2;
    return c << 16 | narrow8(as_float(a), f) << 8 | narrow8(as_float(b), f);
  }
};
/// UNPACK_B: the two low bytes as halves.
template <bool E4M3>
struct Unpack8 {
  u32 operator()(u32 b) const {
    constexpr Float8 f = E4M3 ? kE4M3 : kE5M2;
    return nearest_half(as_bits(widen8(b & 255, f))) | nearest_half(as_bits(widen8(b >> 8 & 255, f))) << 16;
  }
};

bool decode_float8(Decoder& d) {
  const int format = d.modifier_of({"E4M3", "E5M2"});
  if (format < 0) return false;
  if (d.modifier("UNPACK_B")) {
    d.ignore({"F16"});
    d.dst();
    d.op.extra[0] = half_shift(d.peek());
    if (d.op.extra[0]) d.refuse("this operand form is not supported");
    d.source(0);
    d.op.run = format == 0 ? map<1>(Unpack8<true>{}) : map<1>(Unpack8<false>{});
    return true;
  }
  if (!d.modifier("PACK_AB_MERGE_C") || d.text.has("F16")) d.refuse("this packing is not supported");
  d.ignore({"SATFINITE", "F32"});
  d.dst();
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  d.source(2);
  d.op.run = format == 0 ? map<3>(Pack8<true>{}) : map<3>(Pack8<false>{});
  return true;
}

void decode_f2fp(Decoder& d) {
  if (decode_float8(d)) return;
  const bool bfloat = d.modifier("BF16");
  const bool relu = d.modifier("RELU");
  d.ignore({"F16", "F32", "FTZ"});
  if (!d.modifier("PACK_AB")) d.refuse("this packing is not supported");
  d.op.kind = static_cast<std::uint8_t>(rounding_of(d));
  d.op.extra[0] = (bfloat ? 1 : 0) | (relu ? 2 : 0);
  d.dst();
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  if (d.left()) d.take();
  d.op.run = run_f2fp;
  if (d.op.kind == 0 && !relu) d.op.run = bfloat ? map<2>(PackNearest<true>{}) : map<2>(PackNearest<false>{});
}

/// I2I: saturating narrowing of a 32-bit integer.
void run_i2i(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Format to = static_cast<Format>(op.extra[0] >> 8 & 255), from = static_cast<Format>(op.extra[0] & 255);
  u32 scratch[kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch);
  const unsigned bits = bits_of(to);
  const i64 low = is_signed(to) ? -(i64{1} << (bits - 1)) : 0;
  const i64 high = is_signed(to) ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  for (unsigned i = 0; i < kLanes; ++i) {
    const i64 v = is_signed(from) ? i64{static_cast<std::int32_t>(a[i])} : i64{a[i]};
    result[i] = static_cast<u32>(std::clamp(v, low, high));
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_i2i(Decoder& d) {
  const std::vector<Format> f = formats(d);
  d.ignore({"SAT"});
  if (f.empty() || is_float(f[0])) d.refuse("its formats are not understood");
  const Format from = f.size() > 1 ? f[1] : kS32;
  d.op.extra[0] = u32{from} | u32{f[0]} << 8;
  d.dst();
  d.source(0, ValueType::kInteger);
  d.op.run = run_i2i;
}

/// I2IP.S8.S32.SAT Rd, Ra, Rb, Rc: saturated Ra and Rb in the low half, Rc's low half above them; repeated, it packs
/// four bytes. With S16 or U16 the two results fill the register.
void run_i2ip(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[3][kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
  const Format to = static_cast<Format>(op.extra[0]);
  const unsigned bits = bits_of(to);
  const int low = is_signed(to) ? -(1 << (bits - 1)) : 0;
  const int high = is_signed(to) ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const u32 mask = (1u << bits) - 1;
  for (unsigned i = 0; i < kLanes; ++i) {
    const u32 x = static_cast<u32>(std::clamp(static_cast<std::int32_t>(a[i]), low, high)) & mask;
    const u32 y = static_cast<u32>(std::clamp(static_cast<std::int32_t>(b[i]), low, high)) & mask;
    result[i] = (bits == 8 ? c[i] << 16 : 0) | x << bits | y;
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_i2ip(Decoder& d) {
  const std::vector<Format> f = formats(d);
  d.ignore({"SAT"});
  if (f.empty() || is_float(f[0]) || bits_of(f[0]) > 16) d.refuse("its formats are not understood");
  d.op.extra[0] = f[0];
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  d.op.run = run_i2ip;
}

}  // namespace

void register_convert(DecodeTable& t) {
  t["F2I"] = decode_f2i;
  t["I2F"] = decode_i2f;
  t["I2FP"] = decode_i2fp;
  t["F2F"] = decode_f2f;
  t["FRND"] = decode_frnd;
  t["F2FP"] = decode_f2fp;
  t["I2I"] = decode_i2i;
  t["I2IP"] = decode_i2ip;
}

}  // namespace smpipe::sass
