// How an SM talks to the rest of the machine.
#pragma once

#include "core/types.h"
#include "noc/packet.h"

namespace smpipe {

/// The SM's ports to the network: one towards L2, one from L2, each with a width.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Sends a request that leaves the unit at `ready`; returns the cycle at which it has left the SM.
  virtual Cycle send(Cycle ready, Packet& packet) = 0;
  /// First cycle at which the port towards L2 is free.
  virtual Cycle free_at() const = 0;
};

}  // namespace smpipe
