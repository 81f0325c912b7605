// Integer arithmetic and logic on 32-bit lanes.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

SMPIPE_INLINE i32 s(u32 v) { return static_cast<i32>(v); }
SMPIPE_INLINE u32 u(i32 v) { return static_cast<u32>(v); }

// --- MOV, SEL, SGXT and friends
// ---------------------------------------------------------------------------------------

void decode_mov(Decoder& d) {
  d.ignore({"U32"});
  d.dst();
  d.source(0);
  if (d.left()) d.integer();  // byte mask, always 0xf
  d.op.run = map<1>([](u32 a) { return a; });
}

struct Select {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[2][kLanes];
    alignas(64) u32 result[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    for (unsigned i = 0; i < kLanes; ++i) {
      const u32 take_a = 0u - (p >> i & 1);
      result[i] = (a[i] & take_a) | (b[i] & ~take_a);
    }
    store_lanes(warp.row(op.dst), result, active);
  }
};

void decode_sel(Decoder& d) {
  d.dst();
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.predicate(0);
  d.op.run = body(Select{});
}

void decode_fsel(Decoder& d) {
  d.ignore({"FTZ"});
  d.dst();
  d.source(0, ValueType::kFloat);
  d.source(1, ValueType::kFloat);
  d.predicate(0);
  d.op.run = body(Select{});
}

void decode_iabs(Decoder& d) {
  d.dst();
  d.source(0, ValueType::kInteger);
  d.op.run = map<1>([](u32 a) { return s(a) < 0 ? 0u - a : a; });
}

void decode_sgxt(Decoder& d) {
  const bool is_unsigned = d.modifier("U32");
  const bool wrap = d.modifier("W");
  d.dst();
  d.source(0);
  d.source(1);
  if (is_unsigned) {
    if (wrap)
      d.op.run = map<2>([](u32 a, u32 b) {
        b &= 31;
        return a & ((1u << b) - 1);
      });
    else
      d.op.run = map<2>([](u32 a, u32 b) { return b >= 32 ? a : a & ((1u << (b & 31)) - 1); });
  } else {
    d.op.run = map<2>([](u32 a, u32 b) -> u32 {
      if (b >= 32) return a;
      if (b == 0) return 0;
      return u(s(a << (32 - b)) >> (32 - b));
    });
    if (wrap) {
      d.op.run = map<2>([](u32 a, u32 b) -> u32 {
        b &= 31;
        return b == 0 ? 0 : u(s(a << (32 - b)) >> (32 - b));
      });
    }
  }
}

void decode_bmsk(Decoder& d) {
  const bool wrap = d.modifier("W");
  d.ignore({"C"});
  d.dst();
  d.source(0);
  d.source(1);
  if (wrap) {
    d.op.run = map<2>([](u32 a, u32 b) { return ((1u << (b & 31)) - 1) << (a & 31); });
  } else {
    d.op.run = map<2>([](u32 a, u32 b) -> u32 {
      const u64 ones = b >= 32 ? 0xffffffffull : (1ull << (b & 31)) - 1;
      return a >= 32 ? 0 : static_cast<u32>(ones << (a & 31));
    });
  }
}

void decode_popc(Decoder& d) {
  d.dst();
  d.source(0);
  d.op.run = map<1>([](u32 a) { return static_cast<u32>(std::popcount(a)); });
}

void decode_brev(Decoder& d) {
  d.dst();
  d.source(0);
  d.op.run = map<1>([](u32 a) {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
  });
}

/// Position of the highest set bit (of the highest bit unlike the sign for signed values), or ~0.
void decode_flo(Decoder& d) {
  const bool is_unsigned = d.modifier("U32");
  const bool shift = d.modifier("SH");
  d.dst();
  d.optional_dst_predicate(0);
  d.source(0);
  if (is_unsigned) {
    if (shift)
      d.op.run = map<1>([](u32 a) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); });
    else
      d.op.run = map<1>([](u32 a) { return a == 0 ? ~0u : 31u - static_cast<u32>(std::countl_zero(a)); });
  } else {
    if (shift) {
      d.op.run = map<1>([](u32 a) {
        const u32 v = s(a) < 0 ? ~a : a;
        return v == 0 ? ~0u : static_cast<u32>(std::countl_zero(v));
      });
    } else {
      d.op.run = map<1>([](u32 a) {
        const u32 v = s(a) < 0 ? ~a : a;
        return v == 0 ? ~0u : 31u - static_cast<u32>(std::countl_zero(v));
      });
    }
  }
}

