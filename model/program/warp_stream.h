// What a front end hands to the timing core: blocks of warps that execute one instruction at a time, when told to.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"
#include "program/instruction.h"

namespace smpipe {

/// Resources and geometry of a launch, as the block scheduler needs them.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
  std::uint32_t threads_per_block() const { return static_cast<std::uint32_t>(block.count()); }
  std::uint32_t warps_per_block() const { return (threads_per_block() + kLanes - 1) / kLanes; }
};

enum class BarrierOp : std::uint8_t { kNone, kSync, kArrive, kReduce };

/// What executing one instruction did, as far as time is concerned. Filled by WarpStream::execute.
struct Step {
  LaneMask active = 0;  ///< lanes that executed (after the guard predicate)
  LaneMask path = 0;    ///< lanes on the current path (before the guard predicate)
  bool taken = false;   ///< control transfer to another address than the next
  bool exited = false;  ///< the warp has no lanes left
  BarrierOp barrier = BarrierOp::kNone;
  std::uint8_t barrier_id = 0;
  std::uint32_t barrier_threads = 0;          ///< 0 = all threads of the block
  LaneMask barrier_predicate = 0;             ///< kReduce: lanes whose predicate is true
  std::uint32_t sleep_cycles = 0;             ///< NANOSLEEP
  Space space = Space::kGlobal;               ///< resolved space (generic accesses say which one they hit)
  LaneMask memory_mask = 0;                   ///< lanes that access memory; for LDGSTS the lanes with source size > 0
  LaneMask shared_mask = 0;                   ///< LDGSTS: lanes that write shared memory
  std::array<std::uint64_t, kLanes> address;  ///< byte addresses; shared-memory offsets for Space::kShared.
                                              ///< Local memory: addresses as interleaved by hardware,
                                              ///< 32 lanes × 4 bytes contiguous, distinct per warp.
                                              ///< LDSM: lanes 0 .. 8 × matrices - 1 hold the row addresses.
  std::array<std::uint32_t, kLanes> shared_address;  ///< LDGSTS: destination offsets
  /// ARRIVES.LDGSTSBAR: nonzero when an mbarrier arrival waits for the warp's copies issued so far. Once they have
  /// landed, the timing core hands the number to WarpStream::copies_landed.
  std::uint32_t arrival_token = 0;
};

/// One warp. `next()` is cheap; `execute` performs the instruction `next()` on real data.
class WarpStream {
 public:
  virtual ~WarpStream() = default;
  /// The instruction that will execute next; null once every lane has exited.
  const Instruction* next() const { return next_; }
  /// Executes `*next()` at SM cycle `now` and advances. Clock reads return `now`.
  virtual void execute(Cycle now, Step& out) = 0;
  /// Called when a BAR.RED completes: population count, AND and OR over the participating threads.
  virtual void finish_reduction(std::uint32_t count, bool all, bool any) = 0;
  /// Called when the copies that precede the ARRIVES.LDGSTSBAR with this Step::arrival_token have landed.
  virtual void copies_landed(std::uint32_t token) { static_cast<void>(token); }

 protected:
  const Instruction* next_ = nullptr;
};

/// One resident block. Warps are numbered 0 .. warps_per_block-1.
class BlockStream {
 public:
  virtual ~BlockStream() = default;
  virtual WarpStream& warp(std::uint32_t index) = 0;
};

/// A launch that can be executed block by block.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual const Program& program() const = 0;
  virtual const LaunchShape& shape() const = 0;
  /// Starts block `linear` (x fastest) on SM `sm`. Blocks are pooled: no allocation once every slot was used.
  virtual BlockStream& start_block(std::uint64_t linear, std::uint32_t sm) = 0;
  virtual void finish_block(BlockStream& block) = 0;
};

}  // namespace smpipe
