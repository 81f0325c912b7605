// The whole machine: the one place that knows every block.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/gpu_config.h"
#include "gpu/grid_scheduler.h"
#include "gpu/launch_observer.h"
#include "gpu/occupancy.h"
#include "hbm/hbm_channel.h"
#include "l2/l2_slice.h"
#include "noc/address_map.h"
#include "sim/clock_domain.h"
#include "sm/sm.h"
#include "sm/what_if.h"
#include "stats/counters.h"

namespace smpipe {

class Gpu : public sc_core::sc_module, private GaugeReader {
 public:
  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, bool tick_everything);

  /// Runs `blocks` blocks of a launch to the end. L1 starts empty; L2 keeps what earlier launches left, and so do the
  /// instruction caches unless `cold`.
  /// `on_cycle(now, finished_blocks)` is called once per active cycle. `observer` may be null; it may stop the run, and
  /// then the machine cannot run again.
  GpuCounters run(KernelSource& source, const Occupancy& occupancy, std::uint64_t blocks, bool cold,
                  const std::function<void(Cycle, std::uint64_t)>& on_cycle, LaunchObserver* observer = nullptr);

  /// Warp instructions so far that left something behind: stores, atomics, asynchronous copies.
  std::uint64_t writes() const;
  /// Simulates from now on as if something were different; null: as it is.
  void suppose(const WhatIf* what_if);
  /// What every resident warp waits for.
  std::string describe_warps() const;

 private:
  bool quiet() const;
  void read(GpuGauges& gauges) const override;
  void check_conservation() const;
  GpuCounters collect(Cycle start, Cycle end) const;

  AddressMap map_;
  ClockDomain domain_;
  std::vector<std::unique_ptr<Sm>> sms_;
  std::vector<std::unique_ptr<L2Slice>> slices_;
  std::vector<std::unique_ptr<HbmChannel>> channels_;
  GridScheduler scheduler_;
};

}  // namespace smpipe
