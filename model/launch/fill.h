// Contents of buffers: a function of the launch file alone, the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "launch/launch.h"

namespace smpipe {

/// SplitMix64's finaliser.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Random 64-bit numbers addressed by position: no state, so any element can be computed alone.
class CounterRandom {
 public:
  explicit constexpr CounterRandom(std::uint64_t seed) : base_(mix64(seed)) {}
  constexpr std::uint64_t operator()(std::uint64_t i) const { return mix64(base_ + (i + 1) * 0x9e3779b97f4a7c15ull); }

 private:
  std::uint64_t base_;
};

/// Contents of `bytes` bytes at device address `address` (pointer cycles refer to it). Reads the file of a file fill
/// and throws InputError if it has become too short.
std::vector<std::uint8_t> make_contents(const Fill& fill, std::uint64_t bytes, std::uint64_t address);

/// Gives every buffer its address in the model: from 0x7f0000000000, each at a multiple of 2 MiB with at least 2 MiB
/// unmapped behind it.
void allocate_buffers(Launch& launch);

/// Packs the arguments into `launch.parameters` as CUDA does; addresses must be set.
void pack_parameters(Launch& launch);

/// Fills every buffer; addresses must be set. Throws InputError when the buffers do not fit into this machine's memory.
void fill_buffers(Launch& launch);

}  // namespace smpipe