// --- addition
// -----------------------------------------------------------------------------------------------------------

/// IADD3 with carries. Negation enters as ~x + 1 so that the carry is that of the full sum.
struct AddCarry {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    u32 carry_one[kLanes], carry_two[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    const LaneMask q = warp.guard_mask(op.predicate[1]);
    const u32 plus = op.extra[0];
    for (unsigned i = 0; i < kLanes; ++i) {
      const u64 sum = u64{a[i]} + b[i] + c[i] + plus + (p >> i & 1) + (q >> i & 1);
      result[i] = static_cast<u32>(sum);
      const u32 carry = static_cast<u32>(sum >> 32);
      carry_one[i] = carry >= 1;
      carry_two[i] = carry >= 2;
    }
    store_lanes(warp.row(op.dst), result, active);
    if (op.dst_predicate[0] != 7) warp.set_predicate(op.dst_predicate[0], gather_bits(carry_one), active);
    if (op.dst_predicate[1] != 7) warp.set_predicate(op.dst_predicate[1], gather_bits(carry_two), active);
  }
};

/// Negated source as one's complement; the missing +1 goes into op.extra[0].
void add_source(Decoder& d, unsigned k) {
  TextOperand operand = d.take();
  if (operand.negate) {
    operand.negate = false;
    operand.invert = !operand.invert;
    ++d.op.extra[0];
  }
  d.source_from(k, operand, ValueType::kInteger);
}

constexpr PredicateSource kFalse{7, false, true};

void decode_iadd3(Decoder& d) {
  const bool extended = d.modifier("X");
  d.dst();
  const bool carry = d.optional_dst_predicate(0);
  if (carry) d.optional_dst_predicate(1);
  if (!extended && !carry) {
    for (unsigned k = 0; k < 3; ++k) {
      if (d.left())
        d.source(k, ValueType::kInteger);
      else
        d.source_from(k, TextOperand{}, ValueType::kBits);
    }
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return a + b + c; });
    return;
  }
  for (unsigned k = 0; k < 3; ++k) add_source(d, k);
  d.op.predicate[0] = d.op.predicate[1] = kFalse;
  if (extended) {
    d.optional_predicate(0);
    d.optional_predicate(1);
  }
  d.op.run = body(AddCarry{});
}

void decode_viadd(Decoder& d) {
  const bool packed = d.modifier("16x2");
  d.dst();
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  if (packed) {
    d.op.run = map<2>([](u32 a, u32 b) { return ((a & 0xffff0000) + (b & 0xffff0000)) | ((a + b) & 0xffff); });
  } else {
    d.op.run = map<2>([](u32 a, u32 b) { return a + b; });
  }
}

// --- multiplication
// -----------------------------------------------------------------------------------------------------

/// Double-length product plus a 64-bit addend: IMAD.WIDE, IMAD.HI and their .X forms.
template <bool Signed, bool High>
struct WideProduct {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[4][kLanes];
    alignas(64) u32 low[kLanes], high[kLanes];
    u32 carry[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* cl = fetch(warp, op, op.src[2], active, scratch[2]);
    const u32* ch = fetch(warp, op, op.src[3], active, scratch[3]);
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    for (unsigned i = 0; i < kLanes; ++i) {
      u64 product;
      if constexpr (Signed)
        product = static_cast<u64>(i64{s(a[i])} * i64{s(b[i])});
      else
        product = u64{a[i]} * b[i];
      const u64 addend = join64(cl[i], ch[i]);
      const u64 sum = product + addend;
      const u64 total = sum + (p >> i & 1);
      low[i] = static_cast<u32>(total);
      high[i] = static_cast<u32>(total >> 32);
      carry[i] = (sum < product) | (total < sum);
    }
    if constexpr (High)
      store_lanes(warp.row(op.dst), high, active);
    else
      store_pair(warp, op.dst, low, high, active);
    if (op.dst_predicate[0] != 7) warp.set_predicate(op.dst_predicate[0], gather_bits(carry), active);
  }
};

/// IMAD.X: a * b + c + carry.
struct ProductWithCarry {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    for (unsigned i = 0; i < kLanes; ++i) result[i] = a[i] * b[i] + c[i] + (p >> i & 1);
    store_lanes(warp.row(op.dst), result, active);
  }
};

