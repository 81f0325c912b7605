// What travels between SMs, L2 slices and HBM channels.
#pragma once

#include <cstdint>

#include "core/types.h"
#include "noc/address_map.h"

namespace smpipe {

class Block;

enum class PacketKind : std::uint8_t {
  kRead,
  kWrite,  ///< SM store, or an L2 write-back towards HBM
  kAtomic,
  kReduction,
  kInvalidate,  ///< home slice to the other partition: drop a stale copy
};

/// A request for up to four sectors of one line; the same object returns as the answer.
/// Whoever took it from a pool gives it back when the answer arrives.
struct Packet {
  Packet* next = nullptr;
  std::uint64_t line = 0;     ///< byte address of the 128-byte line
  Place place{};              ///< where the line lives; set by the SM
  Block* reply_to = nullptr;  ///< the answer goes there
  void* owner = nullptr;      ///< the requester's bookkeeping
  PacketKind kind = PacketKind::kRead;
  std::uint8_t sectors = 0;  ///< bit i: sector i of the line
  bool is_answer = false;
  std::uint8_t partition = 0;    ///< of the requesting SM: its answers cross over when the home slice is far
  std::uint16_t operations = 0;  ///< atomics: lane operations, for serialisation at the slice
};

}  // namespace smpipe
