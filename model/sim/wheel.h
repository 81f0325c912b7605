// Calendar wheel: events ordered by cycle, in constant time, first in first out within a cycle.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/error.h"
#include "core/types.h"
#include "sim/pool.h"

namespace smpipe {

/// `Payload` is copied into a pooled node. Events may lie further ahead than the wheel's span: they wait in their
/// bucket for later turns.
template <class Payload, unsigned kLog2Span>
class Wheel {
 public:
  static constexpr unsigned kSpan = 1u << kLog2Span;

  /// `when` must not have been drained yet.
  void schedule(Cycle when, const Payload& payload) {
    if (when <= drained_) throw ModelError("event scheduled for a cycle that is over");
    Node* node = pool_.take();
    node->next = nullptr;
    node->when = when;
    node->payload = payload;
    append(when, node);
    ++size_;
  }

  /// Calls `handle(payload)` for every event due at `now`. The handler may schedule for later cycles.
  template <class Handler>
  void drain(Cycle now, Handler&& handle) {
    drained_ = now;
    const unsigned slot = static_cast<unsigned>(now) & (kSpan - 1);
    if (!occupied(slot)) return;
    Node* node = head_[slot];
    head_[slot] = tail_[slot] = nullptr;
    occupancy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    while (node != nullptr) {
      Node* next = node->next;
      node->next = nullptr;
      if (node->when == now) {
        const Payload payload = node->payload;
        pool_.give(node);
        --size_;
        handle(payload);
      } else {
        append(node->when, node);
      }
      node = next;
    }
  }

  /// Earliest cycle > `now` whose bucket holds something; an upper bound of `now + kSpan` turns, kNever if empty.
  Cycle next_after(Cycle now) const {
    if (size_ == 0) return kNever;
    const unsigned start = static_cast<unsigned>(now + 1) & (kSpan - 1);
    unsigned word = start / 64;
    std::uint64_t bits = occupancy_[word] & (~std::uint64_t{0} << (start % 64));
    for (unsigned i = 0; i <= kWords; ++i) {
      if (bits != 0) {
        const unsigned slot = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        return now + 1 + ((slot - start) & (kSpan - 1));
      }
      word = (word + 1) % kWords;
      bits = occupancy_[word];
    }
    return kNever;
  }

  bool empty() const { return size_ == 0; }

 private:
  struct Node {
    Node* next = nullptr;
    Cycle when = 0;
    Payload payload{};
  };
  static constexpr unsigned kWords = std::max(1u, kSpan / 64);

  bool occupied(unsigned slot) const { return (occupancy_[slot / 64] >> (slot % 64)) & 1; }
  void append(Cycle when, Node* node) {
    const unsigned slot = static_cast<unsigned>(when) & (kSpan - 1);
    if (occupied(slot)) {
      tail_[slot]->next = node;
    } else {
      head_[slot] = node;
      occupancy_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }
    tail_[slot] = node;
  }

  std::array<Node*, kSpan> head_{};
  std::array<Node*, kSpan> tail_{};
  std::array<std::uint64_t, kWords> occupancy_{};
  Pool<Node> pool_;
  std::size_t size_ = 0;
  Cycle drained_ = 0;
};

}  // namespace smpipe