void decode_imad_wide(Decoder& d, bool high) {
  const bool is_unsigned = d.modifier("U32");
  const bool extended = d.modifier("X");
  d.dst(high ? 1 : 2);
  d.optional_dst_predicate(0);
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.source_pair(2);
  d.op.predicate[0] = kFalse;
  if (extended) d.optional_predicate(0);
  if (high)
    d.op.run = is_unsigned ? body(WideProduct<false, true>{}) : body(WideProduct<true, true>{});
  else
    d.op.run = is_unsigned ? body(WideProduct<false, false>{}) : body(WideProduct<true, false>{});
}

void decode_imad(Decoder& d) {
  if (d.modifier("WIDE")) return decode_imad_wide(d, false);
  if (d.modifier("HI")) return decode_imad_wide(d, true);
  d.ignore({"MOV", "SHL", "IADD", "U32"});
  const bool extended = d.modifier("X");
  d.dst();
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.source(2, ValueType::kInteger);
  if (!extended) {
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return a * b + c; });
    return;
  }
  d.op.predicate[0] = kFalse;
  d.optional_predicate(0);
  d.op.run = body(ProductWithCarry{});
}

void decode_imul(Decoder& d) {
  const bool high = d.modifier("HI");
  const bool is_unsigned = d.modifier("U32");
  d.dst();
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  if (!high)
    d.op.run = map<2>([](u32 a, u32 b) { return a * b; });
  else if (is_unsigned)
    d.op.run = map<2>([](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  else
    d.op.run = map<2>([](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(i64{s(a)} * s(b)) >> 32); });
}

template <bool SA, bool SB>
SMPIPE_INLINE u32 dot4(u32 a, u32 b, u32 c) {
  for (unsigned k = 0; k < 4; ++k) {
    const u32 x = a >> (8 * k) & 255, y = b >> (8 * k) & 255;
    const i32 xs = SA ? i32{static_cast<std::int8_t>(x)} : s(x);
    const i32 ys = SB ? i32{static_cast<std::int8_t>(y)} : s(y);
    c += u(xs * ys);
  }
  return c;
}

template <bool SA, bool SB, bool Upper>
SMPIPE_INLINE u32 dot2(u32 a, u32 b, u32 c) {
  for (unsigned k = 0; k < 2; ++k) {
    const u32 x = a >> (16 * k) & 0xffff, y = b >> (8 * k + (Upper ? 16 : 0)) & 255;
    const i32 xs = SA ? i32{static_cast<std::int16_t>(x)} : s(x);
    const i32 ys = SB ? i32{static_cast<std::int8_t>(y)} : s(y);
    c += u(xs * ys);
  }
  return c;
}

template <bool SA, bool SB>
void decode_dot(Decoder& d, bool two, bool upper) {
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k, ValueType::kInteger);
  if (!two)
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return dot4<SA, SB>(a, b, c); });
  else if (upper)
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return dot2<SA, SB, true>(a, b, c); });
  else
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return dot2<SA, SB, false>(a, b, c); });
}

void decode_idp(Decoder& d) {
  const bool two = d.modifier("2A");
  const bool upper = d.modifier("HI");
  d.ignore({"4A", "LO"});
  // The operand types are two positional modifiers, e.g. 4A.S8.U8 or 2A.S16.U8.
  bool is_signed[2] = {false, false};
  unsigned k = 0;
  for (const std::string& m : d.text.modifiers) {
    if (m == "S8" || m == "U8" || m == "S16" || m == "U16") {
      d.modifier(m);
      if (k < 2) is_signed[k++] = m[0] == 'S';
    }
  }
  if (is_signed[0])
    return is_signed[1] ? decode_dot<true, true>(d, two, upper) : decode_dot<true, false>(d, two, upper);
  return is_signed[1] ? decode_dot<false, true>(d, two, upper) : decode_dot<false, false>(d, two, upper);
}

// --- shifts
// -------------------------------------------------------------------------------------------------------------

/// Funnel shift of {c, a} by b; the variant says direction, clamp or wrap, data width, sign and which half is kept.
template <bool Left, bool Wide, bool Signed, bool High, bool Wrap>
struct Funnel {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b, u32 c) const {
    constexpr u32 limit = Wide ? 64 : 32;
    u32 n = Wrap ? b & (limit - 1) : std::min(b, limit);
    const u64 v = join64(a, c);
    u64 r;
    if constexpr (Left) {
      r = n >= 64 ? 0 : v << (n & 63);
    } else if constexpr (Signed) {
      if (n >= 64) n = 63;
      r = static_cast<u64>(static_cast<i64>(v) >> n);
    } else {
      r = n >= 64 ? 0 : v >> (n & 63);
    }
    return static_cast<u32>(High ? r >> 32 : r);
  }
};

