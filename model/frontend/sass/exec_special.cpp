// Special registers, block barriers, constant loads.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;

enum Special : std::uint8_t {
  kZero,
  kTidX,
  kTidY,
  kTidZ,
  kTid,
  kCtaX,
  kCtaY,
  kCtaZ,
  kNtid,
  kNctaX,
  kNctaY,
  kNctaZ,
  kLane,
  kVirtualId,
  kWarpId,
  kNumWarps,
  kSm,
  kNumSms,
  kClockLow,
  kClockHigh,
  kTimeLow,
  kTimeHigh,
  kEqMask,
  kLtMask,
  kLeMask,
  kGtMask,
  kGeMask,
  kSharedHigh,
  kSharedSize,
  kGridId,
  kOnes
};

struct Name {
  const char* name;
  Special value;
};
constexpr Name kNames[] = {
    {"SRZ", kZero},
    {"SR_TID.X", kTidX},
    {"SR_TID.Y", kTidY},
    {"SR_TID.Z", kTidZ},
    {"SR_TID", kTid},
    {"SR_CTAID.X", kCtaX},
    {"SR_CTAID.Y", kCtaY},
    {"SR_CTAID.Z", kCtaZ},
    {"SR_NTID", kNtid},
    {"SR_LANEID", kLane},
    {"SR_VIRTID", kVirtualId},
    {"SR_WARPID", kWarpId},
    {"SR_NWARPID", kNumWarps},
    {"SR_SMID", kSm},
    {"SR_VIRTUALSMID", kSm},
    {"SR_NSMID", kNumSms},
    {"SR_CLOCKLO", kClockLow},
    {"SR_CLOCK", kClockLow},
    {"SR_CLOCKHI", kClockHigh},
    {"SR_GLOBALTIMERLO", kTimeLow},
    {"SR_GLOBALTIMERHI", kTimeHigh},
    {"SR_EQMASK", kEqMask},
    {"SR_LTMASK", kLtMask},
    {"SR_LEMASK", kLeMask},
    {"SR_GTMASK", kGtMask},
    {"SR_GEMASK", kGeMask},
    {"SR_CgaCtaId", kZero},
    {"SR_CTAID_IN_CLUSTER", kZero},
    {"SR_SWINHI", kSharedHigh},
    {"SR_SMEMSZ", kSharedSize},
    {"SR_GRIDID", kGridId},
    {"SR_GRID_ID", kGridId},
    {"SR_VIRTCFG", kNumWarps},
    {"SR_CgaSize", kOnes},
    {"SR_ORDERING_TICKET", kZero},
    {"SR_PM0", kZero},
};

int special_of(const std::string& name) {
  for (const Name& n : kNames) {
    if (name == n.name) return n.value;
  }
  return -1;
}

/// Nanoseconds: the model has no clock frequency here, so one cycle counts as one nanosecond.
/// globaltimer: model time since the start of the simulation.
std::uint64_t nanoseconds(Warp& warp) {
  return static_cast<std::uint64_t>(static_cast<double>(warp.now) * warp.image().ns_per_cycle);
}

