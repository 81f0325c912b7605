#include "sm/wavefronts.h"

#include <algorithm>
#include <bit>

namespace smpipe {

namespace {
constexpr std::uint32_t kMaxBanks = 64;

/// Whether the first lane of `phase` wants what a lane of `merged` wants: cheap, and false for every unconflicted
/// stride.
template <class Address>
bool shares_address(LaneMask phase, LaneMask merged, const std::array<Address, kLanes>& address) {
  const Address first = address[static_cast<std::size_t>(std::countr_zero(phase))];
  for (LaneMask m = merged; m != 0; m &= m - 1) {
    if (address[static_cast<std::size_t>(std::countr_zero(m))] == first) return true;
  }
  return false;
}
}  // namespace

template <class Address>
Wavefronts BankModel::access(LaneMask mask, const std::array<Address, kLanes>& address, std::uint32_t bytes) const {
  if (bytes <= 4) {
    const std::uint32_t total = wavefronts(mask, address, bytes);
    return {total, total > 0 ? total - 1 : 0};
  }
  const std::uint32_t lanes = bytes == 8 ? 16 : 8;
  const LaneMask one_phase = (LaneMask{1} << lanes) - 1;
  Wavefronts sum;
  LaneMask merged = 0;
  std::uint32_t taken = 0;  // wavefronts of `merged`
  for (std::uint32_t first = 0; first < kLanes; first += lanes) {
    const LaneMask phase = mask & (one_phase << first);
    if (phase == 0) continue;
    const std::uint32_t alone = wavefronts(phase, address, bytes);
    if (merged != 0 && shares_address(phase, merged, address)) {
      const std::uint32_t together = wavefronts(merged | phase, address, bytes);
      if (together <= std::max(alone, taken)) {
        merged |= phase;
        taken = together;
        continue;
      }
    }
    sum.total += taken;
    sum.conflicts += merged != 0 ? taken - 1 : 0;
    merged = phase;
    taken = alone;
  }
  sum.total += taken;
  sum.conflicts += merged != 0 ? taken - 1 : 0;
  return sum;
}

template <class Address>
std::uint32_t BankModel::wavefronts(LaneMask lanes, const std::array<Address, kLanes>& address,
                                    std::uint32_t bytes) const {
  const std::uint32_t words_per_lane = std::max(1u, bytes / bank_bytes_);
  std::array<std::uint64_t, kLanes * 4> words;  // distinct words so far
  std::array<std::uint8_t, kMaxBanks> per_bank{};
  std::uint32_t distinct = 0, busiest = 0;
  std::uint64_t banks_seen = 0;
  for (LaneMask m = lanes; m != 0; m &= m - 1) {
    const std::uint64_t first = address[static_cast<std::size_t>(std::countr_zero(m))] / bank_bytes_;
    for (std::uint32_t i = 0; i < words_per_lane; ++i) {
      const std::uint64_t word = first + i;
      const std::uint32_t bank = static_cast<std::uint32_t>(word % banks_);
      const std::uint64_t bit = std::uint64_t{1} << bank;
      // Only a bank that was used before can hold the same word already.
      if ((banks_seen & bit) && std::find(words.begin(), words.begin() + distinct, word) != words.begin() + distinct) {
        continue;
      }
      banks_seen |= bit;
      words[distinct++] = word;
      busiest = std::max<std::uint32_t>(busiest, ++per_bank[bank]);
    }
  }
  return busiest;
}

Wavefronts BankModel::atomic(LaneMask mask, const std::array<std::uint64_t, kLanes>& address,
                             std::uint32_t bytes) const {
  std::array<std::uint8_t, kMaxBanks> per_bank{};
  std::uint32_t busiest = 0;
  for (LaneMask m = mask; m != 0; m &= m - 1) {
    const std::uint64_t word = address[static_cast<std::size_t>(std::countr_zero(m))] / bank_bytes_;
    busiest = std::max<std::uint32_t>(busiest, ++per_bank[word % banks_]);
  }
  const std::uint32_t total = busiest * std::max(1u, bytes / bank_bytes_);
  return {total, total > 0 ? total - 1 : 0};
}

Wavefronts shared_wavefronts(const BankModel& banks, const MemoryOp& memory, const Step& step) {
  switch (memory.kind) {
    case MemoryKind::kAsyncCopy:
      return banks.access(step.shared_mask, step.shared_address, memory.bytes);
    case MemoryKind::kLoadMatrix:
      return banks.matrix(memory.bytes / 4, step.address);
    case MemoryKind::kAtomic:
    case MemoryKind::kReduction:
      return banks.atomic(step.memory_mask, step.address, memory.bytes);
    default:
      return banks.access(step.memory_mask, step.address, memory.bytes);
  }
}

template Wavefronts BankModel::access(LaneMask, const std::array<std::uint64_t, kLanes>&, std::uint32_t) const;
template Wavefronts BankModel::access(LaneMask, const std::array<std::uint32_t, kLanes>&, std::uint32_t) const;

}  // namespace smpipe
