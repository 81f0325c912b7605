// What a spectator sees of a whole launch. Handed to `simulate` in its options.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace smpipe {

class SmObserver;

/// Queues and running totals of the units, read between two cycles.
struct GpuGauges {
  struct Sm {
    std::vector<std::uint32_t> mio;         ///< by SMSP: instructions in the MIO queue
    std::uint32_t lsu = 0;                  ///< instructions between the MIO queues and the arbiter
    std::uint32_t tag_stage = 0;            ///< instructions in front of the L1 tags
    std::uint32_t outstanding_sectors = 0;  ///< requested from L2, not answered
    std::uint64_t instructions = 0;         ///< issued so far
  };
  std::vector<Sm> sms;                ///< by number
  std::uint64_t l2_busy_cycles = 0;   ///< port cycles of all slices so far
  std::uint64_t l2_sectors = 0;       ///< read and written so far
  std::uint64_t l2_in_flight = 0;     ///< misses, write-backs and the like under way
  std::uint64_t hbm_queue = 0;        ///< requests waiting in all channels
  std::uint64_t hbm_bytes = 0;        ///< moved so far
  std::uint64_t hbm_busy_clocks = 0;  ///< data-bus clocks of all channels so far
};

/// Fills gauges from the machine as it is.
class GaugeReader {
 public:
  virtual ~GaugeReader() = default;
  virtual void read(GpuGauges& gauges) const = 0;
};

class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  /// The spectator of SM `sm`; null when that SM is of no interest.
  virtual SmObserver* observe(std::uint32_t sm) = 0;
  /// The launch begins at cycle `start` of the clock: `now` of all other calls counts from the same zero.
  virtual void launch_begins(Cycle start) = 0;
  /// End of a cycle in which anything happened. True ends the run here: its results are then those of a part.
  virtual bool cycle_over(Cycle now, const GaugeReader& machine) = 0;
};

}  // namespace smpipe
