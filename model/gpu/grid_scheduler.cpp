#include "gpu/grid_scheduler.h"

#include <algorithm>

namespace smpipe {

void GridScheduler::begin(std::vector<Sm*> sms, std::uint32_t blocks_per_sm, std::uint64_t blocks,
                          std::uint32_t warps) {
  sms_ = std::move(sms);
  taken_.assign(sms_.size(), 0);
  refills_.clear();
  blocks_per_sm_ = blocks_per_sm;
  blocks_ = blocks;
  next_block_ = 0;
  free_at_.assign(sms_.size(), domain_.now());
  const OccupancyConfig& o = config_.occupancy;
  launch_interval_ = std::max({1u, o.block_launch_interval + warps, o.warp_launch_interval * warps});
  finish_times_.clear();
  finish_times_.reserve(blocks);
}

void GridScheduler::block_finished(Cycle now, std::uint32_t sm) {
  finish_times_.push_back(now);
  if (next_block_ == blocks_) return;
  const Cycle when = now + std::max(1u, config_.occupancy.block_turnaround);
  refills_.push_back({when, sm});
  domain_.wake(*this, when);
}

Cycle GridScheduler::step(Cycle now) {
  while (!refills_.empty() && refills_.front().when <= now) {
    --taken_[refills_.front().sm];
    refills_.pop_front();
  }
  while (next_block_ < blocks_) {
    std::size_t chosen = sms_.size();
    for (std::size_t i = 0; i < sms_.size(); ++i) {
      if (taken_[i] >= blocks_per_sm_ || free_at_[i] > now) continue;
      if (chosen == sms_.size() || taken_[i] < taken_[chosen]) chosen = i;
    }
    if (chosen == sms_.size()) break;
    ++taken_[chosen];
    free_at_[chosen] = now + launch_interval_;
    sms_[chosen]->launch(now, next_block_++, config_.occupancy.block_start_latency);
  }
  if (next_block_ == blocks_) return kNever;
  Cycle next = refills_.empty() ? kNever : refills_.front().when;
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    if (taken_[i] < blocks_per_sm_) next = std::min(next, free_at_[i]);
  }
  return next;
}

}  // namespace smpipe
