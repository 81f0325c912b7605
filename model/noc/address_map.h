// Where a line lives: home partition, L2 slice, HBM channel, bank and row.
#pragma once

#include <cstdint>

#include "config/gpu_config.h"
#include "core/types.h"

namespace smpipe {

/// A line's home.
struct Place {
  std::uint32_t partition = 0;   ///< home partition
  std::uint32_t index = 0;       ///< slice within a partition
  std::uint64_t local_line = 0;  ///< dense line number within that slice
};

/// Deterministic, total and bijective: consecutive lines of a partition spread over all of its slices, and each slice
/// sees a dense sequence of local lines, so that streams fill DRAM rows.
class AddressMap {
 public:
  explicit AddressMap(const GpuConfig& config)
      : partitions_(config.l2.partitions),
        per_partition_(config.l2.slices / config.l2.partitions),
        interleave_lines_(config.l2.partition_interleave_bytes / kLineBytes),
        slices_(config.l2.slices),
        channels_(config.hbm.stacks * config.hbm.channels_per_stack) {}

  Place place(std::uint64_t line_address) const {
    const std::uint64_t line = line_address / kLineBytes;
    std::uint64_t dense = line;
    std::uint32_t home = 0;
    if (partitions_ == 2) {
      const std::uint64_t group = line / interleave_lines_;
      home = partition_parity(group);
      // The parity includes the group's lowest bit: of two neighbouring groups each partition owns one.
      dense = (group / 2) * interleave_lines_ + line % interleave_lines_;
    }
    const std::uint64_t row = dense / per_partition_;
    const std::uint64_t column = dense % per_partition_;
    return {home, static_cast<std::uint32_t>((column + scramble(row)) % per_partition_), row};
  }

  /// HBM channel behind a line's home slice. Either count divides the other: several channels per slice take turns by
  /// line, or several slices share a channel.
  std::uint32_t channel(const Place& p) const {
    const std::uint32_t s = slice(p.partition, p.index);
    if (channels_ <= slices_) return s / (slices_ / channels_);
    const std::uint32_t per_slice = channels_ / slices_;
    return s * per_slice + static_cast<std::uint32_t>(p.local_line % per_slice);
  }
  /// Dense line number within the channel.
  std::uint64_t channel_line(const Place& p) const {
    if (channels_ > slices_) return p.local_line / (channels_ / slices_);
    const std::uint32_t sharing = slices_ / channels_;
    return p.local_line * sharing + slice(p.partition, p.index) % sharing;
  }

  std::uint32_t slice(std::uint32_t partition, std::uint32_t index) const { return partition * per_partition_ + index; }
  std::uint32_t partition_of_slice(std::uint32_t slice) const { return slice / per_partition_; }
  /// TPCs (pairs of SMs) alternate between the partitions. Assumed: published counts are 62 + 46 for one A100 (P353).
  std::uint32_t partition_of_sm(std::uint32_t sm) const { return partitions_ == 2 ? (sm / 2) % 2 : 0; }

 private:
  /// Bits 0, 4, 7 of the 8 KiB group on A100: published fit 1 ^ b13 ^ b17 ^ b20 (P376).
  static std::uint32_t partition_parity(std::uint64_t group) {
    return static_cast<std::uint32_t>(1 ^ (group & 1) ^ ((group >> 4) & 1) ^ ((group >> 7) & 1));
  }
  static std::uint64_t scramble(std::uint64_t row) {
    row *= 0x9e3779b97f4a7c15ull;
    return row >> 40;
  }

  std::uint32_t partitions_;
  std::uint32_t per_partition_;
  std::uint64_t interleave_lines_;
  std::uint32_t slices_;
  std::uint32_t channels_;
};

}  // namespace smpipe
