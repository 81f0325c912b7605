// The uniform datapath: one value per warp.
#include <algorithm>
#include <bit>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

i32 s(u32 v) { return static_cast<i32>(v); }

/// Value of a source for the whole warp. Registers do not occur except in R2UR.
u32 scalar(Warp& warp, const Op& op, unsigned k, LaneMask active) {
  const Source& source = op.src[k];
  if (source.kind == SourceKind::kFixed) return source.value;
  if (source.kind == SourceKind::kUniform) {
    return ((warp.uniform[source.index] & source.and_mask) ^ source.xor_mask) + source.increment;
  }
  u32 scratch[kLanes];
  return fetch(warp, op, source, active, scratch)[std::countr_zero(active)];
}

bool holds(Warp& warp, const Op& op, unsigned k) { return (warp.guard_mask(op.predicate[k]) & 1) != 0; }

constexpr PredicateSource kFalse{7, false, true};

/// d = F(a, b, c)
template <unsigned N, class F>
void run_scalar(Warp& warp, const Op& op, LaneMask active, Step&) {
  if constexpr (N == 1)
    warp.set_uniform(op.uniform_dst, F{}(scalar(warp, op, 0, active)));
  else if constexpr (N == 2) {
    warp.set_uniform(op.uniform_dst, F{}(scalar(warp, op, 0, active), scalar(warp, op, 1, active)));
  } else {
    warp.set_uniform(op.uniform_dst,
                     F{}(scalar(warp, op, 0, active), scalar(warp, op, 1, active), scalar(warp, op, 2, active)));
  }
}
template <unsigned N, class F>
Handler scalar_op(F) {
  return run_scalar<N, F>;
}

void decode_umov(Decoder& d) {
  d.ignore({"U32", "64"});
  d.uniform_dst();
  d.source(0);
  d.op.run = scalar_op<1>([](u32 a) { return a; });
}

void run_usel(Warp& warp, const Op& op, LaneMask active, Step&) {
  warp.set_uniform(op.uniform_dst, scalar(warp, op, holds(warp, op, 0) ? 0 : 1, active));
}
void decode_usel(Decoder& d) {
  d.uniform_dst();
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.predicate(0);
  d.op.run = run_usel;
}

void add_source(Decoder& d, unsigned k) {
  TextOperand operand = d.take();
  if (operand.negate) {
    operand.negate = false;
    operand.invert = !operand.invert;
    ++d.op.extra[0];
  }
  d.source_from(k, operand, ValueType::kInteger);
}

void run_uiadd3(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u64 sum = u64{scalar(warp, op, 0, active)} + scalar(warp, op, 1, active) + scalar(warp, op, 2, active) +
                  op.extra[0] + holds(warp, op, 0) + holds(warp, op, 1);
  warp.set_uniform(op.uniform_dst, static_cast<u32>(sum));
  warp.set_uniform_predicate(op.dst_predicate[0], sum >> 32 >= 1);
  warp.set_uniform_predicate(op.dst_predicate[1], sum >> 32 >= 2);
}
void decode_uiadd3(Decoder& d) {
  const bool extended = d.modifier("X");
  d.uniform_dst();
  if (d.optional_dst_predicate(0)) d.optional_dst_predicate(1);
  for (unsigned k = 0; k < 3; ++k) add_source(d, k);
  d.op.predicate[0] = d.op.predicate[1] = kFalse;
  if (extended) {
    d.optional_predicate(0);
    d.optional_predicate(1);
  }
  d.op.run = run_uiadd3;
}

