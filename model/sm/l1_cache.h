// L1 data cache tags: 128-byte lines of four sectors, least recently used line leaves first.
//
// Deviation: fully associative. The capacity is what the shared-memory carve-out leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace smpipe {

struct MemoryOperation;

class L1Cache {
 public:
  struct Waiter {
    Waiter* next = nullptr;
    MemoryOperation* operation = nullptr;
    std::uint8_t sectors = 0;
  };
  struct Line {
    std::uint64_t address = 0;
    Waiter* waiters = nullptr;
    std::uint32_t newer = 0, older = 0;   ///< recency list
    std::uint32_t chain = 0;              ///< hash chain
    std::uint8_t valid = 0, pending = 0;  ///< by sector
  };

  /// Empties the cache and sets its capacity.
  void reset(std::uint64_t capacity_bytes);
  Line* find(std::uint64_t address);
  /// Finds or makes a line and marks it most recently used. Null if no line can leave (all wait for data) or the
  /// capacity is zero: the access then goes past L1.
  Line* touch(std::uint64_t address);

 private:
  static constexpr std::uint32_t kNil = 0;  ///< index 0 is the list head
  std::size_t bucket(std::uint64_t address) const {
    return static_cast<std::size_t>((address / kLineBytes * 0x9e3779b97f4a7c15ull) >> shift_);
  }
  void unlink(std::uint32_t i);
  void make_newest(std::uint32_t i);
  void forget(std::uint32_t i);
  std::uint32_t victim();

  std::vector<Line> lines_;  ///< [0] is the recency list's head
  std::vector<std::uint32_t> buckets_;
  unsigned shift_ = 63;
  std::uint32_t used_ = 0;
};

}  // namespace smpipe
