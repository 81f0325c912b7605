// Hands the blocks of a grid to SMs with room, in order. Each SM takes one block after the other, all SMs side by side.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "config/gpu_config.h"
#include "sim/clock_domain.h"
#include "sm/sm.h"

namespace smpipe {

class GridScheduler : public Block {
 public:
  GridScheduler(const sc_core::sc_module_name& name, const GpuConfig& config, ClockDomain& domain)
      : Block(name), config_(config), domain_(domain) {}

  /// Distributes blocks 0 .. `blocks`-1 of `warps` warps each. The emptiest SM is served first, the lowest number among
  /// equals.
  void begin(std::vector<Sm*> sms, std::uint32_t blocks_per_sm, std::uint64_t blocks, std::uint32_t warps);
  /// The slot is refilled `block_turnaround` cycles later.
  void block_finished(Cycle now, std::uint32_t sm);

  void receive(Cycle, Packet&) override {}
  Cycle step(Cycle now) override;

  std::uint64_t finished() const { return finish_times_.size(); }
  bool done() const { return finish_times_.size() == blocks_; }
  std::uint64_t blocks() const { return blocks_; }
  /// Cycle at which each block ended, in order of time.
  const std::vector<Cycle>& finish_times() const { return finish_times_; }

 private:
  const GpuConfig& config_;
  ClockDomain& domain_;
  struct Refill {
    Cycle when;
    std::uint32_t sm;
  };
  std::vector<Sm*> sms_;
  std::vector<std::uint32_t> taken_;  ///< block slots by SM, refilled ones included
  std::deque<Refill> refills_;
  std::vector<Cycle> free_at_;  ///< by SM: when it can take the next block
  std::uint32_t blocks_per_sm_ = 0, launch_interval_ = 0;
  std::uint64_t blocks_ = 0, next_block_ = 0;
  std::vector<Cycle> finish_times_;
};

}  // namespace smpipe
