#include "gpu/grid_scheduler.h"

#include <algorithm>

namespace smpipe {

void GridScheduler::begin(std::vector<Sm*> sms, std::uint32_t blocks_per_sm, std::uint64_t blocks) {
  sms_ = std::move(sms);
  taken_.assign(sms_.size(), 0);
  refills_.clear();
  blocks_per_sm_ = blocks_per_sm;
  blocks_ = blocks;
  next_block_ = 0;
  free_at_ = domain_.now();
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
  while (next_block_ < blocks_ && free_at_ <= now) {
    const auto emptiest = std::min_element(taken_.begin(), taken_.end());
    if (*emptiest >= blocks_per_sm_) break;
    ++*emptiest;
    sms_[static_cast<std::size_t>(emptiest - taken_.begin())]->launch(now, next_block_++,
                                                                      config_.occupancy.block_start_latency);
    free_at_ = now + std::max(1u, config_.occupancy.block_launch_interval);
  }
  if (next_block_ == blocks_) return kNever;
  const bool room = *std::min_element(taken_.begin(), taken_.end()) < blocks_per_sm_;
  Cycle next = room ? free_at_ : kNever;
  if (!refills_.empty()) next = std::min(next, refills_.front().when);
  return next;
}

}  // namespace smpipe