/// Double-length product plus a pair: UIMAD.WIDE (kind 0, 1 unsigned) and UIMAD.HI (kind 2, 3 unsigned).
void run_uimad_wide(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 a = scalar(warp, op, 0, active), b = scalar(warp, op, 1, active);
  const u64 product = op.kind & 1 ? u64{a} * b : static_cast<u64>(i64{s(a)} * s(b));
  const u64 addend = join64(scalar(warp, op, 2, active), scalar(warp, op, 3, active));
  const u64 sum = product + addend + holds(warp, op, 0);
  if (op.kind & 2) {
    warp.set_uniform(op.uniform_dst, static_cast<u32>(sum >> 32));
  } else {
    warp.set_uniform(op.uniform_dst, static_cast<u32>(sum));
    if (op.uniform_dst != kUniformZero) warp.set_uniform(op.uniform_dst + 1u, static_cast<u32>(sum >> 32));
  }
  warp.set_uniform_predicate(op.dst_predicate[0], sum < product);
}
void run_uimad_carry(Warp& warp, const Op& op, LaneMask active, Step&) {
  warp.set_uniform(op.uniform_dst, scalar(warp, op, 0, active) * scalar(warp, op, 1, active) +
                                       scalar(warp, op, 2, active) + holds(warp, op, 0));
}
void decode_uimad(Decoder& d) {
  const bool wide = d.modifier("WIDE"), high = d.modifier("HI"), is_unsigned = d.modifier("U32"),
             extended = d.modifier("X");
  d.ignore({"MOV", "SHL", "IADD"});
  d.uniform_dst();
  d.optional_dst_predicate(0);
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.op.predicate[0] = kFalse;
  if (wide || high) {
    d.source_pair(2);
    d.op.kind = static_cast<std::uint8_t>((is_unsigned ? 1 : 0) | (high ? 2 : 0));
    d.op.run = run_uimad_wide;
  } else {
    d.source(2, ValueType::kInteger);
    d.op.run = run_uimad_carry;
  }
  if (extended) d.optional_predicate(0);
}

u32 lookup(u32 table, u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 k = 0; k < 8; ++k) {
    if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
  return r;
}

void run_ulop3(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 r =
      lookup(op.extra[0], scalar(warp, op, 0, active), scalar(warp, op, 1, active), scalar(warp, op, 2, active));
  warp.set_uniform(op.uniform_dst, r);
  const bool p = holds(warp, op, 0);
  warp.set_uniform_predicate(op.dst_predicate[0], op.kind ? (r != 0) && p : (r != 0) || p);
}
void decode_ulop3(Decoder& d) {
  d.ignore({"LUT"});
  d.op.kind = d.modifier("PAND") ? 1 : 0;
  d.optional_dst_predicate(0);
  d.uniform_dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  d.op.extra[0] = static_cast<u32>(d.integer() & 255);
  d.op.predicate[0] = kFalse;
  d.optional_predicate(0);
  d.op.run = run_ulop3;
}

void run_uplop3(Warp& warp, const Op& op, LaneMask, Step&) {
  const LaneMask a = warp.guard_mask(op.predicate[0]), b = warp.guard_mask(op.predicate[1]),
                 c = warp.guard_mask(op.predicate[2]);
  warp.set_uniform_predicate(op.dst_predicate[0], lookup(op.extra[0], a, b, c) & 1);
  warp.set_uniform_predicate(op.dst_predicate[1], lookup(op.extra[1], a, b, c) & 1);
}
void decode_uplop3(Decoder& d) {
  d.ignore({"LUT"});
  d.dst_predicate(0);
  d.dst_predicate(1);
  for (unsigned k = 0; k < 3; ++k) d.predicate(k);
  d.op.extra[0] = static_cast<u32>(d.integer() & 255);
  d.op.extra[1] = d.left() ? static_cast<u32>(d.integer() & 255) : 0;
  d.op.run = run_uplop3;
}

enum ShiftKind : std::uint8_t { kLeft = 1, kHigh = 2, kWrap = 4, kWide = 8, kSigned = 16 };

