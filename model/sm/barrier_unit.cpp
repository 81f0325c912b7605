#include "sm/barrier_unit.h"

#include <algorithm>
#include <bit>

namespace smpipe {

void BarrierUnit::arrive(Cycle now, Warp& warp, const Step& step) {
  ResidentBlock& block = *warp.block;
  ResidentBlock::Barrier& barrier = block.barriers[step.barrier_id];
  ++barrier.arrived;
  if (step.barrier_threads != 0) barrier.expected = (step.barrier_threads + kLanes - 1) / kLanes;
  if (step.barrier != BarrierOp::kArrive) barrier.waiting |= std::uint64_t{1} << warp.index;
  if (step.barrier == BarrierOp::kReduce) {
    barrier.reducing |= std::uint64_t{1} << warp.index;
    barrier.true_count += static_cast<std::uint32_t>(std::popcount(step.barrier_predicate));
    barrier.all &= step.barrier_predicate == step.active;
    barrier.any |= step.barrier_predicate != 0;
  }
  const Cycle taken = std::max(now, free_at_);
  free_at_ = taken + config_.arrival_interval;
  barrier.last_processed = free_at_;
  check(now, block, step.barrier_id);
}

void BarrierUnit::warp_exited(Cycle now, ResidentBlock& block) {
  for (std::uint8_t id = 0; id < block.barriers.size(); ++id) {
    if (block.barriers[id].arrived > 0) check(now, block, id);
  }
}

void BarrierUnit::check(Cycle now, ResidentBlock& block, std::uint8_t id) {
  const ResidentBlock::Barrier& barrier = block.barriers[id];
  const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : block.live_warps;
  if (barrier.arrived < expected) return;
  const Cycle when = std::max(barrier.last_processed, now) + std::max(1u, config_.latency);
  wheel_.schedule(when, {.kind = SmEvent::Kind::kBarrierRelease, .counter = id, .object = &block});
}

}  // namespace smpipe
