// A block: a unit that computes when it must next run.
#pragma once

#include <cstdint>
#include <systemc>

#include "core/types.h"

namespace smpipe {

struct Packet;
class ClockDomain;

/// Part of the machine that is scheduled on its own: an SM, an L2 slice, an HBM channel, the block scheduler.
///
/// In a cycle the domain first delivers every packet that is due, then steps the blocks that are due, in the order in
/// which they were added. Latency between blocks is at least one cycle, so that this order cannot change a result.
class Block : public sc_core::sc_module {
 public:
  explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {}
  virtual void receive(Cycle now, Packet& packet) = 0;
  /// Does what is due at `now`. Returns the earliest later cycle at which something can change without a packet
  /// arriving. Called more often than necessary it must change nothing.
  virtual Cycle step(Cycle now) = 0;
  std::uint32_t rank() const { return rank_; }

 private:
  friend class ClockDomain;
  std::uint32_t rank_ = 0;
};

}  // namespace smpipe