void run_ushf(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 limit = op.kind & kWide ? 64 : 32;
  u32 n = scalar(warp, op, 1, active);
  n = op.kind & kWrap ? n & (limit - 1) : std::min(n, limit);
  const u64 v = join64(scalar(warp, op, 0, active), scalar(warp, op, 2, active));
  u64 r = 0;
  if (op.kind & kLeft)
    r = n >= 64 ? 0 : v << n;
  else if (op.kind & kSigned)
    r = static_cast<u64>(static_cast<i64>(v) >> std::min(n, 63u));
  else
    r = n >= 64 ? 0 : v >> n;
  warp.set_uniform(op.uniform_dst, static_cast<u32>(op.kind & kHigh ? r >> 32 : r));
}
void decode_ushf(Decoder& d) {
  std::uint8_t kind = d.modifier("L") ? kLeft : 0;
  d.modifier("R");
  if (d.modifier("HI")) kind |= kHigh;
  if (d.modifier("W")) kind |= kWrap;
  const int type = d.modifier_of({"U32", "S32", "U64", "S64"});
  if (type >= 2) kind |= kWide;
  if (type == 1 || type == 3) kind |= kSigned;
  d.op.kind = kind;
  d.uniform_dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  d.op.run = run_ushf;
}

/// Op::kind: shift | 32 for HI | 64 for SX32; Op::extra[1]: the shifted value is inverted.
void run_ulea(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 a = scalar(warp, op, 0, active);
  const u32 n = op.kind & 31;
  u32 shifted = a << n;
  if (op.kind & 32) {
    const u32 upper = op.kind & 64 ? static_cast<u32>(s(a) >> 31) : scalar(warp, op, 2, active);
    shifted = static_cast<u32>((join64(a, upper) << n) >> 32);
  }
  const u64 sum = u64{shifted ^ op.extra[1]} + scalar(warp, op, 1, active) + op.extra[0] + holds(warp, op, 0);
  warp.set_uniform(op.uniform_dst, static_cast<u32>(sum));
  warp.set_uniform_predicate(op.dst_predicate[0], sum >> 32 != 0);
}
void decode_ulea(Decoder& d) {
  const bool high = d.modifier("HI"), extended = d.modifier("X"), sign_extend = d.modifier("SX32");
  d.uniform_dst();
  d.optional_dst_predicate(0);
  TextOperand first = d.take();
  if (first.negate || first.invert) d.op.extra[1] = ~0u;
  if (first.negate) ++d.op.extra[0];
  first.negate = first.invert = false;
  d.source_from(0, first, ValueType::kBits);
  add_source(d, 1);
  if (high && !sign_extend) d.source(2);
  d.op.kind = static_cast<std::uint8_t>((d.integer() & 31) | (high ? 32 : 0) | (sign_extend ? 64 : 0));
  d.op.predicate[0] = kFalse;
  if (extended) d.optional_predicate(0);
  d.op.run = run_ulea;
}

bool compares(int c, bool is_unsigned, u32 a, u32 b) {
  const bool less = is_unsigned ? a < b : s(a) < s(b);
  switch (c) {
    case 1:
      return less;
    case 2:
      return a == b;
    case 3:
      return less || a == b;
    case 4:
      return !less && a != b;
    case 5:
      return a != b;
    case 6:
      return !less;
    case 7:
      return true;
    default:
      return false;
  }
}

/// Op::extra[0]: comparison | 8 unsigned | 16 extended.
void run_uisetp(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 a = scalar(warp, op, 0, active), b = scalar(warp, op, 1, active);
  bool truth = compares(static_cast<int>(op.extra[0] & 7), op.extra[0] & 8, a, b);
  if ((op.extra[0] & 16) && a == b) truth = holds(warp, op, 1);
  const LaneMask third = warp.guard_mask(op.predicate[0]);
  const Combine how = static_cast<Combine>(op.kind);
  const LaneMask t = truth ? kAllLanes : 0;
  warp.set_uniform_predicate(op.dst_predicate[0], combine(how, t, third) & 1);
  warp.set_uniform_predicate(op.dst_predicate[1], combine(how, ~t, third) & 1);
}
void decode_uisetp(Decoder& d) {
  const int c = d.modifier_of({"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"});
  if (c < 0) d.refuse("it has no comparison");
  const bool is_unsigned = d.modifier("U32"), extended = d.modifier("EX");
  d.op.extra[0] = static_cast<u32>(c) | (is_unsigned ? 8u : 0u) | (extended ? 16u : 0u);
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"AND", "OR", "XOR"}), 0));
  d.dst_predicate(0);
  d.dst_predicate(1);
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.optional_predicate(0);
  if (extended) d.predicate(1);
  d.op.run = run_uisetp;
}

