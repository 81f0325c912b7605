// Packed half and bfloat16 arithmetic.
#include <algorithm>
#include <bit>

#include "frontend/sass/decode.h"
#include "frontend/sass/floats.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;

enum Select : std::uint8_t { kBoth, kLow, kHigh };

/// Sum of two values as a float rounded to odd, so that a second rounding to 16 bits is that of the exact sum.
SMPIPE_INLINE u32 odd_sum(float p, float c) {
  const float s = p + c;
  const float back = s - p;
  const float rest_p = p - (s - back);
  const float rest_c = c - back;
  const float error = rest_p + rest_c;
  const u32 bits = as_bits(s);
  const bool inexact = error != 0 && (bits & 0x7f800000) != 0x7f800000 && (bits & 1) == 0;
  const bool away = (as_bits(error) ^ bits) >> 31 == 0;
  return inexact ? (away ? bits + 1 : bits - 1) : bits;
}

/// The same for doubles, narrowed to a float that is again rounded to odd.
SMPIPE_INLINE u32 odd_sum_wide(double p, double c) {
  double s = p + c;
  const double back = s - p;
  const double rest_p = p - (s - back);
  const double rest_c = c - back;
  const double error = rest_p + rest_c;
  const std::uint64_t wide = std::bit_cast<std::uint64_t>(s);
  const bool finite = (wide >> 52 & 0x7ff) != 0x7ff;
  if (error != 0 && finite && (wide & 1) == 0) {
    const bool away = (std::bit_cast<std::uint64_t>(error) ^ wide) >> 63 == 0;
    s = std::bit_cast<double>(away ? wide + 1 : wide - 1);
  }
  const float f = static_cast<float>(s);
  const u32 bits = as_bits(f);
  const double again = double{f};
  if (again == s || (bits & 0x7f800000) == 0x7f800000 || (bits & 1)) return bits;
  const bool away = (s > 0) == (s > again);
  return away ? bits + 1 : bits - 1;
}

template <bool Bfloat>
SMPIPE_INLINE float widen(u32 h) {
  return Bfloat ? bfloat_to_float(h) : half_to_float(h);
}
template <bool Bfloat>
SMPIPE_INLINE u32 round16(u32 bits) {
  return Bfloat ? nearest_bfloat(bits) : nearest_half(bits);
}

/// a * b + c on one half.
template <bool Bfloat>
SMPIPE_INLINE u32 fused16(u32 a, u32 b, u32 c) {
  if constexpr (Bfloat) {
    const double product = double{widen<true>(a)} * double{widen<true>(b)};
    return round16<true>(odd_sum_wide(product, double{widen<true>(c)}));
  } else {
    const float product = widen<false>(a) * widen<false>(b);
    return round16<false>(odd_sum(product, widen<false>(c)));
  }
}
template <bool Bfloat>
SMPIPE_INLINE u32 add16(u32 a, u32 b) {
  if constexpr (Bfloat)
    return round16<true>(odd_sum_wide(double{widen<true>(a)}, double{widen<true>(b)}));
  else
    return round16<false>(as_bits(widen<false>(a) + widen<false>(b)));
}
template <bool Bfloat>
SMPIPE_INLINE u32 multiply16(u32 a, u32 b) {
  if constexpr (Bfloat)
    return round16<true>(odd_sum_wide(double{widen<true>(a)} * double{widen<true>(b)}, -0.0));
  else
    return round16<false>(as_bits(widen<false>(a) * widen<false>(b)));
}

/// Modifiers of the result, from Op::extra[0].
enum Result : u32 { kSat = 1, kRelu = 2, kFlush = 4 };

template <bool Bfloat>
SMPIPE_INLINE u32 finish16(u32 h, u32 how) {
  const u32 one = Bfloat ? 0x3f80 : 0x3c00, infinity = Bfloat ? 0x7f80 : 0x7c00;
  const bool nan = (h & 0x7fff) > infinity;
  if ((how & kFlush) && (h & infinity) == 0) h &= 0x8000;
  if (how & kSat) h = nan || (h & 0x8000) ? 0 : std::min(h, one);
  if (how & kRelu) h = (h & 0x8000) && !nan ? 0 : h;
  return h;
}

SMPIPE_INLINE void select_halves(const u32* in, std::uint8_t select, u32* low, u32* high) {
  if (select == kBoth) {
    for (unsigned i = 0; i < kLanes; ++i) low[i] = in[i] & 0xffff, high[i] = in[i] >> 16;
  } else if (select == kLow) {
    for (unsigned i = 0; i < kLanes; ++i) low[i] = high[i] = in[i] & 0xffff;
  } else {
    for (unsigned i = 0; i < kLanes; ++i) low[i] = high[i] = in[i] >> 16;
  }
}

struct Fused {
  static constexpr unsigned n = 3;
};
struct Added {
  static constexpr unsigned n = 2;
};
struct Multiplied {
  static constexpr unsigned n = 2;
};

