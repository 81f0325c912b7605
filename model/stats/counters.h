// Plain integers that the units count, and the stall reasons of Nsight Compute.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/gpu_config.h"
#include "core/types.h"

namespace smpipe {

/// Why a resident warp did not issue in a cycle, as Nsight Compute names it (smsp__average_warps_issue_stalled_*).
/// Every resident warp is in exactly one state in every cycle.
enum class Stall : std::uint8_t {
  kSelected,          ///< it did issue
  kNotSelected,       ///< eligible, another warp issued
  kWait,              ///< fixed stall count of the previous instruction
  kLongScoreboard,    ///< dependence counter of L1TEX: global, local, cp.async groups
  kShortScoreboard,   ///< dependence counter of MIO and XU: shared memory, special functions, special registers
  kMathPipeThrottle,  ///< the pipe's dispatch port is taken
  kMioThrottle,       ///< the SMSP's MIO queue is full, next instruction is shared memory or shuffle
  kLgThrottle,        ///< the SMSP's MIO queue is full, next instruction is global or local memory
  kBarrier,
  kMembar,
  kBranchResolving,
  kDrain,  ///< after EXIT: memory instructions not yet handed over or returned
  kSleeping,
  kNoInstruction,  ///< block start, or the next instruction is not fetched yet
  kImcMiss,        ///< a constant is not fetched yet
};
inline constexpr unsigned kStalls = static_cast<unsigned>(Stall::kImcMiss) + 1;
inline constexpr std::array<const char*, kStalls> kStallNames = {
    "selected",           "not_selected", "wait",        "long_scoreboard", "short_scoreboard",
    "math_pipe_throttle", "mio_throttle", "lg_throttle", "barrier",         "membar",
    "branch_resolving",   "drain",        "sleeping",    "no_instruction",  "imc_miss"};

/// Counted per SM; summed for a launch.
struct SmCounters {
  std::array<std::uint64_t, kStalls> warp_cycles{};  ///< resident warp-cycles by reason
  std::array<std::uint64_t, kOpClasses> issued{};    ///< warp instructions by class
  std::array<std::uint64_t, kPipes> pipe_issued{};
  std::array<std::uint64_t, kPipes> pipe_busy{};  ///< SMSP cycles in which the pipe's dispatch port was taken
  std::uint64_t instructions = 0;                 ///< warp instructions
  std::uint64_t thread_instructions = 0;          ///< lanes on the path
  std::uint64_t thread_instructions_pred_on = 0;  ///< of these, the ones whose guard predicate was true
  std::uint64_t resident_warp_cycles = 0;         ///< from the warps' lifetimes; equals the sum of warp_cycles
  std::uint64_t blocks = 0;

  std::uint64_t global_loads = 0, global_stores = 0, local_loads = 0, local_stores = 0;  ///< warp instructions
  std::uint64_t shared_loads = 0, shared_stores = 0, matrix_loads = 0, async_copies = 0, shared_atomics = 0;
  std::uint64_t global_atomics = 0, global_reductions = 0;

  std::uint64_t idle_shared_wavefronts =
      0;  ///< shared-memory instructions without an active lane, as the profiler counts
  std::uint64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0, async_copy_wavefronts = 0;
  std::uint64_t shared_load_conflicts = 0, shared_store_conflicts = 0, async_copy_conflicts = 0;
  std::uint64_t matrix_load_conflicts = 0;  ///< part of shared_load_conflicts

  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_sector_hits = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0;
  std::uint64_t local_load_sectors = 0, local_load_sector_hits = 0, local_store_sectors = 0;
  std::uint64_t async_copy_requests = 0, async_copy_sectors = 0, async_copy_sector_hits = 0;
  std::uint64_t l2_read_sectors = 0, l2_write_sectors = 0;  ///< as requested by this SM
  std::uint64_t far_sectors = 0;  ///< requested from, or written to, slices of the other L2 partition

  // Time, for the utilisation of units.
  std::uint64_t active_cycles = 0;         ///< with a resident block
  std::uint64_t smsp_active_cycles = 0;    ///< SMSP cycles with a resident warp
  std::uint64_t operand_port_busy = 0;     ///< SMSP cycles in which operands went to the LSU
  std::uint64_t lsu_requests = 0;          ///< instructions that passed the arbiter
  std::uint64_t data_stage_busy = 0;       ///< cycles, one wavefront each: shared memory, L1 data, copies, shuffles
  std::uint64_t copy_data_stage_busy = 0;  ///< of these, the copy engine's
  std::uint64_t return_port_busy = 0, store_port_busy = 0;      ///< SMSP cycles of the ports from and to the data stage
  std::uint64_t tag_stage_busy = 0;                             ///< cycles of L1 tag look-ups
  std::uint64_t request_port_busy = 0, response_port_busy = 0;  ///< cycles of the SM's ports to and from L2
  std::uint64_t barrier_arrivals = 0;                           ///< warps at the barrier unit
};

struct L2Counters {
  std::uint64_t read_sectors = 0, read_sector_hits = 0, write_sectors = 0, atomic_sectors = 0;
  std::uint64_t requests = 0, far_requests = 0, evictions = 0;
  std::uint64_t busy_cycles = 0;
  std::uint64_t link_sectors = 0;  ///< fetched from the other partition's slices
};

struct HbmCounters {
  std::uint64_t read_bytes = 0, write_bytes = 0, row_hits = 0, row_misses = 0, refreshes = 0;
  std::uint64_t bus_busy_clocks = 0;
};

/// Of a launch.
struct GpuCounters {
  SmCounters sm;  ///< all SMs together
  L2Counters l2;
  HbmCounters hbm;
  std::uint64_t busiest_slice = 0;    ///< busy cycles
  std::uint64_t busiest_channel = 0;  ///< bus clocks
  std::uint64_t active_sms = 0;       ///< SMs that ran at least one block
  std::vector<Cycle> finish_times;    ///< by block, relative to the launch
  Cycle cycles = 0;                   ///< launch to last exit with its stores acknowledged
  bool stopped = false;               ///< by the observer: the rest of the launch did not run
};

/// Adds every field of `from` to `to`. The structs hold nothing but 64-bit counters.
template <class Counters>
void add_counters(Counters& to, const Counters& from) {
  static_assert(sizeof(Counters) % sizeof(std::uint64_t) == 0);
  auto* t = reinterpret_cast<std::uint64_t*>(&to);
  const auto* f = reinterpret_cast<const std::uint64_t*>(&from);
  for (std::size_t i = 0; i < sizeof(Counters) / sizeof(std::uint64_t); ++i) t[i] += f[i];
}

}  // namespace smpipe