void decode_uprmt(Decoder& d) {
  d.uniform_dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  d.op.run = scalar_op<3>([](u32 a, u32 selector, u32 c) {
    const u64 v = join64(a, c);
    u32 r = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const u32 n = selector >> (4 * k);
      u32 byte = static_cast<u32>(v >> (8 * (n & 7))) & 255;
      if (n & 8) byte = byte & 128 ? 255 : 0;
      r |= byte << (8 * k);
    }
    return r;
  });
}

void decode_ubmsk(Decoder& d) {
  const bool wrap = d.modifier("W");
  d.ignore({"C"});
  d.uniform_dst();
  d.source(0);
  d.source(1);
  if (wrap) {
    d.op.run = scalar_op<2>([](u32 a, u32 b) { return ((1u << (b & 31)) - 1) << (a & 31); });
  } else {
    d.op.run = scalar_op<2>([](u32 a, u32 b) -> u32 {
      const u64 ones = b >= 32 ? 0xffffffffull : (1ull << (b & 31)) - 1;
      return a >= 32 ? 0 : static_cast<u32>(ones << (a & 31));
    });
  }
}

void decode_usgxt(Decoder& d) {
  const bool is_unsigned = d.modifier("U32");
  d.ignore({"W"});
  d.uniform_dst();
  d.source(0);
  d.source(1);
  if (is_unsigned) {
    d.op.run = scalar_op<2>([](u32 a, u32 b) { return b >= 32 ? a : a & ((1u << (b & 31)) - 1); });
  } else {
    d.op.run = scalar_op<2>([](u32 a, u32 b) -> u32 {
      if (b >= 32) return a;
      return b == 0 ? 0 : static_cast<u32>(s(a << (32 - b)) >> (32 - b));
    });
  }
}

void decode_uflo(Decoder& d) {
  const bool is_unsigned = d.modifier("U32"), shift = d.modifier("SH");
  d.uniform_dst();
  d.optional_dst_predicate(0);
  d.source(0);
  if (is_unsigned && shift) {
    d.op.run = scalar_op<1>([](u32 a) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); });
  } else if (is_unsigned) {
    d.op.run = scalar_op<1>([](u32 a) { return a == 0 ? ~0u : 31u - static_cast<u32>(std::countl_zero(a)); });
  } else if (shift) {
    d.op.run = scalar_op<1>([](u32 a) {
      const u32 v = s(a) < 0 ? ~a : a;
      return v == 0 ? ~0u : static_cast<u32>(std::countl_zero(v));
    });
  } else {
    d.op.run = scalar_op<1>([](u32 a) {
      const u32 v = s(a) < 0 ? ~a : a;
      return v == 0 ? ~0u : 31u - static_cast<u32>(std::countl_zero(v));
    });
  }
}