u32 special_value(Warp& warp, Special which, unsigned lane) {
  const LaunchShape& shape = warp.image().shape;
  const u32 thread = warp.index() * kLanes + lane;
  const Dim3& block = shape.block;
  switch (which) {
    case kTidX:
      return thread % block.x;
    case kTidY:
      return thread / block.x % block.y;
    case kTidZ:
      return thread / block.x / block.y;
    case kTid:
      return thread % block.x | (thread / block.x % block.y) << 16;
    case kCtaX:
      return warp.block().id.x;
    case kCtaY:
      return warp.block().id.y;
    case kCtaZ:
      return warp.block().id.z;
    case kNtid:
      return shape.threads_per_block();
    case kNctaX:
      return shape.grid.x;
    case kNctaY:
      return shape.grid.y;
    case kNctaZ:
      return shape.grid.z;
    case kLane:
      return lane;
    case kVirtualId:
      return warp.index() << 8;
    case kWarpId:
      return warp.index();
    case kNumWarps:
      return 64;
    case kSm:
      return warp.block().sm;
    case kNumSms:
      return warp.image().sm_count;
    case kClockLow:
      return static_cast<u32>(warp.now);
    case kClockHigh:
      return static_cast<u32>(warp.now >> 32);
    case kTimeLow:
      return static_cast<u32>(nanoseconds(warp));
    case kTimeHigh:
      return static_cast<u32>(nanoseconds(warp) >> 32);
    case kEqMask:
      return 1u << lane;
    case kLtMask:
      return (1u << lane) - 1;
    case kLeMask:
      return (2u << lane) - 1;
    case kGtMask:
      return ~((2u << lane) - 1);
    case kGeMask:
      return ~((1u << lane) - 1);
    case kSharedHigh:
      return static_cast<u32>(kSharedWindow >> 32);
    case kSharedSize:
      return warp.image().shared_bytes;
    case kGridId:
    case kOnes:
      return 1;
    default:
      return 0;
  }
}

void run_s2r(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) result[i] = special_value(warp, static_cast<Special>(op.kind), i);
  store_lanes(warp.row(op.dst), result, active);
}
void run_s2ur(Warp& warp, const Op& op, LaneMask active, Step&) {
  const unsigned lane = static_cast<unsigned>(std::countr_zero(active));
  warp.set_uniform(op.uniform_dst, special_value(warp, static_cast<Special>(op.kind), lane));
}
void run_cs2r(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 low[kLanes], high[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    low[i] = special_value(warp, static_cast<Special>(op.kind), i);
    high[i] = special_value(warp, static_cast<Special>(op.extra[0]), i);
  }
  store_pair(warp, op.dst, low, high, active);
}

std::uint8_t special_operand(Decoder& d) {
  const TextOperand& operand = d.take();
  const int which = operand.kind == OperandKind::kSpecial ? special_of(operand.name) : -1;
  if (which < 0) d.refuse("special register " + operand.name + " is not supported");
  return static_cast<std::uint8_t>(which);
}

void decode_s2r(Decoder& d) {
  d.dst();
  d.op.kind = special_operand(d);
  d.op.run = run_s2r;
}
void decode_s2ur(Decoder& d) {
  d.uniform_dst();
  d.op.kind = special_operand(d);
  d.op.run = run_s2ur;
}
void decode_cs2r(Decoder& d) {
  const bool narrow = d.modifier("32");
  d.ignore({"64"});
  d.dst(narrow ? 1 : 2);
  d.op.kind = special_operand(d);
  d.op.extra[0] = d.op.kind == kClockLow ? kClockHigh : d.op.kind == kTimeLow ? kTimeHigh : kZero;
  d.op.run = narrow ? run_s2r : run_cs2r;
}

// --- barriers
// -----------------------------------------------------------------------------------------------------------

u32 first_lane(Warp& warp, const Op& op, unsigned k, LaneMask active) {
  u32 scratch[kLanes];
  return fetch(warp, op, op.src[k], active, scratch)[std::countr_zero(active)];
}

u32 barrier_number(Warp& warp, const Op& op, LaneMask active) {
  const u32 number = first_lane(warp, op, 0, active);
  if (number > 15) warp.fault(op, kLanes, fmt::format("barrier {} does not exist", number), "barriers are 0 to 15");
  return number;
}