template <class F, bool Bfloat>
SMPIPE_INLINE u32 apply(u32 a, u32 b, u32 c) {
  if constexpr (F::n == 3)
    return fused16<Bfloat>(a, b, c);
  else if constexpr (std::is_same_v<F, Added>)
    return add16<Bfloat>(a, b);
  else
    return multiply16<Bfloat>(a, b);
}

template <class F, bool Bfloat>
struct Packed {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[kLanes];
    alignas(64) u32 low[3][kLanes], high[3][kLanes], result[kLanes];
    for (unsigned k = 0; k < F::n; ++k) {
      const u32* in = fetch(warp, op, op.src[k], active, scratch);
      select_halves(in, op.src[k].select, low[k], high[k]);
    }
    constexpr unsigned c = F::n == 3 ? 2 : 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      result[i] = apply<F, Bfloat>(low[0][i], low[1][i], low[c][i]) |
                  apply<F, Bfloat>(high[0][i], high[1][i], high[c][i]) << 16;
    }
    if (op.extra[0]) {
      for (unsigned i = 0; i < kLanes; ++i) {
        result[i] = finish16<Bfloat>(result[i] & 0xffff, op.extra[0]) | finish16<Bfloat>(result[i] >> 16, op.extra[0])
                                                                            << 16;
      }
    }
    store_lanes(warp.row(op.dst), result, active);
  }
};

/// HADD2.F32: single-precision sum of the selected halves.
struct SumToFloat {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[kLanes];
    alignas(64) u32 low[2][kLanes], high[2][kLanes], result[kLanes];
    for (unsigned k = 0; k < 2; ++k) {
      select_halves(fetch(warp, op, op.src[k], active, scratch), op.src[k].select, low[k], high[k]);
    }
    for (unsigned i = 0; i < kLanes; ++i) {
      result[i] = canonical(as_bits(half_to_float(low[0][i]) + half_to_float(low[1][i])));
    }
    store_lanes(warp.row(op.dst), result, active);
  }
};

void half_source(Decoder& d, unsigned k) {
  const TextOperand& operand = d.take();
  d.source_from(k, operand, ValueType::kHalf2);
  d.op.src[k].select = operand.has("H0_H0") ? kLow : operand.has("H1_H1") ? kHigh : kBoth;
  if (operand.has("H0_NH1") || operand.has("F32")) d.refuse("this operand form is not supported");
  // Both halves of an immediate are listed; the encoding holds them in one word.
  const bool literal = operand.kind == OperandKind::kFloat || operand.kind == OperandKind::kInteger;
  if (literal && (d.next_is(OperandKind::kFloat) || d.next_is(OperandKind::kInteger))) {
    d.take();
    TextOperand both;
    both.value = static_cast<std::int64_t>(d.text.low >> 32);
    d.source_from(k, both, ValueType::kBits);
  }
}

void result_modifiers(Decoder& d) {
  d.op.extra[0] =
      (d.modifier("SAT") ? kSat : 0u) | (d.modifier("RELU") ? kRelu : 0u) | (d.modifier("FTZ") ? kFlush : 0u);
  // .MMA only names the pipe that executes the instruction.
  d.ignore({"MMA", "V2", "F16_V2"});
}

template <class F>
void decode_packed(Decoder& d) {
  const bool bfloat = d.modifier("BF16_V2");
  result_modifiers(d);
  const bool to_float = std::is_same_v<F, Added> && d.modifier("F32");
  d.dst();
  for (unsigned k = 0; k < F::n; ++k) half_source(d, k);
  if (to_float) {
    d.op.run = body(SumToFloat{});
  } else {
    d.op.run = bfloat ? body(Packed<F, true>{}) : body(Packed<F, false>{});
  }
}

// --- comparison
// ---------------------------------------------------------------------------------------------------------

struct Truth {
  LaneMask low, high;
};

Truth compare_halves(Warp& warp, const Op& op, LaneMask active) {
  u32 scratch[kLanes];
  u32 low[2][kLanes], high[2][kLanes];
  for (unsigned k = 0; k < 2; ++k) {
    select_halves(fetch(warp, op, op.src[k], active, scratch), op.src[k].select, low[k], high[k]);
  }
  const bool bfloat = op.extra[0] & 16;
  const auto widened = [&](u32 h) { return bfloat ? bfloat_to_float(h) : half_to_float(h); };
  const auto holds = [&](u32 x, u32 y) {
    const float a = widened(x), b = widened(y);
    const u32 relation = a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
    return (op.extra[0] & relation) != 0;
  };
  Truth t{0, 0};
  for (unsigned i = 0; i < kLanes; ++i) {
    t.low |= u32{holds(low[0][i], low[1][i])} << i;
    t.high |= u32{holds(high[0][i], high[1][i])} << i;
  }
  return t;
}

