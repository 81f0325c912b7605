#include "gpu/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace smpipe {

namespace {

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

std::uint32_t blocks_by_registers(const OccupancyConfig& c, const SmspConfig& smsp, const LaunchShape& shape) {
  if (shape.registers_per_thread == 0) return c.blocks_per_sm;
  // Registers are allocated per warp, and each SMSP owns an equal part of them.
  const std::uint32_t per_warp = round_up(shape.registers_per_thread * kLanes, c.register_allocation_unit);
  const std::uint32_t warps = c.registers_per_sm / smsp.count / per_warp * smsp.count;
  return warps / round_up(shape.warps_per_block(), smsp.count);
}

std::uint32_t shared_per_block(const OccupancyConfig& c, const LaunchShape& shape) {
  const std::uint32_t asked = shape.static_shared_bytes + shape.dynamic_shared_bytes;
  return round_up(asked + c.shared_reserved_per_block, c.shared_allocation_unit);
}

void check_fits(const GpuConfig& config, const LaunchShape& shape) {
  const OccupancyConfig& c = config.occupancy;
  const std::uint32_t shared = shape.static_shared_bytes + shape.dynamic_shared_bytes;
  if (shared > c.shared_per_block) {
    throw InputError("", 0, fmt::format("a block asks for {} bytes of shared memory", shared),
                     fmt::format("{} allows {}", config.gpu.name, c.shared_per_block));
  }
  if (shape.registers_per_thread > c.registers_per_thread) {
    throw InputError("", 0, fmt::format("{} registers per thread", shape.registers_per_thread),
                     fmt::format("{} allows {}", config.gpu.name, c.registers_per_thread));
  }
}

}  // namespace

Occupancy compute_occupancy(const GpuConfig& config, const LaunchShape& shape) {
  check_fits(config, shape);
  const OccupancyConfig& c = config.occupancy;
  const std::uint32_t warps = shape.warps_per_block();
  const std::uint32_t shared = shared_per_block(c, shape);
  const std::uint32_t largest = c.carveouts.back();
  struct Limit {
    const char* name;
    std::uint32_t blocks;
  };
  const Limit limits[] = {{"registers", blocks_by_registers(c, config.smsp, shape)},
                          {"shared_memory", largest / shared},
                          {"warps", c.warps_per_sm / warps},
                          {"blocks", c.blocks_per_sm}};
  const Limit* least = std::min_element(std::begin(limits), std::end(limits),
                                        [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  Occupancy result;
  result.blocks_per_sm = least->blocks;
  result.limiter = least->name;
  if (result.blocks_per_sm == 0) {
    throw InputError(
        "", 0,
        fmt::format("no block fits on an SM of {}: {} threads, {} registers each, {} bytes of shared memory",
                    config.gpu.name, shape.threads_per_block(), shape.registers_per_thread, shared),
        fmt::format("the limit is {}", least->name));
  }
  const std::uint64_t share = (shape.grid.count() + config.gpu.sm_count - 1) / config.gpu.sm_count;
  if (share < result.blocks_per_sm) {
    result.blocks_per_sm = static_cast<std::uint32_t>(share);
    result.limiter = "grid";
  }
  result.warps_per_sm = result.blocks_per_sm * warps;
  // The driver picks the smallest carve-out that allows the occupancy; the rest is L1.
  const std::uint32_t wanted =
      result.blocks_per_sm * (shape.static_shared_bytes + shape.dynamic_shared_bytes > 0 ? shared : 0);
  result.shared_carveout =
      *std::find_if(c.carveouts.begin(), c.carveouts.end(), [&](std::uint32_t bytes) { return bytes >= wanted; });
  result.l1_bytes = c.unified_bytes - result.shared_carveout;
  return result;
}

}  // namespace smpipe
