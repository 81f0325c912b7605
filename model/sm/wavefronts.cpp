#include "sm/wavefronts.h"

#include <algorithm>
#include <bit>

namespace smpipe {

namespace {
constexpr std::uint32_t kMaxBanks = 64;
}

template <class Address>
std::uint32_t BankModel::phase_wavefronts(LaneMask lanes, const Address* address, std::uint32_t bytes) const {
  const std::uint32_t words_per_lane = std::max(1u, bytes / bank_bytes_);
  std::array<std::uint64_t, kLanes * 4> words;  // distinct words of the phase, grouped by nothing: at most 32
  std::array<std::uint8_t, kMaxBanks> per_bank{};
  std::uint32_t distinct = 0, busiest = 0;
  std::uint64_t banks_seen = 0;
  for (LaneMask m = lanes; m != 0; m &= m - 1) {
    const std::uint64_t first = address[std::countr_zero(m)] / bank_bytes_;
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

template std::uint32_t BankModel::phase_wavefronts(LaneMask, const std::uint64_t*, std::uint32_t) const;
template std::uint32_t BankModel::phase_wavefronts(LaneMask, const std::uint32_t*, std::uint32_t) const;

}  // namespace smpipe
