// MIO queues, the load/store unit behind them, the shared-memory data stage, L1 and the asynchronous copy engine.
//
//   SMSP ─► MIO queue ─► operand port ─► LSU queue ─► arbiter ─► shared memory ────────► data stage ─► write-back port
//          └──────────── per SMSP ───────────────┘   (per SM)  └► L1 tags ─► hit ──────►     ▲
//                                                                       └► miss ► NoC ► L2 ──┘
//
// The data stage serves one wavefront per cycle to the whole SM; one SMSP's write-back port takes a wavefront only
// every `shared.return_interval` cycles. So an n-way conflict costs n cycles of the SM's throughput, and an SMSP that
// is alone sees `return_interval` cycles of latency for each further wavefront.
#pragma once

#include <array>
#include <cstdint>

#include "config/gpu_config.h"
#include "gpu/launch_observer.h"
#include "noc/address_map.h"
#include "sim/pool.h"
#include "sm/l1_cache.h"
#include "sm/memory_operation.h"
#include "sm/port.h"
#include "sm/sm_observer.h"
#include "sm/warp.h"
#include "sm/wavefronts.h"
#include "sm/what_if.h"
#include "stats/counters.h"

namespace smpipe {

class Lsu {
 public:
  static constexpr std::uint32_t kMaxSmsps = 8;

  Lsu(const GpuConfig& config, SmWheel& wheel, MemoryPort& port, SmCounters& counters);

  /// Prepares for a launch whose shared-memory carve-out leaves `l1_bytes` of L1.
  void reset(std::uint64_t l1_bytes);
  void observe(SmObserver* observer) { observer_ = observer; }
  void suppose(const WhatIf* what_if) { what_if_ = what_if; }

  // ---- issue side ----
  bool queue_full(std::uint32_t smsp) const { return lanes_[smsp].mio_size >= config_.mio.queue_depth; }
  void issue_memory(Cycle now, Warp& warp, const Instruction& instruction, const Step& step);
  /// Counts a memory instruction without an active lane: executed, no access.
  void count_idle(const Instruction& instruction);
  void issue_shuffle(Cycle now, Warp& warp, const Instruction& instruction);

  // ---- memory side ----
  /// Data (or an acknowledgement) passed the SM's port.
  void answer(Cycle now, Packet& packet);
  void finish(MemoryOperation& operation) { operations_.give(&operation); }

  /// An instruction's operands are over: it leaves the MIO queue for the LSU queue.
  void operands_over(Cycle now, MemoryOperation& operation);
  /// The tag stage is done with an instruction.
  void tags_done() { --in_tag_stage_; }
  /// Starts operand transfers and lets at most one instruction pass the arbiter. Returns the next cycle at which
  /// another could go.
  Cycle step(Cycle now);
  bool idle() const { return operations_.in_use() == 0 && packets_.in_use() == 0 && waiters_.in_use() == 0; }
  /// Fills the queues of `gauges` (not `instructions`).
  void read(GpuGauges::Sm& gauges, std::uint32_t smsps) const;
  std::size_t packets_in_flight() const { return packets_.in_use(); }

 private:
  /// First in, first out, through MemoryOperation::next.
  struct Queue {
    MemoryOperation* head = nullptr;
    MemoryOperation* tail = nullptr;
    std::uint32_t size = 0;
    void push(MemoryOperation& op);
    MemoryOperation& pop();
  };
  /// What an SMSP owns of MIO and LSU.
  struct Lane {
    Queue mio;                   ///< issued, operands not over
    Queue lsu;                   ///< operands over, not past the arbiter
    std::uint32_t mio_size = 0;  ///< queue slots taken: `mio` and the instruction on the operand port
    std::uint32_t stores = 0;    ///< in `lsu` or on the operand port
    bool transferring = false;
    Cycle port_free = 0;              ///< operand port
    Cycle store_free = 0;             ///< data port towards the banks
    Cycle return_free = 0;            ///< write-back port
    const Warp* last_warp = nullptr;  ///< of the last transfer
    Cycle last_transfer = 0;
  };

  MemoryOperation& enqueue(Cycle now, Warp& warp, const Instruction& instruction);
  Wavefronts shared_wavefronts(const Instruction& instruction, const Step& step) const;
  void coalesce(MemoryOperation& op, const Step& step, std::uint32_t bytes);
  void suppose_coalesced(MemoryOperation& op, std::uint32_t lanes, std::uint32_t bytes) const;
  void count_issue(const MemoryOperation& op, const Wavefronts& shared);
  Cycle earliest_transfer(const Lane& lane) const;
  Cycle earliest_pass(const Lane& lane) const;
  void start_transfer(Cycle now, Lane& lane);
  void pass(Cycle now, Lane& lane);
  /// Cycles that an unloaded instruction has spent when it passes the arbiter.
  std::uint32_t front_latency(const MemoryOperation& op) const;
  void shared_access(Cycle now, Lane& lane, MemoryOperation& op);
  void global_access(Cycle now, Lane& lane, MemoryOperation& op);
  void look_up(Cycle when, MemoryOperation& op, std::uint32_t i);
  void send(Cycle when, MemoryOperation* owner, std::uint64_t line, std::uint8_t sectors, PacketKind kind,
            std::uint32_t operations);
  void sectors_arrived(Cycle now, std::uint64_t line, std::uint8_t sectors);
  void one_answer(Cycle now, MemoryOperation& op);
  std::uint32_t behind_front(const MemoryOperation& op, std::uint32_t latency) const;
  void complete(Cycle now, MemoryOperation& op, std::uint32_t latency);
  Cycle data_stage(Cycle now, const MemoryOperation& op, Cycle& port_free);

  const GpuConfig& config_;
  SmWheel& wheel_;
  MemoryPort& port_;
  SmCounters& counters_;
  SmObserver* observer_ = nullptr;
  const WhatIf* what_if_ = nullptr;
  BankModel banks_;
  L1Cache l1_;
  std::array<Lane, kMaxSmsps> lanes_{};
  std::uint32_t next_smsp_ = 0;  ///< round robin
  std::uint32_t outstanding_sectors_ = 0;
  std::uint32_t in_tag_stage_ = 0;
  std::uint32_t in_lsu_queues_ = 0;  ///< operand transfers under way included
  Cycle sm_free_ = 0, data_free_ = 0, tag_free_ = 0;
  Pool<MemoryOperation> operations_;
  Pool<Packet> packets_;
  Pool<L1Cache::Waiter> waiters_;
};

}  // namespace smpipe
