// SM sub-partition: picks one warp instruction per cycle and issues it.
//
// A warp may issue when the stall count of its previous instruction has passed, the dependence counters in its wait
// mask are zero, and the pipe (or MIO queue) of its instruction takes it. Among several: the last issuer goes on unless
// it gave the yield hint, else the youngest. (Policy: compiler-guided greedy then youngest, Huerta et al., MICRO 2025.)
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "config/gpu_config.h"
#include "sm/barrier_unit.h"
#include "sm/fetch_unit.h"
#include "sm/lsu.h"
#include "sm/sm_observer.h"
#include "sm/warp.h"
#include "sm/what_if.h"
#include "stats/counters.h"

namespace smpipe {

class Smsp {
 public:
  static constexpr std::uint32_t kMaxSlots = 32;

  Smsp(const GpuConfig& config, std::uint32_t index, SmWheel& wheel, Lsu& lsu, BarrierUnit& barriers, FetchUnit& fetch,
       SmCounters& counters);

  void observe(SmObserver* observer) { observer_ = observer; }
  void suppose(const WhatIf* what_if) { what_if_ = what_if; }
  std::uint32_t slots() const { return slots_; }
  std::uint32_t free_slots() const;
  /// Puts a warp into a free slot; it waits for `kReady`.
  Warp& place(Cycle now, std::uint64_t age);

  /// Re-evaluates a warp that waited for something other than its stall count.
  void update(Cycle now, Warp& warp);
  /// Something the warp waited for was counted down.
  void counter_changed(Cycle now, Warp& warp);
  /// After EXIT: frees the slots of warps of which nothing is under way; calls `gone(warp)` for each.
  template <class Gone>
  void release_exited(Cycle now, Gone&& gone) {
    for (Slots m = exited_; m != 0; m &= m - 1) {
      Warp& warp = warps_[static_cast<std::size_t>(std::countr_zero(m))];
      if (try_release(now, warp)) gone(warp);
    }
  }

  /// Issues at most one instruction. Returns the next cycle at which anything can change by itself.
  Cycle step(Cycle now);

  bool empty() const { return resident_ == 0; }
  const Warp* warp(std::uint32_t slot) const { return (resident_ >> slot) & 1 ? &warps_[slot] : nullptr; }

 private:
  using Slots = std::uint32_t;
  /// Dispatch ports: one per pipe, then the MIO queue for shared and for global memory.
  static constexpr std::uint32_t kMioShared = kPipes;
  static constexpr std::uint32_t kMioGlobal = kPipes + 1;
  static constexpr std::uint32_t kPorts = kPipes + 2;
  static constexpr std::uint32_t kStallRing = 64;

  bool try_release(Cycle now, Warp& warp);
  void account(Cycle now);
  void set_state(Warp& warp, Stall state);
  void wake_after_stall(Cycle when, Warp& warp);
  void evaluate(Cycle now, Warp& warp);
  bool waits_for_fetch(Cycle now, Warp& warp, const Instruction& in);
  bool waits_for_counters(const Warp& warp, const Instruction& in, bool& is_long) const;
  std::uint32_t port_of(const Instruction& in) const;
  Slots select(Cycle now);
  Warp& pick(Slots eligible);
  void issue(Cycle now, Warp& warp);
  void take_counters(Warp& warp, const Instruction& in, bool is_long);
  void release_counters(Cycle when_read, Cycle when_written, Warp& warp, const Instruction& in, bool is_long);
  void dispatch(Cycle now, Warp& warp, const Instruction& in);
  void dispatch_memory(Cycle now, Warp& warp, const Instruction& in);
  void advance(Cycle now, Warp& warp, const Instruction& in);
  bool fence_done(const Warp& warp) const;
  Cycle next_event(Cycle now) const;

  const GpuConfig& config_;
  const std::uint32_t index_;
  SmWheel& wheel_;
  Lsu& lsu_;
  BarrierUnit& barriers_;
  FetchUnit& fetch_;
  SmCounters& counters_;
  SmObserver* observer_ = nullptr;
  const WhatIf* what_if_ = nullptr;

  const std::uint32_t slots_;
  std::array<Warp, kMaxSlots> warps_{};
  Slots resident_ = 0;
  std::array<Slots, kStalls> in_state_{};  ///< resident warps by what they wait for
  Slots eligible_ = 0;                     ///< dependences satisfied; in_state_ says which port blocks them
  std::array<Slots, kPorts> wants_{};      ///< of the eligible ones, by port
  std::array<std::uint8_t, kMaxSlots> port_{};
  std::array<Slots, kStallRing> expiring_{};  ///< stall counts that end, by cycle modulo the ring
  std::uint64_t expiring_any_ = 0;
  std::array<Cycle, kPipes> pipe_free_{};
  std::uint32_t last_issuer_ = kMaxSlots;  ///< slot that may go on; kMaxSlots: none
  Cycle accounted_to_ = 0;                 ///< cycles before this one are in the counters
  Slots exited_ = 0;
  Step step_;
};

}  // namespace smpipe
