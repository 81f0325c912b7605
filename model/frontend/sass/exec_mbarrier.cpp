// Transaction barriers in shared memory and their completion by asynchronous copies.
//
// Both generations keep an mbarrier in one 64-bit word. sm_80 counts by ordinary arithmetic: the low word holds
// 2^30 - expected, the high word the phase in bit 31 and 2^31 - pending below it. sm_90 packs expected, transaction and
// pending counts: bits 1-20 hold 2^20 - expected, bits 21-41 the transaction count, bits 43-62 2^20 - pending, bit 63
// the phase.
#include <bit>
#include <cstring>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"
#include "frontend/sass/memory_access.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kPhase32 = 0x80000000;
constexpr u64 kPhase64 = u64{1} << 63;
constexpr u64 kCountOne = u64{1} << 43;  // one arrival in the pending field
constexpr u64 kCountMask = u64{0xfffff} << 43;
constexpr u64 kTransactionOne = u64{1} << 21;
constexpr u64 kTransactionMask = u64{0x1fffff} << 21;
constexpr u64 kExpectedMask = u64{0xfffff} << 1;

u64 read64(const std::uint8_t* p) {
  u64 v = 0;
  std::memcpy(&v, p, 8);
  return v;
}
void write64(std::uint8_t* p, u64 v) { std::memcpy(p, &v, 8); }

/// One arrival on an sm_80 barrier; returns the state before it.
u64 arrive_ampere(std::uint8_t* p) {
  const u64 old = read64(p);
  const u32 low = static_cast<u32>(old);
  u32 high = static_cast<u32>(old >> 32) + 1;
  // The phase bit has flipped and the count is used up: load the expected count again.
  if ((high & ~kPhase32) == 0) high = (high & kPhase32) | ((low + 0x40000000u) & ~kPhase32);
  write64(p, join64(low, high));
  return old;
}

/// Starts the next phase of an sm_90 barrier once no arrival and no transaction is pending.
u64 complete_hopper(u64 v) {
  if ((v & kCountMask) != 0 || (v & kTransactionMask) != 0) return v;
  // A pending count of zero reads as 2^20, which is zero in its field. The phase flips and the expected count is
  // loaded.
  const u64 expected = (v & kExpectedMask) >> 1;
  return (v ^ kPhase64) | expected << 43;
}

/// Adds arrivals and transactions to an sm_90 barrier; returns the state before.
u64 arrive_hopper(std::uint8_t* p, u32 arrivals, std::int64_t transactions) {
  const u64 old = read64(p);
  u64 v = old;
  v = (v & ~kCountMask) | ((v + arrivals * kCountOne) & kCountMask);
  v = (v & ~kTransactionMask) | ((v + static_cast<u64>(transactions) * kTransactionOne) & kTransactionMask);
  write64(p, complete_hopper(v));
  return old;
}

enum Arrival : std::uint8_t { kAmpereArrival, kHopperArrival, kHopperTransaction };

void apply_arrival(std::uint8_t* p, std::uint8_t kind) {
  if (kind == kAmpereArrival)
    arrive_ampere(p);
  else if (kind == kHopperArrival)
    arrive_hopper(p, 1, 0);
  else
    arrive_hopper(p, 0, -1);
}

void return_state(Warp& warp, const Op& op, unsigned lane, u64 state) {
  warp.row(op.dst)[lane] = static_cast<u32>(state);
  warp.row(static_cast<std::uint16_t>(op.dst + 1))[lane] = static_cast<u32>(state >> 32);
}

void begin(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, false, out.address.data());
  out.space = Space::kShared;
  out.memory_mask = active;
}

/// ATOMS.ARRIVE.64: one arrival per lane; returns the state before.
void run_atoms_arrive(Warp& warp, const Op& op, LaneMask active, Step& out) {
  begin(warp, op, active, out);
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    return_state(warp, op, i, arrive_ampere(shared_pointer(warp, op, i, out.address[i], 8)));
  }
}

/// ARRIVES.LDGSTSBAR: an arrival per lane once the copies issued so far have landed.
void run_arrives(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, false, out.address.data());
  Warp::Arrival arrival{warp.next_token++, active, op.kind, {}};
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    shared_pointer(warp, op, i, out.address[i], 8);
    arrival.address[i] = static_cast<u32>(out.address[i]);
  }
  out.space = Space::kShared;
  out.arrival_token = arrival.token;
  warp.arrivals.push_back(arrival);
}

/// Where the arrival and transaction counts of SYNCS.ARRIVE come from, two bits each in Op::extra[0].
enum Count : u32 { kCountZero = 0, kCountLiteralOne = 1, kCountRegister = 2, kCountMinusRegister = 3 };

void run_syncs_arrive(Warp& warp, const Op& op, LaneMask active, Step& out) {
  begin(warp, op, active, out);
  u32 scratch[kLanes];
  const u32* data = fetch(warp, op, op.src[0], active, scratch);
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* p = shared_pointer(warp, op, i, out.address[i], 8);
    const u32 a = op.extra[0] & 3, t = op.extra[0] >> 2 & 3;
    const u32 arrivals = a == kCountRegister ? data[i] : a;
    const std::int64_t amount = static_cast<std::int32_t>(data[i]);
    const std::int64_t transactions = t == kCountRegister ? amount : t == kCountMinusRegister ? -amount : t;
    if (op.extra[1]) {
      // OPTOUT: the thread leaves for good, so later phases expect one arrival less.
      const u64 v = read64(p);
      write64(p, (v & ~kExpectedMask) | ((v + 2) & kExpectedMask));
    }
    return_state(warp, op, i, arrive_hopper(p, arrivals, transactions));
  }
}

