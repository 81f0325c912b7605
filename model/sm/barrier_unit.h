// The SM's barrier unit: takes one arriving warp every `arrival_interval` cycles and releases a barrier `latency`
// cycles after its last arrival was taken. (Rule: A100's published bar.sync cost of 21 + 2 × warps, P335-P340.)
#pragma once

#include <bit>

#include "config/gpu_config.h"
#include "sm/warp.h"

namespace smpipe {

class BarrierUnit {
 public:
  BarrierUnit(const BarrierConfig& config, SmWheel& wheel) : config_(config), wheel_(wheel) {}

  /// A warp executed BAR.*. Waiting warps are released by a `kBarrierRelease` event.
  void arrive(Cycle now, Warp& warp, const Step& step);
  /// A warp exited: barriers of its block may now be complete.
  void warp_exited(Cycle now, ResidentBlock& block);
  /// Calls `wake(warp)` for every warp that the barrier held, after delivering reductions, and resets the barrier.
  template <class Wake>
  void release(ResidentBlock& block, std::uint8_t id, Wake&& wake) {
    ResidentBlock::Barrier barrier = block.barriers[id];
    block.barriers[id] = {};
    for (std::uint64_t m = barrier.waiting; m != 0; m &= m - 1) {
      const auto index = static_cast<unsigned>(std::countr_zero(m));
      Warp& warp = *block.warps[index];
      if ((barrier.reducing >> index) & 1) warp.stream->finish_reduction(barrier.true_count, barrier.all, barrier.any);
      warp.at_barrier = false;
      wake(warp);
    }
  }

 private:
  void check(Cycle now, ResidentBlock& block, std::uint8_t id);

  const BarrierConfig config_;
  SmWheel& wheel_;
  Cycle free_at_ = 0;
};

}  // namespace smpipe
