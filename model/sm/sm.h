// Streaming multiprocessor: one block of the clock domain. In a cycle it handles what became true, then steps its
// SMSPs, then the LSU: an instruction enters the MIO queue in the cycle in which it issues and a freed slot is seen in
// the next.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "config/gpu_config.h"
#include "gpu/launch_observer.h"
#include "gpu/occupancy.h"
#include "l2/l2_slice.h"
#include "noc/address_map.h"
#include "sim/clock_domain.h"
#include "sm/barrier_unit.h"
#include "sm/fetch_unit.h"
#include "sm/lsu.h"
#include "sm/smsp.h"
#include "sm/what_if.h"

namespace smpipe {

class Sm : public Block, private MemoryPort {
 public:
  Sm(const sc_core::sc_module_name& name, const GpuConfig& config, std::uint32_t id, const AddressMap& map,
     ClockDomain& domain);

  void connect(std::vector<L2Slice*> slices) { slices_ = std::move(slices); }
  /// `observer` sees what happens from now on; null: nobody does.
  void observe(SmObserver* observer);
  /// Prepares for a launch. `block_finished(sm)` is called when a block's resources become free.
  /// `cold`: code has to be fetched; false: the launch ran before.
  void begin(KernelSource& source, const Occupancy& occupancy, bool cold,
             std::function<void(std::uint32_t)> block_finished);
  /// Starts a block; its warps may issue from `now + latency` on.
  void launch(Cycle now, std::uint64_t linear_block, std::uint32_t latency);

  void receive(Cycle now, Packet& packet) override;
  Cycle step(Cycle now) override;

  std::uint32_t resident_blocks() const { return resident_blocks_; }
  bool idle() const { return resident_blocks_ == 0 && lsu_.idle(); }
  std::size_t packets_in_flight() const { return lsu_.packets_in_flight(); }
  const SmCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }
  void read(GpuGauges::Sm& gauges) const;
  void suppose(const WhatIf* what_if);
  /// One line per resident warp: what it waits for. For the watchdog.
  void describe_warps(std::vector<std::string>& lines) const;

 private:
  Cycle send(Cycle ready, Packet& packet) override;
  Cycle free_at() const override { return out_free_; }

  void handle(Cycle now, const SmEvent& event);
  void count_down(Cycle now, Warp& warp, std::uint8_t counter, bool is_long);
  void operands_over(Cycle now, MemoryOperation& op);
  void write_back(Cycle now, MemoryOperation& op);
  void copy_landed(Cycle now, MemoryOperation& op);
  void retire_groups(Cycle now, Warp& warp);
  void release_barrier(Cycle now, ResidentBlock& block, std::uint8_t id);
  void warp_gone(Cycle now, Warp& warp);
  Smsp& smsp_for(std::uint32_t warp_index);

  const GpuConfig& config_;
  const std::uint32_t id_;
  const AddressMap& map_;
  ClockDomain& domain_;
  std::vector<L2Slice*> slices_;
  SmWheel wheel_;
  SmCounters counters_;
  Lsu lsu_;
  BarrierUnit barriers_;
  FetchUnit fetch_;
  std::vector<std::unique_ptr<Smsp>> smsps_;
  std::vector<ResidentBlock> blocks_;
  KernelSource* source_ = nullptr;
  SmObserver* observer_ = nullptr;
  std::function<void(std::uint32_t)> block_finished_;
  std::uint32_t resident_blocks_ = 0;
  Cycle active_since_ = 0;
  std::uint64_t next_age_ = 1;
  Cycle in_free_ = 0, out_free_ = 0;
};

}  // namespace smpipe