template <bool Left, bool Wide, bool Signed, bool High>
Handler funnel_wrap(bool wrap) {
  return wrap ? map<3>(Funnel<Left, Wide, Signed, High, true>{}) : map<3>(Funnel<Left, Wide, Signed, High, false>{});
}
template <bool Left, bool Wide, bool Signed>
Handler funnel_high(bool high, bool wrap) {
  return high ? funnel_wrap<Left, Wide, Signed, true>(wrap) : funnel_wrap<Left, Wide, Signed, false>(wrap);
}
template <bool Left, bool Wide>
Handler funnel_sign(bool is_signed, bool high, bool wrap) {
  return is_signed ? funnel_high<Left, Wide, true>(high, wrap) : funnel_high<Left, Wide, false>(high, wrap);
}
template <bool Left>
Handler funnel_wide(bool wide, bool is_signed, bool high, bool wrap) {
  return wide ? funnel_sign<Left, true>(is_signed, high, wrap) : funnel_sign<Left, false>(is_signed, high, wrap);
}

void decode_shf(Decoder& d) {
  const bool left = d.modifier("L");
  d.modifier("R");
  const bool high = d.modifier("HI");
  const bool wrap = d.modifier("W");
  const int type = d.modifier_of({"U32", "S32", "U64", "S64"});
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  const bool wide = type >= 2, is_signed = type == 1 || type == 3;
  d.op.run = left ? funnel_wide<true>(wide, is_signed, high, wrap) : funnel_wide<false>(wide, is_signed, high, wrap);
}

void decode_shl(Decoder& d) {
  const bool wrap = d.modifier("W");
  d.ignore({"U32", "S32"});
  d.dst();
  d.source(0);
  d.source(1);
  d.op.run = wrap ? map<2>([](u32 a, u32 b) { return a << (b & 31); })
                  : map<2>([](u32 a, u32 b) { return b >= 32 ? 0u : a << (b & 31); });
}
void decode_shr(Decoder& d) {
  const bool wrap = d.modifier("W");
  const bool is_unsigned = d.modifier("U32");
  d.ignore({"S32"});
  d.dst();
  d.source(0);
  d.source(1);
  if (is_unsigned) {
    d.op.run = wrap ? map<2>([](u32 a, u32 b) { return a >> (b & 31); })
                    : map<2>([](u32 a, u32 b) { return b >= 32 ? 0u : a >> (b & 31); });
  } else {
    d.op.run = wrap ? map<2>([](u32 a, u32 b) { return u(s(a) >> (b & 31)); })
                    : map<2>([](u32 a, u32 b) { return u(s(a) >> std::min(b, 31u)); });
  }
}

/// LEA: (a << n) + b. LEA.HI: upper word of ({c, a} << n), plus b. Carry out and in as IADD3.
template <bool High, bool SignExtend>
struct ShiftAdd {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    u32 carry[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* c = High && !SignExtend ? fetch(warp, op, op.src[2], active, scratch[2]) : nullptr;
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    const u32 n = op.kind & 31;
    const u32 invert = op.extra[1], plus = op.extra[0];
    for (unsigned i = 0; i < kLanes; ++i) {
      u32 shifted;
      if constexpr (High) {
        const u32 upper = SignExtend ? u(s(a[i]) >> 31) : c[i];
        shifted = static_cast<u32>((join64(a[i], upper) << n) >> 32);
      } else {
        shifted = a[i] << n;
      }
      const u64 sum = u64{shifted ^ invert} + b[i] + plus + (p >> i & 1);
      result[i] = static_cast<u32>(sum);
      carry[i] = static_cast<u32>(sum >> 32) != 0;
    }
    store_lanes(warp.row(op.dst), result, active);
    if (op.dst_predicate[0] != 7) warp.set_predicate(op.dst_predicate[0], gather_bits(carry), active);
  }
};

void decode_lea(Decoder& d) {
  const bool high = d.modifier("HI"), extended = d.modifier("X"), sign_extend = d.modifier("SX32");
  d.dst();
  d.optional_dst_predicate(0);
  // A sign on the first operand acts on the shifted value.
  TextOperand first = d.take();
  if (first.negate || first.invert) d.op.extra[1] = ~0u;
  if (first.negate) ++d.op.extra[0];
  first.negate = first.invert = false;
  d.source_from(0, first, ValueType::kBits);
  add_source(d, 1);
  if (high && !sign_extend) d.source(2);
  d.op.kind = static_cast<std::uint8_t>(d.integer() & 31);
  d.op.predicate[0] = kFalse;
  if (extended) d.optional_predicate(0);
  if (!high)
    d.op.run = body(ShiftAdd<false, false>{});
  else
    d.op.run = sign_extend ? body(ShiftAdd<true, true>{}) : body(ShiftAdd<true, false>{});
}

