// Units and small vocabulary types shared by every part of the model.
#pragma once

#include <array>
#include <cstdint>

namespace smpipe {

/// SM clock cycles since the start of the launch.
using Cycle = std::uint64_t;
/// "Never": a block that returns it sleeps until a neighbour wakes it.
inline constexpr Cycle kNever = ~Cycle{0};

inline constexpr unsigned kLanes = 32;  ///< threads of a warp
using LaneMask = std::uint32_t;         ///< bit i = lane i
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

inline constexpr unsigned kSectorBytes = 32;  ///< L1/L2 transfer unit (Nsight Compute: sector)
inline constexpr unsigned kLineBytes = 128;   ///< L1/L2 tag granularity

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

}  // namespace smpipe
