// Reads launch files. Every mistake throws one InputError with file, line and remedy. Format: docs/launch-file.md.
#pragma once

#include <cstdint>
#include <string>

#include "config/gpu_config.h"
#include "launch/launch.h"

namespace smpipe {

/// Reads and validates a launch file and resolves it for one architecture ("sm_80"). Addresses and parameters are those
/// of the model; buffers are not filled yet.
Launch read_launch(const std::string& path, const std::string& architecture);

/// read_launch followed by fill_buffers.
Launch load_launch(const std::string& path, const std::string& architecture);

/// Throws when the GPU cannot hold one block of this launch: threads, registers, shared memory.
void check_resources(const Launch& launch, const GpuConfig& config);

/// Throws when the code reads kernel parameters beyond the given ones. `bytes_read` is one past the highest parameter
/// byte that the code reads, relative to the first parameter; `code_line` is the line of the instruction that reads it.
void check_parameters(const Launch& launch, std::uint32_t bytes_read, unsigned code_line);

}  // namespace smpipe