// --- logic
// --------------------------------------------------------------------------------------------------------------

/// Any function of three bits: bit (4a + 2b + c) of the table.
SMPIPE_INLINE u32 lookup(u32 table, u32 a, u32 b, u32 c) {
  u32 r = 0;
  if (table & 0x01) r |= ~a & ~b & ~c;
  if (table & 0x02) r |= ~a & ~b & c;
  if (table & 0x04) r |= ~a & b & ~c;
  if (table & 0x08) r |= ~a & b & c;
  if (table & 0x10) r |= a & ~b & ~c;
  if (table & 0x20) r |= a & ~b & c;
  if (table & 0x40) r |= a & b & ~c;
  if (table & 0x80) r |= a & b & c;
  return r;
}

struct Logic {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
    switch (op.extra[0]) {
      case 0xc0:
        for (unsigned i = 0; i < kLanes; ++i) result[i] = a[i] & b[i];
        break;
      case 0xfc:
        for (unsigned i = 0; i < kLanes; ++i) result[i] = a[i] | b[i];
        break;
      case 0x3c:
        for (unsigned i = 0; i < kLanes; ++i) result[i] = a[i] ^ b[i];
        break;
      case 0x33:
        for (unsigned i = 0; i < kLanes; ++i) result[i] = ~b[i];
        break;
      default:
        for (unsigned i = 0; i < kLanes; ++i) result[i] = lookup(op.extra[0], a[i], b[i], c[i]);
    }
    store_lanes(warp.row(op.dst), result, active);
    if (op.dst_predicate[0] == 7) return;
    LaneMask nonzero = 0;
    for (unsigned i = 0; i < kLanes; ++i) nonzero |= (result[i] != 0 ? 1u : 0u) << i;
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    warp.set_predicate(op.dst_predicate[0], op.kind ? nonzero & p : nonzero | p, active);
  }
};

void decode_lop3(Decoder& d) {
  d.ignore({"LUT"});
  d.op.kind = d.modifier("PAND") ? 1 : 0;
  d.optional_dst_predicate(0);
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  d.op.extra[0] = static_cast<u32>(d.integer() & 255);
  d.op.predicate[0] = kFalse;
  d.optional_predicate(0);
  d.op.run = body(Logic{});
}

void run_plop3(Warp& warp, const Op& op, LaneMask active, Step&) {
  const LaneMask a = warp.guard_mask(op.predicate[0]), b = warp.guard_mask(op.predicate[1]),
                 c = warp.guard_mask(op.predicate[2]);
  warp.set_predicate(op.dst_predicate[0], lookup(op.extra[0], a, b, c), active);
  warp.set_predicate(op.dst_predicate[1], lookup(op.extra[1], a, b, c), active);
}

void decode_plop3(Decoder& d) {
  d.ignore({"LUT"});
  d.dst_predicate(0);
  d.dst_predicate(1);
  for (unsigned k = 0; k < 3; ++k) d.predicate(k);
  d.op.extra[0] = static_cast<u32>(d.integer() & 255);
  d.op.extra[1] = d.left() ? static_cast<u32>(d.integer() & 255) : 0;
  d.op.run = run_plop3;
}

/// PRMT: every selector nibble picks a byte of {c, a}; its top bit replicates the byte's sign.
SMPIPE_INLINE u32 permute(u32 a, u32 selector, u32 c) {
  const u64 v = join64(a, c);
  u32 r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const u32 n = selector >> (4 * k);
    u32 byte = static_cast<u32>(v >> (8 * (n & 7))) & 255;
    if (n & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * k);
  }
  return r;
}

