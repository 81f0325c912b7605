// A resident warp as the timing core sees it, and the events that reach it.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"
#include "program/warp_stream.h"
#include "sim/wheel.h"
#include "stats/counters.h"

namespace smpipe {

struct ResidentBlock;

/// cp.async groups of one warp: retire in order, each when its copies and all earlier groups have landed.
class CopyGroups {
 public:
  static constexpr std::uint32_t kRing = 64;  ///< a 6-bit dependence counter cannot count more

  /// Group that a copy issued now belongs to.
  std::uint32_t open_group() const { return tail_; }
  /// Group that retires next.
  std::uint32_t oldest_group() const { return head_; }
  void add() {
    ++ring_[tail_ % kRing].copies;
    ++in_flight_;
  }
  void landed(std::uint32_t group) {
    --ring_[group % kRing].copies;
    --in_flight_;
  }
  /// Closes the open group; it may retire at `earliest`. A token other than 0 is an mbarrier arrival.
  void commit(std::uint8_t counter, Cycle earliest, std::uint32_t token) {
    Group& g = ring_[tail_ % kRing];
    g.counter = counter;
    g.earliest = earliest;
    g.token = token;
    ++tail_;
    ring_[tail_ % kRing] = {};
  }
  bool full() const { return tail_ - head_ + 1 >= kRing; }
  bool idle() const { return head_ == tail_ && in_flight_ == 0; }
  std::uint32_t in_flight() const { return in_flight_; }

  struct Group {
    std::uint32_t copies = 0;
    std::uint32_t token = 0;
    Cycle earliest = 0;
    std::uint8_t counter = ControlCode::kNoCounter;
  };
  /// Oldest closed group if it is complete at `now`; null otherwise.
  const Group* complete(Cycle now) const {
    if (head_ == tail_) return nullptr;
    const Group& g = ring_[head_ % kRing];
    return g.copies == 0 && g.earliest <= now ? &g : nullptr;
  }
  void retire() { ++head_; }

 private:
  std::array<Group, kRing> ring_{};
  std::uint32_t head_ = 0, tail_ = 0, in_flight_ = 0;
};

struct Warp {
  WarpStream* stream = nullptr;
  ResidentBlock* block = nullptr;
  std::uint8_t smsp = 0, slot = 0;
  std::uint32_t index = 0;  ///< within the block
  std::uint64_t age = 0;    ///< launch order on the SM; larger is younger
  Cycle started = 0;
  Cycle not_before = 0;                        ///< end of the stall count of the last instruction
  std::array<std::uint8_t, 6> counters{};      ///< dependence counters
  std::array<std::uint8_t, 6> long_pending{};  ///< how many of them L1TEX will decrement
  bool at_barrier = false;
  std::uint32_t outstanding = 0;  ///< operations that must come back before the warp's slot is free
  std::uint32_t unacknowledged_stores = 0;
  CopyGroups groups;
  Stall state = Stall::kNoInstruction;
};

/// Blocks of an SM: what a block holds and how far its warps are.
struct ResidentBlock {
  struct Barrier {
    std::uint32_t arrived = 0;     ///< warps
    std::uint32_t expected = 0;    ///< warps; 0: all live warps of the block
    std::uint32_t true_count = 0;  ///< BAR.RED
    bool all = true, any = false;
    Cycle last_processed = 0;
    std::uint64_t waiting = 0;   ///< warps that wait, by index in the block
    std::uint64_t reducing = 0;  ///< of these, the ones that expect a reduction
  };
  BlockStream* stream = nullptr;
  std::uint64_t linear = 0;
  std::uint32_t live_warps = 0;
  bool in_use = false;
  std::array<Warp*, 64> warps{};
  std::array<Barrier, 16> barriers{};
};

struct MemoryOperation;
struct Packet;

/// Something that becomes true inside an SM at a known cycle.
struct SmEvent {
  enum class Kind : std::uint8_t {
    kReady,           ///< warp: re-evaluate (block start, sleep over, barrier release)
    kReadCounter,     ///< warp, counter: source operands are read
    kWriteCounter,    ///< warp, counter, long_class: result is written
    kWriteBack,       ///< operation: load data are in the registers
    kCopyLanded,      ///< operation: cp.async data are in shared memory
    kRetireGroups,    ///< warp: a group may be complete
    kAnswer,          ///< packet: its data passed the SM's port
    kBarrierRelease,  ///< block, barrier id in `counter`
    kOperandsOver,    ///< operation: its operands are at the LSU, its MIO slot is free
    kTagsDone,        ///< the tag stage is done with an instruction
  };
  Kind kind = Kind::kReady;
  std::uint8_t counter = ControlCode::kNoCounter;
  bool long_class = false;
  Warp* warp = nullptr;
  void* object = nullptr;  ///< MemoryOperation, Packet or ResidentBlock
};

using SmWheel = Wheel<SmEvent, 11>;

}  // namespace smpipe
