// Instructions across the lanes of a warp: shuffles, votes, matches, reductions.
#include <bit>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;

enum Shuffle { kIdx, kUp, kDown, kBfly };

void run_shfl(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[3][kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const u32* c = fetch(warp, op, op.src[2], active, scratch[2]);
  LaneMask in_range = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const int segment = static_cast<int>(c[lane] >> 8 & 31), clamp = static_cast<int>(c[lane] & 31);
    const int self = static_cast<int>(lane), amount = static_cast<int>(b[lane] & 31);
    const int last = (self & segment) | (clamp & ~segment & 31);
    int from = 0;
    bool ok = false;
    switch (op.kind) {
      case kUp:
        from = self - amount;
        ok = from >= last;
        break;
      case kDown:
        from = self + amount;
        ok = from <= last;
        break;
      case kBfly:
        from = self ^ amount;
        ok = from <= last;
        break;
      default:
        from = (self & segment) | (amount & ~segment & 31);
        ok = from <= last;
        break;
    }
    if (!ok) from = self;
    result[lane] = a[from & 31];
    in_range |= u32{ok} << lane;
  }
  store_lanes(warp.row(op.dst), result, active);
  warp.set_predicate(op.dst_predicate[0], in_range, active);
}

void decode_shfl(Decoder& d) {
  const int kind = d.modifier_of({"IDX", "UP", "DOWN", "BFLY"});
  if (kind < 0) d.refuse("it has no mode");
  d.op.kind = static_cast<std::uint8_t>(kind);
  d.optional_dst_predicate(0);
  d.dst();
  for (unsigned k = 0; k < 3; ++k) d.source(k);
  d.op.run = run_shfl;
}

enum Vote { kAny, kAll, kEq };

bool vote(int kind, LaneMask value, LaneMask active) {
  if (kind == kAll) return value == active;
  if (kind == kEq) return value == active || value == 0;
  return value != 0;
}

void run_vote(Warp& warp, const Op& op, LaneMask active, Step&) {
  const LaneMask value = warp.guard_mask(op.predicate[0]) & active;
  const bool truth = vote(op.kind, value, active);
  u32 result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) result[i] = value;
  store_lanes(warp.row(op.dst), result, active);
  warp.set_predicate(op.dst_predicate[0], truth ? kAllLanes : 0, active);
}

void run_voteu(Warp& warp, const Op& op, LaneMask active, Step&) {
  const LaneMask value = warp.guard_mask(op.predicate[0]) & active;
  warp.set_uniform(op.uniform_dst, value);
  warp.set_uniform_predicate(op.dst_predicate[0], vote(op.kind, value, active));
}

void decode_vote(Decoder& d) {
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"ANY", "ALL", "EQ"}), 0));
  if (d.next_is(OperandKind::kRegister)) d.dst();
  d.optional_dst_predicate(0);
  d.predicate(0);
  d.op.run = run_vote;
}
void decode_voteu(Decoder& d) {
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"ANY", "ALL", "EQ"}), 0));
  if (d.next_is(OperandKind::kUniform)) d.uniform_dst();
  d.optional_dst_predicate(0);
  d.predicate(0);
  d.op.run = run_voteu;
}

void run_match(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[2][kLanes], result[kLanes] = {};
  const u32* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* b = op.extra[0] ? fetch(warp, op, op.src[1], active, scratch[1]) : a;
  LaneMask left = active;
  while (left) {
    const unsigned first = static_cast<unsigned>(std::countr_zero(left));
    LaneMask group = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((active >> i & 1) && a[i] == a[first] && b[i] == b[first]) group |= 1u << i;
    }
    for (unsigned i = 0; i < kLanes; ++i) {
      if (group >> i & 1) result[i] = group;
    }
    left &= ~group;
  }
  const bool all = result[std::countr_zero(active)] == active;
  if (op.kind == 1) {
    for (u32& r : result) r = all ? active : 0;
  }
  store_lanes(warp.row(op.dst), result, active);
  warp.set_predicate(op.dst_predicate[0], all ? kAllLanes : 0, active);
}

void decode_match(Decoder& d) {
  const int kind = d.modifier_of({"ANY", "ALL"});
  const bool wide = d.modifier("U64");
  d.ignore({"U32"});
  d.op.kind = kind == 1 ? 1 : 0;
  d.optional_dst_predicate(0);
  d.dst();
  if (wide)
    d.source_pair(0);
  else
    d.source(0);
  d.op.extra[0] = wide;
  d.op.run = run_match;
}

enum Reduce { kOr, kAnd, kXor, kSum, kMin, kMax };

u32 reduce(int kind, bool is_signed, u32 a, u32 b) {
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (kind) {
    case kAnd:
      return a & b;
    case kXor:
      return a ^ b;
    case kSum:
      return a + b;
    case kMin:
      return is_signed ? static_cast<u32>(std::min(sa, sb)) : std::min(a, b);
    case kMax:
      return is_signed ? static_cast<u32>(std::max(sa, sb)) : std::max(a, b);
    default:
      return a | b;
  }
}

void run_redux(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch);
  bool first = true;
  u32 r = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(active >> i & 1)) continue;
    r = first ? a[i] : reduce(op.kind, op.extra[0] != 0, r, a[i]);
    first = false;
  }
  warp.set_uniform(op.uniform_dst, r);
}

void decode_redux(Decoder& d) {
  // Without an operation the instruction is AND.
  const int kind = d.modifier_of({"OR", "AND", "XOR", "SUM", "MIN", "MAX"});
  d.op.kind = static_cast<std::uint8_t>(kind < 0 ? static_cast<int>(kAnd) : kind);
  d.op.extra[0] = d.modifier("S32");
  d.ignore({"U32"});
  d.uniform_dst();
  d.source(0);
  d.op.run = run_redux;
}

/// ELECT Pd, URd, Pm: true for the first active lane; its number goes to the uniform register.
void run_elect(Warp& warp, const Op& op, LaneMask active, Step&) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(active));
  warp.set_uniform(op.uniform_dst, first);
  warp.set_predicate(op.dst_predicate[0], 1u << first, active);
}

void decode_elect(Decoder& d) {
  d.dst_predicate(0);
  d.uniform_dst();
  while (d.left()) d.take();
  d.op.run = run_elect;
}

}  // namespace

void register_warp(DecodeTable& t) {
  t["SHFL"] = decode_shfl;
  t["VOTE"] = decode_vote;
  t["VOTEU"] = decode_voteu;
  t["MATCH"] = decode_match;
  t["ELECT"] = decode_elect;
  t["REDUX"] = t["CREDUX"] = decode_redux;
}

}  // namespace smpipe::sass