void decode_prmt(Decoder& d) {
  const int mode = d.modifier_of({"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"});
  d.ignore({"IDX"});
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k, ValueType::kInteger);
  switch (mode) {
    case 0:
      d.op.run = map<3>([](u32 a, u32 n, u32 c) { return static_cast<u32>(join64(a, c) >> (8 * (n & 3))); });
      break;
    case 1:
      d.op.run = map<3>([](u32 a, u32 n, u32 c) {
        n &= 3;
        return permute(a, n | ((n - 1) & 7) << 4 | ((n - 2) & 7) << 8 | ((n - 3) & 7) << 12, c);
      });
      break;
    case 2:
      d.op.run = map<3>([](u32 a, u32 n, u32) { return (a >> (8 * (n & 3)) & 255) * 0x01010101u; });
      break;
    case 3:
      d.op.run = map<3>([](u32 a, u32 n, u32 c) {
        n &= 3;
        u32 sel = 0;
        for (u32 k = 0; k < 4; ++k) sel |= std::max(k, n) << (4 * k);
        return permute(a, sel, c);
      });
      break;
    case 4:
      d.op.run = map<3>([](u32 a, u32 n, u32 c) {
        n &= 3;
        u32 sel = 0;
        for (u32 k = 0; k < 4; ++k) sel |= std::min(k, n) << (4 * k);
        return permute(a, sel, c);
      });
      break;
    case 5:
      d.op.run = map<3>([](u32 a, u32 n, u32) { return (n & 1 ? a >> 16 : a & 0xffff) * 0x00010001u; });
      break;
    default:
      d.op.run = map<3>([](u32 a, u32 n, u32 c) { return permute(a, n, c); });
  }
}

// --- comparison
// ---------------------------------------------------------------------------------------------------------

enum Comparison { kF, kLt, kEq, kLe, kGt, kNe, kGe, kT };

template <int C, class T>
SMPIPE_INLINE bool compares(T a, T b) {
  switch (C) {
    case kLt:
      return a < b;
    case kEq:
      return a == b;
    case kLe:
      return a <= b;
    case kGt:
      return a > b;
    case kNe:
      return a != b;
    case kGe:
      return a >= b;
    case kT:
      return true;
    default:
      return false;
  }
}

template <int C, bool Signed>
struct CompareInt {
  SMPIPE_INLINE bool operator()(u32 a, u32 b) const {
    if constexpr (Signed)
      return compares<C>(s(a), s(b));
    else
      return compares<C>(a, b);
  }
};

/// Upper half of a 64-bit comparison: `low` is the outcome of the lower half.
template <int C, bool Signed>
struct CompareExtended {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[2][kLanes];
    u32 truth[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const LaneMask low = warp.guard_mask(op.predicate[1]);
    for (unsigned i = 0; i < kLanes; ++i) {
      const bool equal = a[i] == b[i];
      const bool beyond = C == kEq ? false : C == kNe ? true : CompareInt<C, Signed>{}(a[i], b[i]);
      truth[i] = equal ? low >> i & 1 : u32{beyond};
    }
    set_compare(warp, op, gather_bits(truth), active);
  }
};

template <int C>
Handler compare_variant(bool is_signed, bool extended) {
  if (extended) return is_signed ? body(CompareExtended<C, true>{}) : body(CompareExtended<C, false>{});
  return is_signed ? compare(CompareInt<C, true>{}) : compare(CompareInt<C, false>{});
}

Handler comparison(int c, bool is_signed, bool extended) {
  switch (c) {
    case kF:
      return compare_variant<kF>(is_signed, extended);
    case kLt:
      return compare_variant<kLt>(is_signed, extended);
    case kEq:
      return compare_variant<kEq>(is_signed, extended);
    case kLe:
      return compare_variant<kLe>(is_signed, extended);
    case kGt:
      return compare_variant<kGt>(is_signed, extended);
    case kNe:
      return compare_variant<kNe>(is_signed, extended);
    case kGe:
      return compare_variant<kGe>(is_signed, extended);
    default:
      return compare_variant<kT>(is_signed, extended);
  }
}

void decode_isetp(Decoder& d) {
  const int c = d.modifier_of({"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"});
  if (c < 0) d.refuse("it has no comparison");
  const bool is_unsigned = d.modifier("U32");
  const bool extended = d.modifier("EX");
  const int how = d.modifier_of({"AND", "OR", "XOR"});
  d.op.kind = static_cast<std::uint8_t>(std::max(how, 0));
  d.dst_predicate(0);
  d.dst_predicate(1);
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.optional_predicate(0);
  if (extended) d.predicate(1);
  d.op.run = comparison(c, !is_unsigned, extended);
}

// --- minimum and maximum
// ------------------------------------------------------------------------------------------------

