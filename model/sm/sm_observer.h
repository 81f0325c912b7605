// What a spectator sees of one SM: timelines and checkers implement it. The model never asks it anything, so a launch
// gives the same numbers with and without one; without one each call site costs a test for null.
//
// Calls arrive in the order in which the model works, with `now` never going back. Everything passed is valid during
// the call only; a warp's identity beyond it is (block->linear, index), or its age, which no two warps of an SM share.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "program/warp_stream.h"
#include "stats/counters.h"

namespace smpipe {

struct MemoryOperation;
struct ResidentBlock;
struct Warp;

class SmObserver {
 public:
  virtual ~SmObserver() = default;

  /// All warps of the block are in their slots, in state no_instruction from `Warp::started` on.
  virtual void block_started(Cycle now, const ResidentBlock& block) {
    static_cast<void>(now), static_cast<void>(block);
  }
  /// The last warp of the block is gone.
  virtual void block_ended(Cycle now, const ResidentBlock& block) { static_cast<void>(now), static_cast<void>(block); }
  /// From cycle `from` on the warp counts as `state`. A later call with the same `from` replaces this one: the counters
  /// of stall reasons are exactly the lengths of what remains.
  virtual void warp_state(const Warp& warp, Stall state, Cycle from) {
    static_cast<void>(warp), static_cast<void>(state), static_cast<void>(from);
  }
  /// The warp's last state counts up to, not including, `to`.
  virtual void warp_ended(const Warp& warp, Cycle to) { static_cast<void>(warp), static_cast<void>(to); }

  /// The warp issued `instruction` and executed it. `warp.groups.open_group()` is still the group that a copy or commit
  /// issued here belongs to.
  virtual void issued(Cycle now, const Warp& warp, const Instruction& instruction, const Step& step) {
    static_cast<void>(now), static_cast<void>(warp), static_cast<void>(instruction), static_cast<void>(step);
  }
  /// The operands of a memory instruction are at the LSU; its MIO queue slot is free.
  virtual void operands_over(Cycle now, const MemoryOperation& op) { static_cast<void>(now), static_cast<void>(op); }
  /// The arbiter let the instruction pass to shared memory or to the L1 tags. `op.pending` lines have to come from L2.
  virtual void passed_arbiter(Cycle now, const MemoryOperation& op) { static_cast<void>(now), static_cast<void>(op); }
  /// The data stage serves the instruction's wavefronts in cycles `from` to `to` - 1.
  virtual void data_stage(Cycle from, Cycle to, const MemoryOperation& op) {
    static_cast<void>(from), static_cast<void>(to), static_cast<void>(op);
  }
  /// A load's data are in the registers, or a store is acknowledged (its warp may be gone: compare `warp_age`).
  virtual void written_back(Cycle now, const MemoryOperation& op) { static_cast<void>(now), static_cast<void>(op); }
  /// The data of a cp.async are in shared memory.
  virtual void copy_landed(Cycle now, const MemoryOperation& op) { static_cast<void>(now), static_cast<void>(op); }
  /// The warp's cp.async group `group` is complete, and so are all before it.
  virtual void group_retired(Cycle now, const Warp& warp, std::uint32_t group) {
    static_cast<void>(now), static_cast<void>(warp), static_cast<void>(group);
  }
  /// Barrier `id` releases the warps in `waiting` (bits by index in the block).
  virtual void barrier_released(Cycle now, const ResidentBlock& block, std::uint8_t id, std::uint64_t waiting) {
    static_cast<void>(now), static_cast<void>(block), static_cast<void>(id), static_cast<void>(waiting);
  }
};

}  // namespace smpipe