void run_bar(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const u32 id = barrier_number(warp, op, active);
  out.barrier = static_cast<BarrierOp>(op.kind);
  out.barrier_id = static_cast<std::uint8_t>(id);
  out.barrier_threads = op.extra[0] ? first_lane(warp, op, 1, active) : 0;
  out.barrier_predicate = 0;
  if (out.barrier == BarrierOp::kReduce) {
    out.barrier_predicate = warp.guard_mask(op.predicate[0]) & active;
    warp.reduction_kind = static_cast<std::uint8_t>(op.extra[1]);
  }
  warp.advance();
  if (!warp.diverged() || out.barrier == BarrierOp::kArrive) return;
  // Other paths of this warp that stand at the same barrier arrive with this one.
  for (Path& path : warp.others()) {
    if (path.state != Path::kReady || path.pc >= warp.image().ops.size()) continue;
    const Op& other = warp.image().ops[path.pc];
    if (other.run != run_bar || other.kind != op.kind || barrier_number(warp, other, path.mask) != id) continue;
    if (other.guarded) continue;
    if (out.barrier == BarrierOp::kReduce) out.barrier_predicate |= warp.guard_mask(other.predicate[0]) & path.mask;
    ++path.pc;
  }
}

void decode_bar(Decoder& d) {
  const int kind = d.modifier_of({"SYNC", "ARV", "RED"});
  if (kind < 0) d.refuse("this form of BAR is not supported");
  d.ignore({"DEFER_BLOCKING"});
  d.op.kind = static_cast<std::uint8_t>(kind == 0   ? BarrierOp::kSync
                                        : kind == 1 ? BarrierOp::kArrive
                                                    : BarrierOp::kReduce);
  d.op.extra[1] = static_cast<u32>(std::max(d.modifier_of({"POPC", "AND", "OR"}), 0));
  d.op.flow = true;
  d.source(0);
  if (d.left() && !d.next_is(OperandKind::kPredicate)) {
    d.source(1);
    d.op.extra[0] = 1;
  }
  d.optional_predicate(0);
  d.op.run = run_bar;
}

void run_b2r(Warp& warp, const Op& op, LaneMask active, Step&) {
  const bool truth = warp.reduction_kind == 1 ? warp.reduction_all : warp.reduction_any;
  u32 result[kLanes];
  for (u32& r : result) r = warp.reduction_kind == 0 ? warp.reduction_count : truth ? ~0u : 0u;
  store_lanes(warp.row(op.dst), result, active);
  warp.set_predicate(op.dst_predicate[0], truth ? kAllLanes : 0, active);
}

void decode_b2r(Decoder& d) {
  if (!d.modifier("RESULT")) d.refuse("this form of B2R is not supported");
  d.dst();
  d.optional_dst_predicate(0);
  d.op.run = run_b2r;
}

// --- constants
// ----------------------------------------------------------------------------------------------------------

void run_ldc(Warp& warp, const Op& op, LaneMask active, Step&) {
  const unsigned bytes = op.kind & 15;
  const bool is_signed = op.kind & 16;
  const Source& s = op.src[0];
  const u32* index = warp.row(s.index);
  u32 low[kLanes] = {}, high[kLanes] = {};
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(active >> i & 1)) continue;
    const std::uint64_t offset = static_cast<u32>(index[i] + warp.uniform[s.uniform] + s.offset);
    u32 v = load_constant(warp, op, i, s.bank, offset, bytes == 8 ? 4 : bytes);
    if (is_signed && bytes == 1) v = static_cast<u32>(std::int32_t{static_cast<std::int8_t>(v)});
    if (is_signed && bytes == 2) v = static_cast<u32>(std::int32_t{static_cast<std::int16_t>(v)});
    low[i] = v;
    if (bytes == 8) high[i] = load_constant(warp, op, i, s.bank, offset + 4, 4);
  }
  if (bytes == 8)
    store_pair(warp, op.dst, low, high, active);
  else
    store_lanes(warp.row(op.dst), low, active);
}