/// The predicate says minimum (true) or maximum (false).
template <class Min, class Max>
struct MinMax {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    for (unsigned i = 0; i < kLanes; ++i) result[i] = p >> i & 1 ? Min{}(a[i], b[i]) : Max{}(a[i], b[i]);
    if (op.extra[0]) {
      const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
      for (unsigned i = 0; i < kLanes; ++i) result[i] = p >> i & 1 ? Min{}(result[i], c[i]) : Max{}(result[i], c[i]);
    }
    store_lanes(warp.row(op.dst), result, active);
  }
};

struct MinS {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const { return u(std::min(s(a), s(b))); }
};
struct MaxS {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const { return u(std::max(s(a), s(b))); }
};
struct MinU {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const { return std::min(a, b); }
};
struct MaxU {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const { return std::max(a, b); }
};
template <class F>
struct Relu {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const { return MaxS{}(F{}(a, b), 0); }
};

/// Applies F to both 16-bit halves, sign- or zero-extended.
template <class F, bool Signed>
struct Halves {
  SMPIPE_INLINE u32 operator()(u32 a, u32 b) const {
    const u32 low = F{}(extend(a), extend(b)) & 0xffff;
    return low | F{}(extend(a >> 16), extend(b >> 16)) << 16;
  }
  static SMPIPE_INLINE u32 extend(u32 v) { return Signed ? u(i32{static_cast<std::int16_t>(v)}) : v & 0xffff; }
};

template <template <class, class> class Shape>
Handler min_max(bool is_unsigned, bool packed, bool relu) {
  if (packed) {
    if (is_unsigned) return body(Shape<Halves<MinU, false>, Halves<MaxU, false>>{});
    if (relu) return body(Shape<Halves<Relu<MinS>, true>, Halves<Relu<MaxS>, true>>{});
    return body(Shape<Halves<MinS, true>, Halves<MaxS, true>>{});
  }
  if (is_unsigned) return body(Shape<MinU, MaxU>{});
  if (relu) return body(Shape<Relu<MinS>, Relu<MaxS>>{});
  return body(Shape<MinS, MaxS>{});
}

struct MinMaxType {
  bool is_unsigned, packed, relu;
};
MinMaxType min_max_type(Decoder& d) {
  const int type = d.modifier_of({"U32", "U16x2", "S16x2", "S32"});
  return {type == 0 || type == 1, type == 1 || type == 2, d.modifier("RELU")};
}

void decode_imnmx(Decoder& d) {
  const MinMaxType t = min_max_type(d);
  d.dst();
  d.optional_dst_predicate(0);
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.predicate(0);
  d.op.run = min_max<MinMax>(t.is_unsigned, t.packed, t.relu);
}

void decode_vimnmx3(Decoder& d) {
  const MinMaxType t = min_max_type(d);
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k, ValueType::kInteger);
  d.predicate(0);
  if (d.left()) d.predicate(1);
  d.op.extra[0] = 1;
  d.op.run = min_max<MinMax>(t.is_unsigned, t.packed, t.relu);
}

/// VIADDMNMX: min or max of a + b and c.
template <class Min, class Max>
struct AddMinMax {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[3][kLanes];
    alignas(64) u32 result[kLanes];
    const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
    const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
    const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
    const LaneMask p = warp.guard_mask(op.predicate[0]);
    const bool packed = op.extra[0] != 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      const u32 sum = packed ? ((a[i] & 0xffff0000) + (b[i] & 0xffff0000)) | ((a[i] + b[i]) & 0xffff) : a[i] + b[i];
      result[i] = p >> i & 1 ? Min{}(sum, c[i]) : Max{}(sum, c[i]);
    }
    store_lanes(warp.row(op.dst), result, active);
  }
};

void decode_viaddmnmx(Decoder& d) {
  const MinMaxType t = min_max_type(d);
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k, ValueType::kInteger);
  d.predicate(0);
  d.op.extra[0] = t.packed;
  d.op.run = min_max<AddMinMax>(t.is_unsigned, t.packed, t.relu);
}

void decode_vabsdiff(Decoder& d) {
  const bool is_unsigned = d.modifier("U32");
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k, ValueType::kInteger);
  if (is_unsigned) {
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; });
  } else {
    d.op.run = map<3>([](u32 a, u32 b, u32 c) { return (s(a) > s(b) ? a - b : b - a) + c; });
  }
}