void run_hsetp2(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Truth t = compare_halves(warp, op, active);
  const LaneMask third = warp.guard_mask(op.predicate[0]);
  const Combine how = static_cast<Combine>(op.kind);
  if (op.extra[1]) {
    const LaneMask both = t.low & t.high;
    warp.set_predicate(op.dst_predicate[0], combine(how, both, third), active);
    warp.set_predicate(op.dst_predicate[1], combine(how, ~both, third), active);
    return;
  }
  warp.set_predicate(op.dst_predicate[0], combine(how, t.low, third), active);
  warp.set_predicate(op.dst_predicate[1], combine(how, t.high, third), active);
}

void run_hset2(Warp& warp, const Op& op, LaneMask active, Step&) {
  const Truth t = compare_halves(warp, op, active);
  const LaneMask third = warp.guard_mask(op.predicate[0]);
  const Combine how = static_cast<Combine>(op.kind);
  const LaneMask low = combine(how, t.low, third), high = combine(how, t.high, third);
  u32 result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    result[i] = (low >> i & 1 ? op.extra[1] : 0) | (high >> i & 1 ? op.extra[1] << 16 : 0);
  }
  store_lanes(warp.row(op.dst), result, active);
}

void comparison(Decoder& d) {
  const int set = d.modifier_of(
      {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"});
  if (set < 0) d.refuse("it has no comparison");
  d.op.extra[0] = static_cast<u32>(set);
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"AND", "OR", "XOR"}), 0));
  // The order bits are 1, 2, 4, 8; a fifth bit marks bfloat16.
  if (d.modifier("BF16_V2")) d.op.extra[0] |= 16;
  d.ignore({"FTZ"});
}

void decode_hsetp2(Decoder& d) {
  comparison(d);
  d.op.extra[1] = d.modifier("H_AND") ? 1 : 0;
  d.dst_predicate(0);
  d.dst_predicate(1);
  half_source(d, 0);
  half_source(d, 1);
  d.optional_predicate(0);
  d.op.run = run_hsetp2;
}

void decode_hset2(Decoder& d) {
  const bool boolean_float = d.modifier("BF");
  comparison(d);
  const u32 one = d.op.extra[0] & 16 ? 0x3f80 : 0x3c00;
  d.op.extra[1] = boolean_float ? one : 0xffff;
  d.dst();
  half_source(d, 0);
  half_source(d, 1);
  d.optional_predicate(0);
  d.op.run = run_hset2;
}

/// Minimum or maximum of two 16-bit floats; a number wins over NaN unless it propagates.
u32 min_max16(u32 a, u32 b, bool minimum, bool propagate, u32 infinity) {
  const bool na = (a & 0x7fff) > infinity, nb = (b & 0x7fff) > infinity;
  if (na || nb) return (na && nb) || propagate ? 0x7fff : na ? b : a;
  const auto key = [](u32 v) { return v & 0x8000 ? -static_cast<int>(v & 0x7fff) - 1 : static_cast<int>(v); };
  return (key(a) < key(b)) == minimum ? a : b;
}

void run_hmnmx2(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[kLanes], result[kLanes];
  u32 low[2][kLanes], high[2][kLanes];
  for (unsigned k = 0; k < 2; ++k) {
    select_halves(fetch(warp, op, op.src[k], active, scratch), op.src[k].select, low[k], high[k]);
  }
  const LaneMask p = warp.guard_mask(op.predicate[0]);
  const bool propagate = op.extra[0] & 1, absolute = op.extra[0] & 2;
  const auto one = [&](u32 a, u32 b, bool minimum) {
    const u32 r = min_max16(a, b, minimum, propagate, op.extra[1]);
    return absolute ? (r & 0x7fff) | ((a ^ b) & 0x8000) : r;
  };
  for (unsigned i = 0; i < kLanes; ++i) {
    const bool minimum = p >> i & 1;
    result[i] = one(low[0][i], low[1][i], minimum) | one(high[0][i], high[1][i], minimum) << 16;
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_hmnmx2(Decoder& d) {
  d.op.extra[1] = d.modifier("BF16_V2") ? 0x7f80 : 0x7c00;
  d.op.extra[0] = (d.modifier("NAN") ? 1 : 0) | (d.modifier("XORSIGN") ? 2 : 0);
  d.ignore({"FTZ"});
  d.dst();
  half_source(d, 0);
  half_source(d, 1);
  d.predicate(0);
  d.op.run = run_hmnmx2;
}

}  // namespace

void register_half(DecodeTable& t) {
  t["HFMA2"] = decode_packed<Fused>;
  t["HADD2"] = decode_packed<Added>;
  t["HMUL2"] = decode_packed<Multiplied>;
  t["HSETP2"] = decode_hsetp2;
  t["HSET2"] = decode_hset2;
  t["HMNMX2"] = decode_hmnmx2;
}

}  // namespace smpipe::sass