void run_uldc(Warp& warp, const Op& op, LaneMask active, Step&) {
  const unsigned bytes = op.kind & 15;
  const Source& s = op.src[0];
  const unsigned lane = static_cast<unsigned>(std::countr_zero(active));
  const std::uint64_t offset = static_cast<u32>(warp.uniform[s.uniform] + s.offset);
  u32 v = load_constant(warp, op, lane, s.bank, offset, bytes == 8 ? 4 : bytes);
  if ((op.kind & 16) && bytes == 1) v = static_cast<u32>(std::int32_t{static_cast<std::int8_t>(v)});
  if ((op.kind & 16) && bytes == 2) v = static_cast<u32>(std::int32_t{static_cast<std::int16_t>(v)});
  const u32 high = bytes == 8 ? load_constant(warp, op, lane, s.bank, offset + 4, 4) : 0;
  warp.set_uniform(op.uniform_dst, v);
  if (bytes == 8 && op.uniform_dst != kUniformZero) warp.set_uniform(op.uniform_dst + 1u, high);
}

void constant_operand(Decoder& d) {
  const TextOperand& o = d.take();
  if (o.kind != OperandKind::kConstant || o.bindless) d.refuse("a constant operand c[bank][offset] is expected");
  Source& s = d.op.src[0];
  s.bank = o.bank;
  s.index = o.index == kNoIndex ? d.image().zero_row : d.register_row(o.index);
  s.uniform = o.uniform == kNoIndex ? kUniformZero : o.uniform;
  s.offset = static_cast<u32>(o.value);
}

void constant_width(Decoder& d) {
  const int k = d.modifier_of({"U8", "S8", "U16", "S16", "64", "128"});
  d.ignore({"IL", "IS", "ISL", "32"});
  static constexpr std::uint8_t kinds[] = {1, 1 | 16, 2, 2 | 16, 8};
  if (k == 5) d.refuse("128-bit constant loads are not supported");
  d.op.kind = k < 0 ? 4 : kinds[k];
}

void decode_ldc(Decoder& d) {
  constant_width(d);
  d.dst((d.op.kind & 15) == 8 ? 2 : 1);
  constant_operand(d);
  // A constant that the launch fixes is an ordinary operand.
  const Source& s = d.op.src[0];
  const auto& bank = d.image().banks[s.bank];
  const bool fixed = s.index == d.image().zero_row && s.uniform == kUniformZero && (d.op.kind & 15) == 4 &&
                     s.offset % 4 == 0 && std::uint64_t{s.offset} + 4 <= bank.size();
  d.op.run = run_ldc;
  if (fixed) {
    TextOperand value;
    u32 raw = 0;
    std::memcpy(&raw, bank.data() + s.offset, 4);
    value.value = raw;
    d.source_from(0, value, ValueType::kBits);
    d.op.run = map<1>([](u32 a) { return a; });
  }
}
void decode_uldc(Decoder& d) {
  constant_width(d);
  d.uniform_dst();
  constant_operand(d);
  d.op.run = run_uldc;
}

}  // namespace

u32 load_constant(Warp& warp, const Op& op, unsigned lane, unsigned bank, std::uint64_t offset, unsigned bytes) {
  const auto& data = warp.image().banks[bank];
  if (offset % bytes != 0) {
    warp.fault(op, lane, fmt::format("misaligned constant access c[{:#x}][{:#x}]", bank, offset));
  }
  if (offset + bytes > data.size()) {
    if (bank == 0 || !data.empty()) {
      warp.fault(op, lane,
                 fmt::format("constant access c[{:#x}][{:#x}] beyond the bank's {} bytes", bank, offset, data.size()),
                 bank == 0 ? "the argument list is shorter than the kernel's parameters" : "");
    }
    warp.fault(op, lane, fmt::format("constant bank {:#x} is not known", bank),
               "a plain disassembly lacks literals, jump tables, __constant__ and __device__ variables; "
               "make the listing with cuobjdump -sass -elf");
  }
  u32 value = 0;
  std::memcpy(&value, data.data() + offset, bytes);
  return value;
}

void register_special(DecodeTable& t) {
  t["S2R"] = decode_s2r;
  t["S2UR"] = decode_s2ur;
  t["CS2R"] = decode_cs2r;
  t["BAR"] = decode_bar;
  t["B2R"] = decode_b2r;
  t["LDC"] = decode_ldc;
  t["ULDC"] = decode_uldc;
}

}  // namespace smpipe::sass
