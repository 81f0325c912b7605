// One launch on one GPU: the entry point of the model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/gpu_config.h"
#include "gpu/launch_observer.h"
#include "launch/launch.h"
#include "program/warp_stream.h"
#include "stats/counters.h"

namespace smpipe {

struct WhatIf;

struct SimulateOptions {
  std::uint64_t max_blocks = 0;                ///< simulate only the first so many blocks and extrapolate; 0: all
  bool full = false;                           ///< simulate every block, whatever the size
  bool tick_everything = false;                ///< step every unit in every cycle (slow; for tests)
  std::uint64_t watchdog_cycles = 50'000'000;  ///< give up when no block ends and nothing is stored for so long
  const WhatIf* what_if = nullptr;             ///< something to be taken as different
  LaunchObserver* observer = nullptr;          ///< sees the launch; with warm caches, its second run
  std::function<void(double fraction, Cycle now)> progress;  ///< called now and then
};

struct Coverage {
  std::string mode = "full";  ///< full | sampled
  std::uint32_t sms = 0;
  std::uint64_t blocks = 0;  ///< simulated
  std::uint64_t blocks_total = 0;
  double error_bound = 0;  ///< relative, of `cycles`
};

struct OccupancyResult {
  std::uint32_t blocks_per_sm = 0, warps_per_sm = 0;
  std::string limiter;
};

struct SimulationResult {
  Cycle cycles = 0;  ///< first block's launch to the last block's exit with its stores drained
  double time_us = 0;
  std::uint64_t warp_instructions = 0;
  double ipc_per_sm = 0;
  Coverage coverage;
  OccupancyResult occupancy;
  std::vector<std::pair<std::string, double>> stalls;                  ///< shares of resident warp-cycles
  std::vector<std::pair<std::string, std::optional<double>>> metrics;  ///< Nsight Compute names
  GpuCounters counters;                                                ///< of the simulated part
  double scale = 1;  ///< launch over simulated part, for counters that grow with the number of blocks
  std::vector<std::string> warnings;
  bool stopped = false;  ///< the observer ended the run: everything here is about the part that ran
  double wall_s = 0;
  double peak_rss_mib = 0;
};

/// Simulates `source` on `config`. One call per process: SystemC has one context.
/// Throws InputError for launches that the GPU would refuse or that hang, ModelError if the model contradicts itself.
SimulationResult simulate(const GpuConfig& config, KernelSource& source, const Launch& launch,
                          const SimulateOptions& options);

}  // namespace smpipe