/// SYNCS.PHASECHK: true once the phase that bit 31 of the register names has ended.
void run_phasechk(Warp& warp, const Op& op, LaneMask active, Step& out) {
  begin(warp, op, active, out);
  u32 scratch[kLanes];
  const u32* phase = fetch(warp, op, op.src[0], active, scratch);
  LaneMask done = 0;
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    const u64 v = read64(shared_pointer(warp, op, i, out.address[i], 8));
    if ((v >> 63) != (phase[i] >> 31)) done |= 1u << i;
  }
  warp.set_predicate(op.dst_predicate[0], done, active);
}

/// SYNCS.EXCH.64 URd, [UR], URs: initialises a barrier.
void run_syncs_exchange(Warp& warp, const Op& op, LaneMask active, Step& out) {
  begin(warp, op, active, out);
  const unsigned i = static_cast<unsigned>(std::countr_zero(active));
  out.memory_mask = 1u << i;
  std::uint8_t* p = shared_pointer(warp, op, i, out.address[i], 8);
  const u64 old = read64(p);
  u32 scratch[2][kLanes];
  const u32* low = fetch(warp, op, op.src[0], active, scratch[0]);
  const u32* high = fetch(warp, op, op.src[1], active, scratch[1]);
  write64(p, join64(low[i], high[i]));
  if (op.uniform_dst != kUniformZero) {
    warp.set_uniform(op.uniform_dst, static_cast<u32>(old));
    warp.set_uniform(op.uniform_dst + 1u, static_cast<u32>(old >> 32));
  }
}

void run_nothing(Warp&, const Op&, LaneMask, Step&) {}

void decode_arrives(Decoder& d) {
  if (!d.modifier("LDGSTSBAR")) d.refuse("this form is not supported");
  d.ignore({"64"});
  const bool arrival = d.modifier("ARVCNT"), transaction = d.modifier("TRANSCNT");
  d.op.kind = arrival ? kHopperArrival : transaction ? kHopperTransaction : kAmpereArrival;
  d.address(false);
  d.op.run = run_arrives;
}

void decode_syncs_arrive(Decoder& d) {
  d.ignore({"TRANS64", "RED"});
  static constexpr struct {
    std::string_view name;
    Count arrivals, transactions;
  } forms[] = {{"A1T0", kCountLiteralOne, kCountZero},     {"A0T1", kCountZero, kCountLiteralOne},
               {"A1TR", kCountLiteralOne, kCountRegister}, {"A0TR", kCountZero, kCountRegister},
               {"ART0", kCountRegister, kCountZero},       {"A1T1", kCountLiteralOne, kCountLiteralOne},
               {"A0TX", kCountZero, kCountMinusRegister}};
  bool known = false;
  for (const auto& form : forms) {
    if (!d.modifier(form.name)) continue;
    d.op.extra[0] = form.arrivals | form.transactions << 2;
    known = true;
  }
  // The bare form arrives once and announces the register's transactions.
  if (!known) d.op.extra[0] = kCountLiteralOne | kCountRegister << 2;
  d.op.extra[1] = d.modifier("OPTOUT") ? 1 : 0;
  d.dst(2);
  d.address(false);
  d.source(0);
  d.op.run = run_syncs_arrive;
}

void decode_syncs(Decoder& d) {
  if (d.modifier("ARRIVE")) return decode_syncs_arrive(d);
  if (d.modifier("PHASECHK")) {
    d.ignore({"TRANS64", "TRYWAIT"});
    d.dst_predicate(0);
    d.address(false);
    d.source(0);
    d.op.run = run_phasechk;
    return;
  }
  if (d.modifier("EXCH")) {
    d.ignore({"64"});
    d.uniform_dst();
    d.address(false);
    d.source_pair(0);
    d.op.run = run_syncs_exchange;
    return;
  }
  if (d.modifier("CCTL")) {
    d.ignore({"IV", "IVALL"});
    while (d.left()) d.take();
    d.op.run = run_nothing;
    return;
  }
  d.refuse("this form is not supported");
}

}  // namespace

void decode_shared_arrive(Decoder& d) {
  d.ignore({"ARRIVE", "64"});
  d.dst(2);
  d.address(false);
  d.op.run = run_atoms_arrive;
}

void Warp::copies_landed(std::uint32_t token) {
  for (std::size_t k = 0; k < arrivals.size(); ++k) {
    if (arrivals[k].token != token) continue;
    for (LaneMask left = arrivals[k].lanes; left; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(std::countr_zero(left));
      apply_arrival(block_->shared.data() + arrivals[k].address[i], arrivals[k].kind);
    }
    arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(k));
    return;
  }
}

void register_mbarrier(DecodeTable& t) {
  t["ARRIVES"] = decode_arrives;
  t["SYNCS"] = decode_syncs;
}

}  // namespace smpipe::sass
