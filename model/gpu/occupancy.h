// How many blocks of a launch fit on an SM, and what is left of the unified memory for L1.
#pragma once

#include <cstdint>
#include <string>

#include "config/gpu_config.h"
#include "program/warp_stream.h"

namespace smpipe {

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t warps_per_sm = 0;
  std::string limiter;                ///< registers | shared_memory | warps | blocks | grid
  std::uint32_t shared_carveout = 0;  ///< bytes
  std::uint32_t l1_bytes = 0;
};

/// CUDA's occupancy rules. Throws InputError if not even one block fits.
Occupancy compute_occupancy(const GpuConfig& config, const LaunchShape& shape);

}  // namespace smpipe