/// VABSDIFF4.U8: byte differences, summed with .ACC.
void decode_vabsdiff4(Decoder& d) {
  const bool is_signed = d.modifier("S8");
  d.ignore({"U8"});
  const bool accumulate = d.modifier("ACC");
  if (is_signed) d.refuse("signed bytes are not supported");
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k, ValueType::kInteger);
  if (accumulate) {
    d.op.run = map<3>([](u32 a, u32 b, u32 c) {
      for (unsigned k = 0; k < 32; k += 8) {
        const i32 x = s(a >> k & 255) - s(b >> k & 255);
        c += u(x < 0 ? -x : x);
      }
      return c;
    });
  } else {
    d.op.run = map<3>([](u32 a, u32 b, u32 c) {
      u32 r = 0;
      for (unsigned k = 0; k < 32; k += 8) {
        const i32 x = s(a >> k & 255) - s(b >> k & 255);
        r |= u(x < 0 ? -x : x) << k;
      }
      return r + c;
    });
  }
}

// --- predicates and registers
// -------------------------------------------------------------------------------------------

/// R2P PR, Ra, mask: predicate k takes bit k of the register where the mask has a one.
void run_r2p(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[2][kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* m = fetch(warp, op, op.src[1], active, scratch[1]);
  for (unsigned k = 0; k < 7; ++k) {
    LaneMask value = 0, chosen = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      value |= (a[i] >> (k + op.kind) & 1) << i;
      chosen |= (m[i] >> k & 1) << i;
    }
    warp.set_predicate(static_cast<std::uint8_t>(k), value, active & chosen);
  }
}

unsigned byte_shift(const TextOperand& operand) {
  for (unsigned k = 0; k < 4; ++k) {
    const char name[3] = {'B', static_cast<char>('0' + k), 0};
    if (operand.has(name)) return 8 * k;
  }
  return 0;
}

void decode_r2p(Decoder& d) {
  if (!d.next_is(OperandKind::kAllPredicates)) d.refuse("PR is expected");
  d.take();
  d.op.kind = static_cast<std::uint8_t>(byte_shift(d.peek()));
  d.source(0);
  d.source(1);
  d.op.run = run_r2p;
}

/// P2R Rd, PR, Ra, mask: Rd is Ra with the masked bits (of one byte) replaced by predicates.
void run_p2r(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[2][kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* m = fetch(warp, op, op.src[1], active, scratch[1]);
  u32 result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    u32 bits = 0;
    for (unsigned k = 0; k < 7; ++k) bits |= (warp.predicate[k] >> i & 1) << k;
    const u32 mask = (m[i] & 0x7f) << op.kind;
    result[i] = (a[i] & ~mask) | ((bits << op.kind) & mask);
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_p2r(Decoder& d) {
  for (unsigned k = 0; k < 4; ++k) {
    const char name[3] = {'B', static_cast<char>('0' + k), 0};
    if (d.modifier(name)) d.op.kind = static_cast<std::uint8_t>(8 * k);
  }
  if (d.next_is(OperandKind::kRegister) && d.op.kind == 0) {
    d.op.kind = static_cast<std::uint8_t>(byte_shift(d.peek()));
  }
  d.dst();
  if (!d.next_is(OperandKind::kAllPredicates)) d.refuse("PR is expected");
  d.take();
  d.source(0);
  d.source(1);
  d.op.run = run_p2r;
}

}  // namespace

void register_integer(DecodeTable& t) {
  t["MOV"] = t["MOV32I"] = decode_mov;
  t["SEL"] = decode_sel;
  t["FSEL"] = decode_fsel;
  t["IABS"] = decode_iabs;
  t["SGXT"] = decode_sgxt;
  t["BMSK"] = decode_bmsk;
  t["POPC"] = decode_popc;
  t["BREV"] = decode_brev;
  t["FLO"] = decode_flo;
  t["IADD3"] = t["IADD"] = decode_iadd3;
  t["VIADD"] = decode_viadd;
  t["IMAD"] = decode_imad;
  t["IMUL"] = decode_imul;
  t["IDP"] = decode_idp;
  t["SHF"] = decode_shf;
  t["SHL"] = decode_shl;
  t["SHR"] = decode_shr;
  t["LEA"] = decode_lea;
  t["LOP3"] = decode_lop3;
  t["PLOP3"] = decode_plop3;
  t["PRMT"] = decode_prmt;
  t["ISETP"] = decode_isetp;
  t["IMNMX"] = t["VIMNMX"] = decode_imnmx;
  t["VIMNMX3"] = decode_vimnmx3;
  t["VIADDMNMX"] = decode_viaddmnmx;
  t["VABSDIFF"] = decode_vabsdiff;
  t["VABSDIFF4"] = decode_vabsdiff4;
  t["R2P"] = decode_r2p;
  t["P2R"] = decode_p2r;
}

}  // namespace smpipe::sass
