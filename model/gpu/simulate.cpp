#include "gpu/simulate.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "sm/what_if.h"
#include "stats/metrics.h"

namespace smpipe {

namespace {

struct Extrapolation {
  double cycles;
  double error_bound;
};

/// Total time of `total` blocks from the finish times of the first `simulated`, of which `resident` run at a time.
///
/// Between the end of the first wave and the start of the last the machine is in its steady state: the rate of finished
/// blocks there carries the rest of the grid. The bound is the disagreement between the two halves of that window.
Extrapolation extrapolate(const std::vector<Cycle>& finish, Cycle cycles, std::uint64_t total, std::uint64_t resident) {
  const std::uint64_t n = finish.size();
  const double rest = static_cast<double>(total - n);
  const auto rate = [&](std::uint64_t from, std::uint64_t to) {
    const double span = static_cast<double>(finish[to] - finish[from]);
    return span > 0 ? static_cast<double>(to - from) / span : 0.0;
  };
  if (n >= 2 * resident + 4) {
    const std::uint64_t first = resident, last = n - 1 - resident / 2, middle = (first + last) / 2;
    const double steady = rate(first, last), early = rate(first, middle), late = rate(middle, last);
    if (steady > 0 && early > 0 && late > 0) {
      const double all = static_cast<double>(cycles) + rest / steady;
      const double spread = std::abs(rest / early - rest / late);
      return {all, spread / all};
    }
  }
  // Less than two waves: time goes by whole waves, and nothing is known about their spread.
  const double waves = std::ceil(static_cast<double>(total) / static_cast<double>(resident));
  const double seen = std::ceil(static_cast<double>(n) / static_cast<double>(resident));
  return {static_cast<double>(cycles) * waves / seen, 1.0};
}

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// Ends a launch in which nothing useful happens any more, and tells the user how far it is.
class Watch {
 public:
  Watch(const SimulateOptions& options, const Gpu& gpu, std::uint64_t blocks)
      : options_(options), gpu_(gpu), blocks_(blocks) {}

  void operator()(Cycle now, std::uint64_t finished) {
    if (finished != finished_) {
      finished_ = finished;
      last_progress_ = now;
    }
    if (now - last_progress_ > options_.watchdog_cycles) {
      if (const std::uint64_t writes = gpu_.writes(); writes != writes_) {
        writes_ = writes;
        last_progress_ = now;
        return;
      }
      throw InputError("", 0,
                       fmt::format("no block has ended and nothing was written for {} cycles; the resident warps:\n{}",
                                   options_.watchdog_cycles, gpu_.describe_warps()),
                       "a loop in the kernel waits for something that never happens, or the limit is too low for it "
                       "(--watchdog-cycles)");
    }
    if (options_.progress && (++calls_ & 0xffff) == 0) {
      options_.progress(static_cast<double>(finished) / static_cast<double>(blocks_), now);
    }
  }

 private:
  const SimulateOptions& options_;
  const Gpu& gpu_;
  const std::uint64_t blocks_;
  std::uint64_t finished_ = 0, calls_ = 0, writes_ = 0;
  Cycle last_progress_ = 0;
};

/// Occupancy with what is supposed to be different.
Occupancy supposed_occupancy(const GpuConfig& config, LaunchShape shape, const WhatIf* what_if) {
  if (what_if == nullptr) return compute_occupancy(config, shape);
  shape.dynamic_shared_bytes += what_if->extra_shared_bytes;
  Occupancy occupancy = compute_occupancy(config, shape);
  const std::uint64_t share = (shape.grid.count() + config.gpu.sm_count - 1) / config.gpu.sm_count;
  const std::uint32_t most = config.occupancy.warps_per_sm / shape.warps_per_block();
  const std::uint64_t wanted = occupancy.blocks_per_sm + what_if->extra_blocks;
  occupancy.blocks_per_sm = static_cast<std::uint32_t>(std::min<std::uint64_t>({wanted, share, most}));
  occupancy.warps_per_sm = occupancy.blocks_per_sm * shape.warps_per_block();
  return occupancy;
}

void fill_stalls(SimulationResult& result, const SmCounters& sm) {
  for (std::size_t s = 0; s < kStalls; ++s) {
    const double share = sm.resident_warp_cycles == 0
                             ? 0.0
                             : static_cast<double>(sm.warp_cycles[s]) / static_cast<double>(sm.resident_warp_cycles);
    result.stalls.emplace_back(kStallNames[s], share);
  }
}

}  // namespace

SimulationResult simulate(const GpuConfig& config, KernelSource& source, const Launch& launch,
                          const SimulateOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Occupancy occupancy = supposed_occupancy(config, source.shape(), options.what_if);
  const std::uint64_t total = source.shape().grid.count();
  const std::uint64_t blocks =
      options.full || options.max_blocks == 0 ? total : std::min<std::uint64_t>(total, options.max_blocks);

  Gpu gpu("gpu", config, options.tick_everything);
  gpu.suppose(options.what_if);
  GpuCounters counters;
  const bool warm = launch.caches == Caches::kWarm || (options.what_if != nullptr && options.what_if->warm);
  const int runs = warm ? 2 : 1;  // warm: the launch ran once before
  for (int i = 0; i < runs; ++i) {
    LaunchObserver* observer = i + 1 == runs ? options.observer : nullptr;
    counters = gpu.run(source, occupancy, blocks, i == 0, Watch(options, gpu, blocks), observer);
  }

  SimulationResult result;
  const std::uint64_t resident = std::uint64_t{occupancy.blocks_per_sm} * config.gpu.sm_count;
  double cycles = static_cast<double>(counters.cycles);
  result.stopped = counters.stopped;
  if (blocks < total && !counters.stopped) {
    const Extrapolation e = extrapolate(counters.finish_times, counters.cycles, total, resident);
    cycles = e.cycles;
    result.coverage.mode = "sampled";
    result.coverage.error_bound = e.error_bound;
  }
  const double scale = static_cast<double>(total) / static_cast<double>(blocks);
  result.cycles = static_cast<Cycle>(std::llround(cycles));
  result.time_us = cycles / config.gpu.sm_clock_mhz;
  result.warp_instructions =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(counters.sm.instructions) * scale));
  result.ipc_per_sm = static_cast<double>(result.warp_instructions) / cycles / config.gpu.sm_count;
  result.coverage.sms = static_cast<std::uint32_t>(counters.active_sms);
  result.coverage.blocks = blocks;
  result.coverage.blocks_total = total;
  result.occupancy = {occupancy.blocks_per_sm, occupancy.warps_per_sm, occupancy.limiter};
  fill_stalls(result, counters.sm);
  result.metrics = make_metrics(config, counters, cycles, scale);
  result.scale = scale;
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.peak_rss_mib = peak_rss_mib();
  result.counters = std::move(counters);
  return result;
}

}  // namespace smpipe
