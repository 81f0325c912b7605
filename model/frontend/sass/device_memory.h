// Global memory of the simulated device: named buffers at fixed addresses, every access checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/launch.h"

namespace smpipe {

/// Buffers at device addresses. Addresses between them belong to nobody and every access there is an error.
class DeviceMemory {
 public:
  struct Region {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint8_t* data = nullptr;
    std::string name;
  };

  DeviceMemory() = default;
  /// Views `buffers` (address and data must be set); kernels write into them directly, so they must outlive this.
  explicit DeviceMemory(std::vector<Buffer>& buffers);

  /// Adds a region over memory that the caller owns.
  void add(const std::string& name, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);
  /// Adds a zeroed region that this object owns; returns its storage.
  std::uint8_t* allocate(const std::string& name, std::uint64_t address, std::uint64_t bytes);

  /// Host address of `bytes` bytes at `address`, or null when they do not lie within one buffer.
  std::uint8_t* find(std::uint64_t address, std::uint64_t bytes) {
    const Region* r = last_;
    if (r && address >= r->begin && bytes <= r->end - r->begin && address - r->begin <= r->end - r->begin - bytes) {
      return r->data + (address - r->begin);
    }
    return find_slow(address, bytes);
  }
  /// Region that holds `address`, or null.
  const Region* region(std::uint64_t address) const;
  /// "nearest buffer A [0x.., 0x..)" for error messages.
  std::string nearest(std::uint64_t address) const;
  const std::vector<Region>& regions() const { return regions_; }

 private:
  std::uint8_t* find_slow(std::uint64_t address, std::uint64_t bytes);

  std::vector<Region> regions_;  // sorted by address
  std::vector<std::vector<std::uint8_t>> owned_;
  const Region* last_ = nullptr;
};

}  // namespace smpipe
