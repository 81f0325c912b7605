#include "gpu/grid_scheduler.h"

#include <algorithm>

namespace smpipe {

void GridScheduler::begin(std::vector<Sm*> sms, std::uint32_t blocks_per_sm, std::uint64_t blocks) {
  sms_ = std::move(sms);
  blocks_per_sm_ = blocks_per_sm;
  blocks_ = blocks;
  next_block_ = 0;
  free_at_ = domain_.now();
  finish_times_.clear();
  finish_times_.reserve(blocks);
}

void GridScheduler::block_finished(Cycle now) {
  finish_times_.push_back(now);
  if (next_block_ < blocks_) domain_.wake(*this, now + 1);
}

Cycle GridScheduler::step(Cycle now) {
  while (next_block_ < blocks_ && free_at_ <= now) {
    const auto emptiest = std::min_element(
        sms_.begin(), sms_.end(), [](const Sm* a, const Sm* b) { return a->resident_blocks() < b->resident_blocks(); });
    if ((*emptiest)->resident_blocks() >= blocks_per_sm_) return kNever;  // block_finished() wakes us
    (*emptiest)->launch(now, next_block_++, config_.occupancy.block_start_latency);
    free_at_ = now + std::max(1u, config_.occupancy.block_launch_interval);
  }
  return next_block_ < blocks_ ? free_at_ : kNever;
}

}  // namespace smpipe