void decode_upopc(Decoder& d) {
  d.uniform_dst();
  d.source(0);
  d.op.run = scalar_op<1>([](u32 a) { return static_cast<u32>(std::popcount(a)); });
}
void decode_ubrev(Decoder& d) {
  d.uniform_dst();
  d.source(0);
  d.op.run = scalar_op<1>([](u32 a) {
    u32 r = 0;
    for (unsigned k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
    return r;
  });
}
void decode_uiabs(Decoder& d) {
  d.uniform_dst();
  d.source(0, ValueType::kInteger);
  d.op.run = scalar_op<1>([](u32 a) { return s(a) < 0 ? 0u - a : a; });
}

void run_uimnmx(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 a = scalar(warp, op, 0, active), b = scalar(warp, op, 1, active);
  const bool less = op.kind ? a < b : s(a) < s(b);
  warp.set_uniform(op.uniform_dst, less == holds(warp, op, 0) ? a : b);
}
void decode_uimnmx(Decoder& d) {
  d.op.kind = d.modifier("U32") ? 1 : 0;
  d.ignore({"S32"});
  d.uniform_dst();
  d.source(0, ValueType::kInteger);
  d.source(1, ValueType::kInteger);
  d.predicate(0);
  d.op.run = run_uimnmx;
}

/// R2UR takes the value of the first active lane; its predicate marks the lanes that hold another value.
void run_r2ur(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch);
  const u32 value = a[std::countr_zero(active)];
  LaneMask others = 0;
  for (unsigned i = 0; i < kLanes; ++i) others |= u32{a[i] != value} << i;
  warp.set_uniform(op.uniform_dst, value);
  warp.set_predicate(op.dst_predicate[0], others, active);
}
void decode_r2ur(Decoder& d) {
  d.ignore({"OR", "FILL"});
  d.optional_dst_predicate(0);
  d.uniform_dst();
  d.source(0);
  d.op.run = run_r2ur;
}

/// UP2UR URd, UPR, URa, mask and UR2UP UPR, URa, mask.
void run_up2ur(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 mask = scalar(warp, op, 1, active) & 0x7f;
  u32 bits = 0;
  for (unsigned k = 0; k < 7; ++k) bits |= (warp.uniform_predicate[k] & 1) << k;
  warp.set_uniform(op.uniform_dst, (scalar(warp, op, 0, active) & ~mask) | (bits & mask));
}
void decode_up2ur(Decoder& d) {
  d.uniform_dst();
  if (!d.next_is(OperandKind::kAllPredicates)) d.refuse("UPR is expected");
  d.take();
  d.source(0);
  d.source(1);
  d.op.run = run_up2ur;
}
void run_ur2up(Warp& warp, const Op& op, LaneMask active, Step&) {
  const u32 value = scalar(warp, op, 0, active), mask = scalar(warp, op, 1, active);
  for (unsigned k = 0; k < 7; ++k) {
    if (mask >> k & 1) warp.set_uniform_predicate(static_cast<std::uint8_t>(k), value >> k & 1);
  }
}
void decode_ur2up(Decoder& d) {
  if (!d.next_is(OperandKind::kAllPredicates)) d.refuse("UPR is expected");
  d.take();
  d.source(0);
  d.source(1);
  d.op.run = run_ur2up;
}

}  // namespace

void register_uniform(DecodeTable& t) {
  t["UMOV"] = decode_umov;
  t["USEL"] = decode_usel;
  t["UIADD3"] = decode_uiadd3;
  t["UIMAD"] = decode_uimad;
  t["ULOP3"] = decode_ulop3;
  t["UPLOP3"] = decode_uplop3;
  t["USHF"] = decode_ushf;
  t["ULEA"] = decode_ulea;
  t["UISETP"] = decode_uisetp;
  t["UPRMT"] = decode_uprmt;
  t["UBMSK"] = decode_ubmsk;
  t["USGXT"] = decode_usgxt;
  t["UFLO"] = decode_uflo;
  t["UPOPC"] = decode_upopc;
  t["UBREV"] = decode_ubrev;
  t["UIABS"] = decode_uiabs;
  t["UIMNMX"] = decode_uimnmx;
  t["R2UR"] = decode_r2ur;
  t["UP2UR"] = decode_up2ur;
  t["UR2UP"] = decode_ur2up;
}

}  // namespace smpipe::sass
